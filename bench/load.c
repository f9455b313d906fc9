/* Time and memory of opening the chain of chain.lua, N = 10^4, 10^5 (10^6 with --big): user and system time of the process, and by how
 * much its memory at its highest grows. Each opening has a process of its own; the least of them counts. */
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

typedef struct load {
  double user, system, bytes;
} load;

static double seconds(struct timeval t) {
  return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

static load since(const struct rusage *begin) {
  struct rusage now;
  getrusage(RUSAGE_SELF, &now);
  return (load){.user = seconds(now.ru_utime) - seconds(begin->ru_utime),
                .system = seconds(now.ru_stime) - seconds(begin->ru_stime),
                .bytes = 1024.0 * (double)(now.ru_maxrss - begin->ru_maxrss)};
}

enum { MODEL, PROBLEM, INTEGRATOR, STAGES };
static const char *const stage_name[STAGES] = {"model", "problem", "integrator"};

/* Writes what each stage takes, from the beginning, and ends the process. */
static void open_chain(int N, int to) {
  struct rusage begin;
  getrusage(RUSAGE_SELF, &begin);
  load at[STAGES];
  rattle_model *model;
  rattle_problem *problem;
  rattle_integrator *integrator;
  rattle_error error;
  const rattle_parameter given = {"N", N};
  const rattle_model_options options = {.parameters = &given, .parameter_count = 1};
  const rattle_problem_options how = {.evaluator = RATTLE_EVALUATOR_BLOCK};
  bench_check(rattle_model_load(&model, RATTLE_SOURCE_DIR "/bench/chain.lua", &options, &error), &error);
  at[MODEL] = since(&begin);
  bench_check(rattle_problem_create(&problem, model, &how, &error), &error);
  at[PROBLEM] = since(&begin);
  bench_check(rattle_integrator_create(&integrator, problem, "rattle(verlet)", &error), &error);
  at[INTEGRATOR] = since(&begin);
  _exit(write(to, at, sizeof at) != (ssize_t)sizeof at);
}

static void measure(int N, int repeats) {
  load least[STAGES];
  for (int repeat = 0; repeat < repeats; repeat++) {
    int ends[2], status;
    load at[STAGES];
    if (pipe(ends)) exit(1);
    const pid_t child = fork();
    if (child == 0) open_chain(N, ends[1]);
    close(ends[1]);
    if (child < 0 || read(ends[0], at, sizeof at) != (ssize_t)sizeof at || waitpid(child, &status, 0) < 0 || status) exit(1);
    close(ends[0]);
    for (int s = 0; s < STAGES; s++) {
      least[s].user = repeat ? fmin(least[s].user, at[s].user) : at[s].user;
      least[s].system = repeat ? fmin(least[s].system, at[s].system) : at[s].system;
      least[s].bytes = repeat ? fmin(least[s].bytes, at[s].bytes) : at[s].bytes;
    }
  }
  for (int s = 0; s < STAGES; s++) {
    printf("load\tto the %s, user\t%d\t%.3f\ts\t\n", stage_name[s], N, least[s].user);
    printf("load\tto the %s, system\t%d\t%.3f\ts\t\n", stage_name[s], N, least[s].system);
    printf("load\tto the %s, highest memory\t%d\t%.0f\tbytes/link\t\n", stage_name[s], N, least[s].bytes / N);
  }
}

int main(int count, char **arguments) {
  const int largest = count > 1 && !strcmp(arguments[1], "--big") ? 1000000 : 100000;
  for (int N = 10000; N <= largest; N *= 10) measure(N, N > 100000 ? 1 : 3);
  return 0;
}
