/* The expression graph: consing, folding, simplification, walks, deep sums, terms, dependence. */
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
#include "ground/expr/op.h"
#include "ground/expr/walk.h"
#include "short_graph.h"

static void equal_expressions_are_one_node(void **state) {
  (void)state;
  assert_int_equal(x, rattle_expr_variable(g, 0));
  assert_int_not_equal(x, y);
  assert_int_equal(num(0.1), num(0.1));
  assert_int_not_equal(num(0.1), num(0.1 + 1e-17 + 0x1p-56));
  assert_int_not_equal(num(0.0), num(-0.0));
  assert_int_equal(num((double)NAN), num((double)NAN));

  rattle_expr e = MUL(ADD(x, y), un(RATTLE_OP_SIN, z));
  uint32_t count = rattle_graph_count(g);
  assert_int_equal(e, MUL(ADD(x, y), un(RATTLE_OP_SIN, z)));
  assert_int_equal(rattle_graph_count(g), count);
  assert_int_not_equal(ADD(x, y), ADD(y, x));
  assert_int_not_equal(bin(RATTLE_OP_ATAN2, x, y), bin(RATTLE_OP_ATAN2, y, x));
}

/* Found again next to the node they were made from, or, for those with many users, in the table,
 * which doubles meanwhile. */
static void nodes_with_many_users_find_them_again(void **state) {
  (void)state;
  enum { MANY = 5000 };
  static rattle_expr made[2][MANY];
  for (int turn = 0; turn < 2; turn++) {
    for (int k = 0; k < MANY; k++) {
      const rattle_expr v = rattle_expr_variable(g, MANY - 1 - k), at = ADD(v, num(k + 0.5));
      made[0][k] = turn ? made[0][k] : at;
      assert_int_equal(at, made[0][k]);
      const rattle_expr by_x = SUB(MUL(x, num(k + 2)), MUL(x, y));
      made[1][k] = turn ? made[1][k] : by_x;
      assert_int_equal(by_x, made[1][k]);
    }
    if (!turn)
      assert_int_equal(rattle_graph_count(g),
                       MANY /* v */ + 2 * MANY /* constants */ + 3 * MANY + 1 /* x y */);
  }
  assert_int_equal(rattle_graph_count(g), 6 * MANY + 1);
}

/* The operations of a chain are listed with their operands, and not with constants: the table holds
 * leaves alone. */
static void the_table_of_a_chain_holds_leaves(void **state) {
  (void)state;
  enum { N = 1000 };
  rattle_expr H = num(0);
  for (int k = 0; k < N; k++) assert_int_not_equal(rattle_expr_variable(g, k), RATTLE_EXPR_NONE);
  for (int k = 0; k < N; k++) H = ADD(H, DIV(POW(rattle_expr_variable(g, k), num(2)), num(3)));
  for (int k = 1; k < N; k++)
    assert_true(POW(SUB(rattle_expr_variable(g, k), rattle_expr_variable(g, k - 1)), num(2)) !=
                RATTLE_EXPR_NONE);
  assert_int_equal(rattle_graph_count(g), N + 3 + 3 * N - 1 + 2 * (N - 1));
  assert_int_equal(g->entries, N + 3);
}

static void nodes_can_be_looked_at(void **state) {
  (void)state;
  rattle_expr e = SUB(x, num(2.5));
  assert_int_equal(rattle_expr_op(g, e), RATTLE_OP_SUB);
  assert_int_equal(rattle_expr_operand(g, e, 0), x);
  assert_true(rattle_expr_value(g, rattle_expr_operand(g, e, 1)) == 2.5);
  assert_int_equal(rattle_expr_operand(g, e, 2), RATTLE_EXPR_NONE);
  assert_int_equal(rattle_expr_operand(g, x, 0), RATTLE_EXPR_NONE);
  assert_int_equal(rattle_expr_operand(g, SQRT(x), 1), RATTLE_EXPR_NONE);
  assert_int_equal(rattle_expr_index(g, z), 2);
  assert_int_equal(rattle_expr_index(g, e), -1);
  assert_true(rattle_expr_value(g, z) == 0);
  assert_int_equal(rattle_graph_count(g), SQRT(x));
}

static void nothing_gives_nothing(void **state) {
  (void)state;
  const rattle_expr none = RATTLE_EXPR_NONE, beyond = rattle_graph_count(g) + 1000;
  char buffer[16];
  assert_int_equal(ADD(none, x), none);
  assert_int_equal(MUL(num(0), none), none);
  assert_int_equal(POW(x, none), none);
  assert_int_equal(NEG(none), none);
  assert_int_equal(NEG(beyond), none);
  assert_int_equal(un(RATTLE_OP_ADD, x), none);
  assert_int_equal(un(RATTLE_OP_CONSTANT, x), none);
  assert_int_equal(bin(RATTLE_OP_SIN, x, x), none);
  assert_int_equal(bin(RATTLE_OP_COUNT, x, x), none);
  assert_int_equal(rattle_expr_variable(g, -1), none);
  assert_int_equal(rattle_expr_op(g, none), RATTLE_OP_COUNT);
  assert_int_equal(rattle_expr_operand(g, none, 0), none);
  assert_true(rattle_expr_value(g, none) == 0);
  assert_int_equal(rattle_expr_index(g, none), -1);
  assert_int_equal(rattle_expr_derivative(g, none, 0), none);
  assert_true(isnan(rattle_expr_evaluate(g, none, NULL)));
  assert_string_equal(rattle_expr_print(g, none, NULL, NULL, buffer, sizeof buffer), "(none)");
  assert_int_equal(rattle__domain_fault(g, none, NULL, (rattle__naming){0}, buffer, sizeof buffer),
                   0);
}

static void constants_fold_to_what_evaluation_gives(void **state) {
  (void)state;
  for (int op = RATTLE_OP_ADD; op < RATTLE_OP_COUNT; op++) {
    /* volatile: a compiler that knows them rounds erfc better than the C library does */
    volatile double a = 0.7310585786300049, b = op == RATTLE_OP_POWI     ? -7
                                                : op == RATTLE_OP_ATMOST ? 0.9
                                                                         : 0.3141592653589793;
    rattle_expr e = un((rattle_op)op, num(a));
    if (!e) e = bin((rattle_op)op, num(a), num(b));
    assert_int_equal(rattle_expr_op(g, e), RATTLE_OP_CONSTANT);
    if (rattle_expr_value(g, e) != rattle__op_apply((rattle_op)op, a, b))
      fail_msg("operation %d: %.17g, not %.17g", op, rattle_expr_value(g, e),
               rattle__op_apply((rattle_op)op, a, b));
  }
  assert_int_equal(rattle_expr_op(g, DIV(num(1), num(0))), RATTLE_OP_DIV);
  assert_int_equal(rattle_expr_op(g, POW(num(0), num(-1))), RATTLE_OP_POWI);
  assert_int_equal(rattle_expr_op(g, un(RATTLE_OP_LOG, num(-1))), RATTLE_OP_LOG);
  assert_int_equal(rattle_expr_op(g, MUL(num(1e200), num(1e300))), RATTLE_OP_MUL);
  assert_int_equal(MUL(num(-1), num(0)), num(0));
}

static void trivial_algebra_is_done(void **state) {
  (void)state;
  const rattle_expr zero = num(0), one = num(1), two = num(2);
  const struct {
    rattle_expr made, wanted;
  } pair[] = {
      {ADD(x, zero), x},
      {ADD(zero, x), x},
      {SUB(x, zero), x},
      {SUB(zero, x), NEG(x)},
      {SUB(x, x), zero},
      {ADD(x, x), MUL(two, x)},
      {ADD(x, NEG(y)), SUB(x, y)},
      {SUB(x, NEG(y)), ADD(x, y)},
      {NEG(NEG(x)), x},
      {NEG(SUB(x, y)), SUB(y, x)},
      {NEG(MUL(num(3), x)), MUL(num(-3), x)},
      {MUL(one, x), x},
      {MUL(x, num(-1)), NEG(x)},
      {MUL(zero, SQRT(x)), zero},
      {MUL(NEG(x), NEG(y)), MUL(x, y)},
      {MUL(x, NEG(y)), NEG(MUL(x, y))},
      {MUL(x, x), POW(x, two)},
      {DIV(x, one), x},
      {DIV(NEG(x), y), NEG(DIV(x, y))},
      {DIV(MUL(two, x), two), x},
      {MUL(num(0.5), MUL(x, two)), x},
      {DIV(MUL(two, x), num(6)), DIV(x, num(3))},
      {DIV(MUL(num(6), x), MUL(two, y)), DIV(MUL(num(3), x), y)},
      {MUL(two, DIV(x, num(8))), MUL(num(0.25), x)},
      {POW(x, zero), one},
      {POW(x, one), x},
      {POW(x, num(0.5)), SQRT(x)},
      {POW(x, num(-0.5)), DIV(one, SQRT(x))},
      {POW(NEG(x), two), POW(x, two)},
      {POW(NEG(x), num(3)), NEG(POW(x, num(3)))},
  };
  for (size_t i = 0; i < sizeof pair / sizeof *pair; i++)
    if (pair[i].made != pair[i].wanted) fail_msg("rule %zu", i);

  assert_int_equal(rattle_expr_op(g, POW(x, num(3))), RATTLE_OP_POWI);
  assert_int_equal(rattle_expr_op(g, POW(x, num(2.5))), RATTLE_OP_POW);
  assert_int_equal(rattle_expr_op(g, POW(x, y)), RATTLE_OP_POW);
}

static void nothing_that_hides_a_fault_or_rounds_is_done(void **state) {
  (void)state;
  assert_int_equal(rattle_expr_op(g, DIV(x, x)), RATTLE_OP_DIV);
  assert_int_equal(rattle_expr_op(g, DIV(num(0), x)), RATTLE_OP_DIV);
  assert_int_equal(rattle_expr_op(g, MUL(POW(x, num(-1)), x)), RATTLE_OP_MUL);
  assert_int_equal(rattle_expr_op(g, MUL(num(0), num((double)INFINITY))), RATTLE_OP_MUL);
  assert_text(MUL(num(0.1), MUL(num(0.1), x)), "0.1*(0.1*x)");
  assert_text(DIV(MUL(num(0.1), x), num(0.3)), "0.1*x/0.3");
  assert_text(MUL(num(1e-200), MUL(num(1e-200), x)), "1e-200*(1e-200*x)");
}

/* The order of multiplications which the native code repeats. */
static void integer_powers_multiply_from_the_left(void **state) {
  (void)state;
  const double a = 1.1234567890123457;
  const double a2 = a * a, a3 = a2 * a, a5 = a2 * a2 * a, a6 = a3 * a3, a7 = a6 * a;
  const double wanted[] = {1, a, a2, a3, a2 * a2, a5, a6, a7};
  for (int n = 0; n < 8; n++) {
    assert_true(rattle__op_powi(a, n) == wanted[n]);
    assert_true(rattle__op_powi(a, -n) == 1 / wanted[n]);
  }
  assert_true(rattle__op_apply(RATTLE_OP_POWI, a, 33) == pow(a, 33));
  for (int n = -32; n <= 32; n++) assert_true(fabs(rattle__op_powi(a, n) / pow(a, n) - 1) < 1e-14);
}

/* 10^6 terms, as a left-leaning and a right-leaning sum: nothing may recurse. */
static void deep_sums_work(void **state) {
  (void)state;
  enum { N = 1000000 };
  double *values = malloc(N * sizeof *values);
  rattle_expr left = num(0), right = num(0);
  assert_non_null(values);
  for (int i = 0; i < N; i++) {
    rattle_expr v = rattle_expr_variable(g, i);
    left = ADD(left, MUL(num(0.5), MUL(v, v)));
    right = ADD(MUL(v, v), right);
    values[i] = 1;
  }
  assert_true(rattle_expr_evaluate(g, left, values) == 0.5 * N);
  assert_true(rattle_expr_evaluate(g, right, values) == N);
  assert_int_equal(rattle_expr_derivative(g, left, 7), rattle_expr_variable(g, 7));

  double *c;
  rattle_expr *term;
  int count;
  assert_int_equal(rattle__terms(g, ADD(left, MUL(num(-2), right)), &c, &term, &count, NULL),
                   RATTLE_OK);
  assert_int_equal(count, N);
  assert_true(c[0] == -1.5 && c[N - 1] == -1.5);
  assert_true(rattle_expr_evaluate(g, rattle__sum(g, c, term, count), values) == -1.5 * N);
  free(c);
  free(term);

  unsigned char mask[4] = {2, 4, 8, 16}, *seen = calloc(rattle_graph_count(g) + 1, 1);
  assert_non_null(seen);
  assert_int_equal(rattle__depends(g, left, mask, 4, seen), 31);
  assert_int_equal(rattle__depends(g, left, mask, 4, seen), 31);
  free(seen);

  char text[32];
  assert_string_equal(rattle_expr_print(g, left, NULL, NULL, text, 21), "0.5*x[0]^2 + 0.5*...");
  values[N - 1] = (double)INFINITY;
  assert_int_equal(rattle__domain_fault(g, right, values, (rattle__naming){0}, text, sizeof text),
                   1);
  assert_string_equal(text, "x[999999] is inf");
  free(values);
}

/* A walk's tables follow what it meets, from a few nodes to the whole graph. */
static void walks_cost_what_they_meet(void **state) {
  (void)state;
  enum { N = 200000 };
  for (int i = 0; i < N; i++) SQRT(rattle_expr_variable(g, i));
  double *values = malloc(N * sizeof *values);
  assert_non_null(values);
  for (int i = 0; i < N; i++) values[i] = i;
  rattle_expr e = num(0);
  for (int count = 1; count <= N; count++) {
    e = ADD(e, rattle_expr_variable(g, N - count));
    if ((count & (count - 1)) != 0 && count != N) continue;
    rattle__walk walk;
    assert_int_equal(rattle__walk_begin(&walk, g, e, rattle__operands), RATTLE_OK);
    assert_int_equal(walk.count, 2 * count - 1);
    assert_true((walk.key ? 2 * (size_t)walk.mask : walk.top) <= 32 * (walk.count + 64));
    for (size_t i = 0; i < walk.count; i++)
      assert_int_equal(rattle__place(&walk, walk.node[i]), i + 1);
    assert_int_equal(rattle__place(&walk, SQRT(y)), 0);
    rattle__walk_end(&walk);
    assert_true(rattle_expr_evaluate(g, e, values) ==
                (double)count * N - 0.5 * count * (count + 1.0));
  }
  free(values);
}

static void sums_come_apart_in_order(void **state) {
  (void)state;
  double *c;
  rattle_expr *term;
  int count;
  /* 2*(x^2 - 3*y/4) + 5 - (-(sin z)) + x^2 - 7 */
  rattle_expr x2 = MUL(x, x), s = un(RATTLE_OP_SIN, z);
  rattle_expr e = MUL(SUB(x2, DIV(MUL(num(3), y), num(4))), num(2));
  e = SUB(ADD(SUB(ADD(e, num(5)), NEG(s)), x2), num(7));
  assert_int_equal(rattle__terms(g, e, &c, &term, &count, NULL), RATTLE_OK);
  const rattle_expr terms[] = {x2, y, num(1), s};
  const double factors[] = {3, -1.5, -2, 1};
  assert_int_equal(count, 4);
  for (int i = 0; i < count; i++) {
    assert_int_equal(term[i], terms[i]);
    assert_true(c[i] == factors[i]);
  }
  assert_text(rattle__sum(g, c, term, count), "3*x^2 - 1.5*y + (-2 + sin(z))");
  free(c);
  free(term);

  /* a doubling sum has 2^60 paths but two terms */
  for (int i = 0; i < 60; i++) e = ADD(MUL(e, num(0.5)), ADD(MUL(e, num(0.5)), y));
  assert_int_equal(rattle__terms(g, e, &c, &term, &count, NULL), RATTLE_OK);
  assert_int_equal(count, 4);
  assert_true(c[1] == -1.5 + 60);
  free(c);
  free(term);

  /* expressions that are not sums, and cancellation */
  assert_int_equal(rattle__terms(g, MUL(x, y), &c, &term, &count, NULL), RATTLE_OK);
  assert_true(count == 1 && c[0] == 1 && term[0] == MUL(x, y));
  free(c);
  free(term);
  assert_int_equal(rattle__terms(g, SUB(ADD(x, y), x), &c, &term, &count, NULL), RATTLE_OK);
  assert_true(count == 1 && c[0] == 1 && term[0] == y);
  free(c);
  free(term);
  assert_int_equal(rattle__terms(g, num(0), &c, &term, &count, NULL), RATTLE_OK);
  assert_int_equal(count, 0);
  assert_int_equal(rattle__sum(g, c, term, count), num(0));
  free(c);
  free(term);

  /* factors that overflow together, and division by zero, stay inside a term */
  e = MUL(num(1e200), MUL(num(1e200), x));
  assert_int_equal(rattle__terms(g, e, &c, &term, &count, NULL), RATTLE_OK);
  assert_true(count == 1 && c[0] == 1 && term[0] == e);
  free(c);
  free(term);
  assert_int_equal(rattle__terms(g, DIV(x, num(0)), &c, &term, &count, NULL), RATTLE_OK);
  assert_true(count == 1 && c[0] == 1 && term[0] == DIV(x, num(0)));
  free(c);
  free(term);

  rattle_error error;
  assert_int_equal(rattle__terms(g, RATTLE_EXPR_NONE, &c, &term, &count, &error),
                   RATTLE_BAD_ARGUMENT);
  assert_int_equal(error.status, RATTLE_BAD_ARGUMENT);
  assert_null(c);
}

static void dependence_is_found(void **state) {
  (void)state;
  const unsigned char mask[] = {1, 2, 4};
  rattle_expr e = MUL(SQRT(x), z), f = ADD(e, y), c = num(3);
  unsigned char *seen = calloc(rattle_graph_count(g) + 1, 1);
  assert_non_null(seen);
  assert_int_equal(rattle__depends(g, c, mask, 3, seen), 0);
  assert_int_equal(rattle__depends(g, e, mask, 3, seen), 5);
  assert_int_equal(rattle__depends(g, f, mask, 3, seen), 7);
  assert_int_equal(seen[e], 0x85);
  memset(seen, 0, rattle_graph_count(g) + 1);
  assert_int_equal(rattle__depends(g, e, mask, 0, seen), 1);
  free(seen);
}

/* Expressions of a packed graph are read, and made again they are the same nodes. */
static void packed_graphs_are_whole(void **state) {
  (void)state;
  enum { MANY = 300 };
  rattle_expr made[MANY];
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < MANY; i++) { /* x has more users than a list holds */
      const rattle_expr e =
          ADD(MUL(x, un(RATTLE_OP_SIN, rattle_expr_variable(g, i % 40))), num(0.5 * (i + 1)));
      if (round)
        assert_int_equal(e, made[i]);
      else
        made[i] = e;
    }
    const uint32_t count = rattle_graph_count(g);
    rattle__graph_pack(g);
    rattle__graph_pack(g);
    assert_null(g->user);
    assert_null(g->table);
    assert_int_equal(rattle_graph_count(g), count);
    assert_int_equal(rattle_expr_op(g, made[7]), RATTLE_OP_ADD);
    assert_true(rattle_expr_value(g, rattle_expr_operand(g, made[7], 1)) == 4);
  }
  const uint32_t count = rattle_graph_count(g);
  assert_int_equal(ADD(x, num(-77)), count + 2);
  assert_int_equal(x, rattle_expr_variable(g, 0));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(equal_expressions_are_one_node),
      TEST(packed_graphs_are_whole),
      TEST(nodes_with_many_users_find_them_again),
      TEST(the_table_of_a_chain_holds_leaves),
      TEST(nodes_can_be_looked_at),
      TEST(nothing_gives_nothing),
      TEST(constants_fold_to_what_evaluation_gives),
      TEST(trivial_algebra_is_done),
      TEST(nothing_that_hides_a_fault_or_rounds_is_done),
      TEST(integer_powers_multiply_from_the_left),
      TEST(deep_sums_work),
      TEST(walks_cost_what_they_meet),
      TEST(sums_come_apart_in_order),
      TEST(dependence_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
