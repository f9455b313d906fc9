#ifndef RATTLE__FIBRE_ROWS_H
#define RATTLE__FIBRE_ROWS_H
/* The equations of SHAKE and RATTLE of a partitioned Runge-Kutta map under quadratic constraints
 * g(q, p) whose fibres have a closed form (constraint/fibre/closed.h), as functions of
 *
 *     x = (z0, s, sigma, tau, 1/h, k_1, ..., k_stages),  tau = t h,  k_j = (K_j, L_j).
 *
 * With z+ the point s on the fibre of z0, (Q_j, P_j) = z+ + tau sum_i (a_ji K_i, -ahat_ji L_i), w =
 * sum_j (b_j K_j, -bhat_j L_j), z1 = z+ + tau w, and z2 the point sigma on the fibre of z1
 *
 *     g'(z+ + tau w/2) w + g(z0)/h = 0,   K_j = H_p(Q_j, P_j),   L_j = H_q(Q_j, P_j),
 *     psi(z2) = 0,  psi = g' X_H.
 *
 * The first line is (g(z1) - g(z0))/tau + g(z0)/h, since g(z+) = g(z0) and g is quadratic. SHAKE
 * has no sigma, nor psi, and ends at z1. At t = 0 they say psi(z+) = 0: s = sigma = 0 is a root
 * there if psi(z0) = 0. All of x is affine in the unknowns (s, sigma, k) and t. */
#include "method/coefficients/tableau.h"
#include "problem/functions/problem.h"

typedef struct rattle__fibre_rows {
  int n, m, stages, lands, vars;
  int s, sigma, tau, slopes;    /* the columns where they begin; 1/h is behind tau */
  rattle__function *rows;       /* of x: g [m], stages [stages][2n], psi [m] of RATTLE */
  rattle__function *end;        /* of x: z2, of SHAKE z1 [2n] */
  rattle__function *psi, *slid; /* of (z, s): psi of the point s on the fibre of z; that point */
} rattle__fibre_rows;

static inline int rattle__fibre_slope(const rattle__fibre_rows *rows, int stage) {
  return rows->slopes + stage * 2 * rows->n;
}

/* UNSUITABLE, and why: H or g are no expressions, or fibres have no closed form. To be released in
 * any case. */
rattle_status rattle__fibre_rows_make(rattle__fibre_rows *rows, const rattle_problem *problem,
                                      const rattle__tableau *by, int lands, rattle_error *error);
void rattle__fibre_rows_release(rattle__fibre_rows *rows);
#endif
