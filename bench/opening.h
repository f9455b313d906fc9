#ifndef BENCH_OPENING_H
#define BENCH_OPENING_H
/* Time and memory for opening the chain of chain.lua, in a process of its own: load.c prints them,
 * tests/claims/test_load.c has limits for the memory, and counts it by MEMORY() of its own: what is
 * resident is known to the kernel to some 100 pages. */
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

typedef struct load {
  double user, system, bytes;
} load;

static inline double seconds(struct timeval t) {
  return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

#ifndef MEMORY
static inline double resident(void) { /* at most, so far */
  struct rusage now;
  getrusage(RUSAGE_SELF, &now);
  return 1024.0 * (double)now.ru_maxrss;
}
#define MEMORY() resident()
#endif

static inline load since(const struct rusage *begin, double before) {
  struct rusage now;
  getrusage(RUSAGE_SELF, &now);
  return (load){.user = seconds(now.ru_utime) - seconds(begin->ru_utime),
                .system = seconds(now.ru_stime) - seconds(begin->ru_stime),
                .bytes = MEMORY() - before};
}

enum { MODEL, PROBLEM, START, INTEGRATOR, STAGES };

/* Writes what each stage takes, from the beginning, and ends the process. */
static inline void open_chain(int N, int to) {
  struct rusage begin;
  getrusage(RUSAGE_SELF, &begin);
  const double before = MEMORY();
  load at[STAGES];
  rattle_model *model;
  rattle_problem *problem;
  rattle_integrator *integrator;
  rattle_error error;
  const rattle_parameter given = {"N", N};
  const rattle_model_options options = {.parameters = &given, .parameter_count = 1};
  const rattle_problem_options how = {.evaluator = RATTLE_EVALUATOR_BLOCK};
  bench_check(rattle_model_load(&model, RATTLE_SOURCE_DIR "/bench/chain.lua", &options, &error),
              &error);
  at[MODEL] = since(&begin, before);
  bench_check(rattle_problem_create(&problem, model, &how, &error), &error);
  at[PROBLEM] = since(&begin, before);
  double *z = malloc(2 * (size_t)rattle_problem_n(problem) * sizeof *z);
  if (!z) exit(1);
  bench_check(rattle_problem_start(problem, 0, z, z + rattle_problem_n(problem), NULL, &error),
              &error);
  free(z);
  at[START] = since(&begin, before);
  bench_check(rattle_integrator_create(&integrator, problem, "rattle(verlet)", &error), &error);
  at[INTEGRATOR] = since(&begin, before);
  _exit(write(to, at, sizeof at) != (ssize_t)sizeof at);
}

/* The same from a new process. */
static inline void opening(int N, load at[STAGES]) {
  int ends[2], status;
  const size_t bytes = STAGES * sizeof *at;
  if (pipe(ends)) exit(1);
  const pid_t child = fork();
  if (child == 0) open_chain(N, ends[1]);
  close(ends[1]);
  if (child < 0 || read(ends[0], at, bytes) != (ssize_t)bytes || waitpid(child, &status, 0) < 0 ||
      status)
    exit(1);
  close(ends[0]);
}
#endif
