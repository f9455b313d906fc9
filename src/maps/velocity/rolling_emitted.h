#ifndef RATTLE__ROLLING_EMITTED_H
#define RATTLE__ROLLING_EMITTED_H
/* Steps of rattle under constraints on velocities by their parts (rolling_parts.h), interpreted or
 * compiled: of natural H with a diagonal M, up to 12 rows of C, by a scheme of one drift. */
#include "constraint/step/point.h"
#include "maps/natural/natural.h"
#include "maps/velocity/rolling_state.h"

typedef struct rattle__rolling_emitted rattle__rolling_emitted;

/* NULL where the step is not one of these. */
rattle_status rattle__rolling_emitted_create(rattle__rolling_emitted **made,
                                             rattle__context *context, const rattle__scheme *scheme,
                                             rattle_error *error);
void rattle__rolling_emitted_destroy(rattle__rolling_emitted *s); /* NULL is fine */
/* True if there is machine code. */
int rattle__rolling_emitted_is_native(const rattle__rolling_emitted *s);
/* As rattle__map.run, for steps of the map of that context: ends early before a step that is in
 * doubt. */
long long rattle__rolling_emitted_run(rattle__rolling_emitted *s, const double *h, int stages,
                                      long long steps, double *z, double *range);
#endif
