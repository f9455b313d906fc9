/* The slide along the fibre onto the hidden constraints psi_i = {g_i, H} = 0.
 *
 * Map      z = exp(h sum sigma_i X_{g_i}) z0,  psi(z) = 0 determines sigma
 * Symbols  X = X_H = (H_p, -H_q) [2n]; J = g' in its pattern; D = derivative of g' along X; S = H''
 *          in its pattern
 * Newton   M_ij = psi_i'(z) h dz/dsigma_j [m x m] holonomic: M = -h G H_pp G^T, from the sparse
 *          system [[I, 0, h G^T], [-H_pp, I, 0], [0, G, 0]] for (dp, dv, dsigma); else: psi_i' =
 *          g_i'' X_H + H'' (-g_p, g_q)_i, dense [m x 2n] If H'' takes differences the matrix is
 *          kept, and learns by Broyden's method, while each iteration gains a factor of ten; after
 *          a step the first one has H'' from the start of the step
 * Linear   psi of g(q) and H = p^T W p/2 + V(q), with forces or without, is linear in p: then sigma
 *          is that of momenta_linear.h, from any first guess, and there is nothing to follow
 * Fails    if M is singular: the nondegeneracy matrix {{H,g_i},g_j} is, the point is degenerate */
#include <float.h>
#include <math.h>
#include <string.h>

#include "problem/functions/probe.h"
#include "constraint/step/impulse.h"
#include "constraint/solve/momenta_fibre_state.h"

/* The largest psi in units of round-off. */
static void measure(const rattle__momenta_fibre *s, rattle__course *c) {
  c->residual = c->largest = 0;
  for (int i = 0; i < s->m; i++) {
    const double r = fabs(s->psi[i]) / s->floor[i];
    if (!(r <= c->residual)) {
      c->residual = r;
      c->worst = i;
    }
    if (!(fabs(s->psi[i]) <= c->largest)) c->largest = fabs(s->psi[i]);
  }
}

/* psi at z; J, gradient and X are left there */
static rattle_status look_at(rattle__momenta_fibre *s, const double *z, rattle__course *c,
                             rattle_error *error) {
  const rattle_problem *problem = s->context->problem;
  const rattle__function *g = problem->g, *H = problem->H;
  int n = s->n;
  rattle_status status =
      rattle__answer(g->jacobian(g, z, s->g, s->J, s->work), "constraint", error);
  if (!status)
    status = rattle__answer(H->jacobian(H, z, NULL, s->gradient, s->work), "gradient", error);
  s->context->counts.jacobian++;
  s->context->counts.gradient++;
  for (int i = 0; i < n; i++) {
    s->X[i] = s->gradient[n + i];
    s->X[n + i] = -s->gradient[i];
  }
  for (int i = 0; i < s->m; i++) {
    double sum = 0, size = 0;
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++) {
      double term = s->J[k] * s->X[g->jac_col[k]];
      sum += term;
      size += fabs(term);
    }
    /* the terms may all be small together: what they were at the start of the slide counts too */
    s->floor[i] = fmax(s->floor[i], DBL_EPSILON * size + DBL_MIN);
    s->psi[i] = sum - s->left * s->psi0[i];
  }
  measure(s, c);
  return status;
}

/* --- the equation psi = 0 for iterate.h ------------------------------------------------------- */

static rattle_status evaluate(void *self, rattle__course *c, rattle_error *error) {
  rattle__momenta_fibre *s = self;
  for (int i = 0; i < s->m; i++) s->slide[i] = s->h * s->sigma[i];
  const int slid = s->holonomic && c->k > 0; /* by `correct` */
  rattle_status status = slid ? RATTLE_OK : s->fibre->slide(s->fibre, s->slide, s->z, error);
  return status ? status : look_at(s, s->z, c, error);
}

static rattle_status begin(void *self, rattle_error *error) {
  rattle__momenta_fibre *s = self;
  (void)error;
  memcpy(s->sigma, s->first, (size_t)s->m * sizeof(double));
  return RATTLE_OK;
}

static rattle_status use_full_units(void *self, int on, rattle_error *error) {
  rattle__momenta_fibre *s = self;
  memcpy(on ? s->cheap : s->floor, on ? s->floor : s->cheap, (size_t)s->m * sizeof(double));
  if (!on) return RATTLE_OK;
  rattle_status status = rattle__unit_of_move(s->unit, s->start, s->z, error);
  if (!status) status = rattle__unit_of_psi(s->unit, s->z, s->floor, error);
  return status;
}

/* p -= h G^T delta: kicks add up, and rounding of large multipliers, of constraints that nearly
 * depend on each other, is corrected too. */
static void push(const rattle__momenta_fibre *s, const double *delta) {
  const rattle__function *g = s->context->problem->g;
  for (int i = 0; i < s->m; i++)
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++)
      s->z[s->n + g->jac_col[k]] -= s->h * s->J[k] * delta[i];
}

static rattle_status correct(void *self, rattle__course *c, rattle_error *error) {
  rattle__momenta_fibre *s = self;
  const int first = s->holonomic ? 2 * s->n : 0;
  const int keeps = s->context->problem->H->rough && c->k > 0 && !rattle__gains_little(c);
  s->context->counts.newton_iterations++;
  const rattle_status status =
      keeps ? RATTLE_OK : rattle__momenta_fibre_matrix(s, s->z, c->k == 0, error);
  if (status) return status;
  if (!keeps) rattle__broyden_forget(&s->learned);
  memset(s->rhs, 0, (size_t)first * sizeof(double));
  for (int i = 0; i < s->m; i++) s->rhs[first + i] = -s->psi[i];
  s->matrix->solve(s->matrix, s->rhs);
  if (s->learned.step) rattle__broyden_improve(&s->learned, s->rhs + first);
  if (c->k == 0) memcpy(s->step, s->rhs + first, (size_t)s->m * sizeof(double));
  if (c->k == 0) memcpy(s->psi_of_step, s->psi, (size_t)s->m * sizeof(double));
  for (int i = 0; i < s->m; i++) s->sigma[i] += s->rhs[first + i];
  if (s->holonomic) push(s, s->rhs + first);
  return RATTLE_OK;
}

/* For the guard: on the other side of a fold of psi(sigma) the determinant of a part of the
 * equations has another sign than in the first substep. */
static rattle_status side_since(rattle__momenta_fibre *s, int first, int *sign) {
  const rattle_status status = rattle__momenta_fibre_matrix(s, s->z, 0, NULL);
  *sign = 0;
  if (status) return status == RATTLE_NO_MEMORY ? status : RATTLE_OK;
  if (!s->holonomic) rattle__linear_part_by_values(s->matrix, first);
  if (first) rattle__linear_expect_these(s->matrix);
  *sign = rattle__linear_side(s->matrix);
  return RATTLE_OK;
}

static rattle_status side(void *self, int *sign) {
  rattle__momenta_fibre *s = self;
  return side_since(s, s->follower->side == 0, sign);
}

/* sigma from the one in s->sigma, by Newton; z is where it slides to. For the guard h is the part
 * of the way: the slide that leaves 1 - part of psi. */
static rattle_status solve(void *self, double part, const double *z0, double *z, rattle__course *c,
                           rattle_error *error) {
  static const rattle__equation equation = {begin, evaluate, use_full_units, correct};
  rattle__momenta_fibre *s = self;
  (void)z0; /* the fibre has it */
  s->left = s->follower->following ? 1 - part : 0;
  s->z = z;
  memcpy(s->first, s->sigma, (size_t)s->m * sizeof(double));
  rattle_status status = rattle__iterate(&equation, s, s->context, 0, c, error);
  s->largest = c->largest;
  const double *points[] = {z};
  return c->gave_up
             ? rattle__not_converged(s->context->problem,
                                     "the equations of the projection onto the hidden constraints",
                                     c, points, 1, error)
             : status;
}

/* g stays on fibres as it is; if it does not, the fibre or the constraints are not what the model
 * states. s->g, s->J: at z. */
static rattle_status check_fibre(const rattle__momenta_fibre *s, const double *z,
                                 rattle_error *error) {
  const rattle_problem *problem = s->context->problem;
  const rattle__function *g = problem->g;
  for (int i = 0; i < s->m && !s->holonomic; i++) {
    double size = DBL_MIN;
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++)
      size +=
          DBL_EPSILON * fabs(s->J[k]) * (fabs(z[g->jac_col[k]]) + fabs(s->start[g->jac_col[k]]));
    if (!rattle__left_fibre(s->g[i], s->g0[i], size)) continue;
    const char *name = rattle_problem_constraint_name(problem, i);
    rattle__fail(error, RATTLE_UNSUITABLE, name,
                 "the projection onto the hidden constraints left constraint '%s' (from %.3g to "
                 "%.3g, %.3g times round-off): the "
                 "constraints do not commute, {g_i,g_j} = 0, on their manifold, or the fibre of "
                 "the model is not exp(sum s_i X_{g_i})",
                 name, s->g0[i], s->g[i], fabs(s->g[i]) / size);
    if (error) error->constraint = i;
    return RATTLE_UNSUITABLE;
  }
  return RATTLE_OK;
}

/* Evaluates the start of the slide, and the cheap units there. */
static rattle_status set_out(rattle__momenta_fibre *s, double h, const double *z,
                             rattle_error *error) {
  const size_t bytes = (size_t)s->m * sizeof(double);
  rattle__course c = {0};
  memset(s->floor, 0, bytes);
  s->left = 0;
  s->h = h;
  rattle_status status = s->fibre->start(s->fibre, z, error);
  if (!status) status = look_at(s, z, &c, error);
  if (!status && !s->holonomic) status = rattle__momenta_fibre_raise(s, z, error);
  if (status) return status;
  memcpy(s->psi0, s->psi, bytes);
  memcpy(s->g0, s->g, bytes);
  memcpy(s->start, z, 2 * (size_t)s->n * sizeof *z);
  return RATTLE_OK;
}

static rattle_status arrive(rattle__momenta_fibre *s, const double *z, rattle_error *error) {
  rattle__context *context = s->context;
  s->left = 0;
  const rattle_status status = check_fibre(s, z, error);
  if (status) return status;
  rattle__record_slide(context, s->start, z);
  context->counts.momentum_projections++;
  if (s->largest > context->residuals.psi) context->residuals.psi = s->largest;
  return RATTLE_OK;
}

/* The slide where psi is linear. */
static rattle_status slide_linear(rattle__momenta_fibre *s, double h, double *z,
                                  rattle_error *error) {
  const rattle__function *g = s->context->problem->g;
  const int answer = g->jacobian(g, z, s->g, s->J, s->work);
  s->context->counts.jacobian++;
  if (answer) return rattle__callback_error(answer, "constraint", error);
  rattle__momenta_scale(s->linear, s->J, s->B);
  s->linear->factored = 0;
  const rattle_status status = rattle__momenta_slide(s->linear, s->J, s->B, z, NULL, error);
  for (int i = 0; i < s->m; i++) s->sigma[i] = s->linear->sigma[i] / h;
  return status;
}

void rattle__momenta_fibre_from(rattle__momenta_fibre *s, const double *z0) {
  s->from = z0;
}

/* True if the last matrix would have made another first correction: on curved fibres, such as
 * circles, psi has folds, and an iteration that begins near one may leap over others to a solution
 * from which residuals fall fast. */
static int first_correction_differs(rattle__momenta_fibre *s, const rattle__course *c) {
  if (s->holonomic || c->k == 0) return 0;
  for (int i = 0; i < s->m; i++) s->rhs[i] = -s->psi_of_step[i];
  s->matrix->solve(s->matrix, s->rhs);
  return rattle__differs_by(s->m, s->rhs, s->step);
}

rattle_status rattle__momenta_fibre_slide(rattle__momenta_fibre *s, double h, const double *sigma0,
                                          double *z, rattle_error *error) {
  if (s->linear) return slide_linear(s, h, z, error);
  rattle__course c = {0};
  rattle_status status = set_out(s, h, z, error);
  if (status) return status;
  for (int i = 0; i < s->m; i++) s->sigma[i] = sigma0 ? sigma0[i] : 0;
  status = solve(s, 1, s->start, z, &c, error);
  if (rattle__must_follow(status, &c) || (!status && first_correction_differs(s, &c)))
    status = rattle__follow(s->follower, 1, s->start, z, error);
  return status ? status : arrive(s, z, error);
}

rattle_status rattle__momenta_fibre_try(rattle__momenta_fibre *s, double h, double *sigma,
                                        double *z, rattle__course *c, rattle_error *error) {
  const size_t bytes = (size_t)s->m * sizeof(double);
  rattle_status status = s->linear ? slide_linear(s, h, z, error) : set_out(s, h, z, error);
  if (!status && !s->linear) {
    memcpy(s->sigma, sigma, bytes);
    status = solve(s, 1, s->start, z, c, error);
    if (!status) status = arrive(s, z, error);
  }
  memcpy(sigma, s->sigma, bytes);
  return status;
}

rattle_status rattle__momenta_fibre_side(rattle__momenta_fibre *s, int first, int *sign) {
  *sign = 0;
  return s->linear ? RATTLE_OK : side_since(s, first, sign);
}

rattle_status rattle__momenta_fibre_follow(rattle__momenta_fibre *s, double h, double *z,
                                           rattle_error *error) {
  if (s->linear) return slide_linear(s, h, z, error);
  rattle_status status = set_out(s, h, z, error);
  if (!status) status = rattle__follow(s->follower, 1, s->start, z, error);
  return status ? status : arrive(s, z, error);
}

/* The holonomic system; rows: n of p, n of v, m of psi. J and S are evaluated where its terms find
 * them. */
static rattle_status plan_holonomic(rattle__momenta_fibre *s, rattle_error *error) {
  const rattle__function *g = s->context->problem->g, *H = s->context->problem->H;
  const int n = s->n, first_J = 1, first_S = 1 + g->jac_nnz;
  rattle_status status =
      rattle__assembly_create(&s->assembly, 2 * n + s->m, g->jac_nnz + H->hess_nnz, error);
  if (status) return status;
  for (int i = 0; i < 2 * n; i++) rattle__assembly_add(s->assembly, i, i, 0, 1, 0);
  for (int i = 0; i < s->m; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) {
      rattle__assembly_add(s->assembly, g->jac_col[e], 2 * n + i, first_J + e, 0, 1);
      rattle__assembly_add(s->assembly, 2 * n + i, n + g->jac_col[e], first_J + e, 1, 0);
    }
  for (int i = n; i < 2 * n; i++)
    for (int e = H->hess_ptr[i]; e < H->hess_ptr[i + 1]; e++)
      if (H->hess_col[e] >= n)
        rattle__assembly_add(s->assembly, i, H->hess_col[e] - n, first_S + e, -1, 0);
  s->J = s->assembly->source + first_J;
  s->S = s->assembly->source + first_S;
  status = rattle__assembly_plan(s->assembly, s->m, error);
  s->matrix = s->assembly->matrix;
  return status ? status : rattle__linear_watch_parts(s->matrix, error);
}

static rattle_status plan_linear(rattle__momenta_fibre *s, rattle_error *error) {
  const rattle__function *g = s->context->problem->g;
  rattle_status status =
      rattle__coupling_create(&s->coupling, s->m, g->vars, g->jac_ptr, g->jac_col, error);
  if (!status) status = rattle__momenta_create(&s->linear, s->context, s->coupling, NULL, error);
  if (status) return status;
  const size_t nnz = (size_t)g->jac_nnz, m = (size_t)s->m;
  const rattle__array array[] = {
      {&s->g, m}, {&s->sigma, m}, {&s->J, nnz}, {&s->B, nnz}, {&s->work, g->work}};
  RATTLE__LAY_OUT(&s->context->arena, array);
  if (s->linear->equal) s->B = s->J;
  return s->context->arena.failed ? rattle__no_memory(error) : RATTLE_OK;
}

static rattle_status plan_general(rattle__momenta_fibre *s, rattle_error *error) {
  int m = s->m;
  int *ptr =
      rattle__arena_take(&s->context->arena, ((size_t)m * (size_t)m + (size_t)m + 1) * sizeof *ptr);
  if (!ptr) return rattle__no_memory(error);
  int *col = ptr + m + 1;
  for (int i = 0; i <= m; i++) ptr[i] = i * m;
  for (int i = 0; i < m * m; i++) col[i] = i % m;
  const rattle_status status =
      rattle__linear_create(&s->matrix, m, ptr, col, 0, RATTLE__LINEAR_DENSE, error);
  return status ? status : rattle__linear_watch_parts(s->matrix, error);
}

rattle_status rattle__momenta_fibre_create(rattle__momenta_fibre **hidden, rattle__context *context,
                                           rattle__fibre *fibre, rattle_error *error) {
  static const rattle__tracked_equation sought = {
      .solve = solve, .side = side, .newton = 1, .projection = 1};
  const rattle_problem *problem = context->problem;
  rattle__arena *arena = &context->arena;
  rattle__momenta_fibre *s = rattle__arena_take(arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  size_t n = (size_t)problem->n, m = (size_t)problem->m, nnz = (size_t)problem->g->jac_nnz;
  size_t work = problem->g->work > problem->H->work ? problem->g->work : problem->H->work;
  const int holonomic = !!(problem->flags & RATTLE_HOLONOMIC);
  *s = (rattle__momenta_fibre){
      .context = context, .fibre = fibre, .n = problem->n, .m = problem->m, .holonomic = holonomic};
  *hidden = s;
  if (holonomic && rattle__inertia(problem)) return plan_linear(s, error);
  const rattle__array array[] = {{&s->g0, m},
                                 {&s->g, m},
                                 {&s->psi0, m},
                                 {&s->start, 2 * n},
                                 {&s->sigma, m},
                                 {&s->slide, m},
                                 {&s->psi, m},
                                 {&s->floor, m},
                                 {&s->gradient, 2 * n},
                                 {&s->X, 2 * n},
                                 {&s->J, holonomic ? 0 : nnz},
                                 {&s->D, nnz},
                                 {&s->S, holonomic ? 0 : (size_t)problem->H->hess_nnz},
                                 {&s->Z, (size_t)fibre->nnz},
                                 {&s->rhs, 2 * n + m},
                                 {&s->row, 2 * n},
                                 {&s->work, work},
                                 {&s->room, 2 * nnz + 4 * n}};
  RATTLE__LAY_OUT(arena, array);
  s->follower = rattle__follower_create(context, &sought, s->m, s->sigma, s);
  s->unit = rattle__unit_create(context);
  if (problem->H->rough) rattle__broyden_create(&s->learned, arena, problem->m);
  s->first = rattle__arena_doubles(arena, m);
  s->step = rattle__arena_doubles(arena, m);
  s->psi_of_step = rattle__arena_doubles(arena, m);
  s->cheap = rattle__arena_doubles(arena, m);
  if (arena->failed) return rattle__no_memory(error);
  return s->holonomic ? plan_holonomic(s, error) : plan_general(s, error);
}

void rattle__momenta_fibre_destroy(rattle__momenta_fibre **hidden) {
  if (!*hidden) return;
  rattle__momenta_fibre *s = *hidden;
  if (!s->assembly) rattle__linear_destroy(&s->matrix);
  rattle__assembly_destroy(&s->assembly);
  rattle__momenta_destroy(&s->linear);
  rattle__coupling_destroy(&s->coupling);
  *hidden = NULL;
}
