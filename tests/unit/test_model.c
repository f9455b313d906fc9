/* The builder of models: names, expressions, starts, flows, wishes, and what it refuses. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "problem/model/model.h"
#include "rattle/problem.h"
#include "ground/support/nearest.h"
#include "ground/support/utf8.h"

static int create(void **state) {
  return rattle_model_create((rattle_model **)state, NULL) != RATTLE_OK;
}

static int destroy(void **state) {
  rattle_model_destroy((rattle_model **)state);
  return *state != NULL;
}

static rattle_expr variable(rattle_model *model, int index) {
  return rattle_expr_variable(rattle_model_graph(model), index);
}

static void must(rattle_status status) {
  assert_int_equal(status, RATTLE_OK);
}

static void refused(rattle_status status, const rattle_error *error, const char *text) {
  assert_int_equal(status, RATTLE_BAD_ARGUMENT);
  assert_int_equal(error->status, RATTLE_BAD_ARGUMENT);
  if (!strstr(error->message, text)) fail_msg("\"%s\" does not say \"%s\"", error->message, text);
}

static void pairs_have_names_and_places(void **state) {
  rattle_model *model = *state;
  int k = -1, momentum = -1;
  must(rattle_model_add_pair(model, "x", NULL, NULL, NULL));
  must(rattle_model_add_pair(model, "angle", "spin", &k, NULL));
  assert_int_equal(k, 1);
  assert_int_equal(rattle_model_pairs(model), 2);
  assert_string_equal(rattle_model_momentum_name(model, 0), "px");
  assert_string_equal(rattle_model_coordinate_name(model, 1), "angle");
  assert_null(rattle_model_coordinate_name(model, 2));
  assert_int_equal(rattle__model_find_pair(model, "spin", &momentum), 1);
  assert_int_equal(momentum, 1);
  assert_int_equal(rattle__model_find_pair(model, "x", &momentum), 0);
  assert_int_equal(momentum, 0);
  assert_int_equal(rattle__model_find_pair(model, "y", NULL), -1);
  assert_string_equal(rattle__model_nearest(model, "angel"), "angle");
  assert_null(rattle__model_nearest(model, "quaternion"));
}

static void bad_names_are_refused(void **state) {
  rattle_model *model = *state;
  rattle_error error;
  must(rattle_model_add_pair(model, "x", NULL, NULL, NULL));
  refused(rattle_model_add_pair(model, "x", NULL, NULL, &error), &error, "already the coordinate");
  refused(rattle_model_add_pair(model, "y", "px", NULL, &error), &error, "already the momentum");
  refused(rattle_model_add_pair(model, "y", "y", NULL, &error), &error, "same name");
  refused(rattle_model_add_pair(model, "", NULL, NULL, &error), &error, "empty");
  refused(rattle_model_add_pair(model, NULL, NULL, NULL, &error), &error, "empty");
  refused(rattle_model_add_pair(model, "a/b", NULL, NULL, &error), &error, "slash");
  refused(rattle_model_add_pair(model, "a\n", NULL, NULL, &error), &error, "space");
  char text[80];
  memset(text, 'a', sizeof text);
  text[79] = 0;
  refused(rattle_model_add_pair(model, text, NULL, NULL, &error), &error, "64");
  assert_int_equal(rattle_model_pairs(model), 1);
}

/* every one of many names is found at its place, and no other */
static void many_names_are_found(void **state) {
  rattle_model *model = *state;
  enum { MANY = 20000 };
  char name[32];
  for (int k = 0; k < MANY; k++) {
    snprintf(name, sizeof name, "x[%d]", k);
    must(rattle_model_add_pair(model, name, NULL, NULL, NULL));
    must(rattle_model_add_constraint(model, name, variable(model, 2 * k), NULL));
  }
  for (int k = 0; k < MANY; k++) {
    int momentum;
    snprintf(name, sizeof name, "px[%d]", k);
    assert_int_equal(rattle__model_find_pair(model, name, &momentum), k);
    assert_int_equal(momentum, 1);
    assert_int_equal(rattle__model_find_constraint(model, name + 1), k);
  }
  assert_int_equal(rattle__model_find_pair(model, "x[20000]", NULL), -1);
}

static void hamiltonians_add_up(void **state) {
  rattle_model *model = *state;
  must(rattle_model_add_pair(model, "x", NULL, NULL, NULL));
  must(rattle_model_add_hamiltonian(model, variable(model, 0), NULL));
  must(rattle_model_add_hamiltonian(model, variable(model, 1), NULL));
  assert_true(rattle_expr_evaluate(model->graph, model->hamiltonian, (double[]){3, 5}) == 8);
  must(rattle__model_check(model, NULL));
}

static void constraints_are_expressions_in_the_variables(void **state) {
  rattle_model *model = *state;
  rattle_error error;
  rattle_graph *graph = rattle_model_graph(model);
  must(rattle_model_add_pair(model, "x", NULL, NULL, NULL));
  must(rattle_model_add_constraint(model, "g", variable(model, 0), NULL));
  refused(rattle_model_add_constraint(model, "g", variable(model, 1), &error), &error,
          "constraint \"g\" already exists");
  refused(rattle_model_add_constraint(model, "h", rattle_expr_constant(graph, 3), &error), &error,
          "never hold");
  refused(rattle_model_add_constraint(model, "h", rattle_expr_constant(graph, 0), &error), &error,
          "always holds");
  refused(rattle_model_add_constraint(model, "h", 1000, &error), &error,
          "does not belong to the model's graph");
  refused(
      rattle_model_add_hamiltonian(model, rattle_expr_constant(graph, (double)INFINITY), &error),
      &error, "inf");
  assert_int_equal(rattle_model_constraints(model), 1);
  must(rattle_model_add_observable(model, "g", variable(model, 1), NULL));
  refused(rattle_model_add_observable(model, "g", variable(model, 1), &error), &error, "already");
}

static void free_variables_have_a_constrained_momentum(void **state) {
  rattle_model *model = *state;
  int k = -1;
  must(rattle_model_add_pair(model, "x", NULL, NULL, NULL));
  must(rattle_model_add_free(model, "beta", &k, NULL));
  assert_int_equal(k, 1);
  assert_int_equal(rattle__model_find_constraint(model, "free:beta"), 0);
  assert_int_equal(rattle_expr_index(model->graph, model->constraint[0].expr), 3);
  assert_true(model->pair[1].is_free);
}

static void starts_are_numbers(void **state) {
  rattle_model *model = *state;
  rattle_error error;
  must(rattle_model_add_pair(model, "x", NULL, NULL, NULL));
  must(rattle_model_set_velocity(model, 0, 7, NULL));
  must(rattle_model_set_start(model, 0, 1, 2, NULL));
  assert_true(model->pair[0].q == 1 && model->pair[0].p == 2 && model->pair[0].has_velocity &&
              model->pair[0].velocity == 7);
  refused(rattle_model_set_start(model, 0, (double)NAN, 0, &error), &error, "\"x\" is nan");
  refused(rattle_model_set_start(model, 1, 0, 0, &error), &error, "pair 1 does not exist");
  refused(rattle_model_set_velocity(model, -1, 0, &error), &error, "pair -1 does not exist");
}

static void flows_are_in_the_variables_and_the_slides(void **state) {
  rattle_model *model = *state;
  rattle_error error;
  must(rattle_model_add_pair(model, "x", NULL, NULL, NULL));
  rattle_expr image[2] = {variable(model, 0), variable(model, 2)};
  refused(rattle_model_set_fibre(model, image, &error), &error, "no constraints");
  must(rattle_model_add_constraint(model, "g", variable(model, 0), NULL));
  must(rattle_model_set_fibre(model, image, NULL));
  must(rattle_model_set_flow(model, image, NULL));
  assert_int_equal(model->fibre[1], image[1]);
  image[1] =
      rattle_expr_binary(model->graph, RATTLE_OP_ADD, variable(model, 3), variable(model, 1));
  refused(rattle_model_set_fibre(model, image, &error), &error, "fibre of \"px\"");
  refused(rattle_model_set_flow(model, image, &error), &error, "flow of \"px\"");
}

/* A larger model would read the images given for every variable beyond their end. */
static void what_comes_after_the_flow_is_refused(void **state) {
  rattle_model *model = *state, *other;
  rattle_error error;
  must(rattle_model_add_pair(model, "x", NULL, NULL, NULL));
  must(rattle_model_add_constraint(model, "g", variable(model, 0), NULL));
  rattle_expr image[2] = {variable(model, 0), variable(model, 1)};
  must(rattle_model_set_flow(model, image, NULL));
  refused(rattle_model_add_pair(model, "y", NULL, NULL, &error), &error, "flow");
  refused(rattle_model_add_free(model, "y", NULL, &error), &error, "flow");
  must(rattle_model_add_constraint(model, "h", variable(model, 1), NULL));
  must(rattle_model_set_fibre(model, image, NULL));
  refused(rattle_model_add_constraint(model, "i", variable(model, 1), &error), &error, "fibre");
  assert_int_equal(rattle_model_pairs(model), 1);
  assert_int_equal(rattle_model_constraints(model), 2);
  must(rattle_model_create(&other, NULL));
  must(rattle_model_add_pair(other, "x", NULL, NULL, NULL));
  must(rattle_model_observe_cotangent(other, NULL));
  refused(rattle_model_add_pair(other, "y", NULL, NULL, &error), &error, "observe");
  rattle_model_destroy(&other);
}

static void words_are_never_null(void **state) {
  rattle_model *model = *state;
  rattle_error error;
  refused(rattle_model_set_title(model, NULL, &error), &error, "NULL");
  refused(rattle_model_add_metadata(model, NULL, "a", &error), &error, "NULL");
  refused(rattle_model_add_metadata(model, "a", NULL, &error), &error, "NULL");
  assert_string_equal(rattle_model_title(model), "");
}

/* 64 characters, not bytes. */
static void names_are_counted_in_characters(void **state) {
  rattle_model *model = *state;
  rattle_error error;
  char name[4 * 70] = "";
  for (int i = 0; i < 59; i++) strcat(name, "\xF0\x9F\x92\xA1");
  must(rattle_model_add_free(model, name, NULL, NULL));
  must(rattle_model_observe_cotangent(model, NULL));
  rattle_model *other;
  must(rattle_model_create(&other, NULL));
  strcat(name, "a");
  refused(rattle_model_add_free(other, name, NULL, &error), &error,
          "64 characters"); /* of free:NAME */
  assert_int_equal(rattle_model_pairs(other), 0);
  must(rattle_model_add_pair(other, name, NULL, NULL, NULL));
  strcat(name, "abcd");
  refused(rattle_model_add_pair(other, name, NULL, NULL, &error), &error,
          "64 characters"); /* of pNAME */
  for (const char *at = error.message; *at; at += rattle__utf8_length(at))
    assert_int_not_equal(rattle__utf8_length(at), 0);
  must(rattle_model_add_pair(other, name, "p", NULL, NULL));
  strcat(name, "e");
  refused(rattle_model_add_pair(other, name, "q", NULL, &error), &error, "64 characters");
  rattle_model_destroy(&other);
}

static void a_model_must_be_whole(void **state) {
  rattle_model *model = *state;
  rattle_error error;
  assert_int_equal(rattle__model_check(model, &error), RATTLE_BAD_MODEL);
  assert_non_null(strstr(error.message, "no variables"));
  must(rattle_model_add_pair(model, "x", NULL, NULL, NULL));
  assert_int_equal(rattle__model_check(model, &error), RATTLE_BAD_MODEL);
  assert_non_null(strstr(error.message, "no Hamiltonian"));
  must(rattle_model_add_hamiltonian(model, variable(model, 1), NULL));
  must(rattle__model_check(model, NULL));
  must(rattle_model_add_constraint(model, "far", variable(model, 9), NULL));
  assert_int_equal(rattle__model_check(model, &error), RATTLE_BAD_MODEL);
  assert_non_null(strstr(error.message, "\"far\""));
  rattle_problem *problem = NULL; /* nor is it one of a problem */
  assert_int_equal(rattle_problem_create(&problem, model, NULL, &error), RATTLE_BAD_MODEL);
  assert_non_null(strstr(error.message, "\"far\" contains the variable 9"));
  rattle_expr velocity = RATTLE_EXPR_NONE;
  must(rattle_model_velocity(model, 0, &velocity, NULL));
  must(rattle_model_add_hamiltonian(model, velocity, NULL));
  assert_int_equal(rattle_problem_create(&problem, model, NULL, &error), RATTLE_BAD_MODEL);
  assert_non_null(strstr(error.message, "\"H\" contains the symbol velocity(x)"));
}

static void wishes_and_words_are_copied(void **state) {
  rattle_model *model = *state;
  rattle_error error;
  char method[] = "verlet";
  rattle_wishes wishes = *rattle_model_wishes(model);
  assert_true(isnan(wishes.stop) && wishes.steps == -1 && wishes.every == 1 && !wishes.method);
  wishes.method = method;
  wishes.step = 0.5;
  must(rattle_model_set_wishes(model, &wishes, NULL));
  method[0] = 'X';
  assert_string_equal(rattle_model_wishes(model)->method, "verlet");
  wishes.stop = -1;
  refused(rattle_model_set_wishes(model, &wishes, &error), &error, "never reached");
  wishes.stop = 1;
  wishes.steps = 4;
  refused(rattle_model_set_wishes(model, &wishes, &error), &error, "both");

  const char *key, *value;
  assert_string_equal(rattle_model_title(model), "");
  must(rattle_model_set_title(model, "T", NULL));
  must(rattle_model_add_metadata(model, "author", "A", NULL));
  refused(rattle_model_add_metadata(model, "author", "B", &error), &error, "already");
  assert_string_equal(rattle_model_title(model), "T");
  assert_int_equal(rattle_model_metadata(model, 0, &key, &value), 1);
  assert_string_equal(value, "A");
}

static const char *nearest(const char *name, const char *const *candidate) {
  rattle__nearest search = {.name = name};
  for (; *candidate; candidate++) rattle__nearest_try(&search, *candidate);
  return search.best;
}

static void nearest_names(void **state) {
  (void)state;
  const char *const names[] = {"gravity", "mass", "hamiltonian", NULL};
  assert_string_equal(nearest("gravty", names), "gravity");
  assert_string_equal(nearest("GRAVITY", names), "gravity");
  assert_string_equal(nearest("hamitlonian", names), "hamiltonian");
  assert_string_equal(nearest("mas", names), "mass");
  assert_string_equal(nearest("ham", names), "hamiltonian"); /* it begins it */
  assert_null(nearest("ha", names));
  assert_null(nearest("temperature", names));
  assert_null(nearest("q", names));
}

/* A model from which a problem was made is packed; names are found, and it is extended as
 * before. */
static void packed_models_go_on(void **state) {
  (void)state;
  rattle_model *model;
  rattle_problem *problem;
  rattle_error error = {.message = ""};
  int k, is_momentum;
  assert_int_equal(rattle_model_create(&model, NULL), RATTLE_OK);
  for (int i = 0; i < 20; i++) {
    char name[16];
    snprintf(name, sizeof name, "x[%d]", i);
    assert_int_equal(rattle_model_add_pair(model, name, NULL, &k, NULL), RATTLE_OK);
    rattle_expr p = rattle_expr_variable(rattle_model_graph(model), 2 * k + 1);
    p = rattle_expr_binary(rattle_model_graph(model), RATTLE_OP_MUL, p, p);
    assert_int_equal(rattle_model_add_hamiltonian(model, p, NULL), RATTLE_OK);
  }
  const rattle_expr x = rattle_expr_variable(rattle_model_graph(model), 0);
  assert_int_equal(rattle_model_add_constraint(model, "g", x, NULL), RATTLE_OK);
  for (int round = 0; round < 2; round++) {
    rattle__model_pack(model);
    assert_null(model->variable_names.slot);
    assert_int_equal(rattle__model_find_pair(model, "x[7]", &is_momentum), 7);
    assert_false(is_momentum);
    assert_int_equal(rattle__model_find_pair(model, "px[0]", &is_momentum), 0);
    assert_true(is_momentum);
    assert_int_equal(rattle__model_find_pair(model, "px", NULL), -1);
    assert_int_equal(rattle__model_find_constraint(model, "g"), 0);
    assert_int_equal(rattle_model_add_pair(model, "x[3]", NULL, &k, NULL), RATTLE_BAD_ARGUMENT);
    assert_int_equal(rattle_model_add_constraint(model, "g", x, NULL), RATTLE_BAD_ARGUMENT);
    assert_int_equal(rattle_model_add_observable(model, "px[4]", x, NULL), RATTLE_BAD_ARGUMENT);
    assert_int_equal(rattle__model_find_pair(model, "px[19]", NULL), 19);
  }
  assert_int_equal(rattle_problem_create(&problem, model, NULL, &error), RATTLE_OK);
  assert_null(model->variable_names.slot);
  assert_null(model->constraint_names.slot);
  rattle_problem_destroy(&problem);
  assert_int_equal(rattle_model_add_pair(model, "y", NULL, &k, NULL), RATTLE_OK);
  assert_int_equal(k, 20);
  assert_true(model->indexed); /* many more are added in no time */
  assert_int_equal(rattle__model_find_pair(model, "x[0]", NULL), 0);
  rattle_model_destroy(&model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(pairs_have_names_and_places, create, destroy),
      cmocka_unit_test_setup_teardown(bad_names_are_refused, create, destroy),
      cmocka_unit_test_setup_teardown(many_names_are_found, create, destroy),
      cmocka_unit_test_setup_teardown(hamiltonians_add_up, create, destroy),
      cmocka_unit_test_setup_teardown(constraints_are_expressions_in_the_variables, create,
                                      destroy),
      cmocka_unit_test_setup_teardown(free_variables_have_a_constrained_momentum, create, destroy),
      cmocka_unit_test_setup_teardown(starts_are_numbers, create, destroy),
      cmocka_unit_test_setup_teardown(flows_are_in_the_variables_and_the_slides, create, destroy),
      cmocka_unit_test_setup_teardown(what_comes_after_the_flow_is_refused, create, destroy),
      cmocka_unit_test_setup_teardown(words_are_never_null, create, destroy),
      cmocka_unit_test_setup_teardown(names_are_counted_in_characters, create, destroy),
      cmocka_unit_test_setup_teardown(a_model_must_be_whole, create, destroy),
      cmocka_unit_test_setup_teardown(wishes_and_words_are_copied, create, destroy),
      cmocka_unit_test(nearest_names),
      cmocka_unit_test(packed_models_go_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
