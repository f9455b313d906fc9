/* Partitioned Runge-Kutta maps for any H, and SHAKE of them: stages and multipliers by one
 * simultaneous Newton iteration.
 *
 * Map      see base.h (rattle__tableau) and prk.h; with a fibre, z1 = phi_h(exp(h sum lambda_i
 *          X_{g_i}) z0), g(z1) = 0
 * Start    stages from the slope at z+, or at z+ where stiff forces make that too far, lambda from
 *          the differential equation there: a step is a pure function of its point
 * Matrix   taken at the first iterate and kept while each iteration gains a factor of ten, else
 *          taken anew (true Newton). With a fibre of g(q), and H'' that takes differences, the
 *          first matrix has H'' of z0 in all stages, as the guess of lambda has, and learns by
 *          Broyden's method
 * Stop     every equation at round-off of its own terms, or stagnation near it
 * Cost     per iteration s gradients; per matrix s Hessians and a factorisation of the sparse
 *          system
 * Fails    where the iteration does not converge: the step is too long, or the point degenerate */
#include "maps/base/prk.h"

#include "problem/functions/probe.h"
#include "constraint/step/impulse.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* True if H or g is not finite at the first stage, at the end or at the start, which is then the
 * reason. */
static int left_domain(const rattle__prk *k, const double *z0, const double *z1,
                       rattle_error *error) {
  const rattle_problem *problem = k->map.context->problem;
  const double *point[] = {k->Z, z1, z0};
  for (int i = 0; i < 3; i++)
    if (rattle__domain_error(problem, point[i], error) == RATTLE_DOMAIN) return 1;
  return 0;
}

static const char equations[] = "the implicit equations";

/* --- the equations for iterate.h -------------------------------------------------------------- */

static rattle_status evaluate(void *self, rattle__course *c, rattle_error *error) {
  rattle__prk *k = self;
  rattle_status status = rattle__prk_look(k, k->h, k->z1, k->fresh, error);
  if (!status && c->k == 0 && !k->sloped && rattle__prk_overshot(k)) {
    rattle__prk_stay(k);
    status = rattle__prk_look(k, k->h, k->z1, k->fresh, error);
  }
  c->residual = k->residual;
  c->largest = k->largest;
  c->worst = k->worst;
  return status;
}

/* H'' of all stages from the probe at z0, where it takes differences */
static void take_rough(rattle__prk *k) {
  rattle__probe *probe = k->map.context->probe;
  const size_t entries = (size_t)k->map.context->problem->H->hess_nnz;
  rattle__probe_place(probe, k->z0, k->z0 + k->n);
  const double *S = rattle__probe_rough_hessian(probe);
  k->rough = S != NULL;
  for (int j = 0; j < k->t.stages && S; j++)
    memcpy(k->hessian + (size_t)j * entries, S, entries * sizeof *S);
}

/* Stages from their slope, z+ and lambda from where the iteration is to begin */
static rattle_status begin(void *self, rattle_error *error) {
  rattle__prk *k = self;
  const size_t bytes = 2 * (size_t)k->n * sizeof *k->z0;
  k->fresh = 1;
  k->rough = 0;
  rattle__broyden_forget(&k->learned);
  if (k->fibre && k->frozen && k->map.context->problem->flags & RATTLE_HOLONOMIC) take_rough(k);
  memcpy(k->plus_z, k->z0, bytes);
  if (k->fibre) memcpy(k->lambda, k->first, (size_t)k->m * sizeof(double));
  rattle_status status = k->fibre ? rattle__prk_slide(k, k->h, error) : RATTLE_OK;
  if (!status) status = rattle__prk_guess(k, k->h, k->plus_z, error);
  memcpy(k->expected, k->plus_z, bytes);
  return status;
}

static rattle_status use_full_units(void *self, int on, rattle_error *error) {
  rattle__prk *k = self;
  k->raised = on;
  return !on ? RATTLE_OK : rattle__prk_raise(k, k->h, k->z0, k->z1, error);
}

/* The parts of the matrix at hand against their limit for h -> 0; 0: not known. */
static int side_of_matrix(const rattle__prk *k) {
  return rattle__probe_side(k->map.context->probe, k->z0, k->z0 + k->n, k->matrix, k->multipliers);
}

static rattle_status correct(void *self, rattle__course *c, rattle_error *error) {
  rattle__prk *k = self;
  if (k->fresh) {
    rattle_status status = k->fibre ? k->fibre->derivative(k->fibre, k->dfibre, error) : RATTLE_OK;
    if (!status) status = rattle__prk_factor(k, k->h, error);
    if (status == RATTLE_SINGULAR && left_domain(k, k->z0, k->z1, error)) status = RATTLE_DOMAIN;
    if (status) return status;
    if (k->fibre) c->sign = side_of_matrix(k);
    int astray = 0;
    if (k->fibre && c->k == 0) status = rattle__prk_far_from_limit(k, k->h, k->z0, &astray, error);
    if (status) return status;
    c->doubtful |= astray;
  }
  rattle__prk_update(k);
  k->fresh = !k->frozen || rattle__gains_little(c);
  k->rough &= !k->fresh;
  return RATTLE_OK;
}

/* Stages, and with a fibre lambda (from the one given), by Newton. */
static rattle_status solve(void *self, double h, const double *z0, double *z1, rattle__course *c,
                           rattle_error *error) {
  static const rattle__equation equation = {begin, evaluate, use_full_units, correct};
  rattle__prk *k = self;
  k->h = h;
  k->z0 = z0;
  k->z1 = z1;
  k->raised = 0;
  if (k->fibre) memcpy(k->first, k->lambda, (size_t)k->m * sizeof(double));
  rattle_status status = k->fibre ? k->fibre->start(k->fibre, z0, error) : RATTLE_OK;
  if (!status) status = rattle__iterate(&equation, k, k->map.context, k->tol, c, error);
  if (c->gave_up) {
    const double *points[] = {k->Z, z1, z0};
    return rattle__not_converged(k->map.context->problem, equations, c, points, 3, error);
  }
  return status;
}

static void taken(void *self) {
  rattle__prk *k = self;
  rattle__prk_keep_slopes(k, k->h, 0);
  k->sloped = 1;
}

/* The Jacobian for the multipliers, stages eliminated, is -h^2 N for h -> 0. */
static int from_limit(void *self, double h, const double *v, double *x) {
  rattle__prk *k = self;
  double *rows = k->scratch + k->multipliers;
  memset(k->scratch, 0, (size_t)k->size * sizeof(double));
  if (!rattle__probe_times(k->map.context->probe, v, rows)) return 0;
  for (int i = 0; i < k->m; i++) rows[i] *= -h * h;
  rattle__linear_solve_well(k->matrix, k->scratch);
  memcpy(x, rows, (size_t)k->m * sizeof *x);
  return 1;
}

/* The side of the matrix at the end; where N is not available, the sign of its determinant. */
static rattle_status side(void *self, int *sign) {
  rattle__prk *k = self;
  *sign = 0;
  if (rattle__prk_gradients(k, 1, NULL) || k->fibre->derivative(k->fibre, k->dfibre, NULL))
    return RATTLE_OK;
  const rattle_status status = rattle__prk_factor(k, k->h, NULL);
  if (!status) *sign = side_of_matrix(k);
  if (!status && !*sign) *sign = rattle__linear_sign(k->matrix);
  return status == RATTLE_NO_MEMORY ? status : RATTLE_OK;
}

static int prove(void *self, double h, const double *z0, const double *z1, rattle__tracked *found) {
  const rattle__prk *k = self;
  const rattle__map_ends ends = {h, z0, z0 + k->n, z1, NULL, 1};
  return k->prover && rattle__prover_in_doubt_ask(k->prover, &ends, found);
}

/* --- the step --------------------------------------------------------------------------------- */

static rattle_status finished(rattle__map *map) {
  const rattle__prk *k = map->self;
  rattle_residuals *seen = &map->context->residuals;
  if (k->residual > seen->iteration_residual) seen->iteration_residual = k->residual;
  if (k->fibre) {
    map->context->counts.position_projections++;
    if (k->largest > seen->g) seen->g = k->largest;
  }
  return RATTLE_OK;
}

static rattle_status make(rattle__map *map, double h, const double *z0, double *z1, int insist,
                          rattle_error *error) {
  rattle__prk *k = map->self;
  rattle__course c = {0};
  const rattle_status status = k->follower
                                   ? rattle__guarded_step(k->follower, h, z0, z1, insist, error)
                                   : solve(k, h, z0, z1, &c, error);
  k->sloped = 0;
  if (!status && k->fibre) rattle__record_slide(map->context, z0, k->plus_z);
  return status ? status : finished(map);
}

static rattle_status follow(rattle__map *map, double h, const double *z0, double *z1,
                            rattle_error *error) {
  return make(map, h, z0, z1, 1, error);
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1,
                           rattle_error *error) {
  return make(map, h, z0, z1, 0, error);
}

static void destroy(rattle__map *map) {
  rattle__prk *k = map->self;
  rattle__linear_destroy(&k->matrix);
  rattle__prover_in_doubt_destroy(&k->prover);
}

rattle_status rattle__prk_create(rattle__map **map, rattle__context *context,
                                 const rattle__tableau *tableau, rattle__fibre *fibre,
                                 const rattle__solving *solving, rattle_error *error) {
  static const rattle__tracked_equation sought = {.solve = solve,
                                                  .side = side,
                                                  .from_limit = from_limit,
                                                  .prove = prove,
                                                  .probed = 1,
                                                  .taken = taken};
  rattle__arena *arena = &context->arena;
  const rattle_problem *problem = context->problem;
  const rattle_status lacks = rattle__needs_hessian(problem, "an implicit method", error);
  if (lacks) return lacks;
  rattle__prk *k = rattle__arena_take(arena, sizeof *k);
  if (!k) return rattle__no_memory(error);
  size_t n = (size_t)problem->n, m = fibre ? (size_t)problem->m : 0, s = (size_t)tableau->stages;
  size_t work = problem->H->work, jac_nnz = fibre ? (size_t)problem->g->jac_nnz : 0;
  if (fibre && problem->g->work > work) work = problem->g->work;
  *k = (rattle__prk){.t = *tableau,
                     .fibre = fibre,
                     .n = problem->n,
                     .m = (int)m,
                     .tol = solving->tol,
                     .frozen = solving->solver->renewal != RATTLE__EACH_ITERATION};
  k->map = (rattle__map){.context = context,
                         .apply = apply,
                         .tangent = fibre ? NULL : rattle__prk_tangent,
                         .destroy = destroy,
                         .records = fibre != NULL,
                         .symmetric = tableau->symmetric,
                         .self = k};
  const size_t points = 2 * s * n;
  const rattle__array arrays[] = {
      {&k->Z, points},        {&k->slope, fibre ? points : 0},
      {&k->gradient, points}, {&k->hessian, s * (size_t)problem->H->hess_nnz},
      {&k->plus_z, 2 * n},    {&k->expected, 2 * n},
      {&k->lambda, m},        {&k->unit, fibre ? 2 * (size_t)problem->n : 0},
      {&k->slide, m},         {&k->g, m},
      {&k->J, jac_nnz},       {&k->dfibre, fibre ? (size_t)fibre->nnz : 0},
      {&k->work, work},       {&k->room, 4 * n},
      {&k->size_g, m},        {&k->first, m}};
  RATTLE__LAY_OUT(arena, arrays);
  if (fibre) k->map.lambda = k->lambda;
  if (fibre) k->follower = rattle__follower_create(context, &sought, k->m, k->lambda, k);
  k->units = rattle__unit_create(context);
  if (fibre) k->map.follow = follow;
  if (fibre) k->prover = rattle__prover_in_doubt_create(problem, tableau);
  *map = &k->map;
  if (arena->failed) return rattle__no_memory(error);
  rattle_status status = rattle__prk_plan(k, solving->solver->general, error);
  if (status) return status;
  if (fibre) {
    context->solver = k->matrix->name;
    status = rattle__linear_watch_parts(k->matrix, error);
    if (!status) status = rattle__context_probe(context, error);
    if (status) return status;
    rattle__probe_join_parts(context->probe, k->matrix, k->multipliers);
    context->probe->rough = 1;
  }
  k->rhs = rattle__arena_doubles(arena, (size_t)k->size);
  if (fibre && problem->H->rough) rattle__broyden_create(&k->learned, arena, k->size);
  if (fibre) rattle__prk_aside_create(k);
  k->scratch = rattle__arena_doubles(arena, fibre ? (size_t)k->size : 0);
  return arena->failed ? rattle__no_memory(error) : RATTLE_OK;
}
