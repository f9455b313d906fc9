/* euler(field)
 *
 * Map      z1 = z0 + h f(z0)
 * Source   seed 001 section 3.1
 * Claims   order 1
 * Cost     one value of the field
 * Differs  nothing */
#include "map/base.h"

static void tableau(const rattle__node *node, rattle__tableau *t) {
  (void)node;
  *t = (rattle__tableau){.stages = 1, .b = {1}, .order = 1};
}

const rattle__base rattle__euler = {.tableau = tableau};
