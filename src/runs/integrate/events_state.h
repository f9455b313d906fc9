#ifndef RATTLE__EVENTS_STATE_H
#define RATTLE__EVENTS_STATE_H
/* Inside of the events of a run: events.c, which has the symbols, events_make.c and
 * no_event_ahead.c. */
#include "runs/integrate/events.h"
#include "runs/integrate/fraction.h"
#include "problem/functions/probe.h"

typedef struct rattle__sought_event {
  int of_switch;   /* 1 + the switch whose changes it is; 0: it is an event */
  rattle_event is; /* value NULL: that of the model */
  long long number;
  double last; /* its time, NaN: none */
} rattle__sought_event;

typedef struct rattle__found_event {
  int event, direction, within; /* within: a step, also where the fraction is 0 */
  double fraction, time, work;
  double *z;
} rattle__found_event;

struct rattle__events {
  const rattle_problem *problem;
  rattle_integrator *integrator;
  rattle__probe *probe;
  rattle__fraction *fraction;
  rattle_events given;
  rattle__sought_event *event;
  int n, of_model, count;     /* count: without "at" */
  int sought;                 /* those of them that are no changes of switches */
  int has_at, adapts, forced; /* forced: slopes need the multipliers */
  int cites;                  /* 1: values of events need them too */
  double sign;                /* of h */
  long long step;
  double t[2], *e[2], *slope[2], *z[2];
  double *memory;                             /* of these and the following */
  double *zdot, *try, *values, *work, *cited; /* cited: a point, and the multipliers cited */
  double h, *J, *calm_e[2], *calm_d[2];       /* of no_event_ahead.c */
  rattle__found_event
      *found; /* [room], those of a step in order: the first `taken` have been taken */
  int founds, taken, room;
};

/* events_make.c: those that were found are forgotten. */
void rattle__events_drop(rattle__events *events);
/* events.c: the state that many steps led to, without anything to take; the second leaves it as the
 * start of the next step too. */
rattle_status rattle__events_stand(rattle__events *events, const rattle_state *state,
                                   rattle_error *error);
rattle_status rattle__events_come(rattle__events *events, const rattle_state *state,
                                  rattle_error *error);
#endif
