#ifndef RATTLE__PROVER_SPARSE_H
#define RATTLE__PROVER_SPARSE_H
/* Proofs of substeps under many constraints on coordinates, g quadratic, M diagonal, no forces that
 * depend on momenta: each component of the constraints has a curve of its own (sparse_curve.h), and
 * a substep is proved if all are. Its pieces are those of the component that takes most. */
#include "constraint/guard/prover.h"

typedef struct rattle__sparse_prover rattle__sparse_prover;

/* 0; 1: g is not quadratic; -1: no memory. */
int rattle__sparse_prover_create(rattle__sparse_prover **prover, const rattle__function *g,
                                 const double *inverse_mass);
void rattle__sparse_prover_destroy(rattle__sparse_prover **prover);

/* As rattle__prover_ask. */
rattle__tracked rattle__sparse_prover_ask(rattle__sparse_prover *prover,
                                          const rattle__proof_ends *of, double *radius);
#endif
