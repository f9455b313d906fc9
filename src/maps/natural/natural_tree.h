#ifndef RATTLE__NATURAL_TREE_H
#define RATTLE__NATURAL_TREE_H
#include "maps/natural/natural.h"

/* SHAKE and RATTLE of an explicit map for natural H and constraints that are rigid bodies joined to
 * trees; *map NULL without an error: they are not, or the scheme has two drifts, or sums are
 * compensated. */
rattle_status rattle__natural_tree_create(rattle__map **map, rattle__context *context,
                                          const rattle__scheme *scheme,
                                          rattle__projection projection, rattle_error *error);
/* The same with forces that are no gradient, of symmetric maps of one drift whose slopes are those
 * at q0 + part (q1 - q0): verlet, part 0, whose second kick is at q1, and midpoint, part 1/2. *map
 * takes the steps in doubt, and becomes that map; it stays where constraints are no such bodies. */
rattle_status rattle__natural_tree_create_pushed(rattle__map **map, rattle__context *context,
                                                 double part, rattle__projection projection,
                                                 rattle_error *error);
#endif
