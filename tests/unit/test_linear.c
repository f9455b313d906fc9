/* The solve room: every backend against elimination in long double, what is singular, and what must
 * not be allocated. */
#include "ground/linear/linear.h"
#include "ground/support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COUNTS_ALLOCATIONS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define COUNTS_ALLOCATIONS 0
#endif
#endif
#if !defined(COUNTS_ALLOCATIONS) && defined(__GLIBC__)
#define COUNTS_ALLOCATIONS 1
#endif

#if COUNTS_ALLOCATIONS
static long allocations;
#define SEEN_BY_LIBRARIES __attribute__((visibility("default")))
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t size);
SEEN_BY_LIBRARIES void *malloc(size_t size) {
  allocations++;
  return __libc_malloc(size);
}
SEEN_BY_LIBRARIES void *calloc(size_t count, size_t size) {
  allocations++;
  return __libc_calloc(count, size);
}
SEEN_BY_LIBRARIES void *realloc(void *p, size_t size) {
  allocations++;
  return __libc_realloc(p, size);
}
#endif

enum { MOST = 700 };

static uint64_t seed;
static double uniform(void) { /* in (-1, 1) */
  return (double)((int64_t)rattle__random(&seed) >> 11) * 0x1p-52;
}

/* A pattern as a full matrix of flags, and its compressed rows. */
static char flag[MOST][MOST];
static int ptr[MOST + 1], col[MOST * MOST];
static void compress(int n) {
  int nnz = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      if (flag[i][j]) col[nnz++] = j;
    ptr[i + 1] = nnz;
  }
}
static void connect(int i, int j) {
  flag[i][j] = flag[j][i] = flag[i][i] = flag[j][j] = 1;
}
static void full_pattern(int n) {
  memset(flag, 0, sizeof flag);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) flag[i][j] = 1;
  compress(n);
}
static void band_pattern(int n) {
  memset(flag, 0, sizeof flag);
  flag[0][0] = 1;
  for (int i = 1; i < n; i++) connect(i, i - 1);
  compress(n);
}
static void random_pattern(int n, int extra) {
  memset(flag, 0, sizeof flag);
  for (int i = 0; i < n; i++) flag[i][i] = 1;
  for (int e = 0; e < extra; e++) {
    const int i = (int)((uniform() + 1) / 2 * n), j = (int)((uniform() + 1) / 2 * n);
    connect(i, j);
  }
  compress(n);
}

static rattle__linear *create(int n, int symmetric, rattle__backend backend) {
  rattle__linear *a = NULL;
  rattle_error error;
  const rattle_status status = rattle__linear_create(&a, n, ptr, col, symmetric, backend, &error);
  if (status) fail_msg("%s", error.message);
  return a;
}

/* Random values; positive definite: a dominant positive diagonal; else the diagonal is as random as
 * the rest. */
static void fill(rattle__linear *a, int definite) {
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

/* Returns the sign of the determinant. */
static long double reference[MOST][MOST + 1];
static int reference_solve(const rattle__linear *a, const double *b, long double *x) {
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
    if ((p != k) != (reference[k][k] < 0)) sign = -sign;
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

/* Solves with random right-hand sides and compares, forwards and backwards: the residual in units
 * of round-off. So are the sign and the size of the determinant. */
static void check(rattle__linear *a, double forward) {
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
  assert_int_equal(a->sign(a), reference_solve(a, b, exact));
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

static void dense_agrees(void **state) {
  (void)state;
  seed = 1;
  for (int n = 1; n <= 40; n++) {
    full_pattern(n);
    rattle__linear *a = create(n, 0, RATTLE__LINEAR_DENSE);
    assert_string_equal(a->name, "dense");
    for (int trial = 0; trial < 20; trial++) {
      fill(a, trial % 2);
      check(a, trial % 2 ? 1e-14 : 1e-9);
    }
    rattle__linear_destroy(&a);
    assert_null(a);
    random_pattern(n, n);
    a = create(n, 0, RATTLE__LINEAR_DENSE);
    fill(a, 1);
    check(a, 1e-14);
    rattle__linear_destroy(&a);
  }
}

static void tridiagonal_agrees(void **state) {
  (void)state;
  seed = 2;
  for (int n = 1; n <= 33; n++) {
    band_pattern(n);
    rattle__linear *a = create(n, 0, RATTLE__LINEAR_TRIDIAGONAL);
    assert_string_equal(a->name, n == 1 ? "dense" : "tridiagonal");
    for (int trial = 0; trial < 100; trial++) {
      fill(a, trial % 2);
      check(a, trial % 2 ? 1e-14 : 1e-8);
    }
    rattle__linear_destroy(&a);
    /* entries missing from the band */
    memset(flag, 0, sizeof flag);
    for (int i = 1; i < n; i += 2) flag[i][i - 1] = 1;
    for (int i = 2; i < n; i += 3) flag[i][i] = flag[i - 1][i] = 1;
    compress(n);
    a = create(n, 0, RATTLE__LINEAR_TRIDIAGONAL);
    fill(a, 1);
    check(a, 1e-14);
    rattle__linear_destroy(&a);
  }
}

static void sparse_agrees(void **state) {
  (void)state;
  seed = 3;
  for (int n = 1; n <= 61; n += 3) {
    for (int trial = 0; trial < 10; trial++) {
      random_pattern(n, n);
      rattle__linear *ldl = create(n, 1, RATTLE__LINEAR_LDL),
                     *klu = create(n, 0, RATTLE__LINEAR_KLU);
      assert_string_equal(ldl->name, "ldl");
      assert_string_equal(klu->name, "klu");
      fill(ldl, 1);
      check(ldl, 1e-14);
      for (int e = 0; e < ldl->nnz; e++) ldl->value[e] = -ldl->value[e];
      check(ldl, 1e-14);
      fill(klu, 1);
      check(klu, 1e-14);
      fill(klu, 0);
      check(klu, 1e-8);
      fill(ldl, 0);
      check(ldl, 1e-8);
      rattle__linear_destroy(&ldl);
      rattle__linear_destroy(&klu);
    }
  }
}

/* [D G^T; G 0] with the zero block first, or with round-off in its place: no good diagonal pivot to
 * begin with, not definite. */
static void saddle_points_are_solved(void **state) {
  (void)state;
  seed = 4;
  const int m = 20, n = 60;
  memset(flag, 0, sizeof flag);
  for (int i = 0; i < m; i++)
    for (int k = 0; k < 2; k++) connect(i, m + 2 * i + k);
  for (int i = 1; i < m; i++) connect(i, m + 2 * i - 1);
  compress(n);
  for (int kind = 0; kind < 2; kind++) {
    rattle__linear *a = create(n, kind, kind ? RATTLE__LINEAR_LDL : RATTLE__LINEAR_KLU);
    for (int trial = 0; trial < 20; trial++) {
      fill(a, 1);
      for (int i = 0; i < m; i++)
        for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++)
          if (a->col[e] == i) a->value[e] = trial % 2 ? 0 : 1e-14;
      check(a, 1e-9);
    }
    rattle__linear_destroy(&a);
  }
}

/* A chain of blocks of four unknowns, with the multipliers, which have the fewest neighbours,
 * behind them. */
static rattle__linear *create_saddle(int n) {
  const int m = n / 3;
  rattle__linear *a = NULL;
  memset(flag, 0, sizeof flag);
  for (int i = 0; i < n - m; i++)
    for (int k = i - i % 4; k < i; k++) connect(i, k);
  for (int i = 0; i < m; i++) {
    connect(n - m + i, 2 * i);
    if (2 * i + 3 < n - m) connect(n - m + i, 2 * i + 3);
  }
  for (int i = n - m; i < n; i++) flag[i][i] = 0;
  compress(n);
  assert_int_equal(rattle__linear_create_saddle(&a, &(rattle__saddle){n, m, ptr, col}, NULL, NULL),
                   RATTLE_OK);
  assert_string_equal(a->name, "klu");
  return a;
}

static void fill_saddle(rattle__linear *a) {
  const int first = a->size - a->multipliers;
  fill(a, 1);
  for (int i = first; i < a->size; i++)
    for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++)
      if (a->col[e] >= first) a->value[e] = 0;
}

/* Multipliers last: the pivots of the plan are those of the values, and nothing is allocated. If
 * all multipliers share an unknown, that order would fill the matrix; the order of least fill
 * remains, whose pivots are chosen afresh. */
static void saddle_points_are_solved_in_order(void **state) {
  (void)state;
  seed = 13;
  for (int n = 18; n <= 300; n += 47) {
    rattle__linear *a = create_saddle(n);
    for (int trial = 0; trial < 5; trial++) {
      fill_saddle(a);
      check(a, 1e-9);
    }
    rattle__linear_destroy(&a);
  }
  const int m = 200, n = 2 * m + 1;
  memset(flag, 0, sizeof flag);
  for (int i = 0; i < m; i++) {
    connect(n - m + i, i);
    connect(n - m + i, m);
    if (i) connect(i, i - 1);
  }
  compress(n);
  rattle__linear *a = NULL;
  assert_int_equal(rattle__linear_create_saddle(&a, &(rattle__saddle){n, m, ptr, col}, NULL, NULL),
                   RATTLE_OK);
  fill_saddle(a);
#if COUNTS_ALLOCATIONS
  const long before = allocations;
  assert_int_equal(a->factor(a), RATTLE_OK);
  assert_true(allocations > before);
#endif
  check(a, 1e-9);
  rattle__linear_destroy(&a);
}

/* A diagonal far smaller than the rest: right in exact arithmetic whatever the pivots, but not in
 * ours. */
static void small_pivots_are_not_used(void **state) {
  (void)state;
  seed = 12;
  const int n = 24;
  const rattle__backend backend[] = {RATTLE__LINEAR_DENSE, RATTLE__LINEAR_TRIDIAGONAL,
                                     RATTLE__LINEAR_LDL, RATTLE__LINEAR_KLU};
  for (int b = 0; b < 4; b++) {
    band_pattern(n);
    rattle__linear *a = create(n, 1, backend[b]);
    fill(a, 1);
    for (int i = 0; i < n; i++)
      for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++)
        if (a->col[e] == i) a->value[e] = i % 2 ? 1e-11 : -1e-11;
    check(a, 1e-10);
    rattle__linear_destroy(&a);
  }
}

static void small_agrees_to_the_bit(void **state) {
  (void)state;
  seed = 5;
  for (int n = 1; n <= 2; n++) {
    full_pattern(n);
    rattle__linear *a = create(n, 0, RATTLE__LINEAR_AUTO);
    for (int trial = 0; trial < 1000; trial++) {
      fill(a, 0);
      if (trial % 10 == 0) a->value[n * n - 1] = trial % 20 ? 0 : (double)NAN;
      if (trial % 7 == 0 && n == 2) memcpy(a->value + 2, a->value, 2 * sizeof *a->value);
      double x[2] = {uniform(), uniform()}, y[2] = {x[0], x[1]};
      const int bad = a->factor(a);
      if (!bad) a->solve(a, y);
      assert_int_equal(rattle__solve_small(n, a->value, x), bad != 0);
      assert_memory_equal(x, y, sizeof x);
    }
    rattle__linear_destroy(&a);
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

/* Row i and its column set to zero: nothing else can be blamed. */
static void zero_row_is_blamed(void **state) {
  (void)state;
  seed = 6;
  for (int b = 0; b < BACKENDS; b++)
    for (int n = 1; n <= 12; n++)
      for (int zero = 0; zero < n; zero++) {
        band_pattern(n);
        rattle__linear *a = create(n, backends[b].symmetric, backends[b].backend);
        fill(a, 1);
        for (int i = 0; i < n; i++)
          for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++)
            if (i == zero || a->col[e] == zero) a->value[e] = 0;
        assert_int_not_equal(a->factor(a), 0);
        assert_int_equal(a->blame, zero);
        fill(a, 1);
        check(a, 1e-14);
        rattle__linear_destroy(&a);
      }
}

/* Singular to round-off only: the graph Laplacian of a path, rows in units up to 1e6 and up to 1e60
 * apart (columns too where it must be symmetric); regular where one end is held, columns in any
 * units then. */
static void nearly_singular_is_found(void **state) {
  (void)state;
  for (int b = 0; b < BACKENDS; b++)
    for (int n = 2; n <= 40; n++)
      for (int kind = 0; kind < 6; kind++) {
        const int regular = kind % 3 > 0, columns = kind % 3 > 1 || backends[b].symmetric;
        const double spread = kind < 3 ? 0.6 : 6;
        band_pattern(n);
        rattle__linear *a = create(n, backends[b].symmetric, backends[b].backend);
        for (int i = 0; i < n; i++)
          for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++) {
            const int j = a->col[e];
            const double laplacian =
                i == j ? (i == 0 || i == n - 1 ? 1 : 2) + (regular && i == 0 ? 1 : 0) : -1;
            a->value[e] = laplacian * pow(10, (i * 7 % 11 - 5) * spread) *
                          (columns ? pow(10, (j * 7 % 11 - 5) * spread) : 1);
          }
        assert_int_equal(a->factor(a) != 0, !regular);
        if (!regular) assert_in_range(a->blame, 0, n - 1);
        rattle__linear_destroy(&a);
      }
}

/* Two rows of G [2][3], the second a third of the first but for `apart`. */
static double row_of_G(int i, int k, double h, double apart) {
  const double row[] = {2, 4 * h, 0};
  return i ? row[k] / 3 + (k == 2 ? apart : 0) : row[k];
}

/* A step of RATTLE as one system: q - h p = a, p + h G^T l = b, p1 - p + h (V'' q + G^T m) = c, G q
 * = d, G p1 + P q = e. Its small pivots are made of terms as small. */
static rattle__linear *short_step(double h, double apart, rattle__backend backend) {
  enum { Q = 0, P = 3, P1 = 6, L = 9, ALL = 13 };
  double A[ALL][ALL] = {{0}};
  memset(flag, 0, sizeof flag);
  for (int i = 0; i < ALL; i++) flag[i][i] = 1;
  for (int k = 0; k < 3; k++) {
    A[Q + k][Q + k] = A[P + k][P + k] = A[P1 + k][P1 + k] = 1;
    A[Q + k][P + k] = -h, A[P1 + k][P + k] = -1;
    A[P1 + k][Q + k] = 2 * h;
    for (int i = 0; i < 2; i++) {
      const double G = row_of_G(i, k, h, apart);
      A[P + k][L + i] = A[P1 + k][L + 2 + i] = h * G;
      A[L + i][Q + k] = A[L + 2 + i][P1 + k] = G;
    }
  }
  A[P1][Q + 2] = A[P1 + 2][Q] = 0.1 * h;
  for (int i = 0; i < 2; i++) {
    A[L + 2 + i][Q] = (i ? 1 / 3.0 : 1) * 10 * h;
    A[L + 2 + i][Q + 1] = i ? -4 / 3.0 : -4;
  }
  for (int r = 0; r < ALL; r++)
    for (int c = 0; c < ALL; c++)
      if (A[r][c] != 0) connect(r, c);
  compress(ALL);
  rattle__linear *a = create(ALL, 0, backend);
  for (int r = 0; r < ALL; r++)
    for (int e = a->ptr[r]; e < a->ptr[r + 1]; e++) a->value[e] = A[r][a->col[e]];
  return a;
}

/* Regular, however short the step; singular where rows of G are dependent, but for round-off. */
static void short_steps_are_regular(void **state) {
  static const double steps[] = {1, 1e-2, 1e-4, 1e-6, 1e-8}, apart = 1e-6;
  (void)state;
  for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
    for (int sparse = 0; sparse < 2; sparse++) {
      const rattle__backend backend = sparse ? RATTLE__LINEAR_KLU : RATTLE__LINEAR_DENSE;
      rattle__linear *a = short_step(steps[k], apart, backend),
                     *b = short_step(steps[k], 0, backend);
      double x[MOST] = {0};
      assert_int_equal(a->factor(a), RATTLE_OK);
      for (int i = 0; i < 2; i++) x[9 + i] = i * apart;
      a->solve(a, x);
      for (int i = 0; i < 2; i++) {
        double g = 0;
        for (int j = 0; j < 3; j++) g += row_of_G(i, j, steps[k], apart) * x[j];
        assert_true(fabs(g - i * apart) < 1e-2 * apart);
      }
      assert_int_equal(b->factor(b), RATTLE_SINGULAR);
      rattle__linear_destroy(&a);
      rattle__linear_destroy(&b);
    }
}

/* Units of time, length and mass by some powers of ten: they scale q, p, p1 and the multipliers,
 * and each equation. Every equation is solved to round-off of its own terms, in any units and
 * however short the step, where rows and columns are scaled. */
static void units_do_not_matter(void **state) {
  static const double steps[] = {1e-1, 1e-3, 1e-5, 1e-7, 1e-9};
  enum { Q, P, MULTIPLIER, G = MULTIPLIER, PSI, KINDS, ALL = 13 };
  static const int column_of[ALL] = {Q, Q, Q,          P,          P,          P,         P,
                                     P, P, MULTIPLIER, MULTIPLIER, MULTIPLIER, MULTIPLIER};
  static const int row_of[ALL] = {Q, Q, Q, P, P, P, P, P, P, G, G, PSI, PSI};
  (void)state;
  seed = 13;
  for (int trial = 0; trial < 600; trial++) {
    const double h = steps[trial % 5];
    rattle__linear *a = short_step(h, 1, trial % 2 ? RATTLE__LINEAR_KLU : RATTLE__LINEAR_DENSE);
    double row[KINDS], column[KINDS], z[ALL], b[ALL], x[ALL];
    for (int k = 0; k < KINDS; k++) row[k] = column[k] = pow(10, 3 * uniform());
    column[MULTIPLIER] = pow(10, 3 * uniform());
    for (int i = 0; i < ALL; i++) {
      for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++)
        a->value[e] *= row[row_of[i]] / column[column_of[a->col[e]]];
      z[i] = uniform() * column[column_of[i]] / (column_of[i] == MULTIPLIER ? h : 1);
    }
    for (int i = 0; i < ALL; i++) {
      x[i] = 0;
      for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++) x[i] += a->value[e] * z[a->col[e]];
      b[i] = x[i];
    }
    a->equilibrate = 1;
    assert_int_equal(a->factor(a), RATTLE_OK);
    a->solve(a, x);
    for (int i = 0; i < ALL; i++) {
      long double residual = -(long double)b[i], terms = fabsl((long double)b[i]);
      for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++) {
        const long double term = (long double)a->value[e] * (long double)x[a->col[e]];
        residual += term;
        terms += fabsl(term);
      }
      assert_true(fabsl(residual) < 1e-14L * terms);
    }
    rattle__linear_destroy(&a);
  }
}

static void not_finite_is_refused(void **state) {
  (void)state;
  seed = 7;
  const double bad[] = {(double)NAN, INFINITY, -INFINITY};
  for (int b = 0; b < BACKENDS; b++)
    for (int n = 1; n <= 9; n++) {
      band_pattern(n);
      rattle__linear *a = create(n, backends[b].symmetric, backends[b].backend);
      for (int e = 0; e < a->nnz; e++)
        for (int kind = 0; kind < 3; kind++) {
          fill(a, 1);
          a->value[e] = bad[kind];
          assert_int_not_equal(a->factor(a), 0);
          assert_in_range(a->blame, 0, n - 1);
        }
      fill(a, 1);
      check(a, 1e-14);
      rattle__linear_destroy(&a);
    }
}

static void patterns_get_their_diagonal(void **state) {
  (void)state;
  memset(flag, 0, sizeof flag);
  for (int i = 0; i < 40; i++) flag[i][(i + 1) % 40] = flag[(i + 1) % 40][i] = 1;
  compress(40);
  rattle__linear *a = create(40, 1, RATTLE__LINEAR_AUTO);
  assert_int_equal(a->nnz, 120);
  for (int i = 0; i < 40; i++) {
    int found = 0;
    for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++) {
      found += a->col[e] == i;
      if (e > a->ptr[i]) assert_true(a->col[e] > a->col[e - 1]);
    }
    assert_int_equal(found, 1);
  }
  rattle__linear_destroy(&a);
}

static void choice_follows_size_and_pattern(void **state) {
  (void)state;
  const struct {
    const char *name;
    int n, kind, symmetric;
  } cases[] = {{"dense", 0, 1, 0},       {"dense", 1, 1, 0},        {"dense", 3, 1, 1},
               {"tridiagonal", 4, 1, 1}, {"tridiagonal", 50, 1, 0}, {"dense", 30, 2, 1},
               {"ldl", 31, 2, 1},        {"dense", 15, 2, 0},       {"klu", 16, 2, 0},
               {"dense", 16, 3, 0},      {"klu", 31, 2, 0},         {"dense", 60, 3, 1},
               {"dense", 60, 3, 0}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    seed = 8;
    if (cases[c].kind == 1) band_pattern(cases[c].n);
    if (cases[c].kind == 2) random_pattern(cases[c].n, 20);
    if (cases[c].kind == 3) full_pattern(cases[c].n);
    if (cases[c].n == 0) ptr[0] = 0;
    rattle__linear *a = create(cases[c].n, cases[c].symmetric, RATTLE__LINEAR_AUTO);
    assert_string_equal(a->name, cases[c].name);
    if (cases[c].n == 0) {
      assert_int_equal(a->factor(a), 0);
      a->solve(a, NULL);
    }
    rattle__linear_destroy(&a);
  }
}

static void bad_patterns_are_refused(void **state) {
  (void)state;
  const int two[] = {0, 1, 2}, beyond[] = {0, 2}, none[] = {0, 0}, order[] = {1, 0},
            start[] = {0, 2, 2}, far[] = {0, 0, 0, 1}, corner[] = {0};
  rattle__linear *a;
  rattle_error error;
  assert_int_equal(rattle__linear_create(&a, -1, none, none, 0, RATTLE__LINEAR_AUTO, &error),
                   RATTLE_BAD_ARGUMENT);
  assert_int_equal(rattle__linear_create(&a, 2, two, beyond, 0, RATTLE__LINEAR_AUTO, &error),
                   RATTLE_BAD_ARGUMENT);
  assert_int_equal(rattle__linear_create(&a, 2, start, order, 0, RATTLE__LINEAR_AUTO, &error),
                   RATTLE_BAD_ARGUMENT);
  assert_int_equal(rattle__linear_create(&a, 3, far, corner, 0, RATTLE__LINEAR_TRIDIAGONAL, &error),
                   RATTLE_BAD_ARGUMENT);
  assert_int_equal(rattle__linear_create(&a, 2, two, none, 0, RATTLE__LINEAR_LDL, &error),
                   RATTLE_BAD_ARGUMENT);
  assert_null(a);
}

/* factor must depend on the values at hand alone: factors before, good, bad or of other pivots,
 * leave no trace. */
static void results_have_no_history(void **state) {
  (void)state;
  seed = 9;
  const int n = 24;
  for (int b = 0; b < BACKENDS; b++)
    for (int trial = 0; trial < 20; trial++) {
      band_pattern(n);
      rattle__linear *a = create(n, backends[b].symmetric, backends[b].backend);
      rattle__linear *fresh = create(n, backends[b].symmetric, backends[b].backend);
      double x[24], y[24];
      for (int before = 0; before < 5; before++) {
        fill(a, before % 2);
        for (int i = 0; i < n && before == 0; i++) /* other pivots than the diagonal's */
          for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++)
            if (a->col[e] == i) a->value[e] = 0;
        if (before == 2) a->value[3] = (double)NAN;
        if (before == 3) memset(a->value, 0, sizeof *a->value * (size_t)a->nnz);
        if (before == 4)
          for (int e = 0; e < a->nnz; e++) a->value[e] *= 1e-9 + fabs(uniform());
        a->factor(a);
      }
      fill(a, trial % 2);
      memcpy(fresh->value, a->value, sizeof *a->value * (size_t)a->nnz);
      for (int i = 0; i < n; i++) x[i] = y[i] = uniform();
      assert_int_equal(a->factor(a), 0);
      assert_int_equal(fresh->factor(fresh), 0);
      a->solve(a, x);
      fresh->solve(fresh, y);
      assert_memory_equal(x, y, sizeof x);
      rattle__linear_destroy(&a);
      rattle__linear_destroy(&fresh);
    }
}

static void factor_and_solve_allocate_nothing(void **state) {
  (void)state;
#if COUNTS_ALLOCATIONS
  seed = 11;
  for (int b = 0; b <= BACKENDS; b++) {
    const int saddle = b == BACKENDS;
    band_pattern(50);
    rattle__linear *a =
        saddle ? create_saddle(50) : create(50, backends[b].symmetric, backends[b].backend);
    double x[50];
    if (saddle)
      fill_saddle(a);
    else
      fill(a, 1);
    const long before = allocations;
    for (int repeat = 0; repeat < 3; repeat++) {
      for (int i = 0; i < 50; i++) x[i] = 1;
      assert_int_equal(a->factor(a), 0);
      a->solve(a, x);
    }
    assert_int_equal(allocations - before, 0);
    rattle__linear_destroy(&a);
  }
#else
  skip();
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dense_agrees),
      cmocka_unit_test(tridiagonal_agrees),
      cmocka_unit_test(sparse_agrees),
      cmocka_unit_test(saddle_points_are_solved),
      cmocka_unit_test(saddle_points_are_solved_in_order),
      cmocka_unit_test(small_pivots_are_not_used),
      cmocka_unit_test(small_agrees_to_the_bit),
      cmocka_unit_test(zero_row_is_blamed),
      cmocka_unit_test(nearly_singular_is_found),
      cmocka_unit_test(short_steps_are_regular),
      cmocka_unit_test(units_do_not_matter),
      cmocka_unit_test(not_finite_is_refused),
      cmocka_unit_test(patterns_get_their_diagonal),
      cmocka_unit_test(choice_follows_size_and_pattern),
      cmocka_unit_test(bad_patterns_are_refused),
      cmocka_unit_test(results_have_no_history),
      cmocka_unit_test(factor_and_solve_allocate_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
