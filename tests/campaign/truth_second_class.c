/* The exact motion with second-class constraints: z' = X_H + sum lambda_j X_{g_j}, {g_i,H} + sum
 * lambda_j {g_i,g_j} = 0, by the classical Runge-Kutta method in long double with 64 pieces. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "general.h"
#include "truth.h"

typedef struct flow {
  const problem *pr;
  formula_work *work;
  dense_factors C;
  long double matrix[CONSTRAINTS * CONSTRAINTS];
} flow;

static int field(flow *e, const long double *z, long double *x) {
  const problem *pr = e->pr;
  const int n = pr->n, m = pr->m;
  general_point at;
  long double lambda[CONSTRAINTS];
  general_evaluate(pr, z, FORMULA_H | FORMULA_G, e->work, &at);
  general_field(pr, &at, x);
  general_brackets(pr, &at, e->matrix);
  general_hidden(pr, &at, lambda, NULL);
  if (dense_factor(m, e->matrix, &e->C)) return 1;
  dense_solve(&e->C, lambda);
  for (int j = 0; j < m; j++)
    for (int k = 0; k < n; k++) {
      x[k] -= lambda[j] * at.dg[j * 2 * n + n + k];
      x[n + k] += lambda[j] * at.dg[j * 2 * n + k];
    }
  for (int k = 0; k < 2 * n; k++)
    if (!isfinite(x[k])) return 1;
  return 0;
}

static int piece(flow *e, long double h, long double *z) {
  static const long double nodes[4] = {0, 0.5L, 0.5L, 1},
                           weights[4] = {1 / 6.0L, 1 / 3.0L, 1 / 3.0L, 1 / 6.0L};
  const int size = 2 * e->pr->n;
  long double x[ENTRIES] = {0}, stage[ENTRIES], sum[ENTRIES] = {0};
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < size; k++) stage[k] = z[k] + h * nodes[i] * x[k];
    if (field(e, stage, x)) return 1;
    for (int k = 0; k < size; k++) sum[k] += weights[i] * x[k];
  }
  for (int k = 0; k < size; k++) z[k] += h * sum[k];
  return 0;
}

/* How much a field has changed, relative to its size. */
static double turned(const problem *pr, const long double *from, const long double *to) {
  long double change = 0, size = 0;
  for (int k = 0; k < 2 * pr->n; k++) {
    change = fmaxl(change, fabsl(to[k] - from[k]) / general_size(pr, k));
    size = fmaxl(size, fabsl(from[k]) / general_size(pr, k));
  }
  return (double)(change / size);
}

void truth_second_class(const step *from, truth *result) {
  enum { PIECES = 64 };
  const problem *pr = from->pr;
  const int n = pr->n;
  flow e = {.pr = pr, .work = from->work};
  long double z[ENTRIES], x[ENTRIES], start[ENTRIES] = {0}, first[CONSTRAINTS * CONSTRAINTS];
  memcpy(z, from->q, sizeof *z * (size_t)n);
  memcpy(z + n, from->p, sizeof *z * (size_t)n);
  *result = (truth){.margin = 1};
  if (field(&e, z, x)) return;
  memcpy(start, x, sizeof start);
  memcpy(first, e.matrix, sizeof first);
  for (int i = 0; i < PIECES; i++) {
    dense_factors before = e.C;
    if (piece(&e, (long double)from->h / PIECES, z) || field(&e, z, x)) return;
    if (!(dense_distance(&before, e.matrix, 1, NULL) < 0.3L)) return;
    result->margin = fmin(result->margin, (double)(1 / dense_distance(&e.C, first, 0, NULL)));
    result->margin = fmin(result->margin, 1 - turned(pr, start, x));
    result->part = (i + 1) / (double)PIECES;
  }
  result->reaches = 1;
  for (int k = 0; k < n; k++) {
    result->q[k] = z[k];
    result->p[k] = z[n + k];
    result->q_error[k] = DBL_EPSILON * (fabsl(z[k]) + pr->unit.length);
    result->p_error[k] = DBL_EPSILON * (fabsl(z[n + k]) + general_size(pr, n + k));
  }
}
