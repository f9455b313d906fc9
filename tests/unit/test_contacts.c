/* Gears, racks, screws, rolling, motors and drives of "mechanics", against closed forms. */
#include "observed.h"

/* From rest, by a constant acceleration, for two units of time. */
static void in_one_direction(void **state) {
  (void)state;
  const double k = 2 * M_PI / 0.3, fall = -9 / (1 + 0.5 * k * k / 2), slope = 9 * sin(0.3) / 1.5;
  const row rows[] = {
      {"mech.gravity(0, 0, -9)\n" BODY(
           "a",
           "{0, 0, 0}") "mech.screw('s', a, mech.ground, { pitch = 0.3 })\nobserve('z', a.x.z)",
       high, 0.01, 200, 2 * fall, 1e-10},
      {"mech.gravity(0, 0, -9)\n" BODY("a", "{0, 0, 0}") "mech.screw('s', mech.ground, a, { pitch "
                                                         "= -0.3 })\nobserve('turn', -a:spin().z)",
       high, 0.01, 200, 2 * fall * k, 1e-9},
      /* down a slope */
      {"mech.gravity(0, 0, -9)\nlocal c, s = cos(0.3), sin(0.3)\n"
       "local a = mech.body { name = 'a', shape = mech.cylinder { mass = 2, radius = 0.5, length = "
       "1 }, axis = {1, 0, 0}, "
       "angle = -math.pi/2, at = {0.5*s, 0, 0.5*c} }\n"
       "mech.rolling('r', a, mech.ground:at(0, 0, 0):along(0, -1, 0):across_to(c, 0, -s), { radius "
       "= 0.5 })\nobserve('x', (a.x.x "
       "- 0.5*s)/c)",
       high, 0.01, 200, 2 * slope, 1e-10},
      {"mech.gravity(0, 0, -9)\nlocal c, s = cos(0.3), sin(0.3)\n"
       "local a = mech.body { name = 'a', shape = mech.cylinder { mass = 2, radius = 0.5, length = "
       "1 }, axis = {1, 0, 0}, "
       "angle = -math.pi/2, at = {0.5*s, 0, 0.5*c} }\n"
       "mech.rolling('r', a, mech.ground:at(0, 0, 0):along(0, -1, 0):across_to(c, 0, -s), { radius "
       "= 0.5 })\nobserve('x', "
       "a:spin().z)",
       high, 0.01, 200, 2 * slope / 0.5, 1e-10},
      /* a rack of 3 and a pinion of 0.5 or 0.25 */
      {BODY("a", "{0, 0, 0}") "local b = mech.body { name = 'b', mass = 3, inertia = {1, 1, 1}, at "
                              "= {0, -0.4, 0} }\n"
                              "mech.revolute('A', a, mech.ground)\nmech.prismatic('B', b:at(0, 0, "
                              "0):along(1, 0, 0), "
                              "mech.ground:at(0, -0.4, 0):along(1, 0, 0))\n"
                              "mech.rack('m', a, b:at(0, 0, 0):along(0, 0, 1):across_to(1, 0, 0), "
                              "{ radius = 0.4 "
                              "})\nmech.load(b, {7, 0, 0})\nobserve('x', b.x.x)",
       high, 0.01, 200, 2 * 7 / (3 + 0.5 / 0.16), 1e-10},
      {WHEEL(
           "a",
           "{0, 0}") "local b = mech.planar { name = 'b', mass = 3, inertia = 1, at = {0, -0.4} }\n"
                     "mech.revolute('A', a, mech.ground)\nmech.prismatic('B', b, mech.ground:at(0, "
                     "-0.4):along(1, 0))\n"
                     "mech.rack('m', a, b:at(0, 0):along(1, 0), { radius = 0.4 })\nmech.load(b, "
                     "{7, 0})\nobserve('x', a.angle)",
       high, 0.01, 200, 2 * 7 / (3 + 0.25 / 0.16) / 0.4, 1e-10},
  };
  CHECK(rows);
}

/* Torques on gears: 4.3 turns of the first wheel in six units of time. */
static void gears(void **state) {
  (void)state;
  static const char *const forms[] = {"matrix", "quaternion"};
  for (int f = 0; f < 2; f++) {
    char text[2][900];
    const double spin = 6 * 5 / (2 + 3 * (20. / 30) * (20. / 30));
    for (int bevel = 0; bevel < 2; bevel++)
      snprintf(text[bevel], sizeof text[bevel],
               "local a = mech.body { name = 'a', mass = 1, inertia = {1, 1.2, 2}, form = '%s' }\n"
               "local b = mech.body { name = 'b', mass = 1, inertia = %s, at = {3, 0, 0}, form = "
               "'%s' }\n"
               "local at, on = b:at(0, 0, 0):along(%s), mech.ground:at(3, 0, 0):along(%s)\n"
               "mech.revolute('A', a, mech.ground)\nmech.revolute('B', at, on)\nmech.gear('mesh', "
               "a, at, { teeth = {20, 30} })\n"
               "mech.motor(a:at(0, 0, 0), mech.ground, 5)\nobserve('spin', a:spin().z + "
               "(a:spin().z + 1.5*b:spin().%s))",
               forms[f], bevel ? "{3, 2, 2}" : "{2, 2, 3}", forms[f], bevel ? "1, 0, 0" : "0, 0, 1",
               bevel ? "1, 0, 0" : "0, 0, 1", bevel ? "x" : "z");
    const row rows[] = {{text[0], forced, 0.02, 300, spin, 1e-5},
                        {text[1], forced, 0.02, 300, spin, 1e-5}};
    CHECK(rows);
  }
  /* a planet on an arm about a sun that is at rest turns twice as fast as the arm; within a ring of
   * three times its radius, backwards */
  const row planets[] = {
      {WHEEL("planet",
             "{2, 0}") "local arm = mech.planar { name = 'arm', mass = 1, inertia = 3 "
                       "}\nmech.revolute('O', arm, mech.ground)\n"
                       "mech.revolute('P', planet, arm:at(2, 0))\nmech.gear('mesh', mech.ground, "
                       "planet, { radii = {1, 1}, "
                       "carrier = arm })\n"
                       "mech.torque(arm, mech.ground, 2)\nobserve('angle', planet.angle/2)",
       high, 0.02, 300, 18 * 2 / (3 + 2 * 4 + 0.25 * 4), 1e-9},
      {WHEEL("planet",
             "{2, 0}") "local arm = mech.planar { name = 'arm', mass = 1, inertia = 3 "
                       "}\nmech.revolute('O', arm, mech.ground)\n"
                       "mech.revolute('P', planet, arm:at(2, 0))\nmech.gear('mesh', mech.ground, "
                       "planet, { radii = {-3, 1}, "
                       "carrier = arm })\n"
                       "mech.torque(arm, mech.ground, 2)\nobserve('angle', -planet.angle/2)",
       high, 0.02, 300, 18 * 2 / (3 + 2 * 4 + 0.25 * 4), 1e-9},
  };
  CHECK(planets);
}

/* A coin that rolls round another goes round it as often as it was pushed, and turns twice; a disc
 * in a bowl is a pendulum of 3/2 of the length. */
static void on_circles(void **state) {
  (void)state;
  double swing[1];
  assert_null(observe("local a, p = pair('a') hamiltonian(p^2/2 - 9/(1.5*2)*cos(a)) start { a = 1 "
                      "} observe('phi', a)",
                      "gauss(6)", 0.01, 300, swing));
  const row rows[] = {
      {"local a = mech.planar { name = 'a', mass = 2, inertia = 0.25, at = {1, 0}, velocity = {0, "
       "1}, spin = 2 }\n"
       "mech.rolling('r', a, mech.ground, { radius = 0.5, circle = 0.5 })\nobserve('x', a.x.x)",
       high, 0.02, 500, cos(10), 1e-9},
      {"local a = mech.planar { name = 'a', mass = 2, inertia = 0.25, at = {1, 0}, velocity = {0, "
       "1}, spin = 2 }\n"
       "mech.rolling('r', a, mech.ground, { radius = 0.5, circle = 0.5 })\nobserve('angle', "
       "a.angle)",
       high, 0.02, 500, 20, 1e-9},
      {"mech.gravity(0, -9)\nlocal a = mech.planar { name = 'a', mass = 2, inertia = 0.25, at = "
       "{2*sin(1), -2*cos(1)} }\n"
       "mech.rolling('r', a, mech.ground, { radius = 0.5, circle = -2.5 })\nobserve('phi', "
       "atan2(a.x.x, -a.x.y))",
       high, 0.01, 300, swing[0], 1e-9},
      {"mech.gravity(0, -9)\nlocal a = mech.planar { name = 'a', mass = 2, inertia = 0.25, at = "
       "{2*sin(1), -2*cos(1)} }\n"
       "mech.rolling('r', a, mech.ground, { radius = 0.5, circle = -2.5 })\nobserve('angle', 1 - "
       "a.angle*0.5/2)",
       high, 0.01, 300, swing[0], 1e-9},
  };
  assert_true(fabs(swing[0] - 1) > 0.5);
  CHECK(rows);
}

/* Motors, dampers and springs about an axis in space, and angles that are prescribed. */
static void about_axes(void **state) {
  (void)state;
  static const char *const bodies[] = {
      "shape = mech.box { mass = 1, size = {1, 2, 3} }",
      "shape = mech.plate { mass = 1, size = {1, 2} }",
      "shape = mech.box { mass = 1, size = {1, 2, 3} }, form = 'quaternion'"};
  const double I = 5. / 12, d = 0.5, w = sqrt(4 - d * d),
               swing = 0.5 * exp(-2 * d) * (cos(2 * w) + d / w * sin(2 * w));
  for (int i = 0; i < 3; i++) {
    char text[2][900];
    snprintf(
        text[0], sizeof text[0],
        "local a = mech.body { name = 'a', %s }\nmech.revolute('A', a, mech.ground)\n"
        "mech.motor(a:at(0, 0, 0), mech.ground:at(0, 0, 0), 2*%.17g)\nobserve('spin', a:spin().z)",
        bodies[i], I);
    snprintf(
        text[1], sizeof text[1],
        "local a = mech.body { name = 'a', %s, angle = 0.5 }\nmech.revolute('A', a, mech.ground)\n"
        "local at = a:at(0, 0, 0)\nmech.torsion_spring(at, mech.ground:at(0, 0, 0), { k = 4*%.17g, "
        "angle = -0.5 })\n"
        "mech.torsion_damper(at, mech.ground:at(0, 0, 0), { c = %.17g })\nobserve('angle', "
        "mech.angle(at, mech.ground) + 0.5)",
        bodies[i], I, I);
    const row rows[] = {{text[0], forced, 0.02, 100, 4, 1e-6},
                        {text[1], forced, 0.02, 100, swing, 1e-6}};
    CHECK(rows);
  }
  const row drives[] = {
      {"local a = mech.planar { name = 'a', mass = 1, inertia = 1, angle = 0.3 "
       "}\nmech.revolute('A', a, mech.ground)\n"
       "mech.drive('m', a, mech.ground, 4*sin(time()))\nstart { project = true }\nobserve('angle', "
       "a.angle)",
       "rattle(midpoint)", 0.01, 200, 0.3 + 4 * sin(2), 1e-12},
      {BODY("a", "{0, 0, 0}") "mech.revolute('A', a, mech.ground)\n"
                              "mech.drive('m', mech.ground, a, -4*sin(time()))\nstart { project = "
                              "true }\nobserve('x', a.column[1].y)",
       "rattle(midpoint)", 0.01, 200, sin(4 * sin(2)), 1e-12},
      {"local a = mech.planar { name = 'a', mass = 1, inertia = 1, at = {2, 0} "
       "}\nmech.prismatic('p', a, mech.ground:at(0, "
       "0):along(1, 0))\n"
       "mech.distance('d', a, mech.ground, { length = 2 + sin(time()) })\nstart { project = true "
       "}\nobserve('x', a.x.x)",
       "rattle(verlet)", 0.01, 200, 2 + sin(2), 1e-12},
  };
  CHECK(drives);
}

/* The axis of the first point is the ground's, and the second has another. The angle of the ground
 * against the body is -turn about the axis: with k = I and 1 as the angle of the spring, turn =
 * cos t - 1. */
static void about_axes_of_the_ground(void **state) {
  (void)state;
#define HINGE(axis, more)                                                                          \
  "local g = mech.ground local b = mech.body { name = 'b', mass = 2, inertia = {0.4, 0.4, 0.4}"    \
  "" more " }\n"                                                                                   \
  "mech.revolute('j', g:here(0, 0, 0):along(" axis "), b:here(0, 0, 0):along(" axis "))\n"
#define SPRING(axis, b)                                                                            \
  "mech.torsion_spring(g:at(0, 0, 0):along(" axis "), " b ", { k = 0.4, angle = 1 })\n"
#define Y "observe('spin', b:spin().y)"
  const row rows[] = {
      {HINGE("0, 1, 0", "") SPRING("0, 1, 0", "b:at(0, 0, 0)") Y, high, 0.02, 100, -sin(2), 1e-12},
      {HINGE("0, 1, 0", ", form = 'quaternion'") SPRING("0, -1, 0", "b:at(0, 0, 0):along(0, 1, 0)")
           Y,
       high, 0.02, 100, sin(2), 1e-12},
      {HINGE("2, 3, 6", ", angle = 0.7, axis = {1, 2, 2}") SPRING(
           "2, 3, 6", "b") "observe('spin', mech.dot(b:turn(b:spin()), mech.vec3(2/7, 3/7, 6/7)))",
       high, 0.02, 100, -sin(2), 1e-12},
      {"local g, b = mech.ground, mech.body { name = 'b', shape = mech.rod { mass = 4.8, length = "
       "1 } }\n"
       "mech.spherical('j', b, g) constrain('flat', b.column[1].z)\n" SPRING(
           "0, 0, 1", "b") "observe('turn', b.column[1].y)",
       high, 0.02, 100, sin(cos(2) - 1), 1e-12},
      {HINGE("0, 1, 0", ", spin = {0, 4, 0}") "observe('a', mech.angle(g:at(0, 0, 0):along(0, 1, "
                                              "0), b))",
       high, 0.02, 100, -8, 1e-12},
      {HINGE("0, 1, 0", ", spin = {0, 1, 0}") "mech.torsion_damper(g:at(0, 0, 0):along(0, -1, 0), "
                                              "b, { c = 0.4 })\n" Y,
       forced, 0.02, 100, exp(-2), 1e-7},
      {HINGE("0, 1, 0", "") "mech.motor(g:at(0, 0, 0):along(0, -1, 0), b, 0.2)\n" Y, forced, 0.02,
       100, 1, 1e-9},
      {HINGE("0, 1, 0", "") "mech.motor('d', g:at(0, 0, 0):along(0, -1, 0), "
                            "b:at(0, 0, 0):along(0, 1, 0), { speed = time() })\n" Y,
       "rattle(verlet)", 0.02, 100, 2, 1e-12},
      {HINGE("0, 1, 0", "") "mech.drive('d', g:at(0, 0, 0):along(0, -1, 0), b, 4*sin(time()))\n"
                            "start { project = true }\nobserve('z', b.column[1].z)",
       "rattle(midpoint)", 0.01, 200, -sin(4 * sin(2)), 1e-12},
  };
  CHECK(rows);
}

/* Two shafts at 0.5 with a universal joint: the second turns by cos b/(1 - (sin b cos a)^2) as fast
 * as the first, a being the angle by which the first has turned since its axis in the joint was in
 * the plane of both. */
static void shafts(void **state) {
  (void)state;
  static const char model[] =
      "local angle = 0.5\nlocal d = mech.vec3(math.sin(angle), 0, math.cos(angle))\n"
      "local a = mech.body { name = 'a', mass = 1, inertia = {0.2, 0.2, 0.1}, at = {0, 0, -0.5}, "
      "spin = {0, 0, 10} }\n"
      "local b = mech.body { name = 'b', mass = 1, inertia = {0.2, 0.2, 0.3}, at = {0.5*d.x, 0, "
      "0.5*d.z}, axis = {0, 1, 0}, "
      "angle = angle }\n"
      "mech.revolute('in', mech.ground:at(0, 0, -1), a:at(0, 0, -0.5))\n"
      "mech.universal('cross', a:at(0, 0, 0.5):along(1, 0, 0), b:at(0, 0, -0.5):along(0, 1, 0))\n"
      "mech.cylindrical('out', b:at(0, 0, 0.5), mech.ground:at(d.x, 0, d.z):along(d.x, 0, "
      "d.z))\nstart { project = true }\n"
      "local ratio = math.cos(angle)/(1 - (math.sin(angle)*a.column[1].x)^2)\n";
  char text[2][1800];
  snprintf(text[0], sizeof text[0], "%sobserve('off', b:spin().z - ratio*a:spin().z)", model);
  snprintf(text[1], sizeof text[1], "%sobserve('turned', a:spin().z)", model);
  const row rows[] = {{text[0], high, 0.01, 300, 0, 1e-11}};
  CHECK(rows);
  double seen[ALL];
  assert_null(observe(text[1], high, 0.01, 300, seen));
  assert_true(seen[0] > 1);
}

static void sentences(void **state) {
  (void)state;
  static const char *const rows[][2] = {
      {WHEEL("a", "{1, 0}") "mech.distance('d', a, mech.ground, { length = 0 })",
       "must be positive"},
      {WHEEL("a", "{1, 0}") "mech.spring(a, mech.ground, { k = time(), length = 1 })",
       "found an expression"},
      {BODY("a", "{0, 0, 0}") BODY("b", "{1, 0, 0}") "mech.gear('g', a, b, { teeth = {1.5, 2} })",
       "whole number"},
      {BODY("a", "{0, 0, 0}") BODY("b", "{1, 0, 0}") "mech.gear('g', a, b, { radii = {1, 2} })",
       "needs teeth"},
      {BODY("a", "{0, 0, 0}") WHEEL("b", "{1, 0}") "mech.gear('g', a, b, { teeth = {1, 2} })",
       "two bodies in the plane or two in space"},
      {WHEEL("b", "{1, 0}") "mech.screw('s', b, mech.ground, { pitch = 1 })", "one in space"},
      {"local a = mech.body { name = 'a', shape = mech.rod { mass = 1, length = 1 } }\n"
       "mech.drive('d', mech.ground:at(0, 0, 0):along(1, 0, 0), a, time())",
       "m.lua:3: \"a\" has no thickness: its angle about its axis"},
      {BODY("a", "{0, 0, 0}") "mech.screw('s', a, mech.ground, { pitch = 0 })", "must not be 0"},
      {BODY("a", "{0, 0, 0}") "mech.rolls('r', a, mech.ground, { radius = 0 })",
       "the radius of what rolls must not be 0"},
      {BODY("a", "{0, 0, 0}") "mech.rolls('r', a, mech.ground, { radius = 1, outside = 0 })",
       "the radius of what it rolls in or on must be positive"},
      {BODY("a", "{0, 0, 0}") "mech.rolls('r', a, mech.ground, { radius = -1, inside = 2 })",
       "the radius of what rolls in or on another must be positive"},
      {BODY("a", "{0, 0, 0}") "mech.rolling('r', a, mech.ground, { radius = 1 })",
       "needs the axis of rolling and the direction across it"},
      {BODY("a", "{0, 0, 0}") "mech.rolling('r', a, mech.ground:at(0, 0, 0):along(1, 0, "
                              "0):across_to(0, 1, 0), { radius = 1 })",
       "not parallel"},
      {BODY("a", "{0, 0, 0}") "mech.rolling('r', a, mech.ground, { radius = 1, circle = 3 })",
       "one in the plane"},
      {WHEEL("b", "{1, 0}") "mech.rolling('r', b, mech.ground, { radius = 1, circle = -1 })",
       "inside a circle of its own radius"},
      {WHEEL("b", "{1, 0}") "mech.motor(b, mech.ground, 'x')", "expected a torque"},
      {BODY("a", "{0, 0, 0}") "mech.motor(a, 3, 1)", "two points of bodies"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    double seen[ALL];
    const char *message = observe(rows[i][0], "rattle(verlet)", 0.01, 1, seen);
    if (!message || !strstr(message, rows[i][1]))
      fail_msg("%s\n%s", rows[i][0], message ? message : "not refused");
  }
}

/* If most coordinates are 0, Newton's steps leave round-off in constraints that held to the last
 * bit: it does not count as growth. */
static void assembly(void **state) {
  (void)state;
  const row rows[] = {
      {"local cam = mech.planar { name = 'cam', mass = 1, inertia = 2e-3, at = {0, 0} }\n"
       "local follower = mech.planar { name = 'follower', mass = 0.2, inertia = 1e-4, at = {0, "
       "0.1} }\n"
       "mech.revolute('shaft', cam:at(0, 0), mech.ground:at(0, 0))\n"
       "mech.prismatic('guide', follower:at(0, 0), mech.ground:at(0, 0):along(0, 1))\n"
       "mech.on_curve('contact', follower:at(0, -0.05), cam:at(0, 0), function(x, y) return (x - "
       "0.01)^2 + y^2 - 0.04^2 end)\n"
       "mech.assemble { hold = {cam} }\nobserve('lift', follower.x.y)\n",
       high, 0.01, 1, 0.05 + sqrt(0.04 * 0.04 - 0.01 * 0.01), 1e-14},
  };
  CHECK(rows);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(in_one_direction),
                                     cmocka_unit_test(gears),
                                     cmocka_unit_test(on_circles),
                                     cmocka_unit_test(about_axes),
                                     cmocka_unit_test(about_axes_of_the_ground),
                                     cmocka_unit_test(shafts),
                                     cmocka_unit_test(sentences),
                                     cmocka_unit_test(assembly)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
