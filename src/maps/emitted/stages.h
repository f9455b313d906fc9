#ifndef RATTLE__STAGES_MAP_H
#define RATTLE__STAGES_MAP_H
/* rattle around a Runge-Kutta map with stages: the steps that leave no doubt by their parts
 * (stages_parts.h), the others by the map that is given. */
#include "constraint/step/tangents.h"
#include "maps/base/base.h"
#include "maps/emitted/stepper.h"

/* *map in place of itself, which the new map owns, where the steps are of that kind: any H, few
 * quadratic g(q), symmetric stages with the same coefficients for q and p, a few unknowns. */
rattle_status rattle__stages_create(rattle__map **map, rattle__context *context,
                                    const rattle__tableau *tableau, rattle_error *error);
/* The derivatives of these steps; t->self NULL where they are not of that kind. */
rattle_status rattle__stages_tangents_create(rattle__tangents *t, rattle__context *context,
                                             const rattle__tableau *tableau, rattle_error *error);
/* The rest of a stepper that has its interpreted code, which may be NULL where it is to step lanes
 * alone: then parameters of the problem that are set are inputs. UNSUITABLE, without a message,
 * where steps are not of that kind. It is to be ended in any case. */
rattle_status rattle__stages_stepper(rattle__stepper *s, rattle__context *context,
                                     const rattle__tableau *tableau, const char *kernel,
                                     rattle_error *error);
#endif
