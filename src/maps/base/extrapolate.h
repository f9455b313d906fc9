#ifndef RATTLE__EXTRAPOLATE_H
#define RATTLE__EXTRAPOLATE_H
/* One accurate step of any field from values of it alone: used by multistep methods for their first
 * points. */
#include "maps/field/field.h"
#include "constraint/step/map.h"

/* The order of the step; the values of the field that it takes. */
enum { RATTLE__EXTRAPOLATION_ORDER = 10, RATTLE__EXTRAPOLATION_VALUES = 31 };

typedef struct rattle__extrapolation {
  rattle__context *context;
  rattle__field *field; /* borrowed */
  double *row[5], *f, *f0, *x, *y;
} rattle__extrapolation;

/* Room in the context's arena, whose `failed` says if there is none. */
rattle__extrapolation rattle__extrapolation_plan(rattle__context *context, rattle__field *field);
/* z1[2n] from z0[2n]. */
rattle_status rattle__extrapolate(rattle__extrapolation *s, double h, const double *z0, double *z1,
                                  rattle_error *error);
#endif
