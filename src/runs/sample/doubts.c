/* Sentences on samples that are not to be trusted, and what to do. */
#include <math.h>
#include <stdio.h>

#include "rattle/sample.h"

typedef struct impression {
  int still, at_floor, at_top; /* chains that have accepted nothing; whose warm-up ended at its
                                  shortest step; at its longest */
  long long accepted, of;      /* transitions */
  double worst, least;         /* R-hat, effective samples */
} impression;

static impression look(const rattle_sampling_result *r) {
  impression t = {.least = (double)INFINITY};
  for (int c = 0; c < r->chains; c++) {
    t.still += r->counts[c].accepted == 0;
    t.at_floor += r->at_floor && r->at_floor[c] > 0;
    t.at_top += r->at_floor && r->at_floor[c] < 0;
    t.accepted += r->counts[c].accepted, t.of += r->counts[c].transitions;
  }
  for (int c = 0; c < r->columns; c++) {
    t.worst = fmax(t.worst, r->estimate[c].rhat); /* NaN is left out */
    t.least = fmin(t.least, r->estimate[c].effective);
  }
  return t;
}

/* Two groups of chains that no chain has crossed between: the draws of `below` chains are at most
 * `from`, those of the others at least `to`. */
typedef struct parting {
  const char *column;
  double from, to;
  int below;
} parting;

static rattle_draws draws_of(const rattle_sampling_result *r, int column, int chain) {
  return (rattle_draws){.x = r->value + (size_t)chain * (size_t)r->draws * (size_t)r->columns +
                             column,
                        .chains = 1,
                        .draws = r->draws,
                        .chain_stride = r->draws * r->columns,
                        .stride = r->columns};
}

/* 1 if each chain agrees with itself, so that it does not wander. */
static int are_settled(const rattle_sampling_result *r, int column) {
  int settled = 1;
  for (int c = 0; c < r->chains && settled; c++) {
    rattle_estimate e;
    const rattle_draws d = draws_of(r, column, c);
    settled = !rattle_estimate_of(&d, &e, NULL) && e.rhat <= RATTLE_RHAT_LIMIT &&
              e.effective >= RATTLE_EFFECTIVE_LIMIT;
  }
  return settled;
}

static void range(const rattle_draws *d, double *least, double *most) {
  *least = (double)INFINITY, *most = -(double)INFINITY;
  for (long long k = 0; k < d->draws; k++) {
    *least = fmin(*least, d->x[k * d->stride]);
    *most = fmax(*most, d->x[k * d->stride]);
  }
}

/* The gap above the draws of one chain that is in the draws of none, if others are beyond it. */
static int gap_above(const rattle_sampling_result *r, int column, int chain, parting *found) {
  double least, most;
  rattle_draws d = draws_of(r, column, chain);
  range(&d, &least, &most);
  *found = (parting){.column = r->column[column], .from = most, .to = (double)INFINITY};
  for (int c = 0; c < r->chains; c++) {
    d = draws_of(r, column, c);
    range(&d, &least, &most);
    if (least <= found->from && most > found->from) return 0;
    found->below += most <= found->from;
    if (least > found->from) found->to = fmin(found->to, least);
  }
  return found->below < r->chains;
}

static int are_parted(const rattle_sampling_result *r, parting *found) {
  for (int column = 0; column < r->columns && r->value; column++) {
    if (!(r->estimate[column].rhat > RATTLE_RHAT_LIMIT)) continue;
    for (int c = 0; c < r->chains; c++)
      if (gap_above(r, column, c, found) && are_settled(r, column)) return 1;
  }
  return 0;
}

static const char *plural(int count) {
  return count == 1 ? "" : "s";
}

const char *rattle_sampling_doubt(const rattle_sampling_result *r, int which, char *text,
                                  size_t size) {
  const impression t = look(r);
  parting gap = {0};
  const int parted = t.worst > RATTLE_RHAT_LIMIT && are_parted(r, &gap);
  int left = which;
  if (size) *text = '\0';
#define SAY(applies, ...)                                                                          \
  if ((applies) && left-- == 0) return snprintf(text, size, __VA_ARGS__) < 0 ? NULL : text
  SAY(t.still, "no transition of %d chain%s was accepted: use a smaller step, or a warm-up",
      t.still, plural(t.still));
  SAY(parted,
      "no chain has crossed from %s = %.4g to %.4g: %d stay%s below, %d above, and each agrees "
      "with "
      "itself. More samples do not join such parts: see \"Chains that stay apart\" in "
      "docs/sampling.md",
      gap.column, gap.from, gap.to, gap.below, gap.below == 1 ? "s" : "", r->chains - gap.below);
  SAY(t.worst > RATTLE_RHAT_LIMIT && !parted,
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
  SAY(t.at_top,
      "the warm-up of %d chain%s ended at the longest step that it takes, a thousand times the "
      "first: begin with a longer step",
      t.at_top, plural(t.at_top));
  SAY(r->off, "%s", r->off);
#undef SAY
  return NULL;
}
