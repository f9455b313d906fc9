/* The cost of a step of the implicit maps inside rattle, by the solver of its equations. Rows as in
 * bench.h, the solvers in turn, minima; ratio: to the solver that the library chooses. */
#include "bench.h"

typedef struct implicit_case {
  const char *file, *parameter, *map;
  double value, h;
  long long steps;
} implicit_case;

enum { SOLVERS = 3 };

static void measure(const implicit_case *c) {
  static const char *const solvers[SOLVERS] = {"", ", solver=dense", ", solver=sparse"};
  bench_library library[SOLVERS];
  double best[SOLVERS];
  for (int i = 0; i < SOLVERS; i++) {
    char method[64];
    snprintf(method, sizeof method, "rattle(%s%s)", c->map, solvers[i]);
    library[i] = bench_open(c->file, c->parameter, c->value, method, RATTLE_EVALUATOR_BLOCK);
    best[i] = HUGE_VAL;
  }
  double *z = calloc(4 * (size_t)library[0].n, sizeof *z);
  if (!z) exit(1);
  double *q0 = z, *p0 = q0 + library[0].n, *q = p0 + library[0].n, *p = q + library[0].n;
  rattle_error error;
  bench_check(rattle_problem_start(library[0].problem, 1, q0, p0, NULL, &error), &error);
  for (int repeat = 0; repeat < BENCH_REPEATS; repeat++)
    for (int i = 0; i < SOLVERS; i++) {
      memcpy(q, q0, 2 * (size_t)library[0].n * sizeof *q);
      const double begin = bench_now();
      bench_advance(&library[i], c->h, c->steps, q, p);
      best[i] = fmin(best[i], (bench_now() - begin) / (double)c->steps);
    }
  for (int i = 0; i < SOLVERS; i++) {
    printf("implicit\t%s, rattle(%s%s)\t%g\t%.1f\tns/step\t%.2f\n", c->file, c->map, solvers[i],
           c->value, best[i], best[i] / best[0]);
    bench_close(&library[i]);
  }
  free(z);
}

int main(void) {
  static const implicit_case cases[] = {{"bead.lua", NULL, "midpoint", 0, 0.02, 20000},
                                        {"bead.lua", NULL, "gauss(2)", 0, 0.02, 10000},
                                        {"bead.lua", NULL, "gauss(3)", 0, 0.02, 5000},
                                        {"double_pendulum.lua", NULL, "midpoint", 0, 0.01, 20000},
                                        {"double_pendulum.lua", NULL, "gauss(2)", 0, 0.01, 10000},
                                        {"double_pendulum.lua", NULL, "gauss(3)", 0, 0.01, 5000},
                                        {"loop.lua", NULL, "midpoint", 0, 0.01, 5000},
                                        {"loop.lua", NULL, "gauss(2)", 0, 0.01, 2000},
                                        {"chain.lua", "N", "midpoint", 10, 0.001, 2000}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) measure(&cases[i]);
  return 0;
}
