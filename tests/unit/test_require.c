/* require: where modules come from, what is kept of them, and which line an error in one belongs
 * to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "files/lua/bundle.h"
#include "problem/model/model.h"

#define BEGIN "local x, px = pair('x') hamiltonian(px^2/2)\n"

static char folder[64];

static char *path_of(const char *name) {
  static char path[160];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static void put(const char *name, const char *text) {
  FILE *file = fopen(path_of(name), "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static rattle_model *load(const char *name) {
  rattle_model *model = NULL;
  rattle_error error;
  if (rattle_model_load(&model, path_of(name), NULL, &error)) fail_msg("%s", error.message);
  return model;
}

/* The sentence with which the model in a file is refused. */
static const char *refusal(const char *name) {
  static rattle_error error;
  rattle_model *model = NULL;
  assert_int_not_equal(rattle_model_load(&model, path_of(name), NULL, &error), RATTLE_OK);
  assert_null(model);
  return error.message;
}

#define assert_says(text, part)                                                                    \
  if (!strstr(text, part)) fail_msg("\"%s\" does not say \"%s\"", text, part)

static void files_beside_the_model(void **state) {
  (void)state;
  put("helper.lua",
      "local M = {}\nfunction M.wall(x) constrain('wall', x - 3) end\nM.count = 7\nreturn M");
  put("model.lua", BEGIN "local h = require 'helper'\nassert(require 'helper' == h and h.count == "
                         "7)\nh.wall(x)\nstart { x = 3 }");
  rattle_model *model = load("model.lua");
  assert_string_equal(rattle_model_constraint_name(model, 0), "wall");
  assert_string_equal(model->constraint[0].where, path_of("helper.lua:2"));
  rattle_model_destroy(&model);
}

/* The text alone makes the same model, whatever became of the files, and says the same text. */
static void the_text_of_a_model_holds_its_modules(void **state) {
  (void)state;
  put("inner.lua", "-- ]] and ]==] and ]===]\nreturn 41");
  put("outer.lua", "return require 'inner' + 1\n");
  put("model.lua", BEGIN "constrain('g', x - require 'outer')\nstart { x = 42 } -- no end of line");
  rattle_model *model = load("model.lua"), *again = NULL;
  unlink(path_of("inner.lua"));
  put("outer.lua", "error('the file has changed')");
  rattle_error error;
  if (rattle_model_parse(&again, rattle_model_text(model), "model.lua", NULL, &error))
    fail_msg("%s", error.message);
  assert_string_equal(rattle_model_text(again), rattle_model_text(model));
  assert_true(again->pair[0].q == 42);
  assert_true(rattle_expr_evaluate(again->graph, again->constraint[0].expr, (double[]){42, 0}) ==
              0);
  assert_true(strncmp(rattle_model_text(model), BEGIN, strlen(BEGIN)) == 0);
  rattle_model_destroy(&again);
  rattle_model_destroy(&model);
}

static void a_file_goes_before_a_shipped_module(void **state) {
  (void)state;
  rattle_model *model = NULL, *again = NULL;
  rattle_error error;
  put("vectors.lua", "return 5");
  put("model.lua", BEGIN "assert(require 'vectors' == 5)");
  model = load("model.lua");
  rattle_model_destroy(&model);
  unlink(path_of("vectors.lua"));
  put("model.lua", BEGIN "assert(require 'vectors'.dot({1, 2, 3}, {1, 1, 1}) == 6)");
  model = load("model.lua");
  int shipped = 0;
  size_t length;
  assert_non_null(rattle__bundled(rattle_model_text(model), "vectors", &length, &shipped));
  assert_true(shipped && length > 1000);
  assert_int_equal(rattle_model_parse(&again, rattle_model_text(model), "again", NULL, &error),
                   RATTLE_OK);
  assert_string_equal(rattle_model_text(again), rattle_model_text(model));
  rattle_model_destroy(&again);
  rattle_model_destroy(&model);
}

/* What this library ships is left out of a text for its own reader, what is another's is not. */
static void shipped_modules_can_be_left_out(void **state) {
  (void)state;
  const char *own = BEGIN "--[==[ a comment\n]==]\nassert(require 'helper'.dot)\nrequire 'other'\n",
             *helper = "return require 'vectors'\n";
  put("helper.lua", helper);
  put("other.lua", "return true");
  put("model.lua", own);
  rattle_model *model = load("model.lua"), *again = NULL;
  rattle_error error;
  char *less = rattle__unbundled(rattle_model_text(model));
  assert_non_null(less);
  assert_int_equal(strncmp(less, own, strlen(own)), 0);
  assert_non_null(strstr(less, helper));
  assert_non_null(strstr(less, "module \"other\"\nreturn true\n"));
  assert_null(strstr(less, "(shipped"));
  if (rattle_model_parse(&again, less, "less", NULL, &error)) fail_msg("%s", error.message);
  char *same = rattle__unbundled(rattle_model_text(again));
  assert_non_null(same);
  assert_string_equal(same, less);
  free(same), free(less);
  rattle_model_destroy(&again);
  /* of another version, whose text differs */
  char *text = strdup(rattle_model_text(model));
  assert_non_null(text);
  memcpy(strstr(text, "dot("), "dit(", 4);
  char *kept = rattle__unbundled(text);
  assert_non_null(kept);
  assert_string_equal(kept, text);
  free(kept), free(text);
  rattle_model_destroy(&model);
}

static void what_is_refused(void **state) {
  (void)state;
  put("model.lua", BEGIN "require 'vectrs'");
  assert_says(refusal("model.lua"), "there is no module \"vectrs\"; did you mean \"vectors\"?");
  put("model.lua", BEGIN "require 'nowhere_at_all'");
  assert_says(refusal("model.lua"), "nowhere_at_all.lua\"");
  put("model.lua", BEGIN "require '../secret'");
  assert_says(refusal("model.lua"), "letters, digits and _");
  put("a.lua", "return require 'b'");
  put("b.lua", "return require 'a'");
  put("model.lua", BEGIN "require 'a'");
  assert_says(refusal("model.lua"), "\"a\" requires itself: a.lua comes before a table");
  put("a.lua", "local a = = 3");
  assert_says(refusal("model.lua"), "a.lua:1: unexpected symbol");
  put("a.lua", "while true do end");
  rattle_model *model = NULL;
  rattle_error error;
  rattle_model_options options = {.max_instructions = 1000000};
  assert_int_equal(rattle_model_load(&model, path_of("model.lua"), &options, &error),
                   RATTLE_BAD_MODEL);
  assert_says(error.message, "limit of");
}

static void only_regular_files(void **state) {
  (void)state;
  char target[160];
  put("model.lua", BEGIN "require 'a'");
  put("target", "return 1");
  unlink(path_of("a.lua"));
  snprintf(target, sizeof target, "%s", path_of("target"));
  assert_int_equal(symlink(target, path_of("a.lua")), 0);
  assert_says(refusal("model.lua"), "symbolic link");
  unlink(path_of("a.lua"));
  assert_int_equal(mkfifo(path_of("a.lua"), 0600), 0);
  assert_says(refusal("model.lua"), "not a regular file");
  unlink(path_of("a.lua"));
  /* a text has no files next to it, whatever it is called */
  put("a.lua", "return 1");
  rattle_model *model = NULL;
  rattle_error error;
  assert_int_equal(
      rattle_model_parse(&model, BEGIN "require 'a'", path_of("model.lua"), NULL, &error),
      RATTLE_BAD_MODEL);
  assert_says(error.message, "not read from a file");
}

/* Errors in shipped modules, and of words that they use, name the model's line. */
static void errors_name_the_models_line(void **state) {
  (void)state;
  put("model.lua", BEGIN "local m = require 'mechanics'\nlocal b = m.planar { name = 'b', mass = "
                         "1, inertia = 1 }\npair('c.x')\n"
                         "m.planar { name = 'c', mass = 1, inertia = 1 }");
  assert_says(refusal("model.lua"), "model.lua:5: the name \"c.x\" is taken");
  put("model.lua", BEGIN "local m = require 'mechanics'\nm.revolute('pin', 1, 2)");
  assert_says(refusal("model.lua"), "model.lua:3: a revolute joint joins two points");
  put("model.lua",
      BEGIN "local m = require 'mechanics'\nlocal b = m.planar { name = 'b', mass = 1, inertia = 1 "
            "}\n\nm.revolute('pin', b, m.ground)");
  rattle_model *model = load("model.lua");
  assert_string_equal(model->constraint[0].where, path_of("model.lua:5"));
  rattle_model_destroy(&model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_beside_the_model),
      cmocka_unit_test(the_text_of_a_model_holds_its_modules),
      cmocka_unit_test(a_file_goes_before_a_shipped_module),
      cmocka_unit_test(shipped_modules_can_be_left_out),
      cmocka_unit_test(what_is_refused),
      cmocka_unit_test(only_regular_files),
      cmocka_unit_test(errors_name_the_models_line),
  };
  snprintf(folder, sizeof folder, "/tmp/rattle-require-XXXXXX");
  if (!mkdtemp(folder)) return 1;
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  static const char *const names[] = {"model.lua", "helper.lua", "outer.lua", "other.lua",
                                      "a.lua",     "b.lua",      "target"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) unlink(path_of(names[i]));
  return rmdir(folder) || failed;
}
