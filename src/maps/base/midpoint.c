/* midpoint: the implicit midpoint rule.
 *
 * Map      z1 = z0 + h X_H((z0 + z1)/2)
 * Source   Hairer, Lubich, Wanner, Geometric Numerical Integration, I.1.1, II.1; as a base map:
 *          McLachlan, Modin, Verdier, Wilkins (2014), section 5.4
 * Claims   order 2, symmetric, symplectic; keeps quadratic invariants
 * Cost     per iteration one gradient and, where the matrix is refreshed, one Hessian
 * Differs  nothing */
#include "maps/base/base.h"

static void tableau(const rattle__node *node, rattle__tableau *t) {
  (void)node;
  *t = (rattle__tableau){.stages = 1, .b = {1}, .symmetric = 1};
  t->a[0][0] = t->ahat[0][0] = 0.5;
}

const rattle__base rattle__midpoint = {.tableau = tableau};
