#ifndef RATTLE__PROVER_FIBRE_H
#define RATTLE__PROVER_FIBRE_H
/* Proofs of substeps of SHAKE and RATTLE along the fibres of constraints g(q, p), by the equations
 * of fibre_rows.h: slides, stages and landing are one curve.
 *
 * Start    the curve of a substep begins where psi = 0, at z0 moved along its fibre by the slide
 *          that the curve of psi(s) = (1 - t) psi(z0) ends at: by round-off after a step of RATTLE
 * Frame    s moves all k_j as H' changes along the fibre, and sigma against itself; with -N^-1
 *          before (N_ij = {{H, g_i}, g_j}), the derivative of the equations at t = 0 is block
 *          triangular, with 1 in its diagonal */
#include "constraint/guard/prover_map.h"

typedef struct rattle__fibre_prover rattle__fibre_prover;

/* UNSUITABLE: why steps of the problem by that map are not covered. lands: of RATTLE, 0: of
 * SHAKE. */
rattle_status rattle__fibre_prover_create(rattle__fibre_prover **prover,
                                          const rattle_problem *problem, const rattle__tableau *by,
                                          int lands, rattle_error *error);
/* As rattle__prover_programs. */
int rattle__fibre_prover_programs(rattle__fibre_prover *prover, rattle__ball_programs **list);
void rattle__fibre_prover_destroy(rattle__fibre_prover **prover);

/* Asks whether (q1, p1) is the end of the curve, or, p1 not being known, whether q1 is. *radius is
 * how far positions may be from the exact end. */
rattle__tracked rattle__fibre_prover_ask(rattle__fibre_prover *prover, const rattle__map_ends *of,
                                         double *radius);
#endif
