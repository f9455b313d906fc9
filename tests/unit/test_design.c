/* Designs of points in the unit cube, and quantiles: against erfc, and by what each design
 * promises. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "ground/support/design.h"

static void normal_quantiles(void **state) {
  (void)state;
  for (int k = 1; k < 2000; k++) {
    const double u = k / 2000.0, x = rattle__normal_quantile(u);
    assert_true(fabs(0.5 * erfc(-x / sqrt(2)) - u) <= 4e-16);
    assert_true(fabs(x + rattle__normal_quantile(1 - u)) <= 1e-12 * (1 + fabs(x)));
  }
  for (double u = 0.05; u > 1e-300; u *= 0.37) {
    const double x = rattle__normal_quantile(u), there = 0.5 * erfc(-x / sqrt(2));
    assert_true(fabs(there / u - 1) <= 1e-13 * (1 + x * x));
  }
}

static void units(void **state) {
  (void)state;
  assert_true(rattle__unit_of_bits(0) > 0 && rattle__unit_of_bits(UINT64_MAX) < 1);
}

static void permutations(void **state) {
  (void)state;
  enum { MOST = 300 };
  for (uint64_t count = 1; count <= MOST; count += 13) {
    int seen[MOST + 1] = {0};
    int moved = 0;
    for (uint64_t k = 0; k < count; k++) {
      const uint64_t to = rattle__permuted(7, k, count);
      assert_true(to < count && !seen[to]++);
      moved += to != k;
    }
    assert_true(count < 20 || moved > (int)count / 2);
  }
}

/* One point in each stratum, of every axis; and other points by another seed. */
static void hypercubes(void **state) {
  (void)state;
  enum { POINTS = 100 };
  for (int axis = 0; axis < 5; axis++) {
    int seen[POINTS] = {0}, differ = 0;
    for (uint64_t k = 0; k < POINTS; k++) {
      const double u = rattle__hypercube_point(3, axis, k, POINTS);
      assert_true(u > 0 && u < 1);
      seen[(int)(u * POINTS)]++;
      differ += u != rattle__hypercube_point(4, axis, k, POINTS);
    }
    for (int i = 0; i < POINTS; i++) assert_int_equal(seen[i], 1);
    assert_int_equal(differ, POINTS);
  }
}

/* The first 2^k points: one in each of 2^k intervals of each axis; and of the first two axes, one
 * in each elementary rectangle of area 2^-k (a (0, k, 2)-net in base 2). */
static void sobol(void **state) {
  (void)state;
  enum { BITS = 8, POINTS = 1 << BITS };
  for (int axis = 0; axis < RATTLE__MOST_SOBOL; axis++) {
    int seen[POINTS] = {0};
    for (uint64_t k = 0; k < POINTS; k++) seen[(int)(rattle__sobol_point(5, axis, k) * POINTS)]++;
    for (int i = 0; i < POINTS; i++) assert_int_equal(seen[i], 1);
  }
  for (int bits = 0; bits <= BITS; bits++) {
    int seen[POINTS] = {0};
    const int columns = 1 << bits, rows = 1 << (BITS - bits);
    for (uint64_t k = 0; k < POINTS; k++)
      seen[(int)(rattle__sobol_point(5, 0, k) * columns) * rows +
           (int)(rattle__sobol_point(5, 1, k) * rows)]++;
    for (int i = 0; i < POINTS; i++) assert_int_equal(seen[i], 1);
  }
}

/* Pairs of axes of the table: all 2^12 first points in different cells of 64 x 64 only for good
 * direction numbers; of the others their correlation is small. Independent numbers have one of
 * about 1/64. */
static void axes_differ(void **state) {
  (void)state;
  enum { POINTS = 4096 };
  for (int a = 0; a < RATTLE__MOST_SOBOL; a++)
    for (int b = 0; b < a; b++) {
      double sobol_sum = 0, random_sum = 0;
      for (uint64_t k = 0; k < POINTS; k++) {
        sobol_sum += (rattle__sobol_point(1, a, k) - 0.5) * (rattle__sobol_point(1, b, k) - 0.5);
        random_sum += (rattle__random_point(1, a, k) - 0.5) * (rattle__random_point(1, b, k) - 0.5);
      }
      assert_true(fabs(sobol_sum) * 12 / POINTS < 0.05);
      assert_true(fabs(random_sum) * 12 / POINTS < 0.08);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(normal_quantiles), cmocka_unit_test(units), cmocka_unit_test(permutations),
      cmocka_unit_test(hypercubes),       cmocka_unit_test(sobol), cmocka_unit_test(axes_differ)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
