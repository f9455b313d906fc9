/* Embedded use: no file is read or written, and the samples stay in memory. All that this program needs is librattle itself, without
 * Lua and HDF5:
 *
 *     cc embedded.c $(pkg-config --cflags --libs rattle-engine) -Wl,-rpath,$(pkg-config --variable=libdir rattle-engine) -lm -o embedded
 *     ./embedded
 *
 * A pendulum of length 1 swings from the angle 2 on one side to 2 on the other. Its period, between every second time at which x
 * passes through 0, is compared with the exact one, 2 pi/agm(1, cos(angle/2)). Prints
 *
 *     2001 samples, the largest |g| below 1e-14
 *     period 8.3498 from the samples, 8.3498 from the arithmetic-geometric mean
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "rattle/rattle.h"

static void check(rattle_status status, const rattle_error *error) {
  if (status == RATTLE_OK) return;
  fprintf(stderr, "%s: %s\n", rattle_status_name(status), error->message);
  exit(1);
}

/* z = (x, y, px, py): H = |p|^2 / 2 + y */
static int hamiltonian(void *context, const double *z, double *H, double *gradient) {
  (void)context;
  *H = (z[2] * z[2] + z[3] * z[3]) / 2 + z[1];
  gradient[0] = 0, gradient[1] = 1, gradient[2] = z[2], gradient[3] = z[3];
  return 0;
}

/* g = x^2 + y^2 - 1 */
static int rod(void *context, const double *z, double *g, double *jacobian) {
  (void)context;
  *g = z[0] * z[0] + z[1] * z[1] - 1;
  jacobian[0] = 2 * z[0], jacobian[1] = 2 * z[1], jacobian[2] = jacobian[3] = 0;
  return 0;
}

/* The mean time between every second passage of x through 0, interpolated between samples. */
static double period_of(const rattle_samples *s) {
  double first = 0, last = 0;
  int passages = 0;
  for (long long i = 1; i < s->count; i++) {
    const double a = s->q[(i - 1) * s->n], b = s->q[i * s->n];
    if ((a < 0) == (b < 0)) continue;
    last = s->time[i - 1] + (s->time[i] - s->time[i - 1]) * a / (a - b);
    if (!passages++) first = last;
  }
  return passages > 1 ? 2 * (last - first) / (passages - 1) : 0;
}

static double exact_period(double angle) {
  double a = 1, g = cos(angle / 2);
  for (int i = 0; i < 8; i++) {
    const double mean = (a + g) / 2;
    g = sqrt(a * g);
    a = mean;
  }
  return 2 * acos(-1.0) / a;
}

int main(void) {
  const double inverse_mass[] = {1, 1}, angle = 2;
  const rattle_callbacks callbacks = {.struct_size = sizeof callbacks,
                                      .n = 2,
                                      .m = 1,
                                      .flags =
                                          RATTLE_NATURAL | RATTLE_HOLONOMIC | RATTLE_QUADRATIC_G,
                                      .inverse_mass = inverse_mass,
                                      .hamiltonian = hamiltonian,
                                      .constraint = rod};
  rattle_problem *problem;
  rattle_integrator *integrator;
  rattle_trajectory *trajectory;
  rattle_error error;
  double q[] = {sin(angle), -cos(angle)}, p[] = {0, 0}, largest = 0;

  check(rattle_problem_create_callbacks(&problem, &callbacks, &error), &error);
  check(rattle_integrator_create(&integrator, problem, "suzuki4(rattle(verlet))", &error), &error);
  check(rattle_trajectory_create(&trajectory, problem, &error), &error);
  rattle_observer *observer = rattle_trajectory_observer(trajectory);
  rattle_state state = {.struct_size = sizeof state, .q = q, .p = p, .h = 0.025};
  const rattle_run_options options = {
      .struct_size = sizeof options, .steps = 8000, .every = 4, .initial_energy = NAN};
  check(rattle_run(integrator, &state, &options, &observer, 1, NULL, &error), &error);

  const rattle_samples *samples = rattle_trajectory_samples(trajectory);
  for (long long i = 0; i < samples->count; i++) largest = fmax(largest, fabs(samples->g[i]));
  const double period = period_of(samples), exact = exact_period(angle);
  printf("%lld samples, the largest |g| %s 1e-14\n", samples->count,
         largest < 1e-14 ? "below" : "above");
  printf("period %.4f from the samples, %.4f from the arithmetic-geometric mean\n", period, exact);

  rattle_trajectory_destroy(&trajectory);
  rattle_integrator_destroy(&integrator);
  rattle_problem_destroy(&problem);
  return !(largest < 1e-14 && fabs(period - exact) < 1e-4);
}
