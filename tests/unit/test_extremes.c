/* Least and largest values and means of what is observed, of a run and of the cases of an ensemble,
 * against closed forms. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "made.h"
#include "rattle/ensemble.h"

enum { MOST = 4 };
static const double pi = 3.14159265358979323846;

/* One run, and where it stops. */
static double run(const char *text, const char *method, double step, long long steps,
                  long long every, rattle_extreme extremes[MOST]) {
  made m = make(text, method, step, 1);
  rattle_error error;
  rattle_summary summary = {.struct_size = sizeof summary};
  const rattle_run_options how = {.struct_size = sizeof how,
                                  .steps = steps,
                                  .every = every,
                                  .initial_energy = (double)NAN,
                                  .extremes = extremes};
  assert_in_range(rattle_model_observables(m.model), 1, MOST);
  if (rattle_run(m.integrator, &m.state, &how, NULL, 0, &summary, &error))
    fail_msg("%s", error.message);
  unmake(&m);
  return summary.stop;
}

static void near(double found, double right, double tolerance) {
  if (!(fabs(found - right) <= tolerance)) fail_msg("%.17g, not %.17g", found, right);
}

/* x = cos t over three quarters of a turn: least -1 at pi, mean of x -1/(3 pi/2), of x^2 1/2. */
#define OSCILLATOR                                                                                 \
  "local x, px = pair('x')\nhamiltonian((px^2 + x^2)/2)\nstart { x = 1 }\n"                        \
  "observe('place', x)\nobserve('square', x^2)\n"

static void test_oscillator(void **unused) {
  (void)unused;
  rattle_extreme of[MOST];
  const long long steps = 3000; /* samples do not matter to them */
  run(OSCILLATOR, "kahan_li8(verlet)", 1.5 * pi / 3000, steps, steps, of);
  const rattle_extreme *x = &of[0], *square = &of[1];
  near(x->least, -1, 1e-12), near(x->least_time, pi, 1e-12);
  near(x->peak, 1, 0), near(x->peak_time, 0, 0);
  near(x->mean, -1 / (1.5 * pi), 1e-6);
  near(square->mean, 0.5, 1e-6), near(square->least, 0, 1e-12);
}

/* The run ends at x = 0 within a step: that point counts, and the whole step beyond it does not. */
static void test_end_in_a_step(void **unused) {
  (void)unused;
  rattle_extreme of[MOST];
  near(run(OSCILLATOR "stop { when = x }\n", "kahan_li8(verlet)", 0.1, 1000, 1, of), pi / 2, 1e-12);
  near(of[0].least, 0, 1e-14), near(of[0].least_time, pi / 2, 1e-12);
  near(of[0].mean, 2 / pi, 1e-3);
}

/* A value that is no number once leaves no extremes, and those of others stay. */
static void test_no_number(void **unused) {
  (void)unused;
  rattle_extreme of[MOST];
  run(OSCILLATOR "observe('root', sqrt(x))\n", "kahan_li8(verlet)", 0.1, 20, 1, of);
  assert_true(isnan(of[2].least) && isnan(of[2].peak) && isnan(of[2].mean));
  assert_true(isnan(of[2].least_time) && isnan(of[2].peak_time));
  near(of[0].peak, 1, 0);
  run(OSCILLATOR, "kahan_li8(verlet)", 0.1, 0, 1, of); /* without steps */
  near(of[0].mean, 1, 0), near(of[0].least, 1, 0);
}

/* A crank of radius r turns with w, its rod of length l and mass m drives a piston of mass M. At the
 * dead centre the pin of the crank takes M (r w^2 (1 + r/l)) + m (r w^2 (1 + r/(2 l))): the peak
 * over a turn. */
static const char crank[] =
    "local mech = require 'mechanics'\nlocal r, l, w = parameter('r', 0.05), 0.2, 100\n"
    "local crank = mech.planar { name = 'crank', mass = 1, inertia = 0.001, at = {0, 0}, spin = w "
    "}\n"
    "local rod = mech.planar { name = 'rod', shape = mech.rod { mass = 0.5, length = l }, at = {r "
    "+ "
    "l/2, 0} }\nlocal piston = mech.planar { name = 'piston', mass = 0.8, inertia = 0.01, at = {r "
    "+ "
    "l, 0} }\nmech.revolute('bearing', crank:at(0, 0), mech.ground:at(0, 0))\n"
    "local pin = mech.revolute('pin', rod:at(-l/2, 0), crank:at(r, 0))\n"
    "mech.revolute('wrist', rod:at(l/2, 0), piston:at(0, 0))\nlocal guide = "
    "mech.prismatic('guide', "
    "piston:at(0, 0), mech.ground:at(0, 0):along(1, 0))\nlocal motor = mech.motor('motor', crank, "
    "mech.ground, { speed = w })\nobserve('force', mech.norm(pin:force()))\n"
    "observe('torque', motor:torque().z)\nstart { project = true }\n";

static double peak_of(double r) {
  const double a = r * 100 * 100, l = 0.2;
  return 0.8 * a * (1 + r / l) + 0.5 * a * (1 + r / (2 * l));
}

static void test_crank(void **unused) {
  (void)unused;
  rattle_extreme of[MOST];
  run(crank, "rattle(verlet)", 2 * pi / 100 / 500, 500, 500, of);
  near(of[0].peak, peak_of(0.05), 1e-9);
  near(of[0].peak_time, 0, 0);
  /* the motor takes back what it gives: the mean torque over a turn is 0 */
  assert_true(of[1].peak > 10);
  near(of[1].mean, 0, 1e-2);
}

/* ---- ensembles ---- */

static rattle_status describe(void *self, rattle_case *c, rattle_error *error) {
  (void)error;
  rattle_parameter *parameter = self;
  *parameter = (rattle_parameter){"r", 0.02 + 0.01 * (double)c->number};
  c->parameter = parameter, c->parameters = 1;
  return RATTLE_OK;
}

static int checked;
static rattle_status hear(void *self, const rattle_outcome *o, rattle_error *error) {
  (void)self, (void)error;
  if (o->status) fail_msg("%s", o->error->message);
  assert_non_null(o->extremes);
  near(o->extremes[0].peak, peak_of(0.02 + 0.01 * (double)o->of->number), 1e-9);
  checked++;
  return RATTLE_OK;
}

static void test_ensemble(void **unused) {
  (void)unused;
  made m = make(crank, "rattle(verlet)", 1e-4, 1);
  rattle_error error;
  rattle_parameter parameter;
  const rattle_ensemble_options how = {.struct_size = sizeof how,
                                       .cases = 4,
                                       .threads = 1,
                                       .keep = RATTLE_KEEP_EXTREMES,
                                       .method = "rattle(verlet)",
                                       .step = 1e-4,
                                       .steps = 100,
                                       .project = 1,
                                       .parse = rattle_model_parse,
                                       .evaluator = RATTLE_EVALUATOR_BLOCK,
                                       .describe = describe,
                                       .end = hear,
                                       .self = &parameter};
  if (rattle_ensemble(m.problem, &how, NULL, &error)) fail_msg("%s", error.message);
  assert_int_equal(checked, 4);
  unmake(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_oscillator), cmocka_unit_test(test_end_in_a_step),
      cmocka_unit_test(test_no_number),  cmocka_unit_test(test_crank),
      cmocka_unit_test(test_ensemble),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
