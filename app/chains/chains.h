#ifndef CHAINS_H
#define CHAINS_H
/* rattle sample: where chains begin, and what is shown of samples. */
#include "cli/cli.h"

/* --- starts.c --- */
#define CHAINS_STARTS_OPTION                                                                                                     \
  {"starts", 0, "NAME=VALUES", "starts of the chains: x=1,-1 or \"x~normal(0,0.1)\", or a CSV file; may be repeated"}, {         \
    "spread", 0, "N", "moves by which each chain leaves its start first (100; 0 with --starts)"                                  \
  }
/* Starts [chains*2n] as --starts asks, NaN where the model's is to be; *starts NULL: not asked. The caller frees it. */
rattle_status chains_read_starts(const cli_args *args, const rattle_problem *problem, const rattle_chain_options *chain,
                                 int chains, double **starts, rattle_error *error);

/* --- show.c --- */
rattle_status chains_write_csv(const char *path, int force, const rattle_sampling_result *result, rattle_error *error);
void chains_print_text(const rattle_sampling_result *result, const rattle_sampling_options *options, const char *title,
                       const char *path);
void chains_print_json(const rattle_sampling_result *result, const rattle_sampling_options *options);
#endif
