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
 * follow from the others, and t. All of x is affine in the unknowns and t.
 *
 * Blocks   of constraints at nodes T_k = q0 + tau v_k, v_k = sum_j node_kj K_j (spark): the first
 *          line is asked of each v_k, k = 1 .. blocks, and the impulses i_k = tau L_k, k > 0, are
 *          parts of x too, beside p0: in the last line P+ is p0 + push_j0 (P+ - p0) - sum_k push_jk
 *          G(T_k)^T i_k, and components on which that acts have rows */
#include "constraint/guard/stage_factors.h"
#include "method/coefficients/tableau.h"
#include "problem/functions/problem.h"

/* An unknown beside lambda: a component of K_j or P_j. */
typedef struct rattle__map_unknown {
  int stage, of_P, coordinate;
} rattle__map_unknown;

typedef struct rattle__map_rows {
  int n, m, vars, rolling; /* m: rows of g */
  rattle__constrained_tableau by;
  int tau, plus, start, impulse, stages; /* the columns at which parts of x begin: tau and 1/h, P+,
                                           p0, i_1; stages */
  rattle__function *rows;                /* of x: those of A, then of the unknowns; NULL: none */
  rattle__function *last; /* of x: P+ - tau sum_i bhat_i L_i, the momenta before the landing [n] */
  rattle__function *psi;  /* of (q, p): g' H_p and A H_p */
  rattle__map_unknown *unknown;
  int unknowns;
  int *of_K;                      /* which of them component c of K_j is [s][n]; -1: it is affine */
  char *affine, *constant;        /* components of H_p; of L [n] */
  rattle__ball *speed, *W, *pull; /* H_p = speed + W p [n], [n][n]; L [n] */
} rattle__map_rows;

/* K_j, or P_j; v_k, k from 1 on. */
static inline int rattle__map_stage(const rattle__map_rows *rows, int stage, int of_P) {
  return rows->stages + (2 * stage + of_P) * rows->n;
}
static inline int rattle__map_way(const rattle__map_rows *rows, int node) {
  return node * rows->n;
}

/* UNSUITABLE: H, g or forces are no expressions. To be released in any case. */
rattle_status rattle__map_rows_make(rattle__map_rows *rows, const rattle_problem *problem,
                                    const rattle__constrained_tableau *by, rattle_error *error);
void rattle__map_rows_release(rattle__map_rows *rows);
#endif
