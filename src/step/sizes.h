#ifndef RATTLE__SIZES_H
#define RATTLE__SIZES_H
/* The sizes of coordinates and momenta by which residuals are judged. */
#include <float.h>
#include <math.h>

#include "problem/problem.h"

/* A coordinate that a constraint holds at 0 (a rail y = 0) is a sum of terms that cancel in each stage: its own size says nothing
 * of its round-off. The unit of a residual is at least this part of what the largest coordinate of its kind, q or p, would make
 * it; rattle__judge's stagnation does the rest. */
#define RATTLE__CANCELLED (1.0 / 64)

/* Whether that entry of z is the time: it is exact however large it is, so that nothing is judged by its size. */
static inline int rattle__is_time(const rattle_problem *problem, int entry) {
  return entry == problem->clock - 1;
}

/* The same where a residual r of that entry, x, is what rounding leaves of it: a correction would not move it, but what depends on it. */
static inline int rattle__is_time_at(const rattle_problem *problem, int entry, double x, double r) {
  return rattle__is_time(problem, entry) && fabs(r) <= DBL_EPSILON * fabs(x);
}

static inline void rattle__largest_of_kind(const rattle_problem *problem, const double *z, double most[2]) {
  const int n = problem->n;
  most[0] = most[1] = 0;
  for (int k = 0; k < 2 * n; k++)
    if (fabs(z[k]) > most[k >= n] && !rattle__is_time(problem, k)) most[k >= n] = fabs(z[k]);
}
#endif
