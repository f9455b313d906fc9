/* Bars on N hinges (hinges.lua) as a chain and as a binary tree, in joint coordinates and in those
 * of bodies: what it takes to load the model, to make the problem, to check the start, to make the
 * integrator and to step, in user and system time of a process of its own. */
#include "opening.h"

enum { FIRST = STAGES, ALL };

static const char *const stage_name[ALL] = {"model", "problem", "start", "integrator",
                                            "first step"};

typedef struct mechanism {
  const char *name, *method;
  int joints, tree;
} mechanism;

static double used(void) {
  struct rusage now;
  getrusage(RUSAGE_SELF, &now);
  return seconds(now.ru_utime) + seconds(now.ru_stime);
}

static void open_hinges(const mechanism *which, int N, int to) {
  double at[ALL];
  rattle_model *model;
  rattle_problem *problem;
  rattle_integrator *integrator;
  rattle_error error;
  const rattle_parameter given[] = {{"N", N}, {"tree", which->tree}, {"joints", which->joints}};
  const rattle_model_options options = {.parameters = given, .parameter_count = 3};
  const rattle_problem_options how = {.evaluator = RATTLE_EVALUATOR_BLOCK};
  bench_check(rattle_model_load(&model, RATTLE_SOURCE_DIR "/bench/hinges.lua", &options, &error),
              &error);
  at[MODEL] = used();
  bench_check(rattle_problem_create(&problem, model, &how, &error), &error);
  at[PROBLEM] = used();
  const int n = rattle_problem_n(problem);
  double *z = malloc(2 * (size_t)n * sizeof *z);
  if (!z) exit(1);
  bench_check(rattle_problem_start(problem, 0, z, z + n, NULL, &error), &error);
  at[START] = used();
  bench_check(rattle_integrator_create(&integrator, problem, which->method, &error), &error);
  at[INTEGRATOR] = used();
  rattle_state state = {.q = z, .p = z + n, .h = 0.0005};
  bench_check(rattle_integrator_step(integrator, &state, 1, &error), &error);
  at[FIRST] = used();
  _exit(write(to, at, sizeof at) != (ssize_t)sizeof at);
}

static void measure(const mechanism *which, int N) {
  double at[ALL];
  int ends[2], status;
  if (pipe(ends)) exit(1);
  const pid_t child = fork();
  if (child == 0) open_hinges(which, N, ends[1]);
  close(ends[1]);
  if (child < 0 || read(ends[0], at, sizeof at) != (ssize_t)sizeof at ||
      waitpid(child, &status, 0) < 0 || status)
    printf("hinges\t%s, failed\t%d\n", which->name, N);
  else
    for (int s = 0; s < ALL; s++)
      printf("hinges\t%s, to the %s\t%d\t%.3f\ts\t\n", which->name, stage_name[s], N, at[s]);
  fflush(stdout);
  close(ends[0]);
}

int main(int count, char **arguments) {
  static const mechanism all[] = {{"tree, joints", "gauss(4)", 1, 1},
                                  {"chain, joints", "gauss(4)", 1, 0},
                                  {"tree, bodies", "rattle(verlet)", 0, 1},
                                  {"chain, bodies", "rattle(verlet)", 0, 0}};
  const int largest = count > 1 ? atoi(arguments[1]) : 10000;
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    if (count < 3 || atoi(arguments[2]) == (int)k)
      for (int N = 100; N <= largest; N *= 10) measure(&all[k], N);
  return 0;
}
