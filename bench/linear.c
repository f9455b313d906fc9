/* Time per row of the linear solvers: factor and one solve, for a small dense system, a band, a
 * tree and a ring. */
#include "ground/linear/linear.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Band: |i - j| = 1. Comb: odd rows hang on the even ones, which are chained. Ring: the band with
 * its corners. */
static int neighbour(const char *shape, int n, int i, int j) {
  const int distance = abs(i - j);
  if (shape[0] == 'd' || i == j) return 1;
  if (shape[0] == 'c')
    return (i % 2 == 0 && j % 2 == 0 && distance == 2) ||
           (distance == 1 && (i < j ? i : j) % 2 == 0);
  return distance == 1 || (shape[0] == 'r' && distance == n - 1);
}

static void measure(const char *shape, int n, rattle__backend backend) {
  int *ptr = calloc((size_t)n + 1, sizeof *ptr), *col = calloc(5 * (size_t)n + 16, sizeof *col),
      nnz = 0;
  for (int i = 0; i < n; i++) {
    if (shape[0] == 'r' && i == n - 1) col[nnz++] = 0;
    for (int j = i > 3 ? i - 3 : 0; j < n && j <= i + 3; j++)
      if (neighbour(shape, n, i, j)) col[nnz++] = j;
    if (shape[0] == 'r' && i == 0) col[nnz++] = n - 1;
    ptr[i + 1] = nnz;
  }
  rattle__linear *a;
  rattle_error error;
  if (rattle__linear_create(&a, n, ptr, col, backend == RATTLE__LINEAR_LDL, backend, &error)) {
    fprintf(stderr, "%s\n", error.message);
    exit(1);
  }
  double *x = calloc((size_t)n, sizeof *x), best = 1e9;
  const int repeats = 2000000 / n + 1;
  for (int round = 0; round < 5; round++) {
    for (int i = 0; i < n; i++)
      for (int e = ptr[i]; e < ptr[i + 1]; e++) a->value[e] = col[e] == i ? 4 : -1;
    const double start = seconds();
    for (int r = 0; r < repeats; r++) {
      for (int i = 0; i < n; i++) x[i] = 1;
      a->factor(a);
      a->solve(a, x);
    }
    const double taken = seconds() - start;
    if (taken < best) best = taken;
  }
  printf("%-5s %-12s n = %-7d %8.2f ns per row  (x[0] = %.17g)\n", shape, a->name, n,
         1e9 * best / repeats / n, x[0]);
  rattle__linear_destroy(&a);
  free(ptr);
  free(col);
  free(x);
}

int main(void) {
  for (int n = 1; n <= 4; n++) measure("dense", n, RATTLE__LINEAR_DENSE);
  for (int n = 10; n <= 1000000; n *= 10) measure("band", n, RATTLE__LINEAR_TRIDIAGONAL);
  for (int n = 100; n <= 100000; n *= 10) {
    measure("band", n, RATTLE__LINEAR_LDL);
    measure("band", n, RATTLE__LINEAR_KLU);
    measure("comb", n, RATTLE__LINEAR_LDL);
    measure("ring", n, RATTLE__LINEAR_LDL);
  }
  return 0;
}
