/* Discrete gradients of a function of one variable along chords: long, short, and one along which
 * the rest vanishes by chance. */
#include "maps/constrained/gonzalez.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* F = q^7 - a q^3 + 1 */
static long double value(long double a, long double q) {
  return powl(q, 7) - a * q * q * q + 1;
}
static double slope(double a, double q) {
  return 7 * pow(q, 6) - 3 * a * q * q;
}

/* F(z1) - F(z0) - F'(z).d as the maps find it; *by_values: 1 if it is a difference of values. */
static double rest(double a, double q0, double q1, int *by_values) {
  double z[2], d[2], weight[2] = {7, 0.5}, e[2], total[2], terms[2], node[2], unit;
  rattle__chord chord = {.size = 2,
                         .z = z,
                         .d = d,
                         .weight = weight,
                         .e = e,
                         .supplied = -1,
                         .total = total,
                         .terms = terms,
                         .node = node};
  rattle__chord_place(&chord, (double[2]){q0, 3}, (double[2]){q1, 3});
  rattle__chord_measure(&chord);
  const double gradient[2] = {slope(a, z[0]), 0};
  const rattle__row row = {
      .slope = gradient, .count = 2, .F0 = (double)value(a, q0), .F1 = (double)value(a, q1)};
  rattle__rest of_slopes = {0};
  double of_values = rattle__chord_rest(&chord, &row, &unit);
  *by_values = rattle__chord_clear(of_values, unit);
  if (*by_values) return of_values;
  for (int side = -1; side <= 1; side += 2) {
    const double *at = rattle__chord_node(&chord, side), there[2] = {slope(a, at[0]), 0};
    rattle__chord_bend(&chord, &row, there, &of_slopes);
  }
  const double found = rattle__chord_better(of_values, &of_slopes, &unit);
  *by_values = unit > 0;
  rattle__chord_add(&chord, &row, 2, found, unit);
  assert_true(fabs(total[0] - 2 * (gradient[0] + (d[0] != 0 ? found / d[0] : 0))) <=
              1e-15 * (1 + fabs(total[0])));
  assert_true(total[1] == 0);
  return found;
}

static void check(double a, double q0, double q1, int values, double error) {
  int by_values;
  const long double middle = q0 + 0.5L * ((long double)q1 - q0),
                    right =
                        value(a, q1) - value(a, q0) -
                        (7 * powl(middle, 6) - 3 * a * middle * middle) * ((long double)q1 - q0);
  const double found = rest(a, q0, q1, &by_values);
  if (by_values != values || !(fabs(found - (double)right) <= error))
    fail_msg("from %g to %g: %g, not %Lg, %s", q0, q1, found, right,
             by_values ? "by values" : "by slopes");
}

static void test_rests(void **state) {
  (void)state;
  check(1, 0.5, 1.1, 1, 2e-15);
  check(1, 0.9, 0.9 + 1e-3, 1, 2e-15);
  check(1, 0.9, 0.9 + 1e-4, 1, 2e-15);
  check(1, 0.9, 0.9 + 3e-5, 0, 3e-19); /* 1.5e-13; the round-off of values is 1e-15 */
  check(1, 0.9, 0.9 + 1e-6, 0, 5e-20);
  check(1, 0.9, 0.9, 0, 0);
  /* some 1e-26, where the round-off of slopes makes 1e-25: 0 */
  for (int k = 0, by_values; k < 20; k++)
    assert_true(rest(1, 0.9 + 0.01 * k, 0.9 + 0.01 * k + 1e-9, &by_values) == 0);
  /* from -u to u the rest is 2 (u^7 - a u^3): 0 for a = u^4, where the quadrature is wrong */
  check(1, -1, 1, 1, 2e-15);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rests)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
