#ifndef RATTLE__TABLEAU_H
#define RATTLE__TABLEAU_H
#include "method/coefficients/nodes.h"

/* A partitioned Runge-Kutta method for any H:
 *   Q_i = q0 + h sum_j a_ij H_p(Q_j,P_j),  P_i = p0 - h sum_j ahat_ij H_q(Q_j,P_j),  q1 likewise
 *   with b, p1 with b or bhat. */
typedef struct rattle__tableau {
  int stages;
  double a[RATTLE__STAGES][RATTLE__STAGES], ahat[RATTLE__STAGES][RATTLE__STAGES], b[RATTLE__STAGES];
  double bhat[RATTLE__STAGES]; /* only where other_bhat is 1 */
  int symmetric, other_bhat;
  int remembers; /* 1: of collocation; the first guess continues the polynomial of the last step */
} rattle__tableau;
/* The weights of the coordinates (part 0) and of the momenta (part 1). */
static inline const double *rattle__tableau_weights(const rattle__tableau *tableau, int part) {
  return part && tableau->other_bhat ? tableau->bhat : tableau->b;
}

/* The same with constraints at nodes, of which node 0 is the start and node `blocks` the end:
 *   P_i = p0 - h sum_j ahat_ij H_q(Z_j) - h sum_k push_ik C_k,  C_k = G(T_k)^T L_k,  k < blocks
 *   T_k = q0 + h sum_j node_kj H_p(Z_j),  g(T_k) = 0 for k = 1 .. blocks
 *   p1 = p0 - h sum_j b_j H_q(Z_j) - h sum_k weight_k C_k, and then a slide onto psi = 0. */
typedef struct rattle__constrained_tableau {
  rattle__tableau stages;
  int blocks;
  double node[RATTLE__STAGES][RATTLE__STAGES], push[RATTLE__STAGES][RATTLE__STAGES],
      weight[RATTLE__STAGES];
} rattle__constrained_tableau;
/* SHAKE of the tableau: one block, whose multipliers act at the start. */
static inline rattle__constrained_tableau rattle__tableau_of_shake(const rattle__tableau *tableau) {
  rattle__constrained_tableau by = {.stages = *tableau, .blocks = 1, .weight = {1}};
  for (int i = 0; i < tableau->stages; i++) by.node[1][i] = tableau->b[i], by.push[i][0] = 1;
  return by;
}
#endif
