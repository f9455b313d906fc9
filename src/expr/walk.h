#ifndef RATTLE__WALK_H
#define RATTLE__WALK_H
/* Walks: the nodes below an expression, operands before the nodes that use them, without recursion. */
#include "rattle/expr.h"

/* Fills child[2] with the nodes below e that a walk enters, left to right; returns how many. */
typedef int (*rattle__children)(const rattle_graph *graph, rattle_expr e, rattle_expr child[2]);
/* All operands. */
int rattle__operands(const rattle_graph *graph, rattle_expr e, rattle_expr child[2]);

/* node[count]: the nodes met, in depth-first postorder from the left, the root last. slot[root+1]: slot[e] is the place of e in
 * node, from 1; 0 where e was not met. */
typedef struct rattle__walk {
  rattle_expr root, *node;
  uint32_t *slot;
  size_t count;
} rattle__walk;

/* root must be valid. Returns RATTLE_OK or RATTLE_NO_MEMORY; rattle__walk_end frees in both cases. */
rattle_status rattle__walk_begin(rattle__walk *walk, const rattle_graph *graph, rattle_expr root, rattle__children children);
void rattle__walk_end(rattle__walk *walk);

/* A stack of handles, for walks of other kinds. Pushing returns 0 where there is no memory. */
typedef struct rattle__stack {
  rattle_expr *item;
  size_t count, room;
} rattle__stack;

int rattle__push(rattle__stack *stack, rattle_expr e);

/* Values of all nodes of a full walk at x: value[walk->count]. */
void rattle__walk_evaluate(const rattle__walk *walk, const rattle_graph *graph, const double *x, double *value);
#endif
