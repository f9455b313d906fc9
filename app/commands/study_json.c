/* A study as one JSON object: tables become arrays of objects, fits and figures objects by name.
 * Tables of thousands of rows are left to the file. */
#include <math.h>

#include "commands/study.h"

static void json_figures(json_writer *json, const char *key, int figures,
                         const rattle_study_figure *figure) {
  json_open(json, key, '{');
  for (int i = 0; i < figures; i++) json_real(json, figure[i].name, figure[i].value);
  json_close(json, '}');
}

static void json_fits(json_writer *json, const rattle_study_method *method) {
  json_open(json, "fits", '{');
  for (int i = 0; i < method->fits; i++) {
    const rattle_study_fit *of = &method->fit[i];
    json_open(json, of->name, '{');
    RATTLE_STUDY_FIT_FIELDS(JSON_FIELD)
    json_close(json, '}');
  }
  json_close(json, '}');
}

static void json_table(json_writer *json, const rattle_study_table *table) {
  const double *value = table->value;
  json_open(json, table->name, '[');
  for (int r = 0; r < table->rows; r++) {
    json_open(json, NULL, '{');
    for (int c = 0; c < table->columns; c++) json_real(json, table->column[c], *value++);
    json_close(json, '}');
  }
  json_close(json, ']');
}

static void json_status(json_writer *json, rattle_status status, const char *message) {
  rattle_error error = {.status = status, .step = -1, .time = (double)NAN};
  snprintf(error.message, sizeof error.message, "%s", message);
  cli_json_status(json, status, &error);
}

static void json_method(json_writer *json, const rattle_study_method *method) {
  json_open(json, NULL, '{');
  json_text(json, "method", method->method);
  json_claims(json, &method->claims);
  json_text(json, "verdict", method->verdict);
  json_text(json, "why", method->why);
  json_figures(json, "figures", method->figures, method->figure);
  json_fits(json, method);
  for (int i = 0; i < method->tables; i++)
    if (!method->table[i].bulk) json_table(json, &method->table[i]);
  json_status(json, method->status, method->message);
  json_close(json, '}');
}

static void json_reference(json_writer *json, const rattle_study_reference *of) {
  json_open(json, "reference", '{');
  RATTLE_STUDY_REFERENCE_FIELDS(JSON_FIELD)
  JSON_OBJECT("scale", RATTLE_STUDY_SCALES);
  json_close(json, '}');
}

void cli_study_json(const cli_study_report *report, FILE *out) {
  const rattle_study_result *r = report->result;
  json_writer json = {.out = out, .indent = 4};
  json_open(&json, NULL, '{');
  json_text(&json, "study", r->kind_name);
  json_text(&json, "title", r->title);
  json_text(&json, "model", report->model_path);
  json_text(&json, "kind", r->problem);
  json_integer(&json, "n", r->n);
  json_integer(&json, "m", r->m);
  json_parameters(&json, r->parameter, r->parameters);
  json_open(&json, "time", '{');
  json_real(&json, "start", r->start);
  json_real(&json, "stop", r->stop);
  json_close(&json, '}');
  json_real(&json, "frequency", r->frequency);
  json_reference(&json, &r->reference);
  json_figures(&json, "figures", r->figures, r->figure);
  json_open(&json, "methods", '[');
  for (int i = 0; i < r->methods; i++) json_method(&json, &r->method[i]);
  json_close(&json, ']');
  for (int i = 0; i < r->tables; i++) json_table(&json, &r->table[i]);
  json_text(&json, "verdict", r->verdict);
  json_text(&json, "why", r->why);
  json_text(&json, "note", r->note);
  json_text(&json, "version", r->version);
  json_status(&json, r->status, r->status ? rattle_status_text(r->status) : "");
  json_close(&json, '}');
}
