#ifndef RATTLE__SIZES_H
#define RATTLE__SIZES_H
/* The sizes of coordinates and momenta by which residuals are judged. */
#include <float.h>
#include <math.h>

#include "problem/functions/problem.h"

/* True if that entry of z is the time: it is exact however large it is, so that nothing is judged
 * by its size. */
static inline int rattle__is_time(const rattle_problem *problem, int entry) {
  return entry == problem->clock - 1;
}

/* The same where a residual r of that entry, x, is what rounding leaves of it: a correction would
 * not move it, but what depends on it. */
static inline int rattle__is_time_at(const rattle_problem *problem, int entry, double x, double r) {
  return rattle__is_time(problem, entry) && fabs(r) <= DBL_EPSILON * fabs(x);
}

/* True if that entry of z is a sum of slopes on which nothing depends, and of a size of its own, an
 * energy: p_t, and the work of forces. */
static inline int rattle__is_tally(const rattle_problem *problem, int entry) {
  return (problem->account && entry == 2 * problem->n - 1) ||
         (problem->clock && entry == problem->n + problem->clock - 1);
}

static inline int rattle__is_apart(const rattle_problem *problem, int entry) {
  return rattle__is_time(problem, entry) || rattle__is_tally(problem, entry);
}

/* The largest entries of q and of p, without entries of a size of their own. */
static inline void rattle__largest_of_kind(const rattle_problem *problem, const double *z,
                                           double most[2]) {
  const int n = problem->n;
  most[0] = most[1] = 0;
  for (int k = 0; k < 2 * n; k++)
    if (fabs(z[k]) > most[k >= n] && !rattle__is_apart(problem, k)) most[k >= n] = fabs(z[k]);
}

/* True if a search that ended at z began so far away, at `from`, that its units of round-off are
 * not those of z: then it must be made once more, from z. */
static inline int rattle__came_from_far(const rattle_problem *problem, const double *from,
                                        const double *z) {
  double here[2], there[2];
  rattle__largest_of_kind(problem, z, here);
  rattle__largest_of_kind(problem, from, there);
  return there[0] > 16 * here[0] || there[1] > 16 * here[1];
}
#endif
