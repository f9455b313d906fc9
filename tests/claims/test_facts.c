/* Theorems on SHAKE and RATTLE beyond the claims of a row:
 *
 *   - Pi o S^k = Pi o R^k: stepping with SHAKE and projecting at output gives the same and costs
 *     less;
 *   - S_h is constant on fibres, presymplectic on M, and of order 1, whatever the map inside;
 *   - neither S_h (up to its fibre) nor R_h depends on the functions that define M;
 *   - a more accurate map inside does not raise the order of R_h beyond 2;
 *   - over a long run |g| stays at round-off and the energy error has no trend. */
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

static void run(claims_library *library, double h, long long steps, int n, double *z,
                const char *what) {
  rattle_state state = {.q = z, .p = z + n, .h = h};
  rattle_error error;
  if (rattle_integrator_step(library->integrator, &state, steps, &error) != RATTLE_OK)
    fail_msg("%s: %s", what, error.message);
}

static double apart(const double *a, const double *b, int count) {
  double most = 0;
  for (int k = 0; k < count; k++) most = fmax(most, fabs(a[k] - b[k]));
  return most;
}

static void test_projection_at_output(void **state) {
  (void)state;
  static const char *const maps[] = {"verlet", "verlet(b)", "midpoint", "gauss(2)"};
  for (int i = 0; i < tests_problem_count; i++) {
    const tests_problem *problem = &tests_problems[i];
    const int n = problem->n;
    for (int k = 0; k < 4 && problem->m > 0; k++) {
      char text[96];
      double each[TESTS_MAX_2N], late[TESTS_MAX_2N];
      claims_library library[2];
      snprintf(text, sizeof text, "rattle(%s)", maps[k]);
      open(&library[0], problem, text);
      snprintf(text, sizeof text, "rattle(%s, project=output)", maps[k]);
      open(&library[1], problem, text);
      claims_start(problem, each, each + n);
      claims_start(problem, late, late + n);
      run(&library[0], 0.03, 40, n, each, problem->name);
      run(&library[1], 0.03, 40, n, late, problem->name);
      /* what is stepped is off the hidden manifold; the output is on it and the same as RATTLE's */
      assert_true(apart(each, late, 2 * n) > 1e-6);
      assert_int_equal(claims_library_output(&library[1], late, late + n), 0);
      if (!(apart(each, late, 2 * n) < 5e-13))
        fail_msg("%s on %s: %g apart", text, problem->name, apart(each, late, 2 * n));
      const rattle_counts dear = rattle_integrator_counts(library[0].integrator);
      const rattle_counts cheap = rattle_integrator_counts(library[1].integrator);
      assert_int_equal(dear.momentum_projections, 40);
      assert_int_equal(cheap.momentum_projections, 1);
      /* fewer linear systems */
      assert_true(cheap.newton_iterations + cheap.momentum_projections <
                  dear.newton_iterations + dear.momentum_projections);
      for (int j = 0; j < 2; j++) claims_library_close(&library[j]);
    }
  }
}

static void test_shake_forgets_its_place_on_the_fibre(void **state) {
  (void)state;
  static const char *const methods[] = {"shake(verlet)", "shake(symplectic_euler)",
                                        "shake(midpoint)", "rattle(gauss(2))"};
  for (int i = 0; i < tests_problem_count; i++) {
    const tests_problem *problem = &tests_problems[i];
    const int n = problem->n;
    for (int k = 0; k < 4 && problem->m > 0; k++) {
      double here[TESTS_MAX_2N], there[TESTS_MAX_2N];
      long double z[TESTS_MAX_2N], s[TESTS_MAX_M] = {0.02L, -0.01L};
      claims_library library;
      open(&library, problem, methods[k]);
      claims_start(problem, here, here + n);
      for (int j = 0; j < 2 * n; j++) z[j] = here[j];
      assert_int_equal(reference_slide(problem, s, z), 0);
      for (int j = 0; j < 2 * n; j++) there[j] = (double)z[j];
      assert_true(apart(here, there, 2 * n) > 1e-3);
      run(&library, 0.03, 1, n, here, problem->name);
      run(&library, 0.03, 1, n, there, problem->name);
      if (!(apart(here, there, 2 * n) < 1e-13))
        fail_msg("%s on %s: %g", methods[k], problem->name, apart(here, there, 2 * n));
      claims_library_close(&library);
    }
  }
}

static void test_shake_is_presymplectic_and_of_order_1(void **state) {
  (void)state;
  for (int i = 0; i < tests_problem_count; i++) {
    claims_library library;
    claims_measured found;
    if (tests_problems[i].m == 0) continue;
    open(&library, &tests_problems[i], "shake(verlet)");
    const claims_map map = {&tests_problems[i], claims_library_step, NULL, &library, 0};
    assert_int_equal(claims_measure_symplecticity(&map, 0.1, 4, 0, &found), 0);
    if (!(found.symplecticity < 1e-9))
      fail_msg("%s: presymplecticity defect %g", tests_problems[i].name, found.symplecticity);
    assert_int_equal(claims_measure_order(&map, 1, &found), 0);
    if (!(fabs(found.order - 1) < 0.3))
      fail_msg("%s: SHAKE has order %g", tests_problems[i].name, found.order);
    claims_library_close(&library);
  }
}

/* RATTLE has order 2 around a map of order 2 or more, symmetric or not, and order 1 around one of
 * order 1. */
static void test_order_is_at_most_2(void **state) {
  (void)state;
  static const char *const names[] = {"varying_mass", "two_surfaces", "bent"};
  static const struct {
    const char *method;
    int order;
  } cases[] = {{"rattle(gauss(3))", 2},
               {"rattle(explicit_midpoint)", 2},
               {"rattle(rk4)", 2},
               {"rattle(taylor(3))", 2},
               {"rattle(euler)", 1},
               {"rattle(symplectic_euler)", 1},
               {"project(rk4, symmetric)", 2},
               {"project(rk4)", 1}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
      const tests_problem *problem = tests_problem_named(names[i]);
      claims_library library;
      claims_measured found;
      open(&library, problem, cases[k].method);
      assert_int_equal(
          claims_measure_order(&(claims_map){problem, claims_library_step, NULL, &library, 0},
                               cases[k].order, &found),
          0);
      assert_int_equal(rattle_method_claims(rattle_integrator_method(library.integrator)).order,
                       cases[k].order);
      if (!(fabs(found.order - cases[k].order) < 0.2))
        fail_msg("%s on %s: order %g", cases[k].method, problem->name, found.order);
      claims_library_close(&library);
    }
}

/* The same manifold, defined by other functions. */
static const struct {
  const char *name, *model;
} others[] = {
    {"spherical", "hamiltonian((p1^2 + p2^2 + p3^2)/2 + q3 + 0.375*q1^2*q2 + 0.25*q3^4)\n"
                  "constrain('sphere', sqrt(q1^2 + q2^2 + q3^2) - 1)\n"},
    {"spherical", "hamiltonian((p1^2 + p2^2 + p3^2)/2 + q3 + 0.375*q1^2*q2 + 0.25*q3^4)\n"
                  "constrain('sphere', (3 + q1*q2)*(q1^2 + q2^2 + q3^2 - 1))\n"},
    {"relativistic", "hamiltonian(sqrt(1 + p1^2 + p2^2 + p3^2) + q3 + 0.5*q1^2*q2)\n"
                     "constrain('sphere', 1000*log(q1^2 + q2^2 + q3^2))\n"},
    {"torus", "hamiltonian(p1^2 + p2^2 + p3^2 - 0.75*q1 - 0.25*q3^2*q1 + 0.125*p1^2*q2^2 + "
              "0.25*p3*p2 + 0.25*q3^4)\n"
              "local sum = (q1^2 + q2^2 + q3^2 + p1^2 + p2^2 + p3^2)/2 - 1\n"
              "constrain('sum', sum)\n"
              "constrain('spin', q1*p2 - q2*p1 - 0.125 + 0.5*sum)\n"},
};

static void test_results_do_not_depend_on_the_functions(void **state) {
  (void)state;
  static const char *const methods[] = {"rattle(verlet)", "rattle(midpoint)",
                                        "kahan_li8(rattle(verlet))"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    const tests_problem *problem = tests_problem_named(others[i].name);
    const int n = problem->n;
    char model[2048];
    snprintf(model, sizeof model, "%.*s%s",
             (int)(strstr(problem->model, "hamiltonian") - problem->model), problem->model,
             others[i].model);
    tests_problem other = *problem;
    other.model = model;
    for (int k = 0; k < 3; k++) {
      double a[TESTS_MAX_2N], b[TESTS_MAX_2N];
      claims_library library[2];
      open(&library[0], problem, methods[k]);
      open(&library[1], &other, methods[k]);
      claims_start(problem, a, a + n);
      claims_start(problem, b, b + n);
      run(&library[0], 0.03, 30, n, a, problem->name);
      run(&library[1], 0.03, 30, n, b, problem->name);
      if (!(apart(a, b, 2 * n) < 5e-13))
        fail_msg("%s, form %zu, %s: %g apart", problem->name, i, methods[k], apart(a, b, 2 * n));
      for (int j = 0; j < 2; j++) claims_library_close(&library[j]);
    }
  }
}

static void test_long_run(void **state) {
  (void)state;
  static const char *const names[] = {"pendulum", "spherical", "relativistic"};
  for (int i = 0; i < 3; i++) {
    const tests_problem *problem = tests_problem_named(names[i]);
    claims_library library;
    claims_measured found;
    open(&library, problem, "rattle(verlet)");
    const claims_map map = {problem, claims_library_step, NULL, &library, 0};
    assert_int_equal(claims_measure_energy(&map, 0.025, 1000000, &found), 0);
    const rattle_residuals residuals = rattle_integrator_residuals(library.integrator);
    if (!(residuals.g <= 4e-15)) fail_msg("%s: |g| grew to %g", problem->name, residuals.g);
    if (!(residuals.psi <= 4e-14)) fail_msg("%s: |psi| grew to %g", problem->name, residuals.psi);
    if (!(found.energy_trend < 0.1 && found.energy_amplitude < 0.01))
      fail_msg("%s: energy error %g with a trend of %g", problem->name, found.energy_amplitude,
               found.energy_trend);
    claims_library_close(&library);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_projection_at_output),
                                     cmocka_unit_test(test_shake_forgets_its_place_on_the_fibre),
                                     cmocka_unit_test(test_shake_is_presymplectic_and_of_order_1),
                                     cmocka_unit_test(test_order_is_at_most_2),
                                     cmocka_unit_test(test_results_do_not_depend_on_the_functions),
                                     cmocka_unit_test(test_long_run)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
