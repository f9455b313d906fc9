/* Counts for steps of the benchmarks' problems: evaluations, factorisations, iterations. Times
 * depend on the machine, counts do not, and a change that makes a step cost more changes them. Both
 * evaluators take the same. */
#include "../../bench/bench.h"
#include "common_claims.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* At most 1 % more, as iterations may differ where a residual is near round-off. Far less is
 * progress: write the new counts here. */
typedef struct expected {
  const char *file, *method;
  int links; /* of chain.lua and ring.lua */
  double h;
  int steps;
  long long gradient, hessian, constraint, factorisation, iterations, followed;
} expected;

static const expected table[] = {
    {"pendulum.lua", "rattle(verlet)", 0, 0.025, 1000, 1001, 0, 2001, 0, 1000, 0},
    {"pendulum.lua", "rattle(midpoint)", 0, 0.025, 1000, 1001, 0, 2001, 0, 1000, 0},
    {"pendulum.lua", "kahan_li10(rattle(verlet))", 0, 0.2, 200, 6601, 0, 13201, 0, 6600, 0},
    {"pendulum.lua", "rk4(dirac)", 0, 0.025, 1000, 4000, 0, 0, 0, 0, 0},
    {"pendulum.lua", "spark(3)", 0, 0.025, 1000, 5410, 0, 8819, 2001, 3409, 0},
    {"double_pendulum.lua", "rattle(verlet)", 0, 0.01, 1000, 1001, 0, 2001, 0, 1000, 0},
    {"double_pendulum.lua", "spark(3)", 0, 0.01, 1000, 4229, 0, 6457, 2001, 2228, 0},
    {"double_pendulum.lua", "rattle(gauss(3))", 0, 0.01, 500, 501, 0, 1001, 0, 500, 0},
    {"pendulum.lua", "multistep8", 0, 0.025, 1000, 1037, 0, 3030, 16, 1008, 0},
    {"../examples/bennett.lua", "multistep8", 0, 0.002, 100, 137, 0, 425, 207, 203, 0},
    {"../examples/bennett.lua", "spark(4)", 0, 0.002, 100, 851, 0, 1126, 801, 275, 0},
    {"pendulum.lua", "geodesic_rkn4", 0, 0.025, 1000, 6001, 0, 0, 0, 0, 0},
    {"bead.lua", "rattle(midpoint)", 0, 0.02, 1000, 6000, 3000, 3000, 3000, 2000, 0},
    {"bead.lua", "rattle(gauss(2))", 0, 0.02, 1000, 9000, 5000, 3000, 3000, 2000, 0},
    {"loop.lua", "rattle(verlet)", 0, 0.01, 1000, 1001, 0, 3983, 0, 2982, 0},
    {"../examples/rigid_body.lua", "rattle(verlet)", 0, 0.001, 1000, 1001, 0, 5345, 0, 4345, 0},
    {"../examples/top.lua", "rattle(midpoint)", 0, 0.002, 100, 103, 0, 510, 3, 406, 0},
    {"../examples/bennett.lua", "rattle(midpoint)", 0, 0.002, 100, 101, 0, 400, 200, 300, 0},
    {"../examples/bricard.lua", "rattle(midpoint)", 0, 0.002, 100, 101, 0, 400, 200, 300, 0},
    {"../examples/governor.lua", "rattle(midpoint)", 0, 0.002, 100, 2305, 216, 955, 503, 755, 0},
    {"ring.lua", "rattle(verlet)", 100, 0.002, 500, 0, 0, 1500, 1500, 1000, 0},
    {"chain.lua", "rattle(midpoint)", 10, 0.001, 200, 201, 0, 604, 0, 403, 0},
    {"chain.lua", "rattle(verlet)", 10, 0.001, 500, 501, 0, 1507, 0, 1006, 0},
    {"chain.lua", "rattle(verlet)", 100, 0.0005, 500, 0, 0, 1503, 1505, 1003, 0},
    {"chain.lua", "rattle(verlet, solver=sparse)", 100, 0.0005, 500, 501, 0, 2062, 501, 1561, 0},
    {"guards.lua", "rattle(midpoint)", 0, 0.02, 1000, 7746, 5746, 3204, 5746, 4746, 0},
    {"guards.lua", "shake(midpoint)", 0, 0.02, 1000, 5467, 1000, 4467, 1000, 3467, 0},
};

static void check(const expected *e, int evaluator) {
  rattle_error error;
  bench_library library =
      bench_open(e->file, e->links ? "N" : NULL, e->links, e->method, evaluator);
  double *q = calloc(2 * (size_t)library.n, sizeof *q), *p = q + library.n;
  assert_non_null(q);
  bench_check(rattle_problem_start(library.problem, 1, q, p, NULL, &error), &error);
  bench_advance(&library, e->h, e->steps, q, p);
  const rattle_counts found = rattle_integrator_counts(library.integrator);
  const struct {
    const char *name;
    long long found, expected;
  } counts[] = {{"gradients", found.gradient, e->gradient},
                {"second derivatives", found.hessian, e->hessian},
                {"values of g", found.constraint, e->constraint},
                {"factorisations", found.factorisation, e->factorisation},
                {"iterations", found.newton_iterations, e->iterations},
                {"followed", found.followed, e->followed}};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    const long long low = counts[i].expected - counts[i].expected / 10,
                    high = counts[i].expected + counts[i].expected / 100;
    if (counts[i].found < low || counts[i].found > high)
      fail_msg("%s, %s: %lld %s in %d steps, not %lld .. %lld", e->file, e->method, counts[i].found,
               counts[i].name, e->steps, low, high);
  }
  free(q);
  bench_close(&library);
}

static void test_interpreted(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    check(&table[i], RATTLE_EVALUATOR_BLOCK);
}

static void test_native(void **state) {
  (void)state;
  if (!claims_takes_native()) skip();
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    check(&table[i], RATTLE_EVALUATOR_NATIVE);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_interpreted),
                                     cmocka_unit_test(test_native)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
