/* Public structs that grow: what an older or a newer program gives and gets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h comes after those four */
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "rattle/rattle.h"
#include "ground/support/sized.h"

/* A struct in three versions. */
typedef struct first {
  size_t struct_size;
  int a;
  double b;
} first;
typedef struct second {
  size_t struct_size;
  int a;
  double b, c;
} second;
typedef struct third {
  size_t struct_size;
  int a;
  double b, c, d;
} third;

static rattle_status take(second *own, const void *given, rattle_error *error) {
  return RATTLE__TAKE(own, second, b, given, error);
}

static void older_and_newer(void **state) {
  (void)state;
  rattle_error error;
  second own = {.c = 7};
  assert_int_equal(take(&own, NULL, &error), RATTLE_OK);
  assert_true(own.a == 0 && own.b == 0 && own.c == 0);
  /* the first layout, with or without struct_size: later members are 0 */
  const struct {
    first given;
    double beyond;
  } older = {{.struct_size = sizeof(first), .a = 1, .b = 2}, 3}, silent = {{.a = 1, .b = 2}, 3};
  own.c = 7;
  assert_int_equal(take(&own, &older.given, &error), RATTLE_OK);
  assert_true(own.a == 1 && own.b == 2 && own.c == 0);
  own.c = 7;
  assert_int_equal(take(&own, &silent.given, &error), RATTLE_OK);
  assert_true(own.a == 1 && own.b == 2 && own.c == 0);
  const second same = {.struct_size = sizeof same, .a = 1, .b = 2, .c = 3};
  assert_int_equal(take(&own, &same, &error), RATTLE_OK);
  assert_true(own.a == 1 && own.b == 2 && own.c == 3);
  const third newer = {.struct_size = sizeof newer, .a = 1, .b = 2, .c = 3, .d = 4};
  assert_int_equal(take(&own, &newer, &error), RATTLE_OK);
  assert_true(own.a == 1 && own.b == 2 && own.c == 3);
  for (size_t size = 1; size < sizeof(first); size++) {
    const second wrong = {.struct_size = size, .a = 1};
    assert_int_equal(take(&own, &wrong, &error), RATTLE_BAD_ARGUMENT);
    assert_string_equal(error.where, "second");
  }
  const second garbage = {.struct_size = (size_t)-1};
  assert_int_equal(take(&own, &garbage, &error), RATTLE_BAD_ARGUMENT);
}

static const char text[] =
    "local x, px = pair(\"x\") local y, py = pair(\"y\") constrain(\"rod\", x^2 + y^2 - 1)\n"
    "hamiltonian((px^2 + py^2)/2 + y) start { x = 1, py = -2 }";

/* Each function that takes such a struct refuses a size that none has; a summary is written as far
 * as the caller knows it. */
static void functions(void **state) {
  (void)state;
  rattle_error error;
  rattle_model *model, *none;
  rattle_problem *problem, *no_problem;
  rattle_integrator *integrator;
  rattle_doctor *doctor;
  rattle_record *record;
  rattle_study *study;
  assert_int_equal(
      rattle_model_parse(&none, text, "rod", &(rattle_model_options){.struct_size = 5}, &error),
      RATTLE_BAD_ARGUMENT);
  assert_int_equal(
      rattle_model_parse(&model, text, "rod", &(rattle_model_options){.struct_size = 0}, &error),
      RATTLE_OK);
  assert_int_equal(rattle_model_set_wishes(model, &(rattle_wishes){.struct_size = 5}, &error),
                   RATTLE_BAD_ARGUMENT);
  assert_int_equal(rattle_problem_create(&no_problem, model,
                                         &(rattle_problem_options){.struct_size = 5}, &error),
                   RATTLE_BAD_ARGUMENT);
  const rattle_problem_options block = {.struct_size = sizeof block,
                                        .evaluator = RATTLE_EVALUATOR_BLOCK};
  assert_int_equal(rattle_problem_create(&problem, model, &block, &error), RATTLE_OK);
  assert_string_equal(rattle_problem_evaluator(problem), "block");
  assert_int_equal(
      rattle_problem_create_callbacks(&no_problem, &(rattle_callbacks){.struct_size = 5}, &error),
      RATTLE_BAD_ARGUMENT);
  assert_int_equal(rattle_doctor_create(&doctor, model, problem,
                                        &(rattle_doctor_options){.struct_size = 5}, &error),
                   RATTLE_BAD_ARGUMENT);
  assert_int_equal(rattle_record_create(&record, "no.h5", problem,
                                        &(rattle_record_options){.struct_size = 5}, &error),
                   RATTLE_BAD_ARGUMENT);
  assert_int_equal(rattle_study_create(&study, problem, RATTLE_STUDY_DRIFT,
                                       &(rattle_study_options){.struct_size = 5}, &error),
                   RATTLE_BAD_ARGUMENT);
  assert_int_equal(rattle_integrator_create(&integrator, problem, "rattle(verlet)", &error),
                   RATTLE_OK);

  double q[] = {1, 0}, p[] = {0, -2};
  rattle_state point = {.q = q, .p = p, .h = 0.01};
  rattle_run_options options = {
      .struct_size = 5, .steps = 10, .every = 10, .initial_energy = (double)NAN};
  rattle_summary summary = {.struct_size = sizeof summary};
  assert_int_equal(rattle_run(integrator, &point, &options, NULL, 0, &summary, &error),
                   RATTLE_BAD_ARGUMENT);
  options.struct_size = sizeof options, summary.struct_size = 5;
  assert_int_equal(rattle_run(integrator, &point, &options, NULL, 0, &summary, &error),
                   RATTLE_BAD_ARGUMENT);
  assert_int_equal(point.step, 0);
  const size_t first_layout = RATTLE__UP_TO(rattle_summary, error);
  union {
    rattle_summary summary;
    unsigned char byte[sizeof(rattle_summary) + 64];
  } room;
  for (size_t size = 0; size <= first_layout; size += first_layout) {
    memset(&room, 0x5a, sizeof room);
    room.summary.struct_size = size;
    assert_int_equal(rattle_run(integrator, &point, &options, NULL, 0, &room.summary, &error),
                     RATTLE_OK);
    assert_true(room.summary.struct_size == size && room.summary.steps == 10);
    for (size_t i = first_layout; i < sizeof room; i++) assert_int_equal(room.byte[i], 0x5a);
  }
  assert_int_equal(point.step, 20);
  rattle_integrator_destroy(&integrator);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(older_and_newer),
                                     cmocka_unit_test(functions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
