#ifndef RATTLE__REFINEMENT_H
#define RATTLE__REFINEMENT_H
/* Runs of a method over the same time with ever smaller steps. */
#include "examine/study/study.h"

enum { RATTLE__REFINEMENT_MOST = 96 };

typedef struct rattle__refinement {
  rattle_study *study;
  const char *method;
  rattle_claims claims;
  int timed;      /* 1: runs are repeated for the clock, see rattle__trial_time */
  double enough;  /* error from which on finer steps are not wanted; 0: down to round-off */
  int most, done; /* runs planned; made and wanted */
  int stopped;    /* 1: not tried to the end, for another reached the error in much less time */
  rattle__trial trial[RATTLE__REFINEMENT_MOST];
  rattle__errors
      errors[RATTLE__REFINEMENT_MOST]; /* where the run went well and there is a reference */
} rattle__refinement;

/* Plans the steps: doubled each time, with points between for higher orders, whose errors fall
 * fast; `density` 1: a few, 2: twice as many. A row that is no method (row->status) gets none.
 * enough: 0, or the error that is enough: then steps much longer than the fastest motion are not
 * tried. */
void rattle__refinement_plan(rattle_study *study, const rattle_study_method *row, int density,
                             double enough, rattle__refinement *refinement);
/* Runs all of them, until errors have come to round-off or to an error that is enough, or work to
 * its limit for a run. If an error is enough, the refinement that may reach it first comes first,
 * and those that cannot do so in twice the least time are stopped. */
rattle_status rattle__refinement_run(rattle_study *study, rattle__refinement *refinement,
                                     int refinements, rattle_error *error);

/* The error of a run in the quantity of the study, relative: of the solution, or of the energy.
 * NaN: it failed. */
double rattle__refinement_error(const rattle__refinement *refinement, int k);
/* The round-off of that error. */
double rattle__refinement_floor(const rattle__refinement *refinement, int k);
/* Says that nothing came of a refinement: status and message of the row. */
void rattle__refinement_excuse(const rattle__refinement *refinement, rattle_study_method *row);
/* Base maps of a run. */
double rattle__refinement_maps(const rattle__refinement *refinement, int k);
#endif
