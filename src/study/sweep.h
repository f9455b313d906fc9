#ifndef RATTLE__SWEEP_H
#define RATTLE__SWEEP_H
/* Runs of a method over the same time with ever smaller steps. */
#include "study/study.h"

enum { RATTLE__SWEEP_MOST = 96 };

typedef struct rattle__sweep {
  rattle_study *study;
  const char *method;
  rattle_claims claims;
  int timed;      /* 1: runs are repeated for the clock, see rattle__trial_time */
  double enough;  /* error from which on finer steps are not wanted; 0: down to round-off */
  int most, done; /* runs planned; made and wanted */
  rattle__trial trial[RATTLE__SWEEP_MOST];
  rattle__errors errors[RATTLE__SWEEP_MOST]; /* where the run went well and there is a reference */
} rattle__sweep;

/* Plans the steps: doubled each time, with points between for higher orders, whose errors fall fast; `density` 1: a few, 2: twice
 * as many. What is not a method (row->status) gets none. */
void rattle__sweep_plan(rattle_study *study, const rattle_study_method *row, int density, rattle__sweep *sweep);
/* Runs all of them, until errors have come to round-off or to what is enough, or work to what a run may take. */
rattle_status rattle__sweep_run(rattle_study *study, rattle__sweep *sweep, int sweeps, rattle_error *error);

/* The error of a run in the quantity of the study, relative: of the solution, or of the energy. NaN: it failed. */
double rattle__sweep_error(const rattle__sweep *sweep, int k);
/* What round-off makes of it. */
double rattle__sweep_floor(const rattle__sweep *sweep, int k);
/* Says that nothing came of a sweep: status and message of the row. */
void rattle__sweep_excuse(const rattle__sweep *sweep, rattle_study_method *row);
/* Base maps of a run. */
double rattle__sweep_maps(const rattle__sweep *sweep, int k);
#endif
