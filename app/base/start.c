/* Starts from the command line: --start NAME=VALUE, and --from RECORD.h5[@AT], a point of another
 * run (from.c).
 *
 * They become a line of the model's text, so that records, studies, reports and hashes have the
 * start that was used. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cli.h"

static const char marker[] = " } -- given to the command";

/* The line that is to be added to the text, and the model that checks its values. */
typedef struct start_line {
  rattle_model *model;
  const cli_args *args;
  FILE *text;
  int values;
} start_line;

/* A value in the line, its name as a string of Lua. */
static rattle_status put_value(start_line *line, const char *name, double value,
                               rattle_error *error) {
  const rattle_status status = rattle_model_start_variable(line->model, name, value, error);
  if (status) return status;
  fprintf(line->text, "%s[\"", line->values++ ? ", " : "");
  for (const char *c = name; *c; c++)
    fprintf(line->text,
            (unsigned char)*c < ' '   ? "\\%03d"
            : *c == '"' || *c == '\\' ? "\\%c"
                                      : "%c",
            *c);
  fprintf(line->text, "\"] = %.17g", value);
  return RATTLE_OK;
}

/* True if --start gives the variable another value. */
static int is_given(const start_line *line, const char *name) {
  const size_t length = strlen(name);
  const char *word;
  int at = 0;
  while ((word = cli_next(line->args, "start", &at)))
    if (!strncmp(word, name, length) && word[length] == '=') return 1;
  return 0;
}

static rattle_status take_value(start_line *line, const char *name, double value,
                                rattle_error *error) {
  return is_given(line, name) ? RATTLE_OK : put_value(line, name, value, error);
}

/* The equilibrium of a family is one for the value of its parameter alone. */
static rattle_status check_value(const start_line *line, const cli_point *point, const char *asked,
                                 rattle_error *error) {
  const rattle_parameter *declared;
  const int count = rattle_model_parameters(line->model, &declared);
  for (int i = 0; point->parameter && i < count; i++)
    if (!strcmp(declared[i].name, point->parameter) && declared[i].value != point->value)
      return text_fail(error, RATTLE_BAD_ARGUMENT,
                       "--from %s: it rests there where %s = %.17g, and the model has %.17g: pass "
                       "-P %s=%.17g",
                       asked, point->parameter, point->value, declared[i].value, point->parameter,
                       point->value);
  return RATTLE_OK;
}

/* The variables of the model by their names in the record. */
static rattle_status start_from(start_line *line, const char *asked, rattle_error *error) {
  cli_point point = {0};
  rattle_status status = cli_point_read(&point, asked, error);
  const int n = point.n;
  if (!status && n != rattle_model_pairs(line->model))
    status = text_fail(error, RATTLE_BAD_ARGUMENT,
                       "--from %s: the file has %d coordinates, the model %d", asked, n,
                       rattle_model_pairs(line->model));
  if (!status) status = check_value(line, &point, asked, error);
  for (int k = 0; k < n && !status; k++) {
    const char *momentum = point.record ? rattle_record_info_of(point.record)->momentum_names[k]
                                        : rattle_model_momentum_name(line->model, k);
    status = take_value(line, point.name[k], point.q[k], error);
    if (!status && momentum && momentum[0]) status = take_value(line, momentum, point.p[k], error);
  }
  cli_point_drop(&point);
  return status;
}

static rattle_status start_value(start_line *line, const char *asked, rattle_error *error) {
  const char *equals = strchr(asked, '=');
  double value = 0;
  if (!equals || equals == asked || !cli_is_number(equals + 1, &value))
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "--start %s: expected variable=number, as in --start x=1", asked);
  char *name = strndup(asked, (size_t)(equals - asked));
  if (!name) return text_no_memory(error);
  const rattle_status status = put_value(line, name, value, error);
  free(name);
  return status;
}

/* The model with the line at the end of its text. */
static rattle_status parse_again(rattle_model **model, const char *line, const cli_args *args,
                                 const rattle_model_options *options, rattle_error *error) {
  rattle_model *again = NULL;
  rattle_error why;
  const char *text = rattle_model_text(*model);
  const size_t room = strlen(text) + strlen(line) + 2;
  char *longer = malloc(room);
  if (!longer) return text_no_memory(error);
  snprintf(longer, room, "%s\n%s", text, line);
  const rattle_status status =
      rattle_model_parse(&again, longer, args->operand[args->operands - 1], options, &why);
  free(longer);
  if (status)
    return text_fail(error, status,
                     "--start and --from add a line to the model, which is not valid then (does it "
                     "end with return?): %s",
                     why.message);
  rattle_model_destroy(model);
  *model = again;
  return RATTLE_OK;
}

rattle_status cli_start(rattle_model **model, const cli_args *args,
                        const rattle_model_options *options, rattle_error *error) {
  const char *from = cli_text(args, "from"), *word;
  char *text = NULL;
  size_t size;
  int at = 0;
  if (!from && !cli_text(args, "start")) return RATTLE_OK;
  start_line line = {.model = *model, .args = args, .text = open_memstream(&text, &size)};
  if (!line.text) return text_no_memory(error);
  fputs("start { replace = true, ", line.text);
  rattle_status status = from ? start_from(&line, from, error) : RATTLE_OK;
  while (!status && (word = cli_next(args, "start", &at))) status = start_value(&line, word, error);
  fprintf(line.text, "%s\n", marker);
  if (fclose(line.text) && !status) status = text_no_memory(error);
  if (!status) status = parse_again(model, text, args, options, error);
  free(text);
  return status;
}

void cli_print_start(const char *text) {
  static const char head[] = "start { replace = true, ";
  const char *end = text + strlen(text), *line = end > text ? end - 1 : text;
  while (line > text && line[-1] != '\n') line--;
  const size_t length = (size_t)(end - line), before = strlen(head), after = strlen(marker) + 1;
  if (length < before + after || strncmp(line, head, before) != 0 ||
      strncmp(end - after, marker, after - 1) != 0)
    return;
  cli_print(stdout, "  start        %.*s, in place of the model's\n",
            (int)(length - before - after), line + before);
}
