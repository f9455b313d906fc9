#ifndef RATTLE__UNIT_H
#define RATTLE__UNIT_H
/* The unit of a residual: what rounding makes of g, psi and the slopes of H at the end of a step.
 *
 * Cheap units, eps times the terms G z of g or G H_p of psi, ignore cancellation inside g
 * (constants, a point far from the origin) or inside H_p, and vanish where coordinates do. These
 * account for it: the coordinates of a point are off by the rounding of all that was added up to
 * them over the step, and g and H_p by what their own operations make of that
 * (ground/expr/round_off.h). They cost some ten evaluations and are asked for where an iteration
 * stagnates. */
#include "constraint/guard/rules/rules.h"
#include "constraint/equation/stopping.h"
#include "constraint/step/context.h"

typedef struct rattle__unit {
  const rattle_problem *problem;
  double *reach;       /* how far rounding moves the coordinates of the point [2n] */
  double *slope;       /* how far off X_H is there [2n] */
  double *X;           /* X_H there [2n] */
  const double *terms; /* the sums of the sizes of what corrections added to each entry, whose
                          rounding stays where they cancel [2n]; NULL: as large as the largest way
                          of q, or of p */
  int ran_away;        /* 1: the iterate was too far off, and reach is 0 */
  double *bound, *J, *G, *own, *other; /* scratch [m], [nnz], [nnz], [2n], [2n] */
  void *room;
} rattle__unit;

/* Memory from the context's arena; NULL if there is none. */
rattle__unit *rattle__unit_create(rattle__context *context);

/* reach of z1, the end of a step of h from z0 over `plus`, the point of its fibre from which the
 * map inside starts; slope and X are those of z1. If z1 is so far off that an iteration ran away,
 * reach is 0. */
rattle_status rattle__unit_of_step(rattle__unit *unit, double h, const double *z0,
                                   const double *plus, const double *z1, rattle_error *error);
/* reach of the momenta += the change by rounding of z1, and inside g', of h sum_i l_i G_i: of
 * forces of constraints at a point of the step that moves with z1. |l_i| <= pull[i]; after
 * unit_of_step, whose reach is that of z1. */
rattle_status rattle__unit_of_pull(rattle__unit *unit, double h, const double *z1,
                                   const double *pull, rattle_error *error);
/* reach, slope and X of a point z that was moved from z0 without a step. */
rattle_status rattle__unit_of_move(rattle__unit *unit, const double *z0, const double *z,
                                   rattle_error *error);

/* unit[2n] += weight |H''| |z|, S = H''(z) in its pattern, at the entries that X_H moves: what
 * rounding of z makes of weight X_H, in units of epsilon. A cheap unit where H'' is at hand and
 * slopes cancel, as in 0 = H_b of a free variable. */
void rattle__slope_round_off(const rattle_problem *problem, const double *S, const double *z,
                             double weight, double *unit);

/* size[m] raised to the unit of g, and of psi, at the point z that reach, slope and X belong to. */
rattle_status rattle__unit_of_g(rattle__unit *unit, const double *z, double *size,
                                rattle_error *error);
rattle_status rattle__unit_of_psi(rattle__unit *unit, const double *z, double *size,
                                  rattle_error *error);
#endif
