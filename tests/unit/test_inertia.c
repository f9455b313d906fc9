/* Numbers of eigenvalues that are not positive: of matrices X D X^T by Sylvester's law, of every
 * size around blocks of pivots. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "constraint/guard/inertia.h"
#include "ground/support/random.h"

enum { MOST = 130 };

static uint64_t seed = 1;

static double uniform(void) { /* in (-1, 1) */
  return (double)((int64_t)rattle__random(&seed) >> 11) * 0x1p-52;
}

/* A = X D X^T with X unit lower triangular, rows permuted and scaled by `scale` to a random power,
 * D having `negative` negative entries. */
static void make(int m, int negative, double scale, double *A) {
  static double X[MOST * MOST];
  for (int i = 0; i < m; i++) {
    const double factor = pow(scale, uniform());
    for (int j = 0; j < m; j++)
      X[i * m + j] = factor * (i == j ? 1 : j < i ? uniform() / sqrt(m) : 0);
  }
  for (int i = m - 1; i > 0; i--) {
    const int other = (int)(rattle__random(&seed) % (uint64_t)(i + 1));
    for (int j = 0; j < m; j++) {
      const double x = X[i * m + j];
      X[i * m + j] = X[other * m + j];
      X[other * m + j] = x;
    }
  }
  memset(A, 0, (size_t)(m * m) * sizeof *A);
  for (int k = 0; k < m; k++) {
    const double d = (k < negative ? -1 : 1) * (0.5 + fabs(uniform()));
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++) A[i * m + j] += X[i * m + k] * d * X[j * m + k];
  }
}

static void test_known(void **state) {
  static double A[MOST * MOST];
  (void)state;
  for (int m = 1; m <= MOST; m += m < 12 ? 1 : 13)
    for (int trial = 0; trial < 8; trial++) {
      const int negative = trial == 0   ? 0
                           : trial == 1 ? m
                                        : (int)(rattle__random(&seed) % (uint64_t)(m + 1));
      make(m, negative, trial < 4 ? 1 : 1e4, A);
      assert_int_equal(rattle__not_positive(m, A), negative);
    }
}

/* What has nothing on its diagonal needs pivots of two; zeros and what is no number are not
 * positive. */
static void test_odd(void **state) {
  double pairs[16] = {0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, -2, 0, 0, -2, 0};
  double zero[9] = {2, 0, 0, 0, 0, 0, 0, 0, 3}, number[4] = {(double)NAN, 1, 1, 2},
         corner[4] = {2, 1, 1, (double)NAN};
  double all[9];
  (void)state;
  for (int i = 0; i < 9; i++) all[i] = (double)NAN;
  assert_int_equal(rattle__not_positive(4, pairs), 2);
  assert_int_equal(rattle__not_positive(3, zero), 1);
  assert_true(rattle__not_positive(2, number) > 0);
  assert_true(rattle__not_positive(2, corner) > 0);
  assert_int_equal(rattle__not_positive(3, all), 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_known), cmocka_unit_test(test_odd)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
