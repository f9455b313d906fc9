/* Taylor coefficients of every operation against repeated symbolic derivatives along a curve. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "ground/expr/graph.h"
#include "ground/expr/jet.h"

enum { ORDER = 7, VARIABLES = 2 };

/* x_v(t) = curve[v][0] + curve[v][1] t + ... */
static const double curve[VARIABLES][4] = {{0.3, 0.7, -0.2, 0.11}, {0.45, -0.31, 0.23, -0.07}};

static rattle_expr powers(rattle_graph *graph, int v, rattle_expr t) {
  rattle_expr sum = rattle_expr_constant(graph, curve[v][0]);
  for (int k = 1; k < 4; k++) {
    const rattle_expr power =
        rattle_expr_binary(graph, RATTLE_OP_POW, t, rattle_expr_constant(graph, k));
    const rattle_expr term =
        rattle_expr_binary(graph, RATTLE_OP_MUL, rattle_expr_constant(graph, curve[v][k]), power);
    sum = rattle_expr_binary(graph, RATTLE_OP_ADD, sum, term);
  }
  return sum;
}

/* One operation of a and b, or a constant power of a. */
static rattle_expr apply(rattle_graph *graph, rattle_op op, rattle_expr a, rattle_expr b) {
  return rattle__arity(op) == 2 ? rattle_expr_binary(graph, op, a, b)
                                : rattle_expr_unary(graph, op, a);
}

typedef rattle_expr maker(rattle_graph *graph, int which, rattle_expr x, rattle_expr y);

/* Every operation of the table, then constants on either side, then powers of all sorts. */
static rattle_expr make(rattle_graph *graph, int which, rattle_expr x, rattle_expr y) {
  static const double exponents[] = {2, 3, 7, -1, -4, 12, 40, 2.5, -0.5};
  enum { POWERS = sizeof exponents / sizeof *exponents };
  const rattle_expr two = rattle_expr_constant(graph, 2.25);
  if (which < RATTLE_OP_COUNT) {
    const rattle_op op = (rattle_op)which;
    if (op == RATTLE_OP_CONSTANT || op == RATTLE_OP_POWI) return two;
    if (op == RATTLE_OP_ATLEAST) return apply(graph, op, y, x);
    return op == RATTLE_OP_VARIABLE ? x : apply(graph, op, x, y);
  }
  which -= RATTLE_OP_COUNT;
  if (which < POWERS)
    return rattle_expr_binary(graph, RATTLE_OP_POW, x,
                              rattle_expr_constant(graph, exponents[which]));
  switch (which - POWERS) {
  case 0:
    return rattle_expr_binary(graph, RATTLE_OP_POW, two, x);
  case 1:
    return rattle_expr_binary(graph, RATTLE_OP_DIV, two, y);
  case 2:
    return rattle_expr_binary(graph, RATTLE_OP_DIV, y, two);
  case 3:
    return rattle_expr_binary(graph, RATTLE_OP_ATAN2, rattle_expr_unary(graph, RATTLE_OP_NEG, x),
                              two);
  case 4:
    return rattle_expr_binary(graph, RATTLE_OP_MUL, rattle_expr_unary(graph, RATTLE_OP_SIN, y),
                              rattle_expr_unary(graph, RATTLE_OP_COS, y));
  default:
    return RATTLE_EXPR_NONE;
  }
}

static rattle__jets *series_of(rattle_graph *graph, const rattle_expr *root, int roots, int late) {
  rattle__jets *jets;
  const rattle__jets_plan plan = {
      .root = root, .roots = roots, .variables = VARIABLES, .late = late, .order = ORDER};
  assert_int_equal(rattle__jets_create(&jets, graph, &plan, NULL), RATTLE_OK);
  return jets;
}

static void set(rattle__jets *jets, int v, int k) {
  rattle__jets_variable(jets, v)[k] = k < 4 ? curve[v][k] : 0;
}

static void test_operations(void **state) {
  (void)state;
  rattle_graph *graph;
  assert_int_equal(rattle_graph_create(&graph, NULL), RATTLE_OK);
  const rattle_expr x = rattle_expr_variable(graph, 0), y = rattle_expr_variable(graph, 1),
                    t = rattle_expr_variable(graph, 2), x_of_t = powers(graph, 0, t),
                    y_of_t = powers(graph, 1, t);
  int checked = 0;
  for (int which = 0; make(graph, which, x, y); which++, checked++) {
    const rattle_expr root = make(graph, which, x, y);
    rattle_expr along = make(graph, which, x_of_t, y_of_t);
    rattle__jets *jets = series_of(graph, &root, 1, VARIABLES);
    double factorial = 1;
    for (int k = 0; k <= ORDER; k++) {
      for (int v = 0; v < VARIABLES; v++) set(jets, v, k);
      rattle__jets_advance(jets, k);
      const double at[3] = {0}, exact = rattle_expr_evaluate(graph, along, at) / factorial,
                   found = rattle__jets_root(jets, 0)[k];
      if (!(fabs(found - exact) <= 1e-12 * (1 + fabs(exact))))
        fail_msg("case %d: coefficient %d is %.17g, not %.17g", which, k, found, exact);
      along = rattle_expr_derivative(graph, along, 2);
      factorial *= k + 1;
    }
    rattle__jets_destroy(&jets);
  }
  assert_int_equal(checked, RATTLE_OP_COUNT + 9 + 5);
  rattle_graph_destroy(&graph);
}

/* Products and high powers of what vanishes at t = 0: no division by it. */
static void test_zero_base(void **state) {
  (void)state;
  rattle_graph *graph;
  assert_int_equal(rattle_graph_create(&graph, NULL), RATTLE_OK);
  const rattle_expr x = rattle_expr_variable(graph, 0);
  const rattle_expr root[2] = {
      rattle_expr_binary(graph, RATTLE_OP_POW, x, rattle_expr_constant(graph, 3)),
      rattle_expr_binary(graph, RATTLE_OP_POW, x, rattle_expr_constant(graph, 40))};
  rattle__jets *jets = series_of(graph, root, 2, VARIABLES);
  for (int k = 0; k <= ORDER; k++) {
    rattle__jets_variable(jets, 0)[k] = k == 1 ? 2 : 0;
    rattle__jets_advance(jets, k);
    assert_true(rattle__jets_root(jets, 0)[k] == (k == 3 ? 8 : 0));
    assert_true(rattle__jets_root(jets, 1)[k] == 0);
  }
  rattle__jets_destroy(&jets);
  rattle_graph_destroy(&graph);
}

/* A late variable given afterwards leaves the coefficients that it has when given at once. */
static void test_late_variables(void **state) {
  (void)state;
  rattle_graph *graph;
  assert_int_equal(rattle_graph_create(&graph, NULL), RATTLE_OK);
  const rattle_expr x = rattle_expr_variable(graph, 0), y = rattle_expr_variable(graph, 1);
  const rattle_expr sine = rattle_expr_unary(graph, RATTLE_OP_SIN, x),
                    both = rattle_expr_binary(graph, RATTLE_OP_MUL, sine, y);
  const rattle_expr root[2] = {rattle_expr_unary(graph, RATTLE_OP_EXP, both), sine};
  rattle__jets *at_once = series_of(graph, root, 2, VARIABLES),
               *late = series_of(graph, root, 2, 1);
  for (int k = 0; k <= ORDER; k++) {
    for (int v = 0; v < VARIABLES; v++) set(at_once, v, k);
    rattle__jets_advance(at_once, k);
    set(late, 0, k);
    rattle__jets_variable(late, 1)[k] = k ? 0 : curve[1][0];
    rattle__jets_advance(late, k);
    set(late, 1, k);
    rattle__jets_advance_late(late, k);
    for (int r = 0; r < 2; r++)
      assert_true(rattle__jets_root(at_once, r)[k] == rattle__jets_root(late, r)[k]);
  }
  rattle__jets_destroy(&at_once);
  rattle__jets_destroy(&late);
  rattle_graph_destroy(&graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_operations),
                                     cmocka_unit_test(test_zero_base),
                                     cmocka_unit_test(test_late_variables)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
