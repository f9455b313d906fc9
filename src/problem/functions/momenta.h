#ifndef RATTLE__MOMENTA_H
#define RATTLE__MOMENTA_H
#include "problem/model/model.h"

/* sum_k factor[k] p_k as sum_k velocity[k] v_k, both [n], NONE for 0; factors are taken out, and
 * velocities, NONE before, set. *unknown: a pair whose momentum is no sum of velocities, -1: none,
 * as where H is not quadratic in momenta, or has a part that is linear in them. */
rattle_status rattle__momenta_to_velocities(const rattle_model *model, rattle_expr *factor,
                                            rattle_expr *velocity, int *unknown,
                                            rattle_error *error);
#endif
