/* Properties of base maps beyond the claims of their rows. */
#include "common_claims.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void open(claims_library *library, const tests_problem *problem, const char *method) {
  rattle_error error;
  if (claims_library_open(library, problem, method, RATTLE_EVALUATOR_BLOCK, &error) != RATTLE_OK)
    fail_msg("%s on %s: %s", method, problem->name, error.message);
}

static void run(claims_library *library, double h, long long steps, int n, double *z,
                const char *what) {
  rattle_state state = {.q = z, .p = z + n, .h = h};
  rattle_error error;
  if (rattle_integrator_step(library->integrator, &state, steps, &error) != RATTLE_OK)
    fail_msg("%s: %s", what, error.message);
}

/* A high order in a step that is far from short leaves nothing but round-off: the derivatives of
 * all fields are exact. */
static void test_taylor_to_round_off(void **state) {
  (void)state;
  static const char *const fields[] = {"dirac", "classical", "baumgarte(3)", "total", "impetus"};
  int checked = 0;
  for (int i = 0; i < tests_problem_count; i++)
    for (int k = 0; k < 5; k++) {
      const tests_problem *problem = &tests_problems[i];
      const int n = problem->n;
      if (!problem->m ||
          (k == 4 && problem->m &&
           strstr("harmonic commuting torus bent mirror free_on_sphere swept", problem->name)))
        continue;
      char method[64];
      double z[TESTS_MAX_2N], error = 0;
      claims_library library;
      snprintf(method, sizeof method, "taylor(20, %s)", fields[k]);
      open(&library, problem, method);
      claims_start(problem, z, z + n);
      run(&library, claims_span(problem) / 100, 100, n, z, method);
      assert_int_equal(claims_library_output(&library, z, z + n), 0);
      for (int c = 0; c < 2 * n; c++)
        error = fmax(error, fabs(z[c] - (double)claims_exact(problem)[c]));
      if (!(error <= (k == 3 ? 1e-10 : 2e-12)))
        fail_msg("%s on %s: off by %g", method, problem->name, error);
      claims_library_close(&library);
      checked++;
    }
  assert_true(checked >= 50);
}

/* Many multipliers, found order by order: the same as collocation, which knows fields by values and
 * Jacobians. */
static void test_taylor_with_many_multipliers(void **state) {
  (void)state;
  static const char *const fields[] = {"dirac", "classical", "total", "impetus"};
  for (int i = 0; i < tests_large_problem_count; i++)
    for (int k = 0; k < 4; k++) {
      const tests_problem *problem = &tests_large_problems[i];
      const int n = problem->n;
      double z[2][TESTS_MAX_2N];
      for (int which = 0; which < 2; which++) {
        char method[64];
        claims_library library;
        snprintf(method, sizeof method, which ? "gauss(5, %s)" : "taylor(14, %s)", fields[k]);
        open(&library, problem, method);
        assert_int_equal(reference_start(problem, z[which], z[which] + n), 0);
        run(&library, 0.01, 3, n, z[which], method);
        claims_library_close(&library);
      }
      double apart = 0;
      for (int c = 0; c < 2 * n; c++) apart = fmax(apart, fabs(z[0][c] - z[1][c]));
      if (!(apart <= 2e-13)) fail_msg("%s on %s: %g apart", fields[k], problem->name, apart);
    }
}

/* One step over the whole span, divided as tol asks: errors follow tol, and so does the work. */
static void test_dopri5_divides(void **state) {
  (void)state;
  static const char *const methods[] = {"dopri5(tol=1e-%d)", "dopri5(dirac, tol=1e-%d)"};
  static const char *const names[2][3] = {{"henon_heiles", "product", NULL},
                                          {"spherical", "two_surfaces", "torus"}};
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 3 && names[k][i]; i++) {
      const tests_problem *problem = tests_problem_named(names[k][i]);
      const int n = problem->n;
      long long work = 0;
      for (int digits = 4; digits <= 12; digits += 2) {
        char method[64];
        double z[TESTS_MAX_2N], error = 0;
        claims_library library;
        snprintf(method, sizeof method, methods[k], digits);
        open(&library, problem, method);
        claims_start(problem, z, z + n);
        run(&library, claims_span(problem), 1, n, z, method);
        for (int c = 0; c < 2 * n; c++)
          error = fmax(error, fabs(z[c] - (double)claims_exact(problem)[c]));
        if (!(error <= 100 * pow(10, -digits)))
          fail_msg("%s on %s: off by %g", method, problem->name, error);
        const long long now = rattle_integrator_counts(library.integrator).gradient;
        assert_true(now > work + work / 3);
        work = now;
        claims_library_close(&library);
      }
    }
}

/* A fall into the centre, at t = pi/sqrt(8) from rest: no step goes through it, and none is left
 * half done. */
static void test_dopri5_stops_at_a_singularity(void **state) {
  (void)state;
  static const tests_problem fall = {"fall",
                                     1,
                                     0,
                                     "separable",
                                     NULL,
                                     NULL,
                                     "local x, p = pair('x', 'p')\nhamiltonian(p^2/2 - 1/x)\n",
                                     {1, 0}};
  claims_library library;
  rattle_error error;
  double z[2] = {1, 0};
  open(&library, &fall, "dopri5(tol=1e-9)");
  rattle_state at = {.q = z, .p = z + 1, .h = 0.5};
  assert_int_equal(rattle_integrator_step(library.integrator, &at, 2, &error), RATTLE_OK);
  const double before[2] = {z[0], z[1]};
  assert_int_equal(rattle_integrator_step(library.integrator, &at, 1, &error),
                   RATTLE_NOT_CONVERGED);
  assert_true(z[0] == before[0] && z[1] == before[1] && at.step == 2);
  assert_non_null(strstr(error.message, "substeps"));
  claims_library_close(&library);
}

/* The forms of Verlet are one map: what they show is the same to round-off, also where the step
 * changes on the way. */
static void test_forms_of_verlet(void **state) {
  (void)state;
  static const char *const forms[] = {"verlet", "velocity_verlet", "leapfrog", "stormer"};
  const tests_problem *problem = tests_problem_named("henon_heiles");
  double z[4][TESTS_MAX_2N];
  for (int k = 0; k < 4; k++) {
    claims_library library;
    open(&library, problem, forms[k]);
    claims_start(problem, z[k], z[k] + 2);
    double shown[4];
    memcpy(shown, z[k], sizeof shown);
    claims_library_output(&library, shown, shown + 2);
    assert_memory_equal(shown, z[k], sizeof shown);
    run(&library, 0.05, 1000, 2, z[k], forms[k]);
    run(&library, 0.03, 500, 2, z[k], forms[k]);
    run(&library, -0.01, 200, 2, z[k], forms[k]);
    claims_library_output(&library, z[k], z[k] + 2);
    claims_library_close(&library);
  }
  assert_memory_equal(z[0], z[1], 4 * sizeof **z);
  for (int c = 0; c < 4; c++) {
    assert_true(fabs(z[0][c] - z[2][c]) < 1e-12);
    assert_true(fabs(z[0][c] - z[3][c]) < 1e-10);
  }
}

/* SHAKE as first published against RATTLE: the same positions to round-off, momenta that differ
 * along G^T by order h^2, and not at all once they are slid along it. */
static void test_shake_as_first_published(void **state) {
  (void)state;
  static const char *const names[] = {"pendulum", "spherical", "double_pendulum",
                                      "chain",    "tree",      "ring"};
  for (int i = 0; i < 6; i++) {
    const tests_problem *problem = NULL;
    for (int k = 0; k < tests_large_problem_count; k++)
      if (!strcmp(tests_large_problems[k].name, names[i])) problem = &tests_large_problems[k];
    if (!problem) problem = tests_problem_named(names[i]);
    const int n = problem->n;
    double apart[2] = {0, 0};
    for (int fine = 0; fine < 2; fine++) {
      const double h = fine ? 0.005 : 0.01;
      claims_library shake, rattle, slide;
      double z[2][TESTS_MAX_2N], shown[TESTS_MAX_2N],
          bound = i < 3 ? 1e-10 : 1e-8; /* the large ones are chaotic */
      open(&shake, problem, "shake_two_step");
      open(&rattle, problem, "rattle(verlet)");
      open(&slide, problem, "rattle(verlet, project=output)");
      assert_int_equal(reference_start(problem, z[0], z[0] + n), 0);
      memcpy(z[1], z[0], sizeof z[0]);
      for (int step = 0; step < (i < 3 ? 3000 : 400); step++) {
        run(&shake, h, 1, n, z[0], names[i]);
        run(&rattle, h, 1, n, z[1], names[i]);
        memcpy(shown, z[0], sizeof shown);
        assert_int_equal(claims_library_output(&shake, shown, shown + n), 0);
        for (int c = 0; c < n; c++) {
          assert_true(shown[c] == z[0][c]);
          if (!(fabs(shown[c] - z[1][c]) < bound))
            fail_msg("%s, step %d: positions %g apart", names[i], step, shown[c] - z[1][c]);
          if ((step + 1) * h < 1.001)
            apart[fine] = fmax(apart[fine], fabs(shown[n + c] - z[1][n + c]));
        }
        assert_int_equal(claims_library_output(&slide, shown, shown + n), 0);
        for (int c = n; c < 2 * n; c++)
          if (!(fabs(shown[c] - z[1][c]) < 100 * bound))
            fail_msg("%s, step %d: momenta %g apart", names[i], step, shown[c] - z[1][c]);
      }
      claims_library_close(&shake);
      claims_library_close(&rattle);
      claims_library_close(&slide);
    }
    const double order = log2(apart[0] / apart[1]);
    if (!(apart[0] > 1e-6 && fabs(order - 2) < 0.25))
      fail_msg("%s: momenta differ by %g, order %g", names[i], apart[0], order);
  }
}

/* Half a run, its state and its declared memory handed to an integrator that was never used: the
 * same bits. A failed step leaves both as they were. */
static void test_memory_resumes(void **state) {
  (void)state;
  static const char *const methods[] = {"leapfrog",
                                        "stormer",
                                        "shake_two_step",
                                        "adams_bashforth(5)",
                                        "adams_moulton(4, dirac)",
                                        "project(adams_bashforth(3, classical))"};
  static const char *const names[] = {"henon_heiles", "henon_heiles", "double_pendulum",
                                      "product",      "spherical",    "torus"};
  for (int i = 0; i < 6; i++) {
    const tests_problem *problem = tests_problem_named(names[i]);
    const int n = problem->n;
    claims_library one, two;
    double z[2][TESTS_MAX_2N], shown[2][TESTS_MAX_2N], memory[64], after[64];
    open(&one, problem, methods[i]);
    open(&two, problem, methods[i]);
    const int extra = rattle_integrator_extra(one.integrator);
    assert_true(extra > 0 && extra <= 64);
    assert_false(rattle_method_claims(rattle_integrator_method(one.integrator)).pure);
    claims_start(problem, z[0], z[0] + n);
    run(&one, 0.02, 20, n, z[0], methods[i]);
    memcpy(z[1], z[0], sizeof z[0]);
    rattle_integrator_get_extra(one.integrator, memory);
    run(&one, 0.02, 20, n, z[0], methods[i]);
    rattle_integrator_set_extra(two.integrator, memory);
    claims_library_output(&one, memcpy(shown[0], z[0], sizeof z[0]), shown[0] + n);
    run(&two, 0.02, 20, n, z[1], methods[i]);
    assert_memory_equal(z[0], z[1], 2 * (size_t)n * sizeof **z);
    claims_library_output(&two, memcpy(shown[1], z[1], sizeof z[1]), shown[1] + n);
    assert_memory_equal(shown[0], shown[1], 2 * (size_t)n * sizeof **z);
    /* what is shown of another point owes nothing to the memory of this one */
    claims_start(problem, z[1], z[1] + n);
    claims_library_output(&one, memcpy(shown[1], z[1], sizeof z[1]), shown[1] + n);
    assert_memory_equal(shown[1], z[1], 2 * (size_t)n * sizeof **z);
    /* a step far too long */
    rattle_integrator_get_extra(two.integrator, memory);
    memcpy(z[1], z[0], sizeof z[0]);
    rattle_state at = {.q = z[1], .p = z[1] + n, .h = 1e200};
    rattle_error error;
    assert_int_not_equal(rattle_integrator_step(two.integrator, &at, 1, &error), RATTLE_OK);
    rattle_integrator_get_extra(two.integrator, after);
    assert_memory_equal(memory, after, (size_t)extra * sizeof *memory);
    assert_memory_equal(z[0], z[1], 2 * (size_t)n * sizeof **z);
    claims_library_close(&one);
    claims_library_close(&two);
  }
}

/* A step of another length begins anew, as accurate as before. */
static void test_adams_with_another_step(void **state) {
  (void)state;
  static const char *const methods[] = {"adams_bashforth(4, dirac)", "adams_moulton(3, dirac)",
                                        "adams_bashforth(6, dirac)"};
  static const double bounds[] = {1e-6, 1e-7, 1e-8};
  for (int k = 0; k < 3; k++) {
    const tests_problem *problem = tests_problem_named("varying_mass");
    const double span = claims_span(problem);
    double z[TESTS_MAX_2N], error[2] = {0, 0};
    claims_library library;
    open(&library, problem, methods[k]);
    for (int which = 0; which < 2; which++) {
      claims_start(problem, z, z + 3);
      run(&library, span / 400, 200, 3, z, methods[k]);
      run(&library, span / (which ? 2000 : 400), which ? 1000 : 200, 3, z, methods[k]);
      for (int c = 0; c < 6; c++)
        error[which] = fmax(error[which], fabs(z[c] - (double)claims_exact(problem)[c]));
    }
    if (!(error[0] < bounds[k] && error[1] < bounds[k]))
      fail_msg("%s: %g, then %g", methods[k], error[0], error[1]);
    claims_library_close(&library);
  }
}

#define OSCILLATORS(count)                                                                         \
  "local x, p = pairs_of('x', " count ")\nfor i = 1, #x do hamiltonian(p[i]^2/2 + x[i]^4/4) end\n" \
  "for i = 1, #x do start { [x[i]] = 1, [p[i]] = 0.5 } end\n"

/* More unknowns than a dense matrix is made for: fixed points, the same to round-off; where they do
 * not converge, an error. */
static void test_moulton_by_fixed_points(void **state) {
  (void)state;
  static const char *const texts[] = {OSCILLATORS("1"), OSCILLATORS("301")};
  double z[2][2][301];
  for (int which = 0; which < 2; which++) {
    rattle_model *model;
    rattle_problem *problem;
    rattle_integrator *integrator;
    rattle_error error;
    assert_int_equal(rattle_model_parse(&model, texts[which], "oscillators", NULL, &error),
                     RATTLE_OK);
    assert_int_equal(rattle_problem_create(&problem, model, NULL, &error), RATTLE_OK);
    assert_int_equal(rattle_integrator_create(&integrator, problem, "adams_moulton(3)", &error),
                     RATTLE_OK);
    rattle_state at = {.q = z[which][0], .p = z[which][1], .h = 0.05};
    for (int i = 0; i < 301; i++) at.q[i] = 1, at.p[i] = 0.5;
    assert_int_equal(rattle_integrator_step(integrator, &at, 40, &error), RATTLE_OK);
    assert_true((rattle_integrator_counts(integrator).factorisation > 0) == (which == 0));
    double before[2][301];
    memcpy(before, z[which], sizeof before);
    at.h = 2;
    assert_int_equal(rattle_integrator_step(integrator, &at, 1, &error) == RATTLE_NOT_CONVERGED,
                     which);
    memcpy(z[which], before, sizeof before);
    rattle_integrator_destroy(&integrator);
    rattle_problem_destroy(&problem);
    rattle_model_destroy(&model);
  }
  for (int i = 0; i < 301; i++) {
    assert_true(fabs(z[1][0][i] - z[0][0][0]) < 1e-13);
    assert_true(fabs(z[1][1][i] - z[0][1][0]) < 1e-13);
  }
}

/* exact is exact in all units: an oscillator and a free particle, whose |H''| says nothing of their
 * frequencies. */
static void test_exact_in_any_units(void **state) {
  (void)state;
  const double masses[] = {1, 1e-20, 1e20}, rates[] = {1, 1e-12, 1e15};
  for (int k = 0; k < 9; k++) {
    const double M = masses[k % 3], w = rates[k / 3];
    char text[400];
    rattle_model *model;
    rattle_problem *problem;
    rattle_integrator *integrator;
    rattle_error error;
    snprintf(text, sizeof text,
             "local M, w = %.17g, %.17g local x, px = pair('x') local y, py = pair('y')\n"
             "hamiltonian((px^2 + py^2)/(2*M) + M*w^2*x^2/2)",
             M, w);
    assert_int_equal(rattle_model_parse(&model, text, "units", NULL, &error), RATTLE_OK);
    assert_int_equal(rattle_problem_create(&problem, model, NULL, &error), RATTLE_OK);
    assert_int_equal(rattle_integrator_create(&integrator, problem, "exact", &error), RATTLE_OK);
    double q[] = {1, 1}, p[] = {0, M * w};
    rattle_state at = {.q = q, .p = p, .h = 0.3 / w};
    if (rattle_integrator_step(integrator, &at, 10, &error))
      fail_msg("mass %g, rate %g: %s", M, w, error.message);
    assert_true(fabs(q[0] - cos(3)) < 1e-14 && fabs(p[0] / (M * w) + sin(3)) < 1e-14);
    assert_true(fabs(q[1] - 4) < 1e-14 && fabs(p[1] / (M * w) - 1) < 1e-15);
    rattle_integrator_destroy(&integrator);
    rattle_problem_destroy(&problem);
    rattle_model_destroy(&model);
  }
}

/* A chain of five rods held out level, in other units of time: {psi,psi} and {g,psi}, and H_qq and
 * H_pp, are of sizes far apart. */
static void test_fields_in_any_units(void **state) {
  (void)state;
  static const char *const methods[] = {"rk4(dirac)", "adams_moulton(3, dirac)", "verlet(impetus)"};
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    double x[2] = {0, 0};
    for (int which = 0; which < 2; which++) {
      const double T = which ? 1e-12 : 1, M = which ? 1e12 : 1;
      char text[600];
      rattle_model *model;
      rattle_problem *problem;
      rattle_integrator *integrator;
      rattle_error error;
      snprintf(text, sizeof text,
               "local T, M = %.17g, %.17g local x0, y0 = 0, 0\n"
               "for i = 1, 5 do local x, px = pair('x' .. i) local y, py = pair('y' .. i)\n"
               "hamiltonian((px^2 + py^2)/(2*M) + M*y/T^2) constrain('r' .. i, (x - x0)^2 + (y - "
               "y0)^2 - 1) x0, y0 = x, y end",
               T, M);
      assert_int_equal(rattle_model_parse(&model, text, "units", NULL, &error), RATTLE_OK);
      assert_int_equal(rattle_problem_create(&problem, model, NULL, &error), RATTLE_OK);
      assert_int_equal(rattle_integrator_create(&integrator, problem, methods[k], &error),
                       RATTLE_OK);
      double q[] = {1, 0, 2, 0, 3, 0, 4, 0, 5, 0},
             p[] = {0, 0.3 * M / T, 0, 0, 0, 0, 0, 0, 0, -0.5 * M / T};
      rattle_state at = {.q = q, .p = p, .h = 0.02 * T};
      if (rattle_integrator_step(integrator, &at, 50, &error))
        fail_msg("%s, time %g: %s", methods[k], T, error.message);
      x[which] = q[8];
      rattle_integrator_destroy(&integrator);
      rattle_problem_destroy(&problem);
      rattle_model_destroy(&model);
    }
    if (!(fabs(x[1] - x[0]) < 1e-9)) fail_msg("%s: %g apart", methods[k], fabs(x[1] - x[0]));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_taylor_to_round_off),
                                     cmocka_unit_test(test_taylor_with_many_multipliers),
                                     cmocka_unit_test(test_dopri5_divides),
                                     cmocka_unit_test(test_dopri5_stops_at_a_singularity),
                                     cmocka_unit_test(test_forms_of_verlet),
                                     cmocka_unit_test(test_shake_as_first_published),
                                     cmocka_unit_test(test_memory_resumes),
                                     cmocka_unit_test(test_adams_with_another_step),
                                     cmocka_unit_test(test_moulton_by_fixed_points),
                                     cmocka_unit_test(test_exact_in_any_units),
                                     cmocka_unit_test(test_fields_in_any_units)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
