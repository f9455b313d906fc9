#ifndef RATTLE__DRIFT_H
#define RATTLE__DRIFT_H
/* What the files of the drift study share: one long run for each method, sampled at the ticks. */
#include "study/periodogram.h"
#include "study/study.h"

/* The run of one method. Samples 0 .. rows - 1 at the ticks 0, 1, ... that were reached. */
typedef struct rattle__long_run {
  rattle_study *study;
  const rattle__channels *channels;
  const char *method;
  rattle_claims claims;
  rattle__trial trial;
  struct rattle__probe *probe; /* for observables; NULL: none wanted */
  long long rows;
  double *energy, *energy_max; /* [ticks + 1] energy error, largest so far with every step counted */
  double *g, *psi;             /* [ticks + 1] residuals */
  double *value;               /* [(ticks + 1)*channels] */
} rattle__long_run;

/* growth.c: the table of growth, the fits, the verdict. */
void rattle__drift_growth(rattle_study *study, const rattle__long_run *run, rattle_study_method *row, rattle_study_table *table);
/* spectrum.c: tables of the samples, the periodogram and its peaks; returns how many tables were filled, at most 3 + channels. */
int rattle__drift_spectrum(rattle_study *study, const rattle__long_run *run, rattle_study_table *table);
/* Time of a tick. */
double rattle__drift_time(const rattle_study *study, long long tick);
#endif
