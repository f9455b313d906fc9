/* shake(inner) for any inner map: Newton for lambda around the whole inner map.
 *
 * Map      z1 = phi_h(exp(h sum lambda_i X_{g_i}) z0),  g(z1) = 0
 * Matrix   M_ij = g_i'(z1) Dphi_h h dz+/dlambda_j, dense [m x m]; kept while each iteration gains a
 *          factor of ten
 * Cost     per iteration one application of the inner map; per matrix m tangents
 * Fails    where M is singular or the iteration does not converge */
#include <float.h>
#include <math.h>
#include <string.h>

#include "problem/functions/probe.h"
#include "constraint/guard/follow.h"
#include "ground/linear/linear.h"
#include "constraint/equation/unit.h"
#include "constraint/step/impulse.h"
#include "maps/wrap/wrap.h"
#include "constraint/step/sizes.h"

enum { MOST = 2000 };

static const char equations[] = "the equations for the multipliers";

typedef struct around {
  rattle__map map;
  rattle__map *inner;
  rattle__fibre *fibre;
  int nz, m, frozen, fresh;
  double *lambda, *first, *slide, *delta, *plus, *g, *J, *Z, *W, *work;
  double *slope, *S;        /* round-off of slopes [2n]; H'' */
  double *size;             /* units of g [m] */
  double tol, h;            /* the current step ... */
  const double *z0;         /* ... from here ... */
  double *z1;               /* ... to here */
  double largest, residual; /* |g| and the residual at which the iteration ended */
  int side;                 /* of the matrix last taken, by its parts */
  rattle__linear *matrix;
  rattle__unit *unit;
  rattle__follower *follower;
} around;

/* The parts of the matrix at hand, as the inner map leaves them apart, against their limit for
 * h -> 0; 0: not known. */
static int side_of_matrix(const around *s) {
  rattle__probe *probe = s->map.context->probe;
  rattle__linear_part_by_values(s->matrix, 1);
  rattle__probe_join_parts(probe, s->matrix, 0);
  return rattle__probe_side(probe, s->z0, s->z0 + s->nz / 2, s->matrix, 0);
}

/* The Jacobian of g(z1) by lambda. */
static rattle_status refresh(around *s, rattle_error *error) {
  const rattle__function *g = s->map.context->problem->g;
  rattle_status status = s->fibre->derivative(s->fibre, s->Z, error);
  if (status) return status;
  memset(s->W, 0, (size_t)s->m * (size_t)s->nz * sizeof(double));
  for (int j = 0; j < s->m; j++)
    for (int k = s->fibre->ptr[j]; k < s->fibre->ptr[j + 1]; k++)
      s->W[(size_t)j * (size_t)s->nz + (size_t)s->fibre->col[k]] = s->h * s->Z[k];
  status = s->inner->tangent(s->inner, s->h, s->m, s->W, error);
  if (status) return status;
  for (int i = 0; i < s->m; i++)
    for (int j = 0; j < s->m; j++) {
      double sum = 0;
      for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++)
        sum += s->J[k] * s->W[(size_t)j * (size_t)s->nz + (size_t)g->jac_col[k]];
      s->matrix->value[i * s->m + j] = sum;
    }
  s->map.context->counts.factorisation++;
  status = s->matrix->factor(s->matrix);
  if (status)
    return rattle__not_factored(status, s->map.context->problem, equations, s->matrix->blame,
                                error);
  s->side = side_of_matrix(s);
  return RATTLE_OK;
}

/* The largest residual in units of round-off. */
static void measure(const around *s, rattle__course *c) {
  c->residual = c->largest = 0;
  for (int i = 0; i < s->m; i++) {
    const double x = fabs(s->g[i]);
    if (!(x / s->size[i] <= c->residual)) {
      c->residual = x / s->size[i];
      c->worst = i;
    }
    if (!(x <= c->largest)) c->largest = x;
  }
}

/* z1, g and g' there */
static rattle_status evaluate(void *self, rattle__course *c, rattle_error *error) {
  around *s = self;
  rattle__context *context = s->map.context;
  const rattle__function *g = context->problem->g;
  for (int i = 0; i < s->m; i++) s->slide[i] = s->h * s->lambda[i];
  rattle_status status = s->fibre->slide(s->fibre, s->slide, s->plus, error);
  if (!status) status = s->inner->apply(s->inner, s->h, s->plus, s->z1, error);
  if (status) return status;
  int answer = g->jacobian(g, s->z1, s->g, s->J, s->work);
  context->counts.constraint++;
  context->counts.jacobian++;
  double most[2];
  rattle__largest_of_kind(context->problem, s->z1, most);
  for (int i = 0; i < s->m; i++) {
    s->g[i] -= s->follower->level[i];
    double size = DBL_MIN;
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++) {
      const int e = g->jac_col[k];
      if (rattle__is_time(context->problem, e)) continue;
      const double own = 0.5 * (fabs(s->z1[e]) + fabs(s->plus[e])) + s->slope[e];
      size += DBL_EPSILON * fabs(s->J[k]) * fmax(own, rattle__least_size(most[e >= s->nz / 2]));
    }
    s->size[i] = c->full_units ? fmax(s->size[i], size) : size;
  }
  measure(s, c);
  return rattle__answer(answer, "constraint", error);
}

static rattle_status begin(void *self, rattle_error *error) {
  around *s = self;
  (void)error;
  s->fresh = 1;
  memcpy(s->lambda, s->first, (size_t)s->m * sizeof(double));
  return RATTLE_OK;
}

static rattle_status use_full_units(void *self, int on, rattle_error *error) {
  around *s = self;
  if (!on)
    memset(s->size, 0, (size_t)s->m * sizeof *s->size); /* the next evaluation measures again */
  if (!on) return RATTLE_OK;
  rattle_status status = rattle__unit_of_step(s->unit, s->h, s->z0, s->plus, s->z1, error);
  if (!status) status = rattle__unit_of_g(s->unit, s->z1, s->size, error);
  return status;
}

static rattle_status correct(void *self, rattle__course *c, rattle_error *error) {
  around *s = self;
  if (s->fresh) {
    rattle_status status = refresh(s, error);
    if (status) return status;
    c->sign = s->side;
    if (c->k == 0) c->doubtful |= rattle__jacobian_far_from_limit(s->follower, s->h, s->z0);
  }
  memcpy(s->delta, s->g, (size_t)s->m * sizeof(double));
  s->matrix->solve(s->matrix, s->delta);
  s->map.context->counts.newton_iterations++;
  for (int j = 0; j < s->m; j++) s->lambda[j] -= s->delta[j];
  s->fresh = !s->frozen || rattle__gains_little(c);
  return RATTLE_OK;
}

/* Round-off of h X_H where g holds momenta, at the start of the inner map; 0 else. */
static rattle_status measure_slopes(around *s, rattle_error *error) {
  const rattle_problem *problem = s->map.context->problem;
  const rattle__function *H = problem->H;
  memset(s->slope, 0, (size_t)s->nz * sizeof(double));
  if (problem->flags & RATTLE_HOLONOMIC) return RATTLE_OK;
  int answer = H->hessian(H, s->z0, NULL, s->S, s->work);
  s->map.context->counts.hessian++;
  if (answer) return rattle__callback_error(answer, "Hessian", error);
  rattle__slope_round_off(problem, s->S, s->z0, s->h, s->slope);
  return RATTLE_OK;
}

/* lambda from the one in s->lambda, by Newton */
static rattle_status solve(void *self, double h, const double *z0, double *z1, rattle__course *c,
                           rattle_error *error) {
  static const rattle__equation equation = {begin, evaluate, use_full_units, correct};
  around *s = self;
  s->h = h;
  s->z0 = z0;
  s->z1 = z1;
  s->side = 0;
  memcpy(s->first, s->lambda, (size_t)s->m * sizeof(double));
  rattle_status status = s->fibre->start(s->fibre, z0, error);
  if (!status) status = measure_slopes(s, error);
  if (!status) status = rattle__iterate(&equation, s, s->map.context, s->tol, c, error);
  s->largest = c->largest;
  s->residual = c->residual;
  const double *points[] = {z1, z0};
  return c->gave_up ? rattle__not_converged(s->map.context->problem, equations, c, points, 2, error)
                    : status;
}

/* The Jacobian for the multipliers is -h^2 N for h -> 0. */
static int from_limit(void *self, double h, const double *v, double *x) {
  around *s = self;
  if (!rattle__probe_times(s->map.context->probe, v, x)) return 0;
  for (int i = 0; i < s->m; i++) x[i] *= -h * h;
  rattle__linear_solve_well(s->matrix, x);
  return 1;
}

/* The side of the matrix at the end; where N is not available, the sign of its determinant. */
static rattle_status side(void *self, int *sign) {
  around *s = self;
  const rattle_status status = refresh(s, NULL);
  *sign = status ? 0 : s->side ? s->side : rattle__linear_sign(s->matrix);
  return status == RATTLE_NO_MEMORY ? status : RATTLE_OK;
}

static rattle_status finished(rattle__map *map) {
  const around *s = map->self;
  rattle__context *context = map->context;
  context->counts.position_projections++;
  if (s->largest > context->residuals.g) context->residuals.g = s->largest;
  if (s->residual > context->residuals.iteration_residual)
    context->residuals.iteration_residual = s->residual;
  return RATTLE_OK;
}

static rattle_status make(rattle__map *map, double h, const double *z0, double *z1, int insist,
                          rattle_error *error) {
  around *s = map->self;
  rattle_status status = rattle__guarded_step(s->follower, h, z0, z1, insist, error);
  if (!status) rattle__record_slide(map->context, z0, s->plus);
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
  around *s = map->self;
  rattle__linear_destroy(&s->matrix);
  if (s->inner->destroy) s->inner->destroy(s->inner);
}

/* Before memory is taken for an equation of every pair of constraints. */
static rattle_status suits(const rattle_problem *problem, rattle_error *error) {
  if (problem->m > MOST)
    return rattle__fail(error, RATTLE_UNSUITABLE, "shake",
                        "this map inside shake or rattle uses dense equations and supports at most "
                        "%d constraints, not %d: put "
                        "the composition outside, as in suzuki4(rattle(verlet))",
                        MOST, problem->m);
  return rattle__needs_hessian(problem, "this wrapper of this map", error);
}

rattle_status rattle__newton_around_create(rattle__map **map, rattle__context *context,
                                           rattle__map *inner, rattle__fibre *fibre,
                                           const rattle__solving *solving, rattle_error *error) {
  static const rattle__tracked_equation sought = {
      .solve = solve, .side = side, .from_limit = from_limit, .probed = 1};
  const rattle_problem *problem = context->problem;
  rattle__arena *arena = &context->arena;
  size_t m = (size_t)problem->m, nz = 2 * (size_t)problem->n;
  rattle_status refused = suits(problem, error);
  around *s = refused ? NULL : rattle__arena_take(arena, sizeof *s);
  int *pattern = s ? rattle__arena_take(arena, (m * m + m + 1) * sizeof *pattern) : NULL;
  if (!refused && !pattern) refused = rattle__no_memory(error);
  if (refused) {
    if (inner->destroy) inner->destroy(inner);
    *map = NULL;
    return refused;
  }
  *s = (around){.inner = inner,
                .fibre = fibre,
                .nz = (int)nz,
                .m = (int)m,
                .frozen = solving->solver->renewal != RATTLE__EACH_ITERATION,
                .tol = solving->tol};
  s->map = (rattle__map){.context = context,
                         .apply = apply,
                         .follow = follow,
                         .destroy = destroy,
                         .records = 1,
                         .symmetric = inner->symmetric,
                         .self = s};
  *map = &s->map;
  size_t work = problem->g->work > problem->H->work ? problem->g->work : problem->H->work,
         hess = (size_t)problem->H->hess_nnz;
  const rattle__array arrays[] = {{&s->lambda, m},
                                  {&s->first, m},
                                  {&s->slide, m},
                                  {&s->delta, m},
                                  {&s->plus, nz},
                                  {&s->g, m},
                                  {&s->J, (size_t)problem->g->jac_nnz},
                                  {&s->Z, (size_t)fibre->nnz},
                                  {&s->W, m * nz},
                                  {&s->work, work},
                                  {&s->slope, nz},
                                  {&s->S, hess},
                                  {&s->size, m}};
  RATTLE__LAY_OUT(arena, arrays);
  s->unit = rattle__unit_create(context);
  s->map.lambda = s->lambda;
  s->follower = rattle__follower_create(context, &sought, s->m, s->lambda, s);
  int *ptr = pattern, *col = pattern + m + 1;
  for (int i = 0; i <= s->m; i++) ptr[i] = i * s->m;
  for (int i = 0; i < s->m * s->m; i++) col[i] = i % s->m;
  if (arena->failed) return rattle__no_memory(error);
  context->solver = "dense";
  rattle_status status = rattle__context_probe(context, error);
  if (status) return status;
  status = rattle__linear_create(&s->matrix, s->m, ptr, col, 0, RATTLE__LINEAR_DENSE, error);
  return status ? status : rattle__linear_watch_parts(s->matrix, error);
}
