/* The tangent space {g' w = 0, psi' w = 0} and the rows that are normal to it.
 *
 * Projection  w - K^T (K K^T)^-1 K w, K = (g'; psi') with rows of length 1; twice, for what
 *             rounding leaves
 * Field       X = X_f + sum_j c_j X_{K_j}, K X = 0, X_f = (f_p, -f_q): w^T J of X_{K_j} vanishes on
 *             tangent vectors, so that X stands for df (P. A. M. Dirac's bracket, Canad. J. Math. 2
 *             (1950) 129) */
#include <math.h>
#include <string.h>

#include "runs/tangent/tangent.h"

rattle_status rattle__normals_create(rattle__normals *s, rattle__context *context,
                                     rattle_error *error) {
  const rattle_problem *problem = context->problem;
  const size_t m = (size_t)problem->m, nz = 2 * (size_t)problem->n, two = 2 * m;
  *s = (rattle__normals){.problem = problem, .n = problem->n, .m = problem->m, .nz = (int)nz};
  if (!m) return RATTLE_OK;
  rattle__arena *arena = &context->arena;
  rattle_status status = rattle__psi_rows_create(&s->psi, context, error);
  if (status) return status;
  const size_t work = problem->g->work > problem->H->work ? problem->g->work : problem->H->work;
  const rattle__array arrays[] = {{&s->J, (size_t)problem->g->jac_nnz},
                                  {&s->D, (size_t)s->psi->nnz},
                                  {&s->gradient, nz},
                                  {&s->S, (size_t)problem->H->hess_nnz},
                                  {&s->work, work},
                                  {&s->value, m},
                                  {&s->K, two * nz},
                                  {&s->r, two}};
  RATTLE__LAY_OUT(arena, arrays);
  int *ptr = rattle__arena_take(arena, (two * two + two + 1) * sizeof *ptr), *col = ptr + two + 1;
  if (arena->failed) return rattle__no_memory(error);
  for (size_t i = 0; i <= two; i++) ptr[i] = (int)(i * two);
  for (size_t i = 0; i < two * two; i++) col[i] = (int)(i % two);
  return rattle__linear_create(&s->system, (int)two, ptr, col, 0, RATTLE__LINEAR_DENSE, error);
}

void rattle__normals_destroy(rattle__normals *s) {
  rattle__linear_destroy(&s->system);
}

rattle_status rattle__normals_at(rattle__normals *s, const double *z, rattle_error *error) {
  const rattle__function *g = s->problem->g, *H = s->problem->H;
  double energy;
  int answer = g->jacobian(g, z, s->value, s->J, s->work);
  if (answer) return rattle__callback_error(answer, "constraint", error);
  answer = H->jacobian(H, z, &energy, s->gradient, s->work);
  if (answer) return rattle__callback_error(answer, "gradient", error);
  answer = H->hessian(H, z, NULL, s->S, s->work);
  if (answer) return rattle__callback_error(answer, "Hessian", error);
  return rattle__psi_derivative(s->psi, z, s->J, s->gradient, s->S, s->D, error);
}

/* Row i of K from sparse entries, of length 1. */
static void set_row(rattle__normals *s, int i, const double *value, const int *col, int count) {
  double *row = s->K + (size_t)i * (size_t)s->nz, sum = 0;
  memset(row, 0, (size_t)s->nz * sizeof *row);
  for (int e = 0; e < count; e++) sum += value[e] * value[e];
  const double scale = sum > 0 ? 1 / sqrt(sum) : 1;
  for (int e = 0; e < count; e++) row[col[e]] = scale * value[e];
}

static rattle_status fill(rattle__normals *s, const double *z, rattle_error *error) {
  const rattle__function *g = s->problem->g;
  const rattle_status status = rattle__normals_at(s, z, error);
  for (int i = 0; i < s->m && !status; i++) {
    const int from = g->jac_ptr[i], at = s->psi->ptr[i];
    set_row(s, i, s->J + from, g->jac_col + from, g->jac_ptr[i + 1] - from);
    set_row(s, s->m + i, s->D + at, s->psi->col + at, s->psi->ptr[i + 1] - at);
  }
  return status;
}

/* a . b, or with the second one turned: a . X_b */
static double product(const rattle__normals *s, const double *a, const double *b, int turned) {
  double sum = 0;
  for (int c = 0; c < s->nz && !turned; c++) sum += a[c] * b[c];
  for (int k = 0; k < s->n && turned; k++) sum += a[k] * b[s->n + k] - a[s->n + k] * b[k];
  return sum;
}

static rattle_status factor(rattle__normals *s, int turned, rattle_error *error) {
  const size_t nz = (size_t)s->nz;
  const int two = 2 * s->m;
  for (int i = 0; i < two; i++)
    for (int j = 0; j < two; j++)
      s->system->value[i * two + j] =
          product(s, s->K + (size_t)i * nz, s->K + (size_t)j * nz, turned);
  const rattle_status status = s->system->factor(s->system);
  if (!status) return RATTLE_OK;
  if (status == RATTLE_NO_MEMORY) return rattle__no_memory(error);
  return rattle__fail(error, status, NULL,
                      "the point is not regular: the derivatives of the constraints and of the "
                      "hidden constraints are dependent");
}

/* w -= K^T x, or with turned rows */
static void subtract(const rattle__normals *s, const double *x, double *w, int turned) {
  for (int i = 0; i < 2 * s->m; i++) {
    const double *row = s->K + (size_t)i * (size_t)s->nz;
    for (int c = 0; c < s->nz && !turned; c++) w[c] -= x[i] * row[c];
    for (int k = 0; k < s->n && turned; k++) {
      w[k] -= x[i] * row[s->n + k];
      w[s->n + k] += x[i] * row[k];
    }
  }
}

static void clear(rattle__normals *s, double *w, int turned) {
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < 2 * s->m; i++) s->r[i] = product(s, s->K + (size_t)i * (size_t)s->nz, w, 0);
    s->system->solve(s->system, s->r);
    subtract(s, s->r, w, turned);
  }
}

rattle_status rattle__normals_project(rattle__normals *s, const double *z, int count, double *W,
                                      rattle_error *error) {
  if (!s->m) return RATTLE_OK;
  rattle_status status = fill(s, z, error);
  if (!status) status = factor(s, 0, error);
  for (int k = 0; k < count && !status; k++) clear(s, W + (size_t)k * (size_t)s->nz, 0);
  return status;
}

rattle_status rattle__normals_field(rattle__normals *s, const double *z, double *X,
                                    rattle_error *error) {
  for (int k = 0; k < s->n; k++) {
    const double v = X[k];
    X[k] = X[s->n + k];
    X[s->n + k] = -v;
  }
  if (!s->m) return RATTLE_OK;
  rattle_status status = fill(s, z, error);
  if (!status) status = factor(s, 1, error);
  if (!status) clear(s, X, 1);
  return status;
}
