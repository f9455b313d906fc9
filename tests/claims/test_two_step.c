/* Verlet's method and SHAKE as they were first written, with the past as memory: the positions are
 * those of the one-step forms. */
#include "common_claims.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* the problem with natural H and no constraint */
static const char unconstrained[] = "henon_heiles";

static void open(claims_library *library, const tests_problem *problem, const char *method) {
  rattle_error error;
  if (claims_library_open(library, problem, method, RATTLE_EVALUATOR_BLOCK, &error) != RATTLE_OK)
    fail_msg("%s on %s: %s", method, problem->name, error.message);
}

/* The largest difference of positions of two methods over so many steps; momenta as they are output
 * go to p[2][n]. */
static double apart(const tests_problem *problem, const char *const method[2], double h, int steps,
                    double p[2][TESTS_MAX_2N]) {
  double z[2][TESTS_MAX_2N], q[TESTS_MAX_2N], most = 0;
  claims_library library[2];
  for (int i = 0; i < 2; i++) {
    open(&library[i], problem, method[i]);
    claims_start(problem, z[i], z[i] + problem->n);
  }
  for (int k = 0; k < steps; k++) {
    for (int i = 0; i < 2; i++) {
      rattle_state state = {.q = z[i], .p = z[i] + problem->n, .h = h, .step = k};
      rattle_error error;
      if (rattle_integrator_step(library[i].integrator, &state, 1, &error))
        fail_msg("%s: %s", method[i], error.message);
      if (k + 1 == steps)
        assert_int_equal(rattle_integrator_output(library[i].integrator, &state, q, p[i], &error),
                         RATTLE_OK);
    }
    for (int j = 0; j < problem->n; j++) most = fmax(most, fabs(z[0][j] - z[1][j]));
  }
  for (int i = 0; i < 2; i++) claims_library_close(&library[i]);
  return most;
}

static void test_positions_are_those_of_verlet(void **state) {
  static const char *const of[][2] = {
      {"velocity_verlet", "verlet"}, {"leapfrog", "verlet"}, {"stormer", "verlet"}};
  (void)state;
  int tried = 0;
  for (int i = 0; i < tests_problem_count; i++) {
    const tests_problem *problem = &tests_problems[i];
    if (strcmp(problem->name, unconstrained) != 0) continue;
    for (int k = 0; k < 3; k++, tried++) {
      double p[2][TESTS_MAX_2N];
      const double far = apart(problem, of[k], 0.02, 400, p);
      if (!(far < (k == 2 ? 1e-9 : 1e-11)))
        fail_msg("%s on %s: positions %.3g apart", of[k][0], problem->name, far);
      for (int j = 0; j < problem->n; j++)
        assert_true(fabs(p[0][j] - p[1][j]) < (k == 2 ? 1e-8 : 1e-10));
    }
  }
  assert_true(tried >= 3);
}

/* SHAKE in two steps, compared with RATTLE: the same positions; momenta differ by a part that is
 * normal and O(h^2). */
static void test_shake_in_two_steps(void **state) {
  static const char *const of[2] = {"shake_two_step", "rattle(verlet)"};
  (void)state;
  int tried = 0;
  for (int i = 0; i < tests_problem_count; i++) {
    const tests_problem *problem = &tests_problems[i];
    double p[2][TESTS_MAX_2N], off[2];
    if (!problem->m || strcmp(problem->kind, "natural") != 0) continue;
    const double far = apart(problem, of, 0.01, 1000, p);
    if (!(far < 1e-10)) fail_msg("%s: positions %.3g apart", problem->name, far);
    for (int r = 0; r < 2; r++) {
      off[r] = 0;
      apart(problem, of, 0.02 / (1 << r), 50 << r, p);
      for (int j = 0; j < problem->n; j++) off[r] = fmax(off[r], fabs(p[0][j] - p[1][j]));
    }
    if (!(off[0] > 1e-9 && off[0] / off[1] > 3.2 && off[0] / off[1] < 4.8))
      fail_msg("%s: momenta %.3g and %.3g apart", problem->name, off[0], off[1]);
    tried++;
  }
  assert_true(tried >= 3);
}

/* The past belongs to the state: handed to another integrator the run goes on with the same bits; a
 * changed step begins anew. */
static void test_memory(void **state) {
  static const char *const free_method[] = {"leapfrog", "stormer"};
  (void)state;
  for (int k = 0; k < 3; k++) {
    const char *method = k < 2 ? free_method[k] : "shake_two_step";
    const tests_problem *problem = NULL;
    for (int i = 0; i < tests_problem_count && !problem; i++)
      if (k < 2 ? !strcmp(tests_problems[i].name, unconstrained)
                : !strcmp(tests_problems[i].kind, "natural"))
        problem = &tests_problems[i];
    assert_non_null(problem);
    const int n = problem->n;
    double once[TESTS_MAX_2N], z[TESTS_MAX_2N], extra[2 * TESTS_MAX_2N];
    rattle_error error;
    claims_library first, second;
    open(&first, problem, method);
    open(&second, problem, method);
    assert_in_range(rattle_integrator_extra(first.integrator), 1, TESTS_MAX_2N);
    claims_start(problem, once, once + n);
    rattle_state at = {.q = once, .p = once + n, .h = 0.02};
    assert_int_equal(rattle_integrator_step(first.integrator, &at, 40, &error), RATTLE_OK);
    memcpy(z, once, sizeof z);
    rattle_integrator_get_extra(first.integrator, extra);
    assert_int_equal(rattle_integrator_step(first.integrator, &at, 40, &error), RATTLE_OK);
    rattle_integrator_set_extra(second.integrator, extra);
    rattle_state again = {.q = z, .p = z + n, .h = 0.02, .step = 40};
    assert_int_equal(rattle_integrator_step(second.integrator, &again, 40, &error), RATTLE_OK);
    assert_memory_equal(z, once, 2 * (size_t)n * sizeof *z);
    again.h = 0.01;
    assert_int_equal(rattle_integrator_step(second.integrator, &again, 40, &error), RATTLE_OK);
    claims_library_close(&first);
    claims_library_close(&second);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_positions_are_those_of_verlet),
                                     cmocka_unit_test(test_shake_in_two_steps),
                                     cmocka_unit_test(test_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
