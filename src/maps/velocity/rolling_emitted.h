#ifndef RATTLE__ROLLING_EMITTED_H
#define RATTLE__ROLLING_EMITTED_H
/* Steps of rattle under constraints on velocities by their parts (rolling_parts.h): of natural H
 * with a diagonal M, up to 12 rows of C, by a scheme of one drift. */
#include "constraint/step/scheme.h"
#include "maps/emitted/stepper.h"

/* NULL where the step is not one of these; to be ended by rattle__stepper_end. */
rattle_status rattle__rolling_emitted_create(rattle__stepper **made, rattle__context *context,
                                             const rattle__scheme *scheme, rattle_error *error);
#endif
