#ifndef RATTLE_CLI_STUDY_H
#define RATTLE_CLI_STUDY_H
/* rattle study: what its files share. */
#include "cli/cli.h"

typedef struct cli_study_report {
  const rattle_study_result *result;
  const char *model_path, *record_path; /* record_path NULL: none */
} cli_study_report;
void cli_study_json(const cli_study_report *report, FILE *out); /* study_json.c */
void cli_study_text(const cli_study_report *report, FILE *out); /* study_text.c */
/* Prints the study that the operand names, as `rattle info` does; 0 where it is none. */
int cli_study_info(const cli_args *args);
#endif
