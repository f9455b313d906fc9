/* What base maps do beyond the claims of their rows. */
#include "common_claims.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void open(claims_library *library, const tests_problem *problem, const char *method) {
  rattle_error error;
  if (claims_library_open(library, problem, method, RATTLE_EVALUATOR_BLOCK, &error) != RATTLE_OK)
    fail_msg("%s on %s: %s", method, problem->name, error.message);
}

static void run(claims_library *library, double h, long long steps, int n, double *z, const char *what) {
  rattle_state state = {.q = z, .p = z + n, .h = h};
  rattle_error error;
  if (rattle_integrator_step(library->integrator, &state, steps, &error) != RATTLE_OK) fail_msg("%s: %s", what, error.message);
}

/* A high order in a step that is far from short leaves nothing but round-off: the derivatives of all fields are exact. */
static void test_taylor_to_round_off(void **state) {
  (void)state;
  static const char *const fields[] = {"dirac", "classical", "baumgarte(3)", "total", "impetus"};
  int checked = 0;
  for (int i = 0; i < tests_problem_count; i++)
    for (int k = 0; k < 5; k++) {
      const tests_problem *problem = &tests_problems[i];
      const int n = problem->n;
      if (!problem->m || (k == 4 && problem->m && strstr("harmonic commuting torus bent mirror free_on_sphere", problem->name)))
        continue;
      char method[64];
      double z[TESTS_MAX_2N], error = 0;
      claims_library library;
      snprintf(method, sizeof method, "taylor(20, %s)", fields[k]);
      open(&library, problem, method);
      claims_start(problem, z, z + n);
      run(&library, claims_span(problem) / 100, 100, n, z, method);
      assert_int_equal(claims_library_output(&library, z, z + n), 0);
      for (int c = 0; c < 2 * n; c++) error = fmax(error, fabs(z[c] - (double)claims_exact(problem)[c]));
      if (!(error <= (k == 3 ? 1e-10 : 2e-12))) fail_msg("%s on %s: off by %g", method, problem->name, error);
      claims_library_close(&library);
      checked++;
    }
  assert_true(checked >= 50);
}

/* Many multipliers, found order by order: the same as collocation, which knows fields by values and Jacobians. */
static void test_taylor_with_many_multipliers(void **state) {
  (void)state;
  static const char *const fields[] = {"dirac", "classical", "total", "impetus"};
  for (int i = 0; i < tests_large_problem_count; i++)
    for (int k = 0; k < 4; k++) {
      const tests_problem *problem = &tests_large_problems[i];
      const int n = problem->n;
      double z[2][TESTS_MAX_2N];
      for (int which = 0; which < 2; which++) {
        char method[64];
        claims_library library;
        snprintf(method, sizeof method, which ? "gauss(5, %s)" : "taylor(14, %s)", fields[k]);
        open(&library, problem, method);
        assert_int_equal(reference_start(problem, z[which], z[which] + n), 0);
        run(&library, 0.01, 3, n, z[which], method);
        claims_library_close(&library);
      }
      double apart = 0;
      for (int c = 0; c < 2 * n; c++) apart = fmax(apart, fabs(z[0][c] - z[1][c]));
      if (!(apart <= 2e-13)) fail_msg("%s on %s: %g apart", fields[k], problem->name, apart);
    }
}

/* One step over the whole span, divided as tol asks: errors follow tol, and so does the work. */
static void test_dopri5_divides(void **state) {
  (void)state;
  static const char *const methods[] = {"dopri5(tol=1e-%d)", "dopri5(dirac, tol=1e-%d)"};
  static const char *const names[2][3] = {{"henon_heiles", "product", NULL}, {"spherical", "two_surfaces", "torus"}};
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 3 && names[k][i]; i++) {
      const tests_problem *problem = tests_problem_named(names[k][i]);
      const int n = problem->n;
      long long work = 0;
      for (int digits = 4; digits <= 12; digits += 2) {
        char method[64];
        double z[TESTS_MAX_2N], error = 0;
        claims_library library;
        snprintf(method, sizeof method, methods[k], digits);
        open(&library, problem, method);
        claims_start(problem, z, z + n);
        run(&library, claims_span(problem), 1, n, z, method);
        for (int c = 0; c < 2 * n; c++) error = fmax(error, fabs(z[c] - (double)claims_exact(problem)[c]));
        if (!(error <= 100 * pow(10, -digits))) fail_msg("%s on %s: off by %g", method, problem->name, error);
        const long long now = rattle_integrator_counts(library.integrator).gradient;
        assert_true(now > work + work / 3);
        work = now;
        claims_library_close(&library);
      }
    }
}

/* A fall into the centre, at t = pi/sqrt(8) from rest: no step goes through it, and none is left half done. */
static void test_dopri5_stops_at_a_singularity(void **state) {
  (void)state;
  static const tests_problem fall = {
      "fall", 1, 0, "separable", NULL, NULL, "local x, p = pair('x', 'p')\nhamiltonian(p^2/2 - 1/x)\n", {1, 0}};
  claims_library library;
  rattle_error error;
  double z[2] = {1, 0};
  open(&library, &fall, "dopri5(tol=1e-9)");
  rattle_state at = {.q = z, .p = z + 1, .h = 0.5};
  assert_int_equal(rattle_integrator_step(library.integrator, &at, 2, &error), RATTLE_OK);
  const double before[2] = {z[0], z[1]};
  assert_int_equal(rattle_integrator_step(library.integrator, &at, 1, &error), RATTLE_NOT_CONVERGED);
  assert_true(z[0] == before[0] && z[1] == before[1] && at.step == 2);
  assert_non_null(strstr(error.message, "substeps"));
  claims_library_close(&library);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_taylor_to_round_off),
                                     cmocka_unit_test(test_taylor_with_many_multipliers), cmocka_unit_test(test_dopri5_divides),
                                     cmocka_unit_test(test_dopri5_stops_at_a_singularity)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
