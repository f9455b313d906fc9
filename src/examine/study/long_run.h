#ifndef RATTLE__LONG_RUN_H
#define RATTLE__LONG_RUN_H
/* Long runs with one step, sampled at the ticks: of the studies drift and compare. */
#include "examine/study/periodogram.h"
#include "examine/study/study.h"

/* The run of one method. Samples 0 .. rows - 1 at the ticks 0, 1, ... that were reached. */
typedef struct rattle__long_run {
  rattle_study *study;
  const rattle__study_channels *channels;
  const char *method;
  rattle_claims claims;
  rattle__trial trial;
  struct rattle__probe *probe; /* for observables; NULL: none wanted */
  long long rows;
  double *energy,
      *energy_max; /* [ticks + 1] energy error, largest so far with every step counted */
  double *g, *psi; /* [ticks + 1] residuals */
  double *value;   /* [(ticks + 1)*channels] */
} rattle__long_run;

/* The step, and how many make a tick. */
typedef struct rattle__plan {
  double step;
  long long every;
} rattle__plan;
/* Step, ticks and the span that they make: whole ticks that reach the stop; common times spread
 * over the logarithm of time. */
rattle_status rattle__long_plan(rattle_study *study, rattle__plan *plan, rattle_error *error);
/* A run for each of the study's methods, and the figures step, steps and every of the study. On
 * failure destroy all the same. */
rattle_status rattle__long_create(rattle__long_run **runs, rattle_study *study,
                                  const rattle_study_method *row,
                                  const rattle__study_channels *channels, const rattle__plan *plan,
                                  rattle_error *error);
void rattle__long_destroy(rattle__long_run **runs, int methods);
void rattle__long_go(rattle__long_run *run, rattle__job *job);

/* growth.c: the table of growth, the fits, the verdict. */
void rattle__long_growth(rattle_study *study, const rattle__long_run *run, rattle_study_method *row,
                         rattle_study_table *table);
/* spectrum.c: tables of the samples, the periodogram and its peaks; returns how many tables were
 * filled, at most 3 + channels. */
int rattle__long_spectrum(rattle_study *study, const rattle__long_run *run,
                          rattle_study_table *table);
/* Time of a tick. */
double rattle__long_time(const rattle_study *study, long long tick);
#endif
