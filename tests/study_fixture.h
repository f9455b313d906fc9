#ifndef STUDY_FIXTURE_H
#define STUDY_FIXTURE_H
/* A model, its problem with the interpreter, and a study of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "rattle/rattle.h"

typedef struct fixture {
  rattle_model *model;
  rattle_problem *problem;
  rattle_study *study;
  const rattle_study_result *r;
} fixture;

/* Text of a model, or the name of an example. */
static inline fixture open_fixture(const char *what) {
  const rattle_problem_options block = {.evaluator = RATTLE_EVALUATOR_BLOCK};
  fixture f = {0};
  rattle_error error = {.message = ""};
  char path[2304];
  snprintf(path, sizeof path, "%s/examples/%s", RATTLE_SOURCE_DIR, what);
  rattle_status status = strchr(what, ' ')
                             ? rattle_model_parse(&f.model, what, "test", NULL, &error)
                             : rattle_model_load(&f.model, path, NULL, &error);
  if (!status) status = rattle_problem_create(&f.problem, f.model, &block, &error);
  if (status) fail_msg("%s: %s", what, error.message);
  return f;
}

static inline rattle_status try_study(fixture *f, rattle_study_kind kind,
                                      rattle_study_options options, rattle_error *error) {
  rattle_study_destroy(&f->study);
  const rattle_status status = rattle_study_create(&f->study, f->problem, kind, &options, error);
  f->r = status ? NULL : rattle_study_result_of(f->study);
  return status;
}

static inline void study(fixture *f, rattle_study_kind kind, rattle_study_options options) {
  rattle_error error = {.message = ""};
  if (try_study(f, kind, options, &error)) fail_msg("%s", error.message);
}

static inline fixture study_of(const char *what, rattle_study_kind kind,
                               rattle_study_options options) {
  fixture f = open_fixture(what);
  study(&f, kind, options);
  return f;
}

static inline double figure(const rattle_study_result *r, int method, const char *name) {
  return rattle_study_find_figure(&r->method[method], name);
}

static inline void close_fixture(fixture *f) {
  rattle_study_destroy(&f->study);
  rattle_problem_destroy(&f->problem);
  rattle_model_destroy(&f->model);
}
#endif
