/* The step of a warm-up that nobody has given.
 *
 * Map      h is the greatest power of 2 at which one step, or one flight, there and back, is
 *          accepted with the probability that the warm-up steers to, or more, and a flight has not
 *          turned round; sought by doubling or halving h from 1, with the same momenta each time,
 *          until the probability crosses that
 * Symbols  runs/sample/kernel.h
 * Source   M. D. Hoffman, A. Gelman, J. Mach. Learn. Res. 15 (2014) 1593, Algorithm 4
 * Cost     two steps for each factor of 2 between 1 and h
 * Fails when  no step is too long: then nothing says how long a step is
 * Differs from the source in  the acceptance that is crossed is that of the warm-up, and not 1/2; a
 *          step that finds no multipliers, or no way back, counts as one that H rejects */
#include "runs/sample/kernel.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/support/random.h"

/* Numbers that no transition, no spread and no momenta of a draw have (chain.c, disperse.c). */
static const uint64_t FIRST_STEP = UINT64_C(1) << 62; /* + transitions before it */

typedef struct origin {
  const double *z; /* [2n] */
  double U;
} origin;

/* The probability with which one step of length h from there is accepted, 0 where a flight turns
 * round. */
static rattle_status try_step(rattle__kernel *k, const origin *from, double h, double *probability,
                              rattle_error *error) {
  memcpy(k->z, from->z, 2 * (size_t)k->n * sizeof *k->z);
  k->U = from->U, k->h = h, k->turned = 0;
  k->drawn = (uint64_t)k->n; /* those of the momenta */
  rattle__kernel_propose(k, 1, !k->map);
  const rattle_status status = rattle__kernel_finish(k, RATTLE_OK, error);
  *probability = rattle__kernel_suits(k);
  return status;
}

static rattle_status search(rattle__kernel *k, double target, const origin *from, double *h,
                            rattle_error *error) {
  double probability;
  rattle_status status = try_step(k, from, *h = 1, &probability, error);
  const int grows = !status && probability >= target;
  while (!status && grows == (probability >= target)) {
    *h *= grows ? 2 : 0.5;
    if (*h > sqrt(DBL_MAX) || *h < sqrt(DBL_MIN))
      return rattle__fail(error, RATTLE_UNSUITABLE, "step",
                          grows ? "no step is too long for one that is accepted, so that none can "
                                  "be found: exp(-V/T) may not be confined; give a step"
                                : "no step is short enough to be accepted: check V and its forces, "
                                  "or give a step");
    status = try_step(k, from, *h, &probability, error);
  }
  if (grows) *h /= 2;
  return status;
}

rattle_status rattle__kernel_first_step(rattle__kernel *k, double target, uint64_t seed,
                                        uint64_t chain, long long done, double *h,
                                        rattle_error *error) {
  const size_t numbers = 2 * (size_t)k->n;
  const rattle__kernel own = *k;
  double *z = rattle__arena_doubles(&k->context.arena, 2 * numbers), *z0 = z + numbers;
  if (!z) return rattle__no_memory(error);
  memcpy(z, k->z, numbers * sizeof *z);
  memcpy(z0, z, numbers * sizeof *z);
  k->key = rattle__random_key(seed, chain, FIRST_STEP + (uint64_t)done);
  k->drawn = 0;
  rattle_status status = rattle__kernel_refresh(k, 0, z0, error);
  k->go_on = rattle__kernel_return;
  if (!status) status = search(k, target, &(origin){z0, own.U}, h, error);
  memcpy(k->z, z, numbers * sizeof *z);
  k->U = own.U, k->h = own.h, k->go_on = own.go_on;
  k->way.left = 0;
  return status;
}
