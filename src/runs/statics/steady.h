#ifndef RATTLE__STEADY_H
#define RATTLE__STEADY_H
/* Steady motions: the problem with H - sum value J in place of H. */
#include "runs/statics/statics.h"

/* The problem with other values of `count` parameters, and with the J of the options. */
rattle_status rattle__steady_problem(rattle_problem **other, const rattle_problem *problem,
                                     const rattle_parameter *parameters, int count,
                                     const rattle_equilibrium_options *options,
                                     rattle_error *error);
/* UNSUITABLE unless symmetries of s->moving conserve each J, by points beside s. s->carried: in how
 * many directions their flows carry the coordinates there. */
rattle_status rattle__steady_check(rattle_equilibrium *s, rattle_error *error);
#endif
