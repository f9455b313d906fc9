/* Methods that are wrong on purpose must be refuted, for the right reason, by the function that
 * passes the right ones. */
#include "../reference/common_steps.h"
#include "common_claims.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* ---- maps ---- */

typedef struct sabotage {
  const tests_problem *problem;
  reference_base base;
  claims_library library;
  steps_equation equation;
  const double *gamma; /* composition of the library's method, stages entries */
  int stages;
} sabotage;

static int extended(const tests_problem *problem,
                    int (*step)(const sabotage *, long double, long double *), const sabotage *self,
                    double h, long long steps, double *q, double *p) {
  const int n = problem->n;
  long double z[TESTS_MAX_2N];
  for (int k = 0; k < n; k++) {
    z[k] = q[k];
    z[n + k] = p[k];
  }
  for (long long i = 0; i < steps; i++) {
    if (step(self, h, z)) return 1;
  }
  for (int k = 0; k < n; k++) {
    q[k] = (double)z[k];
    p[k] = (double)z[n + k];
  }
  return 0;
}

static int one_rattle(const sabotage *self, long double h, long double *z) {
  return reference_rattle(self->problem, self->base, h, z);
}

static int rattle_step(void *self, double h, long long steps, double *q, double *p) {
  return extended(((sabotage *)self)->problem, one_rattle, self, h, steps, q, p);
}

static int one_equation(const sabotage *self, long double h, long double *z) {
  return steps_step(&self->equation, h, z);
}

static int equation_step(void *self, double h, long long steps, double *q, double *p) {
  return extended(((sabotage *)self)->problem, one_equation, self, h, steps, q, p);
}

/* RATTLE(verlet) for natural H, unit masses, m = 1, with the constraint force taken at the new
 * point: Q = q + h p½, p½ = p - h/2 (V_q + λ g_q(Q)). Its |g| and |psi| are at round-off. */
static int one_wrong_gradient(const sabotage *self, long double h, long double *z) {
  const tests_problem *problem = self->problem;
  const int n = problem->n;
  long double Hz[TESTS_MAX_2N], J[TESTS_MAX_2N], x[TESTS_MAX_2N], half[TESTS_MAX_N], lambda = 0,
                                                                                     g = 1;
  reference_gradient(problem, z, Hz);
  memcpy(x, z, sizeof x);
  reference_jacobian(problem, x, J);
  for (int round = 0; round < 100 && fabsl(g) > 1e-18L; round++) {
    long double square = 0;
    for (int k = 0; k < n; k++) {
      half[k] = z[n + k] - h / 2 * (Hz[k] + lambda * J[k]);
      x[k] = z[k] + h * half[k];
      square += J[k] * J[k];
    }
    reference_jacobian(problem, x, J);
    reference_constraint(problem, x, &g);
    lambda += 2 * g / (h * h * square);
  }
  if (!(fabsl(g) < 1e-16L)) return 1;
  reference_gradient(problem, x, Hz);
  for (int k = 0; k < n; k++) x[n + k] = half[k] - h / 2 * (Hz[k] + lambda * J[k]);
  memcpy(z, x, sizeof *z * 2 * n);
  return reference_project(problem, z);
}

static int wrong_gradient_step(void *self, double h, long long steps, double *q, double *p) {
  return extended(((sabotage *)self)->problem, one_wrong_gradient, self, h, steps, q, p);
}

static int composed_step(void *self, double h, long long steps, double *q, double *p) {
  sabotage *row = self;
  for (long long i = 0; i < steps; i++) {
    for (int k = 0; k < row->stages; k++) {
      if (claims_library_step(&row->library, row->gamma[k] * h, 1, q, p)) return 1;
    }
  }
  return 0;
}

/* ---- tests ---- */

static const rattle_claims rattle_verlet = {
    .order = 2, .symmetric = 1, .symplectic = 1, .keeps_g = 1, .keeps_psi = 1};

static void expect_passed(const claims_map *map, const rattle_claims *claims) {
  char text[200];
  const char *refuted = claims_refute(map, claims, NULL, text, sizeof text);
  if (refuted) fail_msg("refuted although right: %s", refuted);
}

static void expect_refuted(const claims_map *map, const rattle_claims *claims, const char *why) {
  char text[200];
  const char *refuted = claims_refute(map, claims, NULL, text, sizeof text);
  if (!refuted)
    fail_msg("a wrong method passed on %s", map->problem->name);
  else if (!strstr(refuted, why))
    fail_msg("refuted for another reason than %s: %s", why, refuted);
}

static void test_reference_passes(void **state) {
  (void)state;
  sabotage self = {.problem = tests_problem_named("spherical"), .base = REFERENCE_VERLET_A};
  expect_passed(&(claims_map){self.problem, rattle_step, NULL, &self, 0}, &rattle_verlet);
}

/* Heun keeps g and psi like any other map; what gives it away is the form. */
static void test_heun_is_refuted(void **state) {
  (void)state;
  static const char *const names[] = {"spherical", "varying_mass", "harmonic"};
  const rattle_claims claims = {.order = 1, .symplectic = 1, .keeps_g = 1, .keeps_psi = 1};
  for (int i = 0; i < 3; i++) {
    sabotage self = {.problem = tests_problem_named(names[i]), .base = REFERENCE_HEUN};
    expect_refuted(&(claims_map){self.problem, rattle_step, NULL, &self, 0}, &claims,
                   "symplecticity");
  }
}

static void test_wrong_gradient_is_refuted(void **state) {
  (void)state;
  sabotage self = {.problem = tests_problem_named("spherical")};
  const claims_map map = {self.problem, wrong_gradient_step, NULL, &self, 0};
  const rattle_claims claims = {.order = 1, .symplectic = 1, .keeps_g = 1, .keeps_psi = 1};
  expect_refuted(&map, &claims, "symplecticity");
  claims_measured found;
  assert_int_equal(claims_measure_residuals(&map, 0.05, 20, &found), 0);
  assert_true(found.g < 2e-15 && found.psi < 1e-14);
}

/* Suzuki's composition passes as it is, and not with one coefficient off by 1 %, though it stays
 * consistent and symmetric. */
static void test_wrong_coefficient_is_refuted(void **state) {
  (void)state;
  const double a = 1 / (4 - cbrt(4)), b = 1.01 * a;
  const double right[5] = {a, a, 1 - 4 * a, a, a}, wrong[5] = {b, a, 1 - 2 * a - 2 * b, a, b},
               broken[5] = {b, a, 1 - 4 * a, a, a};
  rattle_claims claims = rattle_verlet;
  rattle_error error;
  claims.order = 4;
  sabotage self = {.problem = tests_problem_named("varying_mass"), .stages = 5};
  if (claims_library_open(&self.library, self.problem, "rattle(verlet)", RATTLE_EVALUATOR_BLOCK,
                          &error))
    fail_msg("%s", error.message);
  const claims_map map = {self.problem, composed_step, NULL, &self, 0};
  self.gamma = right;
  expect_passed(&map, &claims);
  self.gamma = wrong;
  expect_refuted(&map, &claims, "order");
  self.gamma = broken;
  expect_refuted(&map, &claims, "order");
  claims_library_close(&self.library);
}

/* RATTLE keeps g and psi, not the energy. */
static void test_energy_is_measured(void **state) {
  (void)state;
  rattle_claims claims = rattle_verlet;
  claims.keeps_energy = 1;
  sabotage self = {.problem = tests_problem_named("spherical"), .base = REFERENCE_VERLET_A};
  expect_refuted(&(claims_map){self.problem, rattle_step, NULL, &self, 0}, &claims, "|H - H0|");
}

/* Discrete gradients keep the energy, not the form; and with 1 % of their difference missing
 * nothing but the energy tells. */
static void test_discrete_gradients(void **state) {
  (void)state;
  sabotage self = {.problem = tests_problem_named("varying_mass")};
  const claims_map map = {self.problem, equation_step, NULL, &self, 0};
  const rattle_claims claims = {
      .order = 2, .symmetric = 1, .keeps_g = 1, .keeps_psi = 1, .keeps_energy = 1};
  claims_measured found;
  self.equation = steps_discrete_gradient(self.problem, 0);
  assert_int_equal(claims_measure_energy_kept(&map, 0.05, 100, &found), 0);
  assert_true(found.energy < 1e-14);
  assert_int_equal(claims_measure_symplecticity(&map, 0.1, 4, 1, &found), 0);
  assert_true(found.symplecticity > 1e-6);
  self.equation.part = 0.99L;
  expect_refuted(&map, &claims, "|H - H0|");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_reference_passes),
                                     cmocka_unit_test(test_heun_is_refuted),
                                     cmocka_unit_test(test_wrong_gradient_is_refuted),
                                     cmocka_unit_test(test_wrong_coefficient_is_refuted),
                                     cmocka_unit_test(test_energy_is_measured),
                                     cmocka_unit_test(test_discrete_gradients)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
