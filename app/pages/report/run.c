/* One run in the page: what its record says, its channels and its motion. */
#include <stdlib.h>

#include "pages/report/margin.h"
#include "pages/report/page.h"
#include "words/error.h"

enum { MOST_NAMES = 64 };

static void put_names(json_writer *json, const char *key, const char *const *names, int count) {
  json_open(json, key, '[');
  for (int i = 0; i < count && i < MOST_NAMES; i++) json_text(json, NULL, names[i]);
  json_close(json, ']');
}

void report_put_parameters(json_writer *json, const rattle_parameter *parameters, int count) {
  json_open(json, "parameters", '[');
  for (int i = 0; i < count; i++) {
    json_open(json, NULL, '{');
    json_text(json, "name", parameters[i].name);
    json_real(json, "value", parameters[i].value);
    json_close(json, '}');
  }
  json_close(json, ']');
}

static void put_counts(json_writer *json, const rattle_counts *counts) {
  json_open(json, "counts", '{');
#define COUNT(name, text) json_integer(json, #name, counts->name);
#include "rattle/counts.def"
#undef COUNT
  json_close(json, '}');
}

static void put_figures(json_writer *json, const rattle_record_info *info) {
  json_open(json, "figures", '{');
  json_real(json, "energy_initial", info->initial_energy);
  json_real(json, "energy_max_error", info->energy_max_error);
  json_real(json, "energy_max_relative_error", info->energy_max_relative_error);
  json_real(json, "g_max", info->g_max);
  json_real(json, "psi_max", info->psi_max);
  json_real(json, "min_singular_value", info->min_singular_value);
  json_real(json, "min_singular_time", info->min_singular_time);
  json_real(json, "wall_seconds", info->wall_seconds);
  json_close(json, '}');
}

static void put_units(json_writer *json, const rattle_record_info *info) {
  json_open(json, "units", '{');
  json_text(json, "length", info->unit_length);
  json_text(json, "time", info->unit_time);
  json_text(json, "energy", info->unit_energy);
  json_text(json, "coordinate", info->unit_position);
  json_text(json, "momentum", info->unit_momentum);
  json_close(json, '}');
}

static void put_info(json_writer *json, const rattle_record_info *info, const char *path) {
  report_put_file(json, &(report_file){path, info->title, info->version, info->created, info->model_file, info->model_text});
  json_text(json, "method", info->method);
  json_text(json, "kind", info->kind);
  json_text(json, "solver", info->solver);
  json_text(json, "evaluator", info->evaluator);
  json_text(json, "model_hash", info->model_hash);
  json_integer(json, "n", info->n);
  json_integer(json, "m", info->m);
  json_integer(json, "samples", info->samples);
  json_integer(json, "every", info->every);
  json_integer(json, "steps", info->last_step);
  json_integer(json, "steps_asked", info->steps_asked);
  json_real(json, "step", info->step);
  json_bool(json, "adapts", info->adapts);
  json_real(json, "start_time", info->start_time);
  json_real(json, "last_time", info->last_time);
  json_bool(json, "closed", info->closed);
  json_text(json, "status", info->status_name);
  json_text(json, "message", info->message);
  put_names(json, "coordinates", info->coordinate_names, info->n);
  put_names(json, "momenta", info->momentum_names, info->n);
  put_names(json, "constraints", info->constraint_names, info->m);
  put_names(json, "observables", info->observable_names, info->observables);
  report_put_parameters(json, info->parameter, info->parameters);
  put_counts(json, &info->counts);
  put_figures(json, info);
  put_units(json, info);
}

static void put_margin(json_writer *json, report_blob *blob, const report_margin *margin) {
  if (margin->count == 0) return;
  json_open(json, "margin", '{');
  report_json_array(json, "time", report_put_doubles(blob, margin->time, margin->count));
  report_json_array(json, "smallest", report_put_floats(blob, margin->smallest, margin->count, 0, 1));
  report_json_array(json, "condition", report_put_floats(blob, margin->condition, margin->count, 0, 1));
  json_close(json, '}');
}

static void put_remade(json_writer *json, const report_remade *remade) {
  json_open(json, "remade", '{');
  json_text(json, "why", remade->why);
  json_real(json, "g_terms", remade->g_terms);
  json_real(json, "psi_terms", remade->psi_terms);
  json_bool(json, "was_projected", remade->was_projected);
  json_close(json, '}');
}

/* Names of the coordinates that are angles. */
static void put_angles(json_writer *json, const rattle_model *model, int n) {
  json_open(json, "angles", '[');
  for (int k = 0; model && k < n; k++)
    if (rattle_model_is_angle(model, k)) json_text(json, NULL, rattle_model_coordinate_name(model, k));
  json_close(json, ']');
}

rattle_status report_put_run(json_writer *json, report_blob *blob, const char *path, const rattle_record *record,
                             rattle_error *error) {
  const rattle_record_info *info = rattle_record_info_of(record);
  report_scan scan = {0};
  report_margin margin = {0};
  report_remade remade;
  if (info->samples == 0) return text_fail(error, RATTLE_BAD_RECORD, "%s contains no samples yet; report it later", path);
  report_remake(&remade, record);
  rattle_status status = report_scan_record(&scan, record, &remade, error);
  if (!status && remade.problem && info->m > 0) status = report_margin_measure(&margin, record, remade.problem, error);
  if (!status) {
    json_open(json, NULL, '{');
    put_info(json, info, path);
    put_remade(json, &remade);
    report_put_method(json, info->method, remade.problem);
    put_margin(json, blob, &margin);
    put_angles(json, remade.model, info->n);
    status = report_put_scan(json, blob, &scan, error);
    if (!status) status = report_put_events(json, blob, &scan.channels, record, error);
    json_close(json, '}');
  }
  report_margin_free(&margin);
  report_scan_free(&scan);
  report_remade_free(&remade);
  return status;
}
