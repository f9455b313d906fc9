/* A pendulum by callbacks: what a program does that needs no more than librattle. Exit status 0 if the rod keeps its length. */
#include <math.h>
#include <stdio.h>

#include "rattle/integrator.h"

static int hamiltonian(void *context, const double *z, double *H, double *gradient) {
  (void)context;
  *H = (z[2] * z[2] + z[3] * z[3]) / 2 + z[1];
  gradient[0] = 0, gradient[1] = 1, gradient[2] = z[2], gradient[3] = z[3];
  return 0;
}

static int rod(void *context, const double *z, double *g, double *jacobian) {
  (void)context;
  *g = z[0] * z[0] + z[1] * z[1] - 1;
  jacobian[0] = 2 * z[0], jacobian[1] = 2 * z[1], jacobian[2] = jacobian[3] = 0;
  return 0;
}

int main(void) {
  const double inverse_mass[] = {1, 1};
  const rattle_callbacks callbacks = {.struct_size = sizeof callbacks,
                                      .n = 2,
                                      .m = 1,
                                      .flags = RATTLE_NATURAL | RATTLE_SEPARABLE | RATTLE_HOLONOMIC,
                                      .inverse_mass = inverse_mass,
                                      .hamiltonian = hamiltonian,
                                      .constraint = rod};
  double q[] = {1, 0}, p[] = {0, -2};
  rattle_state state = {.struct_size = sizeof state, .q = q, .p = p, .h = 0.01};
  rattle_problem *problem;
  rattle_integrator *integrator = NULL;
  rattle_error error;
  rattle_status status = rattle_problem_create_callbacks(&problem, &callbacks, &error);
  if (!status) status = rattle_integrator_create(&integrator, problem, "rattle(verlet)", &error);
  if (!status) status = rattle_integrator_step(integrator, &state, 1000, &error);
  if (status) fprintf(stderr, "%s\n", error.message);
  printf("%.6f %.6f\n", q[0], q[1]);
  rattle_integrator_destroy(&integrator);
  rattle_problem_destroy(&problem);
  return status || fabs(hypot(q[0], q[1]) - 1) > 1e-14;
}
