/* Events: zeros to round-off on the method's own map, none missed, none that moves the run. */
#include "evaluators.h"

enum { MOST = 64 };

static const char oscillator[] =
    "local x, px = pair('x')\nhamiltonian((px^2 + x^2)/2)\nstart { x = 1 }\n";

typedef struct heard {
  int n, count, event[MOST], direction[MOST], ends[MOST];
  long long step[MOST], number[MOST], samples;
  double time[MOST], fraction[MOST], z[MOST][16], g[MOST];
  double sampled_at, sampled, whole; /* the last sample: its time, first coordinate and state_q */
  int in_order;                      /* each sample is later than the one before */
} heard;

static rattle_status hear(void *self, const rattle_occurrence *o, rattle_error *error) {
  heard *h = self;
  const int k = h->count++;
  (void)error;
  assert_true(k < MOST && o->fraction >= 0 && o->fraction <= 1);
  h->event[k] = o->event, h->direction[k] = o->direction, h->ends[k] = o->ends,
  h->number[k] = o->number;
  h->step[k] = o->sample->step, h->time[k] = o->sample->time, h->fraction[k] = o->fraction;
  memcpy(h->z[k], o->sample->q, (size_t)h->n * sizeof(double));
  memcpy(h->z[k] + h->n, o->sample->p, (size_t)h->n * sizeof(double));
  return RATTLE_OK;
}

static rattle_status count_sample(void *self, const rattle_sample *sample, rattle_error *error) {
  heard *h = self;
  (void)error;
  h->in_order &= h->samples == 0 || fabs(sample->time) > fabs(h->sampled_at);
  h->sampled_at = sample->time, h->sampled = sample->q[0], h->whole = sample->state_q[0];
  h->samples++;
  return RATTLE_OK;
}

static rattle_status go_by(run *r, heard *h, const rattle_run_options *options,
                           rattle_summary *summary) {
  rattle_observer observer = {
      .struct_size = sizeof observer, .self = h, .record = count_sample, .event = hear};
  rattle_observer *const all[] = {&observer};
  *h = (heard){.n = rattle_problem_n(r->problem), .in_order = 1};
  return rattle_run(r->integrator, &r->state, options, all, 1, summary, &r->error);
}

static rattle_status go(run *r, heard *h, long long steps, const rattle_events *events,
                        rattle_summary *summary) {
  const rattle_run_options options = {.struct_size = sizeof options,
                                      .steps = steps,
                                      .every = 1,
                                      .initial_energy = (double)NAN,
                                      .events = events};
  return go_by(r, h, &options, summary);
}

/* x0 + t p0 - t^2/2 x0 = 0, where Verlet's step of length t from (x0, p0), towards x = 0, ends
 * there. */
static double zero_of_verlet(double x0, double p0) {
  return 2 * fabs(x0) / (sqrt(p0 * p0 + 2 * x0 * x0) + fabs(p0));
}

static void zeros_are_those_of_the_map(void **state) {
  (void)state;
  for (int evaluator = RATTLE_EVALUATOR_BLOCK; evaluator <= RATTLE_EVALUATOR_NATIVE; evaluator++) {
    run r = {0}, bare = {0};
    heard h;
    rattle_summary summary = {.struct_size = sizeof summary};
    if (evaluator == RATTLE_EVALUATOR_NATIVE && !native()) continue;
    begin(&r, oscillator, "event('node', x)\n", "verlet", evaluator, 0.1);
    begin(&bare, oscillator, "", "verlet", evaluator, 0.1);
    assert_int_equal(go(&r, &h, 630, NULL, &summary), RATTLE_OK);
    assert_int_equal(h.count, 20);
    assert_int_equal(summary.ended_by, -1);
    assert_int_equal(rattle_integrator_step(bare.integrator, &bare.state, 630, NULL), RATTLE_OK);
    assert_memory_equal(r.z, bare.z, 2 * sizeof(double));
    end(&bare);
    begin(&bare, oscillator, "", "verlet", evaluator, 0.1);
    for (int k = 0; k < h.count; k++) {
      assert_int_equal(
          rattle_integrator_step(bare.integrator, &bare.state, h.step[k] - bare.state.step, NULL),
          RATTLE_OK);
      const double t = zero_of_verlet(bare.z[0], bare.z[1]);
      assert_true(t >= 0 && t <= 0.1);
      assert_true(fabs(h.fraction[k] * 0.1 - t) <= 1e-15);
      assert_true(fabs(h.time[k] - ((double)h.step[k] * 0.1 + t)) <= 1e-15 * (1 + h.time[k]));
      assert_true(fabs(h.z[k][0]) <= 1e-15);
      assert_int_equal(h.direction[k], k % 2 ? 1 : -1);
      assert_int_equal(h.number[k], k + 1);
    }
    end(&bare), end(&r);
  }
}

static void direction_count_and_order(void **state) {
  (void)state;
  run r = {0};
  heard h;
  /* one step has x = 0.4, 0.3, 0.1 in this order, written in another; the next two are a pair that
   * leaves no change of sign */
  begin(&r, oscillator,
        "event('zero', x - 0.1, { direction = -1, count = 2 })\nevent('high', x - "
        "0.4)\nevent('middle', x - 0.3, { direction = "
        "-1 })\n"
        "event('never', x - 2)\nevent('turn', x + 0.998, { direction = 0 })\n",
        "verlet", RATTLE_EVALUATOR_BLOCK, 0.5);
  assert_int_equal(go(&r, &h, 40, NULL, NULL), RATTLE_OK);
  const int first[] = {1, 2, 0, 4, 4, 1, 1, 2, 0};
  for (int k = 0; k < 9; k++) assert_int_equal(h.event[k], first[k]);
  assert_true(h.step[0] == h.step[1] && h.step[1] == h.step[2] && h.time[0] < h.time[1] &&
              h.time[1] < h.time[2]);
  assert_true(h.step[3] == h.step[4] && h.direction[3] == -1 && h.direction[4] == 1 &&
              fabs(h.z[3][0] + 0.998) < 1e-15);
  int zeros = 0;
  for (int k = 0; k < h.count; k++) zeros += h.event[k] == 0;
  assert_int_equal(zeros, 2);
  end(&r);
}

/* Steps back in time find the same zeros, and a start at e = 0 but for round-off is none: 0.1*3 is
 * 0.3 and one unit. */
static void backwards_and_starts(void **state) {
  (void)state;
  for (int back = 0; back < 2; back++) {
    run r = {0};
    heard h;
    begin(&r, "local x, px = pair('x')\nhamiltonian((px^2 + x^2)/2)\nstart { x = 0.1*3 }\n",
          "event('start', x - 0.3)\nevent('speed', x)\n", "verlet", RATTLE_EVALUATOR_BLOCK,
          back ? -0.1 : 0.1);
    assert_int_equal(go(&r, &h, 35, NULL, NULL), RATTLE_OK);
    assert_int_equal(h.count, 1);
    assert_true(h.event[0] == 1 && fabs(h.time[0]) > 1.57 && h.time[0] * r.state.h > 0 &&
                h.direction[0] == -1);
    end(&r);
  }
}

/* The step of an adaptive method that has an event in it is that of the map inside. */
static void apsides_of_kepler(void **state) {
  (void)state;
  const double pi = 3.14159265358979323846;
  run r = {0};
  heard h;
  begin(&r,
        "local x, px = pair('x')\nlocal y, py = pair('y')\nhamiltonian((px^2 + py^2)/2 - "
        "1/sqrt(x^2 + y^2))\n",
        "start { x = 0.4, py = 2 }\nevent('apsis', x*px + y*py)\n", "adaptive(kahan_li8(verlet))",
        RATTLE_EVALUATOR_BLOCK, 0.05);
  assert_int_equal(go(&r, &h, 300, NULL, NULL), RATTLE_OK);
  assert_true(h.count >= 4);
  for (int k = 0; k < h.count; k++) {
    if (fabs(h.time[k] - (k + 1) * pi) > 1e-7) fail_msg("apsis %d at %.17g", k, h.time[k]);
    assert_true(fabs(hypot(h.z[k][0], h.z[k][1]) - (k % 2 ? 0.4 : 1.6)) < 1e-7);
    assert_int_equal(h.direction[k], k % 2 ? 1 : -1);
  }
  end(&r);
}

static void a_stop_ends_at_the_last_whole_step(void **state) {
  (void)state;
  run r = {0}, bare = {0};
  heard h;
  rattle_summary summary = {.struct_size = sizeof summary};
  const double stop = 0.3;
  const rattle_events events = {.struct_size = sizeof events, .end = &stop};
  begin(&r, oscillator, "stop { when = x, count = 2 }\n", "multistep4", RATTLE_EVALUATOR_BLOCK,
        0.1);
  begin(&bare, oscillator, "", "multistep4", RATTLE_EVALUATOR_BLOCK, 0.1);
  assert_int_equal(go(&r, &h, 100, NULL, &summary), RATTLE_OK);
  assert_true(h.count == 2 && h.ends[1] && !h.ends[0] && summary.ended_by == 0);
  assert_true(r.state.step == h.step[1] && summary.steps == r.state.step && r.state.step == 47 &&
              h.samples == 49 && h.sampled == h.z[1][0] && h.sampled_at == h.time[1]);
  /* the run goes on beyond it with the bits that it would have had */
  const long long counts[] = {2};
  const double last = h.time[1];
  const rattle_events past = {.struct_size = sizeof past, .counts = counts, .last = &last};
  assert_int_equal(go(&r, &h, 13, &past, &summary), RATTLE_OK);
  assert_true(h.count == 0 && summary.ended_by == -1);
  assert_int_equal(rattle_integrator_step(bare.integrator, &bare.state, 60, NULL), RATTLE_OK);
  assert_memory_equal(r.z, bare.z, 2 * sizeof(double));
  end(&bare), end(&r);
  begin(&r, oscillator, "", "verlet", RATTLE_EVALUATOR_BLOCK, 0.08);
  assert_int_equal(go(&r, &h, 100, &events, &summary), RATTLE_OK);
  assert_true(h.count == 1 && h.ends[0] && h.time[0] == 0.3 && h.step[0] == 3 &&
              r.state.step == 3 && summary.ended_by == -1);
  end(&r);
}

/* The end is the last sample, once: at a given time, at an event, on a whole step or within one. */
static void the_end_is_the_last_sample(void **state) {
  (void)state;
  static const struct {
    const char *more, *method;
    double step, end, time; /* end NaN: the event ends the run; time: of the last sample */
    long long every, samples, step_of_state;
  } rows[] = {
      {"", "kahan_li8(verlet)", 0.1, 0.55, 0.55, 1, 7, 5},
      {"", "kahan_li8(verlet)", 0.1, 0.55, 0.55, 4, 3, 5},
      {"", "kahan_li8(verlet)", 0.1, 0.5, 0.5, 1, 6, 5},
      {"", "kahan_li8(verlet)", 0.1, 0.5, 0.5, 4, 3, 5},
      {"", "kahan_li8(verlet)", 0.1, 0.03, 0.03, 1, 2, 0},
      {"", "kahan_li8(verlet)", -0.1, -0.55, -0.55, 2, 4, 5},
      {"", "kahan_li8(verlet, compensated)", 0.1, 0.55, 0.55, 1, 7, 5},
      {"", "adaptive(kahan_li8(verlet))", 0.1, 0.55, 0.55, 1, -1, -1},
      {"stop { when = x - 0.5 }", "kahan_li8(verlet)", 0.1, NAN, 1.0471975511965976, 3, 5, 10},
      {"stop { when = x - 0.5 }", "gauss(4)", 0.1, NAN, 1.0471975511965976, 20, 2, 10},
      {"stop { when = x - 0.5 }", "exact", 0.1, 0.55, 0.55, 3, 3, 5},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    run r = {0};
    heard h;
    rattle_summary summary = {.struct_size = sizeof summary};
    const int by_event = isnan(rows[k].end);
    const rattle_events events = {.struct_size = sizeof events,
                                  .end = by_event ? NULL : &rows[k].end};
    const rattle_run_options options = {.struct_size = sizeof options,
                                        .steps = 30,
                                        .every = rows[k].every,
                                        .initial_energy = (double)NAN,
                                        .events = &events};
    begin(&r, oscillator, rows[k].more, rows[k].method, RATTLE_EVALUATOR_BLOCK, rows[k].step);
    assert_int_equal(go_by(&r, &h, &options, &summary), RATTLE_OK);
    if (fabs(h.sampled_at - rows[k].time) > 1e-9 || fabs(h.sampled - cos(h.sampled_at)) > 1e-9)
      fail_msg("row %zu: the last sample is %.17g at %.17g", k, h.sampled, h.sampled_at);
    assert_true(h.in_order && summary.stop == h.sampled_at && summary.ended_by == by_event - 1);
    assert_true(h.whole == r.state.q[0]);
    assert_true(h.count == 1 && h.time[0] == h.sampled_at && h.z[0][0] == h.sampled);
    assert_true(rows[k].samples < 0 || h.samples == rows[k].samples);
    assert_true(rows[k].step_of_state < 0 || r.state.step == rows[k].step_of_state);
    end(&r);
  }
}

/* A run resumed after a part finds the events that the whole run finds. */
static void a_resumed_run_finds_the_rest(void **state) {
  (void)state;
  static const char more[] = "event('node', x, { count = 9 })\nevent('turn', px)\n";
  run whole = {0}, part = {0};
  heard all, one, two;
  begin(&whole, oscillator, more, "rattle(verlet)", RATTLE_EVALUATOR_BLOCK, 0.3);
  begin(&part, oscillator, more, "rattle(verlet)", RATTLE_EVALUATOR_BLOCK, 0.3);
  assert_int_equal(go(&whole, &all, 120, NULL, NULL), RATTLE_OK);
  assert_int_equal(go(&part, &one, 57, NULL, NULL), RATTLE_OK);
  long long counts[2] = {0, 0};
  double last[2] = {NAN, NAN};
  for (int k = 0; k < one.count; k++) counts[one.event[k]]++, last[one.event[k]] = one.time[k];
  /* of the next step one was known already, when the run was killed */
  const int next = one.count++;
  one.event[next] = all.event[next], one.time[next] = all.time[next],
  one.number[next] = all.number[next];
  memcpy(one.z[next], all.z[next], sizeof one.z[next]);
  counts[one.event[next]]++, last[one.event[next]] = one.time[next];
  const rattle_events past = {.struct_size = sizeof past, .counts = counts, .last = last};
  assert_int_equal(go(&part, &two, 63, &past, NULL), RATTLE_OK);
  assert_int_equal(one.count + two.count, all.count);
  for (int k = 0; k < all.count; k++) {
    const heard *h = k < one.count ? &one : &two;
    const int i = k < one.count ? k : k - one.count;
    assert_true(h->event[i] == all.event[k] && h->time[i] == all.time[k] &&
                h->number[i] == all.number[k]);
    assert_memory_equal(h->z[i], all.z[k], 2 * sizeof(double));
  }
  end(&whole), end(&part);
}

/* Every kind of method finds each passage of a pendulum through x = 0.3, on the circle, at the time
 * of another method within `off`. */
static void methods_of_all_kinds(void **state) {
  (void)state;
  static const struct {
    const char *method;
    int as;
    double off, g;
  } rows[] = {{"kahan_li8(rattle(verlet))", 0, 0, 1e-15},
              {"rattle(verlet)", 0, 2e-3, 1e-15},
              {"rattle(verlet, solver=newton)", 1, 1e-13, 1e-15},
              {"shake(verlet)", 1, 1e-12, 1e-15},
              {"shake_two_step", 1, 1e-12, 1e-12},
              {"suzuki4(rattle(verlet))", 0, 1e-6, 1e-15},
              {"suzuki4(rattle(verlet), compensated)", 5, 1e-13, 1e-15},
              {"multistep8", 0, 1e-8, 1e-15},
              {"adaptive(rattle(verlet))", 0, 2e-3, 1e-15},
              {"project(adams_bashforth(4, dirac))", 0, 1e-4, 1e-15},
              {"rk4(impetus)", 0, 2e-6, 1e-6}};
  enum { ROWS = sizeof rows / sizeof *rows };
  double time[ROWS][4];
  for (int i = 0; i < ROWS; i++) {
    run r = {0};
    heard h;
    begin(&r, pendulum, "event('passage', x - 0.3)\n", rows[i].method, RATTLE_EVALUATOR_BLOCK,
          0.02);
    const rattle_status status = go(&r, &h, 450, NULL, NULL);
    if (status) fail_msg("%s: %s", rows[i].method, r.error.message);
    if (h.count < 4) fail_msg("%s: %d events", rows[i].method, h.count);
    for (int k = 0; k < 4; k++) {
      const double *z = h.z[k];
      time[i][k] = h.time[k];
      if (fabs(z[0] - 0.3) > 1e-15 || fabs(z[0] * z[0] + z[1] * z[1] - 1) > rows[i].g)
        fail_msg("%s: event %d at x = %.17g, y = %.17g", rows[i].method, k, z[0], z[1]);
      if (fabs(time[i][k] - time[rows[i].as][k]) > rows[i].off)
        fail_msg("%s: event %d at %.17g, not %.17g", rows[i].method, k, h.time[k],
                 time[rows[i].as][k]);
    }
    end(&r);
  }
}

static void output_at_given_times(void **state) {
  (void)state;
  run r = {0}, bare = {0};
  heard h;
  const double times[] = {0.35, 0, 0.1, 0.30000000000000004};
  const rattle_events events = {
      .struct_size = sizeof events, .times = times, .time_count = 4, .time_step = 0.25};
  begin(&r, oscillator, "", "verlet", RATTLE_EVALUATOR_BLOCK, 0.1);
  assert_int_equal(go(&r, &h, 5, &events, NULL), RATTLE_OK);
  const double expected[] = {0, 0.1, 0.25, 0.30000000000000004, 0.35, 0.5};
  assert_int_equal(h.count, 6);
  for (int k = 0; k < 6; k++) {
    assert_true(h.time[k] == expected[k] && h.direction[k] == 0);
    begin(&bare, oscillator, "", "verlet", RATTLE_EVALUATOR_BLOCK, 0.1);
    assert_int_equal(rattle_integrator_step(bare.integrator, &bare.state, h.step[k], NULL),
                     RATTLE_OK);
    bare.state.h = h.fraction[k] == 1 ? 0.1 : h.time[k] - (double)h.step[k] * 0.1;
    if (bare.state.h != 0)
      assert_int_equal(rattle_integrator_step(bare.integrator, &bare.state, 1, NULL), RATTLE_OK);
    assert_memory_equal(bare.z, h.z[k], 2 * sizeof(double));
    end(&bare);
  }
  end(&r);
}

static int half(void *self, double time, const double *q, const double *p, double *e) {
  (void)p;
  const int *answer = self;
  *e = q[0] - 0.5;
  return time > 1 ? *answer : 0;
}

static void functions_of_the_caller(void **state) {
  (void)state;
  for (int answer = -1; answer <= 1; answer++) {
    run r = {0};
    heard h;
    const rattle_event event = {
        .struct_size = sizeof event, .name = "half", .value = half, .self = &answer};
    const rattle_events events = {.struct_size = sizeof events, .event = &event, .count = 1};
    begin(&r, oscillator, "event('zero', x)\n", "verlet", RATTLE_EVALUATOR_BLOCK, 0.1);
    assert_int_equal(go(&r, &h, 20, &events, NULL), answer ? RATTLE_CALLBACK : RATTLE_OK);
    if (!answer)
      assert_true(h.count == 2 && h.event[0] == 1 && h.event[1] == 0 &&
                  fabs(h.z[0][0] - 0.5) < 1e-15);
    end(&r);
  }
}

static void what_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int direction;
    double time_step;
    const char *says;
  } rows[] = {{"at", 0, 0, "taken"},
              {"zero", 0, 0, "taken"},
              {"", 0, 0, "empty"},
              {"up", 2, 0, "direction 2"},
              {"a", 0, -1, "time step"}};
  int answer = 0;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    run r = {0};
    heard h;
    const rattle_event event = {.struct_size = sizeof event,
                                .name = rows[i].name,
                                .value = half,
                                .self = &answer,
                                .direction = rows[i].direction};
    const rattle_events events = {
        .struct_size = sizeof events, .event = &event, .count = 1, .time_step = rows[i].time_step};
    begin(&r, oscillator, "event('zero', x)\n", "verlet", RATTLE_EVALUATOR_BLOCK, 0.1);
    assert_int_equal(go(&r, &h, 20, &events, NULL), RATTLE_BAD_ARGUMENT);
    if (!strstr(r.error.message, rows[i].says)) fail_msg("%s", r.error.message);
    end(&r);
  }
  run r = {0};
  heard h;
  begin(&r, oscillator, "event('root', sqrt(x))\nevent('pole', 1/x)\n", "verlet",
        RATTLE_EVALUATOR_BLOCK, 0.1);
  assert_int_equal(go(&r, &h, 20, NULL, NULL), RATTLE_DOMAIN);
  assert_non_null(strstr(r.error.message, "\"root\" is not a number"));
  assert_int_equal(h.count, 0);
  end(&r);
  begin(&r, oscillator, "event('pole', 1/x)\n", "verlet", RATTLE_EVALUATOR_BLOCK, 0.1);
  assert_int_equal(go(&r, &h, 20, NULL, NULL), RATTLE_OK);
  assert_int_equal(h.count, 0);
  end(&r);
}

static int watch(void *self, double time, const double *q, const double *p, double *e) {
  (void)time, (void)q, (void)p;
  ++*(int *)self;
  *e = 1;
  return 0;
}

/* A zero is sought by its own event alone: the others are evaluated as often as without it. */
static void others_are_not_asked(void **state) {
  (void)state;
  int asked[2] = {0};
  for (int with = 0; with < 2; with++) {
    run r = {0};
    heard h;
    rattle_summary summary = {.struct_size = sizeof summary};
    const rattle_event event = {
        .struct_size = sizeof event, .name = "never", .value = watch, .self = &asked[with]};
    const rattle_events events = {.struct_size = sizeof events, .event = &event, .count = 1};
    begin(&r, oscillator, with ? "event('node', x)\nevent('turn', px)\n" : "event('far', x - 9)\n",
          "verlet", RATTLE_EVALUATOR_BLOCK, 0.1);
    assert_int_equal(go(&r, &h, 630, &events, &summary), RATTLE_OK);
    assert_int_equal(h.count > 0, with);
    end(&r);
  }
  assert_true(asked[0] >= 630);
  assert_int_equal(asked[0], asked[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(zeros_are_those_of_the_map),
                                     cmocka_unit_test(direction_count_and_order),
                                     cmocka_unit_test(backwards_and_starts),
                                     cmocka_unit_test(apsides_of_kepler),
                                     cmocka_unit_test(a_stop_ends_at_the_last_whole_step),
                                     cmocka_unit_test(the_end_is_the_last_sample),
                                     cmocka_unit_test(a_resumed_run_finds_the_rest),
                                     cmocka_unit_test(methods_of_all_kinds),
                                     cmocka_unit_test(output_at_given_times),
                                     cmocka_unit_test(functions_of_the_caller),
                                     cmocka_unit_test(others_are_not_asked),
                                     cmocka_unit_test(what_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
