/* euler(field)
 *
 * Map      z1 = z0 + h f(z0)
 * Source   L. Euler, Institutiones calculi integralis I (1768), 650; Hairer, Lubich, Wanner,
 *          Geometric Numerical Integration, I.1.1
 * Claims   order 1
 * Cost     one value of the field
 * Differs  nothing */
#include "maps/base/base.h"

static void tableau(const rattle__node *node, rattle__tableau *t) {
  (void)node;
  *t = (rattle__tableau){.stages = 1, .b = {1}};
}

const rattle__base rattle__euler = {.tableau = tableau};
