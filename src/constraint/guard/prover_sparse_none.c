/* Builds without large molecules, as those for pages, prove up to 64 constraints. */
#include "constraint/guard/prover_sparse.h"

int rattle__sparse_prover_create(rattle__sparse_prover **prover, const rattle__function *g,
                                 const double *inverse_mass) {
  (void)g, (void)inverse_mass;
  *prover = NULL;
  return 1;
}

void rattle__sparse_prover_destroy(rattle__sparse_prover **prover) {
  *prover = NULL;
}

rattle__tracked rattle__sparse_prover_ask(rattle__sparse_prover *prover,
                                          const rattle__proof_ends *of, double *radius) {
  (void)prover, (void)of, (void)radius;
  return (rattle__tracked){.answer = RATTLE__TRACK_OPEN, .row = -1};
}
