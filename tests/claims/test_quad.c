/* Methods that say `quad`: the map is that of double steps, g and psi are 0 and invariants are kept
 * to 1e-30, orders are seen where doubles have no digits left, and what is beyond a double is
 * declared state. */
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

/* RATTLE_UNSUITABLE with a sentence about it: 0. */
static int offered(const tests_problem *problem, const char *method) {
  claims_library library;
  rattle_error error;
  const rattle_status status =
      claims_library_open(&library, problem, method, RATTLE_EVALUATOR_BLOCK, &error);
  if (status == RATTLE_OK) claims_library_close(&library);
  if (status != RATTLE_OK && status != RATTLE_UNSUITABLE)
    fail_msg("%s on %s: %s", method, problem->name, error.message);
  return status == RATTLE_OK;
}

#ifndef RATTLE_QUAD
static void test_not_in_this_build(void **state) {
  (void)state;
  assert_false(offered(tests_problem_named("spherical"), "rattle(verlet, quad)"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_not_in_this_build)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
#include "maps/quad/real.h"

enum { MOST = TESTS_MAX_2N };

static void open(claims_library *library, const tests_problem *problem, const char *method) {
  rattle_error error;
  if (claims_library_open(library, problem, method, RATTLE_EVALUATOR_BLOCK, &error) != RATTLE_OK)
    fail_msg("%s on %s: %s", method, problem->name, error.message);
}

static void advance(claims_library *library, double *z, int n, double h, int first, int steps) {
  rattle_error error;
  rattle_state state = {.q = z, .p = z + n, .h = h, .step = first};
  if (rattle_integrator_step(library->integrator, &state, steps, &error) != RATTLE_OK)
    fail_msg("%s: %s", rattle_method_text(rattle_integrator_method(library->integrator)),
             error.message);
}

/* The whole state: z and what a double does not hold of it. */
static void whole(const claims_library *library, const double *z, int n, real *to) {
  double extra[MOST + 1];
  assert_int_equal(rattle_integrator_extra(library->integrator), 2 * n + 1);
  rattle_integrator_get_extra(library->integrator, extra);
  for (int k = 0; k < 2 * n; k++) to[k] = (real)z[k] + extra[k];
}

/* ---- the same map ---- */

/* True if the method suits the problem, with `quad` and without. */
static int suits(const tests_problem *problem, const char *method, const char *quad) {
  const int constrained = strstr(method, "rattle") || strstr(method, "shake");
  return constrained == (problem->m > 0) && offered(problem, method) && offered(problem, quad);
}

static void check_same(const tests_problem *problem, const char *method, const char *quad) {
  const int n = problem->n, output = strstr(method, "output") != NULL;
  double z[2][MOST], size = 1, apart = 0;
  const char *const text[] = {method, quad};
  for (int i = 0; i < 2; i++) {
    claims_library library;
    open(&library, problem, text[i]);
    claims_start(problem, z[i], z[i] + n);
    advance(&library, z[i], n, 0.02, 0, 4);
    if (output && claims_library_output(&library, z[i], z[i] + n))
      fail_msg("%s on %s puts nothing out", text[i], problem->name);
    claims_library_close(&library);
  }
  for (int k = 0; k < 2 * n; k++) {
    size = fmax(size, fabs(z[0][k]));
    apart = fmax(apart, fabs(z[0][k] - z[1][k]));
  }
  if (!(apart < 1e-12 * size))
    fail_msg("%s on %s is %.3g from the step in double", quad, problem->name, apart);
}

static void test_it_is_the_same_map(void **state) {
  (void)state;
  static const char *const methods[][2] = {
      {"verlet", "verlet(quad)"},
      {"verlet(b)", "verlet(b, quad)"},
      {"symplectic_euler(b)", "symplectic_euler(b, quad)"},
      {"midpoint", "midpoint(quad)"},
      {"gauss(3)", "gauss(3, quad)"},
      {"kahan_li6(verlet)", "kahan_li6(verlet, quad)"},
      {"triple_jump(verlet, 6)", "triple_jump(verlet, 6, quad)"},
      {"rattle(verlet)", "rattle(verlet, quad)"},
      {"rattle(verlet(b))", "rattle(verlet(b), quad)"},
      {"rattle(symplectic_euler)", "rattle(symplectic_euler, quad)"},
      {"shake(verlet)", "shake(verlet, quad)"},
      {"rattle(midpoint)", "rattle(midpoint, quad)"},
      {"rattle(gauss(2))", "rattle(gauss(2), quad)"},
      {"rattle(suzuki4(verlet))", "rattle(suzuki4(verlet), quad)"},
      {"suzuki4(rattle(verlet))", "suzuki4(rattle(verlet), quad)"},
      {"triple_jump(suzuki4(rattle(verlet)), 6)", "triple_jump(suzuki4(rattle(verlet)), 6, quad)"},
      {"rattle(verlet, project=output)", "rattle(verlet, project=output, quad)"}};
  int checked = 0;
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    const int before = checked;
    for (int i = (int)k % TESTS_ONE_IN; i < tests_problem_count; i += TESTS_ONE_IN)
      if (suits(&tests_problems[i], methods[k][0], methods[k][1]))
        check_same(&tests_problems[i], methods[k][0], methods[k][1]), checked++;
    if (TESTS_ONE_IN == 1 && checked == before)
      fail_msg("no problem tells anything of %s", methods[k][1]);
  }
  assert_true(checked * TESTS_ONE_IN >= 60);
}

/* ---- 1e-30 ---- */

static void test_constraints_to_30_digits(void **state) {
  (void)state;
  static const char *const methods[] = {"rattle(verlet, quad)", "kahan_li8(rattle(verlet), quad)",
                                        "rattle(gauss(2), quad)"};
  const tests_problem *problem =
      tests_problem_named("spherical"); /* |q|^2 = 1, masses 1: psi = 2 q.p */
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    double z[MOST];
    real at[MOST], g = -1, psi = 0;
    claims_library library;
    open(&library, problem, methods[k]);
    claims_start(problem, z, z + 3);
    advance(&library, z, 3, 0.02, 0, 20);
    whole(&library, z, 3, at);
    for (int i = 0; i < 3; i++) {
      g += at[i] * at[i];
      psi += 2 * at[i] * at[3 + i];
    }
    if (!(fabsq(g) < 1e-30 && fabsq(psi) < 1e-30))
      fail_msg("%s leaves g = %.3g, psi = %.3g", methods[k], (double)g, (double)psi);
    assert_true(rattle_integrator_residuals(library.integrator).g < 1e-30);
    claims_library_close(&library);
  }
}

/* A model of one's own, with a parameter `at`. */
static void open_model(claims_library *library, const char *text, double at, const char *method) {
  rattle_error error;
  const rattle_parameter parameter = {"at", at};
  const rattle_model_options options = {.parameters = &parameter, .parameter_count = 1};
  memset(library, 0, sizeof *library);
  if (rattle_model_parse(&library->model, text, "test", &options, &error) ||
      rattle_problem_create(&library->problem, library->model, NULL, &error) ||
      rattle_integrator_create(&library->integrator, library->problem, method, &error))
    fail_msg("%s: %s", method, error.message);
}

#define OSCILLATOR                                                                                 \
  "local x, px = pair('x') hamiltonian((px^2 + x^2)/2) start { x = parameter('at', 0), px = 0.5 }"

/* Verlet keeps p^2 + (1 - h^2/4) q^2 of the oscillator. */
static void test_invariant_to_30_digits(void **state) {
  (void)state;
  const double h = 0.125;
  double z[2] = {1, 0.5};
  real at[2];
  claims_library library;
  open_model(&library, OSCILLATOR, 1, "verlet(quad)");
  advance(&library, z, 1, h, 0, 1000);
  whole(&library, z, 1, at);
  const real keeps = (real)0.25 + 1 - (real)h * h / 4,
             kept = at[1] * at[1] + at[0] * at[0] * (1 - (real)h * h / 4);
  if (!(fabsq(kept - keeps) < 1e-29)) fail_msg("the invariant is %.3g off", (double)(kept - keeps));
  claims_library_close(&library);
}

/* Errors of the oscillator at time 2 with 2^k steps, from the flow that is known. */
static real error_of(const char *method, int steps) {
  double z[2] = {1, 0.5};
  real at[2];
  claims_library library;
  open_model(&library, OSCILLATOR, 1, method);
  advance(&library, z, 1, 2.0 / steps, 0, steps);
  whole(&library, z, 1, at);
  claims_library_close(&library);
  const real c = cosq(2), s = sinq(2), q = c + (real)0.5 * s, p = (real)0.5 * c - s;
  return fabsq(at[0] - q) + fabsq(at[1] - p);
}

/* Slopes where the errors are 1e-14 to 1e-28. */
static void test_orders_beyond_double(void **state) {
  (void)state;
  static const struct {
    const char *method;
    int order, steps;
  } all[] = {{"gauss(4, quad)", 8, 32},
             {"gauss(8, quad)", 16, 4},
             {"kahan_li8(verlet, quad)", 8, 64},
             {"triple_jump(verlet, 8, quad)", 8, 256}};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    const real coarse = error_of(all[k].method, all[k].steps),
               fine = error_of(all[k].method, 2 * all[k].steps);
    const double slope = log2((double)(coarse / fine));
    if (!(fabs(slope - all[k].order) < 0.2))
      fail_msg("%s: slope %.2f of %.3g", all[k].method, slope, (double)fine);
    if (!(fine < 1e-18))
      fail_msg("%s: errors of %.3g are not beyond double", all[k].method, (double)fine);
  }
}

/* The end of the spherical pendulum at time 1. */
static void end_of(const char *method, int steps, real *at) {
  double z[MOST];
  claims_library library;
  open(&library, tests_problem_named("spherical"), method);
  claims_start(tests_problem_named("spherical"), z, z + 3);
  advance(&library, z, 3, 1.0 / steps, 0, steps);
  whole(&library, z, 3, at);
  claims_library_close(&library);
}

/* With constraints the same, from a start whose doubles are off them: it is moved there first,
 * whatever the step. */
static void test_order_with_constraints(void **state) {
  (void)state;
  real at[3][MOST], apart[2] = {0, 0};
  for (int k = 0; k < 3; k++) end_of("kahan_li8(rattle(verlet), quad)", 128 << k, at[k]);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 6; i++) apart[k] += fabsq(at[k][i] - at[k + 1][i]);
  const double slope = log2((double)(apart[0] / apart[1]));
  if (!(fabs(slope - 8) < 0.1)) fail_msg("slope %.2f of %.3g", slope, (double)apart[1]);
  if (!(apart[1] < 1e-19)) fail_msg("errors of %.3g are not beyond double", (double)apart[1]);
}

/* ---- guard ---- */

/* A bead on a curve that winds: long steps can reach more than one of its points. If steps in
 * double, which are guarded, and steps in quad both end, they end in one point; quad refuses the
 * others. */
static void test_no_other_sheet(void **state) {
  (void)state;
  static const char curve[] =
      "local x, px = pair('x') local y, py = pair('y') hamiltonian((px^2 + py^2)/2 + y/4)\n"
      "constrain('curve', y - sin(3*x)) start { x = 0.1*parameter('at', 0), px = 1 } ";
  int both = 0, refused = 0;
  for (int start = 0; start < 10; start++) {
    claims_library library[2];
    open_model(&library[0], curve, start, "rattle(verlet)");
    open_model(&library[1], curve, start, "rattle(verlet, quad)");
    for (double h = 0.05; h < 3; h += 0.05) {
      double z[2][4];
      rattle_status status[2];
      rattle_error error;
      for (int k = 0; k < 2; k++) {
        assert_int_equal(rattle_problem_start(library[k].problem, 1, z[k], z[k] + 2, NULL, &error),
                         RATTLE_OK);
        rattle_state at = {.q = z[k], .p = z[k] + 2, .h = h};
        status[k] = rattle_integrator_step(library[k].integrator, &at, 1, &error);
      }
      refused += status[1] == RATTLE_NOT_CONVERGED && strstr(error.message, "another sheet");
      if (status[1] != RATTLE_OK || status[0] != RATTLE_OK) continue;
      both++;
      for (int k = 0; k < 4; k++)
        if (!(fabs(z[0][k] - z[1][k]) < 1e-8))
          fail_msg("start %d, h = %.2f: %.3g apart", start, h, z[0][k] - z[1][k]);
    }
    claims_library_close(&library[0]);
    claims_library_close(&library[1]);
  }
  assert_true(both >= 10 && refused >= 10);
}

/* ---- state ---- */

static void test_resumed_to_the_bit(void **state) {
  (void)state;
  const tests_problem *problem = tests_problem_named("spherical");
  const char *method = "suzuki4(rattle(verlet), quad)";
  double z[2][MOST], extra[MOST + 1], other[MOST + 1];
  claims_library first, second;
  open(&first, problem, method);
  open(&second, problem, method);
  claims_start(problem, z[0], z[0] + 3);
  memcpy(z[1], z[0], sizeof z[0]);
  advance(&first, z[0], 3, 0.02, 0, 20);
  rattle_integrator_get_extra(first.integrator, extra);
  advance(&second, z[1], 3, 0.02, 0, 9);
  rattle_integrator_get_extra(second.integrator, other);
  claims_library_close(&second);
  open(&second, problem, method);
  rattle_integrator_set_extra(second.integrator, other);
  advance(&second, z[1], 3, 0.02, 9, 11);
  rattle_integrator_get_extra(second.integrator, other);
  assert_memory_equal(z[0], z[1], 6 * sizeof(double));
  assert_memory_equal(extra, other, 7 * sizeof(double));
  /* a step that fails, since it is far too long, changes nothing */
  rattle_error error;
  rattle_state at = {.q = z[1], .p = z[1] + 3, .h = 4, .step = 20};
  assert_int_equal(rattle_integrator_step(second.integrator, &at, 1, &error), RATTLE_NOT_CONVERGED);
  rattle_integrator_get_extra(second.integrator, other);
  assert_memory_equal(z[0], z[1], 6 * sizeof(double));
  assert_memory_equal(extra, other, 7 * sizeof(double));
  claims_library_close(&second);
  claims_library_close(&first);
}

/* ---- refusals ---- */

static void test_refusals(void **state) {
  (void)state;
  const tests_problem *problem = tests_problem_named("spherical");
  static const char *const refused[] = {"rattle(verlet, tol=1e-8, quad)",
                                        "rattle(verlet, solver=sweep, quad)",
                                        "rattle(verlet, compensated, quad)",
                                        "rk4(dirac, quad)",
                                        "multistep4(quad)",
                                        "spark(3, quad)",
                                        "adaptive(rattle(verlet), quad)"};
  for (size_t k = 0; k < sizeof refused / sizeof *refused; k++)
    if (offered(problem, refused[k])) fail_msg("%s is offered", refused[k]);
  assert_true(offered(problem, "rattle(verlet, quad)"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_it_is_the_same_map),
                                     cmocka_unit_test(test_no_other_sheet),
                                     cmocka_unit_test(test_constraints_to_30_digits),
                                     cmocka_unit_test(test_invariant_to_30_digits),
                                     cmocka_unit_test(test_orders_beyond_double),
                                     cmocka_unit_test(test_order_with_constraints),
                                     cmocka_unit_test(test_resumed_to_the_bit),
                                     cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
