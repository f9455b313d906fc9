#ifndef RATTLE__MAP_ROWS_H
#define RATTLE__MAP_ROWS_H
/* The equations of SHAKE and RATTLE of a partitioned Runge-Kutta map, for any H, forces that are no
 * gradient, g(q) and constraints on velocities, divided by the length of the step, as functions of
 *
 *     x = (q0, v, tau, 1/h, P+, K_1, P_1, ..., K_s, P_s),  tau = t h.
 *
 * P+ = p0 - C0^T lambda are the momenta after the multipliers, P_j those of stage j, K_j = H_p
 * there, v = sum b_j K_j, and Q_j = q0 + tau sum_i a_ji K_i. With L = H_q - f
 *
 *     (g(q0 + tau v) - g(q0))/tau + g(q0)/h = 0,   A(q0 + tau v/2) v = 0,
 *     K_j - H_p(Q_j, P_j) = 0,
 *     P_j - P+ + tau sum_i ahat_ji L(Q_i, P_i) = 0.
 *
 * At t = 0 they say P_j = P+, K_j = H_p(q0, P+) and psi(q0, P+) = 0. Components of H_p that are
 * affine in p with constant factors, and of L that are constant, have no rows: these parts of x
 * follow from the others, and t. All of x is affine in the unknowns and t. */
#include "constraint/guard/stage_factors.h"
#include "method/coefficients/tableau.h"
#include "problem/functions/problem.h"

/* An unknown beside lambda: a component of K_j or P_j. */
typedef struct rattle__map_unknown {
  int stage, of_P, coordinate;
} rattle__map_unknown;

typedef struct rattle__map_rows {
  int n, vars, rolling;
  rattle__tableau tableau;
  rattle__function *rows; /* of x: those of A, then of the unknowns; NULL: none */
  rattle__function *last; /* of x: P+ - tau sum_i bhat_i L_i, the momenta before the landing [n] */
  rattle__function *psi;  /* of (q, p): g' H_p and A H_p */
  rattle__map_unknown *unknown;
  int unknowns;
  int *of_K;                      /* which of them component c of K_j is [s][n]; -1: it is affine */
  char *affine, *constant;        /* components of H_p; of L [n] */
  rattle__ball *speed, *W, *pull; /* H_p = speed + W p [n], [n][n]; L [n] */
} rattle__map_rows;

/* The columns at which parts of x begin. */
static inline int rattle__map_tau(int n) {
  return 2 * n;
}
static inline int rattle__map_plus(int n) {
  return 2 * n + 2;
}
static inline int rattle__map_stage(int n, int stage, int of_P) {
  return (3 + 2 * stage + of_P) * n + 2;
}

/* UNSUITABLE: H, g or forces are no expressions. To be released in any case. */
rattle_status rattle__map_rows_make(rattle__map_rows *rows, const rattle_problem *problem,
                                    const rattle__tableau *tableau, rattle_error *error);
void rattle__map_rows_release(rattle__map_rows *rows);
#endif
