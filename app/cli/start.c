/* Starts from the command line: --start NAME=VALUE, and --from RECORD.h5[@STEP | @TIME], a sample of another run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* A record and the sample wanted of it. */
typedef struct start_sample {
  char *path;
  const char *at; /* what follows the last @; NULL: the last sample */
  rattle_record *record;
  long long index;
} start_sample;

/* Whether a word is a number alone. */
static int is_number(const char *word, double *value) {
  char *rest;
  *value = strtod(word, &rest);
  return rest != word && !*rest && isfinite(*value);
}

/* The number of a step is whole; a time has a point or an exponent, as 2.0. */
static int is_step(const char *word) {
  return word[strspn(word, "0123456789")] == 0;
}

/* The sample nearest to the step or time wanted, which must be that of a sample: a time to 1e-9 of the largest. */
static rattle_status find(start_sample *s, const char *asked, rattle_error *error) {
  const rattle_record_info *info = rattle_record_info_of(s->record);
  double wanted = 0, most = 0;
  long long nearest = 0;
  if (info->samples < 1) return text_fail(error, RATTLE_BAD_RECORD, "--from %s: the record has no samples", asked);
  s->index = info->samples - 1;
  if (!s->at) return RATTLE_OK;
  const int by_step = is_step(s->at);
  if (!is_number(s->at, &wanted))
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "--from %s: expected the number of a step or a time after @, as in run.h5@200 or run.h5@1.5", asked);
  double *value = malloc((size_t)info->samples * sizeof *value);
  if (!value) return text_no_memory(error);
  rattle_status status = rattle_record_read_column(s->record, (rattle_column){by_step ? RATTLE_STEP_NUMBER : RATTLE_TIME, 0}, 0,
                                                   info->samples, value, error);
  for (long long k = 0; k < info->samples && !status; k++) {
    most = fmax(most, fabs(value[k]));
    if (fabs(value[k] - wanted) < fabs(value[nearest] - wanted)) nearest = k;
  }
  if (!status && fabs(value[nearest] - wanted) > 1e-9 * most)
    status = text_fail(error, RATTLE_BAD_ARGUMENT, "--from %s: there is no sample %s %s; the nearest is %s %.10g", asked,
                       by_step ? "of step" : "at time", s->at, by_step ? "that of step" : "at", value[nearest]);
  s->index = nearest;
  free(value);
  return status;
}

/* The variables of the model by their names in the record. */
static rattle_status take(rattle_model *model, const start_sample *s, const char *asked, rattle_error *error) {
  const rattle_record_info *info = rattle_record_info_of(s->record);
  const size_t n = (size_t)info->n;
  double *z = malloc((2 * n + 1) * sizeof *z);
  if (!z) return text_no_memory(error);
  rattle_status status = rattle_record_read(s->record, s->index, 1, NULL, NULL, z, z + n, NULL, NULL, error);
  if (!status && info->n != rattle_model_pairs(model))
    status = text_fail(error, RATTLE_BAD_ARGUMENT, "--from %s: the record has %d coordinates, the model %d", asked, info->n,
                       rattle_model_pairs(model));
  for (size_t k = 0; k < n && !status; k++) {
    status = rattle_model_start_variable(model, info->coordinate_names[k], z[k], error);
    const char *momentum = info->momentum_names[k];
    if (!status && momentum && momentum[0]) status = rattle_model_start_variable(model, momentum, z[n + k], error);
  }
  free(z);
  return status;
}

static rattle_status start_from(rattle_model *model, const char *asked, rattle_error *error) {
  start_sample s = {.path = strdup(asked)};
  if (!s.path) return text_no_memory(error);
  char *at = strrchr(s.path, '@');
  double unused;
  if (at && (is_number(at + 1, &unused) || !at[1])) *at = 0, s.at = at + 1;
  rattle_status status = cli_check_input(s.path, error);
  if (!status) status = rattle_record_open(&s.record, s.path, error);
  if (!status) status = find(&s, asked, error);
  if (!status) status = take(model, &s, asked, error);
  rattle_record_close(&s.record);
  free(s.path);
  return status;
}

static rattle_status start_value(rattle_model *model, const char *asked, rattle_error *error) {
  const char *equals = strchr(asked, '=');
  double value = 0;
  if (!equals || equals == asked || !is_number(equals + 1, &value))
    return text_fail(error, RATTLE_BAD_ARGUMENT, "--start %s: expected variable=number, as in --start x=1", asked);
  char *name = strndup(asked, (size_t)(equals - asked));
  if (!name) return text_no_memory(error);
  const rattle_status status = rattle_model_start_variable(model, name, value, error);
  free(name);
  return status;
}

rattle_status cli_start(rattle_model *model, const cli_args *args, rattle_error *error) {
  const char *from = cli_text(args, "from"), *word;
  rattle_status status = from ? start_from(model, from, error) : RATTLE_OK;
  int at = 0;
  while (!status && (word = cli_next(args, "start", &at))) status = start_value(model, word, error);
  return status;
}
