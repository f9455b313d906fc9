#ifndef RATTLE__INTEGRATE_FRACTION_H
#define RATTLE__INTEGRATE_FRACTION_H
/* Steps of fractional length from the last whole step of a run, which leave the run as it is. */
#include "rattle/integrator.h"

/* By the same method, with what it declares as state, such as digits beyond a double. One that uses
 * past points finds them at another distance, and begins anew from the last one, as in its first
 * step. One that adapts its steps: the map inside. */
typedef struct rattle__fraction rattle__fraction;

rattle_status rattle__fraction_create(rattle__fraction **fraction, rattle_integrator *integrator,
                                      rattle_error *error);
void rattle__fraction_destroy(rattle__fraction **fraction);
/* Notes the state, from which the run is about to make a step. */
void rattle__fraction_leave(rattle__fraction *fraction, const rattle_state *state);
/* That state, with q and p in a copy. */
rattle_state rattle__fraction_start(const rattle__fraction *fraction);
/* z [2n]: the point for output after a step of that length from there. */
rattle_status rattle__fraction_step(rattle__fraction *fraction, double length, double *z,
                                    rattle_error *error);
/* The work of forces up to the end of the last step (rattle_integrator_work). */
double rattle__fraction_work(const rattle__fraction *fraction);
/* The run is where it was. */
void rattle__fraction_back(rattle__fraction *fraction, rattle_state *state);
#endif
