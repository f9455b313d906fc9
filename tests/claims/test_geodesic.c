/* Runge-Kutta-Nystroem splittings with geodesics beyond the claims of their rows:
 *
 *   - their coefficients meet the order conditions to more digits than were published;
 *   - they are what the head of their file describes: kicks, projected, and geodesics from a
 *     long-double Gauss method give the same points where geodesics are exact, and elsewhere points
 *     nearer than the splitting's own error;
 *   - spheres are recognised, anywhere and of any size, and what is no sphere is not;
 *   - forces are counted: 6 and 14 a step. */
#include "common_claims.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "method/coefficients/splittings.h"
#include "problem/functions/probe.h"
#include "maps/constrained/geodesic.h"
#include "runs/integrate/run_hooks.h"

static const char *const methods[] = {"geodesic_rkn4", "geodesic_rkn6"};
static const int orders[] = {4, 6}, forces[] = {6, 14};
enum { METHODS = 2 };

static void open(claims_library *library, const tests_problem *problem, const char *method) {
  rattle_error error;
  if (claims_library_open(library, problem, method, RATTLE_EVALUATOR_BLOCK, &error) != RATTLE_OK)
    fail_msg("%s on %s: %s", method, problem->name, error.message);
}

static double apart(const double *a, const long double *b, int count) {
  double most = 0;
  for (int k = 0; k < count; k++) most = fmax(most, (double)fabsl(a[k] - b[k]));
  return most;
}

/* --- coefficients --- */

/* Kicks b_i at the times c_i: those of a Runge-Kutta-Nystroem method. */
static int kicks(int which, long double *b, long double *c) {
  rattle__rkn_splitting set;
  assert_true(rattle__splitting_of(methods[which], &set));
  long double time = 0;
  int count = 0;
  for (int i = 0; i < set.parts; i++) {
    if (i % 2 != set.kick_first) {
      b[count] = set.c[i];
      c[count++] = time;
    } else
      time += set.c[i];
  }
  assert_true(fabsl(time - 1) < 4 * DBL_EPSILON);
  return count;
}

static void test_coefficients(void **state) {
  (void)state;
  for (int k = 0; k < METHODS; k++) {
    long double b[RATTLE__SPLITTING_PARTS], c[RATTLE__SPLITTING_PARTS], sums[3] = {0};
    const int count = kicks(k, b, c);
    assert_int_equal(
        count,
        forces[k] +
            (k == 0)); /* the last kick of one step and the first of the next share their force */
    /* quadrature conditions, and those of the trees with one and two branches: HLW III.2, the
     * values for a_ij = b_j (c_i - c_j) */
    for (int power = 0; power < orders[k]; power++) {
      long double sum = 0;
      for (int i = 0; i < count; i++) sum += b[i] * powl(c[i], power);
      if (!(fabsl(sum - 1.0L / (power + 1)) < 1e-15L))
        fail_msg("%s: sum b c^%d is off by %Lg", methods[k], power, sum - 1.0L / (power + 1));
    }
    for (int i = 0; i < count; i++)
      for (int j = 0; j < i; j++) {
        const long double a = b[j] * (c[i] - c[j]);
        sums[0] += b[i] * a;
        sums[1] += b[i] * c[i] * a;
        sums[2] += b[i] * c[i] * c[i] * a;
      }
    assert_true(fabsl(sums[0] - 1.0L / 6) < 1e-15L);
    assert_true(fabsl(sums[1] - 1.0L / 8) < 1e-15L);
    if (orders[k] > 4) assert_true(fabsl(sums[2] - 1.0L / 10) < 1e-15L);
  }
}

/* --- the splitting taken literally --- */

static tests_complex unit_masses(const tests_complex *z, int n) {
  tests_complex sum = 0;
  for (int k = 0; k < n; k++) sum += z[n + k] * z[n + k] / 2;
  return sum;
}
static tests_complex free_pendulum(const tests_complex *z) {
  return unit_masses(z, 2);
}
static tests_complex free_spherical(const tests_complex *z) {
  return unit_masses(z, 3);
}
static tests_complex free_double(const tests_complex *z) {
  return (z[4] * z[4] + z[5] * z[5]) / 2 + (z[6] * z[6] + z[7] * z[7]) / 3;
}

static void literal_step(const tests_problem *problem, const tests_problem *free_problem,
                         const rattle__rkn_splitting *set, long double h, long double *z) {
  const int n = problem->n;
  for (int i = 0; i < set->parts; i++) {
    if (i % 2 == set->kick_first) {
      assert_int_equal(reference_flow(free_problem, set->c[i] * h, 2, z), 0);
      continue;
    }
    long double at[TESTS_MAX_2N] = {0}, gradient[TESTS_MAX_2N];
    memcpy(at, z, sizeof *at * (size_t)n);
    reference_gradient(problem, at, gradient);
    for (int k = 0; k < n; k++) z[n + k] -= set->c[i] * h * gradient[k];
    assert_int_equal(reference_project(problem, z), 0);
  }
}

static void test_literal(void **state) {
  (void)state;
  static const struct {
    const char *name;
    tests_complex (*kinetic)(const tests_complex *z);
    int exact;
  } cases[] = {{"pendulum", free_pendulum, 1},
               {"spherical", free_spherical, 1},
               {"double_pendulum", free_double, 0}};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < METHODS; k++) {
      const tests_problem *problem = tests_problem_named(cases[i].name);
      tests_problem free_problem = *problem;
      const int n = problem->n, steps = 8;
      double z[TESTS_MAX_2N];
      long double exact[TESTS_MAX_2N], literal[TESTS_MAX_2N];
      rattle__rkn_splitting set;
      claims_library library;
      rattle_error error;
      free_problem.hamiltonian = cases[i].kinetic;
      rattle__splitting_of(methods[k], &set);
      open(&library, problem, methods[k]);
      claims_start(problem, z, z + n);
      for (int c = 0; c < 2 * n; c++) literal[c] = exact[c] = z[c];
      const long double h = k ? 0.25L : 0.125L;
      rattle_state at = {.q = z, .p = z + n, .h = (double)h};
      if (rattle_integrator_step(library.integrator, &at, steps, &error))
        fail_msg("%s", error.message);
      for (int step = 0; step < steps; step++)
        literal_step(problem, &free_problem, &set, h, literal);
      assert_int_equal(reference_flow(problem, steps * h, 200, exact), 0);
      double own[TESTS_MAX_2N];
      for (int c = 0; c < 2 * n; c++) own[c] = (double)literal[c];
      const double of_splitting = apart(own, exact, 2 * n), of_geodesics = apart(z, literal, 2 * n);
      print_message("%s on %s, h = %Lg: the splitting errs by %.2g, its geodesics by %.2g\n",
                    methods[k], problem->name, h, of_splitting, of_geodesics);
      assert_true(of_splitting > 1e-11);
      assert_true(of_geodesics < (cases[i].exact ? 1e-13 : of_splitting));
      claims_library_close(&library);
    }
}

/* --- spheres --- */

#define MODEL                                                                                      \
  "local q1, p1 = pair('q1', 'p1')\nlocal q2, p2 = pair('q2', 'p2')\nlocal q3, p3 = pair('q3', "   \
  "'p3')\n"                                                                                        \
  "local q4, p4 = pair('q4', 'p4')\nlocal q5, p5 = pair('q5', 'p5')\n"
#define EQUAL MODEL "hamiltonian((p1^2 + p2^2 + p3^2)/2 + (p4^2 + p5^2)/6 + q1 + sin(q3)*q4)\n"

static const struct {
  const char *what, *model;
  int spheres;
} manifolds[] = {
    {"no constraint", EQUAL, 1},
    {"a sphere and free coordinates", EQUAL "constrain('s', q1^2 + q2^2 + q3^2 - 2)\n", 1},
    {"a product of spheres of unequal masses",
     EQUAL "constrain('s', q1^2 + q2^2 + q3^2 - 2)\nconstrain('c', q4^2 + q5^2 - 3)\n", 1},
    {"a sphere elsewhere, scaled and turned inside out",
     EQUAL "constrain('s', 3 - 0.7*((q1 - 1)^2 + (q2 + 2)^2 + (q3 - 0.3)^2))\n", 1},
    {"two points", EQUAL "constrain('two', q4^2 - 1)\n", 1},
    {"an ellipsoid", EQUAL "constrain('e', q1^2 + q2^2 + 1.0001*q3^2 - 2)\n", 0},
    {"a sphere of unequal masses", EQUAL "constrain('s', q1^2 + q2^2 + q4^2 - 2)\n", 0},
    {"spheres that share a coordinate",
     EQUAL "constrain('s', q1^2 + q2^2 - 1)\nconstrain('t', q2^2 + q3^2 - 1)\n", 0},
    {"spheres that meet",
     EQUAL "constrain('s', q1^2 + q2^2 + q3^2 - 1)\nconstrain('t', (q1 - 1)^2 + q2^2 + q3^2 - 1)\n",
     0},
    {"a rod", EQUAL "constrain('rod', (q1 - q2)^2 + q3^2 - 1)\n", 0},
    {"a paraboloid", EQUAL "constrain('p', q1^2 + q2^2 - q3)\n", 0},
    {"a hyperboloid", EQUAL "constrain('h', q1^2 + q2^2 - q3^2 - 1)\n", 0},
    {"a sphere with an angle of turned axes", EQUAL "constrain('r', q1^2 + q2^2 + q1*q2 - 1)\n", 0},
    {"a sphere as a root", EQUAL "constrain('s', sqrt(q1^2 + q2^2 + q3^2) - 1)\n", 0},
};

static void test_spheres(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof manifolds / sizeof *manifolds; i++) {
    rattle_model *model;
    rattle_problem *problem;
    rattle_error error;
    rattle__geodesic *geodesic = NULL;
    if (rattle_model_parse(&model, manifolds[i].model, manifolds[i].what, NULL, &error))
      fail_msg("%s", error.message);
    if (rattle_problem_create(&problem, model, NULL, &error)) fail_msg("%s", error.message);
    rattle__context context = {
        .problem = problem,
    };
    assert_int_equal(rattle__spheres_create(&geodesic, &context, &error), RATTLE_OK);
    if (!geodesic != !manifolds[i].spheres)
      fail_msg("%s: %s", manifolds[i].what,
               geodesic ? "taken for spheres" : "spheres are not seen");
    rattle__arena_release(&context.arena);
    rattle_problem_destroy(&problem);
    rattle_model_destroy(&model);
  }
}

/* A great circle is closed: after its period, in one step of any length, all is as it was, but for
 * round-off of angles of 19. */
static void test_great_circle(void **state) {
  (void)state;
  tests_problem problem = *tests_problem_named("spherical");
  double z[6] = {1 + 0.6, -2, 0.3 + 0.8, 0, 2, 0}, start[6];
  const double pi = 3.14159265358979323846;
  claims_library library;
  rattle_error error;
  problem.model = "local q1, p1 = pair('q1', 'p1')\nlocal q2, p2 = pair('q2', 'p2')\nlocal q3, p3 "
                  "= pair('q3', 'p3')\n"
                  "hamiltonian((p1^2 + p2^2 + p3^2)/2)\nconstrain('s', (q1 - 1)^2 + (q2 + 2)^2 + "
                  "(q3 - 0.3)^2 - 1)\n";
  memcpy(start, z, sizeof z);
  open(&library, &problem, "geodesic_rkn6");
  rattle_state at = {.q = z, .p = z + 3, .h = pi};
  if (rattle_integrator_step(library.integrator, &at, 3, &error)) fail_msg("%s", error.message);
  for (int c = 0; c < 6; c++) assert_true(fabs(z[c] - start[c]) < 2e-14);
  at.h = pi / 2; /* a quarter of the way round leads to the other side */
  if (rattle_integrator_step(library.integrator, &at, 1, &error)) fail_msg("%s", error.message);
  assert_true(fabs(z[0] - (1 - 0.6)) < 2e-14 && fabs(z[4] + 2) < 2e-14);
  claims_library_close(&library);
}

/* The error of the energy does not grow: turns that let |p| change by 1e-17 on average would be
 * seen. */
static void test_energy(void **state) {
  (void)state;
  const tests_problem *problem = tests_problem_named("spherical");
  double z[6], ranges[2][2];
  rattle_error error;
  for (int i = 0; i < 2; i++) {
    claims_library library;
    double *range = ranges[i];
    open(&library, problem, "geodesic_rkn6");
    claims_start(problem, z, z + 3);
    rattle_state at = {.q = z, .p = z + 3, .h = 0.1};
    range[0] = INFINITY, range[1] = -INFINITY;
    if (rattle__integrator_advance(library.integrator, &at, i ? 200000 : 20000, &range[0],
                                   &range[1], &error))
      fail_msg("%s", error.message);
    claims_library_close(&library);
  }
  const double width = ranges[0][1] - ranges[0][0], later = ranges[1][1] - ranges[1][0];
  print_message("energy: within %.4g, then within %.4g\n", width, later);
  assert_true(later - width < 1e-12);
}

static void test_counts(void **state) {
  (void)state;
  static const char *const names[] = {"spherical", "double_pendulum"};
  static const int solves[2][METHODS] = {{6, 15}, {6 * 11, 15 * 17}};
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < METHODS; k++) {
      const tests_problem *problem = tests_problem_named(names[i]);
      double z[TESTS_MAX_2N];
      claims_library library;
      rattle_error error;
      open(&library, problem, methods[k]);
      claims_start(problem, z, z + problem->n);
      rattle_state at = {.q = z, .p = z + problem->n, .h = 0.05};
      for (int first = 1; first >= 0; first--) {
        rattle_integrator_reset(library.integrator);
        if (rattle_integrator_step(library.integrator, &at, 10, &error))
          fail_msg("%s", error.message);
        const rattle_counts counts = rattle_integrator_counts(library.integrator);
        assert_int_equal(counts.gradient, 10 * forces[k] + (first && k == 0));
        assert_int_equal(counts.position_projections, 10 * solves[i][k]);
        assert_int_equal(counts.followed, 0);
      }
      claims_library_close(&library);
    }
}

/* Steps of one hand: the same bits whether the map knows what was at the end of the last one or
 * not. */
static void test_purity(void **state) {
  (void)state;
  static const char *const names[] = {"spherical", "double_pendulum", "henon_heiles"};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < METHODS; k++) {
      const tests_problem *problem = tests_problem_named(names[i]);
      const int n = problem->n;
      double z[TESTS_MAX_2N], other[TESTS_MAX_2N];
      claims_library library;
      open(&library, problem, methods[k]);
      claims_start(problem, z, z + n);
      memcpy(other, z, sizeof z);
      assert_int_equal(claims_library_step(&library, 0.05, 10, z, z + n), 0);
      for (int step = 0; step < 10; step++) {
        claims_library fresh;
        open(&fresh, problem, methods[k]);
        assert_int_equal(claims_library_step(&fresh, 0.05, 1, other, other + n), 0);
        claims_library_close(&fresh);
      }
      assert_memory_equal(z, other, 2 * (size_t)n * sizeof *z);
      claims_library_close(&library);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_coefficients), cmocka_unit_test(test_literal),
      cmocka_unit_test(test_spheres),      cmocka_unit_test(test_great_circle),
      cmocka_unit_test(test_energy),       cmocka_unit_test(test_counts),
      cmocka_unit_test(test_purity)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
