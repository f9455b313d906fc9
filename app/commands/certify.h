#ifndef RATTLE_COMMAND_CERTIFY_H
#define RATTLE_COMMAND_CERTIFY_H
/* Parts of rattle certify: certify.c for records, certify_rows.c for tables of states of another
 * program, certify_text.c for what both print. */
#include "base/cli.h"

int certify_is_proved(const rattle_certificate *certificate);
/* The line that a paper can cite. */
void certify_print_line(const rattle_certificate *certificate, const char *method);
void certify_print_pieces(const rattle_certificate *certificate);
/* The first step that is not proved, which begins at `time`; nothing where there is none. */
void certify_print_failure(const rattle_certificate *certificate, const rattle_problem *problem,
                           double time);

/* certify_rows.c: the command with --model. */
int certify_rows(const cli_args *args);
#endif
