/* Steps of specialised partitioned additive Runge-Kutta methods for any H, by Newton's method for
 * all stages, nodes and multipliers together.
 *
 * Map      that of spark_stages.h; the last multiplier, which moves p1 alone along its fibre, is
 *          found after the other unknowns, which do not depend on it
 * Source   L. O. Jay, SIAM J. Numer. Anal. 45 (2007) 1814
 * Cost     per iteration a gradient of H for each stage and a Jacobian of g for each node; per
 *          matrix as many Hessians and the factors of a sparse system of all unknowns; then the
 *          slide of constraint/solve/momenta_fibre.c
 * Guard    maps/constrained/newton_frame.c for the multipliers of nodes before the last,
 *          constraint/solve/momenta_fibre.c for that one, maps/wrap/projected.c for the whole step
 * Fails    where the iteration does not converge: the step is too long, or the point degenerate */
#include "maps/constrained/spark_stages.h"

#include <math.h>
#include <string.h>

#include "constraint/step/sizes.h"
#include "ground/support/eliminate.h"
#include "maps/wrap/wrap.h"
#include "problem/functions/probe.h"

static double *jacobian_of(const rattle__spark_stages *k, int node) {
  return k->step.assembly->source + k->first_J +
         (size_t)node * (size_t)k->step.map.context->problem->g->jac_nnz;
}

/* C_k with a Jacobian, and the sizes of its terms */
static void take_force(rattle__spark_stages *k, int node, const double *J, const double *L) {
  const rattle__function *g = k->step.map.context->problem->g;
  double *C = k->force + node * k->n, *size = k->pulls + node * k->n;
  memset(C, 0, (size_t)k->n * sizeof *C);
  memset(size, 0, (size_t)k->n * sizeof *size);
  for (int i = 0; i < k->m; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) {
      const double term = J[e] * L[i];
      C[g->jac_col[e]] += term;
      size[g->jac_col[e]] += fabs(term);
    }
}

/* H_q and H_p at a stage */
static rattle_status slopes(rattle__spark_stages *k, int stage, rattle_error *error) {
  const rattle__function *H = k->step.map.context->problem->H;
  const int at = stage * 2 * k->n,
            answer = H->jacobian(H, k->Z + at, NULL, k->gradient + at, k->work);
  k->step.map.context->counts.gradient++;
  return rattle__answer(answer, "gradient", error);
}

/* g and its Jacobian at a node */
static rattle_status constraints(rattle__spark_stages *k, int node, rattle_error *error) {
  const rattle__function *g = k->step.map.context->problem->g;
  const int answer = g->jacobian(g, k->T + node * 2 * k->n, k->g, jacobian_of(k, node), k->work);
  k->step.map.context->counts.constraint++;
  k->step.map.context->counts.jacobian++;
  return rattle__answer(answer, "constraint", error);
}

/* Stages and nodes along H_p at z0 and the forces there, with multipliers of their own. */
static rattle_status predict(rattle__implicit *step, double h, const double *z0, double *base,
                             double *slope, rattle_error *error) {
  rattle__spark_stages *k = step->self;
  const rattle__spark_scheme *by = &k->by;
  const int n = k->n;
  (void)h;
  memcpy(k->Z, z0, 2 * (size_t)n * sizeof *z0);
  memcpy(k->T, z0, 2 * (size_t)n * sizeof *z0);
  rattle_status status = constraints(k, 0, error);
  if (!status) status = slopes(k, 0, error);
  for (int node = 0; node < by->blocks; node++)
    take_force(k, node, jacobian_of(k, 0), step->x + rattle__spark_L(k, node));
  for (int c = 0; c < n; c++) {
    const double v = k->gradient[n + c], force = k->gradient[c];
    for (int i = 0; i < by->stages; i++) {
      const int Q = rattle__spark_Q(k, i), P = rattle__spark_P(k, i);
      if (Q >= 0) base[Q + c] = z0[c], slope[Q + c] = by->c[i] * v;
      double sum = 0;
      for (int j = 0; j < by->stages; j++) sum -= by->ahat[i][j] * force;
      for (int node = 0; node < by->blocks; node++)
        sum -= by->push[i][node] * k->force[node * n + c];
      base[P + c] = z0[n + c], slope[P + c] = sum;
    }
    for (int node = 1; node <= by->blocks && by->apart; node++) {
      const int T = rattle__spark_T(k, node);
      base[T + c] = z0[c], slope[T + c] = by->time[node] * v;
    }
  }
  return status;
}

/* n equations of coordinates: rhs = start + h sum weight_j H_p(Z_j) - x */
static void rows_of_q(rattle__spark_stages *k, double h, const double *start, const double *weight,
                      int at) {
  const int n = k->n;
  double most = 0, unit = 0;
  for (int c = 0; c < n; c++) {
    double sum = 0, size = 0;
    for (int j = 0; j < k->by.stages; j++) {
      const double term = weight[j] * k->gradient[j * 2 * n + n + c];
      sum += term;
      size += fabs(term);
    }
    const double x = k->step.x[at + c], r = start[c] + h * sum - x;
    k->step.rhs[at + c] = r;
    if (rattle__is_apart(k->step.map.context->problem, c)) continue;
    if (!(fabs(r) <= most)) most = fabs(r);
    unit = fmax(unit, fabs(start[c]) + fabs(x) + fabs(h) * size);
  }
  rattle__look_at_block(&k->step, 0, most, unit);
}

/* sum weight_j H_q(Z_j) + sum push_k C_k, entry c, and the sum of the sizes of its terms */
static double force_of(const rattle__spark_stages *k, const double *weight, const double *push,
                       int c, double *size) {
  const int n = k->n;
  double sum = 0;
  *size = 0;
  for (int j = 0; j < k->by.stages; j++) {
    const double term = weight[j] * k->gradient[j * 2 * n + c];
    sum += term;
    *size += fabs(term);
  }
  for (int node = 0; node < k->by.blocks; node++) {
    sum += push[node] * k->force[node * n + c];
    *size += fabs(push[node]) * k->pulls[node * n + c];
  }
  return sum;
}

/* The equations of P_i. */
static void rows_of_p(rattle__spark_stages *k, double h, const double *z0, int i) {
  const int n = k->n, at = rattle__spark_P(k, i);
  double most = 0, unit = 0, size;
  for (int c = 0; c < n; c++) {
    const double force = force_of(k, k->by.ahat[i], k->by.push[i], c, &size), x = k->step.x[at + c],
                 r = z0[n + c] - h * force - x;
    k->step.rhs[at + c] = r;
    if (rattle__is_apart(k->step.map.context->problem, n + c)) continue;
    if (!(fabs(r) <= most)) most = fabs(r);
    unit = fmax(unit, fabs(z0[n + c]) + fabs(x) + fabs(h) * size);
  }
  rattle__look_at_block(&k->step, 1, most, unit);
}

/* g at a node, known since `constraints`, as rows */
static void rows_of_g(rattle__spark_stages *k, const double *z0, int node) {
  const rattle__function *g = k->step.map.context->problem->g;
  const double *T = k->T + node * 2 * k->n, *J = jacobian_of(k, node);
  double most[2];
  rattle__largest_of_kind(k->step.map.context->problem, T, most);
  for (int i = 0; i < k->m; i++) {
    const double r = k->g[i] - k->step.level[i];
    double unit = 0;
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) {
      const int c = g->jac_col[e];
      if (rattle__is_time(k->step.map.context->problem, c)) continue;
      unit += fabs(J[e]) * fmax(0.5 * (fabs(T[c]) + fabs(z0[c])), rattle__least_size(most[0]));
    }
    rattle__look_at_g(&k->step, i, r, unit);
    k->step.rhs[rattle__spark_L(k, node - 1) + i] = -r;
  }
}

/* Stages and nodes from the unknowns. */
static void place(rattle__spark_stages *k, const double *z0) {
  const size_t half = (size_t)k->n * sizeof *z0;
  const double *x = k->step.x;
  for (int j = 0; j < k->by.stages; j++) {
    const int Q = rattle__spark_Q(k, j);
    memcpy(k->Z + j * 2 * k->n, Q >= 0 ? x + Q : z0, half);
    memcpy(k->Z + j * 2 * k->n + k->n, x + rattle__spark_P(k, j), half);
  }
  for (int node = 1; node <= k->by.blocks; node++) {
    memcpy(k->T + node * 2 * k->n, x + rattle__spark_T(k, node), half);
    memcpy(k->T + node * 2 * k->n + k->n, z0 + k->n, half);
  }
}

static rattle_status residual(rattle__implicit *step, double h, const double *z0, double *z1,
                              rattle_error *error) {
  rattle__spark_stages *k = step->self;
  const rattle__spark_scheme *by = &k->by;
  const int n = k->n;
  rattle_status status = RATTLE_OK;
  place(k, z0);
  for (int j = 0; j < by->stages && !status; j++) status = slopes(k, j, error);
  for (int node = 0; node <= by->blocks && !status; node++) {
    if (node) status = constraints(k, node, error);
    if (node) rows_of_g(k, z0, node);
    if (node < by->blocks)
      take_force(k, node, jacobian_of(k, node), step->x + rattle__spark_L(k, node));
  }
  for (int i = 0; i < by->stages; i++) {
    const int Q = rattle__spark_Q(k, i);
    if (Q >= 0) rows_of_q(k, h, z0, by->a[i], Q);
    rows_of_p(k, h, z0, i);
  }
  for (int node = 1; node <= by->blocks && by->apart; node++)
    rows_of_q(k, h, z0, by->node[node], rattle__spark_T(k, node));
  for (int c = 0; c < n; c++) {
    double size;
    z1[c] = step->x[rattle__spark_T(k, by->blocks) + c];
    z1[n + c] = z0[n + c] - h * force_of(k, by->b, by->weight, c, &size);
  }
  memset(k->sigma, 0, (size_t)k->m * sizeof *k->sigma);
  for (int node = 0; node < by->blocks; node++)
    for (int i = 0; i < k->m; i++)
      k->sigma[i] += k->limit.ahead[node] * step->x[rattle__spark_L(k, node) + i];
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
  for (int j = 0; j < k->by.stages && !answer; j++) {
    answer = H->hessian(H, k->Z + j * 2 * k->n, NULL,
                        source + k->first_H + (size_t)j * (size_t)H->hess_nnz, k->work);
    step->map.context->counts.hessian++;
  }
  for (int node = 0; node < k->by.blocks && !answer; node++)
    answer = g->hessian(g, k->T + node * 2 * k->n, step->x + rattle__spark_L(k, node),
                        source + k->first_g + (size_t)node * (size_t)g->hess_nnz, k->work);
  return rattle__answer(answer, "Hessian", error);
}

/* L_k = lambda + off_k N^-1 psi/h, lambda being the multiplier of the differential equation */
static void guess(rattle__implicit *step, double h, double *L) {
  const rattle__spark_stages *k = step->self;
  rattle__probe *probe = step->map.context->probe;
  rattle__probe_step_guess(probe, h, k->sigma);
  rattle__probe_step_guess(probe, -h, k->g);
  for (int j = 0; j < k->by.blocks; j++)
    for (int i = 0; i < k->m; i++)
      L[j * k->m + i] = k->sigma[i] + k->g[i] + k->limit.off[j] * 0.5 * (k->sigma[i] - k->g[i]);
}

/* -h^2 matrix x N at the rows of g */
static int limit(rattle__implicit *step, double h, const double *v, double *rows) {
  rattle__spark_stages *k = step->self;
  for (int j = 0; j < k->by.blocks; j++) {
    if (!rattle__probe_times(step->map.context->probe, v + j * k->m, k->g)) return 0;
    for (int i = 0; i < k->by.blocks; i++)
      for (int c = 0; c < k->m; c++)
        rows[rattle__spark_L(k, i) + c] -= h * h * k->limit.matrix[i][j] * k->g[c];
  }
  return 1;
}

/* of -h^2 matrix, whose determinant without -h^2 is positive for both schemes */
static int sign(const rattle__implicit *step, double h, int *odd) {
  const rattle__spark_stages *k = (const rattle__spark_stages *)step->self;
  (void)h;
  *odd = k->by.blocks % 2;
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

void rattle__spark_limits(const rattle__spark_scheme *by, rattle__spark_limit *limit) {
  const int r = by->blocks;
  double A[RATTLE__STAGES * RATTLE__STAGES];
  for (int i = 0; i < r; i++) {
    for (int e = 0; e < r; e++) {
      double sum = 0;
      for (int j = 0; j < by->stages; j++) sum += by->node[i + 1][j] * by->push[j][e];
      A[i * r + e] = limit->matrix[i][e] = sum;
    }
    limit->off[i] = by->time[i + 1];
    limit->ahead[i] = by->weight[r];
    for (int j = 0; j < r; j++)
      if (j != i) limit->ahead[i] *= (1 - by->time[j]) / (by->time[i] - by->time[j]);
  }
  rattle__eliminate(r, 1, A, limit->off);
}

/* Rows of so many coordinates (0) or momenta (1) from `row` on, by the unknowns of stage j, with
 * coefficient w of h. */
static void add_stage(rattle__spark_stages *k, int row, int momenta, int j, double w) {
  const rattle__function *H = k->step.map.context->problem->H;
  const int n = k->n, Q = rattle__spark_Q(k, j);
  for (int c = 0; c < n && w != 0; c++) {
    const int r = momenta ? c : n + c;
    for (int e = H->hess_ptr[r]; e < H->hess_ptr[r + 1]; e++) {
      const int col = H->hess_col[e], at = col < n ? Q + col : rattle__spark_P(k, j) + col - n;
      if (col >= n || Q >= 0)
        rattle__assembly_add(k->step.assembly, row + c, at, k->first_H + j * H->hess_nnz + e, 0,
                             momenta ? w : -w);
    }
  }
}

/* Rows of momenta by a node and its multipliers. */
static void add_node(rattle__spark_stages *k, int row, int node, double w) {
  const rattle__function *g = k->step.map.context->problem->g;
  rattle__assembly *a = k->step.assembly;
  for (int c = 0; c < k->n && node && w != 0; c++)
    for (int e = g->hess_ptr[c]; e < g->hess_ptr[c + 1]; e++)
      rattle__assembly_add(a, row + c, rattle__spark_T(k, node) + g->hess_col[e],
                           k->first_g + node * g->hess_nnz + e, 0, w);
  for (int i = 0; i < k->m && w != 0; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
      rattle__assembly_add(a, row + g->jac_col[e], rattle__spark_L(k, node) + i,
                           k->first_J + node * g->jac_nnz + e, 0, w);
}

static void add_all(rattle__spark_stages *k) {
  const rattle__function *g = k->step.map.context->problem->g;
  const rattle__spark_scheme *by = &k->by;
  rattle__assembly *a = k->step.assembly;
  for (int i = 0; i < rattle__spark_body(k); i++) rattle__assembly_add(a, i, i, 0, 1, 0);
  for (int j = 0; j < by->stages; j++) {
    for (int i = 0; i < by->stages; i++) {
      const int Q = rattle__spark_Q(k, i);
      if (Q >= 0) add_stage(k, Q, 0, j, by->a[i][j]);
      add_stage(k, rattle__spark_P(k, i), 1, j, by->ahat[i][j]);
    }
    for (int node = 1; node <= by->blocks && by->apart; node++)
      add_stage(k, rattle__spark_T(k, node), 0, j, by->node[node][j]);
  }
  for (int i = 0; i < by->stages; i++)
    for (int node = 0; node < by->blocks; node++)
      add_node(k, rattle__spark_P(k, i), node, by->push[i][node]);
  for (int node = 1; node <= by->blocks; node++)
    for (int i = 0; i < k->m; i++)
      for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
        rattle__assembly_add(a, rattle__spark_L(k, node - 1) + i,
                             rattle__spark_T(k, node) + g->jac_col[e],
                             k->first_J + node * g->jac_nnz + e, 1, 0);
}

static rattle_status plan(rattle__spark_stages *k, rattle__context *context, rattle_error *error) {
  const rattle_problem *problem = context->problem;
  const rattle__function *H = problem->H, *g = problem->g;
  const size_t n = (size_t)k->n, m = (size_t)k->m, s = (size_t)k->by.stages;
  const int blocks = k->by.blocks;
  k->first_H = 1;
  k->first_g = k->first_H + k->by.stages * H->hess_nnz;
  k->first_J = k->first_g + blocks * g->hess_nnz;
  const rattle__array arrays[] = {{&k->Z, 2 * s * n},
                                  {&k->gradient, 2 * s * n},
                                  {&k->T, 2 * (size_t)(blocks + 1) * n},
                                  {&k->force, (size_t)blocks * n},
                                  {&k->pulls, (size_t)blocks * n},
                                  {&k->sigma, m},
                                  {&k->dz, context->asked.tangents ? 2 * n : 0},
                                  {&k->dF, context->asked.tangents ? n : 0},
                                  {&k->g, m},
                                  {&k->work, H->work > g->work ? H->work : g->work}};
  RATTLE__LAY_OUT(&context->arena, arrays);
  if (context->arena.failed) return rattle__no_memory(error);
  const int body = rattle__spark_body(k);
  rattle_status status = rattle__assembly_create(&k->step.assembly, body + blocks * k->m,
                                                 k->first_J + (blocks + 1) * g->jac_nnz, error);
  if (status) return status;
  k->step.map.context = context;
  add_all(k);
  return rattle__implicit_init(&k->step, context, &equations, body, blocks, error);
}

rattle_status rattle__spark_stages_create(rattle__map **map, rattle__context *context,
                                          const rattle__spark_scheme *scheme, rattle_error *error) {
  const rattle_problem *problem = context->problem;
  rattle__spark_stages *k = rattle__arena_take(&context->arena, sizeof *k);
  if (!k) return rattle__no_memory(error);
  *k = (rattle__spark_stages){.by = *scheme, .n = problem->n, .m = problem->m};
  rattle__spark_limits(scheme, &k->limit);
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

rattle_status rattle__spark_create(rattle__map **map, rattle__context *context,
                                   const rattle__spark_scheme *scheme, rattle_error *error) {
  rattle__map *inner = NULL;
  rattle__fibre *fibre = NULL;
  rattle_status status = rattle__spark_stages_create(&inner, context, scheme, error);
  if (status) return status;
  status = rattle__fibre_create(&fibre, context, error);
  if (!status)
    return rattle__projected_create(map, context, inner, fibre, RATTLE__PROJECT_STEP, error);
  inner->destroy(inner);
  return status;
}
