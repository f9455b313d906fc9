/* Expressions that may be undefined on a part of their variables: from bounds of the operands of
 * their logarithms, roots, powers, arcs and ranges, computed from the leaves up.
 *
 * Symbols: [low, high] all values of a node where it is defined; of variables and inputs, all
 * numbers. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "ground/expr/elements.h"
#include "ground/expr/graph.h"
#include "ground/expr/walk.h"

typedef struct limits {
  double low, high;
} limits;

static const limits all = {-INFINITY, INFINITY};

static limits from(double low) {
  return (limits){low, INFINITY};
}

/* Bounds of products and quotients of which only signs are needed. */
static limits product(limits a, limits b) {
  if ((a.low >= 0 && b.low >= 0) || (a.high <= 0 && b.high <= 0)) return from(0);
  if ((a.low >= 0 && b.high <= 0) || (a.high <= 0 && b.low >= 0)) return (limits){-INFINITY, 0};
  return all;
}

static limits scaled(limits a, double c) {
  return c >= 0 ? (limits){a.low * c, a.high * c} : (limits){a.high * c, a.low * c};
}

static limits times(const rattle_graph *g, rattle_expr e, limits a, limits b) {
  const rattle_expr left = rattle__first(g, e), right = rattle__second(g, e);
  if (left == right) return from(0);
  if (a.low == a.high && a.low != 0) return scaled(b, a.low);
  if (b.low == b.high && b.low != 0) return scaled(a, b.low);
  return product(a, b);
}

static limits power(const rattle_graph *g, rattle_expr e, limits a) {
  const double exponent = rattle__value(g, rattle__second(g, e));
  if (rattle__op(g, e) == RATTLE_OP_POW || fmod(exponent, 2) == 0) return from(0);
  return a.low >= 0 ? from(0) : all;
}

/* Functions that grow with their operand and have the value 0 at 0, bounded by `most`. */
static limits odd(limits a, double most) {
  return (limits){a.low >= 0 ? 0 : -most, a.high <= 0 ? 0 : most};
}

static limits of_node(const rattle_graph *g, rattle_expr e, limits a, limits b) {
  switch (rattle__op(g, e)) {
  case RATTLE_OP_CONSTANT: {
    const double c = rattle__value(g, e);
    return rattle__is_input(g, e) ? all : (limits){c, c};
  }
  case RATTLE_OP_ADD:
    return (limits){a.low + b.low, a.high + b.high};
  case RATTLE_OP_SUB:
    return (limits){a.low - b.high, a.high - b.low};
  case RATTLE_OP_NEG:
    return (limits){-a.high, -a.low};
  case RATTLE_OP_MUL:
    return times(g, e, a, b);
  case RATTLE_OP_DIV:
    return b.low == b.high && b.low != 0 ? scaled(a, 1 / b.low) : product(a, b);
  case RATTLE_OP_POW:
  case RATTLE_OP_POWI:
    return power(g, e, a);
  case RATTLE_OP_MIN:
    return (limits){fmin(a.low, b.low), fmin(a.high, b.high)};
  case RATTLE_OP_MAX:
    return (limits){fmax(a.low, b.low), fmax(a.high, b.high)};
  case RATTLE_OP_WHEN:
    return (limits){fmin(b.low, 0), fmax(b.high, 0)};
  case RATTLE_OP_ATLEAST:
    return (limits){fmax(a.low, b.low), a.high};
  case RATTLE_OP_ATMOST:
    return (limits){a.low, fmin(a.high, b.high)};
  case RATTLE_OP_HELD:
    return a;
  case RATTLE_OP_LT:
    return (limits){0, 1};
  case RATTLE_OP_SQRT:
  case RATTLE_OP_EXP:
  case RATTLE_OP_ABS:
  case RATTLE_OP_ACOS:
  case RATTLE_OP_ERFC:
    return from(0);
  case RATTLE_OP_COSH:
    return from(1);
  case RATTLE_OP_SIN:
  case RATTLE_OP_COS:
    return (limits){-1, 1};
  case RATTLE_OP_TANH:
  case RATTLE_OP_ERF:
  case RATTLE_OP_SIGN:
    return odd(a, 1);
  case RATTLE_OP_EXPM1:
    return a.low >= 0 ? from(0) : from(-1);
  case RATTLE_OP_ASIN:
  case RATTLE_OP_ATAN:
    return odd(a, 2);
  case RATTLE_OP_SINH:
  case RATTLE_OP_LOG1P:
    return odd(a, INFINITY);
  default: /* variables, and operations of any value */
    return all;
  }
}

/* True if e is undefined for some operands with these bounds, poles aside. */
static int leaves(const rattle_graph *g, rattle_expr e, limits a, limits b) {
  switch (rattle__op(g, e)) {
  case RATTLE_OP_POW:
  case RATTLE_OP_SQRT:
  case RATTLE_OP_LOG:
    return !(a.low >= 0);
  case RATTLE_OP_LOG1P:
    return !(a.low >= -1);
  case RATTLE_OP_ASIN:
  case RATTLE_OP_ACOS:
    return !(a.low >= -1 && a.high <= 1);
  case RATTLE_OP_ATLEAST:
    return !(a.low >= b.high);
  case RATTLE_OP_ATMOST:
    return !(a.high <= b.low);
  default:
    return 0;
  }
}

static int may_leave(const rattle_graph *g) {
  static const rattle_op op[] = {RATTLE_OP_POW,     RATTLE_OP_SQRT,  RATTLE_OP_LOG,
                                 RATTLE_OP_LOG1P,   RATTLE_OP_ASIN,  RATTLE_OP_ACOS,
                                 RATTLE_OP_ATLEAST, RATTLE_OP_ATMOST};
  for (size_t i = 0; i < sizeof op / sizeof *op; i++)
    if (rattle__has(g, op[i])) return 1;
  return 0;
}

int rattle__is_partial(const rattle_graph *graph, rattle_expr e) {
  if (!may_leave(graph) || !rattle__valid(graph, e)) return 0;
  rattle__walk walk;
  int partial = 1; /* without memory */
  limits *of = rattle__walk_begin(&walk, graph, e, rattle__operands)
                   ? NULL
                   : malloc(walk.count * sizeof *of);
  if (of) partial = 0;
  for (size_t i = 0; of && i < walk.count && !partial; i++) {
    rattle_expr child[2];
    limits side[2] = {all, all};
    const int count = rattle__operands(graph, walk.node[i], child);
    for (int k = 0; k < count; k++) side[k] = of[rattle__place(&walk, child[k]) - 1];
    partial = leaves(graph, walk.node[i], side[0], side[1]);
    of[i] = of_node(graph, walk.node[i], side[0], side[1]);
    if (isnan(of[i].low) || isnan(of[i].high)) of[i] = all;
  }
  free(of);
  rattle__walk_end(&walk);
  return partial;
}
