/* Ensembles: each case is what a run of its own gives, whatever the threads; failures are cases;
 * what stops an ensemble. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rattle/rattle.h"

enum { CASES = 96, N = 2, STEPS = 150 };

static const char text[] =
    "local gravity, length = parameter('gravity', 1), parameter('length', 1)\n"
    "local x, px = pair('x') local y, py = pair('y')\n"
    "mass { x = 1, y = 1 } potential(gravity*y)\n"
    "constrain('rod', x^2 + y^2 - length^2)\n"
    "start { x = 1 } velocity { y = -2 }\n"
    "event('lowest', x)\n";

/* Results kept of each case, and how often it ended. */
typedef struct kept {
  double z[CASES][2 * N], time[CASES], energy[CASES];
  rattle_status status[CASES];
  char message[CASES][1024];
  long long steps[CASES], events[CASES], samples[CASES];
  int ended[CASES], count, most, summaries;
  volatile int flag;
  const char *method;
} kept;

typedef struct fixture {
  rattle_model *model;
  rattle_problem *problem;
} fixture;

static void open_text(fixture *f, const char *of) {
  const rattle_problem_options block = {.struct_size = sizeof block,
                                        .evaluator = RATTLE_EVALUATOR_BLOCK};
  assert_int_equal(rattle_model_parse(&f->model, of, "text", NULL, NULL), RATTLE_OK);
  assert_int_equal(rattle_problem_create(&f->problem, f->model, &block, NULL), RATTLE_OK);
}

static void close_text(fixture *f) {
  rattle_problem_destroy(&f->problem);
  rattle_model_destroy(&f->model);
}

static rattle_status keep(void *self, const rattle_outcome *o, rattle_error *error) {
  kept *k = self;
  const long long i = o->of->number;
  (void)error;
  k->ended[i]++, k->count++;
  k->status[i] = o->status, k->time[i] = o->time, k->steps[i] = o->steps;
  snprintf(k->message[i], sizeof k->message[i], "%s", o->status ? o->error->message : "");
  if (o->q)
    memcpy(k->z[i], o->q, N * sizeof(double)), memcpy(k->z[i] + N, o->p, N * sizeof(double));
  if (o->summary) k->summaries++, k->energy[i] = o->summary->energy_max_error;
  if (o->trajectory) {
    const rattle_samples *events = rattle_trajectory_event(o->trajectory, 0);
    k->events[i] = events ? events->count : 0;
    k->samples[i] = rattle_trajectory_samples(o->trajectory)->count;
  }
  if (k->most && k->count == k->most) k->flag = 1;
  return RATTLE_OK;
}

static double speed_of(long long number) {
  return -1.5 - 0.01 * (double)number;
}

static rattle_status begin(void *self, const rattle_case *c, const rattle_problem *problem,
                           double *q, double *p, rattle_error *error) {
  (void)self, (void)problem, (void)q, (void)error;
  p[1] = speed_of(c->number);
  return RATTLE_OK;
}

/* Three values of gravity, two steps. */
static rattle_status describe(void *self, rattle_case *c, rattle_error *error) {
  static const rattle_parameter gravity[3] = {{"gravity", 0.5}, {"gravity", 1}, {"gravity", 2}};
  (void)self, (void)error;
  c->parameter = &gravity[c->number / (CASES / 3)], c->parameters = 1;
  if (c->number % 2) c->step = 0.005;
  return RATTLE_OK;
}

static rattle_ensemble_options options_of(kept *k) {
  return (rattle_ensemble_options){.struct_size = sizeof(rattle_ensemble_options),
                                   .cases = CASES,
                                   .threads = 1,
                                   .step = 0.01,
                                   .steps = STEPS,
                                   .begin = begin,
                                   .end = keep,
                                   .self = k};
}

/* The same by a run. */
static void run_alone(const rattle_parameter *parameter, double step, double speed,
                      double z[2 * N]) {
  fixture f;
  const rattle_model_options with = {
      .struct_size = sizeof with, .parameters = parameter, .parameter_count = parameter != NULL};
  rattle_integrator *integrator;
  assert_int_equal(rattle_model_parse(&f.model, text, "text", &with, NULL), RATTLE_OK);
  assert_int_equal(rattle_model_start_variable(f.model, "py", speed, NULL), RATTLE_OK);
  assert_int_equal(rattle_problem_create(&f.problem, f.model, NULL, NULL), RATTLE_OK);
  assert_int_equal(rattle_problem_start(f.problem, 0, z, z + N, NULL, NULL), RATTLE_OK);
  assert_int_equal(
      rattle_integrator_create(&integrator, f.problem, rattle_default_method(f.problem), NULL),
      RATTLE_OK);
  rattle_state state = {.struct_size = sizeof state, .q = z, .p = z + N, .h = step};
  assert_int_equal(rattle_integrator_step(integrator, &state, STEPS, NULL), RATTLE_OK);
  rattle_integrator_destroy(&integrator);
  close_text(&f);
}

static void starts_alone(void **state) {
  (void)state;
  static kept one, many;
  fixture f;
  open_text(&f, text);
  rattle_ensemble_options options = options_of(&one);
  long long ended;
  assert_int_equal(rattle_ensemble(f.problem, &options, &ended, NULL), RATTLE_OK);
  assert_int_equal(ended, CASES);
  options.self = &many, options.threads = 5;
  assert_int_equal(rattle_ensemble(f.problem, &options, &ended, NULL), RATTLE_OK);
  assert_memory_equal(one.z, many.z, sizeof one.z);
  assert_memory_equal(one.time, many.time, sizeof one.time);
  for (int i = 0; i < CASES; i++) {
    assert_int_equal(one.ended[i], 1);
    assert_int_equal(many.ended[i], 1);
    assert_int_equal(one.status[i], RATTLE_OK);
  }
  double z[2 * N];
  for (int i = 0; i < CASES; i += 19) {
    run_alone(NULL, 0.01, speed_of(i), z);
    assert_memory_equal(z, one.z[i], sizeof z);
  }
  /* the momentum of the start velocity, where none is given */
  static kept own;
  options = options_of(&own);
  options.begin = NULL, options.cases = 1;
  assert_int_equal(rattle_ensemble(f.problem, &options, &ended, NULL), RATTLE_OK);
  run_alone(NULL, 0.01, -2, z);
  assert_memory_equal(z, own.z[0], sizeof z);
  close_text(&f);
}

static void parameters_too(void **state) {
  (void)state;
  static kept one, many;
  static const rattle_parameter gravity[3] = {{"gravity", 0.5}, {"gravity", 1}, {"gravity", 2}};
  fixture f;
  open_text(&f, text);
  rattle_ensemble_options options = options_of(&one);
  options.describe = describe, options.parse = rattle_model_parse;
  assert_int_equal(rattle_ensemble(f.problem, &options, NULL, NULL), RATTLE_OK);
  options.self = &many, options.threads = 3;
  options.keep = RATTLE_KEEP_SUMMARY | RATTLE_KEEP_EVENTS | RATTLE_KEEP_SAMPLES, options.every = 10;
  assert_int_equal(rattle_ensemble(f.problem, &options, NULL, NULL), RATTLE_OK);
  assert_memory_equal(one.z, many.z, sizeof one.z);
  assert_int_equal(many.summaries, CASES);
  assert_int_equal(one.summaries, 0);
  long long events = 0;
  for (int i = 0; i < CASES; i++) {
    assert_int_equal(many.samples[i], 1 + STEPS / 10);
    assert_true(many.energy[i] > 0 && many.energy[i] < 1e-3);
    events += many.events[i];
  }
  assert_true(events >= CASES / 3);
  double z[2 * N];
  for (int i = 3; i < CASES; i += 23) {
    run_alone(&gravity[i / (CASES / 3)], i % 2 ? 0.005 : 0.01, speed_of(i), z);
    assert_memory_equal(z, one.z[i], sizeof z);
  }
  close_text(&f);
}

/* Cases that fail in each place. */
static rattle_status describe_badly(void *self, rattle_case *c, rattle_error *error) {
  static const rattle_parameter unknown = {"weight", 1}, bad = {"length", 0};
  (void)self, (void)error;
  if (c->number == 1) c->parameter = &unknown, c->parameters = 1;
  if (c->number == 2) c->parameter = &bad, c->parameters = 1;
  if (c->number == 3) c->method = "rattle(verlt)";
  if (c->number == 4) c->step = 5;
  if (c->number == 5) c->step = 0;
  return RATTLE_OK;
}

static rattle_status begin_badly(void *self, const rattle_case *c, const rattle_problem *problem,
                                 double *q, double *p, rattle_error *error) {
  (void)self, (void)problem, (void)p, (void)error;
  if (c->number == 6) q[0] = 1.5;
  if (c->number == 7) q[0] = (double)INFINITY;
  return RATTLE_OK;
}

static void failures_are_cases(void **state) {
  (void)state;
  static kept k;
  static const rattle_status expected[] = {
      RATTLE_OK,         RATTLE_BAD_ARGUMENT, RATTLE_OFF_CONSTRAINTS, RATTLE_BAD_METHOD,
      RATTLE_DEGENERATE, RATTLE_BAD_ARGUMENT, RATTLE_OFF_CONSTRAINTS, RATTLE_BAD_MODEL,
      RATTLE_OK};
  fixture f;
  open_text(&f, text);
  rattle_ensemble_options options = options_of(&k);
  long long ended;
  options.describe = describe_badly, options.begin = begin_badly,
  options.parse = rattle_model_parse;
  options.cases = 9, options.threads = 2;
  assert_int_equal(rattle_ensemble(f.problem, &options, &ended, NULL), RATTLE_OK);
  assert_int_equal(ended, 9);
  for (int i = 0; i < 9; i++) {
    assert_int_equal(k.status[i], expected[i]);
    assert_int_equal(k.message[i][0] != 0, expected[i] != RATTLE_OK);
  }
  assert_int_equal(k.steps[4], 0);
  assert_true(k.z[4][0] == 1 && k.z[4][3] == -2); /* the last good point: the start */
  /* moved onto the constraints, the start of case 6 is a good one; the momentum that its velocity
   * gives is moved too */
  options.project = 1;
  assert_int_equal(rattle_ensemble(f.problem, &options, &ended, NULL), RATTLE_OK);
  assert_int_equal(k.status[6], RATTLE_OK);
  assert_true(fabs(k.z[6][0] * k.z[6][0] + k.z[6][1] * k.z[6][1] - 1) < 1e-14);
  assert_memory_equal(k.z[6], k.z[0], sizeof k.z[6]);
  /* without the check it is integrated from where it is */
  options.project = 0, options.trusted = 1, options.begin = begin;
  assert_int_equal(rattle_ensemble(f.problem, &options, &ended, NULL), RATTLE_OK);
  assert_int_equal(k.status[0], RATTLE_BAD_ARGUMENT); /* NaN is left of the start */
  close_text(&f);
}

static rattle_status refuse(void *self, const rattle_outcome *outcome, rattle_error *error) {
  kept *k = self;
  (void)outcome;
  if (++k->count < 7) return RATTLE_OK;
  *error = (rattle_error){.status = RATTLE_IO, .message = "no room"};
  return RATTLE_IO;
}

static void stops(void **state) {
  (void)state;
  static kept k, refused;
  fixture f;
  rattle_error error;
  long long ended;
  open_text(&f, text);
  rattle_ensemble_options options = options_of(&k);
  options.threads = 2, options.interrupt = &k.flag, k.most = 10;
  assert_int_equal(rattle_ensemble(f.problem, &options, &ended, &error), RATTLE_INTERRUPTED);
  assert_true(ended >= 10 && ended < CASES && ended == k.count);
  assert_non_null(strstr(error.message, "of 96 cases"));
  /* in the midst of a case that would take years */
  k = (kept){.flag = 1};
  options.steps = 1000000000000000;
  assert_int_equal(rattle_ensemble(f.problem, &options, &ended, &error), RATTLE_INTERRUPTED);
  assert_int_equal(ended, 0);

  options = options_of(&refused);
  options.end = refuse, options.threads = 3;
  assert_int_equal(rattle_ensemble(f.problem, &options, &ended, &error), RATTLE_IO);
  assert_string_equal(error.message, "no room");
  assert_int_equal(ended, 6);
  close_text(&f);
}

/* Odd numbers alone, from 11 on. */
static rattle_status claim_odd(void *self, long long *first, long long *count,
                               rattle_error *error) {
  kept *k = self;
  (void)error;
  *first = 11 + 2 * k->summaries++, *count = *first < CASES;
  return RATTLE_OK;
}

static void claims(void **state) {
  (void)state;
  static kept k;
  fixture f;
  long long ended;
  open_text(&f, text);
  rattle_ensemble_options options = options_of(&k);
  options.claim = claim_odd, options.threads = 2;
  assert_int_equal(rattle_ensemble(f.problem, &options, &ended, NULL), RATTLE_OK);
  assert_int_equal(ended, (CASES - 11 + 1) / 2);
  for (int i = 0; i < CASES; i++) assert_int_equal(k.ended[i], i >= 11 && i % 2);
  close_text(&f);
}

/* An event that ends each run gives its end. */
static void ends_at_events(void **state) {
  (void)state;
  static kept k;
  char with[sizeof text + 40];
  fixture f;
  snprintf(with, sizeof with, "%sstop { when = px + 1.2 }\n", text);
  open_text(&f, with);
  rattle_ensemble_options options = options_of(&k);
  options.steps = 100000, options.threads = 2;
  assert_int_equal(rattle_ensemble(f.problem, &options, NULL, NULL), RATTLE_OK);
  for (int i = 0; i < CASES; i++) {
    assert_int_equal(k.status[i], RATTLE_OK);
    assert_true(fabs(k.z[i][2] + 1.2) < 1e-13);
    assert_true(k.time[i] > 0.01 * (double)k.steps[i] &&
                k.time[i] < 0.01 * (double)(k.steps[i] + 1));
  }
  close_text(&f);
}

static void wrong_options(void **state) {
  (void)state;
  static kept k;
  fixture f;
  open_text(&f, text);
  rattle_ensemble_options options = options_of(&k);
  options.cases = -1;
  assert_int_equal(rattle_ensemble(f.problem, &options, NULL, NULL), RATTLE_BAD_ARGUMENT);
  options = options_of(&k), options.keep = 128;
  assert_int_equal(rattle_ensemble(f.problem, &options, NULL, NULL), RATTLE_BAD_ARGUMENT);
  options = options_of(&k);
  assert_int_equal(rattle_ensemble(NULL, &options, NULL, NULL), RATTLE_BAD_ARGUMENT);
  options.describe = describe; /* parameters, and nothing that reads models */
  assert_int_equal(rattle_ensemble(f.problem, &options, NULL, NULL), RATTLE_OK);
  assert_int_equal(k.status[0], RATTLE_BAD_ARGUMENT);
  options.cases = 0;
  assert_int_equal(rattle_ensemble(f.problem, &options, NULL, NULL), RATTLE_OK);
  close_text(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(starts_alone),
                                     cmocka_unit_test(parameters_too),
                                     cmocka_unit_test(failures_are_cases),
                                     cmocka_unit_test(stops),
                                     cmocka_unit_test(claims),
                                     cmocka_unit_test(ends_at_events),
                                     cmocka_unit_test(wrong_options)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
