/* Making operations: constants are folded and trivial algebra is done before a node is made.
 *
 * Folding uses rattle__op_apply, hence gives the bits that evaluation would give. Constants that
 * are not finite are not folded (1/0 and log(-1) stay nodes, so that a run can name them). x/x, 0/x
 * and x^-1*x are not simplified: that would hide a fault; 0*x and x-x become 0 by custom. Constants
 * are moved and merged only if this is exact or changes nothing but signs: results differ from
 * those of the text at most in the sign of a zero. */
#include <float.h>
#include <math.h>

#include "ground/expr/graph.h"
#include "ground/expr/inputs.h"
#include "ground/expr/op.h"

static rattle_expr negative(rattle_graph *graph, rattle_expr a);

static rattle_expr node1(rattle_graph *graph, rattle_op op, rattle_expr a) {
  return a ? rattle__intern(graph, op, (uint64_t)a << 32) : RATTLE_EXPR_NONE;
}

static rattle_expr node2(rattle_graph *graph, rattle_op op, rattle_expr a, rattle_expr b) {
  return a && b ? rattle__intern(graph, op, (uint64_t)a << 32 | b) : RATTLE_EXPR_NONE;
}

static int is_value(const rattle_graph *graph, rattle_expr e, double value) {
  return rattle__is_constant(graph, e) && rattle__value(graph, e) == value &&
         !rattle__is_input(graph, e);
}

static int is_op(const rattle_graph *graph, rattle_expr e, rattle_op op) {
  return rattle__op(graph, e) == op;
}

/* A constant that is infinite or NaN. */
static int is_wild(const rattle_graph *graph, rattle_expr e) {
  return rattle__is_constant(graph, e) && !isfinite(rattle__value(graph, e));
}

/* op(a, b) of constants, where operands and result are finite; b = a for arity 1. 1 if folded. A
 * zero is made +0. */
static int fold(rattle_graph *graph, rattle_op op, rattle_expr a, rattle_expr b,
                rattle_expr *result) {
  if (!rattle__is_constant(graph, a) || !rattle__is_constant(graph, b) || is_wild(graph, a) ||
      is_wild(graph, b))
    return 0;
  if (rattle__is_input(graph, a) || rattle__is_input(graph, b))
    return *result =
               rattle__input_derive(graph, op, a, rattle__arity(op) == 2 ? b : RATTLE_EXPR_NONE),
           1;
  double value = rattle__op_apply(op, rattle__value(graph, a), rattle__value(graph, b));
  if (!isfinite(value)) return 0;
  *result = rattle_expr_constant(graph, value == 0 ? 0 : value);
  return 1;
}

/* c*k or c/k where that is exact and far from overflow and underflow. */
static int exact_product(double c, double k, double *p) {
  *p = c * k;
  return isfinite(*p) && fabs(*p) > DBL_MIN / DBL_EPSILON && fma(c, k, -*p) == 0;
}

static int exact_quotient(double c, double k, double *q) {
  *q = c / k;
  return isfinite(*q) && fabs(*q) > DBL_MIN / DBL_EPSILON && fabs(c) > DBL_MIN / DBL_EPSILON &&
         fma(*q, k, -c) == 0;
}

static int is_power_of_two(const rattle_graph *graph, rattle_expr e) {
  int exponent;
  return !rattle__is_input(graph, e) && fabs(frexp(rattle__value(graph, e), &exponent)) == 0.5;
}

/* c*k or c/k of constants, if one of them is a power of two, so that no bit of a result depends on
 * the merge; else NONE. A product of other numbers may be exact, and c*(k*u) and (c*k)*u still
 * differ; and the form of a graph with inputs must not depend on their values. */
static rattle_expr exact(rattle_graph *graph, rattle_op op, rattle_expr c, rattle_expr k) {
  double r;
  if (!is_power_of_two(graph, k) && (op == RATTLE_OP_DIV || !is_power_of_two(graph, c)))
    return RATTLE_EXPR_NONE;
  if (rattle__is_input(graph, c) || rattle__is_input(graph, k))
    return rattle__input_derive(graph, op, c, k);
  return (op == RATTLE_OP_MUL ? exact_product : exact_quotient)(rattle__value(graph, c),
                                                                rattle__value(graph, k), &r)
             ? rattle_expr_constant(graph, r)
             : RATTLE_EXPR_NONE;
}

/* e as c*u with a constant c, taken from a product with one constant factor. */
static int is_scaled(const rattle_graph *graph, rattle_expr e, rattle_expr *c, rattle_expr *u) {
  if (!is_op(graph, e, RATTLE_OP_MUL)) return 0;
  rattle_expr a = rattle__first(graph, e), b = rattle__second(graph, e);
  int first = rattle__is_constant(graph, a);
  if (!first && !rattle__is_constant(graph, b)) return 0;
  *c = first ? a : b;
  *u = first ? b : a;
  return 1;
}

static rattle_expr scaled(rattle_graph *graph, rattle_expr c, rattle_expr u) {
  if (is_value(graph, c, 1)) return u;
  if (is_value(graph, c, -1)) return negative(graph, u);
  return node2(graph, RATTLE_OP_MUL, c, u);
}

/* u/k with a constant k. */
static rattle_expr over(rattle_graph *graph, rattle_expr u, rattle_expr k) {
  if (is_value(graph, k, 1)) return u;
  if (is_value(graph, k, -1)) return negative(graph, u);
  return node2(graph, RATTLE_OP_DIV, u, k);
}

static rattle_expr minus(rattle_graph *graph, rattle_expr c) {
  return rattle__is_input(graph, c)
             ? rattle__input_derive(graph, RATTLE_OP_NEG, c, RATTLE_EXPR_NONE)
             : rattle_expr_constant(graph, -rattle__value(graph, c));
}

static rattle_expr sum(rattle_graph *graph, rattle_expr a, rattle_expr b) {
  rattle_expr e;
  if (fold(graph, RATTLE_OP_ADD, a, b, &e)) return e;
  if (is_value(graph, a, 0)) return b;
  if (is_value(graph, b, 0)) return a;
  if (a == b && !is_wild(graph, a)) return scaled(graph, rattle_expr_constant(graph, 2), a);
  if (is_op(graph, b, RATTLE_OP_NEG))
    return rattle_expr_binary(graph, RATTLE_OP_SUB, a, rattle__first(graph, b));
  return node2(graph, RATTLE_OP_ADD, a, b);
}

static rattle_expr difference(rattle_graph *graph, rattle_expr a, rattle_expr b) {
  rattle_expr e;
  if (fold(graph, RATTLE_OP_SUB, a, b, &e)) return e;
  if (is_value(graph, a, 0)) return negative(graph, b);
  if (is_value(graph, b, 0)) return a;
  if (a == b && !is_wild(graph, a)) return rattle_expr_constant(graph, 0);
  if (is_op(graph, b, RATTLE_OP_NEG)) return sum(graph, a, rattle__first(graph, b));
  return node2(graph, RATTLE_OP_SUB, a, b);
}

/* Signs move into a constant factor or divisor, else they stay in front. */
static rattle_expr negative(rattle_graph *graph, rattle_expr a) {
  rattle_expr e;
  if (fold(graph, RATTLE_OP_NEG, a, a, &e)) return e;
  rattle_op op = rattle__op(graph, a);
  if (op == RATTLE_OP_NEG) return rattle__first(graph, a);
  if (op == RATTLE_OP_SUB)
    return node2(graph, op, rattle__second(graph, a), rattle__first(graph, a));
  if (op == RATTLE_OP_MUL || op == RATTLE_OP_DIV) {
    rattle_expr u = rattle__first(graph, a), v = rattle__second(graph, a);
    if (rattle__is_constant(graph, u)) return node2(graph, op, minus(graph, u), v);
    if (rattle__is_constant(graph, v)) return node2(graph, op, u, minus(graph, v));
  }
  return node1(graph, RATTLE_OP_NEG, a);
}

/* Constant c times e, merged with a constant in e where exact; 1 if merged. */
static int merge_factor(rattle_graph *graph, rattle_expr c, rattle_expr e, rattle_expr *result) {
  rattle_expr k, r, u;
  if (is_scaled(graph, e, &k, &u) && (r = exact(graph, RATTLE_OP_MUL, c, k)))
    return *result = scaled(graph, r, u), 1;
  if (!is_op(graph, e, RATTLE_OP_DIV)) return 0;
  u = rattle__first(graph, e);
  rattle_expr v = rattle__second(graph, e);
  if (rattle__is_constant(graph, u) && (r = exact(graph, RATTLE_OP_MUL, c, u)))
    return *result = node2(graph, RATTLE_OP_DIV, r, v), 1;
  if (!rattle__is_constant(graph, v)) return 0;
  if ((r = exact(graph, RATTLE_OP_DIV, c, v))) return *result = scaled(graph, r, u), 1;
  if ((r = exact(graph, RATTLE_OP_DIV, v, c))) return *result = over(graph, u, r), 1;
  return 0;
}

static rattle_expr product(rattle_graph *graph, rattle_expr a, rattle_expr b) {
  rattle_expr e;
  if (fold(graph, RATTLE_OP_MUL, a, b, &e)) return e;
  if ((is_value(graph, a, 0) && !is_wild(graph, b)) ||
      (is_value(graph, b, 0) && !is_wild(graph, a)))
    return rattle_expr_constant(graph, 0);
  int left = rattle__is_constant(graph, a), right = rattle__is_constant(graph, b);
  if (is_value(graph, a, 1) || is_value(graph, a, -1)) return scaled(graph, a, b);
  if (is_value(graph, b, 1) || is_value(graph, b, -1)) return scaled(graph, b, a);
  if (a == b) return rattle_expr_binary(graph, RATTLE_OP_POWI, a, rattle_expr_constant(graph, 2));

  if (is_op(graph, a, RATTLE_OP_NEG))
    return negative(graph, product(graph, rattle__first(graph, a), b));
  if (is_op(graph, b, RATTLE_OP_NEG))
    return negative(graph, product(graph, a, rattle__first(graph, b)));
  if (left && merge_factor(graph, a, b, &e)) return e;
  if (right && merge_factor(graph, b, a, &e)) return e;
  return node2(graph, RATTLE_OP_MUL, a, b);
}

/* a/b with the constants of a = [c *] u [/ k] and of b = [k *] v brought together where exact; 1 if
 * merged. */
static int merge_divisor(rattle_graph *graph, rattle_expr a, rattle_expr b, rattle_expr *result) {
  rattle_expr c = a, k = b, r, u = RATTLE_EXPR_NONE, v = RATTLE_EXPR_NONE;
  int constant = rattle__is_constant(graph, b);
  if (constant && is_op(graph, a, RATTLE_OP_DIV) &&
      rattle__is_constant(graph, rattle__second(graph, a)) &&
      (r = exact(graph, RATTLE_OP_MUL, rattle__second(graph, a), k)))
    return *result = over(graph, rattle__first(graph, a), r), 1;

  if (!constant && !is_scaled(graph, b, &k, &v)) return 0;
  if (!rattle__is_constant(graph, a) && !is_scaled(graph, a, &c, &u)) return 0;
  if ((r = exact(graph, RATTLE_OP_DIV, c, k))) {
    rattle_expr top = u ? scaled(graph, r, u) : r;
    return *result = v ? node2(graph, RATTLE_OP_DIV, top, v) : top, 1;
  }
  if (u && (r = exact(graph, RATTLE_OP_DIV, k, c)))
    return *result = v ? node2(graph, RATTLE_OP_DIV, u, scaled(graph, r, v)) : over(graph, u, r), 1;
  return 0;
}

static rattle_expr quotient(rattle_graph *graph, rattle_expr a, rattle_expr b) {
  rattle_expr e;
  if (fold(graph, RATTLE_OP_DIV, a, b, &e)) return e;
  if (is_value(graph, b, 1)) return a;
  if (is_value(graph, b, -1)) return negative(graph, a);
  if (is_op(graph, a, RATTLE_OP_NEG))
    return negative(graph, quotient(graph, rattle__first(graph, a), b));
  if (is_op(graph, b, RATTLE_OP_NEG))
    return negative(graph, quotient(graph, a, rattle__first(graph, b)));
  if (merge_divisor(graph, a, b, &e)) return e;
  return node2(graph, RATTLE_OP_DIV, a, b);
}

static rattle_expr power(rattle_graph *graph, rattle_expr a, rattle_expr b) {
  rattle_expr e;
  double n = rattle__is_constant(graph, b) ? rattle__value(graph, b) : (double)NAN;
  if (rattle__is_input(graph, b)) { /* whole powers are products */
    graph->unlike = 1;
    return fold(graph, RATTLE_OP_POW, a, b, &e) ? e : node2(graph, RATTLE_OP_POW, a, b);
  }
  int whole = n == nearbyint(n) && fabs(n) <= INT32_MAX;
  if (fold(graph, whole ? RATTLE_OP_POWI : RATTLE_OP_POW, a, b, &e)) return e;
  if (n == 0) return rattle_expr_constant(graph, 1);
  if (n == 1) return a;
  if (n == 0.5) return node1(graph, RATTLE_OP_SQRT, a);
  if (n == -0.5)
    return node2(graph, RATTLE_OP_DIV, rattle_expr_constant(graph, 1),
                 node1(graph, RATTLE_OP_SQRT, a));
  if (!whole) return node2(graph, RATTLE_OP_POW, a, b);
  if (!is_op(graph, a, RATTLE_OP_NEG)) return node2(graph, RATTLE_OP_POWI, a, b);
  e = node2(graph, RATTLE_OP_POWI, rattle__first(graph, a), b);
  return e && fmod(n, 2) != 0 ? negative(graph, e) : e;
}

/* LT, WHEN, MIN, MAX, ATLEAST, ATMOST, ATAN2 */
static rattle_expr function(rattle_graph *graph, rattle_op op, rattle_expr a, rattle_expr b) {
  rattle_expr e;
  if (fold(graph, op, a, b, &e)) return e;
  if (op == RATTLE_OP_WHEN && is_value(graph, b, 0)) return b;
  if (op == RATTLE_OP_WHEN && rattle__is_input(graph, a)) {
    graph->unlike = 1;
    return node2(graph, op, a, b);
  }
  if (op == RATTLE_OP_WHEN && rattle__is_constant(graph, a) && !is_wild(graph, a))
    return rattle__value(graph, a) > 0 ? b : rattle_expr_constant(graph, 0);
  if ((op == RATTLE_OP_MIN || op == RATTLE_OP_MAX) && a == b) return a;
  return node2(graph, op, a, b);
}

rattle_expr rattle_expr_unary(rattle_graph *graph, rattle_op op, rattle_expr a) {
  rattle_expr e;
  if (rattle__arity(op) != 1 || !rattle__valid(graph, a)) return RATTLE_EXPR_NONE;
  if (op == RATTLE_OP_NEG) return negative(graph, a);
  if (op == RATTLE_OP_ABS && is_op(graph, a, RATTLE_OP_ABS)) return a;
  if (op == RATTLE_OP_ABS && is_op(graph, a, RATTLE_OP_NEG))
    return rattle_expr_unary(graph, op, rattle__first(graph, a));
  return fold(graph, op, a, a, &e) ? e : node1(graph, op, a);
}

rattle_expr rattle_expr_binary(rattle_graph *graph, rattle_op op, rattle_expr a, rattle_expr b) {
  if (rattle__arity(op) != 2 || !rattle__valid(graph, a) || !rattle__valid(graph, b))
    return RATTLE_EXPR_NONE;
  switch (op) {
  case RATTLE_OP_ADD:
    return sum(graph, a, b);
  case RATTLE_OP_SUB:
    return difference(graph, a, b);
  case RATTLE_OP_MUL:
    return product(graph, a, b);
  case RATTLE_OP_DIV:
    return quotient(graph, a, b);
  case RATTLE_OP_POW:
  case RATTLE_OP_POWI:
    return power(graph, a, b);
  default:
    return function(graph, op, a, b);
  }
}
