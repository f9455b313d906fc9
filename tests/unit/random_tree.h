#ifndef RATTLE_TESTS_RANDOM_TREE_H
#define RATTLE_TESTS_RANDOM_TREE_H
/* Random trees of joints, and what their observables are. */
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

static inline const char *tree(int seed, int bodies, int plane, int drives, const char *which) {
  snprintf(text, sizeof text, random_tree, 1000 + 7919 * seed, bodies, plane, drives, which);
  return text;
}

/* All observables by name. */
static inline double seen(const made *m, const char *name) {
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

static inline void step(made *m, long long steps) {
  rattle_error error;
  if (rattle_integrator_step(m->integrator, &m->state, steps, &error))
    fail_msg("%s", error.message);
}

#endif
