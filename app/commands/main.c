/* rattle: the command. Finds the subcommand, reads its options, runs it. */
#include <signal.h>
#include <string.h>

#include "base/cli.h"

static void print_overview(FILE *out) {
  fputs("rattle integrates constrained Hamiltonian systems, and measures how accurate the result "
        "is\n\n"
        "usage: rattle COMMAND [options] ...\n\n",
        out);
  for (int i = 0; i < cli_command_count; i++)
    cli_print(out, "  %-9s %s\n", cli_commands[i]->name, cli_commands[i]->text);
  fputs("\n`rattle COMMAND --help` describes a command, `rattle help CHAPTER` prints a chapter; "
        "`rattle --version` prints the "
        "version.\n"
        "To start: rattle new pendulum && rattle run pendulum.lua -o pendulum.h5\n",
        out);
  cli_list_chapters(out);
}

static int unknown_command(const char *word) {
  const char *names[64] = {"help", "--version"}, *ending = strrchr(word, '.');
  for (int i = 0; i < cli_command_count; i++) names[i + 2] = cli_commands[i]->name;
  const char *near = cli_nearest(word, names, cli_command_count + 2);
  cli_print(stderr, "rattle: unknown command %s", word);
  if (ending && (!strcmp(ending, ".lua") || !strcmp(ending, ".h5"))) {
    const int model = ending[1] == 'l';
    cli_print_command(stderr, model ? "; to run it: " : "; to show it: ",
                      model ? "rattle run" : "rattle info", word);
    return CLI_USAGE;
  }
  if (near)
    cli_print(stderr, "; did you mean %s?\n", near);
  else
    fputs("; `rattle help` lists the commands\n", stderr);
  return CLI_USAGE;
}

static int help(int argc, char **argv) {
  if (argc > 0) return cli_help(argv[0]);
  print_overview(stdout);
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
  else if (cli_load_plugins(&args, &error))
    exit_status = cli_end_badly(&args, &error, json);
  else
    exit_status = command->main(&args);
  cli_args_free(&args);
  return exit_status;
}

int main(int argc, char **argv) {
  signal(SIGXFSZ, SIG_IGN); /* a file that may not grow fails to be written, and is closed in
                               order */
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
