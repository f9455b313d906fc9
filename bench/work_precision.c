/* Work to an error of 1e-6 at t = 100 for the pendulum from (1, 0, 0, -2): for each method, the
 * fewest steps on a geometric grid from which all finer ones stay below that error, and the CPU
 * time that they take. The yardstick is order 10 with a small step. */
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
  return 0;
}
