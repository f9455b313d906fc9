/* Hamiltonian Monte Carlo on a manifold.
 *
 * Map      p ~ N(0, T M) projected onto psi = 0; k steps of phi_h, k drawn from 1 .. steps; accepted by H, after a reverse check
 * Symbols  sample/kernel.h
 * Source   Duane, Kennedy, Pendleton, Roweth (1987); on manifolds by RATTLE: Brubaker, Salzmann, Urtasun (2012); the reverse check:
 *          Zappa, Holmes-Cerfon, Goodman (2018), Lelievre, Rousset, Stoltz (2019)
 * Claims   the measure is exact, detailed balance: phi_h^k is symplectic and undone by its reversal, for every k
 * Needs    natural, g(q); a map that is symmetric, symplectic and pure
 * Cost     (steps + 1) steps of the map on average, there and back; a third less where H rejects
 * Fails when  never: what fails is a rejection
 * Differs from the source in  k is drawn, so that no period of the motion is met each time; the check is that of all k steps */
#include "sample/kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrate/integrator.h"
#include "support/random.h"

typedef struct hmc {
  rattle_integrator *map;
  double steps, length; /* length 0: steps are given */
  long long taken;
} hmc;

static rattle_status trajectory(rattle__kernel *k, const double *z0, double *z1, rattle_error *error) {
  const hmc *s = k->self;
  memcpy(z1, z0, 2 * (size_t)k->n * sizeof *z1);
  rattle_state state = {.struct_size = sizeof state, .q = z1, .p = z1 + k->n, .h = k->h};
  return rattle_integrator_step(s->map, &state, s->taken, error);
}

static rattle_status move(rattle__kernel *k, rattle_error *error) {
  hmc *s = k->self;
  const rattle_status status = rattle__kernel_refresh(k, 0, k->z, error);
  k->probability = 0;
  if (status) return rattle__kernel_rejects(status, &k->fate) ? RATTLE_OK : status;
  const double most = s->length > 0 ? fmin(fmax(1, ceil(s->length / k->h)), 1e6) : s->steps;
  s->taken = 1 + (long long)(most * rattle__random_unit(k->key, ++k->drawn));
  return rattle__kernel_propose(k, trajectory, error);
}

static void drop(rattle__kernel *k) {
  hmc *s = k->self;
  rattle_integrator_destroy(&s->map);
  free(s);
}

static rattle_status create(rattle__kernel *k, const rattle__node *node, rattle_error *error) {
  char text[4200];
  rattle__text put = {text, sizeof text};
  hmc *s = k->self = calloc(1, sizeof *s);
  if (!s) return rattle__no_memory(error);
  k->drop = drop;
  k->move = move;
  s->steps = rattle__option_number(node, "steps");
  s->length = rattle__option_number(node, "length");
  rattle__put_node(&put, rattle__method_inside(node));
  const rattle_status status = rattle_integrator_create(&s->map, k->problem, text, error);
  if (!status) s->map->context.declines = 1;
  return status;
}

/* A transition makes (steps + 1)/2 steps on average. */
static void adjust(const rattle__node *node, rattle_claims *claims) {
  if (!(rattle__option_number(node, "length") > 0)) claims->stages = (int)rattle__option_number(node, "steps");
}

static double acceptance(const rattle__node *node) {
  (void)node;
  return 0.95;
}

const rattle__sampler rattle__sampler_hmc = {.adjust = adjust, .acceptance = acceptance, .create = create};
