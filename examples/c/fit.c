/* Parameters from data: the length and the weight of a pendulum, from 20 positions that were read to a millimetre.
 *
 *     cc fit.c $(pkg-config --cflags --libs rattle) -Wl,-rpath,$(pkg-config --variable=libdir rattle) -lm -o fit
 *     ./fit
 *
 * A parameter is a coordinate that nothing moves: a pair (l, p_l) whose momentum is in no term of H. Its start is its value, and the tangent
 * map of the steps has the derivatives by it. The sum of squares is a function of a trajectory, whose gradient one reverse sweep finds,
 * however many parameters there are; quasi-Newton steps (BFGS) make it small. The data are of l = 1.25, G = 9.81. Prints
 *
 *     start       l = 1.0000  G =  9.000  error 0.5788
 *     13 sweeps   l = 1.2500  G =  9.807  error 0.0002
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rattle/rattle.h"

enum { DATA = 20, EVERY = 25, PARAMETERS = 2 };
static const double angle = 2, step = 0.01;
static const double x[DATA] = {1.224,  1.098,  -0.029, -1.119, -1.220, -1.137, -1.229,
                               -1.075, 0.086,  1.138,  1.215,  1.137,  1.233,  1.050,
                               -0.143, -1.155, -1.210, -1.138, -1.237, -1.024};

static const char text[] = "local x, px = pair('x')\n"
                           "local y, py = pair('y')\n"
                           "local l, G = pair('l'), pair('G')\n"
                           "hamiltonian((px^2 + py^2)/2 + G*y)\n"
                           "constrain('rod', x^2 + y^2 - l^2)\n";

static void check(rattle_status status, const rattle_error *error) {
  if (status == RATTLE_OK) return;
  fprintf(stderr, "%s: %s\n", rattle_status_name(status), error->message);
  exit(1);
}

/* (x - data)^2 of a reading, and its gradient */
static int add(void *unused, long long at, const double *q, const double *p, double *value,
               double *gradient) {
  const double off = q[0] - x[at / EVERY - 1];
  (void)unused, (void)p;
  *value += off * off;
  gradient[0] += 2 * off;
  return 0;
}

/* The sum of squares at (l, G), and its gradient by both. */
static double squares(rattle_tangent *tangent, const double theta[PARAMETERS],
                      double slope[PARAMETERS]) {
  const rattle_objective objective = {.struct_size = sizeof objective, .add = add, .every = EVERY};
  const double l = theta[0];
  double z[8] = {l * sin(angle), -l * cos(angle), l, theta[1]}, gradient[8], value;
  rattle_error error;
  rattle_state state = {.struct_size = sizeof state, .q = z, .p = z + 4, .h = step};
  check(
      rattle_tangent_gradient(tangent, &state, DATA * EVERY, &objective, &value, gradient, &error),
      &error);
  slope[0] = sin(angle) * gradient[0] - cos(angle) * gradient[1] +
             gradient[2]; /* the start moves with l */
  slope[1] = gradient[3];
  return value;
}

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1];
}

/* The inverse Hessian B after a step s along which the gradient changed by y. */
static void update(double B[2][2], const double *s, const double *y) {
  const double sy = dot(s, y), By[2] = {dot(B[0], y), dot(B[1], y)};
  for (int i = 0; i < 2 && sy > 0; i++)
    for (int j = 0; j < 2; j++)
      B[i][j] += (1 + dot(y, By) / sy) * s[i] * s[j] / sy - (By[i] * s[j] + s[i] * By[j]) / sy;
}

int main(void) {
  rattle_model *model;
  rattle_problem *problem;
  rattle_tangent *tangent;
  rattle_error error;
  check(rattle_model_parse(&model, text, "pendulum", NULL, &error), &error);
  check(rattle_problem_create(&problem, model, NULL, &error), &error);
  check(rattle_tangent_create(&tangent, problem, "rattle(verlet)", &error), &error);

  double theta[2] = {1, 9}, slope[2], B[2][2] = {{0.01, 0}, {0, 1}},
         value = squares(tangent, theta, slope);
  int sweeps = 1;
  printf("start       l = %.4f  G = %6.3f  error %.4f\n", theta[0], theta[1], sqrt(value / DATA));
  for (double change = 1; change > 1e-9 && sweeps < 100;) {
    double part = 1, next[2], at[2], there;
    do {
      for (int i = 0; i < 2; i++) next[i] = theta[i] - part * dot(B[i], slope);
      there = squares(tangent, next, at);
      part /= 4;
      sweeps++;
    } while (!(there <= value) && part > 1e-6);
    const double s[2] = {next[0] - theta[0], next[1] - theta[1]},
                 y[2] = {at[0] - slope[0], at[1] - slope[1]};
    update(B, s, y);
    change = value - there;
    value = there;
    memcpy(theta, next, sizeof theta);
    memcpy(slope, at, sizeof slope);
  }
  printf("%d sweeps   l = %.4f  G = %6.3f  error %.4f\n", sweeps, theta[0], theta[1],
         sqrt(value / DATA));
  rattle_tangent_destroy(&tangent);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
  return 0;
}
