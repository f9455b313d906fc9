#ifndef RATTLE__STAGES_MAP_H
#define RATTLE__STAGES_MAP_H
/* rattle around a Runge-Kutta map with stages: the steps that leave no doubt by their parts
 * (stages_parts.h), the others by the map that is given. */
#include "maps/base/base.h"

/* *map in place of itself, which the new map owns, where the steps are of that kind: any H, few
 * quadratic g(q), symmetric stages with the same coefficients for q and p, a few unknowns. */
rattle_status rattle__stages_create(rattle__map **map, rattle__context *context,
                                    const rattle__tableau *tableau, rattle_error *error);
#endif
