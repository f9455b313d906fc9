/* rattle: the command. Finds the subcommand, reads its options, runs it. */
#include <signal.h>
#include <string.h>

#include "cli/cli.h"

static const cli_command *const commands[] = {&cli_run,     &cli_check,          &cli_study,   &cli_resume, &cli_watch,
                                              &cli_recover, &cli_info,           &cli_methods, &cli_new,    &cli_export,
                                              &cli_plot,    &cli_report_command, &cli_gallery};
enum { COMMANDS = sizeof commands / sizeof *commands };

const cli_command *cli_find_command(const char *name) {
  for (int i = 0; i < COMMANDS; i++)
    if (!strcmp(commands[i]->name, name)) return commands[i];
  return NULL;
}

static void print_overview(FILE *out) {
  fputs("rattle integrates constrained Hamiltonian systems, and measures how accurate the result is\n\n"
        "usage: rattle COMMAND [options] ...\n\n",
        out);
  for (int i = 0; i < COMMANDS; i++) cli_print(out, "  %-9s %s\n", commands[i]->name, commands[i]->text);
  fputs("\n`rattle COMMAND --help` (or `rattle help COMMAND`) describes a command; `rattle --version` prints the version.\n"
        "To start: rattle new pendulum && rattle run pendulum.lua -o pendulum.h5\n",
        out);
}

static int unknown_command(const char *word) {
  const char *names[COMMANDS + 1] = {"help"};
  for (int i = 0; i < COMMANDS; i++) names[i + 1] = commands[i]->name;
  const char *near = cli_nearest(word, names, COMMANDS + 1);
  cli_print(stderr, "rattle: unknown command %s", word);
  if (near)
    cli_print(stderr, "; did you mean %s?\n", near);
  else
    fputs("; `rattle help` lists the commands\n", stderr);
  return CLI_USAGE;
}

static int help(int argc, char **argv) {
  if (argc == 0) {
    print_overview(stdout);
    return CLI_DONE;
  }
  const cli_command *command = cli_find_command(argv[0]);
  if (!command) return unknown_command(argv[0]);
  cli_print_help(command, stdout);
  return CLI_DONE;
}

static int run_command(const cli_command *command, int argc, char **argv) {
  cli_args args;
  rattle_error error = {0};
  int exit_status = CLI_DONE, json = 0;
  for (int i = 0; i < argc; i++) json |= !strcmp(argv[i], "--json");
  if (cli_args_read(&args, command, argc, argv, &error))
    exit_status = cli_end_badly(&args, &error, json);
  else if (args.help)
    cli_print_help(command, stdout);
  else
    exit_status = command->main(&args);
  cli_args_free(&args);
  return exit_status;
}

int main(int argc, char **argv) {
  signal(SIGXFSZ, SIG_IGN); /* a file that may not grow fails to be written, and is closed in order */
  if (argc < 2) {
    print_overview(stderr);
    return CLI_USAGE;
  }
  const char *word = argv[1];
  if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
    cli_print(stdout, "rattle %s\n", rattle_version());
    return cli_flush(CLI_DONE);
  }
  if (!strcmp(word, "--help") || !strcmp(word, "-h")) return cli_flush(help(0, NULL));
  if (!strcmp(word, "help")) return cli_flush(help(argc - 2, argv + 2));
  const cli_command *command = cli_find_command(word);
  if (!command) return unknown_command(word);
  return cli_flush(run_command(command, argc - 2, argv + 2));
}
