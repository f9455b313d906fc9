/* See inertia.h. Both triangles are kept, so that rows are columns. */
#include "constraint/guard/inertia.h"

#include <math.h>
#include <stddef.h>

/* Bounds the growth of elements: (1 + 17^(1/2)) / 8. */
static const double growth = 0.6403882032022076;

/* The largest |A_ij| of row i for j >= k, j != i; *at: its j. */
static double largest(int m, const double *A, int k, int i, int *at) {
  const double *row = A + (size_t)i * (size_t)m;
  double most = 0;
  for (int j = k; j < m; j++) {
    if (j == i || fabs(row[j]) <= most) continue;
    most = fabs(row[j]);
    *at = j;
  }
  return most;
}

static void exchange(int m, double *A, int i, int j) {
  const size_t n = (size_t)m;
  for (size_t c = 0; c < n && i != j; c++) {
    const double x = A[(size_t)i * n + c];
    A[(size_t)i * n + c] = A[(size_t)j * n + c];
    A[(size_t)j * n + c] = x;
  }
  for (size_t r = 0; r < n && i != j; r++) {
    const double x = A[r * n + (size_t)i];
    A[r * n + (size_t)i] = A[r * n + (size_t)j];
    A[r * n + (size_t)j] = x;
  }
}

/* Brings the next pivot to k; returns its size, 1 or 2. */
static int choose(int m, double *A, int k) {
  const size_t n = (size_t)m;
  int at = k, unused = k;
  const double column = largest(m, A, k, k, &at), own = fabs(A[(size_t)k * n + (size_t)k]);
  if (!(own < growth * column)) return 1;
  const double row = largest(m, A, k, at, &unused);
  if (!(own * row < growth * column * column)) return 1;
  const int alone = !(fabs(A[(size_t)at * n + (size_t)at]) < growth * row);
  exchange(m, A, alone ? k : k + 1, at);
  return alone ? 1 : 2;
}

/* Eliminates the pivot at k, 1 or 2 rows, from the rows below. */
static void eliminate(int m, double *A, int k, int size) {
  const size_t n = (size_t)m;
  const double *p = A + (size_t)k * n, *q = p + n * (size_t)(size - 1);
  const double a = p[k], b = p[k + size - 1], c = q[k + size - 1];
  for (int i = k + size; i < m; i++) {
    double *row = A + (size_t)i * n;
    const double u = row[k], v = row[k + size - 1];
    const double x = size == 1 ? u / a : (c * u - b * v) / (a * c - b * b),
                 y = size == 1 ? 0 : (a * v - b * u) / (a * c - b * b);
    for (int j = k + size; j < m; j++) row[j] -= size == 1 ? x * p[j] : x * p[j] + y * q[j];
  }
}

int rattle__not_positive(int m, double *A) {
  const size_t n = (size_t)m;
  int count = 0;
  for (int k = 0, size; k < m; k += size) {
    size = choose(m, A, k);
    const double *p = A + (size_t)k * n, a = p[k];
    count += size == 2 || !(a > 0); /* a block of two has one eigenvalue of each sign */
    if (size == 2 || a != 0) eliminate(m, A, k, size);
  }
  return count;
}
