#ifndef RATTLE_TESTS_OPENED_H
#define RATTLE_TESTS_OPENED_H
/* A model and its problem for samplers, and the columns of what they draw. After cmocka.h. */
#include <string.h>

#include "rattle/rattle.h"

typedef struct fixture {
  rattle_model *model;
  rattle_problem *problem;
} fixture;

static inline fixture open_with(const char *text, rattle_evaluator evaluator) {
  fixture f = {0};
  rattle_error error;
  const rattle_problem_options options = {.struct_size = sizeof options, .evaluator = evaluator};
  if (rattle_model_parse(&f.model, text, "test", NULL, &error) ||
      rattle_problem_create(&f.problem, f.model, &options, &error))
    fail_msg("%s", error.message);
  return f;
}

static inline void close(fixture *f) {
  rattle_problem_destroy(&f->problem);
  rattle_model_destroy(&f->model);
}

static inline int column(const rattle_sampling_result *r, const char *name) {
  for (int c = 0; c < r->columns; c++)
    if (!strcmp(r->column[c], name)) return c;
  fail_msg("no column %s", name);
  return -1;
}
#endif
