/* Langevin dynamics with a step of any map: generalised Hamiltonian Monte Carlo.
 *
 * Map      O(h): p = P(c p + sqrt((1 - c^2) T) M^(1/2) xi), c = e^{-friction h}; then z1 =
 *          phi_h(z0), accepted by H after a reverse check, else p <- -p; with metropolis=no always
 *          accepted
 * Symbols  runs/sample/kernel.h
 * Source   Horowitz (1991); on manifolds: Lelievre, Rousset, Stoltz (2012), Algorithm 2, and
 *          (2019), Algorithm 2
 * Claims   the measure is exact, detailed balance up to the sign of p; with metropolis=no the error
 *          of the measure is of order 2 in h, without detailed balance
 * Needs    natural, g(q); a map that is symmetric, symplectic and pure
 * Cost     two steps of the map; one with metropolis=no
 * Fails when  never: what fails is a rejection
 * Differs from the source in  O acts once a step, before the map: between the ends of two O it
 *                             makes no difference */
#include "runs/sample/kernel.h"

#include <string.h>

#include "runs/integrate/integrator.h"

typedef struct langevin {
  double friction;
} langevin;

/* Without a test: `next`, where the step ended with that status. */
static rattle_status take(rattle__kernel *k, rattle_status status, rattle_error *error) {
  double U = 0;
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
  const rattle_status status =
      rattle__kernel_refresh(k, rattle__kernel_keep(s->friction, k->h), k->z, error);
  k->probability = 0;
  if (status) return rattle__kernel_rejects(status, &k->fate) ? RATTLE_OK : status;
  rattle__kernel_propose(k, 1, 0);
  return RATTLE_OK;
}

static int is_exact(const rattle__node *node) {
  return !strcmp(rattle__option_word(node, "metropolis"), "yes");
}

static rattle_status create(rattle__kernel *k, const rattle__node *node, rattle_error *error) {
  langevin *s = k->self = rattle__arena_take(&k->context.arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  *s = (langevin){.friction = rattle__option_number(node, "friction")};
  k->move = move;
  k->go_on = is_exact(node) ? rattle__kernel_return : take;
  const rattle_status status = rattle__kernel_make_map(k, rattle__method_inside(node), error);
  if (!status && is_exact(node)) k->map->context.asked.declines = 1;
  return status;
}

static void adjust(const rattle__node *node, rattle_claims *claims) {
  if (is_exact(node)) return;
  claims->order = 2;
  claims->symmetric = 0;
}

static int sensible(const rattle__node *node, rattle__text *reason) {
  if (is_exact(node) || strcmp(rattle__option_word(node, "measure"), "delta") != 0) return 1;
  rattle__put(reason, "with metropolis=no the map samples the surface measure: omit measure=delta, "
                      "or metropolis=no");
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

const rattle__sampler rattle__sampler_langevin = {.adjust = adjust,
                                                  .sensible = sensible,
                                                  .acceptance = acceptance,
                                                  .create = create,
                                                  .bath = bath};
