#ifndef RATTLE_CLI_STUDY_H
#define RATTLE_CLI_STUDY_H
/* rattle study: what its files share. */
#include "cli/cli.h"

typedef struct cli_study_report {
  const rattle_study_result *result;
  const cli_session *session;
  const char *model_path, *record_path; /* record_path NULL: none */
  const rattle_error *error;            /* of result->status */
} cli_study_report;
void cli_study_json(const cli_study_report *report, FILE *out); /* study_json.c */
void cli_study_text(const cli_study_report *report, FILE *out); /* study_text.c */
#endif
