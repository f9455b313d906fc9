#ifndef RATTLE__GRAPH_H
#define RATTLE__GRAPH_H
/* The inside of an expression graph, for the files of this room.
 *
 * node[1 .. count] in order of making, 16 bytes each; node[0] stands for
 * RATTLE_EXPR_NONE and has operation RATTLE_OP_COUNT. table is an open-addressing hash table of handles
 * (0: empty) whose size is a power of two and at least twice the count. */
#include <string.h>

#include "rattle/expr.h"

typedef struct rattle__expr_node {
  uint32_t hash, op;
  uint64_t key; /* CONSTANT: bit pattern of the value; VARIABLE: index; else operand 0 in the high half, operand 1 in the low */
} rattle__expr_node;

struct rattle_graph {
  rattle__expr_node *node;
  rattle_expr *table;
  size_t room;   /* nodes allocated */
  uint32_t mask; /* size of table - 1 */
  uint32_t count;
};

/* The node with that operation and key, made where it is not there yet. No simplification, no checks. */
rattle_expr rattle__intern(rattle_graph *graph, rattle_op op, uint64_t key);

static inline int rattle__arity(rattle_op op) {
  static const signed char arity[] = {
#define OP(name, arity, symbol) arity,
#include "rattle/ops.def"
#undef OP
  };
  return (unsigned)op < RATTLE_OP_COUNT ? arity[op] : -1;
}

static inline const char *rattle__symbol(rattle_op op) {
  static const char *const symbol[] = {
#define OP(name, arity, symbol) symbol,
#include "rattle/ops.def"
#undef OP
  };
  return symbol[op];
}

static inline int rattle__valid(const rattle_graph *graph, rattle_expr e) {
  return e != RATTLE_EXPR_NONE && e <= graph->count;
}

/* For valid e: operation, operands (of operations, not of leaves), value of a constant. */
static inline rattle_op rattle__op(const rattle_graph *graph, rattle_expr e) {
  return (rattle_op)graph->node[e].op;
}
static inline rattle_expr rattle__first(const rattle_graph *graph, rattle_expr e) {
  return (rattle_expr)(graph->node[e].key >> 32);
}
static inline rattle_expr rattle__second(const rattle_graph *graph, rattle_expr e) {
  return (rattle_expr)graph->node[e].key;
}
static inline double rattle__value(const rattle_graph *graph, rattle_expr e) {
  double value;
  memcpy(&value, &graph->node[e].key, sizeof value);
  return value;
}
static inline int rattle__is_constant(const rattle_graph *graph, rattle_expr e) {
  return rattle__op(graph, e) == RATTLE_OP_CONSTANT;
}
#endif
