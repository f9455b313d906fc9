#ifndef CAMPAIGN_PLACES_H
#define CAMPAIGN_PLACES_H
/* Verdicts of rules in shadow (rules_in_shadow.h): places at which rules are asked, and which of
 * them are held back, each thread for itself. A unit is what is held back together: a rule wherever
 * it is asked, or at one place. */
#include <stdint.h>

enum { PLACES = 160, UNITS = 160 };

typedef struct unit_set {
  unsigned char has[UNITS];
} unit_set;

/* From now on units are places, not rules. Before anything is asked. */
void units_are_places(void);
int unit_count(void);
const char *unit_name(int unit);
/* The units whose names begin with one of those, separated by commas. */
void unit_find(const char *names, unit_set *set);

/* Holds these back in this thread, NULL: none, and forgets what was noted. */
void shadow_hold(const unit_set *held);
/* The units that were asked, and those whose verdict was the one they are there for. */
extern _Thread_local unit_set shadow_asked, shadow_fired;
#endif
