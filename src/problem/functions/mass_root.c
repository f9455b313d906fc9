/* Momenta with the covariance M, from independent numbers. */
#include <math.h>
#include <string.h>

#include "problem/functions/mass.h"
#include "ground/support/definite.h"

size_t rattle__mass_root_size(const rattle__mass *W) {
  return W->value ? (size_t)W->n * (size_t)W->n : (size_t)W->n;
}

int rattle__mass_root(const rattle__mass *W, double *L) {
  const size_t n = (size_t)W->n;
  if (!W->value) {
    for (size_t i = 0; i < n; i++) L[i] = W->diagonal[i] > 0 ? 1 / sqrt(W->diagonal[i]) : 0;
    return 0;
  }
  memset(L, 0, n * n * sizeof *L);
  for (size_t i = 0; i < n; i++)
    for (int e = W->ptr[i]; e < W->ptr[i + 1]; e++) L[i * n + (size_t)W->col[e]] = W->value[e];
  return !rattle__is_definite(W->n, L);
}

void rattle__mass_spread(const rattle__mass *W, const double *root, double *x) {
  const size_t n = (size_t)W->n;
  if (!W->value) {
    for (size_t i = 0; i < n; i++) x[i] *= root[i];
    return;
  }
  for (size_t i = n; i-- > 0;) { /* L^T y = x */
    for (size_t l = i + 1; l < n; l++) x[i] -= root[l * n + i] * x[l];
    x[i] /= root[i * n + i];
  }
}

double rattle__mass_square(const rattle__mass *W, const double *root, double *d) {
  const size_t n = (size_t)W->n;
  double sum = 0;
  for (size_t i = 0; i < n; i++) {
    if (W->value) { /* L y = d */
      for (size_t l = 0; l < i; l++) d[i] -= root[i * n + l] * d[l];
      d[i] /= root[i * n + i];
    } else {
      d[i] *= root[i];
    }
    sum += d[i] * d[i];
  }
  return sum;
}
