/* Index 1: q' = H_p, p' = -H_q, 0 = H_b (McLachlan, Modin, Verdier, Wilkins 2014, section 5.3). A
 * free variable is embedded as a pair whose momentum is 0; SHAKE and RATTLE of the midpoint rule
 * are then the midpoint rule itself, applied to the three equations, which is written down here
 * once more: a Gauss rule in long double whose field finds b from H_b = 0 by Newton.
 *
 * H = p1^2/2 + p2^2/2 (1 + b^2/4) + cos q1 + q1 q2^2/4 + q2^2/2 + (1 + q1^2/2) b^2/2 + b sin(p1 +
 * q2)/2 + c^2/2 + c^4/8 + c p2 q1/4 */
#include "common_reference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "constraint/fibre/fibre.h"
#include "rattle/rattle.h"

static const char *const model_text =
    "local q1, pq1 = pair('q1')\nlocal b = free('b')\nlocal q2, pq2 = pair('q2')\nlocal c = "
    "free('c')\n"
    "hamiltonian(pq1^2/2 + pq2^2/2*(1 + b^2/4) + cos(q1) + q1*q2^2/4 + q2^2/2)\n"
    "hamiltonian((1 + q1^2/2)*b^2/2 + b*sin(pq1 + q2)/2 + c^2/2 + c^4/8 + c*pq2*q1/4)\n"
    "start { q1 = 0.7, q2 = 0.4, pq1 = -0.3, pq2 = 0.5, project = true }\n";

/* b and c where H_b = H_c = 0; x = (q1, q2, p1, p2) */
static void free_variables(const long double *x, long double *b, long double *c) {
  *b = -sinl(x[2] + x[1]) / 2 / (1 + x[0] * x[0] / 2 + x[3] * x[3] / 4);
  *c = 0;
  for (int k = 0; k < 60; k++) {
    const long double f = *c + *c * *c * *c / 2 + x[3] * x[0] / 4;
    *c -= f / (1 + 1.5L * *c * *c);
  }
}

static int field(const void *self, const long double *x, long double *dx) {
  long double b, c;
  (void)self;
  free_variables(x, &b, &c);
  dx[0] = x[2] + b * cosl(x[2] + x[1]) / 2;
  dx[1] = x[3] * (1 + b * b / 4) + c * x[0] / 4;
  dx[2] = sinl(x[0]) - x[1] * x[1] / 4 - x[0] * b * b / 2 - c * x[3] / 4;
  dx[3] = -(x[0] * x[1] / 2 + x[1] + b * cosl(x[2] + x[1]) / 2);
  return 0;
}

/* order in the library: q1, b, q2, c */
static void to_library(const long double *x, double *q, double *p) {
  long double b, c;
  free_variables(x, &b, &c);
  const double where[4] = {(double)x[0], (double)b, (double)x[1], (double)c};
  const double momentum[4] = {(double)x[2], 0, (double)x[3], 0};
  memcpy(q, where, sizeof where);
  memcpy(p, momentum, sizeof momentum);
}

typedef struct fixture {
  rattle_model *model;
  rattle_problem *problem;
  rattle_integrator *integrator;
} fixture;

static void set_up(fixture *f, const char *text, const char *method) {
  rattle_error error;
  rattle_problem_options options = {.evaluator = RATTLE_EVALUATOR_BLOCK};
  memset(f, 0, sizeof *f);
  if (rattle_model_parse(&f->model, text, "model", NULL, &error)) fail_msg("%s", error.message);
  if (rattle_problem_create(&f->problem, f->model, &options, &error)) fail_msg("%s", error.message);
  if (method && rattle_integrator_create(&f->integrator, f->problem, method, &error))
    fail_msg("%s", error.message);
}

static void tear_down(fixture *f) {
  rattle_integrator_destroy(&f->integrator);
  rattle_problem_destroy(&f->problem);
  rattle_model_destroy(&f->model);
}

static const long double start[4] = {0.7L, 0.4L, -0.3L, 0.5L};

/* Largest difference in (q1, q2, p1, p2) between the library's method and the direct s-stage Gauss
 * rule after `steps`. */
static double difference(const char *method, int s, double span, int steps, int direct_steps) {
  fixture f;
  double q[4], p[4];
  long double x[4];
  rattle_error error;
  memcpy(x, start, sizeof x);
  to_library(x, q, p);
  set_up(&f, model_text, method);
  rattle_state state = {.q = q, .p = p, .h = span / steps};
  if (rattle_integrator_step(f.integrator, &state, steps, &error))
    fail_msg("%s: %s", method, error.message);
  tear_down(&f);
  for (int i = 0; i < direct_steps; i++)
    assert_int_equal(reference_gauss_step(s, field, NULL, 4, span / direct_steps, x), 0);
  const double y[4] = {q[0], q[2], p[0], p[2]};
  double most = 0;
  for (int k = 0; k < 4; k++) most = fmax(most, fabs((double)(y[k] - x[k])));
  return most;
}

static void test_midpoint_is_the_direct_rule(void **unused) {
  (void)unused;
  static const char *const methods[] = {"rattle(midpoint)", "shake(midpoint)",
                                        "rattle(midpoint, project=output)"};
  for (int i = 0; i < 3; i++) {
    const double d = difference(methods[i], 1, 4, 80, 80);
    if (!(d < 2e-14)) fail_msg("%s: %g from the direct midpoint rule", methods[i], d);
    /* and both have order 2 only: the difference above is not small because both are exact */
    assert_true(difference(methods[i], 8, 4, 80, 80) > 1e-5);
  }
}

/* The free variables end where H_b = H_c = 0. */
static void test_free_variables(void **unused) {
  (void)unused;
  fixture f;
  double q[4], p[4], psi[2];
  rattle_error error;
  set_up(&f, model_text, "rattle(midpoint)");
  to_library(start, q, p);
  rattle_state state = {.q = q, .p = p, .h = 0.05};
  assert_int_equal(rattle_integrator_step(f.integrator, &state, 50, &error), RATTLE_OK);
  long double b, c;
  const long double x[4] = {q[0], q[2], p[0], p[2]};
  free_variables(x, &b, &c);
  assert_true(fabs((double)(q[1] - b)) < 1e-15 && fabs((double)(q[3] - c)) < 1e-15);
  assert_int_equal(rattle_problem_residuals(f.problem, q, p, NULL, psi, NULL), RATTLE_OK);
  assert_true(fabs(psi[0]) < 1e-15 && fabs(psi[1]) < 1e-15);
  tear_down(&f);
}

/* With two Gauss stages the direct rule solves 0 = H_b at each stage and has order 4; SHAKE holds b
 * over the step: order 2. */
static void test_gauss_2_is_not(void **unused) {
  (void)unused;
  const int steps = 80;
  const double wrapped = difference("rattle(gauss(2))", 8, 4, steps, 80);
  long double x[4], exact[4];
  memcpy(x, start, sizeof x);
  memcpy(exact, start, sizeof exact);
  for (int i = 0; i < steps; i++)
    assert_int_equal(reference_gauss_step(2, field, NULL, 4, 4.0L / steps, x), 0);
  for (int i = 0; i < 80; i++)
    assert_int_equal(reference_gauss_step(8, field, NULL, 4, 4.0L / 80, exact), 0);
  double direct = 0;
  for (int k = 0; k < 4; k++) direct = fmax(direct, fabs((double)(x[k] - exact[k])));
  print_message("gauss(2), h = 0.05: direct %.2g, rattle %.2g\n", direct, wrapped);
  assert_true(direct < 1e-6 && wrapped > 100 * direct);
  assert_in_range((int)(100 * wrapped / difference("rattle(gauss(2))", 8, 4, 2 * steps, 80)), 380,
                  420);
}

/* Slopes that cancel to nothing are known to round-off of their terms, no better: steps must not
 * wait for more, nor raise an alarm. The arm passes through the vertical again and again, where all
 * slopes of momenta vanish together. */
static void test_long_runs(void **unused) {
  (void)unused;
  static const char *const methods[] = {"rattle(midpoint)", "rattle(verlet)",
                                        "rattle(suzuki4(verlet))", "suzuki4(rattle(midpoint))"};
  for (int i = 0; i < 4; i++) {
    fixture f;
    double q[2], p[2], before, after;
    rattle_error error;
    set_up(&f,
           "local theta, p = pair('theta', 'p')\nlocal L = free('L')\n"
           "hamiltonian(p^2/(2*L^2) + 5*(L - 1)^2 - L*cos(theta))\nstart { theta = 2, L = 1, "
           "project = true }\n",
           methods[i]);
    assert_int_equal(rattle_problem_start(f.problem, 0, q, p, NULL, &error), RATTLE_OK);
    assert_int_equal(rattle_problem_energy(f.problem, q, p, &before, NULL), RATTLE_OK);
    rattle_state state = {.q = q, .p = p, .h = 0.05};
    if (rattle_integrator_step(f.integrator, &state, 20000, &error))
      fail_msg("%s, step %lld: %s", methods[i], error.step, error.message);
    assert_int_equal(rattle_problem_energy(f.problem, q, p, &after, NULL), RATTLE_OK);
    assert_true(fabs(after - before) < 5e-4);
    tear_down(&f);
  }
}

/* Free variables alone shift, holonomic constraints kick, both together do both at once, and none
 * of it is found numerically. */
static void test_fibres(void **unused) {
  (void)unused;
  static const struct {
    const char *model, *name;
  } cases[] = {
      {"local x, px = pair('x')\nlocal b = free('b')\nhamiltonian(px^2/2 + b^2)\n", "shift"},
      {"local x, px = pair('x')\nlocal y, py = pair('y')\nhamiltonian(px^2/2 + "
       "py^2)\nconstrain('a', x^3 + y)\n",
       "kick"},
      {"local x, px = pair('x')\nlocal y, py = pair('y')\nlocal b = free('b')\nhamiltonian(px^2/2 "
       "+ py^2 + b^2)\n"
       "constrain('a', x^3*y + sin(y))\n",
       "straight"},
      {"local x, px = pair('x')\nlocal y, py = pair('y')\nhamiltonian(px^2/2 + "
       "py^2)\nconstrain('a', x^3*py + sin(x) + py^2)\n",
       "straight"},
      {"local x, px = pair('x')\nlocal y, py = pair('y')\nhamiltonian(px^2/2 + "
       "py^2)\nconstrain('a', x^3*px + sin(y))\n",
       "numerical"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fixture f;
    rattle_error error;
    set_up(&f, cases[i].model, NULL);
    rattle__context context = {
        .problem = f.problem,
    };
    rattle__fibre *fibre = NULL, *numerical = NULL;
    assert_int_equal(rattle__fibre_create(&fibre, &context, &error), RATTLE_OK);
    if (strcmp(fibre->name, cases[i].name) != 0) fail_msg("case %zu: %s", i, fibre->name);
    /* the same flow as the numerical one; that needs g of all variables, which a kick's is not */
    if (f.problem->g->vars == 2 * f.problem->n) {
      const double z0[6] = {0.3, -0.4, 0.5, 0.7, 0.2, -0.6}, s[2] = {0.3, -0.2};
      double a[6], b[6];
      assert_int_equal(rattle__fibre_numerical(&numerical, &context, &error), RATTLE_OK);
      assert_int_equal(fibre->start(fibre, z0, &error) || fibre->slide(fibre, s, a, &error), 0);
      assert_int_equal(
          numerical->start(numerical, z0, &error) || numerical->slide(numerical, s, b, &error), 0);
      for (int k = 0; k < 2 * f.problem->n; k++)
        if (!(fabs(a[k] - b[k]) < 1e-15))
          fail_msg("case %zu: entry %d is %g and %g", i, k, a[k], b[k]);
    }
    rattle__arena_release(&context.arena);
    tear_down(&f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_midpoint_is_the_direct_rule), cmocka_unit_test(test_free_variables),
      cmocka_unit_test(test_gauss_2_is_not), cmocka_unit_test(test_long_runs),
      cmocka_unit_test(test_fibres)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
