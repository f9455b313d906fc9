#ifndef MARKOV_H
#define MARKOV_H
/* rattle sample: where chains begin, files of samples, and what is shown of them. */
#include <pthread.h>

#include "base/cli.h"
#include "rattle/cases.h"

/* --- starts.c --- */
#define MARKOV_STARTS_OPTION                                                                       \
  {"starts", 0, "NAME=VALUES",                                                                     \
   "starts of the chains: x=1,-1 or \"x~normal(0,0.1)\", or a CSV file; may be repeated"},         \
  {                                                                                                \
    "spread", 0, "N", "moves by which each chain leaves its start first (100; 0 with --starts)"    \
  }
/* Starts [chains*2n] as --starts asks, NaN where the model's is to be; *starts NULL: not asked. The
 * caller frees it. */
rattle_status markov_read_starts(const cli_args *args, const rattle_problem *problem,
                                 const rattle_chain_options *chain, int chains, double **starts,
                                 rattle_error *error);

/* --- file.c: files of samples --- */
typedef struct markov_file {
  const char *path;
  rattle_cases *cases;      /* NULL: to be made from `about`, whose columns are those of the
                               sampling */
  rattle_cases_about about; /* texts alone */
  int force, resumed;       /* resumed: there are draws in the file */
  int columns, state;
  long long draws;
  double *row;
  pthread_mutex_t lock;
} markov_file;
/* *record keeps the draws in the file. markov_file_end in any case. */
void markov_file_begin(markov_file *file, rattle_sampling_record *record);
rattle_status markov_file_end(markov_file *file, rattle_error *error);
/* True if the cases are samples. */
int markov_is_file(const rattle_cases *cases);
long long markov_plan_number(const char *plan, const char *name, long long otherwise);

/* The contents of a file: `result` has the draws that all chains have; names belong to the
 * cases. */
typedef struct markov_seen {
  rattle_sampling_result result;
  long long draws, there; /* of each chain when it is complete; of all chains, now */
} markov_seen;
rattle_status markov_read(markov_seen *seen, const rattle_cases *cases, const char *path,
                          rattle_error *error);
void markov_drop(markov_seen *seen);

/* --- show.c --- */
enum { MARKOV_DOUBTS = 6 };
typedef struct markov_doubts {
  int count;
  char text[MARKOV_DOUBTS][300];
} markov_doubts;
/* Sentences on results not to be trusted, and what to do. */
markov_doubts markov_doubts_of(const rattle_sampling_result *result);
rattle_chain_counts markov_total(const rattle_sampling_result *result);
rattle_status markov_write_csv(const char *path, int force, const rattle_sampling_result *result,
                               rattle_error *error);
void markov_print_text(const rattle_sampling_result *result, const rattle_sampling_options *options,
                       const char *title, const char *path);
void markov_print_json(const rattle_sampling_result *result,
                       const rattle_sampling_options *options);
#endif
