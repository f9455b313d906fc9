#ifndef RATTLE__CONTRACTION_H
#define RATTLE__CONTRACTION_H
#include "maps/base/base.h"

/* The implicit Runge-Kutta map of a tableau for an H whose second derivatives are costly: its
 * stages by contraction. general: the same map, which takes the steps where the iteration does not
 * contract, or NULL: such steps fail. */
rattle_status rattle__contraction_create(rattle__map **map, rattle__context *context,
                                         const rattle__tableau *tableau, rattle__map *general,
                                         rattle_error *error);
#endif
