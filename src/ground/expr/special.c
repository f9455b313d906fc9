/* Functions of probability made of other operations, whose derivatives of all orders, series and
 * machine code are therefore there.
 *
 * lgamma: log Gamma(x) = S(x + 8) - log(x (x + 1) ... (x + 7)), with Stirling's series
 *     S(y) = (y - 1/2) log y - y + log(2 pi)/2 + sum_k B_2k/(2k (2k - 1) y^(2k - 1)),
 * whose rest is smaller than the first term that is left out (Abramowitz and Stegun, Handbook of
 * Mathematical Functions, 1964, 6.1.15 and 6.1.42): 8e-17 after eight terms, at y > 8. It is
 * absolute: near the zeros at 1 and 2 digits cancel. */
#include <math.h>

#include "ground/expr/graph.h"
#include "rattle/special.h"

enum { SHIFT = 8, TERMS = 8 };
/* B_2k/(2k (2k - 1)) */
static const double stirling[TERMS] = {
    1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
    1.0 / 1188, -691.0 / 360360, 1.0 / 156,  -3617.0 / 122400,
};
static const double half_log_2pi = 0.91893853320467274178;

static rattle_expr binary(rattle_graph *g, rattle_op op, rattle_expr a, rattle_expr b) {
  return rattle_expr_binary(g, op, a, b);
}
static rattle_expr number(rattle_graph *g, double value) {
  return rattle_expr_constant(g, value);
}
static rattle_expr log_of(rattle_graph *g, rattle_expr a) {
  return rattle_expr_unary(g, RATTLE_OP_LOG, a);
}

rattle_expr rattle_expr_lgamma(rattle_graph *graph, rattle_expr a) {
  rattle_graph *g = graph;
  a = binary(g, RATTLE_OP_ATLEAST, a, number(g, 0)); /* the formulas have values below 0 too */
  rattle_expr product = a, y = binary(g, RATTLE_OP_ADD, a, number(g, SHIFT));
  for (int k = 1; k < SHIFT; k++)
    product = binary(g, RATTLE_OP_MUL, product, binary(g, RATTLE_OP_ADD, a, number(g, k)));
  rattle_expr w = binary(g, RATTLE_OP_POW, y, number(g, -2)),
              series = number(g, stirling[TERMS - 1]);
  for (int k = TERMS - 1; k-- > 0;)
    series = binary(g, RATTLE_OP_ADD, number(g, stirling[k]), binary(g, RATTLE_OP_MUL, w, series));
  rattle_expr s =
      binary(g, RATTLE_OP_MUL, binary(g, RATTLE_OP_SUB, y, number(g, 0.5)), log_of(g, y));
  s = binary(g, RATTLE_OP_ADD, binary(g, RATTLE_OP_SUB, s, y), number(g, half_log_2pi));
  s = binary(g, RATTLE_OP_ADD, s, binary(g, RATTLE_OP_DIV, series, y));
  return binary(g, RATTLE_OP_SUB, s, log_of(g, product));
}

/* m + log(exp(a - m) + exp(b - m)) is the same for each m: for the larger of a and b, which is
 * held, nothing overflows and no derivative has a kink. */
rattle_expr rattle_expr_logaddexp(rattle_graph *graph, rattle_expr a, rattle_expr b) {
  rattle_graph *g = graph;
  const rattle_expr m = rattle_expr_unary(g, RATTLE_OP_HELD, binary(g, RATTLE_OP_MAX, a, b));
  const rattle_expr left = rattle_expr_unary(g, RATTLE_OP_EXP, binary(g, RATTLE_OP_SUB, a, m)),
                    right = rattle_expr_unary(g, RATTLE_OP_EXP, binary(g, RATTLE_OP_SUB, b, m));
  return binary(g, RATTLE_OP_ADD, m, log_of(g, binary(g, RATTLE_OP_ADD, left, right)));
}
