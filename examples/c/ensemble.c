/* An ensemble on threads: one problem, which all threads share, and an integrator, which is a thread's own, in each of them.
 *
 *     cc -pthread ensemble.c $(pkg-config --cflags --libs rattle) -Wl,-rpath,$(pkg-config --variable=libdir rattle) -lm -o ensemble
 *     ./ensemble
 *
 * 64 spherical pendulums start from the same point with momenta in all directions. Each of them is a function of its own start, so
 * that the result is the same to the bit for any number of threads. Prints
 *
 *     64 pendulums: mean height -0.2295, the same to the bit with 1 thread and with 4
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rattle/rattle.h"

enum { MEMBERS = 64, MOST_THREADS = 4, N = 3 };

typedef struct worker {
  const rattle_problem *problem;
  double (*z)[2 * N]; /* the points of all members [MEMBERS] */
  int first, threads; /* this one takes members first, first + threads, ... */
  rattle_status status;
  rattle_error error;
} worker;

static void *work(void *given) {
  worker *w = given;
  rattle_integrator *integrator;
  w->status = rattle_integrator_create(&integrator, w->problem, "rattle(verlet)", &w->error);
  for (int i = w->first; i < MEMBERS && !w->status; i += w->threads) {
    rattle_state state = {.struct_size = sizeof state, .q = w->z[i], .p = w->z[i] + N, .h = 0.02};
    w->status = rattle_integrator_step(integrator, &state, 500, &w->error);
  }
  rattle_integrator_destroy(&integrator);
  return NULL;
}

/* All members to t = 10. */
static int run(const rattle_problem *problem, double z[MEMBERS][2 * N], int threads) {
  pthread_t thread[MOST_THREADS];
  worker workers[MOST_THREADS];
  int failed = 0;
  for (int i = 0; i < MEMBERS; i++) { /* on the sphere, with momenta along it: g = 0 and psi = 0 */
    const double angle = 2 * acos(-1.0) * i / MEMBERS, start[2 * N] = {1, 0, 0, 0, cos(angle), sin(angle)};
    memcpy(z[i], start, sizeof start);
  }
  for (int k = 0; k < threads; k++) {
    workers[k] = (worker){.problem = problem, .z = z, .first = k, .threads = threads};
    if (pthread_create(&thread[k], NULL, work, &workers[k])) exit(1);
  }
  for (int k = 0; k < threads; k++) {
    pthread_join(thread[k], NULL);
    if (workers[k].status) fprintf(stderr, "%s\n", workers[k].error.message);
    failed |= workers[k].status != RATTLE_OK;
  }
  return failed;
}

int main(void) {
  static const char text[] = "local x, px = pair('x') local y, py = pair('y') local z, pz = pair('z')\n"
                             "hamiltonian((px^2 + py^2 + pz^2)/2 + z)\n"
                             "constrain('rod', x^2 + y^2 + z^2 - 1)\n";
  static double one[MEMBERS][2 * N], four[MEMBERS][2 * N];
  rattle_model *model = NULL;
  rattle_problem *problem = NULL;
  rattle_error error;
  rattle_status status = rattle_model_parse(&model, text, "spherical pendulum", NULL, &error);
  if (!status) status = rattle_problem_create(&problem, model, NULL, &error);
  if (status) fprintf(stderr, "%s\n", error.message);
  int good = !status && !run(problem, one, 1) && !run(problem, four, MOST_THREADS);
  if (good) {
    double mean = 0;
    for (int i = 0; i < MEMBERS; i++) mean += one[i][2] / MEMBERS;
    good = !memcmp(one, four, sizeof one);
    printf("%d pendulums: mean height %.4f, %s with 1 thread and with %d\n", MEMBERS, mean,
           good ? "the same to the bit" : "different", MOST_THREADS);
  }
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
  return !good;
}
