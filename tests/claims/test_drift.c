/* g, psi and H along the flow of the underlying equations, also from points off the manifold:
 *
 *   - dirac keeps all three, impetus g and H*, total H_t: Runge-Kutta maps to their order;
 *   - classical has g = g0 + psi0 t, baumgarte(a) g = (g0 + (psi0 + a g0) t) exp(-a t);
 *   - a rate that is too large for the step makes an explicit map unstable;
 *   - impetuses grow along the gauge directions, and resetting them changes nothing that is
 *   shown. */
#include "common_claims.h"

#include "../reference/common_second_class.h"
#include "common_fields.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* z after `steps` steps over the time t; returns nonzero if a step failed. */
static int flow(const tests_problem *problem, const char *method, double t, int steps, double *z) {
  claims_library library;
  rattle_error error;
  if (claims_library_open(&library, problem, method, RATTLE_EVALUATOR_BLOCK, &error))
    fail_msg("%s on %s: %s", method, problem->name, error.message);
  const int failed = claims_library_step(&library, t / steps, steps, z, z + problem->n);
  claims_library_close(&library);
  return failed;
}

static void values(const tests_problem *problem, const double *z, long double *g, long double *psi,
                   long double *H) {
  long double x[TESTS_MAX_2N];
  for (int c = 0; c < 2 * problem->n; c++) x[c] = z[c];
  reference_constraint(problem, x, g);
  reference_hidden(problem, x, psi);
  *H = reference_energy(problem, x);
}

/* Slope of log(error) over log(h) from errors of steps that halve. */
static double slope(const double *error, int count) {
  return log2(error[0] / error[count - 1]) / (count - 1);
}

/* ---- dirac ---- */

static void test_dirac_flow(void **state) {
  (void)state;
  enum { RUNS = 4 };
  int measured[3] = {0};
  for (int i = 0; i < fields_problem_count(); i++) {
    const tests_problem *problem = fields_problem(i);
    const int m = problem->m, second = second_class_index(problem) >= 0;
    double z0[TESTS_MAX_2N], error[3][RUNS] = {{0}};
    long double g0[TESTS_MAX_M], psi0[TESTS_MAX_M], H0;
    fields_point(problem, 1, z0);
    values(problem, z0, g0, psi0, &H0);
    for (int run = 0; run < RUNS; run++) {
      double z[TESTS_MAX_2N];
      long double g[TESTS_MAX_M], psi[TESTS_MAX_M], H;
      memcpy(z, z0, sizeof z);
      assert_int_equal(flow(problem, "rk4(dirac)", 0.5, 16 << run, z), 0);
      values(problem, z, g, psi, &H);
      for (int r = 0; r < m; r++) {
        error[0][run] = fmax(error[0][run], (double)fabsl(g[r] - g0[r]));
        if (!second) error[1][run] = fmax(error[1][run], (double)fabsl(psi[r] - psi0[r]));
      }
      error[2][run] = (double)fabsl(H - H0);
      assert_true(fields_apart(z, z0, 2 * problem->n) > 0.01);
    }
    for (int k = 0; k < 3; k++) {
      if (k == 1 && second) continue;
      if (error[k][RUNS - 1] < 1e-12) continue; /* near round-off */
      measured[k]++;
      if (!(slope(error[k], RUNS) > 3.6 && error[k][RUNS - 1] < 1e-5))
        fail_msg("%s: %s changes by %g, with slope %g", problem->name,
                 k == 0   ? "g"
                 : k == 1 ? "psi"
                          : "H",
                 error[k][RUNS - 1], slope(error[k], RUNS));
    }
  }
}

/* ---- classical and baumgarte: g(t) is known ---- */

static void test_g_as_it_must_be(void **state) {
  (void)state;
  static const struct {
    const char *method;
    double rate;
  } cases[] = {
      {"gauss(3, classical)", 0}, {"gauss(3, baumgarte(2))", 2}, {"gauss(3, baumgarte(10))", 10}};
  const double t = 0.5;
  int checked = 0;
  for (int i = 0; i < fields_problem_count(); i++) {
    const tests_problem *problem = fields_problem(i);
    if (second_class_index(problem) >= 0 || !strcmp(problem->kind, "coisotropic")) continue;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
      double z[TESTS_MAX_2N];
      long double g0[TESTS_MAX_M], psi0[TESTS_MAX_M], g[TESTS_MAX_M], psi[TESTS_MAX_M], H;
      const double a = cases[k].rate;
      fields_point(problem, 2, z);
      values(problem, z, g0, psi0, &H);
      assert_int_equal(flow(problem, cases[k].method, t, 100, z), 0);
      values(problem, z, g, psi, &H);
      for (int r = 0; r < problem->m; r++) {
        const double wanted = (double)(g0[r] + (psi0[r] + a * g0[r]) * t) * exp(-a * t);
        if (!(fabs((double)g[r] - wanted) < 1e-9))
          fail_msg("%s on %s: g is %Lg, must be %g", cases[k].method, problem->name, g[r], wanted);
        assert_true(fabs((double)g0[r]) > 1e-3);
        checked++;
      }
    }
  }
  assert_true(checked >= 20);
}

/* h a = 1 is well inside the region of stability of rk4, h a = 4 outside. */
static void test_rates_that_are_too_large(void **state) {
  (void)state;
  static const char *const names[] = {"pendulum", "double_pendulum", "varying_mass"};
  for (int i = 0; i < 3; i++) {
    const tests_problem *problem = tests_problem_named(names[i]);
    for (int large = 0; large < 2; large++) {
      double z[TESTS_MAX_2N];
      long double x[TESTS_MAX_2N], g[TESTS_MAX_M], worst = 0;
      assert_int_equal(reference_start(problem, z, z + problem->n), 0);
      const int failed =
          flow(problem, large ? "rk4(baumgarte(400))" : "rk4(baumgarte(100))", 2, 200, z);
      for (int c = 0; c < 2 * problem->n; c++) x[c] = z[c];
      reference_constraint(problem, x, g);
      for (int r = 0; r < problem->m; r++)
        if (!(fabsl(g[r]) <= worst)) worst = fabsl(g[r]);
      if (large != (failed || !(worst < 1e-3L)))
        fail_msg("%s: large %d, failed %d, |g| %Lg", names[i], large, failed, worst);
    }
  }
}

/* ---- impetus ---- */

/* Along rk4(impetus) g and H at the momenta shown are kept to order 4, and psi there to
 * round-off. */
static void test_impetus_flow(void **state) {
  (void)state;
  enum { RUNS = 4 };
  for (int i = 0; i < fields_problem_count(); i++) {
    const tests_problem *problem = fields_problem(i);
    if (!fields_offered(problem, "impetus")) continue;
    double z0[TESTS_MAX_2N], error[2][RUNS] = {{0}};
    fields_point(problem, 1, z0);
    for (int run = 0; run < RUNS; run++) {
      claims_library library;
      rattle_error failure;
      double z[2][TESTS_MAX_2N];
      long double g[2][TESTS_MAX_M], psi[2][TESTS_MAX_M], H[2];
      assert_int_equal(
          claims_library_open(&library, problem, "rk4(impetus)", RATTLE_EVALUATOR_BLOCK, &failure),
          0);
      memcpy(z[0], z0, sizeof z0);
      memcpy(z[1], z0, sizeof z0);
      assert_int_equal(
          claims_library_step(&library, 0.5 / (16 << run), 16 << run, z[1], z[1] + problem->n), 0);
      for (int k = 0; k < 2; k++) {
        assert_int_equal(claims_library_output(&library, z[k], z[k] + problem->n), 0);
        values(problem, z[k], g[k], psi[k], &H[k]);
        for (int r = 0; r < problem->m; r++) assert_true(fabsl(psi[k][r]) < 1e-13L);
      }
      for (int r = 0; r < problem->m; r++)
        error[0][run] = fmax(error[0][run], (double)fabsl(g[1][r] - g[0][r]));
      error[1][run] = (double)fabsl(H[1] - H[0]);
      claims_library_close(&library);
    }
    for (int k = 0; k < 2; k++)
      if (!(error[k][RUNS - 1] < 1e-13 || slope(error[k], RUNS) > 3.6))
        fail_msg("%s: %s changes by %g, with slope %g", problem->name, k ? "H*" : "g",
                 error[k][RUNS - 1], slope(error[k], RUNS));
  }
}

/* If g is quadratic G is linear in q, and a Runge-Kutta map commutes with gauge transformations:
 * resetting at each step changes nothing that is shown, while the impetuses of the one run grow and
 * those of the other do not. */
static void test_resetting_cures_the_growth(void **state) {
  (void)state;
  static const char *const names[] = {"pendulum", "double_pendulum", "spherical"};
  static const char *const methods[] = {"rk4(impetus)", "project(rk4(impetus), momentum)"};
  for (int i = 0; i < 3; i++) {
    const tests_problem *problem = tests_problem_named(names[i]);
    const int n = problem->n;
    double z[2][TESTS_MAX_2N], shown[2][TESTS_MAX_2N];
    for (int k = 0; k < 2; k++) {
      claims_library library;
      rattle_error error;
      assert_int_equal(
          claims_library_open(&library, problem, methods[k], RATTLE_EVALUATOR_BLOCK, &error), 0);
      assert_int_equal(reference_start(problem, z[k], z[k] + n), 0);
      assert_int_equal(claims_library_step(&library, 0.01, 3000, z[k], z[k] + n), 0);
      memcpy(shown[k], z[k], sizeof z[k]);
      assert_int_equal(claims_library_output(&library, shown[k], shown[k] + n), 0);
      assert_int_equal(rattle_integrator_counts(library.integrator).momentum_projections, k * 3000);
      claims_library_close(&library);
    }
    if (!(fields_length(z[0] + n, n) > 10 * fields_length(z[1] + n, n)))
      fail_msg("%s: |p*| is %g and %g", names[i], fields_length(z[0] + n, n),
               fields_length(z[1] + n, n));
    fields_same(problem, "what is shown", shown[0], shown[1], 2 * n, 1e-9);
    fields_same(problem, "the state that was reset", shown[1], z[1], 2 * n, 1e-14);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dirac_flow), cmocka_unit_test(test_g_as_it_must_be),
      cmocka_unit_test(test_rates_that_are_too_large), cmocka_unit_test(test_impetus_flow),
      cmocka_unit_test(test_resetting_cures_the_growth)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
