/* One run in the page: what its record says, its channels and its motion. */
#include <stdlib.h>
#include <string.h>

#include "report/parts.h"

enum { MOST_NAMES = 64 };

static void put_names(report_json *json, const char *key, const char *const *names, int count) {
  report_json_open(json, key, '[');
  for (int i = 0; i < count && i < MOST_NAMES; i++) report_json_text(json, NULL, names[i]);
  report_json_close(json, ']');
}

void report_put_parameters(report_json *json, const rattle_parameter *parameters, int count) {
  report_json_open(json, "parameters", '[');
  for (int i = 0; i < count; i++) {
    report_json_open(json, NULL, '{');
    report_json_text(json, "name", parameters[i].name);
    report_json_real(json, "value", parameters[i].value);
    report_json_close(json, '}');
  }
  report_json_close(json, ']');
}

static void put_counts(report_json *json, const rattle_counts *counts) {
  report_json_open(json, "counts", '{');
  report_json_integer(json, "gradient", counts->gradient);
  report_json_integer(json, "hessian", counts->hessian);
  report_json_integer(json, "constraint", counts->constraint);
  report_json_integer(json, "jacobian", counts->jacobian);
  report_json_integer(json, "factorisation", counts->factorisation);
  report_json_integer(json, "newton_iterations", counts->newton_iterations);
  report_json_integer(json, "position_projections", counts->position_projections);
  report_json_integer(json, "momentum_projections", counts->momentum_projections);
  report_json_close(json, '}');
}

static void put_figures(report_json *json, const rattle_record_info *info) {
  report_json_open(json, "figures", '{');
  report_json_real(json, "energy_initial", info->initial_energy);
  report_json_real(json, "energy_max_error", info->energy_max_error);
  report_json_real(json, "energy_max_relative_error", info->energy_max_relative_error);
  report_json_real(json, "g_max", info->g_max);
  report_json_real(json, "psi_max", info->psi_max);
  report_json_real(json, "min_singular_value", info->min_singular_value);
  report_json_real(json, "min_singular_time", info->min_singular_time);
  report_json_real(json, "wall_seconds", info->wall_seconds);
  report_json_close(json, '}');
}

static void put_info(report_json *json, const rattle_record_info *info, const char *path) {
  const char *slash = strrchr(path, '/');
  report_json_text(json, "file", slash ? slash + 1 : path);
  report_json_text(json, "title", info->title);
  report_json_text(json, "method", info->method);
  report_json_text(json, "kind", info->kind);
  report_json_text(json, "version", info->version);
  report_json_text(json, "created", info->created);
  report_json_text(json, "solver", info->solver);
  report_json_text(json, "evaluator", info->evaluator);
  report_json_text(json, "model_file", info->model_file);
  report_json_text(json, "model_hash", info->model_hash);
  report_json_text(json, "model_text", info->model_text);
  report_json_integer(json, "n", info->n);
  report_json_integer(json, "m", info->m);
  report_json_integer(json, "samples", info->samples);
  report_json_integer(json, "every", info->every);
  report_json_integer(json, "steps", info->last_step);
  report_json_integer(json, "steps_asked", info->steps_asked);
  report_json_real(json, "step", info->step);
  report_json_bool(json, "adapts", info->adapts);
  report_json_real(json, "start_time", info->start_time);
  report_json_real(json, "last_time", info->last_time);
  report_json_bool(json, "closed", info->closed);
  report_json_text(json, "status", info->status_name);
  report_json_text(json, "message", info->message);
  put_names(json, "coordinates", info->coordinate_names, info->n);
  put_names(json, "momenta", info->momentum_names, info->n);
  put_names(json, "constraints", info->constraint_names, info->m);
  put_names(json, "observables", info->observable_names, info->observables);
  report_put_parameters(json, info->parameter, info->parameters);
  put_counts(json, &info->counts);
  put_figures(json, info);
}

static void put_margin(report_json *json, report_blob *blob, const report_margin *margin) {
  if (margin->count == 0) return;
  report_json_open(json, "margin", '{');
  report_json_array(json, "time", report_put_doubles(blob, margin->time, margin->count));
  report_json_array(json, "smallest", report_put_floats(blob, margin->smallest, margin->count, 0, 1));
  report_json_array(json, "condition", report_put_floats(blob, margin->condition, margin->count, 0, 1));
  report_json_close(json, '}');
}

static void put_remade(report_json *json, const report_remade *remade) {
  report_json_open(json, "remade", '{');
  report_json_text(json, "why", remade->why);
  report_json_real(json, "g_terms", remade->g_terms);
  report_json_real(json, "psi_terms", remade->psi_terms);
  report_json_bool(json, "was_projected", remade->was_projected);
  report_json_close(json, '}');
}

rattle_status report_put_run(report_json *json, report_blob *blob, const char *path, const rattle_record *record,
                             rattle_error *error) {
  const rattle_record_info *info = rattle_record_info_of(record);
  report_scan scan = {0};
  report_margin margin = {0};
  report_remade remade;
  if (info->samples == 0)
    return report_fail(error, RATTLE_BAD_RECORD, "%s holds no sample yet; let the run begin, then report it", path);
  report_remake(&remade, record);
  rattle_status status = report_scan_record(&scan, record, remade.model, error);
  if (!status && remade.problem && info->m > 0) status = report_margin_measure(&margin, record, remade.problem, error);
  if (!status) {
    report_json_open(json, NULL, '{');
    put_info(json, info, path);
    put_remade(json, &remade);
    report_put_method(json, info->method, remade.problem);
    put_margin(json, blob, &margin);
    status = report_put_scan(json, blob, &scan, error);
    report_json_close(json, '}');
  }
  report_margin_free(&margin);
  report_scan_free(&scan);
  report_remade_free(&remade);
  return status;
}
