#ifndef RATTLE__WALK_H
#define RATTLE__WALK_H
/* Walks: the nodes below an expression, operands before the nodes that use them, without
 * recursion. */
#include "rattle/expr.h"

/* Fills child[2] with the nodes below e that a walk enters, left to right; returns how many. */
typedef int (*rattle__children)(const rattle_graph *graph, rattle_expr e, rattle_expr child[2]);
/* All operands. */
int rattle__operands(const rattle_graph *graph, rattle_expr e, rattle_expr child[2]);

/* node[count]: the nodes met, in depth-first postorder from the left, the root last. A walk costs
 * time and memory for the nodes it meets, not for those of the graph: the place of a node in node[]
 * is kept in a hash table (key, slot: mask + 1 entries), or in slot[top + 1] with key NULL if a
 * good part of the graph is met. */
typedef struct rattle__walk {
  rattle_expr top, *node, *key; /* top: the root, or the latest of several */
  uint32_t *slot, mask;
  size_t count;
} rattle__walk;

/* The entry of a table of mask + 1 entries at which probing for e begins. */
static inline uint32_t rattle__entry(rattle_expr e, uint32_t mask) {
  return (uint32_t)(((uint64_t)(e * UINT32_C(0x9e3779b1)) * ((uint64_t)mask + 1)) >> 32);
}

/* Place of e in the walk, from 1; 0 if e was not met. */
static inline uint32_t rattle__place(const rattle__walk *walk, rattle_expr e) {
  if (!walk->key) return e <= walk->top ? walk->slot[e] : 0;
  uint32_t at = rattle__entry(e, walk->mask);
  while (walk->key[at] && walk->key[at] != e) at = (at + 1) & walk->mask;
  return walk->key[at] ? walk->slot[at] : 0;
}

/* root must be valid. Returns RATTLE_OK or RATTLE_NO_MEMORY; rattle__walk_end frees in both
 * cases. */
rattle_status rattle__walk_begin(rattle__walk *walk, const rattle_graph *graph, rattle_expr root,
                                 rattle__children children);
/* The same from root[roots], one after the other; those that are RATTLE_EXPR_NONE are left out. */
rattle_status rattle__walk_all(rattle__walk *walk, const rattle_graph *graph,
                               const rattle_expr *root, int roots, rattle__children children);
void rattle__walk_end(rattle__walk *walk);
/* 1 if walks from each root by itself meet at most so many nodes together; 0 also without
 * memory. */
int rattle__walks_within(const rattle_graph *graph, const rattle_expr *root, int roots,
                         size_t most);

/* A stack of handles, for walks of other kinds. Pushing returns 0 if there is no memory. */
typedef struct rattle__stack {
  rattle_expr *item;
  size_t count, room;
} rattle__stack;

int rattle__push(rattle__stack *stack, rattle_expr e);

/* Values of all nodes of a full walk at x: value[walk->count]. */
void rattle__walk_evaluate(const rattle__walk *walk, const rattle_graph *graph, const double *x,
                           double *value);
/* rattle_expr_evaluate with its status: RATTLE_OK or RATTLE_NO_MEMORY. */
rattle_status rattle__evaluate(const rattle_graph *graph, rattle_expr e, const double *x,
                               double *result);
#endif
