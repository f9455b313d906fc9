#ifndef RATTLE_FIT_COMMAND_H
#define RATTLE_FIT_COMMAND_H
/* rattle fit: parameters and starts of a model from data. */
#include "base/cli.h"

/* A file of data: one run. */
typedef struct fit_file {
  const char *path;
  char *text;
  cli_table table;
  int columns;                          /* that are fitted */
  const char **column;                  /* [columns], and their places in the table */
  int *place, *sigma_place;             /* sigma_place -1: none */
  double *time, *value, *sigma, *block; /* block: the numbers of the table */
  rattle_fit_data data;
} fit_file;

typedef struct fit_plan {
  cli_session session;
  fit_file *file;
  int files;
  rattle_fit_parameter *vary;
  const char **start;
  char *names; /* of both */
  rattle_fit_options options;
  rattle_fit *fit;
} fit_plan;

/* fit_data.c: the columns --columns of a file, or all but the time, and the uncertainties of
 * --sigma and of columns sigma_NAME. To be closed after a failure too. */
rattle_status fit_file_open(fit_file *file, const char *path, const cli_args *args,
                            rattle_error *error);
void fit_file_close(fit_file *file);
/* Each NAME of --sigma NAME=NUMBER is a column that is fitted. */
rattle_status fit_check_sigma(const fit_plan *plan, const cli_args *args, rattle_error *error);
/* Data and what the model makes of them, as CSV. */
rattle_status fit_write_csv(const fit_plan *plan, const char *path, int force, rattle_error *error);
/* fit_text.c */
void fit_print_text(const fit_plan *plan, const cli_args *args);
void fit_print_json(const fit_plan *plan, const cli_args *args);
#endif
