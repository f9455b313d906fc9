/* The table of subcommands. */
#include <string.h>

#include "base/cli.h"

const cli_command *const cli_commands[] = {
    &cli_run,     &cli_check,  &cli_study,   &cli_sweep,        &cli_sample,  &cli_fit_command,
    &cli_resume,  &cli_watch,  &cli_recover, &cli_info,         &cli_certify, &cli_cite,
    &cli_methods, &cli_verify, &cli_new,     &cli_export,       &cli_plot,    &cli_report_command,
    &cli_animate, &cli_live,   &cli_gallery, &cli_bonds_command};
enum { COMMANDS = sizeof cli_commands / sizeof *cli_commands };
const int cli_command_count = COMMANDS;

const cli_command *cli_find_command(const char *name) {
  for (int i = 0; i < COMMANDS; i++)
    if (!strcmp(cli_commands[i]->name, name)) return cli_commands[i];
  return NULL;
}
