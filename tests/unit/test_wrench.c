/* Forces and moments in joints from their multipliers, with the signs, bodies and axes of
 * docs/mechanics.md, against closed forms. */
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

typedef struct reaction {
  const char *constraint;
  double multiplier;
} reaction;

typedef struct joint {
  const char *name, *text;
  int steps; /* of 0.01 by kahan_li8(rattle(verlet)) */
  double tolerance;
  reaction reactions[7]; /* up to the first without a name */
} joint;

#define MECHANICS "local mech = require 'mechanics'\nmech.gravity(0, 0, -9.81)\n"
/* A body of 2 whose weight acts at (1, 0.5, 0) from the joint at the origin, and a load (3, 4, 5)
 * at (1, 0.5, 1): reactions F = (-3, -4, 14.62), M = -(sum of r x f) at the joint = (11.31, -17.62,
 * -2.5). */
#define ARM                                                                                        \
  MECHANICS                                                                                        \
  "local b = mech.body { name = 'b', mass = 2, inertia = {0.1, 0.2, 0.3}, at = {1, 0.5, 0} }\n"    \
  "mech.load(b:at(0, 0, 1), {3, 4, 5})\n"

static const joint table[] = {
    /* axis z, across: u = -y, third: v = x, so that M = -(lambda_u z + lambda_v u + lambda_w v) */
    {"fixed",
     ARM "mech.fixed('j', b:at(-1, -0.5, 0), mech.ground:at(0, 0, 0))",
     0,
     1e-12,
     {{"j.x", 3}, {"j.y", 4}, {"j.z", -14.62}, {"j.u", 2.5}, {"j.v", -17.62}, {"j.w", -11.31}}},
    /* given in the other order, the ground is b all the same; axis x, across y, third z */
    {"fixed, along x",
     ARM "mech.fixed('j', mech.ground:at(0, 0, 0):along(1, 0, 0):across_to(0, 1, 0), "
         "b:at(-1, -0.5, 0))",
     0,
     1e-12,
     {{"j.x", 3}, {"j.y", 4}, {"j.z", -14.62}, {"j.u", -11.31}, {"j.v", 17.62}, {"j.w", 2.5}}},
    /* F = m (a - g), at t = 1: M = (0.15 Fz, 0, -0.15 Fx) = (-lambda_u, 0, lambda_v); axis y, u =
     * z, v = x */
    {"revolute",
     MECHANICS "local b = mech.body { name = 'arm', mass = 12, inertia = {1.2, 1.1, 0.3}, "
               "at = {0.9, 0.15, 0}, angle = -math.pi/2, axis = {0, 1, 0} }\n"
               "mech.revolute('j', mech.ground:at(0, 0, 0):along(0, 1, 0), "
               "b:at(0, -0.15, 0.9):along(0, 1, 0))",
     100,
     1e-8,
     {{"j.x", -52.13315990}, {"j.z", -20.77934852}, {"j.u", -3.116902278}, {"j.v", -7.819973985}}},
    /* the moment of the drive about its axis y on the arm is -lambda: it carries 2*9.81*1 */
    {"drive",
     MECHANICS
     "local b = mech.body { name = 'b', mass = 2, inertia = {0.1, 0.2, 0.3}, at = {1, 0, 0} }\n"
     "mech.revolute('j', b:at(-1, 0, 0):along(0, 1, 0), mech.ground:at(0, 0, 0):along(0, 1, 0))\n"
     "mech.drive('hold', b:at(-1, 0, 0):along(0, 1, 0), "
     "mech.ground:at(0, 0, 0):along(0, 1, 0), 0)",
     0,
     1e-12,
     {{"j.z", -19.62}, {"hold", 19.62}}},
    {"drive of the ground against the body",
     MECHANICS
     "local b = mech.body { name = 'b', mass = 2, inertia = {0.1, 0.2, 0.3}, at = {1, 0, 0} }\n"
     "mech.revolute('j', b:at(-1, 0, 0):along(0, 1, 0), mech.ground:at(0, 0, 0):along(0, 1, 0))\n"
     "mech.drive('hold', mech.ground:at(0, 0, 0):along(0, 1, 0), b, 0)",
     0,
     1e-12,
     {{"j.z", -19.62}, {"hold", -19.62}}},
    /* the slide along x: axis x, u = -z, v = y; F = -(lambda_x u + lambda_y v), M along the axis is
     * +lambda_turn, and -lambda_u v + lambda_v u across it; the end, a force of -3 at the centre of
     * b, takes 1.5 of the moment about z */
    {"prismatic",
     ARM "mech.prismatic('j', b:at(-1, -0.5, 0):along(1, 0, 0), "
         "mech.ground:at(0, 0, 0):along(1, 0, 0))\n"
         "constrain('end', b.x.x - 1)",
     0,
     1e-12,
     {{"end", 3}, {"j.x", 14.62}, {"j.y", 4}, {"j.turn", 11.31}, {"j.u", 17.62}, {"j.v", 4}}},
    /* A ball goes round in a bowl, with a weight m g at sin, cos of 1 from below: the bowl pushes
     * with m g (5/7 sin tan + cos) towards its centre and holds with 2/7 m g sin along the
     * meridian. */
    {"rolls in a bowl",
     MECHANICS
     "local L, r = 0.7, 0.3 local s, c = math.sin(1), math.cos(1)\n"
     "local v = math.sqrt(5/7*9.81/(L*c))*L*s\n"
     "local ball = mech.body { name = 'ball', shape = mech.ball { mass = 2, radius = r }, at = "
     "{L*s, 0, -L*c}, velocity = {0, v, 0}, spin = {-c*v/r, 0, -s*v/r} }\n"
     "mech.rolls('j', ball, mech.ground:at(0, 0, 0), { radius = r, inside = L + r })",
     0,
     1e-12,
     {{"j.distance", 28.96664062668066},
      {"j.x", -2.548630787759982},
      {"j.y", 0},
      {"j.z", -3.969257276150705}}},
};

static double multiplier_of(const rattle_problem *problem, const double *lambda, const char *name) {
  for (int i = 0; i < rattle_problem_m(problem); i++)
    if (!strcmp(rattle_problem_constraint_name(problem, i), name)) return lambda[i];
  fail_msg("no constraint %s", name);
  return (double)NAN;
}

static void test_reactions(void **unused) {
  (void)unused;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const joint *row = &table[i];
    rattle_error error;
    made m = make(row->text, "kahan_li8(rattle(verlet))", 0.01, 0);
    double *lambda = calloc((size_t)rattle_problem_m(m.problem), sizeof *lambda);
    if (rattle_integrator_step(m.integrator, &m.state, row->steps, &error) ||
        rattle_problem_multipliers(m.problem, m.state.q, m.state.p, lambda, &error))
      fail_msg("%s: %s", row->name, error.message);
    for (const reaction *r = row->reactions; r->constraint; r++) {
      const double found = multiplier_of(m.problem, lambda, r->constraint);
      if (!(fabs(found - r->multiplier) < row->tolerance))
        fail_msg("%s: %s is %.12g, not %.12g", row->name, r->constraint, found, r->multiplier);
    }
    free(lambda);
    unmake(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_reactions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
