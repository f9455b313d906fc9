#ifndef RATTLE__STEP_DOUBLING_H
#define RATTLE__STEP_DOUBLING_H
#include "constraint/step/map.h"

/* A map whose steps are divided until step doubling finds their errors below tol; a pure function
 * of (h, z0), like the map of that order inside. Owns `inner`. */
rattle_status rattle__step_doubling_create(rattle__map **map, rattle__context *context,
                                           rattle__map *inner, int order, double tol,
                                           rattle_error *error);
#endif
