/* As many constraints as coordinates: what they hold stays, and their multipliers are the answer,
 * whatever the method. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "rattle/rattle.h"

typedef struct held {
  const char *name, *text, *constraint;
  double multiplier;
} held;

#define MECHANICS "local mech = require 'mechanics'\n"

static const held table[] = {
    {"a weight on a pin",
     "local x, px = pair('x') hamiltonian(px^2/4 + 9.81*2*x)\n"
     "constrain('pin', x - 1) start { x = 1 }",
     "pin", -19.62},
    /* three bars of length 5 from above, which share a load of 10: lambda times 4, thrice */
    {"a tripod",
     "local x, px = pair('x') local y, py = pair('y') local z, pz = pair('z')\n"
     "hamiltonian((px^2 + py^2 + pz^2)/2 + 10*z)\n"
     "local function bar(name, a, b, c)\n"
     "  constrain(name, ((x - a)^2 + (y - b)^2 + (z - c)^2 - (a^2 + b^2 + c^2))/2) end\n"
     "bar('a', 3, 0, 4) bar('b', -1.5, math.sqrt(6.75), 4) bar('c', -1.5, -math.sqrt(6.75), 4)",
     "b", 10.0 / 12},
    /* virtual work: 9.81*0.4*cos(0.6)*(1.5/2 + 1.5/2 + 4) */
    {"a parallelogram with a load",
     MECHANICS "mech.gravity(0, -9.81)\n"
               "local L, W, th = 0.4, 1.0, 0.6\n"
               "local c, s = math.cos(th), math.sin(th)\n"
               "local crank = mech.planar { name = 'crank', mass = 1.5, inertia = 0.03, "
               "at = {L/2*c, L/2*s}, angle = th }\n"
               "local rocker = mech.planar { name = 'rocker', mass = 1.5, inertia = 0.03, "
               "at = {W + L/2*c, L/2*s}, angle = th }\n"
               "local coupler = mech.planar { name = 'coupler', mass = 4, inertia = 0.4, "
               "at = {L*c + 0.7, L*s + 0.1} }\n"
               "mech.revolute('A', crank:at(-L/2, 0), mech.ground:at(0, 0))\n"
               "mech.revolute('D', rocker:at(-L/2, 0), mech.ground:at(W, 0))\n"
               "mech.revolute('B', coupler:at(-0.7, -0.1), crank:at(L/2, 0))\n"
               "mech.revolute('C', coupler:at(W - 0.7, -0.1), rocker:at(L/2, 0))\n"
               "mech.drive('hold', crank, mech.ground, 0)",
     "hold", -17.81239324},
    /* two hinges, of which one and a half are implied, and a rope that carries all of it */
    {"a door that lies",
     MECHANICS
     "mech.gravity(0, 0, -9.81)\n"
     "local b = mech.body { name = 'b', mass = 2, inertia = {0.1, 0.2, 0.3}, at = {1, 0, 0} }\n"
     "mech.revolute('left', mech.ground:at(0, -1, 0):along(0, 1, 0), "
     "b:at(-1, -1, 0):along(0, 1, 0))\n"
     "mech.revolute('right', mech.ground:at(0, 3, 0):along(0, 1, 0), "
     "b:at(-1, 3, 0):along(0, 1, 0))\n"
     "constrain('hold', b.x.z)",
     "hold", -19.62},
};

static int index_of(const rattle_problem *problem, const char *name) {
  for (int i = 0; i < rattle_problem_m(problem); i++)
    if (!strcmp(rattle_problem_constraint_name(problem, i), name)) return i;
  fail_msg("no constraint %s", name);
  return -1;
}

static void assert_held(const held *row, const char *method) {
  rattle_model *model = NULL;
  rattle_problem *problem = NULL;
  rattle_integrator *integrator = NULL;
  rattle_error error;
  if (rattle_model_parse(&model, row->text, "m.lua", NULL, &error) ||
      rattle_problem_create(&problem, model, NULL, &error) ||
      rattle_integrator_create(&integrator, problem, method, &error))
    fail_msg("%s, %s: %s", row->name, method, error.message);
  const int n = rattle_problem_n(problem), m = rattle_problem_m(problem);
  double *q = calloc(3 * (size_t)n + (size_t)m, sizeof *q), *start = q + 2 * n, *lambda = start + n;
  rattle_state state = {.q = q, .p = q + n, .h = 0.01};
  if (rattle_problem_start(problem, 0, q, q + n, NULL, &error))
    fail_msg("%s: %s", row->name, error.message);
  memcpy(start, q, (size_t)n * sizeof *q);
  if (rattle_integrator_step(integrator, &state, 20, &error) ||
      rattle_problem_multipliers(problem, q, q + n, lambda, &error))
    fail_msg("%s, %s: %s", row->name, method, error.message);
  for (int k = 0; k < n; k++) assert_true(fabs(q[k] - start[k]) < 1e-14);
  const double found = lambda[index_of(problem, row->constraint)];
  if (!(fabs(found - row->multiplier) < 1e-8))
    fail_msg("%s, %s: %.12g is not %.12g", row->name, method, found, row->multiplier);
  free(q);
  rattle_integrator_destroy(&integrator);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
}

static void test_held(void **unused) {
  (void)unused;
  static const char *const method[] = {"rattle(verlet)", "kahan_li8(rattle(verlet))",
                                       "rattle(gauss(2))", "spark(2)"};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    for (size_t k = 0; k < sizeof method / sizeof *method; k++) assert_held(&table[i], method[k]);
}

/* The doctor accepts them, and says that nothing moves. */
static void test_check(void **unused) {
  (void)unused;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    rattle_model *model = NULL;
    rattle_doctor *doctor = NULL;
    assert_int_equal(rattle_model_parse(&model, table[i].text, "m.lua", NULL, NULL), RATTLE_OK);
    assert_int_equal(rattle_doctor_create(&doctor, model, NULL, NULL, NULL), RATTLE_OK);
    const rattle_diagnosis *d = rattle_doctor_diagnosis(doctor);
    assert_null(d->refused);
    assert_true(d->dof == 0);
    assert_non_null(strstr(d->advice_why, "hold everything still"));
    rattle_doctor_destroy(&doctor);
    rattle_model_destroy(&model);
  }
}

/* A weight of 2 in a field of 9.81, from C. */
static int energy(void *context, const double *z, double *H, double *gradient) {
  (void)context;
  *H = z[1] * z[1] / 4 + 19.62 * z[0];
  gradient[0] = 19.62;
  gradient[1] = z[1] / 2;
  return 0;
}

static int pin(void *context, const double *z, double *g, double *J) {
  (void)context;
  g[0] = 2 * (z[0] - 1);
  J[0] = 2;
  J[1] = 0;
  return 0;
}

static void test_callbacks(void **unused) {
  (void)unused;
  rattle_callbacks callbacks = {
      .n = 1, .m = 1, .flags = RATTLE_HOLONOMIC, .hamiltonian = energy, .constraint = pin};
  rattle_problem *problem = NULL;
  rattle_error error;
  double q = 1, p = 0, lambda = 0;
  if (rattle_problem_create_callbacks(&problem, &callbacks, &error) ||
      rattle_problem_start(problem, 0, &q, &p, NULL, &error) ||
      rattle_problem_multipliers(problem, &q, &p, &lambda, &error))
    fail_msg("%s", error.message);
  assert_true(fabs(lambda + 9.81) < 1e-10);
  rattle_problem_destroy(&problem);
  callbacks.m = 2;
  assert_int_equal(rattle_problem_create_callbacks(&problem, &callbacks, &error),
                   RATTLE_NOT_REGULAR);
  assert_non_null(strstr(error.message, "2 constraints on 1 coordinates depend on one another"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_held), cmocka_unit_test(test_check),
                                     cmocka_unit_test(test_callbacks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
