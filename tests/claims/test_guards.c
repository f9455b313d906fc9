/* The guards of item "never a wrong answer silently": trajectories that jump and trajectories that
 * nearly do.
 *
 *   - of each step of each trajectory the truth is found without the library (common_guards.h):
 *     every step whose solution does
 * not exist ends in an error, the state being that of the last good step; no other step does;
 *   - the harmonic problem without potential, where the truth is a formula, and with a linear one,
 *     where it is the roots of H' on the fibre;
 *   - what the usual indicators say of the same steps is printed next to the guard;
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

#include "method/notation/row.h"

/* A family of trajectories: `starts` random starts, each with every step of h. */
typedef struct family {
  const char *problem, *method;
  reference_base base;
  const rattle__composition *composition; /* NULL: none */
  int evaluator, starts;
  double h[4];  /* ended by 0 */
  double speed; /* of the random momenta */
} family;

extern const rattle__composition rattle__composition_kahan_li8, rattle__composition_suzuki4,
    rattle__composition_yoshida4;

static const family families[] = {
#define F(problem, method, base, starts, speed, ...)                                               \
  { problem, method, REFERENCE_##base, NULL, RATTLE_EVALUATOR_BLOCK, starts, {__VA_ARGS__}, speed }
#define C(problem, composition, method, base, starts, speed, ...)                                  \
  {                                                                                                \
    problem, #composition "(" method ")", REFERENCE_##base, &rattle__composition_##composition,    \
        RATTLE_EVALUATOR_BLOCK, starts, {__VA_ARGS__}, speed                                       \
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

/* ---- the truth of a step ---- */

static void truth_of(const guards_problem *problem, const family *f, double h, const double *z,
                     guards_truth *truth) {
  static const long double one = 1;
  const int stages = f->composition ? f->composition->stages : 1;
  const long double *gamma = f->composition ? f->composition->gamma : &one;
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
static const char *const indicator_names[] = {"Newton fails", "sign of det N", "reversal",
                                              "energy",       "segment",       "this guard"};
typedef struct tally {
  int jumps, healthy, grey;                        /* steps */
  int missed[INDICATORS], false_alarm[INDICATORS]; /* of them */
  int jumping[4], near_miss[4];                    /* trajectories, by m */
  int careless; /* of the jumps those where careless Newton went on */
} tally;

static void count(tally *t, int healthy, const guards_opinion *o, int alarm) {
  const int spoke[INDICATORS] = {o->newton, o->sign, o->reversal, o->energy, o->segment, alarm};
  *(healthy ? &t->healthy : &t->jumps) += 1;
  t->careless += !healthy && o->converged;
  for (int i = 0; i < INDICATORS; i++) {
    const int says =
        spoke[i] ||
        (i != GUARD && !o->converged); /* where Newton failed there is nothing to look at */
    t->missed[i] += !healthy && !says;
    t->false_alarm[i] += healthy && says;
  }
}

static int is_alarm(rattle_status status) {
  return status == RATTLE_DEGENERATE || status == RATTLE_NOT_CONVERGED || status == RATTLE_SINGULAR;
}

/* One trajectory; returns how many wrong answers there were. */
static int trajectory(const family *f, const guards_problem *problem, double h, const double *start,
                      tally *t) {
  const int n = problem->of.n, m = problem->of.m;
  double z[TESTS_MAX_2N], before[TESTS_MAX_2N];
  claims_library library;
  rattle_error error;
  int wrong = 0, jumped = 0;
  long double least = 1, usual = 0;
  assert_int_equal(claims_library_open(&library, &problem->of, f->method, f->evaluator, &error),
                   RATTLE_OK);
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
    for (int i = 0; i < 2 * n; i++)
      apart = fmax(apart, fabs(z[i] - (double)(status ? before[i] : truth.z[i])));
    if (healthy || ended) {
      if (!f->composition) {
        guards_opine(problem, f->base, h, w, usual, &opinion);
        count(t, healthy, &opinion, status != RATTLE_OK);
      }
      if (healthy && (status || apart > 1e-7)) {
        wrong++;
        if (getenv("GUARDS_VERBOSE"))
          for (int i = 0; i < 2 * n; i++) print_message("%.17g,", before[i]);
        print_message("%s %s h %g step %d: healthy (margin %.3Lg), but %s, %g apart\n   %s\n",
                      f->problem, f->method, h, k, truth.margin, rattle_status_name(status), apart,
                      status ? error.message : "");
      }
      if (ended && (!is_alarm(status) || apart != 0)) {
        wrong++;
        if (getenv("GUARDS_VERBOSE"))
          for (int i = 0; i < 2 * n; i++) print_message("%.17g,", before[i]);
        print_message("%s %s h %g step %d: the solution ends at %.6Lf of the step (margin %.3Lg), "
                      "but %s, %g apart\n",
                      f->problem, f->method, h, k, truth.part, truth.margin,
                      rattle_status_name(status), apart);
      }
    } else
      t->grey++;
    if (ended) jumped = 1;
    if (truth.reaches) least = fminl(least, truth.margin);
    if (status || ended) break;
    for (int i = 0; i < 2 * n; i++) w[i] = z[i];
    long double was[TESTS_MAX_2N];
    for (int i = 0; i < 2 * n; i++) was[i] = before[i];
    usual = fmaxl(usual,
                  fabsl(reference_energy(&problem->of, w) - reference_energy(&problem->of, was)));
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
    for (int k = 0; k < f->starts; k += TESTS_ONE_IN) {
      double z[TESTS_MAX_2N];
      guards_find_start(problem, f->speed, &seed, z);
      for (int j = 0; j < 4 && f->h[j] > 0; j++) wrong += trajectory(f, problem, f->h[j], z, &t);
    }
    if (getenv("GUARDS_VERBOSE"))
      print_message("%-18s %-36s jumps %d healthy %d grey %d near misses %d\n", f->problem,
                    f->method, t.jumps - before.jumps, t.healthy - before.healthy,
                    t.grey - before.grey,
                    t.near_miss[problem->of.m] - before.near_miss[problem->of.m]);
  }
  print_message("%d steps that jump (%d of them unnoticed by Newton's iteration), %d healthy, %d "
                "too near a fold to tell\n",
                t.jumps, t.careless, t.healthy, t.grey);
  for (int i = 0; i < INDICATORS; i++)
    print_message("  %-14s missed %4d   false alarms %4d\n", indicator_names[i], t.missed[i],
                  t.false_alarm[i]);
  for (int m = 1; m <= 3; m++)
    print_message("  m = %d: %d trajectories that jump, %d near misses\n", m, t.jumping[m],
                  t.near_miss[m]);
  const int few = 50 / TESTS_ONE_IN;
  assert_true(t.jumping[1] + t.jumping[2] + t.jumping[3] >= few &&
              t.near_miss[1] + t.near_miss[2] + t.near_miss[3] >= few);
  assert_int_equal(wrong, 0);
}

/* ---- formulas ---- */

/* Without potential a step turns by asin(h w), w = s |q||p| / (|q|^2 - |p|^2); beyond h |w| = 1
 * there is none. */
static void test_free_harmonic(void **state) {
  (void)state;
  static const double part[] = {0.1,    0.5,  0.9, 0.99, 0.9999, -0.3,    -0.9999,
                                1.0001, 1.01, 1.3, 2,    5,      -1.0001, -2};
  static const char *const methods[] = {"rattle(midpoint)", "rattle(verlet)", "rattle(gauss(2))",
                                        "rattle(verlet(b))"};
  uint64_t seed = 5;
  for (int k = 0; k < 28; k++) {
    double q = 0.5 * (1 + guards_number(&seed)) * 3.14159 / 2, c = cos(q), s = sin(q),
           angle = 3 * guards_number(&seed);
    if (fabs(c * c - s * s) < 0.02 || c * s < 0.02) continue;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
      double z[4] = {c * cos(angle), c * sin(angle), -s * sin(angle), s * cos(angle)}, before[4];
      const double w = c * s / (c * c - s * s), h = part[i] / w,
                   turned = angle + asin(fmin(1, fmax(-1, h * w)));
      claims_library library;
      rattle_error error;
      if (fabs(h) > 3) continue;
      assert_int_equal(claims_library_open(&library, &guards_problem_named("free harmonic")->of,
                                           methods[k % 4], RATTLE_EVALUATOR_BLOCK, &error),
                       RATTLE_OK);
      memcpy(before, z, sizeof z);
      rattle_state at = {.q = z, .p = z + 2, .h = h};
      const rattle_status status = rattle_integrator_step(library.integrator, &at, 1, &error);
      if (fabs(part[i]) > 1) {
        if (!is_alarm(status))
          fail_msg("%s: h w = %g: %s", methods[k % 4], part[i], rattle_status_name(status));
        assert_memory_equal(before, z, sizeof z);
      } else {
        const double apart = fmax(fabs(z[0] - c * cos(turned)), fabs(z[1] - c * sin(turned)));
        if (status || !(apart < 1e-9))
          fail_msg("%s: h w = %g: %s, %g apart", methods[k % 4], part[i],
                   rattle_status_name(status), apart);
      }
      claims_library_close(&library);
    }
  }
}

/* H' on the fibre of (q, p), at (cos t q + sin t p, cos t p - sin t q), for H = |p|^2/2 - f.q, f =
 * (0, -1). */
static double along_fibre(const double *z, double t) {
  const double qq = z[0] * z[0] + z[1] * z[1], pp = z[2] * z[2] + z[3] * z[3],
               qp = z[0] * z[2] + z[1] * z[3];
  return 0.5 * (qq - pp) * sin(2 * t) - qp * cos(2 * t) - z[1] * sin(t) + z[3] * cos(t);
}

/* The root of H' that t = 0 became when z moved a little: by Newton, checked to be near. */
static int near_root(const double *z, double *t) {
  const double d = 1e-6;
  double x = 0;
  for (int k = 0; k < 30; k++) {
    const double slope = (along_fibre(z, x + d) - along_fibre(z, x - d)) / (2 * d);
    x -= along_fibre(z, x) / slope;
  }
  *t = x;
  return fabs(along_fibre(z, x)) < 1e-12;
}

/* The solution of the differential equation on by t, by one step of the classical Runge-Kutta
 * method; returns N where it ends. */
static long double drift(const tests_problem *of, long double t, long double *z) {
  static const long double c[4] = {0, 0.5L, 0.5L, 1},
                           b[4] = {1 / 6.0L, 1 / 3.0L, 1 / 3.0L, 1 / 6.0L};
  long double N[1], lambda[1], x[4], k[4] = {0}, sum[4] = {0}, along[4];
  for (int s = 0; s < 4; s++) {
    for (int i = 0; i < 4; i++) x[i] = z[i] + t * c[s] * k[i];
    if (reference_multipliers(of, x, N, lambda)) return 0;
    reference_field(of, x, k);
    reference_fibre_field(&(reference_direction){of, lambda}, x, along);
    for (int i = 0; i < 4; i++) {
      k[i] += along[i];
      sum[i] += b[s] * k[i];
    }
  }
  for (int i = 0; i < 4; i++) z[i] += t * sum[i];
  return reference_multipliers(of, z, N, lambda) ? 0 : N[0];
}

/* With the linear potential of McLachlan et al. (2014): from za, zb, zc, on closed orbits, and from
 * random starts. Each run that ends does so where the differential equation does: N vanishes on the
 * exact solution within six steps of its last state. No run that goes on leaves its sheet: the sign
 * of H'' on the fibre and the number of roots near it tell. */
static void test_falling_harmonic(void **state) {
  (void)state;
  const guards_problem *problem = guards_problem_named("falling harmonic");
  static const double table[3][4] = {
      {-0.78652612, -0.4043988, -0.3880746864163783, 0.2173391755798215},
      {-0.4963624948824013, -0.7319740436366664, -0.427577593395326, 0.122538488260416},
      {0.34774911882134, -0.8131619010029159, -0.4368285559113795, -0.0837800227934176}};
  static const char *const methods[] = {"rattle(midpoint)", "rattle(verlet)",
                                        "suzuki4(rattle(midpoint))"};
  uint64_t seed = 77;
  int ended = 0, whole = 0;
  for (int k = 0; k < 3 + 60 / TESTS_ONE_IN; k++) {
    double z[4];
    const double h = k < 3 ? 0.1 : 0.01;
    claims_library library;
    rattle_error error;
    if (k < 3) {
      tests_problem of = problem->of;
      memcpy(of.near, table[k], sizeof table[k]);
      assert_int_equal(reference_start(&of, z, z + 2), 0);
    } else
      guards_find_start(problem, 1, &seed, z);
    assert_int_equal(
        claims_library_open(&library, &problem->of, methods[k % 3], RATTLE_EVALUATOR_BLOCK, &error),
        RATTLE_OK);
    rattle_state at = {.q = z, .p = z + 2, .h = h};
    rattle_status status = RATTLE_OK;
    const double sign = along_fibre(z, 1e-6) - along_fibre(z, -1e-6);
    for (int step = 0; step < 1500 && !status; step++) {
      double t = 1;
      status = rattle_integrator_step(library.integrator, &at, 1, &error);
      assert_true(near_root(z, &t) && fabs(t) < 1e-6);
      assert_true((along_fibre(z, 1e-6) - along_fibre(z, -1e-6)) * sign > 0);
    }
    if (k < 3) assert_int_equal(status, RATTLE_OK);
    whole += !status;
    if (status) {
      assert_true(is_alarm(status));
      long double w[4], first, least;
      for (int i = 0; i < 4; i++) w[i] = z[i];
      first = least = drift(&problem->of, 0, w);
      for (int i = 0; i < 480 && least * first > 0; i++) {
        const long double N = drift(&problem->of, h / 80, w);
        if (!(fabsl(N) >= fabsl(least) && N * first > 0)) least = isfinite(N) ? N : 0;
      }
      if (!(least * first <= 0 || fabsl(least) < 0.3L * fabsl(first)))
        fail_msg("start %d: an alarm at %g, but N goes from %Lg to %Lg only", k,
                 (double)at.step * h, first, least);
      ended++;
    }
    claims_library_close(&library);
  }
  print_message("falling harmonic: %d runs end at a degenerate point, %d go on\n", ended, whole);
  assert_true(ended >= 10 / TESTS_ONE_IN && whole >= 10 / TESTS_ONE_IN);
}

/* SHAKE, and RATTLE that projects at output only, end where RATTLE does. */
static void test_shake_ends_there_too(void **state) {
  (void)state;
  static const char *const names[] = {"falling harmonic", "two harmonic", "geared", "tube"};
  static const char *const methods[] = {"rattle(midpoint)", "shake(midpoint)",
                                        "rattle(midpoint, project=output)"};
  uint64_t seed = 9;
  int ended = 0;
  for (int k = 0; k < 40; k++) {
    const guards_problem *problem = guards_problem_named(names[k % 4]);
    const int n = problem->of.n;
    double start[TESTS_MAX_2N];
    long long steps[3];
    guards_find_start(problem, 1.5, &seed, start);
    for (int j = 0; j < 3; j++) {
      double z[TESTS_MAX_2N];
      claims_library library;
      rattle_error error;
      memcpy(z, start, sizeof z);
      assert_int_equal(
          claims_library_open(&library, &problem->of, methods[j], RATTLE_EVALUATOR_BLOCK, &error),
          RATTLE_OK);
      rattle_state at = {.q = z, .p = z + n, .h = k % 4 < 2 ? 0.05 : 0.4};
      const rattle_status status = rattle_integrator_step(library.integrator, &at, 60, &error);
      if (status && !is_alarm(status))
        fail_msg("%s on %s: %s", methods[j], problem->of.name, error.message);
      steps[j] = at.step;
      claims_library_close(&library);
    }
    for (int j = 1; j < 3; j++)
      if (llabs(steps[j] - steps[0]) > 1)
        fail_msg("%s on %s (start %d): %lld steps, with rattle %lld", methods[j], problem->of.name,
                 k, steps[j], steps[0]);
    ended += steps[0] < 60;
  }
  assert_in_range(ended, 8, 39);
}

/* Long healthy runs: no alarm, and hardly a step that is looked into. */
static void test_long_runs(void **state) {
  (void)state;
  static const struct {
    const char *problem, *method;
    int evaluator;
    double h, near[8];
  } runs[] = {
      {"arm", "rattle(verlet)", RATTLE_EVALUATOR_NATIVE, 0.01, {1, 0, 1.7, 0.7, 0, -1, 0.3, -1}},
      {"arm", "rattle(verlet)", RATTLE_EVALUATOR_BLOCK, 0.01, {1, 0, 1.7, 0.7, 0, -1, 0.3, -1}},
      {"falling harmonic",
       "rattle(midpoint)",
       RATTLE_EVALUATOR_BLOCK,
       0.05,
       {-0.78652612, -0.4043988, -0.38807, 0.21734}}};
  for (int i = 0; i < 3; i++) {
    tests_problem of = guards_problem_named(runs[i].problem)->of;
    double z[TESTS_MAX_2N];
    claims_library library;
    rattle_error error;
    memcpy(of.near, runs[i].near, sizeof runs[i].near);
    assert_int_equal(reference_start(&of, z, z + of.n), 0);
    assert_int_equal(claims_library_open(&library, &of, runs[i].method, runs[i].evaluator, &error),
                     RATTLE_OK);
    rattle_state at = {.q = z, .p = z + of.n, .h = runs[i].h};
    if (rattle_integrator_step(library.integrator, &at, 1000000 / TESTS_ONE_IN, &error))
      fail_msg("%s: %s", of.name, error.message);
    assert_in_range(rattle_integrator_counts(library.integrator).followed, 0, 1000);
    claims_library_close(&library);
  }
}

/* The error gives the time, the constraint and the meaning; a wrong fibre is detected. */
static void test_what_errors_say(void **state) {
  (void)state;
  claims_library library;
  rattle_error error;
  double z[4] = {0.6, 0, 0, 0.8};
  assert_int_equal(claims_library_open(&library, &guards_problem_named("free harmonic")->of,
                                       "rattle(midpoint)", RATTLE_EVALUATOR_BLOCK, &error),
                   RATTLE_OK);
  rattle_state at = {.q = z, .p = z + 2, .t0 = 3, .h = 0.8};
  assert_int_equal(rattle_integrator_step(library.integrator, &at, 1, &error), RATTLE_DEGENERATE);
  assert_true(error.time == 3 && error.step == 0 && error.constraint == 0);
  assert_string_equal(error.where, "sphere");
  assert_non_null(strstr(error.message, "smallest singular value of N = {{H,g_i},g_j}"));
  assert_non_null(strstr(error.message, "smaller step"));
  claims_library_close(&library);
  tests_problem wrong = guards_problem_named("falling harmonic")->of;
  /* to first order right, then not */
  wrong.model =
      "local q1, p1 = pair('q1', 'p1')\nlocal q2, p2 = pair('q2', 'p2')\n"
      "hamiltonian((p1^2 + p2^2)/2 + q2)\nconstrain('sphere', q1^2 + q2^2 + p1^2 + p2^2 - 1)\n"
      "fibre(function(s) local c, d = cos(2*s[1]), sin(2*s[1])\n"
      "  return {q1 = q1*c + p1*d + s[1]^2/1000, p1 = p1*c - q1*d, q2 = q2*c + p2*d, p2 = p2*c - "
      "q2*d} end)\n";
  const double near[4] = {-0.7, -0.4, -0.4, 0.2};
  memcpy(wrong.near, near, sizeof near);
  assert_int_equal(reference_start(&wrong, z, z + 2), 0);
  assert_int_equal(
      claims_library_open(&library, &wrong, "rattle(midpoint)", RATTLE_EVALUATOR_BLOCK, &error),
      RATTLE_OK);
  at = (rattle_state){.q = z, .p = z + 2, .h = 0.1};
  assert_int_equal(rattle_integrator_step(library.integrator, &at, 1, &error), RATTLE_UNSUITABLE);
  assert_non_null(strstr(error.message, "fibre of the model"));
  claims_library_close(&library);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_against_the_truth), cmocka_unit_test(test_free_harmonic),
      cmocka_unit_test(test_falling_harmonic),  cmocka_unit_test(test_shake_ends_there_too),
      cmocka_unit_test(test_long_runs),         cmocka_unit_test(test_what_errors_say)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
