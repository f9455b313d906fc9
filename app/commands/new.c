/* rattle new: a commented model to start from, taken from the examples that the command carries. */
#include <stdlib.h>
#include <string.h>

#include "rattle/robot.h"

#include "base/cli.h"
#include "commands/examples.h"

static const cli_option options[] = {
    {"from", 0, "EXAMPLE",
     "the example to copy (pendulum), or a robot: robot.urdf, robot.xml, robot.sdf"},
    {"list", 0, NULL, "list the examples"},
    {"force", 0, NULL, "replace NAME.lua if it exists"},
    {NULL, 0, NULL, NULL}};

static const cli_example *find_example(const char *name) {
  for (int i = 0; i < cli_example_count; i++)
    if (!strcmp(cli_examples[i].name, name)) return &cli_examples[i];
  return NULL;
}

/* The title of the model: the text in quotes after `title` at the start of a line. */
static void print_title(const char *text) {
  const char *line = strncmp(text, "title", 5) ? strstr(text, "\ntitle") : text;
  const char *open = line ? strchr(line, '"') : NULL, *close = open ? strchr(open + 1, '"') : NULL;
  if (close) cli_print(stdout, "%.*s", (int)(close - open - 1), open + 1);
  putchar('\n');
}

static int list(void) {
  for (int i = 0; i < cli_example_count; i++) {
    cli_print(stdout, "%-24s ", cli_examples[i].name);
    print_title(cli_examples[i].text);
  }
  return CLI_DONE;
}

static rattle_status choose(const cli_example **example, const char *name, rattle_error *error) {
  *example = find_example(name);
  if (*example) return RATTLE_OK;
  const char *names[256];
  int count = cli_example_count < 256 ? cli_example_count : 256;
  for (int i = 0; i < count; i++) names[i] = cli_examples[i].name;
  const char *near = cli_nearest(name, names, count);
  return text_fail(error, RATTLE_BAD_ARGUMENT,
                   "there is no example %s%s%s%s; `rattle new --list` lists them", name,
                   near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

/* True if --from names the file of a robot. */
static int is_file(const char *from) {
  const char *ending = strrchr(from, '.');
  return strchr(from, '/') || (ending && (!strcmp(ending, ".urdf") || !strcmp(ending, ".xml") ||
                                          !strcmp(ending, ".sdf")));
}

static rattle_status write_text(const char *text, const char *path, int force,
                                rattle_error *error) {
  cli_output output;
  const rattle_status status = cli_begin_output(&output, path, force, error);
  if (status) return status;
  fputs(text, output.file);
  return cli_end_output(&output, RATTLE_OK, error);
}

static int new_model(const cli_args *args) {
  rattle_error error = {0};
  if (cli_flag(args, "list")) return list();
  const char *name = args->operand[0], *from = cli_text(args, "from");
  if (!name) {
    text_fail(&error, RATTLE_BAD_ARGUMENT,
              "missing operand: rattle new NAME [--from EXAMPLE|ROBOT]");
    return cli_end_badly(args, &error, 0);
  }
  size_t length = strlen(name);
  int has_ending = length > 4 && !strcmp(name + length - 4, ".lua");
  char *path = malloc(length + sizeof ".lua");
  if (!path) return CLI_FAILED;
  sprintf(path, "%s%s", name, has_ending ? "" : ".lua");

  if (!from) from = "pendulum";
  const int of_robot = is_file(from);
  const cli_example *example = NULL;
  char *robot = NULL;
  rattle_status status =
      of_robot ? rattle_robot_text(&robot, from, &error) : choose(&example, from, &error);
  if (!status) status = cli_check_output(path, cli_flag(args, "force"), NULL, &error);
  if (!status)
    status = write_text(of_robot ? robot : example->text, path, cli_flag(args, "force"), &error);
  if (!status)
    cli_print(stdout, "wrote %s from the %s %s; ", path, of_robot ? "robot" : "example", from);
  if (!status) cli_print_command(stdout, "run it with: ", "rattle run", path);
  free(robot);
  free(path);
  return status ? cli_end_badly(args, &error, 0) : CLI_DONE;
}

const cli_command cli_new = {
    "new",   "NAME",   "Writes NAME.lua, a commented model to start from.",
    0,       1,        "An existing file is never overwritten without --force.\n",
    options, new_model};
