/* Runs that make many steps, at a time or one by one, without a search where no event can happen
 * find the same events, to the bit, as runs that seek them in each step. */
#include "evaluators.h"

enum { MOST = 512, PAIRS = 4 };

typedef struct heard {
  int n, count;
  struct {
    int event, direction, ends;
    long long step, number;
    double time, fraction, energy, work, q[PAIRS], p[PAIRS];
  } one[MOST];
} heard;

static rattle_status hear(void *self, const rattle_occurrence *o, rattle_error *error) {
  heard *h = self;
  const rattle_sample *at = o->sample;
  (void)error;
  if (h->count == MOST) return RATTLE_OK;
  const int k = h->count++;
  h->one[k].event = o->event, h->one[k].direction = o->direction, h->one[k].ends = o->ends;
  h->one[k].step = at->step, h->one[k].number = o->number;
  h->one[k].time = at->time, h->one[k].fraction = o->fraction, h->one[k].energy = at->energy,
  h->one[k].work = at->work;
  memcpy(h->one[k].q, at->q, (size_t)h->n * sizeof(double));
  memcpy(h->one[k].p, at->p, (size_t)h->n * sizeof(double));
  return RATTLE_OK;
}

static rattle_status take(void *self, const rattle_sample *sample, rattle_error *error) {
  (void)self, (void)sample, (void)error;
  return RATTLE_OK;
}

/* A run with samples every so many steps: 1 is step by step. */
static rattle_status go(run *r, heard *h, long long every, const rattle_events *events,
                        rattle_summary *summary) {
  rattle_observer observer = {
      .struct_size = sizeof observer, .self = h, .record = take, .event = hear};
  rattle_observer *const all[] = {&observer};
  const rattle_run_options options = {.struct_size = sizeof options,
                                      .steps = 20000,
                                      .every = every,
                                      .initial_energy = (double)NAN,
                                      .events = events};
  memset(h, 0, sizeof *h);
  h->n = rattle_problem_n(r->problem);
  return rattle_run(r->integrator, &r->state, &options, all, 1, summary, &r->error);
}

static const char swinging[] =
    "local x, px = pair('x')\nlocal y, py = pair('y')\nhamiltonian((px^2 + py^2)/2 + y)\n"
    "constrain('rod', x^2 + y^2 - 1)\nstart { x = 1, y = 0, px = 0, py = -1.2 }\n";
static const char driven[] =
    "local x, px = pair('x')\nlocal y, py = pair('y')\nlocal t = time()\n"
    "hamiltonian((px^2 + py^2)/2 + y - 0.3*x*cos(1.3*t))\n"
    "constrain('rod', x^2 + y^2 - 1)\nstart { x = 1, y = 0, px = 0, py = -2 }\n";
static const char pair[] =
    "local x, px = pair('x')\nlocal y, py = pair('y')\nlocal u, pu = pair('u')\nlocal v, pv = "
    "pair('v')\n"
    "hamiltonian((px^2 + py^2)/2 + (pu^2 + pv^2)/3 + y + v)\n"
    "constrain('one', x^2 + y^2 - 1)\nconstrain('two', (u - x)^2 + (v - y)^2 - 1)\n"
    "start { x = 1, y = 0, px = 0, py = -2, u = 1, v = 1, pu = 1, pv = -3 }\n";

static const struct {
  const char *model, *events, *method;
  double h;
  int least; /* events */
} rows[] = {
    {swinging, "event('bottom', x, { direction = 1 })\nevent('left', x + 0.9)\n", "rattle(verlet)",
     0.025, 100},
    /* two zeros in a step, at a turning point of e */
    {swinging, "event('low', y + 0.9999)\nevent('graze', y + 1 - 1e-7)\n", "rattle(verlet)", 0.03,
     100},
    {swinging, "event('zero', x - 1)\nevent('last', x + 0.2, { count = 9, stop = true })\n",
     "rattle(verlet)", 0.025, 9},
    {swinging, "event('speed', px)\nevent('bottom', x)\n", "rattle(verlet)", 0.025, 100},
    {swinging, "event('bottom', x)\n", "suzuki4(rattle(verlet))", -0.05, 100},
    /* of momenta: multipliers change them, and two zeros may be in a step */
    {swinging, "event('turn', x*py - y*px, { direction = 1 })\n", "rattle(verlet)", 0.025, 50},
    {swinging, "event('most', py - 0.3)\nevent('energy', px^2 + py^2 - 1e-5)\n", "rattle(verlet)",
     0.03, 100},
    {swinging, "event('most', px*py)\n", "suzuki4(rattle(verlet))", -0.05, 100},
    {driven, "event('most', px - 0.2*sin(3*time()))\n", "rattle(verlet)", 0.025, 100},
    {pair, "event('spin', u*pv - v*pu + x*py - y*px)\n", "rattle(verlet)", 0.01, 10},
    {swinging, "force { x = 0.05*y*px, y = -0.001*py }\nevent('most', py)\n", "rattle(midpoint)",
     0.03, 100},
    {swinging, "event('bottom', x)\n", "rattle(verlet, compensated)", 0.025, 100},
    {swinging, "event('bottom', x)\n", "rattle(verlet, project=output)", 0.025, 100},
    {driven, "event('bottom', x)\nevent('beat', sin(3*time()) - 0.5)\n", "rattle(verlet)", 0.025,
     100},
    {swinging, "force { x = 0.05*y*px, y = -0.001*py }\nevent('bottom', x)\n", "rattle(verlet)",
     0.025, 100},
    {swinging, "event('bottom', x)\nevent('low', y + 0.9999)\n", "rattle(midpoint)", 0.03, 100},
    {swinging, "event('bottom', x)\nevent('low', y + 0.9999)\n", "multistep4", 0.03, 100},
    {pair, "event('line', u*y - v*x)\nevent('root', 1/(v - 0.1))\n", "rattle(verlet)", 0.01, 40},
};

static void the_same_events_by(rattle_evaluator evaluator) {
  const double times[] = {0.3, 7.77, -7.77, 12.5, 300};
  const rattle_events outputs = {
      .struct_size = sizeof outputs, .times = times, .time_count = 5, .time_step = 31.1};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (int given = 0; given < 2; given++) {
      static heard each, calm;
      rattle_summary one = {.struct_size = sizeof one}, many = {.struct_size = sizeof many};
      run a = {0}, b = {0};
      begin(&a, rows[i].model, rows[i].events, rows[i].method, evaluator, rows[i].h);
      begin(&b, rows[i].model, rows[i].events, rows[i].method, evaluator, rows[i].h);
      const int n = rattle_problem_n(a.problem);
      assert_int_equal(go(&a, &each, 1, given ? &outputs : NULL, &one), RATTLE_OK);
      assert_int_equal(go(&b, &calm, 1 << 20, given ? &outputs : NULL, &many), RATTLE_OK);
      if (each.count < rows[i].least) fail_msg("row %zu: %d events", i, each.count);
      assert_int_equal(each.count, calm.count);
      for (int k = 0; k < each.count; k++)
        if (memcmp(&each.one[k], &calm.one[k], sizeof each.one[k]))
          fail_msg("row %zu: event %d is another", i, k);
      assert_memory_equal(a.z, b.z, 2 * (size_t)n * sizeof(double));
      assert_int_equal(a.state.step, b.state.step);
      assert_memory_equal(&one.energy_max_error, &many.energy_max_error, sizeof(double));
      assert_memory_equal(&one.energy_scale, &many.energy_scale, sizeof(double));
      assert_true(one.g_max == many.g_max);
      assert_int_equal(one.ended_by, many.ended_by);
      assert_int_equal(one.counts.steps, many.counts.steps);
      end(&a), end(&b);
    }
}

static void the_same_events(void **state) {
  (void)state;
  if (!native()) skip();
  the_same_events_by(RATTLE_EVALUATOR_NATIVE);
}

static void the_same_events_step_by_step(void **state) {
  (void)state;
  the_same_events_by(RATTLE_EVALUATOR_BLOCK);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_events),
                                     cmocka_unit_test(the_same_events_step_by_step)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
