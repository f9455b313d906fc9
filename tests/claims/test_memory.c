/* A step allocates nothing, whatever the method; the linker hands all calls of malloc and its kin to the counters here. */
#include "common_claims.h"

#include "../reference/common_second_class.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static volatile long long allocations;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *old);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *old);

void *__wrap_malloc(size_t size) {
  allocations++;
  return __real_malloc(size);
}
void *__wrap_calloc(size_t count, size_t size) {
  allocations++;
  return __real_calloc(count, size);
}
void *__wrap_realloc(void *old, size_t size) {
  allocations++;
  return __real_realloc(old, size);
}
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  allocations++;
  return __real_aligned_alloc(alignment, size);
}
void __wrap_free(void *old) {
  allocations += old != NULL;
  __real_free(old);
}

static const char *const methods[] = {"rattle(symplectic_euler)",
                                      "rattle(verlet)",
                                      "rattle(midpoint)",
                                      "rattle(gauss(4))",
                                      "shake(verlet)",
                                      "rattle(verlet, project=output)",
                                      "sofroniou_spaletta10(rattle(verlet))",
                                      "triple_jump(rattle(midpoint), 6)",
                                      "rattle(verlet, solver=newton)",
                                      "rattle(verlet, solver=quasi_newton)",
                                      "rattle(verlet, solver=dense)",
                                      "rattle(midpoint, solver=sparse)",
                                      "rattle(verlet, solver=sparse)",
                                      "project(rk4(dirac))",
                                      "project(rk4(classical), both, every=3)",
                                      "project(rk4(dirac), both, project=output)",
                                      "project(verlet, symmetric)",
                                      "taylor(5, dirac)",
                                      "rattle(taylor(3))",
                                      "dopri5(dirac, tol=1e-6)",
                                      "adams_bashforth(4, dirac)",
                                      "adams_moulton(3, dirac)"};

static void check(const tests_problem *problem, const char *method, int evaluator) {
  const int n = problem->n;
  double z[TESTS_MAX_2N], out[TESTS_MAX_2N];
  claims_library library;
  rattle_error error;
  if (claims_library_open(&library, problem, method, evaluator, &error) != RATTLE_OK)
    fail_msg("%s on %s: %s", method, problem->name, error.message);
  claims_start(problem, z, z + n);
  rattle_state state = {.q = z, .p = z + n, .h = 0.03};
  const long long before = allocations;
  rattle_status status = rattle_integrator_step(library.integrator, &state, 20, &error);
  if (status == RATTLE_OK) status = rattle_integrator_output(library.integrator, &state, out, out + n, &error);
  const long long after = allocations;
  if (status != RATTLE_OK) fail_msg("%s on %s: %s", method, problem->name, error.message);
  if (after != before) fail_msg("%s on %s allocates: %lld calls in 20 steps", method, problem->name, after - before);
  claims_library_close(&library);
}

static void test_steps_allocate_nothing(void **state) {
  (void)state;
  const long long before = allocations;
  void *volatile some = malloc(1);
  free(some);
  assert_true(allocations > before); /* the counters count */
  for (int i = 0; i < tests_problem_count; i++) {
    if (tests_problems[i].m == 0) continue;
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) check(&tests_problems[i], methods[k], RATTLE_EVALUATOR_BLOCK);
    if (strcmp(tests_problems[i].kind, "natural") != 0) continue;
    check(&tests_problems[i], "multistep8", RATTLE_EVALUATOR_BLOCK);
    check(&tests_problems[i], "geodesic_rkn6", RATTLE_EVALUATOR_BLOCK);
  }
  for (int i = 0; i < tests_second_class_count; i++) {
    check(&tests_second_class[i], "second_class(midpoint)", RATTLE_EVALUATOR_BLOCK);
    check(&tests_second_class[i], "suzuki4(second_class(verlet))", RATTLE_EVALUATOR_BLOCK);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_steps_allocate_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
