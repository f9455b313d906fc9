/* The cost of the guard: how many healthy steps are looked into, the cost of such a step, and so
 * the guard's share of a run. Rows as in bench.h; ratio: of the guard's time to the step's. The
 * looks that find nothing (signs, ratios of residuals, N from step to step) are part of every step
 * and too cheap to be timed apart: compare the steps themselves with the plain twins of the other
 * rows. */
#include "bench.h"

typedef struct guard_case {
  const char *file, *parameter, *method;
  double value, h;
  long long steps;
} guard_case;

/* ns of one step */
static double timed(bench_library *library, double h, long long steps, const double *q0,
                    const double *p0, double *q, double *p) {
  double ns[BENCH_REPEATS];
  for (int k = 0; k < BENCH_REPEATS; k++) {
    memcpy(q, q0, (size_t)library->n * sizeof *q);
    memcpy(p, p0, (size_t)library->n * sizeof *p);
    double begin = bench_now();
    bench_advance(library, h, steps, q, p);
    ns[k] = (bench_now() - begin) / (double)steps;
  }
  return bench_median(ns, BENCH_REPEATS);
}

int main(void) {
  static const guard_case cases[] = {
      {"pendulum.lua", NULL, "rattle(verlet)", 0, 0.025, 40000},
      {"double_pendulum.lua", NULL, "rattle(verlet)", 0, 0.01, 40000},
      {"chain.lua", "N", "rattle(verlet)", 10, 0.001, 20000},
      {"chain.lua", "N", "rattle(verlet)", 100, 0.0005, 2000},
      {"guards.lua", NULL, "rattle(midpoint)", 0, 0.02, 20000},
      {"guards.lua", NULL, "shake(midpoint)", 0, 0.02, 20000}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const guard_case *c = &cases[i];
    bench_library library =
        bench_open(c->file, c->parameter, c->value, c->method, RATTLE_EVALUATOR_BLOCK);
    double *z = calloc(4 * (size_t)library.n, sizeof *z);
    if (!z) return 1;
    double *q0 = z, *p0 = q0 + library.n, *q = p0 + library.n, *p = q + library.n;
    rattle_error error;
    bench_check(rattle_problem_start(library.problem, 1, q0, p0, NULL, &error), &error);
    double ns = timed(&library, c->h, c->steps, q0, p0, q, p);
    rattle_integrator_reset(library.integrator);
    memcpy(q, q0, 2 * (size_t)library.n * sizeof *q);
    bench_advance(&library, c->h, c->steps, q, p);
    rattle_counts counts = rattle_integrator_counts(library.integrator);
    printf("guards\t%s, %s\t%g\t%.1f\tns/step\t%.4f\n", c->file, c->method, c->value, ns,
           (double)counts.followed / (double)counts.steps);
    free(z);
    bench_close(&library);
  }
  return 0;
}
