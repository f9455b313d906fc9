/* A step is a pure function of (t, h, q, p): repeated, resumed, stepped singly or after other work it gives the same bits, and a
 * step back returns to round-off. A failed step leaves the state as it was. */
#include "common_claims.h"

#include "../reference/common_second_class.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static const char *const methods[] = {"rattle(symplectic_euler)",
                                      "rattle(verlet(a))",
                                      "rattle(verlet(b))",
                                      "rattle(midpoint)",
                                      "rattle(gauss(3))",
                                      "shake(verlet)",
                                      "rattle(verlet, project=output)",
                                      "kahan_li8(rattle(verlet))",
                                      "rattle(verlet, solver=quasi_newton)",
                                      "project(rk4(dirac))",
                                      "project(explicit_midpoint(classical), momentum, tol=1e-6)",
                                      "project(midpoint(dirac), symmetric)",
                                      "taylor(4, dirac)",
                                      "rattle(taylor(3))",
                                      "dopri5(dirac, tol=1e-6)"};
enum { METHODS = sizeof methods / sizeof *methods, STEPS = 24 };
static const double h = 0.04;

static void open(claims_library *library, const tests_problem *problem, const char *method) {
  rattle_error error;
  if (claims_library_open(library, problem, method, RATTLE_EVALUATOR_BLOCK, &error) != RATTLE_OK)
    fail_msg("%s on %s: %s", method, problem->name, error.message);
}

/* Advances z from step `first` by `steps` steps in calls of `piece`. */
static void advance(claims_library *library, double *z, int n, int first, int steps, int piece) {
  rattle_error error;
  rattle_state state = {.q = z, .p = z + n, .h = h, .step = first};
  for (int done = 0; done < steps; done += piece) {
    if (rattle_integrator_step(library->integrator, &state, piece, &error) != RATTLE_OK) fail_msg("%s", error.message);
  }
  assert_int_equal(state.step, first + steps);
}

static void same_bits(const double *a, const double *b, int count, const char *what, const char *method, const char *problem) {
  if (memcmp(a, b, sizeof *a * count)) fail_msg("%s changes the bits of %s on %s", what, method, problem);
}

static void check(const tests_problem *problem, const char *method) {
  const int n = problem->n, size = 2 * n;
  double once[TESTS_MAX_2N], z[TESTS_MAX_2N], other[TESTS_MAX_2N];
  claims_library first, second;
  open(&first, problem, method);
  assert_int_equal(rattle_integrator_extra(first.integrator), 0);
  claims_start(problem, once, once + n);
  advance(&first, once, n, 0, STEPS, STEPS);

  claims_start(problem, z, z + n);
  advance(&first, z, n, 0, STEPS, STEPS);
  same_bits(z, once, size, "repeating", method, problem->name);

  claims_start(problem, z, z + n);
  advance(&first, z, n, 0, STEPS, 1);
  same_bits(z, once, size, "stepping singly", method, problem->name);

  /* half in one integrator, half in another that was never used before */
  claims_start(problem, z, z + n);
  advance(&first, z, n, 0, STEPS / 2, STEPS / 2);
  open(&second, problem, method);
  advance(&second, z, n, STEPS / 2, STEPS / 2, STEPS / 2);
  same_bits(z, once, size, "resuming", method, problem->name);
  claims_library_close(&second);

  /* other work between the halves */
  claims_start(problem, z, z + n);
  claims_start(problem, other, other + n);
  advance(&first, other, n, 0, 5, 5);
  advance(&first, z, n, 0, STEPS / 2, STEPS / 2);
  advance(&first, other, n, 5, 5, 1);
  advance(&first, z, n, STEPS / 2, STEPS / 2, 3);
  same_bits(z, once, size, "other work between", method, problem->name);
  claims_library_close(&first);
}

static void test_pure(void **state) {
  (void)state;
  int checked = 0;
  for (int i = 0; i < tests_problem_count; i++) {
    for (int k = 0; k < METHODS && tests_problems[i].m > 0; k++, checked++) check(&tests_problems[i], methods[k]);
  }
  for (int i = 0; i < tests_second_class_count; i++, checked++) check(&tests_second_class[i], "second_class(midpoint)");
  assert_true(checked >= 100);
}

/* h = 3 is far too large for every problem here but some; where it fails, nothing may have changed */
static void test_failure_changes_nothing(void **state) {
  (void)state;
  int failed = 0;
  for (int i = 0; i < tests_problem_count; i++) {
    const int n = tests_problems[i].n;
    double z[TESTS_MAX_2N], before[TESTS_MAX_2N];
    claims_library library;
    rattle_error error;
    if (tests_problems[i].m == 0) continue;
    open(&library, &tests_problems[i], "rattle(verlet)");
    claims_start(&tests_problems[i], z, z + n);
    rattle_state at = {.q = z, .p = z + n, .h = 3, .step = 7};
    rattle_status status;
    do {
      memcpy(before, z, sizeof z);
      status = rattle_integrator_step(library.integrator, &at, 1, &error);
    } while (status == RATTLE_OK && at.step < 20);
    if (status != RATTLE_OK) {
      failed++;
      same_bits(z, before, 2 * n, "a failed step", "rattle(verlet)", tests_problems[i].name);
      assert_int_equal(error.status, status);
      assert_int_equal(error.step, at.step);
      assert_true(error.message[0] != 0);
    }
    claims_library_close(&library);
  }
  assert_true(failed >= 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_pure), cmocka_unit_test(test_failure_changes_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
