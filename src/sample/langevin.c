/* Langevin dynamics with a step of any map: generalised Hamiltonian Monte Carlo.
 *
 * Map      O(h): p = P(c p + sqrt((1 - c^2) T) M^(1/2) xi), c = e^{-friction h}; then z1 = phi_h(z0), accepted by H after a reverse
 *          check, else p <- -p; with metropolis=no always accepted
 * Symbols  sample/kernel.h
 * Source   Horowitz (1991); on manifolds: Lelievre, Rousset, Stoltz (2012), Algorithm 2, and (2019), Algorithm 2
 * Claims   the measure is exact, detailed balance up to the sign of p; with metropolis=no the error of the measure is of order 2 in h,
 *          without detailed balance
 * Needs    natural, g(q); a map that is symmetric, symplectic and pure
 * Cost     two steps of the map; one with metropolis=no
 * Fails when  never: what fails is a rejection
 * Differs from the source in  O acts once a step, before the map: between the ends of two O it makes no difference */
#include "sample/kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrate/integrator.h"

typedef struct langevin {
  rattle_integrator *map;
  double friction;
  int metropolis;
} langevin;

static rattle_status step(rattle__kernel *k, const double *z0, double *z1, rattle_error *error) {
  const langevin *s = k->self;
  memcpy(z1, z0, 2 * (size_t)k->n * sizeof *z1);
  rattle_state state = {.struct_size = sizeof state, .q = z1, .p = z1 + k->n, .h = k->h};
  return rattle_integrator_step(s->map, &state, 1, error);
}

static rattle_status unadjusted(rattle__kernel *k, rattle_error *error) {
  double U = 0;
  rattle_status status = step(k, k->z, k->next, error);
  if (!status) status = rattle__kernel_energy(k, k->next, &U, error);
  if (status && !rattle__kernel_rejects(status, &k->fate)) return status;
  if (status) {
    rattle__kernel_reverse(k);
    return RATTLE_OK;
  }
  memcpy(k->z, k->next, 2 * (size_t)k->n * sizeof *k->z);
  k->U = U;
  k->fate = RATTLE__ACCEPTED;
  k->probability = 1;
  return RATTLE_OK;
}

static rattle_status move(rattle__kernel *k, rattle_error *error) {
  const langevin *s = k->self;
  const rattle_status status = rattle__kernel_refresh(k, rattle__kernel_keep(s->friction, k->h), k->z, error);
  k->probability = 0;
  if (status) return rattle__kernel_rejects(status, &k->fate) ? RATTLE_OK : status;
  return s->metropolis ? rattle__kernel_propose(k, step, error) : unadjusted(k, error);
}

static void drop(rattle__kernel *k) {
  langevin *s = k->self;
  rattle_integrator_destroy(&s->map);
  free(s);
}

static int is_exact(const rattle__node *node) {
  return !strcmp(rattle__option_word(node, "metropolis"), "yes");
}

static rattle_status create(rattle__kernel *k, const rattle__node *node, rattle_error *error) {
  char text[4200];
  rattle__text put = {text, sizeof text};
  langevin *s = k->self = calloc(1, sizeof *s);
  if (!s) return rattle__no_memory(error);
  k->drop = drop;
  k->move = move;
  s->friction = rattle__option_number(node, "friction");
  s->metropolis = is_exact(node);
  rattle__put_node(&put, rattle__method_inside(node));
  const rattle_status status = rattle_integrator_create(&s->map, k->problem, text, error);
  if (!status && s->metropolis) s->map->context.asked.declines = 1;
  return status;
}

static void adjust(const rattle__node *node, rattle_claims *claims) {
  if (is_exact(node)) return;
  claims->order = 2;
  claims->symmetric = 0;
}

static int sensible(const rattle__node *node, rattle__text *reason) {
  if (is_exact(node) || strcmp(rattle__option_word(node, "measure"), "delta") != 0) return 1;
  rattle__put(reason, "with metropolis=no the map samples the surface measure: omit measure=delta, or metropolis=no");
  return 0;
}

static int bath(const rattle__node *node, rattle__bath *bath) {
  *bath = (rattle__bath){.temperature = rattle__option_number(node, "temperature"),
                         .friction = rattle__option_number(node, "friction"),
                         .seed = rattle__option_number(node, "seed")};
  return !is_exact(node);
}

static double acceptance(const rattle__node *node) {
  return is_exact(node) ? 0.95 : 0;
}

const rattle__sampler rattle__sampler_langevin = {
    .adjust = adjust, .sensible = sensible, .acceptance = acceptance, .create = create, .bath = bath};
