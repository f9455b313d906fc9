/* rattle study family --along NAME=FROM:TO: a parameter of the model, where it begins and where it
 * ends. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/study.h"

static rattle_status not_a_way(const char *word, rattle_error *error) {
  return text_fail(error, RATTLE_BAD_ARGUMENT,
                   "--along %s: expected energy, period, or NAME=FROM:TO, as in gravity=1:4", word);
}

/* FROM as one more parameter, and TO. */
static rattle_status read_ends(cli_along *along, const cli_args *args, const char *values,
                               rattle_error *error) {
  const char *word = cli_text(args, "along"), *colon = strchr(values, ':');
  char *rest;
  if (cli_flag(args, "to"))
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "--along %s names the end, and so does --to: omit one of them", word);
  for (int i = 0; i < args->parameters; i++)
    if (!strcmp(args->parameter[i].name, along->name))
      return text_fail(error, RATTLE_BAD_ARGUMENT,
                       "--along %s begins at a value, and -P gives another: omit one of them",
                       word);
  const double from = strtod(values, &rest);
  const int begins = rest > values && rest == colon;
  if (begins) along->to = strtod(colon + 1, &rest);
  if (!begins || rest == colon + 1 || *rest || !isfinite(from) || !isfinite(along->to))
    return not_a_way(word, error);
  along->parameter[along->parameters++] = (rattle_parameter){along->name, from};
  along->ends = 1;
  return RATTLE_OK;
}

rattle_status cli_along_once(const cli_args *args, rattle_error *error) {
  int at = 0;
  const char *first = cli_next(args, "along", &at), *second = cli_next(args, "along", &at);
  if (!second) return RATTLE_OK;
  return text_fail(error, RATTLE_BAD_ARGUMENT,
                   "--along %s and --along %s: a family goes along one parameter; give others a "
                   "value by -P",
                   first, second);
}

rattle_status cli_along_read(cli_along *along, const cli_args *args, rattle_error *error) {
  const char *word = cli_text(args, "along"), *sign = strchr(word, '=');
  if (!sign && strchr(word, ':')) return not_a_way(word, error);
  along->name = strndup(word, sign ? (size_t)(sign - word) : strlen(word));
  along->parameter = malloc(((size_t)args->parameters + 1) * sizeof *along->parameter);
  if (!along->name || !along->parameter) return text_no_memory(error);
  for (int i = 0; i < args->parameters; i++) along->parameter[i] = args->parameter[i];
  along->parameters = args->parameters;
  return sign ? read_ends(along, args, sign + 1, error) : RATTLE_OK;
}

rattle_status cli_along_check(const cli_along *along, const rattle_model *model,
                              rattle_error *error) {
  const rattle_parameter *declared;
  const int count = rattle_model_parameters(model, &declared);
  const char **name = malloc(((size_t)count + 2) * sizeof *name);
  int known = 0;
  if (!name) return text_no_memory(error);
  for (int i = 0; i < count; i++)
    name[i] = declared[i].name, known |= !strcmp(declared[i].name, along->name);
  name[count] = "energy", name[count + 1] = "period";
  const char *near = cli_nearest(along->name, name, count + 2);
  free(name);
  if (known) return RATTLE_OK;
  return text_fail(error, RATTLE_BAD_ARGUMENT,
                   "--along %s: expected energy, period or a parameter of the model%s%s%s",
                   along->name, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

void cli_along_drop(cli_along *along) {
  free(along->name);
  free(along->parameter);
}
