/* Control laws with samples: a pole on a cart against its linear equations, discretised, and PID
 * controllers of the module mechanics; and methods that project now and then. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "made.h"

static void near(double found, double right, double tolerance) {
  if (!(fabs(found - right) <= tolerance)) fail_msg("%.17g, not %.17g", found, right);
}

static void advance(made *m, long long steps) {
  rattle_error error;
  if (rattle_integrator_step(m->integrator, &m->state, steps, &error))
    fail_msg("%s", error.message);
}

/* ---- a pole on a cart, near rest ---- */

/* z' = A z + B u of X, tilt and their rates, for 1 kg, 0.2 kg, 0.5 m: exp of T ((A, B), (0, 0)) by
 * its series. */
static void discretise(double every, double F[5][5]) {
  const double mass = 0.2, length = 0.5, g = 9.81;
  const double A[5][5] = {{0, 0, 1, 0, 0},
                          {0, 0, 0, 1, 0},
                          {0, -mass * g, 0, 0, 1},
                          {0, (1 + mass) * g / length, 0, 0, -1 / length}};
  double term[5][5] = {{0}}, next[5][5];
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 5; j++) F[i][j] = term[i][j] = i == j;
  for (int k = 1; k < 30; k++) {
    for (int i = 0; i < 5; i++)
      for (int j = 0; j < 5; j++) {
        next[i][j] = 0;
        for (int l = 0; l < 5; l++) next[i][j] += every / k * term[i][l] * A[l][j];
      }
    memcpy(term, next, sizeof term);
    for (int i = 0; i < 25; i++) F[i / 5][i % 5] += term[i / 5][i % 5];
  }
}

#define BALANCED                                                                                   \
  "local X, pX = pair('X')\nlocal x, px = pair('x')\nlocal y, py = pair('y')\n"                    \
  "mass { X = 1, x = 0.2, y = 0.2 }\npotential(9.81*0.2*y)\n"                                      \
  "constrain('pole', (x - X)^2 + y^2 - 0.25)\nlocal tilt = atan2(x - X, y)\n"                      \
  "local rate = (px/0.2 - pX)/0.5\n"                                                               \
  "local c = controller { every = 0.05, outputs = { push = 0 }, sample = function(s)\n"            \
  "  return { push = 8.353*X + 64.39*tilt + 9.828*pX + 13.05*rate } end }\n"                       \
  "force { X = c.push }\nstart { x = 0.5*math.sin(1e-4), y = 0.5*math.cos(1e-4) }\n"               \
  "observe('tilt', tilt)\n"

static void test_pole(void **unused) {
  (void)unused;
  double F[5][5], z[5] = {0, 1e-4}, next[4], observed;
  made m = make(BALANCED, "kahan_li8(rattle(midpoint))", 0.05, 0);
  discretise(0.05, F);
  for (int k = 0; k < 60; k++) {
    z[4] = 8.353 * z[0] + 64.39 * z[1] + 9.828 * z[2] + 13.05 * z[3];
    for (int i = 0; i < 4; i++) {
      next[i] = 0;
      for (int j = 0; j < 5; j++) next[i] += F[i][j] * z[j];
    }
    memcpy(z, next, sizeof next);
    advance(&m, 1);
    assert_int_equal(rattle_problem_observe(m.problem, m.state.q, m.state.p, &observed, NULL), 0);
    near(m.state.q[0], z[0], 1e-11), near(observed, z[1], 1e-11);
  }
  near(z[1], 0, 2e-5); /* it stands */
  unmake(&m);
}

/* ---- PID ---- */

/* A mass pushed by a PID controller with a limit: the same formulas in C, and the exact motion under
 * a constant force. */
static void test_pid(void **unused) {
  (void)unused;
  made m = make("local x, px = pair('x')\nmass { x = 1 }\npotential(0)\n"
                "local u = require('mechanics').pid { error = 1 - x, every = 0.1, kp = 6, ki = 4, "
                "kd = 3, filter = 0.05, limits = {-1.5, 2} }\nforce { x = u }\n",
                "midpoint", 0.1, 0);
  double x = 0, v = 0, sum = 0, slope = 0, old = 0;
  int cut = 0;
  for (int k = 0; k < 100; k++) {
    const double e = 1 - x;
    if (k) slope = (0.05 * slope + e - old) / (0.05 + 0.1);
    old = e;
    const double free = 6 * e + 4 * (sum + 0.1 * e) + 3 * slope;
    const int stays = (free > 2 && e > 0) || (free < -1.5 && e < 0);
    if (!stays) sum += 0.1 * e;
    cut += stays;
    const double u = fmin(fmax(6 * e + 4 * sum + 3 * slope, -1.5), 2);
    advance(&m, 1);
    x += 0.1 * v + 0.005 * u, v += 0.1 * u;
    near(m.state.q[0], x, 1e-13), near(m.state.p[0], v, 1e-13);
  }
  assert_in_range(cut, 1, 90);
  near(x, 1, 0.02);
  unmake(&m);
}

/* Each tenth step ends on the rod, with a sample after each fifth one too. */
static void test_projections_between_samples(void **unused) {
  (void)unused;
  made m = make("local x, px = pair('x')\nlocal y, py = pair('y')\nmass { x = 1, y = 1 }\n"
                "potential(y)\nconstrain('rod', x^2 + y^2 - 1)\nstart { x = 0.6, y = -0.8 }\n"
                "local c = controller { every = 0.5, outputs = { u = 0 },\n"
                "  sample = function(s) return { u = 1 - s.u } end }\npotential(-0.1*c.u*x)\n",
                "project(rk4, every=10)", 0.1, 0);
  for (int k = 0; k < 5; k++) {
    advance(&m, 10);
    near(hypot(m.state.q[0], m.state.q[1]), 1, 1e-15);
  }
  unmake(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_pole), cmocka_unit_test(test_pid),
                                     cmocka_unit_test(test_projections_between_samples)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
