/* discrete_gradient: the method of Gonzalez, which keeps H, g and psi.
 *
 * Map      z1 = z0 + h J (DH + sum_i lambda_i Dg_i + sum_i mu_i Dpsi_i),  g(z1) = 0,  psi(z1) = 0
 * Symbols  J F' = X_F = (F_p, -F_q); D the discrete gradient between z0 and z1, with d = z1 - z0
 *          and their middle z: DF = F'(z) + W d (F(z1) - F(z0) - F'(z).d) / d.W d, so that DF.d =
 *          F(z1) - F(z0), W = 1 but for units far apart (discrete.h); lambda, mu = h nu multipliers
 *          [m]; lambda and nu are of one kind, and what the unknowns are, since both are compared
 * Source   O. Gonzalez, J. Nonlinear Sci. 6 (1996) 449 (D); Physica D 132 (1999) 165 (multipliers
 *          with discrete gradients of g)
 * Claims   order 2, symmetric, H, g and psi at round-off: the scalar product of the equation with J
 *          d leaves 0 = H1 - H0 + lambda.(g1 - g0) + mu.(psi1 - psi0). Not symplectic; depends on
 *          the units of q and p, by O(h^2)
 * Needs    any H, g(q,p) in involution; without constraints it is Gonzalez's method for H
 * Cost     per iteration 2 gradients and a Hessian of H, 2 Jacobians of g; per matrix, of which
 *          there are 2 a step, one more Hessian, that of lambda.g and the factors of a sparse
 *          system of 2n + 2m unknowns, and a matrix of rank one: the sum of w (F(z1) - F(z0) -
 *          F'(z).d)/d.W d moves with z1. The derivative of h mu.psi' alone is omitted, unless the
 *          guard follows the step, whose matrices take 2n more Hessians of H
 * Guard    maps/constrained/newton_frame.c for both multipliers, maps/wrap/projected.c for the
 *          whole step
 * Fails    if the iteration does not converge: the step is too long, or the point degenerate
 * Differs  from the source in mu and psi: with lambda alone p1 leaves psi = 0 by O(h^2), and a
 *          projection after the step would lower a natural H by psi^T R^-1 psi/2. mu is 0 for the
 *          exact motion, O(h^2) here */
#include <float.h>
#include <math.h>
#include <string.h>

#include "problem/functions/probe.h"
#include "problem/functions/split.h"
#include "maps/constrained/discrete.h"
#include "maps/constrained/rolling_gradient.h"
#include "maps/wrap/wrap.h"
#include "constraint/step/sizes.h"

/* --- equations -------------------------------------------------------------------------------- */

static rattle_status predict(rattle__implicit *step, double h, const double *z0, double *base,
                             double *slope, rattle_error *error) {
  rattle__discrete *k = step->self;
  const int n = k->n;
  (void)h;
  k->known = 0;
  rattle__chord_begin(&k->chord, z0);
  double *total = k->chord.total;
  rattle_status status = rattle__discrete_energy(k, z0, &k->H0, total, error);
  if (!status) status = rattle__discrete_constraint(k, z0, k->g0, k->J_node, error);
  if (status) return status;
  if (k->m) rattle__psi_values(k->rows, k->J_node, total, k->psi0, k->psi_size);
  const rattle__function *g = step->map.context->problem->g;
  for (int i = 0; i < k->m; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
      total[g->jac_col[e]] += step->x[2 * n + i] * k->J_node[e];
  memcpy(base, z0, 2 * (size_t)n * sizeof *base);
  for (int c = 0; c < n; c++) {
    slope[c] = total[n + c];
    slope[n + c] = -total[c];
  }
  return RATTLE_OK;
}

/* The two blocks of the motion; chord.terms become those of z1. */
static void motion_rows(rattle__discrete *k, double h, const double *z0) {
  const int n = k->n;
  const rattle_problem *problem = k->step.map.context->problem;
  const double *z1 = k->step.x, *total = k->chord.total;
  double *terms = k->chord.terms;
  for (int c = 0; c < n; c++) { /* to their conjugate places */
    const double of_q = fabs(h) * terms[n + c], of_p = fabs(h) * terms[c];
    terms[c] = of_q;
    terms[n + c] = of_p;
  }
  rattle__slope_round_off(problem, rattle__discrete_source(k, k->first_H), k->chord.z, h, terms);
  for (int part = 0; part < 2; part++) {
    double most = 0, unit = 0;
    for (int c = part * n; c < (part + 1) * n; c++) {
      const double r = z0[c] + h * (part ? -total[c - n] : total[n + c]) - z1[c];
      terms[c] += fabs(z0[c]) + fabs(z1[c]);
      k->step.rhs[c] = r;
      if (rattle__is_time(problem, c)) {
        terms[c] = 0;
        continue;
      }
      if (rattle__is_tally(problem, c)) {
        rattle__look_at_block(&k->step, part, fabs(r), terms[c]);
        continue;
      }
      if (!(fabs(r) <= most)) most = fabs(r);
      unit = fmax(unit, terms[c]);
    }
    rattle__look_at_block(&k->step, part, most, unit);
  }
}

/* g and psi at z1 */
static void constraint_rows(rattle__discrete *k) {
  const rattle__function *g = k->step.map.context->problem->g;
  const double *J = rattle__discrete_jacobian(k, 1),
               *derivative = rattle__discrete_psi_derivative(k, 1);
  const int n = k->n, m = k->m;
  double most[2];
  rattle__largest_of_kind(k->step.map.context->problem, k->step.x, most);
  for (int i = 0; i < m; i++) {
    const double r = k->g[i] - k->step.level[i];
    double unit = 0, own = k->psi_size[i];
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) {
      const int c = g->jac_col[e];
      if (rattle__is_time(k->step.map.context->problem, c)) continue;
      unit += fabs(J[e]) * fmax(0.5 * k->chord.terms[c], rattle__least_size(most[c >= n]));
    }
    rattle__look_at_g(&k->step, i, r, unit);
    k->step.rhs[2 * n + i] = -r;
    if (k->known)
      own += rattle__psi_of_rounding(k->rows, i, derivative, k->chord.terms, k->chord.terms + n);
    rattle__look_at_psi(&k->step, i, k->psi[i], own);
    k->step.rhs[2 * n + m + i] = -k->psi[i];
  }
}

static rattle_status residual(rattle__implicit *step, double h, const double *z0, double *z1,
                              rattle_error *error) {
  rattle__discrete *k = step->self;
  memcpy(z1, step->x, 2 * (size_t)k->n * sizeof *z1);
  rattle__chord_place(&k->chord, z0, z1);
  const rattle_status status = rattle__discrete_sum(k, z1, error);
  if (status) return status;
  motion_rows(k, h, z0);
  if (k->m) constraint_rows(k);
  return RATTLE_OK;
}

/* The derivative of the discrete gradients: F' = S + column tilt^T, since along = sum w R/e.d moves
 * with x. psi'' and the change of the metric are omitted. */
static void tilt(rattle__discrete *k, double h) {
  const rattle__function *H = k->step.map.context->problem->H, *g = k->step.map.context->problem->g;
  const double *lambda = k->step.x + 2 * k->n, *J = rattle__discrete_jacobian(k, 0),
               *J1 = rattle__discrete_jacobian(k, 1), *by = k->chord.e;
  double *slope = k->step.tilt, *size = k->chord.terms,
         inverse = k->chord.d2 > 0 ? 1 / k->chord.d2 : 0;
  for (int c = 0; c < 2 * k->n; c++) {
    rattle__discrete_source(k, k->first_along)[c] = k->chord.along * k->chord.weight[c];
    k->step.column[rattle__discrete_row(k, c)] = h * rattle__discrete_sign(k, c) * by[c];
    slope[c] = k->at_end[c] - k->at_middle[c] - 2 * k->along * by[c];
    size[c] = fabs(k->at_end[c]) + fabs(k->at_middle[c]);
  }
  for (int i = 0; i < k->m; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) {
      slope[g->jac_col[e]] += lambda[i] * (J1[e] - J[e]);
      size[g->jac_col[e]] += fabs(lambda[i]) * (fabs(J1[e]) + fabs(J[e]));
    }
  rattle__chord_take_bend(&k->chord, H, rattle__discrete_source(k, k->first_H), slope, size);
  if (k->m)
    rattle__chord_take_bend(&k->chord, g, rattle__discrete_source(k, k->first_g), slope, size);
  for (int c = 0; c < 2 * k->n; c++)
    slope[c] = fabs(slope[c]) > 64 * DBL_EPSILON * size[c] ? inverse * slope[c] : 0;
  for (int i = 0; i < k->m; i++) {
    slope[2 * k->n + i] = inverse * k->rest[i];
    slope[2 * k->n + k->m + i] = inverse * h * k->psi_rest[i];
    k->step.column[2 * k->n + i] = k->step.column[2 * k->n + k->m + i] = 0;
  }
}

static rattle_status derivatives(rattle__implicit *step, double h, const double *z0,
                                 rattle_error *error) {
  rattle__discrete *k = step->self;
  const rattle__function *H = step->map.context->problem->H, *g = step->map.context->problem->g;
  (void)z0;
  int answer = 0;
  if (k->m) {
    double *S =
        rattle__discrete_source(k, k->first_g + g->hess_nnz); /* scratch behind that of lambda.g */
    answer = g->hessian(g, k->chord.z, step->x + 2 * k->n, rattle__discrete_source(k, k->first_g),
                        k->work);
    if (!answer) answer = H->hessian(H, step->x, NULL, S, k->work);
    step->map.context->counts.hessian++;
    if (answer) return rattle__answer(answer, "Hessian", error);
    k->known = 1;
    const rattle_status status =
        rattle__psi_derivative(k->rows, step->x, rattle__discrete_jacobian(k, 1), k->at_end, S,
                               rattle__discrete_psi_derivative(k, 1), error);
    if (status) return status;
    const double *middle = rattle__discrete_psi_derivative(k, 0);
    double *column = rattle__discrete_psi_derivative(k, 2);
    for (int u = 0; u < k->rows->nnz; u++) column[u] = h * middle[u];
  }
  tilt(k, h);
  return RATTLE_OK;
}

/* lambda = N^-1 ({psi,H} + psi/h), nu = -N^-1 psi/2h */
static void guess(rattle__implicit *step, double h, double *both) {
  const rattle__discrete *k = step->self;
  rattle__probe_step_guess(step->map.context->probe, h, k->psi);
  rattle__probe_step_guess(step->map.context->probe, -h, k->g);
  for (int i = 0; i < k->m; i++) {
    both[i] = 1.5 * k->psi[i] + 0.5 * k->g[i];
    both[k->m + i] = -0.25 * (k->psi[i] - k->g[i]);
  }
}

/* -h N lambda at the rows of psi, h^2 N (nu - lambda/2) at those of g; at the rows of psi nu is of
 * higher order */
static int limit(rattle__implicit *step, double h, const double *v, double *rows) {
  const rattle__discrete *k = step->self;
  const int body = 2 * k->n, m = k->m;
  for (int block = 0; block < 2; block++) {
    if (!rattle__probe_times(step->map.context->probe, v + block * m, k->g)) return 0;
    for (int i = 0; i < m; i++) {
      rows[body + i] += (block ? h * h : -0.5 * h * h) * k->g[i];
      if (!block) rows[body + m + i] -= h * k->g[i];
    }
  }
  return 1;
}

/* of -1/2 h^2, h^2 | -h, 0 */
static int sign(const rattle__implicit *step, double h, int *odd) {
  (void)step;
  *odd = 0;
  return h < 0 ? -1 : 1;
}

static const rattle__equations equations = {.name = "discrete_gradient",
                                            .predict = predict,
                                            .residual = residual,
                                            .derivatives = derivatives,
                                            .complete = rattle__discrete_complete,
                                            .guess = guess,
                                            .limit = limit,
                                            .sign = sign,
                                            .frozen = 2,
                                            .hidden = 1,
                                            .tilted = 1,
                                            .polished = 1};

/* --- planning --------------------------------------------------------------------------------- */

static void add_second(rattle__discrete *k, const rattle__function *f, int first) {
  for (int r = 0; r < f->vars; r++)
    for (int e = f->hess_ptr[r]; e < f->hess_ptr[r + 1]; e++)
      rattle__assembly_add(k->step.assembly, rattle__discrete_row(k, r), f->hess_col[e], first + e,
                           0, 0.5 * rattle__discrete_sign(k, r));
}

/* Rows of g' or psi' in a pattern, as sources: the multipliers' columns from `column` on, the
 * constraints' rows from `row` on; both begin at `border` in the matrix. */
static void add_border(rattle__discrete *k, const int *ptr, const int *col, const int from[2],
                       int border) {
  for (int i = 0; i < k->m; i++)
    for (int e = ptr[i]; e < ptr[i + 1]; e++) {
      rattle__assembly_add(k->step.assembly, rattle__discrete_row(k, col[e]), border + i,
                           from[0] + e, 0, rattle__discrete_sign(k, col[e]));
      rattle__assembly_add(k->step.assembly, border + i, col[e], from[1] + e, 1, 0);
    }
}

static void add_all(rattle__discrete *k) {
  const rattle__function *H = k->step.map.context->problem->H, *g = k->step.map.context->problem->g;
  const int body = 2 * k->n;
  for (int c = 0; c < body; c++) {
    rattle__assembly_add(k->step.assembly, c, c, 0, 1, 0);
    if (c == k->chord.supplied) continue; /* e has no p_t, on which t would depend */
    rattle__assembly_add(k->step.assembly, rattle__discrete_row(k, c), c, k->first_along + c, 0,
                         rattle__discrete_sign(k, c));
  }
  add_second(k, H, k->first_H);
  if (!k->m) return;
  add_second(k, g, k->first_g);
  const int psi = k->first_psi, nnz = k->rows->nnz;
  add_border(k, g->jac_ptr, g->jac_col, (const int[]){k->first_J, k->first_J + g->jac_nnz}, body);
  add_border(k, k->rows->ptr, k->rows->col, (const int[]){psi + 2 * nnz, psi + nnz}, body + k->m);
}

static rattle_status plan(rattle__discrete *k, rattle__context *context, rattle_error *error) {
  const rattle_problem *problem = context->problem;
  const rattle__function *H = problem->H, *g = problem->g;
  const size_t nz = 2 * (size_t)k->n, m = (size_t)k->m,
               work = g && g->work > H->work ? g->work : H->work;
  k->step.map.context = context;
  const rattle__array arrays[] = {{&k->g0, m},         {&k->psi0, m},
                                  {&k->at_middle, nz}, {&k->at_end, nz},
                                  {&k->at_node, nz},   {&k->g, m},
                                  {&k->psi, m},        {&k->psi_size, m},
                                  {&k->work, work},    {&k->J_node, k->m ? (size_t)g->jac_nnz : 0},
                                  {&k->rest, m},       {&k->psi_rest, m},
                                  {&k->bend, nz},      {&k->weight, nz}};
  RATTLE__LAY_OUT(&context->arena, arrays);
  k->by_slopes = rattle__arena_take(&context->arena, m * sizeof *k->by_slopes);
  k->diagonal = rattle__chord_diagonal(H, k->n, &context->arena);
  if (rattle__chord_create(&k->chord, context)) return rattle__no_memory(error);
  rattle_status status = k->m ? rattle__psi_rows_create(&k->rows, context, error) : RATTLE_OK;
  if (status) return status;
  if (k->m) k->moved = rattle__arena_doubles(&context->arena, (size_t)k->rows->nnz);
  k->first_along = 1;
  k->first_H = 1 + 2 * k->n;
  k->first_g = k->first_H + H->hess_nnz;
  k->first_J = k->first_g +
               (k->m ? g->hess_nnz + H->hess_nnz : 0); /* room for H'' at the end between them */
  k->first_psi = k->first_J + (k->m ? 2 * g->jac_nnz : 0);
  status = rattle__assembly_create(&k->step.assembly, 2 * (k->n + k->m),
                                   k->first_psi + (k->m ? 3 * k->rows->nnz : 0), error);
  if (status) return status;
  add_all(k);
  status = rattle__implicit_init(&k->step, context, &equations, 2 * k->n, 2, error);
  for (size_t i = m; i < 2 * m && !status; i++) k->step.follower->compass[i] = 0;
  return status;
}

static rattle_status create(rattle__map **map, rattle__context *context, const rattle__node *node,
                            rattle_error *error) {
  const rattle_problem *problem = context->problem;
  if (problem->velocity) return rattle__rolling_gradient_create(map, context, error);
  rattle_status status =
      problem->split ? rattle__refuse_second_class(problem, node->row->name, error) : RATTLE_OK;
  rattle__discrete *k = rattle__arena_take(&context->arena, sizeof *k);
  if (status || !k) return status ? status : rattle__no_memory(error);
  *k = (rattle__discrete){.n = problem->n, .m = problem->m};
  k->step.self = k;
  status = plan(k, context, error);
  if (status) {
    rattle__assembly_destroy(&k->step.assembly);
    rattle__linear_destroy(&k->step.full);
    return status;
  }
  *map = &k->step.map;
  k->step.map.symmetric = 1;
  return k->m ? rattle__projected_create(map, context, *map, NULL, RATTLE__PROJECT_STEP, error)
              : RATTLE_OK;
}

const rattle__base rattle__discrete_gradient = {.create = create, .rolls = 1};
