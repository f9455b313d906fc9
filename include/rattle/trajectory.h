#ifndef RATTLE_TRAJECTORY_H
#define RATTLE_TRAJECTORY_H
/* Samples in memory: an observer that keeps its samples, in one array for each quantity. */
#include "rattle/run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rattle_trajectory rattle_trajectory;

/* The samples so far; row k of each array is sample k. Arrays belong to the trajectory. They may
 * move while a run adds samples, and do not move between runs; NULL if they have no entries. */
typedef struct rattle_samples {
  int n, m, observables;
  long long count;
  const long long *step;               /* [count] */
  const double *time, *energy;         /* [count] */
  const double *q, *p;                 /* [count*n] */
  const double *g, *psi, *multipliers; /* [count*m] */
  const double *observed;              /* [count*observables] */
  const char *name;                    /* of an event; NULL: samples of the run */
  const int
      *direction; /* of an event [count]: 1: e rises, -1: it falls; 0: output at a given time */
  /* [count] of forces, drives, moving constraints and heat baths: H is energy + work */
  const double *work;
} rattle_samples;

RATTLE_API rattle_status rattle_trajectory_create(rattle_trajectory **trajectory,
                                                  const rattle_problem *problem,
                                                  rattle_error *error);
/* May observe several runs of the problem, one after the other, each from the end of the one
 * before: a first sample at the step of the last one is not added again.
 * RATTLE_BAD_ARGUMENT: the run is of another problem size. RATTLE_NO_MEMORY ends the run; the
 * samples up to then remain. */
RATTLE_API rattle_observer *rattle_trajectory_observer(rattle_trajectory *trajectory);
/* Never NULL; valid until the trajectory is destroyed, and updated by each sample. */
RATTLE_API const rattle_samples *rattle_trajectory_samples(const rattle_trajectory *trajectory);
/* The same for points at the events of the runs (run.h): the number of events, up to the last one
 * that has happened; and the points of one event, `step` being the last whole step before. NULL: it
 * has not happened. */
RATTLE_API int rattle_trajectory_events(const rattle_trajectory *trajectory);
RATTLE_API const rattle_samples *rattle_trajectory_event(const rattle_trajectory *trajectory,
                                                         int event);
RATTLE_API void rattle_trajectory_destroy(rattle_trajectory **trajectory);

#ifdef __cplusplus
}
#endif
#endif
