/* Builds for pages: steps in doubt are followed, and no certificate is asked. */
#include "constraint/guard/prover_in_doubt.h"

#include <stddef.h>

rattle__prover_in_doubt *rattle__prover_in_doubt_create(const rattle_problem *problem,
                                                        const rattle__tableau *by) {
  (void)problem, (void)by;
  return NULL;
}

void rattle__prover_in_doubt_destroy(rattle__prover_in_doubt **prover) {
  *prover = NULL;
}

int rattle__prover_in_doubt_ask(rattle__prover_in_doubt *prover, const rattle__map_ends *of,
                                rattle__tracked *found) {
  (void)prover, (void)of, (void)found;
  return 0;
}
