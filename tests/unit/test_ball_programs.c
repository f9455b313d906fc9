/* Programs of operations on balls: symbols write down what balls do, the interpreter and machine
 * code execute it, all of them with the same bits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drawn.h"
#include "ground/expr/ball_program.h"
#include "ground/expr/divided.h"
#include "rattle/expr.h"

enum { INPUTS = 6, OPERATIONS = 120, ROUNDS = 40, POINTS = 50 };

static const int functions[] = {RATTLE_OP_SIN,  RATTLE_OP_COS,  RATTLE_OP_EXP,  RATTLE_OP_LOG,
                                RATTLE_OP_SQRT, RATTLE_OP_ATAN, RATTLE_OP_TANH, RATTLE_OP_ABS};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* The bits of bounds, and of numbers but for the sign of 0, if both are finite. */
static int is_same(rattle__ball a, rattle__ball b) {
  const int finite = isfinite(a.at) && isfinite(a.by);
  return finite ? a.at == b.at && a.by == b.by : !isfinite(b.at) || !isfinite(b.by);
}

static rattle__ball drawn_ball(void) {
  const double kind = uniform();
  if (kind < 0.2) return rattle__exactly(0);
  if (kind < 0.4) return rattle__exactly(4 * uniform() - 2);
  return (rattle__ball){4 * uniform() - 2, kind < 0.7 ? 1e-15 * uniform() : 0.3 * uniform()};
}

/* One operation of two balls that came before, by symbols and by balls. */
static void operate(int which, rattle__ball_symbol s, rattle__ball x, rattle__ball_symbol t,
                    rattle__ball y, rattle__ball_symbol *u, rattle__ball *z) {
  const int op = functions[which % FUNCTIONS], part = which % 3;
  switch (which % 9) {
  case 0:
    *u = rattle__symbol_add(s, t), *z = rattle__ball_add(x, y);
    break;
  case 1:
    *u = rattle__symbol_subtract(s, t), *z = rattle__ball_subtract(x, y);
    break;
  case 2:
    *u = rattle__symbol_times(s, t), *z = rattle__ball_times(x, y);
    break;
  case 3:
    *u = rattle__symbol_more(s, s, t), *z = rattle__ball_more(x, x, y);
    break;
  case 4:
    *u = rattle__symbol_minus(s), *z = rattle__ball_minus(x);
    break;
  case 5:
    *u = rattle__symbol_scaled(s, -0.5), *z = rattle__ball_scaled(x, -0.5);
    break;
  case 6:
    *u = rattle__symbol_inverse(s), *z = rattle__ball_inverse(x);
    break;
  case 7: {
    const rattle__symbol_values v = rattle__symbol_function(op, s);
    const rattle__ball_values w = rattle__ball_function(op, x);
    *u = part == 0 ? v.f : part == 1 ? v.slope : v.bend;
    *z = part == 0 ? w.f : part == 1 ? w.slope : w.bend;
    break;
  }
  default: {
    const rattle__odd kind = (rattle__odd)(which % 5);
    const rattle__symbol_values v = rattle__symbol_odd(kind, s);
    const rattle__ball_values w = rattle__ball_odd(kind, x);
    *u = part == 0 ? v.f : part == 1 ? v.slope : v.bend;
    *z = part == 0 ? w.f : part == 1 ? w.slope : w.bend;
  }
  }
}

static void test_symbols(void **state) {
  int finite = 0;
  (void)state;
  for (int round = 0; round < ROUNDS; round++) {
    rattle__ball_programs p = {0};
    rattle__ball in[INPUTS], value[OPERATIONS], out[OPERATIONS];
    rattle__ball_symbol symbol[OPERATIONS];
    for (int i = 0; i < INPUTS; i++) {
      in[i] = drawn_ball();
      value[i] = in[i], symbol[i] = rattle__symbol_input(&p.all, 0, i);
      if (i < 2) value[i] = rattle__exactly(i), symbol[i] = rattle__symbol_exactly(i);
    }
    for (int i = INPUTS; i < OPERATIONS; i++) {
      const int a = (int)(uniform() * i), b = (int)(uniform() * i);
      operate((int)(uniform() * 720), symbol[a], value[a], symbol[b], value[b], &symbol[i],
              &value[i]);
    }
    assert_int_equal(rattle__ball_programs_add(&p, symbol, OPERATIONS), 0);
    assert_int_equal(rattle__ball_programs_finish(&p), 0);
    rattle__ball_program_run(&p, 0, (const rattle__ball *const[]){in}, out);
    for (int i = 0; i < OPERATIONS; i++) {
      assert_true(is_same(value[i], out[i]));
      finite += isfinite(out[i].at) && isfinite(out[i].by) && out[i].by > 0;
    }
    rattle__ball_programs_release(&p);
  }
  assert_true(finite > ROUNDS * OPERATIONS / 4);
}

/* --- machine code ----------------------------------------------------------------------------- */

enum { N = 3, ROWS = 4 };

static rattle__function *make_function(void) {
  rattle_graph *graph;
  rattle_error error;
  rattle__function *f;
  rattle_expr x[N], e[ROWS];
  const int place[N] = {0, 1, 2};
  const rattle__build build = {.place = place, .places = N, .vars = N};
  assert_int_equal(rattle_graph_create(&graph, &error), 0);
  for (int k = 0; k < N; k++) x[k] = rattle_expr_variable(graph, k);
#define TWO(op, a, b) rattle_expr_binary(graph, RATTLE_OP_##op, a, b)
#define ONE(op, a) rattle_expr_unary(graph, RATTLE_OP_##op, a)
  const rattle_expr s = TWO(ADD, rattle_expr_constant(graph, 3), TWO(MUL, x[0], x[0]));
  e[0] = TWO(SUB, TWO(MUL, x[0], x[1]), TWO(MUL, rattle_expr_constant(graph, 3), x[2]));
  e[1] = TWO(DIV, ONE(SIN, TWO(MUL, x[0], x[1])), s);
  e[2] = TWO(ADD, ONE(LOG, s), ONE(EXP, TWO(SUB, x[1], x[2])));
  e[3] = TWO(MUL, ONE(SQRT, s), TWO(ADD, ONE(ATAN, x[2]), ONE(TANH, x[1])));
  assert_int_equal(rattle__function_from_graph(&f, graph, e, ROWS, &build, &error), 0);
  rattle_graph_destroy(&graph);
  return f;
}

/* All programs at random points, by machine code and interpreted. */
static void compare(rattle__ball_programs *with, rattle__ball_programs *without) {
  for (int point = 0; point < POINTS; point++) {
    rattle__ball x[7][N], a[64], b[64];
    double y[7][N], c[64], d[64];
    const rattle__ball *in[7];
    const double *near[7];
    for (int part = 0; part < 7; part++) {
      in[part] = x[part], near[part] = y[part];
      for (int k = 0; k < N; k++) x[part][k] = drawn_ball(), y[part][k] = x[part][k].at;
    }
    for (int which = 0; which < with->count; which++) {
      assert_true(with->program[which].outs <= 64 && with->program[which].code &&
                  !without->program[which].code);
      rattle__ball_program_run(with, which, in, a);
      rattle__ball_program_run(without, which, in, b);
      rattle__ball_program_run_numbers(with, which, near, c);
      rattle__ball_program_run_numbers(without, which, near, d);
      for (int k = 0; k < with->program[which].outs; k++) {
        assert_true(is_same(a[k], b[k]));
        assert_true(c[k] == d[k] || (!isfinite(c[k]) && !isfinite(d[k])));
      }
    }
  }
}

static void test_code(void **state) {
  rattle__function *f = make_function();
  rattle__quadratic *q[2];
  rattle__divided *d[2];
  void *library;
  (void)state;
  for (int k = 0; k < 2; k++) {
    assert_int_equal(rattle__quadratic_create_smooth(&q[k], f, NULL), 0);
    assert_int_equal(rattle__divided_create(&d[k], f), 0);
  }
  rattle__ball_programs *const all[] = {&q[0]->smooth, NULL, &d[0]->programs};
  rattle__ball_programs_compile(all, 3, RATTLE__NATIVE, NULL, &library);
  if (rattle__compiler_is_there()) {
    assert_non_null(library);
    compare(&q[0]->smooth, &q[1]->smooth);
    compare(&d[0]->programs, &d[1]->programs);
  } else {
    assert_null(library);
  }
  for (int k = 0; k < 2; k++) rattle__quadratic_destroy(&q[k]), rattle__divided_destroy(&d[k]);
  rattle__native_unload(&library);
  rattle__function_destroy(&f);
}

/* A column that is fixed has no derivatives, and all else is as without. */
static void test_fixed(void **state) {
  static const char fixed[N] = {0, 1, 0};
  rattle__function *f = make_function();
  rattle__quadratic *some, *all;
  (void)state;
  assert_int_equal(rattle__quadratic_create_smooth(&all, f, NULL), 0);
  assert_int_equal(rattle__quadratic_create_smooth(&some, f, fixed), 0);
  for (int point = 0; point < POINTS; point++) {
    rattle__ball x[N], v[N], w[N], F[2][ROWS], G[2][ROWS * N], S[2][ROWS];
    for (int k = 0; k < N; k++) x[k] = drawn_ball(), v[k] = drawn_ball(), w[k] = drawn_ball();
    v[1] = w[1] = rattle__exactly(0);
    for (int k = 0; k < 2; k++) {
      rattle__quadratic_at(k ? some : all, x, F[k], G[k]);
      rattle__quadratic_second(k ? some : all, x, v, w, S[k]);
    }
    for (int i = 0; i < ROWS; i++) {
      assert_true(is_same(F[0][i], F[1][i]) && is_same(S[0][i], S[1][i]));
      for (int e = all->ptr[i]; e < all->ptr[i + 1]; e++)
        assert_true(fixed[all->col[e]] ? rattle__ball_is_zero(G[1][e]) : is_same(G[0][e], G[1][e]));
    }
  }
  rattle__quadratic_destroy(&some), rattle__quadratic_destroy(&all);
  rattle__function_destroy(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_symbols), cmocka_unit_test(test_code),
                                     cmocka_unit_test(test_fixed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
