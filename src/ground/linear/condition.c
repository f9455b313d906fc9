/* Smallest singular value and condition number of a matrix.
 *
 * Up to size 500 by singular values (singular.c). Above that by the 1-norm of the inverse,
 * estimated from a few solves with A and A^T: W. W. Hager, SIAM J. Sci. Stat. Comput. 5 (1984); N.
 * J. Higham, ACM TOMS 14 (1988), algorithm 4.1, which never gives more than the true norm and
 * seldom less than a third of it. */
#include "ground/linear/backend.h"

#include "ground/linear/singular.h"
#include "ground/support/error.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SINGULAR_VALUES_UP_TO = 500, ESTIMATE_ROUNDS = 5 };

static rattle_status by_singular_values(const rattle__linear *a, double *smallest,
                                        double *condition, rattle_error *error) {
  if (a->size == 1 && a->nnz == 1 && isfinite(a->value[0])) {
    *smallest = fabs(a->value[0]);
    *condition = *smallest > 0 ? 1 : INFINITY;
    return RATTLE_OK;
  }
  const int n = a->size;
  double *A = calloc((size_t)n * (size_t)n, sizeof *A), *s = calloc((size_t)n, sizeof *s);
  rattle_status status = A && s ? RATTLE_OK : rattle__no_memory(error);
  for (int i = 0; i < n && !status; i++)
    for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++)
      A[i + (size_t)n * (size_t)a->col[e]] = a->value[e];
  if (!status) status = rattle__singular(n, n, A, s, NULL, error);
  if (!status) {
    *smallest = s[n - 1];
    *condition = s[n - 1] > 0 ? s[0] / s[n - 1] : INFINITY;
  }
  free(A);
  free(s);
  return status;
}

/* A^T as a system of its own. */
static rattle_status transpose(const rattle__linear *a, rattle__linear **t, rattle_error *error) {
  const int n = a->size;
  int *ptr = calloc((size_t)n + 2, sizeof *ptr), *col = calloc((size_t)a->nnz, sizeof *col);
  double *value = calloc((size_t)a->nnz, sizeof *value);
  rattle_status status = ptr && col && value ? RATTLE_OK : rattle__no_memory(error);
  if (!status) {
    for (int e = 0; e < a->nnz; e++) ptr[a->col[e] + 2]++;
    for (int j = 0; j < n; j++) ptr[j + 2] += ptr[j + 1];
    for (int i = 0; i < n; i++)
      for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++) {
        const int to = ptr[a->col[e] + 1]++;
        col[to] = i;
        value[to] = a->value[e];
      }
    status = rattle__linear_create(t, n, ptr, col, 0, RATTLE__LINEAR_AUTO, error);
  }
  if (!status) memcpy((*t)->value, value, sizeof *value * (size_t)a->nnz);
  free(ptr);
  free(col);
  free(value);
  return status;
}

static double one_norm(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += fabs(x[i]);
  return sum;
}

/* max_j sum_i |A_ij|, or NaN */
static double matrix_norm(const rattle__linear *a, double *sums) {
  double largest = 0;
  memset(sums, 0, sizeof *sums * (size_t)a->size);
  for (int e = 0; e < a->nnz; e++) sums[a->col[e]] += fabs(a->value[e]);
  for (int j = 0; j < a->size; j++) {
    if (!(sums[j] <= DBL_MAX)) return (double)NAN;
    largest = rattle__larger(sums[j], largest);
  }
  return largest;
}

/* A lower bound of |A^-1|_1, from systems that have been factored; x[n], z[n] are scratch. */
static double inverse_norm(rattle__linear *a, rattle__linear *t, double *x, double *z) {
  const int n = a->size;
  double estimate = 0;
  for (int i = 0; i < n; i++) x[i] = 1.0 / n;
  for (int round = 0, last = -1; round < ESTIMATE_ROUNDS; round++) {
    a->solve(a, x);
    const double norm = one_norm(x, n);
    if (round > 0 && norm <= estimate) break;
    estimate = norm;
    for (int i = 0; i < n; i++) z[i] = x[i] < 0 ? -1 : 1;
    t->solve(t, z);
    int j = 0;
    for (int i = 1; i < n; i++)
      if (fabs(z[i]) > fabs(z[j])) j = i;
    if (j == last) break;
    last = j;
    memset(x, 0, sizeof *x * (size_t)n);
    x[j] = 1;
  }
  /* Higham's second guess, against cancellation in the first */
  for (int i = 0; i < n; i++) x[i] = (i % 2 ? -1 : 1) * (1 + (double)i / (n - 1));
  a->solve(a, x);
  return rattle__larger(estimate, 2 * one_norm(x, n) / (3.0 * n));
}

static rattle_status by_estimate(rattle__linear *a, double *smallest, double *condition,
                                 rattle_error *error) {
  const size_t n = (size_t)a->size;
  double *x = calloc(n, sizeof *x), *z = calloc(n, sizeof *z);
  rattle__linear *t = NULL;
  rattle_status status = x && z ? RATTLE_OK : rattle__no_memory(error);
  if (!status && !a->symmetric) status = transpose(a, &t, error);
  if (!status) {
    *smallest = 0;
    *condition = INFINITY;
    const double norm = matrix_norm(a, x);
    status = a->factor(a);
    if (!status && t) status = t->factor(t);
    if (!status) {
      const double inverse = inverse_norm(a, t ? t : a, x, z);
      *smallest = 1 / inverse;
      *condition = norm * inverse;
    }
    status = status == RATTLE_NO_MEMORY ? rattle__no_memory(error) : RATTLE_OK;
  }
  rattle__linear_destroy(&t);
  free(x);
  free(z);
  return status;
}

rattle_status rattle__linear_condition(rattle__linear *a, double *smallest, double *condition,
                                       rattle_error *error) {
  double sum = 0;
  for (int e = 0; e < a->nnz; e++) sum += 0 * a->value[e];
  if (a->size == 0 || sum != 0) {
    *smallest = *condition = (double)NAN;
    return RATTLE_OK;
  }
  return a->size <= SINGULAR_VALUES_UP_TO ? by_singular_values(a, smallest, condition, error)
                                          : by_estimate(a, smallest, condition, error);
}
