/* The two ways to a step of spark(s): for natural problems the shorter one agrees with the general
 * one to round-off, makes every short step by itself, and leaves long ones that are in doubt to the
 * general one. */
#include "common_problems.h"
#include "common_reference.h"

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
#include "rattle/rattle.h"
#include "maps/constrained/spark.h"
#include "maps/constrained/spark_stages.h"

enum { STEPS = 12, BODIES = 24 }; /* BODIES: coordinates of two of them */
static const double agreed = 1e-14;

typedef struct fixture {
  rattle_model *model;
  rattle_problem *problem;
  rattle__context context[2];
  rattle__map *map[2]; /* natural, general */
} fixture;

static void open(fixture *f, const tests_problem *test, int stages, int evaluator) {
  rattle_error error;
  const rattle_problem_options options = {.evaluator = evaluator};
  *f = (fixture){0};
  if (rattle_model_parse(&f->model, test->model, test->name, NULL, &error) ||
      rattle_problem_create(&f->problem, f->model, &options, &error))
    fail_msg("%s: %s", test->name, error.message);
  for (int i = 0; i < 2; i++) {
    rattle__context *context = &f->context[i];
    *context = (rattle__context){.problem = f->problem, .solver = "none"};
    rattle__map **map = &f->map[i];
    rattle__spark_scheme scheme;
    rattle__spark_scheme_lobatto(stages, &scheme);
    assert_int_equal(rattle__spark_create(map, context, &scheme, &error), RATTLE_OK);
    if (i == 0)
      assert_int_equal(rattle__spark_natural_create(map, context, stages, *map, &error), RATTLE_OK);
  }
}

static void close(fixture *f) {
  for (int i = 0; i < 2; i++) {
    f->map[i]->destroy(f->map[i]);
    rattle__probe_destroy(&f->context[i].probe);
    rattle__arena_release(&f->context[i].arena);
  }
  rattle_problem_destroy(&f->problem);
  rattle_model_destroy(&f->model);
}

static rattle_status steps(fixture *f, int which, double h, int count, double *z,
                           rattle_error *error) {
  double end[2 * BODIES];
  for (int k = 0; k < count; k++) {
    const rattle_status status = f->map[which]->apply(f->map[which], h, z, end, error);
    if (status) return status;
    memcpy(z, end, 2 * (size_t)f->problem->n * sizeof *z);
  }
  return RATTLE_OK;
}

static double apart(int n, const double *z, const double *w) {
  double most = 0;
  for (int k = 0; k < 2 * n; k++) most = fmax(most, fabs(z[k] - w[k]) / (1 + fabs(w[k])));
  return most;
}

/* Both ways from one start; 1 if the problem is none for them. */
static int compare(const tests_problem *test, int stages, int evaluator, double h, double *worst) {
  double start[TESTS_MAX_2N], z[2][TESTS_MAX_2N];
  rattle_error error;
  fixture f;
  if (strcmp(test->kind, "natural") != 0 || !test->m) return 0;
  assert_int_equal(reference_start(test, start, start + test->n), 0);
  open(&f, test, stages, evaluator);
  for (int which = 0; which < 2; which++) {
    memcpy(z[which], start, sizeof start);
    if (steps(&f, which, h, STEPS, z[which], &error))
      fail_msg("spark(%d) on %s: %s", stages, test->name, error.message);
  }
  const double distance = apart(test->n, z[0], z[1]);
  *worst = fmax(*worst, distance);
  if (!(distance < agreed))
    fail_msg("spark(%d) on %s: the two ways end %g apart", stages, test->name, distance);
  const rattle_counts *counts = &f.context[0].counts;
  assert_int_equal(counts->hessian,
                   0); /* it was not left to the general way, which wants Hessians */
  assert_true(f.context[1].counts.hessian > 0);
  assert_int_equal(counts->momentum_projections, STEPS);
  if (!(counts->newton_iterations <= 6 * STEPS)) /* a wrong matrix takes more */
    fail_msg("spark(%d) on %s: %lld iterations", stages, test->name, counts->newton_iterations);
  /* and back: the map is symmetric */
  if (steps(&f, 0, -h, STEPS, z[0], &error)) fail_msg("%s", error.message);
  if (!(apart(test->n, z[0], start) < 10 * agreed))
    fail_msg("spark(%d) on %s: %g from the start", stages, test->name, apart(test->n, z[0], start));
  close(&f);
  return 1;
}

/* Small problems, and chains, rings and trees, whose matrices are sparse. */
static void test_two_ways(void **state) {
  (void)state;
  int compared = 0;
  double worst = 0;
  for (int s = 2; s <= 5; s++) {
    for (int i = 0; i < tests_problem_count; i++) {
      compared += compare(&tests_problems[i], s, RATTLE_EVALUATOR_BLOCK, 0.03, &worst);
      if (s == 3) compared += compare(&tests_problems[i], s, RATTLE_EVALUATOR_NATIVE, 0.03, &worst);
    }
    for (int i = 0; i < tests_large_problem_count; i++)
      compared += compare(&tests_large_problems[i], s, RATTLE_EVALUATOR_BLOCK, 0.02, &worst);
  }
  print_message("%d pairs of runs, at most %.2g apart\n", compared, worst);
  assert_true(compared >= 24);
}

/* Two bodies on hinges: the six rows of each nearly depend on each other and turn together. Short
 * steps are not left to the general way, and longer ones that are not left end where its end. */
static void test_bodies(void **state) {
  (void)state;
  static const tests_problem bodies = {
      .name = "two bodies",
      .model =
          "local mech = require 'mechanics' mech.gravity(0, -9.81, 0)\n"
          "local a = mech.body { name = 'a', mass = 0.4, inertia = {0.002, 0.0057, 0.0057},"
          " at = {0.2, 0, 0}, velocity = {0, 1.2, 0}, spin = {0, 0, 6} }\n"
          "local b = mech.body { name = 'b', mass = 1, inertia = {0.005, 0.084, 0.084},"
          " at = {0.9, 0, 0}, velocity = {0, 1.4, 0}, spin = {0, 0, -2} }\n"
          "mech.revolute('j', mech.ground:here(0, 0, 0):along(0, 0, 1),"
          " a:here(0, 0, 0):along(0, 0, 1))\n"
          "mech.revolute('k', a:here(0.4, 0, 0):along(0, 0, 1), b:here(0.4, 0, 0):along(0, 0, 1))"};
  int taken = 0;
  for (int s = 2; s <= 4; s++)
    for (double h = 0.01; h < 0.2; h *= 2) {
      double z[2][2 * BODIES];
      rattle_status status[2];
      rattle_error error;
      fixture f;
      open(&f, &bodies, s, RATTLE_EVALUATOR_BLOCK);
      const int n = f.problem->n;
      assert_int_equal(n, BODIES);
      assert_int_equal(rattle_problem_start(f.problem, 1, z[0], z[0] + n, NULL, &error), RATTLE_OK);
      memcpy(z[1], z[0], sizeof z[0]);
      for (int which = 0; which < 2; which++)
        status[which] = steps(&f, which, h, 1, z[which], &error);
      const int left = f.context[0].counts.hessian > 0;
      if (h < 0.015) assert_false(left);
      if (!left && !status[1] && !(apart(n, z[0], z[1]) < 1e-12))
        fail_msg("spark(%d), step %g: the two ways end %g apart", s, h, apart(n, z[0], z[1]));
      taken += !left;
      close(&f);
    }
  print_message("%d steps of bodies\n", taken);
}

/* Steps in doubt are the general map's, bit for bit, its failures too. */
static void test_long_steps(void **state) {
  (void)state;
  static const char *const names[] = {"pendulum", "spherical", "double_pendulum"};
  int left = 0, failed = 0, taken = 0;
  for (int i = 0; i < 3; i++)
    for (int s = 2; s <= 5; s++)
      for (double h = 0.2; h < 8; h *= 1.3) {
        const tests_problem *test = tests_problem_named(names[i]);
        double start[TESTS_MAX_2N], z[2][TESTS_MAX_2N];
        rattle_error error[2];
        rattle_status status[2];
        fixture f;
        open(&f, test, s, RATTLE_EVALUATOR_BLOCK);
        assert_int_equal(reference_start(test, start, start + test->n), 0);
        for (int which = 0; which < 2; which++) {
          memcpy(z[which], start, sizeof start);
          status[which] = steps(&f, which, h, 1, z[which], &error[which]);
        }
        assert_int_equal(status[0], status[1]);
        if (f.context[0].counts.hessian) {
          left++;
          failed += status[0] != RATTLE_OK;
          if (status[0]) assert_string_equal(error[0].message, error[1].message);
          assert_memory_equal(z[0], z[1], 2 * (size_t)test->n * sizeof **z);
        } else {
          taken++;
          assert_true(apart(test->n, z[0], z[1]) < 1e-12);
        }
        close(&f);
      }
  print_message("%d long steps made, %d left to the general way, of which %d failed\n", taken, left,
                failed);
  assert_true(taken > 10 && left > 10 && failed > 5);
}

/* The map looks at another point, and keeps what it finds there; what that costs. */
static long long look_away(fixture *f, const double *z, int n) {
  double other[TESTS_MAX_2N], end[TESTS_MAX_2N];
  rattle_error error;
  const long long before = f->context[0].counts.constraint;
  memcpy(other, z, 2 * (size_t)n * sizeof *z);
  other[0] = nextafter(other[0], INFINITY);
  (void)f->map[0]->apply(f->map[0], 0.01, other, end, &error);
  return f->context[0].counts.constraint - before;
}

/* A step that finds what the last one kept has the same bits as one that does not, also behind a
 * step that was left or failed. */
static void keep(const tests_problem *test, int stages) {
  static const double lengths[] = {0.05, 0.03, 2, 0.04, 0.02, -0.05, 6, 0.03, 0.03};
  const size_t bytes = 2 * (size_t)test->n * sizeof(double);
  double z[2][TESTS_MAX_2N], fresh[TESTS_MAX_2N];
  rattle_error error;
  fixture f, other;
  long long away = 0;
  int at = 0;
  open(&f, test, stages, RATTLE_EVALUATOR_BLOCK);
  open(&other, test, stages, RATTLE_EVALUATOR_BLOCK);
  assert_int_equal(reference_start(test, z[0], z[0] + test->n), 0);
  memcpy(fresh, z[0], bytes);
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    const rattle_status status = f.map[0]->apply(f.map[0], lengths[i], z[at], z[1 - at], &error);
    away += look_away(&other, fresh, test->n);
    assert_int_equal(steps(&other, 0, lengths[i], 1, fresh, &error), status);
    if (!status) at = 1 - at;
    assert_memory_equal(z[at], fresh, bytes);
  }
  assert_true(f.context[0].counts.hessian > 0); /* long steps were left */
  assert_true(f.context[0].counts.constraint < other.context[0].counts.constraint - away);
  close(&other);
  close(&f);
}

static void test_kept(void **state) {
  (void)state;
  for (int s = 2; s <= 5; s++) {
    keep(tests_problem_named("double_pendulum"), s);
    for (int i = 0; i < tests_large_problem_count; i++)
      if (!strcmp(tests_large_problems[i].name, "tree")) keep(&tests_large_problems[i], s);
  }
}

/* The error of an iteration points the same way in each step: it must be too small to show in the
 * energy. Steps are so short that the error of the method does not show either. */
static void test_energy(void **state) {
  (void)state;
  enum { LONG = 40000, BLOCK = 4000 };
  static const char text[] =
      "local x1, p1 = pair('x1')\nlocal y1, p2 = pair('y1')\n"
      "local x2, p3 = pair('x2')\nlocal y2, p4 = pair('y2')\n"
      "hamiltonian((p1^2 + p2^2 + p3^2 + p4^2)/2 + y1 + y2)\n"
      "constrain('inner', x1^2 + y1^2 - 1)\nconstrain('outer', (x2 - x1)^2 + (y2 - y1)^2 - 1)\n";
  tests_problem test = *tests_problem_named("double_pendulum");
  test.model = text;
  double z[2][8] = {{sin(0.3), -cos(0.3), 2 * sin(0.3), -2 * cos(0.3)}}, mean = 0;
  const double before = z[0][1] + z[0][3];
  rattle_error error;
  fixture f;
  open(&f, &test, 5, RATTLE_EVALUATOR_BLOCK);
  for (int k = 0; k < LONG; k++) {
    double *from = z[k % 2], *to = z[1 - k % 2], energy;
    assert_int_equal(f.map[0]->apply(f.map[0], 0.02, from, to, &error), RATTLE_OK);
    energy = to[1] + to[3];
    for (int i = 4; i < 8; i++) energy += 0.5 * to[i] * to[i];
    if (k >= LONG - BLOCK) mean += (energy - before) / BLOCK;
  }
  print_message("energy off by %.2g on average after %d steps\n", mean, LONG);
  assert_true(fabs(mean) < 1e-14);
  assert_int_equal(f.context[0].counts.hessian, 0);
  close(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_two_ways), cmocka_unit_test(test_bodies),
                                     cmocka_unit_test(test_long_steps), cmocka_unit_test(test_kept),
                                     cmocka_unit_test(test_energy)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
