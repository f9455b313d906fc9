/* Methods with compensated sums: claims as without, the carry as declared state (repeated, resumed,
 * failed, interpreted, compiled), substeps that add to the step exactly, and what is refused. */
#include "common_claims.h"

#include "method/notation/method.h"
#include "constraint/step/carry.h"
#include "constraint/step/map.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { STEPS = 24 };
static const double h = 0.04;

static void open(claims_library *library, const tests_problem *problem, const char *method,
                 int evaluator) {
  rattle_error error;
  if (claims_library_open(library, problem, method, evaluator, &error) != RATTLE_OK)
    fail_msg("%s on %s: %s", method, problem->name, error.message);
}

/* True if `compensated` is offered there. */
static int offered(const tests_problem *problem, const char *method) {
  claims_library library;
  rattle_error error;
  const rattle_status status =
      claims_library_open(&library, problem, method, RATTLE_EVALUATOR_BLOCK, &error);
  if (status == RATTLE_OK) claims_library_close(&library);
  if (status != RATTLE_OK)
    assert_true(status == RATTLE_UNSUITABLE && strstr(error.message, "compensated"));
  return status == RATTLE_OK;
}

/* ---- sums ---- */

static double random_double(void) {
  return ldexp((double)rand() / RAND_MAX - 0.5, rand() % 80 - 40);
}

/* x + carry is the sum to twice the digits, whatever the sizes; so is the drift. */
static void test_sums_are_exact(void **state) {
  (void)state;
  if (LDBL_MANT_DIG < 64) skip();
  srand(1);
  for (int trial = 0; trial < 20000; trial++) {
    double x = random_double(), carry = 0, c = random_double(), p = random_double(),
           p_carry = p * 0x1p-55;
    const double a = random_double(), b = random_double();
    const long double start = x;
    rattle__carry_add(&x, &carry, a);
    assert_true((long double)x + carry == start + (long double)a);
    rattle__carry_add(&x, &carry, b);
    rattle__carry_add(&x, &carry, -a);
    rattle__carry_add(&x, &carry, -b);
    const double left = fabs((double)((long double)x - start) + carry);
    assert_true(left <= 0x1p-100 * (fabs(a) + fabs(b) + fabs(x)));
    double y = 0, y_carry = 0;
    rattle__carry_drift(&y, &y_carry, c, p, p_carry);
    const long double exact = (long double)c * p + (long double)c * p_carry;
    assert_true(fabsl((long double)y + y_carry - exact) <= 0x1p-62L * fabsl(exact));
  }
}

/* ---- claims ---- */

static const char *const methods[] = {"verlet(a, compensated)",
                                      "verlet(b, compensated)",
                                      "symplectic_euler(b, compensated)",
                                      "suzuki4(verlet, compensated)",
                                      "rattle(verlet(a), compensated)",
                                      "rattle(verlet(b), compensated)",
                                      "rattle(symplectic_euler, compensated)",
                                      "shake(verlet, compensated)",
                                      "rattle(verlet, project=output, compensated)",
                                      "rattle(verlet, solver=newton, compensated)",
                                      "rattle(verlet(b), solver=quasi_newton, compensated)",
                                      "kahan_li6(rattle(verlet, solver=dense), compensated)"};
enum { METHODS = sizeof methods / sizeof *methods };

static int suits(const tests_problem *problem, const char *method) {
  const int constrained = strstr(method, "rattle") || strstr(method, "shake");
  return constrained == (problem->m > 0) && offered(problem, method);
}

static void test_claims_stand(void **state) {
  (void)state;
  int failures = 0;
  for (int k = 0; k < METHODS; k++) {
    int measured = 0;
    for (int i = 0; i < tests_problem_count; i++) {
      const tests_problem *problem = &tests_problems[i];
      if (!suits(problem, methods[k])) continue;
      claims_library library;
      char text[200];
      open(&library, problem, methods[k], RATTLE_EVALUATOR_BLOCK);
      const rattle_claims claims =
          rattle_method_claims(rattle_integrator_method(library.integrator));
      assert_int_equal(claims.pure, 0);
      const int output = strstr(methods[k], "project=output") != NULL;
      const claims_map map = {problem, claims_library_step, output ? claims_library_output : NULL,
                              &library, 0};
      const char *refuted = claims_refute(&map, &claims, NULL, text, sizeof text);
      if (refuted) print_error("%s on %s\n", methods[k], refuted);
      failures += refuted != NULL;
      measured++;
      claims_library_close(&library);
    }
    if (!measured) fail_msg("no problem tells anything of %s", methods[k]);
  }
  assert_int_equal(failures, 0);
}

/* ---- the carry as state ---- */

static void advance(claims_library *library, double *z, int n, int first, int steps, int piece) {
  rattle_error error;
  rattle_state state = {.q = z, .p = z + n, .h = h, .step = first};
  for (int done = 0; done < steps; done += piece) {
    if (rattle_integrator_step(library->integrator, &state, piece, &error) != RATTLE_OK)
      fail_msg("%s", error.message);
  }
}

typedef struct point {
  double z[TESTS_MAX_2N], carry[TESTS_MAX_2N];
} point;

static void take(const claims_library *library, const double *z, int n, point *to) {
  memset(to, 0, sizeof *to);
  assert_int_equal(rattle_integrator_extra(library->integrator), 2 * n);
  memcpy(to->z, z, 2 * (size_t)n * sizeof *z);
  rattle_integrator_get_extra(library->integrator, to->carry);
}

static void same(const point *a, const point *b, const char *what, const char *method,
                 const char *problem) {
  if (memcmp(a, b, sizeof *a)) fail_msg("%s changes the bits of %s on %s", what, method, problem);
}

static void check_state(const tests_problem *problem, const char *method) {
  const int n = problem->n;
  double z[TESTS_MAX_2N], other[TESTS_MAX_2N], most = 0, size = 0;
  point once, again;
  claims_library first, second;
  open(&first, problem, method, RATTLE_EVALUATOR_BLOCK);
  claims_start(problem, z, z + n);
  advance(&first, z, n, 0, STEPS, STEPS);
  take(&first, z, n, &once);
  for (int k = 0; k < 2 * n; k++) {
    most = fmax(most, fabs(once.carry[k]));
    size = fmax(size, fabs(once.z[k]));
  }
  assert_true(most > 0 && most <= 0x1p-53 * size);

  /* again from the start: what the last run carried is forgotten */
  claims_start(problem, z, z + n);
  advance(&first, z, n, 0, STEPS, 1);
  take(&first, z, n, &again);
  same(&again, &once, "stepping singly", method, problem->name);

  /* other work between, then on with the carry of before, in another integrator and in other
   * code */
  claims_start(problem, z, z + n);
  advance(&first, z, n, 0, STEPS / 2, STEPS / 2);
  take(&first, z, n, &again);
  claims_start(problem, other, other + n);
  advance(&first, other, n, 0, 5, 5);
  open(&second, problem, method, RATTLE_EVALUATOR_NATIVE);
  rattle_integrator_set_extra(second.integrator, again.carry);
  advance(&second, z, n, STEPS / 2, STEPS / 2, STEPS / 2);
  take(&second, z, n, &again);
  same(&again, &once, "resuming in compiled code", method, problem->name);
  claims_library_close(&second);
  claims_library_close(&first);
}

static void test_carry_is_state(void **state) {
  (void)state;
  int checked = 0;
  for (int i = 0; i < tests_problem_count; i++)
    for (int k = 0; k < METHODS; k++)
      if (suits(&tests_problems[i], methods[k]))
        check_state(&tests_problems[i], methods[k]), checked++;
  assert_true(checked >= 20);
}

/* h = 3 is far too large: if a step fails, neither the state nor the carry has changed. 1 if one
 * failed. */
static int check_failure(const tests_problem *problem, const char *method, int evaluator) {
  const int n = problem->n;
  double z[TESTS_MAX_2N];
  point before, after;
  claims_library library;
  rattle_error error;
  open(&library, problem, method, evaluator);
  claims_start(problem, z, z + n);
  advance(&library, z, n, 0, 5, 5);
  rattle_state at = {.q = z, .p = z + n, .h = 3, .step = 5};
  rattle_status status;
  do {
    take(&library, z, n, &before);
    status = rattle_integrator_step(library.integrator, &at, 1, &error);
  } while (status == RATTLE_OK && at.step < 20);
  take(&library, z, n, &after);
  if (status != RATTLE_OK) same(&after, &before, "a failed step", method, problem->name);
  claims_library_close(&library);
  return status != RATTLE_OK;
}

static void test_failure_changes_nothing(void **state) {
  (void)state;
  static const char *const tried[] = {"rattle(verlet, compensated)",
                                      "rattle(verlet, solver=newton, compensated)",
                                      "kahan_li6(rattle(verlet), compensated)"};
  for (size_t k = 0; k < sizeof tried / sizeof *tried; k++) {
    int failed = 0;
    for (int i = 0; i < tests_problem_count; i++) {
      if (!suits(&tests_problems[i], tried[k])) continue;
      failed += check_failure(&tests_problems[i], tried[k], RATTLE_EVALUATOR_BLOCK);
      failed += check_failure(&tests_problems[i], tried[k], RATTLE_EVALUATOR_NATIVE);
    }
    if (failed < 2) fail_msg("no step of %s fails", tried[k]);
  }
}

/* ---- constraints ---- */

/* Errors at the end of iterations have a sign, and the energy would follow it: z + carry is on g =
 * 0 far below the round-off of a double. */
static void test_constraints_hold_beyond_double(void **state) {
  (void)state;
  if (LDBL_MANT_DIG < 64) skip();
  const tests_problem *problem = tests_problem_named("spherical");
  static const char *const held[] = {"rattle(verlet, compensated)",
                                     "rattle(verlet(b), compensated)",
                                     "rattle(verlet, solver=newton, compensated)",
                                     "rattle(verlet, solver=quasi_newton, compensated)"};
  for (size_t k = 0; k < 2 * sizeof held / sizeof *held; k++) {
    const char *method = held[k / 2];
    const int n = problem->n;
    double z[TESTS_MAX_2N], carry[TESTS_MAX_2N];
    long double most = 0;
    claims_library library;
    open(&library, problem, method, k % 2 ? RATTLE_EVALUATOR_NATIVE : RATTLE_EVALUATOR_BLOCK);
    claims_start(problem, z, z + n);
    for (int step = 0; step < 100; step++) {
      long double g = -1;
      advance(&library, z, n, step, 1, 1);
      rattle_integrator_get_extra(library.integrator, carry);
      for (int i = 0; i < n; i++)
        g += ((long double)z[i] + carry[i]) * ((long double)z[i] + carry[i]);
      most = fmaxl(most, fabsl(g));
    }
    if (!(most < 0x1p-60L)) fail_msg("%s leaves g = %.3Lg", method, most);
    claims_library_close(&library);
  }
}

/* ---- substeps ---- */

/* A free particle: after many steps q is q0 + t p but for one rounding, which it is not where the
 * substeps do not add to h. */
static void test_substeps_add_to_the_step(void **state) {
  (void)state;
  static const char *const maps[] = {"suzuki4(verlet, compensated)",
                                     "kahan_li8(verlet, compensated)",
                                     "sofroniou_spaletta10(verlet(b), compensated)"};
  for (size_t k = 0; k < sizeof maps / sizeof *maps; k++) {
    rattle_model *model;
    rattle_problem *problem;
    rattle_integrator *integrator;
    rattle_error error;
    double q = 0.1, p = 1;
    rattle_state at = {.q = &q, .p = &p, .h = 0.1};
    assert_int_equal(rattle_model_parse(&model, "local x, px = pair('x') hamiltonian(px^2/2)",
                                        "free", NULL, &error),
                     RATTLE_OK);
    assert_int_equal(rattle_problem_create(&problem, model, NULL, &error), RATTLE_OK);
    if (rattle_integrator_create(&integrator, problem, maps[k], &error))
      fail_msg("%s", error.message);
    assert_int_equal(rattle_integrator_step(integrator, &at, 100000, &error), RATTLE_OK);
    if (q != (double)(0.1L + 100000 * (long double)0.1))
      fail_msg("%s ends %.3g off", maps[k], q - 10000.1);
    rattle_integrator_destroy(&integrator);
    rattle_problem_destroy(&problem);
    rattle_model_destroy(&model);
  }
}

/* ---- refusals ---- */

static void test_refusals(void **state) {
  (void)state;
  const tests_problem *problem = tests_problem_named("spherical");
  static const char *const refused[] = {
      "rattle(verlet, solver=sweep, compensated)", "rattle(verlet, tol=1e-10, compensated)",
      "rattle(gauss(2), compensated)", "multistep4(compensated)", "rk4(dirac, compensated)"};
  for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
    if (offered(problem, refused[k])) fail_msg("%s is offered", refused[k]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums_are_exact),
                                     cmocka_unit_test(test_claims_stand),
                                     cmocka_unit_test(test_carry_is_state),
                                     cmocka_unit_test(test_failure_changes_nothing),
                                     cmocka_unit_test(test_constraints_hold_beyond_double),
                                     cmocka_unit_test(test_substeps_add_to_the_step),
                                     cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
