#ifndef RATTLE_CLI_SAMPLE_H
#define RATTLE_CLI_SAMPLE_H
#include "many/markov/markov.h"

/* A sampling as it was asked for. */
typedef struct sample_plan {
  rattle_sampling_options sampling;
  rattle_chain_options chain;
  double *starts; /* those of the chains; NULL: the model's */
  char *method;
} sample_plan;

/* sample_plan.c: the plan by the options, and the method for the session's problem. Free its starts
 * and method. */
rattle_status cli_sample_plan_read(const cli_args *args, const cli_session *session,
                                   sample_plan *plan, rattle_error *error);
/* sample_along.c: rattle sample --along. Returns the exit status. */
int cli_sample_along(const cli_args *args);
/* sample_file.c: runs the chains and keeps them in the file, if its path is not NULL. The plan's
 * options are complete. */
rattle_status cli_sample_run(sample_plan *plan, const rattle_problem *problem, markov_file *file,
                             rattle_sampling **sampling, rattle_error *error);

/* The plan as a text, and its starts; NULL: no memory. */
char *cli_sample_plan(const sample_plan *plan, const cli_args *args);
char *cli_sample_starts(const sample_plan *plan, int n);
/* rattle info of a file of samples; and rattle resume, which returns the exit status. */
rattle_status cli_sample_info(const cli_args *args, const rattle_cases *cases, rattle_error *error);
int cli_sample_resume(const cli_args *args);
#endif
