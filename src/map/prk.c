/* Partitioned Runge-Kutta maps for any H, and SHAKE of them: stages and multipliers by one simultaneous Newton iteration.
 *
 * Map      see base.h (rattle__tableau) and prk.h; with a fibre, z1 = phi_h(exp(h sum lambda_i X_{g_i}) z0), g(z1) = 0
 * Start    stages from the slope at z+, lambda from the differential equation there: a step is a pure function of its point
 * Matrix   taken at the first iterate and kept while each iteration gains a factor of ten, else taken anew (true Newton)
 * Stop     every equation at round-off of its own terms, or stagnation near it
 * Cost     per iteration s gradients; per matrix s Hessians and a factorisation of the sparse system
 * Fails    where the iteration does not converge: the step is too long, or the point degenerate */
#include "map/prk.h"

#include "core/probe.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Whether H or g is not finite at the first stage, at the end or at the start: that is why, then. */
static int left_domain(const rattle__prk *k, const double *z0, const double *z1, rattle_error *error) {
  const rattle_problem *problem = k->map.context->problem;
  const double *point[] = {k->Z, z1, z0};
  for (int i = 0; i < 3; i++)
    if (rattle__domain_error(problem, point[i], error) == RATTLE_DOMAIN) return 1;
  return 0;
}

static rattle_status give_up(const rattle__prk *k, int iterations, rattle_error *error) {
  const rattle_problem *problem = k->map.context->problem;
  const char *name = k->worst >= 0 ? rattle_problem_constraint_name(problem, k->worst) : NULL;
  rattle__fail(
      error, RATTLE_NOT_CONVERGED, name ? name : "stages",
      "the implicit equations%s%s%s were not solved in %d iterations (residual %.3g times round-off): use a smaller step",
      name ? " (worst: constraint '" : "", name ? name : "", name ? "')" : "", iterations, k->residual);
  if (error) {
    error->constraint = k->worst;
    error->iterations = iterations;
    error->residual = k->residual;
  }
  return RATTLE_NOT_CONVERGED;
}

/* Whether the Jacobian for the multipliers, which is -h^2 N for h -> 0, is far from that at the first iterate: along the guess
 * and along a fixed direction. The solution that such an iteration finds may be one on another sheet. */
static int astray(rattle__prk *k, double h, const double *z0) {
  rattle__probe *probe = k->map.context->probe;
  rattle__probe_place(probe, z0, z0 + k->n);
  for (int which = 0; which < (k->m > 1 ? 2 : 1); which++) {
    const double *v = which ? k->lambda : k->compass;
    double *x = k->course + k->multipliers;
    memset(k->course, 0, (size_t)k->size * sizeof(double));
    if (!rattle__probe_times(probe, v, x)) return 0;
    for (int i = 0; i < k->m; i++) x[i] *= -h * h;
    k->matrix->solve(k->matrix, k->course);
    if (rattle__far(k->m, x, v)) return 1;
  }
  return 0;
}

/* Stages, and with a fibre lambda (from the one given), by Newton. */
static rattle_status solve(rattle__prk *k, double h, const double *z0, double *z1, rattle__rates *rates, rattle_error *error) {
  double previous = INFINITY;
  int fresh = 1;
  *rates = rattle__no_doubt;
  memcpy(k->plus_z, z0, 2 * (size_t)k->n * sizeof(double));
  rattle_status status = k->fibre ? k->fibre->start(k->fibre, z0, error) : RATTLE_OK;
  if (!status && k->fibre) status = rattle__prk_slide(k, h, error);
  if (!status) status = rattle__prk_guess(k, h, k->plus_z, error);
  memcpy(k->expected, k->plus_z, 2 * (size_t)k->n * sizeof(double));
  for (int i = 0; !status; i++) {
    status = rattle__prk_look(k, h, z1, fresh, error);
    if (status) break;
    const double r = k->residual;
    rattle__rate(rates, i, r, previous, rattle__doubt_newton);
    rattle__verdict verdict = rattle__judge(r, previous, i, k->tol);
    if (verdict == RATTLE__DONE) break;
    if (verdict == RATTLE__GIVE_UP) return !(r < 1e300) && left_domain(k, z0, z1, error) ? RATTLE_DOMAIN : give_up(k, i, error);
    if (fresh) {
      if (k->fibre) status = k->fibre->derivative(k->fibre, k->dfibre, error);
      if (!status) status = rattle__prk_factor(k, h, error);
      if (status == RATTLE_SINGULAR && left_domain(k, z0, z1, error)) status = RATTLE_DOMAIN;
      if (status) break;
      if (i == 0 && k->fibre && !k->following) rates->doubtful |= astray(k, h, z0);
    }
    rattle__prk_update(k);
    fresh = !k->frozen || (i > 0 && r > 0.1 * previous);
    previous = r;
  }
  if (status || !k->following || rates->doubtful) return status;
  rattle__prk_keep_slopes(k, h, 0);
  k->sloped = 1;
  return RATTLE_OK;
}

static rattle_status solve_from(void *self, double h, const double *z0, double *lambda, double *z1, rattle__rates *rates,
                                rattle_error *error) {
  rattle__prk *k = self;
  memcpy(k->lambda, lambda, (size_t)k->m * sizeof(double));
  rattle_status status = solve(k, h, z0, z1, rates, error);
  memcpy(lambda, k->lambda, (size_t)k->m * sizeof(double));
  return status;
}

static void first_guess(void *self, double h, const double *z0, double *lambda) {
  const rattle__prk *k = self;
  rattle__probe *probe = k->map.context->probe;
  rattle__probe_place(probe, z0, z0 + k->n);
  rattle__probe_step_guess(probe, h, lambda);
}

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

static rattle_status follow(rattle__map *map, double h, const double *z0, double *z1, rattle_error *error) {
  rattle__prk *k = map->self;
  map->context->clock++;
  k->following = 1;
  rattle_status status = rattle__follow(k->follower, h, z0, k->lambda, z1, error);
  k->following = k->sloped = 0;
  return status ? status : finished(map);
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1, rattle_error *error) {
  rattle__prk *k = map->self;
  rattle__rates rates;
  map->context->clock++;
  if (k->fibre) first_guess(k, h, z0, k->lambda);
  rattle_status status = solve(k, h, z0, z1, &rates, error);
  if (k->follower && rattle__must_follow(status, &rates)) return follow(map, h, z0, z1, error);
  return status ? status : finished(map);
}

static void destroy(rattle__map *map) {
  rattle__linear_destroy(&((rattle__prk *)map->self)->matrix);
}

rattle_status rattle__prk_create(rattle__map **map, rattle__context *context, const rattle__tableau *tableau,
                                 rattle__fibre *fibre, rattle__method_id solver, double tol, rattle_error *error) {
  rattle__arena *arena = &context->arena;
  const rattle_problem *problem = context->problem;
  rattle__prk *k = rattle__arena_take(arena, sizeof *k);
  if (!k) return rattle__no_memory(error);
  size_t n = (size_t)problem->n, m = fibre ? (size_t)problem->m : 0, s = (size_t)tableau->stages;
  size_t work = problem->H->work, jac_nnz = fibre ? (size_t)problem->g->jac_nnz : 0;
  if (fibre && problem->g->work > work) work = problem->g->work;
  *k = (rattle__prk){
      .t = *tableau, .fibre = fibre, .n = problem->n, .m = (int)m, .tol = tol, .frozen = solver != RATTLE__METHOD_newton};
  k->map = (rattle__map){.context = context,
                         .apply = apply,
                         .tangent = fibre ? NULL : rattle__prk_tangent,
                         .destroy = destroy,
                         .symmetric = tableau->symmetric,
                         .order = tableau->order,
                         .self = k};
  double **vectors[] = {&k->Z,    &k->slope, &k->gradient, &k->hessian, &k->plus_z, &k->expected, &k->lambda,
                        &k->unit, &k->slide, &k->g,        &k->J,       &k->dfibre, &k->work,     &k->room};
  size_t points = 2 * s * n, sizes[] = {points,  fibre ? points : 0,
                                        points,  s * (size_t)problem->H->hess_nnz,
                                        2 * n,   2 * n,
                                        m,       fibre ? 2 * (size_t)problem->n : 0,
                                        m,       m,
                                        jac_nnz, fibre ? (size_t)fibre->nnz : 0,
                                        work,    4 * n};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) *vectors[i] = rattle__arena_doubles(arena, sizes[i]);
  if (fibre) k->map.lambda = k->lambda;
  if (fibre) k->follower = rattle__follower_create(context, solve_from, first_guess, k);
  if (fibre) k->map.follow = follow;
  rattle__backend backend = solver == RATTLE__METHOD_dense    ? RATTLE__LINEAR_DENSE
                            : solver == RATTLE__METHOD_sparse ? RATTLE__LINEAR_KLU
                                                              : RATTLE__LINEAR_AUTO;
  *map = &k->map;
  if (arena->failed) return rattle__no_memory(error);
  rattle_status status = rattle__prk_plan(k, backend, error);
  if (status) return status;
  if (fibre) {
    context->solver = k->matrix->name;
    status = rattle__context_probe(context, error);
    if (status) return status;
  }
  k->rhs = rattle__arena_doubles(arena, (size_t)k->size);
  k->course = rattle__arena_doubles(arena, fibre ? (size_t)k->size : 0);
  k->compass = rattle__arena_doubles(arena, m);
  for (size_t i = 0; i < m && k->compass; i++) k->compass[i] = i % 2 ? -1 : 1;
  return arena->failed ? rattle__no_memory(error) : RATTLE_OK;
}
