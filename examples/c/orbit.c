/* A periodic orbit on a manifold: a spherical pendulum on a cone of one radian, started a little off.
 *
 *     cc orbit.c $(pkg-config --cflags --libs rattle) -Wl,-rpath,$(pkg-config --variable=libdir rattle) -lm -o orbit
 *     ./orbit
 *
 * The cone has the period 2 pi sqrt(cos 1) = 4.618472, and deviations from it the multipliers exp(+- 2 pi i sqrt(1 + 3 cos^2 1)). The search holds
 * the energy of the start. Prints
 *
 *     start       x = 0.850000  z = -0.526783  period 4.6
 *     orbit       x = 0.849753  z = -0.527182  period 4.562050, stable
 *     multipliers 1.000000 exp(+-2.225281 i), 1, 1
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "rattle/rattle.h"

static const char text[] = "local x, px = pair('x')\n"
                           "local y, py = pair('y')\n"
                           "local z, pz = pair('z')\n"
                           "hamiltonian((px^2 + py^2 + pz^2)/2 + z)\n"
                           "constrain('rod', x^2 + y^2 + z^2 - 1)\n";

static void check(rattle_status status, const rattle_error *error) {
  if (status == RATTLE_OK) return;
  fprintf(stderr, "%s: %s\n", rattle_status_name(status), error->message);
  exit(1);
}

int main(void) {
  rattle_model *model;
  rattle_problem *problem;
  rattle_orbit *orbit;
  rattle_error error;
  check(rattle_model_parse(&model, text, "pendulum", NULL, &error), &error);
  check(rattle_problem_create(&problem, model, NULL, &error), &error);

  const double x = 0.85, q[3] = {x, 0, -sqrt(1 - x * x)}, p[3] = {0, 1.17, 0};
  const rattle_orbit_options options = {.struct_size = sizeof options,
                                        .method = "kahan_li8(rattle(verlet))",
                                        .period = 4.6,
                                        .step = 0.1};
  printf("start       x = %.6f  z = %.6f  period %.1f\n", q[0], q[2], options.period);
  check(rattle_orbit_create(&orbit, problem, q, p, &options, &error), &error);
  const rattle_orbit_result *r = rattle_orbit_result_of(orbit);
  printf("orbit       x = %.6f  z = %.6f  period %.6f, %s\n", r->q[0], r->q[2], r->period,
         r->verdict);
  printf("multipliers %.6f exp(+-%.6f i), 1, 1\n", r->radius,
         atan2(fabs(r->imaginary[0]), r->real[0]));

  rattle_orbit_destroy(&orbit);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
  return 0;
}
