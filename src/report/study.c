/* A study in the page: what its file says, with its tables column by column. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/parts.h"

enum { MOST_ROWS = 6000, BANDS = 3000, MOST_TABLES = 16 };

/* A column of a long table as the lowest and highest number of each band of rows. */
static void put_bands(report_json *json, report_blob *blob, const rattle_study_table *table, int c, double *low, double *high) {
  long long rows = table->rows, width = (rows + BANDS - 1) / BANDS, bands = (rows + width - 1) / width;
  for (long long b = 0; b < bands; b++) {
    low[b] = high[b] = (double)NAN;
    for (long long i = b * width; i < rows && i < (b + 1) * width; i++) {
      double value = table->value[i * table->columns + c];
      low[b] = fmin(low[b], value), high[b] = fmax(high[b], value);
    }
  }
  report_json_array(json, "low", report_put_doubles(blob, low, bands));
  report_json_array(json, "high", report_put_doubles(blob, high, bands));
}

static rattle_status put_table(report_json *json, report_blob *blob, const rattle_study_table *table, rattle_error *error) {
  int whole = table->rows <= MOST_ROWS;
  double *low = malloc(((size_t)(whole ? table->rows : 2 * BANDS) + 1) * sizeof *low);
  if (!low) return report_no_memory(error);
  report_json_open(json, NULL, '{');
  report_json_text(json, "name", table->name);
  report_json_integer(json, "rows", table->rows);
  report_json_open(json, "columns", '[');
  for (int c = 0; c < table->columns; c++) {
    report_json_open(json, NULL, '{');
    report_json_text(json, "name", table->column[c]);
    if (whole) {
      for (int i = 0; i < table->rows; i++) low[i] = table->value[i * table->columns + c];
      /* a table for plots has thousands of rows: 7 digits do */
      report_json_array(json, "values",
                        table->bulk ? report_put_floats(blob, low, table->rows, 0, 1)
                                    : report_put_doubles(blob, low, table->rows));
    } else {
      put_bands(json, blob, table, c, low, low + BANDS);
    }
    report_json_close(json, '}');
  }
  report_json_close(json, ']');
  report_json_close(json, '}');
  free(low);
  return RATTLE_OK;
}

static rattle_status put_tables(report_json *json, report_blob *blob, const rattle_study_table *tables, int count,
                                rattle_error *error) {
  rattle_status status = RATTLE_OK;
  report_json_open(json, "tables", '[');
  for (int i = 0; i < count && i < MOST_TABLES && !status; i++) status = put_table(json, blob, &tables[i], error);
  report_json_close(json, ']');
  return status;
}

static void put_figures(report_json *json, const rattle_study_figure *figures, int count) {
  report_json_open(json, "figures", '[');
  for (int i = 0; i < count; i++) {
    report_json_open(json, NULL, '{');
    report_json_text(json, "name", figures[i].name);
    report_json_real(json, "value", figures[i].value);
    report_json_close(json, '}');
  }
  report_json_close(json, ']');
}

static void put_fit(report_json *json, const rattle_study_fit *fit) {
  report_json_open(json, NULL, '{');
  report_json_text(json, "name", fit->name);
  report_json_real(json, "slope", fit->slope);
  report_json_real(json, "uncertainty", fit->uncertainty);
  report_json_real(json, "low", fit->low);
  report_json_real(json, "high", fit->high);
  report_json_integer(json, "points", fit->points);
  report_json_close(json, '}');
}

static rattle_status put_method(report_json *json, report_blob *blob, const rattle_study_method *method, rattle_error *error) {
  report_json_open(json, NULL, '{');
  report_json_text(json, "method", method->method);
  report_json_text(json, "message", method->message);
  report_json_text(json, "verdict", method->verdict);
  report_json_text(json, "why", method->why);
  report_json_integer(json, "order", method->claims.order);
  report_put_method(json, method->method, NULL);
  put_figures(json, method->figure, method->figures);
  report_json_open(json, "fits", '[');
  for (int i = 0; i < method->fits; i++) put_fit(json, &method->fit[i]);
  report_json_close(json, ']');
  rattle_status status = put_tables(json, blob, method->table, method->tables, error);
  report_json_close(json, '}');
  return status;
}

static void put_reference(report_json *json, const rattle_study_reference *reference) {
  report_json_open(json, "reference", '{');
  report_json_text(json, "method", reference->method);
  report_json_real(json, "step", reference->step);
  report_json_integer(json, "steps", reference->steps);
  report_json_real(json, "error", reference->error);
  report_json_close(json, '}');
}

static void put_head(report_json *json, const rattle_study_result *result, const char *path) {
  const char *slash = strrchr(path, '/');
  report_json_text(json, "file", slash ? slash + 1 : path);
  report_json_text(json, "kind", result->kind_name);
  report_json_text(json, "title", result->title);
  report_json_text(json, "problem", result->problem);
  report_json_text(json, "evaluator", result->evaluator);
  report_json_text(json, "version", result->version);
  report_json_text(json, "created", result->created);
  report_json_text(json, "model_file", result->model_file);
  report_json_text(json, "model_text", result->model_text);
  report_json_text(json, "verdict", result->verdict);
  report_json_text(json, "why", result->why);
  report_json_text(json, "note", result->note);
  report_json_integer(json, "n", result->n);
  report_json_integer(json, "m", result->m);
  report_json_real(json, "start", result->start);
  report_json_real(json, "stop", result->stop);
  report_json_real(json, "frequency", result->frequency);
  report_json_bool(json, "interrupted", result->status != RATTLE_OK);
  put_reference(json, &result->reference);
  put_figures(json, result->figure, result->figures);
  report_put_parameters(json, result->parameter, result->parameters);
}

rattle_status report_put_study(report_json *json, report_blob *blob, const char *path, const rattle_study *study,
                               rattle_error *error) {
  const rattle_study_result *result = rattle_study_result_of(study);
  report_json_open(json, NULL, '{');
  put_head(json, result, path);
  rattle_status status = put_tables(json, blob, result->table, result->tables, error);
  report_json_open(json, "methods", '[');
  for (int i = 0; i < result->methods && !status; i++) status = put_method(json, blob, &result->method[i], error);
  report_json_close(json, ']');
  report_json_close(json, '}');
  return status;
}
