#ifndef RATTLE__FUSED_FORCES_H
#define RATTLE__FUSED_FORCES_H
/* The derivatives of forces by momenta, as a list (fused_plan.h) for fused_forced.h. The problem
 * has the account (problem/functions/forced.h). */
#include <stdio.h>

#include "problem/functions/problem.h"
#include "ground/support/arena.h"
#include "ground/expr/real.h"
#include "maps/natural/fused/fused_state.h"

/* Place e of the Jacobian of f: row i by the momentum of pair c, which force j acts on, -1:
 * none. */
typedef struct rattle__fused_slope {
  int e, i, j, c;
} rattle__fused_slope;

typedef struct rattle__fused_thrust {
  const rattle__function *energy, *force;
  const int *pushed;
  int pairs;  /* without the account */
  int alone;  /* 1: each force depends on no momentum but its own */
  int slopes; /* how many */
  rattle__fused_slope *slope;
  double *x, *Y; /* scratch: (q, p) and a gradient [2 pairs] */
} rattle__fused_thrust;

/* True if a problem with forces fits natural_small.c: H natural but for p_t, M diagonal, g(q), few
 * constraints, pairs and forces. */
int rattle__fused_is_pushed(const rattle_problem *problem);
/* In the arena; NULL without memory. */
const rattle__fused_thrust *rattle__fused_thrust_create(const rattle_problem *problem,
                                                        rattle__arena *arena);

/* f and its derivatives at (q, p); V_q at q, 0 at the account. Not 0: what a callback answered. */
int rattle__fused_thrust_at(const rattle__fused_thrust *t, const double *q, const double *p,
                            double *f, double *slope, double *work);
int rattle__fused_pull_at(const rattle__fused_thrust *t, const double *q, double *V_q,
                          double *work);

/* The macros and functions that fused_forced.h needs, for one problem. */
void rattle__fused_thrust_emit(FILE *out, const rattle__fused_thrust *t);
#endif
