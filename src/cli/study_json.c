/* A study as one JSON object: tables become arrays of objects, fits and figures objects by name. Tables of thousands of rows are
 * left to the file. */
#include <math.h>

#include "cli/study.h"

static void json_figures(cli_json *json, const char *key, int figures, const rattle_study_figure *figure) {
  cli_json_open(json, key, '{');
  for (int i = 0; i < figures; i++) cli_json_real(json, figure[i].name, figure[i].value);
  cli_json_close(json, '}');
}

static void json_fits(cli_json *json, const rattle_study_method *method) {
  cli_json_open(json, "fits", '{');
  for (int i = 0; i < method->fits; i++) {
    const rattle_study_fit *fit = &method->fit[i];
    cli_json_open(json, fit->name, '{');
    cli_json_real(json, "slope", fit->slope);
    cli_json_real(json, "uncertainty", fit->uncertainty);
    cli_json_integer(json, "points", fit->points);
    cli_json_real(json, "low", fit->low);
    cli_json_real(json, "high", fit->high);
    cli_json_close(json, '}');
  }
  cli_json_close(json, '}');
}

static void json_table(cli_json *json, const rattle_study_table *table) {
  const double *value = table->value;
  cli_json_open(json, table->name, '[');
  for (int r = 0; r < table->rows; r++) {
    cli_json_open(json, NULL, '{');
    for (int c = 0; c < table->columns; c++) cli_json_real(json, table->column[c], *value++);
    cli_json_close(json, '}');
  }
  cli_json_close(json, ']');
}

static void json_status(cli_json *json, rattle_status status, const char *message) {
  rattle_error error = {.status = status, .step = -1, .time = (double)NAN};
  snprintf(error.message, sizeof error.message, "%s", message);
  cli_json_status(json, status, &error);
}

static void json_method(cli_json *json, const rattle_study_method *method) {
  cli_json_open(json, NULL, '{');
  cli_json_text(json, "method", method->method);
  cli_json_claims(json, &method->claims);
  cli_json_text(json, "verdict", method->verdict);
  cli_json_text(json, "why", method->why);
  json_figures(json, "figures", method->figures, method->figure);
  json_fits(json, method);
  for (int i = 0; i < method->tables; i++)
    if (!method->table[i].bulk) json_table(json, &method->table[i]);
  json_status(json, method->status, method->message);
  cli_json_close(json, '}');
}

static void json_reference(cli_json *json, const rattle_study_reference *reference) {
  cli_json_open(json, "reference", '{');
  cli_json_text(json, "method", reference->method);
  cli_json_real(json, "step", reference->step);
  cli_json_integer(json, "steps", reference->steps);
  cli_json_real(json, "error", reference->error);
  cli_json_open(json, "scale", '{');
  cli_json_real(json, "q", reference->scale_q);
  cli_json_real(json, "p", reference->scale_p);
  cli_json_real(json, "energy", reference->scale_energy);
  cli_json_close(json, '}');
  cli_json_close(json, '}');
}

static void json_parameters(cli_json *json, const rattle_study_result *r) {
  cli_json_open(json, "parameters", '{');
  for (int i = 0; i < r->parameters; i++) cli_json_real(json, r->parameter[i].name, r->parameter[i].value);
  cli_json_close(json, '}');
}

void cli_study_json(const cli_study_report *report, FILE *out) {
  const rattle_study_result *r = report->result;
  cli_json json = {.out = out, .indent = 4};
  cli_json_open(&json, NULL, '{');
  cli_json_text(&json, "study", r->kind_name);
  cli_json_text(&json, "title", r->title);
  cli_json_text(&json, "model", report->model_path);
  cli_json_text(&json, "kind", r->problem);
  cli_json_integer(&json, "n", r->n);
  cli_json_integer(&json, "m", r->m);
  json_parameters(&json, r);
  cli_json_open(&json, "time", '{');
  cli_json_real(&json, "start", r->start);
  cli_json_real(&json, "stop", r->stop);
  cli_json_close(&json, '}');
  cli_json_real(&json, "frequency", r->frequency);
  json_reference(&json, &r->reference);
  json_figures(&json, "figures", r->figures, r->figure);
  cli_json_open(&json, "methods", '[');
  for (int i = 0; i < r->methods; i++) json_method(&json, &r->method[i]);
  cli_json_close(&json, ']');
  for (int i = 0; i < r->tables; i++) json_table(&json, &r->table[i]);
  cli_json_text(&json, "verdict", r->verdict);
  cli_json_text(&json, "why", r->why);
  cli_json_text(&json, "note", r->note);
  cli_json_text(&json, "version", r->version);
  json_status(&json, r->status, r->status ? rattle_status_text(r->status) : "");
  cli_json_close(&json, '}');
}
