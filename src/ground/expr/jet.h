#ifndef RATTLE__JET_H
#define RATTLE__JET_H
/* Taylor series of expressions along a curve: from x(t) = sum_k x_k t^k, k = 0..order, of the
 * variables, the coefficients of all nodes, order by order, exact to round-off. One thread at a
 * time; only making one allocates. */
#include "rattle/expr.h"

typedef struct rattle__jets rattle__jets;

/* Series of root[roots], which hold the variables 0 .. variables-1. Those from `late` on may be
 * given after the others at each order. */
typedef struct rattle__jets_plan {
  const rattle_expr *root;
  int roots, variables, late, order;
} rattle__jets_plan;

rattle_status rattle__jets_create(rattle__jets **jets, const rattle_graph *graph,
                                  const rattle__jets_plan *plan, rattle_error *error);
void rattle__jets_destroy(rattle__jets **jets);

/* Coefficients [order+1] of a variable, to be written, and of a root. */
double *rattle__jets_variable(rattle__jets *jets, int variable);
const double *rattle__jets_root(const rattle__jets *jets, int root);

/* Computes coefficient k of all nodes from coefficients 0..k of the variables and 0..k-1 of the
 * nodes. The caller checks results that are not finite. */
void rattle__jets_advance(rattle__jets *jets, int k);
/* The same for the nodes alone that depend on late variables; coefficient k of the others is
 * there. */
void rattle__jets_advance_late(rattle__jets *jets, int k);
#endif
