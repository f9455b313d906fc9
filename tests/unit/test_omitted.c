/* Overconstrained mechanisms are loaded without Dirac's algorithm, whose reasons nobody asks for
 * (it took nine tenths of the time), and say what they omit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "problem/dirac/dirac.h"
#include "problem/model/model.h"
#include "rattle/rattle.h"

static int asked;

rattle_status __real_rattle__dirac_create(rattle__dirac **, const rattle_model *, const double *,
                                          int, uint64_t, rattle_error *);
rattle_status __wrap_rattle__dirac_create(rattle__dirac **, const rattle_model *, const double *,
                                          int, uint64_t, rattle_error *);

rattle_status __wrap_rattle__dirac_create(rattle__dirac **dirac, const rattle_model *model,
                                          const double *start, int samples, uint64_t seed,
                                          rattle_error *error) {
  asked++;
  return __real_rattle__dirac_create(dirac, model, start, samples, seed, error);
}

static void test_cheaply(void **state) {
  (void)state;
  static const struct {
    const char *path;
    int omissions;
  } cases[] = {{"/examples/bennett.lua", 3},
               {"/examples/bricard.lua", 1},
               {"/tests/cli/models/fourbar.sdf", 3}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rattle_model *model = NULL;
    rattle_error error;
    char path[400];
    snprintf(path, sizeof path, "%s%s", RATTLE_SOURCE_DIR, cases[i].path);
    asked = 0;
    if (rattle_model_load(&model, path, NULL, &error)) fail_msg("%s", error.message);
    assert_int_equal(model->omissions, cases[i].omissions);
    assert_int_equal(asked, 0);
    rattle_model_destroy(&model);
  }
}

/* A start that is refused still has its reason. */
static void test_reasons(void **state) {
  (void)state;
  static const char *const text =
      ("local x, px = pair('x') local y, py = pair('y') mass(x, 1) mass(y, 1) start {[x] = 1}\n"
       "constrain('rod', x^2 + y^2 - 1) constrain('again', 2*x^2 + 2*y^2 - 2)\n");
  rattle_model *model = NULL;
  rattle_problem *problem = NULL;
  rattle_error error = {0};
  double z[4];
  asked = 0;
  assert_int_equal(rattle_model_parse(&model, text, "m", NULL, &error), RATTLE_OK);
  assert_int_equal(rattle_problem_create(&problem, model, NULL, &error), RATTLE_OK);
  assert_int_equal(rattle_problem_start(problem, 0, z, z + 2, NULL, &error), RATTLE_NOT_REGULAR);
  assert_non_null(strstr(error.message, "'rod'"));
  assert_true(asked > 0);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_cheaply),
                                     cmocka_unit_test(test_reasons)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
