/* The claim `pure`, for each row of the table with both evaluators. A step that claims it is a
 * function of (t, h, q, p): repeated, resumed, stepped singly or after other work it gives the same
 * bits. One that does not is a function of these and of its extra state, and of the extra state
 * indeed. A failed step leaves the state as it was. */
#include "common_claims.h"
#include "common_methods.h"
#include "examine/verify/repeat.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

enum { STEPS = 12 };
static const double h = 0.04;
static int evaluator;

static rattle__repeat repeat_of(claims_library *library, int n, const double *start, int steps) {
  return (rattle__repeat){
      .integrator = library->integrator, .z0 = start, .n = n, .steps = steps, .h = h};
}

/* The second half in an integrator that was never used before, with the extra state of the
 * first. */
static int resume(claims_library *library, const tests_problem *problem, const char *method,
                  const double *start, double *z) {
  claims_library fresh;
  rattle_error error;
  const rattle__repeat r = repeat_of(library, problem->n, start, STEPS);
  if (claims_library_open(&fresh, problem, method, evaluator, &error))
    fail_msg("%s", error.message);
  const int made = rattle__repeat_resumed(&r, fresh.integrator, z);
  claims_library_close(&fresh);
  assert_true(made >= 0);
  return made;
}

/* Results for a row: how many methods were compared, how many of them have a past, and whether it
 * matters to one of these. */
typedef struct finding {
  int compared, past, matters;
} finding;

static int same(const double *a, const double *b, int n) {
  return !memcmp(a, b, sizeof *a * 2 * (size_t)n);
}

/* Even the past of leapfrog, which gives back nearly all digits of what it is made from, matters
 * within so many steps. */
static int past_matters(claims_library *library, const tests_problem *problem) {
  enum { MANY = 400 };
  double start[TESTS_MAX_2N], z[TESTS_MAX_2N], y[TESTS_MAX_2N];
  claims_start(problem, start, start + problem->n);
  const rattle__repeat r = repeat_of(library, problem->n, start, MANY);
  const int made = rattle__repeat_steps(&r, MANY, z);
  return rattle__repeat_interrupted(&r, y) != made || !same(y, z, problem->n);
}

static void check(const tests_problem *problem, const char *method, finding *f) {
  const int n = problem->n;
  double start[TESTS_MAX_2N], once[TESTS_MAX_2N], z[TESTS_MAX_2N];
  claims_library library;
  rattle_error error;
  if (claims_library_open(&library, problem, method, evaluator, &error))
    return; /* for test_claims to judge */
  const int pure = rattle_method_claims(rattle_integrator_method(library.integrator)).pure;
  if (pure != (rattle_integrator_extra(library.integrator) == 0))
    fail_msg("%s on %s claims pure = %d, and its extra state says otherwise", method, problem->name,
             pure);
  claims_start(problem, start, start + n);
  const rattle__repeat r = repeat_of(&library, n, start, STEPS);
  const int steps = rattle__repeat_steps(&r, STEPS, once);
#define SAME(made, what)                                                                           \
  if ((made) != steps || !same(z, once, n))                                                        \
  fail_msg("%s changes the bits of %s on %s", what, method, problem->name)

  SAME(rattle__repeat_steps(&r, STEPS, z), "repeating");
  SAME(rattle__repeat_steps(&r, 1, z), "stepping singly");
  SAME(resume(&library, problem, method, start, z), "resuming");
  if (pure) {
    SAME(rattle__repeat_interrupted(&r, z), "other work between");
  } else {
    f->past++;
    f->matters = f->matters || past_matters(&library, problem);
  }
#undef SAME
  f->compared++;
  claims_library_close(&library);
}

static void test_pure(int by) {
  evaluator = by;
  const rattle_method_row *rows;
  const int count = rattle_method_rows(&rows);
  for (int r = 0, turn = 0; r < count; r++) {
    finding f = {0};
    for (int i = 0; i < methods_problem_count(); i++) {
      methods_text methods[METHODS_MAX];
      const int tried = methods_of(&rows[r], methods_problem(i), methods);
      for (int k = 0; k < tried; k++)
        if (!f.compared || ++turn % TESTS_ONE_IN == 0) check(methods_problem(i), methods[k], &f);
    }
    if (!f.compared && methods_makes_trajectories(&rows[r]))
      fail_msg("no problem tells anything of %s", rows[r].name);
    if (f.past && !f.matters && TESTS_ONE_IN == 1)
      fail_msg("%s does not claim to be pure, and its steps are", rows[r].name);
  }
}

static void test_interpreted(void **state) {
  (void)state;
  test_pure(RATTLE_EVALUATOR_BLOCK);
}

static void test_native(void **state) {
  (void)state;
  if (!claims_takes_native()) skip();
  test_pure(RATTLE_EVALUATOR_NATIVE);
}

/* h = 3 is far too large for every problem here but some; where it fails, nothing may have
 * changed */
static void test_failure_changes_nothing(void **state) {
  (void)state;
  int failed = 0;
  for (int i = 0; i < tests_problem_count; i++) {
    const int n = tests_problems[i].n;
    double z[TESTS_MAX_2N], before[TESTS_MAX_2N];
    claims_library library;
    rattle_error error;
    if (tests_problems[i].m == 0) continue;
    if (claims_library_open(&library, &tests_problems[i], "rattle(verlet)", RATTLE_EVALUATOR_BLOCK,
                            &error))
      fail_msg("%s", error.message);
    claims_start(&tests_problems[i], z, z + n);
    rattle_state at = {.q = z, .p = z + n, .t0 = -21, .h = 3, .step = 7};
    rattle_status status;
    do {
      memcpy(before, z, sizeof z);
      status = rattle_integrator_step(library.integrator, &at, 1, &error);
    } while (status == RATTLE_OK && at.step < 20);
    if (status != RATTLE_OK) {
      failed++;
      assert_memory_equal(z, before, 2 * n * sizeof *z);
      assert_int_equal(error.status, status);
      assert_int_equal(error.step, at.step);
      assert_true(error.message[0] != 0);
    }
    claims_library_close(&library);
  }
  assert_true(failed >= 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_interpreted),
                                     cmocka_unit_test(test_native),
                                     cmocka_unit_test(test_failure_changes_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
