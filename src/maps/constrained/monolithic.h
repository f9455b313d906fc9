#ifndef RATTLE__MONOLITHIC_H
#define RATTLE__MONOLITHIC_H
/* rattle_monolithic, with its Jacobian in the caller's hands: a test measures what the faults of a
 * printed one cost. */
#include "maps/base/base.h"

/* Factors of the two terms in which the Jacobian of Octave's odeRATTLE is wrong (docs/errata.md):
 * in the rows of p1, (h/2) mu.g'' by q1, which is 1 and printed as -1; and (h/2) H_qp by p1, which
 * is 0 and printed as 1. */
typedef struct rattle__monolithic_jacobian {
  double curvature, force_of_p1;
} rattle__monolithic_jacobian;

/* tol > 0: step doubling inside the step (maps/constrained/step_doubling.c). */
rattle_status rattle__monolithic_create(rattle__map **map, rattle__context *context, double tol,
                                        const rattle__monolithic_jacobian *jacobian,
                                        rattle_error *error);
#endif
