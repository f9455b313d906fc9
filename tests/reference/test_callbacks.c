/* Problems made of C callbacks step like the long-double reference too: with and without second
 * derivatives, with and without flags that vouch for a structure. The callbacks are the reference's
 * own functions, rounded to double. */
#include "common_reference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "rattle/rattle.h"

static void lift(const tests_problem *problem, const double *z, long double *x) {
  for (int k = 0; k < 2 * problem->n; k++) x[k] = z[k];
}

static int hamiltonian(void *context, const double *z, double *H, double *gradient) {
  const tests_problem *problem = context;
  long double x[TESTS_MAX_2N], slope[TESTS_MAX_2N];
  lift(problem, z, x);
  if (H) *H = (double)reference_energy(problem, x);
  if (!gradient) return 0;
  reference_gradient(problem, x, slope);
  for (int k = 0; k < 2 * problem->n; k++) gradient[k] = (double)slope[k];
  return 0;
}

static int constraint(void *context, const double *z, double *g, double *jacobian) {
  const tests_problem *problem = context;
  long double x[TESTS_MAX_2N], value[TESTS_MAX_M], rows[TESTS_MAX_M * TESTS_MAX_2N];
  lift(problem, z, x);
  reference_constraint(problem, x, value);
  reference_jacobian(problem, x, rows);
  for (int i = 0; i < problem->m && g; i++) g[i] = (double)value[i];
  for (int k = 0; k < problem->m * 2 * problem->n && jacobian; k++) jacobian[k] = (double)rows[k];
  return 0;
}

/* Second derivatives of sum_i w_i g_i (w NULL: of H) by central differences of the first ones. */
static void second(const tests_problem *problem, const double *z, const double *w,
                   double *hessian) {
  const int size = 2 * problem->n;
  const long double d = 1e-6L;
  long double x[TESTS_MAX_2N], side[2][TESTS_MAX_M * TESTS_MAX_2N];
  lift(problem, z, x);
  for (int j = 0; j < size; j++) {
    for (int s = 0; s < 2; s++) {
      x[j] = z[j] + (s ? d : -d);
      if (w)
        reference_jacobian(problem, x, side[s]);
      else
        reference_gradient(problem, x, side[s]);
    }
    x[j] = z[j];
    for (int k = 0; k < size; k++) {
      long double sum = 0;
      for (int i = 0; i < (w ? problem->m : 1); i++)
        sum += (w ? w[i] : 1) * (side[1][i * size + k] - side[0][i * size + k]);
      hessian[j * size + k] = (double)(sum / (2 * d));
    }
  }
}

static int hamiltonian_hessian(void *context, const double *z, double *hessian) {
  second(context, z, NULL, hessian);
  return 0;
}

static int constraint_hessian(void *context, const double *z, const double *w, double *hessian) {
  second(context, z, w, hessian);
  return 0;
}

/* M^-1 of a natural H: its second derivatives by p; 1 if it is diagonal, as callbacks say it */
static int inverse_mass(const tests_problem *problem, double *inverse) {
  double z[TESTS_MAX_2N] = {0}, H[TESTS_MAX_2N * TESTS_MAX_2N];
  const int n = problem->n;
  int diagonal = 1;
  second(problem, z, NULL, H);
  for (int k = 0; k < n * n; k++) {
    const double entry = H[(n + k / n) * 2 * n + n + k % n];
    if (k / n == k % n) inverse[k / n] = entry;
    diagonal &= k / n == k % n || fabs(entry) < 1e-9;
  }
  return diagonal;
}

static void check(const tests_problem *test, int flags, int hessians, const char *method,
                  const double *start, const long double *expected, double h, int steps) {
  const int n = test->n;
  double inverse[TESTS_MAX_N], z[TESTS_MAX_2N], apart = 0;
  rattle_callbacks callbacks = {
      .n = n, .m = test->m, .context = (void *)test, .flags = flags, .hamiltonian = hamiltonian};
  if (test->m > 0) callbacks.constraint = constraint;
  if (hessians) callbacks.hamiltonian_hessian = hamiltonian_hessian;
  if (hessians && test->m > 0) callbacks.constraint_hessian = constraint_hessian;
  inverse_mass(test, inverse);
  if (flags & RATTLE_NATURAL) callbacks.inverse_mass = inverse;
  rattle_problem *problem;
  rattle_integrator *integrator = NULL;
  rattle_error error;
  if (rattle_problem_create_callbacks(&problem, &callbacks, &error) != RATTLE_OK ||
      rattle_integrator_create(&integrator, problem, method, &error) != RATTLE_OK)
    fail_msg("%s on %s, flags %d: %s", method, test->name, flags, error.message);
  memcpy(z, start, sizeof z);
  rattle_state state = {.q = z, .p = z + n, .h = h};
  if (rattle_integrator_step(integrator, &state, steps, &error) != RATTLE_OK)
    fail_msg("%s on %s, flags %d: %s", method, test->name, flags, error.message);
  for (int k = 0; k < 2 * n; k++) apart = fmax(apart, (double)fabsl(z[k] - expected[k]));
  if (!(apart < 2e-13))
    fail_msg("%s on %s, flags %d, hessians %d: %g apart", method, test->name, flags, hessians,
             apart);
  rattle_integrator_destroy(&integrator);
  rattle_problem_destroy(&problem);
}

/* The flags that may be vouched for: those of the kind, one after the other dropped. */
static int flags_of(const tests_problem *test, int *flags) {
  const int holonomic = strcmp(test->kind, "coisotropic") ? RATTLE_HOLONOMIC : 0;
  double inverse[TESTS_MAX_N];
  int count = 0;
  flags[count++] = 0;
  if (holonomic) flags[count++] = holonomic;
  if (!strcmp(test->kind, "separable") || !strcmp(test->kind, "natural"))
    flags[count++] = holonomic | RATTLE_SEPARABLE;
  if (!strcmp(test->kind, "natural") && inverse_mass(test, inverse))
    flags[count++] = holonomic | RATTLE_SEPARABLE | RATTLE_NATURAL;
  return count;
}

static void test_callbacks(void **state) {
  (void)state;
  static const struct {
    reference_base base;
    const char *map;
  } maps[] = {{REFERENCE_VERLET_A, "verlet"}, {REFERENCE_GAUSS_2, "gauss(2)"}};
  const double h = 0.03;
  const int steps = 10;
  for (int i = 0; i < tests_problem_count; i++) {
    const tests_problem *test = &tests_problems[i];
    double start[TESTS_MAX_2N];
    int flags[8];
    const int count = flags_of(test, flags);
    assert_int_equal(reference_start(test, start, start + test->n), 0);
    for (int b = 0; b < 2; b++) {
      char method[64];
      long double z[TESTS_MAX_2N];
      snprintf(method, sizeof method, test->m > 0 ? "rattle(%s)" : "%s", maps[b].map);
      lift(test, start, z);
      for (int s = 0; s < steps; s++)
        assert_int_equal(reference_rattle(test, maps[b].base, h, z), 0);
      for (int k = 0; k < count; k++) {
        check(test, flags[k], 0, method, start, z, h, steps);
        check(test, flags[k], 1, method, start, z, h, steps);
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_callbacks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
