/* See cuts.h. */
#include "ground/expr/cuts.h"

#include <math.h>
#include <stdlib.h>

#include "ground/expr/graph.h"
#include "ground/expr/pieces.h"

/* How what is above uses a value: as it is; modulo 2 pi; in a condition. */
enum { BARE = 1, PERIODIC = 2, CONDITION = 4 };

static int is_whole(const rattle_graph *g, rattle_expr e) {
  return rattle__is_constant(g, e) && rattle__value(g, e) == floor(rattle__value(g, e));
}

static int never_negative(const rattle_graph *g, rattle_expr e) {
  const rattle_op op = rattle__op(g, e);
  return op == RATTLE_OP_SQRT || op == RATTLE_OP_ABS || op == RATTLE_OP_EXP ||
         (op == RATTLE_OP_POWI && fmod(rattle__value(g, rattle__second(g, e)), 2) == 0);
}

/* How operand k of e is used, if e is used in that way. */
static int passes(const rattle_graph *g, rattle_expr e, int k, int use) {
  const int condition = use & CONDITION;
  switch (rattle__op(g, e)) {
  case RATTLE_OP_SIN:
  case RATTLE_OP_COS:
  case RATTLE_OP_TAN:
    return condition | PERIODIC;
  case RATTLE_OP_ADD:
  case RATTLE_OP_SUB:
  case RATTLE_OP_NEG:
    return use;
  case RATTLE_OP_MUL:
    return is_whole(g, k ? rattle__first(g, e) : rattle__second(g, e)) ? use : condition | BARE;
  case RATTLE_OP_LT:
    return CONDITION | BARE;
  case RATTLE_OP_WHEN:
    return k ? use : CONDITION | BARE;
  default:
    return condition | BARE;
  }
}

static int jumps(const rattle_graph *g, rattle_expr e, int use) {
  return rattle__op(g, e) == RATTLE_OP_ATAN2 && use & BARE && !(use & CONDITION) &&
         !rattle__is_wrapped(g, e) && !never_negative(g, rattle__first(g, e));
}

int rattle__has_angles(const rattle_graph *g) {
  return rattle__has(g, RATTLE_OP_ATAN2);
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
