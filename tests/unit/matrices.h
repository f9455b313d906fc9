#ifndef MATRICES_H
#define MATRICES_H
/* Matrices for tests of the solve room: patterns, values, and elimination in long double. */
#include "ground/linear/linear.h"
#include "ground/support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

enum { MOST = 700 };

static uint64_t seed;
static inline double uniform(void) { /* in (-1, 1) */
  return (double)((int64_t)rattle__random(&seed) >> 11) * 0x1p-52;
}

/* A pattern as a full matrix of flags, and its compressed rows. */
static char flag[MOST][MOST];
static int ptr[MOST + 1], col[MOST * MOST];
static inline void compress(int n) {
  int nnz = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      if (flag[i][j]) col[nnz++] = j;
    ptr[i + 1] = nnz;
  }
}
static inline void connect(int i, int j) {
  flag[i][j] = flag[j][i] = flag[i][i] = flag[j][j] = 1;
}
static inline void full_pattern(int n) {
  memset(flag, 0, sizeof flag);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) flag[i][j] = 1;
  compress(n);
}
static inline void band_pattern(int n) {
  memset(flag, 0, sizeof flag);
  flag[0][0] = 1;
  for (int i = 1; i < n; i++) connect(i, i - 1);
  compress(n);
}
static inline void random_pattern(int n, int extra) {
  memset(flag, 0, sizeof flag);
  for (int i = 0; i < n; i++) flag[i][i] = 1;
  for (int e = 0; e < extra; e++) {
    const int i = (int)((uniform() + 1) / 2 * n), j = (int)((uniform() + 1) / 2 * n);
    connect(i, j);
  }
  compress(n);
}

static inline rattle__linear *create(int n, int symmetric, rattle__backend backend) {
  rattle__linear *a = NULL;
  rattle_error error;
  const rattle_status status = rattle__linear_create(&a, n, ptr, col, symmetric, backend, &error);
  if (status) fail_msg("%s", error.message);
  return a;
}

/* Random values; positive definite: a dominant positive diagonal; else the diagonal is as random as
 * the rest. */
static inline void fill(rattle__linear *a, int definite) {
  for (int i = 0; i < a->size; i++)
    for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++) {
      const int j = a->col[e];
      a->value[e] = uniform();
      if (i == j && definite) a->value[e] = 1.5 + (a->ptr[i + 1] - a->ptr[i]) / 2.0;
      if (j < i && a->symmetric)
        for (int t = a->ptr[j]; t < a->ptr[j + 1]; t++)
          if (a->col[t] == i) a->value[e] = a->value[t];
    }
}

/* Returns the sign of the determinant; turn: of each column, as rattle__linear.turns. */
static long double reference[MOST][MOST + 1];
static char reference_turn[MOST];
static inline int reference_solve(const rattle__linear *a, const double *b, long double *x) {
  const int n = a->size;
  memset(reference, 0, sizeof reference);
  for (int i = 0; i < n; i++) {
    for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++)
      reference[i][a->col[e]] = (long double)a->value[e];
    reference[i][n] = (long double)b[i];
  }
  int sign = 1;
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      if (fabsl(reference[i][k]) > fabsl(reference[p][k])) p = i;
    for (int j = k; j <= n; j++) {
      const long double t = reference[k][j];
      reference[k][j] = reference[p][j];
      reference[p][j] = t;
    }
    reference_turn[k] = (p != k) != (reference[k][k] < 0);
    if (reference_turn[k]) sign = -sign;
    for (int i = k + 1; i < n; i++) {
      const long double l = reference[i][k] / reference[k][k];
      if (l == 0) continue;
      for (int j = k; j <= n; j++) reference[i][j] -= l * reference[k][j];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    x[i] = reference[i][n];
    for (int j = i + 1; j < n; j++) x[i] -= reference[i][j] * x[j];
    x[i] /= reference[i][i];
  }
  return sign;
}

/* 1: the determinants of all parts that hang together are positive, else -1; after
 * reference_solve. */
static inline int reference_side(const rattle__linear *a) {
  static int part[MOST];
  static char negative[MOST];
  int changed = 1, side = 1;
  for (int i = 0; i < a->size; i++) part[i] = i, negative[i] = 0;
  while (changed) {
    changed = 0;
    for (int i = 0; i < a->size; i++)
      for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++) {
        const int j = a->col[e], least = part[i] < part[j] ? part[i] : part[j];
        changed |= part[i] != least || part[j] != least;
        part[i] = part[j] = least;
      }
  }
  for (int k = 0; k < a->size; k++) negative[part[k]] ^= reference_turn[k];
  for (int k = 0; k < a->size; k++)
    if (negative[k]) side = -1;
  return side;
}

/* Solves with random right-hand sides and compares, forwards and backwards: the residual in units
 * of round-off. So are the sign and the size of the determinant. */
static inline void check(rattle__linear *a, double forward) {
  const int n = a->size;
  /* KLU takes a pivot on the diagonal that is a thousandth of the largest in its column: entries of
   * a matrix whose diagonal is as random as the rest may grow a thousandfold, and again. LDL leaves
   * such matrices to it */
  const long double units =
      forward > 1e-14 && (!strcmp(a->name, "klu") || !strcmp(a->name, "ldl")) ? 1e6L : 1e3L;
  static double b[MOST], x[MOST];
  static long double exact[MOST];
  for (int i = 0; i < n; i++) x[i] = b[i] = uniform();
  assert_int_equal(a->factor(a), 0);
  assert_int_equal(a->blame, -1);
  a->solve(a, x);
  assert_int_equal(rattle__linear_sign(a), reference_solve(a, b, exact));
  if (!a->part) assert_int_equal(rattle__linear_watch_parts(a, NULL), RATTLE_OK);
  assert_int_equal(rattle__linear_side(a), reference_side(a));
  long double most = 0, log_size = 0;
  for (int k = 0; k < n; k++) log_size += logl(fabsl(reference[k][k]));
  assert_true(fabsl((long double)a->log_size(a) - log_size) <= (long double)forward * n);
  for (int i = 0; i < n; i++) most = fmaxl(most, fabsl(exact[i]));
  for (int i = 0; i < n; i++) {
    assert_true(fabsl((long double)x[i] - exact[i]) <= (long double)forward * most);
    long double residual = (long double)-b[i], scale = fabsl((long double)b[i]);
    for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++) {
      residual += (long double)a->value[e] * (long double)x[a->col[e]];
      scale += fabsl((long double)a->value[e]) * most;
    }
    assert_true(fabsl(residual) <= units * (long double)DBL_EPSILON * scale);
  }
}

static const struct {
  rattle__backend backend;
  int symmetric;
} backends[] = {{RATTLE__LINEAR_DENSE, 0},
                {RATTLE__LINEAR_TRIDIAGONAL, 0},
                {RATTLE__LINEAR_LDL, 1},
                {RATTLE__LINEAR_KLU, 0}};
enum { BACKENDS = sizeof backends / sizeof *backends };

#endif
