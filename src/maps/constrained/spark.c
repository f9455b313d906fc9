/* spark(s): the Lobatto IIIA-IIIB pair with g = 0 at its stages.
 *
 * Map      Q_i = q0 + h sum_j a_ij H_p(Q_j,P_j),  P_i = p0 - h sum_j ahat_ij F_j,  F_j =
 *          H_q(Q_j,P_j) + G(Q_j)^T L_j,
 *          g(Q_i) = 0 for i = 2..s (Q_1 = q0, q1 = Q_s),  p1 = p0 - h sum_j b_j F_j with G(q1)
 *          H_p(q1,p1) = 0, which gives L_s
 * Symbols  L_i multipliers [m]; a IIIA, ahat IIIB, b, c as in map/lobatto.c; ahat_is = 0, so that
 *          L_s only moves p1
 * Source   L. Jay, SIAM J. Numer. Anal. 33 (1996) 368; Hairer, Lubich, Wanner, Geometric Numerical
 *          Integration (2006), VII.1.4
 * Claims   order 2s-2, symmetric, symplectic, g and psi at round-off; s = 2 is rattle(verlet)
 * Needs    g(q); without constraints it is the Lobatto pair itself
 * Cost     per iteration s gradients and Jacobians of g; per matrix s Hessians and the factors of a
 *          sparse system of (2s-1) n + (s-1) m unknowns; then the slide of
 *          constraint/solve/momenta_fibre.c for L_s
 * Guard    maps/constrained/newton_frame.c for L_1..L_{s-1}, constraint/solve/momenta_fibre.c for
 *          L_s, maps/wrap/projected.c for the whole step
 * Fails    where the iteration does not converge: the step is too long, or the point degenerate
 * Natural  problems take the shorter way of spark_natural.c, and this one where that is in doubt
 * Differs  nothing: L_s is found after the other unknowns, which do not depend on it */
#include <math.h>
#include <string.h>

#include "problem/functions/probe.h"
#include "maps/constrained/spark.h"
#include "maps/constrained/spark_stages.h"
#include "ground/support/eliminate.h"
#include "constraint/step/sizes.h"

static double *jacobian_of(const rattle__spark_stages *k, int j) {
  return k->step.assembly->source + k->first_J +
         (size_t)j * (size_t)k->step.map.context->problem->g->jac_nnz;
}

/* F_j += G^T L_j with that Jacobian, and the sizes of the terms */
static void add_force(rattle__spark_stages *k, int j, const double *J, const double *L) {
  const rattle__function *g = k->step.map.context->problem->g;
  double *F = k->F + j * k->n, *size = k->size + j * k->n;
  for (int i = 0; i < k->m; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) {
      const double term = J[e] * L[i];
      F[g->jac_col[e]] += term;
      size[g->jac_col[e]] += fabs(term);
    }
}

/* H_p and H_q at a stage, the latter into F */
static rattle_status slopes(rattle__spark_stages *k, int j, rattle_error *error) {
  const rattle__function *H = k->step.map.context->problem->H;
  double *gradient = k->gradient + j * 2 * k->n;
  const int answer = H->jacobian(H, k->Z + j * 2 * k->n, NULL, gradient, k->work);
  k->step.map.context->counts.gradient++;
  for (int c = 0; c < k->n; c++) {
    k->F[j * k->n + c] = gradient[c];
    k->size[j * k->n + c] = fabs(gradient[c]);
  }
  return rattle__answer(answer, "gradient", error);
}

/* g and its Jacobian at a stage */
static rattle_status constraints(rattle__spark_stages *k, int j, rattle_error *error) {
  const rattle__function *g = k->step.map.context->problem->g;
  const int answer = g->jacobian(g, k->Z + j * 2 * k->n, k->g, jacobian_of(k, j), k->work);
  k->step.map.context->counts.constraint++;
  k->step.map.context->counts.jacobian++;
  return rattle__answer(answer, "constraint", error);
}

/* Stages along H_p at z0 and F there, with multipliers of their own. */
static rattle_status predict(rattle__implicit *step, double h, const double *z0, double *base,
                             double *slope, rattle_error *error) {
  rattle__spark_stages *k = step->self;
  const int n = k->n;
  (void)h;
  memcpy(k->Z, z0, 2 * (size_t)n * sizeof *z0);
  rattle_status status = constraints(k, 0, error);
  if (!status) status = slopes(k, 0, error);
  for (int j = 1; j < k->s; j++) memcpy(k->F + j * n, k->F, (size_t)n * sizeof *k->F);
  for (int j = 0; j < k->s - 1; j++)
    add_force(k, j, jacobian_of(k, 0), step->x + rattle__spark_L(k, j));
  for (int i = 0; i < k->s; i++)
    for (int c = 0; c < n; c++) {
      if (i) base[rattle__spark_Q(k, i) + c] = z0[c];
      if (i) slope[rattle__spark_Q(k, i) + c] = k->c[i] * k->gradient[n + c];
      double sum = 0;
      for (int j = 0; j < k->s; j++) sum -= k->ahat[i][j] * k->F[j * n + c];
      base[rattle__spark_P(k, i) + c] = z0[n + c];
      slope[rattle__spark_P(k, i) + c] = sum;
    }
  return status;
}

/* n equations of a stage: rhs = start + h sum weight_j slope_j - x, with slope_j at from + j
 * stride, signed */
static void stage_rows(rattle__spark_stages *k, double h, const double *start, const double *weight,
                       int momenta, int at) {
  const int n = k->n;
  double most = 0, unit = 0;
  for (int c = 0; c < n; c++) {
    double sum = 0, size = 0;
    for (int j = 0; j < k->s; j++) {
      const double slope = momenta ? -k->F[j * n + c] : k->gradient[j * 2 * n + n + c];
      sum += weight[j] * slope;
      size += fabs(weight[j]) * (momenta ? k->size[j * n + c] : fabs(slope));
    }
    const double x = k->step.x[at + c], r = start[c] + h * sum - x;
    k->step.rhs[at + c] = r;
    if (rattle__is_apart(k->step.map.context->problem, momenta ? n + c : c)) continue;
    if (!(fabs(r) <= most)) most = fabs(r);
    unit = fmax(unit, fabs(start[c]) + fabs(x) + fabs(h) * size);
  }
  rattle__look_at_block(&k->step, momenta, most, unit);
}

/* g at stage j, known since `constraints`, as rows */
static void constraint_rows(rattle__spark_stages *k, const double *z0, int j) {
  const rattle__function *g = k->step.map.context->problem->g;
  const double *Q = k->Z + j * 2 * k->n, *J = jacobian_of(k, j);
  double most[2];
  rattle__largest_of_kind(k->step.map.context->problem, Q, most);
  for (int i = 0; i < k->m; i++) {
    const double r = k->g[i] - k->step.level[i];
    double unit = 0;
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) {
      const int c = g->jac_col[e];
      if (rattle__is_time(k->step.map.context->problem, c)) continue;
      unit += fabs(J[e]) * fmax(0.5 * (fabs(Q[c]) + fabs(z0[c])), rattle__least_size(most[0]));
    }
    rattle__look_at_g(&k->step, i, r, unit);
    k->step.rhs[rattle__spark_L(k, j - 1) + i] = -r;
  }
}

static rattle_status residual(rattle__implicit *step, double h, const double *z0, double *z1,
                              rattle_error *error) {
  rattle__spark_stages *k = step->self;
  const int n = k->n, s = k->s;
  const size_t half = (size_t)n * sizeof *z0;
  rattle_status status = RATTLE_OK;
  for (int j = 0; j < s && !status; j++) {
    memcpy(k->Z + j * 2 * n, j ? step->x + rattle__spark_Q(k, j) : z0, half);
    memcpy(k->Z + j * 2 * n + n, step->x + rattle__spark_P(k, j), half);
    status = slopes(k, j, error);
    if (j && !status) status = constraints(k, j, error);
    if (j < s - 1) add_force(k, j, jacobian_of(k, j), step->x + rattle__spark_L(k, j));
    if (j) constraint_rows(k, z0, j);
  }
  for (int i = 0; i < s; i++) {
    if (i) stage_rows(k, h, z0, k->a[i], 0, rattle__spark_Q(k, i));
    stage_rows(k, h, z0 + n, k->ahat[i], 1, rattle__spark_P(k, i));
  }
  memcpy(z1, step->x + rattle__spark_Q(k, s - 1), half);
  for (int c = 0; c < n; c++) {
    double sum = 0;
    for (int j = 0; j < s; j++) sum += k->b[j] * k->F[j * n + c];
    z1[n + c] = z0[n + c] - h * sum;
  }
  memset(k->sigma, 0, (size_t)k->m * sizeof *k->sigma);
  for (int j = 0; j < s - 1; j++)
    for (int i = 0; i < k->m; i++) k->sigma[i] += k->ahead[j] * step->x[rattle__spark_L(k, j) + i];
  return status;
}

static rattle_status derivatives(rattle__implicit *step, double h, const double *z0,
                                 rattle_error *error) {
  rattle__spark_stages *k = step->self;
  const rattle__function *H = step->map.context->problem->H, *g = step->map.context->problem->g;
  double *source = step->assembly->source;
  int answer = 0;
  (void)h;
  (void)z0;
  for (int j = 0; j < k->s && !answer; j++) {
    const double *z = k->Z + j * 2 * k->n;
    answer = H->hessian(H, z, NULL, source + k->first_H + (size_t)j * (size_t)H->hess_nnz, k->work);
    step->map.context->counts.hessian++;
    if (j < k->s - 1 && !answer)
      answer = g->hessian(g, z, step->x + rattle__spark_L(k, j),
                          source + k->first_g + (size_t)j * (size_t)g->hess_nnz, k->work);
  }
  return rattle__answer(answer, "Hessian", error);
}

/* L_j = lambda + off_j N^-1 psi/h, lambda being the multiplier of the differential equation */
static void guess(rattle__implicit *step, double h, double *L) {
  const rattle__spark_stages *k = step->self;
  rattle__probe *probe = step->map.context->probe;
  rattle__probe_step_guess(probe, h, k->sigma);
  rattle__probe_step_guess(probe, -h, k->g);
  for (int j = 0; j < k->s - 1; j++)
    for (int i = 0; i < k->m; i++)
      L[j * k->m + i] = k->sigma[i] + k->g[i] + k->off[j] * 0.5 * (k->sigma[i] - k->g[i]);
}

/* -h^2 (a ahat) x N at the rows of g */
static int limit(rattle__implicit *step, double h, const double *v, double *rows) {
  rattle__spark_stages *k = step->self;
  for (int j = 0; j < k->s - 1; j++) {
    if (!rattle__probe_times(step->map.context->probe, v + j * k->m, k->g)) return 0;
    for (int i = 0; i < k->s - 1; i++)
      for (int c = 0; c < k->m; c++)
        rows[rattle__spark_L(k, i) + c] -= h * h * k->limit[i][j] * k->g[c];
  }
  return 1;
}

/* of -h^2 (a ahat), whose determinant without -h^2 is positive */
static int sign(const rattle__implicit *step, double h, int *odd) {
  const rattle__spark_stages *k = step->self;
  (void)h;
  *odd = (k->s - 1) % 2;
  return *odd ? -1 : 1;
}

static const rattle__equations equations = {.name = "spark",
                                            .predict = predict,
                                            .residual = residual,
                                            .derivatives = derivatives,
                                            .guess = guess,
                                            .limit = limit,
                                            .sign = sign,
                                            .frozen = 1};

/* --- planning --------------------------------------------------------------------------------- */

/* limit, off and ahead, from the pair */
static void extrapolation(rattle__spark_stages *k) {
  const int r = k->s - 1;
  double A[RATTLE__STAGES * RATTLE__STAGES];
  for (int i = 0; i < r; i++) {
    for (int e = 0; e < r; e++) {
      double sum = 0;
      for (int j = 0; j < k->s; j++) sum += k->a[i + 1][j] * k->ahat[j][e];
      A[i * r + e] = k->limit[i][e] = sum;
    }
    k->off[i] = k->c[i + 1];
    k->ahead[i] = k->b[r];
    for (int j = 0; j < r; j++)
      if (j != i) k->ahead[i] *= (1 - k->c[j]) / (k->c[i] - k->c[j]);
  }
  rattle__eliminate(r, 1, A, k->off);
}

/* Rows of stage i in component `part` (0: Q, 1: P) by the unknowns of stage j, with coefficient w
 * of h. */
static void add_block(rattle__spark_stages *k, int row, int part, int j, double w) {
  const rattle__function *H = k->step.map.context->problem->H, *g = k->step.map.context->problem->g;
  rattle__assembly *a = k->step.assembly;
  const int n = k->n;
  for (int c = 0; c < n; c++) {
    const int r = part ? c : n + c;
    for (int e = H->hess_ptr[r]; e < H->hess_ptr[r + 1]; e++) {
      const int col = H->hess_col[e],
                at = col < n ? rattle__spark_Q(k, j) + col : rattle__spark_P(k, j) + col - n;
      if (col >= n || j)
        rattle__assembly_add(a, row + c, at, k->first_H + j * H->hess_nnz + e, 0, part ? w : -w);
    }
    for (int e = g->hess_ptr[c]; e < g->hess_ptr[c + 1] && part && j && j < k->s - 1; e++)
      rattle__assembly_add(a, row + c, rattle__spark_Q(k, j) + g->hess_col[e],
                           k->first_g + j * g->hess_nnz + e, 0, w);
  }
  for (int i = 0; i < k->m && part && j < k->s - 1; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
      rattle__assembly_add(a, row + g->jac_col[e], rattle__spark_L(k, j) + i,
                           k->first_J + j * g->jac_nnz + e, 0, w);
}

static void add_all(rattle__spark_stages *k) {
  const rattle__function *g = k->step.map.context->problem->g;
  rattle__assembly *a = k->step.assembly;
  for (int i = 0; i < (2 * k->s - 1) * k->n; i++) rattle__assembly_add(a, i, i, 0, 1, 0);
  for (int i = 0; i < k->s; i++)
    for (int j = 0; j < k->s; j++) {
      if (i) add_block(k, rattle__spark_Q(k, i), 0, j, k->a[i][j]);
      if (k->ahat[i][j] != 0) add_block(k, rattle__spark_P(k, i), 1, j, k->ahat[i][j]);
    }
  for (int j = 1; j < k->s; j++)
    for (int i = 0; i < k->m; i++)
      for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
        rattle__assembly_add(a, rattle__spark_L(k, j - 1) + i,
                             rattle__spark_Q(k, j) + g->jac_col[e], k->first_J + j * g->jac_nnz + e,
                             1, 0);
}

static rattle_status plan(rattle__spark_stages *k, rattle__context *context, rattle_error *error) {
  const rattle_problem *problem = context->problem;
  const rattle__function *H = problem->H, *g = problem->g;
  const size_t n = (size_t)k->n, m = (size_t)k->m, s = (size_t)k->s;
  const int body = (2 * k->s - 1) * k->n, blocks = k->s - 1;
  k->first_H = 1;
  k->first_g = k->first_H + k->s * H->hess_nnz;
  k->first_J = k->first_g + blocks * g->hess_nnz;
  const rattle__array arrays[] = {{&k->Z, 2 * s * n},
                                  {&k->gradient, 2 * s * n},
                                  {&k->F, s * n},
                                  {&k->size, s * n},
                                  {&k->sigma, m},
                                  {&k->dz, context->asked.tangents ? 2 * n : 0},
                                  {&k->dF, context->asked.tangents ? n : 0},
                                  {&k->g, m},
                                  {&k->work, H->work > g->work ? H->work : g->work}};
  RATTLE__LAY_OUT(&context->arena, arrays);
  if (context->arena.failed) return rattle__no_memory(error);
  rattle_status status = rattle__assembly_create(&k->step.assembly, body + blocks * k->m,
                                                 k->first_J + k->s * g->jac_nnz, error);
  if (status) return status;
  k->step.map.context = context;
  add_all(k);
  return rattle__implicit_init(&k->step, context, &equations, body, blocks, error);
}

/* Without constraints: the pair as a Runge-Kutta map. */
static rattle_status create_free(rattle__map **map, rattle__context *context, int stages,
                                 rattle_error *error) {
  rattle__tableau t = {.stages = stages, .symmetric = 1};
  double c[RATTLE__STAGES];
  rattle__lobatto_coefficients(stages, c, t.b, t.a, t.ahat);
  return rattle__prk_create(map, context, &t, NULL, &rattle__automatic, error);
}

rattle_status rattle__spark_stages_create(rattle__map **map, rattle__context *context, int stages,
                                          rattle_error *error) {
  const rattle_problem *problem = context->problem;
  rattle__spark_stages *k = rattle__arena_take(&context->arena, sizeof *k);
  if (!k) return rattle__no_memory(error);
  *k = (rattle__spark_stages){.s = stages, .n = problem->n, .m = problem->m};
  rattle__lobatto_coefficients(k->s, k->c, k->b, k->a, k->ahat);
  extrapolation(k);
  const rattle_status status = plan(k, context, error);
  k->step.self = k;
  k->step.map.lambda = k->sigma;
  k->step.map.symmetric = 1;
  k->step.map.tangent = context->asked.tangents ? rattle__spark_tangent : NULL;
  if (status)
    rattle__assembly_destroy(&k->step.assembly);
  else
    *map = &k->step.map;
  return status;
}

rattle_status rattle__spark_create(rattle__map **map, rattle__context *context, int stages,
                                   rattle_error *error) {
  rattle__map *inner = NULL;
  rattle__fibre *fibre = NULL;
  rattle_status status = rattle__spark_stages_create(&inner, context, stages, error);
  if (status) return status;
  status = rattle__fibre_create(&fibre, context, error);
  if (!status)
    return rattle__projected_create(map, context, inner, fibre, RATTLE__PROJECT_STEP, error);
  inner->destroy(inner);
  return status;
}

static rattle_status create(rattle__map **map, rattle__context *context, const rattle__node *node,
                            rattle_error *error) {
  const rattle_problem *problem = context->problem;
  const int stages = (int)node->argument[0].number;
  if (!problem->m) return create_free(map, context, stages, error);
  rattle_status status = rattle__needs_holonomic(problem, node, error);
  if (!status) status = rattle__spark_create(map, context, stages, error);
  if (status || !(problem->flags & RATTLE_NATURAL)) return status;
  return rattle__spark_natural_create(map, context, stages, *map, error);
}

static rattle_status before_slide(rattle__map **map, rattle__context *context,
                                  const rattle__node *node, rattle_error *error) {
  const rattle_status status = rattle__needs_holonomic(context->problem, node, error);
  return status ? status
                : rattle__spark_stages_create(map, context, (int)node->argument[0].number, error);
}

static int order(const rattle__node *node) {
  return 2 * (int)node->argument[0].number - 2;
}

const rattle__base rattle__spark = {.create = create, .before_slide = before_slide, .order = order};
