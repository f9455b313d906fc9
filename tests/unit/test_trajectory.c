/* Samples in memory: all that the observers of a run are given, in runs one after the other, and of
 * no other problem. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rattle/rattle.h"

static const char text[] = "local x, px = pair('x') local y, py = pair('y')\n"
                           "mass { x = 1, y = 1 } potential(y)\n"
                           "constrain('rod', x^2 + y^2 - 1)\n"
                           "observe('height', y + 2) observe('speed', px^2 + py^2)\n"
                           "start { x = 1, py = -2 }\n";

typedef struct opened {
  rattle_model *model;
  rattle_problem *problem;
  rattle_integrator *integrator;
  rattle_trajectory *trajectory;
  double q[2], p[2];
  rattle_state state;
} opened;

static void open_text(opened *o, const char *of) {
  const rattle_problem_options block = {.struct_size = sizeof block,
                                        .evaluator = RATTLE_EVALUATOR_BLOCK};
  *o = (opened){0};
  o->state = (rattle_state){.struct_size = sizeof o->state, .q = o->q, .p = o->p, .h = 0.01};
  assert_int_equal(rattle_model_parse(&o->model, of, "text", NULL, NULL), RATTLE_OK);
  assert_int_equal(rattle_problem_create(&o->problem, o->model, &block, NULL), RATTLE_OK);
  assert_int_equal(rattle_problem_start(o->problem, 0, o->q, o->p, NULL, NULL), RATTLE_OK);
  assert_int_equal(
      rattle_integrator_create(&o->integrator, o->problem, rattle_default_method(o->problem), NULL),
      RATTLE_OK);
  assert_int_equal(rattle_trajectory_create(&o->trajectory, o->problem, NULL), RATTLE_OK);
}

static void close_all(opened *o) {
  rattle_trajectory_destroy(&o->trajectory);
  rattle_trajectory_destroy(&o->trajectory);
  rattle_integrator_destroy(&o->integrator);
  rattle_problem_destroy(&o->problem);
  rattle_model_destroy(&o->model);
}

/* An observer after the trajectory: compares what it is given with the last sample there. */
static rattle_status compare(void *self, const rattle_sample *sample, rattle_error *error) {
  const rattle_samples *kept = self;
  const long long k = kept->count - 1;
  (void)error;
  assert_true(kept->step[k] == sample->step && kept->time[k] == sample->time &&
              kept->energy[k] == sample->energy);
  assert_memory_equal(kept->q + 2 * k, sample->q, 2 * sizeof(double));
  assert_memory_equal(kept->p + 2 * k, sample->p, 2 * sizeof(double));
  assert_memory_equal(kept->g + k, sample->g, sizeof(double));
  assert_memory_equal(kept->psi + k, sample->psi, sizeof(double));
  assert_memory_equal(kept->multipliers + k, sample->multipliers, sizeof(double));
  assert_memory_equal(kept->observed + 2 * k, sample->observed, 2 * sizeof(double));
  return RATTLE_OK;
}

static rattle_status run(opened *o, long long steps, rattle_error *error) {
  const rattle_samples *samples = rattle_trajectory_samples(o->trajectory);
  rattle_observer check = {.struct_size = sizeof check, .self = (void *)samples, .record = compare};
  rattle_observer *const both[] = {rattle_trajectory_observer(o->trajectory), &check};
  const rattle_run_options options = {
      .struct_size = sizeof options, .steps = steps, .every = 3, .initial_energy = (double)NAN};
  return rattle_run(o->integrator, &o->state, &options, both, 2, NULL, error);
}

/* Events have samples of their own, of several runs one after the other. */
static void events_of_a_run(void **state) {
  (void)state;
  char with[sizeof text + 100];
  opened o;
  snprintf(with, sizeof with,
           "%sevent('never', x - 2)\nevent('down', x, { direction = -1 })\nevent('up', x, { "
           "direction = 1 })\n",
           text);
  open_text(&o, with);
  assert_int_equal(rattle_trajectory_events(o.trajectory), 0);
  for (int part = 0; part < 2; part++) assert_int_equal(run(&o, 1500, NULL), RATTLE_OK);
  assert_int_equal(rattle_trajectory_events(o.trajectory), 3);
  assert_null(rattle_trajectory_event(o.trajectory, 0));
  assert_null(rattle_trajectory_event(o.trajectory, 3));
  for (int e = 1; e < 3; e++) {
    const rattle_samples *event = rattle_trajectory_event(o.trajectory, e);
    assert_string_equal(event->name, e == 1 ? "down" : "up");
    assert_true(event->n == 2 && event->m == 1 && event->observables == 2 && event->count > 2);
    for (long long k = 0; k < event->count; k++) {
      assert_int_equal(event->direction[k], e == 1 ? -1 : 1);
      assert_true(fabs(event->q[2 * k]) < 1e-15 && event->time[k] >= 0.01 * (double)event->step[k]);
      assert_true(event->observed[2 * k] == event->q[2 * k + 1] + 2 && fabs(event->g[k]) < 1e-14 &&
                  event->multipliers[k] != 0);
      if (k > 0) assert_true(event->time[k] > event->time[k - 1]);
    }
  }
  assert_int_equal(rattle_trajectory_samples(o.trajectory)->count, 1001);
  assert_null(rattle_trajectory_samples(o.trajectory)->direction);
  close_all(&o);
}

static void every_number(void **state) {
  (void)state;
  opened o;
  open_text(&o, text);
  const rattle_samples *samples = rattle_trajectory_samples(o.trajectory);
  assert_true(samples->n == 2 && samples->m == 1 && samples->observables == 2 &&
              samples->count == 0 && !samples->q);
  assert_int_equal(run(&o, 3000, NULL), RATTLE_OK);
  assert_int_equal(samples->count, 1001);
  assert_int_equal(run(&o, 6, NULL), RATTLE_OK); /* goes on: the sample of step 3000 is there */
  assert_int_equal(samples->count, 1003);
  for (long long k = 0; k < samples->count; k++) {
    assert_int_equal(samples->step[k], 3 * k);
    assert_true(samples->observed[2 * k] == samples->q[2 * k + 1] + 2);
  }
  close_all(&o);
}

/* Without constraints and observables there are no such arrays. */
static void nothing(void **state) {
  (void)state;
  opened o;
  open_text(&o, "local x, px = pair('x') hamiltonian(px^2/2 + x^2/2) start { x = 1 }");
  const rattle_run_options options = {
      .struct_size = sizeof options, .steps = 10, .every = 1, .initial_energy = (double)NAN};
  rattle_observer *observer = rattle_trajectory_observer(o.trajectory);
  assert_int_equal(rattle_run(o.integrator, &o.state, &options, &observer, 1, NULL, NULL),
                   RATTLE_OK);
  const rattle_samples *samples = rattle_trajectory_samples(o.trajectory);
  assert_true(samples->count == 11 && !samples->g && !samples->psi && !samples->multipliers &&
              !samples->observed);
  close_all(&o);
}

static void another_problem(void **state) {
  (void)state;
  opened one, other;
  rattle_error error;
  open_text(&one, text);
  open_text(&other, "local x, px = pair('x') hamiltonian(px^2/2 + x^2/2) start { x = 1 }");
  const rattle_run_options options = {
      .struct_size = sizeof options, .steps = 10, .every = 1, .initial_energy = (double)NAN};
  rattle_observer *observer = rattle_trajectory_observer(one.trajectory);
  assert_int_equal(rattle_run(other.integrator, &other.state, &options, &observer, 1, NULL, &error),
                   RATTLE_BAD_ARGUMENT);
  assert_non_null(strstr(error.message, "n = 2, m = 1 and 2 observables"));
  assert_int_equal(rattle_trajectory_samples(one.trajectory)->count, 0);
  assert_int_equal(rattle_trajectory_create(&other.trajectory, NULL, &error), RATTLE_BAD_ARGUMENT);
  close_all(&one), close_all(&other);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_number),
                                     cmocka_unit_test(events_of_a_run), cmocka_unit_test(nothing),
                                     cmocka_unit_test(another_problem)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
