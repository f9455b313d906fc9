/* A step allocates nothing, whatever the row of the table and the evaluator; the linker hands all
 * calls of malloc and its kin to the counters here. */
#include "../../bench/bench.h"
#include "common_claims.h"
#include "common_methods.h"

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

static void check(const tests_problem *problem, const char *method, int evaluator, int *compared) {
  const int n = problem->n;
  double z[TESTS_MAX_2N], out[TESTS_MAX_2N];
  claims_library library;
  rattle_error error;
  if (claims_library_open(&library, problem, method, evaluator, &error))
    return; /* for test_claims to judge */
  claims_start(problem, z, z + n);
  rattle_state state = {.q = z, .p = z + n, .h = 0.03};
  const long long before = allocations;
  rattle_status status = rattle_integrator_step(library.integrator, &state, 20, &error);
  if (status == RATTLE_OK)
    status = rattle_integrator_output(library.integrator, &state, out, out + n, &error);
  const long long after = allocations;
  if (status != RATTLE_OK) fail_msg("%s on %s: %s", method, problem->name, error.message);
  if (after != before)
    fail_msg("%s on %s allocates: %lld calls in 20 steps", method, problem->name, after - before);
  ++*compared;
  claims_library_close(&library);
}

static void test_rows(int evaluator) {
  const rattle_method_row *rows;
  const int count = rattle_method_rows(&rows);
  const long long before = allocations;
  void *volatile some = malloc(1);
  free(some);
  assert_true(allocations > before); /* the counters count */
  for (int r = 0, turn = 0; r < count; r++) {
    int compared = 0;
    for (int i = 0; i < methods_problem_count(); i++) {
      methods_text methods[METHODS_MAX];
      const int tried = methods_of(&rows[r], methods_problem(i), methods);
      for (int k = 0; k < tried; k++)
        if (!compared || ++turn % TESTS_ONE_IN == 0)
          check(methods_problem(i), methods[k], evaluator, &compared);
    }
    if (!compared && methods_makes_trajectories(&rows[r]))
      fail_msg("no problem tells anything of %s", rows[r].name);
  }
}

/* Transitions of a chain after its warm-up, some of them too long to be solved. */
static void chain(const char *model, const char *method, rattle_evaluator evaluator) {
  rattle_model *parsed;
  rattle_problem *problem;
  rattle_chain *chain = NULL;
  rattle_error error;
  const rattle_problem_options with = {.struct_size = sizeof with, .evaluator = evaluator};
  const rattle_chain_options options = {
      .struct_size = sizeof options, .method = method, .step = 0.4, .warmup = 20};
  if (rattle_model_parse(&parsed, model, "test", NULL, &error) ||
      rattle_problem_create(&problem, parsed, &with, &error) ||
      rattle_chain_create(&chain, problem, &options, &error) ||
      rattle_chain_advance(chain, 20, &error))
    fail_msg("%s: %s", method, error.message);
  const long long before = allocations;
  const rattle_status status = rattle_chain_advance(chain, 200, &error);
  const long long after = allocations;
  assert_int_equal(status, RATTLE_OK);
  if (after != before)
    fail_msg("%s allocates: %lld calls in 200 transitions", method, after - before);
  rattle_chain_destroy(&chain);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&parsed);
}

static void test_chains(void **state) {
  (void)state;
  static const char *const models[] = {
      "local x,px = pair('x') local y,py = pair('y') local z,pz = pair('z') hamiltonian((px^2 + "
      "py^2 + pz^2)/2 + z)\n"
      "constrain('torus', (x^2 + y^2 + z^2 + 1 - 0.25)^2 - 4*(x^2 + y^2)) start{x = 1.5}\n",
      "local T, q = 0, {} for i = 1, 12 do q[i] = {} for k = 1, 2 do local x,p = pair('x'..i..k) "
      "q[i][k] = x T = T + p^2/2 end "
      "end\n"
      "hamiltonian(T) for i = 2, 12 do constrain('c'..i, (q[i][1] - q[i-1][1])^2 + (q[i][2] - "
      "q[i-1][2])^2 - 1) end\n"
      "for i = 1, 12 do start{['x'..i..1] = i} end\n"};
  static const char *const methods[] = {"hmc(rattle(verlet))",
                                        "langevin(rattle(verlet))",
                                        "langevin(suzuki4(rattle(verlet)))",
                                        "hmc(rattle(verlet), measure=delta)",
                                        "random_walk",
                                        "random_walk(solutions=all, starts=3)",
                                        "hmc(rattle(verlet), steps=2, solutions=all, starts=2)"};
  for (int i = 0; i < 2; i++)
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
      chain(models[i], methods[k], RATTLE_EVALUATOR_BLOCK);
      chain(models[i], methods[k], RATTLE_EVALUATOR_NATIVE);
    }
}

static void test_interpreted(void **state) {
  (void)state;
  test_rows(RATTLE_EVALUATOR_BLOCK);
}

static void test_native(void **state) {
  (void)state;
  if (!claims_takes_native()) skip();
  test_rows(RATTLE_EVALUATOR_NATIVE);
}

/* The benchmarks' problems, which are large as well. */
static void test_benches(void **state) {
  (void)state;
  static const struct {
    const char *file, *method;
    int links;
  } cases[] = {
      {"pendulum.lua", "rattle(verlet)", 0},  {"double_pendulum.lua", "spark(3)", 0},
      {"guards.lua", "rattle(midpoint)", 0},  {"chain.lua", "rattle(verlet)", 10},
      {"chain.lua", "rattle(verlet)", 100},   {"chain.lua", "rattle(verlet, solver=sparse)", 100},
      {"chain.lua", "rattle(verlet(b))", 100}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rattle_error error;
    bench_library library = bench_open(cases[i].file, cases[i].links ? "N" : NULL, cases[i].links,
                                       cases[i].method, RATTLE_EVALUATOR_BLOCK);
    double *q = calloc(2 * (size_t)library.n, sizeof *q), *p = q + library.n;
    assert_non_null(q);
    bench_check(rattle_problem_start(library.problem, 1, q, p, NULL, &error), &error);
    const long long before = allocations;
    bench_advance(&library, 0.0005, 20, q, p);
    const long long after = allocations;
    if (after != before)
      fail_msg("%s, %s allocates: %lld calls", cases[i].file, cases[i].method, after - before);
    free(q);
    bench_close(&library);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_interpreted),
                                     cmocka_unit_test(test_native), cmocka_unit_test(test_benches),
                                     cmocka_unit_test(test_chains)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
