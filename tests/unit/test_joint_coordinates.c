/* Mechanisms in joint coordinates: random trees against the same mechanisms in the coordinates of
 * bodies, the sweeps against the derivatives of H as an expression, pendulums against their
 * Lagrangians, momenta of what floats, and what is refused. */
#include "evaluators.h"

#include <float.h>

#include "made.h"
#include "problem/functions/problem.h"
#include "problem/model/model.h"

/* N bodies on joints of all kinds, each to the ground or to one before it, from either side; plane =
 * 1: hinges and slides in the plane. drives: springs, a force of time, dampers. */
static const char *const random_tree =
    "local mech = require 'mechanics'\n"
    "local state, N, plane, drives, which = %d, %d, %d, %d, '%s'\n"
    "mech.coordinates(which)\n"
    "local function r(a, b) state = state*16807 %% 2147483647\n"
    "  return a + (b - a)*state/2147483647 end\n"
    "local function any(a) return {r(-a, a), r(-a, a), plane == 1 and 0 or r(-a, a)} end\n"
    "mech.gravity(plane == 1 and 1 or 0, plane == 1 and -9.81 or 2, plane == 1 and 0 or -9.81)\n"
    "local b, j, pin = {}, {}\n"
    "local space = {'revolute', 'prismatic', 'spherical', 'universal', 'cylindrical', "
    "'planar_joint', 'fixed', 'revolute'}\n"
    "local flat = {'revolute', 'prismatic', 'revolute'}\n"
    "for i = 1, N do\n"
    "  local d = {r(0.1, 0.4), r(0.1, 0.4), r(0.1, 0.4)}\n"
    "  local o = {name = 'b' .. i, mass = r(0.5, 2), at = any(1), angle = r(-3, 3)}\n"
    "  if plane == 1 then o.inertia = d[1] else o.axis = any(1)\n"
    "    o.inertia = {d[2] + d[3], d[3] + d[1], d[1] + d[2], 0.002, 0, -0.004} end\n"
    "  b[i] = plane == 1 and mech.planar(o) or mech.body(o)\n"
    "  local k = i == 1 and 0 or math.floor(r(0, i))\n"
    "  local to, p = k > 0 and b[k] or mech.ground, any(1)\n"
    "  local one, two = b[i]:here(p[1], p[2], p[3]), to:here(p[1], p[2], p[3])\n"
    "  if r(0, 1) < 0.5 and to ~= mech.ground then one, two = two, one end\n"
    "  local kinds = plane == 1 and flat or space\n"
    "  local kind, a = kinds[i == 1 and 1 or math.floor(r(1, #kinds + 0.999))], any(1)\n"
    "  if kind == 'universal' then\n"
    "    local u = mech.unit(mech.vec3(a[2], -a[1], 0))\n"
    "    one:along(u.x, u.y, u.z) two:along(a[1], a[2], a[3])\n"
    "  elseif plane == 0 or kind == 'prismatic' then\n"
    "    one:along(a[1], a[2], a[3]) two:along(a[1], a[2], a[3]) end\n"
    "  j[i] = mech[kind]('j' .. i, one, two)\n"
    "  if i == 1 then pin = plane == 1 and {b[1], mech.ground} or {one, two} end\n"
    "end\n"
    "if drives == 1 then\n"
    "  mech.spring(b[N]:at(0.1, 0.2), b[1]:at(0, 0.1), {k = 3, length = 0.2})\n"
    "  mech.damper(b[N]:at(0.1, 0.2), mech.ground:at(3, 3), {c = 0.3})\n"
    "  mech.push(b[N]:at(0, 0.1), {sin(3*time()), 0.5, 0})\n"
    "  mech.torsion_damper(pin[1], pin[2], {c = 0.4})\n"
    "  mech.motor(pin[2], pin[1], 0.3*cos(time()))\n"
    "end\n"
    "for i = 1, N do for _, x in ipairs(b[i]:at(0.2, 0.1):position()) do\n"
    "  if type(x) == 'userdata' then observe('p' .. i .. _, x) end\n"
    "  end end\n"
    "observe('E', mech.energy())\n";

static char text[8000];

static const char *tree(int seed, int bodies, int plane, int drives, const char *which) {
  snprintf(text, sizeof text, random_tree, 1000 + 7919 * seed, bodies, plane, drives, which);
  return text;
}

/* All observables by name. */
static double seen(const made *m, const char *name) {
  double all[600];
  rattle_error error;
  const int count = rattle_model_observables(m->model);
  assert_true(count <= 600);
  assert_int_equal(rattle_problem_observe(m->problem, m->state.q, m->state.p, all, &error),
                   RATTLE_OK);
  for (int i = 0; i < count; i++)
    if (!strcmp(rattle_model_observable_name(m->model, i), name)) return all[i];
  fail_msg("no observable %s", name);
  return NAN;
}

static void step(made *m, long long steps) {
  rattle_error error;
  if (rattle_integrator_step(m->integrator, &m->state, steps, &error))
    fail_msg("%s", error.message);
}

/* Points of all bodies after some time, by methods of order 8 and 4 with small steps. */
static void bodies_and_joints_agree(void **unused) {
  (void)unused;
  for (int seed = 0; seed < 24; seed++) {
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
  for (int seed = 0; seed < 48; seed++) {
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

/* The sweeps give H and its derivatives, which the expression has by the chain rule. */
static void sweeps_are_the_gradient(void **unused) {
  (void)unused;
  static const double wound[] = {0, 3, 700, 3e6};
  for (int seed = 0; seed < 24; seed++) {
    made m = make(tree(seed, 6, seed % 3 == 0, 0, "joints"), "midpoint", 0.01, 0);
    const rattle__function *H = m.problem->H;
    rattle_graph *graph = rattle_model_graph(m.model);
    const rattle_expr e = rattle_model_hamiltonian(m.model);
    double z[120], x[120], Y[120], value, *work = malloc(H->work * sizeof *work), most = 0;
    assert_true(m.problem->swept && work && 2 * m.n <= 120);
    for (int k = 0; k < m.n; k++) {
      const int turns = strstr(rattle_model_coordinate_name(m.model, k), ".angle") != NULL;
      z[k] = m.state.q[k] + 0.3 * sin(1 + k + seed), z[m.n + k] = cos(2.0 * k + seed);
      if (turns) z[k] += wound[seed % 4] * (k - 2);
      x[2 * k] = z[k], x[2 * k + 1] = z[m.n + k];
    }
    assert_int_equal(H->jacobian(H, z, &value, Y, work), 0);
    for (int c = 0; c < 2 * m.n; c++) most = fmax(most, fabs(Y[c]));
    assert_true(fabs(value - rattle_expr_evaluate(graph, e, x)) < 1e-12 * (1 + fabs(value)));
    for (int k = 0; k < m.n; k++)
      for (int part = 0; part < 2; part++) {
        const rattle_expr d = rattle_expr_derivative(graph, e, 2 * k + part);
        const double y = Y[k + part * m.n];
        if (!(fabs(y - rattle_expr_evaluate(graph, d, x)) <= 1e-12 * most))
          fail_msg("seed %d: derivative by %d is %.15g", seed, 2 * k + part, y);
      }
    free(work);
    unmake(&m);
  }
}

/* Second derivatives are those of the expression, however large coordinates and momenta are. */
static void second_derivatives_are_exact(void **unused) {
  (void)unused;
  static const double sizes[][2] = {{0.3, 1}, {1e-9, 1e6}, {1, 1e-6}, {0, 0}};
  for (int seed = 0; seed < 16; seed++) {
    made m = make(tree(seed, 3, seed % 3 == 0, seed % 2, "joints"), "midpoint", 0.01, 0);
    const rattle__function *H = m.problem->energy ? m.problem->energy : m.problem->H;
    rattle_graph *graph = rattle_model_graph(m.model);
    const double *size = sizes[seed % 4];
    const int n = m.n, vars = 2 * n;
    double z[60], x[60], most[3] = {0}, *S = malloc((size_t)H->hess_nnz * sizeof *S),
                         *work = malloc(H->work * sizeof *work);
    assert_true(m.problem->swept && S && work && vars <= 60 && H->hess_nnz == vars * vars);
    for (int k = 0; k < n; k++) {
      z[k] = x[2 * k] = m.state.q[k] + size[0] * sin(1 + k + seed);
      z[n + k] = x[2 * k + 1] = size[1] * cos(2.0 * k + seed);
    }
    assert_int_equal(H->hessian(H, z, NULL, S, work), 0);
    for (int i = 0; i < vars; i++)
      for (int j = 0; j < vars; j++)
        most[i / n + j / n] = fmax(most[i / n + j / n], fabs(S[i * vars + j]));
    for (int i = 0; i < vars; i++) {
      const rattle_expr first =
          rattle_expr_derivative(graph, rattle_model_hamiltonian(m.model), 2 * (i % n) + i / n);
      for (int j = 0; j <= i; j++) {
        const rattle_expr second = rattle_expr_derivative(graph, first, 2 * (j % n) + j / n);
        const double right = rattle_expr_evaluate(graph, second, x);
        if (!(fabs(S[i * vars + j] - right) <= 1e-11 * most[i / n + j / n]))
          fail_msg("seed %d: %d, %d: %.15g, not %.15g", seed, i, j, S[i * vars + j], right);
      }
    }
    free(S), free(work);
    unmake(&m);
  }
}

/* Several points at once, in lanes where the processor has them, are those points one by one, to the
 * bit. */
static void lanes_have_the_bits_of_one(void **unused) {
  (void)unused;
  enum { POINTS = 11 };
  for (int seed = 1; seed < 5; seed++) {
    made m = make(tree(seed, 5, seed == 3, 0, "joints"), "midpoint", 0.01, 0);
    const rattle__function *H = m.problem->H;
    const int vars = H->vars;
    double *x = malloc((size_t)(3 * POINTS * vars) * sizeof *x), *J = x + POINTS * vars,
           *one = J + POINTS * vars, *work = malloc(H->work * sizeof *work);
    assert_true(x && work);
    for (int i = 0; i < POINTS * vars; i++)
      x[i] = (i % 7 ? 1 : i % 3 ? 90 : 2e6) * sin(1.7 * i + seed);
    for (int i = 0; i < POINTS; i++)
      assert_int_equal(H->jacobian(H, x + i * vars, NULL, one + i * vars, work), 0);
    for (int count = 1; count <= POINTS && H->jacobians; count++) {
      memset(J, 0, (size_t)(POINTS * vars) * sizeof *J);
      assert_int_equal(H->jacobians(H, count, x, J, work), 0);
      assert_memory_equal(J, one, (size_t)(count * vars) * sizeof *J);
    }
    free(x), free(work);
    unmake(&m);
  }
}

/* Two rods of mass 1 and length 1 on hinges, from the Lagrangian in the angles a and a + b: M = [[8/3
 * + cos b, 1/3 + (cos b)/2], [., 1/3]] less what does not depend on b, V = -g (3/2 cos a + 1/2
 * cos(a + b)). */
static void double_pendulum_is_that_of_lagrange(void **unused) {
  (void)unused;
  made m =
      make("local mech = require 'mechanics'\nmech.coordinates 'joints'\n"
           "mech.gravity(0, -9.81)\nlocal rod = mech.rod {mass = 1, length = 1}\n"
           "local a = mech.planar {name = 'a', shape = rod, at = {0, -0.5}, angle = -math.pi/2}\n"
           "local b = mech.planar {name = 'b', shape = rod, at = {0, -1.5}, angle = -math.pi/2}\n"
           "mech.revolute('pin', a:at(-0.5, 0), mech.ground:at(0, 0))\n"
           "mech.revolute('elbow', b:at(-0.5, 0), a:at(0.5, 0))\n"
           "velocity {['pin.angle'] = 0.7}\n",
           "gauss(4)", 0.01, 0);
  assert_int_equal(m.n, 2);
  assert_string_equal(rattle_model_coordinate_name(m.model, 0), "pin.angle");
  assert_string_equal(rattle_model_momentum_name(m.model, 1), "elbow.pangle");
  /* the elbow stands still: p = M (0.7, 0) */
  assert_true(fabs(m.state.p[0] - 0.7 * (8.0 / 3)) < 1e-12);
  assert_true(fabs(m.state.p[1] - 0.7 * (1.0 / 3 + 0.5)) < 1e-12);
  for (int trial = 0; trial < 20; trial++) {
    const double q[2] = {3 * sin(trial), 2 * cos(3.0 * trial)},
                 p[2] = {sin(2.0 * trial), cos(trial)};
    const double c = cos(q[1]), A = 5.0 / 3 + c, B = 1.0 / 3 + c / 2, C = 1.0 / 3;
    const double T =
        (C * p[0] * p[0] - 2 * B * p[0] * p[1] + A * p[1] * p[1]) / (2 * (A * C - B * B));
    const double V = -9.81 * (1.5 * cos(q[0]) + 0.5 * cos(q[0] + q[1]));
    double H;
    assert_int_equal(rattle_problem_energy(m.problem, q, p, &H, NULL), RATTLE_OK);
    assert_true(fabs(H - T - V) < 1e-12 * (1 + fabs(T) + fabs(V)));
  }
  unmake(&m);
}

/* A tree that floats keeps its momentum and its angular momentum; a quaternion its length. */
static void floating_tree_keeps_its_momenta(void **unused) {
  (void)unused;
  made m = make(
      "local mech = require 'mechanics'\nmech.coordinates 'joints'\nlocal b = {}\n"
      "for i = 1, 3 do b[i] = mech.body {name = 'b' .. i, mass = i, inertia = {0.3, 0.4, 0.5}, "
      "at = {i, 0, 0}, spin = {0.2, 0.3, 1}, velocity = {0, i, -0.3*i}} end\n"
      "mech.revolute('hinge', b[2]:here(1.5, 0, 0):along(1, 2, 0), b[1]:here(1.5, 0, 0):along(1, "
      "2, 0))\nmech.spherical('ball', b[2]:here(2.5, 0, 0), b[3]:here(2.5, 0, 0))\n"
      "mech.torsion_spring(b[2]:here(1.5, 0, 0):along(1, 2, 0), b[1]:here(1.5, 0, 0):along(1, 2, "
      "0), {k = 1, angle = 1})\n"
      "local P, L = mech.vec3(0, 0, 0), mech.vec3(0, 0, 0)\n"
      "for i = 1, 3 do P = P + b[i].p\n"
      "  L = L + b[i]:angular_momentum() + mech.cross(b[i].x, b[i].p) end\n"
      "for c = 1, 3 do observe('P' .. c, P[c]) observe('L' .. c, L[c]) end\n",
      "gauss(3)", 0.02, 0);
  const char *const name[] = {"P1", "P2", "P3", "L1", "L2", "L3"};
  /* of the start: sum of m v, and of I w + m x cross v */
  const double expected[] = {0, 14, -4.2, 0.18, 0.36 + 10.8, 1.5 + 36};
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < 6; i++) {
      const double x = seen(&m, name[i]);
      if (!(fabs(x - expected[i]) < 2e-12 * 36)) fail_msg("%s is %.15g", name[i], x);
    }
    if (!round) step(&m, 500);
  }
  int quaternions = 0;
  for (int k = 0; k < m.n; k++) {
    const char *called = rattle_model_coordinate_name(m.model, k);
    if (strcmp(called + strlen(called) - 3, ".qw") != 0) continue;
    double size = 0;
    for (int i = 0; i < 4; i++) size += m.state.q[k + i] * m.state.q[k + i];
    if (!(fabs(size - 1) < 1e-13)) fail_msg("%s: %.3g", called, size - 1);
    quaternions++;
  }
  assert_int_equal(quaternions, 2);
  unmake(&m);
}

#define ROD                                                                                        \
  "local mech = require 'mechanics'\nmech.coordinates 'joints'\n"                                  \
  "local a = mech.body {name = 'a', mass = 1, inertia = {0.1, 0.2, 0.3}, at = {1, 0, 0}%s}\n"
static const struct {
  const char *option, *text, *message;
} refused[] = {
    {"", "mech.revolute('pin', a:at(-0.9, 0), mech.ground:at(0, 0))",
     "revolute \"pin\" does not fit at the start: its points are 0.1 apart"},
    {"", "mech.revolute('pin', a:at(-1, 0):along(1, 0, 1), mech.ground:at(0, 0))",
     "the axes, which should be parallel, are 0.785398 rad apart"},
    {", velocity = {0, 0, 1}", "mech.revolute('pin', a:at(-1, 0), mech.ground:at(0, 0))",
     "\"a.z\" has 1 and its joints allow 0"},
    {"", "local j = mech.revolute('pin', a:at(-1, 0), mech.ground:at(0, 0)) potential(j:force().x)",
     "contains a force or rate of a joint, which follows from the motion"},
    {"",
     "local j = mech.revolute('pin', a:at(-1, 0), mech.ground:at(0, 0)) observe('F', j:force().x)\n"
     "constrain('w', a.p.y)",
     "without momenta of bodies or joints"},
    {"", "mech.revolute('pin', a:at(-1, 0), mech.ground:at(0, 0)) start {['a.z'] = 2}",
     "the start of \"a.z\" is 2, and 0 follows from those of other coordinates"},
    {"", "mech.revolute('pin', a:at(-1, 0), mech.ground:at(0, 0)) mech.assemble {hold = {a}}",
     "\"a.x\" cannot be held"},
    {"", "draw {surface = a.x.z, over = {a.x.x, a.x.y, a.x.z}}",
     "a surface cannot be drawn over \"a.x\""},
    {"", "hamiltonian(a.x.x*a.p.y)", "H contains the momentum \"a.py\""},
    {"", "mech.revolute('pin', a:at(-1, 0), mech.ground:at(0, 0)) mass {['pin.angle'] = 3}",
     "the kinetic energy of \"pin.angle\" is that of what it moves"},
    {", form = 'quaternion'", "", "omit form = \"quaternion\" of \"a\""},
    {"", "mech.coordinates 'bodies'", "choose the coordinates before the first body"},
};

static void nonsense_is_refused(void **unused) {
  (void)unused;
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    rattle_model *model = NULL;
    rattle_error error;
    const int head = snprintf(text, sizeof text, ROD, refused[i].option);
    snprintf(text + head, sizeof text - (size_t)head, "%s\n", refused[i].text);
    assert_int_equal(rattle_model_parse(&model, text, "m.lua", NULL, &error), RATTLE_BAD_MODEL);
    if (!strstr(error.message, refused[i].message)) fail_msg("%zu: %s", i, error.message);
  }
}

/* The same starts, projected: the rod hangs on its pin with the velocity that it can have. */
static void starts_are_projected(void **unused) {
  (void)unused;
  snprintf(text, sizeof text,
           ROD "mech.revolute('pin', a:at(-0.9, 0), mech.ground:at(0, 0))\nstart {project = true}\n"
               "velocity {['a.y'] = 1, ['a.z'] = 5}\n",
           "");
  made m = make(text, "gauss(2)", 0.01, 0);
  assert_true(fabs(seen(&m, "a.x") - 0.9) < 1e-15 && fabs(seen(&m, "a.y")) < 1e-15);
  assert_true(fabs(m.state.p[0] - 0.9) < 1e-15); /* the moment of the impulse (0, 1, 5) about z */
  unmake(&m);
}

/* Exact derivatives of steps are refused, also where a loop is closed. */
static void tangents_are_refused(void **unused) {
  (void)unused;
  for (int closed_too = 0; closed_too < 2; closed_too++) {
    snprintf(text, sizeof text,
             ROD "mech.universal('pin', a:at(-1, 0):along(0, 1, 0), mech.ground:at(0, 0))\n%s", "",
             closed_too ? "mech.distance('rope', a:at(1, 0), mech.ground:at(3, 1, 0))\n" : "");
    made m = make(text, closed_too ? "rattle(midpoint)" : "gauss(2)", 0.01, 0);
    rattle_tangent *tangent = NULL;
    rattle_error error;
    assert_int_equal(rattle_tangent_create(&tangent, m.problem,
                                           closed_too ? "rattle(midpoint)" : "gauss(2)", &error),
                     RATTLE_UNSUITABLE);
    assert_non_null(strstr(error.message, "not offered in joint coordinates"));
    unmake(&m);
  }
}

/* Bodies that float under a name of their own start where that says. */
static void floating_bodies_have_names(void **unused) {
  (void)unused;
  snprintf(text, sizeof text, ROD "mech.free('ship', a) start {['ship.slide2'] = 2}\n", "");
  made m = make(text, "gauss(2)", 0.01, 0);
  assert_int_equal(m.n, 7);
  assert_true(seen(&m, "a.x") == 1 && seen(&m, "a.y") == 2);
  unmake(&m);
}

/* A step that is too long ends with a sentence, and changes nothing. */
static void long_steps_fail(void **unused) {
  (void)unused;
  made m = make(tree(5, 40, 0, 0, "joints"), "gauss(8)", 5, 0);
  rattle_error error;
  double *before = malloc(2 * (size_t)m.n * sizeof *before);
  assert_non_null(before);
  memcpy(before, m.state.q, 2 * (size_t)m.n * sizeof *before);
  assert_int_equal(rattle_integrator_step(m.integrator, &m.state, 1, &error), RATTLE_NOT_CONVERGED);
  assert_non_null(strstr(error.message, "use a smaller step"));
  assert_memory_equal(before, m.state.q, 2 * (size_t)m.n * sizeof *before);
  free(before);
  unmake(&m);
}

/* Two bodies that hang still, and two that stand on each other: the first stages solve the step. */
static void rest_takes_one_iteration(void **unused) {
  (void)unused;
  for (int up = -1; up <= 1; up += 2) {
    char still[1000];
    snprintf(still, sizeof still,
             "local mech = require 'mechanics'\nmech.coordinates 'joints'\nmech.gravity(0, -9.81)\n"
             "local a = mech.planar { name = 'a', mass = 1, inertia = 0.1, at = {0, %d*0.5} }\n"
             "local b = mech.planar { name = 'b', mass = 1, inertia = 0.1, at = {0, %d*1.5} }\n"
             "mech.revolute('pin', a:here(0, 0), mech.ground:at(0, 0))\n"
             "mech.revolute('elbow', b:here(0, %d), a:here(0, %d))\n",
             up, up, up, up);
    made m = make(still, "gauss(8)", 0.05, 0);
    step(&m, 10);
    const rattle_counts counts = rattle_integrator_counts(m.integrator);
    assert_true(counts.gradient == 10 * (1 + 8) && counts.hessian == 0);
    for (int k = 0; k < m.n; k++) assert_true(m.state.q[k] == 0 && m.state.p[k] == 0);
    unmake(&m);
  }
}

/* Seven bodies that hang along a gravity that is inclined, where weights cancel but for round-off of
 * angles that are not small: stages contract to what that leaves, and Newton's method is not asked.
 */
static void rest_at_an_angle_contracts(void **unused) {
  (void)unused;
  for (int i = 1; i <= 12; i++) {
    const double t = 0.05 * i + 0.013;
    char still[1200];
    snprintf(
        still, sizeof still,
        "local mech = require 'mechanics'\nmech.coordinates 'joints'\nlocal t = %.17g\n"
        "mech.gravity(9.81*math.sin(t), 0, -9.81*math.cos(t))\nlocal before = mech.ground\n"
        "for i = 1, 7 do\n"
        "  local a = mech.body {name = 'b' .. i, mass = 1 + 0.1*i, inertia = {0.1, 0.12, 0.05},\n"
        "    at = {0, 0, -(i - 0.5)*0.7}, angle = 0.7*i, axis = {0.3, i, 1}}\n"
        "  local z = -(i - 1)*0.7\n"
        "  mech.revolute('j' .. i, a:here(0, 0, z):along(0, 1, 0), before:here(0, 0, z):along(0, "
        "1, 0))\n  before = a\nend\nstart {['j1.angle'] = -t}\n",
        t);
    made m = make(still, "gauss(8)", i % 2 ? 0.15 : 0.1, 0);
    step(&m, 40);
    assert_true(rattle_integrator_counts(m.integrator).hessian == 0);
    for (int k = 0; k < m.n; k++)
      assert_true(fabs(m.state.q[k] + (k ? 0 : t)) < 1e-13 && fabs(m.state.p[k]) < 1e-11);
    unmake(&m);
  }
}

/* A swing of two ropes and a seat, a closed chain that hangs where all angles are 0: it stays there,
 * on the lengths' round-off. */
static void closed_chain_rests(void **unused) {
  (void)unused;
  for (int i = 0; i < 6; i++) {
    const double l = pow(10, 6 * (i / 2 - 1));
    char still[1200];
    snprintf(still, sizeof still,
             "local mech = require 'mechanics'\nmech.coordinates 'joints'\nlocal l = %.17g\n"
             "mech.gravity(0, -9.81*l)\n"
             "local function rod(name, mass, x, y, angle) return mech.planar {name = name,\n"
             "  mass = mass, inertia = 0.1*l^2, at = {x*l, y*l}, angle = angle} end\n"
             "local a, c = rod('a', 1, 0, -0.5, math.pi/2), rod('c', 1, 1, -0.5, math.pi/2)\n"
             "local b = rod('b', 2, 0.5, -1, 0)\n"
             "mech.revolute('left', a:here(0, 0), mech.ground:at(0, 0))\n"
             "mech.revolute('seat', b:here(0, -l), a:here(0, -l))\n"
             "mech.revolute('right', c:here(l, -l), b:here(l, -l))\n"
             "mech.revolute('close', c:here(l, 0), mech.ground:at(l, 0))\n",
             l);
    made m = make(still, i % 2 ? "rattle(verlet)" : "rattle(midpoint)", 0.001, 0);
    step(&m, 50);
    for (int k = 0; k < m.n; k++) assert_true(fabs(m.state.q[k]) < 1e-13);
    unmake(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_chain_rests),
      cmocka_unit_test(bodies_and_joints_agree),
      cmocka_unit_test(loops_and_drives_agree),
      cmocka_unit_test(forces_are_those_of_bodies),
      cmocka_unit_test(forces_beside_constraints),
      cmocka_unit_test(robots_agree),
      cmocka_unit_test(sweeps_are_the_gradient),
      cmocka_unit_test(second_derivatives_are_exact),
      cmocka_unit_test(lanes_have_the_bits_of_one),
      cmocka_unit_test(double_pendulum_is_that_of_lagrange),
      cmocka_unit_test(floating_tree_keeps_its_momenta),
      cmocka_unit_test(nonsense_is_refused),
      cmocka_unit_test(starts_are_projected),
      cmocka_unit_test(tangents_are_refused),
      cmocka_unit_test(floating_bodies_have_names),
      cmocka_unit_test(long_steps_fail),
      cmocka_unit_test(rest_takes_one_iteration),
      cmocka_unit_test(rest_at_an_angle_contracts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
