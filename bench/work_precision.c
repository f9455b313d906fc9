/* Work to an error of 1e-6 at t = 100 for the pendulum from (1, 0, 0, -2): for each method, the
 * fewest steps on a geometric grid from which all finer ones stay below that error, and the CPU
 * time that they take. The yardstick is order 10 with a small step. Then the first step of
 * multistep methods, which makes their window, in steps. */
#include "bench.h"

static const double end_time = 100, wanted = 1e-6;

static double miss(bench_library *library, long long steps, const double *exact, double *ns) {
  double q[2] = {1, 0}, p[2] = {0, -2};
  rattle_state state = {.q = q, .p = p, .h = end_time / (double)steps};
  rattle_error error;
  const double begin = bench_now();
  const rattle_status status = rattle_integrator_step(library->integrator, &state, steps, &error);
  *ns = bench_now() - begin;
  if (status != RATTLE_OK) return INFINITY;
  return fmax(fmax(fabs(q[0] - exact[0]), fabs(q[1] - exact[1])),
              fmax(fabs(p[0] - exact[2]), fabs(p[1] - exact[3])));
}

static void measure(const char *method, int evaluator, const double *exact) {
  bench_library library = bench_open("pendulum.lua", NULL, 0, method, evaluator);
  const int stages = rattle_method_claims(rattle_integrator_method(library.integrator)).stages;
  double ns, times[BENCH_REPEATS], steps = 4e6 / stages;
  while (steps > 50 && miss(&library, (long long)(steps / 1.05), exact, &ns) <= wanted)
    steps /= 1.05;
  for (int i = 0; i < BENCH_REPEATS; i++) miss(&library, (long long)steps, exact, &times[i]);
  const double milliseconds = 1e-6 * bench_median(times, BENCH_REPEATS);
  printf("work to 1e-6\t%s, %s\t%lld\t%.3f\tms\t\n", method,
         rattle_problem_evaluator(library.problem), (long long)steps, milliseconds);
  bench_close(&library);
}

/* The least time of a first step, in those of the steps after it. */
static void measure_start(const char *method, const char *file, const char *name, double h) {
  enum { STEPS = 50 };
  bench_library library = bench_open(file, NULL, 0, method, RATTLE_EVALUATOR_NATIVE);
  const int n = library.n;
  double *q = malloc(sizeof *q * 2 * (size_t)n), first[BENCH_REPEATS], next[BENCH_REPEATS];
  if (!q) exit(1);
  for (int i = 0; i < BENCH_REPEATS; i++) {
    rattle_error error;
    bench_check(rattle_problem_start(library.problem, 1, q, q + n, NULL, &error), &error);
    rattle_integrator_reset(library.integrator);
    const double begin = bench_now();
    bench_advance(&library, h, 1, q, q + n);
    const double between = bench_now();
    bench_advance(&library, h, STEPS, q, q + n);
    first[i] = between - begin, next[i] = (bench_now() - between) / STEPS;
  }
  const double start = bench_least(first, BENCH_REPEATS), step = bench_least(next, BENCH_REPEATS);
  printf("first step\t%s, %s\t%d\t%.1f\tus\t%.1f\n", method, name, n, 1e-3 * start, start / step);
  free(q);
  bench_close(&library);
}

int main(void) {
  static const char *const methods[] = {"rattle(verlet)",
                                        "suzuki4(rattle(verlet))",
                                        "sofroniou_spaletta6_13(rattle(verlet))",
                                        "mclachlan8_15(rattle(verlet))",
                                        "kahan_li8(rattle(verlet))",
                                        "sofroniou_spaletta8(rattle(verlet))",
                                        "sofroniou_spaletta10(rattle(verlet))",
                                        "multistep4",
                                        "multistep6",
                                        "multistep8",
                                        "geodesic_rkn4",
                                        "geodesic_rkn6"};
  double exact[4] = {1, 0, 0, -2};
  bench_library yardstick =
      bench_open("pendulum.lua", NULL, 0, "kahan_li10(rattle(verlet))", RATTLE_EVALUATOR_NATIVE);
  bench_advance(&yardstick, end_time / 4000, 4000, exact, exact + 2);
  bench_close(&yardstick);
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    measure(methods[i], RATTLE_EVALUATOR_NATIVE, exact);
  measure("kahan_li8(rattle(verlet))", RATTLE_EVALUATOR_BLOCK, exact);
  measure_start("multistep4", "../examples/andrews.lua", "Andrews", 1e-5);
  measure_start("multistep8", "double_pendulum.lua", "double pendulum", 0.005);
  measure_start("multistep8", "../examples/andrews.lua", "Andrews", 1e-5);
  measure_start("multistep8", "../examples/bennett.lua", "Bennett", 0.002);
  return 0;
}
