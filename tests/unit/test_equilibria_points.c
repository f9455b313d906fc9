/* A family of equilibria of as many points as were asked for, and its reason. */
#include "rattle/rattle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const char spring[] = "local load = parameter('load', 0)\nlocal x, px = pair('x')\n"
                             "hamiltonian(px^2/2 + x^2/2 - load*x)\n";

/* The reason is that of the family alone, whatever the caller's error held before. */
static void test_one_point(void **state) {
  (void)state;
  const rattle_equilibria_options options = {
      .struct_size = sizeof options, .parameter = "load", .to = 2, .points = 1};
  rattle_model *model;
  rattle_problem *problem;
  rattle_equilibria *family;
  rattle_error error;
  assert_int_equal(rattle_model_parse(&model, spring, "spring.lua", NULL, &error), RATTLE_OK);
  assert_int_equal(rattle_problem_create(&problem, model, NULL, &error), RATTLE_OK);
  memset(&error, 0, sizeof error);
  strcpy(error.message, "of an earlier call");
  assert_int_equal(rattle_equilibria_create(&family, problem, NULL, &options, &error), RATTLE_OK);
  assert_int_equal(rattle_equilibria_points(family), 1);
  assert_string_equal(rattle_equilibria_why(family),
                      "the family goes on at load = 0: it has as many points as were asked for");
  rattle_equilibria_destroy(&family);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_point)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
