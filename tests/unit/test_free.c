/* Coordinates that constraints hold at 0: free variables (McLachlan, Modin, Verdier, Wilkins 2014,
 * section 5.3) against the direct midpoint rule, and a rail y = 0 under maps that are solved
 * for. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "rattle/rattle.h"

typedef struct fixture {
  rattle_model *model;
  rattle_problem *problem;
  rattle_integrator *integrator;
  double q[2], p[2];
  rattle_state state;
} fixture;

static void set_up(fixture *f, const char *text, const char *method, double h) {
  rattle_problem_options block = {.evaluator = RATTLE_EVALUATOR_BLOCK};
  rattle_error error;
  if (rattle_model_parse(&f->model, text, "model", NULL, &error)) fail_msg("%s", error.message);
  if (rattle_problem_create(&f->problem, f->model, &block, &error)) fail_msg("%s", error.message);
  if (rattle_problem_start(f->problem, 1, f->q, f->p, NULL, &error)) fail_msg("%s", error.message);
  if (rattle_integrator_create(&f->integrator, f->problem, method, &error))
    fail_msg("%s", error.message);
  f->state = (rattle_state){.q = f->q, .p = f->p, .h = h};
}

static void tear_down(fixture *f) {
  rattle_integrator_destroy(&f->integrator);
  rattle_problem_destroy(&f->problem);
  rattle_model_destroy(&f->model);
}

static const char free_model[] =
    "local x, px = pair('x')\nlocal b = free('b')\n"
    "hamiltonian(px^2/2 + b^2*x^2/2 + b^4/4 - b*px)\nstart { x = 0.4, px = 0.7, b = 0.5 }";

/* The root b of H_b = b x^2 + b^3 - p = 0, which grows with b. */
static double solve_b(double x, double p) {
  double b = cbrt(p);
  for (int k = 0; k < 100; k++) {
    double step = (b * x * x + b * b * b - p) / (x * x + 3 * b * b);
    b -= step;
    if (fabs(step) <= 1e-17 * fabs(b)) break;
  }
  return b;
}

/* The midpoint rule for x' = H_p = p - b, p' = -H_x = -b^2 x, 0 = H_b, by iteration. */
static void direct_midpoint(double h, double *x, double *p) {
  double X = *x, P = *p;
  for (int k = 0; k < 200; k++) {
    double b = solve_b(X, P);
    X = *x + h / 2 * (P - b);
    P = *p - h / 2 * b * b * X;
  }
  *x = 2 * X - *x;
  *p = 2 * P - *p;
}

static void test_direct(void **unused) {
  (void)unused;
  enum { STEPS = 500 };
  const char *method[] = {"rattle(midpoint)", "shake(midpoint)",
                          "rattle(midpoint, project=output)"};
  for (size_t i = 0; i < sizeof method / sizeof *method; i++) {
    fixture f;
    rattle_error error;
    set_up(&f, free_model, method[i], 0.01);
    double x = f.q[0], p = f.p[0], far = 0;
    for (int k = 0; k < STEPS; k++) {
      direct_midpoint(0.01, &x, &p);
      if (rattle_integrator_step(f.integrator, &f.state, 1, &error))
        fail_msg("%s: %s", method[i], error.message);
      far = fmax(far, fmax(fabs(f.q[0] - x), fabs(f.p[0] - p)));
      assert_true(fabs(f.p[1]) < 1e-15);
    }
    if (!(far < 1e-13)) fail_msg("%s: %g away from the direct midpoint rule", method[i], far);
    tear_down(&f);
  }
}

/* A long run, in which H_x = b^2 x passes 0 many times; order 4 by composition. */
static void test_long(void **unused) {
  (void)unused;
  const char *method[] = {"rattle(midpoint)", "rattle(verlet)", "rattle(gauss(2))",
                          "suzuki4(rattle(midpoint))"};
  const double bound[] = {1e-6, 1e-5, 1e-6, 1e-11};
  for (size_t i = 0; i < sizeof method / sizeof *method; i++) {
    fixture f;
    rattle_error error;
    double first, last;
    set_up(&f, free_model, method[i], 0.01);
    rattle_problem_energy(f.problem, f.q, f.p, &first, NULL);
    if (rattle_integrator_step(f.integrator, &f.state, 10000, &error))
      fail_msg("%s: %s", method[i], error.message);
    rattle_problem_energy(f.problem, f.q, f.p, &last, NULL);
    if (!(fabs(last - first) < bound[i])) fail_msg("%s: energy off by %g", method[i], last - first);
    tear_down(&f);
  }
}

static void test_rail(void **unused) {
  (void)unused;
  const char *method[] = {"rattle(midpoint)", "rattle(gauss(2))", "rattle(verlet)",
                          "suzuki4(rattle(midpoint))"};
  for (size_t i = 0; i < sizeof method / sizeof *method; i++) {
    fixture f;
    rattle_error error;
    set_up(&f,
           "local x, px = pair('x')\nlocal y, py = pair('y')\nhamiltonian((px^2 + py^2)/2 + (x - "
           "y)^4/4 + x^2 + y)\n"
           "constrain('rail', y)\nstart { x = 1, px = 0.3 }",
           method[i], 0.01);
    if (rattle_integrator_step(f.integrator, &f.state, 10000, &error))
      fail_msg("%s: %s", method[i], error.message);
    assert_true(fabs(f.q[1]) < 1e-16);
    tear_down(&f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_direct), cmocka_unit_test(test_long),
                                     cmocka_unit_test(test_rail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
