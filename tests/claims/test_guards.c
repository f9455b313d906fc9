/* The guards of item "never a wrong answer silently": trajectories that jump and trajectories that nearly do.
 *
 *   - of each step of each trajectory the truth is found without the library (common_guards.h): every step whose solution does
 * not exist ends in an error, the state being that of the last good step; no other step does;
 *   - the harmonic problem without potential, where the truth is a formula, and with a linear one, where it is the roots of H' on
 *     the fibre;
 *   - what the usual indicators say of the same steps is printed beside the guard;
 *   - a long healthy run raises no alarm. */
#include "common_guards.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/method.h"

/* A family of trajectories: `starts` random starts, each with every step of h. */
typedef struct family {
  const char *problem, *method;
  reference_base base;
  rattle__method_id composition; /* RATTLE__METHOD_rattle: none */
  int evaluator, starts;
  double h[4];  /* ended by 0 */
  double speed; /* of the random momenta */
} family;

static const family families[] = {
#define F(problem, method, base, starts, speed, ...)                                                                             \
  { problem, method, REFERENCE_##base, RATTLE__METHOD_rattle, RATTLE_EVALUATOR_BLOCK, starts, {__VA_ARGS__}, speed }
#define C(problem, composition, method, base, starts, speed, ...)                                                                \
  {                                                                                                                              \
    problem, #composition "(" method ")", REFERENCE_##base, RATTLE__METHOD_##composition, RATTLE_EVALUATOR_BLOCK, starts,        \
        {__VA_ARGS__}, speed                                                                                                     \
  }
    F("free harmonic", "rattle(midpoint)", GAUSS_1, 6, 1, 0.1, 0.4),
    F("falling harmonic", "rattle(midpoint)", GAUSS_1, 10, 1, 0.05, 0.1, 0.2),
    F("falling harmonic", "rattle(verlet)", VERLET_A, 8, 1, 0.1, 0.2),
    F("falling harmonic", "rattle(gauss(2))", GAUSS_2, 4, 1, 0.1),
    F("two harmonic", "rattle(midpoint)", GAUSS_1, 8, 1, 0.05, 0.1),
    F("two harmonic", "rattle(verlet)", VERLET_A, 4, 1, 0.1),
    F("three harmonic", "rattle(midpoint)", GAUSS_1, 6, 1, 0.1),
    F("commuting", "rattle(midpoint)", GAUSS_1, 3, 1, 0.1, 0.2),
    F("tube", "rattle(verlet)", VERLET_A, 5, 1.5, 0.1, 0.3, 0.6),
    F("tube", "rattle(midpoint)", GAUSS_1, 3, 1.5, 0.3, 0.6),
    F("wave", "rattle(verlet)", VERLET_A, 8, 1.5, 0.05, 0.15, 0.3),
    F("wave", "rattle(verlet, solver=quasi_newton)", VERLET_A, 4, 1.5, 0.15, 0.3),
    F("press", "rattle(verlet)", VERLET_A, 8, 2, 0.2, 0.4, 0.5),
    F("press", "rattle(verlet(b))", VERLET_B, 4, 2, 0.2, 0.4),
    F("arm", "rattle(verlet)", VERLET_A, 10, 1, 0.2, 0.3, 0.5),
    F("heavy arm", "rattle(verlet)", VERLET_A, 6, 2, 0.3, 0.5),
    F("arm", "rattle(verlet(b))", VERLET_B, 3, 1.5, 0.4, 0.7),
    F("links", "rattle(verlet)", VERLET_A, 8, 1, 0.1, 0.2, 0.3),
    F("body", "rattle(verlet)", VERLET_A, 8, 1.5, 0.2, 0.4, 0.8),
    F("geared", "rattle(midpoint)", GAUSS_1, 8, 1.5, 0.3, 0.5, 0.7),
    F("geared", "rattle(verlet)", VERLET_A, 4, 1.5, 0.2, 0.4),
    F("crossed", "rattle(midpoint)", GAUSS_1, 10, 1.5, 0.3, 0.5),
    F("three geared", "rattle(midpoint)", GAUSS_1, 8, 1.5, 0.4, 0.6),
    C("falling harmonic", suzuki4, "rattle(midpoint)", GAUSS_1, 5, 1, 0.1, 0.2),
    C("falling harmonic", kahan_li8, "rattle(midpoint)", GAUSS_1, 4, 1, 0.1, 0.2),
    C("two harmonic", yoshida4, "rattle(midpoint)", GAUSS_1, 3, 1, 0.1),
    C("press", yoshida4, "rattle(verlet)", VERLET_A, 4, 2, 0.15, 0.3),
    C("heavy arm", suzuki4, "rattle(verlet)", VERLET_A, 3, 2, 0.3, 0.5),
    C("links", yoshida4, "rattle(verlet)", VERLET_A, 3, 1, 0.2, 0.4),
#undef F
#undef C
};
enum { FAMILIES = sizeof families / sizeof *families, STEPS = 40 };

/* Numbers from a seed, in [-1, 1). */
static double number(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)(*seed >> 11) / 4503599627370496.0 - 1;
}

/* A start on M_H, N well away from singular. */
static void find_start(const guards_problem *problem, double speed, uint64_t *seed, double *z) {
  tests_problem of = problem->of;
  const int n = of.n, m = of.m, holonomic = problem->of.kind[0] != 'c';
  for (int attempt = 0; attempt < 1000; attempt++) {
    long double N[TESTS_MAX_M * TESTS_MAX_M], lambda[TESTS_MAX_M], w[TESTS_MAX_2N];
    for (int k = 0; k < 2 * n; k++) of.near[k] = holonomic && k >= n ? speed * number(seed) : number(seed);
    if (reference_start(&of, z, z + n)) continue;
    for (int k = 0; k < 2 * n; k++) w[k] = z[k];
    if (reference_multipliers(&of, w, N, lambda)) continue;
    long double most = 0;
    for (int i = 0; i < m; i++) most = fmaxl(most, fabsl(lambda[i]));
    if (most < (holonomic ? 100 : 4)) return;
  }
  fail_msg("no start for %s", of.name);
}

/* ---- the truth of a step ---- */

static void truth_of(const guards_problem *problem, const family *f, double h, const double *z, guards_truth *truth) {
  static const long double one = 1;
  int stages = 1;
  const long double *gamma = f->composition == RATTLE__METHOD_rattle ? &one : rattle__coefficients(f->composition, &stages);
  guards_truth each;
  *truth = (guards_truth){.reaches = 1, .part = 1, .margin = 1};
  for (int k = 0; k < 2 * problem->of.n; k++) truth->z[k] = z[k];
  for (int i = 0; i < stages && truth->reaches; i++) {
    if (guards_follow(problem, f->base, gamma[i] * h, truth->z, &each)) each.reaches = 0;
    if (each.margin < truth->margin) truth->margin = each.margin;
    truth->reaches = each.reaches;
    truth->part = each.part;
    memcpy(truth->z, each.z, sizeof each.z);
  }
}

/* Which indicators spoke, over steps of both kinds. */
enum { NEWTON, SIGN, REVERSAL, ENERGY, SEGMENT, GUARD, INDICATORS };
static const char *const indicator_names[] = {"Newton fails", "sign of det N", "reversal", "energy", "segment", "this guard"};
typedef struct tally {
  int jumps, healthy, grey;                        /* steps */
  int missed[INDICATORS], false_alarm[INDICATORS]; /* of them */
  int jumping[4], near_miss[4];                    /* trajectories, by m */
  int careless;                                    /* of the jumps those where careless Newton went on */
} tally;

static void count(tally *t, int healthy, const guards_opinion *o, int alarm) {
  const int spoke[INDICATORS] = {o->newton, o->sign, o->reversal, o->energy, o->segment, alarm};
  *(healthy ? &t->healthy : &t->jumps) += 1;
  t->careless += !healthy && o->converged;
  for (int i = 0; i < INDICATORS; i++) {
    const int says = spoke[i] || (i != GUARD && !o->converged); /* where Newton failed there is nothing to look at */
    t->missed[i] += !healthy && !says;
    t->false_alarm[i] += healthy && says;
  }
}

static int is_alarm(rattle_status status) {
  return status == RATTLE_DEGENERATE || status == RATTLE_NOT_CONVERGED || status == RATTLE_SINGULAR;
}

/* One trajectory; returns how many wrong answers there were. */
static int trajectory(const family *f, const guards_problem *problem, double h, const double *start, tally *t) {
  const int n = problem->of.n, m = problem->of.m;
  double z[TESTS_MAX_2N], before[TESTS_MAX_2N];
  claims_library library;
  rattle_error error;
  int wrong = 0, jumped = 0;
  long double least = 1, usual = 0;
  assert_int_equal(claims_library_open(&library, &problem->of, f->method, f->evaluator, &error), RATTLE_OK);
  memcpy(z, start, sizeof z);
  for (int k = 0; k < STEPS; k++) {
    guards_truth truth;
    guards_opinion opinion;
    long double w[TESTS_MAX_2N];
    for (int i = 0; i < 2 * n; i++) w[i] = before[i] = z[i];
    truth_of(problem, f, h, z, &truth);
    rattle_state state = {.q = z, .p = z + n, .h = h};
    const rattle_status status = rattle_integrator_step(library.integrator, &state, 1, &error);
    const int healthy = truth.reaches && truth.margin > 1e-2L, ended = !truth.reaches;
    double apart = 0;
    for (int i = 0; i < 2 * n; i++) apart = fmax(apart, fabs(z[i] - (double)(status ? before[i] : truth.z[i])));
    if (healthy || ended) {
      if (f->composition == RATTLE__METHOD_rattle) {
        guards_opine(problem, f->base, h, w, usual, &opinion);
        count(t, healthy, &opinion, status != RATTLE_OK);
      }
      if (healthy && (status || apart > 1e-7)) {
        wrong++;
        if (getenv("GUARDS_VERBOSE"))
          for (int i = 0; i < 2 * n; i++) print_message("%.17g,", before[i]);
        print_message("%s %s h %g step %d: healthy (margin %.3Lg), but %s, %g apart\n   %s\n", f->problem, f->method, h, k,
                      truth.margin, rattle_status_name(status), apart, status ? error.message : "");
      }
      if (ended && (!is_alarm(status) || apart != 0)) {
        wrong++;
        if (getenv("GUARDS_VERBOSE"))
          for (int i = 0; i < 2 * n; i++) print_message("%.17g,", before[i]);
        print_message("%s %s h %g step %d: the solution ends at %.6Lf of the step (margin %.3Lg), but %s, %g apart\n", f->problem,
                      f->method, h, k, truth.part, truth.margin, rattle_status_name(status), apart);
      }
    } else
      t->grey++;
    if (ended) jumped = 1;
    if (truth.reaches) least = fminl(least, truth.margin);
    if (status || ended) break;
    for (int i = 0; i < 2 * n; i++) w[i] = z[i];
    long double was[TESTS_MAX_2N];
    for (int i = 0; i < 2 * n; i++) was[i] = before[i];
    usual = fmaxl(usual, fabsl(reference_energy(&problem->of, w) - reference_energy(&problem->of, was)));
  }
  t->jumping[m] += jumped;
  t->near_miss[m] += !jumped && least < 0.7L;
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
    uint64_t seed = 1 + (uint64_t)i;
    tally before = t;
    for (int k = 0; k < f->starts; k++) {
      double z[TESTS_MAX_2N];
      find_start(problem, f->speed, &seed, z);
      for (int j = 0; j < 4 && f->h[j] > 0; j++) wrong += trajectory(f, problem, f->h[j], z, &t);
    }
    if (getenv("GUARDS_VERBOSE"))
      print_message("%-18s %-36s jumps %d healthy %d grey %d near misses %d\n", f->problem, f->method, t.jumps - before.jumps,
                    t.healthy - before.healthy, t.grey - before.grey,
                    t.near_miss[problem->of.m] - before.near_miss[problem->of.m]);
  }
  print_message("%d steps that jump (%d of them unnoticed by Newton's iteration), %d healthy, %d too near a fold to tell\n",
                t.jumps, t.careless, t.healthy, t.grey);
  for (int i = 0; i < INDICATORS; i++)
    print_message("  %-14s missed %4d   false alarms %4d\n", indicator_names[i], t.missed[i], t.false_alarm[i]);
  for (int m = 1; m <= 3; m++)
    print_message("  m = %d: %d trajectories that jump, %d near misses\n", m, t.jumping[m], t.near_miss[m]);
  assert_true(t.jumping[1] + t.jumping[2] + t.jumping[3] >= 50 && t.near_miss[1] + t.near_miss[2] + t.near_miss[3] >= 50);
  assert_int_equal(wrong, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_the_truth)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
