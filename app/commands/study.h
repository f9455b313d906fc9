#ifndef RATTLE_CLI_STUDY_H
#define RATTLE_CLI_STUDY_H
/* rattle study: what its files share. */
#include "base/cli.h"

typedef struct cli_study_report {
  const rattle_study_result *result;
  const char *model_path, *record_path; /* record_path NULL: none */
} cli_study_report;
void cli_study_json(const cli_study_report *report, FILE *out); /* study_json.c */
void cli_study_text(const cli_study_report *report, FILE *out); /* study_text.c */
/* How a kind of study is printed: the results of one method (NULL: nothing), and of all
 * together. */
typedef struct cli_study_teller {
  void (*method)(const rattle_study_method *method, int constrained, FILE *out);
  void (*all)(const rattle_study_result *result, FILE *out);
} cli_study_teller;
extern const cli_study_teller cli_study_tells_order, cli_study_tells_drift, cli_study_tells_work,
    cli_study_tells_compare, cli_study_tells_advise, cli_study_tells_lyapunov,
    cli_study_tells_orbit, cli_study_tells_family, cli_study_tells_statics;

/* study_cells.c: words from column `left` on, broken at spaces; the cursor is in column `at`. */
void cli_study_words(FILE *out, int at, int left, const char *text);
/* A number in a column; what is not known is a dash. */
void cli_study_cell(FILE *out, int width, const char *format, double value);
/* The methods that could not be studied: they lack the table. */
void cli_study_failures(const rattle_study_result *result, const char *table, FILE *out);

/* Prints the study that the operand names, as `rattle info` does. 0 if it is none that can be read;
 * `error`, which says why it is no record, then says why the study is refused, if it is one. */
int cli_study_info(const cli_args *args, rattle_error *error);

/* study_csv.c: refuses files that cannot be written, or are not what the study writes; writes the
 * family of equilibria of the study. */
rattle_status cli_study_check_outputs(const cli_args *args, int along_parameter,
                                      rattle_error *error);
rattle_status cli_study_csv(const rattle_study_result *result, const char *path,
                            rattle_error *error);

/* --- study_along.c --- */
/* The parameter along which a family goes. */
typedef struct cli_along {
  char *name;
  rattle_parameter *parameter; /* those of -P, and the value where it begins if --along gives it */
  int parameters, ends;        /* ends: --along says where */
  double to;
} cli_along;
/* Fails where --along is given twice. */
rattle_status cli_along_once(const cli_args *args, rattle_error *error);
rattle_status cli_along_read(cli_along *along, const cli_args *args, rattle_error *error);
/* Fails if the model does not have the parameter. */
rattle_status cli_along_check(const cli_along *along, const rattle_model *model,
                              rattle_error *error);
void cli_along_drop(cli_along *along);

/* --- study_steady.c --- */
/* Quantities along whose flows a steady motion goes, with its speeds. */
typedef struct cli_steady {
  rattle_parameter *quantity;
  int quantities;
} cli_steady;
/* After --along, which may give one of them the speed where its family begins. */
rattle_status cli_steady_read(cli_steady *steady, cli_along *along, const cli_args *args,
                              rattle_error *error);
int cli_steady_has(const cli_steady *steady, const char *name);
void cli_steady_drop(cli_steady *steady);
#endif
