#ifndef RATTLE__PROVER_IN_DOUBT_H
#define RATTLE__PROVER_IN_DOUBT_H
/* Proofs of steps of SHAKE of a Runge-Kutta map (prover_map.h, prover_fibre.h): the prover is made
 * when a step is in doubt for the first time. */
#include "constraint/guard/prover_map.h"

typedef struct rattle__prover_in_doubt rattle__prover_in_doubt;

/* NULL: no memory, or of steps of this problem nothing can be proved. The problem is the caller's,
 * and stays. */
rattle__prover_in_doubt *rattle__prover_in_doubt_create(const rattle_problem *problem,
                                                        const rattle__tableau *by);
void rattle__prover_in_doubt_destroy(rattle__prover_in_doubt **prover);
/* Asks whether q1 is the end of the substep; 0: nothing is known of it. */
int rattle__prover_in_doubt_ask(rattle__prover_in_doubt *prover, const rattle__map_ends *of,
                                rattle__tracked *found);
#endif
