#ifndef RATTLE_CLI_SWEEP_H
#define RATTLE_CLI_SWEEP_H
#include "base/cli.h"

/* rattle info FILE of a file of cases. 1: it was one, and was shown, or *error says why it could
 * not be; 0: it is none, or cannot be opened, and *error may say why. */
int cli_sweep_info(const cli_args *args, rattle_error *error);
/* If a record could not be opened since the file is one of cases, *error names the command that
 * shows it. */
void cli_sweep_instead(const char *path, rattle_error *error);
/* rattle resume FILE. 1: it is a file of cases, and *exit_status is that of the command. */
int cli_sweep_resume(const cli_args *args, int *exit_status);
#endif
