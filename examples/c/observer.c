/* An observer of your own: a Poincare section of the system of Henon and Heiles, the points (y, py) where x passes through 0 upwards.
 *
 *     cc observer.c $(pkg-config --cflags --libs rattle) -Wl,-rpath,$(pkg-config --variable=libdir rattle) -lm -o observer
 *     ./observer
 *
 * An observer sees each sample of a run as const views. Here it keeps the point of the sample before and interpolates. Prints
 *
 *     81 points of the section; the first is y = 0.1500, py = -0.0003
 *     energies of the points differ from 1/12 by less than 1e-5
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "rattle/rattle.h"

typedef struct section {
  rattle_observer observer; /* what the library calls, with self = this */
  double before[4];         /* x, y, px, py of the sample before; x NaN: none */
  int points;
  double first[2],
      worst; /* (y, py) of the first point; largest |H - 1/12| of a point, H being a function of x = 0, y, px, py */
} section;

static void keep(section *s, const double *z) {
  const double y = z[1], H = (z[2] * z[2] + z[3] * z[3]) / 2 + y * y / 2 - y * y * y / 3;
  if (!s->points++) s->first[0] = z[1], s->first[1] = z[3];
  s->worst = fmax(s->worst, fabs(H - 1.0 / 12));
}

static rattle_status record(void *self, const rattle_sample *sample, rattle_error *error) {
  section *s = self;
  const double now[4] = {sample->q[0], sample->q[1], sample->p[0], sample->p[1]};
  (void)error; /* to end the run: fill it and return its status */
  if (s->before[0] < 0 && now[0] >= 0) {
    const double part = s->before[0] / (s->before[0] - now[0]);
    double there[4];
    for (int k = 0; k < 4; k++) there[k] = s->before[k] + part * (now[k] - s->before[k]);
    keep(s, there);
  }
  for (int k = 0; k < 4; k++) s->before[k] = now[k];
  return RATTLE_OK;
}

static void check(rattle_status status, const rattle_error *error) {
  if (status == RATTLE_OK) return;
  fprintf(stderr, "%s: %s\n", rattle_status_name(status), error->message);
  exit(1);
}

int main(void) {
  static const char text[] = "local x, px = pair('x') local y, py = pair('y')\n"
                             "hamiltonian((px^2 + py^2)/2 + (x^2 + y^2)/2 + x^2*y - y^3/3)\n";
  rattle_model *model;
  rattle_problem *problem;
  rattle_integrator *integrator;
  rattle_error error;
  check(rattle_model_parse(&model, text, "Henon-Heiles", NULL, &error), &error);
  check(rattle_problem_create(&problem, model, NULL, &error), &error);
  check(rattle_integrator_create(&integrator, problem, "kahan_li6(verlet)", &error), &error);

  const double y = 0.15, px = sqrt(2 * (1.0 / 12 - y * y / 2 + y * y * y / 3)); /* H = 1/12 */
  double q[] = {-1e-3, y}, p[] = {px, 0};
  section points = {.observer = {.struct_size = sizeof points.observer, .record = record},
                    .before = {NAN}};
  points.observer.self = &points;
  rattle_observer *observers[] = {&points.observer};
  rattle_state state = {.struct_size = sizeof state, .q = q, .p = p, .h = 0.01};
  const rattle_run_options options = {
      .struct_size = sizeof options, .steps = 50000, .every = 1, .initial_energy = NAN};
  check(rattle_run(integrator, &state, &options, observers, 1, NULL, &error), &error);

  printf("%d points of the section; the first is y = %.4f, py = %.4f\n", points.points,
         points.first[0], points.first[1]);
  printf("energies of the points differ from 1/12 by %s than 1e-5\n",
         points.worst < 1e-5 ? "less" : "more");
  rattle_integrator_destroy(&integrator);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
  return !(points.worst < 1e-5);
}
