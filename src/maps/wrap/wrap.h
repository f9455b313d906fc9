#ifndef RATTLE__WRAP_H
#define RATTLE__WRAP_H
/* Maps made from maps. */
#include "maps/base/base.h"
#include "maps/natural/natural.h"

/* shake(inner) for any inner map that offers its tangent: lambda by Newton around the inner map. */
rattle_status rattle__newton_around_create(rattle__map **map, rattle__context *context,
                                           rattle__map *inner, rattle__fibre *fibre,
                                           const rattle__solving *solving, rattle_error *error);
/* shake with its guard, and rattle from it: the slide onto psi = 0 after each step, or at output.
 * Owns `shake`. Without a fibre the map ends on psi = 0 by itself, and only the guard is added. */
rattle_status rattle__projected_create(rattle__map **map, rattle__context *context,
                                       rattle__map *shake, rattle__fibre *fibre,
                                       rattle__projection projection, rattle_error *error);
/* A composition with the fractions gamma[stages] of the step. Owns `inner`. */
rattle_status rattle__composition_create(rattle__map **map, rattle__context *context,
                                         rattle__map *inner, int stages, const long double *gamma,
                                         rattle_error *error);
#endif
