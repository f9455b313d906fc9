/* Sentences on samples that are not to be trusted, and what to do. */
#include <math.h>
#include <stdio.h>

#include "rattle/sample.h"

typedef struct impression {
  int still, at_floor;    /* chains that have accepted nothing; whose warm-up ended at the floor */
  long long accepted, of; /* transitions */
  double worst, least;    /* R-hat, effective samples */
} impression;

static impression look(const rattle_sampling_result *r) {
  impression t = {.least = (double)INFINITY};
  for (int c = 0; c < r->chains; c++) {
    t.still += r->counts[c].accepted == 0;
    t.at_floor += r->at_floor && r->at_floor[c];
    t.accepted += r->counts[c].accepted, t.of += r->counts[c].transitions;
  }
  for (int c = 0; c < r->columns; c++) {
    t.worst = fmax(t.worst, r->estimate[c].rhat); /* NaN is left out */
    t.least = fmin(t.least, r->estimate[c].effective);
  }
  return t;
}

static const char *plural(int count) {
  return count == 1 ? "" : "s";
}

const char *rattle_sampling_doubt(const rattle_sampling_result *r, int which, char *text,
                                  size_t size) {
  const impression t = look(r);
  int left = which;
  if (size) *text = '\0';
#define SAY(applies, ...)                                                                          \
  if ((applies) && left-- == 0) return snprintf(text, size, __VA_ARGS__) < 0 ? NULL : text
  SAY(t.still, "no transition of %d chain%s was accepted: use a smaller step, or a warm-up",
      t.still, plural(t.still));
  SAY(t.worst > RATTLE_RHAT_LIMIT,
      "R-hat is above 1.01: the chains do not agree yet; take more samples or a longer warm-up");
  SAY(t.least < (double)RATTLE_EFFECTIVE_LIMIT * r->chains,
      "fewer than %d effective samples a chain: errors of means are not to be trusted",
      RATTLE_EFFECTIVE_LIMIT);
  SAY(!t.still && t.accepted * 10 < t.of,
      "nine of ten transitions are rejected: use a smaller step");
  SAY(t.at_floor,
      "the warm-up of %d chain%s ended at the shortest step that it takes, a thousandth of the "
      "first: begin with a smaller step",
      t.at_floor, plural(t.at_floor));
  SAY(r->off, "%s", r->off);
#undef SAY
  return NULL;
}
