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
#endif
