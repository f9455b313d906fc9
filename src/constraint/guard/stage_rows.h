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
 * 0. Forces for which that is no fewer unknowns have those of their coordinates.
 *
 * Forces that are not affine in momenta are no functions of t P. Then u = (Q - q0)/t and P = M u/h
 * are parts of x themselves, and all equations of the step are divided by t:
 *
 *     (g(q0 + t u) - g(q0))/t + g(q0) = 0,     A(q0 + t u/2) u = 0,
 *     y_a + t f_a = 0, t F = sum K_a y_a - t k,
 *
 * f_a being taken at q0 + t u/2 and P or, for schemes that act at the start, those of f(q0, P) -
 * f(q0, 0) at q0. At t = 0 they are linear: y = 0, and u is h M^-1 p0 for p0 on psi = 0. */
#include "constraint/guard/stage_factors.h"
#include "problem/functions/problem.h"

typedef struct rattle__stage {
  rattle__function
      *rows;       /* the left sides, of ((q0 + Q)/2, Q - q0, Z, t, y); NULL: no force varies */
  int count;       /* coordinates on which such forces act */
  int *acts_on;    /* [count] */
  rattle__ball *K; /* [rows][count] */
  rattle__ball *k; /* [count] */
  int at_start;    /* true if they are beyond those at p = 0, which V_q has */
  int divided;     /* true for equations that are divided by t: rows of all kinds but g, of (q0, u,
                      P, t, y) */
} rattle__stage;

/* Forces are affine in momenta. UNSUITABLE: they are no expressions, here as below. */
rattle_status rattle__stage_rows(rattle__stage *stage, const rattle_problem *problem,
                                 rattle_error *error);
/* The equations divided by t, of any forces; midpoint: at the middle, else at the start. */
rattle_status rattle__divided_rows(rattle__stage *stage, const rattle_problem *problem,
                                   int midpoint, rattle_error *error);
void rattle__stage_release(rattle__stage *stage);
#endif
