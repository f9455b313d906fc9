/* Dense matrices whose singular values, null spaces, shortest solutions and eigenvalues are known in
 * closed form. tests/reference/dense.py compares random ones with LAPACK. */
#include "ground/linear/eigenvalues.h"
#include "ground/linear/singular.h"
#include "ground/support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed = 1;
static double uniform(void) {
  return rattle__random_signed(&seed);
}

/* y <- (1 - 2 v v^T/v^T v) y */
static void mirror(int n, const double *v, double *y) {
  double square = 0, part = 0;
  for (int i = 0; i < n; i++) square += v[i] * v[i], part += v[i] * y[i];
  for (int i = 0; i < n; i++) y[i] -= 2 * part / square * v[i];
}

/* A = P diag(S) Q with mirrors P of rows and Q of columns: its columns of P are the left vectors. */
typedef struct known {
  int rows, columns, least;
  double *p, *q, *S, *A;
} known;

static known make(int rows, int columns, double ratio, int rank) {
  known a = {.rows = rows, .columns = columns, .least = rows < columns ? rows : columns};
  a.p = malloc((size_t)rows * sizeof(double));
  a.q = malloc((size_t)columns * sizeof(double));
  a.S = malloc((size_t)a.least * sizeof(double));
  a.A = malloc((size_t)rows * (size_t)columns * sizeof(double));
  for (int i = 0; i < rows; i++) a.p[i] = uniform();
  for (int i = 0; i < columns; i++) a.q[i] = uniform();
  for (int k = 0; k < a.least; k++) a.S[k] = k < rank ? pow(ratio, k) : 0;
  for (int j = 0; j < columns; j++) {
    double *column = a.A + (long)j * rows, *e = calloc((size_t)columns, sizeof *e);
    e[j] = 1;
    mirror(columns, a.q, e);
    memset(column, 0, (size_t)rows * sizeof *column);
    for (int k = 0; k < a.least; k++) column[k] = a.S[k] * e[k];
    mirror(rows, a.p, column);
    free(e);
  }
  return a;
}

static double *copy(const known *a) {
  const size_t bytes = (size_t)a->rows * (size_t)a->columns * sizeof(double);
  return memcpy(malloc(bytes), a->A, bytes);
}

static void release(known *a) {
  free(a->p), free(a->q), free(a->S), free(a->A);
}

static const struct shape {
  int rows, columns, rank;
  double ratio;
} shapes[] = {{1, 1, 1, 1},      {2, 2, 2, 0.5},    {2, 2, 1, 1},      {1, 7, 1, 1},
              {7, 1, 1, 1},      {9, 4, 4, 0.1},    {4, 9, 3, 0.1},    {30, 30, 30, 0.9},
              {30, 30, 17, 0.5}, {60, 25, 20, 0.3}, {25, 60, 20, 0.3}, {90, 90, 90, 1},
              {40, 40, 0, 1},    {110, 80, 80, 0.9}};

/* Values, orthonormal vectors, A^T u = s v, and nothing of A along those after. */
static void vectors(const known *a, double bound) {
  const int m = a->rows, n = a->columns, k = a->least;
  double *A = copy(a), *S = malloc((size_t)k * sizeof *S),
         *U = malloc((size_t)m * (size_t)m * sizeof *U);
  assert_int_equal(rattle__singular(m, n, A, S, U, NULL), RATTLE_OK);
  for (int i = 0; i < k; i++) assert_true(fabs(S[i] - a->S[i]) <= bound);
  for (int i = 0; i < m; i++) {
    const double *u = U + (long)i * m;
    double image = 0;
    for (int j = 0; j <= i; j++) {
      double product = 0;
      for (int l = 0; l < m; l++) product += u[l] * U[l + (long)j * m];
      assert_true(fabs(product - (i == j)) <= bound);
    }
    for (int j = 0; j < n; j++) {
      double product = 0;
      for (int l = 0; l < m; l++) product += u[l] * a->A[l + (long)j * m];
      image += product * product;
    }
    assert_true(fabs(sqrt(image) - (i < k ? a->S[i] : 0)) <= bound);
  }
  memcpy(A, a->A, (size_t)m * (size_t)n * sizeof *A);
  assert_int_equal(rattle__singular(m, n, A, U, NULL, NULL), RATTLE_OK);
  assert_memory_equal(U, S, (size_t)k * sizeof *S); /* the same without vectors */
  free(A), free(S), free(U);
}

static void singular_values(void **state) {
  (void)state;
  for (size_t t = 0; t < sizeof shapes / sizeof *shapes; t++) {
    known a = make(shapes[t].rows, shapes[t].columns, shapes[t].ratio, shapes[t].rank);
    vectors(&a, 4 * DBL_EPSILON * (a.rows + a.columns));
    release(&a);
  }
}

/* Between two values, and next to one of them: the bounds that need no values, and the values. */
static void ranks(void **state) {
  (void)state;
  for (size_t t = 0; t < sizeof shapes / sizeof *shapes; t++) {
    known a = make(shapes[t].rows, shapes[t].columns, shapes[t].ratio, shapes[t].rank);
    for (int k = 0; k <= a.least; k++)
      for (int side = 0; side < 3; side++) {
        const double above = k ? a.S[k - 1] : 2, below = k < a.least ? a.S[k] : 0;
        if (above - below < 1e-10) continue;
        const double part[] = {1e-3, 0.5, 0.999};
        double *A = copy(&a);
        int rank = -1;
        assert_int_equal(rattle__rank(a.rows, a.columns, A,
                                      below + 1e-13 + part[side] * (above - below - 2e-13), &rank,
                                      NULL),
                         RATTLE_OK);
        assert_int_equal(rank, k);
        free(A);
      }
    release(&a);
  }
}

/* x = Q S^+ P b */
static void shortest_solutions(void **state) {
  (void)state;
  for (size_t t = 0; t < sizeof shapes / sizeof *shapes; t++) {
    known a = make(shapes[t].rows, shapes[t].columns, shapes[t].ratio, shapes[t].rank);
    const int longest = a.rows > a.columns ? a.rows : a.columns;
    double *A = copy(&a), *b = malloc((size_t)longest * sizeof *b),
           *x = calloc((size_t)longest, sizeof *x), size = 0;
    for (int i = 0; i < a.rows; i++) x[i] = b[i] = uniform();
    mirror(a.rows, a.p, x);
    for (int k = 0; k < longest; k++) x[k] = k < a.least && a.S[k] > 0 ? x[k] / a.S[k] : 0;
    mirror(a.columns, a.q, x);
    int rank = -1;
    assert_int_equal(rattle__least_squares(a.rows, a.columns, A, b, 1e-13, &rank, NULL), RATTLE_OK);
    assert_int_equal(rank, shapes[t].rank);
    for (int k = 0; k < a.columns; k++) size = fmax(size, fabs(x[k]));
    const double condition = rank ? 1 / a.S[rank - 1] : 1;
    for (int k = 0; k < a.columns; k++)
      assert_true(fabs(b[k] - x[k]) <= 4 * DBL_EPSILON * longest * condition * (size + 1));
    free(A), free(b), free(x);
    release(&a);
  }
}

/* Orthogonal columns of lengths 1 ... 1e-140, and the same times 1e150: each to its own digits. */
static void small_values(void **state) {
  (void)state;
  enum { N = 15 };
  double v[N], A[N * N], S[N];
  for (int i = 0; i < N; i++) v[i] = uniform();
  for (int large = 0; large < 2; large++) {
    for (int j = 0; j < N; j++) {
      for (int i = 0; i < N; i++) A[i + j * N] = i == j;
      mirror(N, v, A + j * N);
      for (int i = 0; i < N; i++) A[i + j * N] *= pow(10, 150 * large - 10 * j);
    }
    assert_int_equal(rattle__singular(N, N, A, S, NULL, NULL), RATTLE_OK);
    for (int j = 0; j < N; j++)
      assert_true(fabs(S[j] / pow(10, 150 * large - 10 * j) - 1) <= 16 * DBL_EPSILON * N);
  }
}

/* Largest distance of an eigenvalue from the nearest of those that are known. */
static double off(int n, const double *re, const double *im, const double *known_re,
                  const double *known_im) {
  double most = 0;
  for (int i = 0; i < n; i++) {
    double least = (double)INFINITY;
    for (int j = 0; j < n; j++)
      least = fmin(least, hypot(re[i] - known_re[j], im[i] - known_im[j]));
    most = fmax(most, least);
  }
  return most;
}

/* kind 0: 2 on the diagonal, -1 beside it, in other units for every third: 2 - 2 cos(k pi/(n+1)).
 * 1: a cyclic permutation, n-th roots of 1. 2: a spiral block and real ones above a triangle. */
static void fill(int kind, int n, double *A, double *re, double *im) {
  memset(A, 0, (size_t)n * (size_t)n * sizeof *A);
  for (int k = 0; k < n; k++) {
    re[k] = kind == 0 ? 2 - 2 * cos(M_PI * (k + 1) / (n + 1)) : cos(2 * M_PI * k / n);
    im[k] = kind == 0 ? 0 : sin(2 * M_PI * k / n);
    for (int j = 0; j < n; j++) {
      if (kind == 0 && abs(j - k) < 2) A[k + j * n] = (j == k ? 2 : -1) * pow(10, k % 3 - j % 3);
      if (kind == 1) A[k + j * n] = j == (k + 1) % n;
      if (kind == 2 && j >= k) A[k + j * n] = uniform();
    }
    if (kind == 2) re[k] = A[k + k * n] = 1 + 0.25 * k, im[k] = 0;
  }
  if (kind != 2 || n < 2) return;
  A[0] = A[1 + n] = re[0] = re[1] = 0.6;
  A[1] = 1.6, A[n] = -0.4, im[0] = 0.8, im[1] = -0.8;
}

static void eigenvalues(void **state) {
  (void)state;
  static const int sizes[] = {1, 2, 3, 4, 5, 12, 40, 120};
  for (size_t t = 0; t < sizeof sizes / sizeof *sizes; t++)
    for (int kind = 0; kind < 3; kind++) {
      const int n = sizes[t];
      double *A = malloc((size_t)n * (size_t)n * sizeof *A),
             *room = calloc(4 * (size_t)n, sizeof *room), *re = room + n, *im = re + n,
             *known_im = im + n, largest = (double)INFINITY;
      fill(kind, n, A, room, known_im);
      assert_int_equal(rattle__eigenvalues(n, A, re, im, NULL), RATTLE_OK);
      /* a triangle's are exact, those of permutations on the circle */
      assert_true(off(n, re, im, room, known_im) <= 64 * DBL_EPSILON * n);
      for (int k = 0; k < n; k++) {
        assert_true(hypot(re[k], im[k]) <= largest * (1 + 4 * DBL_EPSILON));
        largest = hypot(re[k], im[k]);
        if (im[k] > 0) assert_true(im[k + 1] == -im[k] && re[k + 1] == re[k]);
        k += im[k] > 0;
      }
      free(A), free(room);
    }
}

/* Not finite: refused; nothing there: nothing done. */
static void edges(void **state) {
  (void)state;
  double A[4] = {1, (double)NAN, 0, 1}, b[2] = {1, 2}, re[2], im[2];
  int rank = 7;
  assert_int_equal(rattle__singular(2, 2, A, re, NULL, NULL), RATTLE_DOMAIN);
  assert_int_equal(rattle__least_squares(2, 2, A, b, 0, NULL, NULL), RATTLE_DOMAIN);
  assert_int_equal(rattle__eigenvalues(2, A, re, im, NULL), RATTLE_DOMAIN);
  A[1] = (double)INFINITY;
  assert_int_equal(rattle__rank(2, 2, A, 0, &rank, NULL), RATTLE_DOMAIN);
  A[1] = 0, b[1] = (double)INFINITY;
  assert_int_equal(rattle__least_squares(2, 2, A, b, 0, NULL, NULL), RATTLE_DOMAIN);
  assert_int_equal(rattle__singular(2, 0, A, re, A, NULL), RATTLE_OK);
  const double identity[] = {1, 0, 0, 1};
  assert_memory_equal(A, identity, sizeof A);
  assert_int_equal(rattle__rank(0, 2, A, 0, &rank, NULL), RATTLE_OK);
  assert_int_equal(rank, 0);
  assert_int_equal(rattle__eigenvalues(0, A, re, im, NULL), RATTLE_OK);
}

/* Columns whose product after a rotation is as large as its own rounding lets it be: rotations end,
 * and S1 S2 = |det A|, S1^2 + S2^2 = |A|^2. */
static void rotations_end(void **state) {
  (void)state;
  static const double A[][4] = {
      {0x1.0de588061bcb2p-1, -0x1.9795c63b2f2b8p-2, 0x1.397e51de72fcap-1, 0x1.62272412c44e8p-3},
      {0x1.461f41f28c3e8p-3, 0x1.49bea57e937d4p-1, -0x1.2d48d1365a91ap-1, -0x1.32e655da65ccap-2},
      {-0x1.9b4c4ee336988p-4, -0x1.5c9afb16b936p-1, 0x1.e157f42bc2bp-2, -0x1.d460abbba8c16p-2}};
  for (size_t k = 0; k < sizeof A / sizeof *A; k++) {
    double a[4], S[2];
    rattle_error error;
    memcpy(a, A[k], sizeof a);
    if (rattle__singular(2, 2, a, S, NULL, &error)) fail_msg("%s", error.message);
    const double det = A[k][0] * A[k][3] - A[k][1] * A[k][2];
    double square = 0;
    for (int i = 0; i < 4; i++) square += A[k][i] * A[k][i];
    assert_true(fabs(S[0] * S[1] - fabs(det)) < 1e-15);
    assert_true(fabs(S[0] * S[0] + S[1] * S[1] - square) < 1e-15);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(singular_values),    cmocka_unit_test(ranks),
      cmocka_unit_test(shortest_solutions), cmocka_unit_test(small_values),
      cmocka_unit_test(eigenvalues),        cmocka_unit_test(edges),
      cmocka_unit_test(rotations_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
