/* Natural problems in long double. See natural.h. */
#include "natural.h"

#include <math.h>
#include <string.h>

void natural_evaluate(const problem *pr, const long double *q, formula_work *work,
                      natural_point *at) {
  long double z[FORMULA_VARIABLES] = {0}, gradient[FORMULA_VARIABLES];
  memcpy(z, q, sizeof *q * (size_t)pr->n);
  formula_evaluate(&pr->f, z, FORMULA_H | FORMULA_G, work);
  at->V = formula_read(&pr->f, &pr->H, work, NULL, gradient);
  memcpy(at->Vq, gradient, sizeof *gradient * (size_t)pr->n);
  for (int i = 0; i < pr->m; i++) {
    at->g[i] = formula_read(&pr->f, &pr->g[i], work, &at->error[i], gradient);
    memcpy(at->G + i * pr->n, gradient, sizeof *gradient * (size_t)pr->n);
  }
}

void natural_velocity(const problem *pr, const long double *p, long double *v) {
  for (int i = 0; i < pr->n; i++) {
    v[i] = pr->diagonal ? p[i] / pr->mass[i] : 0;
    for (int j = 0; j < pr->n && !pr->diagonal; j++) v[i] += pr->W[i * pr->n + j] * p[j];
  }
}

void natural_product(const problem *pr, const long double *A, const long double *B,
                     long double *N) {
  for (int j = 0; j < pr->m; j++) {
    long double v[PAIRS];
    natural_velocity(pr, B + j * pr->n, v);
    for (int i = 0; i < pr->m; i++) {
      N[i * pr->m + j] = 0;
      for (int k = 0; k < pr->n; k++) N[i * pr->m + j] += A[i * pr->n + k] * v[k];
    }
  }
}

int natural_project(const problem *pr, const natural_point *at, long double *p, dense_factors *N,
                    long double *d) {
  long double A[CONSTRAINTS * CONSTRAINTS], sigma[CONSTRAINTS] = {0}, v[PAIRS];
  natural_product(pr, at->G, at->G, A);
  for (int i = 0; i < pr->m && d; i++) d[i] = sqrtl(A[i * pr->m + i]);
  if (dense_factor(pr->m, A, N)) return 1;
  natural_velocity(pr, p, v);
  for (int i = 0; i < pr->m; i++)
    for (int k = 0; k < pr->n; k++) sigma[i] += at->G[i * pr->n + k] * v[k];
  dense_solve(N, sigma);
  for (int i = 0; i < pr->m; i++)
    for (int k = 0; k < pr->n; k++) p[k] -= at->G[i * pr->n + k] * sigma[i];
  return 0;
}

double natural_sweep_rate(const problem *pr, const long double *q, formula_work *work) {
  const int m = pr->m;
  natural_point at;
  long double N[CONSTRAINTS * CONSTRAINTS], x[CONSTRAINTS], rate = 0;
  natural_evaluate(pr, q, work, &at);
  natural_product(pr, at.G, at.G, N);
  for (int i = 0; i < m; i++) x[i] = 1 + 0.3L * i;
  for (int round = 0; round < 400; round++) {
    long double before = 0, after = 0;
    for (int i = 0; i < m; i++) before += x[i] * x[i] * N[i * m + i];
    for (int i = 0; i < m; i++) {
      long double sum = 0;
      for (int j = 0; j < m; j++) sum += j == i ? 0 : N[i * m + j] * x[j];
      x[i] = -sum / N[i * m + i];
    }
    for (int i = 0; i < m; i++) after += x[i] * x[i] * N[i * m + i];
    rate = sqrtl(after / before);
    if (!(after > 0)) return 0;
    for (int i = 0; i < m; i++) x[i] /= sqrtl(after);
  }
  return (double)rate;
}
