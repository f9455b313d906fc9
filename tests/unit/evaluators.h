/* The same run with the interpreter and with machine code: for tests of texts that are compiled for
 * a problem. */
#ifndef TESTS_EVALUATORS_H
#define TESTS_EVALUATORS_H
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "rattle/rattle.h"

static const char *const pendulum =
    "local x, px = pair('x')\nlocal y, py = pair('y')\nhamiltonian((px^2 + py^2)/2 + y)\n"
    "constrain('rod', x^2 + y^2 - 1)\nstart { x = 1, py = -2 }\n";
static const char *const double_pendulum =
    "local x, px = pairs_of('x', 2)\nlocal y, py = pairs_of('y', 2)\n"
    "hamiltonian((px[1]^2 + py[1]^2)/2 + (px[2]^2 + py[2]^2)/4 + y[1] + 2*y[2])\n"
    "constrain('one', x[1]^2 + y[1]^2 - 1)\nconstrain('two', (x[2] - x[1])^2 + (y[2] - y[1])^2 - "
    "1)\n"
    "start { ['x[1]'] = 1, ['x[2]'] = 2, ['py[1]'] = 1, ['py[2]'] = 2 }\n";
typedef struct run {
  rattle_model *model;
  rattle_problem *problem;
  rattle_integrator *integrator;
  rattle_state state;
  double z[16];
  rattle_error error;
} run;

/* The model is text and more, one after the other. */
static inline void begin(run *r, const char *text, const char *more, const char *method,
                         int evaluator, double h) {
  char whole[2500];
  const rattle_problem_options options = {.evaluator = evaluator};
  snprintf(whole, sizeof whole, "%s%s", text, more);
  if (rattle_model_parse(&r->model, whole, "m.lua", NULL, &r->error) ||
      rattle_problem_create(&r->problem, r->model, &options, &r->error) ||
      rattle_integrator_create(&r->integrator, r->problem, method, &r->error))
    fail_msg("%s: %s", method, r->error.message);
  r->state = (rattle_state){.q = r->z, .p = r->z + rattle_problem_n(r->problem), .h = h};
  assert_int_equal(rattle_problem_start(r->problem, 0, r->state.q, r->state.p, NULL, &r->error),
                   RATTLE_OK);
}

static inline void end(run *r) {
  rattle_integrator_destroy(&r->integrator);
  rattle_problem_destroy(&r->problem);
  rattle_model_destroy(&r->model);
}

/* True if there is a compiler. */
static inline int native(void) {
  rattle_model *model;
  rattle_problem *problem = NULL;
  rattle_error error;
  const rattle_problem_options options = {.evaluator = RATTLE_EVALUATOR_NATIVE};
  assert_int_equal(rattle_model_parse(&model, pendulum, "m.lua", NULL, &error), RATTLE_OK);
  const int found = !rattle_problem_create(&problem, model, &options, &error);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
  return found;
}

static inline void assert_same(const char *method, const run *a, const run *b) {
  const rattle_counts one = rattle_integrator_counts(a->integrator),
                      other = rattle_integrator_counts(b->integrator);
  if (memcmp(a->z, b->z, sizeof a->z))
    fail_msg("%s: z[0] = %.17g and %.17g", method, a->z[0], b->z[0]);
  if (memcmp(&one, &other, sizeof one))
    fail_msg("%s: %lld steps with %lld values, and %lld with %lld", method, one.steps, one.gradient,
             other.steps, other.gradient);
  assert_true(a->state.step == b->state.step);
}
#endif
