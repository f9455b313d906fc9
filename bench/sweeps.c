/* The cost of a case of an ensemble in addition to its steps, and the memory of many cases:
 * pendulums whose starts differ, projected onto the constraint, keeping ends alone; and pendulums
 * and double pendulums, each with a gravity of its own, as an input of one problem and, at the end,
 * by models that are read anew. Each row is a process of its own, whose largest memory the system
 * reports. Times are of the processor; those of threads are of the clock on the wall, their ratio
 * is the time of one thread over that of all cores. --big: 10^7 cases; --parameters: these
 * alone. */
#include "bench.h"
#include "ground/expr/native.h"
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct cost {
  double ns, wall; /* per case: of the processor, of the clock on the wall */
  double kilobyte; /* the largest memory */
} cost;

static rattle_status begin(void *self, const rattle_case *c, const rattle_problem *problem,
                           double *q, double *p, rattle_error *error) {
  (void)self, (void)problem, (void)q, (void)error;
  p[1] = -1 - 1e-7 * (double)c->number;
  return RATTLE_OK;
}

static rattle_status end(void *self, const rattle_outcome *outcome, rattle_error *error) {
  (void)error;
  *(double *)self += outcome->q[0];
  return outcome->status;
}

static double now(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

/* --- parameters ------------------------------------------------------------------------------- */

static const char pendulum[] =
    "local gravity = parameter('gravity', 1.0) local x, px = pair('x') local y, py = pair('y')\n"
    "mass { x = 1, y = 1 } potential(gravity*y) constrain('rod', x^2 + y^2 - 1)\n"
    "start { x = 1, py = -1 }\n";
static const char double_pendulum[] =
    "local gravity = parameter('gravity', 1.0) local x, px = pair('x') local y, py = pair('y') "
    "local u, pu = pair('u') local v, pv = pair('v')\n"
    "mass { x = 1, y = 1, u = 1, v = 1 } potential(gravity*(y + v)) constrain('rod', x^2 + y^2 "
    "- 1) constrain('second', (u - x)^2 + (v - y)^2 - 1)\n"
    "start { x = 1, u = 2, py = -1, pv = -2 }\n";
static const char anew[] =
    "local seen = 1 == 1\n"; /* a text with a comparison is read for each value */

static rattle_status describe(void *self, rattle_case *c, rattle_error *error) {
  static rattle_parameter gravity = {"gravity", 0};
  (void)self, (void)error;
  gravity.value = 0.9 + 1e-7 * (double)c->number;
  c->parameter = &gravity, c->parameters = 1;
  return RATTLE_OK;
}

/* keep, lanes: of rattle_ensemble_options */
typedef struct sweep {
  const char *name, *text;
  int keep, lanes;
  long long cases, steps;
} sweep;

static cost run_parameters(const sweep *it) {
  rattle_error error;
  rattle_model *model;
  rattle_problem *problem;
  double sum = 0;
  bench_check(rattle_model_parse(&model, it->text, "model", NULL, &error), &error);
  bench_check(rattle_problem_create(&problem, model, NULL, &error), &error);
  const rattle_ensemble_options how = {.struct_size = sizeof how,
                                       .cases = it->cases,
                                       .threads = 1,
                                       .keep = it->keep,
                                       .method = "rattle(verlet)",
                                       .step = 0.01,
                                       .steps = it->steps,
                                       .parse = rattle_model_parse,
                                       .describe = describe,
                                       .end = end,
                                       .lanes = it->lanes,
                                       .self = &sum};
  const double began = now(CLOCK_PROCESS_CPUTIME_ID);
  bench_check(rattle_ensemble(problem, &how, NULL, &error), &error);
  const cost c = {.ns = (now(CLOCK_PROCESS_CPUTIME_ID) - began) / (double)it->cases};
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
  return c;
}

/* The least of some times, of which the first also compiles; `of` is their unit. */
static double print_parameters(sweep it, double of) {
  enum { ROUNDS = 3 };
  double least = 1e300;
  for (int round = 0; round < ROUNDS; round++) least = fmin(least, run_parameters(&it).ns);
  printf("sweeps\t%s of %lld steps\t%lld\t%.0f\tns/case\t%.3f\n", it.name, it.steps, it.cases,
         least, of > 0 ? least / of : 1);
  fflush(stdout);
  return least;
}

static void measure_parameters(int big) {
  static const struct {
    const char *name, *text;
  } models[] = {{"gravity of a pendulum", pendulum},
                {"gravity of a double pendulum", double_pendulum}};
  static const long long steps[] = {10, 1000};
  const long long cases = big ? 1000000 : 100000;
  for (int m = 0; m < 2; m++)
    for (int s = 0; s < 2; s++) {
      char text[2048], name[100];
      snprintf(text, sizeof text, "%s%s", anew, models[m].text);
      snprintf(name, sizeof name, "%s, read anew,", models[m].name);
      const double before = print_parameters((sweep){name, text, 0, 0, 1000, steps[s]}, 0);
      print_parameters(
          (sweep){models[m].name, models[m].text, 0, 1, cases / (s ? 10 : 1), steps[s]}, before);
      snprintf(name, sizeof name, "%s, in lanes,", models[m].name);
      print_parameters((sweep){name, models[m].text, 0, rattle__most_lanes(), cases, steps[s]},
                       before);
      snprintf(name, sizeof name, "%s, with its summary,", models[m].name);
      print_parameters((sweep){name, models[m].text, RATTLE_KEEP_SUMMARY, 1, cases / 10, steps[s]},
                       before);
    }
}

static cost run(long long cases, long long steps, int threads) {
  rattle_error error;
  double sum = 0;
  bench_library library =
      bench_open("pendulum.lua", NULL, 0, "rattle(verlet)", RATTLE_EVALUATOR_NATIVE);
  const rattle_ensemble_options how = {.struct_size = sizeof how,
                                       .cases = cases,
                                       .threads = threads,
                                       .method = "rattle(verlet)",
                                       .step = 0.01,
                                       .steps = steps,
                                       .project = 1,
                                       .begin = begin,
                                       .end = end,
                                       .self = &sum};
  const double began = now(CLOCK_PROCESS_CPUTIME_ID), began_wall = now(CLOCK_MONOTONIC);
  bench_check(rattle_ensemble(library.problem, &how, NULL, &error), &error);
  const cost c = {.ns = (now(CLOCK_PROCESS_CPUTIME_ID) - began) / (double)cases,
                  .wall = (now(CLOCK_MONOTONIC) - began_wall) / (double)cases};
  bench_close(&library);
  return c;
}

/* In a process of its own. */
static cost measure(long long cases, long long steps, int threads) {
  int ends[2];
  cost c = {0};
  if (pipe(ends)) exit(1);
  const pid_t child = fork();
  if (child == 0) {
    c = run(cases, steps, threads);
    _exit(write(ends[1], &c, sizeof c) != sizeof c);
  }
  struct rusage used;
  int status = 1;
  if (child < 0 || read(ends[0], &c, sizeof c) != sizeof c || wait4(child, &status, 0, &used) < 0 ||
      status) {
    fprintf(stderr, "sweeps: a process failed\n");
    exit(1);
  }
  close(ends[0]), close(ends[1]);
  c.kilobyte = (double)used.ru_maxrss;
  return c;
}

int main(int argc, char **argv) {
  enum { ROUNDS = 5 };
  cost few = {.ns = 1e300}, many = few;
  double one = 1e300, all = 1e300;
  const int big = argc > 1 && !strcmp(argv[1], "--big");
  if (argc > 1 && !strcmp(argv[1], "--parameters")) return measure_parameters(0), 0;
  measure(10, 1, 1); /* what is compiled is in the cache */
  for (int round = 0; round < ROUNDS; round++) {
    const cost a = measure(10000, 10, 1), b = measure(200000, 10, 1);
    few.ns = fmin(few.ns, a.ns), few.kilobyte = fmax(few.kilobyte, a.kilobyte);
    many.ns = fmin(many.ns, b.ns), many.kilobyte = fmax(many.kilobyte, b.kilobyte);
    one = fmin(one, measure(20000, 5000, 1).wall), all = fmin(all, measure(20000, 5000, 0).wall);
  }
  const long long largest = big ? 10000000 : 1000000;
  const cost most = measure(largest, 10, 1);
  printf("sweeps\tcase of 10 steps\t10000\t%.0f\tns/case\t1.00\n", few.ns);
  printf("sweeps\tcase of 10 steps\t200000\t%.0f\tns/case\t%.2f\n", many.ns, many.ns / few.ns);
  printf("sweeps\tmemory\t10000\t%.0f\tkB\t1.00\n", few.kilobyte);
  printf("sweeps\tmemory\t%lld\t%.0f\tkB\t%.2f\n", largest, most.kilobyte,
         most.kilobyte / few.kilobyte);
  printf("sweeps\tcase of 5000 steps, one thread\t20000\t%.0f\tns/case\t1.00\n", one);
  printf("sweeps\tcase of 5000 steps, threads on %ld cores\t20000\t%.0f\tns/case\t%.2f\n",
         sysconf(_SC_NPROCESSORS_ONLN), all, one / all);
  measure_parameters(big);
  return 0;
}
