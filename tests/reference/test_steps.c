/* Maps that know the constraints by themselves, against their long-double references and against
 * rattle. */
#include "common_steps.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "problem/functions/probe.h"
#include "maps/base/base.h"
#include "rattle/rattle.h"
#include "maps/constrained/monolithic.h"

enum { STEPS = 20 };
static const double h = 0.03, agreed = 1e-13;

typedef struct fixture {
  rattle_model *model;
  rattle_problem *problem;
} fixture;

static void open(fixture *f, const tests_problem *test, int evaluator) {
  rattle_error error;
  rattle_problem_options options = {.evaluator = evaluator};
  if (rattle_model_parse(&f->model, test->model, test->name, NULL, &error) ||
      rattle_problem_create(&f->problem, f->model, &options, &error))
    fail_msg("%s: %s", test->name, error.message);
}

static void close(fixture *f) {
  rattle_problem_destroy(&f->problem);
  rattle_model_destroy(&f->model);
}

/* Steps with a method, z in place; returns Newton iterations a step. At most `followed` of them may
 * be doubtful; -1: all. */
static double run_with(const fixture *f, const char *method, double step, long long steps,
                       double *z, int followed) {
  rattle_integrator *integrator;
  rattle_error error;
  rattle_state state = {.q = z, .p = z + rattle_problem_n(f->problem), .h = step};
  if (rattle_integrator_create(&integrator, f->problem, method, &error) ||
      rattle_integrator_step(integrator, &state, steps, &error))
    fail_msg("%s: %s", method, error.message);
  const rattle_counts counts = rattle_integrator_counts(integrator);
  const double iterations = (double)counts.newton_iterations / (double)steps;
  if (followed >= 0 && counts.followed > followed)
    fail_msg("%s, h = %g: %lld steps are followed", method, step, (long long)counts.followed);
  rattle_integrator_destroy(&integrator);
  return iterations;
}

/* Short steps are healthy: none is doubtful. */
static double run(const fixture *f, const char *method, double step, long long steps, double *z) {
  return run_with(f, method, step, steps, z, step < 0.2 ? 0 : -1);
}

static double apart(int n, const double *z, const double *w) {
  double most = 0;
  for (int k = 0; k < 2 * n; k++) most = fmax(most, fabs(z[k] - w[k]) / (1 + fabs(w[k])));
  return most;
}

static int is_holonomic(const tests_problem *test) {
  return strcmp(test->kind, "coisotropic") != 0;
}

/* ---- the Lobatto pair ---- */

static void test_lobatto(void **state) {
  (void)state;
  for (int s = 2; s <= STEPS_MOST_STAGES; s++) {
    long double c[STEPS_MOST_STAGES], b[STEPS_MOST_STAGES], a[STEPS_MOST_STAGES][STEPS_MOST_STAGES],
        ahat[STEPS_MOST_STAGES][STEPS_MOST_STAGES];
    double nodes[RATTLE__STAGES], weights[RATTLE__STAGES], IIIA[RATTLE__STAGES][RATTLE__STAGES],
        IIIB[RATTLE__STAGES][RATTLE__STAGES];
    steps_lobatto(s, c, b, a, ahat);
    rattle__lobatto_coefficients(s, nodes, weights, IIIA, IIIB);
    for (int i = 0; i < s; i++) {
      assert_true(fabsl(nodes[i] - c[i]) < 2e-16L && fabsl(weights[i] - b[i]) < 2e-16L);
      for (int j = 0; j < s; j++) {
        if (!(fabsl(IIIA[i][j] - a[i][j]) < 2e-16L && fabsl(IIIB[i][j] - ahat[i][j]) < 2e-16L))
          fail_msg("s = %d: a[%d][%d] = %.17g and %.17g, not %.20Lg and %.20Lg", s, i, j,
                   IIIA[i][j], IIIB[i][j], a[i][j], ahat[i][j]);
      }
    }
    /* what the wrapper relies on, bit for bit */
    for (int i = 0; i < s; i++)
      assert_true(IIIA[0][i] == 0 && IIIA[s - 1][i] == weights[i] && IIIB[i][s - 1] == 0);
  }
}

/* ---- spark ---- */

/* spark(2) and rattle_monolithic are rattle(verlet), or verlet: nonlinear, not separable, without
 * constraints. */
static void test_same_as_rattle(void **state) {
  (void)state;
  static const char *const same[] = {"spark(2)", "rattle_monolithic"};
  int compared = 0;
  for (int i = 0; i < tests_problem_count; i++) {
    const tests_problem *test = &tests_problems[i];
    const int n = test->n;
    double start[TESTS_MAX_2N], z[TESTS_MAX_2N], w[TESTS_MAX_2N];
    long double x[TESTS_MAX_2N];
    fixture f;
    if (!is_holonomic(test)) continue;
    open(&f, test, RATTLE_EVALUATOR_BLOCK);
    assert_int_equal(reference_start(test, start, start + n), 0);
    memcpy(w, start, sizeof start);
    for (int k = 0; k < 2 * n; k++) x[k] = start[k];
    run(&f, test->m ? "rattle(verlet)" : "verlet", h, STEPS, w);
    for (int k = 0; k < STEPS; k++)
      assert_int_equal(reference_rattle(test, REFERENCE_VERLET_A, h, x), 0);
    for (int which = 0; which < 2; which++) {
      memcpy(z, start, sizeof start);
      run(&f, same[which], h, STEPS, z);
      if (!(apart(n, z, w) < agreed))
        fail_msg("%s on %s: %g from rattle", same[which], test->name, apart(n, z, w));
      for (int k = 0; k < 2 * n; k++)
        w[k] = which ? w[k] : (double)x[k]; /* then against the reference */
      if (!(apart(n, z, w) < agreed))
        fail_msg("%s on %s: %g from the reference", same[which], test->name, apart(n, z, w));
      compared++;
    }
    close(&f);
  }
  assert_true(compared >= 18);
}

static void test_spark(void **state) {
  (void)state;
  static const char *const names[] = {"spherical", "varying_mass", "two_surfaces",
                                      "double_pendulum", "relativistic"};
  static const double most[] = {8, 11, 8, 8, 8};
  static const int evaluators[] = {RATTLE_EVALUATOR_BLOCK, RATTLE_EVALUATOR_NATIVE};
  for (int i = 0; i < 5; i++)
    for (int s = 2; s <= 5; s++) {
      const tests_problem *test = tests_problem_named(names[i]);
      const steps_equation equation = steps_spark(test, s);
      const int n = test->n, steps = s > 3 ? 3 : 8;
      double start[TESTS_MAX_2N], z[TESTS_MAX_2N], w[TESTS_MAX_2N];
      long double x[TESTS_MAX_2N];
      char method[32];
      assert_int_equal(reference_start(test, start, start + n), 0);
      for (int k = 0; k < 2 * n; k++) x[k] = start[k];
      for (int k = 0; k < steps; k++) assert_int_equal(steps_step(&equation, 0.06L, x), 0);
      for (int k = 0; k < 2 * n; k++) w[k] = (double)x[k];
      snprintf(method, sizeof method, "spark(%d)", s);
      for (int e = 0; e < 2; e++) {
        fixture f;
        open(&f, test, evaluators[e]);
        memcpy(z, start, sizeof z);
        const double iterations = run(&f, method, 0.06, steps, z);
        if (getenv("STEPS_VERBOSE"))
          print_message("%s on %s: %g iterations\n", method, test->name, iterations);
        assert_true(iterations <= most[i]); /* a wrong matrix takes more */
        if (!(apart(n, z, w) < agreed))
          fail_msg("%s on %s: %g from the reference", method, test->name, apart(n, z, w));
        close(&f);
      }
    }
}

/* ---- rattle_monolithic ---- */

/* Newton iterations of 20 steps with a Jacobian, and where they end. */
static long long count_with(const tests_problem *test, const rattle__monolithic_jacobian *jacobian,
                            double *z) {
  const size_t bytes = 2 * (size_t)test->n * sizeof *z;
  double *end = malloc(bytes);
  rattle_error error;
  fixture f;
  open(&f, test, RATTLE_EVALUATOR_BLOCK);
  rattle__context context = {.problem = f.problem, .solver = "none"};
  rattle__map *map = NULL;
  assert_int_equal(reference_start(test, z, z + test->n), 0);
  assert_int_equal(rattle__monolithic_create(&map, &context, 0, jacobian, &error), RATTLE_OK);
  for (int i = 0; i < STEPS; i++) {
    if (map->apply(map, h, z, end, &error)) fail_msg("%s: %s", test->name, error.message);
    memcpy(z, end, bytes);
  }
  const long long iterations = context.counts.newton_iterations;
  map->destroy(map);
  rattle__probe_destroy(&context.probe);
  rattle__arena_release(&context.arena);
  close(&f);
  free(end);
  return iterations;
}

/* The two faults of the printed Jacobian (docs/errata.md) cost iterations, each by itself: Newton's
 * method converges linearly. The force of p1 only if H is not separable. The solution stays what it
 * is. */
static void faults_of_the_printed_jacobian(void **state) {
  (void)state;
  static const char *const names[] = {"varying_mass", "two_surfaces", "double_pendulum"};
  static const rattle__monolithic_jacobian right = {1, 0}, sign = {-1, 0}, extra = {1, 1},
                                           printed = {-1, 1};
  for (int i = 0; i < 3; i++) {
    const tests_problem *test = tests_problem_named(names[i]);
    const int separable = i == 2;
    double z[TESTS_MAX_2N], w[TESTS_MAX_2N];
    const long long mended = count_with(test, &right, z);
    const rattle__monolithic_jacobian *faulty[] = {&sign, &extra, &printed};
    long long counts[3];
    for (int k = 0; k < 3; k++) {
      counts[k] = count_with(test, faulty[k], w);
      if (!(apart(test->n, z, w) < agreed))
        fail_msg("%s: %g apart", test->name, apart(test->n, z, w));
    }
    print_message(
        "%s: %lld Newton iterations in %d steps; sign %lld, extra %lld, as printed %lld\n",
        test->name, mended, STEPS, counts[0], counts[1], counts[2]);
    assert_true(mended <= 3 * STEPS + 2);
    assert_true(counts[0] >= mended + STEPS / 2 && counts[2] >= mended + STEPS / 2);
    assert_true(separable ? counts[1] == mended : counts[1] >= mended + STEPS);
  }
}

/* With tol= the whole step stands where a third of its distance from two halves is below tol of the
 * largest coordinate, and the largest momentum; it then is the two halves bit for bit. */
static void substeps_by_their_estimates(void **state) {
  (void)state;
  static const char *const names[] = {"varying_mass", "double_pendulum", "product"};
  for (int i = 0; i < 3; i++) {
    const tests_problem *test = tests_problem_named(names[i]);
    const int n = test->n;
    const double step = 0.1;
    double start[TESTS_MAX_2N], whole[TESTS_MAX_2N], halves[TESTS_MAX_2N], z[TESTS_MAX_2N],
        again[TESTS_MAX_2N];
    double size[2] = {0}, estimate = 0;
    char method[64];
    fixture f;
    open(&f, test, RATTLE_EVALUATOR_BLOCK);
    assert_int_equal(reference_start(test, start, start + n), 0);
    memcpy(whole, start, sizeof start);
    memcpy(halves, start, sizeof start);
    run(&f, "rattle_monolithic", step, 1, whole);
    run(&f, "rattle_monolithic", step / 2, 2, halves);
    for (int k = 0; k < 2 * n; k++)
      size[k >= n] = fmax(size[k >= n], fmax(fabs(start[k]), fabs(halves[k])));
    for (int k = 0; k < 2 * n; k++)
      estimate = fmax(estimate, fabs(halves[k] - whole[k]) / 3 / size[k >= n]);
    memcpy(z, start, sizeof start);
    snprintf(method, sizeof method, "rattle_monolithic(tol=%.17g)", 1.001 * estimate);
    run(&f, method, step, 1, z);
    assert_memory_equal(z, halves, sizeof *z * 2 * (size_t)n);
    /* a little less, and the first half is divided: at least three steps of a quarter */
    memcpy(z, start, sizeof start);
    snprintf(method, sizeof method, "rattle_monolithic(tol=%.17g)", 0.999 * estimate);
    run(&f, method, step, 1, z);
    memcpy(again, start, sizeof start);
    run(&f, "rattle_monolithic", step / 4, 4, again);
    assert_memory_equal(z, again, sizeof *z * 2 * (size_t)n);
    /* a function of (h, z) */
    memcpy(again, start, sizeof start);
    run(&f, method, step, 1, again);
    assert_memory_equal(z, again, sizeof *z * 2 * (size_t)n);
    close(&f);
  }
}

/* Long steps end at their time to round-off, with errors of the size of tol. */
static void adaptive_steps_are_accurate(void **state) {
  (void)state;
  const tests_problem *test = tests_problem_named("two_surfaces");
  const int n = test->n;
  double start[TESTS_MAX_2N], worst[3] = {0}, iterations[3];
  long double x[TESTS_MAX_2N];
  fixture f;
  open(&f, test, RATTLE_EVALUATOR_BLOCK);
  assert_int_equal(reference_start(test, start, start + n), 0);
  for (int k = 0; k < 2 * n; k++) x[k] = start[k];
  assert_int_equal(reference_flow(test, 1.6L, 100, x), 0);
  static const char *const methods[] = {
      "rattle_monolithic(tol=1e-4)", "rattle_monolithic(tol=1e-6)", "rattle_monolithic(tol=1e-8)"};
  for (int i = 0; i < 3; i++) {
    double z[TESTS_MAX_2N];
    memcpy(z, start, sizeof z);
    iterations[i] = run(&f, methods[i], 0.8, 2, z);
    for (int k = 0; k < 2 * n; k++) worst[i] = fmax(worst[i], fabs(z[k] - (double)x[k]));
    if (getenv("STEPS_VERBOSE"))
      print_message("%s: error %g, %g iterations\n", methods[i], worst[i], iterations[i]);
  }
  assert_true(worst[0] < 2e-3 && worst[1] < 5e-5 && worst[2] < 2e-6);
  assert_true(iterations[2] < 1950); /* substeps grow again where they may */
  assert_true(worst[1] < worst[0] / 8 && worst[2] < worst[1] / 8);
  close(&f);
}

/* A tolerance below round-off ends in an error that says so, not in a loop. */
static void adaptive_steps_that_fail(void **state) {
  (void)state;
  const tests_problem *test = tests_problem_named("varying_mass");
  rattle_integrator *integrator;
  rattle_error error;
  fixture f;
  double z[TESTS_MAX_2N], before[TESTS_MAX_2N];
  open(&f, test, RATTLE_EVALUATOR_BLOCK);
  assert_int_equal(reference_start(test, z, z + test->n), 0);
  memcpy(before, z, sizeof z);
  assert_int_equal(
      rattle_integrator_create(&integrator, f.problem, "rattle_monolithic(tol=1e-16)", &error),
      RATTLE_OK);
  rattle_state state_of = {.q = z, .p = z + test->n, .h = 0.1};
  assert_int_equal(rattle_integrator_step(integrator, &state_of, 1, &error), RATTLE_NOT_CONVERGED);
  assert_non_null(strstr(error.message, "tol= is below round-off"));
  assert_memory_equal(z, before, sizeof *z * 2 * (size_t)test->n);
  rattle_integrator_destroy(&integrator);
  close(&f);
}

/* At rest, where nothing has a size that tol= could be relative to, as elsewhere: no step is
 * divided. */
static void adaptive_steps_at_rest(void **state) {
  (void)state;
  static const tests_problem hung = {
      .name = "hung",
      .kind = "natural",
      .n = 4,
      .m = 2,
      .model =
          "local a, pa = pair('a')\nlocal b, pb = pair('b')\nlocal c, pc = pair('c')\nlocal d, pd "
          "= pair('d')\n"
          "mass { a = 1.7, b = 1.7, c = 0.35, d = 0.35 }\npotential(9.81*(1.7*b + 0.35*d))\n"
          "constrain('r1', a^2 + b^2 - 0.64)\nconstrain('r2', (a - c)^2 + (b - d)^2 - 1.69)\n"};
  fixture f;
  open(&f, &hung, RATTLE_EVALUATOR_BLOCK);
  for (double step = 1e-3; step < 0.1; step *= 3) {
    double z[8] = {0, -0.8, 0, -2.1}, whole[8] = {0, -0.8, 0, -2.1};
    const double found = run(&f, "rattle_monolithic(tol=1e-8)", step, 50, z),
                 one = run(&f, "rattle_monolithic", step, 50, whole);
    assert_true(found <= 3 * one + 3);
    for (int k = 4; k < 8; k++) assert_true(fabs(z[k]) < 1e-13);
  }
  close(&f);
}

/* ---- discrete_gradient ---- */

/* Natural, not separable, coisotropic, without constraints; and steps so short that differences of
 * H are round-off. */
static void test_discrete_gradient(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double h;
    int steps;
  } cases[] = {{"spherical", 0.06, 3},    {"varying_mass", 0.06, 3}, {"two_surfaces", 0.06, 2},
               {"relativistic", 0.06, 3}, {"harmonic", 0.06, 4},     {"torus", 0.06, 2},
               {"bent", 0.06, 4},         {"mirror", 0.03, 4},       {"free_on_sphere", 0.03, 2},
               {"product", 0.06, 8},      {"varying_mass", 1e-4, 3}, {"bent", 1e-5, 3}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const tests_problem *test = tests_problem_named(cases[i].name);
    const steps_equation equation = steps_discrete_gradient(test, 0);
    const int n = test->n;
    double z[TESTS_MAX_2N], w[TESTS_MAX_2N];
    long double x[TESTS_MAX_2N];
    fixture f;
    assert_int_equal(reference_start(test, z, z + n), 0);
    for (int k = 0; k < 2 * n; k++) x[k] = z[k];
    for (int k = 0; k < cases[i].steps; k++)
      assert_int_equal(steps_step(&equation, cases[i].h, x), 0);
    for (int k = 0; k < 2 * n; k++) w[k] = (double)x[k];
    open(&f, test, RATTLE_EVALUATOR_BLOCK);
    const double iterations = run(&f, "discrete_gradient", cases[i].h, cases[i].steps, z);
    if (getenv("STEPS_VERBOSE"))
      print_message("%s: %g iterations, %g apart\n", test->name, iterations, apart(n, z, w));
    assert_true(iterations <= 5); /* a wrong matrix takes more */
    if (!(apart(n, z, w) < agreed))
      fail_msg("%s, h = %g: %g from the reference", test->name, cases[i].h, apart(n, z, w));
    close(&f);
  }
}

/* Steps whose differences of H drown in round-off: what is lost in each would add up. */
static void test_energy_in_short_steps(void **state) {
  (void)state;
  const tests_problem *test = tests_problem_named("varying_mass");
  const int n = test->n;
  double z[TESTS_MAX_2N];
  long double x[TESTS_MAX_2N];
  fixture f;
  assert_int_equal(reference_start(test, z, z + n), 0);
  for (int k = 0; k < 2 * n; k++) x[k] = z[k];
  const long double H = reference_energy(test, x);
  open(&f, test, RATTLE_EVALUATOR_BLOCK);
  run(&f, "discrete_gradient", 2e-4, 2000, z);
  for (int k = 0; k < 2 * n; k++) x[k] = z[k];
  const double lost = (double)fabsl(reference_energy(test, x) - H);
  if (!(lost < 5e-14)) fail_msg("%g of the energy is lost", lost);
  close(&f);
}

/* H and g far from quadratic, long steps: solved for all the same, since the matrix knows what a
 * discrete gradient adds to F'(z). Residuals of the longest fall nearly as slowly as leaves doubt,
 * or go far from tangential: sixteen are made again in parts. */
static void test_long_steps(void **state) {
  (void)state;
  static const char bent[] =
      "local q1, p1 = pair('q1', 'p1')\nlocal q2, p2 = pair('q2', 'p2')\n"
      "local q3, p3 = pair('q3', 'p3')\n"
      "hamiltonian((p1^2 + p2^2*(1+q1^2) + p3^2*exp(q2))/2 + 3*q2 + 2*q1^4 + sin(3*q3))\n"
      "constrain('s', q1^4 + q2^2 + q3^2*(1+q1^2) - 1)\n";
  static const struct {
    double h, most;
    int followed;
  } cases[] = {{0.05, 4.2, 0}, {0.1, 5.7, 0}, {0.15, 9.8, 16}};
  tests_problem test = *tests_problem_named("spherical");
  test.model = bent;
  for (int i = 0; i < 3; i++) {
    double z[6] = {0, -0.6, 0.8, 1, 0.5, 0.75 * exp(0.6) * 0.5};
    fixture f;
    open(&f, &test, RATTLE_EVALUATOR_BLOCK);
    const double iterations =
        run_with(&f, "discrete_gradient", cases[i].h, 200, z, cases[i].followed);
    if (getenv("STEPS_VERBOSE")) print_message("h = %g: %g iterations\n", cases[i].h, iterations);
    assert_true(iterations <= cases[i].most);
    close(&f);
  }
}

/* At rest nothing moves; near rest, where |d| is at round-off, nothing is made of noise. */
static void test_near_rest(void **state) {
  (void)state;
  static const char pendulum[] =
      "local q1, p1 = pair('q1', 'p1')\nlocal q2, p2 = pair('q2', 'p2')\n"
      "hamiltonian((p1^2 + p2^2)/2 + q2 + q1^4)\nconstrain('rod', q1^2 + q2^2 - 1)\n";
  static const double far[] = {0, 1e-14, 1e-11, 1e-8, 1e-5};
  tests_problem test = *tests_problem_named("pendulum");
  test.model = pendulum;
  for (int i = 0; i < 5; i++) {
    double z[4] = {far[i], -sqrt(1 - far[i] * far[i]), 0, 0};
    fixture f;
    open(&f, &test, RATTLE_EVALUATOR_BLOCK);
    run(&f, "discrete_gradient", 0.1, 200, z);
    for (int k = 0; k < 4; k++)
      if (!(fabs(z[k] + (k == 1)) <= 1.01 * far[i] + 2e-15))
        fail_msg("from %g: z[%d] = %g", far[i], k, z[k]);
    if (far[i] >
        1e-10) { /* an oscillator of frequency 1, whose period the rule changes by h^2/12 */
      const double turned = 20 * (1 - 0.01 / 12);
      if (!(fabs(z[0] - far[i] * cos(turned)) < 0.01 * far[i]))
        fail_msg("from %g: %g, not %g", far[i], z[0], far[i] * cos(turned));
    }
    close(&f);
  }
}

/* Problems that these maps are not for are refused, with an alternative. */
static void test_refusals(void **state) {
  (void)state;
  rattle_integrator *integrator;
  rattle_error error;
  fixture f;
  open(&f, tests_problem_named("harmonic"), RATTLE_EVALUATOR_BLOCK);
  static const char *const methods[] = {"spark(3)", "rattle_monolithic"};
  for (int i = 0; i < 2; i++) {
    assert_int_equal(rattle_integrator_create(&integrator, f.problem, methods[i], &error),
                     RATTLE_UNSUITABLE);
    assert_null(integrator);
    assert_non_null(strstr(error.message, "suzuki4(rattle(midpoint))"));
  }
  close(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_lobatto),
                                     cmocka_unit_test(test_same_as_rattle),
                                     cmocka_unit_test(test_spark),
                                     cmocka_unit_test(faults_of_the_printed_jacobian),
                                     cmocka_unit_test(substeps_by_their_estimates),
                                     cmocka_unit_test(adaptive_steps_are_accurate),
                                     cmocka_unit_test(adaptive_steps_that_fail),
                                     cmocka_unit_test(adaptive_steps_at_rest),
                                     cmocka_unit_test(test_discrete_gradient),
                                     cmocka_unit_test(test_energy_in_short_steps),
                                     cmocka_unit_test(test_long_steps),
                                     cmocka_unit_test(test_near_rest),
                                     cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
