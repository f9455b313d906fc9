/* Points of T*Q, momenta modulo G^T lambda: SHAKE and RATTLE give the same there, though their
 * momenta differ by O(h) (McLachlan, Modin, Verdier, Wilkins 2014, section 5.1.2). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "rattle/rattle.h"

#define PAIRS                                                                                      \
  "local q1, pq1 = pair('q1')\nlocal q2, pq2 = pair('q2')\nlocal q3, pq3 = pair('q3')\nlocal q4, " \
  "pq4 = pair('q4')\n"

static const struct {
  const char *model, *maps[2];
} cases[] = {
    {PAIRS
     "observe('height', q2)\nhamiltonian((pq1^2 + pq2^2)/2 + (pq3^2 + pq4^2)/3 + q2 + 1.5*q4)\n"
     "constrain('inner', q1^2 + q2^2 - 1)\nconstrain('outer', (q3 - q1)^2 + (q4 - q2)^2 - 1)\n"
     "start { q1 = 0.8, q2 = -0.6, q3 = 1.6, q4 = -1.2, pq1 = 0.3, pq2 = 0.4, pq3 = 0.5, pq4 = "
     "0.9, project = true }\n"
     "output { cotangent = true }\n",
     {"verlet", "midpoint"}},
    {PAIRS
     "observe('height', q2)\nhamiltonian((pq1^2 + (1 + q4^2/2)*pq2^2 + pq3^2)/2 + pq4^2/(1 + q1^2) "
     "+ q2*pq1*pq3/4)\n"
     "hamiltonian((pq1 + pq4)^4/32 + q2 + q3*q4^2/2)\n"
     "constrain('one', q1^2 + q2^2 + sin(q3)*q4 - 1)\nconstrain('two', q3^2 + q4^2 + q1^3/4 - 1)\n"
     "start { q1 = 0.8, q2 = -0.4, q3 = 0.3, q4 = 0.8, pq1 = 0.5, pq2 = 0.7, pq3 = -0.4, pq4 = "
     "0.2, project = true }\n"
     "output { cotangent = true }\n",
     {"verlet", "gauss(2)"}},
};

static double apart(const double *a, const double *b, int count) {
  double most = 0;
  for (int k = 0; k < count; k++) most = fmax(most, fabs(a[k] - b[k]));
  return most;
}

typedef struct result {
  double q[4], p[4], observed[5];
} result;

static void open(rattle_model **model, rattle_problem **problem, const char *text) {
  rattle_problem_options options = {.evaluator = RATTLE_EVALUATOR_BLOCK};
  rattle_error error;
  if (rattle_model_parse(model, text, "model", NULL, &error)) fail_msg("%s", error.message);
  if (rattle_problem_create(problem, *model, &options, &error)) fail_msg("%s", error.message);
}

static void run(const char *text, const char *wrapper, const char *map, double h, result *r) {
  rattle_model *model = NULL;
  rattle_problem *problem = NULL;
  rattle_integrator *integrator = NULL;
  rattle_error error;
  char method[64];
  snprintf(method, sizeof method, "%s(%s)", wrapper, map);
  open(&model, &problem, text);
  assert_int_equal(rattle_model_observables(model), 5);
  assert_string_equal(rattle_model_observable_name(model, 1), "cotangent:pq1");
  if (rattle_problem_start(problem, 0, r->q, r->p, NULL, &error)) fail_msg("%s", error.message);
  if (rattle_integrator_create(&integrator, problem, method, &error)) fail_msg("%s", error.message);
  rattle_state state = {.q = r->q, .p = r->p, .h = h};
  if (rattle_integrator_step(integrator, &state, (long long)(0.8 / h + 0.5), &error))
    fail_msg("%s: %s", method, error.message);
  if (rattle_problem_observe(problem, r->q, r->p, r->observed, &error))
    fail_msg("%s", error.message);
  rattle_integrator_destroy(&integrator);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
}

static void test_shake_and_rattle_agree(void **unused) {
  (void)unused;
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++) {
      double raw[2];
      for (int fine = 0; fine < 2; fine++) {
        result shake, rattle;
        const double h = fine ? 0.01 : 0.02;
        run(cases[i].model, "shake", cases[i].maps[k], h, &shake);
        run(cases[i].model, "rattle", cases[i].maps[k], h, &rattle);
        const double d = apart(shake.observed, rattle.observed, 5);
        if (!(d < 2e-13)) fail_msg("case %d, %s: %g apart on T*Q", i, cases[i].maps[k], d);
        assert_true(apart(shake.q, rattle.q, 4) < 1e-13);
        raw[fine] = apart(shake.p, rattle.p, 4);
        assert_true(rattle.observed[0] == rattle.q[1]);
      }
      /* of order h, and far from round-off */
      if (!(raw[0] > 1e-3 && fabs(raw[0] / raw[1] - 2) < 0.3))
        fail_msg("momenta differ by %g and %g", raw[0], raw[1]);
    }
}

/* For natural H the momentum that stands for its fibre is RATTLE's own. */
static void test_natural_momenta(void **unused) {
  (void)unused;
  result rattle;
  run(cases[0].model, "rattle", "verlet", 0.02, &rattle);
  assert_true(apart(rattle.observed + 1, rattle.p, 4) < 1e-14);
  result other;
  run(cases[1].model, "rattle", "verlet", 0.02, &other);
  /* else it is orthogonal to the constraints' gradients */
  const double *q = other.q, *p = other.observed + 1;
  assert_true(fabs(2 * q[0] * p[0] + 2 * q[1] * p[1] + cos(q[2]) * q[3] * p[2] + sin(q[2]) * p[3]) <
              1e-14);
  assert_true(fabs(0.75 * q[0] * q[0] * p[0] + 2 * q[2] * p[2] + 2 * q[3] * p[3]) < 1e-14);
}

static void test_limits(void **unused) {
  (void)unused;
  rattle_model *model = NULL;
  rattle_problem *problem = NULL;
  rattle_error error;
  rattle_model_options options = {.cotangent = 1};
  /* without constraints the momenta are what they are */
  const double q = 0.5, p = 0.25;
  double observed = 0;
  const char *text = "local x, px = pair('x')\nhamiltonian(px^2 + x^2)\n";
  assert_int_equal(rattle_model_parse(&model, text, "model", &options, &error), RATTLE_OK);
  assert_int_equal(rattle_model_observe_cotangent(model, &error), RATTLE_OK);
  assert_int_equal(rattle_model_observables(model), 1);
  assert_int_equal(rattle_problem_create(&problem, model, NULL, &error), RATTLE_OK);
  assert_int_equal(rattle_problem_observe(problem, &q, &p, &observed, &error), RATTLE_OK);
  assert_true(observed == 0.25);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
  /* constraints that hold momenta have other fibres */
  text = "local x, px = pair('x')\nlocal y, py = pair('y')\nhamiltonian(px^2 + "
         "py^2)\nconstrain('a', x^2 + px^2 + y^2 - 1)\n";
  assert_int_equal(rattle_model_parse(&model, text, "model", &options, &error), RATTLE_OK);
  assert_int_equal(rattle_problem_create(&problem, model, NULL, &error), RATTLE_UNSUITABLE);
  assert_non_null(strstr(error.message, "omit cotangent"));
  rattle_model_destroy(&model);
  text = "local x, px = pair('x')\nhamiltonian(px^2)\nobserve('cotangent:x', x)\n";
  assert_int_equal(rattle_model_parse(&model, text, "model", NULL, &error), RATTLE_BAD_MODEL);
  assert_non_null(strstr(error.message, "taken"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_shake_and_rattle_agree),
                                     cmocka_unit_test(test_natural_momenta),
                                     cmocka_unit_test(test_limits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
