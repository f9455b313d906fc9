/* A graph of its own for each test, short names for its operations, and its expressions as text.
 * Include cmocka.h before. */
#ifndef TESTS_SHORT_GRAPH_H
#define TESTS_SHORT_GRAPH_H
#include "ground/expr/graph.h"
#include "ground/expr/print.h"

static rattle_graph *g;
static rattle_expr x, y, z;

static int setup(void **state) {
  (void)state;
  if (rattle_graph_create(&g, NULL) != RATTLE_OK) return -1;
  x = rattle_expr_variable(g, 0);
  y = rattle_expr_variable(g, 1);
  z = rattle_expr_variable(g, 2);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  rattle_graph_destroy(&g);
  return g != NULL;
}

static inline rattle_expr num(double value) {
  return rattle_expr_constant(g, value);
}
static inline rattle_expr un(rattle_op op, rattle_expr a) {
  return rattle_expr_unary(g, op, a);
}
static inline rattle_expr bin(rattle_op op, rattle_expr a, rattle_expr b) {
  return rattle_expr_binary(g, op, a, b);
}
#define ADD(a, b) bin(RATTLE_OP_ADD, a, b)
#define SUB(a, b) bin(RATTLE_OP_SUB, a, b)
#define MUL(a, b) bin(RATTLE_OP_MUL, a, b)
#define DIV(a, b) bin(RATTLE_OP_DIV, a, b)
#define POW(a, b) bin(RATTLE_OP_POW, a, b)
#define ATAN2(a, b) bin(RATTLE_OP_ATAN2, a, b)
#define NEG(a) un(RATTLE_OP_NEG, a)
#define SQRT(a) un(RATTLE_OP_SQRT, a)
#define EXP(a) un(RATTLE_OP_EXP, a)
#define LOG(a) un(RATTLE_OP_LOG, a)
#define SIN(a) un(RATTLE_OP_SIN, a)
#define COS(a) un(RATTLE_OP_COS, a)
#define TAN(a) un(RATTLE_OP_TAN, a)
#define ASIN(a) un(RATTLE_OP_ASIN, a)
#define ACOS(a) un(RATTLE_OP_ACOS, a)
#define ATAN(a) un(RATTLE_OP_ATAN, a)
#define SINH(a) un(RATTLE_OP_SINH, a)
#define COSH(a) un(RATTLE_OP_COSH, a)
#define TANH(a) un(RATTLE_OP_TANH, a)

/* Names of the variables. */
static inline const char *letter(void *context, int32_t index) {
  return ((const char *const *)context)[index];
}

static const char *letters[] = {"x", "y", "z", "px"};

static inline void assert_text(rattle_expr e, const char *text) {
  char buffer[256];
  assert_string_equal(rattle_expr_print(g, e, letter, letters, buffer, sizeof buffer), text);
}
#endif
