#ifndef RATTLE__INTEGRATE_EVENTS_H
#define RATTLE__INTEGRATE_EVENTS_H
/* The events of a run, found step by step. */
#include "rattle/run.h"

typedef struct rattle__events rattle__events;

/* *events NULL: there is nothing to seek, where `heard` is 0 all that does not end the run. */
rattle_status rattle__events_create(rattle__events **events, rattle_integrator *integrator,
                                    const rattle_events *given, int heard, rattle_error *error);
void rattle__events_destroy(rattle__events **events);
/* The state that the run starts from; afterwards output at its time waits to be taken. */
rattle_status rattle__events_begin(rattle__events *events, const rattle_state *state,
                                   rattle_error *error);
/* Up to so many steps from the state, at least one, up to one in which something may happen; they
 * widen [*low, *high] by the energies. */
rattle_status rattle__events_advance(rattle__events *events, rattle_state *state, long long steps,
                                     double *low, double *high, rattle_error *error);
/* The run is about to make a step from the state. */
void rattle__events_leave(rattle__events *events, const rattle_state *state);
/* The state after that: what has happened in it waits to be taken. */
rattle_status rattle__events_step(rattle__events *events, const rattle_state *state,
                                  rattle_error *error);
/* The next event, its sample with step and time, and *z [2n], the point for output, until the next
 * step. 0: there is none. */
int rattle__events_take(rattle__events *events, rattle_occurrence *occurrence,
                        rattle_sample *sample, const double **z);
/* True if the event is output at given times. */
int rattle__events_is_output(const rattle__events *events, int event);
/* The run ends in the step: the state becomes that from which it was made. */
void rattle__events_back(rattle__events *events, rattle_state *state);
#endif
