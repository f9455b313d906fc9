/* The slide along the fibre onto the hidden constraints psi_i = {g_i, H} = 0.
 *
 * Map      z = exp(h sum sigma_i X_{g_i}) z0,  psi(z) = 0 determines sigma
 * Newton   M_ij = psi_i'(z) h dz/dsigma_j [m x m]
 *          holonomic: M = -h G H_pp G^T, found from the sparse system [[I, 0, h G^T], [-H_pp, I, 0], [0, G, 0]] for (dp, dv,
 * dsigma) else: psi_i' = g_i'' X_H + H'' (-g_p, g_q)_i, dense [m x 2n] Symbols  X = X_H = (H_p, -H_q) [2n]; J = g' in its
 * pattern; D = derivative of g' along X; S = H'' in its pattern Fails    where M is singular: the nondegeneracy matrix
 * {{H,g_i},g_j} is, the point is degenerate */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "map/follow.h"
#include "solve/linear.h"
#include "wrap/wrap.h"

struct rattle__hidden {
  rattle__context *context;
  rattle__fibre *fibre;
  int n, m, holonomic;
  double h, left; /* the step; what is to be left of psi0, 0 but for the guard */
  double largest; /* |psi| where the iteration ended */
  rattle__follower *follower;
  double *psi0, *g0, *start, *g; /* psi, g and z before the slide; g where it is now */
  double *sigma, *slide, *psi, *floor, *gradient, *X, *J, *D, *S, *Z, *rhs, *row, *work, *room;
  rattle__linear *matrix;
  int *place;   /* holonomic: places of G^T, -H_pp, G in the matrix */
  int places_H; /* how many of them are of H_pp */
  int *entry_H; /* and which entries of S they are */
};

static rattle_status answer_of(int answer, const char *what, rattle_error *error) {
  return answer ? rattle__callback_error(answer, what, error) : RATTLE_OK;
}

/* psi at z in units of round-off; J, gradient and X are left there */
static rattle_status look(rattle__hidden *s, const double *z, double *ratio, double *largest, int *worst, rattle_error *error) {
  const rattle_problem *problem = s->context->problem;
  const rattle__function *g = problem->g, *H = problem->H;
  int n = s->n;
  rattle_status status = answer_of(g->jacobian(g, z, s->g, s->J, s->work), "constraint", error);
  if (!status) status = answer_of(H->jacobian(H, z, NULL, s->gradient, s->work), "gradient", error);
  s->context->counts.jacobian++;
  s->context->counts.gradient++;
  for (int i = 0; i < n; i++) {
    s->X[i] = s->gradient[n + i];
    s->X[n + i] = -s->gradient[i];
  }
  *ratio = *largest = 0;
  for (int i = 0; i < s->m; i++) {
    double sum = 0, size = 0;
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++) {
      double term = s->J[k] * s->X[g->jac_col[k]];
      sum += term;
      size += fabs(term);
    }
    /* the terms may all be small together: what they were at the start of the slide counts too */
    s->floor[i] = fmax(s->floor[i], DBL_EPSILON * size + DBL_MIN);
    sum -= s->left * s->psi0[i];
    s->psi[i] = sum;
    double r = fabs(sum) / s->floor[i];
    if (!(r <= *ratio)) {
      *ratio = r;
      *worst = i;
    }
    if (!(fabs(sum) <= *largest)) *largest = fabs(sum);
  }
  return status;
}

/* row <- psi_i' = (g_i'' X) + H'' (-g_p, g_q)_i */
static void gradient_of_psi(const rattle__hidden *s, int i) {
  const rattle__function *g = s->context->problem->g, *H = s->context->problem->H;
  int n = s->n;
  memset(s->row, 0, 2 * (size_t)n * sizeof(double));
  for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++) {
    int c = g->jac_col[k], r = c < n ? n + c : c - n;
    double w = c < n ? s->J[k] : -s->J[k];
    s->row[c] += s->D[k];
    for (int e = H->hess_ptr[r]; e < H->hess_ptr[r + 1]; e++) s->row[H->hess_col[e]] += w * s->S[e];
  }
}

static rattle_status factor(rattle__hidden *s, rattle_error *error) {
  s->context->counts.factorisation++;
  if (!s->matrix->factor(s->matrix)) return RATTLE_OK;
  int blame = s->holonomic ? s->matrix->blame - 2 * s->n : s->matrix->blame;
  const char *name = blame >= 0 ? rattle_problem_constraint_name(s->context->problem, blame) : "?";
  rattle__fail(
      error, RATTLE_SINGULAR, name,
      "the slide onto the hidden constraints is singular at constraint '%s': {{H,g_i},g_j} has no inverse there, the point "
      "is degenerate",
      name);
  if (error) error->constraint = blame;
  return RATTLE_SINGULAR;
}

/* D and S at z */
static rattle_status second(rattle__hidden *s, const double *z, rattle_error *error) {
  const rattle__function *g = s->context->problem->g, *H = s->context->problem->H;
  rattle_status status = answer_of(rattle__function_along(g, z, s->X, s->D, s->work, s->room), "constraint", error);
  if (!status) status = answer_of(H->hessian(H, z, NULL, s->S, s->work), "Hessian", error);
  s->context->counts.hessian++;
  return status;
}

/* The floor also counts what round-off of z makes of psi: where slopes cancel, as in 0 = H_b of a free variable, the terms of psi
 * that can be seen are all at round-off themselves. */
static rattle_status raise_floor(rattle__hidden *s, const double *z, rattle_error *error) {
  rattle_status status = second(s, z, error);
  for (int i = 0; i < s->m && !status; i++) {
    double size = 0;
    gradient_of_psi(s, i);
    for (int c = 0; c < 2 * s->n; c++) size += fabs(s->row[c] * z[c]);
    s->floor[i] = fmax(s->floor[i], DBL_EPSILON * size);
  }
  return status;
}

/* sigma += correction for the general case */
static rattle_status correct_general(rattle__hidden *s, double h, const double *z, rattle_error *error) {
  rattle_status status = second(s, z, error);
  if (!status) status = s->fibre->derivative(s->fibre, s->Z, error);
  if (status) return status;
  for (int i = 0; i < s->m; i++) {
    gradient_of_psi(s, i);
    for (int j = 0; j < s->m; j++) {
      double sum = 0;
      for (int k = s->fibre->ptr[j]; k < s->fibre->ptr[j + 1]; k++) sum += s->row[s->fibre->col[k]] * s->Z[k];
      s->matrix->value[i * s->m + j] = h * sum;
    }
    s->rhs[i] = -s->psi[i];
  }
  status = factor(s, error);
  if (status) return status;
  s->matrix->solve(s->matrix, s->rhs);
  for (int i = 0; i < s->m; i++) s->sigma[i] += s->rhs[i];
  return RATTLE_OK;
}

/* the same for g(q): psi = G H_p, p = p0 - h G^T sigma */
static rattle_status correct_holonomic(rattle__hidden *s, double h, const double *z, rattle_error *error) {
  const rattle_problem *problem = s->context->problem;
  const rattle__function *H = problem->H;
  rattle_status status = answer_of(H->hessian(H, z, NULL, s->S, s->work), "Hessian", error);
  s->context->counts.hessian++;
  if (status) return status;
  double *value = s->matrix->value;
  int nnz = problem->g->jac_nnz, *at = s->place;
  for (int k = 0; k < nnz; k++) value[*at++] = h * s->J[k];
  for (int k = 0; k < nnz; k++) value[*at++] = s->J[k];
  for (int k = 0; k < s->places_H; k++) value[*at++] = -s->S[s->entry_H[k]];
  status = factor(s, error);
  if (status) return status;
  memset(s->rhs, 0, 2 * (size_t)s->n * sizeof(double));
  for (int i = 0; i < s->m; i++) s->rhs[2 * s->n + i] = -s->psi[i];
  s->matrix->solve(s->matrix, s->rhs);
  for (int i = 0; i < s->m; i++) s->sigma[i] += s->rhs[2 * s->n + i];
  return RATTLE_OK;
}

static rattle_status give_up(const rattle_problem *problem, int worst, int iterations, double r, const double *z,
                             rattle_error *error) {
  const char *name = rattle_problem_constraint_name(problem, worst);
  if (!(r < 1e300) && rattle__domain_error(problem, z, error) == RATTLE_DOMAIN) return RATTLE_DOMAIN;
  rattle__fail(error, RATTLE_NOT_CONVERGED, name,
               "the slide onto the hidden constraints did not converge for constraint '%s' in %d iterations (residual %.3g times "
               "round-off): use a smaller step",
               name, iterations, r);
  if (error) {
    error->constraint = worst;
    error->iterations = iterations;
    error->residual = r;
  }
  return RATTLE_NOT_CONVERGED;
}

/* sigma from the one in s->sigma, by Newton; z is where it slides to. */
static rattle_status solve(rattle__hidden *s, double *z, rattle__rates *rates, rattle_error *error) {
  rattle__context *context = s->context;
  rattle_status status = RATTLE_OK;
  double previous = INFINITY, r = 0;
  int worst = 0;
  *rates = rattle__no_doubt;
  for (int k = 0; !status; k++) {
    for (int i = 0; i < s->m; i++) s->slide[i] = s->h * s->sigma[i];
    status = s->fibre->slide(s->fibre, s->slide, z, error);
    if (!status) status = look(s, z, &r, &s->largest, &worst, error);
    if (status) break;
    rattle__rate(rates, k, r, previous, rattle__doubt_newton);
    rattle__verdict verdict = rattle__judge(r, previous, k, 0);
    if (verdict == RATTLE__DONE) break;
    if (verdict == RATTLE__GIVE_UP) return give_up(context->problem, worst, k, r, z, error);
    previous = r;
    context->counts.newton_iterations++;
    status = s->holonomic ? correct_holonomic(s, s->h, z, error) : correct_general(s, s->h, z, error);
  }
  return status;
}

/* g stays on fibres as it is; where it does not, the fibre or the constraints are not what they are said to be. s->g, s->J: at z.
 */
static rattle_status check_fibre(const rattle__hidden *s, const double *z, rattle_error *error) {
  const rattle_problem *problem = s->context->problem;
  const rattle__function *g = problem->g;
  for (int i = 0; i < s->m && !s->holonomic; i++) {
    double size = DBL_MIN;
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++)
      size += DBL_EPSILON * fabs(s->J[k]) * (fabs(z[g->jac_col[k]]) + fabs(s->start[g->jac_col[k]]));
    if (fabs(s->g[i]) <= 1e4 * size + 4 * fabs(s->g0[i])) continue;
    const char *name = rattle_problem_constraint_name(problem, i);
    rattle__fail(error, RATTLE_UNSUITABLE, name,
                 "the slide onto the hidden constraints left constraint '%s' (from %.3g to %.3g, %.3g times round-off): the "
                 "constraints do not commute, {g_i,g_j} = 0, on their manifold, or the fibre that the model gives is not "
                 "exp(sum s_i X_{g_i})",
                 name, s->g0[i], s->g[i], fabs(s->g[i]) / size);
    if (error) error->constraint = i;
    return RATTLE_UNSUITABLE;
  }
  return RATTLE_OK;
}

/* For the guard, with the part of the way in place of h: the slide that leaves 1 - part of psi. */
static rattle_status solve_from(void *self, double part, const double *z0, double *sigma, double *z, rattle__rates *rates,
                                rattle_error *error) {
  rattle__hidden *s = self;
  (void)z0; /* the fibre has it */
  s->left = 1 - part;
  memcpy(s->sigma, sigma, (size_t)s->m * sizeof(double));
  rattle_status status = solve(s, z, rates, error);
  memcpy(sigma, s->sigma, (size_t)s->m * sizeof(double));
  return status;
}

rattle_status rattle__hidden_slide(rattle__hidden *s, double h, const double *sigma0, double *z, rattle_error *error) {
  rattle__context *context = s->context;
  size_t bytes = (size_t)s->m * sizeof(double);
  rattle__rates rates;
  double r;
  int worst = 0;
  memset(s->floor, 0, bytes);
  s->left = 0;
  s->h = h;
  rattle_status status = s->fibre->start(s->fibre, z, error);
  if (!status) status = look(s, z, &r, &s->largest, &worst, error); /* for the floor */
  if (!status && !s->holonomic) status = raise_floor(s, z, error);
  if (status) return status;
  memcpy(s->psi0, s->psi, bytes);
  memcpy(s->g0, s->g, bytes);
  memcpy(s->start, z, 2 * (size_t)s->n * sizeof(double));
  if (sigma0)
    memcpy(s->sigma, sigma0, bytes);
  else
    memset(s->sigma, 0, bytes);
  status = solve(s, z, &rates, error);
  if (rattle__must_follow(status, &rates)) status = rattle__follow(s->follower, 1, s->start, s->sigma, z, error);
  s->left = 0;
  if (!status) status = check_fibre(s, z, error);
  if (status) return status;
  context->counts.momentum_projections++;
  if (s->largest > context->residuals.psi) context->residuals.psi = s->largest;
  return RATTLE_OK;
}

/* Places of the holonomic system: a row of lists, then compressed. Rows: n of p, n of v, m of psi. */
static rattle_status plan_holonomic(rattle__hidden *s, rattle_error *error) {
  const rattle_problem *problem = s->context->problem;
  const rattle__function *g = problem->g, *H = problem->H;
  int n = s->n, m = s->m, size = 2 * n + m, first = H->hess_ptr[n], most = 0;
  for (int e = first; e < H->hess_nnz; e++) most += H->hess_col[e] >= n;
  int nnz = size + 2 * g->jac_nnz + most;
  s->place = rattle__arena_take(&s->context->arena, (size_t)(2 * g->jac_nnz + most) * sizeof(int));
  s->entry_H = rattle__arena_take(&s->context->arena, (size_t)(most + 1) * sizeof(int));
  int *ptr = calloc((size_t)size + 2, sizeof *ptr), *col = malloc((size_t)nnz * sizeof *col);
  if (!s->place || !s->entry_H || !ptr || !col) {
    free(ptr);
    free(col);
    return rattle__no_memory(error);
  }
  /* counts, then columns in ascending order row by row */
  int *count = ptr + 1;
  for (int i = 0; i < size; i++) count[i] = 1;
  for (int k = 0; k < g->jac_nnz; k++) count[g->jac_col[k]]++;
  for (int i = 0; i < n; i++)
    for (int e = H->hess_ptr[n + i]; e < H->hess_ptr[n + i + 1]; e++) count[n + i] += H->hess_col[e] >= n;
  for (int i = 0; i < m; i++) count[2 * n + i] += g->jac_ptr[i + 1] - g->jac_ptr[i];
  for (int i = 0; i < size; i++) ptr[i + 1] += ptr[i];
  int *next = malloc((size_t)size * sizeof *next), *at = s->place, *at_G = s->place + g->jac_nnz;
  if (!next) {
    free(ptr);
    free(col);
    return rattle__no_memory(error);
  }
  for (int i = 0; i < n; i++) { /* row of p: diagonal, then G^T to the right of it */
    col[ptr[i]] = i;
    next[i] = ptr[i] + 1;
  }
  for (int i = 0; i < m; i++)
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++) {
      at[k] = next[g->jac_col[k]]++;
      col[at[k]] = 2 * n + i;
    }
  for (int i = 0; i < n; i++) { /* row of v: H_pp on the columns of p, then the diagonal */
    int to = ptr[n + i];
    for (int e = H->hess_ptr[n + i]; e < H->hess_ptr[n + i + 1]; e++) {
      if (H->hess_col[e] < n) continue;
      s->entry_H[s->places_H] = e;
      s->place[2 * g->jac_nnz + s->places_H++] = to;
      col[to++] = H->hess_col[e] - n;
    }
    col[to] = n + i;
  }
  for (int i = 0; i < m; i++) { /* row of psi: G on the columns of v, then a zero diagonal */
    int to = ptr[2 * n + i];
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++) {
      at_G[k] = to;
      col[to++] = n + g->jac_col[k];
    }
    col[to] = 2 * n + i;
  }
  rattle_status status = rattle__linear_create(&s->matrix, size, ptr, col, 0, RATTLE__LINEAR_AUTO, error);
  if (!status) {
    memset(s->matrix->value, 0, (size_t)s->matrix->nnz * sizeof(double));
    for (int i = 0; i < n; i++) s->matrix->value[ptr[i]] = s->matrix->value[ptr[n + i + 1] - 1] = 1;
  }
  free(next);
  free(ptr);
  free(col);
  return status;
}

static rattle_status plan_general(rattle__hidden *s, rattle_error *error) {
  int m = s->m;
  int *ptr = rattle__arena_take(&s->context->arena, ((size_t)m * (size_t)m + (size_t)m + 1) * sizeof *ptr);
  if (!ptr) return rattle__no_memory(error);
  int *col = ptr + m + 1;
  for (int i = 0; i <= m; i++) ptr[i] = i * m;
  for (int i = 0; i < m * m; i++) col[i] = i % m;
  return rattle__linear_create(&s->matrix, m, ptr, col, 0, RATTLE__LINEAR_DENSE, error);
}

rattle_status rattle__hidden_create(rattle__hidden **hidden, rattle__context *context, rattle__fibre *fibre,
                                    rattle_error *error) {
  const rattle_problem *problem = context->problem;
  rattle__arena *arena = &context->arena;
  rattle__hidden *s = rattle__arena_take(arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  size_t n = (size_t)problem->n, m = (size_t)problem->m, nnz = (size_t)problem->g->jac_nnz;
  size_t work = problem->g->work > problem->H->work ? problem->g->work : problem->H->work;
  *s = (rattle__hidden){
      .context = context, .fibre = fibre, .n = problem->n, .m = problem->m, .holonomic = !!(problem->flags & RATTLE_HOLONOMIC)};
  double **vectors[] = {&s->g0, &s->g, &s->psi0, &s->start, &s->sigma, &s->slide, &s->psi, &s->floor, &s->gradient,
                        &s->X,  &s->J, &s->D,    &s->S,     &s->Z,     &s->rhs,   &s->row, &s->work,  &s->room};
  size_t sizes[] = {m,
                    m,
                    m,
                    2 * n,
                    m,
                    m,
                    m,
                    m,
                    2 * n,
                    2 * n,
                    nnz,
                    nnz,
                    (size_t)problem->H->hess_nnz,
                    (size_t)fibre->nnz,
                    2 * n + m,
                    2 * n,
                    work,
                    2 * nnz + 4 * n};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) *vectors[i] = rattle__arena_doubles(arena, sizes[i]);
  s->follower = rattle__follower_create(context, solve_from, NULL, s);
  if (s->follower) s->follower->projection = 1;
  *hidden = s;
  if (arena->failed) return rattle__no_memory(error);
  return s->holonomic ? plan_holonomic(s, error) : plan_general(s, error);
}

void rattle__hidden_destroy(rattle__hidden **hidden) {
  if (!*hidden) return;
  rattle__linear_destroy(&(*hidden)->matrix);
  *hidden = NULL;
}
