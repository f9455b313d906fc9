/* midpoint: the implicit midpoint rule.
 *
 * Map      z1 = z0 + h X_H((z0 + z1)/2)
 * Source   seed 000 section 5.4; Hairer, Lubich, Wanner, II.1
 * Claims   order 2, symmetric, symplectic; keeps quadratic invariants
 * Cost     per iteration one gradient and, where the matrix is refreshed, one Hessian
 * Differs  nothing */
#include "map/base.h"

static void tableau(const rattle__node *node, rattle__tableau *t) {
  (void)node;
  *t = (rattle__tableau){.stages = 1, .b = {1}, .symmetric = 1, .order = 2};
  t->a[0][0] = t->ahat[0][0] = 0.5;
}

const rattle__base rattle__midpoint = {.tableau = tableau};
