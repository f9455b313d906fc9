/* Derivatives: the rules by hand, random expressions against complex steps and differences in long
 * double, and a table made by a computer algebra system (derivatives_sympy.inc, kept true by
 * derivatives_sympy.py). */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ground/expr/derivative.h"
#include "ground/support/random.h"

#include "short_graph.h"

enum { VARIABLES = 3 };
static const int32_t variables[VARIABLES] = {0, 1, 2};
typedef long double complex number;

/* The name that the table uses in addition to those of short_graph.h. */
#define NUM(value) num(value)

static void simple_derivatives_are_simple(void **state) {
  (void)state;
  const struct {
    rattle_expr e, by_x;
  } rule[] = {
      {NUM(3), NUM(0)},
      {y, NUM(0)},
      {x, NUM(1)},
      {MUL(x, x), MUL(NUM(2), x)},
      {DIV(POW(x, NUM(2)), NUM(2)), x},
      {DIV(POW(x, NUM(2)), NUM(6)), DIV(x, NUM(3))},
      {POW(x, NUM(3)), MUL(NUM(3), POW(x, NUM(2)))},
      {SUB(MUL(x, y), MUL(z, x)), SUB(y, z)},
      {SQRT(ADD(POW(x, NUM(2)), NUM(1))), DIV(x, SQRT(ADD(POW(x, NUM(2)), NUM(1))))},
      {MUL(x, un(RATTLE_OP_HELD, x)), un(RATTLE_OP_HELD, x)},
      {SUB(NUM(1), COS(x)), SIN(x)},
      {LOG(x), DIV(NUM(1), x)},
      {EXP(NEG(x)), NEG(EXP(NEG(x)))},
      {POW(SUB(y, x), NUM(2)), MUL(NUM(-2), SUB(y, x))},
  };
  for (size_t i = 0; i < sizeof rule / sizeof *rule; i++)
    if (rattle_expr_derivative(g, rule[i].e, 0) != rule[i].by_x) fail_msg("rule %zu", i);
  assert_int_equal(rattle_expr_derivative(g, x, -1), RATTLE_EXPR_NONE);
}

/* e at a complex point, by the functions of the C library, independent of the library under
 * test. */
static number evaluate(rattle_expr e, const number *at) {
  rattle_op op = rattle_expr_op(g, e);
  if (op == RATTLE_OP_CONSTANT) return rattle_expr_value(g, e);
  if (op == RATTLE_OP_VARIABLE) return at[rattle_expr_index(g, e)];
  number a = evaluate(rattle_expr_operand(g, e, 0), at);
  rattle_expr second = rattle_expr_operand(g, e, 1);
  number b = second ? evaluate(second, at) : 0, power = 1;
  switch (op) {
  case RATTLE_OP_ADD:
    return a + b;
  case RATTLE_OP_SUB:
    return a - b;
  case RATTLE_OP_MUL:
    return a * b;
  case RATTLE_OP_DIV:
    return a / b;
  case RATTLE_OP_POW:
    return cexpl(b * clogl(a));
  case RATTLE_OP_POWI:
    for (int i = 0; i < fabsl(creall(b)); i++) power *= a;
    return creall(b) < 0 ? 1 / power : power;
  case RATTLE_OP_ATAN2: {
    long double angle =
        atan2l(creall(a), creall(b)); /* turned back, the point is near the positive axis */
    number along = b * cosl(angle) + a * sinl(angle), across = a * cosl(angle) - b * sinl(angle);
    return angle + catanl(across / along);
  }
  case RATTLE_OP_NEG:
    return -a;
  case RATTLE_OP_SQRT:
    return csqrtl(a);
  case RATTLE_OP_EXP:
    return cexpl(a);
  case RATTLE_OP_LOG:
    return clogl(a);
  case RATTLE_OP_SIN:
    return csinl(a);
  case RATTLE_OP_COS:
    return ccosl(a);
  case RATTLE_OP_TAN:
    return csinl(a) / ccosl(a);
  case RATTLE_OP_ASIN:
    return 2 * catanl(a / (1 + csqrtl(1 - a * a)));
  case RATTLE_OP_ACOS:
    return acosl(0) - 2 * catanl(a / (1 + csqrtl(1 - a * a)));
  case RATTLE_OP_ATAN:
    return catanl(a);
  case RATTLE_OP_SINH:
    return (cexpl(a) - cexpl(-a)) / 2;
  case RATTLE_OP_COSH:
    return (cexpl(a) + cexpl(-a)) / 2;
  case RATTLE_OP_TANH:
    return 1 - 2 / (cexpl(2 * a) + 1);
  case RATTLE_OP_EXPM1:
    return cexpl(a) - 1;
  case RATTLE_OP_LOG1P:
    return clogl(1 + a);
  case RATTLE_OP_ERF: /* to first order in the step */
    return erfl(creall(a)) + I * cimagl(a) * M_2_SQRTPI * expl(-creall(a) * creall(a));
  case RATTLE_OP_ERFC:
    return erfcl(creall(a)) - I * cimagl(a) * M_2_SQRTPI * expl(-creall(a) * creall(a));
  case RATTLE_OP_LT:
    return creall(a) < creall(b);
  case RATTLE_OP_WHEN:
    return creall(a) > 0 ? b : 0;
  case RATTLE_OP_MIN:
    return creall(a) < creall(b) ? a : b;
  case RATTLE_OP_MAX:
    return creall(a) < creall(b) ? b : a;
  case RATTLE_OP_ATLEAST:
  case RATTLE_OP_ATMOST:
    return a;
  case RATTLE_OP_ABS:
    return creall(a) < 0 ? -a : a;
  case RATTLE_OP_SIGN:
    return (creall(a) > 0) - (creall(a) < 0);
  default:
    fail_msg("operation %d", (int)op);
  }
  return 0;
}

/* Derivative by variable i by a complex step, with variable j moved by delta. */
static long double slope(rattle_expr e, const double *at, int i, int j, long double delta) {
  const long double h = 1e-14L;
  number point[VARIABLES];
  for (int k = 0; k < VARIABLES; k++) point[k] = at[k];
  point[j] += delta;
  point[i] += h * I;
  return cimagl(evaluate(e, point)) / h;
}

/* Second derivative by differences of order 4 of complex steps. */
static long double curvature(rattle_expr e, const double *at, int i, int j) {
  const long double d = 2e-4L;
  return (8 * (slope(e, at, i, j, d) - slope(e, at, i, j, -d)) -
          (slope(e, at, i, j, 2 * d) - slope(e, at, i, j, -2 * d))) /
         (12 * d);
}

static uint64_t seed;

static unsigned draw(unsigned below) {
  return (unsigned)(rattle__random(&seed) % below);
}

/* True if op(a, b) is well inside its domain and of moderate size. */
static int is_tame(rattle_op op, double a, double b, double result) {
  if (!isfinite(result) || fabs(result) > 8) return 0;
  switch (op) {
  case RATTLE_OP_DIV:
    return fabs(b) > 0.3;
  case RATTLE_OP_POW:
    return a > 0.3;
  case RATTLE_OP_POWI:
    return fabs(a) > 0.3;
  case RATTLE_OP_ATAN2:
    return a * a + b * b > 0.2 && (b > 0 || fabs(a) > 0.1);
  case RATTLE_OP_SQRT:
  case RATTLE_OP_LOG:
    return a > 0.3;
  case RATTLE_OP_WHEN:
  case RATTLE_OP_ABS:
  case RATTLE_OP_SIGN:
    return fabs(a) > 0.1;
  case RATTLE_OP_LT:
  case RATTLE_OP_MIN:
  case RATTLE_OP_MAX:
    return fabs(a - b) > 0.1;
  case RATTLE_OP_LOG1P:
    return a > -0.7;
  case RATTLE_OP_TAN:
    return fabs(cos(a)) > 0.3;
  case RATTLE_OP_ASIN:
  case RATTLE_OP_ACOS:
    return fabs(a) < 0.8;
  default:
    return 1;
  }
}

enum { POOL = 16 };

/* A random expression whose parts are tame at the point; counts the operations used. */
static rattle_expr random_expression(const double *at, int used[RATTLE_OP_COUNT]) {
  rattle_expr pool[POOL] = {x, y, z, num(-1.5), num(0.7), num(2)};
  int count = 6;
  while (count < POOL) {
    rattle_op op = (rattle_op)(RATTLE_OP_ADD + draw(RATTLE_OP_HELD - RATTLE_OP_ADD));
    rattle_expr a = pool[draw((unsigned)count)],
                b = pool[count - 1 - (int)draw(count > 9 ? 4 : (unsigned)count)];
    if (op == RATTLE_OP_POWI) a = b, b = num((int)draw(10) - 4);
    rattle_expr e = un(op, b);
    if (e) a = b;
    if (!e) e = bin(op, a, b);
    if (rattle_expr_op(g, e) != op) continue; /* simplified away */
    if (!is_tame(op, rattle_expr_evaluate(g, a, at), rattle_expr_evaluate(g, b, at),
                 rattle_expr_evaluate(g, e, at)))
      continue;
    pool[count++] = e;
    used[op]++;
  }
  return pool[POOL - 1];
}

static void assert_near(double got, long double wanted, long double tolerance, const char *what,
                        rattle_expr e) {
  char text[1024];
  if (fabsl(got - wanted) <= tolerance) return;
  fail_msg("%s of %s: %.17g, should be %.20Lg", what,
           rattle_expr_print(g, e, NULL, NULL, text, sizeof text), got, wanted);
}

/* All first and second derivatives of e, forward and backward, at a point. 0: too wild to be
 * compared. */
static int compare(rattle_expr e, const double *at) {
  rattle_expr first[VARIABLES], second[VARIABLES];
  long double by[VARIABLES], by2[VARIABLES][VARIABLES], scale = 1, scale2 = 1;
  for (int i = 0; i < VARIABLES; i++) {
    by[i] = slope(e, at, i, i, 0);
    scale = fmaxl(scale, fabsl(by[i]));
    for (int j = 0; j < VARIABLES; j++)
      scale2 = fmaxl(scale2, fabsl(by2[i][j] = curvature(e, at, i, j)));
  }
  if (!(scale < 1e3) || !(scale2 < 1e4)) return 0;

  assert_int_equal(rattle__gradient(g, e, variables, VARIABLES, first), RATTLE_OK);
  for (int i = 0; i < VARIABLES; i++) {
    rattle_expr forward = rattle_expr_derivative(g, e, i);
    assert_near(rattle_expr_evaluate(g, forward, at), by[i], 1e-11L * scale, "forward derivative",
                e);
    assert_near(rattle_expr_evaluate(g, first[i], at), by[i], 1e-11L * scale, "gradient", e);
    assert_int_equal(rattle__gradient(g, first[i], variables, VARIABLES, second), RATTLE_OK);
    for (int j = 0; j < VARIABLES; j++) {
      double twice = rattle_expr_evaluate(g, rattle_expr_derivative(g, forward, j), at);
      assert_near(twice, by2[i][j], 1e-7L * scale2, "second derivative", e);
      assert_near(rattle_expr_evaluate(g, second[j], at), by2[i][j], 1e-7L * scale2,
                  "gradient of gradient", e);
      assert_near(twice, rattle_expr_evaluate(g, second[j], at), 1e-10L * scale2,
                  "forward less backward", e);
    }
  }
  return 1;
}

static void random_expressions_have_right_derivatives(void **state) {
  (void)state;
  enum { TRIED = 1000, WANTED = 600, TIMES = 50 };
  const double at[VARIABLES] = {0.6180339887498949, -1.2020569031595942, 1.8392867552141612};
  int used[RATTLE_OP_COUNT] = {0}, compared = 0;
  seed = 20240301;
  for (int i = 0; i < TRIED; i++) compared += compare(random_expression(at, used), at);
  if (compared < WANTED) fail_msg("only %d expressions were compared", compared);
  for (int op = RATTLE_OP_ADD; op < RATTLE_OP_HELD; op++)
    if (used[op] < TIMES) fail_msg("operation %d was used %d times", op, used[op]);
}

/* A gradient by n variables makes a number of nodes proportional to n. */
static void gradients_are_cheap(void **state) {
  (void)state;
  enum { N = 100000 };
  rattle_expr sum = num(0), *out = malloc((N + 1) * sizeof *out);
  int32_t *all = malloc((N + 1) * sizeof *all);
  assert_non_null(out);
  assert_non_null(all);
  for (int i = 0; i < N; i++) {
    all[i] = i;
    sum = ADD(sum, POW(SUB(rattle_expr_variable(g, i), rattle_expr_variable(g, i + 1)), num(2)));
  }
  all[N] = 3 * N; /* does not occur */
  uint32_t before = rattle_graph_count(g);
  assert_int_equal(rattle__gradient(g, sum, all, N + 1, out), RATTLE_OK);
  assert_true(rattle_graph_count(g) - before <= 4 * N);
  assert_int_equal(out[N], num(0));
  rattle_expr u = rattle_expr_variable(g, 6), v = rattle_expr_variable(g, 7),
              w = rattle_expr_variable(g, 8);
  double *at = calloc(N + 1, sizeof *at);
  at[6] = 1, at[7] = 3, at[8] = 9;
  assert_true(rattle_expr_evaluate(g, out[7], at) == -8);
  assert_int_equal(rattle_expr_derivative(g, out[7], 7), num(4));
  assert_int_equal(
      rattle_expr_derivative(g, ADD(POW(SUB(u, v), num(2)), POW(SUB(v, w), num(2))), 7),
      ADD(MUL(num(-2), SUB(u, v)), MUL(num(2), SUB(v, w))));
  free(at);
  free(all);
  free(out);
  assert_int_equal(rattle__gradient(g, RATTLE_EXPR_NONE, variables, 1, &u), RATTLE_BAD_ARGUMENT);
}

/* One row: expression in x, y; value, by x, by y, by xx, by xy, by yy at the point of the table. */
static void check_row(int row, rattle_expr e, const double at[2], const double wanted[6]) {
  rattle_expr by[2], by_x[2], by_y[2];
  assert_int_equal(rattle__gradient(g, e, variables, 2, by), RATTLE_OK);
  assert_int_equal(rattle__gradient(g, by[0], variables, 2, by_x), RATTLE_OK);
  assert_int_equal(rattle__gradient(g, by[1], variables, 2, by_y), RATTLE_OK);
  const rattle_expr made[] = {e, by[0], by[1], by_x[0], by_x[1], by_y[1], by_y[0]};
  const double should[] = {wanted[0], wanted[1], wanted[2], wanted[3],
                           wanted[4], wanted[5], wanted[4]};
  for (int i = 0; i < 7; i++) {
    double got = rattle_expr_evaluate(g, made[i], at);
    if (!(fabs(got - should[i]) <= 1e-13 * (1 + fabs(should[i]))))
      fail_msg("row %d, entry %d: %.17g, should be %.17g", row, i, got, should[i]);
  }
}

static void derivatives_agree_with_computer_algebra(void **state) {
  (void)state;
  int rows = 0;
#define POINT(a, b) const double at[2] = {a, b};
#define ROW(e, f, fx, fy, fxx, fxy, fyy)                                                           \
  check_row(rows++, e, at, (const double[]){f, fx, fy, fxx, fxy, fyy});
#include "unit/derivatives_sympy.inc"
  assert_true(rows >= 60);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(simple_derivatives_are_simple),
      TEST(random_expressions_have_right_derivatives),
      TEST(gradients_are_cheap),
      TEST(derivatives_agree_with_computer_algebra),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
