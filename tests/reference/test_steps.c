/* Maps that know the constraints by themselves, against their long-double references and against rattle. */
#include "common_steps.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "map/base.h"
#include "rattle/rattle.h"

enum { STEPS = 20 };
static const double h = 0.03, agreed = 1e-13;

typedef struct fixture {
  rattle_model *model;
  rattle_problem *problem;
} fixture;

static void open(fixture *f, const tests_problem *test, int evaluator) {
  rattle_error error;
  rattle_problem_options options = {.evaluator = evaluator};
  if (rattle_model_parse(&f->model, test->model, test->name, NULL, &error) ||
      rattle_problem_create(&f->problem, f->model, &options, &error))
    fail_msg("%s: %s", test->name, error.message);
}

static void close(fixture *f) {
  rattle_problem_destroy(&f->problem);
  rattle_model_destroy(&f->model);
}

/* Steps with a method, z in place; returns Newton iterations a step. These steps are healthy: none is doubtful. */
static double run(const fixture *f, const char *method, double step, long long steps, double *z) {
  rattle_integrator *integrator;
  rattle_error error;
  rattle_state state = {.q = z, .p = z + rattle_problem_n(f->problem), .h = step};
  if (rattle_integrator_create(&integrator, f->problem, method, &error) ||
      rattle_integrator_step(integrator, &state, steps, &error))
    fail_msg("%s: %s", method, error.message);
  const rattle_counts counts = rattle_integrator_counts(integrator);
  const double iterations = (double)counts.newton_iterations / (double)steps;
  assert_int_equal(counts.followed, 0);
  rattle_integrator_destroy(&integrator);
  return iterations;
}

static double apart(int n, const double *z, const double *w) {
  double most = 0;
  for (int k = 0; k < 2 * n; k++) most = fmax(most, fabs(z[k] - w[k]) / (1 + fabs(w[k])));
  return most;
}

static int is_holonomic(const tests_problem *test) {
  return strcmp(test->kind, "coisotropic") != 0;
}

/* ---- the Lobatto pair ---- */

static void test_lobatto(void **state) {
  (void)state;
  for (int s = 2; s <= STEPS_MOST_STAGES; s++) {
    long double c[STEPS_MOST_STAGES], b[STEPS_MOST_STAGES], a[STEPS_MOST_STAGES][STEPS_MOST_STAGES],
        ahat[STEPS_MOST_STAGES][STEPS_MOST_STAGES];
    double nodes[RATTLE__STAGES], weights[RATTLE__STAGES], IIIA[RATTLE__STAGES][RATTLE__STAGES],
        IIIB[RATTLE__STAGES][RATTLE__STAGES];
    steps_lobatto(s, c, b, a, ahat);
    rattle__lobatto_coefficients(s, nodes, weights, IIIA, IIIB);
    for (int i = 0; i < s; i++) {
      assert_true(fabsl(nodes[i] - c[i]) < 2e-16L && fabsl(weights[i] - b[i]) < 2e-16L);
      for (int j = 0; j < s; j++) {
        if (!(fabsl(IIIA[i][j] - a[i][j]) < 2e-16L && fabsl(IIIB[i][j] - ahat[i][j]) < 2e-16L))
          fail_msg("s = %d: a[%d][%d] = %.17g and %.17g, not %.20Lg and %.20Lg", s, i, j, IIIA[i][j], IIIB[i][j], a[i][j],
                   ahat[i][j]);
      }
    }
    /* what the wrapper relies on, to the bit */
    for (int i = 0; i < s; i++) assert_true(IIIA[0][i] == 0 && IIIA[s - 1][i] == weights[i] && IIIB[i][s - 1] == 0);
  }
}

/* ---- spark ---- */

/* spark(2) is rattle(verlet), or verlet: nonlinear, not separable, without constraints. */
static void test_spark_is_rattle(void **state) {
  (void)state;
  int compared = 0;
  for (int i = 0; i < tests_problem_count; i++) {
    const tests_problem *test = &tests_problems[i];
    const int n = test->n;
    double z[TESTS_MAX_2N], w[TESTS_MAX_2N];
    fixture f;
    if (!is_holonomic(test)) continue;
    open(&f, test, RATTLE_EVALUATOR_BLOCK);
    assert_int_equal(reference_start(test, z, z + n), 0);
    memcpy(w, z, sizeof z);
    run(&f, "spark(2)", h, STEPS, z);
    run(&f, test->m ? "rattle(verlet)" : "verlet", h, STEPS, w);
    if (!(apart(n, z, w) < agreed)) fail_msg("%s: %g apart", test->name, apart(n, z, w));
    close(&f);
    compared++;
  }
  assert_true(compared >= 9);
}

static void test_spark(void **state) {
  (void)state;
  static const char *const names[] = {"spherical", "varying_mass", "two_surfaces", "double_pendulum", "relativistic"};
  static const double most[] = {8, 11, 8, 8, 8};
  static const int evaluators[] = {RATTLE_EVALUATOR_BLOCK, RATTLE_EVALUATOR_NATIVE};
  for (int i = 0; i < 5; i++)
    for (int s = 2; s <= 5; s++) {
      const tests_problem *test = tests_problem_named(names[i]);
      const steps_equation equation = steps_spark(test, s);
      const int n = test->n, steps = s > 3 ? 3 : 8;
      double start[TESTS_MAX_2N], z[TESTS_MAX_2N], w[TESTS_MAX_2N];
      long double x[TESTS_MAX_2N];
      char method[32];
      assert_int_equal(reference_start(test, start, start + n), 0);
      for (int k = 0; k < 2 * n; k++) x[k] = start[k];
      for (int k = 0; k < steps; k++) assert_int_equal(steps_step(&equation, 0.06L, x), 0);
      for (int k = 0; k < 2 * n; k++) w[k] = (double)x[k];
      snprintf(method, sizeof method, "spark(%d)", s);
      for (int e = 0; e < 2; e++) {
        fixture f;
        open(&f, test, evaluators[e]);
        memcpy(z, start, sizeof z);
        const double iterations = run(&f, method, 0.06, steps, z);
        if (getenv("STEPS_VERBOSE")) print_message("%s on %s: %g iterations\n", method, test->name, iterations);
        assert_true(iterations <= most[i]); /* a wrong matrix takes more */
        if (!(apart(n, z, w) < agreed)) fail_msg("%s on %s: %g from the reference", method, test->name, apart(n, z, w));
        close(&f);
      }
    }
}

/* What spark is not for is refused, with what would do. */
static void test_refusals(void **state) {
  (void)state;
  rattle_integrator *integrator;
  rattle_error error;
  fixture f;
  open(&f, tests_problem_named("harmonic"), RATTLE_EVALUATOR_BLOCK);
  assert_int_equal(rattle_integrator_create(&integrator, f.problem, "spark(3)", &error), RATTLE_UNSUITABLE);
  assert_null(integrator);
  assert_non_null(strstr(error.message, "suzuki4(rattle(midpoint))"));
  close(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_lobatto), cmocka_unit_test(test_spark_is_rattle),
                                     cmocka_unit_test(test_spark), cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
