#ifndef RATTLE__NATURAL_H
#define RATTLE__NATURAL_H
#include "core/method.h"
#include "map/base.h"

typedef enum rattle__projection { RATTLE__NO_PROJECTION, RATTLE__PROJECT_STEP, RATTLE__PROJECT_OUTPUT } rattle__projection;

/* SHAKE and RATTLE of an explicit map for natural H and holonomic g (m > 0). */
rattle_status rattle__natural_create(rattle__map **map, rattle__context *context, const rattle__scheme *scheme,
                                     rattle__projection projection, rattle__method_id solver, double tol, rattle_error *error);
#endif
