/* Verlet where it is explicit, a Gauss method for trees of joints, whose stages are lanes of one
 * sweep (docs/decisions/172), with constraints at nodes of Lobatto where there are loops (208),
 * else the midpoint rule; in the wrapper that keeps the constraints (013). */
#include "maps/plan/default.h"

#include "problem/functions/problem.h"

static const rattle__default
    free_separable = {"", "verlet", "verlet", "H = T(p) + V(q): explicit, symmetric, symplectic"},
    free_general = {"", "midpoint", "midpoint",
                    "H is not separable: the midpoint rule is symmetric and symplectic"},
    free_swept = {"", "gauss(8)", "gauss(8)",
                  "H of a tree of joints: its stages are evaluated at once; symmetric, symplectic"},
    separable = {"rattle", "verlet", "rattle(verlet)",
                 "H = T(p) + V(q) and g = g(q): explicit except for the multipliers, symmetric, "
                 "symplectic"},
    holonomic = {"rattle", "midpoint", "rattle(midpoint)",
                 "H is not separable: the midpoint rule is symmetric and symplectic"},
    holonomic_swept =
        {"rattle", "midpoint", "spark_gauss(4)",
         "H of a tree of joints: its stages are evaluated at once; symmetric, symplectic"},
    coisotropic =
        {"rattle", "midpoint", "rattle(midpoint)",
         "the constraints depend on momenta: the midpoint rule is symmetric and symplectic"},
    free_forced = {"", "midpoint", "midpoint",
                   "forces that are no gradient: the midpoint rule is symmetric, and stable for "
                   "strong damping"},
    forced = {"rattle", "midpoint", "rattle(midpoint)",
              "forces that are no gradient: the midpoint rule is symmetric, and stable for strong "
              "damping"},
    rolling_separable = {"rattle", "verlet", "rattle(verlet)",
                         "H = T(p) + V(q): explicit except for the multipliers, symmetric; "
                         "constraints on velocities leave nothing symplectic"},
    rolling = {"rattle", "midpoint", "rattle(midpoint)",
               "H is not separable: the midpoint rule is symmetric; constraints on velocities "
               "leave nothing symplectic"},
    second_class = {"second_class", "midpoint", "second_class(midpoint)",
                    "the constraints are second class, which shake and rattle do not support"};

const rattle__default *rattle__default_of(const rattle_problem *problem) {
  const int separates = (problem->flags & RATTLE_SEPARABLE) != 0;
  if (problem->velocity && !(problem->flags & RATTLE_FORCED))
    return separates ? &rolling_separable : &rolling;
  if (problem->flags & RATTLE_FORCED)
    return problem->m || problem->velocity ? &forced : &free_forced;
  if (!problem->m)
    return separates ? &free_separable : problem->swept ? &free_swept : &free_general;
  if (problem->flags & RATTLE_SECOND_CLASS) return &second_class;
  if (!(problem->flags & RATTLE_HOLONOMIC)) return &coisotropic;
  return separates ? &separable : problem->swept ? &holonomic_swept : &holonomic;
}

const char *rattle_default_method(const rattle_problem *problem) {
  return rattle__default_of(problem)->method;
}
