/* rattle_monolithic: RATTLE of the Stoermer-Verlet scheme for any H as one system.
 *
 * Map      p = p0 - h/2 (H_q(q0,p) + G(q0)^T lambda), q1 = q0 + h/2 (H_p(q0,p) + H_p(q1,p)), g(q1)
 *          = 0, p1 = p - h/2 (H_q(q1,p) + G(q1)^T mu), G(q1) H_p(q1,p1) = 0
 * Symbols  unknowns q1, p, p1 [n], lambda, mu [m] at once; G = g_q
 * Source   odeRATTLE of Octave's package odepkg, with the corrected Jacobian of docs/errata.md;
 *          Hairer, Lubich, Wanner, Geometric Numerical Integration (2006), VII.1.3
 * Claims   those of rattle(verlet), which it is to round-off; with tol= neither symmetric nor
 *          symplectic (maps/constrained/step_doubling.c)
 * Needs    g(q); without constraints it is verlet
 * Cost     per iteration 3 gradients, 3 Hessians and the factors of a sparse system of 3n + 2m
 *          unknowns: Newton's own matrix each time
 * Guard    maps/constrained/newton_frame.c for lambda and mu together, maps/wrap/projected.c for
 *          the whole step
 * Fails    where the iteration does not converge: the step is too long, or the point degenerate
 * Differs  from the source in the start (along the slope, multipliers from the differential
 *          equation), in solving to round-off, in the factor 1/3 of the error estimate, and in
 *          keeping the finer of the two results */
#include <math.h>
#include <string.h>

#include "problem/functions/probe.h"
#include "maps/constrained/step_doubling.h"
#include "maps/constrained/newton_frame.h"
#include "maps/constrained/monolithic.h"
#include "maps/constrained/spark_stages.h"
#include "constraint/equation/psi_rows.h"
#include "maps/wrap/wrap.h"
#include "constraint/step/sizes.h"

/* The points at which H is evaluated: (q0,p), (q1,p), (q1,p1). */
enum { START, MIDDLE, END, POINTS };

typedef struct monolithic {
  rattle__implicit step;
  int n, m;
  double *z[POINTS], *gradient[POINTS]; /* [2n] */
  double *force[2],
      *size[2]; /* H_q + G^T lambda at START, H_q + G^T mu at MIDDLE; sizes of their terms [n] */
  double *unit; /* sizes of the terms of p1 [n] */
  double *psi, *g, *work;
  rattle__psi_rows *rows;
  int first_H, first_g, first_J,
      first_psi; /* sources: Hessians of H at the points, of mu.g, Jacobians of g at q0 and q1,
                    psi' */
  int known;     /* 1: psi' is that of this step */
} monolithic;

static double *source(const monolithic *k, int first) {
  return k->step.assembly->source + first;
}

static double *jacobian_of(const monolithic *k, int which) {
  return source(k, k->first_J) + (k->m ? which * k->step.map.context->problem->g->jac_nnz : 0);
}

static rattle_status gradient_at(monolithic *k, int point, const double *q, const double *p,
                                 rattle_error *error) {
  const rattle__function *H = k->step.map.context->problem->H;
  memcpy(k->z[point], q, (size_t)k->n * sizeof *q);
  memcpy(k->z[point] + k->n, p, (size_t)k->n * sizeof *p);
  k->step.map.context->counts.gradient++;
  return rattle__answer(H->jacobian(H, k->z[point], NULL, k->gradient[point], k->work), "gradient",
                        error);
}

static rattle_status constraint_at(monolithic *k, int which, const double *q, rattle_error *error) {
  const rattle__function *g = k->step.map.context->problem->g;
  if (!k->m) return RATTLE_OK;
  k->step.map.context->counts.constraint++;
  k->step.map.context->counts.jacobian++;
  return rattle__answer(g->jacobian(g, q, k->g, jacobian_of(k, which), k->work), "constraint",
                        error);
}

/* force = H_q + G^T multipliers at START (which = 0) or MIDDLE (1), with the sizes of the terms */
static void put_force(monolithic *k, int which, const double *multipliers) {
  const rattle__function *g = k->step.map.context->problem->g;
  const double *J = jacobian_of(k, which);
  double *force = k->force[which], *size = k->size[which];
  for (int c = 0; c < k->n; c++) {
    force[c] = k->gradient[which][c];
    size[c] = fabs(force[c]);
  }
  for (int i = 0; i < k->m; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) {
      const double term = J[e] * multipliers[i];
      force[g->jac_col[e]] += term;
      size[g->jac_col[e]] += fabs(term);
    }
}

static const double *multipliers(const monolithic *k) {
  return k->step.x + 3 * k->n;
}

static rattle_status predict(rattle__implicit *step, double h, const double *z0, double *base,
                             double *slope, rattle_error *error) {
  monolithic *k = step->self;
  const int n = k->n;
  (void)h;
  k->known = 0;
  rattle_status status = constraint_at(k, 0, z0, error);
  if (!status) status = gradient_at(k, START, z0, z0 + n, error);
  if (!status && k->m)
    memcpy(jacobian_of(k, 1), jacobian_of(k, 0),
           (size_t)step->map.context->problem->g->jac_nnz * sizeof(double));
  memcpy(k->gradient[MIDDLE], k->gradient[START], 2 * (size_t)n * sizeof(double));
  put_force(k, 0, multipliers(k));
  put_force(k, 1, multipliers(k) + k->m);
  for (int c = 0; c < n; c++) {
    base[c] = z0[c];
    base[n + c] = base[2 * n + c] = z0[n + c];
    slope[c] = k->gradient[START][n + c];
    slope[n + c] = -0.5 * k->force[0][c];
    slope[2 * n + c] = -0.5 * (k->force[0][c] + k->force[1][c]);
  }
  return status;
}

/* n equations at `at`: rhs = r, the sizes of whose terms are in `size` */
static void rows_at(monolithic *k, int at, const double *r, const double *size) {
  double most = 0, unit = 0;
  for (int c = 0; c < k->n; c++) {
    k->step.rhs[at + c] = r[c];
    if (rattle__is_apart(k->step.map.context->problem, at ? k->n + c : c)) continue;
    if (!(fabs(r[c]) <= most)) most = fabs(r[c]);
    unit = fmax(unit, size[c]);
  }
  rattle__look_at_block(&k->step, at > 0, most, unit);
}

static void motion_rows(monolithic *k, double h, const double *z0) {
  const int n = k->n;
  const double *q1 = k->step.x, *p = q1 + n, *p1 = p + n;
  double *r = k->work, *size = k->unit; /* unit is left as that of p1 */
  for (int c = 0; c < n; c++) {
    const double a = k->gradient[START][n + c], b = k->gradient[MIDDLE][n + c];
    r[c] = z0[c] + 0.5 * h * (a + b) - q1[c];
    size[c] = fabs(z0[c]) + fabs(q1[c]) + 0.5 * fabs(h) * (fabs(a) + fabs(b));
  }
  rows_at(k, 0, r, size);
  for (int c = 0; c < n; c++) {
    r[c] = z0[n + c] - 0.5 * h * k->force[0][c] - p[c];
    size[c] = fabs(z0[n + c]) + fabs(p[c]) + 0.5 * fabs(h) * k->size[0][c];
  }
  rows_at(k, n, r, size);
  for (int c = 0; c < n; c++) {
    r[c] = p[c] - 0.5 * h * k->force[1][c] - p1[c];
    size[c] = fabs(p[c]) + fabs(p1[c]) + 0.5 * fabs(h) * k->size[1][c];
  }
  rows_at(k, 2 * n, r, size);
}

/* g(q1) and psi(q1,p1) */
static void constraint_rows(monolithic *k, const double *z0) {
  const rattle__function *g = k->step.map.context->problem->g;
  const double *q1 = k->step.x, *J = jacobian_of(k, 1), *derivative = source(k, k->first_psi);
  const int n = k->n, m = k->m;
  double most[2], *size = k->work;
  rattle__largest_of_kind(k->step.map.context->problem, k->z[END], most);
  rattle__psi_values(k->rows, J, k->gradient[END], k->psi, size);
  for (int i = 0; i < m; i++) {
    const double r = k->g[i] - k->step.level[i];
    double unit = 0, own = size[i];
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) {
      const int c = g->jac_col[e];
      if (rattle__is_time(k->step.map.context->problem, c)) continue;
      unit += fabs(J[e]) * fmax(0.5 * (fabs(q1[c]) + fabs(z0[c])), rattle__least_size(most[0]));
    }
    rattle__look_at_g(&k->step, i, r, unit);
    k->step.rhs[3 * n + i] = -r;
    if (k->known) own += rattle__psi_of_rounding(k->rows, i, derivative, q1, k->unit);
    rattle__look_at_psi(&k->step, i, k->psi[i], own);
    k->step.rhs[3 * n + m + i] = -k->psi[i];
  }
}

static rattle_status residual(rattle__implicit *step, double h, const double *z0, double *z1,
                              rattle_error *error) {
  monolithic *k = step->self;
  const int n = k->n;
  const double *q1 = step->x, *p = q1 + n, *p1 = p + n;
  rattle_status status = constraint_at(k, 1, q1, error);
  if (!status) status = gradient_at(k, START, z0, p, error);
  if (!status) status = gradient_at(k, MIDDLE, q1, p, error);
  if (!status && k->m) status = gradient_at(k, END, q1, p1, error);
  put_force(k, 0, multipliers(k));
  put_force(k, 1, multipliers(k) + k->m);
  motion_rows(k, h, z0);
  if (k->m) constraint_rows(k, z0);
  memcpy(z1, q1, (size_t)n * sizeof *z1);
  memcpy(z1 + n, p1, (size_t)n * sizeof *z1);
  for (int c = 0; c < n; c++) /* of no residual: the sum of the slopes of this iterate */
    if (rattle__is_tally(step->map.context->problem, n + c))
      z1[n + c] = z0[n + c] - 0.5 * h * (k->force[0][c] + k->force[1][c]);
  return status;
}

static rattle_status derivatives(rattle__implicit *step, double h, const double *z0,
                                 rattle_error *error) {
  monolithic *k = step->self;
  const rattle_problem *problem = step->map.context->problem;
  const rattle__function *H = problem->H, *g = problem->g;
  int answer = 0;
  (void)h;
  (void)z0;
  for (int point = 0; point < (k->m ? POINTS : END) && !answer; point++) {
    answer = H->hessian(H, k->z[point], NULL, source(k, k->first_H + point * H->hess_nnz), k->work);
    step->map.context->counts.hessian++;
  }
  if (answer || !k->m) return rattle__answer(answer, "Hessian", error);
  answer = g->hessian(g, k->z[END], multipliers(k) + k->m, source(k, k->first_g), k->work);
  if (answer) return rattle__answer(answer, "Hessian of the constraints", error);
  k->known = 1;
  return rattle__psi_derivative(k->rows, k->z[END], jacobian_of(k, 1), k->gradient[END],
                                source(k, k->first_H + END * H->hess_nnz), source(k, k->first_psi),
                                error);
}

/* lambda also brings psi(z0) to 0, over half a step; mu does not. */
static void guess(rattle__implicit *step, double h, double *both) {
  const monolithic *k = step->self;
  rattle__probe_step_guess(step->map.context->probe, h, k->psi);
  rattle__probe_step_guess(step->map.context->probe, -h, k->g);
  for (int i = 0; i < k->m; i++) {
    both[i] = 2 * k->psi[i];
    both[k->m + i] = k->psi[i] + k->g[i];
  }
}

/* -h^2/2 N lambda at the rows of g, -h/2 N (lambda + mu) at those of psi */
static int limit(rattle__implicit *step, double h, const double *v, double *rows) {
  const monolithic *k = step->self;
  const int m = k->m;
  for (int block = 0; block < 2; block++) {
    if (!rattle__probe_times(step->map.context->probe, v + block * m, k->g)) return 0;
    for (int i = 0; i < m; i++) {
      if (!block) rows[3 * k->n + i] -= 0.5 * h * h * k->g[i];
      rows[3 * k->n + m + i] -= 0.5 * h * k->g[i];
    }
  }
  return 1;
}

/* of -h^2/2, 0 | -h/2, -h/2 */
static int sign(const rattle__implicit *step, double h, int *odd) {
  (void)step;
  *odd = 0;
  return h < 0 ? -1 : 1;
}

static const rattle__equations equations = {.name = "rattle_monolithic",
                                            .predict = predict,
                                            .residual = residual,
                                            .derivatives = derivatives,
                                            .guess = guess,
                                            .limit = limit,
                                            .sign = sign,
                                            .hidden = 1};

/* --- planning --------------------------------------------------------------------------------- */

/* (h/2) w H'' at a point: rows of H_p (part 0) or H_q (1), columns of q and of p at the places
 * given, -1: not an unknown. */
static void add_hessian(monolithic *k, int row, int part, int point, int at_q, int at_p, double w) {
  const rattle__function *H = k->step.map.context->problem->H;
  const int n = k->n;
  for (int c = 0; c < n; c++) {
    const int r = part ? c : n + c;
    for (int e = H->hess_ptr[r]; e < H->hess_ptr[r + 1]; e++) {
      const int col = H->hess_col[e], at = col < n ? at_q : at_p;
      if (at >= 0)
        rattle__assembly_add(k->step.assembly, row + c, at + (col < n ? col : col - n),
                             k->first_H + point * H->hess_nnz + e, 0, 0.5 * w);
    }
  }
}

static void add_constraints(monolithic *k, const rattle__monolithic_jacobian *jacobian) {
  const rattle__function *g = k->step.map.context->problem->g;
  rattle__assembly *a = k->step.assembly;
  const int n = k->n, at_lambda = 3 * n, at_mu = at_lambda + k->m;
  for (int i = 0; i < k->m; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) {
      const int c = g->jac_col[e];
      rattle__assembly_add(a, n + c, at_lambda + i, k->first_J + e, 0, 0.5);
      rattle__assembly_add(a, 2 * n + c, at_mu + i, k->first_J + g->jac_nnz + e, 0, 0.5);
      rattle__assembly_add(a, at_lambda + i, c, k->first_J + g->jac_nnz + e, 1, 0);
    }
  for (int c = 0; c < n; c++)
    for (int e = g->hess_ptr[c]; e < g->hess_ptr[c + 1]; e++)
      rattle__assembly_add(a, 2 * n + c, g->hess_col[e], k->first_g + e, 0,
                           0.5 * jacobian->curvature);
  for (int i = 0; i < k->m; i++)
    for (int u = k->rows->ptr[i]; u < k->rows->ptr[i + 1]; u++) {
      const int c = k->rows->col[u];
      rattle__assembly_add(a, at_mu + i, c < n ? c : n + c, k->first_psi + u, 1, 0);
    }
}

static void add_all(monolithic *k, const rattle__monolithic_jacobian *jacobian) {
  const int n = k->n;
  for (int i = 0; i < 3 * n; i++) rattle__assembly_add(k->step.assembly, i, i, 0, 1, 0);
  for (int c = 0; c < n; c++) rattle__assembly_add(k->step.assembly, 2 * n + c, n + c, 0, -1, 0);
  add_hessian(k, 0, 0, START, -1, n, -1);
  add_hessian(k, 0, 0, MIDDLE, 0, n, -1);
  add_hessian(k, n, 1, START, -1, n, 1);
  add_hessian(k, 2 * n, 1, MIDDLE, 0, n, 1);
  if (jacobian->force_of_p1 != 0)
    add_hessian(k, 2 * n, 1, MIDDLE, -1, 2 * n, jacobian->force_of_p1);
  if (k->m) add_constraints(k, jacobian);
}

static rattle_status plan(monolithic *k, rattle__context *context,
                          const rattle__monolithic_jacobian *jacobian, rattle_error *error) {
  const rattle_problem *problem = context->problem;
  const rattle__function *H = problem->H, *g = problem->g;
  const size_t n = (size_t)k->n, m = (size_t)k->m;
  size_t work = H->work > n + m ? H->work : n + m;
  if (g && g->work > work) work = g->work;
  k->step.map.context = context;
  for (int i = 0; i < POINTS; i++) {
    k->z[i] = rattle__arena_doubles(&context->arena, 2 * n);
    k->gradient[i] = rattle__arena_doubles(&context->arena, 2 * n);
  }
  const rattle__array arrays[] = {{&k->force[0], n}, {&k->force[1], n}, {&k->size[0], n},
                                  {&k->size[1], n},  {&k->unit, n},     {&k->psi, m},
                                  {&k->g, m},        {&k->work, work}};
  RATTLE__LAY_OUT(&context->arena, arrays);
  if (context->arena.failed) return rattle__no_memory(error);
  rattle_status status = k->m ? rattle__psi_rows_create(&k->rows, context, error) : RATTLE_OK;
  if (status) return status;
  k->first_H = 1;
  k->first_g = k->first_H + POINTS * H->hess_nnz;
  k->first_J = k->first_g + (k->m ? g->hess_nnz : 0);
  k->first_psi = k->first_J + (k->m ? 2 * g->jac_nnz : 0);
  status = rattle__assembly_create(&k->step.assembly, 3 * k->n + 2 * k->m,
                                   k->first_psi + (k->m ? k->rows->nnz : 0), error);
  if (status) return status;
  add_all(k, jacobian);
  return rattle__implicit_init(&k->step, context, &equations, 3 * k->n, 2, error);
}

rattle_status rattle__monolithic_create(rattle__map **map, rattle__context *context, double tol,
                                        const rattle__monolithic_jacobian *jacobian,
                                        rattle_error *error) {
  monolithic *k = rattle__arena_take(&context->arena, sizeof *k);
  if (!k) return rattle__no_memory(error);
  *k = (monolithic){.n = context->problem->n, .m = context->problem->m};
  k->step.self = k;
  rattle_status status = plan(k, context, jacobian, error);
  if (status) {
    rattle__assembly_destroy(&k->step.assembly);
    return status;
  }
  *map = &k->step.map;
  k->step.map.symmetric = 1;
  if (k->m)
    status = rattle__projected_create(map, context, *map, NULL, RATTLE__PROJECT_STEP, error);
  return status || tol == 0 ? status
                            : rattle__step_doubling_create(map, context, *map, 2, tol, error);
}

static rattle_status create(rattle__map **map, rattle__context *context, const rattle__node *node,
                            rattle_error *error) {
  static const rattle__monolithic_jacobian mended = {1, 0};
  const rattle_status status = rattle__needs_holonomic(context->problem, node, error);
  return status ? status
                : rattle__monolithic_create(map, context, rattle__option_number(node, "tol"),
                                            &mended, error);
}

/* The same step as the stages of spark(2) give it. */
static rattle_status before_slide(rattle__map **map, rattle__context *context,
                                  const rattle__node *node, rattle_error *error) {
  const rattle_status status = rattle__needs_holonomic(context->problem, node, error);
  if (status) return status;
  rattle__spark_scheme scheme;
  rattle__spark_scheme_lobatto(2, &scheme);
  if (rattle__option_number(node, "tol") == 0)
    return rattle__spark_stages_create(map, context, &scheme, error);
  return rattle__fail(
      error, RATTLE_UNSUITABLE, node->row->name,
      "derivatives of steps that are divided by their error are not offered: omit tol=");
}

const rattle__base rattle__rattle_monolithic = {.create = create, .before_slide = before_slide};
