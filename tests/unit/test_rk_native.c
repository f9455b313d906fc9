/* Explicit Runge-Kutta steps as machine code: the bits of the library's own, in one go, step by
 * step and if a step fails. */
#include "evaluators.h"

#include "method/notation/method.h"
#include "ground/expr/native.h"
#include "maps/base/rk.h"

extern const rattle__base rattle__rk4;

/* sets: tableaus with zeros, of one stage, with other coefficients for the momenta */
static const char *const sets =
    "tableau('kutta', { A = {{}, {1/3}, {-1/3, 1}, {1, -1, 1}}, b = {1/8, 3/8, 3/8, 1/8} })\n"
    "tableau('apart', { A = {{}, {1}, {1/2, 1/4}}, b = {1/3, 1/3, 1/3}, Ahat = {{}, {}, {0, 1/2}}, "
    "bhat = {1/2, 0, 1/2} })\n";
static const char *const waves =
    "local x, px = pair('x')\nlocal y, py = pair('y')\n"
    "hamiltonian(px^2/2 + py^4/4 + sin(x*y) + x^4/4 + y^2)\nstart { x = 1, py = 0.5 }\n";
static const char *const top =
    "local x, px = pair('x')\nlocal y, py = pair('y')\n"
    "hamiltonian(px^2/2 + x*px*y^2 + py^2/3 + x^4/4 + y^2)\nstart { x = 1, py = 0.5 }\n";
static const char *const swing =
    "local x, px = pair('x')\nlocal y, py = pair('y')\n"
    "hamiltonian(px^2/2 + py^2/3 + sin(x*y) + x^2 + y^4)\nstart { x = 1, py = 0.5 }\n";
/* three multipliers, which are solved for at each point */
static const char *const chain =
    "local x, px = pairs_of('x', 3)\nlocal y, py = pairs_of('y', 3)\nlocal H = 0\n"
    "for i = 1, 3 do H = H + (px[i]^2 + py[i]^2)/2 + y[i] end\nhamiltonian(H)\nconstrain('1', "
    "x[1]^2 + y[1]^2 - 1)\n"
    "for i = 2, 3 do constrain('' .. i, (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 - 1) end\n"
    "start { ['x[1]'] = 1, ['x[2]'] = 2, ['x[3]'] = 3, ['py[1]'] = 1, ['py[2]'] = 2, ['py[3]'] = 3 "
    "}\n";
/* falls into x = 0, beyond which there is no force */
static const char *const fall =
    "local x, px = pair('x')\nhamiltonian(px^2/2 + x*sqrt(x))\nstart { x = 1 }\n";

/* Machine code is there where it should be, and not where a field solves for unknowns. */
static void test_there(void **state) {
  (void)state;
  static const struct {
    const char *text, *field;
    int there;
  } cases[] = {{pendulum, "classical", 1},        {pendulum, "dirac", 1},
               {pendulum, "impetus", 1},          {waves, "hamiltonian", 1},
               {top, "hamiltonian", 1},           {swing, "hamiltonian", 1},
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
    begin(&r, cases[i].text, sets, method, RATTLE_EVALUATOR_NATIVE, 0.1);
    assert_int_equal(rattle_method_parse(&parsed, method, NULL), RATTLE_OK);
    const rattle__node *root = rattle__method_root(parsed);
    rattle__rk4.tableau(root, &t);
    assert_int_equal(
        rattle__field_create(&field, r.problem, rattle__method_field(root), 0, &r.error),
        RATTLE_OK);
    rattle__rk_native(&t, &(rattle__context){.problem = r.problem}, field, &steps, &library);
    if ((steps != NULL) != cases[i].there)
      fail_msg("%s: %s", method, steps ? "there" : "not there");
    rattle__field_destroy(&field);
    rattle__native_unload(&library);
    rattle_method_destroy(&parsed);
    end(&r);
  }
}

static void test_bits(void **state) {
  (void)state;
  static const char *const free_methods[] = {"euler",
                                             "explicit_midpoint",
                                             "rk4",
                                             "dopri5",
                                             "dop853",
                                             "runge_kutta(kutta)",
                                             "runge_kutta(apart)"};
  static const char *const of_fields[] = {"rk4(classical)",
                                          "rk4(dirac)",
                                          "rk4(impetus)",
                                          "rk4(total)",
                                          "dopri5(impetus)",
                                          "runge_kutta(kutta, dirac)",
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
      begin(&block, text, sets, method, RATTLE_EVALUATOR_BLOCK, 0.01);
      begin(&whole, text, sets, method, RATTLE_EVALUATOR_NATIVE, 0.01);
      begin(&single, text, sets, method, RATTLE_EVALUATOR_NATIVE, 0.01);
      assert_int_equal(rattle_integrator_step(block.integrator, &block.state, 300, &block.error),
                       RATTLE_OK);
      assert_int_equal(rattle_integrator_step(whole.integrator, &whole.state, 300, &whole.error),
                       RATTLE_OK);
      for (int k = 0; k < 300; k++)
        assert_int_equal(rattle_integrator_step(single.integrator, &single.state, 1, &single.error),
                         RATTLE_OK);
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
  begin(&block, fall, sets, "rk4", RATTLE_EVALUATOR_BLOCK, 0.01);
  begin(&machine, fall, sets, "rk4", RATTLE_EVALUATOR_NATIVE, 0.01);
  const rattle_status status =
      rattle_integrator_step(block.integrator, &block.state, 10000, &block.error);
  assert_int_not_equal(status, RATTLE_OK);
  assert_int_equal(
      rattle_integrator_step(machine.integrator, &machine.state, 10000, &machine.error), status);
  assert_true(block.state.step > 10 && block.state.step < 10000);
  assert_string_equal(block.error.message, machine.error.message);
  assert_same("rk4", &machine, &block);
  end(&block);
  end(&machine);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_there), cmocka_unit_test(test_bits),
                                     cmocka_unit_test(test_failure)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
