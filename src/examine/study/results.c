/* Room for what a study finds, and finding it again. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runs/integrate/run_hooks.h"
#include "examine/study/study.h"
#include "ground/support/number.h"

const char *rattle__study_text(rattle_study *study, const char *format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  size_t size = (size_t)rattle__format(NULL, 0, format, arguments) + 1;
  char *text = rattle__arena_take(&study->arena, size);
  if (text) rattle__format(text, size, format, again);
  va_end(again);
  va_end(arguments);
  return text ? text : "";
}

void rattle__study_note(rattle_study *study, const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  rattle__format(text, sizeof text, format, arguments);
  va_end(arguments);
  const char *before = study->r.note;
  study->r.note = rattle__study_text(study, "%s%s%s", before ? before : "",
                                     before && *before ? "; " : "", text);
}

rattle_study_method *rattle__study_rows(rattle_study *study, int methods,
                                        const char *const *method) {
  rattle_study_method *row = rattle__arena_take(&study->arena, (size_t)methods * sizeof *row);
  if (!row) return NULL;
  for (int i = 0; i < methods; i++) {
    rattle_method *parsed = NULL;
    rattle_error error;
    row[i] = (rattle_study_method){.method = method[i], .message = "", .verdict = "", .why = ""};
    row[i].status = rattle_method_parse(&parsed, method[i], &error);
    if (!row[i].status) row[i].status = rattle_method_resolve(parsed, study->problem, &error);
    if (row[i].status == RATTLE_NO_MEMORY) study->arena.failed = 1;
    if (row[i].status)
      row[i].message = rattle__study_text(study, "%s", error.message);
    else
      row[i].claims = rattle__claims_for(study->problem, parsed);
    rattle_method_destroy(&parsed);
  }
  study->r.method = row;
  study->r.methods = methods;
  return row;
}

rattle_study_table rattle__study_table(rattle_study *study, const char *name, int rows, int columns,
                                       const char *const *column, double **value) {
  size_t size = (size_t)rows * (size_t)columns;
  *value = rattle__arena_doubles(&study->arena, size + 1);
  for (size_t i = 0; i < size && *value; i++) (*value)[i] = (double)NAN;
  return (rattle_study_table){
      .name = name, .rows = rows, .columns = columns, .column = column, .value = *value};
}

const rattle_study_table *rattle_study_find_table(const rattle_study_method *method,
                                                  const char *name) {
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
    if (!strcmp(table->column[c], column))
      return table->value[(size_t)row * (size_t)table->columns + (size_t)c];
  return (double)NAN;
}
