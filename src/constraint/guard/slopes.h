#ifndef RATTLE__SLOPES_H
#define RATTLE__SLOPES_H
/* The slopes of H of a problem as expressions, for equations with bounds. */
#include "problem/functions/problem.h"

/* A point z = (q, p) [2n]: variables of the graph, column[c] being that of z_c. */
typedef struct rattle__slopes_at {
  rattle_graph *graph;
  const rattle_expr *z;
  const int32_t *column;
} rattle__slopes_at;

/* X = (H_p, H_q) [2n]; of time, 1. UNSUITABLE: H is no expression. */
rattle_status rattle__slopes_of_H(const rattle_problem *problem, const rattle__slopes_at *at,
                                  rattle_expr *X, rattle_error *error);
/* UNSUITABLE: steps of the problem cannot be proved, and why; of the second, H, constraints or
 * forces are no expressions. */
rattle_status rattle__proof_refuse(const char *reason, rattle_error *error);
rattle_status rattle__slopes_refuse(rattle_error *error);
#endif
