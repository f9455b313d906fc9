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
  struct run_proofs { /* what certificates say of substeps, where they cover problem and method */
    long long asked, one_piece, tracked, open, wrong;
    long long contradicted; /* steps of which the continuation says otherwise */
  } proofs;
  char message[400];
} run_result;

typedef struct run_wishes {
  int check; /* 1: asks the doctor, too */
  int prove; /* 1: asks certificates, too */
  int talk;  /* 1: prints what is found step by step */
} run_wishes;

/* A problem as the library has it. */
typedef struct machine {
  rattle_model *model;
  rattle_problem *problem;
  rattle_integrator *integrator;
  rattle_certifier *certifier; /* NULL: not wanted, or it does not cover them */
} machine;

/* The machine and where it starts; to be stopped on failure too. */
rattle_status machine_start(const problem *pr, machine *at, double *q, double *p,
                            rattle_error *error);
void machine_stop(machine *at);
/* True if a step from here moves so far that it does not follow the motion: the method is unstable
 * with it, and steps are not judged from here on. */
int machine_is_unstable(const problem *pr, const double *q, const double *p, formula_work *work);

void run_problem(const problem *pr, const run_wishes *wishes, run_result *result);
#endif
