/* Points of records: RECORD.h5[@STEP | @TIME | @EVENT | @EVENT[last] | @EVENT[K]]. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cli.h"

/* A row of the samples, or of an event. */
typedef struct row {
  int event; /* -1: a sample */
  long long index;
} row;

int cli_is_number(const char *word, double *value) {
  char *rest;
  *value = strtod(word, &rest);
  return rest != word && !*rest && isfinite(*value);
}

/* The number of a step is whole; a time has a point or an exponent, as 2.0. */
static int is_step(const char *word) {
  return word[strspn(word, "0123456789")] == 0;
}

/* The sample nearest to the step or time wanted, which must be that of a sample: a time to 1e-9 of
 * the largest. */
static rattle_status find_sample(const rattle_record *record, const char *at, const char *asked,
                                 row *found, rattle_error *error) {
  const rattle_record_info *info = rattle_record_info_of(record);
  double wanted = 0, most = 0, least = INFINITY;
  long long nearest = 0;
  const int by_step = is_step(at);
  (void)cli_is_number(at, &wanted);
  double *value = malloc((size_t)info->samples * sizeof *value);
  if (!value) return text_no_memory(error);
  rattle_status status = rattle_record_read_column(
      record, (rattle_column){by_step ? RATTLE_STEP_NUMBER : RATTLE_TIME, 0}, 0, info->samples,
      value, error);
  for (long long k = 0; k < info->samples && !status; k++) {
    const double apart = fabs(value[k] - wanted);
    if (isfinite(value[k])) most = fmax(most, fabs(value[k]));
    if (apart < least) least = apart, nearest = k;
  }
  if (!status && !(least <= 1e-9 * most))
    status = text_fail(error, RATTLE_BAD_ARGUMENT,
                       "--from %s: there is no sample %s %s; the nearest is %s %.10g%s", asked,
                       by_step ? "of step" : "at time", at, by_step ? "that of step" : "at",
                       value[nearest], by_step ? " (times have a point, as in run.h5@2.0)" : "");
  *found = (row){.event = -1, .index = nearest};
  free(value);
  return status;
}

static int find_name(const rattle_record_info *info, const char *name, size_t length) {
  for (int e = 0; e < info->events; e++)
    if (strlen(info->event_names[e]) == length && !strncmp(info->event_names[e], name, length))
      return e;
  return -1;
}

static rattle_status no_such_event(const rattle_record_info *info, const char *at,
                                   const char *asked, rattle_error *error) {
  enum { MOST = 20 };
  char *names = NULL;
  size_t size;
  if (!at[0])
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "--from %s: expected the number of a step, a time or an event after @, as in "
                     "run.h5@200, run.h5@1.5 or run.h5@stop",
                     asked);
  FILE *list = open_memstream(&names, &size);
  if (!list) return text_no_memory(error);
  for (int e = 0; e < info->events && e < MOST; e++)
    fprintf(list, "%s%s", e ? ", " : "the events ", info->event_names[e]);
  if (info->events > MOST) fprintf(list, " and %d more", info->events - MOST);
  if (info->events == 0) fputs("none, but steps, as @200, and times, as @1.5", list);
  fclose(list);
  const rattle_status status =
      text_fail(error, RATTLE_BAD_ARGUMENT, "--from %s: the record has no event \"%s\"; it has %s",
                asked, at, names);
  free(names);
  return status;
}

/* The last point of an event, with [K] after its name the K-th; [last] tells it from a number. */
static rattle_status find_event(const rattle_record *record, const char *at, const char *asked,
                                row *found, rattle_error *error) {
  const rattle_record_info *info = rattle_record_info_of(record);
  const char *bracket = strrchr(at, '[');
  char *rest = NULL;
  long long number = 0;
  int event = find_name(info, at, strlen(at));
  if (event < 0 && bracket) {
    const int last = !strcmp(bracket, "[last]");
    if (!last) number = strtoll(bracket + 1, &rest, 10);
    if (last || (rest > bracket + 1 && !strcmp(rest, "]")))
      event = find_name(info, at, (size_t)(bracket - at));
  }
  if (event < 0) return no_such_event(info, at, asked, error);
  const long long count = info->events_so_far->counts[event];
  const int counted = rest != NULL;
  if (count == 0 || (counted && (number < 1 || number > count)))
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "--from %s: the event \"%s\" has happened %lld time%s in this record", asked,
                     info->event_names[event], count, count == 1 ? "" : "s");
  *found = (row){.event = event, .index = (counted ? number : count) - 1};
  return RATTLE_OK;
}

/* A number that is an event's name too says neither. */
static rattle_status find_number(const rattle_record *record, const char *at, const char *asked,
                                 row *found, rattle_error *error) {
  const int step = is_step(at);
  if (find_name(rattle_record_info_of(record), at, strlen(at)) < 0)
    return find_sample(record, at, asked, found, error);
  return text_fail(error, RATTLE_BAD_ARGUMENT,
                   "--from %s: %s is a %s and the name of an event: write [last] after it for the "
                   "event, and give %s for a sample",
                   asked, at, step ? "step" : "time",
                   step ? "its time, with a point," : "the number of its step");
}

static rattle_status find(const rattle_record *record, const char *at, const char *asked,
                          row *found, rattle_error *error) {
  const long long samples = rattle_record_info_of(record)->samples;
  double unused;
  if (samples < 1)
    return text_fail(error, RATTLE_BAD_RECORD, "--from %s: the record has no samples", asked);
  *found = (row){.event = -1, .index = samples - 1};
  if (!at) return RATTLE_OK;
  return cli_is_number(at, &unused) ? find_number(record, at, asked, found, error)
                                    : find_event(record, at, asked, found, error);
}

static rattle_status read_row(cli_point *point, const row *from, rattle_error *error) {
  if (from->event < 0)
    return rattle_record_read(point->record, from->index, 1, NULL, NULL, point->q, point->p, NULL,
                              NULL, error);
  rattle_status status = RATTLE_OK;
  for (int k = 0; k < 2 * point->n && !status; k++) {
    const int momentum = k >= point->n;
    const rattle_column column = {momentum ? RATTLE_MOMENTUM : RATTLE_COORDINATE,
                                  momentum ? k - point->n : k};
    status = rattle_record_read_event(point->record, from->event, column, from->index, 1,
                                      &point->q[k], error);
  }
  return status;
}

/* Divides the word at an @, and returns what follows; NULL: it is the name of a file. Names of
 * files and of events may have an @ too: it is the first that follows the name of a file. */
static char *divide(char *word) {
  char *last = strrchr(word, '@');
  double unused;
  if (!last) return NULL;
  const int number = cli_is_number(last + 1, &unused);
  if (!number && access(word, F_OK) == 0) return NULL;
  for (char *at = number ? last : strchr(word, '@'); at < last; at = strchr(at + 1, '@')) {
    *at = 0;
    if (access(word, F_OK) == 0) return at + 1;
    *at = '@';
  }
  *last = 0;
  return last + 1;
}

/* Row `at` of a family of equilibria, *place. */
static rattle_status find_rest(cli_point *point, const rattle_study_table *family, const char *at,
                               const char *asked, const double **rest, size_t *place,
                               rattle_error *error) {
  double wanted = -1;
  const int given = at && is_step(at) && cli_is_number(at, &wanted);
  if (!given || wanted >= family->rows)
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "--from %s: the study has a family of %d equilibria: name one by its row, "
                     "from 0, as in rest.h5@12 (--json lists them)",
                     asked, family->rows);
  *place = (size_t)wanted;
  *rest = family->value + *place * (size_t)family->columns;
  point->parameter = family->column[0] + strlen("set:"), point->value = **rest;
  *rest += family->columns - point->n;
  point->name = family->column + (family->columns - point->n);
  return RATTLE_OK;
}

/* True if the file is a study and no record, as `status` says; then it is that of the point. */
static int is_equilibrium(cli_point *point, const char *path, const char *asked, const char *at,
                          rattle_status *status, rattle_error *error) {
  rattle_error unused;
  if (*status != RATTLE_BAD_RECORD || rattle_study_load(&point->study, path, &unused)) return 0;
  const rattle_study_result *r = rattle_study_result_of(point->study);
  const rattle_study_table *table = cli_study_table(r, "equilibrium"),
                           *family = cli_study_table(r, "family");
  const rattle_study_table *momenta = cli_study_table(r, family ? "family_momenta" : "momenta");
  const double *rest = table ? table->value : NULL;
  size_t place = 0;
  point->n = r->n;
  *status = RATTLE_OK;
  if (family && family->columns > r->n) {
    *status = find_rest(point, family, at, asked, &rest, &place, error);
  } else if (at && table) {
    *status = text_fail(error, RATTLE_BAD_ARGUMENT,
                        "--from %s: the study has one equilibrium and no family (--along NAME=FROM:"
                        "TO): name it without @%s",
                        asked, at);
  } else if (!table || table->rows != 1 || table->columns != r->n) {
    *status =
        text_fail(error, RATTLE_BAD_ARGUMENT,
                  "--from %s: a study has a start if it is one of an equilibrium or of modes, "
                  "and no other point",
                  asked);
  } else {
    point->name = table->column;
  }
  if (*status) return 1;
  point->q = calloc(2 * (size_t)r->n + 1, sizeof *point->q);
  *status = point->q ? RATTLE_OK : text_no_memory(error);
  if (point->q) memcpy(point->q, rest, (size_t)r->n * sizeof *point->q);
  if (point->q) point->p = point->q + r->n;
  if (point->q && momenta && momenta->columns == r->n && place < (size_t)momenta->rows)
    memcpy(point->p, momenta->value + place * (size_t)r->n, (size_t)r->n * sizeof *point->p);
  return 1;
}

/* The point that `at` names in the record. */
static rattle_status read_point(cli_point *point, const char *at, const char *asked,
                                rattle_error *error) {
  const rattle_record_info *info = rattle_record_info_of(point->record);
  row from = {0};
  rattle_status status = find(point->record, at, asked, &from, error);
  if (status) return status;
  point->n = info->n, point->name = info->coordinate_names;
  point->q = malloc((2 * (size_t)point->n + 1) * sizeof *point->q);
  if (!point->q) return text_no_memory(error);
  point->p = point->q + point->n;
  return read_row(point, &from, error);
}

rattle_status cli_point_read(cli_point *point, const char *asked, rattle_error *error) {
  char *path = strdup(asked);
  if (!path) return text_no_memory(error);
  const char *at = divide(path);
  rattle_status status = cli_check_input(path, error);
  if (!status) {
    status = rattle_record_open(&point->record, path, error);
    if (!is_equilibrium(point, path, asked, at, &status, error) && !status)
      status = read_point(point, at, asked, error);
  }
  free(path);
  return status;
}

void cli_point_drop(cli_point *point) {
  rattle_record_close(&point->record);
  rattle_study_destroy(&point->study);
  free(point->q);
  *point = (cli_point){0};
}
