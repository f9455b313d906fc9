/* Mechanisms in joint coordinates against the same mechanisms in the coordinates of bodies: their
 * motions, loops and drives, forces in joints, robots. */
#include "../one_in.h"
#include "random_tree.h"

/* all kinds of trees among fewer seeds, whose kinds go by their rests by 3 and 4 */
enum { NEXT = TESTS_ONE_IN > 1 ? 5 : 1 };

/* Points of all bodies after some time, by methods of order 8 and 4 with small steps. */
static void bodies_and_joints_agree(void **unused) {
  (void)unused;
  for (int seed = 0; seed < 24; seed += NEXT) {
    const int plane = seed % 3 == 0, drives = seed % 4 == 3, bodies = 2 + seed % 4;
    made j = make(tree(seed, bodies, plane, drives, "joints"), "gauss(4)", 0.01, 0);
    assert_int_equal(rattle_problem_m(j.problem), 0);
    made b = make(tree(seed, bodies, plane, drives, "bodies"),
                  drives ? "suzuki4(rattle(midpoint))" : "kahan_li8(rattle(verlet))",
                  drives ? 0.0005 : 0.002, 0);
    step(&j, 20), step(&b, drives ? 400 : 100);
    for (int i = 1; i <= bodies; i++)
      for (int c = 1; c <= (plane ? 2 : 3); c++) {
        char name[32];
        snprintf(name, sizeof name, "p%d%d", i, c);
        const double x = seen(&j, name), y = seen(&b, name);
        if (!(fabs(x - y) < 2e-9)) fail_msg("seed %d, %s: %.15g and %.15g", seed, name, x, y);
      }
    assert_true(fabs(seen(&j, "E") - seen(&b, "E")) < 1e-8);
    unmake(&j), unmake(&b);
  }
}

/* What is not of the tree: a slider-crank that is closed by its guide, with a start that is
 * projected; a motor with a given speed, whose constraint is one on velocities; a drive and a rod of
 * fixed length; four bars in space, of which one hinge would do by two rows, whose bodies are turned,
 * so that its other three rows are round-off. */
static const struct {
  const char *text, *joints, *bodies;
  double h;
  int steps, m;
} closed[] = {
    {"local crank = mech.planar {name = 'b1', mass = 1, inertia = 0.2, at = {0, 0}, spin = 9}\n"
     "local rod = mech.planar {name = 'rod', shape = mech.rod {mass = 0.5, length = 1}, at = {0.8, "
     "0}}\n"
     "local piston = mech.planar {name = 'piston', mass = 0.8, inertia = 0.01, at = {1.3, 0}}\n"
     "mech.revolute('bearing', crank:at(0, 0), mech.ground:at(0, 0))\n"
     "mech.revolute('pin', rod:at(-0.5, 0), crank:at(0.3, 0))\n"
     "mech.revolute('wrist', rod:at(0.5, 0), piston:at(0, 0))\n"
     "mech.prismatic('guide', piston:at(0, 0), mech.ground:at(0, 0):along(1, 0))\n"
     "mech.gravity(0, -9.81) start {project = true}\nobserve('x', rod.x.y) observe('y', "
     "piston.x.x)\n",
     "kahan_li8(rattle(midpoint))", "kahan_li8(rattle(verlet))", 0.002, 200, 2},
    {"local a = mech.body {name = 'a', mass = 1, inertia = {0.1, 0.2, 0.25}, at = {1, 0, 0}}\n"
     "local b = mech.body {name = 'b', mass = 1, inertia = {0.1, 0.2, 0.25}, at = {3, 0, 0}}\n"
     "mech.revolute('pin', a:at(-1, 0), mech.ground:at(0, 0))\n"
     "mech.revolute('elbow', b:at(-1, 0):along(0, 1, 0), a:at(1, 0):along(0, 1, 0))\n"
     "mech.motor('motor', a:at(-1, 0), mech.ground:at(0, 0), {speed = 1 + 0.5*time()})\n"
     "mech.gravity(0, 0, -9.81) start {project = true}\nobserve('x', b.x.x) observe('y', b.x.z)\n",
     "suzuki4(rattle(midpoint))", "suzuki4(rattle(midpoint))", 0.005, 100, 1},
    {"local a = mech.body {name = 'a', mass = 1, inertia = {0.1, 0.2, 0.25}, at = {1, 0, 0}}\n"
     "local b = mech.body {name = 'b', mass = 1, inertia = {0.1, 0.2, 0.25}, at = {3, 0, 0}}\n"
     "mech.revolute('pin', a:at(-1, 0), mech.ground:at(0, 0))\n"
     "mech.spherical('elbow', b:at(-1, 0), a:at(1, 0))\n"
     "mech.drive('turn', a:at(-1, 0), mech.ground:at(0, 0), 0.4*time()^2)\n"
     "mech.distance('rope', b:at(1, 0.1), mech.ground:at(2, 2, 3))\n"
     "mech.gravity(0, 0, -9.81)\nobserve('x', b.x.x) observe('y', b.x.z)\n",
     "suzuki4(rattle(midpoint))", "suzuki4(rattle(verlet))", 0.002, 250, 2},
    {"local I = {0.1, 0.2, 0.25}\n"
     "local a = mech.body {name = 'a', mass = 1.3, inertia = I, at = {0.1, 0, 0.25}, angle = 0.3, "
     "axis = {1, 2, 0.5}, spin = {0, 1, 0}, point = {0.01, 0.02, 0}}\n"
     "local b = mech.body {name = 'b', mass = 0.6, inertia = I, at = {0.5, 0, 0.5}}\n"
     "local c = mech.body {name = 'c', mass = 0.6, inertia = I, at = {1, 0, 0.2}, angle = -0.7, "
     "axis = {1, 2, 0.5}}\n"
     "local function hinge(name, a, b, x, z)\n"
     "  mech.revolute(name, a:here(x, 0, z):along(0, 1, 0), b:here(x, 0, z):along(0, 1, 0)) end\n"
     "hinge('one', a, mech.ground, 0, 0) hinge('two', b, a, 0, 0.5) hinge('three', c, b, 1, 0.5)\n"
     "hinge('four', c, mech.ground, 1, -0.1) mech.gravity(0.5, 0, -9.81)\n"
     "start {project = true}\nobserve('x', b.x.x) observe('y', c.x.z)\n",
     "kahan_li8(rattle(midpoint))", "kahan_li8(rattle(verlet))", 0.002, 200, 2}};

static void loops_and_drives_agree(void **unused) {
  (void)unused;
  for (size_t i = 0; i < sizeof closed / sizeof *closed; i++) {
    made by[2];
    for (int joints = 0; joints < 2; joints++) {
      snprintf(text, sizeof text, "local mech = require 'mechanics'\nmech.coordinates '%s'\n%s",
               joints ? "joints" : "bodies", closed[i].text);
      by[joints] = make(text, joints ? closed[i].joints : closed[i].bodies, closed[i].h, 1);
      step(&by[joints], closed[i].steps);
    }
    assert_int_equal(rattle_problem_m(by[1].problem), closed[i].m);
    for (int c = 0; c < 2; c++) {
      const char *name = c ? "y" : "x";
      const double x = seen(&by[1], name), y = seen(&by[0], name);
      if (!(fabs(x - y) < 1e-8)) fail_msg("%zu, %s: %.15g and %.15g", i, name, x, y);
    }
    unmake(&by[0]), unmake(&by[1]);
  }
}

/* Forces and moments of the joints j of the bodies b: F1x, T1x ... on the body of the first point,
 * G1x ... on the other one in axes of the last body; momenta of bodies by their names. */
static const char *const reactions =
    "local function see(name, v) for i, c in ipairs {'x', 'y', 'z'} do\n"
    "  if type(v[i]) == 'userdata' then observe(name .. c, v[i]) end end end\n"
    "for i = 1, #j do\n"
    "  see('F' .. i, j[i]:force()) see('T' .. i, j[i]:torque())\n"
    "  see('G' .. i, j[i]:force {on = j[i].b.body, axes = b[#b]})\n"
    "end\n"
    "for i = 1, #b do\n"
    "  local function p(name, e) observe('P' .. b[i].name .. '.p' .. name, e) end\n"
    "  for c = 1, b[i].planar and 2 or 3 do p(('xyz'):sub(c, c), b[i].p[c]) end\n"
    "  if b[i].planar then p('angle', b[i].pangle) end\n"
    "  for k = 1, b[i].planar and 0 or 3 do for c = 1, b[i].moves[k] and 3 or 0 do\n"
    "    p(c .. k, b[i].moves[k][c]) end end\n"
    "end\n";

/* The state of the bodies of `j` becomes that of the model `b`. */
static void take_state(made *b, const made *j) {
  char name[64];
  for (int k = 0; k < b->n; k++) {
    const char *coordinate = rattle_model_coordinate_name(b->model, k);
    if (coordinate[0] != 'b') { /* the clock */
      for (int i = 0; i < j->n; i++)
        if (!strcmp(rattle_model_coordinate_name(j->model, i), coordinate))
          b->state.q[k] = j->state.q[i];
      continue;
    }
    snprintf(name, sizeof name, "P%s", rattle_model_momentum_name(b->model, k));
    b->state.q[k] = seen(j, coordinate), b->state.p[k] = seen(j, name);
  }
}

/* All forces and moments of by[1], in joint coordinates, are those of by[0]. */
static int compare_forces(made by[2], const char *what) {
  double largest = 0;
  int count = 0;
  for (int i = 0; i < rattle_model_observables(by[0].model); i++) {
    const char *name = rattle_model_observable_name(by[0].model, i);
    if (name[0] == 'F' || name[0] == 'T') largest = fmax(largest, fabs(seen(&by[0], name)));
  }
  for (int i = 0; i < rattle_model_observables(by[0].model); i++) {
    const char *name = rattle_model_observable_name(by[0].model, i);
    if (!strchr("FTG", name[0])) continue;
    const double x = seen(&by[1], name), y = seen(&by[0], name);
    if (!(fabs(x - y) <= 1e-10 * largest))
      fail_msg("%s, %s: %.15g and %.15g of %.3g", what, name, x, y, largest);
    count++;
  }
  assert_true(largest > 1);
  return count;
}

/* Forces in joints that are coordinates are those of the same joints as constraints. */
static void forces_are_those_of_bodies(void **unused) {
  (void)unused;
  for (int seed = 0; seed < 48; seed += NEXT) {
    const int plane = seed % 3 == 0, drives = seed % 4 == 3, bodies = 2 + seed % 4;
    char what[20];
    made by[2];
    for (int joints = 0; joints < 2; joints++) {
      tree(seed, bodies, plane, drives, joints ? "joints" : "bodies");
      strncat(text, reactions, sizeof text - strlen(text) - 1);
      by[joints] = make(text, joints ? "gauss(4)" : "rattle(midpoint)", 0.02, 0);
    }
    step(&by[1], 30);
    snprintf(what, sizeof what, "seed %d", seed);
    take_state(&by[0], &by[1]);
    assert_int_equal(compare_forces(by, what), bodies * (plane ? 5 : 9));
    unmake(&by[0]), unmake(&by[1]);
  }
}

/* The same beside constraints, whose multipliers act on the bodies, or on the angles, of the tree.
 */
static const struct {
  const char *name, *text;
} beside[] = {
    {"slider-crank with a motor",
     "local shape = mech.rod {mass = 0.5, length = 1}\n"
     "b[1] = mech.planar {name = 'b1', mass = 1, inertia = 0.2, at = {0, 0}, spin = 3}\n"
     "b[2] = mech.planar {name = 'b2', shape = shape, at = {0.8, 0}}\n"
     "b[3] = mech.planar {name = 'b3', mass = 0.8, inertia = 0.01, at = {1.3, 0}}\n"
     "j[1] = mech.revolute('bearing', b[1]:at(0, 0), mech.ground:at(0, 0))\n"
     "j[2] = mech.revolute('pin', b[2]:at(-0.5, 0), b[1]:at(0.3, 0))\n"
     "j[3] = mech.revolute('wrist', b[3]:at(0, 0), b[2]:at(0.5, 0))\n"
     "j[4] = mech.prismatic('guide', b[3]:at(0, 0), mech.ground:at(0, 0):along(1, 0))\n"
     "mech.motor(b[1], mech.ground, 0.3) mech.torsion_spring(b[1], b[2], {k = 2, angle = 0.4})\n"
     "mech.gravity(0.3, -9.81) start {project = true}\n"},
    {"a drive and a rope",
     "local I = {0.1, 0.2, 0.25}\n"
     "b[1] = mech.body {name = 'b1', mass = 1, inertia = I, at = {1, 0, 0}}\n"
     "b[2] = mech.body {name = 'b2', mass = 1, inertia = I, at = {3, 0, 0}}\n"
     "j[1] = mech.revolute('pin', mech.ground:at(0, 0), b[1]:at(-1, 0))\n"
     "j[2] = mech.spherical('elbow', b[1]:at(1, 0), b[2]:at(-1, 0))\n"
     "j[3] = mech.drive('turn', b[1]:at(-1, 0), mech.ground:at(0, 0), 0.4*time()^2)\n"
     "j[4] = mech.distance('rope', b[2]:at(1, 0.1), mech.ground:at(2, 2, 3))\n"
     "mech.gravity(0, 0, -9.81)\n"},
    {"a nut on a thread", /* whose angle is that of the cylinder, a coordinate */
     "b[1] = mech.body {name = 'b1', mass = 1, inertia = {0.2, 0.3, 0.4}, at = {0.1, 0, 0.2}}\n"
     "j[1] = mech.cylindrical('sleeve', b[1]:here(0, 0, 0), mech.ground:at(0, 0, 0))\n"
     "local a = mech.angle(b[1]:here(0, 0, 0), mech.ground:at(0, 0, 0))\n"
     "j[2] = mech.slide('thread', b[1]:here(0, 0, 0), mech.ground:at(0, 0, 0), 0.3*a)\n"
     "mech.gravity(0, 1, -9.81)\n"},
    {"a planet wheel",
     "b[1] = mech.planar {name = 'b1', mass = 1, inertia = 0.3, at = {0.5, 0}, spin = 2}\n"
     "b[2] = mech.planar {name = 'b2', mass = 1, inertia = 0.1, at = {1, 0}}\n"
     "j[1] = mech.revolute('O', b[1]:at(-0.5, 0), mech.ground:at(0, 0))\n"
     "j[2] = mech.revolute('A', b[1]:at(0.5, 0), b[2]:at(0, 0))\n"
     "j[3] = mech.gear('m', b[2], mech.ground, {radii = {0.3, 0.7}, carrier = b[1]})\n"
     "mech.gravity(0.3, -9.81) start {project = true}\n"},
    {"a motor with a speed, and a blade",
     "local I = {0.1, 0.2, 0.25}\n"
     "b[1] = mech.body {name = 'b1', mass = 1, inertia = I, at = {1, 0, 0}}\n"
     "b[2] = mech.body {name = 'b2', mass = 1.5, inertia = I, at = {3, 0, 0}}\n"
     "j[1] = mech.revolute('pin', b[1]:at(-1, 0), mech.ground:at(0, 0))\n"
     "j[2] = mech.spherical('elbow', b[2]:at(-1, 0), b[1]:at(1, 0))\n"
     "j[3] = mech.motor('motor', b[1]:at(-1, 0), mech.ground:at(0, 0), {speed = 1 + 0.5*time()})\n"
     "velocity_constrain('blade', b[2]:velocity(b[2]:at(1, 0)).z)\n"
     "mech.gravity(0, 0, -9.81) start {project = true}\n"},
    {"a ball that rolls, with a vane", /* what floats gets its coordinates at the end of the file */
     "local I = {0.1, 0.2, 0.25}\n"
     "b[1] = mech.body {name = 'b1', shape = mech.ball {mass = 3, radius = 0.5}, at = {0, 0, "
     "0.5},\n"
     "  spin = {1, 0, 0.5}}\n"
     "b[2] = mech.body {name = 'b2', mass = 0.5, inertia = I, at = {0.4, 0.1, 1}}\n"
     "j[1] = mech.revolute('pin', b[2]:here(0.1, 0, 0.8):along(1, 1, 0),\n"
     "  b[1]:here(0.1, 0, 0.8):along(1, 1, 0))\n"
     "j[2] = mech.rolls('ball', b[1]:at(0, 0), mech.ground:at(0, 0), {radius = 0.5})\n"
     "mech.gravity(0.5, 0, -9.81) start {project = true}\n"},
};

static void forces_beside_constraints(void **unused) {
  (void)unused;
  for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
    made by[2];
    for (int joints = 0; joints < 2; joints++) {
      snprintf(text, sizeof text,
               "local mech = require 'mechanics'\nmech.coordinates '%s'\nlocal b, j = {}, {}\n%s%s",
               joints ? "joints" : "bodies", beside[i].text, reactions);
      by[joints] = make(text, "rattle(midpoint)", 0.01, 1);
    }
    step(&by[1], 30);
    take_state(&by[0], &by[1]);
    assert_true(compare_forces(by, beside[i].name) >= 9);
    unmake(&by[0]), unmake(&by[1]);
  }
}

/* A robot with joints of all kinds, rotors, springs and dampers, a joint that follows another, and
 * links without mass in a row: its forces at the start, and where it is later. */
static const char *const robot =
    "local mech = require 'mechanics'\nmech.coordinates '%s'\nmech.gravity(0.4, 0, -9.81)\n"
    "local I, b, j = {0.02, 0.03, 0.035, 0.002, 0, 0.001}, {}, {}\n"
    "local r = mech.links { {name = 'base'},\n"
    "  {name = 'one', parent = 'base', type = 'revolute', axis = {0, 1, 0.2}, origin = {0, 0, 1},\n"
    "   position = 0.3, rate = 1.5, armature = 0.3, damping = 0.2, mass = 2, com = {0.2, 0, 0.1},\n"
    "   inertia = I},\n"
    "  {name = 'two', parent = 'one', type = 'prismatic', axis = {1, 0, 0}, origin = {0.5, 0, 0},\n"
    "   rpy = {0.1, 0.4, 0}, position = 0.1, ref = 0.02, rate = -0.4, armature = 0.2, damping = "
    "0.3,\n"
    "   stiffness = 40, rest = 0.05, mass = 1, com = {0.1, 0, 0}, inertia = I},\n"
    "  {name = 'x', parent = 'two', type = 'revolute', axis = {1, 0, 0}, origin = {0.3, 0, 0},\n"
    "   rate = 2, damping = 0.02, position = 0.2},\n"
    "  {name = 'y', parent = 'x', type = 'revolute', axis = {0, 1, 0}, armature = 0.05, rate = "
    "1},\n"
    "  {name = 'z', parent = 'y', type = 'revolute', axis = {0, 0, 1}, rate = -1, stiffness = 2,\n"
    "   mass = 1.5, com = {0.2, 0.1, 0}, inertia = I},\n"
    "  {name = 'geared', parent = 'one', type = 'revolute', axis = {0, 0, 1}, origin = {0, 0.3, "
    "0},\n"
    "   mimic = {joint = 'two', multiplier = 3, offset = 0.1}, mass = 0.7, com = {0.1, 0, 0},\n"
    "   inertia = I, damping = 0.1},\n"
    "  {name = 'ball', parent = 'two', type = 'spherical', origin = {0, 0, -0.2}, damping = 0.05,\n"
    "   spin = {1, 2, 0.5}, mass = 0.5, com = {0, 0.1, -0.2}, inertia = I},\n"
    "  {name = 'loose', parent = 'base', type = 'free', origin = {2, 0, 0}, velocity = {1, 2, 0},\n"
    "   spin = {0.3, 0, 1}, armature = 0.4, mass = 1, com = {0.1, 0, 0.05}, inertia = I},\n"
    "  {name = 'slab', parent = 'base', type = 'planar', axis = {0, 0, 1}, origin = {-2, 0, 0},\n"
    "   velocity = {1, 0, 0}, spin = {0, 0, 2}, mass = 1, com = {0.1, 0, 0.05}, inertia = I} }\n"
    "for i, name in ipairs {'one', 'two', 'geared', 'ball', 'slab'} do\n"
    "  for c, l in ipairs {'x', 'y', 'z'} do\n"
    "    observe('F' .. name .. l, r:joint(name):force()[c])\n"
    "    observe('T' .. name .. l, r:joint(name):torque()[c])\n"
    "  end end\n"
    "for _, name in ipairs {'one', 'two', 'x', 'y', 'z', 'geared'} do\n"
    "  observe('position ' .. name, r:position(name)) observe('rate ' .. name, r:rate(name)) end\n"
    "for _, name in ipairs {'z', 'ball', 'loose', 'slab'} do\n"
    "  for c, l in ipairs {'x', 'y', 'z'} do\n"
    "    observe('position ' .. name .. '.' .. l, r:point(name, {0.1, 0.2, 0}):position()[c])\n"
    "  end end\n"
    "observe('position by energy', mech.energy())\n";

static void robots_agree(void **unused) {
  (void)unused;
  made by[2];
  char own[6000];
  for (int joints = 0; joints < 2; joints++) {
    snprintf(own, sizeof own, robot, joints ? "joints" : "bodies");
    by[joints] = make(own, "suzuki4(rattle(midpoint))", joints ? 0.002 : 0.001, 0);
  }
  assert_true(rattle_problem_m(by[1].problem) == 1 && by[1].n == 20);
  assert_int_equal(compare_forces(by, "robot"), 30);
  for (int later = 0; later < 2; later++) {
    int count = 0;
    for (int i = 0; i < rattle_model_observables(by[0].model); i++) {
      const char *name = rattle_model_observable_name(by[0].model, i);
      if (strncmp(name, "position", 8) != 0 && strncmp(name, "rate", 4) != 0) continue;
      const double x = seen(&by[1], name), y = seen(&by[0], name);
      if (!(fabs(x - y) <= (later ? 1e-7 : 1e-12) * (1 + fabs(y))))
        fail_msg("%s, %d: %.15g and %.15g", name, later, x, y);
      count++;
    }
    assert_int_equal(count, 25);
    if (!later) step(&by[1], 100), step(&by[0], 200);
  }
  unmake(&by[0]), unmake(&by[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bodies_and_joints_agree),
      cmocka_unit_test(loops_and_drives_agree),
      cmocka_unit_test(forces_are_those_of_bodies),
      cmocka_unit_test(forces_beside_constraints),
      cmocka_unit_test(robots_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
