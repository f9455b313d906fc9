/* Ropes, belts, bushings and beams of "mechanics", against closed forms. */
#include "observed.h"

#define RAIL(name, at)                                                                             \
  "mech.prismatic('" name " rail', " name ", mech.ground:at(" at "):along(0, 1))\n"
/* Four parts of the rope carry the load, one the hand. */
#define TACKLE                                                                                     \
  "mech.gravity(0, -10)\n" WHEEL("load", "{0, -2}") WHEEL("hand", "{1, -1}") RAIL("load", "0, 0")  \
      RAIL("hand",                                                                                 \
           "1, 0") "local top, right, block = mech.ground:at(0, 0), mech.ground:at(1, 0), "        \
                   "load:at(0, 0)\nlocal rope = mech.rope('rope', {top, block, top, block, "       \
                   "top, right, hand})\n"

#define SLACK                                                                                      \
  WHEEL("load", "{0, -1}")                                                                         \
  "mech.rope('rope', {mech.ground:at(0, 0), load}, { length = 1.5 - 0.5*time(), slack = true, "    \
  "restitution = 0.5 })\nobserve('y', load.x.y)"

static void ropes(void **state) {
  (void)state;
  const double a = (4 * 2 * 10 - 2 * 10) / (2 + 16 * 2.),
               T = 2 * (10 - 4 * a); /* of the load, up */
  const row rows[] = {
      {TACKLE "observe('y', load.x.y)", high, 0.005, 100, -2 + a / 8, 1e-12},
      {TACKLE "observe('T', rope:tension())", high, 0.005, 100, T, 1e-10},
      {TACKLE "observe('on load', rope:force { on = load }.y)", high, 0.005, 100, 4 * T, 1e-10},
      {TACKLE "observe('on ground', rope:force { on = mech.ground }.y)", high, 0.005, 100, -5 * T,
       1e-10},
      {TACKLE "observe('across', rope:force { on = mech.ground }.x)", high, 0.005, 100, 0, 1e-10},
      /* a ring on a rope between two hooks at one height, at rest: 2 T sin = m g, sin = 4/5 */
      {"mech.gravity(0, 0, -10)\n" BODY(
           "ring", "{0, 0, -4}") "local rope = mech.rope('rope', {mech.ground:at(-3, 0, 0), ring, "
                                 "mech.ground:at(3, 0, 0)})\nobserve('T', rope:tension())",
       high, 0.01, 10, 20 / 1.6, 1e-10},
      /* a winch: on the way down with 0.5 */
      {"mech.gravity(0, -10)\n" WHEEL("load", "{0, -2}")
           RAIL("load", "0, 0") "mech.rope('rope', {mech.ground:at(0, 0), load}, { length = 2 + "
                                "0.5*time() })\nstart { project = true }\nobserve('y', load.x.y)",
       high, 0.01, 100, -2.5, 1e-13},
      /* a winch takes in a slack rope with 0.5; it is taut at 1, and pulls a load at rest with 0.5 e
       * more: 0.2 later */
      {SLACK, high, 0.01, 120, -1 + 0.2 * 0.75, 1e-13},
      {"mech.coordinates 'joints'\n" SLACK, high, 0.01, 120, -1 + 0.2 * 0.75, 1e-13},
  };
  CHECK(rows);
}

#define WHEELS                                                                                     \
  WHEEL("a", "{0, 0}")                                                                             \
  WHEEL("b", "{1, 0.5}")                                                                           \
  "mech.revolute('A', a, mech.ground:at(0, 0))\nmech.revolute('B', b, mech.ground:at(1, 0.5))\n"   \
  "mech.torque(a, mech.ground, 3)\n"

static void belts(void **state) {
  (void)state;
  const double turned = 3 / (0.25 + 0.25 / 4) / 2; /* of a, after one unit of time */
  const row rows[] = {
      {WHEELS "mech.belt('belt', a, b, { radii = {0.2, 0.4} })\nobserve('a', a.angle)", high, 0.01,
       100, turned, 1e-11},
      {WHEELS "mech.belt('belt', a, b, { radii = {0.2, 0.4} })\nobserve('b', b.angle)", high, 0.01,
       100, turned / 2, 1e-11},
      {WHEELS "mech.belt('belt', a, b, { radii = {0.2, 0.4}, crossed = true })\nobserve('b', "
              "b.angle)",
       high, 0.01, 100, -turned / 2, 1e-11},
  };
  CHECK(rows);
}

static void bushings(void **state) {
  (void)state;
  const double omega = sqrt(50. / 2 - 1), tilt = asin(2 * 1.2 / 8) / 2;
  const row rows[] = {
      /* m x'' + c x' + k x = 0 from x' = 1, and the same of the angle */
      {"local a = mech.planar { name = 'a', mass = 2, inertia = 0.25, velocity = {1, 0} }\n"
       "mech.bushing('rubber', a, mech.ground, { k = {50, 20}, c = 4 })\nobserve('x', a.x.x)",
       forced, 0.001, 1000, exp(-1) * sin(omega) / omega, 1e-9},
      {"local a = mech.planar { name = 'a', mass = 2, inertia = 0.25, spin = 1 }\n"
       "mech.bushing('rubber', mech.ground, a, { turn = 6.25, turn_c = 0.5 })\nobserve('x', "
       "a.angle)",
       forced, 0.001, 1000, exp(-1) * sin(sqrt(24)) / sqrt(24), 1e-9},
      /* slack at the start, also of points that are apart; no damping of what turns as one */
      {"local a = mech.planar { name = 'a', mass = 2, inertia = 0.25, at = {1, 0} }\n"
       "mech.bushing('rubber', a, mech.ground, { k = 50, turn = 3 })\nobserve('x', a.x.x)",
       forced, 0.01, 100, 1, 1e-14},
      {"local b = mech.planar { name = 'b', mass = 2, inertia = 0.25, spin = 1 }\n"
       "local a = mech.planar { name = 'a', mass = 2, inertia = 0.25, at = {1, 0}, spin = 1, "
       "velocity = {0, 1} }\nmech.bushing('rubber', a, b, { c = 100 })\nobserve('p', a.p.y)",
       forced, 1e-4, 1, 2, 1e-5},
      /* at rest: a force k z, and a moment k sin cos */
      {BODY("a", "{0, 0, 0}") "mech.load(a, {0, 0, -5})\nmech.bushing('rubber', a, mech.ground, { "
                              "k = {30, 40, 50}, c = 20 })\nobserve('z', a.x.z)",
       forced, 0.02, 2000, -0.1, 1e-12},
      {BODY("a", "{0, 0, 0}") "mech.motor(a:at(0, 0, 0):along(0, 1, 0), mech.ground, 1.2)\n"
                              "mech.bushing('rubber', a, mech.ground, { turn = {3, 8, 5}, turn_c = "
                              "6 })\nobserve('tilt', asin(a:turn(mech.vec3(1, 0, 0)).z))",
       forced, 0.02, 2000, -tilt, 1e-12},
  };
  CHECK(rows);
}

/* Two free bodies keep their momenta, whatever is between them. */
static void between_bodies(void **state) {
  (void)state;
  static const char *const text =
      "local a = mech.body { name = 'a', mass = 2, inertia = {1, 1.2, 0.5}, spin = {0.3, -0.5, "
      "0.7}, velocity = {0.1, 0.2, -0.4} }\n"
      "local b = mech.body { name = 'b', mass = 3, inertia = {2, 1, 1.5}, at = {1, 0.4, -0.3}, "
      "rotation = mech.about({1, 2, 3}, 0.8), spin = {-0.2, 0.4, 0.1} }\n"
      "mech.bushing('rubber', a:at(0.4, 0.1, 0), b:at(-0.3, 0.2, 0.1), { k = {3, 5, 7}, c = {0.5, "
      "0.2, 0.9}, turn = {2, 4, 3}, turn_c = {0.1, 0.3, 0.2} })\n"
      "local L = a:angular_momentum() + b:angular_momentum() + mech.cross(a.x, a.p) + "
      "mech.cross(b.x, b.p)\n"
      "for i = 1, 3 do observe('L' .. i, L[i]) observe('p' .. i, a.p[i] + b.p[i]) end\n"
      "observe('energy', mech.energy())";
  double before[ALL], after[ALL];
  assert_null(observe(text, forced, 0.01, 0, before));
  assert_null(observe(text, forced, 0.01, 300, after));
  for (int k = 0; k < 6; k++)
    if (!(fabs(after[k] - before[k]) <= 1e-9)) fail_msg("%d: %.15g, %.15g", k, before[k], after[k]);
  assert_true(after[6] < before[6] - 0.05);
}

/* The tip of a cantilever sags by F L^3/(3 E I), and by 1/(2 n^2) of that more with n pieces. */
static void beams(void **state) {
  (void)state;
#define BEAM(n)                                                                                    \
  "local beam = mech.beam { name = 'b', from = {0, 0}, to = {2, 0}, pieces = " n                   \
  ", mass = 1, bending = 10 }\nbeam:clamp('wall', beam.from, mech.ground:at(0, 0))\n"              \
  "mech.load(beam.to, {0, -1e-4})\nmech.damper(beam.to, mech.ground:at(2, -1), { c = 5 })\n"       \
  "observe('tip', beam.to:position().y)"
  const double sag = -1e-4 * 8 / 30;
  const row rows[] = {
      {BEAM("1"), forced, 0.02, 4000, sag * 1.5, 1e-11},
      {BEAM("4"), forced, 0.02, 4000, sag * (1 + 1 / 32.), 1e-11},
      {BEAM("6"), forced, 0.02, 4000, sag * (1 + 1 / 72.), 1e-11},
  };
  CHECK(rows);
}

static void sentences(void **state) {
  (void)state;
  static const char *const rows[][2] = {
      {WHEEL("a", "{0, 0}") "mech.rope('r', {a})", "at least two points"},
      {"mech.rope('r', {mech.ground:at(0, 0), mech.ground:at(1, 0)})", "a body that moves"},
      {WHEEL("a", "{0, 0}") BODY("b", "{0, 0, 1}") "mech.rope('r', {a, b})", "one in space"},
      {WHEEL("a", "{0, 0}") "mech.rope('r', {a, 3})", "number 2 is a number"},
      {WHEEL("a", "{0, 0}") "mech.rope('r', {a, mech.ground:at(1, 0)}, { length = -1 })",
       "must be positive"},
      {WHEEL("a", "{0, 0}") "mech.rope('r', {a, mech.ground:at(1, 0)}, { restitution = 0.5 })",
       "add slack = true"},
      {WHEEL("a", "{0, 0}") "mech.rope('r', {a, mech.ground:at(1, 0)}, { slack = 0.5 })",
       "true or false"},
      {WHEEL(
           "a",
           "{0, 0}") "mech.rope('r', {a, mech.ground:at(1, 0)}, { slack = true, restitution = 2 })",
       "from 0 to 1"},
      {WHEEL("a",
             "{0, 0}") "mech.rope('r', {a, mech.ground:at(1, 0)}, { slack = true, length = 0.5 "
                       "})",
       "is -0.5 where it begins"},
      {WHEELS "mech.belt('b', a, b, { radii = {2, 0.1} })", "one in the other"},
      {WHEELS "mech.belt('b', a, b)", "needs radii"},
      {BODY("a", "{0, 0, 0}") "mech.belt('b', a, mech.ground, { radii = {1, 2} })", "use gear"},
      {WHEEL("a", "{0, 0}") "mech.bushing('b', a, mech.ground, { k = {1, 2, 3} })", "list of 2"},
      {WHEEL("a", "{0, 0}") "mech.bushing('b', a, mech.ground, { turn = {1} , k = 1, d = 2})",
       "no option \"d\""},
      {"mech.beam { name = 'b', from = {0, 0}, to = {0, 0}, mass = 1, bending = 1 }", "one place"},
      {"mech.beam { name = 'b', from = {0, 0}, to = {1, 0}, mass = 1, bending = 1, pieces = 2.5 }",
       "whole number"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    double seen[ALL];
    const char *message = observe(rows[i][0], high, 0.01, 1, seen);
    if (!message || !strstr(message, rows[i][1]))
      fail_msg("%s\n%s", rows[i][0], message ? message : "not refused");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(ropes),    cmocka_unit_test(belts),
                                     cmocka_unit_test(bushings), cmocka_unit_test(between_bodies),
                                     cmocka_unit_test(beams),    cmocka_unit_test(sentences)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
