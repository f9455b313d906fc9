/* Starts that lie apart, so that chains that agree have come together.
 *
 * Map      the random walk (random_walk.c) at HOTTER times the temperature, each flight h 2^u long,
 *          u uniform in (-10, 10)
 * Symbols  runs/sample/kernel.h
 * Source   starts that are spread more than the measure: A. Gelman, D. B. Rubin, Stat. Sci. 7
 *          (1992) 457
 * Claims   what it tends to is exp(-V/(HOTTER T)), where some flights have the size of the manifold
 * Cost     two solves for lambda and three projections of momenta a move; no force
 * Fails when  never: what fails is a rejection; then z stays */
#include "runs/sample/kernel.h"

#include <math.h>

#include "ground/support/random.h"

static const double HOTTER = 10, OCTAVES = 10; /* up, and down */

rattle_status rattle__kernel_disperse(rattle__kernel *k, uint64_t seed, uint64_t chain,
                                      long long moves, rattle_error *error) {
  const rattle__kernel own = *k;
  const int declines = k->context.asked.declines;
  k->T = HOTTER * own.T;
  k->go_on = rattle__kernel_return;
  k->context.asked.declines = 1;
  rattle_status status = rattle__kernel_energy(k, k->z, &k->U, error);
  for (long long i = 0; i < moves && !status; i++) {
    k->key =
        rattle__random_key(seed, chain, ~(uint64_t)i); /* transitions count from the other end */
    k->drawn = 1;
    k->h = own.h * exp2(OCTAVES * (2 * rattle__random_unit(k->key, 1) - 1));
    status = rattle__kernel_finish(k, rattle__kernel_walk(k, error), error);
  }
  k->T = own.T, k->h = own.h, k->go_on = own.go_on;
  k->context.asked.declines = declines;
  return status ? status : rattle__kernel_energy(k, k->z, &k->U, error);
}
