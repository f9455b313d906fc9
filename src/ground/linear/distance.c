/* The distance of a matrix from singular ones, entry by entry.
 *
 * Method   A + E is regular for all |E| <= eps |A| where the spectral radius of B = |A^-1| |A| is
 *          less than 1/eps. For any v > 0 the least and the largest of (B v)_i / v_i bound it
 *          (Collatz, Wielandt), and B v in place of v brings them nearer. Neither depends on how
 *          rows and columns are scaled
 * Source   J. W. Demmel, The componentwise distance to the nearest singular matrix, SIAM J. Matrix
 *          Anal. Appl. 13 (1992) 10
 * Cost     a solve for each column, some rounds of them: only where a pivot was small */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ground/linear/backend.h"

enum { ROUNDS = 4, LARGEST = 500 };

/* w = |A| v */
static void multiply(const rattle__linear *a, const double *v, double *w) {
  for (int i = 0; i < a->size; i++) {
    w[i] = 0;
    for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++) w[i] += fabs(a->value[e]) * v[a->col[e]];
  }
}

/* v <- B v but for a factor; the least and the largest quotient. scratch [3 size] */
static void once(rattle__linear *a, double *v, double *scratch, double *least, double *largest) {
  const size_t bytes = (size_t)a->size * sizeof(double);
  double *w = scratch, *sum = w + a->size, *x = sum + a->size, most = 0;
  multiply(a, v, w);
  memset(sum, 0, bytes);
  for (int j = 0; j < a->size; j++) {
    memset(x, 0, bytes);
    x[j] = w[j];
    a->solve(a, x);
    for (int i = 0; i < a->size; i++) sum[i] += fabs(x[i]);
  }
  *least = INFINITY, *largest = 0;
  for (int i = 0; i < a->size; i++) {
    const double quotient = sum[i] / v[i];
    if (quotient < *least) *least = quotient;
    if (!(quotient <= *largest)) *largest = quotient;
    if (!(sum[i] <= most)) most = sum[i];
  }
  for (int i = 0; i < a->size; i++) v[i] = sum[i] / most;
}

int rattle__regular_nearby(rattle__linear *a, double relative, double *v, double *scratch) {
  const int n = a->size;
  double least = 0, largest = INFINITY;
  if (n > LARGEST) return 0;
  for (int round = 0; round < ROUNDS && !(relative * least >= 1); round++) {
    once(a, v, scratch, &least, &largest);
    if (relative * largest < 1) return 1;
    if (!(largest <= DBL_MAX)) return 0;
  }
  return 0;
}
