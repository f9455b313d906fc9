#ifndef RATTLE_TESTS_MADE_H
#define RATTLE_TESTS_MADE_H
/* The text of a model as an integrator at its start. After cmocka.h. */
#include <stdlib.h>

#include "rattle/rattle.h"

typedef struct made {
  rattle_model *model;
  rattle_problem *problem;
  rattle_integrator *integrator;
  rattle_state state;
  int n;
} made;

/* A start off the constraints is moved onto them where `project` is 1. */
static inline made make_by(const rattle_problem_options *how, const char *text, const char *method,
                           double h, int project) {
  made m = {0};
  rattle_error error;
  if (rattle_model_parse(&m.model, text, "m.lua", NULL, &error) ||
      rattle_problem_create(&m.problem, m.model, how, &error) ||
      rattle_integrator_create(&m.integrator, m.problem, method, &error))
    fail_msg("%s: %s", error.message, text);
  m.n = rattle_problem_n(m.problem);
  double *q = calloc(2 * (size_t)m.n, sizeof *q);
  assert_non_null(q);
  m.state = (rattle_state){.q = q, .p = q + m.n, .h = h};
  if (rattle_problem_start(m.problem, project, m.state.q, m.state.p, NULL, &error))
    fail_msg("%s: %s", error.message, text);
  return m;
}

/* Interpreted. */
static inline made make(const char *text, const char *method, double h, int project) {
  const rattle_problem_options interpreted = {.struct_size = sizeof interpreted,
                                              .evaluator = RATTLE_EVALUATOR_BLOCK};
  return make_by(&interpreted, text, method, h, project);
}

static inline void unmake(made *m) {
  free(m->state.q);
  rattle_integrator_destroy(&m->integrator);
  rattle_problem_destroy(&m->problem);
  rattle_model_destroy(&m->model);
}
#endif
