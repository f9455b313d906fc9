/* The contract of model files: what each declaration does, by value. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "problem/model/model.h"
#include "rattle/problem.h"

static rattle_model *parse_with(const char *text, const rattle_parameter *parameters, int count) {
  rattle_model *model = NULL;
  rattle_error error;
  rattle_model_options options = {.parameters = parameters, .parameter_count = count};
  if (rattle_model_parse(&model, text, "test.lua", &options, &error))
    fail_msg("%s\nin\n%s", error.message, text);
  return model;
}

static rattle_model *parse(const char *text) {
  return parse_with(text, NULL, 0);
}

/* Value of an expression of one pair x, px at (x, px), read as the Hamiltonian. */
static double value_at(const char *expression, double x, double px) {
  char text[400];
  snprintf(text, sizeof text, "local x, px = pair('x')\nhamiltonian(%s)", expression);
  rattle_model *model = parse(text);
  double value = rattle_expr_evaluate(model->graph, model->hamiltonian, (double[]){x, px});
  rattle_model_destroy(&model);
  return value;
}

static void the_pendulum_of_the_manual(void **state) {
  (void)state;
  const char *text = "title \"Planar pendulum\"\n"
                     "local gravity = parameter(\"gravity\", 1.0)\n"
                     "local x, px = pair(\"x\")\n"
                     "local y, py = pair(\"y\")\n"
                     "hamiltonian((px^2 + py^2)/2 + gravity*y)\n"
                     "constrain(\"rod\", x^2 + y^2 - 1)\n"
                     "start { x = 1, y = 0, px = 0, py = -2 }\n"
                     "integrate { method = \"rattle(verlet)\", step = 0.025, stop = 1023 }\n"
                     "output { every = 10 }\n";
  rattle_model *model = parse_with(text, (rattle_parameter[]){{"gravity", 9.81}}, 1);
  assert_string_equal(rattle_model_title(model), "Planar pendulum");
  assert_string_equal(rattle_model_text(model), text);
  assert_int_equal(rattle_model_pairs(model), 2);
  assert_string_equal(rattle_model_momentum_name(model, 1), "py");
  assert_true(rattle_expr_evaluate(model->graph, model->hamiltonian, (double[]){1, 3, 2, 5}) ==
              17 + 9.81 * 2);
  assert_string_equal(rattle_model_constraint_name(model, 0), "rod");
  assert_string_equal(model->constraint[0].where, "test.lua:6");
  assert_true(model->pair[0].q == 1 && model->pair[0].p == 0 && model->pair[1].q == 0 &&
              model->pair[1].p == -2);
  const rattle_wishes *wishes = rattle_model_wishes(model);
  assert_string_equal(wishes->method, "rattle(verlet)");
  assert_true(wishes->step == 0.025 && wishes->stop == 1023 && wishes->steps == -1 &&
              wishes->every == 10 && !wishes->project);
  const rattle_parameter *parameter;
  assert_int_equal(rattle_model_parameters(model, &parameter), 1);
  assert_string_equal(parameter[0].name, "gravity");
  assert_true(parameter[0].value == 9.81);
  rattle_model_destroy(&model);
}

static void operators_and_functions(void **state) {
  (void)state;
  const double x = 0.3, px = 0.7;
  const struct {
    const char *expression;
    double value;
  } rows[] = {
      {"x + px", x + px},
      {"2 - x", 2 - x},
      {"-x*px", -x * px},
      {"x/px", x / px},
      {"px^3", px * px * px},
      {"2^x", pow(2, x)},
      {"x^px", pow(x, px)},
      {"sqrt(x)", sqrt(x)},
      {"math.sqrt(x)", sqrt(x)},
      {"sin(x)*cos(px) + tan(x)", sin(x) * cos(px) + tan(x)},
      {"asin(x) - acos(px) + atan(x)", asin(x) - acos(px) + atan(x)},
      {"sinh(x)*cosh(px) + tanh(x)", sinh(x) * cosh(px) + tanh(x)},
      {"expm1(x)*log1p(x*x) + erf(px) - erfc(x)", expm1(x) * log1p(x * x) + erf(px) - erfc(x)},
      {"lgamma(x*x) + lgamma(3) + logaddexp(x, px) - logaddexp(1, 2)",
       lgamma(x * x) + log(2) + log(exp(x) + exp(px)) - log(exp(1) + exp(2))},
      {"exp(x)", exp(x)},
      {"log(x)", log(x)},
      {"log(x, 10)", log10(x)},
      {"atan2(x, px)", atan2(x, px)},
      {"atan(x, px)", atan2(x, px)},
      {"atan2(1, px)", atan2(1, px)},
      {"abs2(x, 2, px)", x * x + 4 + px * px},
      {"abs2{x, 2, px}", x * x + 4 + px * px},
      {"sum{x, 1, px}", x + 1 + px},
      {"x*abs2(3, 4) + sum{1, 2} + sqrt(16) + log(8, 2)", x * 25 + 3 + 4 + 3},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    double found = value_at(rows[i].expression, x, px);
    if (!(fabs(found - rows[i].value) < 4e-15))
      fail_msg("%s is %.17g, not %.17g", rows[i].expression, found, rows[i].value);
  }
}

static void expressions_are_values(void **state) {
  (void)state;
  rattle_model *model = parse("local x, px = pair('x')\n"
                              "assert(x + px == x + px and x ~= px and type(x) == 'userdata')\n"
                              "local seen = { [x] = 'coordinate' }\n"
                              "assert(seen[x] == 'coordinate' and seen[px] == nil)\n"
                              "title(tostring(x^2 + px))\n"
                              "hamiltonian(0)\n");
  assert_string_equal(rattle_model_title(model), "x^2 + px");
  rattle_model_destroy(&model);
}

/* Lua's integers wrap at 2^63: 10^10 squared would be 7766279631452241920. */
static void parameters_do_not_overflow(void **state) {
  (void)state;
  const char *text = "local L = parameter('L', 1) local x, px = pair('x') hamiltonian(px^2/2) "
                     "start { x = L*L*L*L }";
  const double values[] = {3, 1e5, 1e10, -1e12, 9e15};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    rattle_model *model = parse_with(text, (rattle_parameter[]){{"L", values[i]}}, 1);
    const double q = model->pair[0].q, fourth = pow(values[i], 4);
    if (!(fabs(q - fourth) <= 1e-15 * fourth)) fail_msg("%g^4 is %g", values[i], q);
    rattle_model_destroy(&model);
  }
}

/* Numbers of five digits or more do not wrap; smaller ones print as integers; strings, comments,
 * hexadecimal numbers and names are not changed. */
static void whole_numbers_do_not_wrap(void **state) {
  (void)state;
  const struct {
    const char *text, *title;
    double x;
  } rows[] = {
      {"local AU = 149597870700 start { x = AU*AU }", NULL, 149597870700.0 * 149597870700.0},
      {"local a, b = 100000, 300000*300000*300000*300000 start { x = a + b }", NULL, 8.1e21 + 1e5},
      {"local a = -123456 start { x = a*a*a*a }", NULL, 123456.0 * 123456.0 * 123456.0 * 123456.0},
      {"local function f(a) return a*a*a*a end start { x = f(math.floor(1e5 + 0.5)) + "
       "f(math.ceil(99999.5)) + "
       "f(tonumber('100000')) }",
       NULL, 3e20},
      {"local n = random(100000, 100000) start { x = n*n*n*n }", NULL, 1e20},
      {"title('x' .. 9999 .. math.floor(2.5) .. tonumber('7') .. random(3, 3))", "x9999273", 0},
      {"title(tostring(100000) .. tostring(1.5) .. tostring(0x1ffff) .. tostring(x) .. "
       "tostring(1e300))",
       "1000001.5131071x1e+300", 0},
      {"title('10000 \\'20000' .. \"30000\" .. [[40000]] .. [==[50000]]60000]==]) --[[ 70000 ]] -- "
       "80000",
       "10000 '2000030000400005000"
       "0]]60000",
       0},
      {"local x10000, a = 3, 0x10000 assert(math.type(a) == 'integer' and a == 65536) title('' .. "
       "x10000 .. 00009999)",
       "39999", 0},
      {"local t = { [100000] = 1, [2] = 12345 } assert(t[1e5] == 1 and t[2] == 12345.0 and "
       "100001//2 == 50000 and 100001 % 2 == "
       "1)",
       NULL, 0},
      {"for i = 1, 100000 do if i == 99999 then title(i .. '') end end", "99999", 0},
      {"title(string.format('%d %5.1f', 123456, 123456)) start { x = 12345e2 + 12345.5 + .00001e5 "
       "+ 1e-00005*1E+00005 }",
       "123456 123456.0", 1234500 + 12345.5 + 2},
      {"start { x = 123456789012345678901234567890 + 0xffffffffffff }", NULL,
       123456789012345678901234567890.0 + 0xffffffffffff},
      {"local m = 0x41c64e6d*7 & 0xff start { x = m }", NULL, (0x41c64e6d * 7LL) & 0xff},
      {"start { x = 12345 } --", NULL, 12345}, /* nothing behind the last two signs is read */
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[400];
    snprintf(text, sizeof text, "local x, px = pair('x') hamiltonian(px^2/2)\n%s", rows[i].text);
    rattle_model *model = parse(text);
    if (!(fabs(model->pair[0].q - rows[i].x) <= 1e-15 * fabs(rows[i].x)))
      fail_msg("%s: x = %.17g", text, model->pair[0].q);
    if (rows[i].title) assert_string_equal(rattle_model_title(model), rows[i].title);
    assert_string_equal(rattle_model_text(model), text);
    rattle_model_destroy(&model);
  }
}

static void lists_of_pairs(void **state) {
  (void)state;
  rattle_model *model =
      parse("local N = parameter('N', 5)\n"
            "title(N .. '')\n"
            "local x, px = pairs_of('x', N)\n"
            "local y, py = pairs_of('y', 2, 'momentum')\n"
            "assert(#x == N and #px == N)\n"
            "for i = 1, N do hamiltonian(px[i]^2*i) end\n"
            "for i = 2, N do constrain('link[' .. i .. ']', x[i] - x[i - 1]) end\n"
            "for i = 1, N do start { [x[i]] = i } end\n"
            "start { ['y[2]'] = 9, [px[1]] = 8 }\n");
  assert_string_equal(rattle_model_title(model), "5");
  assert_int_equal(rattle_model_pairs(model), 7);
  assert_string_equal(rattle_model_coordinate_name(model, 4), "x[5]");
  assert_string_equal(rattle_model_momentum_name(model, 4), "px[5]");
  assert_string_equal(rattle_model_momentum_name(model, 6), "momentum[2]");
  assert_int_equal(rattle_model_constraints(model), 4);
  assert_string_equal(model->constraint[0].where, model->constraint[3].where);
  assert_true(model->pair[4].q == 5 && model->pair[6].q == 9 && model->pair[0].p == 8);
  double z[14] = {0};
  for (int k = 0; k < 5; k++) z[2 * k + 1] = 1;
  assert_true(rattle_expr_evaluate(model->graph, model->hamiltonian, z) == 15);
  rattle_model_destroy(&model);
}

static void masses_make_kinetic_energy(void **state) {
  (void)state;
  static const char *const texts[] = {
      "local x = pair('x') local y = pair('y') mass { x = 2, y = 4 } potential(3*x*y)",
      ("local x = pair('x') local y = pair('y') potential(x*y) mass { [y] = 4, [x] = 2 } "
       "potential(2*x*y)"),
      "local x = pair('x') local y = pair('y') mass({x, y}, {2, 4}) hamiltonian(3*x*y)",
      "local x = pair('x') local y = pair('y') mass(x, 2) mass('y', 4) potential(3*x*y)",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    rattle_model *model = parse(texts[i]);
    assert_true(rattle_expr_evaluate(model->graph, model->hamiltonian, (double[]){3, 5, 2, 7}) ==
                25 / 4.0 + 49 / 8.0 + 18);
    rattle_model_destroy(&model);
  }
}

static void free_variables(void **state) {
  (void)state;
  rattle_model *model = parse("local x, px = pair('x') local beta = free('beta') "
                              "hamiltonian(px^2/2 + beta*x) start { beta = 3 }");
  assert_true(model->pair[1].is_free && model->pair[1].q == 3);
  assert_string_equal(rattle_model_constraint_name(model, 0), "free:beta");
  rattle_model_destroy(&model);
}

static void starts_and_wishes(void **state) {
  (void)state;
  rattle_model *model =
      parse("local x, px = pair('x') local y = pair('y') local z = pair('z') hamiltonian(px)\n"
            "start { x = 1, project = true, hold = { 'x', z } }\n"
            "start { [x] = 1, y = 2 } velocity { y = 3, [z] = -4 }\n"
            "integrate { step = -0.1, steps = 50, start_time = 2 } output { compensated = true }");
  const rattle_wishes *wishes = rattle_model_wishes(model);
  assert_true(wishes->project && wishes->compensated && wishes->step == -0.1 &&
              wishes->steps == 50 && wishes->start_time == 2);
  assert_true(isnan(wishes->stop) && wishes->every == 1 && !wishes->method);
  assert_true(model->pair[0].held && !model->pair[1].held && model->pair[2].held);
  assert_true(model->pair[0].q == 1 && model->pair[1].q == 2 && !model->pair[0].has_velocity);
  assert_true(model->pair[1].has_velocity && model->pair[1].velocity == 3 &&
              model->pair[2].velocity == -4);
  rattle_model_destroy(&model);
}

static void observed_and_described(void **state) {
  (void)state;
  rattle_model *model = parse("local x, px = pair('x') hamiltonian(px) observe('twice', 2*x)\n"
                              "metadata { source = 'a book', year = 1997, checked = true }");
  const char *key, *value;
  assert_int_equal(rattle_model_observables(model), 1);
  assert_string_equal(rattle_model_observable_name(model, 0), "twice");
  assert_true(rattle_expr_evaluate(model->graph, model->observable[0].expr, (double[]){4, 0}) == 8);
  assert_int_equal(rattle_model_metadata(model, 0, &key, &value), 3);
  assert_string_equal(key, "checked");
  assert_string_equal(value, "true");
  rattle_model_metadata(model, 2, &key, &value);
  assert_string_equal(key, "year");
  assert_string_equal(value, "1997");
  rattle_model_destroy(&model);
}

/* the flows may be given before the pairs: their functions are called when the file has been
 * read */
static void flows_are_called_once_with_expressions(void **state) {
  (void)state;
  rattle_model *model = parse("local calls, x, px, y, py = 0\n"
                              "fibre(function(s) calls = calls + 1 assert(#s == 2 and calls == 1)\n"
                              "  return { px = px - s[1], [y] = y + 2*s[2] } end)\n"
                              "flow(function(h) return { x = x + h*px, y = 0 } end)\n"
                              "x, px = pair('x') y, py = pair('y') hamiltonian(px^2/2)\n"
                              "constrain('a', x) constrain('b', 2*py)");
  const double z[6] = {3, 5, 2, 7, 0.25, 0.5};
  const double fibre[4] = {3, 3, 4.75, 7}, flow[4] = {4.25, 0, 5, 7}; /* x, y, px, py */
  for (int j = 0; j < 4; j++) {
    assert_true(rattle_expr_evaluate(model->graph, model->fibre[j], z) == fibre[j]);
    assert_true(rattle_expr_evaluate(model->graph, model->flow[j], z) == flow[j]);
  }
  rattle_model_destroy(&model);
}

/* the seed is a parameter, the numbers depend on it and on nothing else, and fill their ranges
 * evenly */
static void random_numbers(void **state) {
  (void)state;
  const char *text = "local x, px = pair('x') hamiltonian(px) local total, low, high = 0, 1, 0\n"
                     "for i = 1, 100000 do local r = random() total = total + r/100000 low = "
                     "math.min(low, r) high = math.max(high, r) end\n"
                     "assert(low >= 0 and low < 0.001 and high < 1 and high > 0.999 and "
                     "math.abs(total - 0.5) < 0.003)\n"
                     "local count = {0, 0, 0}\n"
                     "for i = 1, 3000 do local k = math.random(3) count[k] = count[k] + 1 end\n"
                     "for k = 1, 3 do assert(math.abs(count[k] - 1000) < 120) end\n"
                     "for i = 1, 100 do local k = random(-2, -1) assert(k == -2 or k == -1) end\n"
                     "start { x = random() }";
  double first;
  rattle_model *model = parse(text);
  const rattle_parameter *parameter;
  assert_int_equal(rattle_model_parameters(model, &parameter), 1);
  assert_string_equal(parameter[0].name, "seed");
  assert_true(parameter[0].value == 1);
  first = model->pair[0].q;
  rattle_model_destroy(&model);
  model = parse(text);
  assert_true(model->pair[0].q == first);
  rattle_model_destroy(&model);
  model = parse_with(text, (rattle_parameter[]){{"seed", 2}}, 1);
  assert_true(model->pair[0].q != first);
  rattle_model_destroy(&model);
  model =
      parse("parameter('seed', 7) local x, px = pair('x') hamiltonian(px) start { x = random() }");
  assert_int_equal(rattle_model_parameters(model, NULL), 1);
  rattle_model_destroy(&model);
}

/* sums over tables with names must not depend on the order that Lua happens to choose */
static void pairs_go_in_alphabetical_order(void **state) {
  (void)state;
  rattle_model *model = parse(
      "local x, px = pair('x') hamiltonian(px) local text = ''\n"
      "local t = { zeta = 1, alpha = 2, mid = 3, beta = 4, 10, 20, gone = 5 }\n"
      "for k, v in pairs(t) do text = text .. k .. '=' .. v .. ' ' t.gone = nil end title(text)\n"
      "local n = 0 for i, v in pairs { 5, 6, 7 } do n = n + i*v end assert(n == 38)\n"
      "for k in pairs {} do error('empty') end");
  assert_string_equal(rattle_model_title(model), "1=10 2=20 alpha=2 beta=4 mid=3 zeta=1 ");
  rattle_model_destroy(&model);
}

static void lua_that_is_safe(void **state) {
  (void)state;
  rattle_model *model =
      parse("#!/usr/bin/env rattle\n"
            "local x, px = pair('x') hamiltonian(px)\n"
            "local ok, text = pcall(error, 'mine') assert(not ok and text == 'mine')\n"
            "assert(select(2, pcall(function(a, b) return a + b end, 1, 2)) == 3)\n"
            "assert(('ab'):rep(3, '-') == 'ab-ab-ab' and ('x12'):match('%d+') == '12')\n"
            "assert(('a,b'):gsub(',', ';') == 'a;b' and string.format('%.2f', 0.5) == '0.50')\n"
            "local t = { 3, 1, 2 } table.sort(t) table.insert(t, 4) table.insert(t, 1, 0)\n"
            "assert(table.concat(t, ' ') == '0 1 2 3 4' and table.remove(t) == 4 and "
            "table.unpack(t) == 0)\n"
            "local p = setmetatable({}, { __index = function(_, k) return k .. '!' end }) "
            "assert(p.a == 'a!')\n"
            "assert(math.floor(2.5) == 2 and math.pi > 3 and math.max(1, 2) == 2)\n");
  rattle_model_destroy(&model);
}

static void empty_text_and_missing_file(void **state) {
  (void)state;
  rattle_model *model = (rattle_model *)1;
  rattle_error error;
  assert_int_equal(rattle_model_load(&model, "no/such/model.lua", NULL, &error), RATTLE_IO);
  assert_null(model);
  assert_non_null(strstr(error.message, "no/such/model.lua"));
  assert_int_equal(rattle_model_load(&model, "/", NULL, &error), RATTLE_IO);
  assert_int_equal(rattle_model_parse(&model, "", NULL, NULL, &error), RATTLE_BAD_MODEL);
  assert_int_equal(rattle_model_parse(&model, NULL, NULL, NULL, NULL), RATTLE_BAD_ARGUMENT);
  assert_int_equal(rattle_model_parse(NULL, "", NULL, NULL, NULL), RATTLE_BAD_ARGUMENT);
}

/* each example loads, and its start is on its constraints and hidden constraints unless it asks for
 * a projection */
static void examples_start_on_their_constraints(void **state) {
  (void)state;
  static const char *const names[] = {
      "pendulum", "spherical_pendulum", "double_pendulum", "rigid_body", "ellipsoid", "chain",
      "ring",     "harmonic",           "commuting",       "kepler"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char path[400];
    rattle_error error;
    rattle_model *model;
    snprintf(path, sizeof path, "%s/examples/%s.lua", RATTLE_SOURCE_DIR, names[i]);
    if (rattle_model_load(&model, path, NULL, &error)) fail_msg("%s", error.message);
    assert_true(rattle_model_title(model)[0] && rattle_model_wishes(model)->method &&
                rattle_model_wishes(model)->step > 0);
    rattle_problem *problem;
    double q[200], p[200];
    if (rattle_problem_create(&problem, model, NULL, &error))
      fail_msg("%s: %s", path, error.message);
    if (rattle_problem_start(problem, 0, q, p, NULL, &error))
      fail_msg("%s: %s", path, error.message);
    rattle_problem_destroy(&problem);
    rattle_model_destroy(&model);
  }
}

/* A quantity has a name of its own, but in models of records of version 0.1. */
static void old_names(void **state) {
  (void)state;
  const char *text = "local x, px = pair('x') hamiltonian(px^2 + x^2) observe('x', x)";
  const rattle_model_options options = {.struct_size = sizeof options, .old_names = 1};
  rattle_model *model;
  rattle_error error = {0};
  assert_int_equal(rattle_model_parse(&model, text, "old.lua", NULL, &error), RATTLE_BAD_MODEL);
  if (rattle_model_parse(&model, text, "old.lua", &options, &error)) fail_msg("%s", error.message);
  assert_int_equal(rattle_model_observables(model), 1);
  assert_string_equal(rattle_model_observable_name(model, 0), "x");
  rattle_model_destroy(&model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_pendulum_of_the_manual),
      cmocka_unit_test(operators_and_functions),
      cmocka_unit_test(expressions_are_values),
      cmocka_unit_test(parameters_do_not_overflow),
      cmocka_unit_test(whole_numbers_do_not_wrap),
      cmocka_unit_test(lists_of_pairs),
      cmocka_unit_test(masses_make_kinetic_energy),
      cmocka_unit_test(free_variables),
      cmocka_unit_test(starts_and_wishes),
      cmocka_unit_test(observed_and_described),
      cmocka_unit_test(flows_are_called_once_with_expressions),
      cmocka_unit_test(random_numbers),
      cmocka_unit_test(pairs_go_in_alphabetical_order),
      cmocka_unit_test(lua_that_is_safe),
      cmocka_unit_test(empty_text_and_missing_file),
      cmocka_unit_test(old_names),
      cmocka_unit_test(examples_start_on_their_constraints),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
