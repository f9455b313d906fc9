#ifndef CAMPAIGN_RUN_H
#define CAMPAIGN_RUN_H
/* One run of the library on a problem, each step of which is judged by the truth about it. */
#include "judge.h"

typedef struct run_result {
  outcome outcome;
  int steps, compared, followed; /* followed: by the library's guard */
  int status;
  double part, margin; /* of the step that ended the run */
  double least_margin; /* of the steps that were right */
  double worst;    /* largest error of a step that was right, in units of a careful computation's
                round-off */
  double residual; /* largest |g_i|, |psi_i| of a step that was right, in units of the round-off of
                   their terms */
  char message[400];
} run_result;

/* check: 1 asks the doctor, too; talk: 1 prints what is found step by step. */
void run_problem(const problem *pr, int check, int talk, run_result *result);
#endif
