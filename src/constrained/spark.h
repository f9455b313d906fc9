#ifndef RATTLE__SPARK_H
#define RATTLE__SPARK_H
/* The two ways to a step of spark(s) with constraints g(q). */
#include "wrap/wrap.h"

/* Any H: Newton's iteration for stages, momenta and multipliers together, with its guard and the slide. */
rattle_status rattle__spark_create(rattle__map **map, rattle__context *context, int stages, rattle_error *error);
/* Natural H: an iteration for the multipliers. Steps that it does not make without doubt are left to `general`, which it owns,
 * also where this fails. */
rattle_status rattle__spark_natural_create(rattle__map **map, rattle__context *context, int stages, rattle__map *general,
                                           rattle_error *error);
#endif
