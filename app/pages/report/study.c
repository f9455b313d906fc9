/* A study in the page: what its file says, with its tables column by column. */
#include <math.h>
#include <stdlib.h>

#include "pages/report/page.h"
#include "words/error.h"

enum { MOST_ROWS = 6000, BANDS = 3000, MOST_TABLES = 16 };

/* A column of a long table as the lowest and highest number of each band of rows. */
static void put_bands(json_writer *json, report_blob *blob, const rattle_study_table *table, int c,
                      double *low, double *high) {
  long long rows = table->rows, width = (rows + BANDS - 1) / BANDS,
            bands = (rows + width - 1) / width;
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

static rattle_status put_table(json_writer *json, report_blob *blob,
                               const rattle_study_table *table, rattle_error *error) {
  int whole = table->rows <= MOST_ROWS;
  double *low = malloc(((size_t)(whole ? table->rows : 2 * BANDS) + 1) * sizeof *low);
  if (!low) return text_no_memory(error);
  json_open(json, NULL, '{');
  json_text(json, "name", table->name);
  json_integer(json, "rows", table->rows);
  json_open(json, "columns", '[');
  for (int c = 0; c < table->columns; c++) {
    json_open(json, NULL, '{');
    json_text(json, "name", table->column[c]);
    if (whole) {
      for (int i = 0; i < table->rows; i++) low[i] = table->value[i * table->columns + c];
      /* a table for plots has thousands of rows: 7 digits do */
      report_json_array(json, "values",
                        table->bulk ? report_put_floats(blob, low, table->rows, 0, 1)
                                    : report_put_doubles(blob, low, table->rows));
    } else {
      put_bands(json, blob, table, c, low, low + BANDS);
    }
    json_close(json, '}');
  }
  json_close(json, ']');
  json_close(json, '}');
  free(low);
  return RATTLE_OK;
}

static rattle_status put_tables(json_writer *json, report_blob *blob,
                                const rattle_study_table *tables, int count, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  json_open(json, "tables", '[');
  for (int i = 0; i < count && i < MOST_TABLES && !status; i++)
    status = put_table(json, blob, &tables[i], error);
  json_close(json, ']');
  return status;
}

static void put_figures(json_writer *json, const rattle_study_figure *figures, int count) {
  json_open(json, "figures", '[');
  for (int i = 0; i < count; i++) {
    json_open(json, NULL, '{');
    json_text(json, "name", figures[i].name);
    json_real(json, "value", figures[i].value);
    json_close(json, '}');
  }
  json_close(json, ']');
}

static void put_fit(json_writer *json, const rattle_study_fit *of) {
  json_open(json, NULL, '{');
  json_text(json, "name", of->name);
  RATTLE_STUDY_FIT_FIELDS(JSON_FIELD)
  json_close(json, '}');
}

static rattle_status put_method(json_writer *json, report_blob *blob,
                                const rattle_study_method *method, rattle_error *error) {
  json_open(json, NULL, '{');
  json_text(json, "method", method->method);
  json_text(json, "message", method->message);
  json_text(json, "verdict", method->verdict);
  json_text(json, "why", method->why);
  json_integer(json, "order", method->claims.order);
  report_put_method(json, method->method, NULL);
  put_figures(json, method->figure, method->figures);
  json_open(json, "fits", '[');
  for (int i = 0; i < method->fits; i++) put_fit(json, &method->fit[i]);
  json_close(json, ']');
  rattle_status status = put_tables(json, blob, method->table, method->tables, error);
  json_close(json, '}');
  return status;
}

static void put_reference(json_writer *json, const rattle_study_reference *of) {
  JSON_OBJECT("reference", RATTLE_STUDY_REFERENCE_FIELDS);
}

static void put_head(json_writer *json, const rattle_study_result *result, const char *path) {
  report_put_file(json, &(report_file){path, result->title, result->version, result->created,
                                       result->model_file, result->model_text});
  json_text(json, "kind", result->kind_name);
  json_text(json, "problem", result->problem);
  json_text(json, "evaluator", result->evaluator);
  json_text(json, "verdict", result->verdict);
  json_text(json, "why", result->why);
  json_text(json, "note", result->note);
  json_integer(json, "n", result->n);
  json_integer(json, "m", result->m);
  json_real(json, "start", result->start);
  json_real(json, "stop", result->stop);
  json_real(json, "frequency", result->frequency);
  json_bool(json, "interrupted", result->status != RATTLE_OK);
  put_reference(json, &result->reference);
  put_figures(json, result->figure, result->figures);
  report_put_parameters(json, result->parameter, result->parameters);
}

rattle_status report_put_study(json_writer *json, report_blob *blob, const char *path,
                               const rattle_study *study, rattle_error *error) {
  const rattle_study_result *result = rattle_study_result_of(study);
  json_open(json, NULL, '{');
  put_head(json, result, path);
  rattle_status status = put_tables(json, blob, result->table, result->tables, error);
  if (!status) status = report_put_modes(json, blob, result, error);
  json_open(json, "methods", '[');
  for (int i = 0; i < result->methods && !status; i++)
    status = put_method(json, blob, &result->method[i], error);
  json_close(json, ']');
  json_close(json, '}');
  return status;
}
