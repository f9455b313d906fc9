/* Steps over the edge of where H is defined, although forces have values beyond it, end there
 * whoever asks for them: steps, runs, tangents and ensembles. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "made.h"
#include "rattle/ensemble.h"
#include "rattle/tangent.h"
#include "problem/functions/problem.h"

/* A weight falls onto a wall whose repulsion h = 0.2 is too long for: it is at x > -1, and steps
 * lead it across. The force beyond it, 0.01/(x + 1) - 1, is finite. */
#define FALL(V) "local x, px = pair('x')\nhamiltonian(px^2/2 + x - 0.01*" V ")\nstart { x = 0.5 }\n"
#define WALL FALL("log(x + 1)")
enum { STEPS = 25 };
static const double h = 0.2;

static const char *const method[] = {"verlet", "verlet(form=b)", "rk4", "midpoint",
                                     "yoshida4(verlet)"};
enum { METHODS = sizeof method / sizeof *method };

/* The state that `rattle_run` ends in. */
static made run(const char *text, const char *by) {
  made m = make(text, by, h, 1);
  rattle_error error;
  const rattle_run_options how = {
      .struct_size = sizeof how, .steps = STEPS, .every = 1, .initial_energy = (double)NAN};
  assert_int_equal(rattle_run(m.integrator, &m.state, &how, NULL, 0, NULL, &error), RATTLE_DOMAIN);
  assert_in_range(m.state.step, 3, STEPS - 3);
  assert_true(m.state.q[0] > -1);
  return m;
}

static void same_end(const made *a, const rattle_state *b) {
  assert_int_equal(a->state.step, b->step);
  assert_memory_equal(a->state.q, b->q, sizeof *b->q);
  assert_memory_equal(a->state.p, b->p, sizeof *b->p);
}

static void test_steps(void **unused) {
  (void)unused;
  for (int i = 0; i < METHODS; i++) {
    made right = run(WALL, method[i]), m = make(WALL, method[i], h, 1);
    rattle_error error;
    assert_int_equal(rattle_integrator_step(m.integrator, &m.state, STEPS, &error), RATTLE_DOMAIN);
    assert_non_null(strstr(error.message, "log of -"));
    same_end(&right, &m.state);
    unmake(&m), unmake(&right);
  }
}

static void test_tangents(void **unused) {
  (void)unused;
  for (int i = 0; i < METHODS; i++) {
    made right = run(WALL, method[i]), m = make(WALL, method[i], h, 1);
    rattle_error error;
    rattle_tangent *tangent;
    double w[2] = {1, 0};
    if (rattle_tangent_create(&tangent, m.problem, method[i], &error))
      fail_msg("%s", error.message);
    assert_int_equal(rattle_tangent_step(tangent, &m.state, STEPS, 1, w, &error), RATTLE_DOMAIN);
    same_end(&right, &m.state);
    rattle_tangent_destroy(&tangent);
    unmake(&m), unmake(&right);
  }
}

/* --- ensembles --------------------------------------------------------------------------------- */

static rattle_status keep_end(void *self, const rattle_outcome *outcome, rattle_error *error) {
  (void)error;
  same_end(self, &(rattle_state){
                     .q = (double *)outcome->q, .p = (double *)outcome->p, .step = outcome->steps});
  assert_int_equal(outcome->status, RATTLE_DOMAIN);
  return RATTLE_OK;
}

static void test_ensembles(void **unused) {
  (void)unused;
  static const int keep[] = {0, RATTLE_KEEP_ERRORS, RATTLE_KEEP_CHAOS, RATTLE_KEEP_SUMMARY};
  for (int i = 0; i < METHODS; i++) {
    made right = run(WALL, method[i]);
    for (int k = 0; k < 4; k++) {
      const rattle_ensemble_options how = {.struct_size = sizeof how,
                                           .cases = 3,
                                           .method = method[i],
                                           .step = h,
                                           .steps = STEPS,
                                           .keep = keep[k],
                                           .threads = 1,
                                           .self = &right,
                                           .end = keep_end};
      rattle_error error;
      if (rattle_ensemble(right.problem, &how, NULL, &error)) fail_msg("%s", error.message);
    }
    unmake(&right);
  }
}

/* The last point alone is beyond the edge, and no force has been evaluated there: H is. */
static void test_last_point(void **unused) {
  (void)unused;
  static const char root[] = FALL("sqrt(x + 1)");
  made right = run(root, "verlet(form=b)"), m = make(root, "verlet(form=b)", h, 1);
  rattle_error error;
  assert_int_equal(rattle_integrator_step(m.integrator, &m.state, right.state.step + 1, &error),
                   RATTLE_DOMAIN);
  same_end(&right, &m.state);
  unmake(&m), unmake(&right);
}

/* 1: beyond x = -1. */
static int walled(void *context, const double *z, double *H, double *gradient) {
  (void)context;
  *H = z[1] * z[1] / 2 + z[0] - 0.01 * sqrt(z[0] + 1);
  gradient[0] = 1 - 0.005 / sqrt(z[0] + 1), gradient[1] = z[1];
  return !(z[0] > -1);
}

/* The same of callbacks, of which nothing is known: the call ends at the last point that has an H,
 * not with one beyond it and OK. */
static void test_callbacks(void **unused) {
  (void)unused;
  const rattle_callbacks callbacks = {
      .struct_size = sizeof callbacks, .n = 1, .flags = RATTLE_SEPARABLE, .hamiltonian = walled};
  made right = run(FALL("sqrt(x + 1)"), "verlet(form=b)");
  double z[2] = {0.5, 0};
  rattle_state state = {.q = z, .p = z + 1, .h = h};
  rattle_problem *problem;
  rattle_integrator *integrator;
  rattle_error error;
  assert_int_equal(rattle_problem_create_callbacks(&problem, &callbacks, &error), RATTLE_OK);
  assert_int_equal(rattle_integrator_create(&integrator, problem, "verlet(form=b)", &error),
                   RATTLE_OK);
  assert_int_not_equal(rattle_integrator_step(integrator, &state, right.state.step + 1, &error),
                       RATTLE_OK);
  assert_int_equal(state.step, right.state.step);
  assert_true(z[0] > -1 && fabs(z[0] - right.state.q[0]) < 1e-14);
  rattle_integrator_destroy(&integrator);
  rattle_problem_destroy(&problem);
  unmake(&right);
}

/* Energies are not evaluated for nothing: H of these is defined everywhere but for poles. */
static void test_which(void **unused) {
  (void)unused;
  static const struct {
    const char *text;
    int partial;
  } of[] = {{"x^2", 0},
            {"log(x + 1)", 1},
            {"log(x^2)", 0},
            {"log((x - y)^2 + (x + y)^2 + 0.1)", 0},
            {"log(x^2 + x - 1)", 1},
            {"log1p(exp(x))", 0},
            {"log1p(x)", 1},
            {"sqrt(x*x + y*y)", 0},
            {"sqrt(2 - 2*cos(x))", 0},
            {"sqrt(2 - 3*cos(x))", 1},
            {"sqrt(x)", 1},
            {"1/sqrt(x^2 + y^2)", 0},
            {"(x^2 + y^2)^1.5", 0},
            {"x^1.5", 1},
            {"x^-3", 0},
            {"asin(sin(x))", 0},
            {"acos(x)", 1},
            {"asin(x/2)", 1},
            {"asin(tanh(x))", 0},
            {"lgamma(x)", 1},
            {"table1d(x, {0, 1, 2, 3}, {0, 1, 3, 4})", 1},
            {"log(cosh(x) - 1)", 0},
            {"log(abs(x) + exp(y))", 0},
            {"tan(x)", 0}};
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    char text[300];
    snprintf(text, sizeof text,
             "local x, px = pair('x')\nlocal y, py = pair('y')\nhamiltonian((px^2 + py^2)/2 + %s)\n"
             "start { x = 0.9, y = 0.5 }\n",
             of[i].text);
    made m = make(text, "verlet", h, 0);
    if (m.problem->partial != of[i].partial) fail_msg("%s: %d", of[i].text, m.problem->partial);
    unmake(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_steps),     cmocka_unit_test(test_tangents),
      cmocka_unit_test(test_ensembles), cmocka_unit_test(test_last_point),
      cmocka_unit_test(test_callbacks), cmocka_unit_test(test_which)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
