#ifndef RATTLE__SERIES_H
#define RATTLE__SERIES_H
/* Taylor series of the solutions of a field, z(t) = sum_k Z_k t^k, exact to round-off: Lie
 * derivatives of z along the field. */
#include "maps/field/field.h"

typedef struct rattle__series rattle__series;

/* Series up to `order` of the field, which is borrowed. tangent: rattle__series_tangent will be
 * called, for X_H only. RATTLE_UNSUITABLE for problems made of callbacks. */
rattle_status rattle__series_create(rattle__series **series, rattle__field *field, int order,
                                    int tangent, rattle_error *error);
void rattle__series_destroy(rattle__series **series);

/* Z[(order+1)*2n], coefficient by coefficient, through z[2n]. Fails as rattle__field_value does. */
rattle_status rattle__series_at(rattle__series *series, const double *z, double *Z,
                                rattle_error *error);
/* W[(order+1)*2n]: the derivative of the series along w[2n], at the z of the last
 * rattle__series_at. */
void rattle__series_tangent(rattle__series *series, const double *w, double *W);
#endif
