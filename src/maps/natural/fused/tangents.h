#ifndef RATTLE__NATURAL_TANGENTS_H
#define RATTLE__NATURAL_TANGENTS_H
#include "constraint/step/tangents.h"
#include "maps/natural/natural.h"

/* Derivatives of steps of SHAKE and RATTLE of an explicit map for natural H with diagonal M and few
 * constraints (tangent_kernel.h); t->self NULL for another problem or scheme. */
rattle_status rattle__natural_tangents_create(rattle__tangents *t, rattle__context *context,
                                              const rattle__scheme *scheme, int project,
                                              rattle_error *error);
#endif
