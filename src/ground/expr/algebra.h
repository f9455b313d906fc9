#ifndef RATTLE__ALGEBRA_H
#define RATTLE__ALGEBRA_H
/* Algebra that writes expressions: each operation on numbers is a node of a graph, and what is zero
 * by its form is left out. Without memory a result is RATTLE_EXPR_NONE, and so are all that are
 * made of it. */
#include "rattle/expr.h"

static inline rattle_expr rattle__plus(rattle_graph *graph, rattle_expr a, rattle_expr b) {
  return rattle_expr_binary(graph, RATTLE_OP_ADD, a, b);
}
static inline rattle_expr rattle__minus(rattle_graph *graph, rattle_expr a, rattle_expr b) {
  return rattle_expr_binary(graph, RATTLE_OP_SUB, a, b);
}
static inline rattle_expr rattle__times(rattle_graph *graph, rattle_expr a, rattle_expr b) {
  return rattle_expr_binary(graph, RATTLE_OP_MUL, a, b);
}
static inline rattle_expr rattle__over(rattle_graph *graph, rattle_expr a, rattle_expr b) {
  return rattle_expr_binary(graph, RATTLE_OP_DIV, a, b);
}
static inline rattle_expr rattle__absolute(rattle_graph *graph, rattle_expr a) {
  return rattle_expr_unary(graph, RATTLE_OP_ABS, a);
}
/* c a */
static inline rattle_expr rattle__multiple(rattle_graph *graph, double c, rattle_expr a) {
  return rattle__times(graph, rattle_expr_constant(graph, c), a);
}

/* sum of a[i stride_a] b[i stride_b], by halves: operations wait for few others. */
static inline rattle_expr rattle__product(rattle_graph *graph, int count, const rattle_expr *a,
                                          int stride_a, const rattle_expr *b, int stride_b) {
  if (count == 0) return rattle_expr_constant(graph, 0);
  if (count == 1) return rattle__times(graph, *a, *b);
  const int half = count / 2;
  return rattle__plus(graph, rattle__product(graph, half, a, stride_a, b, stride_b),
                      rattle__product(graph, count - half, a + half * stride_a, stride_a,
                                      b + half * stride_b, stride_b));
}
#endif
