/* What rolls in mechanics, against closed forms and the literature: a wheel in a shell that turns, a
 * ball in a bowl, in a cylinder, between plates, a car of four wheels, of which two forces across
 * say the same twice. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "rattle/rattle.h"

typedef struct contact {
  const char *name, *text, *method;
  double time;
  int steps, omitted; /* constraints on velocities that follow from others */
  double value[2];    /* of the observables then */
  double within;
} contact;

#define MECHANICS "local mech = require 'mechanics'\n"

#define SUSLOV(form)                                                                               \
  MECHANICS "local b = mech.body { name = 'b', mass = 2, inertia = {0.5, 0.7, 0.9, 0.05, 0.1, "    \
            "-0.08}, form = '" form "', spin = {0.8, -0.5, 0} }\n"                                 \
            "mech.spherical('o', b:at(0, 0, 0), mech.ground:at(0, 0, 0)) mech.motor('none', "      \
            "b:at(0, 0, 0):along(0, 0, 1), mech.ground, { speed = 0 })\n"                          \
            "observe('r11', b.column[1].x) observe('w1', b:spin().x)"

static const contact contacts[] = {
    /* In a shell that turns about its axle the wheel's centre is a pendulum: (1 + k)(R - r) phi'' =
     * -g sin phi, k = 1/(m (r^2/I + R^2/J)). From rest at phi = 1 it is at the bottom after a
     * quarter of the period, pi/(2 w agm(1, cos(1/2))). */
    {"a wheel in a shell",
     MECHANICS
     "mech.gravity(0, -9.81) local R, r = 1, 0.3\n"
     "local shell = mech.planar { name = 'shell', mass = 2, inertia = 1.5, at = {0, 0} }\n"
     "local wheel = mech.planar { name = 'wheel', mass = 1, inertia = 0.04, at = {(R - "
     "r)*math.sin(1), -(R - r)*math.cos(1)} }\n"
     "mech.revolute('axle', shell:at(0, 0), mech.ground:at(0, 0))\n"
     "mech.rolls('rim', wheel:at(0, 0), shell:at(0, 0), { radius = r, inside = R })\n"
     "observe('x', wheel.x.x) observe('y', wheel.x.y)",
     "kahan_li8(rattle(verlet))",
     0.5184927129235126,
     40,
     0,
     {0, -0.7},
     1e-12},
    /* A ball without spin about the line of centres moves as a spherical pendulum of 5/7 of the
     * weight: on a circle at the height -L cos(1) at the rate W, W^2 = 5 g/(7 L cos(1)). */
    {"a ball in a bowl",
     MECHANICS
     "mech.gravity(0, 0, -9.81) local L, r = 0.7, 0.3 local s, c = math.sin(1), math.cos(1)\n"
     "local v = math.sqrt(5/7*9.81/(L*c))*L*s\n"
     "local ball = mech.body { name = 'ball', shape = mech.ball { mass = 2, radius = r }, at = "
     "{L*s, 0, -L*c},\n"
     "  velocity = {0, v, 0}, spin = {-c*v/r, 0, -s*v/r} }\n"
     "mech.rolls('bowl', ball, mech.ground:at(0, 0, 0), { radius = r, inside = L + r })\n"
     "observe('x', ball.x.x) observe('z', ball.x.z)",
     "kahan_li6(rattle(verlet))",
     2,
     100,
     0,
     {-0.4034960739888872, -0.3782116141076978},
     1e-8},
    /* Without weight it rolls along a great circle at v/L, here past e, where e x (the line of
     * centres) is 0. */
    {"a ball in a shell",
     MECHANICS
     "local L, r, v, e = 0.7, 0.3, 0.5, mech.vec3(2/7, 3/7, 6/7) local s, c = math.sin(0.3), "
     "math.cos(0.3)\n"
     "local t = mech.unit(mech.cross(e, mech.vec3(0, 0, 1))) local at, to = c*e - s*t, s*e + c*t\n"
     "local function list(a, k) return {k*a.x, k*a.y, k*a.z} end\n"
     "local ball = mech.body { name = 'ball', shape = mech.ball { mass = 2, radius = r }, at = "
     "list(at, L), velocity = list(to, v), spin = list(mech.cross(at, to), -v/r) }\n"
     "mech.rolls('shell', ball, mech.ground:at(0, 0, 0), { radius = r, inside = L + r })\n"
     "observe('e', mech.dot(ball.x, e)) observe('t', mech.dot(ball.x, t))",
     "kahan_li6(rattle(verlet))",
     2,
     40,
     0,
     {0.2995659726759119, 0.6326612268937735},
     1e-10},
    /* On the top of a drum that turns a wheel stays, and turns as fast along the rim. */
    {"a wheel on a wheel",
     MECHANICS
     "local drum = mech.planar { name = 'drum', mass = 2, inertia = 1.5, at = {0, 0}, spin = 2 }\n"
     "local wheel = mech.planar { name = 'wheel', mass = 1, inertia = 0.04, at = {0, 1.25}, spin = "
     "-8 }\n"
     "mech.revolute('axle', drum:at(0, 0), mech.ground:at(0, 0))\n"
     "mech.rolls('rim', wheel, drum, { radius = 0.25, outside = 1 })\n"
     "observe('x', wheel.x.x) observe('turn', wheel.angle)",
     "rattle(verlet)",
     1,
     50,
     0,
     {0, -8},
     1e-13},
    /* Down an incline of 10 degrees: g sin M/(M + 4 I/r^2). */
    {"a car",
     MECHANICS
     "local al, r = math.rad(10), 0.3 mech.gravity(9.81*math.sin(al), 0, -9.81*math.cos(al))\n"
     "local chassis = mech.body { name = 'chassis', mass = 10, inertia = {1, 3, 3}, at = {0, 0, r} "
     "}\n"
     "for i, x in ipairs{1, -1} do for j, y in ipairs{0.5, -0.5} do\n"
     "  local wheel = mech.body { name = 'wheel' .. i .. j, mass = 1, inertia = {0.025, 0.045, "
     "0.025}, at = {x, y, r} }\n"
     "  mech.revolute('axle' .. i .. j, wheel:at(0, 0, 0):along(0, 1, 0), chassis:at(x, y, "
     "0):along(0, 1, 0))\n"
     "  mech.rolls('tyre' .. i .. j, wheel:at(0, 0, 0):along(0, 1, 0), mech.ground:at(0, 0, "
     "0):along(0, 0, 1), { radius = r, form = 'disc' })\n"
     "end end observe('x', chassis.x.x) observe('y', chassis.x.y)",
     "rattle(verlet)",
     1,
     20,
     2,
     {0.7452762725242567, 0},
     1e-12},
    /* Between plates that turn about two axes its centre goes at the mean of what the plates do
     * there: on a circle about (O2 d/(O1 + O2), 0) at the rate (O1 + O2)/2. Its height is kept
     * twice, and given once more by the upper plate. */
    {"a ball between two turning plates",
     MECHANICS
     "mech.gravity(0, 0, -9.81) local r = 0.2\n"
     "local low = mech.body { name = 'low', mass = 3, inertia = {1, 1, 2}, spin = {0, 0, 0.8} }\n"
     "local top = mech.body { name = 'top', mass = 3, inertia = {1, 1, 2}, at = {0.6, 0, 2*r}, "
     "spin "
     "= {0, 0, -0.3} }\n"
     "mech.revolute('one', low:at(0, 0, 0), mech.ground:at(0, 0, 0)) mech.revolute('two', "
     "top:at(0, "
     "0, 0), mech.ground:at(0.6, 0, 2*r))\n"
     "mech.motor('first', low, mech.ground, { speed = 0.8 }) mech.motor('second', top, "
     "mech.ground, "
     "{ speed = -0.3 })\n"
     "local ball = mech.body { name = 'ball', shape = mech.ball { mass = 2, radius = r }, at = "
     "{0.5, 0.1, r},\n"
     "  velocity = {-0.025, 0.215, 0}, spin = {(0.8*0.5 - 0.215)/r, (-0.025 + 0.8*0.1)/r, 0.7} }\n"
     "mech.rolls('below', ball, low, { radius = r }) mech.rolls('above', ball, top:at(0, 0, "
     "0):along(0, 0, -1), { radius = r })\n"
     "observe('x', ball.x.x) observe('y', ball.x.y)",
     "kahan_li6(rattle(verlet))",
     1,
     20,
     0,
     {0.4485242867457022, 0.30965864712995417},
     1e-9},
    /* In an upright cylinder it does not sink: its centre goes round at a constant rate W and up
     * and down at sqrt(2/7) W (Neimark and Fufaev, 1972). */
    {"a heavy ball in a cylinder",
     MECHANICS
     "mech.gravity(0, 0, -9.81) local r, d, W = 0.25, 0.75, 5\n"
     "local ball = mech.body { name = 'ball', shape = mech.ball { mass = 2, radius = r }, at = {d, "
     "0, 0},\n"
     "  velocity = {0, W*d, 0.4}, spin = {3, 0.4/r, -W*d/r} }\n"
     "local x, y = ball.x.x/d, ball.x.y/d local slip = "
     "ball:velocity(r*(mech.transpose(ball:rotation())*mech.vec3(x, y, 0)))\n"
     "constrain('wall', d/2*(x^2 + y^2 - 1))\n"
     "velocity_constrain('along', x*slip.y - y*slip.x) velocity_constrain('up', slip.z)\n"
     "observe('x', ball.x.x) observe('z', ball.x.z)",
     "kahan_li8(rattle(verlet))",
     1,
     160,
     0,
     {0.2127466390974197, -2.0722398459374314},
     1e-9},
    /* A ball whose centre of mass is not its centre, and Suslov's body, whose spin about an axis of
     * its own is 0 and which has products of inertia: equations of Newton and Euler in the body,
     * solved by scipy's DOP853. */
    {"Routh's sphere",
     MECHANICS
     "mech.gravity(0, 0, -9.81) local w, s, c = mech.vec3(0.5, -1, 6), math.sin(0.9), "
     "math.cos(0.9)\n"
     "local down = mech.vec3(0, -0.08*s, 0.08*c - 0.3)\n"
     "local ball = mech.body { name = 'ball', mass = 0.7, inertia = {0.03, 0.034, 0.025}, at = "
     "-down, angle = 0.9, axis = {1, 0, 0}, velocity = mech.cross(down, w), spin = w }\n"
     "mech.rolls('table', ball:at(0, 0, 0.08), mech.ground:at(0, 0, 0), { radius = 0.3 })\n"
     "observe('x', ball.x.x) observe('z', ball.x.z)",
     "kahan_li8(rattle(verlet))",
     1,
     100,
     0,
     {-0.5594815697792718, 0.22914070698931865},
     1e-9},
    {"Suslov's problem",
     SUSLOV("matrix"),
     "kahan_li6(rattle(verlet))",
     2,
     100,
     0,
     {0.8067118187713159, 0.9411869831629229},
     1e-11},
    {"Suslov's problem, a quaternion",
     SUSLOV("quaternion"),
     "kahan_li6(rattle(midpoint))",
     2,
     100,
     0,
     {0.8067118187713159, 0.9411869831629229},
     1e-11}};

static void run(const contact *c) {
  rattle_model *model = NULL;
  rattle_problem *problem = NULL;
  rattle_integrator *integrator = NULL;
  rattle_error error;
  double q[80], p[80], value[8];
  rattle_state state = {.struct_size = sizeof state, .q = q, .p = p, .h = c->time / c->steps};
  if (rattle_model_parse(&model, c->text, "m.lua", NULL, &error) ||
      rattle_problem_create(&problem, model, NULL, &error) ||
      rattle_problem_start(problem, 0, q, p, NULL, &error) ||
      rattle_integrator_create(&integrator, problem, c->method, &error) ||
      rattle_integrator_step(integrator, &state, c->steps, &error) ||
      rattle_problem_observe(problem, q, p, value, &error))
    fail_msg("%s: %s", c->name, error.message);
  int omitted = 0;
  while (rattle_problem_implied(problem, omitted)) omitted++;
  assert_int_equal(omitted, c->omitted);
  for (int k = 0; k < 2; k++)
    if (!(fabs(value[k] - c->value[k]) < c->within))
      fail_msg("%s: observable %d is %.17g", c->name, k, value[k]);
  rattle_integrator_destroy(&integrator);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
}

static void closed_forms(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof contacts / sizeof *contacts; i++) run(&contacts[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(closed_forms)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
