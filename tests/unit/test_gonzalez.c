/* Discrete gradients of a function of one variable along chords: long, short, and one along which
 * the rest vanishes by chance. */
#include "maps/constrained/gonzalez.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "made.h"

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

/* Near the origin neither values nor slopes show what rounding inside H and g leaves of them: steps
 * from rest are as long as they are wished, and the energy stays. */
static void test_cancellation(void **state) {
  (void)state;
  static const char *const models[] = {
      "local x, px = pair('x') local y, py = pair('y') local z, pz = pair('z')\n"
      "mass { x = 0.6, y = 0.6, z = 0.6 } potential(0.4*z)\n"
      "constrain('rod', sqrt((x - 1.2)^2 + (y + 0.6)^2 + (z + 0.48)^2) - sqrt(1.2^2 + 0.6^2 + "
      "0.48^2))\n"
      "start { x = 0, y = 0, z = 0 }",
      "local x, px = pair('x') local y, py = pair('y')\n"
      "hamiltonian(px^2/2 + py^2/2 + sqrt((x - 1.3)^2 + (y + 0.7)^2) - sqrt(1.3^2 + 0.7^2)\n"
      "  + 0.5*(exp(x + 2) - exp(2)) - 3.7*x)\n"
      "start { x = 1e-17, y = 2e-17 }",
      "local x, px = pair('x') local y, py = pair('y')\n"
      "hamiltonian((1 + 0.1*(cos(x + 1) - cos(1)))*px^2/2 + py^2/2 + exp(x + 2) - exp(2) + y)\n"
      "start { x = 0, y = 0 }",
      "local x, px = pair('x') local y, py = pair('y')\n"
      "local a, pa = pair('a') local z, pz = pair('z')\n"
      "hamiltonian((px^2 + py^2 + pz^2)/2 + 5*pa^2 + 9.81*z + exp(0.3*x + 1) - exp(1))\n"
      "constrain('hill', z - 0.1*(sin(x + 1) - sin(1)) - 0.2*(exp(y + 2) - exp(2)))\n"
      "velocity_constrain('blade', velocity(y)*cos(a) - velocity(x)*sin(a))\n"
      "start { x = 0, y = 0, a = 0, z = 0, pa = 0.01 }"};
  static const double steps[] = {1e-5, 1e-4, 1e-3, 5e-3, 2e-2};
  for (size_t i = 0; i < sizeof models / sizeof *models; i++)
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
      made m = make(models[i], "discrete_gradient", steps[k], 0);
      rattle_error error;
      double before, after;
      assert_int_equal(rattle_problem_energy(m.problem, m.state.q, m.state.p, &before, &error), 0);
      if (rattle_integrator_step(m.integrator, &m.state, 50, &error))
        fail_msg("model %zu, step %g: %s", i, steps[k], error.message);
      assert_int_equal(rattle_problem_energy(m.problem, m.state.q, m.state.p, &after, &error), 0);
      if (!(fabs(after - before) < 2e-14))
        fail_msg("model %zu, step %g: energy off by %g", i, steps[k], after - before);
      unmake(&m);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rests),
                                     cmocka_unit_test(test_cancellation)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
