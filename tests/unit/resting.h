#ifndef RATTLE_TESTS_RESTING_H
#define RATTLE_TESTS_RESTING_H
/* The equilibrium of a model. */
#include "near.h"

typedef struct fixture {
  rattle_model *model;
  rattle_problem *problem;
  rattle_equilibrium *found;
  const rattle_equilibrium_result *r;
  rattle_status status;
  rattle_error error;
} fixture;

static inline fixture seek_by(const char *text, const rattle_equilibrium_options *options) {
  fixture f = {.status = RATTLE_OK};
  if (rattle_model_parse(&f.model, text, "model.lua", NULL, &f.error) ||
      rattle_problem_create(&f.problem, f.model, NULL, &f.error))
    fail_msg("%s", f.error.message);
  f.status = rattle_equilibrium_create(&f.found, f.problem, NULL, options, &f.error);
  if (!f.status) f.r = rattle_equilibrium_result_of(f.found);
  return f;
}

static inline fixture seek_lowest(const char *text, int nearest, int modes) {
  const rattle_equilibrium_options options = {
      .struct_size = sizeof options, .nearest = nearest, .modes = modes};
  return seek_by(text, &options);
}

static inline fixture seek_steady(const char *text, int nearest, const rattle_parameter *steady,
                                  int steadies) {
  const rattle_equilibrium_options options = {
      .struct_size = sizeof options, .nearest = nearest, .steady = steady, .steadies = steadies};
  return seek_by(text, &options);
}

static inline fixture find_steady(const char *text, int nearest, const rattle_parameter *steady,
                                  int steadies) {
  fixture f = seek_steady(text, nearest, steady, steadies);
  if (f.status) fail_msg("%s", f.error.message);
  return f;
}

static inline fixture find_lowest(const char *text, int nearest, int modes) {
  fixture f = seek_lowest(text, nearest, modes);
  if (f.status) fail_msg("%s", f.error.message);
  return f;
}

static inline fixture seek(const char *text, int nearest) {
  return seek_lowest(text, nearest, 0);
}

static inline fixture find(const char *text, int nearest) {
  return find_lowest(text, nearest, 0);
}

static inline void drop(fixture *f) {
  rattle_equilibrium_destroy(&f->found);
  rattle_problem_destroy(&f->problem);
  rattle_model_destroy(&f->model);
}

#endif
