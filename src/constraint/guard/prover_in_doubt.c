/* Provers for steps in doubt. See prover_in_doubt.h. */
#include "constraint/guard/prover_in_doubt.h"

#include <stdlib.h>

#include "constraint/guard/prover_fibre.h"

struct rattle__prover_in_doubt {
  const rattle_problem *problem;
  rattle__tableau by;
  int made; /* 1: once for all; both NULL: steps are not covered */
  rattle__map_prover *map;
  rattle__fibre_prover *fibre;
};

rattle__prover_in_doubt *rattle__prover_in_doubt_create(const rattle_problem *problem,
                                                        const rattle__tableau *by) {
  if (problem->account || rattle__map_prover_misses(problem)) return NULL;
  rattle__prover_in_doubt *d = calloc(1, sizeof *d);
  if (d) d->problem = problem, d->by = *by;
  return d;
}

void rattle__prover_in_doubt_destroy(rattle__prover_in_doubt **prover) {
  if (!*prover) return;
  rattle__map_prover_destroy(&(*prover)->map);
  rattle__fibre_prover_destroy(&(*prover)->fibre);
  free(*prover);
  *prover = NULL;
}

static void make(rattle__prover_in_doubt *d) {
  d->made = 1;
  const rattle__constrained_tableau shake = rattle__tableau_of_shake(&d->by);
  if (d->problem->flags & RATTLE_HOLONOMIC)
    rattle__map_prover_create(&d->map, d->problem, &shake, 0, NULL);
  else
    rattle__fibre_prover_create(&d->fibre, d->problem, &d->by, 0, NULL);
}

int rattle__prover_in_doubt_ask(rattle__prover_in_doubt *d, const rattle__map_ends *of,
                                rattle__tracked *found) {
  double radius;
  if (!d->made) make(d);
  if (d->map) *found = rattle__map_prover_ask(d->map, of, &radius);
  if (d->fibre) *found = rattle__fibre_prover_ask(d->fibre, of, &radius);
  return d->map || d->fibre;
}
