#ifndef RATTLE__STAGE_ROWS_H
#define RATTLE__STAGE_ROWS_H
/* The forces F = -V_q + phi(q) + Phi(q) p of a step of the implicit midpoint rule, which act at its
 * middle, as equations for unknowns y. By their expressions F = -k - sum_a K_a f_a with constant
 * columns K_a (stage_factors.h), and with the momenta P = M (Q - q0)/(t h) of the middle
 *
 *     y_a + t^2 f_a = 0, where f_a is affine in P and t^2 f_a = t^2 f_a(0) + t f_a' Z,
 *     Z = M (Q - q0)/h,
 *
 * f_a being taken at (q0 + Q)/2; t^2 F is sum K_a y_a - t^2 k. They are regular at t = 0, where y =
 * 0. Forces for which that is no fewer unknowns have those of their coordinates. */
#include "constraint/guard/stage_factors.h"
#include "problem/functions/problem.h"

typedef struct rattle__stage {
  rattle__function
      *rows;       /* the left sides, of ((q0 + Q)/2, Q - q0, Z, t, y); NULL: no force varies */
  int count;       /* coordinates on which such forces act */
  int *acts_on;    /* [count] */
  rattle__ball *K; /* [rows][count] */
  rattle__ball *k; /* [count] */
} rattle__stage;

/* Forces are affine in momenta. UNSUITABLE: they are no expressions. */
rattle_status rattle__stage_rows(rattle__stage *stage, const rattle_problem *problem,
                                 rattle_error *error);
void rattle__stage_release(rattle__stage *stage);
#endif
