#ifndef RATTLE__RELAXATION_H
#define RATTLE__RELAXATION_H
/* Multipliers by Gauss-Seidel sweeps, in place of the Newton solves of natural.c: solver=sweep and
 * solver=andersen. */
#include "constraint/equation/iterate.h"

typedef struct rattle__relaxation rattle__relaxation;

/* Made by the `sweeps` of a solver's row (method/notation/row.h). andersen: g must consist of
 * distance constraints; else RATTLE_UNSUITABLE, naming the first that is not. */

/* The start of a solve for positions. */
typedef struct rattle__relaxation_start {
  const double *q0, *J0, *B0; /* q0 [n]; G and, up to a factor, G M^-1 at q0 */
  double scale;               /* lambda moves q by -scale B0^T lambda */
  const double *least;        /* [n] how little coordinates may count (rattle__least_coordinates) */
  /* q anew from lambda, where a force depends on it, else NULL; q is that of lambda = 0 already */
  rattle_status (*again)(void *self, rattle_error *error);
  /* 1 / round-off of g at q anew, from all that rounding makes of it (unit.h) */
  rattle_status (*raise)(void *self, double *inverse_floor, rattle_error *error);
  void *self;
} rattle__relaxation_start;

/* Moves q of z1 = (q, p) onto g = 0; lambda [m]: the multipliers that moved it. Results in the
 * course: `residual` of the last sweep, in units of round-off; `doubtful` if the first sweep met a
 * gradient that differs from the one at q0 by half of it, along that one. After failed sweeps,
 * `doubtful` means that they did not come nearer than the first of them; others are slow. */
rattle_status rattle__relaxation_positions(rattle__relaxation *relaxation,
                                           const rattle__relaxation_start *start, double *z1,
                                           double *lambda, rattle__course *course,
                                           rattle_error *error);
/* p of z = (q, p) onto G M^-1 p = 0, G in J and, up to a factor, G M^-1 in B at q; `of` is that
 * projection. *largest: the largest |psi_i| of the last sweep. */
rattle_status rattle__relaxation_momenta(rattle__relaxation *relaxation,
                                         const struct rattle__momenta *of, const double *J,
                                         const double *B, double *z, double *largest,
                                         rattle_error *error);
#endif
