#ifndef RATTLE__ORBIT_NEWTON_H
#define RATTLE__ORBIT_NEWTON_H
/* Newton's method for periodic orbits: the gaps between arcs, and conditions that choose one orbit
 * of a family and one point of it.
 *
 *     R_k(z_k) - z_{k+1} = 0                    d equations for each arc, in the basis of the next
 *     node
 *     flow . (z_0 - reference) = 0              the phase, if the problem does not depend on time
 *     H(z_0) = E, or ln T = ln T_held           what is held
 *     direction . (z - predicted, ln T, l) = 0  the arclength along a family, l being the parameter
 *     that is steered
 *
 * Conserved quantities make the equations dependent: each correction is the shortest of those that
 * minimise the residual of the linear ones, so that nothing moves along a symmetry. */
#include "runs/orbit/shooting.h"
#include "rattle/orbit.h"

typedef struct rattle__posing {
  rattle_orbit_held held;           /* not DEFAULT */
  double energy, period;            /* those held */
  double energy_unit, energy_noise; /* what counts as 1, and as 0 */
  int phase;                        /* 1: there is the condition of the phase */
  double *flow;                     /* [2n] in units, of length 1 */
  double *reference;                /* [2n] */
  /* of a family [rattle__shooting_numbers], else NULL: of length 1 in units, ln T and the parameter
   * last; nodes, ln T and the parameter */
  const double *direction, *predicted;
  double limit; /* the longest correction that is tried, in units; ln T counts too */
} rattle__posing;

typedef struct rattle__newton_report {
  int iterations;
  double residual; /* the largest gap of the ends found last */
  int stuck;       /* 1: it ended with a correction of next to nothing: the steps close no better,
                since they conserve less */
} rattle__newton_report;

/* Nodes and T that satisfy the equations to round-off; the arcs are linearised there.
 * NOT_CONVERGED, or what steps say; the nodes are then those of the last iteration that
 * succeeded. */
rattle_status rattle__orbit_newton(rattle__shooting *s, const rattle__posing *posing,
                                   rattle__newton_report *report, rattle_error *error);
/* The same; steps that conserve too little to close an orbit are halved. report->iterations: of
 * all */
rattle_status rattle__orbit_close(rattle__shooting *s, const rattle__posing *posing,
                                  rattle__newton_report *report, rattle_error *error);
/* How many conditions there are, and number i: its value, and its derivative in units, slope
 * [rattle__shooting_numbers]: by nodes, ln T and the parameter, nodes being as they are. */
int rattle__orbit_conditions(const rattle__posing *posing);
rattle_status rattle__orbit_condition(rattle__shooting *s, const rattle__posing *posing, int i,
                                      double *value, double *slope, rattle_error *error);
/* The matrix of the linear equations by columns, rows x rattle__shooting_unknowns: rows of the
 * gaps, and `conditions` more. */
rattle_status rattle__orbit_matrix(rattle__shooting *s, const rattle__posing *posing, double *A,
                                   double *b, rattle_error *error);
#endif
