#ifndef RATTLE__GRAPH_H
#define RATTLE__GRAPH_H
/* The inside of an expression graph, for the files of this room.
 *
 * op[1 .. count] and key[1 .. count] are the nodes in order of making; op[0] stands for
 * RATTLE_EXPR_NONE and is RATTLE_OP_COUNT.
 *
 * Equal nodes are one. An index finds them; a packed graph has none, and making a node brings it
 * back. An operation is listed under one operand that is no constant, the later one, whose memory
 * was probably used last: user[operand].first, then .next of each user. Such a list ends at
 * MOST_USERS. Leaves other than inputs, and the operations beyond MOST_USERS, are in an
 * open-addressing hash table of `entries` handles (0: empty), at most two thirds full, whose size
 * is a power of two. Probing begins at hash >> shift: entries keep their order when the table
 * doubles, so that growing reads and writes both tables from one end to the other. */
#include <string.h>

#include "rattle/expr.h"

typedef struct rattle__expr_key {
  uint32_t part[2]; /* CONSTANT: bit pattern of the value, high half first; VARIABLE: 0, index; else
              operand 0, operand 1 */
} rattle__expr_key;

typedef struct rattle__expr_users {
  rattle_expr first, next;
} rattle__expr_users;

typedef struct rattle__expr_entry {
  uint32_t hash;
  rattle_expr e;
} rattle__expr_entry;

/* A constant whose value is not known when the graph is made: inputs.h. */
typedef struct rattle__input {
  /* e = op(a, b) of constants, at least one an input; a NONE: its value is set; b NONE: one
   * operand */
  rattle_expr e, a, b;
  rattle_expr of; /* the number of another graph whose value it takes; NONE: its own */
  unsigned char op, whole, factor; /* factor: of a product or a quotient */
} rattle__input;

/* Constants that stand in two operations with the same other operand: where their values are equal,
 * the operations are one node. */
typedef struct rattle__rivals {
  rattle_expr a, b;
} rattle__rivals;

struct rattle_graph {
  unsigned char *op;
  rattle__expr_key *key;
  rattle__expr_users *user; /* NULL: there is no index */
  rattle__expr_entry *table;
  size_t room;    /* nodes allocated */
  uint32_t mask;  /* size of table - 1 */
  uint32_t shift; /* size of table = 2^(32 - shift) */
  uint32_t count, entries;
  rattle__input *input; /* [inputs] e ascending */
  int inputs, inputs_room;
  rattle__rivals *rival; /* [rivals] pairs; at least one of each pair is an input */
  int rivals, rivals_room;
  uint64_t ops; /* bit of each operation that a node has */
  int unlike;   /* 1: algebra would depend on the values of inputs */
  int crowded;  /* 1: terms of a sum come together from three places or more, so that their order
                   counts */
};

/* The node with that operation and key, made if the graph has none yet. No simplification, no
 * checks. */
rattle_expr rattle__intern(rattle_graph *graph, rattle_op op, uint64_t key);
/* A constant that is no other one, whatever their values. */
rattle_expr rattle__constant_apart(rattle_graph *graph, double value);

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
  return (rattle_op)graph->op[e];
}
/* 1 if one of the nodes has that operation. */
static inline int rattle__has(const rattle_graph *graph, rattle_op op) {
  return (int)(graph->ops >> op & 1);
}
static inline rattle_expr rattle__first(const rattle_graph *graph, rattle_expr e) {
  return graph->key[e].part[0];
}
static inline rattle_expr rattle__second(const rattle_graph *graph, rattle_expr e) {
  return graph->key[e].part[1];
}
static inline double rattle__value(const rattle_graph *graph, rattle_expr e) {
  const uint64_t bits = (uint64_t)graph->key[e].part[0] << 32 | graph->key[e].part[1];
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
static inline int rattle__is_constant(const rattle_graph *graph, rattle_expr e) {
  return rattle__op(graph, e) == RATTLE_OP_CONSTANT;
}
/* Which input e is; -1: none. */
static inline int rattle__which_input(const rattle_graph *graph, rattle_expr e) {
  int low = 0, high = graph->inputs;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (graph->input[middle].e < e)
      low = middle + 1;
    else
      high = middle;
  }
  return low < graph->inputs && graph->input[low].e == e ? low : -1;
}
static inline int rattle__is_input(const rattle_graph *graph, rattle_expr e) {
  return graph->inputs > 0 && rattle__which_input(graph, e) >= 0;
}
#endif
