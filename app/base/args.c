/* Options and operands: read by the command's own table, which --help prints too. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cli.h"

static int count_options(const cli_option *options) {
  int count = 0;
  while (options[count].name) count++;
  return count;
}

static int find_long(const cli_option *options, const char *name, size_t length) {
  for (int i = 0; options[i].name; i++)
    if (strlen(options[i].name) == length && !memcmp(options[i].name, name, length)) return i;
  return -1;
}

static int find_letter(const cli_option *options, char letter) {
  for (int i = 0; options[i].name; i++)
    if (options[i].letter == letter) return i;
  return -1;
}

/* The option that other programs call by this word; for one letter, the only option that begins
 * with it. NULL: nothing is known. */
static const char *by_habit(const cli_option *options, const char *word) {
  static const char *const habits[][2] = {{"--dt", "step"},    {"--h", "step"},
                                          {"--time", "stop"},  {"--until", "stop"},
                                          {"--t-end", "stop"}, {"--integrator", "method"}};
  for (size_t i = 0; i < sizeof habits / sizeof *habits; i++)
    if (!strcmp(word, habits[i][0]) && find_long(options, habits[i][1], strlen(habits[i][1])) >= 0)
      return habits[i][1];
  const char *found = NULL;
  for (int i = 0, count = 0; options[i].name && word[1] != '-'; i++)
    if (options[i].name[0] == word[1]) found = count++ ? NULL : options[i].name;
  return found;
}

static rattle_status unknown(const cli_command *command, const char *word, rattle_error *error) {
  const char *names[32] = {"help"};
  int count = 1;
  for (int i = 0; command->options[i].name && count < 32; i++)
    names[count++] = command->options[i].name;
  char bare[64];
  snprintf(bare, sizeof bare, "%.*s", (int)strcspn(word, "="), word);
  const char *near = by_habit(command->options, bare);
  if (!near && !strncmp(word, "--", 2)) near = cli_nearest(bare + 2, names, count);
  return near ? text_fail(error, RATTLE_BAD_ARGUMENT, "unknown option %s; did you mean --%s?", bare,
                          near)
              : text_fail(error, RATTLE_BAD_ARGUMENT,
                          "unknown option %s; `rattle %s --help` lists the options", bare,
                          command->name);
}

/* -P name=value */
static rattle_status add_parameter(cli_args *args, const char *word, rattle_error *error) {
  const char *equals = strchr(word, '=');
  char *rest = NULL;
  double value = equals ? strtod(equals + 1, &rest) : 0;
  if (!equals || equals == word || rest == equals + 1 || *rest)
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "-P %s: expected name=number, as in -P gravity=9.81", word);
  size_t room = (size_t)args->parameters + 1;
  rattle_parameter *parameter = realloc(args->parameter, room * sizeof *parameter);
  if (parameter) args->parameter = parameter;
  char **name = realloc(args->parameter_name, room * sizeof *name);
  if (name) args->parameter_name = name;
  char *copy = strndup(word, (size_t)(equals - word));
  if (!parameter || !name || !copy) {
    free(copy);
    return text_no_memory(error);
  }
  args->parameter_name[args->parameters] = copy;
  args->parameter[args->parameters++] = (rattle_parameter){.name = copy, .value = value};
  return RATTLE_OK;
}

/* The words that were typed, and the place of the reader. */
typedef struct typed {
  char **word;
  int count, at;
} typed;

/* Option `row` was met; its argument is `value` (NULL: the next word). */
static rattle_status take(cli_args *args, int row, const char *value, typed *t,
                          rattle_error *error) {
  const char *word = t->word[t->at];
  const cli_option *option = &args->command->options[row];
  if (!option->argument) {
    if (value)
      return text_fail(error, RATTLE_BAD_ARGUMENT, "--%s takes no value (%s was given)",
                       option->name, value);
    args->value[row] = "";
    args->given[args->givens++] = (struct cli_given){option, ""};
    return RATTLE_OK;
  }
  if (!value) {
    if (t->at + 1 >= t->count)
      return text_fail(error, RATTLE_BAD_ARGUMENT, "%s needs a value: %s %s", word, word,
                       option->argument);
    value = t->word[++t->at];
  }
  args->value[row] = value;
  args->given[args->givens++] = (struct cli_given){option, value};
  return option->letter == 'P' ? add_parameter(args, value, error) : RATTLE_OK;
}

static rattle_status take_operand(cli_args *args, const char *word, rattle_error *error) {
  if (args->operands == args->command->most)
    return text_fail(error, RATTLE_BAD_ARGUMENT, "unexpected operand %s: rattle %s %s", word,
                     args->command->name, args->command->operands);
  args->operand[args->operands++] = word;
  return RATTLE_OK;
}

rattle_status cli_args_read(cli_args *args, const cli_command *command, int argc, char **argv,
                            rattle_error *error) {
  *args = (cli_args){.command = command};
  args->value = calloc((size_t)count_options(command->options) + 1, sizeof *args->value);
  args->given = calloc((size_t)argc + 1, sizeof *args->given);
  if (!args->value || !args->given) return text_no_memory(error);
  rattle_status status = RATTLE_OK;
  int options_end = 0;
  for (typed t = {argv, argc, 0}; t.at < argc && !status; t.at++) {
    const char *word = argv[t.at];
    if (options_end || word[0] != '-' || !word[1]) {
      status = take_operand(args, word, error);
    } else if (!strcmp(word, "--")) {
      options_end = 1;
    } else if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
      args->help = 1;
      return RATTLE_OK;
    } else {
      /* --name, --name=value, -x, -xvalue */
      int is_long = word[1] == '-';
      const char *value = is_long ? strchr(word, '=') : word[2] ? word + 1 : NULL;
      size_t length = is_long ? (value ? (size_t)(value - word) : strlen(word)) - 2 : 0;
      int row = is_long ? find_long(command->options, word + 2, length)
                        : find_letter(command->options, word[1]);
      status = row < 0 ? unknown(command, word, error)
                       : take(args, row, value ? value + 1 : NULL, &t, error);
    }
  }
  if (!status && args->operands < command->least)
    status = text_fail(error, RATTLE_BAD_ARGUMENT, "missing operand: rattle %s %s", command->name,
                       command->operands);
  return status;
}

void cli_args_free(cli_args *args) {
  for (int i = 0; i < args->parameters; i++) free(args->parameter_name[i]);
  free(args->parameter_name);
  free(args->parameter);
  free(args->value);
  free(args->given);
  *args = (cli_args){0};
}

const char *cli_text(const cli_args *args, const char *option) {
  int row = find_long(args->command->options, option, strlen(option));
  return row < 0 ? NULL : args->value[row];
}

const char *cli_next(const cli_args *args, const char *option, int *at) {
  while (*at < args->givens) {
    const struct cli_given *given = &args->given[(*at)++];
    if (!strcmp(given->option->name, option)) return given->value;
  }
  return NULL;
}

int cli_flag(const cli_args *args, const char *option) {
  return cli_text(args, option) != NULL;
}

rattle_status cli_real(const cli_args *args, const char *option, double *value,
                       rattle_error *error) {
  const char *word = cli_text(args, option);
  if (!word) return RATTLE_OK;
  char *rest;
  double read = strtod(word, &rest);
  if (rest == word)
    return text_fail(error, RATTLE_BAD_ARGUMENT, "--%s %s: expected a number", option, word);
  if (*rest == ',')
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "--%s %s: expected a number; decimals follow a point, not a comma", option,
                     word);
  if (*rest)
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "--%s %s: expected a number alone, in the units of the model", option, word);
  if (!isfinite(read))
    return text_fail(error, RATTLE_BAD_ARGUMENT, "--%s %s: expected a finite number", option, word);
  *value = read;
  return RATTLE_OK;
}

rattle_status cli_integer(const cli_args *args, const char *option, long long *value,
                          rattle_error *error) {
  double read = (double)*value;
  if (!cli_flag(args, option)) return RATTLE_OK;
  rattle_status status = cli_real(args, option, &read, error);
  if (status) return status;
  if (read != floor(read) || fabs(read) > 9e15)
    return text_fail(error, RATTLE_BAD_ARGUMENT, "--%s %s: expected a whole number%s", option,
                     cli_text(args, option), fabs(read) > 9e15 ? " of at most 9e15" : "");
  *value = (long long)read;
  return RATTLE_OK;
}

void cli_print_help(const cli_command *command, FILE *out) {
  cli_print(out, "usage: rattle %s %s%s\n\n%s\n", command->name,
            command->options[0].name ? "[options] " : "", command->operands, command->text);
  fputs("\noptions:\n", out);
  for (const cli_option *option = command->options; option->name; option++) {
    char left[64], letter[5] = "    ";
    if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(left, sizeof left, "%s--%s%s%s", letter, option->name, option->argument ? " " : "",
             option->argument ? option->argument : "");
    cli_print(out, "  %-28s %s\n", left, option->text);
  }
  cli_print(out, "  %-28s %s\n", "-h, --help", "this text");
  if (command->details[0]) cli_print(out, "\n%s", command->details);
}
