/* Langevin dynamics by geodesic splitting.
 *
 * Map      B(h/2) A(h/2) O(h) A(h/2) B(h/2); B: p = P(p - t V_q), A: `substeps` steps of RATTLE
 *          without force, O: p = P(c p + sqrt((1 - c^2) T) M^(1/2) xi), c = e^{-friction h}
 * Symbols  runs/sample/kernel.h
 * Source   Leimkuhler, Matthews (2016), Section 3, g-BAOAB
 * Claims   the error of the measure of positions is of order 2 in h
 * Needs    natural, g(q)
 * Cost     one force, 2 substeps solves for lambda
 * Fails when  no multipliers are found: the point stays, with momenta reversed, and is counted;
 *             then the measure has the error of that too
 * Differs from the source in  nothing */
#include "runs/sample/kernel.h"
#include "ground/support/finite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct baoab {
  double friction;
  int substeps;
  int known; /* V_q and V at `at` */
  int half;  /* of the step: which A is made */
  double V;
  double *V_q, *at; /* [n] */
} baoab;

static rattle_status force(rattle__kernel *k, const double *q, rattle_error *error) {
  baoab *s = k->self;
  const rattle__function *V = k->problem->V;
  const size_t bytes = (size_t)k->n * sizeof *q;
  if (s->known && !memcmp(q, s->at, bytes)) return RATTLE_OK;
  const rattle_status status =
      rattle__answer(V->jacobian(V, q, &s->V, s->V_q, k->work), "the Hamiltonian", error);
  s->known = !status && isfinite(s->V) && rattle__all_finite(s->V_q, k->n);
  if (status || s->known) {
    memcpy(s->at, q, bytes);
    return status;
  }
  return rattle__fail(error, RATTLE_DOMAIN, "V", "the potential or its gradient is not finite");
}

static rattle_status kick(rattle__kernel *k, double t, double *z, rattle_error *error) {
  const baoab *s = k->self;
  const rattle_status status = force(k, z, error);
  if (status) return status;
  for (int i = 0; i < k->n; i++) z[k->n + i] -= t * s->V_q[i];
  return k->m ? k->geodesic->slide(k->geodesic, z, error) : RATTLE_OK;
}

/* A(h/2) of `next`, to be waited for. */
static void drift(rattle__kernel *k, int half) {
  baoab *s = k->self;
  s->half = half;
  k->way = (rattle__kernel_way){
      .z = k->next, .h = k->h / 2 / s->substeps, .left = s->substeps, .flies = 1};
}

/* Sets the fate of the step; status: of its last part. */
static rattle_status end(rattle__kernel *k, rattle_status status) {
  const baoab *s = k->self;
  if (status && !rattle__kernel_rejects(status, &k->fate)) return status;
  k->way.left = 0;
  k->probability = !status;
  if (status) {
    rattle__kernel_reverse(k);
    return RATTLE_OK;
  }
  k->fate = RATTLE__ACCEPTED;
  memcpy(k->z, k->next, 2 * (size_t)k->n * sizeof *k->z);
  k->U = s->V;
  return RATTLE_OK;
}

static rattle_status move(rattle__kernel *k, rattle_error *error) {
  memcpy(k->next, k->z, 2 * (size_t)k->n * sizeof *k->z);
  const rattle_status status = kick(k, k->h / 2, k->next, error);
  if (status) return end(k, status);
  drift(k, 0);
  return RATTLE_OK;
}

static rattle_status go_on(rattle__kernel *k, rattle_status status, rattle_error *error) {
  const baoab *s = k->self;
  if (!status && s->half == 0)
    status = rattle__kernel_refresh(k, rattle__kernel_keep(s->friction, k->h), k->next, error);
  if (!status && s->half == 0) {
    drift(k, 1);
    return RATTLE_OK;
  }
  return end(k, status ? status : kick(k, k->h / 2, k->next, error));
}

static rattle_status create(rattle__kernel *k, const rattle__node *node, rattle_error *error) {
  baoab *s = k->self = rattle__arena_take(&k->context.arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  *s = (baoab){.friction = rattle__option_number(node, "friction"),
               .substeps = (int)rattle__option_number(node, "substeps")};
  s->V_q = rattle__arena_doubles(&k->context.arena, (size_t)k->n);
  s->at = rattle__arena_doubles(&k->context.arena, (size_t)k->n);
  k->move = move;
  k->go_on = go_on;
  return k->context.arena.failed ? rattle__no_memory(error) : RATTLE_OK;
}

const rattle__sampler rattle__sampler_g_baoab = {.create = create};
