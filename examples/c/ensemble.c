/* An ensemble on threads: 64 spherical pendulums start from the same point with momenta in all directions.
 *
 *     cc ensemble.c $(pkg-config --cflags --libs rattle) -Wl,-rpath,$(pkg-config --variable=libdir rattle) -lm -o ensemble
 *     ./ensemble
 *
 * All threads share one problem. Each pendulum is a function of its own start, so that the result is the same to the bit for any number
 * of threads. Prints
 *
 *     64 pendulums: mean height -0.2295, the same to the bit with 1 thread and with 4
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rattle/rattle.h"

enum { MEMBERS = 64, N = 3 };

/* The ends of all members. */
typedef struct ends {
  double q[MEMBERS][N];
  int failed;
} ends;

/* On the sphere, with a momentum along it: g = 0 and psi = 0. */
static rattle_status begin(void *self, const rattle_case *c, const rattle_problem *problem,
                           double *q, double *p, rattle_error *error) {
  const double angle = 2 * acos(-1.0) * (double)c->number / MEMBERS;
  (void)self, (void)problem, (void)error;
  q[0] = 1, q[1] = 0, q[2] = 0;
  p[0] = 0, p[1] = cos(angle), p[2] = sin(angle);
  return RATTLE_OK;
}

/* Called for one member at a time, in any order. */
static rattle_status end(void *self, const rattle_outcome *outcome, rattle_error *error) {
  ends *all = self;
  (void)error;
  if (outcome->status) {
    fprintf(stderr, "pendulum %lld: %s\n", outcome->of->number, outcome->error->message);
    all->failed++;
  } else {
    memcpy(all->q[outcome->of->number], outcome->q, sizeof all->q[0]);
  }
  return RATTLE_OK;
}

/* All members to t = 10. */
static rattle_status run(const rattle_problem *problem, int threads, ends *all,
                         rattle_error *error) {
  const rattle_ensemble_options options = {.struct_size = sizeof options,
                                           .cases = MEMBERS,
                                           .threads = threads,
                                           .method = "rattle(verlet)",
                                           .step = 0.02,
                                           .steps = 500,
                                           .begin = begin,
                                           .end = end,
                                           .self = all};
  return rattle_ensemble(problem, &options, NULL, error);
}

int main(void) {
  static const char text[] =
      "local x, px = pair('x') local y, py = pair('y') local z, pz = pair('z')\n"
      "hamiltonian((px^2 + py^2 + pz^2)/2 + z)\n"
      "constrain('rod', x^2 + y^2 + z^2 - 1)\n";
  static ends one, four;
  rattle_model *model = NULL;
  rattle_problem *problem = NULL;
  rattle_error error;
  rattle_status status = rattle_model_parse(&model, text, "spherical pendulum", NULL, &error);
  if (!status) status = rattle_problem_create(&problem, model, NULL, &error);
  if (!status) status = run(problem, 1, &one, &error);
  if (!status) status = run(problem, 4, &four, &error);
  if (status) fprintf(stderr, "%s\n", error.message);
  int good = !status && !one.failed && !four.failed;
  if (good) {
    double mean = 0;
    for (int i = 0; i < MEMBERS; i++) mean += one.q[i][2] / MEMBERS;
    good = !memcmp(&one, &four, sizeof one);
    printf("%d pendulums: mean height %.4f, %s with 1 thread and with %d\n", MEMBERS, mean,
           good ? "the same to the bit" : "different", 4);
  }
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
  return !good;
}
