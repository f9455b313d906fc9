/* See cuts.h. */
#include "ground/expr/cuts.h"

#include <math.h>
#include <stdlib.h>

#include "ground/expr/graph.h"
#include "ground/expr/pieces.h"

/* How what is above uses a value: as it is; modulo 2 pi; modulo pi; its square; in a condition;
 * with constants that a condition adds. */
enum { BARE = 1, PERIODIC = 2, HALF = 4, SQUARED = 8, CONDITION = 16, MENDED = 32 };

static int is_whole(const rattle_graph *g, rattle_expr e) {
  return rattle__is_constant(g, e) && rattle__value(g, e) == floor(rattle__value(g, e));
}

static int never_negative(const rattle_graph *g, rattle_expr e) {
  const rattle_op op = rattle__op(g, e);
  return op == RATTLE_OP_SQRT || op == RATTLE_OP_ABS || op == RATTLE_OP_EXP ||
         (op == RATTLE_OP_POWI && fmod(rattle__value(g, rattle__second(g, e)), 2) == 0);
}

static int is_even_power(const rattle_graph *g, rattle_expr e) {
  return rattle__op(g, e) == RATTLE_OP_POWI && fmod(rattle__value(g, rattle__second(g, e)), 2) == 0;
}

/* True if e is constant but for a condition. */
static int switches(const rattle_graph *g, rattle_expr e) {
  switch (rattle__op(g, e)) {
  case RATTLE_OP_SIGN:
  case RATTLE_OP_LT:
    return 1;
  case RATTLE_OP_NEG:
    return switches(g, rattle__first(g, e));
  case RATTLE_OP_WHEN:
    return rattle__is_constant(g, rattle__second(g, e));
  case RATTLE_OP_ADD:
  case RATTLE_OP_SUB:
  case RATTLE_OP_MUL:
    return (rattle__is_constant(g, rattle__first(g, e)) || switches(g, rattle__first(g, e))) &&
           (rattle__is_constant(g, rattle__second(g, e)) || switches(g, rattle__second(g, e)));
  default:
    return 0;
  }
}

/* That of a factor, the other one being c. */
static int times(const rattle_graph *g, rattle_expr c, int use) {
  if (!is_whole(g, c)) return (use & ~(PERIODIC | HALF)) | BARE;
  return use & PERIODIC && fmod(rattle__value(g, c), 2) == 0 ? (use & ~PERIODIC) | HALF : use;
}

/* How operand k of e is used, if e is used in that way. */
static int passes(const rattle_graph *g, rattle_expr e, int k, int use) {
  const int condition = use & CONDITION;
  const rattle_expr other = k ? rattle__first(g, e) : rattle__second(g, e);
  switch (rattle__op(g, e)) {
  case RATTLE_OP_SIN:
  case RATTLE_OP_COS:
    return condition | (use & (BARE | PERIODIC | HALF) ? PERIODIC : HALF);
  case RATTLE_OP_TAN:
    return condition | HALF;
  case RATTLE_OP_ADD:
  case RATTLE_OP_SUB:
    if (use & SQUARED) use = (use & ~SQUARED) | BARE;
    return use | (switches(g, other) ? MENDED : 0);
  case RATTLE_OP_NEG:
    return use;
  case RATTLE_OP_MUL:
    return times(g, other, use & SQUARED && !rattle__is_constant(g, other) ? use | BARE : use);
  case RATTLE_OP_POWI:
    return condition | (is_even_power(g, e) && !k ? SQUARED : BARE);
  case RATTLE_OP_LT:
    return CONDITION | BARE;
  case RATTLE_OP_WHEN:
    return k ? use | MENDED : CONDITION | BARE;
  default:
    return condition | BARE;
  }
}

/* The operand of e in which a quotient or a tangent is a factor; -1: none is, 2: e is one. */
static int pole(const rattle_graph *g, rattle_expr e) {
  switch (rattle__op(g, e)) {
  case RATTLE_OP_TAN:
    return 2;
  case RATTLE_OP_DIV:
    return rattle__is_constant(g, rattle__second(g, e)) ? pole(g, rattle__first(g, e)) >= 0 ? 0 : -1
                                                        : 2;
  case RATTLE_OP_NEG:
    return pole(g, rattle__first(g, e)) >= 0 ? 0 : -1;
  case RATTLE_OP_MUL:
    return pole(g, rattle__first(g, e)) >= 0 ? 0 : pole(g, rattle__second(g, e)) >= 0 ? 1 : -1;
  default:
    return -1;
  }
}

/* e = y/x with the x of its pole */
static rattle_expr split(rattle_graph *g, rattle_expr e, rattle_expr *x) {
  const rattle_op op = rattle__op(g, e);
  const rattle_expr a = rattle__first(g, e);
  const int k = pole(g, e);
  if (k == 2) {
    *x = op == RATTLE_OP_DIV ? rattle__second(g, e) : rattle_expr_unary(g, RATTLE_OP_COS, a);
    return op == RATTLE_OP_DIV ? a : rattle_expr_unary(g, RATTLE_OP_SIN, a);
  }
  const rattle_expr y = split(g, k ? rattle__second(g, e) : a, x);
  if (!y) return y;
  if (op == RATTLE_OP_NEG) return rattle_expr_unary(g, op, y);
  return rattle_expr_binary(g, op, y, k ? a : rattle__second(g, e));
}

static int jumps(const rattle_graph *g, rattle_expr e, int use) {
  if (use & CONDITION) return 0;
  if (rattle__op(g, e) == RATTLE_OP_ATAN)
    return use & (BARE | SQUARED | PERIODIC) && !(use & MENDED) &&
           pole(g, rattle__first(g, e)) >= 0;
  return rattle__op(g, e) == RATTLE_OP_ATAN2 && use & (BARE | SQUARED) &&
         !rattle__is_wrapped(g, e) && !never_negative(g, rattle__first(g, e));
}

void rattle__direction(rattle_graph *g, rattle_expr angle, rattle_expr yx[2]) {
  if (rattle__op(g, angle) == RATTLE_OP_ATAN2)
    yx[0] = rattle__first(g, angle), yx[1] = rattle__second(g, angle);
  else
    yx[0] = split(g, rattle__first(g, angle), &yx[1]);
}

int rattle__has_angles(const rattle_graph *g) {
  return rattle__has(g, RATTLE_OP_ATAN2) || rattle__has(g, RATTLE_OP_ATAN);
}

/* The same of one root; known[e] is 1 for those that were found. */
static rattle_status find(const rattle_graph *graph, rattle_expr root, unsigned char *known,
                          rattle__stack *found) {
  rattle__walk walk;
  rattle_status status = rattle__walk_begin(&walk, graph, root, rattle__operands);
  unsigned char *use = status ? NULL : calloc(walk.count, 1);
  if (!use) status = RATTLE_NO_MEMORY;
  if (use) use[walk.count - 1] = BARE;
  for (size_t i = walk.count; !status && i-- > 0;) {
    const rattle_expr e = walk.node[i];
    rattle_expr child[2];
    const int count = rattle__operands(graph, e, child);
    for (int k = 0; k < count; k++)
      use[rattle__place(&walk, child[k]) - 1] |= (unsigned char)passes(graph, e, k, use[i]);
    if (!jumps(graph, e, use[i]) || known[e]) continue;
    known[e] = 1;
    if (!rattle__push(found, e)) status = RATTLE_NO_MEMORY;
  }
  free(use);
  rattle__walk_end(&walk);
  return status;
}

rattle_status rattle__find_cuts(const rattle_graph *graph, const rattle_expr *root, int roots,
                                rattle__stack *found) {
  unsigned char *known = calloc((size_t)graph->count + 1, 1);
  rattle_status status = known ? RATTLE_OK : RATTLE_NO_MEMORY;
  for (int i = 0; i < roots && !status; i++)
    if (rattle__valid(graph, root[i])) status = find(graph, root[i], known, found);
  free(known);
  return status;
}
