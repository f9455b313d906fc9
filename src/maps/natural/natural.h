#ifndef RATTLE__NATURAL_H
#define RATTLE__NATURAL_H
#include "maps/base/base.h"

typedef enum rattle__projection {
  RATTLE__NO_PROJECTION,
  RATTLE__PROJECT_STEP,
  RATTLE__PROJECT_OUTPUT
} rattle__projection;

/* SHAKE and RATTLE of an explicit map for natural H and holonomic g (m > 0). */
rattle_status rattle__natural_create(rattle__map **map, rattle__context *context,
                                     const rattle__scheme *scheme, rattle__projection projection,
                                     const rattle__solving *solving, rattle_error *error);
/* For such a map of a scheme with two drifts: SHAKE with the derivative of the force in Newton's
 * matrix, for steps that need it. Owns it. */
void rattle__natural_fall_back(rattle__map *map, rattle__map *exact);
/* p of z = (q, p) onto psi = 0, for a map that rattle__natural_create made. */
rattle_status rattle__natural_slide(rattle__map *map, double *z, rattle_error *error);
#endif
