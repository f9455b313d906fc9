#ifndef BENCH_H
#define BENCH_H
/* Functions that the benchmarks share: CPU time, medians and minima, a library run from the model
 * file in the same folder, and rows of the table "bench case size ns unit ratio", tab separated;
 * ratio is to the plain hand-written twin. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rattle/rattle.h"

#define BENCH_REPEATS 15
/* Rounds of steps that take less than 1 us: short ones, so that some of them have the core for
 * themselves. */
#define BENCH_ROUNDS 120

typedef struct bench_library {
  rattle_model *model;
  rattle_problem *problem;
  rattle_integrator *integrator;
  int n;
} bench_library;

/* One contender: advances (q, p) by `steps` steps of size h; returns 0. */
typedef struct bench_case {
  const char *name;
  int (*advance)(void *self, double h, long long steps, double *q, double *p);
  void *self;
  double ns[BENCH_ROUNDS]; /* per step */
} bench_case;

static inline double bench_clock(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static inline double bench_now(void) {
  return bench_clock(CLOCK_THREAD_CPUTIME_ID);
}

static inline int bench_ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static inline double bench_median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, bench_ascending);
  return values[count / 2];
}

/* The least of them: what others do on the machine only adds. */
static inline double bench_least(const double *values, int count) {
  double least = values[0];
  for (int i = 1; i < count; i++) least = values[i] < least ? values[i] : least;
  return least;
}

static inline void bench_check(rattle_status status, const rattle_error *error) {
  if (status == RATTLE_OK) return;
  fprintf(stderr, "%s: %s\n", rattle_status_name(status), error->message);
  exit(1);
}

/* Opens bench/FILE with parameters. */
static inline bench_library bench_open_with(const char *file, const rattle_parameter *given,
                                            int count, const char *method, int evaluator) {
  bench_library library = {0};
  rattle_error error;
  char path[512];
  snprintf(path, sizeof path, "%s/bench/%s", RATTLE_SOURCE_DIR, file);
  const rattle_model_options options = {.parameters = given, .parameter_count = count};
  bench_check(rattle_model_load(&library.model, path, &options, &error), &error);
  rattle_problem_options how = {0};
  how.evaluator = evaluator;
  bench_check(rattle_problem_create(&library.problem, library.model, &how, &error), &error);
  bench_check(rattle_integrator_create(&library.integrator, library.problem, method, &error),
              &error);
  library.n = rattle_problem_n(library.problem);
  return library;
}

/* With one parameter (name NULL: none). */
static inline bench_library bench_open(const char *file, const char *parameter, double value,
                                       const char *method, int evaluator) {
  const rattle_parameter given = {parameter, value};
  return bench_open_with(file, &given, parameter != NULL, method, evaluator);
}

static inline void bench_close(bench_library *library) {
  rattle_integrator_destroy(&library->integrator);
  rattle_problem_destroy(&library->problem);
  rattle_model_destroy(&library->model);
}

static inline int bench_advance(void *self, double h, long long steps, double *q, double *p) {
  bench_library *library = self;
  rattle_state state = {.q = q, .p = p, .h = h};
  rattle_error error;
  bench_check(rattle_integrator_step(library->integrator, &state, steps, &error), &error);
  return 0;
}

/* Times the contenders in turn, BENCH_REPEATS times `steps` steps in all, each round from the same
 * start (q0, p0); [0] is the plain twin. Fails unless all end within `agree` of it, so that what is
 * timed is the same motion. */
static inline void bench_compare(const char *bench, long long size, bench_case *cases, int count,
                                 double h, long long steps, int n, const double *q0,
                                 const double *p0, double agree) {
  double *q = malloc(sizeof *q * (size_t)n * 4), *p = q + n, *q_twin = p + n, *p_twin = q_twin + n;
  if (!q) exit(1);
  const size_t bytes = sizeof *q * (size_t)n;
  const int rounds = size <= 12 ? BENCH_ROUNDS : BENCH_REPEATS;
  steps = steps * BENCH_REPEATS / rounds;
  for (int repeat = 0; repeat < rounds; repeat++) {
    for (int c = 0; c < count; c++) {
      memcpy(q, q0, bytes);
      memcpy(p, p0, bytes);
      double begin = bench_now();
      int failed = cases[c].advance(cases[c].self, h, steps, q, p);
      cases[c].ns[repeat] = (bench_now() - begin) / (double)steps;
      if (c == 0) {
        memcpy(q_twin, q, bytes);
        memcpy(p_twin, p, bytes);
      }
      double apart = 0;
      for (int i = 0; i < n; i++)
        apart = fmax(apart, fmax(fabs(q[i] - q_twin[i]), fabs(p[i] - p_twin[i])));
      if (failed || !(apart <= agree)) {
        fprintf(stderr, "%s: %s ends %.3g away from the twin\n", bench, cases[c].name, apart);
        exit(1);
      }
    }
  }
  double plain = bench_least(cases[0].ns, rounds);
  for (int c = 0; c < count; c++) {
    double ns = bench_least(cases[c].ns, rounds);
    printf("%s\t%s\t%lld\t%.1f\tns/step\t%.2f\n", bench, cases[c].name, size, ns, ns / plain);
    if (size > 1)
      printf("%s\t%s\t%lld\t%.1f\tns/step/link\t%.2f\n", bench, cases[c].name, size,
             ns / (double)size, ns / plain);
  }
  free(q);
}
#endif
