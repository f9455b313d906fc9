/* explicit_midpoint(field)
 *
 * Map      z1 = z0 + h f(z0 + h/2 f(z0))
 * Source   C. Runge, Math. Ann. 46 (1895) 167
 * Claims   order 2
 * Cost     two values of the field
 * Differs  nothing; some texts omit the h/2 of the inner step (docs/errata.md) */
#include "maps/base/base.h"

static void tableau(const rattle__node *node, rattle__tableau *t) {
  (void)node;
  *t = (rattle__tableau){.stages = 2, .b = {0, 1}};
  t->a[1][0] = t->ahat[1][0] = 0.5;
}

const rattle__base rattle__explicit_midpoint = {.tableau = tableau};
