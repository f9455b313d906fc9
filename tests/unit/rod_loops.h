#ifndef RATTLE_TESTS_ROD_LOOPS_H
#define RATTLE_TESTS_ROD_LOOPS_H
#include "random_tree.h"

/* Rods from each point to the next, on hinges, the first and the last on the ground; `closer`: the
 * last of them. */
static const char *const rods =
    "local mech = require 'mechanics'\n"
    "mech.coordinates '%s'\n"
    "mech.gravity(1, 0.5, -9.81)\n"
    "local points, axes, closer = %s, %s, '%s'\n"
    "local last = mech.ground\n"
    "for i = 1, #points - 1 do\n"
    "  local p, q = mech.vec3(points[i]), mech.vec3(points[i + 1])\n"
    "  local l, a, at = mech.norm(q - p), axes[i], (p + q)/2\n"
    "  local b = mech.body { name = 'b' .. i, mass = 0.5 + l, inertia = {0.02, 0.03 + l^2/12, "
    "l^2/12 + 0.02},\n"
    "    at = {at.x, at.y, at.z} }\n"
    "  mech.revolute('j' .. i, last:here(p.x, p.y, p.z):along(a[1], a[2], a[3]),\n"
    "    b:here(p.x, p.y, p.z):along(a[1], a[2], a[3]))\n"
    "  for k, x in ipairs(b:at(0.2, 0.1):position()) do observe('p' .. i .. k, x) end\n"
    "  last = b\n"
    "end\n"
    "local q, a = points[#points], axes[#points]\n"
    "local one, two = last:here(q[1], q[2], q[3]), mech.ground:here(q[1], q[2], q[3])\n"
    "if closer == 'revolute' then one:along(a[1], a[2], a[3]) two:along(a[1], a[2], a[3]) end\n"
    "mech[closer]('closer', one, two)\n"
    "observe('E', mech.energy())\n";

static const struct {
  const char *name, *points, *axes, *closer;
  int bodies, m;
} loops[] = {{"four-bar", "{{0, 0, 0}, {0.2, 0, 0.35}, {1.1, 0, 0.75}, {1, 0, 0}}",
              "{{0, 1, 0}, {0, 1, 0}, {0, 1, 0}, {0, 1, 0}}", "revolute", 3, 2},
             {"Bricard", "{{0, 0, 0}, {1, 0, 0}, {1, 0, -1}, {1, -1, -1}, {0, -1, -1}, {0, -1, 0}}",
              "{{0, 0, 1}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}}", "revolute", 5,
              4},
             {"five hinges and a ball",
              "{{0, 0, 0}, {0.5, 0.2, 0.4}, {1.2, -0.1, 0.6}, {1.6, 0.4, 0.1}, "
              "{1.9, 0.1, -0.5}, {1.2, 0.2, -0.6}}",
              "{{0, 1, 0.2}, {1, 0, 0}, {0, 1, 0}, {0.3, 0, 1}, {0, 1, 0}}", "spherical", 5, 3}};
enum { LOOPS = sizeof loops / sizeof *loops, MOST = 200 };

static inline const char *loop(int which, const char *coordinates) {
  snprintf(text, sizeof text, rods, coordinates, loops[which].points, loops[which].axes,
           loops[which].closer);
  return text;
}
#endif
