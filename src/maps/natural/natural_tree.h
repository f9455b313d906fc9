#ifndef RATTLE__NATURAL_TREE_H
#define RATTLE__NATURAL_TREE_H
#include "maps/natural/natural.h"

/* SHAKE and RATTLE of an explicit map for natural H and constraints that are rigid bodies joined to
 * trees; *map NULL without an error: they are not, or the scheme has two drifts, or sums are
 * compensated. */
rattle_status rattle__natural_tree_create(rattle__map **map, rattle__context *context,
                                          const rattle__scheme *scheme,
                                          rattle__projection projection, rattle_error *error);
#endif
