/* Symbolic derivatives: forward for one variable, backward for many. Both use the same products
 *
 *   chain(u, i, t) = t * du/dv_i     u an operation with operands v_0 = a, v_1 = b,
 *
 * t being the derivative of v_i (forward) or the derivative by u of the root (backward). If t is 0
 * no node is made, so that parts of the graph which do not depend on the variables cost nothing.
 *
 * The derivative of a choice is a choice by the same condition, which stays outermost: an undefined
 * value in the branch that is not taken does not spread.
 *
 *   d a^n = n a^(n-1) da       d a^b = b a^(b-1) da + a^b log(a) db       d atan2(a, b) = (b da - a
 *   db)/(a^2 + b^2) */
#include "ground/expr/derivative.h"

#include <math.h>
#include <stdlib.h>

#include "ground/expr/graph.h"
#include "ground/expr/walk.h"

static rattle_expr when(rattle_graph *g, rattle_expr condition, rattle_expr a) {
  return rattle_expr_binary(g, RATTLE_OP_WHEN, condition, a);
}
static int is_chosen(const rattle_graph *g, rattle_expr e) {
  return e && rattle__op(g, e) == RATTLE_OP_WHEN;
}
static rattle_expr add(rattle_graph *g, rattle_expr a, rattle_expr b) {
  if (is_chosen(g, a) && is_chosen(g, b) && rattle__first(g, a) == rattle__first(g, b))
    return when(g, rattle__first(g, a), add(g, rattle__second(g, a), rattle__second(g, b)));
  return rattle_expr_binary(g, RATTLE_OP_ADD, a, b);
}
static rattle_expr sub(rattle_graph *g, rattle_expr a, rattle_expr b) {
  return rattle_expr_binary(g, RATTLE_OP_SUB, a, b);
}
static rattle_expr mul(rattle_graph *g, rattle_expr a, rattle_expr b) {
  return rattle_expr_binary(g, RATTLE_OP_MUL, a, b);
}
static rattle_expr quo(rattle_graph *g, rattle_expr a, rattle_expr b) {
  return rattle_expr_binary(g, RATTLE_OP_DIV, a, b);
}
static rattle_expr power(rattle_graph *g, rattle_expr a, rattle_expr b) {
  return rattle_expr_binary(g, RATTLE_OP_POW, a, b);
}
static rattle_expr call(rattle_graph *g, rattle_op op, rattle_expr a) {
  return rattle_expr_unary(g, op, a);
}
static rattle_expr number(rattle_graph *g, double value) {
  return rattle_expr_constant(g, value);
}

/* c exp(-a^2) */
static rattle_expr bell(rattle_graph *g, double c, rattle_expr a) {
  return mul(g, number(g, c), call(g, RATTLE_OP_EXP, call(g, RATTLE_OP_NEG, mul(g, a, a))));
}

/* 1 + s*a^2 */
static rattle_expr one_plus_square(rattle_graph *g, double s, rattle_expr a) {
  return (s > 0 ? add : sub)(g, number(g, 1), mul(g, a, a));
}

static rattle_expr chain_binary(rattle_graph *g, rattle_expr u, int i, rattle_expr t) {
  rattle_expr a = rattle__first(g, u), b = rattle__second(g, u);
  switch (rattle__op(g, u)) {
  case RATTLE_OP_ADD:
    return t;
  case RATTLE_OP_SUB:
    return i == 0 ? t : call(g, RATTLE_OP_NEG, t);
  case RATTLE_OP_MUL:
    return i == 0 ? mul(g, t, b) : mul(g, a, t);
  case RATTLE_OP_DIV:
    return i == 0 ? quo(g, t, b) : call(g, RATTLE_OP_NEG, quo(g, mul(g, u, t), b));
  case RATTLE_OP_POW:
  case RATTLE_OP_POWI:
    if (i == 1) return mul(g, t, mul(g, u, call(g, RATTLE_OP_LOG, a)));
    return mul(g, mul(g, b, power(g, a, sub(g, b, number(g, 1)))), t);
  case RATTLE_OP_LT:
    return number(g, 0);
  case RATTLE_OP_WHEN:
    return i == 0 ? number(g, 0) : when(g, a, t);
  case RATTLE_OP_MIN:
  case RATTLE_OP_MAX: {
    rattle_expr below = rattle_expr_binary(g, RATTLE_OP_LT, a, b);
    return when(
        g, (rattle__op(g, u) == RATTLE_OP_MIN) == (i == 0) ? below : sub(g, number(g, 1), below),
        t);
  }
  case RATTLE_OP_ATLEAST:
  case RATTLE_OP_ATMOST:
    return i == 0 ? t : number(g, 0);
  default: { /* ATAN2 */
    rattle_expr square = add(g, mul(g, a, a), mul(g, b, b));
    return i == 0 ? quo(g, mul(g, b, t), square)
                  : call(g, RATTLE_OP_NEG, quo(g, mul(g, a, t), square));
  }
  }
}

static rattle_expr chain_unary(rattle_graph *g, rattle_expr u, rattle_expr t) {
  rattle_expr a = rattle__first(g, u);
  switch (rattle__op(g, u)) {
  case RATTLE_OP_NEG:
    return call(g, RATTLE_OP_NEG, t);
  case RATTLE_OP_SQRT:
    return quo(g, mul(g, number(g, 0.5), t), u);
  case RATTLE_OP_EXP:
    return mul(g, t, u);
  case RATTLE_OP_LOG:
    return quo(g, t, a);
  case RATTLE_OP_SIN:
    return mul(g, t, call(g, RATTLE_OP_COS, a));
  case RATTLE_OP_COS:
    return call(g, RATTLE_OP_NEG, mul(g, t, call(g, RATTLE_OP_SIN, a)));
  case RATTLE_OP_TAN:
    return mul(g, t, one_plus_square(g, 1, u));
  case RATTLE_OP_ASIN:
    return quo(g, t, call(g, RATTLE_OP_SQRT, one_plus_square(g, -1, a)));
  case RATTLE_OP_ACOS:
    return call(g, RATTLE_OP_NEG, quo(g, t, call(g, RATTLE_OP_SQRT, one_plus_square(g, -1, a))));
  case RATTLE_OP_ATAN:
    return quo(g, t, one_plus_square(g, 1, a));
  case RATTLE_OP_SINH:
    return mul(g, t, call(g, RATTLE_OP_COSH, a));
  case RATTLE_OP_COSH:
    return mul(g, t, call(g, RATTLE_OP_SINH, a));
  case RATTLE_OP_EXPM1:
    return mul(g, t, call(g, RATTLE_OP_EXP, a));
  case RATTLE_OP_LOG1P:
    return quo(g, t, rattle_expr_binary(g, RATTLE_OP_ADD, number(g, 1), a));
  case RATTLE_OP_ERF:
    return mul(g, t, bell(g, M_2_SQRTPI, a));
  case RATTLE_OP_ERFC:
    return mul(g, t, bell(g, -M_2_SQRTPI, a));
  case RATTLE_OP_ABS:
    return mul(g, t, call(g, RATTLE_OP_SIGN, a));
  case RATTLE_OP_SIGN:
  case RATTLE_OP_HELD:
    return number(g, 0);
  default:
    return mul(g, t, one_plus_square(g, -1, u)); /* TANH */
  }
}

static rattle_expr chain(rattle_graph *g, rattle_expr u, int i, rattle_expr t) {
  if (is_chosen(g, t)) return when(g, rattle__first(g, t), chain(g, u, i, rattle__second(g, t)));
  return rattle__arity(rattle__op(g, u)) == 2 ? chain_binary(g, u, i, t) : chain_unary(g, u, t);
}

/* Adds a term to a derivative, where RATTLE_EXPR_NONE stands for zero. Returns 0 if there is no
 * memory. */
static int accumulate(rattle_graph *g, rattle_expr *d, rattle_expr term) {
  rattle_expr total = *d && term ? add(g, *d, term) : term;
  if (!total) return 0;
  *d = rattle__is_constant(g, total) && rattle__value(g, total) == 0 ? RATTLE_EXPR_NONE : total;
  return 1;
}

/* d[i]: derivative of node i of the walk, RATTLE_EXPR_NONE if zero. */
static int forward(rattle_graph *g, const rattle__walk *walk, int32_t index, rattle_expr *d) {
  for (size_t i = 0; i < walk->count; i++) {
    rattle_expr u = walk->node[i], child[2];
    int arity = rattle__operands(g, u, child);
    if (arity == 0 && rattle_expr_index(g, u) == index && !(d[i] = number(g, 1))) return 0;
    for (int k = 0; k < arity; k++) {
      rattle_expr t = d[rattle__place(walk, child[k]) - 1];
      if (t && !accumulate(g, &d[i], chain(g, u, k, t))) return 0;
    }
  }
  return 1;
}

rattle_expr rattle_expr_derivative(rattle_graph *graph, rattle_expr e, int32_t index) {
  if (!rattle__valid(graph, e) || index < 0) return RATTLE_EXPR_NONE;
  rattle__walk walk;
  rattle_status status = rattle__walk_begin(&walk, graph, e, rattle__operands);
  rattle_expr *d = status ? NULL : calloc(walk.count, sizeof *d), result = RATTLE_EXPR_NONE;
  if (d && forward(graph, &walk, index, d))
    result = d[walk.count - 1] ? d[walk.count - 1] : number(graph, 0);
  free(d);
  rattle__walk_end(&walk);
  return result;
}

/* active[i]: 1 if node i of the walk depends on a variable that was marked 1 before. */
static void spread(const rattle_graph *g, const rattle__walk *walk, unsigned char *active) {
  for (size_t i = 0; i < walk->count; i++) {
    rattle_expr child[2];
    int arity = rattle__operands(g, walk->node[i], child);
    for (int k = 0; k < arity; k++) active[i] |= active[rattle__place(walk, child[k]) - 1];
  }
}

/* d[i]: derivative of the root by node i, for active nodes. */
static int backward(rattle_graph *g, const rattle__walk *walk, const unsigned char *active,
                    rattle_expr *d) {
  if (!(d[walk->count - 1] = number(g, 1))) return 0;
  for (size_t i = walk->count; i-- > 0;) {
    rattle_expr u = walk->node[i], child[2];
    if (!active[i] || !d[i]) continue;
    int arity = rattle__operands(g, u, child);
    for (int k = 0; k < arity; k++) {
      size_t to = rattle__place(walk, child[k]) - 1;
      if (active[to] && !accumulate(g, &d[to], chain(g, u, k, d[i]))) return 0;
    }
  }
  return 1;
}

/* Place in the walk of each wanted variable, from 1; 0 if it does not occur. Marks them active. */
static void find(rattle_graph *g, const rattle__walk *walk, const int32_t *variables, int count,
                 rattle_expr *out, unsigned char *active) {
  for (int k = 0; k < count; k++) {
    rattle_expr v = rattle_expr_variable(g, variables[k]);
    out[k] = v ? rattle__place(walk, v) : 0;
    if (out[k]) active[out[k] - 1] = 1;
  }
}

rattle_status rattle__gradient(rattle_graph *graph, rattle_expr e, const int32_t *variables,
                               int count, rattle_expr *out) {
  if (!rattle__valid(graph, e) || count < 0) return RATTLE_BAD_ARGUMENT;
  rattle__walk walk;
  rattle_status status = rattle__walk_begin(&walk, graph, e, rattle__operands);
  rattle_expr zero = number(graph, 0), *d = status ? NULL : calloc(walk.count, sizeof *d);
  unsigned char *active = d ? calloc(walk.count, 1) : NULL;
  if (!active || !zero) status = RATTLE_NO_MEMORY;
  if (!status) {
    find(graph, &walk, variables, count, out, active);
    spread(graph, &walk, active);
    if (!backward(graph, &walk, active, d)) status = RATTLE_NO_MEMORY;
  }
  for (int k = 0; k < count && !status; k++)
    out[k] = out[k] && d[out[k] - 1] ? d[out[k] - 1] : zero;
  free(active);
  free(d);
  rattle__walk_end(&walk);
  return status;
}
