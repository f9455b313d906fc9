/* How smooth expressions are. */
#include "ground/expr/pieces.h"

#include <math.h>
#include <stdlib.h>

#include "ground/expr/graph.h"
#include "ground/expr/walk.h"

int rattle__is_condition(const rattle_graph *graph, rattle_expr e) {
  for (;;) {
    const rattle_op op = rattle_expr_op(graph, e);
    const rattle_expr a = rattle_expr_operand(graph, e, 0), b = rattle_expr_operand(graph, e, 1);
    if (op == RATTLE_OP_LT) return 1;
    if (op == RATTLE_OP_SUB && rattle__is_constant(graph, a) && rattle__value(graph, a) == 1) {
      e = b;
      continue;
    }
    if (op != RATTLE_OP_MUL && op != RATTLE_OP_MIN && op != RATTLE_OP_MAX) return 0;
    if (!rattle__is_condition(graph, a)) return 0;
    e = b;
  }
}

int rattle__is_wrapped(const rattle_graph *g, rattle_expr e) {
  if (rattle__op(g, e) != RATTLE_OP_ATAN2) return 0;
  const rattle_expr s = rattle__first(g, e), c = rattle__second(g, e);
  return rattle__op(g, s) == RATTLE_OP_SIN && rattle__op(g, c) == RATTLE_OP_COS &&
         rattle__first(g, s) == rattle__first(g, c);
}

/* u, if e is abs(u) or sqrt(u^2); else NONE. */
static rattle_expr of_absolute(const rattle_graph *g, rattle_expr e) {
  const rattle_expr a = rattle__first(g, e);
  if (rattle__op(g, e) == RATTLE_OP_ABS) return a;
  return rattle__op(g, e) == RATTLE_OP_SQRT && rattle__op(g, a) == RATTLE_OP_POWI &&
                 rattle__value(g, rattle__second(g, a)) == 2
             ? rattle__first(g, a)
             : RATTLE_EXPR_NONE;
}

/* 1 if u is a factor of e, as far as products are written one after the other. */
static int has_factor(const rattle_graph *g, rattle_expr e, rattle_expr u) {
  for (;;) {
    const rattle_op op = rattle__op(g, e);
    const rattle_expr a = rattle__first(g, e), b = rattle__second(g, e);
    if (e == u || (op == RATTLE_OP_MUL && (a == u || b == u))) return 1;
    if (op != RATTLE_OP_MUL && op != RATTLE_OP_NEG) return 0;
    e = op == RATTLE_OP_MUL && rattle__op(g, a) != RATTLE_OP_MUL &&
                rattle__op(g, a) != RATTLE_OP_NEG
            ? b
            : a;
  }
}

static rattle_expr without_number(const rattle_graph *g, rattle_expr e) {
  const int scaled =
      rattle__op(g, e) == RATTLE_OP_MUL && rattle__is_constant(g, rattle__first(g, e));
  return scaled ? rattle__second(g, e) : e;
}

rattle_expr rattle__quotient_of_sign(const rattle_graph *g, rattle_expr e) {
  if (rattle__op(g, e) != RATTLE_OP_DIV) return RATTLE_EXPR_NONE;
  const rattle_expr by = without_number(g, rattle__second(g, e)), of = of_absolute(g, by),
                    u = of ? without_number(g, of) : of;
  return u && has_factor(g, rattle__first(g, e), u) ? u : RATTLE_EXPR_NONE;
}

static int is_choice(const rattle_graph *g, rattle_expr e) {
  const rattle_op op = rattle__op(g, e);
  return rattle__is_wrapped(g, e) || rattle__quotient_of_sign(g, e) || op == RATTLE_OP_ABS ||
         op == RATTLE_OP_SIGN || op == RATTLE_OP_LT || op == RATTLE_OP_WHEN ||
         op == RATTLE_OP_MIN || op == RATTLE_OP_MAX;
}

/* Clamps of a table contain the clamp to the table's range as innermost first operand. */
static int is_of_table(const rattle_graph *g, rattle_expr e) {
  while (rattle__op(g, e) == RATTLE_OP_MIN || rattle__op(g, e) == RATTLE_OP_MAX)
    e = rattle__first(g, e);
  return rattle__op(g, e) == RATTLE_OP_ATMOST &&
         rattle__op(g, rattle__first(g, e)) == RATTLE_OP_ATLEAST;
}

static int own_smoothness(const rattle_graph *g, rattle_expr e) {
  const rattle_op op = rattle__op(g, e);
  if (op == RATTLE_OP_ATAN2 || op == RATTLE_OP_SIGN || op == RATTLE_OP_LT || op == RATTLE_OP_WHEN ||
      op == RATTLE_OP_DIV)
    return -1;
  return op != RATTLE_OP_ABS && is_of_table(g, e) ? 2 : 0;
}

static int is_zero(const rattle_graph *g, rattle_expr e) {
  return rattle__is_constant(g, e) && rattle__value(g, e) == 0;
}

/* The smoothness of u^n where u is a kink at 0; -1: it is another power. */
static int of_power(const rattle_graph *g, rattle_expr e) {
  if (rattle__op(g, e) != RATTLE_OP_POWI) return -1;
  const rattle_expr u = rattle__first(g, e);
  const double n = rattle__value(g, rattle__second(g, e));
  const rattle_op op = rattle__op(g, u);
  if (!(n >= 2 && n < RATTLE__SMOOTH)) return -1;
  if (op == RATTLE_OP_ABS) return fmod(n, 2) == 0 ? RATTLE__SMOOTH : (int)n - 1;
  const int at_zero = (op == RATTLE_OP_MIN || op == RATTLE_OP_MAX) &&
                      (is_zero(g, rattle__first(g, u)) || is_zero(g, rattle__second(g, u)));
  return at_zero ? (int)n - 1 : -1;
}

/* True if the graph has a choice at all; an angle may be one (rattle__is_wrapped), and
 * u/sqrt(u^2). */
static int has_choices(const rattle_graph *g) {
  return rattle__has(g, RATTLE_OP_ABS) || rattle__has(g, RATTLE_OP_SIGN) ||
         rattle__has(g, RATTLE_OP_LT) || rattle__has(g, RATTLE_OP_WHEN) ||
         rattle__has(g, RATTLE_OP_MIN) || rattle__has(g, RATTLE_OP_MAX) ||
         rattle__has(g, RATTLE_OP_ATAN2) ||
         (rattle__has(g, RATTLE_OP_SQRT) && rattle__has(g, RATTLE_OP_DIV));
}

/* A held operand counts as a number: functions that are made of one, as an angle that counts turns
 * and logaddexp, are smooth beside it. */
static int operands(const rattle_graph *g, rattle_expr e, rattle_expr child[2]) {
  return rattle__op(g, e) == RATTLE_OP_HELD ? 0 : rattle__operands(g, e, child);
}

int rattle__least_smooth(const rattle_graph *graph, const rattle_expr *root, int roots,
                         rattle_expr *seam) {
  rattle__walk walk;
  int least = RATTLE__SMOOTH;
  if (!has_choices(graph)) return least;
  if (rattle__walk_all(&walk, graph, root, roots, operands)) return rattle__walk_end(&walk), least;
  unsigned char *bare = calloc(walk.count + 1, 1); /* used otherwise than in such a power */
  for (int i = 0; bare && i < roots; i++)
    if (root[i]) bare[rattle__place(&walk, root[i]) - 1] = 1;
  for (size_t i = walk.count; bare && i-- > 0;) {
    const rattle_expr e = walk.node[i];
    rattle_expr child[2];
    const int count = operands(graph, e, child), power = of_power(graph, e);
    for (int k = 0; k < count && power < 0; k++) bare[rattle__place(&walk, child[k]) - 1] = 1;
    const int own = power >= 0                       ? power
                    : is_choice(graph, e) && bare[i] ? own_smoothness(graph, e)
                                                     : RATTLE__SMOOTH;
    if (own < least) least = own, *seam = e;
  }
  free(bare);
  rattle__walk_end(&walk);
  return least;
}
