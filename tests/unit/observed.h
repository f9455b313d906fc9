/* What models of mechanics observe after some steps, against closed forms. */
#ifndef RATTLE_TEST_OBSERVED_H
#define RATTLE_TEST_OBSERVED_H
#include "evaluators.h"

#define MECHANICS "local mech = require 'mechanics'\n"

/* The observables of a model after `steps` steps of a method, or the message of its refusal. */
enum { ALL = 64 }; /* observables of a model at most */

static const char *observe(const char *text, const char *method, double h, long long steps,
                           double *observed) {
  static rattle_error error;
  char whole[2000];
  double z[80];
  rattle_model *model = NULL;
  rattle_problem *problem = NULL;
  rattle_integrator *integrator = NULL;
  snprintf(whole, sizeof whole, MECHANICS "%s", text);
  rattle_status status = rattle_model_parse(&model, whole, "m.lua", NULL, &error);
  if (!status) status = rattle_problem_create(&problem, model, NULL, &error);
  if (!status) status = rattle_integrator_create(&integrator, problem, method, &error);
  if (!status) {
    const int n = rattle_problem_n(problem);
    assert_true(2 * n <= (int)(sizeof z / sizeof *z) && rattle_model_observables(model) <= ALL);
    rattle_state state = {.q = z, .p = z + n, .h = h};
    status = rattle_problem_start(problem, 0, state.q, state.p, NULL, &error);
    if (!status) status = rattle_integrator_step(integrator, &state, steps, &error);
    if (!status) status = rattle_problem_observe(problem, state.q, state.p, observed, &error);
  }
  rattle_integrator_destroy(&integrator);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
  return status ? error.message : NULL;
}

typedef struct row {
  const char *text, *method;
  double h;
  long long steps;
  double value, tolerance; /* of the first that is observed */
} row;

static void check(const row *rows, size_t count) {
  for (size_t i = 0; i < count; i++) {
    double seen[ALL];
    const char *message = observe(rows[i].text, rows[i].method, rows[i].h, rows[i].steps, seen);
    if (message) fail_msg("%s\n%s", rows[i].text, message);
    if (!(fabs(seen[0] - rows[i].value) <= rows[i].tolerance))
      fail_msg("%s: %.17g, and not %.17g", rows[i].text, seen[0], rows[i].value);
  }
}
#define CHECK(rows) check(rows, sizeof(rows) / sizeof *(rows))

#define BODY(name, at)                                                                             \
  "local " name " = mech.body { name = '" name "', mass = 2, inertia = {1, 1.2, 0.5}, at = " at    \
  " }\n"
#define WHEEL(name, at)                                                                            \
  "local " name " = mech.planar { name = '" name "', mass = 2, inertia = 0.25, at = " at " }\n"
static const char high[] = "kahan_li8(rattle(verlet))", forced[] = "suzuki4(rattle(midpoint))";
#endif
