#ifndef RATTLE__DEFINITE_H
#define RATTLE__DEFINITE_H
#include <math.h>
#include <stddef.h>

/* True if the symmetric part of A [n*n] is positive definite; its Cholesky factor replaces the
 * lower half of A. */
static inline int rattle__is_definite(int n, double *A) {
  for (size_t i = 0; i < (size_t)n; i++)
    for (size_t j = 0; j <= i; j++) {
      double sum = 0.5 * (A[i * (size_t)n + j] + A[j * (size_t)n + i]);
      for (size_t e = 0; e < j; e++) sum -= A[i * (size_t)n + e] * A[j * (size_t)n + e];
      if (i == j && !(sum > 0)) return 0;
      A[i * (size_t)n + j] = i == j ? sqrt(sum) : sum / A[j * (size_t)n + j];
    }
  return 1;
}
#endif
