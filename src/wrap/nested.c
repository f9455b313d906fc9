/* shake(inner) for any inner map: Newton for lambda around the whole inner map.
 *
 * Map      z1 = phi_h(exp(h sum lambda_i X_{g_i}) z0),  g(z1) = 0
 * Matrix   M_ij = g_i'(z1) Dphi_h h dz+/dlambda_j, dense [m x m]; kept while each iteration gains a factor of ten
 * Cost     per iteration one application of the inner map; per matrix m tangents
 * Fails    where M is singular or the iteration does not converge */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/probe.h"
#include "map/follow.h"
#include "solve/linear.h"
#include "wrap/wrap.h"

enum { MOST = 2000 };

typedef struct nested {
  rattle__map map;
  rattle__map *inner;
  rattle__fibre *fibre;
  int nz, m, frozen;
  double *lambda, *slide, *delta, *plus, *g, *J, *Z, *W, *work, *unit, *S; /* unit [2n]: round-off of slopes; S = H'' */
  double tol, largest, residual;                                           /* |g| and the residual at which the iteration ended */
  rattle__linear *matrix;
  rattle__follower *follower;
  int following;   /* 1: the guard is at work */
  double *compass; /* a fixed direction [m] */
} nested;

static rattle_status refresh(nested *s, double h, rattle_error *error) {
  const rattle__function *g = s->map.context->problem->g;
  rattle_status status = s->fibre->derivative(s->fibre, s->Z, error);
  if (status) return status;
  memset(s->W, 0, (size_t)s->m * (size_t)s->nz * sizeof(double));
  for (int j = 0; j < s->m; j++)
    for (int k = s->fibre->ptr[j]; k < s->fibre->ptr[j + 1]; k++)
      s->W[(size_t)j * (size_t)s->nz + (size_t)s->fibre->col[k]] = h * s->Z[k];
  status = s->inner->tangent(s->inner, h, s->m, s->W, error);
  if (status) return status;
  for (int i = 0; i < s->m; i++)
    for (int j = 0; j < s->m; j++) {
      double sum = 0;
      for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++)
        sum += s->J[k] * s->W[(size_t)j * (size_t)s->nz + (size_t)g->jac_col[k]];
      s->matrix->value[i * s->m + j] = sum;
    }
  s->map.context->counts.factorisation++;
  if (!s->matrix->factor(s->matrix)) return RATTLE_OK;
  return rattle__multiplier_error(s->map.context->problem, RATTLE_SINGULAR, s->matrix->blame, 0, 0, s->plus, error);
}

/* z1, g and g' there; the residual in units of round-off */
static rattle_status look(nested *s, double h, double *z1, double *ratio, double *largest, int *worst, rattle_error *error) {
  rattle__context *context = s->map.context;
  const rattle__function *g = context->problem->g;
  for (int i = 0; i < s->m; i++) s->slide[i] = h * s->lambda[i];
  rattle_status status = s->fibre->slide(s->fibre, s->slide, s->plus, error);
  context->clock++;
  if (!status) status = s->inner->apply(s->inner, h, s->plus, z1, error);
  if (status) return status;
  int answer = g->jacobian(g, z1, s->g, s->J, s->work);
  context->counts.constraint++;
  context->counts.jacobian++;
  double most[2];
  *ratio = *largest = 0;
  rattle__largest_of_kind(s->nz / 2, z1, most);
  for (int i = 0; i < s->m; i++) {
    s->g[i] -= s->follower->level[i];
    double size = DBL_MIN, x = fabs(s->g[i]);
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++) {
      int c = g->jac_col[k];
      double own = 0.5 * (fabs(z1[c]) + fabs(s->plus[c])) + s->unit[c];
      size += DBL_EPSILON * fabs(s->J[k]) * fmax(own, RATTLE__CANCELLED * most[c >= s->nz / 2]);
    }
    if (!(x / size <= *ratio)) {
      *ratio = x / size;
      *worst = i;
    }
    if (!(x <= *largest)) *largest = x;
  }
  return answer ? rattle__callback_error(answer, "constraint", error) : RATTLE_OK;
}

/* Round-off of h X_H where g holds momenta, at the start of the inner map; 0 else. */
static rattle_status measure_slopes(nested *s, double h, const double *z0, rattle_error *error) {
  const rattle_problem *problem = s->map.context->problem;
  const rattle__function *H = problem->H;
  memset(s->unit, 0, (size_t)s->nz * sizeof(double));
  if (problem->flags & RATTLE_HOLONOMIC) return RATTLE_OK;
  int answer = H->hessian(H, z0, NULL, s->S, s->work);
  s->map.context->counts.hessian++;
  if (answer) return rattle__callback_error(answer, "Hessian", error);
  rattle__slope_round_off(problem, s->S, z0, h, s->unit);
  return RATTLE_OK;
}

/* As in map/prk.c: whether the Jacobian at the first iterate is far from its limit -h^2 N for h -> 0. */
static int astray(nested *s, double h, const double *z0) {
  rattle__probe *probe = s->map.context->probe;
  rattle__probe_place(probe, z0, z0 + s->nz / 2);
  for (int which = 0; which < (s->m > 1 ? 2 : 1); which++) {
    const double *v = which ? s->lambda : s->compass;
    if (!rattle__probe_times(probe, v, s->delta)) return 0;
    for (int i = 0; i < s->m; i++) s->delta[i] *= -h * h;
    s->matrix->solve(s->matrix, s->delta);
    if (rattle__far(s->m, s->delta, v)) return 1;
  }
  return 0;
}

/* lambda from the one in s->lambda, by Newton */
static rattle_status solve(nested *s, double h, const double *z0, double *z1, rattle__rates *rates, rattle_error *error) {
  rattle__context *context = s->map.context;
  double previous = INFINITY, r = 0;
  int worst = 0, fresh = 1;
  *rates = rattle__no_doubt;
  rattle_status status = s->fibre->start(s->fibre, z0, error);
  if (!status) status = measure_slopes(s, h, z0, error);
  for (int i = 0; !status; i++) {
    status = look(s, h, z1, &r, &s->largest, &worst, error);
    if (status) break;
    rattle__rate(rates, i, r, previous, rattle__doubt_newton);
    rattle__verdict verdict = rattle__judge(r, previous, i, s->tol);
    if (verdict == RATTLE__DONE) break;
    if (verdict == RATTLE__GIVE_UP)
      return rattle__multiplier_error(context->problem, RATTLE_NOT_CONVERGED, worst, i, r, z1, error);
    if (fresh) status = refresh(s, h, error);
    if (status) break;
    if (i == 0 && !s->following) rates->doubtful |= astray(s, h, z0);
    memcpy(s->delta, s->g, (size_t)s->m * sizeof(double));
    s->matrix->solve(s->matrix, s->delta);
    context->counts.newton_iterations++;
    for (int j = 0; j < s->m; j++) s->lambda[j] -= s->delta[j];
    fresh = !s->frozen || (i > 0 && r > 0.1 * previous);
    previous = r;
  }
  s->residual = r;
  context->clock++;
  return status;
}

static rattle_status solve_from(void *self, double h, const double *z0, double *lambda, double *z1, rattle__rates *rates,
                                rattle_error *error) {
  nested *s = self;
  memcpy(s->lambda, lambda, (size_t)s->m * sizeof(double));
  rattle_status status = solve(s, h, z0, z1, rates, error);
  memcpy(lambda, s->lambda, (size_t)s->m * sizeof(double));
  return status;
}

static void first_guess(void *self, double h, const double *z0, double *lambda) {
  const nested *s = self;
  rattle__probe *probe = s->map.context->probe;
  rattle__probe_place(probe, z0, z0 + s->nz / 2);
  rattle__probe_step_guess(probe, h, lambda);
}

static rattle_status finished(rattle__map *map) {
  const nested *s = map->self;
  rattle__context *context = map->context;
  context->counts.position_projections++;
  if (s->largest > context->residuals.g) context->residuals.g = s->largest;
  if (s->residual > context->residuals.iteration_residual) context->residuals.iteration_residual = s->residual;
  return RATTLE_OK;
}

static rattle_status follow(rattle__map *map, double h, const double *z0, double *z1, rattle_error *error) {
  nested *s = map->self;
  s->following = 1;
  rattle_status status = rattle__follow(s->follower, h, z0, s->lambda, z1, error);
  s->following = 0;
  return status ? status : finished(map);
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1, rattle_error *error) {
  nested *s = map->self;
  rattle__rates rates;
  first_guess(s, h, z0, s->lambda);
  rattle_status status = solve(s, h, z0, z1, &rates, error);
  if (rattle__must_follow(status, &rates)) return follow(map, h, z0, z1, error);
  return status ? status : finished(map);
}

static void destroy(rattle__map *map) {
  nested *s = map->self;
  rattle__linear_destroy(&s->matrix);
  if (s->inner->destroy) s->inner->destroy(s->inner);
}

rattle_status rattle__nested_create(rattle__map **map, rattle__context *context, rattle__map *inner, rattle__fibre *fibre,
                                    rattle__method_id solver, double tol, rattle_error *error) {
  const rattle_problem *problem = context->problem;
  rattle__arena *arena = &context->arena;
  size_t m = (size_t)problem->m, nz = 2 * (size_t)problem->n;
  nested *s = rattle__arena_take(arena, sizeof *s);
  int *pattern = rattle__arena_take(arena, (m * m + m + 1) * sizeof *pattern);
  if (!s || !pattern) {
    if (inner->destroy) inner->destroy(inner);
    return rattle__no_memory(error);
  }
  *s =
      (nested){.inner = inner, .fibre = fibre, .nz = (int)nz, .m = (int)m, .frozen = solver != RATTLE__METHOD_newton, .tol = tol};
  s->map = (rattle__map){.context = context,
                         .apply = apply,
                         .follow = follow,
                         .destroy = destroy,
                         .symmetric = inner->symmetric,
                         .order = inner->order,
                         .self = s};
  *map = &s->map;
  if (m > MOST)
    return rattle__fail(error, RATTLE_UNSUITABLE, "shake",
                        "%d constraints are too many for this map inside shake or rattle (dense equations, at most %d): put the "
                        "composition outside, as in suzuki4(rattle(verlet))",
                        (int)m, MOST);
  size_t work = problem->g->work > problem->H->work ? problem->g->work : problem->H->work, hess = (size_t)problem->H->hess_nnz;
  double **vectors[] = {&s->lambda, &s->slide, &s->delta, &s->plus, &s->g, &s->J, &s->Z, &s->W, &s->work, &s->unit, &s->S};
  size_t sizes[] = {m, m, m, nz, m, (size_t)problem->g->jac_nnz, (size_t)fibre->nnz, m * nz, work, nz, hess};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) *vectors[i] = rattle__arena_doubles(arena, sizes[i]);
  s->compass = rattle__arena_doubles(arena, m);
  for (size_t i = 0; i < m && s->compass; i++) s->compass[i] = i % 2 ? -1 : 1;
  s->map.lambda = s->lambda;
  s->follower = rattle__follower_create(context, solve_from, first_guess, s);
  int *ptr = pattern, *col = pattern + m + 1;
  for (int i = 0; i <= s->m; i++) ptr[i] = i * s->m;
  for (int i = 0; i < s->m * s->m; i++) col[i] = i % s->m;
  if (arena->failed) return rattle__no_memory(error);
  context->solver = "dense";
  rattle_status status = rattle__context_probe(context, error);
  if (status) return status;
  return rattle__linear_create(&s->matrix, s->m, ptr, col, 0, RATTLE__LINEAR_DENSE, error);
}
