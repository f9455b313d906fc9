/* discrete_gradient: the method of Gonzalez, which keeps H, g and psi.
 *
 * Map      z1 = z0 + h J (DH + sum_i lambda_i Dg_i + sum_i mu_i Dpsi_i),  g(z1) = 0,  psi(z1) = 0
 * Symbols  J F' = X_F = (F_p, -F_q); D the discrete gradient between z0 and z1, with d = z1 - z0 and their middle z:
 *          DF = F'(z) + d (F(z1) - F(z0) - F'(z).d) / |d|^2, so that DF.d = F(z1) - F(z0); lambda, mu multipliers [m]
 * Source   O. Gonzalez, J. Nonlinear Sci. 6 (1996) 449 (D); Physica D 132 (1999) 165 (multipliers with discrete gradients of g)
 * Claims   order 2, symmetric, H, g and psi at round-off: the scalar product of the equation with J d leaves
 *          0 = H1 - H0 + lambda.(g1 - g0) + mu.(psi1 - psi0). Not symplectic; depends on the units of q and p, by O(h^2)
 * Needs    any H, g(q,p) in involution; without constraints it is Gonzalez's method for H
 * Cost     per iteration 2 gradients and a Hessian of H, 2 Jacobians of g; per matrix, of which there are 2 a step, one more
 *          Hessian, that of lambda.g and the factors of a sparse system of 2n + 2m unknowns, with a matrix of rank one beside it:
 *          the sum of w (F(z1) - F(z0) - F'(z).d)/|d|^2 moves with z1. Of all derivatives but h mu.psi''/2 is left out
 * Guard    wrap/implicit.c for both multipliers, wrap/projected.c for the whole step
 * Fails    where the iteration does not converge: the step is too long, so that h mu.psi'' is not small, or the point degenerate
 * Differs  from the source in mu and psi: with lambda alone p1 leaves psi = 0 by O(h^2), and a projection after the step would
 *          lower a natural H by psi^T R^-1 psi/2. mu is 0 for the exact motion, O(h^2) here */
#include <string.h>

#include "core/probe.h"
#include "wrap/chord.h"
#include "wrap/implicit.h"
#include "wrap/psi_rows.h"
#include "wrap/wrap.h"

typedef struct discrete {
  rattle__implicit step;
  int n, m;
  rattle__psi_rows *rows;
  rattle__chord chord;
  double H0;                            /* H(z0) */
  double *g0, *psi0;                    /* at z0 [m] */
  double *at_middle, *at_end, *at_node; /* gradients of H [2n] */
  double *g, *psi, *psi_size, *work;    /* [m], [m], [m] */
  double *J_node;                       /* g' [jac_nnz] */
  double *rest, *psi_rest, *by_slopes;  /* what F'(z).d misses, for each constraint [m] */
  double along;                         /* chord.along without psi */
  int first_along, first_H, first_g;    /* sources: chord.along; H'' and (lambda.g)'' at the middle */
  int first_J, first_psi;               /* g' and psi' at the middle and at the end */
  int known;                            /* 1: psi' at the end is that of this step */
} discrete;

static double *source(const discrete *k, int first) {
  return k->step.assembly->source + first;
}
static double *jacobian_of(const discrete *k, int end) {
  return source(k, k->first_J) + (k->m ? end * k->step.map.context->problem->g->jac_nnz : 0);
}
static double *psi_derivative_of(const discrete *k, int end) {
  return source(k, k->first_psi) + (k->m ? end * k->rows->nnz : 0);
}

/* Row of F_c in the motion: J exchanges the halves. */
static int row_for(const discrete *k, int c) {
  return c < k->n ? k->n + c : c - k->n;
}
static double sign_for(const discrete *k, int c) {
  return c < k->n ? 1 : -1;
}

static rattle_status answer_of(int answer, const char *what, rattle_error *error) {
  return answer ? rattle__callback_error(answer, what, error) : RATTLE_OK;
}

static rattle_status energy_at(discrete *k, const double *z, double *H, double *gradient, rattle_error *error) {
  const rattle__function *f = k->step.map.context->problem->H;
  k->step.map.context->counts.gradient++;
  return answer_of(f->jacobian(f, z, H, gradient, k->work), "gradient", error);
}

static rattle_status constraint_at(discrete *k, const double *z, double *g, double *J, rattle_error *error) {
  const rattle__function *f = k->step.map.context->problem->g;
  if (!k->m) return RATTLE_OK;
  k->step.map.context->counts.constraint++;
  k->step.map.context->counts.jacobian++;
  return answer_of(f->jacobian(f, z, g, J, k->work), "constraint", error);
}

/* --- discrete gradients ------------------------------------------------------------------------------------------------------
 */

static rattle_status add_energy(discrete *k, double H1, rattle_error *error) {
  const rattle__row row = {.slope = k->at_middle, .count = 2 * k->n, .F0 = k->H0, .F1 = H1};
  double unit = 0, rest = 0, by_slopes = 0;
  rattle_status status = RATTLE_OK;
  if (!k->step.map.context->problem->H->quadratic) {
    rest = rattle__chord_rest(&k->chord, &row, &unit);
    if (!rattle__chord_clear(rest, unit)) {
      for (int side = -1; side <= 1 && !status; side += 2) {
        status = energy_at(k, rattle__chord_node(&k->chord, side), NULL, k->at_node, error);
        by_slopes += rattle__chord_bend(&k->chord, &row, k->at_node);
      }
      rest = rattle__chord_better(rest, by_slopes, &unit);
    }
  }
  rattle__chord_add(&k->chord, &row, 1, rest, unit);
  return status;
}

static rattle__row row_of(const discrete *k, int i) {
  const rattle__function *g = k->step.map.context->problem->g;
  const int from = g->jac_ptr[i];
  return (rattle__row){.slope = jacobian_of(k, 0) + from,
                       .col = g->jac_col + from,
                       .count = g->jac_ptr[i + 1] - from,
                       .F0 = k->g0[i],
                       .F1 = k->g[i]};
}

/* by_slopes [m] of all constraints */
static rattle_status rests_by_slopes(discrete *k, rattle_error *error) {
  const int *ptr = k->step.map.context->problem->g->jac_ptr;
  rattle_status status = RATTLE_OK;
  memset(k->by_slopes, 0, (size_t)k->m * sizeof *k->by_slopes);
  for (int side = -1; side <= 1 && !status; side += 2) {
    status = constraint_at(k, rattle__chord_node(&k->chord, side), k->psi_size, k->J_node, error);
    for (int i = 0; i < k->m; i++) {
      const rattle__row row = row_of(k, i);
      k->by_slopes[i] += rattle__chord_bend(&k->chord, &row, k->J_node + ptr[i]);
    }
  }
  return status;
}

static rattle_status add_constraints(discrete *k, rattle_error *error) {
  const rattle__function *g = k->step.map.context->problem->g;
  const double *lambda = k->step.x + 2 * k->n;
  const int quadratic = g && g->quadratic;
  int slopes_known = 0;
  rattle_status status = RATTLE_OK;
  for (int i = 0; i < k->m && !status; i++) {
    const rattle__row row = row_of(k, i);
    double unit = 0, rest = quadratic ? 0 : rattle__chord_rest(&k->chord, &row, &unit);
    if (!quadratic && !rattle__chord_clear(rest, unit)) {
      if (!slopes_known) status = rests_by_slopes(k, error);
      slopes_known = 1;
      rest = rattle__chord_better(rest, k->by_slopes[i], &unit);
    }
    k->rest[i] = rest;
    rattle__chord_add(&k->chord, &row, lambda[i], rest, unit);
  }
  return status;
}

/* mu is small: where the rest of psi is not clear it does not matter. */
static void add_hidden(discrete *k) {
  const double *mu = k->step.x + 2 * k->n + k->m;
  for (int i = 0; i < k->m; i++) {
    const int from = k->rows->ptr[i];
    const rattle__row row = {.slope = psi_derivative_of(k, 0) + from,
                             .col = k->rows->col + from,
                             .count = k->rows->ptr[i + 1] - from,
                             .F0 = k->psi0[i],
                             .F1 = k->psi[i]};
    double unit, rest = rattle__chord_rest(&k->chord, &row, &unit);
    if (!rattle__chord_clear(rest, unit)) rest = unit = 0;
    k->psi_rest[i] = rest;
    rattle__chord_add(&k->chord, &row, mu[i], rest, unit);
  }
}

/* --- equations ---------------------------------------------------------------------------------------------------------------
 */

static rattle_status predict(rattle__implicit *step, double h, const double *z0, double *base, double *slope,
                             rattle_error *error) {
  discrete *k = step->self;
  const int n = k->n;
  (void)h;
  k->known = 0;
  double *total = k->chord.total;
  rattle_status status = energy_at(k, z0, &k->H0, total, error);
  if (!status) status = constraint_at(k, z0, k->g0, k->J_node, error);
  if (status) return status;
  if (k->m) rattle__psi_values(k->rows, k->J_node, total, k->psi0, k->psi_size);
  const rattle__function *g = step->map.context->problem->g;
  for (int i = 0; i < k->m; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) total[g->jac_col[e]] += step->x[2 * n + i] * k->J_node[e];
  memcpy(base, z0, 2 * (size_t)n * sizeof *base);
  for (int c = 0; c < n; c++) {
    slope[c] = total[n + c];
    slope[n + c] = -total[c];
  }
  return RATTLE_OK;
}

/* The two blocks of the motion; chord.terms become those of z1. */
static void motion_rows(discrete *k, double h, const double *z0) {
  const int n = k->n;
  const double *z1 = k->step.x, *total = k->chord.total;
  double *terms = k->chord.terms;
  for (int c = 0; c < n; c++) { /* to their conjugate places */
    const double of_q = fabs(h) * terms[n + c], of_p = fabs(h) * terms[c];
    terms[c] = of_q;
    terms[n + c] = of_p;
  }
  rattle__slope_round_off(k->step.map.context->problem, source(k, k->first_H), k->chord.z, h, terms);
  for (int part = 0; part < 2; part++) {
    double most = 0, unit = 0;
    for (int c = part * n; c < (part + 1) * n; c++) {
      const double r = z0[c] + h * (part ? -total[c - n] : total[n + c]) - z1[c];
      terms[c] += fabs(z0[c]) + fabs(z1[c]);
      k->step.rhs[c] = r;
      if (!(fabs(r) <= most)) most = fabs(r);
      unit = fmax(unit, terms[c]);
    }
    rattle__look_at_block(&k->step.look, most, unit);
  }
}

/* g and psi at z1 */
static void constraint_rows(discrete *k) {
  const rattle__function *g = k->step.map.context->problem->g;
  const double *J = jacobian_of(k, 1), *derivative = psi_derivative_of(k, 1);
  const int n = k->n, m = k->m;
  double most[2];
  rattle__largest_of_kind(n, k->step.x, most);
  for (int i = 0; i < m; i++) {
    const double r = k->g[i] - k->step.level[i];
    double unit = 0, own = k->psi_size[i];
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) {
      const int c = g->jac_col[e];
      unit += fabs(J[e]) * fmax(0.5 * k->chord.terms[c], RATTLE__CANCELLED * most[c >= n]);
    }
    rattle__look_at_constraint(&k->step.look, i, r, DBL_EPSILON * unit);
    k->step.look.largest_g = fmax(k->step.look.largest_g, fabs(r));
    k->step.rhs[2 * n + i] = -r;
    /* what round-off of z1 makes of psi counts too: its own terms may be small together */
    for (int u = k->rows->ptr[i]; u < k->rows->ptr[i + 1] && k->known; u++)
      own += fabs(derivative[u]) * k->chord.terms[k->rows->col[u]];
    rattle__look_at_constraint(&k->step.look, i, k->psi[i], DBL_EPSILON * own);
    k->step.look.psi = fmax(k->step.look.psi, fabs(k->psi[i]));
    k->step.rhs[2 * n + m + i] = -k->psi[i];
  }
}

/* H, g and psi at both ends and the sum of their discrete gradients */
static rattle_status sum_up(discrete *k, const double *z1, rattle_error *error) {
  const rattle__function *H = k->step.map.context->problem->H;
  const double *z = k->chord.z;
  double H1 = 0;
  rattle_status status = energy_at(k, z1, &H1, k->at_end, error);
  if (!status) status = energy_at(k, z, NULL, k->at_middle, error);
  if (!status) status = answer_of(H->hessian(H, z, NULL, source(k, k->first_H), k->work), "Hessian", error);
  k->step.map.context->counts.hessian++;
  if (!status) status = constraint_at(k, z, k->g, jacobian_of(k, 0), error);
  if (!status) status = constraint_at(k, z1, k->g, jacobian_of(k, 1), error);
  if (!status) status = add_energy(k, H1, error);
  if (!status) status = add_constraints(k, error);
  k->along = k->chord.along;
  if (status || !k->m) return status;
  rattle__psi_values(k->rows, jacobian_of(k, 1), k->at_end, k->psi, k->psi_size);
  status =
      rattle__psi_derivative(k->rows, z, jacobian_of(k, 0), k->at_middle, source(k, k->first_H), psi_derivative_of(k, 0), error);
  if (!status) add_hidden(k);
  return status;
}

static rattle_status residual(rattle__implicit *step, double h, const double *z0, double *z1, rattle_error *error) {
  discrete *k = step->self;
  memcpy(z1, step->x, 2 * (size_t)k->n * sizeof *z1);
  rattle__chord_place(&k->chord, z0, z1);
  const rattle_status status = sum_up(k, z1, error);
  if (status) return status;
  motion_rows(k, h, z0);
  if (k->m) constraint_rows(k);
  return RATTLE_OK;
}

/* target -= S d/2, S [hess_nnz] second derivatives of f; size: of the terms */
static void take_bend(const discrete *k, const rattle__function *f, const double *S, double *target, double *size) {
  for (int r = 0; r < f->vars; r++)
    for (int e = f->hess_ptr[r]; e < f->hess_ptr[r + 1]; e++) {
      const double term = 0.5 * S[e] * k->chord.d[f->hess_col[e]];
      target[r] -= term;
      size[r] += fabs(term);
    }
}

/* What the discrete gradients make of F' = S + column tilt^T: along = sum w R/|d|^2 moves with x. psi'' is left out. */
static void tilt(discrete *k, double h) {
  const rattle__function *H = k->step.map.context->problem->H, *g = k->step.map.context->problem->g;
  const double *lambda = k->step.x + 2 * k->n, *J = jacobian_of(k, 0), *J1 = jacobian_of(k, 1), *d = k->chord.d;
  double *slope = k->step.tilt, *size = k->chord.terms, inverse = k->chord.d2 > 0 ? 1 / k->chord.d2 : 0;
  source(k, k->first_along)[0] = k->chord.along;
  for (int c = 0; c < 2 * k->n; c++) {
    k->step.column[row_for(k, c)] = h * sign_for(k, c) * d[c];
    slope[c] = k->at_end[c] - k->at_middle[c] - 2 * k->along * d[c];
    size[c] = fabs(k->at_end[c]) + fabs(k->at_middle[c]);
  }
  for (int i = 0; i < k->m; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) {
      slope[g->jac_col[e]] += lambda[i] * (J1[e] - J[e]);
      size[g->jac_col[e]] += fabs(lambda[i]) * (fabs(J1[e]) + fabs(J[e]));
    }
  take_bend(k, H, source(k, k->first_H), slope, size);
  if (k->m) take_bend(k, g, source(k, k->first_g), slope, size);
  for (int c = 0; c < 2 * k->n; c++) slope[c] = fabs(slope[c]) > 64 * DBL_EPSILON * size[c] ? inverse * slope[c] : 0;
  for (int i = 0; i < k->m; i++) {
    slope[2 * k->n + i] = inverse * k->rest[i];
    slope[2 * k->n + k->m + i] = inverse * k->psi_rest[i];
    k->step.column[2 * k->n + i] = k->step.column[2 * k->n + k->m + i] = 0;
  }
}

static rattle_status derivatives(rattle__implicit *step, double h, const double *z0, rattle_error *error) {
  discrete *k = step->self;
  const rattle__function *H = step->map.context->problem->H, *g = step->map.context->problem->g;
  (void)z0;
  int answer = 0;
  if (k->m) {
    double *S = source(k, k->first_g + g->hess_nnz); /* scratch behind that of lambda.g */
    answer = g->hessian(g, k->chord.z, step->x + 2 * k->n, source(k, k->first_g), k->work);
    if (!answer) answer = H->hessian(H, step->x, NULL, S, k->work);
    step->map.context->counts.hessian++;
    if (answer) return answer_of(answer, "Hessian", error);
    k->known = 1;
    const rattle_status status =
        rattle__psi_derivative(k->rows, step->x, jacobian_of(k, 1), k->at_end, S, psi_derivative_of(k, 1), error);
    if (status) return status;
  }
  tilt(k, h);
  return RATTLE_OK;
}

/* lambda = N^-1 ({psi,H} + psi/h), mu = -N^-1 psi/2 */
static void guess(rattle__implicit *step, double h, double *both) {
  const discrete *k = step->self;
  rattle__probe_step_guess(step->map.context->probe, h, k->psi);
  rattle__probe_step_guess(step->map.context->probe, -h, k->g);
  for (int i = 0; i < k->m; i++) {
    both[i] = 1.5 * k->psi[i] + 0.5 * k->g[i];
    both[k->m + i] = -0.25 * h * (k->psi[i] - k->g[i]);
  }
}

/* -h N lambda at the rows of psi, h N mu at those of g; mu's part at the rows of psi is left out: mu is nearly 0 */
static int limit(rattle__implicit *step, double h, const double *v, double *rows) {
  const discrete *k = step->self;
  for (int block = 0; block < 2; block++) {
    if (!rattle__probe_times(step->map.context->probe, v + block * k->m, k->g)) return 0;
    for (int i = 0; i < k->m; i++) rows[2 * k->n + (block ? 0 : k->m) + i] += (block ? h : -h) * k->g[i];
  }
  return 1;
}

static const rattle__equations equations = {.name = "discrete_gradient",
                                            .predict = predict,
                                            .residual = residual,
                                            .derivatives = derivatives,
                                            .guess = guess,
                                            .limit = limit,
                                            .frozen = 2,
                                            .hidden = 1,
                                            .tilted = 1,
                                            .polished = 1};

/* --- planning ----------------------------------------------------------------------------------------------------------------
 */

static void add_second(discrete *k, const rattle__function *f, int first) {
  for (int r = 0; r < f->vars; r++)
    for (int e = f->hess_ptr[r]; e < f->hess_ptr[r + 1]; e++)
      rattle__assembly_add(k->step.assembly, row_for(k, r), f->hess_col[e], first + e, 0, 0.5 * sign_for(k, r));
}

/* Rows of g' or psi' in a pattern: the multipliers' columns from the middle, the constraints' rows from the end. */
static void add_border(discrete *k, const int *ptr, const int *col, int first, int nnz, int multipliers, int rows) {
  for (int i = 0; i < k->m; i++)
    for (int e = ptr[i]; e < ptr[i + 1]; e++) {
      rattle__assembly_add(k->step.assembly, row_for(k, col[e]), multipliers + i, first + e, 0, sign_for(k, col[e]));
      rattle__assembly_add(k->step.assembly, rows + i, col[e], first + nnz + e, 1, 0);
    }
}

static void add_all(discrete *k) {
  const rattle__function *H = k->step.map.context->problem->H, *g = k->step.map.context->problem->g;
  const int body = 2 * k->n;
  for (int c = 0; c < body; c++) {
    rattle__assembly_add(k->step.assembly, c, c, 0, 1, 0);
    rattle__assembly_add(k->step.assembly, row_for(k, c), c, k->first_along, 0, sign_for(k, c));
  }
  add_second(k, H, k->first_H);
  if (!k->m) return;
  add_second(k, g, k->first_g);
  add_border(k, g->jac_ptr, g->jac_col, k->first_J, g->jac_nnz, body, body);
  add_border(k, k->rows->ptr, k->rows->col, k->first_psi, k->rows->nnz, body + k->m, body + k->m);
}

static rattle_status plan(discrete *k, rattle__context *context, rattle_error *error) {
  const rattle_problem *problem = context->problem;
  const rattle__function *H = problem->H, *g = problem->g;
  const size_t nz = 2 * (size_t)k->n, m = (size_t)k->m, work = g && g->work > H->work ? g->work : H->work;
  k->step.map.context = context;
  double **vectors[] = {&k->g0,       &k->psi0, &k->at_middle, &k->at_end, &k->at_node,  &k->g,        &k->psi,
                        &k->psi_size, &k->work, &k->J_node,    &k->rest,   &k->psi_rest, &k->by_slopes};
  const size_t sizes[] = {m, m, nz, nz, nz, m, m, m, work, k->m ? (size_t)g->jac_nnz : 0, m, m, m};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) *vectors[i] = rattle__arena_doubles(&context->arena, sizes[i]);
  if (rattle__chord_create(&k->chord, context)) return rattle__no_memory(error);
  rattle_status status = k->m ? rattle__psi_rows_create(&k->rows, context, error) : RATTLE_OK;
  if (status) return status;
  k->first_along = 1;
  k->first_H = 2;
  k->first_g = k->first_H + H->hess_nnz;
  k->first_J = k->first_g + (k->m ? g->hess_nnz + H->hess_nnz : 0); /* room for H'' at the end between them */
  k->first_psi = k->first_J + (k->m ? 2 * g->jac_nnz : 0);
  status = rattle__assembly_create(&k->step.assembly, 2 * (k->n + k->m), k->first_psi + (k->m ? 2 * k->rows->nnz : 0), error);
  if (status) return status;
  add_all(k);
  status = rattle__implicit_init(&k->step, context, &equations, 2 * k->n, 2, error);
  for (size_t i = m; i < 2 * m && !status; i++) k->step.compass[i] = 0;
  return status;
}

static rattle_status create(rattle__map **map, rattle__context *context, const rattle__node *node, rattle_error *error) {
  const rattle_problem *problem = context->problem;
  rattle_status status = problem->split ? rattle__refuse_second_class(problem, node, error) : RATTLE_OK;
  discrete *k = rattle__arena_take(&context->arena, sizeof *k);
  if (status || !k) return status ? status : rattle__no_memory(error);
  *k = (discrete){.n = problem->n, .m = problem->m};
  k->step.self = k;
  status = plan(k, context, error);
  if (status) {
    rattle__assembly_destroy(&k->step.assembly);
    return status;
  }
  *map = &k->step.map;
  k->step.map.symmetric = 1;
  k->step.map.order = 2;
  return k->m ? rattle__projected_create(map, context, *map, NULL, RATTLE__PROJECT_STEP, error) : RATTLE_OK;
}

const rattle__base rattle__discrete_gradient = {.create = create};
