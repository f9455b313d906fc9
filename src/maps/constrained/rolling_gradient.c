/* discrete_gradient under constraints on velocities: keeps H, g and A v = b.
 *
 * Map      z1 = z0 + h J (DH + sum_i lambda_i c_i + sum_i mu_i Dpsi_i), c the discrete gradients of
 *          g and the rows (A(z), 0) at the middle z, with g(z1) = 0, A(z) (q1 - q0) = 0 and psi(z1)
 *          = 0, psi = C H_p, C = [g_q; A]
 * Symbols  as in discrete_gradient.c; mu = h nu
 * Claims   order 2, symmetric; H, g and psi at round-off: the scalar product of the equation with J
 *          d leaves 0 = H1 - H0 + lambda.(c d) + mu.(psi1 - psi0), and c d = 0 is g1 = g0 and A(z)
 *          (q1 - q0) = 0. With b the time is a coordinate, and the balance H + p_t is kept. Not
 *          symplectic, as the motion itself is not
 * Idea     The midpoint rule with A(z) (q1 - q0) = 0 alone keeps H, but A v = b in the middle only;
 *          mu.psi moves z1 by what is missing, O(h^3), without work
 * Depends  on how rows are combined by functions of q by O(h^5) a step: through mu.psi
 * Needs    any H, g(q)
 * Cost     per iteration 2 gradients and a Hessian of H, rows at 2 points; per matrix, one a step
 *          mostly, one more Hessian, rows at n velocities and dense factors of 2n + 2m unknowns
 * Guard    as maps/velocity/rolling.c: a step is followed from h = 0 where residuals fell slowly,
 *          the determinant of the matrix has another sign than for short steps, (h^3)^m det N^2, or
 *          the rows at its ends differ much; it is refused where det N has another sign at its end
 * Fails    if the iteration does not converge: the step is too long, or N is singular */
#include "maps/constrained/rolling_gradient.h"

#include <math.h>
#include <string.h>

#include "ground/support/error.h"

/* ---- the equation for iterate.h ---- */

static rattle_status begin(void *self, rattle_error *error) {
  rattle__rolling_gradient *k = self;
  const double *slope = k->sloped ? k->kept : k->slope;
  (void)error;
  for (int c = 0; c < 2 * k->n; c++) k->x[c] = k->h * slope[c];
  memcpy(k->x + 2 * k->n, k->first, 2 * (size_t)k->m * sizeof *k->x);
  k->factored = 0;
  return RATTLE_OK;
}

static rattle_status look(void *self, rattle__course *c, rattle_error *error) {
  rattle__rolling_gradient *k = self;
  const rattle_status status = rattle__rolling_gradient_look(k, error);
  c->residual = c->largest = 0;
  for (int i = 0; i < k->size; i++) {
    const double ratio = fabs(k->rhs[i]) / k->size_of[i];
    if (ratio <= c->residual) continue;
    c->residual = ratio;
    c->worst = i < 2 * k->n ? -1 : (i - 2 * k->n) % k->m;
  }
  for (int i = 0; i < k->held; i++) c->largest = fmax(c->largest, fabs(k->rhs[2 * k->n + i]));
  return status;
}

static rattle_status raise(void *self, int on, rattle_error *error) {
  return rattle__rolling_gradient_raise(self, on, error);
}

/* The sign of the determinant, relative to that for short steps. */
static int side(const rattle__rolling_gradient *k) {
  return rattle__linear_sign(k->matrix) * (k->h < 0 && k->m % 2 ? -1 : 1);
}

static void take_correction(rattle__rolling_gradient *k) {
  k->matrix->solve(k->matrix, k->rhs);
  for (int i = 0; i < k->size; i++) k->x[i] += k->rhs[i];
}

/* The matrix is kept while it gains a factor of ten. */
static rattle_status correct(void *self, rattle__course *c, rattle_error *error) {
  rattle__rolling_gradient *k = self;
  if (!k->factored || rattle__gains_little(c)) {
    const rattle_status status = rattle__rolling_gradient_factor(k, error);
    if (status) return status;
    k->factored = 1;
    c->sign = side(k);
  }
  k->map.context->counts.newton_iterations++;
  take_correction(k);
  return RATTLE_OK;
}

/* z1, C there, and the multipliers, from `first`. The last correction comes after the last
 * evaluation: a residual below one unit is not random, and what it does to H adds up. */
static rattle_status solve(rattle__rolling_gradient *k, double h, rattle__course *c,
                           rattle_error *error) {
  static const rattle__equation equation = {begin, look, raise, correct};
  const rattle_problem *problem = k->map.context->problem;
  k->h = h;
  memset(k->least, 0, (size_t)k->size * sizeof *k->least);
  const rattle_status status = rattle__iterate(&equation, k, k->map.context, 0, c, error);
  const double *points[] = {k->z1, k->z0};
  k->largest = c->largest;
  k->residual = c->residual;
  if (c->gave_up)
    return rattle__not_converged(problem, "the equations of the step", c, points, 2, error);
  if (status) return status;
  if (k->factored) take_correction(k);
  for (int i = 0; i < 2 * k->n; i++) k->z1[i] = k->z0[i] + k->x[i];
  return rattle__reaction_look(k->end, k->z1, error);
}

/* ---- a step that is followed ---- */

static void predict(rattle__rolling_gradient *k, const rattle__rolling_part *at) {
  for (int i = 0; i < 2 * k->m; i++)
    k->first[i] = k->limit[i] / (at->part * at->h) + k->multipliers[i] +
                  at->slope * (k->multipliers[i] - k->before[i]);
  for (int i = 0; i < k->held; i++) k->level[i] = (1 - at->part * at->part) * k->start->g[i];
}

static void take(rattle__rolling_gradient *k, const rattle__rolling_part *at) {
  const double part = at->part * at->h, *found = k->x + 2 * k->n;
  for (int c = 0; c < 2 * k->n; c++) k->kept[c] = k->x[c] / part;
  k->sloped = 1;
  memcpy(k->before, k->multipliers, 2 * (size_t)k->m * sizeof *k->before);
  for (int i = 0; i < 2 * k->m; i++) k->multipliers[i] = found[i] - k->limit[i] / part;
  if (at->from == 0) memcpy(k->before, k->multipliers, 2 * (size_t)k->m * sizeof *k->before);
}

static rattle_status try_part(rattle__rolling_gradient *k, const rattle__rolling_part *at,
                              int *reached, rattle_error *error) {
  rattle__course c = {.must_be_near = 1};
  *reached = 0;
  predict(k, at);
  rattle_status status = solve(k, at->part * at->h, &c, error);
  if (!status) status = rattle__rolling_gradient_factor(k, error);
  if (status || !rattle__rolling_came_near(&c, side(k))) return status;
  if (rattle__rows_turned(at->from > 0 ? k->last : k->start, k->end, k->E)) return status;
  status = rattle__reaction_factor(k->end, k->z1, "the equations of the step", error);
  if (status) return status;
  take(k, at);
  rattle__reaction *other = k->last;
  k->last = k->end;
  k->end = other;
  *reached = 1;
  return RATTLE_OK;
}

/* Once a part was refused its matrices have all terms. */
static rattle_status reach(void *self, const rattle__rolling_part *at, int *reached,
                           rattle_error *error) {
  rattle__rolling_gradient *k = self;
  const rattle_status status = try_part(k, at, reached, error);
  if (!*reached) k->careful = 1;
  return status;
}

static rattle_status follow(rattle__rolling_gradient *k, rattle_error *error) {
  memcpy(k->before, k->multipliers, 2 * (size_t)k->m * sizeof *k->before);
  memcpy(k->slope, k->kept, 2 * (size_t)k->n * sizeof *k->slope);
  const rattle_status status =
      rattle__rolling_walk(k->map.context, reach, k, k->whole, k->z0, k->z1, error);
  k->careful = k->sloped = 0;
  memset(k->level, 0, (size_t)k->m * sizeof *k->level);
  if (status) return status;
  return rattle__reaction_look(k->end, k->z1, error); /* that of z1 has become `last` */
}

/* ---- the step ---- */

/* The slope of z by the gradient of H, with the first multipliers along the rows of `at`. */
static void slope_of(rattle__rolling_gradient *k, const double *gradient,
                     const rattle__reaction *at) {
  const int n = k->n;
  for (int c = 0; c < n; c++) {
    k->slope[c] = gradient[n + c];
    k->slope[n + c] = -gradient[c];
    for (int i = 0; i < k->m; i++) k->slope[n + c] -= k->first[i] * at->C[i * n + c];
  }
}

/* Multipliers for short steps, lambda = N^-1 psi/h + the multiplier of the point, nu = -N^-1 psi/2h
 * at z0, and the slope in the middle of the step. */
static rattle_status depart(rattle__rolling_gradient *k, rattle_error *error) {
  rattle__reaction *at = k->start;
  const int m = k->m;
  const rattle_problem *problem = k->map.context->problem;
  rattle_status status = rattle__reaction_multipliers(at, k->z0, error);
  k->map.context->counts.factorisation++;
  if (status) return status;
  memcpy(k->limit, at->psi, (size_t)m * sizeof *k->limit);
  rattle__reaction_solve(at, k->limit);
  rattle__reaction_multiply(at, k->limit);
  for (int i = 0; i < m; i++) {
    k->limit[m + i] = -0.5 * k->limit[i];
    k->multipliers[i] = at->lambda[i];
    k->multipliers[m + i] = 0;
  }
  for (int i = 0; i < 2 * m; i++) k->first[i] = k->limit[i] / k->whole + k->multipliers[i];
  status = rattle__answer(problem->H->jacobian(problem->H, k->z0, &k->H0, k->at_end, k->work),
                          "gradient", error);
  slope_of(k, k->at_end, at);
  memcpy(k->kept, k->slope, 2 * (size_t)k->n * sizeof *k->kept);
  for (int c = 0; c < 2 * k->n; c++) k->chord.z[c] = k->z0[c] + 0.5 * k->whole * k->slope[c];
  if (status) return status;
  k->map.context->counts.gradient += 2;
  if (problem->H->jacobian(problem->H, k->chord.z, NULL, k->at_middle, k->work) ||
      rattle__reaction_rows(k->middle, k->chord.z, NULL))
    return RATTLE_OK; /* what is wrong there is said where the iteration comes to it */
  slope_of(k, k->at_middle, k->middle);
  return RATTLE_OK;
}

/* Rounding q1 leaves psi as large as coordinates far from 0 are rounded; p follows. H changes by
 * psi.N^-1 psi/2 alone, the square of that. */
static rattle_status land(rattle__rolling_gradient *k, rattle_error *error) {
  rattle__reaction *at = k->end;
  double *sigma = k->E;
  rattle_status status = rattle__reaction_factor(at, k->z1, "the equations of the step", error);
  if (status) return status;
  memcpy(sigma, at->psi, (size_t)k->m * sizeof *sigma);
  rattle__reaction_solve(at, sigma);
  rattle__reaction_push(at, sigma, k->z1 + k->n);
  status = rattle__reaction_psi(at, k->z1, error);
  k->largest_psi = 0;
  for (int i = 0; i < k->m; i++) k->largest_psi = fmax(k->largest_psi, fabs(at->psi[i]));
  return status;
}

static void finish(const rattle__rolling_gradient *k) {
  rattle_residuals *seen = &k->map.context->residuals;
  k->map.context->counts.position_projections++;
  k->map.context->counts.momentum_projections++;
  seen->g = fmax(seen->g, k->largest);
  seen->psi = fmax(seen->psi, k->largest_psi);
  seen->iteration_residual = fmax(seen->iteration_residual, k->residual);
}

static rattle_status make(rattle__map *map, double h, const double *z0, double *z1, int insist,
                          rattle_error *error) {
  rattle__rolling_gradient *k = map->self;
  rattle__course c = {0};
  k->whole = h;
  k->z0 = z0;
  rattle__chord_begin(&k->chord, z0);
  k->z1 = z1;
  rattle_status status = depart(k, error);
  if (status) return status;
  const int negative = rattle__reaction_negative(k->start);
  if (!insist) status = solve(k, h, &c, error);
  if (insist || rattle__must_follow(status, &c) ||
      (!status && rattle__rows_turned(k->start, k->end, k->E)))
    status = follow(k, error);
  if (!status) status = land(k, error);
  if (status) return status;
  if (rattle__reaction_negative(k->end) != negative)
    return rattle__rows_crossed(map->context->problem, error);
  finish(k);
  return RATTLE_OK;
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1,
                           rattle_error *error) {
  return make(map, h, z0, z1, 0, error);
}

static rattle_status apply_followed(rattle__map *map, double h, const double *z0, double *z1,
                                    rattle_error *error) {
  return make(map, h, z0, z1, 1, error);
}

static void destroy(rattle__map *map) {
  rattle__rolling_gradient *k = map->self;
  rattle__reaction **all[] = {&k->start, &k->last, &k->middle, &k->moved, &k->end};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) rattle__reaction_destroy(all[i]);
  rattle__linear_destroy(&k->matrix);
}

/* ---- making ---- */

static size_t larger(size_t a, const rattle__function *f) {
  return f && f->work > a ? f->work : a;
}

static rattle_status lay_out(rattle__rolling_gradient *k, rattle_error *error) {
  const rattle_problem *problem = k->map.context->problem;
  const rattle__function *H = problem->H, *g = problem->g, *e = problem->velocity;
  rattle__arena *arena = &k->map.context->arena;
  const size_t n = (size_t)k->n, nz = 2 * n, m = (size_t)k->m, rows = m - (size_t)k->held,
               all = (size_t)k->size;
  const rattle__array array[] = {{&k->x, all},
                                 {&k->rhs, all},
                                 {&k->size_of, all},
                                 {&k->least, all},
                                 {&k->first, 2 * m},
                                 {&k->slope, nz},
                                 {&k->kept, nz},
                                 {&k->limit, 2 * m},
                                 {&k->multipliers, 2 * m},
                                 {&k->before, 2 * m},
                                 {&k->level, m},
                                 {&k->at_middle, nz},
                                 {&k->at_end, nz},
                                 {&k->at_node, nz},
                                 {&k->S, (size_t)H->hess_nnz},
                                 {&k->S_end, (size_t)H->hess_nnz},
                                 {&k->S_g, g ? (size_t)g->hess_nnz : 0},
                                 {&k->S_mu, g ? (size_t)g->hess_nnz : 0},
                                 {&k->K, n * n},
                                 {&k->way, rows},
                                 {&k->way_by_q, rows * n},
                                 {&k->by_q, rows * n},
                                 {&k->psi_middle, m * nz},
                                 {&k->psi_end, m * nz},
                                 {&k->rest, m},
                                 {&k->psi_rest, m},
                                 {&k->J_node, g ? (size_t)g->jac_nnz : 0},
                                 {&k->g_node, m},
                                 {&k->tilt, all},
                                 {&k->E, m * m},
                                 {&k->work, larger(larger(larger(0, H), g), e)}};
  RATTLE__LAY_OUT(arena, array);
  k->by_slopes = rattle__arena_take(arena, m * sizeof *k->by_slopes);
  k->pulls = rattle__arena_take(arena, n);
  k->diagonal = rattle__chord_diagonal(H, k->n, arena);
  k->unit = rattle__unit_create(k->map.context);
  int *ptr = rattle__arena_take(arena, (all * all + all + 1) * sizeof *ptr);
  if (rattle__chord_create(&k->chord, k->map.context) || !ptr || arena->failed)
    return rattle__no_memory(error);
  for (int i = 0; i < e->jac_nnz; i++)
    if (e->jac_col[i] >= k->n) k->pulls[e->jac_col[i] - k->n] = 1;
  for (int i = 0; i <= k->size; i++) ptr[i] = i * k->size;
  for (int i = 0; i < k->size * k->size; i++) ptr[k->size + 1 + i] = i % k->size;
  return rattle__linear_create(&k->matrix, k->size, ptr, ptr + k->size + 1, 0, RATTLE__LINEAR_DENSE,
                               error);
}

rattle_status rattle__rolling_gradient_create(rattle__map **map, rattle__context *context,
                                              rattle_error *error) {
  const rattle_problem *problem = context->problem;
  rattle_status status = rattle__needs_hessian(problem, "an implicit method", error);
  rattle__rolling_gradient *k = rattle__arena_take(&context->arena, sizeof *k);
  if (status || !k) return status ? status : rattle__no_memory(error);
  *k = (rattle__rolling_gradient){
      .n = problem->n, .m = rattle_problem_m(problem), .held = problem->m};
  k->size = 2 * (k->n + k->m);
  k->map = (rattle__map){.context = context,
                         .apply = apply,
                         .follow = apply_followed,
                         .destroy = destroy,
                         .symmetric = 1,
                         .self = k};
  *map = &k->map;
  rattle__reaction **all[] = {&k->start, &k->last, &k->middle, &k->moved, &k->end};
  for (size_t i = 0; i < sizeof all / sizeof *all && !status; i++)
    status = rattle__reaction_create(all[i], problem, &context->arena, error);
  context->solver = "dense";
  return status ? status : lay_out(k, error);
}
