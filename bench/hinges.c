/* Bars on N hinges (hinges.lua) as a chain and as a binary tree, in joint coordinates and in those
 * of bodies: what it takes to load the model, to make the problem, to check the start, to make the
 * integrator and to step, in user and system time of a process of its own. With --steps: the time
 * of a step per body, interpreted and, where the tree is small enough, by machine code. */
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

static rattle_model *load_hinges(const mechanism *which, int N) {
  rattle_model *model;
  rattle_error error;
  const rattle_parameter given[] = {{"N", N}, {"tree", which->tree}, {"joints", which->joints}};
  const rattle_model_options options = {.parameters = given, .parameter_count = 3};
  bench_check(rattle_model_load(&model, RATTLE_SOURCE_DIR "/bench/hinges.lua", &options, &error),
              &error);
  return model;
}

static void open_hinges(const mechanism *which, int N, int to) {
  double at[ALL];
  rattle_problem *problem;
  rattle_integrator *integrator;
  rattle_error error;
  const rattle_problem_options how = {.evaluator = RATTLE_EVALUATOR_BLOCK};
  rattle_model *model = load_hinges(which, N);
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

/* A step per body, the least of rounds of about 20 ms; the first round is not counted. */
static void time_steps(const mechanism *which, int N, rattle_evaluator evaluator) {
  enum { ROUNDS = 12 };
  bench_library of = {.model = load_hinges(which, N)};
  rattle_error error;
  const rattle_problem_options how = {.evaluator = evaluator};
  bench_check(rattle_problem_create(&of.problem, of.model, &how, &error), &error);
  bench_check(rattle_integrator_create(&of.integrator, of.problem, which->method, &error), &error);
  of.n = rattle_problem_n(of.problem);
  const long long steps = 1 + 20000 / N;
  double *z = malloc(2 * (size_t)of.n * sizeof *z), ns[ROUNDS];
  if (!z) exit(1);
  for (int r = -1; r < ROUNDS; r++) {
    bench_check(rattle_problem_start(of.problem, 0, z, z + of.n, NULL, &error), &error);
    const double begin = bench_now();
    bench_advance(&of, 0.0005, steps, z, z + of.n);
    if (r >= 0) ns[r] = (bench_now() - begin) / (double)(steps * N);
  }
  printf("hinges\t%s, %s, %s\t%d\t%.1f\tns/body\t\n", which->name, which->method,
         rattle_problem_evaluator(of.problem), N, bench_least(ns, ROUNDS));
  fflush(stdout);
  free(z);
  bench_close(&of);
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

/* Loading, and with --steps the time of a step. */
int main(int count, char **arguments) {
  static const mechanism opened[] = {{"tree, joints", "gauss(4)", 1, 1},
                                     {"chain, joints", "gauss(4)", 1, 0},
                                     {"tree, bodies", "rattle(verlet)", 0, 1},
                                     {"chain, bodies", "rattle(verlet)", 0, 0}},
                         stepped[] = {{"tree, joints", "dop853", 1, 1},
                                      {"chain, joints", "dop853", 1, 0}};
  const size_t all = sizeof opened / sizeof *opened, more = sizeof stepped / sizeof *stepped;
  const int steps = count > 1 && !strcmp(arguments[1], "--steps");
  for (size_t k = 0; k < all && !steps; k++)
    for (int N = 100; N <= 10000; N *= 10) measure(&opened[k], N);
  for (size_t k = 0; k < all + more && steps; k++)
    for (int N = 10; N <= 10000; N *= 10) {
      const mechanism *which = k < all ? &opened[k] : &stepped[k - all];
      time_steps(which, N, RATTLE_EVALUATOR_BLOCK);
      time_steps(which, N, RATTLE_EVALUATOR_AUTO);
    }
  return 0;
}
