/* A planar pendulum from C, twice: from callbacks, and from a model text. Both take the same steps.
 *
 *     cc pendulum.c $(pkg-config --cflags --libs rattle) -Wl,-rpath,$(pkg-config --variable=libdir rattle) -lm -o pendulum
 *     ./pendulum
 *
 * What to see: the position after 1000 time units, some 300 turns, is the same from both to the last digits; the energy error
 * is that of the step size. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "rattle/rattle.h"

/* z = (x, y, px, py): H = |p|^2 / 2 + gravity * y and its gradient */
static int hamiltonian(void *context, const double *z, double *H, double *gradient) {
  const double gravity = *(const double *)context;
  *H = (z[2] * z[2] + z[3] * z[3]) / 2 + gravity * z[1];
  gradient[0] = 0;
  gradient[1] = gravity;
  gradient[2] = z[2];
  gradient[3] = z[3];
  return 0;
}

/* the rod, g = x^2 + y^2 - 1, and its Jacobian */
static int rod(void *context, const double *z, double *g, double *jacobian) {
  (void)context;
  g[0] = z[0] * z[0] + z[1] * z[1] - 1;
  jacobian[0] = 2 * z[0];
  jacobian[1] = 2 * z[1];
  jacobian[2] = 0;
  jacobian[3] = 0;
  return 0;
}

static void check(rattle_status status, const rattle_error *error) {
  if (status == RATTLE_OK) return;
  fprintf(stderr, "%s: %s\n", rattle_status_name(status), error->message);
  exit(1);
}

/* Runs 40 000 steps from (1, 0, 0, -2); z is the end point. */
static void run(const rattle_problem *problem, double z[4]) {
  rattle_integrator *integrator;
  rattle_error error;
  double before, after;
  z[0] = 1, z[1] = 0, z[2] = 0, z[3] = -2;
  check(rattle_integrator_create(&integrator, problem, "rattle(verlet)", &error), &error);
  check(rattle_problem_energy(problem, z, z + 2, &before, &error), &error);
  rattle_state state = {.struct_size = sizeof state, .q = z, .p = z + 2, .h = 0.025};
  check(rattle_integrator_step(integrator, &state, 40000, &error), &error);
  check(rattle_problem_energy(problem, z, z + 2, &after, &error), &error);
  printf("%-9s  x = %.15f  y = %.15f  energy error %.1e  |g| <= %.1e\n",
         rattle_problem_evaluator(problem), z[0], z[1], after - before,
         rattle_integrator_residuals(integrator).g);
  rattle_integrator_destroy(&integrator);
}

int main(void) {
  rattle_error error;
  double gravity = 1, z[4], again[4];

  /* callbacks: H is natural, g depends on positions alone and is quadratic; the flags guarantee this to the library */
  const double inverse_mass[2] = {1, 1};
  const rattle_callbacks callbacks = {.struct_size = sizeof callbacks,
                                      .n = 2,
                                      .m = 1,
                                      .context = &gravity,
                                      .flags =
                                          RATTLE_NATURAL | RATTLE_HOLONOMIC | RATTLE_QUADRATIC_G,
                                      .inverse_mass = inverse_mass,
                                      .hamiltonian = hamiltonian,
                                      .constraint = rod};
  rattle_problem *problem;
  check(rattle_problem_create_callbacks(&problem, &callbacks, &error), &error);
  run(problem, z);
  rattle_problem_destroy(&problem);

  /* a model: the library determines derivatives and structure */
  static const char text[] = "local x, px = pair('x') local y, py = pair('y')\n"
                             "hamiltonian((px^2 + py^2)/2 + y)\n"
                             "constrain('rod', x^2 + y^2 - 1)\n";
  rattle_model *model;
  check(rattle_model_parse(&model, text, "pendulum", NULL, &error), &error);
  check(rattle_problem_create(&problem, model, NULL, &error), &error);
  run(problem, again);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);

  double apart = hypot(z[0] - again[0], z[1] - again[1]);
  printf("apart by %.1e\n", apart);
  return apart < 1e-9 ? 0 : 1;
}
