/* One run in the page: what its record says, its channels and its motion. */
#include <stdlib.h>

#include "pages/report/margin.h"
#include "pages/report/page.h"
#include "words/error.h"

enum { MOST_NAMES = 64 };

static void put_names(json_writer *json, const char *key, const char *const *names, int count) {
  json_texts(json, key, names, count < MOST_NAMES ? count : MOST_NAMES);
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

static void put_figures(json_writer *json, const rattle_record_info *of) {
  json_open(json, "figures", '{');
  json_real(json, "energy_initial", of->initial_energy);
  RATTLE_RECORD_INFO_ERRORS(JSON_MEMBER)
  RATTLE_RECORD_INFO_CONSTRAINT(JSON_MEMBER)
  RATTLE_RECORD_INFO_HIDDEN(JSON_MEMBER)
  RATTLE_RECORD_INFO_NONDEGENERACY(JSON_MEMBER)
  RATTLE_RECORD_INFO_COST(JSON_MEMBER)
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

/* True if the energy is that of a balance, also in records that have no columns of it. */
static int has_balance(const rattle_record_info *info, const report_remade *remade) {
  return info->has_work ||
         (remade->problem && rattle_problem_kind(remade->problem) & RATTLE_FORCED) ||
         (remade->model && rattle_model_clock(remade->model) >= 0);
}

static void put_info(json_writer *json, const rattle_record_info *of, const char *path) {
  report_put_file(json, &(report_file){path, of->title, of->version, of->created, of->model_file,
                                       of->model_text});
  RATTLE_RECORD_INFO_METHOD(JSON_FIELD)
  RATTLE_RECORD_INFO_PROBLEM(JSON_FIELD)
  RATTLE_RECORD_INFO_STEPS(JSON_FIELD)
  RATTLE_RECORD_INFO_TIME(JSON_MEMBER)
  RATTLE_RECORD_INFO_ENGINE(JSON_FIELD)
  json_bool(json, "closed", of->closed);
  json_text(json, "status", of->status_name);
  json_text(json, "message", of->message);
  json_texts(json, "warnings", of->warning_texts, of->warnings);
  put_names(json, "coordinates", of->coordinate_names, of->n);
  put_names(json, "momenta", of->momentum_names, of->n);
  put_names(json, "constraints", of->constraint_names, of->m);
  put_names(json, "observables", of->observable_names, of->observables);
  report_put_parameters(json, of->parameter, of->parameters);
  json_counts(json, &of->counts);
  put_figures(json, of);
  put_units(json, of);
}

static void put_margin(json_writer *json, report_blob *blob, const report_margin *margin) {
  if (margin->count == 0) return;
  json_open(json, "margin", '{');
  report_json_array(json, "time", report_put_doubles(blob, margin->time, margin->count));
  report_json_array(json, "smallest",
                    report_put_floats(blob, margin->smallest, margin->count, 0, 1));
  report_json_array(json, "condition",
                    report_put_floats(blob, margin->condition, margin->count, 0, 1));
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
    if (rattle_model_is_angle(model, k))
      json_text(json, NULL, rattle_model_coordinate_name(model, k));
  json_close(json, ']');
}

rattle_status report_put_run(json_writer *json, report_blob *blob, const char *path,
                             const rattle_record *record, rattle_error *error) {
  const rattle_record_info *info = rattle_record_info_of(record);
  report_scan scan = {0};
  report_margin margin = {0};
  report_remade remade;
  report_remake(&remade, record);
  rattle_status status = report_scan_record(&scan, record, &remade, error);
  if (!status && remade.problem && info->m > 0)
    status = report_margin_measure(&margin, record, remade.problem, error);
  if (!status) {
    json_open(json, NULL, '{');
    put_info(json, info, path);
    json_bool(json, "balance", has_balance(info, &remade));
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

/* The times are those of a series without channels. */
rattle_status report_put_moving(json_writer *json, report_blob *blob, const char *path,
                                const rattle_record *record, rattle_error *error) {
  const rattle_record_info *info = rattle_record_info_of(record);
  report_scan scan = {0};
  report_remade remade;
  report_remake(&remade, record);
  rattle_status status = report_scan_record(&scan, record, &remade, error);
  if (!status && !scan.motion.columns && !scan.motion.drawn)
    status = text_fail(error, RATTLE_UNSUITABLE,
                       "%s has no motion to show: its coordinates are not the places of anything; "
                       "say in the model what is drawn (draw)",
                       path);
  if (!status) {
    json_open(json, NULL, '{');
    json_text(json, "file", report_file_name(path)), json_text(json, "title", info->title);
    put_units(json, info);
    json_open(json, "series", '{');
    json_open(json, "time", '[');
    json_real(json, NULL, info->start_time), json_real(json, NULL, info->last_time);
    json_close(json, ']');
    json_open(json, "channels", '[');
    json_close(json, ']');
    json_close(json, '}');
    status = report_put_motion(json, blob, &scan.motion, error);
    json_close(json, '}');
  }
  report_scan_free(&scan);
  report_remade_free(&remade);
  return status;
}
