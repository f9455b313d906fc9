/* The driver of runs: which samples observers get, how runs end, and that watching changes
 * nothing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "rattle/rattle.h"

static const char pendulum[] = "local x, px = pair('x')\nlocal y, py = pair('y')\n"
                               "hamiltonian((px^2 + py^2)/2 + y)\nconstrain('rod', x^2 + y^2 - 1)\n"
                               "start { x = 1, py = -2 }\n";

typedef struct fixture {
  rattle_model *model;
  rattle_problem *problem;
  rattle_integrator *integrator;
  double q[2], p[2];
  rattle_state state;
} fixture;

static void set_up(fixture *f, const char *text, const char *method) {
  rattle_problem_options block = {.evaluator = RATTLE_EVALUATOR_BLOCK};
  assert_int_equal(rattle_model_parse(&f->model, text, "model", NULL, NULL), RATTLE_OK);
  assert_int_equal(rattle_problem_create(&f->problem, f->model, &block, NULL), RATTLE_OK);
  assert_int_equal(rattle_integrator_create(&f->integrator, f->problem, method, NULL), RATTLE_OK);
  assert_int_equal(rattle_problem_start(f->problem, 0, f->q, f->p, NULL, NULL), RATTLE_OK);
  f->state = (rattle_state){.q = f->q, .p = f->p, .h = 0.025};
}

static void tear_down(fixture *f) {
  rattle_integrator_destroy(&f->integrator);
  rattle_problem_destroy(&f->problem);
  rattle_model_destroy(&f->model);
}

/* An observer that notes its calls, fails at a step, or requests a stop at one. */
typedef struct witness {
  rattle_observer observer;
  long long step[128];
  double time[128];
  int begun, records, ended, stop, unconstrained;
  long long fail_at, stop_at;
  rattle_status end_status, status_seen;
} witness;

static rattle_status witness_begin(void *self, const rattle_integrator *integrator,
                                   const rattle_sample *start, rattle_error *error) {
  witness *w = self;
  (void)error;
  assert_non_null(integrator);
  assert_int_equal(start->step, 0);
  w->begun++;
  return RATTLE_OK;
}

static rattle_status witness_record(void *self, const rattle_sample *sample, rattle_error *error) {
  witness *w = self;
  assert_true(w->records < 128);
  w->step[w->records] = sample->step;
  w->time[w->records++] = sample->time;
  if (!w->unconstrained) {
    assert_true(fabs(sample->g[0]) < 1e-14 && fabs(sample->psi[0]) < 1e-13);
    assert_true(isfinite(sample->multipliers[0]));
  }
  if (sample->step == w->stop_at) w->stop = 1;
  if (sample->step != w->fail_at) return RATTLE_OK;
  *error = (rattle_error){.status = RATTLE_IO, .step = -1, .message = "the disk is full"};
  return RATTLE_IO;
}

static rattle_status witness_end(void *self, const rattle_summary *summary, rattle_error *error) {
  witness *w = self;
  w->ended++;
  w->status_seen = summary->status;
  if (w->end_status)
    *error = (rattle_error){.status = w->end_status, .step = -1, .message = "too late"};
  return w->end_status;
}

static void witness_init(witness *w) {
  *w = (witness){
      .observer = {.self = w, .begin = witness_begin, .record = witness_record, .end = witness_end},
      .fail_at = -1,
      .stop_at = -1};
}

static rattle_run_options options_of(long long steps, long long every) {
  return (rattle_run_options){.steps = steps, .every = every, .initial_energy = (double)NAN};
}

/* A run with one witness, what it says of itself, and its error. */
typedef struct watched {
  fixture f;
  witness w;
  rattle_summary summary;
  rattle_error error;
} watched;

static void begin(watched *r, const char *text, const char *method) {
  *r = (watched){.summary = {.struct_size = sizeof r->summary}};
  set_up(&r->f, text, method);
  witness_init(&r->w);
}

/* The witness of a further run, which does not begin at step 0. */
static void begin_again(watched *r) {
  witness_init(&r->w);
  r->w.observer.begin = NULL;
}

static rattle_status run(watched *r, long long steps, long long every) {
  rattle_observer *observers[] = {&r->w.observer};
  rattle_run_options options = options_of(steps, every);
  options.interrupt = &r->w.stop;
  return rattle_run(r->f.integrator, &r->f.state, &options, observers, 1, &r->summary, &r->error);
}

/* A run of 25 steps, and one of 10 that goes on: samples at step numbers divisible by 10, the start
 * and the end. */
static void test_samples(void **unused) {
  (void)unused;
  static const struct {
    long long steps;
    int samples;
    long long at[4];
  } runs[] = {{25, 4, {0, 10, 20, 25}}, {10, 3, {25, 30, 35}}};
  watched r;
  begin(&r, pendulum, "rattle(verlet)");
  for (int k = 0; k < 2; k++) {
    if (k) begin_again(&r);
    assert_int_equal(run(&r, runs[k].steps, 10), RATTLE_OK);
    assert_int_equal(r.w.records, runs[k].samples);
    for (int i = 0; i < runs[k].samples; i++) {
      assert_int_equal(r.w.step[i], runs[k].at[i]);
      assert_true(r.w.time[i] == (double)runs[k].at[i] * 0.025);
    }
    assert_int_equal(r.w.begun, k == 0);
    assert_int_equal(r.w.ended, 1);
    assert_int_equal(r.summary.steps, runs[k].steps);
    assert_int_equal(r.summary.counts.steps, runs[k].steps);
    assert_true(r.summary.start == (double)runs[k].at[0] * 0.025);
    assert_true(r.summary.stop == (double)runs[k].at[runs[k].samples - 1] * 0.025);
  }
  tear_down(&r.f);
}

/* Every step counts for the energy error, also between samples, and watching does not change the
 * motion. */
static void test_energy_of_every_step(void **unused) {
  (void)unused;
  enum { STEPS = 333 };
  fixture f, by_hand;
  set_up(&f, pendulum, "rattle(verlet)");
  set_up(&by_hand, pendulum, "rattle(verlet)");
  double initial, energy, worst = 0;
  rattle_problem_energy(by_hand.problem, by_hand.q, by_hand.p, &initial, NULL);
  for (int k = 0; k < STEPS; k++) {
    assert_int_equal(rattle_integrator_step(by_hand.integrator, &by_hand.state, 1, NULL),
                     RATTLE_OK);
    rattle_problem_energy(by_hand.problem, by_hand.q, by_hand.p, &energy, NULL);
    if (fabs(energy - initial) > worst) worst = fabs(energy - initial);
  }
  rattle_run_options options = options_of(STEPS, STEPS);
  rattle_summary summary = {.struct_size = sizeof summary};
  assert_int_equal(rattle_run(f.integrator, &f.state, &options, NULL, 0, &summary, NULL),
                   RATTLE_OK);
  assert_memory_equal(f.q, by_hand.q, sizeof f.q);
  assert_memory_equal(f.p, by_hand.p, sizeof f.p);
  assert_true(worst > 1e-5);
  assert_true(fabs(summary.energy_max_error - worst) <= 1e-15);
  assert_true(summary.energy_final == energy);
  assert_true(fabs(summary.min_singular_value - 4) < 1e-12);

  options.initial_energy = initial + 1;
  assert_int_equal(rattle_run(f.integrator, &f.state, &options, NULL, 0, &summary, NULL),
                   RATTLE_OK);
  assert_true(summary.energy_initial == initial + 1 && summary.energy_max_error > 0.9);
  tear_down(&f);
  tear_down(&by_hand);
}

static void test_failing_observer(void **unused) {
  (void)unused;
  watched r;
  witness other;
  begin(&r, pendulum, "rattle(verlet)");
  witness_init(&other);
  r.w.fail_at = 20;
  rattle_observer *observers[] = {&r.w.observer, &other.observer};
  rattle_run_options options = options_of(50, 10);
  assert_int_equal(
      rattle_run(r.f.integrator, &r.f.state, &options, observers, 2, &r.summary, &r.error),
      RATTLE_IO);
  assert_int_equal(r.f.state.step, 20);
  assert_int_equal(r.w.records, 3);
  assert_int_equal(other.records, 2);
  assert_int_equal(r.w.ended, 1);
  assert_int_equal(other.ended, 1);
  assert_int_equal(other.status_seen, RATTLE_IO);
  assert_string_equal(r.error.message, "the disk is full");
  assert_string_equal(r.summary.error.message, "the disk is full");

  /* what fails at the end is the run's failure too */
  begin_again(&r);
  r.w.end_status = RATTLE_IO;
  assert_int_equal(run(&r, 50, 10), RATTLE_IO);
  assert_int_equal(r.summary.steps, 50);
  assert_string_equal(r.error.message, "too late");
  tear_down(&r.f);
}

static void test_stop(void **unused) {
  (void)unused;
  watched r;
  begin(&r, pendulum, "rattle(verlet)");
  r.w.stop_at = 30;
  assert_int_equal(run(&r, 1000, 10), RATTLE_INTERRUPTED);
  assert_int_equal(r.f.state.step, 30);
  assert_int_equal(r.w.records, 4); /* the state interrupted at was a sample already */
  assert_int_equal(r.w.ended, 1);
  assert_int_equal(r.error.step, 30);
  assert_true(r.error.time == 30 * 0.025);
  assert_int_equal(r.summary.status, RATTLE_INTERRUPTED);
  tear_down(&r.f);
}

/* A fall into the end of a root's domain, between samples: the last good state is output. */
static void test_failing_between_samples(void **unused) {
  (void)unused;
  static const char falling[] =
      "local x, px = pair('x')\nhamiltonian(px^2/2 + sqrt(x))\nstart { x = 0.5 }\n";
  watched r;
  begin(&r, falling, "verlet");
  r.w.unconstrained = 1;
  r.f.state.h = 0.01;
  assert_int_equal(run(&r, 100000, 100000), RATTLE_DOMAIN);
  assert_in_range(r.f.state.step, 10, 1000);
  assert_true(r.f.q[0] > 0);
  assert_int_equal(r.error.step, r.f.state.step);
  assert_int_equal(r.w.records, 2);
  assert_int_equal(r.w.step[1], r.f.state.step);
  assert_int_equal(r.summary.steps, r.f.state.step);
  assert_int_equal(r.w.status_seen, RATTLE_DOMAIN);
  tear_down(&r.f);
}

/* A step too large for the rod: the last good state is kept and output. */
static void test_failing_step(void **unused) {
  (void)unused;
  watched r;
  begin(&r, pendulum, "rattle(verlet)");
  assert_int_equal(run(&r, 7, 5), RATTLE_OK);
  const double q[2] = {r.f.q[0], r.f.q[1]};
  r.f.state.h = 3;
  r.f.state.t0 = 7 * 0.025 - 7 * 3.0;
  begin_again(&r);
  const rattle_status status = run(&r, 7, 5);
  assert_int_not_equal(status, RATTLE_OK);
  assert_int_equal(r.f.state.step, 7);
  assert_memory_equal(q, r.f.q, sizeof q);
  assert_int_equal(r.w.records, 1);
  assert_int_equal(r.summary.steps, 0);
  assert_int_equal(r.summary.status, status);
  tear_down(&r.f);
}

/* Refused before the observer is called; summary and error may be NULL. */
static void test_bad_options(void **unused) {
  (void)unused;
  static const struct {
    long long steps, every;
    double h;
  } bad[] = {
      {-1, 1, 0.025}, {1, 0, 0.025}, {1, 1, 0}, {1, 1, (double)NAN}, {1, 1, (double)INFINITY}};
  watched r;
  begin(&r, pendulum, "rattle(verlet)");
  rattle_observer *observers[] = {&r.w.observer};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const rattle_run_options options = options_of(bad[i].steps, bad[i].every);
    r.f.state.h = bad[i].h;
    assert_int_equal(rattle_run(r.f.integrator, &r.f.state, &options, observers, 1, NULL, NULL),
                     RATTLE_BAD_ARGUMENT);
  }
  assert_int_equal(r.w.begun + r.w.records + r.w.ended, 0);
  r.f.state.h = 0.025;
  assert_int_equal(run(&r, 0, 1), RATTLE_OK);
  assert_int_equal(r.w.records, 1);
  tear_down(&r.f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_samples),          cmocka_unit_test(test_energy_of_every_step),
      cmocka_unit_test(test_failing_observer), cmocka_unit_test(test_stop),
      cmocka_unit_test(test_failing_step),     cmocka_unit_test(test_failing_between_samples),
      cmocka_unit_test(test_bad_options)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
