/* A random walk on a manifold.
 *
 * Map      p ~ N(0, T M) projected onto psi = 0; a flight of h without force that ends on g = 0, q1 = q0 + h M^-1 (p - G0^T lambda);
 *          accepted by H, after a reverse check
 * Symbols  sample/kernel.h
 * Source   Zappa, Holmes-Cerfon, Goodman (2018), Section 2: their ratio of densities of tangent steps is that of exp(-p^T M^-1 p/2T)
 * Claims   the measure is exact, detailed balance
 * Needs    natural, g(q)
 * Cost     two solves for lambda and three projections of momenta; no force
 * Fails when  never: what fails is a rejection
 * Differs from the source in  the solution that is taken is that which the guard follows from h = 0 (docs/guards.md); where each
 *          constraint makes a sphere of its own the flight is its geodesic */
#include "sample/kernel.h"

static rattle_status create(rattle__kernel *k, const rattle__node *node, rattle_error *error) {
  (void)node, (void)error;
  k->context.declines = 1;
  k->move = rattle__kernel_walk;
  return RATTLE_OK;
}

static double acceptance(const rattle__node *node) {
  (void)node;
  return 0.4;
}

const rattle__sampler rattle__sampler_random_walk = {.acceptance = acceptance, .create = create};
