/* The guards of maps that know the constraints by themselves: of each step of each trajectory the
 * truth is found without the library (common_curve.h). Every step whose solution does not exist
 * ends in an error, the state being that of the last good step; no other step does, and every step
 * that is taken is the true one. GUARDS_SEED=1000 draws other starts, GUARDS_METHOD=spark(3) takes
 * one method. */
#include "common_curve.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

typedef struct family {
  const char *problem, *method;
  steps_equation (*equation)(const tests_problem *problem, int stages);
  int stages, starts;
  double h[4];  /* ended by 0 */
  double speed; /* of the random momenta */
} family;

static const family families[] = {
    {"tube", "spark(2)", steps_spark, 2, 2, {0.6, 1.2}, 1.5},
    {"tube", "spark(3)", steps_spark, 3, 2, {0.6, 0.9, 1.5}, 1.5},
    {"wave", "spark(2)", steps_spark, 2, 3, {0.3, 0.5}, 1.5},
    {"wave", "spark(3)", steps_spark, 3, 4, {0.3, 0.5, 0.8}, 1.5},
    {"wave", "spark(4)", steps_spark, 4, 2, {0.5}, 1.5},
    {"press", "spark(3)", steps_spark, 3, 3, {0.5, 0.8}, 2},
    {"press", "spark(5)", steps_spark, 5, 1, {0.9}, 2},
    {"geared", "spark(3)", steps_spark, 3, 3, {0.8, 1.2}, 1.5},
    {"arm", "spark(3)", steps_spark, 3, 3, {0.6}, 1.5},
    {"heavy arm", "spark(3)", steps_spark, 3, 2, {0.4}, 2},
    {"wave", "rattle_monolithic", steps_spark, 2, 3, {0.3, 0.5}, 1.5}, /* the same curve: RATTLE */
    {"press", "rattle_monolithic", steps_spark, 2, 3, {0.5}, 2},
    {"tube", "rattle_monolithic", steps_spark, 2, 2, {0.6, 1.2}, 1.5},
    {"crossed", "rattle_monolithic", steps_spark, 2, 2, {0.5, 0.8}, 1.5},
    {"crossed", "spark(2)", steps_spark, 2, 2, {0.5, 0.8}, 1.5},
    {"falling harmonic", "discrete_gradient", steps_discrete_gradient, 0, 6, {0.1, 0.2}, 1},
    {"free harmonic", "discrete_gradient", steps_discrete_gradient, 0, 3, {0.4, 0.8}, 1},
    {"two harmonic", "discrete_gradient", steps_discrete_gradient, 0, 2, {0.1}, 1},
    {"wave", "discrete_gradient", steps_discrete_gradient, 0, 3, {0.3, 0.4}, 1.5},
    {"press", "discrete_gradient", steps_discrete_gradient, 0, 2, {0.5}, 2},
    {"geared", "discrete_gradient", steps_discrete_gradient, 0, 2, {0.6}, 1.5},
};
enum { FAMILIES = sizeof families / sizeof *families, STEPS = 10 };

typedef struct tally {
  int jumps, careless, healthy,
      grey; /* steps; grey: too near a fold, or of unknown truth; careless: jumps that Newton's
               iteration from the guess does not notice */
} tally;

/* Whether Newton's iteration, without guard, ends anywhere. */
static int converges(const steps_equation *e, long double h, const long double *z0) {
  long double z[TESTS_MAX_2N];
  memcpy(z, z0, sizeof z);
  return !steps_step(e, h, z);
}

/* One trajectory up to the first error or jump; returns how many steps were wrong. */
static int trajectory(const family *f, const guards_problem *problem, double h, const double *start,
                      tally *t) {
  const tests_problem *of = &problem->of;
  const steps_equation equation = f->equation(of, f->stages);
  const int n = of->n;
  int wrong = 0;
  double z[TESTS_MAX_2N], before[TESTS_MAX_2N];
  claims_library library;
  rattle_error error;
  memcpy(z, start, sizeof z);
  if (claims_library_open(&library, of, f->method, RATTLE_EVALUATOR_BLOCK, &error))
    fail_msg("%s", error.message);
  for (int k = 0; k < STEPS; k++) {
    long double w[TESTS_MAX_2N];
    guards_truth truth;
    for (int i = 0; i < 2 * n; i++) w[i] = before[i] = z[i];
    const int unknown = curve_follow(&equation, h, w, &truth);
    rattle_state state = {.q = z, .p = z + n, .h = h};
    const rattle_status status = rattle_integrator_step(library.integrator, &state, 1, &error);
    const int healthy = !unknown && truth.reaches && truth.margin > 1e-2L,
              ended = !unknown && !truth.reaches;
    double apart = 0;
    for (int i = 0; i < 2 * n; i++)
      apart = fmax(apart, fabs(z[i] - (double)(status ? before[i] : truth.z[i])));
    t->healthy += healthy;
    t->jumps += ended;
    t->grey += !healthy && !ended;
    t->careless += ended && converges(&equation, h, w);
    const int alarm =
        status == RATTLE_DEGENERATE || status == RATTLE_NOT_CONVERGED || status == RATTLE_SINGULAR;
    if ((healthy && (status || !(apart < 1e-7))) || (ended && (!alarm || apart != 0))) {
      wrong++;
      print_message(
          "%s %s h %g step %d: the curve reaches %.6Lf of it (margin %.3Lg); %s, %g apart\n  %s\n",
          of->name, f->method, h, k, truth.part, truth.margin, rattle_status_name(status), apart,
          status ? error.message : "");
      for (int i = 0; i < 2 * n; i++) print_message("  z0[%d] = %.17g\n", i, before[i]);
    }
    if (status || ended) break;
  }
  claims_library_close(&library);
  return wrong;
}

static void test_against_the_truth(void **state) {
  (void)state;
  tally t = {0};
  int wrong = 0;
  for (int i = 0; i < FAMILIES; i++) {
    const family *f = &families[i];
    const guards_problem *problem = guards_problem_named(f->problem);
    const tally before = t;
    if (getenv("GUARDS_METHOD") && strcmp(getenv("GUARDS_METHOD"), f->method)) continue;
    uint64_t seed =
        (getenv("GUARDS_SEED") ? strtoull(getenv("GUARDS_SEED"), NULL, 10) : 1) + (uint64_t)i;
    for (int k = 0; k < f->starts; k += TESTS_ONE_IN) {
      double z[TESTS_MAX_2N];
      guards_find_start(problem, f->speed, &seed, z);
      for (int j = 0; j < 4 && f->h[j] > 0; j++) wrong += trajectory(f, problem, f->h[j], z, &t);
    }
    if (getenv("GUARDS_VERBOSE"))
      print_message(
          "%-10s %-20s jumps %d (%d unnoticed by Newton's iteration) healthy %d grey %d\n",
          f->problem, f->method, t.jumps - before.jumps, t.careless - before.careless,
          t.healthy - before.healthy, t.grey - before.grey);
  }
  print_message("%d steps that jump (%d of them unnoticed by Newton's iteration), %d healthy, %d "
                "too near a fold to tell, or unknown\n",
                t.jumps, t.careless, t.healthy, t.grey);
  assert_true(t.jumps >= 20 / TESTS_ONE_IN && t.careless >= 1 && t.healthy >= 200 / TESTS_ONE_IN);
  assert_true(20 * t.grey <= t.healthy);
  assert_int_equal(wrong, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_the_truth)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
