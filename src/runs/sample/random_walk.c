/* A random walk on a manifold.
 *
 * Map      p ~ N(0, T M) projected onto psi = 0; a flight of h without force that ends on g = 0, q1
 *          = q0 + h M^-1 (p - G0^T lambda); accepted by H, after a reverse check. solutions=all: q1
 *          is any solution (solutions.c)
 * Symbols  runs/sample/kernel.h
 * Source   Zappa, Holmes-Cerfon, Goodman (2018), Section 2: their ratio of densities of tangent
 *          steps is that of exp(-p^T M^-1 p/2T); Lelievre, Stoltz, Zhang (2023), Algorithm 1
 * Claims   the measure is exact, detailed balance
 * Needs    natural, g(q)
 * Cost     two solves for lambda and three projections of momenta; no force
 * Fails when  never: what fails is a rejection
 * Differs from the source in  solutions=one: the solution that is taken is that which the guard
 *                             follows from h = 0 (docs/guards.md); where each
 *          constraint makes a sphere of its own the flight is its geodesic */
#include "runs/sample/solutions.h"

static rattle_status move(rattle__kernel *k, rattle_error *error) {
  double log_ratio = 0;
  rattle_status status = rattle__kernel_refresh(k, 0, k->z, error);
  if (!status) status = rattle__solutions_step(k->self, 0, k->z, k->next, &log_ratio, error);
  return rattle__kernel_decide(k, status, log_ratio, error);
}

static rattle_status create(rattle__kernel *k, const rattle__node *node, rattle_error *error) {
  const rattle__branching choice = rattle__branching_of(node);
  rattle__solutions *solutions = NULL;
  k->context.asked.declines = 1;
  k->context.asked.trusts = choice.any;
  k->move = choice.all ? move : rattle__kernel_walk;
  k->go_on = choice.all ? NULL : rattle__kernel_return;
  const rattle_status status =
      choice.all ? rattle__solutions_create(&solutions, k, &choice, error) : RATTLE_OK;
  k->self = solutions;
  return status;
}

static double acceptance(const rattle__node *node) {
  (void)node;
  return 0.4;
}

static int sensible(const rattle__node *node, rattle__text *reason) {
  return rattle__branching_sensible(node, reason) && rattle__hops_sensible(node, reason);
}

const rattle__sampler rattle__sampler_random_walk = {
    .sensible = sensible, .acceptance = acceptance, .create = create};
