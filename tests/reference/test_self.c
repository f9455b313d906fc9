/* The reference against itself: its derivatives against differences, RATTLE against the exact flow
 * of the DAE at the known order, the exact flow against conservation, and coisotropy of every
 * problem. */
#include "common_reference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void start(const tests_problem *problem, long double *z) {
  double x[TESTS_MAX_2N];
  if (reference_start(problem, x, x + problem->n)) fail_msg("%s has no start", problem->name);
  for (int k = 0; k < 2 * problem->n; k++) z[k] = x[k];
}

static void test_gradients(void **state) {
  (void)state;
  const long double d = 1e-4L;
  for (int i = 0; i < tests_problem_count; i++) {
    const tests_problem *problem = &tests_problems[i];
    long double z[TESTS_MAX_2N], gradient[TESTS_MAX_2N];
    start(problem, z);
    reference_gradient(problem, z, gradient);
    for (int k = 0; k < 2 * problem->n; k++) {
      const long double at = z[k];
      z[k] = at + d;
      const long double up = reference_energy(problem, z);
      z[k] = at - d;
      const long double down = reference_energy(problem, z);
      z[k] = at;
      assert_true(fabsl((up - down) / (2 * d) - gradient[k]) < 1e-7L);
    }
  }
}

static void test_coisotropic(void **state) {
  (void)state;
  for (int i = 0; i < tests_problem_count; i++) {
    const int n = tests_problems[i].n;
    long double z[TESTS_MAX_2N], J[TESTS_MAX_M * TESTS_MAX_2N], bracket = 0;
    if (tests_problems[i].m < 2) continue;
    start(&tests_problems[i], z);
    reference_jacobian(&tests_problems[i], z, J);
    for (int k = 0; k < n; k++) bracket += J[k] * J[3 * n + k] - J[n + k] * J[2 * n + k];
    assert_true(fabsl(bracket) < 1e-17L);
  }
}

static void test_flow_conserves(void **state) {
  (void)state;
  for (int i = 0; i < tests_problem_count; i++) {
    const tests_problem *problem = &tests_problems[i];
    long double z[TESTS_MAX_2N], g[TESTS_MAX_M] = {0}, psi[TESTS_MAX_M] = {0};
    start(problem, z);
    const long double before = reference_energy(problem, z);
    assert_int_equal(reference_flow(problem, 1, 10, z), 0);
    reference_constraint(problem, z, g);
    if (problem->m > 0) reference_hidden(problem, z, psi);
    for (int k = 0; k < problem->m; k++)
      assert_true(fabsl(g[k]) < 5e-15L && fabsl(psi[k]) < 5e-15L);
    assert_true(fabsl(reference_energy(problem, z) - before) < 5e-15L);
  }
}

static long double miss(const tests_problem *problem, reference_base base, int steps,
                        const long double *exact) {
  long double z[TESTS_MAX_2N], most = 0;
  start(problem, z);
  for (int i = 0; i < steps; i++)
    assert_int_equal(reference_rattle(problem, base, 0.5L / steps, z), 0);
  for (int k = 0; k < 2 * problem->n; k++) most = fmaxl(most, fabsl(z[k] - exact[k]));
  return most;
}

/* Order 1 for symplectic Euler, 2 for the symmetric maps, whatever their own order, if there are
 * constraints. */
static void test_orders(void **state) {
  (void)state;
  for (int i = 0; i < tests_problem_count; i++) {
    const tests_problem *problem = &tests_problems[i];
    long double exact[TESTS_MAX_2N];
    start(problem, exact);
    assert_int_equal(reference_flow(problem, 0.5L, 10, exact), 0);
    for (int base = REFERENCE_EULER_A; base <= REFERENCE_GAUSS_3; base++) {
      const long double order = log2l(miss(problem, (reference_base)base, 10, exact) /
                                      miss(problem, (reference_base)base, 20, exact));
      const int stages = 1 + base - REFERENCE_GAUSS_1;
      const int expected = base <= REFERENCE_EULER_B                      ? 1
                           : base <= REFERENCE_VERLET_B || problem->m > 0 ? 2
                                                                          : 2 * stages;
      if (!(fabsl(order - expected) < 0.2L))
        fail_msg("%s, base map %d: order %Lg", problem->name, base, order);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gradients), cmocka_unit_test(test_coisotropic),
      cmocka_unit_test(test_flow_conserves), cmocka_unit_test(test_orders)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
