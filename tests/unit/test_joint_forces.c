/* Forces and moments of joints as quantities of a model: Newton's and Euler's laws for the bodies
 * that they hold, closed forms, events on them, and what is refused. */
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
#include "rattle/trajectory.h"

/* ---- the laws of motion ---- */

/* Observes of a body its momenta, "P" and "L", and the forces and moments about its centre that its
 * joints and its weight give, "F" and "M": P' = F and L' = M. Joints are {joint, a point of it}. */
#define LAWS                                                                                       \
  "local mech = require 'mechanics'\n"                                                             \
  "local g = mech.vec3(0.3, -0.2, -9.81)\n"                                                        \
  "local function laws(b, joints)\n"                                                               \
  "  local F, M = b.mass*g, mech.vec3(0, 0, 0)\n"                                                  \
  "  for _, of in ipairs(joints) do\n"                                                             \
  "    local f = of[1]:force { on = b }\n"                                                         \
  "    F = F + f\n"                                                                                \
  "    M = M + of[1]:torque { on = b } + mech.cross(of[2]:position() - b.x, f)\n"                  \
  "  end\n"                                                                                        \
  "  local P, L = b.p, b:angular_momentum()\n"                                                     \
  "  for i, c in ipairs { 'x', 'y', 'z' } do\n"                                                    \
  "    observe('P' .. c .. b.name, P[i])\n    observe('F' .. c .. b.name, F[i])\n"                 \
  "    observe('L' .. c .. b.name, L[i])\n    observe('M' .. c .. b.name, M[i])\n"                 \
  "  end\n"                                                                                        \
  "end\n"
#define SPACE LAWS "mech.gravity(g.x, g.y, g.z)\n"
#define PLANE LAWS "g = mech.vec3(0.3, -9.81, 0)\nmech.gravity(0.3, -9.81)\n"
#define BLOCK(name, at, more)                                                                      \
  "local " name " = mech.body { name = '" name "', mass = 2, inertia = {0.3, 0.5, 0.4, 0.05, "     \
  "0.02, -0.03}, at = {" at "}, " more " }\n"

typedef struct mechanism {
  const char *name, *text, *method;
} mechanism;

static const mechanism table[] = {
    {"revolute and universal",
     SPACE BLOCK("a", "0.5, 0, 0", "spin = {0, 0, 1}") BLOCK(
         "b", "1.5, 0, 0.2",
         "spin = {0.5, 0, 1}") "local O = a:here(0, 0, 0)\nlocal E = b:here(1, 0, 0)\n"
                               "local pin = mech.revolute('pin', mech.ground:at(0, 0, 0), O)\n"
                               "local cross = mech.universal('cross', a:here(1, 0, 0):along(0, 1, "
                               "0), E:along(0, 0, 1))\n"
                               "start { project = true }\n"
                               "laws(a, { {pin, O}, {cross, a:here(1, 0, 0)} })\nlaws(b, { {cross, "
                               "a:here(1, 0, 0)} })",
     "kahan_li8(rattle(verlet))"},
    {"a quaternion on a hinge",
     SPACE
     "local a = mech.body { name = 'a', mass = 2, inertia = {0.3, 0.5, 0.4}, form = "
     "'quaternion', at = {0.5, 0.1, 0}, spin = {0, 0, 1} }\n"
     "local O = a:here(0, 0, 0)\nlocal pin = mech.revolute('pin', O, mech.ground:at(0, 0, 0))\n"
     "start { project = true }\nlaws(a, { {pin, O} })",
     "suzuki4(rattle(midpoint))"},
    {"a thin rod and a rope",
     SPACE
     "local a = mech.body { name = 'a', shape = mech.rod { mass = 1, length = 1 }, at = {0.5, "
     "0, 0}, spin = {0, 1, 1} }\nlocal ball = mech.body { name = 'ball', shape = mech.ball { "
     "mass = 2, radius = 0.1 }, at = {1, 0, -1} }\nlocal O, E = a:at(-0.5, 0, 0), a:at(0.5, 0, 0)\n"
     "local pin = mech.spherical('pin', O, mech.ground:at(0, 0, 0))\n"
     "local rope = mech.distance('rope', E, ball:at(0, 0, 0.1))\nstart { project = true }\n"
     "laws(ball, { {rope, ball:at(0, 0, 0.1)} })",
     "kahan_li8(rattle(verlet))"},
    {"cylindrical and a drive",
     SPACE BLOCK("a", "0, 0.1, 0.2",
                 "velocity = {0, 0, 1}") "local O, Z = a:here(0, 0, 0), "
                                         "mech.ground:at(0, 0, 0)\nlocal slide = "
                                         "mech.cylindrical('slide', O, Z)\nlocal t = time()\n"
                                         "local turn = mech.drive('turn', O, Z, 0.3*t^2)\nlaws(a, "
                                         "{ {slide, O}, {turn, O} })",
     "kahan_li8(rattle(verlet))"},
    {"prismatic, fixed to another",
     SPACE BLOCK("a", "0, 0.1, 0.2", "velocity = {1, 0, 0}")
         BLOCK("b", "0.4, 0, 0.3",
               "velocity = {1, 0, 0}") "local O, E = a:here(0, 0, 0), a:here(0.2, 0, 0.2)\n"
                                       "local slide = mech.prismatic('slide', O:along(1, 0, 0), "
                                       "mech.ground:at(0, 0, 0):along(1, 0, 0))\n"
                                       "local weld = mech.fixed('weld', E, b:here(0.2, 0, 0.2))\n"
                                       "laws(a, { {slide, O}, {weld, E} })\nlaws(b, { {weld, E} })",
     "kahan_li8(rattle(verlet))"},
    {"planar joint",
     SPACE BLOCK("a", "0, 0.1, 0.2",
                 "spin = {0, 0, 2}") "local O = a:here(0, 0, 0)\n"
                                     "local plane = mech.planar_joint('plane', O, "
                                     "mech.ground:at(0, 0, 0))\nlaws(a, { {plane, O} })",
     "kahan_li8(rattle(verlet))"},
    {"screw",
     SPACE BLOCK("a", "0.1, 0, 0.2",
                 "spin = {0, 0, 2}") "local O = a:here(0, 0, 0)\nlocal nut = "
                                     "mech.screw('nut', O, mech.ground:at(0, 0, 0), { pitch = 0.4 "
                                     "})\nstart { project = true }\n"
                                     "laws(a, { {nut, O} })",
     "kahan_li8(rattle(verlet))"},
    {"on a paraboloid",
     SPACE BLOCK("a", "0.3, 0, 0.045",
                 "velocity = {0, 1, 0}") "local O = a:at(0, 0, 0)\nlocal bowl = "
                                         "mech.on_surface('bowl', O, mech.ground:at(0, 0, 0), "
                                         "function(x, y, z) return z - (x^2 + "
                                         "y^2)/2 end)\nlaws(a, { {bowl, O} })",
     "kahan_li8(rattle(verlet))"},
    {"slider-crank in the plane",
     PLANE
     "local a = mech.planar { name = 'a', shape = mech.rod { mass = 1, length = 1 }, at = {0, "
     "0.5}, angle = math.pi/2, spin = 3 }\nlocal b = mech.planar { name = 'b', shape = mech.rod "
     "{ mass = 2, length = 2 }, at = {math.sqrt(3)/2, 0.5}, angle = -math.pi/6 }\n"
     "local c = mech.planar { name = 'c', mass = 1, inertia = 0.1, at = {math.sqrt(3), 0} }\n"
     "local O, A, B = a:at(-0.5, 0), a:at(0.5, 0), b:at(1, 0)\n"
     "local j = mech.revolute('O', O, mech.ground:at(0, 0))\nlocal k = mech.revolute('A', A, "
     "b:at(-1, 0))\n"
     "local l = mech.revolute('B', B, c:at(0, 0))\nlocal s = mech.prismatic('s', c:at(0, 0), "
     "mech.ground:at(0, 0):along(1, 0))\nstart { project = true }\n"
     "laws(a, { {j, O}, {k, A} })\nlaws(b, { {k, A}, {l, B} })\nlaws(c, { {l, B}, {s, c:at(0, 0)} "
     "})",
     "kahan_li8(rattle(verlet))"},
    {"planet wheel",
     PLANE
     "local arm = mech.planar { name = 'arm', mass = 1, inertia = 0.3, at = {0.5, 0}, spin = 2 }\n"
     "local w = mech.planar { name = 'w', mass = 1, inertia = 0.1, at = {1, 0} }\n"
     "local O, A = arm:at(-0.5, 0), arm:at(0.5, 0)\nlocal j = mech.revolute('O', O, "
     "mech.ground:at(0, 0))\n"
     "local k = mech.revolute('A', A, w:at(0, 0))\nlocal m = mech.gear('m', w, mech.ground, { "
     "radii "
     "= {0.3, 0.7}, carrier = arm })\nstart { project = true }\n"
     "laws(arm, { {j, O}, {k, A}, {m, A} })\nlaws(w, { {k, A}, {m, A} })",
     "kahan_li8(rattle(verlet))"},
    {"a wheel on a slope, with a rack",
     PLANE
     "local w = mech.planar { name = 'w', mass = 1, inertia = 0.1, at = {0, 0.3} }\n"
     "local C = w:at(0, 0)\nlocal r = mech.rolling('r', C, mech.ground:at(0, 0):along(1, 0), { "
     "radius = 0.3 })\nlaws(w, { {r, C} })",
     "kahan_li8(rattle(verlet))"},
    {"a ball on a plane",
     SPACE
     "local b = mech.body { name = 'b', mass = 2, inertia = {0.1, 0.2, 0.15}, at = {0, 0, 0.3}, "
     "velocity = {0.9, 0, 0}, spin = {0, 3, 0.2} }\nlocal C = b:at(0, 0, 0)\nlocal r = "
     "mech.rolls('r', C, "
     "mech.ground:at(0, 0, 0), { radius = 0.3 })\nlaws(b, { {r, C} })",
     "kahan_li8(rattle(verlet))"},
    {"a skate with a motor",
     PLANE
     "local b = mech.planar { name = 'b', mass = 2, inertia = 0.4, at = {0, 0}, velocity = {1, 0} "
     "}\n"
     "local E = b:at(0.2, 0)\nlocal s = mech.skate('s', E:along(1, 0))\nlocal turn = "
     "mech.motor('turn', b, "
     "mech.ground, { speed = 0.5 })\nstart { project = true }\nlaws(b, { {s, E}, {turn, E} })",
     "suzuki4(rattle(verlet))"},
};

enum { POINTS = 9, SIDE = 4 };
/* Central differences of nine points (B. Fornberg, Math. Comp. 51 (1988) 699). */
static const double weights[SIDE] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};

static int place_of(const rattle_model *model, const char *kind, const char *rest) {
  for (int i = 0; i < rattle_model_observables(model); i++) {
    const char *name = rattle_model_observable_name(model, i);
    if (!strncmp(name, kind, 1) && !strcmp(name + 1, rest)) return i;
  }
  fail_msg("%s%s is not observed", kind, rest);
  return -1;
}

/* Observables at POINTS steps. */
static double *observe_steps(const mechanism *row, made *m, int k) {
  double *seen = calloc((size_t)(POINTS * k), sizeof *seen);
  rattle_error error;
  for (int s = 0; s < POINTS; s++)
    if (rattle_problem_observe(m->problem, m->state.q, m->state.p, seen + s * k, &error) ||
        rattle_integrator_step(m->integrator, &m->state, 1, &error))
      fail_msg("%s: %s", row->name, error.message);
  return seen;
}

static void test_laws(void **unused) {
  (void)unused;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const mechanism *row = &table[i];
    const double h = 0.01;
    made m = make(row->text, row->method, h, 1);
    const int k = rattle_model_observables(m.model);
    double *seen = observe_steps(row, &m, k);
    int laws = 0;
    for (int o = 0; o < k; o++) {
      const char *name = rattle_model_observable_name(m.model, o);
      if (name[0] != 'P' && name[0] != 'L') continue;
      const int law = place_of(m.model, name[0] == 'P' ? "F" : "M", name + 1);
      double rate = 0;
      for (int w = 1; w <= SIDE; w++)
        rate += weights[w - 1] * (seen[(SIDE + w) * k + o] - seen[(SIDE - w) * k + o]) / h;
      const double given = seen[SIDE * k + law];
      const double tolerance = strstr(row->method, "8") ? 2e-9 : 1e-5;
      if (!(fabs(rate - given) < tolerance))
        fail_msg("%s: %s' is %.12g, not %.12g", row->name, name, rate, given);
      laws++;
    }
    assert_true(laws >= 6);
    free(seen);
    unmake(&m);
  }
}

/* ---- closed forms ---- */

/* One run: the time of the first event, NaN without; z [count] all observables at the end. */
static double run(const char *text, const char *method, double step, long long steps, int count,
                  double *z) {
  made m = make(text, method, step, 1);
  rattle_trajectory *trajectory = NULL;
  rattle_error error;
  const rattle_run_options how = {
      .struct_size = sizeof how, .steps = steps, .every = 1, .initial_energy = (double)NAN};
  if (rattle_trajectory_create(&trajectory, m.problem, &error)) fail_msg("%s", error.message);
  rattle_observer *observers[] = {rattle_trajectory_observer(trajectory)};
  if (rattle_run(m.integrator, &m.state, &how, observers, 1, NULL, &error))
    fail_msg("%s", error.message);
  const rattle_samples *all = rattle_trajectory_samples(trajectory),
                       *event = rattle_trajectory_event(trajectory, 0);
  const double first = event && event->count ? event->time[0] : (double)NAN;
  assert_int_equal(count, all->observables);
  memcpy(z, all->observed + (all->count - 1) * count, (size_t)count * sizeof *z);
  rattle_trajectory_destroy(&trajectory);
  unmake(&m);
  return first;
}

/* What a sensor on the arm of a pendulum reads. With c, s of the angle from below, d from pin to
 * centre, J about the pin, from rest at s = 1: along the arm m g c + m d w^2, w^2 = 2 m g d c/J;
 * across it m g s - m d (m g d/J) s; the pin is 0.15 beside the centre, so that the moments are
 * 0.15 times these. */
static void test_axes_of_the_body(void **unused) {
  (void)unused;
  double z[10];
  run("local mech = require 'mechanics'\nmech.gravity(0, 0, -9.81)\n"
      "local b = mech.body { name = 'arm', mass = 12, inertia = {1.2, 1.1, 0.3}, at = {0.9, 0.15, "
      "0}, angle = -math.pi/2, axis = {0, 1, 0} }\n"
      "local pin = mech.revolute('pin', mech.ground:at(0, 0, 0):along(0, 1, 0), b:at(0, -0.15, "
      "0.9):along(0, 1, 0))\n"
      "local f, t = pin:force { axes = b }, pin:torque { on = b, axes = b }\n"
      "local u = pin:force { on = mech.ground }\n"
      "observe('c', -b.x.z/0.9) observe('s', b.x.x/0.9)\n"
      "for i, c in ipairs { 'x', 'y', 'z' } do observe('f' .. c, f[i]) observe('t' .. c, t[i]) "
      "end\n"
      "observe('ux', u.x) observe('uz', u.z)\n",
      "kahan_li8(rattle(verlet))", 0.01, 100, 10, z);
  const double m = 12, g = 9.81, d = 0.9, J = 1.1 + m * d * d, c = z[0], s = z[1],
               along = m * g * c + m * d * 2 * m * g * d * c / J,
               across = m * g * s - m * d * (m * g * d / J) * s;
  const double right[] = {across, 0.15 * along, 0, 0, along, -0.15 * across};
  for (int i = 0; i < 6; i++) {
    if (!(fabs(z[2 + i] - right[i]) < 1e-10))
      fail_msg("%d: %.14g, not %.14g", i, z[2 + i], right[i]);
  }
  assert_true(fabs(z[8] + 52.13315990) < 1e-7 && fabs(z[9] + 20.77934852) < 1e-7);
}

/* A stone on a rope of length L, thrown from below with v^2 = 3.5 g L: the rope is slack where
 * cos phi = -(v^2/(g L) - 2)/3, phi from below. */
static const char rope[] =
    "local mech = require 'mechanics'\nmech.gravity(0, -9.81)\n"
    "local b = mech.planar { name = 'b', mass = 0.7, inertia = 1, at = {0, -2}, velocity = "
    "{math.sqrt(3.5*9.81*2), 0} }\n"
    "local rope = mech.distance('rope', b:at(0, 0), mech.ground:at(0, 0))\n"
    "observe('c', b.x.y/2) observe('tension', rope:tension()) observe('g', rope:force().y)\n"
    "event('slack', rope:tension(), { direction = -1, stop = true })\n";

static void test_slack_rope(void **unused) {
  (void)unused;
  double z[3];
  run(rope, "kahan_li8(rattle(verlet))", 0.01, 1000, 3, z);
  assert_true(fabs(z[0] - 0.5) < 1e-10);
  assert_true(fabs(z[1]) < 1e-9);
  run(rope, "kahan_li8(rattle(verlet))", 0.01, 0, 3, z);
  assert_true(fabs(z[1] - 0.7 * 9.81 * 4.5) < 1e-12); /* m g + m v^2/L */
  assert_true(fabs(z[2] - z[1]) < 1e-12);             /* it pulls the stone up */
}

/* A stone at rest, its rope square to gravity: the tension is 0 at the start but for round-off, and
 * grows from there, so that it has no zero before the stone rests at the other side. */
static void test_slack_start(void **unused) {
  (void)unused;
  double z[1];
  for (int k = 0; k < 40; k++) {
    char text[500];
    snprintf(text, sizeof text,
             "local a = %.17g\nlocal x, px = pair('x')\nlocal y, py = pair('y')\nhamiltonian((px^2 "
             "+ py^2)/2 - 9.81*math.sin(a)*x + 9.81*math.cos(a)*y)\nconstrain('rope', (x^2 + y^2 - "
             "1)/2)\nstart { x = math.cos(a), y = math.sin(a) }\nobserve('tension', "
             "lambda('rope'))\nevent('slack', lambda('rope'))\n",
             0.05 + 0.08 * k);
    const double zero = run(text, "rattle(verlet)", 0.01, 50, 1, z);
    if (!isnan(zero)) fail_msg("a zero at time %g of angle %d", zero, k);
  }
}

/* Times of events on forces have the order of the method. */
static void test_order(void **unused) {
  (void)unused;
  const struct {
    const char *method;
    double step, order;
  } of[] = {{"rattle(verlet)", 0.01, 2}, {"suzuki4(rattle(verlet))", 0.04, 4}};
  double at[2], z[3];
  const double right = run(rope, "kahan_li8(rattle(verlet))", 0.005, 1000, 3, z);
  for (int i = 0; i < 2; i++) {
    for (int half = 0; half < 2; half++)
      at[half] = run(rope, of[i].method, of[i].step / (1 + half), 1000, 3, z);
    const double order = log2(fabs(at[0] - right) / fabs(at[1] - right));
    if (!(fabs(order - of[i].order) < 0.1)) fail_msg("%s: order %g", of[i].method, order);
  }
}

/* Of three parallel bars the third is redundant: their forces are those of least norm, equal. */
static void test_redundant(void **unused) {
  (void)unused;
  double z[4]; /* the last one is the multiplier that was omitted, which is recorded */
  run("local mech = require 'mechanics'\nmech.gravity(0, -10)\n"
      "local b = mech.planar { name = 'b', mass = 3, inertia = 1, at = {0, -1} }\n"
      "for i = -1, 1 do local bar = mech.distance('bar' .. i, b:at(i, 0), mech.ground:at(i, 0)) "
      "observe('t' .. i, bar:tension()) end\n",
      "rattle(verlet)", 0.01, 0, 4, z);
  for (int i = 0; i < 3; i++) assert_true(fabs(z[i] - 10) < 1e-10);
}

/* Torques of two drives of an arm, the first by a spline of t^2/2, against Lagrange's equations of
 * the angles a and b of its links from the horizontal. */
static void test_inverse_dynamics(void **unused) {
  (void)unused;
  double z[2];
  run("local mech = require 'mechanics'\nmech.gravity(0, -9.81)\nlocal t = time()\n"
      "local one = mech.planar { name = 'one', shape = mech.rod { mass = 2, length = 0.8 }, at = "
      "{0.4, 0} }\nlocal two = mech.planar { name = 'two', shape = mech.rod { mass = 1, length = "
      "0.6 "
      "}, at = {1.1, 0} }\nmech.revolute('shoulder', one:at(-0.4, 0), mech.ground:at(0, 0))\n"
      "mech.revolute('elbow', two:at(-0.3, 0), one:at(0.4, 0))\nlocal first = mech.drive('first', "
      "one, mech.ground, table1d(t, {0, 0.5, 1, 1.5, 2}, {0, 0.125, 0.5, 1.125, 2}))\n"
      "local second = mech.drive('second', two, one, 1 - cos(t))\n"
      "observe('first torque', first:torque().z)\nobserve('second torque', second:torque().z)\n",
      "rattle(verlet)", 0.01, 100, 2, z);
  const double t = 1, g = 9.81, m1 = 2, c1 = 0.4, L = 0.8, m2 = 1, c2 = 0.3,
               I1 = m1 * 0.8 * 0.8 / 12, I2 = m2 * 0.6 * 0.6 / 12, a = t * t / 2, a1 = t, a2 = 1,
               b = a + 1 - cos(t), b1 = a1 + sin(t), b2 = a2 + cos(t), k = m2 * L * c2,
               elbow = (I2 + m2 * c2 * c2) * b2 + k * cos(b - a) * a2 + k * sin(b - a) * a1 * a1 +
                       m2 * g * c2 * cos(b),
               shoulder = elbow + (I1 + m1 * c1 * c1 + m2 * L * L) * a2 + k * cos(b - a) * b2 -
                          k * sin(b - a) * b1 * b1 + g * (m1 * c1 + m2 * L) * cos(a);
  if (!(fabs(z[0] - shoulder) < 1e-9 && fabs(z[1] - elbow) < 1e-9))
    fail_msg("%.12g, %.12g, not %.12g, %.12g", z[0], z[1], shoulder, elbow);
}

/* The force of a slide that lifts a block by t^3 is m (g + 6 t) along it, in space and in the
 * plane. */
static void test_slide(void **unused) {
  (void)unused;
  static const char *const text[] = {
      "local mech = require 'mechanics'\nmech.gravity(0, -9.81, 0)\nlocal t = time()\n"
      "local a = mech.body { name = 'a', mass = 2, inertia = {1, 1, 1}, at = {0.1, 0.3, 0} }\n"
      "local guide = mech.prismatic('guide', a:at(0, 0, 0):along(0, 1, 0), mech.ground:at(0.1, 0, "
      "0):along(0, 1, 0))\nlocal lift = mech.slide('lift', a:at(0, 0, 0), mech.ground:at(0, 0, "
      "0):along(0, 1, 0), t^3)\nobserve('force', lift:force().y) observe('height', a.x.y - 0.3)\n",
      "local mech = require 'mechanics'\nmech.gravity(0, -9.81)\nlocal t = time()\n"
      "local a = mech.planar { name = 'a', mass = 2, inertia = 1, at = {0.1, 0.3} }\n"
      "mech.prismatic('guide', a:at(0, 0), mech.ground:at(0.1, 0):along(0, 1))\n"
      "local lift = mech.slide('lift', a:at(0, 0), mech.ground:at(0, 0):along(0, 1), t^3)\n"
      "observe('force', lift:force().y) observe('height', a.x.y - 0.3)\n"};
  for (int i = 0; i < 2; i++) {
    double z[2];
    run(text[i], "rattle(verlet)", 0.01, 50, 2, z);
    assert_true(fabs(z[0] - 2 * (9.81 + 3)) < 1e-9 && fabs(z[1] - 0.125) < 1e-12);
  }
}

/* The joint of a robot's arm that is let go from the horizontal: m g (1 - m d^2/J) on it, and with a
 * rotor of inertia 0.4 at the joint, which is no part of it, m g (1 - m d^2/(J + 0.4)). */
static void test_robot(void **unused) {
  (void)unused;
  static const char robot[] =
      "local mech = require 'mechanics'\nmech.gravity(0, 0, -9.81)\nlocal robot = mech.links { { "
      "name "
      "= 'base' }, { name = 'arm', parent = 'base', joint = 'hinge', type = 'revolute', axis = {0, "
      "1, "
      "0}, mass = 2, com = {0.5, 0, 0}, inertia = {0.1, 0.2, 0.3, 0, 0, 0}%s } }\n"
      "local f, t = robot:joint('hinge'):force(), robot:joint('hinge'):torque()\n"
      "observe('force', f.z) observe('moment', t.y)\n";
  for (int rotor = 0; rotor < 2; rotor++) {
    char text[1000];
    double z[2];
    snprintf(text, sizeof text, robot, rotor ? ", armature = 0.4" : "");
    run(text, "rattle(verlet)", 0.01, 0, 2, z);
    const double m = 2, d = 0.5, J = 0.2 + m * d * d + 0.4 * rotor;
    if (!(fabs(z[0] - m * 9.81 * (1 - m * d * d / J)) < 1e-12 && fabs(z[1]) < 1e-12))
      fail_msg("%d: %.14g, %.14g", rotor, z[0], z[1]);
  }
}

/* ---- what is refused ---- */

static void test_refusals(void **unused) {
  (void)unused;
#define PENDULUM                                                                                   \
  "local x, px = pair('x') local y, py = pair('y')\nmass { [x] = 1, [y] = 1 }\n"                   \
  "constrain('rod', x^2 + y^2 - 1)\nstart { x = 1 }\n"
#define JOINTED                                                                                    \
  "local mech = require 'mechanics'\nlocal b, c = mech.planar { name = 'b', mass = 1, inertia = "  \
  "1 "                                                                                             \
  "}, mech.planar { name = 'c', mass = 1, inertia = 1 }\nlocal j = mech.revolute('j', b:at(0, "    \
  "0), "                                                                                           \
  "mech.ground:at(0, 0))\n"
  static const char *const wrong[][2] = {
      {PENDULUM "potential(y + lambda('rod'))", "contains the multiplier of 'rod'"},
      {PENDULUM "potential(y) force { [x] = lambda('rod') }", "contains the multiplier of 'rod'"},
      {PENDULUM "potential(y) constrain('other', y - lambda('rod'))", "contains the multiplier"},
      {PENDULUM "potential(y) observe('T', lambda('rot'))", "did you mean \"rod\"?"},
      {PENDULUM "potential(y) observe('T', lambda('rod')*velocity(x))", "velocity"},
      {PENDULUM "potential(y) observe('T', derivative(y^2, 2*x))",
       "derivative(expression, variable)"},
      {JOINTED "j:force { on = c }", "joins \"b\" and \"ground\", not \"c\""},
      {JOINTED "j:force { by = b }", "it has on, axes"},
      {JOINTED "j:tension()", "a tension is one of a distance"},
      {JOINTED "mech.slide('s', c, mech.ground:at(0, 0):along(1, 0), 'far')",
       "needs a displacement"},
      {JOINTED "j:froce()", "it has force, torque, tension and name"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    rattle_model *model = NULL;
    rattle_error error = {0};
    assert_int_not_equal(rattle_model_parse(&model, wrong[i][0], "m.lua", NULL, &error), RATTLE_OK);
    if (!strstr(error.message, wrong[i][1])) fail_msg("%s: %s", wrong[i][1], error.message);
    rattle_model_destroy(&model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_laws),       cmocka_unit_test(test_axes_of_the_body),
      cmocka_unit_test(test_slack_rope), cmocka_unit_test(test_slack_start),
      cmocka_unit_test(test_order),      cmocka_unit_test(test_inverse_dynamics),
      cmocka_unit_test(test_slide),      cmocka_unit_test(test_robot),
      cmocka_unit_test(test_redundant),  cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
