/* Equilibria and small motions under constraints on velocities, against closed forms. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "rattle/rattle.h"

typedef struct found {
  rattle_model *model;
  rattle_problem *problem;
  rattle_equilibrium *at;
  const rattle_equilibrium_result *is;
  rattle_error error;
} found;

static rattle_status try_rest(found *f, const char *text, int nearest) {
  const rattle_problem_options interpreted = {.struct_size = sizeof interpreted,
                                              .evaluator = RATTLE_EVALUATOR_BLOCK};
  const rattle_equilibrium_options how = {.struct_size = sizeof how, .nearest = nearest};
  *f = (found){.model = NULL};
  if (rattle_model_parse(&f->model, text, "m.lua", NULL, &f->error) ||
      rattle_problem_create(&f->problem, f->model, &interpreted, &f->error))
    fail_msg("%s", f->error.message);
  const rattle_status status = rattle_equilibrium_create(&f->at, f->problem, NULL, &how, &f->error);
  if (!status) f->is = rattle_equilibrium_result_of(f->at);
  return status;
}

static found rest(const char *text, int nearest) {
  found f;
  if (try_rest(&f, text, nearest)) fail_msg("%s", f.error.message);
  return f;
}

static void drop(found *f) {
  rattle_equilibrium_destroy(&f->at);
  rattle_problem_destroy(&f->problem);
  rattle_model_destroy(&f->model);
}

static void is(const char *what, double value, double right) {
  if (!(fabs(value - right) <= 1e-10 * fmax(1, fabs(right))))
    fail_msg("%s is %.17g, not %.17g", what, value, right);
}

/* ---- a skate on a slope ---- */

/* Held by a spring at a point of its blade, l ahead of its centre. With e along the blade, n across
 * it, and the angle a of e to the slope: the spring lies along the blade, m g cos a/k long, and the
 * blade holds m g sin a. Along s = e . c and a, K = (k/m, m g sin a/sqrt(m J); 0, (k l^2 - l m g cos
 * a)/J): the reaction turns with the skate. */
#define SKATE(l, more)                                                                             \
  "local x, px = pair('x')\nlocal y, py = pair('y')\nlocal a, pa = pair('a')\nmass { x = 1.5, y "  \
  "= 1.5, a = 0.4 }\nlocal l, c, s = " l ", cos(a), sin(a)\npotential(-1.5*9.81*x + 50*((x + "     \
  "l*c)^2 + (y + l*s)^2))\nvelocity_constrain('blade', velocity(y)*c - velocity(x)*s)\nstart { x " \
  "= 0.5*math.cos(0.3), y = 0.5*math.sin(0.3), a = 0.3 }\n" more

static const double weight = 1.5 * 9.81, stiff = 100, inertia = 0.4;

/* Where it ends: the heading is what the way there makes of it. */
static double check_skate(const found *f, double l) {
  const double a = f->is->q[2], length = weight * cos(a) / stiff - l;
  assert_int_equal(f->is->degrees, 2);
  assert_int_equal(f->is->places, 1);
  assert_int_equal(f->is->m, 1);
  is("x", f->is->q[0], length * cos(a));
  is("y", f->is->q[1], length * sin(a));
  is("blade", f->is->multipliers[0], -weight * sin(a));
  return a;
}

static void test_skate(void **unused) {
  (void)unused;
  found f = rest(SKATE("-0.4", ""), 0);
  const double a = check_skate(&f, -0.4),
               turn = sqrt((stiff * 0.16 + 0.4 * weight * cos(a)) / inertia);
  assert_true(fabs(a - 0.3) < 0.1);
  assert_int_equal(f.is->modes, 2);
  is("slow", f.is->imaginary[0], fmin(sqrt(stiff / 1.5), turn));
  is("fast", f.is->imaginary[1], fmax(sqrt(stiff / 1.5), turn));
  assert_true(fabs(f.is->real[0]) < 1e-10 && fabs(f.is->real[1]) < 1e-10);
  assert_int_equal(f.is->stable, -1);
  /* K has the invariants of that matrix, and is not symmetric, whatever the basis */
  const double *K = f.is->stiffness, skew = K[1] - K[2];
  is("trace", K[0] + K[3], stiff / 1.5 + turn * turn);
  is("skew", fabs(skew), weight * sin(a) / sqrt(1.5 * inertia));
  drop(&f);
}

/* Pushed at its nose it turns round: the rate grows. */
static void test_nose(void **unused) {
  (void)unused;
  found f = rest(SKATE("0.04", ""), 1);
  const double a = check_skate(&f, 0.04),
               square = (stiff * 0.0016 - 0.04 * weight * cos(a)) / inertia;
  assert_true(square < 0);
  assert_int_equal(f.is->stable, 0);
  double grows = 0;
  for (int i = 0; i < f.is->modes; i++) grows = fmax(grows, f.is->real[i]);
  is("rate", grows, sqrt(-square));
  drop(&f);
}

/* Friction: mu^2 + c mu + kappa = 0 each, and it comes to rest. */
static void test_friction(void **unused) {
  (void)unused;
  found f = rest(SKATE("-0.4", "force { x = -0.3*px, y = -0.3*py, a = -0.3*pa }\n"), 0);
  check_skate(&f, -0.4);
  for (int i = 0; i < f.is->modes; i++) is("decay", f.is->real[i], -0.15);
  assert_int_equal(f.is->modes, 2);
  assert_int_equal(f.is->stable, 1);
  drop(&f);
}

/* ---- wheels ---- */

/* A cart on two wheels of inertia J, r in radius, held by a spring up the slope; the wheels turn as
 * it goes: k/(m + 2 J/r^2). Its heading is free. */
static void test_cart(void **unused) {
  (void)unused;
  found f = rest(
      "local x, px = pair('x')\nlocal y, py = pair('y')\nlocal a, pa = pair('a')\nlocal f, pf = "
      "pair('left')\nlocal h, ph = pair('right')\nmass { x = 3, y = 3, a = 0.2, left = 0.05, right "
      "= 0.05 }\npotential(-3*9.81*0.2*x + 40*x^2 + 40*y^2 + 6*a^2)\nlocal c, s = cos(a), sin(a)\n"
      "velocity_constrain('across', velocity(y)*c - velocity(x)*s)\nlocal v = velocity(x)*c + "
      "velocity(y)*s\nvelocity_constrain('roll left', v - 0.3*velocity(a) - 0.1*velocity(f))\n"
      "velocity_constrain('roll right', v + 0.3*velocity(a) - 0.1*velocity(h))\n",
      0);
  assert_int_equal(f.is->degrees, 2);
  assert_int_equal(f.is->places, 3);
  is("x", f.is->q[0], 3 * 9.81 * 0.2 / 80);
  is("slow", f.is->imaginary[0], sqrt(80 / (3 + 2 * 0.05 / 0.01)));
  is("turning", f.is->imaginary[1], sqrt(12 / (0.2 + 2 * 0.05 * 9)));
  /* the wheels may stand anywhere, so that the energy alone has no minimum of its own */
  assert_int_equal(f.is->stable, -1);
  drop(&f);
}

#define DISC(lean)                                                                                 \
  "local mech = require 'mechanics'\nmech.gravity(0, 0, -9.81)\nlocal lean = " lean                \
  "\nlocal disc = mech.body { name = 'disc', mass = 2, inertia = {0.125, 0.125, 0.25}, at = {0, "  \
  "0, 0.5*math.cos(lean)}, axis = {1, 0, 0}, angle = math.pi/2 + lean }\nmech.rolls('floor', "     \
  "disc:at(0, 0, 0):along(0, 0, 1), mech.ground:at(0, 0, 0):along(0, 0, 1), { radius = 0.5, form " \
  "= 'disc' })\n"

/* A thin disc on its edge falls over about the point of contact: (5/4) r x'' = g x. It may stand at
 * any place of the plane, and turn and roll there. */
static void test_disc(void **unused) {
  (void)unused;
  found f = rest(DISC("0"), 1);
  assert_int_equal(f.is->degrees, 3);
  assert_int_equal(f.is->places, 2);
  assert_int_equal(f.is->stable, 0);
  int zeros = 0;
  double grows = 0;
  for (int i = 0; i < f.is->modes; i++) {
    zeros += f.is->real[i] == 0 && f.is->imaginary[i] == 0;
    grows = fmax(grows, f.is->real[i]);
  }
  assert_int_equal(zeros, 2);
  is("rate", grows, sqrt(4 * 9.81 / (5 * 0.5)));
  drop(&f);
}

/* A bead on a wire whose tangent is kept as a constraint on velocities: at the bottom the energy is
 * least beside all its places as well. A row that follows from others changes nothing. */
static void test_least(void **unused) {
  (void)unused;
  found f = rest("local x, px = pair('x')\nlocal y, py = pair('y')\nmass { x = 1, y = 1 }\n"
                 "potential(2*x^2 + 3*y^2)\nvelocity_constrain('wire', velocity(y) - "
                 "2*velocity(x))\nstart { x = 1, y = 2 }\n",
                 0);
  assert_int_equal(f.is->stable, 1);
  assert_int_equal(f.is->places, 1);
  is("x", f.is->q[0], 0);
  is("rate", f.is->imaginary[0], sqrt((4 + 4 * 6) / 5.0));
  drop(&f);
}

static void test_refusals(void **unused) {
  found f;
  (void)unused;
  assert_int_equal(try_rest(&f,
                            "local x, px = pair('x')\nlocal y, py = pair('y')\nmass { x = 1, y = 1 "
                            "}\npotential(x^2 + y^2)\nvelocity_constrain('belt', velocity(y) - "
                            "2)\nvelocity { y = 2 }\n",
                            0),
                   RATTLE_UNSUITABLE);
  assert_non_null(strstr(f.error.message, "'belt' drives the mechanism"));
  drop(&f);
  /* a disc that leans falls until it lies flat, where it touches the plane everywhere */
  assert_int_not_equal(try_rest(&f, DISC("0.3"), 0), RATTLE_OK);
  assert_non_null(strstr(f.error.message, "no equilibrium was found"));
  drop(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_skate),    cmocka_unit_test(test_nose),
                                     cmocka_unit_test(test_friction), cmocka_unit_test(test_cart),
                                     cmocka_unit_test(test_disc),     cmocka_unit_test(test_least),
                                     cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
