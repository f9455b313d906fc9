/* Studies: what is asked for, the start, the span, and room for what is found (study.h). */
#include "study/study.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/error.h"
#include "core/model.h"

/* How the kinds differ before they begin. */
static const struct {
  const char *name;
  rattle__span span;
  rattle__choice choice;
  rattle_status (*make)(rattle_study *study, rattle_error *error);
} kinds[] = {[RATTLE_STUDY_ORDER] = {"order", {20, 0}, RATTLE__CHOICE_ORDERS, rattle__study_order},
             [RATTLE_STUDY_DRIFT] = {"drift", {2000, 1}, RATTLE__CHOICE_OWN, rattle__study_drift},
             [RATTLE_STUDY_WORK] = {"work", {100, 0}, RATTLE__CHOICE_ORDERS, rattle__study_work},
             [RATTLE_STUDY_COMPARE] = {"compare", {2000, 1}, RATTLE__CHOICE_KINDS, rattle__study_compare},
             [RATTLE_STUDY_ADVISE] = {"advise", {100, 1}, RATTLE__CHOICE_COMPOSITIONS, rattle__study_advise}};

int rattle__study_kind_of(const char *name, rattle_study_kind *kind) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    *kind = (rattle_study_kind)i;
    if (!strcmp(name, kinds[i].name)) return 0;
  }
  return -1;
}

/* --- room ----------------------------------------------------------------------------------------------------------------------
 */

const char *rattle__study_text(rattle_study *study, const char *format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  size_t size = (size_t)vsnprintf(NULL, 0, format, arguments) + 1;
  char *text = rattle__arena_take(&study->arena, size);
  if (text) vsnprintf(text, size, format, again);
  va_end(again);
  va_end(arguments);
  return text ? text : "";
}

void rattle__study_note(rattle_study *study, const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const char *before = study->r.note;
  study->r.note = rattle__study_text(study, "%s%s%s", before ? before : "", before && *before ? "; " : "", text);
}

rattle_study_method *rattle__study_rows(rattle_study *study, int methods, const char *const *method) {
  rattle_study_method *row = rattle__arena_take(&study->arena, (size_t)methods * sizeof *row);
  if (!row) return NULL;
  for (int i = 0; i < methods; i++) {
    rattle_method *parsed = NULL;
    rattle_error error;
    row[i] = (rattle_study_method){.method = method[i], .message = "", .verdict = "", .why = ""};
    row[i].status = rattle_method_parse(&parsed, method[i], &error);
    if (!row[i].status) row[i].status = rattle_method_resolve(parsed, study->problem, &error);
    if (row[i].status)
      row[i].message = rattle__study_text(study, "%s", error.message);
    else
      row[i].claims = rattle_method_claims(parsed);
    rattle_method_destroy(&parsed);
  }
  study->r.method = row;
  study->r.methods = methods;
  return row;
}

rattle_study_table rattle__study_table(rattle_study *study, const char *name, int rows, int columns, const char *const *column,
                                       double **value) {
  size_t size = (size_t)rows * (size_t)columns;
  *value = rattle__arena_doubles(&study->arena, size + 1);
  for (size_t i = 0; i < size && *value; i++) (*value)[i] = (double)NAN;
  return (rattle_study_table){.name = name, .rows = rows, .columns = columns, .column = column, .value = *value};
}

/* --- before anything is run ----------------------------------------------------------------------------------------------------
 */

/* Of the model, or as given. */
static rattle_status find_start(rattle_study *study, rattle_error *error) {
  const rattle_study_options *options = &study->options;
  size_t n = (size_t)study->n;
  double *q = study->z0 = rattle__arena_doubles(&study->arena, 2 * n), *p = q + n;
  if (!q) return rattle__no_memory(error);
  if ((options->q == NULL) != (options->p == NULL) || (!options->q && !rattle_problem_model(study->problem)))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "start", "a study of a problem without a model needs a start: q and p");
  rattle_status status = RATTLE_OK;
  if (options->q) {
    memcpy(q, options->q, n * sizeof *q);
    memcpy(p, options->p, n * sizeof *p);
  } else {
    const rattle_wishes *wishes = rattle_model_wishes(rattle_problem_model(study->problem));
    status = rattle_problem_start(study->problem, options->project || wishes->project, q, p, NULL, error);
  }
  if (!status) status = rattle_problem_energy(study->problem, q, p, &study->energy0, error);
  if (!status) status = rattle__span_frequency(study, error);
  return status;
}

static rattle_status check(const rattle_study *study, rattle_error *error) {
  const rattle_study_options *options = &study->options;
  if (!(options->effort >= 0) || !isfinite(options->effort))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "effort", "the effort is %g; it must be a number greater than 0",
                        options->effort);
  if (options->threads < 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "threads", "%d threads were asked for; there must be 1 or more",
                        options->threads);
  return RATTLE_OK;
}

static const char *moment(rattle_study *study) {
  char text[32];
  struct tm utc;
  time_t seconds = time(NULL);
  strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &utc));
  return rattle__study_text(study, "%s", text);
}

/* What the study is about; of paths the last part. */
static void describe(rattle_study *study) {
  rattle_study_result *r = &study->r;
  const rattle_model *model = rattle_problem_model(study->problem);
  const char *file = model && model->file ? model->file : "", *slash = strrchr(file, '/');
  r->kind_name = kinds[r->kind].name;
  r->title = rattle__study_text(study, "%s", model ? rattle_model_title(model) : "");
  r->model_file = rattle__study_text(study, "%s", slash ? slash + 1 : file);
  r->model_text = rattle__study_text(study, "%s", model && rattle_model_text(model) ? rattle_model_text(model) : "");
  r->problem = rattle_problem_kind_name(study->problem);
  r->evaluator = rattle_problem_evaluator(study->problem);
  r->version = rattle_version();
  r->created = moment(study);
  r->n = study->n = rattle_problem_n(study->problem);
  r->m = study->m = rattle_problem_m(study->problem);
  r->parameters = model ? rattle_model_parameters(model, &r->parameter) : 0;
  r->note = r->verdict = r->why = "";
}

static rattle_status make(rattle_study *study, rattle_error *error) {
  rattle_study_result *r = &study->r;
  describe(study);
  r->reference = (rattle_study_reference){.method = "", .error = (double)NAN};
  study->watch = (rattle__watch){.options = &study->options, .stage = "", .began = rattle__study_clock()};
  rattle_status status = check(study, error);
  if (!status) status = find_start(study, error);
  if (!status) study->finest = rattle__study_best(study);
  if (!status) status = rattle__span_find(study, kinds[r->kind].span, error);
  if (!status) status = rattle__rest_find(study, error);
  if (!status) status = rattle__study_choose(study, kinds[r->kind].choice, error);
  if (!status) status = kinds[r->kind].make(study, error);
  if ((!status || status == RATTLE_INTERRUPTED) && study->arena.failed) status = rattle__no_memory(error);
  r->status = status;
  return status;
}

rattle_status rattle_study_create(rattle_study **study, const rattle_problem *problem, rattle_study_kind kind,
                                  const rattle_study_options *options, rattle_error *error) {
  rattle_error local;
  if (!error) error = &local;
  *study = NULL;
  if ((unsigned)kind >= sizeof kinds / sizeof *kinds)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "kind", "there is no study of kind %d", (int)kind);
  rattle_study *s = calloc(1, sizeof *s);
  if (!s) return rattle__no_memory(error);
  s->problem = problem;
  s->options = options ? *options : (rattle_study_options){.start = (double)NAN, .stop = (double)NAN};
  s->r.kind = kind;
  rattle_status status = make(s, error);
  if (status && !(status == RATTLE_INTERRUPTED && s->r.method)) rattle_study_destroy(&s);
  *study = s;
  return status;
}

void rattle_study_destroy(rattle_study **study) {
  if (!study || !*study) return;
  rattle__arena_release(&(*study)->arena);
  free(*study);
  *study = NULL;
}

/* --- looking -------------------------------------------------------------------------------------------------------------------
 */

const rattle_study_result *rattle_study_result_of(const rattle_study *study) {
  return &study->r;
}

const rattle_study_table *rattle_study_find_table(const rattle_study_method *method, const char *name) {
  for (int i = 0; i < method->tables; i++)
    if (!strcmp(method->table[i].name, name)) return &method->table[i];
  return NULL;
}

const rattle_study_fit *rattle_study_find_fit(const rattle_study_method *method, const char *name) {
  for (int i = 0; i < method->fits; i++)
    if (!strcmp(method->fit[i].name, name)) return &method->fit[i];
  return NULL;
}

double rattle_study_find_figure(const rattle_study_method *method, const char *name) {
  for (int i = 0; i < method->figures; i++)
    if (!strcmp(method->figure[i].name, name)) return method->figure[i].value;
  return (double)NAN;
}

double rattle_study_entry(const rattle_study_table *table, int row, const char *column) {
  if (!table || row < 0 || row >= table->rows) return (double)NAN;
  for (int c = 0; c < table->columns; c++)
    if (!strcmp(table->column[c], column)) return table->value[(size_t)row * (size_t)table->columns + (size_t)c];
  return (double)NAN;
}
