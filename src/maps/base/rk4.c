/* rk4(field): the Runge-Kutta method with weights 1, 2, 2, 1.
 *
 * Map      Z2 = z0 + h/2 f(z0), Z3 = z0 + h/2 f(Z2), Z4 = z0 + h f(Z3), z1 = z0 + h/6 (f(z0) + 2
 *          f(Z2) + 2 f(Z3) + f(Z4))
 * Source   W. Kutta, Z. Math. Phys. 46 (1901) 435
 * Claims   order 4
 * Cost     four values of the field
 * Differs  nothing; some texts print Z4 with h/2 (docs/errata.md) */
#include "maps/base/base.h"

static void tableau(const rattle__node *node, rattle__tableau *t) {
  (void)node;
  *t = (rattle__tableau){.stages = 4, .b = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}};
  t->a[1][0] = t->ahat[1][0] = t->a[2][1] = t->ahat[2][1] = 0.5;
  t->a[3][2] = t->ahat[3][2] = 1;
}

const rattle__base rattle__rk4 = {.tableau = tableau};
