/* Sampling without U-turns on a manifold.
 *
 * Map      p ~ N(0, T M) projected onto psi = 0. An orbit of steps phi_h through the point grows to
 *          either side at random, by doubling, until it, or one of its halves, quarters ... turns:
 *          (q1 - q0) . p0 < 0 or (q1 - q0) . p1 < 0 for its ends, or a step cannot be undone; what
 *          was added last is then left out, unless the whole alone turns. A point of the orbit is
 *          drawn by exp(-H/T), those of the last doubling being preferred
 * Symbols  runs/sample/kernel.h
 * Source   M. Hoffman, A. Gelman, J. Mach. Learn. Res. 15 (2014) 1593; M. Betancourt,
 *          arXiv:1701.02434, appendix A.3 (the draw)
 * Claims   the measure is exact. A step belongs to an orbit if its way back ends where it began,
 *          which is the same seen from either end: so all points of an orbit have the same one, and
 *          each would have grown it with the same probability
 * Needs    natural, g(q); a map that is symmetric, symplectic and pure
 * Cost     two steps of the map for each point of an orbit, there and back
 * Fails when  never: a step that fails ends the orbit
 * Differs from the source in  each step is checked; orbits end where steps
 *                             fail, not where H is off */
#include <math.h>
#include <string.h>

#include "runs/integrate/integrator.h"
#include "runs/sample/kernel.h"
#include "ground/support/random.h"

enum { DEEPEST = 16 };

/* A branch of an orbit, of 2^depth points: `first` is next to what was there, the last one is the
 * edge of the orbit; z is the point that was drawn from it, with U there. */
typedef struct branch {
  double *first, *z, U, log_weight;
} branch;

typedef struct nuts {
  int depth;
  double *edge[2];        /* ends of the orbit, back and forth, with momenta forward in time */
  branch at[DEEPEST + 1]; /* room by depth */
  double H;               /* of the start */
  double accepted;        /* sum over points of min(1, exp(-(H - H0)/T)) */
  double points;
  rattle__fate fate; /* why the orbit ended at a step */
} nuts;

static double log_add(double a, double b) {
  const double m = fmax(a, b);
  return isinf(m) ? m : m + log(exp(a - m) + exp(b - m));
}

static int turns(const rattle__kernel *k, const double *a, const double *b) {
  double at_a = 0, at_b = 0;
  for (int i = 0; i < k->n; i++) {
    at_a += (b[i] - a[i]) * a[k->n + i];
    at_b += (b[i] - a[i]) * b[k->n + i];
  }
  return at_a < 0 || at_b < 0;
}

/* The next point of the orbit beyond an edge. *valid 0: there is none. */
static rattle_status extend(rattle__kernel *k, int forth, branch *made, int *valid,
                            rattle_error *error) {
  nuts *s = k->self;
  const size_t bytes = 2 * (size_t)k->n * sizeof *k->z;
  double *edge = s->edge[forth];
  *valid = 0;
  s->points++;
  rattle_status status = rattle__kernel_there_and_back(k, edge, !forth, error);
  if (status) return rattle__kernel_rejects(status, &s->fate) ? RATTLE_OK : status;
  status = rattle__kernel_energy(k, k->next, &made->U, error);
  if (status) return rattle__kernel_rejects(status, &s->fate) ? RATTLE_OK : status;
  const double H = made->U + rattle__mass_twice_kinetic(k->problem->mass, k->next + k->n) / 2;
  made->log_weight = -(H - s->H) / k->T;
  s->accepted += fmin(1, exp(made->log_weight));
  memcpy(edge, k->next, bytes);
  memcpy(made->first, edge, bytes);
  memcpy(made->z, edge, bytes);
  *valid = 1;
  return RATTLE_OK;
}

/* 2^depth points beyond an edge, in the room of that depth. */
static rattle_status grow(rattle__kernel *k, int depth, int forth, int *valid,
                          rattle_error *error) {
  nuts *s = k->self;
  if (depth == 0) return extend(k, forth, &s->at[0], valid, error);
  branch *whole = &s->at[depth], *half = &s->at[depth - 1];
  const size_t bytes = 2 * (size_t)k->n * sizeof *k->z;
  rattle_status status = grow(k, depth - 1, forth, valid, error);
  if (status || !*valid) return status;
  memcpy(whole->first, half->first, bytes);
  memcpy(whole->z, half->z, bytes);
  whole->U = half->U, whole->log_weight = half->log_weight;
  status = grow(k, depth - 1, forth, valid, error);
  if (status || !*valid) return status;
  const double sum = log_add(whole->log_weight, half->log_weight);
  if (rattle__random_unit(k->key, ++k->drawn) < exp(half->log_weight - sum)) {
    memcpy(whole->z, half->z, bytes);
    whole->U = half->U;
  }
  whole->log_weight = sum;
  const double *last = s->edge[forth];
  *valid = !(forth ? turns(k, whole->first, last) : turns(k, last, whole->first));
  return RATTLE_OK;
}

static rattle_status move(rattle__kernel *k, rattle_error *error) {
  nuts *s = k->self;
  const size_t bytes = 2 * (size_t)k->n * sizeof *k->z;
  rattle_status status = rattle__kernel_refresh(k, 0, k->z, error);
  k->probability = 0;
  if (status) return rattle__kernel_rejects(status, &k->fate) ? RATTLE_OK : status;
  memcpy(s->edge[0], k->z, bytes);
  memcpy(s->edge[1], k->z, bytes);
  s->H = k->U + rattle__mass_twice_kinetic(k->problem->mass, k->z + k->n) / 2;
  s->accepted = s->points = 0;
  s->fate = RATTLE__REJECTED_ENERGY;
  double log_weight = 0, U = k->U;
  int moved = 0;
  for (int depth = 0; depth < s->depth; depth++) {
    const int forth = rattle__random_unit(k->key, ++k->drawn) < 0.5;
    int valid;
    status = grow(k, depth, forth, &valid, error);
    if (status) return status;
    if (!valid) break;
    const branch *added = &s->at[depth];
    if (rattle__random_unit(k->key, ++k->drawn) < exp(added->log_weight - log_weight)) {
      memcpy(s->at[DEEPEST].z, added->z, bytes);
      U = added->U, moved = 1;
    }
    log_weight = log_add(log_weight, added->log_weight);
    if (turns(k, s->edge[0], s->edge[1])) break;
  }
  if (moved) {
    memcpy(k->z, s->at[DEEPEST].z, bytes);
    k->U = U;
  }
  k->fate = moved ? RATTLE__ACCEPTED : s->fate;
  k->probability = s->points > 0 ? s->accepted / s->points : 0;
  return RATTLE_OK;
}

static rattle_status create(rattle__kernel *k, const rattle__node *node, rattle_error *error) {
  rattle__arena *arena = &k->context.arena;
  nuts *s = k->self = rattle__arena_take(arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  *s = (nuts){.depth = (int)rattle__option_number(node, "depth")};
  const size_t size = 2 * (size_t)k->n;
  s->edge[0] = rattle__arena_doubles(arena, size);
  s->edge[1] = rattle__arena_doubles(arena, size);
  for (int i = 0; i <= DEEPEST; i++) {
    s->at[i].first = rattle__arena_doubles(arena, size);
    s->at[i].z = rattle__arena_doubles(arena, size);
  }
  if (arena->failed) return rattle__no_memory(error);
  k->move = move;
  const rattle_status status = rattle__kernel_make_map(k, rattle__method_inside(node), error);
  if (status) return status;
  k->map->context.asked.declines = 1;
  k->map->context.asked.trusts = !strcmp(rattle__option_word(node, "solutions"), "any");
  return RATTLE_OK;
}

static void adjust(const rattle__node *node, rattle_claims *claims) {
  (void)node;
  claims->stages = 2;
}

static double acceptance(const rattle__node *node) {
  (void)node;
  return 0.8;
}

const rattle__sampler rattle__sampler_nuts = {.adjust = adjust,
                                              .sensible = rattle__hops_sensible,
                                              .acceptance = acceptance,
                                              .create = create};
