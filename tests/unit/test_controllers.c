/* Controllers with a sample rate: exact discretisations, orders between samples, energies, events,
 * runs that are continued, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "made.h"
#include "rattle/tangent.h"
#include "rattle/trajectory.h"

static void near(double found, double right, double tolerance) {
  if (!(fabs(found - right) <= tolerance)) fail_msg("%.17g, not %.17g", found, right);
}

/* ---- a closed form ---- */

/* x'' = -W^2 x + u/M, with samples of a PD controller and an integral every T. Between samples the
 * motion is a circle about u/(M W^2). */
#define W 1.5
#define M 2.0
#define T 0.1
#define LOOP                                                                                       \
  "local x, px = pair('x')\nmass { x = 2 }\npotential(2*1.5^2*x^2/2)\nstart { x = 1 }\n"           \
  "local c = controller { every = 0.1, outputs = { u = 0 }, states = { sum = 0, n = 0 },\n"        \
  "  sample = function(s)\n"                                                                       \
  "    return { u = -3*x - 1.2*px/2 + 0.5*s.sum, sum = s.sum - 0.1*x, n = s.n + 1 }\n"             \
  "  end }\n"
#define IN_FORCE LOOP "force { x = c.u }\n"
#define IN_POTENTIAL LOOP "potential(-c.u*x)\n"

enum { X, U, N_SAMPLES, SUM }; /* values are in alphabetical order: outputs, then states */

typedef struct exact {
  double x, v, u, sum, work; /* work: in Lua's potential, what samples add to H */
  int n;
} exact;

static void sample(exact *e) {
  const double u = -3 * e->x - 1.2 * e->v + 0.5 * e->sum;
  if (e->n++) e->work += -(u - e->u) * e->x;
  e->u = u;
  e->sum -= 0.1 * e->x;
}

static void go(exact *e, double t) {
  const double c = cos(W * t), s = sin(W * t), middle = e->u / (M * W * W), x = e->x - middle;
  e->x = middle + x * c + e->v / W * s;
  e->v = -x * W * s + e->v * c;
}

static exact after(int samples) {
  exact e = {.x = 1};
  sample(&e);
  for (int k = 0; k < samples; k++) go(&e, T), sample(&e);
  return e;
}

static void advance(made *m, long long steps) {
  rattle_error error;
  if (rattle_integrator_step(m->integrator, &m->state, steps, &error))
    fail_msg("%s", error.message);
}

static void test_closed_form(void **unused) {
  (void)unused;
  static const char *const text[] = {IN_FORCE, IN_POTENTIAL};
  for (int k = 0; k < 2; k++) {
    made m = make(text[k], "gauss(4)", 0.02, 0);
    for (int i = 1; i <= 60; i++) {
      advance(&m, 5);
      const exact e = after(i);
      near(m.state.q[X], e.x, 1e-14), near(m.state.p[X], M * e.v, 1e-14);
      near(m.state.q[U], e.u, 1e-13), near(m.state.q[SUM], e.sum, 1e-14);
      near(m.state.q[N_SAMPLES], i + 1, 0);
      near(m.state.p[U], 0, 0);
      double H = 0;
      assert_int_equal(rattle_problem_energy(m.problem, m.state.q, m.state.p, &H, NULL), 0);
      const double work = rattle_integrator_work(m.integrator, &m.state),
                   first = k ? 2.25 + 3 : 2.25;
      near(H - work, first, 1e-13);
      if (k) near(work, e.work, 1e-13);
    }
    unmake(&m);
  }
}

/* The energies of steps that a map makes by itself are those of the balance too. */
static void test_balance_of_many_steps(void **unused) {
  (void)unused;
  made m = make("local x, px = pair('x')\nlocal y, py = pair('y')\nmass { x = 1, y = 1 }\n"
                "potential(-y)\nconstrain('rod', x^2 + y^2 - 1)\nstart { x = 0.6, y = 0.8 }\n"
                "local c = controller { every = 0.1, outputs = { u = 0 },\n"
                "  sample = function(s) return { u = -2*x - px } end }\npotential(-c.u*x)\n",
                "rattle(verlet)", 0.005, 0);
  rattle_error error;
  const rattle_problem_options compiled = {.struct_size = sizeof compiled,
                                           .evaluator = RATTLE_EVALUATOR_NATIVE};
  rattle_integrator_destroy(&m.integrator);
  rattle_problem_destroy(&m.problem);
  if (rattle_problem_create(&m.problem, m.model, &compiled, &error) ||
      rattle_integrator_create(&m.integrator, m.problem, "rattle(verlet)", &error))
    fail_msg("%s", error.message);
  rattle_summary summary = {.struct_size = sizeof summary};
  const rattle_run_options how = {
      .struct_size = sizeof how, .steps = 600, .every = 600, .initial_energy = (double)NAN};
  if (rattle_run(m.integrator, &m.state, &how, NULL, 0, &summary, &error))
    fail_msg("%s", error.message);
  assert_true(fabs(summary.work) > 0.1);
  near(summary.energy_max_error, 0, 1e-4);
  unmake(&m);
}

/* ---- orders ---- */

/* The error at the 20th sample. */
static double error_of(const char *text, const char *method, int parts) {
  made m = make(text, method, T / parts, 0);
  advance(&m, 20 * parts);
  const exact e = after(20);
  const double error = fabs(m.state.q[X] - e.x) + fabs(m.state.p[X] / M - e.v);
  unmake(&m);
  return error;
}

static void test_orders(void **unused) {
  (void)unused;
  static const struct {
    const char *text, *method;
    int parts, order;
  } of[] = {{IN_FORCE, "midpoint", 8, 2},
            {IN_FORCE, "rk4", 4, 4},
            {IN_FORCE, "suzuki4(midpoint)", 4, 4},
            {IN_POTENTIAL, "verlet", 8, 2},
            {IN_POTENTIAL, "mclachlan4(verlet)", 8, 4}, /* the last three keep past steps */
            {IN_FORCE, "adams_moulton(2)", 16, 3},
            {IN_FORCE, "adams_bashforth(3)", 64, 3},
            {IN_POTENTIAL, "multistep4", 32, 4}};
  for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
    const double rough = error_of(of[k].text, of[k].method, of[k].parts),
                 fine = error_of(of[k].text, of[k].method, 2 * of[k].parts),
                 order = log2(rough / fine);
    if (!(fabs(order - of[k].order) < 0.25))
      fail_msg("%s: order %.3f, errors %g and %g", of[k].method, order, rough, fine);
  }
}

/* u = -3 x - 2.4 v + ... sampled more and more often is the continuous controller, at first order in
 * the time between samples. */
static double sampled_pd(double every) {
  char text[400];
  snprintf(text, sizeof text,
           "local x, px = pair('x')\nmass { x = 1 }\npotential(0)\nstart { x = 1 }\n"
           "local c = controller { every = %.17g, outputs = { u = 0 },\n"
           "  sample = function(s) return { u = -4*x - 2*px } end }\nforce { x = c.u }\n",
           every);
  made m = make(text, "gauss(3)", every, 0);
  advance(&m, llround(2 / every));
  const double x = m.state.q[0];
  unmake(&m);
  return x;
}

static void test_continuous_limit(void **unused) {
  (void)unused;
  const double r = sqrt(3), right = exp(-2.0) * (cos(2 * r) + sin(2 * r) / r);
  const double rough = sampled_pd(1.0 / 128) - right, fine = sampled_pd(1.0 / 256) - right;
  near(rough / fine, 2, 0.05);
  near(fine, 0, 0.02);
}

/* ---- the same bits ---- */

#define POLE                                                                                       \
  "local X, pX = pair('X')\nlocal x, px = pair('x')\nlocal y, py = pair('y')\n"                    \
  "mass { X = 1, x = 0.5, y = 0.5 }\npotential(0.5*y)\nconstrain('pole', (x - X)^2 + y^2 - 1)\n"   \
  "start { x = 0.3, y = 1, project = true }\n"                                                     \
  "local fast = controller { every = 0.125, outputs = { push = 0 },\n"                             \
  "  sample = function(s) return { push = 6*(x - X) + 4*(px/0.5 - pX) + 0.5*X + 1.2*pX } end }\n"  \
  "local slow = controller { every = 0.25, start = 0.125, name = 'slow', outputs = { f = 0 },\n"   \
  "  states = { old = 0 }, sample = function(s)\n"                                                 \
  "    return { f = 0.1*(lambda('pole') - s.old), old = lambda('pole') } end }\n"                  \
  "force { X = fast.push, x = slow.f }\n"

/* A run of steps one by one, by new integrators that get the declared memory, has the bits of one
 * run. */
static void test_bits(void **unused) {
  (void)unused;
  static const struct {
    const char *text, *method;
    double h;
  } of[] = {{POLE, "rattle(verlet)", 0.03125},
            {POLE, "rattle(midpoint)", 0.0625},
            {POLE, "suzuki4(rattle(midpoint))", 0.125},
            {IN_POTENTIAL, "multistep4", 0.025},
            {IN_FORCE, "adams_moulton(3)", 0.025}};
  for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
    made m = make(of[k].text, of[k].method, of[k].h, 1),
         one = make(of[k].text, of[k].method, of[k].h, 1);
    const int extra = rattle_integrator_extra(m.integrator);
    double memory[200];
    assert_in_range(extra, 2, 200);
    advance(&m, 100);
    for (int i = 0; i < 100; i++) {
      if (i) {
        rattle_error error;
        rattle_integrator_get_extra(one.integrator, memory);
        rattle_integrator_destroy(&one.integrator);
        assert_int_equal(
            rattle_integrator_create(&one.integrator, one.problem, of[k].method, &error), 0);
        rattle_integrator_set_extra(one.integrator, memory);
      }
      advance(&one, 1);
    }
    if (memcmp(m.state.q, one.state.q, 2 * (size_t)m.n * sizeof *m.state.q) != 0)
      fail_msg("%s: other bits", of[k].method);
    near(rattle_integrator_work(m.integrator, &m.state),
         rattle_integrator_work(one.integrator, &one.state), 0);
    assert_true(m.state.q[3] != 0);
    unmake(&m), unmake(&one);
  }
}

/* ---- events ---- */

/* p' = u with u = 1, -1, 1 ... over intervals of 1, each one step: (p - 1/2)^2 = 1/100 twice in each,
 * and u jumps over 1/2 at their ends. */
#define SAW                                                                                        \
  "local x, px = pair('x')\nmass { x = 1 }\npotential(0)\n"                                        \
  "local c = controller { every = 1, outputs = { u = -1 }, sample = function(s) return { u = "     \
  "-s.u }"                                                                                         \
  " end }\nforce { x = c.u }\nevent('twice', (px - 0.5)^2 - 0.01)\n"                               \
  "event('jump', c.u - 0.5, { direction = -1 })\nevent('up', c.u - 0.5, { direction = 1 })\n"

/* Four steps of 1 with samples at the end: how often the first event happens, and when. */
static rattle_trajectory *find_events(made *m, int every, const double *times, int count) {
  rattle_error error;
  rattle_trajectory *trajectory;
  assert_int_equal(rattle_trajectory_create(&trajectory, m->problem, &error), 0);
  rattle_observer *observer = rattle_trajectory_observer(trajectory);
  const rattle_run_options how = {
      .struct_size = sizeof how, .steps = 4, .every = every, .initial_energy = (double)NAN};
  if (rattle_run(m->integrator, &m->state, &how, &observer, 1, NULL, &error))
    fail_msg("%s", error.message);
  const rattle_samples *at = rattle_trajectory_event(trajectory, 0);
  assert_non_null(at);
  assert_int_equal(at->count, count);
  for (int k = 0; k < count; k++) near(at->time[k], times[k], 1e-14);
  return trajectory;
}

static void test_events(void **unused) {
  (void)unused;
  made m = make(SAW, "midpoint", 1, 0);
  rattle_trajectory *trajectory =
      find_events(&m, 1, (double[]){0.4, 0.6, 1.4, 1.6, 2.4, 2.6, 3.4, 3.6}, 8);
  const rattle_samples *at = rattle_trajectory_event(trajectory, 1);
  assert_int_equal(at->count, 2);
  near(at->time[0], 1, 0), near(at->time[1], 3, 0);
  at = rattle_trajectory_event(trajectory, 2);
  assert_int_equal(at->count, 2);
  near(at->time[0], 2, 0), near(at->time[1], 4, 0);
  for (int k = 0; k < 2; k++) near(at->q[k * m.n + 1], 1, 0), near(at->p[k * m.n], 0, 1e-15);
  const rattle_samples *all = rattle_trajectory_samples(trajectory);
  for (int k = 0; k <= 4; k++) near(all->q[k * m.n + 1], k % 2 ? -1 : 1, 0);
  rattle_trajectory_destroy(&trajectory);
  unmake(&m);
}

/* Steps that are made many at a time where no event is near: with the slope after the sample at the
 * end of a step, none would seem to be. */
static void test_calm_steps(void **unused) {
  (void)unused;
  made m =
      make("local x, px = pair('x')\nmass { x = 1 }\nlocal c = controller { every = 1, outputs = "
           "{ u = -1 }, sample = function(s) return { u = -s.u } end }\npotential(-c.u*x)\n"
           "event('twice', (px - 0.5)^2 - 0.01)\n",
           "verlet", 1, 0);
  rattle_trajectory *trajectory =
      find_events(&m, 4, (double[]){0.4, 0.6, 1.4, 1.6, 2.4, 2.6, 3.4, 3.6}, 8);
  rattle_trajectory_destroy(&trajectory);
  unmake(&m);
}

/* Between samples zeros are those of the closed form. */
static void test_event_between_samples(void **unused) {
  (void)unused;
  made m = make(IN_FORCE "event('still', px)\n", "gauss(4)", 0.05, 0);
  rattle_error error;
  rattle_trajectory *trajectory;
  assert_int_equal(rattle_trajectory_create(&trajectory, m.problem, &error), 0);
  rattle_observer *observer = rattle_trajectory_observer(trajectory);
  const rattle_run_options how = {
      .struct_size = sizeof how, .steps = 60, .every = 60, .initial_energy = (double)NAN};
  if (rattle_run(m.integrator, &m.state, &how, &observer, 1, NULL, &error))
    fail_msg("%s", error.message);
  const rattle_samples *at = rattle_trajectory_event(trajectory, 0);
  assert_non_null(at);
  assert_int_equal(at->count, 1);
  exact e = after((int)floor(at->time[0] / T));
  go(&e, at->time[0] - floor(at->time[0] / T) * T);
  near(e.v, 0, 1e-14), near(e.x, at->q[0], 1e-14);
  rattle_trajectory_destroy(&trajectory);
  unmake(&m);
}

/* ---- refusals ---- */

static void refuses(rattle_status found, const rattle_error *error, rattle_status expected,
                    const char *part) {
  if (found != expected || !strstr(error->message, part))
    fail_msg("status %d: %s, without: %s", (int)found, error->message, part);
}

static void test_steps_that_do_not_fit(void **unused) {
  (void)unused;
  rattle_error error;
  made m = make(IN_FORCE, "midpoint", 0.03, 0);
  refuses(rattle_integrator_step(m.integrator, &m.state, 1, &error), &error, RATTLE_BAD_ARGUMENT,
          "give the step 0.025");
  near(m.state.q[U], 0, 0);
  m.state.h = -0.025;
  refuses(rattle_integrator_step(m.integrator, &m.state, 1, &error), &error, RATTLE_BAD_ARGUMENT,
          "no way back");
  m.state.h = 0.025, m.state.t0 = 0.01;
  refuses(rattle_integrator_step(m.integrator, &m.state, 1, &error), &error, RATTLE_BAD_ARGUMENT,
          "give the step 0.01");
  unmake(&m);
  m = make(POLE, "rattle(midpoint)", 0.1, 1); /* two controllers, one that begins later */
  refuses(rattle_integrator_step(m.integrator, &m.state, 1, &error), &error, RATTLE_BAD_ARGUMENT,
          "give the step 0.0625");
  unmake(&m);
}

static void test_methods(void **unused) {
  (void)unused;
  static const struct {
    const char *method, *part;
  } of[] = {{"adaptive(rattle(midpoint))", "fixed step"},
            {"shake_two_step", "other variables"},
            {"adaptive(rattle(verlet))", "fixed step"}};
  made m = make("local x, px = pair('x')\nlocal y, py = pair('y')\nmass { x = 1, y = 1 }\n"
                "potential(-y)\nconstrain('rod', x^2 + y^2 - 1)\nstart { x = 0.6, y = 0.8 }\n"
                "local c = controller { every = 0.1, outputs = { u = 0 },\n"
                "  sample = function(s) return { u = -2*x - px } end }\npotential(-c.u*x)\n",
                "rattle(verlet)", 0.025, 0);
  for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
    rattle_integrator *other;
    rattle_error error;
    refuses(rattle_integrator_create(&other, m.problem, of[k].method, &error), &error,
            RATTLE_UNSUITABLE, of[k].part);
    assert_null(other);
  }
  const rattle_claims claims = rattle_integrator_claims(m.integrator);
  assert_false(claims.symplectic || claims.symmetric || claims.pure);
  unmake(&m);
}

static void test_texts(void **unused) {
  (void)unused;
  static const struct {
    const char *text, *part;
  } of[] = {
      {LOOP "constrain('rope', x - c.u)\n", "\"rope\" depends on \"u\""},
      {LOOP "velocity_constrain('belt', velocity(x) - c.u)\n", "\"belt\" depends on \"u\""},
      {"local x, px = pair('x')\nhamiltonian(px^2)\ncontroller { every = 0, outputs = { u = 0 } "
       "}\n",
       "above 0"},
      {"local x, px = pair('x')\nhamiltonian(px^2)\ncontroller { evry = 0, outputs = { u = 0 } }\n",
       "did you mean \"every\""},
      {"local x, px = pair('x')\nhamiltonian(px^2)\ncontroller { every = 1, outputs = { u = 0 }, "
       "sample = function(s) return { v = 1 } end }\n",
       "no value of this controller"},
      {"local x, px = pair('x')\nhamiltonian(px^2)\ncontroller { every = 1, outputs = { u = 0, v = "
       "0 "
       "}, sample = function(s) return { v = 1 } end }\n",
       "does not return \"u\""},
      {"local x, px = pair('x')\nhamiltonian(px^2)\ncontroller { every = 1, outputs = { x = 0 } "
       "}\n",
       "\"x\" is taken"},
      {"local x, px = pair('x')\nhamiltonian(px^2)\ncontroller { every = 1 }\n", "no values"},
      {"local x, px = pair('x')\nhamiltonian(px^2)\ncontroller { every = 1, states = { u = 0 }, "
       "outputs = { u = 0 } }\n",
       "an output and a state"},
      /* a sample that takes away the only names, and makes texts until they are collected */
      {"local x, px = pair('x')\nhamiltonian(px^2)\nlocal name = 'value' .. 1\n"
       "local of = { [name] = 0 }\nname = nil\ncontroller { every = 1, outputs = of,\n"
       "sample = function(s) s = nil of['value' .. 1] = nil\n"
       "for i = 1, 100000 do local text = 'a' .. i end return { value2 = 1 } end }\n",
       "did you mean \"value1\"?"},
  };
  for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
    rattle_model *model = NULL;
    rattle_problem *problem = NULL;
    rattle_error error = {0};
    rattle_status status = rattle_model_parse(&model, of[k].text, "m.lua", NULL, &error);
    if (!status) status = rattle_problem_create(&problem, model, NULL, &error);
    if (!status || !strstr(error.message, of[k].part))
      fail_msg("%s\n%s, without: %s", of[k].text, error.message, of[k].part);
    rattle_problem_destroy(&problem);
    rattle_model_destroy(&model);
  }
}

/* A sample that is not finite: the run ends at its time, before the sample. */
static void test_not_finite(void **unused) {
  (void)unused;
  rattle_error error;
  made m = make("local x, px = pair('x')\nmass { x = 1 }\npotential(0)\nstart { x = 1, px = -1 }\n"
                "local c = controller { every = 0.5, outputs = { u = 0 }, sample = function(s) "
                "return { u = log(x + 0.5) } end }\nforce { x = 0*c.u + 0*px }\n",
                "midpoint", 0.25, 0);
  const rattle_status status = rattle_integrator_step(m.integrator, &m.state, 100, &error);
  refuses(status, &error, RATTLE_DOMAIN, "the sample of \"u\" at time 1.5");
  near((double)m.state.step, 6, 0), near(m.state.q[0], -0.5, 1e-15),
      near(m.state.q[1], log(0.5), 1e-14);
  unmake(&m);
}

/* ---- samples of the caller ---- */

static int calls;
static int proportional(void *self, int controller, double time, const double *q, const double *p,
                        const double *observed, double *values) {
  calls++;
  near(time, 0.1 * *(int *)self, 1e-14), near(observed[0], q[X] + p[X], 0);
  ++*(int *)self;
  values[0] = -3 * q[X] - 1.2 * p[X] / 2 + 0.5 * values[1];
  values[1] -= 0.1 * q[X];
  return controller;
}

static void test_callback(void **unused) {
  (void)unused;
  int count = 0;
  rattle_error error;
  made m =
      make("local x, px = pair('x')\nmass { x = 2 }\npotential(2*1.5^2*x^2/2)\nstart { x = 1 }\n"
           "local c = controller { every = 0.1, outputs = { u = 0 }, states = { sum = 0 } }\n"
           "force { x = c.u }\nobserve('both', x + px)\n",
           "gauss(4)", 0.05, 0);
  refuses(rattle_integrator_step(m.integrator, &m.state, 1, &error), &error, RATTLE_BAD_ARGUMENT,
          "leaves the samples of \"u\"");
  const rattle_control control = {
      .struct_size = sizeof control, .sample = proportional, .self = &count};
  assert_int_equal(rattle_integrator_set_control(m.integrator, &control, &error), 0);
  advance(&m, 60);
  const exact e = after(30);
  near(m.state.q[X], e.x, 1e-13), near(m.state.q[1], e.u, 1e-13), near(m.state.q[2], e.sum, 1e-13);
  assert_int_equal(calls, 31);
  unmake(&m);
  m = make(IN_FORCE, "midpoint", 0.05, 0);
  refuses(rattle_integrator_set_control(m.integrator, &control, &error), &error,
          RATTLE_BAD_ARGUMENT, "leaves no samples");
  rattle_tangent *tangent;
  refuses(rattle_tangent_create(&tangent, m.problem, "midpoint", &error), &error, RATTLE_UNSUITABLE,
          "not offered for models with a controller");
  unmake(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_closed_form),
      cmocka_unit_test(test_balance_of_many_steps),
      cmocka_unit_test(test_orders),
      cmocka_unit_test(test_continuous_limit),
      cmocka_unit_test(test_bits),
      cmocka_unit_test(test_events),
      cmocka_unit_test(test_calm_steps),
      cmocka_unit_test(test_event_between_samples),
      cmocka_unit_test(test_steps_that_do_not_fit),
      cmocka_unit_test(test_methods),
      cmocka_unit_test(test_texts),
      cmocka_unit_test(test_callback),
      cmocka_unit_test(test_not_finite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
