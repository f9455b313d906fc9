/* Explicit Runge-Kutta steps as machine code: the bits of the library's own, in one go, step by step and if a step fails. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "method/method.h"
#include "expr/native.h"
#include "map/rk.h"
#include "rattle/rattle.h"

extern const rattle__base rattle__rk4;

/* sets: tableaus with zeros, of one stage, with other coefficients for the momenta */
static const char *const sets =
    "tableau('kutta', { A = {{}, {1/3}, {-1/3, 1}, {1, -1, 1}}, b = {1/8, 3/8, 3/8, 1/8} })\n"
    "tableau('apart', { A = {{}, {1}, {1/2, 1/4}}, b = {1/3, 1/3, 1/3}, Ahat = {{}, {}, {0, 1/2}}, bhat = {1/2, 0, 1/2} })\n";
static const char *const pendulum = "local x, px = pair('x')\nlocal y, py = pair('y')\nhamiltonian((px^2 + py^2)/2 + y)\n"
                                    "constrain('rod', x^2 + y^2 - 1)\nstart { x = 1, py = -2 }\n";
static const char *const double_pendulum =
    "local x, px = pairs_of('x', 2)\nlocal y, py = pairs_of('y', 2)\n"
    "hamiltonian((px[1]^2 + py[1]^2)/2 + (px[2]^2 + py[2]^2)/4 + y[1] + 2*y[2])\n"
    "constrain('one', x[1]^2 + y[1]^2 - 1)\nconstrain('two', (x[2] - x[1])^2 + (y[2] - y[1])^2 - 1)\n"
    "start { ['x[1]'] = 1, ['x[2]'] = 2, ['py[1]'] = 1, ['py[2]'] = 2 }\n";
static const char *const waves = "local x, px = pair('x')\nlocal y, py = pair('y')\n"
                                 "hamiltonian(px^2/2 + py^4/4 + sin(x*y) + x^4/4 + y^2)\nstart { x = 1, py = 0.5 }\n";
static const char *const top = "local x, px = pair('x')\nlocal y, py = pair('y')\n"
                               "hamiltonian(px^2/2 + x*px*y^2 + py^2/3 + x^4/4 + y^2)\nstart { x = 1, py = 0.5 }\n";
static const char *const swing = "local x, px = pair('x')\nlocal y, py = pair('y')\n"
                                 "hamiltonian(px^2/2 + py^2/3 + sin(x*y) + x^2 + y^4)\nstart { x = 1, py = 0.5 }\n";
/* three multipliers, which are solved for at each point */
static const char *const chain =
    "local x, px = pairs_of('x', 3)\nlocal y, py = pairs_of('y', 3)\nlocal H = 0\n"
    "for i = 1, 3 do H = H + (px[i]^2 + py[i]^2)/2 + y[i] end\nhamiltonian(H)\nconstrain('1', x[1]^2 + y[1]^2 - 1)\n"
    "for i = 2, 3 do constrain('' .. i, (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 - 1) end\n"
    "start { ['x[1]'] = 1, ['x[2]'] = 2, ['x[3]'] = 3, ['py[1]'] = 1, ['py[2]'] = 2, ['py[3]'] = 3 }\n";
/* falls into x = 0, beyond which there is no force */
static const char *const fall = "local x, px = pair('x')\nhamiltonian(px^2/2 + x*sqrt(x))\nstart { x = 1 }\n";

typedef struct run {
  rattle_model *model;
  rattle_problem *problem;
  rattle_integrator *integrator;
  rattle_state state;
  double z[12];
  rattle_error error;
} run;

static void begin(run *r, const char *text, const char *method, int evaluator, double h) {
  char whole[2500];
  const rattle_problem_options options = {.evaluator = evaluator};
  snprintf(whole, sizeof whole, "%s%s", text, sets);
  if (rattle_model_parse(&r->model, whole, "m.lua", NULL, &r->error) ||
      rattle_problem_create(&r->problem, r->model, &options, &r->error) ||
      rattle_integrator_create(&r->integrator, r->problem, method, &r->error))
    fail_msg("%s: %s", method, r->error.message);
  r->state = (rattle_state){.q = r->z, .p = r->z + rattle_problem_n(r->problem), .h = h};
  assert_int_equal(rattle_problem_start(r->problem, 0, r->state.q, r->state.p, NULL, &r->error), RATTLE_OK);
}

static void end(run *r) {
  rattle_integrator_destroy(&r->integrator);
  rattle_problem_destroy(&r->problem);
  rattle_model_destroy(&r->model);
}

/* Whether there is a compiler. */
static int native(void) {
  rattle_model *model;
  rattle_problem *problem = NULL;
  rattle_error error;
  const rattle_problem_options options = {.evaluator = RATTLE_EVALUATOR_NATIVE};
  assert_int_equal(rattle_model_parse(&model, pendulum, "m.lua", NULL, &error), RATTLE_OK);
  const int found = !rattle_problem_create(&problem, model, &options, &error);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
  return found;
}

/* Machine code is there where it should be, and not where a field solves for unknowns. */
static void test_there(void **state) {
  (void)state;
  static const struct {
    const char *text, *field;
    int there;
  } cases[] = {{pendulum, "classical", 1},        {pendulum, "dirac", 1},  {pendulum, "impetus", 1},
               {waves, "hamiltonian", 1},         {top, "hamiltonian", 1}, {swing, "hamiltonian", 1},
               {double_pendulum, "classical", 1}, {chain, "classical", 0}};
  if (!native()) skip();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char method[80];
    run r = {0};
    rattle_method *parsed;
    rattle__field *field;
    rattle__rk_run steps;
    void *library;
    rattle__tableau t;
    snprintf(method, sizeof method, "rk4(%s)", cases[i].field);
    begin(&r, cases[i].text, method, RATTLE_EVALUATOR_NATIVE, 0.1);
    assert_int_equal(rattle_method_parse(&parsed, method, NULL), RATTLE_OK);
    const rattle__node *root = rattle__method_root(parsed);
    rattle__rk4.tableau(root, &t);
    assert_int_equal(rattle__field_create(&field, r.problem, rattle__method_field(root), 0, &r.error), RATTLE_OK);
    rattle__rk_native(&t, &(rattle__context){.problem = r.problem}, field, &steps, &library);
    if ((steps != NULL) != cases[i].there) fail_msg("%s: %s", method, steps ? "there" : "not there");
    rattle__field_destroy(&field);
    rattle__native_unload(&library);
    rattle_method_destroy(&parsed);
    end(&r);
  }
}

static void assert_same(const char *method, const run *a, const run *b) {
  const rattle_counts one = rattle_integrator_counts(a->integrator), other = rattle_integrator_counts(b->integrator);
  if (memcmp(a->z, b->z, sizeof a->z)) fail_msg("%s: z[0] = %.17g and %.17g", method, a->z[0], b->z[0]);
  if (memcmp(&one, &other, sizeof one))
    fail_msg("%s: %lld steps with %lld values, and %lld with %lld", method, one.steps, one.gradient, other.steps, other.gradient);
  assert_true(a->state.step == b->state.step);
}

static void test_bits(void **state) {
  (void)state;
  static const char *const free_methods[] = {"euler",  "explicit_midpoint",  "rk4",
                                             "dopri5", "runge_kutta(kutta)", "runge_kutta(apart)"};
  static const char *const of_fields[] = {
      "rk4(classical)",           "rk4(dirac)", "rk4(impetus)", "rk4(total)", "dopri5(impetus)", "runge_kutta(kutta, dirac)",
      "runge_kutta(apart, dirac)"};
  static const struct {
    const char *text, *const *methods;
    size_t count;
  } cases[] = {{waves, free_methods, sizeof free_methods / sizeof *free_methods},
               {top, free_methods, sizeof free_methods / sizeof *free_methods},
               {swing, free_methods, sizeof free_methods / sizeof *free_methods},
               {pendulum, of_fields, sizeof of_fields / sizeof *of_fields},
               {double_pendulum, of_fields, sizeof of_fields / sizeof *of_fields},
               {chain, of_fields, sizeof of_fields / sizeof *of_fields}};
  if (!native()) skip();
  for (size_t j = 0; j < sizeof cases / sizeof *cases; j++)
    for (size_t i = 0; i < cases[j].count; i++) {
      const char *text = cases[j].text, *method = cases[j].methods[i];
      run block = {0}, whole = {0}, single = {0};
      begin(&block, text, method, RATTLE_EVALUATOR_BLOCK, 0.01);
      begin(&whole, text, method, RATTLE_EVALUATOR_NATIVE, 0.01);
      begin(&single, text, method, RATTLE_EVALUATOR_NATIVE, 0.01);
      assert_int_equal(rattle_integrator_step(block.integrator, &block.state, 300, &block.error), RATTLE_OK);
      assert_int_equal(rattle_integrator_step(whole.integrator, &whole.state, 300, &whole.error), RATTLE_OK);
      for (int k = 0; k < 300; k++)
        assert_int_equal(rattle_integrator_step(single.integrator, &single.state, 1, &single.error), RATTLE_OK);
      assert_same(method, &whole, &block);
      assert_same(method, &single, &block);
      end(&block);
      end(&whole);
      end(&single);
    }
}

/* The step that fails, the error and the state are those of the library's own steps. */
static void test_failure(void **state) {
  (void)state;
  if (!native()) skip();
  run block = {0}, machine = {0};
  begin(&block, fall, "rk4", RATTLE_EVALUATOR_BLOCK, 0.01);
  begin(&machine, fall, "rk4", RATTLE_EVALUATOR_NATIVE, 0.01);
  const rattle_status status = rattle_integrator_step(block.integrator, &block.state, 10000, &block.error);
  assert_int_not_equal(status, RATTLE_OK);
  assert_int_equal(rattle_integrator_step(machine.integrator, &machine.state, 10000, &machine.error), status);
  assert_true(block.state.step > 10 && block.state.step < 10000);
  assert_string_equal(block.error.message, machine.error.message);
  assert_same("rk4", &machine, &block);
  end(&block);
  end(&machine);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_there), cmocka_unit_test(test_bits), cmocka_unit_test(test_failure)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
