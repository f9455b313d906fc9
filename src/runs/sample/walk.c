/* Functions that samplers share: momenta drawn from their distribution, proposals with a reverse
 * check, accepted or rejected. */
#include "runs/sample/kernel.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "problem/functions/probe.h"
#include "problem/functions/remassed.h"
#include "problem/functions/whitened.h"
#include "ground/support/random.h"
#include "ground/support/largest.h"

static rattle_status root_of_mass(rattle__kernel *k, rattle_error *error) {
  const rattle__mass *W = k->problem->mass;
  if (W->value && k->n > RATTLE__MOST_DENSE)
    return rattle__fail(error, RATTLE_UNSUITABLE, "M",
                        "masses that are not diagonal are sampled up to %d coordinates",
                        RATTLE__MOST_DENSE);
  k->root = rattle__arena_doubles(&k->context.arena, rattle__mass_root_size(W));
  if (!k->root) return rattle__no_memory(error);
  if (!rattle__mass_root(W, k->root)) return RATTLE_OK;
  return rattle__fail(error, RATTLE_UNSUITABLE, "M",
                      "momenta cannot be drawn: M is not positive definite");
}

static rattle_status check_problem(const rattle_problem *problem, const char *name,
                                   rattle_error *error) {
  const char *what = NULL;
  if (problem->velocity)
    what = "has constraints on velocities";
  else if (problem->next)
    what = "has controllers";
  else if (problem->conditions)
    what = "has constraints that begin and end";
  else if (problem->force)
    what = "has forces that are no gradient";
  else if (problem->clock)
    what = "depends on time";
  else if (!(problem->flags & RATTLE_NATURAL))
    what = problem->model ? "is not of the form H = p^T M^-1 p/2 + V(q) with constant M"
                          : "does not say that H is of that form: give its inverse_mass";
  else if (problem->m && !(problem->flags & RATTLE_HOLONOMIC))
    what = "has constraints that depend on momenta";
  if (!what) return RATTLE_OK;
  return rattle__fail(
      error, RATTLE_UNSUITABLE, name,
      "%s samples exp(-V/T) of H = p^T M^-1 p/2 + V(q) on g(q) = 0, and the problem %s", name,
      what);
}

rattle_status rattle__kernel_prepare(rattle__kernel *k, const rattle_problem *problem,
                                     const rattle__node *node, rattle_error *error) {
  rattle_status status = check_problem(problem, node->row->name, error);
  if (status) return status;
  const size_t n = (size_t)problem->n, m = (size_t)problem->m;
  *k = (rattle__kernel){.problem = problem,
                        .n = problem->n,
                        .m = problem->m,
                        .T = rattle__option_number(node, "temperature")};
  k->context = (rattle__context){.problem = problem, .solver = "none"};
  k->delta = !strcmp(rattle__option_word(node, "measure"), "delta") && m;
  if (k->m > RATTLE__MOST_DENSE && k->delta)
    return rattle__fail(error, RATTLE_UNSUITABLE, node->row->name,
                        "measure=delta is for up to %d constraints", RATTLE__MOST_DENSE);
  rattle__arena *arena = &k->context.arena;
  const rattle__function *V = problem->V, *g = problem->g;
  size_t work = V->work;
  if (g && g->work > work) work = g->work;
  k->z = rattle__arena_doubles(arena, 2 * n);
  k->next = rattle__arena_doubles(arena, 2 * n);
  k->back = rattle__arena_doubles(arena, 2 * n);
  k->spare = rattle__arena_doubles(arena, 2 * n);
  k->xi = rattle__arena_doubles(arena, n);
  k->row = rattle__arena_doubles(arena, n);
  k->work = rattle__arena_doubles(arena, work);
  if (g && k->m <= RATTLE__MOST_DENSE) {
    k->J = rattle__arena_doubles(arena, (size_t)g->jac_nnz);
    k->B = rattle__arena_doubles(arena, (size_t)g->jac_nnz);
    k->g = rattle__arena_doubles(arena, m);
    k->A = rattle__arena_doubles(arena, m * m);
  }
  status = arena->failed ? rattle__no_memory(error) : root_of_mass(k, error);
  static const long double whole[] = {1};
  return status ? status : rattle__geodesic_create(&k->geodesic, &k->context, 1, whole, error);
}

void rattle__kernel_release(rattle__kernel *k) {
  rattle_integrator_destroy(&k->map);
  rattle__problem_whitened_destroy(&k->whitened);
  rattle__problem_tilted_destroy(&k->driven);
  if (k->geodesic && k->geodesic->destroy) k->geodesic->destroy(k->geodesic);
  rattle__probe_destroy(&k->context.probe);
  rattle__arena_release(&k->context.arena);
}

rattle_status rattle__kernel_refresh(rattle__kernel *k, double keep, double *z,
                                     rattle_error *error) {
  const size_t bytes = (size_t)k->n * sizeof *z;
  const double fresh = sqrt((1 - keep * keep) * k->T);
  double *p = z + k->n, *old = k->row;
  memcpy(old, p, bytes);
  rattle__random_normals(k->key, &k->drawn, k->xi, k->n);
  rattle__mass_spread(k->problem->mass, k->root, k->xi);
  for (int i = 0; i < k->n; i++) p[i] = keep * p[i] + fresh * k->xi[i];
  const rattle_status status = k->m ? k->geodesic->slide(k->geodesic, z, error) : RATTLE_OK;
  if (status) memcpy(p, old, bytes);
  return status;
}

int rattle__kernel_rejects(rattle_status status, rattle__fate *fate) {
  *fate = status == RATTLE_DOMAIN ? RATTLE__REJECTED_DOMAIN : RATTLE__REJECTED_UNSOLVED;
  return status == RATTLE_DOMAIN || status == RATTLE_NOT_CONVERGED || status == RATTLE_SINGULAR ||
         status == RATTLE_DEGENERATE;
}

void rattle__kernel_reverse(rattle__kernel *k) {
  for (int i = 0; i < k->n; i++) k->z[k->n + i] = -k->z[k->n + i];
}

/* True if z, at the end of the way back from z1, is R z0. The rounding error of a way is relative
 * to its length: of q, and so of the velocity. */
static int returned(const rattle__kernel *k, const double *z0, const double *z1, const double *z) {
  double reach = 0, way = 0, off[2] = {0}, momentum = 0;
  for (int i = 0; i < k->n; i++) {
    reach = fmax(reach, fmax(fabs(z0[i]), fabs(z1[i])));
    way = fmax(way, fabs(z1[i] - z0[i]));
    off[0] = rattle__greater(off[0], fabs(z[i] - z0[i]));
    momentum = fmax(momentum, fabs(z0[k->n + i]));
    off[1] = rattle__greater(off[1], fabs(z[k->n + i] + z0[k->n + i]));
  }
  const double rounding = RATTLE__RETURNS_UNITS * DBL_EPSILON * reach;
  return off[0] <= RATTLE__RETURNS * way + rounding &&
         off[1] * way <= momentum * (RATTLE__RETURNS * way + rounding);
}

/* Sets the fate of `next`, to which a map led with that status: accepted by H or not; *U there. */
static rattle_status weigh(rattle__kernel *k, rattle_status status, double log_ratio, double *U,
                           rattle_error *error) {
  const rattle__mass *W = k->problem->mass;
  if (!status) status = rattle__kernel_energy(k, k->next, U, error);
  if (status) return rattle__kernel_rejects(status, &k->fate) ? RATTLE_OK : status;
  const double kinetic0 = rattle__mass_twice_kinetic(W, k->z + k->n) / 2,
               kinetic = rattle__mass_twice_kinetic(W, k->next + k->n) / 2;
  k->probability = fmin(1, exp(log_ratio - ((*U - k->U) + (kinetic - kinetic0)) / k->T));
  const int accepted = rattle__random_unit(k->key, ++k->drawn) < k->probability;
  k->fate = accepted ? RATTLE__ACCEPTED : RATTLE__REJECTED_ENERGY;
  return RATTLE_OK;
}

/* By the fate of `next`, with U there. */
static void settle(rattle__kernel *k, double U) {
  if (k->fate != RATTLE__ACCEPTED) {
    rattle__kernel_reverse(k);
    return;
  }
  memcpy(k->z, k->next, 2 * (size_t)k->n * sizeof *k->z);
  k->U = U;
}

void rattle__kernel_propose(rattle__kernel *k, long long steps, int flies) {
  memcpy(k->next, k->z, 2 * (size_t)k->n * sizeof *k->z);
  k->way = (rattle__kernel_way){.z = k->next, .h = k->h, .left = steps, .flies = flies};
  k->steps = steps;
  k->probability = 0;
}

/* True if the flight to `next` led less far than a half of a circle of its length does: on a circle
 * or a sphere, if it is longer than that. Lengths are those of M. */
static int has_turned(const rattle__kernel *k) {
  const rattle__mass *W = k->problem->mass;
  const double part = k->way.h / acos(0); /* 2 h/pi */
  double *d = k->row;
  for (int i = 0; i < k->n; i++) d[i] = k->next[i] - k->z[i];
  return rattle__mass_square(W, k->root, d) <
         part * part * rattle__mass_twice_kinetic(W, k->z + k->n);
}

/* `next`, where the way there ended with that status, sets out for the way back unless it is
 * rejected. */
static rattle_status arrive(rattle__kernel *k, rattle_status status, rattle_error *error) {
  if (!status && k->way.flies) k->turned = has_turned(k);
  status = weigh(k, status, 0, &k->U_next, error);
  if (status) return status;
  if (k->fate != RATTLE__ACCEPTED) {
    settle(k, 0);
    return RATTLE_OK;
  }
  for (int i = 0; i < k->n; i++) k->back[i] = k->next[i], k->back[k->n + i] = -k->next[k->n + i];
  k->way.z = k->back, k->way.left = k->steps;
  return RATTLE_OK;
}

rattle_status rattle__kernel_return(rattle__kernel *k, rattle_status status, rattle_error *error) {
  rattle__fate unused;
  if (k->way.z == k->next) return arrive(k, status, error);
  if (status && !rattle__kernel_rejects(status, &unused)) return status;
  k->fate = !status && returned(k, k->z, k->next, k->back) ? RATTLE__ACCEPTED
                                                           : RATTLE__REJECTED_NOT_REVERSIBLE;
  if (k->fate) k->probability = 0;
  settle(k, k->U_next);
  return RATTLE_OK;
}

static void turn_round(const rattle__kernel *k, double *z) {
  for (int i = 0; i < k->n; i++) z[k->n + i] = -z[k->n + i];
}

rattle_status rattle__kernel_there_and_back(rattle__kernel *k, const double *z, int backwards,
                                            rattle_error *error) {
  const size_t bytes = 2 * (size_t)k->n * sizeof *z;
  double *from = k->spare;
  memcpy(from, z, bytes);
  if (backwards) turn_round(k, from);
  memcpy(k->next, from, bytes);
  if (k->whitened) rattle__whiten(k->n, k->root, k->next);
  k->way = (rattle__kernel_way){.z = k->next, .h = k->h, .left = 1, .white = 1};
  rattle_status status = rattle__kernel_take(k, 1, error);
  if (status) return status;
  memcpy(k->back, k->next, bytes);
  turn_round(k, k->back);
  k->way = (rattle__kernel_way){.z = k->back, .h = k->h, .left = 1, .white = 1};
  status = rattle__kernel_take(k, 1, error);
  rattle__fate unused;
  if (status && !rattle__kernel_rejects(status, &unused)) return status;
  if (k->whitened) rattle__unwhiten(k->n, k->root, k->next);
  if (k->whitened) rattle__unwhiten(k->n, k->root, k->back);
  if (status || !returned(k, from, k->next, k->back)) return RATTLE_DEGENERATE;
  if (backwards) turn_round(k, k->next);
  return RATTLE_OK;
}

rattle_status rattle__kernel_decide(rattle__kernel *k, rattle_status status, double log_ratio,
                                    rattle_error *error) {
  double U = 0;
  k->probability = 0;
  const int lost = status == RATTLE_DEGENERATE;
  status = weigh(k, status, log_ratio, &U, error);
  if (lost && !status) k->fate = RATTLE__REJECTED_NOT_REVERSIBLE;
  if (!status) settle(k, U);
  return status;
}

rattle_status rattle__kernel_walk(rattle__kernel *k, rattle_error *error) {
  const rattle_status status = rattle__kernel_refresh(k, 0, k->z, error);
  k->probability = 0;
  if (status) return rattle__kernel_rejects(status, &k->fate) ? RATTLE_OK : status;
  rattle__kernel_propose(k, 1, 1);
  return RATTLE_OK;
}

/* --- the way ---------------------------------------------------------------------------------- */

/* The problem with U in place of V for delta(g): forces are then those of H, by which proposals are
 * accepted. Any force keeps the measure, as long as it is a function of q. */
static rattle_status drive(rattle__kernel *k, rattle_error *error) {
  rattle_status status = RATTLE_UNSUITABLE;
  if (!k->delta) return RATTLE_OK;
  if (rattle__can_write_tilted(k->problem))
    status = rattle__problem_tilted_model(&k->driven, k->problem, k->T / 2, error);
  return status != RATTLE_UNSUITABLE
             ? status
             : rattle__problem_tilted(&k->driven, k->problem, k->T / 2, error);
}

/* The map in coordinates in which a dense M of a metric is one, so that steps for diagonal M serve
 * it; none for maps that need second derivatives, and without constraints, where they gain nothing.
 */
static rattle_status make_whitened_map(rattle__kernel *k, const char *text, rattle_error *error) {
  const rattle_problem *problem = k->driven ? k->driven : k->problem;
  if (!problem->remassed || !problem->mass->value || !k->m) return RATTLE_OK;
  rattle_status status = rattle__problem_whitened(&k->whitened, problem, k->root, error);
  if (!status) status = rattle_integrator_create(&k->map, k->whitened, text, error);
  if (status != RATTLE_UNSUITABLE) return status;
  rattle__problem_whitened_destroy(&k->whitened);
  return RATTLE_OK;
}

rattle_status rattle__kernel_make_map(rattle__kernel *k, const rattle__node *node,
                                      rattle_error *error) {
  char text[4200];
  rattle__text put = {text, sizeof text};
  rattle__put_node(&put, node);
  rattle_status status = drive(k, error);
  if (!status) status = make_whitened_map(k, text, error);
  if (status || k->map) return status;
  if (k->driven) status = rattle_integrator_create(&k->map, k->driven, text, error);
  if (status == RATTLE_UNSUITABLE) rattle__problem_tilted_destroy(&k->driven); /* lacks U_qq */
  return k->driven ? status : rattle_integrator_create(&k->map, k->problem, text, error);
}

static rattle_status fly(rattle__kernel *k, double *z, rattle_error *error) {
  const rattle_status status = k->geodesic->flow(k->geodesic, k->way.h, z, k->spare, error);
  if (!status) memcpy(z, k->spare, 2 * (size_t)k->n * sizeof *z);
  return status;
}

rattle_status rattle__kernel_take(rattle__kernel *k, long long steps, rattle_error *error) {
  rattle__kernel_way *way = &k->way;
  rattle_state state = {.struct_size = sizeof state, .q = way->z, .p = way->z + k->n, .h = way->h};
  rattle_status status = RATTLE_OK;
  const int turns = k->whitened && !way->flies && !way->white;
  if (turns) rattle__whiten(k->n, k->root, way->z);
  if (!way->flies) status = rattle_integrator_step(k->map, &state, steps, error);
  if (turns) rattle__unwhiten(k->n, k->root, way->z);
  for (long long i = 0; way->flies && i < steps && !status; i++) status = fly(k, way->z, error);
  way->left = status ? 0 : way->left - steps;
  return status;
}

rattle_status rattle__kernel_finish(rattle__kernel *k, rattle_status status, rattle_error *error) {
  while (!status && k->way.left)
    status = k->go_on(k, rattle__kernel_take(k, k->way.left, error), error);
  return status;
}
