/* Every fast path of the library against the long-double reference: problems x base maps x solvers
 * x evaluators. */
#include "common_reference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "rattle/rattle.h"

enum { STEPS = 20, BASES = 8, EVALUATORS = 2 };
static const double h = 0.03, agreed = 1e-13;

static const int evaluators[EVALUATORS] = {RATTLE_EVALUATOR_BLOCK, RATTLE_EVALUATOR_NATIVE};
static const char *const bases[BASES] = {"symplectic_euler(a)",
                                         "symplectic_euler(b)",
                                         "verlet(a)",
                                         "verlet(b)",
                                         "gauss(1)",
                                         "gauss(2)",
                                         "gauss(3)",
                                         "gauss(4)"};
static const char *const solvers[] = {"auto",   "newton", "quasi_newton", "dense",
                                      "sparse", "sweep",  "andersen"};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

static void open(const tests_problem *test, int evaluator, rattle_model **model,
                 rattle_problem **problem) {
  rattle_error error;
  rattle_problem_options options = {0};
  options.evaluator = evaluator;
  if (rattle_model_parse(model, test->model, test->name, NULL, &error) != RATTLE_OK ||
      rattle_problem_create(problem, *model, &options, &error) != RATTLE_OK)
    fail_msg("%s: %s", test->name, error.message);
}

static double relative(long double a, double b) {
  return (double)(fabsl(a - b) / (1 + fabsl(a)));
}

/* ---- both give the same H, g, psi and multipliers ---- */

static void check_same(const tests_problem *tests, int count) {
  for (int i = 0; i < count; i++) {
    const tests_problem *test = &tests[i];
    const int n = test->n, m = test->m;
    rattle_model *model;
    rattle_problem *problem;
    rattle_error error;
    open(test, RATTLE_EVALUATOR_BLOCK, &model, &problem);
    assert_int_equal(rattle_problem_n(problem), n);
    assert_int_equal(rattle_problem_m(problem), m);
    assert_string_equal(rattle_problem_kind_name(problem), test->kind);
    for (int trial = 0; trial < 20; trial++) {
      double z[TESTS_MAX_2N], H, g[TESTS_MAX_M], psi[TESTS_MAX_M], lambda[TESTS_MAX_M];
      long double x[TESTS_MAX_2N], gx[TESTS_MAX_M], psix[TESTS_MAX_M], N[TESTS_MAX_M * TESTS_MAX_M],
          lambdax[TESTS_MAX_M];
      for (int k = 0; k < 2 * n; k++)
        x[k] = z[k] = test->near[k] + 0.4 * (rand() / (double)RAND_MAX - 0.5);
      assert_int_equal(rattle_problem_energy(problem, z, z + n, &H, &error), RATTLE_OK);
      if (!(relative(reference_energy(test, x), H) < 1e-15)) fail_msg("%s: H differs", test->name);
      if (m == 0) continue;
      assert_int_equal(rattle_problem_residuals(problem, z, z + n, g, psi, &error), RATTLE_OK);
      assert_int_equal(rattle_problem_multipliers(problem, z, z + n, lambda, &error), RATTLE_OK);
      reference_constraint(test, x, gx);
      reference_hidden(test, x, psix);
      assert_int_equal(reference_multipliers(test, x, N, lambdax), 0);
      for (int k = 0; k < m; k++) {
        if (!(relative(gx[k], g[k]) < 2e-15)) fail_msg("%s: g differs", test->name);
        if (!(relative(psix[k], psi[k]) < 1e-14)) fail_msg("%s: psi differs", test->name);
        if (!(relative(lambdax[k], lambda[k]) < 1e-12))
          fail_msg("%s: the multiplier is %g, not %Lg", test->name, lambda[k], lambdax[k]);
      }
    }
    rattle_problem_destroy(&problem);
    rattle_model_destroy(&model);
  }
}

static void test_same_problem(void **state) {
  (void)state;
  srand(1);
  check_same(tests_problems, tests_problem_count);
  check_same(tests_large_problems, tests_large_problem_count);
}

/* ---- steps ---- */

/* Runs the method and compares; returns 1 if it was compared, 0 if the method does not suit the
 * problem. */
static int compare(const tests_problem *test, const rattle_problem *problem, const char *method,
                   const double *start, const long double *expected, double step, int steps) {
  const int n = test->n;
  double z[TESTS_MAX_2N], most = 0;
  rattle_integrator *integrator;
  rattle_error error;
  const rattle_status status = rattle_integrator_create(&integrator, problem, method, &error);
  if (status == RATTLE_UNSUITABLE && (strstr(method, "sweep") || strstr(method, "andersen")))
    return 0;
  if (status != RATTLE_OK) fail_msg("%s on %s: %s", method, test->name, error.message);
  memcpy(z, start, sizeof z);
  rattle_state state = {.q = z, .p = z + n, .h = step};
  if (rattle_integrator_step(integrator, &state, steps, &error) != RATTLE_OK)
    fail_msg("%s on %s: %s", method, test->name, error.message);
  for (int k = 0; k < 2 * n; k++) most = fmax(most, relative(expected[k], z[k]));
  if (!(most < agreed))
    fail_msg("%s on %s (%s): %g from the reference", method, test->name,
             rattle_problem_evaluator(problem), most);
  rattle_integrator_destroy(&integrator);
  return 1;
}

/* All solvers and evaluators for one base map, RATTLE and SHAKE. */
static int compare_base(const tests_problem *test, rattle_problem *const *problem, int base,
                        int steps) {
  const int n = test->n;
  double start[TESTS_MAX_2N];
  long double shaken[TESTS_MAX_2N], rattled[TESTS_MAX_2N];
  char method[128];
  int compared = 0;
  assert_int_equal(reference_start(test, start, start + n), 0);
  for (int k = 0; k < 2 * n; k++) shaken[k] = rattled[k] = start[k];
  for (int i = 0; i < steps; i++) {
    if (reference_shake(test, (reference_base)base, h, shaken) ||
        reference_rattle(test, (reference_base)base, h, rattled))
      fail_msg("the reference fails: %s on %s", bases[base], test->name);
  }
  for (int e = 0; e < EVALUATORS; e++) {
    if (test->m == 0) {
      compared += compare(test, problem[e], bases[base], start, rattled, h, steps);
      continue;
    }
    snprintf(method, sizeof method, "shake(%s)", bases[base]);
    compared += compare(test, problem[e], method, start, shaken, h, steps);
    for (int s = 0; s < SOLVERS; s++) {
      snprintf(method, sizeof method, "rattle(%s, solver=%s)", bases[base], solvers[s]);
      compared += compare(test, problem[e], method, start, rattled, h, steps);
    }
  }
  return compared;
}

/* least: how many solvers must have been compared at least, for each base map and evaluator, if
 * there are constraints */
static void check_steps(const tests_problem *tests, int count, int bases_step, int steps,
                        int least) {
  for (int i = 0; i < count; i++) {
    rattle_model *model[EVALUATORS];
    rattle_problem *problem[EVALUATORS];
    int compared = 0, tried = 0;
    for (int e = 0; e < EVALUATORS; e++) open(&tests[i], evaluators[e], &model[e], &problem[e]);
    for (int base = 0; base < BASES; base += bases_step, tried++)
      compared += compare_base(&tests[i], problem, base, steps);
    assert_true(compared >= EVALUATORS * tried * (tests[i].m > 0 ? least : 1));
    for (int e = 0; e < EVALUATORS; e++) {
      rattle_problem_destroy(&problem[e]);
      rattle_model_destroy(&model[e]);
    }
  }
}

static void test_steps(void **state) {
  (void)state;
  check_steps(tests_problems, tests_problem_count, 1, STEPS, 6);
}

static void test_sparse(void **state) {
  (void)state;
  check_steps(tests_large_problems, tests_large_problem_count, 2, STEPS / 2, 6);
}

/* A composition, with its coefficients typed here again. */
static void test_composition(void **state) {
  (void)state;
  static const long double half[8] = {
      0.13020248308889008087881763L, 0.56116298177510838456196441L,  -0.38947496264484728640807860L,
      0.15884190655515560089621075L, -0.39590389413323757733623154L, 0.18453964097831570709183254L,
      0.25837438768632204729397911L, 0.29501172360931029887096624L};
  static const char *const names[] = {"varying_mass", "two_surfaces", "torus", "bent"};
  long double gamma[17], sum = 0;
  for (int k = 0; k < 8; k++) {
    gamma[k] = gamma[16 - k] = half[k];
    sum += half[k];
  }
  gamma[8] = 1 - 2 * sum;
  for (int i = 0; i < 4; i++) {
    const tests_problem *test = tests_problem_named(names[i]);
    const int n = test->n;
    double start[TESTS_MAX_2N];
    long double z[TESTS_MAX_2N];
    rattle_model *model;
    rattle_problem *problem;
    open(test, RATTLE_EVALUATOR_BLOCK, &model, &problem);
    assert_int_equal(reference_start(test, start, start + n), 0);
    for (int k = 0; k < 2 * n; k++) z[k] = start[k];
    for (int step = 0; step < 3; step++) {
      for (int k = 0; k < 17; k++)
        assert_int_equal(reference_rattle(test, REFERENCE_VERLET_A, gamma[k] * 0.1L, z), 0);
    }
    assert_int_equal(compare(test, problem, "kahan_li8(rattle(verlet))", start, z, 0.1, 3), 1);
    rattle_problem_destroy(&problem);
    rattle_model_destroy(&model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_problem),
                                     cmocka_unit_test(test_steps), cmocka_unit_test(test_sparse),
                                     cmocka_unit_test(test_composition)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
