#ifndef RATTLE__TANGENTS_H
#define RATTLE__TANGENTS_H
#include "maps/natural/natural.h"

/* Derivatives of steps of SHAKE and RATTLE of an explicit map for natural H with diagonal M and few
 * constraints (tangent_kernel.h). */
typedef struct rattle__tangents rattle__tangents;

/* *tangents NULL: another problem or scheme, for which other means serve. */
rattle_status rattle__tangents_create(rattle__tangents **tangents, rattle__context *context,
                                      const rattle__scheme *scheme, int project,
                                      rattle_error *error);
void rattle__tangents_destroy(rattle__tangents *tangents);
/* W [count][2n] through `steps` steps of the lengths h from the points z [steps+1][2n], each to the
 * next. Returns how many were done; the next one is to be differentiated by other means, which say
 * why if it has no derivative. */
long long rattle__tangents_through(rattle__tangents *tangents, const double *h, const double *z,
                                   long long steps, int count, double *W);
#endif
