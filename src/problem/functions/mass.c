/* See mass.h. */
#include "problem/functions/mass.h"

#include <stdlib.h>
#include <string.h>

#include "ground/support/definite.h"
#include "ground/support/error.h"

enum {
  CHOLESKY = 300
}; /* the most coordinates for which W is factored to see whether it is definite */

void rattle__mass_destroy(rattle__mass **mass) {
  if (!*mass) return;
  free((*mass)->diagonal);
  free((*mass)->ptr);
  free((*mass)->col);
  free((*mass)->value);
  free(*mass);
  *mass = NULL;
}

rattle_status rattle__mass_create_diagonal(rattle__mass **mass, int n, const double *diagonal,
                                           rattle_error *error) {
  rattle__mass *W = *mass = calloc(1, sizeof *W);
  if (W) *W = (rattle__mass){.n = n, .diagonal = malloc((size_t)n * sizeof *W->diagonal)};
  if (!W || !W->diagonal) {
    rattle__mass_destroy(mass);
    return rattle__no_memory(error);
  }
  memcpy(W->diagonal, diagonal, (size_t)n * sizeof *diagonal);
  return RATTLE_OK;
}

/* The rows of S, all of whose diagonal is there. */
static rattle_status add_rows(rattle__mass *W, const int *ptr, const int *col, const double *S,
                              rattle_error *error) {
  const size_t n = (size_t)W->n, most = (size_t)ptr[W->n] + n;
  W->ptr = calloc(n + 1, sizeof *W->ptr);
  W->col = malloc(most * sizeof *W->col);
  W->value = malloc(most * sizeof *W->value);
  if (!W->ptr || !W->col || !W->value) return rattle__no_memory(error);
  int to = 0;
  for (int k = 0; k < W->n; k++) {
    int seen = 0;
    for (int e = ptr[k]; e < ptr[k + 1]; e++) {
      if (!seen && col[e] > k) W->col[to] = k, W->value[to++] = 0, seen = 1;
      if (S[e] == 0 && col[e] != k) continue;
      seen |= col[e] == k;
      W->col[to] = col[e], W->value[to++] = S[e];
    }
    if (!seen) W->col[to] = k, W->value[to++] = 0;
    W->ptr[k + 1] = to;
  }
  return RATTLE_OK;
}

rattle_status rattle__mass_system(rattle__linear **system, const rattle__mass *W,
                                  rattle_error *error) {
  *system = NULL;
  if (!W->value) return RATTLE_OK;
  rattle_status status =
      rattle__linear_create(system, W->n, W->ptr, W->col, 1, RATTLE__LINEAR_AUTO, error);
  if (status) return status;
  memcpy((*system)->value, W->value, (size_t)W->ptr[W->n] * sizeof *W->value);
  status = (*system)->factor(*system);
  if (status) rattle__linear_destroy(system);
  return status == RATTLE_NO_MEMORY ? rattle__no_memory(error) : status;
}

void rattle__mass_momenta(const rattle__mass *W, rattle__linear *system, double h, const double *d,
                          double *p) {
  for (int k = 0; k < W->n; k++)
    p[k] = W->value ? d[k] / h : W->diagonal[k] > 0 ? d[k] / (h * W->diagonal[k]) : 0;
  if (W->value) system->solve(system, p);
}

/* *is: W is positive definite, by Cholesky's factors; for a large W only: its diagonal and its
 * determinant are positive. */
static rattle_status definite(int *is, const rattle__mass *W, const rattle__linear *system,
                              rattle_error *error) {
  const int n = W->n;
  *is = rattle__linear_sign(system) > 0;
  for (int k = 0; k < n; k++) *is &= W->diagonal[k] > 0;
  if (!*is || n > CHOLESKY) return RATTLE_OK;
  double *A = calloc((size_t)n * (size_t)n, sizeof *A);
  if (!A) return rattle__no_memory(error);
  for (int k = 0; k < n; k++)
    for (int e = W->ptr[k]; e < W->ptr[k + 1]; e++) A[k * n + W->col[e]] = W->value[e];
  *is = rattle__is_definite(n, A);
  free(A);
  return RATTLE_OK;
}

rattle_status rattle__mass_create(rattle__mass **mass, int n, const int *ptr, const int *col,
                                  const double *S, int constrained, rattle_error *error) {
  double *diagonal = calloc((size_t)n, sizeof *diagonal);
  int others = 0, suits = 1;
  *mass = NULL;
  if (!diagonal) return rattle__no_memory(error);
  for (int k = 0; k < n; k++)
    for (int e = ptr[k]; e < ptr[k + 1]; e++) {
      if (col[e] == k) diagonal[k] = S[e];
      others |= col[e] != k && S[e] != 0;
    }
  for (int k = 0; k < n; k++) suits &= !constrained || diagonal[k] >= 0;
  rattle_status status = suits ? rattle__mass_create_diagonal(mass, n, diagonal, error) : RATTLE_OK;
  free(diagonal);
  if (status || !suits || !others) return status;
  rattle__linear *system = NULL;
  status = add_rows(*mass, ptr, col, S, error);
  if (!status) status = rattle__mass_system(&system, *mass, error);
  if (!status && constrained) status = definite(&suits, *mass, system, error);
  rattle__linear_destroy(&system);
  if (status || !suits) rattle__mass_destroy(mass);
  return status == RATTLE_SINGULAR ? RATTLE_OK : status;
}

/* sum over the columns that row k of W and row i of J share */
static double product(const rattle__mass *W, int k, const int *col, const double *J, int first,
                      int last) {
  double sum = 0;
  for (int e = first, f = W->ptr[k]; e < last && f < W->ptr[k + 1];) {
    if (col[e] == W->col[f]) sum += J[e] * W->value[f];
    const int behind = W->col[f] - col[e];
    e += behind >= 0;
    f += behind <= 0;
  }
  return sum;
}

void rattle__mass_scale(const rattle__mass *W, const rattle__function *g, const double *restrict J,
                        double *restrict B) {
  const int *col = g->jac_col;
  const double *diagonal = W->diagonal;
  if (!W->value) {
    for (int e = 0; e < g->jac_nnz; e++) B[e] = J[e] * diagonal[col[e]];
    return;
  }
  for (int i = 0; i < g->rows; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
      B[e] = product(W, col[e], col, J, g->jac_ptr[i], g->jac_ptr[i + 1]);
}
