/* Constraints on velocities in units far apart: lengths of 1e-9 or 1e6 beside angles of order 1,
 * times of 1e-12. Steps and starts are the same but for round-off, since each entry is judged by
 * its own terms. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "rattle/rattle.h"

typedef struct units {
  double length, mass, time;
} units;

static const units all_units[] = {{1, 1, 1},         {1e-9, 1e-27, 1}, {1e6, 1, 1},
                                  {1e-9, 1, 1e-12},  {1e9, 1, 1e12},   {1e-100, 1e30, 1},
                                  {0.001, 1e24, 1e6}};

typedef struct motion {
  const char *name, *text; /* in L, M and T */
  double x, y, a;          /* of the first coordinates after 4 T, the first two over L */
} motion;

/* x = g/(2 w^2) sin^2(w t) of the skate, y = g/(2 w^2) (w t - sin(2 w t)/2); a homogeneous disc
 * that rolls down an incline of 30 degrees has the acceleration g/3, and climbs nowhere. */
static const motion motions[] = {
    {"skate",
     "mass { x = M, y = M, a = 0.4*M*L^2 } potential(-M*L/T^2*x)\n"
     "velocity_constrain('blade', velocity(y)*cos(a) - velocity(x)*sin(a)) velocity { a = 1/T }",
     0.28637500845215336, 1.7526604383441546, 4},
    {"disc",
     "mass { x = M, y = M, a = 0.02*M*L^2 } potential(M*L/T^2*(y*sqrt(3) - x)/2)\n"
     "constrain('height', y - 0.2*L) velocity_constrain('roll', velocity(x) - 0.2*L*velocity(a))\n"
     "start { y = 0.2*L }",
     8.0 / 3, 0.2, 40.0 / 3}};

static void open_in(rattle_problem **problem, rattle_model **model, const motion *m, const units *u,
                    const char *more) {
  char text[1000];
  rattle_error error;
  snprintf(text, sizeof text,
           "local L, M, T = %.17g, %.17g, %.17g\n"
           "local x = pair('x') local y = pair('y') local a = pair('a')\n%s %s",
           u->length, u->mass, u->time, m->text, more);
  if (rattle_model_parse(model, text, "m.lua", NULL, &error) ||
      rattle_problem_create(problem, *model, NULL, &error))
    fail_msg("%s: %s", m->name, error.message);
}

static void close_both(rattle_problem **problem, rattle_model **model) {
  rattle_problem_destroy(problem);
  rattle_model_destroy(model);
}

static void run_in(const motion *m, const units *u, const char *method) {
  rattle_model *model = NULL;
  rattle_problem *problem = NULL;
  rattle_integrator *integrator = NULL;
  rattle_error error;
  double q[3], p[3];
  rattle_state state = {.struct_size = sizeof state, .q = q, .p = p, .h = 0.01 * u->time};
  open_in(&problem, &model, m, u, "");
  if (rattle_problem_start(problem, 0, q, p, NULL, &error) ||
      rattle_integrator_create(&integrator, problem, method, &error) ||
      rattle_integrator_step(integrator, &state, 400, &error))
    fail_msg("%s, %s: %s", m->name, method, error.message);
  const double off =
      fmax(fmax(fabs(q[0] / u->length - m->x), fabs(q[1] / u->length - m->y)), fabs(q[2] - m->a));
  if (!(off < 2e-12))
    fail_msg("%s, %s with lengths of %g, times of %g: off by %g", m->name, method, u->length,
             u->time, off);
  rattle_integrator_destroy(&integrator);
  close_both(&problem, &model);
}

static void steps(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof motions / sizeof *motions; i++)
    for (size_t k = 0; k < sizeof all_units / sizeof *all_units; k++) {
      run_in(&motions[i], &all_units[k], "kahan_li8(rattle(verlet))");
      run_in(&motions[i], &all_units[k], "kahan_li8(rattle(midpoint))");
    }
}

/* A wheel that slips by a hundred-thousandth of its speed is refused, one that does by round-off is
 * not. */
static void starts(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof all_units / sizeof *all_units; k++)
    for (int slips = 0; slips < 2; slips++) {
      rattle_model *model = NULL;
      rattle_problem *problem = NULL;
      rattle_error error;
      double q[3], p[3];
      open_in(&problem, &model, &motions[1], &all_units[k],
              slips ? "velocity { x = 0.2*L/T, a = 1.00001/T }"
                    : "velocity { x = 0.2*L/T*(1 + 3e-16), a = 1/T }");
      assert_int_equal(rattle_problem_start(problem, 0, q, p, NULL, &error),
                       slips ? RATTLE_OFF_CONSTRAINTS : RATTLE_OK);
      close_both(&problem, &model);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(steps), cmocka_unit_test(starts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
