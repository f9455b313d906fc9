/* A request to end that comes within a step: the step is given up, the state is that before it, and
 * the run goes on from there as if nothing had been. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "rattle/rattle.h"

/* calls of callbacks; at call `stop_at` of them `stop` becomes 1 */
typedef struct world {
  long calls, stop_at;
  volatile int stop;
} world;

static void count(world *w) {
  if (++w->calls == w->stop_at) w->stop = 1;
}

static int bead_H(void *self, const double *z, double *H, double *d) {
  const double a = 1 + z[0] * z[0];
  count(self);
  *H = (a * z[2] * z[2] + z[3] * z[3]) / 2 + sin(z[1]);
  d[0] = z[0] * z[2] * z[2], d[1] = cos(z[1]), d[2] = a * z[2], d[3] = z[3];
  return 0;
}

static int pendulum_H(void *self, const double *z, double *H, double *d) {
  count(self);
  *H = (z[2] * z[2] + z[3] * z[3]) / 2 + z[1];
  d[0] = 0, d[1] = 1, d[2] = z[2], d[3] = z[3];
  return 0;
}

static int rod(void *self, const double *z, double *g, double *J) {
  count(self);
  *g = z[0] * z[0] + z[1] * z[1] - 1;
  J[0] = 2 * z[0], J[1] = 2 * z[1], J[2] = J[3] = 0;
  return 0;
}

/* Four calls after the first sample: within the first step. */
static rattle_status arm(void *self, const rattle_sample *sample, rattle_error *error) {
  world *w = self;
  (void)error;
  if (sample->step == 0 && w->stop_at < 0) w->stop_at = w->calls + 4;
  return RATTLE_OK;
}

typedef struct subject {
  const char *method;
  int natural, constrained;
} subject;

static rattle_problem *problem_of(const subject *s, world *w) {
  static const double ones[2] = {1, 1};
  const rattle_callbacks callbacks = {.struct_size = sizeof callbacks,
                                      .n = 2,
                                      .m = s->constrained,
                                      .context = w,
                                      .flags = s->natural ? RATTLE_NATURAL | RATTLE_HOLONOMIC
                                                          : RATTLE_HOLONOMIC,
                                      .inverse_mass = s->natural ? ones : NULL,
                                      .hamiltonian = s->natural ? pendulum_H : bead_H,
                                      .constraint = rod};
  rattle_problem *problem;
  assert_int_equal(rattle_problem_create_callbacks(&problem, &callbacks, NULL), RATTLE_OK);
  return problem;
}

/* q and p of two steps in z [4]: in one run, or in one that was asked to end within its first
 * step. */
static void two_steps(const subject *s, int interrupt, double *z) {
  static const double start[4] = {0.6, 0.8, 0.4, -0.3};
  world w = {.stop_at = interrupt ? -1 : 0};
  rattle_problem *problem = problem_of(s, &w);
  rattle_integrator *integrator;
  rattle_error error;
  rattle_observer observer = {.self = &w, .record = arm};
  rattle_observer *observers[] = {&observer};
  rattle_state state = {.q = z, .p = z + 2, .h = 0.1};
  rattle_run_options options = {
      .steps = 2, .every = 1, .initial_energy = (double)NAN, .interrupt = &w.stop};
  rattle_summary summary = {.struct_size = sizeof summary};
  memcpy(z, start, sizeof start);
  if (rattle_integrator_create(&integrator, problem, s->method, &error))
    fail_msg("%s: %s", s->method, error.message);
  rattle_status status = rattle_run(integrator, &state, &options, observers, 1, &summary, &error);
  if (interrupt) {
    if (status != RATTLE_INTERRUPTED || summary.steps)
      fail_msg("%s: %lld steps, %s", s->method, summary.steps, error.message);
    assert_string_equal(error.message, "interrupted after step 0, at time 0");
    assert_memory_equal(z, start, sizeof start);
    assert_int_equal(state.step, 0);
    w.stop = 0;
    status = rattle_run(integrator, &state, &options, NULL, 0, &summary, &error);
  }
  if (status) fail_msg("%s: %s", s->method, error.message);
  assert_int_equal(state.step, 2);
  rattle_integrator_destroy(&integrator);
  rattle_problem_destroy(&problem);
}

static void test_within_a_step(void **unused) {
  static const subject subjects[] = {{"rattle(midpoint)", 0, 1},
                                     {"rattle(gauss(2))", 0, 1},
                                     {"shake(gauss(2))", 0, 1},
                                     {"spark(2)", 0, 1},
                                     {"rattle_monolithic", 0, 1},
                                     {"discrete_gradient", 0, 1},
                                     {"suzuki4(rattle(midpoint))", 0, 1},
                                     {"project(gauss(2))", 0, 1},
                                     {"rattle(verlet, solver=sweep)", 1, 1},
                                     {"suzuki4(rattle(verlet))", 1, 1},
                                     {"gauss(2)", 0, 0},
                                     {"adams_moulton(2)", 0, 0},
                                     {"suzuki4(midpoint)", 0, 0}};
  (void)unused;
  for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
    double whole[4], parts[4];
    two_steps(&subjects[i], 0, whole);
    two_steps(&subjects[i], 1, parts);
    if (memcmp(whole, parts, sizeof whole) != 0)
      fail_msg("%s: other bits after the interruption", subjects[i].method);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_within_a_step)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
