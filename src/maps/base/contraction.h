#ifndef RATTLE__CONTRACTION_H
#define RATTLE__CONTRACTION_H
/* When an iteration that contracts has ended, from its changes r[0 .. k] in units of round-off. */
#include <float.h>
#include <math.h>

#include "constraint/equation/iterate.h"

static inline double rattle__rate(const double *r, int k) {
  return r[k] == 0 ? 0 : k ? r[k] / r[k - 1] : 1; /* 0: it solves the equations */
}

/* True if r/(1 - r) of the last change, r the rate, which bounds what is left (Banach), is below a
 * part of round-off: errors of stages are of one sign from step to step, as rounding is not
 * (decision 124). */
static inline int rattle__contracted(const double *r, int k) {
  const double share = 0x1p-10;
  if (k && r[k] * r[k] > share * r[k - 1]) return 0; /* rate r > share: no quotient is needed */
  const double rate = rattle__rate(r, k);
  return rate < 0.5 && rate / (1 - rate) * r[k] <= share;
}

/* True if changes do not fall any more. */
static inline int rattle__changes_stagnate(const double *r, int k) {
  return !rattle__contracted(r, k) && rattle__stagnates(r[k], k ? r[k - 1] : r[k], k);
}

/* True if they do not fall, or so slowly that the iterations there may be end before: at the rate
 * of the last three, after the first ones, whose rates are not yet that of the map. */
static inline int rattle__contracts_in_vain(const double *r, int k) {
  enum { FIRST = 6, LAST = 3 };
  if (!(r[k] <= DBL_MAX) || k + 1 == RATTLE__ITERATIONS) return 1;
  if (k < FIRST || !(r[k] > RATTLE__ENOUGH)) return 0;
  if (r[k] <= 0x1p-3 * r[k - LAST] && r[k] <= ldexp(RATTLE__ENOUGH, RATTLE__ITERATIONS - k))
    return 0; /* a bit an iteration is enough; the logarithm says the same */
  const double fall = log(r[k - LAST] / r[k]) / LAST;
  return !(fall * (RATTLE__ITERATIONS - k) > log(r[k] / RATTLE__ENOUGH));
}
#endif
