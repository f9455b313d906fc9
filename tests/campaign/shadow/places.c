/* Places and units. See places.h. */
#include "places.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int shadow_of(int *place, const char *rule, const char *file, const char *how, int counts,
              int verdict);

_Thread_local unit_set shadow_asked, shadow_fired;
static _Thread_local unit_set held;

static struct {
  pthread_mutex_t lock;
  int by_place, units;
  char name[UNITS][160];
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

void units_are_places(void) {
  table.by_place = 1;
}

/* src/constraint/... from wherever that is */
static const char *below_src(const char *file) {
  const char *at = strstr(file, "src/");
  return at ? at + 4 : file;
}

static int unit_of(const char *rule, const char *file, const char *how) {
  char name[160];
  snprintf(name, sizeof name, "%s%s%s%s%s", rule, *how ? ":" : "", how, table.by_place ? " " : "",
           table.by_place ? below_src(file) : "");
  pthread_mutex_lock(&table.lock);
  int k = 0;
  while (k < table.units && strcmp(table.name[k], name)) k++;
  if (k == UNITS) abort();
  if (k == table.units) memcpy(table.name[table.units++], name, sizeof name);
  pthread_mutex_unlock(&table.lock);
  return k;
}

int unit_count(void) {
  return table.units;
}

const char *unit_name(int unit) {
  return table.name[unit];
}

void unit_find(const char *names, unit_set *set) {
  *set = (unit_set){{0}};
  for (int k = 0; k < table.units; k++)
    for (const char *at = names; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
      const size_t length = strcspn(at, ",");
      if (length && !strncmp(table.name[k], at, length)) set->has[k] = 1;
    }
}

void shadow_hold(const unit_set *units) {
  held = units ? *units : (unit_set){{0}};
  shadow_asked = shadow_fired = (unit_set){{0}};
}

int shadow_of(int *place, const char *rule, const char *file, const char *how, int counts,
              int verdict) {
  if (!*place) *place = unit_of(rule, file, how) + 1;
  const int unit = *place - 1;
  shadow_asked.has[unit] = 1;
  if (!verdict != !counts) return verdict;
  shadow_fired.has[unit] = 1;
  return held.has[unit] ? !counts : verdict;
}
