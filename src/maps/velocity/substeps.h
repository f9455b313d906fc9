#ifndef RATTLE__SUBSTEPS_H
#define RATTLE__SUBSTEPS_H
/* A step under constraints on velocities followed from h = 0, by any method. */
#include "constraint/step/context.h"

/* A part of the step h that is followed, and where it leads. */
typedef struct rattle__rolling_part {
  double from, part, slope; /* parts of h where it begins and ends; of the secant */
  double h;
  const double *z0;
  double *z1;
} rattle__rolling_part;

/* *reached: true if the substep is found without doubt; z1 is then where it ends. */
typedef rattle_status rattle__rolling_reach(void *self, const rattle__rolling_part *at,
                                            int *reached, rattle_error *error);
/* Substeps from 0 to h, halved where they are not reached. DEGENERATE: the solution was lost.
 * NOT_CONVERGED if the context declines. */
rattle_status rattle__rolling_walk(rattle__context *context, rattle__rolling_reach *reach,
                                   void *self, double h, const double *z0, double *z1,
                                   rattle_error *error);
#endif
