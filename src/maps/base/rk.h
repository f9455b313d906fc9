#ifndef RATTLE__RK_H
#define RATTLE__RK_H
/* Explicit Runge-Kutta steps as machine code. */
#include "maps/field/field.h"
#include "maps/base/base.h"

/* Many steps of z [2n] in place; how many were done: fewer than `steps` where the next point is not
 * finite. */
typedef long long (*rattle__rk_run)(double h, long long steps, double *z);

/* The steps of a tableau compiled for a field; *run and *library stay NULL if that is not
 * available. */
void rattle__rk_native(const rattle__tableau *tableau, const rattle__context *context,
                       const rattle__field *field, rattle__rk_run *run, void **library);
#endif
