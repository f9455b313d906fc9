/* Functions that are smooth in pieces: kinks, what is not chosen, tables, and what generated code
 * makes of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ground/expr/elements.h"
#include "ground/expr/round_off.h"
#include "ground/support/function.h"
#ifdef RATTLE_QUAD
#include "maps/quad/real.h"
#define REAL(name) name##q
#include "ground/expr/precise.h"
#endif

enum { KNOTS = 9 };

static rattle_graph *g;
static rattle_expr x, y;

static rattle_expr un(rattle_op op, rattle_expr a) {
  return rattle_expr_unary(g, op, a);
}
static rattle_expr bin(rattle_op op, rattle_expr a, rattle_expr b) {
  return rattle_expr_binary(g, op, a, b);
}
static rattle_expr num(double value) {
  return rattle_expr_constant(g, value);
}
static double at(rattle_expr e, double X, double Y) {
  return rattle_expr_evaluate(g, e, (const double[]){X, Y});
}
static double slope(rattle_expr e, double X, double Y) {
  return at(rattle_expr_derivative(g, e, 0), X, Y);
}

static int begin(void **unused) {
  (void)unused;
  if (rattle_graph_create(&g, NULL)) return -1;
  x = rattle_expr_variable(g, 0);
  y = rattle_expr_variable(g, 1);
  return 0;
}
static int end(void **unused) {
  (void)unused;
  rattle_graph_destroy(&g);
  return 0;
}

static void a_kink_has_the_values_of_its_sides(void **unused) {
  (void)unused;
  const rattle_expr size = un(RATTLE_OP_ABS, x), least = bin(RATTLE_OP_MIN, x, y),
                    most = bin(RATTLE_OP_MAX, x, y);
  assert_true(at(size, -2, 0) == 2 && slope(size, -2, 0) == -1 && slope(size, 0, 0) == 0 &&
              slope(size, 3, 0) == 1);
  assert_true(at(least, 1, 2) == 1 && slope(least, 1, 2) == 1 && slope(least, 2, 1) == 0);
  assert_true(at(most, 1, 2) == 2 && slope(most, 1, 2) == 0 && slope(most, 2, 1) == 1);
  assert_true(slope(least, 1, 1) + at(rattle_expr_derivative(g, least, 1), 1, 1) ==
              1); /* one side alone */
  assert_true(isnan(at(least, NAN, 1)) && isnan(at(most, 1, NAN)) &&
              isnan(at(bin(RATTLE_OP_LT, x, y), NAN, 1)));
  assert_int_equal(bin(RATTLE_OP_MIN, x, x), x);
  assert_int_equal(un(RATTLE_OP_ABS, un(RATTLE_OP_NEG, x)), size);
}

/* sqrt(x) where x > 0, else x^2: neither the root of a negative number nor its slope spreads. */
static void what_is_not_chosen_does_not_matter(void **unused) {
  (void)unused;
  const rattle_expr root = un(RATTLE_OP_SQRT, x),
                    e = rattle_expr_where(g, x, root, bin(RATTLE_OP_MUL, x, x));
  double J[2], F;
  rattle__function *f = NULL;
  const int place[2] = {0, 1};
  const rattle__build how = {
      .place = place, .places = 2, .vars = 2, .dense = 1, .evaluator = RATTLE__BLOCK};
  assert_true(at(e, 4, 0) == 2 && slope(e, 4, 0) == 0.25 && at(e, -3, 0) == 9 &&
              slope(e, -3, 0) == -6);
  assert_true(at(rattle_expr_derivative(g, rattle_expr_derivative(g, e, 0), 0), -3, 0) == 2);
  assert_int_equal(rattle__function_from_graph(&f, g, &e, 1, &how, NULL),
                   RATTLE_OK); /* backwards */
  double *work = calloc(f->work + 1, sizeof *work);
  assert_int_equal(f->jacobian(f, (const double[]){-3, 0}, &F, J, work), 0);
  assert_true(F == 9 && J[0] == -6);
  free(work);
  rattle__function_destroy(&f);
  assert_int_equal(rattle_expr_where(g, num(1), x, y), x);
  assert_int_equal(rattle_expr_where(g, num(-1), x, y), y);
}

static rattle_expr table_of(double (*value)(double), double *knot) {
  double values[KNOTS];
  for (int k = 0; k < KNOTS; k++) {
    knot[k] = -1 + 0.25 * k + 0.05 * (k % 2);
    values[k] = value(knot[k]);
  }
  return rattle_expr_table(g, x, KNOTS, knot, values, NULL);
}

static double some_cubic(double t) {
  return 1 - 2 * t + 0.5 * t * t + 3 * t * t * t;
}

static void a_table_of_a_cubic_is_the_cubic(void **unused) {
  (void)unused;
  double knot[KNOTS];
  const rattle_expr e = table_of(some_cubic, knot), d = rattle_expr_derivative(g, e, 0),
                    dd = rattle_expr_derivative(g, d, 0);
  for (int k = 0; k <= 100; k++) {
    const double t = knot[0] + (knot[KNOTS - 1] - knot[0]) * k / 100;
    assert_true(fabs(at(e, t, 0) - some_cubic(t)) < 2e-14);
    assert_true(fabs(at(d, t, 0) - (-2 + t + 9 * t * t)) < 1e-13 &&
                fabs(at(dd, t, 0) - (1 + 18 * t)) < 1e-12);
  }
}

static void a_table_is_twice_differentiable_at_its_knots(void **unused) {
  (void)unused;
  double knot[KNOTS];
  const double d = 1e-9;
  const rattle_expr e = table_of(exp, knot), e1 = rattle_expr_derivative(g, e, 0),
                    e2 = rattle_expr_derivative(g, e1, 0), e3 = rattle_expr_derivative(g, e2, 0);
  int jumps = 0;
  for (int k = 0; k < KNOTS; k++)
    assert_true(fabs(at(e, knot[k], 0) - exp(knot[k])) < 1e-14 * exp(knot[k]) * KNOTS);
  for (int k = 1; k < KNOTS - 1; k++) {
    const double left = knot[k] - d, right = knot[k] + d;
    assert_true(fabs(at(e1, right, 0) - at(e1, left, 0)) < 1e-7 &&
                fabs(at(e2, right, 0) - at(e2, left, 0)) < 1e-7);
    jumps += fabs(at(e3, right, 0) - at(e3, left, 0)) > 1e-5;
    assert_true(fabs(at(e1, knot[k], 0) - exp(knot[k])) < 2e-3);
  }
  assert_int_equal(jumps, KNOTS - 4); /* none at x_1 and x_n-2: not-a-knot */
}

static void outside_a_table_there_is_nothing(void **unused) {
  (void)unused;
  double knot[KNOTS];
  const rattle_expr e = table_of(exp, knot);
  char text[500];
  rattle_error error = {0};
  assert_true(isnan(at(e, knot[0] - 1e-9, 0)) && isnan(slope(e, knot[KNOTS - 1] + 1e-9, 0)));
  assert_int_equal(
      rattle__domain_fault(g, e, (const double[]){5, 0}, (rattle__naming){0}, text, sizeof text),
      1);
  assert_non_null(strstr(text, "5 lies above 1, the end of its range, in atmost("));
  assert_int_equal(rattle_expr_table(g, x, 3, knot, knot, &error), RATTLE_EXPR_NONE);
  assert_non_null(strstr(error.message, "4 to 1000 knots, found 3"));
  knot[2] = knot[1];
  assert_int_equal(rattle_expr_table(g, x, KNOTS, knot, knot, &error), RATTLE_EXPR_NONE);
  assert_non_null(strstr(error.message, "must increase"));
}

/* Values and slopes of all of them, interpreted and compiled, and with 113 bits. */
static void both_evaluators_agree_and_round_off_is_bounded(void **unused) {
  (void)unused;
  double knot[KNOTS];
  rattle_expr root[4] = {
      table_of(exp, knot), rattle_expr_where(g, bin(RATTLE_OP_LT, x, y), un(RATTLE_OP_SIN, x), y),
      bin(RATTLE_OP_MAX, bin(RATTLE_OP_MIN, x, y), un(RATTLE_OP_ABS, bin(RATTLE_OP_SUB, x, y))),
      bin(RATTLE_OP_MUL, un(RATTLE_OP_SIGN, x), bin(RATTLE_OP_ATLEAST, y, num(-1)))};
  const int place[2] = {0, 1};
  rattle__build how = {.place = place,
                       .places = 2,
                       .vars = 2,
                       .hessian = 1,
                       .constraints = 1,
                       .evaluator = RATTLE__BLOCK};
  rattle__function *f[2] = {NULL};
  for (int k = 0; k < 2; k++, how.evaluator = RATTLE__NATIVE)
    assert_int_equal(rattle__function_from_graph(&f[k], g, root, 4, &how, NULL), RATTLE_OK);
  const size_t room = (f[0]->work > f[1]->work ? f[0]->work : f[1]->work) + 1;
  double *work = calloc(room, sizeof *work), *bound = malloc(rattle__round_off_room(f[0]));
  for (int k = 0; k < 200; k++) {
    const double z[2] = {k < KNOTS ? knot[k] : -0.99 + 0.0099 * k, sin(0.3 * k)}, none[2] = {0, 0};
    double F[2][4], J[2][16], error[4];
    for (int which = 0; which < 2; which++)
      assert_int_equal(f[which]->jacobian(f[which], z, F[which], J[which], work), 0);
    assert_memory_equal(F[0], F[1], sizeof F[0]);
    assert_memory_equal(J[0], J[1], (size_t)f[0]->jac_nnz * sizeof(double));
    assert_int_equal(rattle__round_off(f[0], z, none, error, NULL, bound), 0);
#ifdef RATTLE_QUAD
    real exact[4], slopes[16],
        *registers = calloc((size_t)rattle__elements_registers(f[0]->self), sizeof *registers);
    precise_jacobian(f[0], (const real[]){z[0], z[1]}, exact, slopes, registers);
    for (int r = 0; r < 4; r++) assert_true(fabs((double)(exact[r] - F[0][r])) <= error[r]);
    for (int r = 0; r < f[0]->jac_nnz; r++)
      assert_true(fabs((double)(slopes[r] - J[0][r])) < 1e-13);
    free(registers);
#endif
  }
  free(work);
  free(bound);
  for (int k = 0; k < 2; k++) rattle__function_destroy(&f[k]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_kink_has_the_values_of_its_sides, begin, end),
      cmocka_unit_test_setup_teardown(what_is_not_chosen_does_not_matter, begin, end),
      cmocka_unit_test_setup_teardown(a_table_of_a_cubic_is_the_cubic, begin, end),
      cmocka_unit_test_setup_teardown(a_table_is_twice_differentiable_at_its_knots, begin, end),
      cmocka_unit_test_setup_teardown(outside_a_table_there_is_nothing, begin, end),
      cmocka_unit_test_setup_teardown(both_evaluators_agree_and_round_off_is_bounded, begin, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
