/* Tangent maps, for each row of the table with both evaluators: against differences of steps, the
 * symplectic form, the step back; and gradients of the reverse sweep against them. Methods without
 * a derivative say so. */
#include "common_claims.h"
#include "common_methods.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

enum { STEPS = 5, MOST = TESTS_MAX_2N };
static const double h = 0.04;
static int evaluator;

typedef struct subject {
  claims_library library;
  rattle_tangent *tangent;
  rattle_integrator *integrator; /* another one of the same method */
  const char *method, *problem;
  int n, nz, d;
  double start[MOST], basis[MOST * MOST];
} subject;

/* Row k of W is Dz1/dz0 w_k by three central differences, extrapolated. */
static void differences(subject *s, double *W) {
  for (int k = 0; k < s->d; k++) {
    double D[3][MOST];
    for (int r = 0; r < 3; r++) {
      const double e = ldexp(4e-3, -r);
      double z[2][MOST];
      for (int side = 0; side < 2; side++) {
        for (int c = 0; c < s->nz; c++)
          z[side][c] = s->start[c] + (side ? -e : e) * s->basis[k * s->nz + c];
        const int clock = rattle_model_clock(s->library.model);
        rattle_state state = {
            .q = z[side], .p = z[side] + s->n, .t0 = clock < 0 ? 0 : z[side][clock], .h = h};
        rattle_error error;
        if (rattle_integrator_step(s->integrator, &state, STEPS, &error))
          fail_msg("differences of %s on %s: %s", s->method, s->problem, error.message);
      }
      for (int c = 0; c < s->nz; c++) D[r][c] = (z[0][c] - z[1][c]) / (2 * e);
    }
    for (int c = 0; c < s->nz; c++) {
      const double a = (4 * D[1][c] - D[0][c]) / 3, b = (4 * D[2][c] - D[1][c]) / 3;
      W[k * s->nz + c] = (16 * b - a) / 15;
    }
  }
}

static double form(const subject *s, const double *a, const double *b) {
  double sum = 0;
  for (int k = 0; k < s->n; k++) sum += a[k] * b[s->n + k] - a[s->n + k] * b[k];
  return sum;
}

/* The largest change of the form over pairs. */
static double changed(const subject *s, const double *W) {
  double most = 0;
  for (int i = 0; i < s->d; i++)
    for (int j = 0; j < i; j++) {
      const double *a = s->basis + i * s->nz, *b = s->basis + j * s->nz;
      most = fmax(most, fabs(form(s, W + i * s->nz, W + j * s->nz) - form(s, a, b)));
    }
  return most;
}

static double distance(const subject *s, const double *A, const double *B, int vectors) {
  double most = 0;
  for (int c = 0; c < vectors * s->nz; c++) most = fmax(most, fabs(A[c] - B[c]));
  return most;
}

/* f = sum_c sin(c + 1) z_c + z_0^2 */
static int add(void *self, long long step, const double *q, const double *p, double *value,
               double *gradient) {
  const subject *s = self;
  for (int c = 0; c < s->nz; c++) {
    *value += sin(c + 1.0) * (c < s->n ? q[c] : p[c - s->n]);
    gradient[c] += sin(c + 1.0);
  }
  *value += q[0] * q[0];
  gradient[0] += 2 * q[0];
  return step < 0;
}

static void check_gradient(subject *s, const double *z, const double *W) {
  const rattle_objective objective = {.struct_size = sizeof objective, .add = add, .self = s};
  double at[MOST], v[MOST], end[MOST] = {0}, value, there = 0;
  rattle_error error;
  memcpy(at, s->start, sizeof at);
  rattle_state state = {.q = at, .p = at + s->n, .h = h};
  if (rattle_tangent_gradient(s->tangent, &state, STEPS, &objective, &value, v, &error))
    fail_msg("the gradient of %s on %s: %s", s->method, s->problem, error.message);
  assert_memory_equal(at, z, s->nz * sizeof *z);
  add(s, 0, z, z + s->n, &there, end);
  if (!(fabs(value - there) <= 1e-13))
    fail_msg("%s on %s: the value is %g, not %g", s->method, s->problem, value, there);
  for (int k = 0; k < s->d; k++) {
    double reverse = 0, direct = 0;
    for (int c = 0; c < s->nz; c++) {
      reverse += v[c] * s->basis[k * s->nz + c];
      direct += end[c] * W[k * s->nz + c];
    }
    if (!(fabs(reverse - direct) <= 2e-11))
      fail_msg("%s on %s: the gradient is off by %.2g", s->method, s->problem, reverse - direct);
  }
}

static void check_back(subject *s, double *z, double *W) {
  rattle_state state = {.q = z, .p = z + s->n, .t0 = STEPS * h, .h = -h};
  rattle_error error;
  if (rattle_tangent_step(s->tangent, &state, STEPS, s->d, W, &error))
    fail_msg("back: %s on %s: %s", s->method, s->problem, error.message);
  const double off = distance(s, W, s->basis, s->d);
  if (!(off <= 2e-11))
    fail_msg("%s on %s: D R_-h D R_h differs from 1 by %.2g", s->method, s->problem, off);
}

static void check_step(subject *s) {
  double z[MOST], plain[MOST], W[MOST * MOST], by_differences[MOST * MOST];
  rattle_error error;
  const rattle_claims claims = rattle_integrator_claims(rattle_tangent_integrator(s->tangent));
  memcpy(z, s->start, sizeof z);
  memcpy(plain, s->start, sizeof plain);
  memcpy(W, s->basis, sizeof W);
  rattle_state state = {.q = z, .p = z + s->n, .h = h},
               same = {.q = plain, .p = plain + s->n, .h = h};
  if (rattle_integrator_step(s->integrator, &same, STEPS, &error))
    fail_msg("%s on %s: %s", s->method, s->problem, error.message);
  if (rattle_tangent_step(s->tangent, &state, STEPS, s->d, W, &error))
    fail_msg("%s on %s: %s", s->method, s->problem, error.message);
  if (memcmp(z, plain, s->nz * sizeof *z))
    fail_msg("%s on %s: the tangent changes the bits of the state", s->method, s->problem);
  assert_int_equal(state.step, STEPS);
  memcpy(plain, s->start, sizeof plain);
  same.step = 0;
  if (rattle_integrator_step(rattle_tangent_integrator(s->tangent), &same, STEPS,
                             &error)) /* steps without derivatives */
    fail_msg("%s on %s: %s", s->method, s->problem, error.message);
  assert_memory_equal(z, plain, s->nz * sizeof *z);
  differences(s, by_differences);
  const double off = distance(s, W, by_differences, s->d);
  if (!(off <= 2e-8))
    fail_msg("%s on %s: the tangent differs from differences by %.2g", s->method, s->problem, off);
  if (claims.symplectic && !(changed(s, W) <= 1e-12))
    fail_msg("%s on %s: the tangent changes the form by %.2g", s->method, s->problem,
             changed(s, W));
  check_gradient(s, z, W);
  if (claims.symmetric) check_back(s, z, W);
}

/* 1: it has a derivative */
static int check(const tests_problem *problem, const char *method, int *refused) {
  subject s = {.method = method, .problem = problem->name, .n = problem->n, .nz = 2 * problem->n};
  rattle_error error = {0};
  if (claims_library_open(&s.library, problem, method, evaluator, &error))
    return 0; /* for test_claims to judge */
  const rattle_status status = rattle_tangent_create(&s.tangent, s.library.problem, method, &error);
  s.integrator = s.library.integrator;
  if (status == RATTLE_UNSUITABLE) {
    assert_non_null(strstr(error.message, ": "));
    ++*refused;
  } else if (status) {
    fail_msg("%s on %s: %s", method, problem->name, error.message);
  } else {
    claims_start(problem, s.start, s.start + s.n);
    if (rattle_tangent_basis(s.tangent, s.start, s.start + s.n, &s.d, s.basis, &error))
      fail_msg("%s on %s: %s", method, problem->name, error.message);
    assert_int_equal(s.d, 2 * (problem->n - problem->m));
    check_step(&s);
  }
  rattle_tangent_destroy(&s.tangent);
  claims_library_close(&s.library);
  return !status;
}

/* Rows whose maps, or maps made with them, have no derivative. */
static int expected(const char *row) {
  static const char *const without[] = {
      "project",  "project_symmetric", "adaptive", "second_class",  "shake_two_step",
      "leapfrog", "adams_bashforth",   "stormer",  "adams_moulton", "rattle"};
  for (size_t i = 0; i < sizeof without / sizeof *without; i++)
    if (!strcmp(row, without[i])) return 0;
  return 1;
}

static void test_table(int by) {
  evaluator = by;
  const rattle_method_row *rows;
  const int count = rattle_method_rows(&rows);
  for (int r = 0, turn = 0; r < count; r++) {
    int with = 0, refused = 0;
    for (int i = 0; i < methods_problem_count(); i++) {
      methods_text methods[METHODS_MAX];
      const int tried = methods_of(&rows[r], methods_problem(i), methods);
      for (int k = 0; k < tried; k++)
        if (!with || ++turn % (12 * TESTS_ONE_IN) == 0)
          with += check(methods_problem(i), methods[k], &refused);
    }
    const int own = !strcmp(rows[r].kind, "constrained map"),
              sampler = !strcmp(rows[r].kind, "sampler");
    const int steps =
        own ? !strcmp(rows[r].name, "spark") || !strcmp(rows[r].name, "rattle_monolithic")
            : !sampler;
    if (expected(rows[r].name) && steps && !with) fail_msg("%s has no derivative", rows[r].name);
  }
}

static void test_interpreted(void **state) {
  (void)state;
  test_table(RATTLE_EVALUATOR_BLOCK);
}

static void test_native(void **state) {
  (void)state;
  if (!claims_takes_native()) skip();
  test_table(RATTLE_EVALUATOR_NATIVE);
}

/* h = 3 is far too large for every problem here but some; where it fails, nothing may have
 * changed */
static void test_failure_changes_nothing(void **unused) {
  (void)unused;
  int failed = 0;
  for (int i = 0; i < tests_problem_count; i++) {
    const tests_problem *problem = &tests_problems[i];
    subject s = {.n = problem->n, .nz = 2 * problem->n};
    double z[MOST], W[MOST * MOST];
    rattle_error error;
    if (problem->m == 0) continue;
    if (claims_library_open(&s.library, problem, "rattle(verlet)", RATTLE_EVALUATOR_BLOCK,
                            &error) ||
        rattle_tangent_create(&s.tangent, s.library.problem, "rattle(verlet)", &error))
      fail_msg("%s", error.message);
    claims_start(problem, z, z + s.n);
    assert_int_equal(rattle_tangent_basis(s.tangent, z, z + s.n, &s.d, W, NULL), RATTLE_OK);
    rattle_state state = {.q = z, .p = z + s.n, .h = 3};
    rattle_status status;
    do {
      memcpy(s.start, z, sizeof z);
      memcpy(s.basis, W, sizeof W);
      status = rattle_tangent_step(s.tangent, &state, 1, s.d, W, &error);
    } while (status == RATTLE_OK && state.step < 20);
    if (status != RATTLE_OK) {
      failed++;
      assert_memory_equal(z, s.start, s.nz * sizeof *z);
      assert_memory_equal(W, s.basis, s.d * s.nz * sizeof *W);
      assert_true(error.message[0] != 0);
    }
    rattle_tangent_destroy(&s.tangent);
    claims_library_close(&s.library);
  }
  assert_true(failed >= 5);
}

/* At rest, hanging, momenta are 0 but for round-off: a pendulum of frequency 1 and a step of
 * verlet, where 2 cos(w h) = 2 - h^2. */
static void test_rest(void **unused) {
  (void)unused;
  const char text[] =
      "local x, px = pair('x')\nlocal y, py = pair('y')\nhamiltonian((px^2 + py^2)/2 + y)\n"
      "constrain('rod', x^2 + y^2 - 1)\n";
  rattle_model *model = NULL;
  rattle_problem *problem = NULL;
  rattle_tangent *tangent = NULL;
  rattle_error error;
  double q[2] = {0, -1}, p[2] = {0, 0}, W[8] = {1, 0, 0, 0, 0, 0, 1, 0};
  if (rattle_model_parse(&model, text, "pendulum", NULL, &error) ||
      rattle_problem_create(&problem, model, NULL, &error) ||
      rattle_tangent_create(&tangent, problem, "rattle(verlet)", &error))
    fail_msg("%s", error.message);
  rattle_state state = {.q = q, .p = p, .h = 0.1};
  if (rattle_tangent_step(tangent, &state, 1, 2, W, &error)) fail_msg("%s", error.message);
  assert_true(fabs(W[0] + W[6] - 2 * cos(0.1)) < 1e-5 &&
              fabs(W[0] * W[6] - W[2] * W[4] - 1) < 1e-15);
  rattle_tangent_destroy(&tangent);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
}

static int pendulum_energy(void *unused, const double *z, double *H, double *gradient) {
  (void)unused;
  *H = (z[2] * z[2] + z[3] * z[3]) / 2 + z[1];
  gradient[0] = 0, gradient[1] = 1, gradient[2] = z[2], gradient[3] = z[3];
  return 0;
}

static int pendulum_rod(void *unused, const double *z, double *g, double *jacobian) {
  (void)unused;
  *g = z[0] * z[0] + z[1] * z[1] - 1;
  jacobian[0] = 2 * z[0], jacobian[1] = 2 * z[1], jacobian[2] = jacobian[3] = 0;
  return 0;
}

static int second_of_energy(void *unused, const double *z, double *hessian) {
  (void)unused, (void)z;
  memset(hessian, 0, 16 * sizeof *hessian);
  hessian[10] = hessian[15] = 1;
  return 0;
}

static int second_of_rod(void *unused, const double *z, const double *w, double *hessian) {
  (void)unused, (void)z;
  memset(hessian, 0, 16 * sizeof *hessian);
  hessian[0] = hessian[5] = 2 * w[0];
  return 0;
}

/* Callbacks without one of the second derivatives, separable or not. */
static void test_differences_are_refused(void **unused) {
  (void)unused;
  for (int given = 0; given < 8; given++) {
    const rattle_callbacks callbacks = {.struct_size = sizeof callbacks,
                                        .n = 2,
                                        .m = 1,
                                        .flags =
                                            RATTLE_HOLONOMIC | (given & 4 ? RATTLE_SEPARABLE : 0),
                                        .hamiltonian = pendulum_energy,
                                        .constraint = pendulum_rod,
                                        .hamiltonian_hessian = given & 1 ? second_of_energy : NULL,
                                        .constraint_hessian = given & 2 ? second_of_rod : NULL};
    rattle_problem *problem;
    rattle_tangent *tangent;
    rattle_error error;
    if (rattle_problem_create_callbacks(&problem, &callbacks, &error))
      fail_msg("%s", error.message);
    const rattle_status status =
        rattle_tangent_create(&tangent, problem, "rattle(midpoint)", &error);
    assert_int_equal(status, (given & 3) == 3 ? RATTLE_OK : RATTLE_UNSUITABLE);
    rattle_tangent_destroy(&tangent);
    rattle_problem_destroy(&problem);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_interpreted), cmocka_unit_test(test_native),
      cmocka_unit_test(test_failure_changes_nothing), cmocka_unit_test(test_rest),
      cmocka_unit_test(test_differences_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
