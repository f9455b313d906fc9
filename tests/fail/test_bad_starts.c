/* Starts that must be refused: with which status, naming which constraint, and in which words. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "rattle/rattle.h"

#define PLANE                                                                                      \
  "local x, px = pair('x')\nlocal y, py = pair('y')\nlocal z, pz = pair('z')\nhamiltonian((px^2 "  \
  "+ py^2 + pz^2)/2 + y)\n"
#define ROD PLANE "constrain('rod', x^2 + y^2 - 1)\n"

static const struct {
  const char *model;
  int project;
  rattle_status status;
  const char *where, *says, *and_says;
} rows[] = {
    /* off the constraints */
    {ROD "start { x = 1.1 }", 0, RATTLE_OFF_CONSTRAINTS, "rod", "violates constraint 'rod'",
     "--project"},
    {ROD "start { x = 1.1 }", 0, RATTLE_OFF_CONSTRAINTS, "rod", "0.21", "start{..., project=true}"},
    {ROD "constrain('floor', z - 1)\nstart { x = 1.001 }", 0, RATTLE_OFF_CONSTRAINTS, "floor",
     "its value is -1", NULL},
    {ROD "start { x = 1, px = 0.25 }", 0, RATTLE_OFF_CONSTRAINTS, "rod",
     "hidden constraint of 'rod': {g,H} is 0.5", "--project"},
    {"local x, px = pair('x')\nlocal y, py = pair('y')\nhamiltonian((px^2 + py^2)/2)\n"
     "constrain('sphere', x^2 + y^2 + px^2 + py^2 - 1)\nstart { x = 1, py = 0.5 }",
     0, RATTLE_OFF_CONSTRAINTS, "sphere", "its value is 0.25", NULL},

    /* redundant, contradictory, not regular: also where a projection is asked for */
    {ROD "constrain('again', 2*x^2 + 2*y^2 - 2)\nstart { x = 1 }", 0, RATTLE_NOT_REGULAR, "again",
     "redundant", "'rod'"},
    {ROD "constrain('again', 2*x^2 + 2*y^2 - 2)\nstart { x = 1 }", 1, RATTLE_NOT_REGULAR, "again",
     "redundant", "'rod'"},
    {ROD "constrain('again', 3*x^2 + 3*y^2 - 3)\nstart { x = 0.3, y = 0.4 }", 1, RATTLE_NOT_REGULAR,
     "again", "redundant", "'rod'"},
    {PLANE "constrain('wall', x)\nconstrain('sphere', x^2 + x + y^2)\nstart { z = 1 }", 0,
     RATTLE_NOT_REGULAR, "sphere", "does not follow from 'wall'", "changes there as y"},
    {PLANE "constrain('a', x - y)\nconstrain('b', y - z)\nconstrain('loop', x - z)\n", 0,
     RATTLE_NOT_REGULAR, "loop", "redundant", "'a', 'b'"},
    {PLANE "constrain('a', x)\nconstrain('b', y)\nconstrain('c', z)\nconstrain('d', x - y)\n", 0,
     RATTLE_NOT_REGULAR, NULL, "4 constraints on 3 coordinates depend on one another", "omit"},
    {"local x, px = pairs_of('x', 5)\nlocal T = {}\nfor i = 1, 5 do T[i] = px[i]^2 "
     "end\nhamiltonian(sum(T))\n"
     "constrain('a', x[1] - x[2])\nconstrain('free', x[5])\nconstrain('b', x[2] - "
     "x[3])\nconstrain('loop', x[1] - x[3])\n",
     0, RATTLE_NOT_REGULAR, "loop", "redundant", "'a', 'b'"},
    {PLANE "constrain('zero', x)\nconstrain('one', x - 1)\n", 0, RATTLE_NOT_REGULAR, "one",
     "contradictory", "'zero'"},
    {PLANE "constrain('zero', x)\nconstrain('one', x - 1)\n", 1, RATTLE_NOT_REGULAR, "one",
     "contradictory", "'zero'"},
    {PLANE "constrain('small', x^2 + y^2 - 1)\nconstrain('large', x^2 + y^2 - 4)\nstart { x = 1 }",
     1, RATTLE_NOT_REGULAR, "large", "contradictory", "'small'"},
    {PLANE "constrain('small', x^2 + y^2 - 1)\nconstrain('away', (x - 5)^2 + y^2 - 1)\nstart { x = "
           "2, y = 0.5 }",
     1, RATTLE_OFF_CONSTRAINTS, NULL, "contradict", NULL},
    {PLANE "constrain('flat', x^2)\nstart { y = 1 }", 0, RATTLE_NOT_REGULAR, "flat",
     "gradient is 0", NULL},
    {ROD "start { y = 0 }", 1, RATTLE_NOT_REGULAR, "rod", "gradient is 0", NULL},
    {ROD "start { y = 1e-170 }", 1, RATTLE_OFF_CONSTRAINTS, "rod", "gradient is so small", NULL},

    /* held where they would have to move */
    {ROD "start { x = 1.1, project = true, hold = { 'x', 'y' } }", 0, RATTLE_OFF_CONSTRAINTS, "rod",
     "held", NULL},
    {ROD "start { x = 1.1, y = 0.2, project = true, hold = { 'x' } }", 0, RATTLE_OFF_CONSTRAINTS,
     "rod", "held", NULL},

    /* psi = 1 + px^2 has no zero on the fibre */
    {"local x, px = pair('x')\nlocal y, py = pair('y')\nhamiltonian(px + px^3/3 + "
     "py^2/2)\nconstrain('wall', x)\nstart { px = "
     "0.5 }",
     1, RATTLE_OFF_CONSTRAINTS, "wall", "along its fibre", NULL},

    /* degenerate points */
    {"local x, px = pair('x')\nlocal y, py = pair('y')\nhamiltonian((px^2 + py^2)/2)\n"
     "constrain('sphere', x^2 + y^2 + px^2 + py^2 - 2)\nstart { x = 0.6, y = 0.8, px = -0.8, py = "
     "0.6 }",
     0, RATTLE_SINGULAR, "sphere", "degenerate point", NULL},
    {"local x, px = pair('x')\nlocal y, py = pair('y')\nhamiltonian(px^2/2)\nconstrain('rail', "
     "y)\n",
     0, RATTLE_SINGULAR, "rail", "the motion is not determined", NULL},
    {"local x, px = pair('x')\nlocal y, py = pair('y')\nhamiltonian(px^2/2)\nconstrain('rail', "
     "y)\n",
     1, RATTLE_SINGULAR, "rail", "the motion is not determined", NULL},

    /* outside the domain */
    {"local x, px = pair('x')\nhamiltonian(px^2/2 + sqrt(x))\nstart { x = -0.25 }", 0,
     RATTLE_DOMAIN, "H", "sqrt of -0.25", "x = -0.25"},
    {"local x, px = pair('x')\nhamiltonian(px^2/2 + 1/x)\n", 1, RATTLE_DOMAIN, "H", "division by 0",
     "x = 0"},
    {"local x, px = pair('x')\nhamiltonian(px^2/2 + sqrt(x))\n", 0, RATTLE_DOMAIN, "H",
     "derivative by x", NULL},
    {PLANE "constrain('wire', log(x) + y)\nstart { x = -2 }", 1, RATTLE_DOMAIN, "wire", "log of -2",
     "x = -2"},

    /* velocities without momenta */
    {"local x, px = pair('x')\nlocal y, py = pair('y')\nhamiltonian(px^2/2 + y)\nvelocity { y = 1 "
     "}",
     0, RATTLE_BAD_MODEL, "y", "start velocity 1", "its momentum"},
    {"local x, px = pair('x')\nhamiltonian(sqrt(1 + px^2))\nvelocity { x = 2 }", 0,
     RATTLE_BAD_MODEL, "x", "start velocity 2", NULL},
    {"local x, px = pair('x')\nhamiltonian(px*x)\nvelocity { x = 2 }", 0, RATTLE_BAD_MODEL, "x",
     "H_pp is singular", NULL},
};

static void test_refused(void **unused) {
  (void)unused;
  int failures = 0;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    rattle_model *model = NULL;
    rattle_problem *problem = NULL;
    rattle_problem_options block = {.evaluator = RATTLE_EVALUATOR_BLOCK};
    rattle_error error;
    double q[8], p[8];
    if (rattle_model_parse(&model, rows[i].model, "model", NULL, &error))
      fail_msg("%s", error.message);
    rattle_status status = rattle_problem_create(&problem, model, &block, &error);
    if (!status) status = rattle_problem_start(problem, rows[i].project, q, p, NULL, &error);
    /* the same without a place for the error */
    if (problem)
      assert_int_equal(rattle_problem_start(problem, rows[i].project, q, p, NULL, NULL), status);
    int good = status == rows[i].status && error.status == status &&
               strstr(error.message, rows[i].says) &&
               (!rows[i].and_says || strstr(error.message, rows[i].and_says)) &&
               (!rows[i].where || !strcmp(error.where, rows[i].where));
    if (!good) {
      print_error("%s\n%s at \"%s\": %s\n", rows[i].model, rattle_status_name(status), error.where,
                  status ? error.message : "");
      failures++;
    }
    rattle_problem_destroy(&problem);
    rattle_model_destroy(&model);
  }
  assert_int_equal(failures, 0);
}

/* Values that only calls can give. */
static void test_not_finite(void **unused) {
  (void)unused;
  rattle_model *model;
  rattle_problem *problem;
  rattle_error error;
  double q[1], p[1];
  assert_int_equal(rattle_model_create(&model, &error), RATTLE_OK);
  rattle_graph *graph = rattle_model_graph(model);
  assert_int_equal(rattle_model_add_pair(model, "x", NULL, NULL, &error), RATTLE_OK);
  rattle_expr momentum = rattle_expr_variable(graph, 1);
  assert_int_equal(rattle_model_add_hamiltonian(
                       model, rattle_expr_binary(graph, RATTLE_OP_MUL, momentum, momentum), &error),
                   RATTLE_OK);
  assert_int_equal(rattle_problem_create(&problem, model, NULL, &error), RATTLE_OK);
  const double bad[2] = {(double)NAN, (double)INFINITY};
  for (int i = 0; i < 2; i++) {
    if (rattle_model_set_start(model, 0, 1, bad[i], &error)) continue; /* refused there */
    assert_int_equal(rattle_problem_start(problem, 0, q, p, NULL, &error), RATTLE_BAD_MODEL);
    assert_string_equal(error.where, "x");
    assert_non_null(strstr(error.message, "momentum of 'x'"));
  }
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
}

/* Hundreds of constraints: the one that is redundant among them is named. */
static void test_redundant_in_a_chain(void **unused) {
  (void)unused;
  rattle_model *model;
  rattle_problem *problem;
  rattle_problem_options block = {.evaluator = RATTLE_EVALUATOR_BLOCK};
  rattle_error error;
  static double q[2000], p[2000];
  const char *text =
      "local N = 1000\nlocal x, px = pairs_of('x', N)\nlocal y, py = pairs_of('y', N)\nlocal T = "
      "{}\n"
      "for i = 1, N do T[i] = (px[i]^2 + py[i]^2)/2 end\nhamiltonian(sum(T))\n"
      "constrain('link[1]', x[1]^2 + y[1]^2 - 1)\n"
      "for i = 2, N do constrain('link['..i..']', (x[i]-x[i-1])^2 + (y[i]-y[i-1])^2 - 1) end\n"
      "constrain('twice', 5*(x[500]-x[499])^2 + 5*(y[500]-y[499])^2 - 5)\n"
      "for i = 1, N do start { [x[i]] = i } end\n";
  if (rattle_model_parse(&model, text, "chain", NULL, &error)) fail_msg("%s", error.message);
  assert_int_equal(rattle_problem_create(&problem, model, &block, &error), RATTLE_OK);
  assert_int_equal(rattle_problem_start(problem, 0, q, p, NULL, &error), RATTLE_NOT_REGULAR);
  assert_string_equal(error.where, "twice");
  assert_int_equal(error.constraint, 1000);
  if (!strstr(error.message, "'link[500]'")) fail_msg("%s", error.message);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_refused),
                                     cmocka_unit_test(test_not_finite),
                                     cmocka_unit_test(test_redundant_in_a_chain)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
