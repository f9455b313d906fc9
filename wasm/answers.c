/* What a page shows, as JSON: of the model, and of its run in the words of `rattle report`, whose
 * arrays lie in live_numbers(). */
#include <math.h>
#include <stdlib.h>

#include "memory.h"
#include "rattle/doctor.h"
#include "shim.h"
#include "words/error.h"

static FILE *begin(json_writer *json, char **text, size_t *size) {
  free(*text), *text = NULL;
  *json = (json_writer){.out = open_memstream(text, size), .page = 1};
  if (json->out) json_open(json, NULL, '{');
  return json->out;
}

static const char *end(json_writer *json, char *const *text) {
  json_close(json, '}');
  fclose(json->out);
  return *text;
}

static void put_names(json_writer *json, const char *key, int count,
                      const char *(*name)(const rattle_model *, int)) {
  json_open(json, key, '[');
  for (int i = 0; i < count; i++) json_text(json, NULL, name(live.model, i));
  json_close(json, ']');
}

static void put_numbers(json_writer *json, const char *key, const double *value, int count) {
  json_open(json, key, '[');
  for (int i = 0; i < count; i++) json_real(json, NULL, value[i]);
  json_close(json, ']');
}

static void put_parameters(json_writer *json) {
  const rattle_parameter *parameter;
  const int count = rattle_model_parameters(live.model, &parameter);
  json_open(json, "parameters", '[');
  for (int i = 0; i < count; i++) {
    double range[2];
    json_open(json, NULL, '{');
    json_text(json, "name", parameter[i].name);
    json_real(json, "value", parameter[i].value);
    if (rattle_model_parameter_range(live.model, i, range)) put_numbers(json, "range", range, 2);
    json_close(json, '}');
  }
  json_close(json, ']');
}

static void put_angles(json_writer *json, int n) {
  json_open(json, "angles", '[');
  for (int k = 0; k < n; k++)
    if (rattle_model_is_angle(live.model, k))
      json_text(json, NULL, rattle_model_coordinate_name(live.model, k));
  json_close(json, ']');
}

/* The model with its settings: names, parameters, the start, what it wishes. */
EMSCRIPTEN_KEEPALIVE const char *live_about(void) {
  json_writer json;
  size_t size;
  const rattle_wishes *wishes = rattle_model_wishes(live.model);
  const int n = rattle_problem_n(live.problem);
  if (!begin(&json, &live.text, &size)) return "";
  json_text(&json, "title", rattle_model_title(live.model));
  json_text(&json, "kind", rattle_problem_kind_name(live.problem));
  json_integer(&json, "n", n), json_integer(&json, "m", rattle_problem_m(live.problem));
  json_text(&json, "method", wishes->method ? wishes->method : rattle_default_method(live.problem));
  json_real(&json, "step", wishes->step), json_real(&json, "begin", wishes->start_time);
  json_real(&json, "stop", wishes->stop), json_integer(&json, "steps", wishes->steps);
  put_parameters(&json);
  put_names(&json, "coordinates", n, rattle_model_coordinate_name);
  put_names(&json, "momenta", n, rattle_model_momentum_name);
  put_numbers(&json, "start", live.start, 2 * n);
  put_numbers(&json, "moved", live.moved, 2);
  put_angles(&json, n);
  return end(&json, &live.text);
}

/* What `rattle check` finds, in short: class, advice, methods, conserved quantities. */
EMSCRIPTEN_KEEPALIVE const char *live_check(void) {
  json_writer json;
  size_t size;
  rattle_doctor *doctor = NULL;
  const rattle_doctor_options options = {.struct_size = sizeof options, .no_trial = 1};
  const rattle_status status =
      rattle_doctor_create(&doctor, live.model, live.problem, &options, &live.error);
  if (!begin(&json, &live.text, &size)) return "";
  if (!status) {
    const rattle_diagnosis *of = rattle_doctor_diagnosis(doctor);
    json_text(&json, "class", of->class_), json_integer(&json, "index", of->index);
    json_real(&json, "freedom", of->dof), json_text(&json, "advice", of->advice_method);
    json_real(&json, "step", of->advice_step);
    json_texts(&json, "methods", of->valid_method, of->valid_methods);
    json_texts(&json, "kept", of->symmetry, of->symmetries);
  }
  rattle_doctor_destroy(&doctor);
  return end(&json, &live.text);
}

static void put_names_of(json_writer *json, const rattle_record_info *info) {
  json_texts(json, "coordinates", info->coordinate_names, info->n);
  json_texts(json, "momenta", info->momentum_names, info->n);
  json_texts(json, "constraints", info->constraint_names, info->m);
  json_texts(json, "observables", info->observable_names, info->observables);
}

static void put_figures(json_writer *json) {
  const rattle_summary *of = &live.summary;
  json_open(json, "figures", '{');
  json_real(json, "energy_initial", of->energy_initial);
  RATTLE_RECORD_INFO_ERRORS(JSON_MEMBER)
  json_real(json, "g_max", of->g_max), json_real(json, "psi_max", of->psi_max);
  RATTLE_RECORD_INFO_NONDEGENERACY(JSON_MEMBER)
  RATTLE_RECORD_INFO_COST(JSON_MEMBER)
  json_close(json, '}');
}

/* Which coordinate or momentum a column of the motion is: k, or -1 - k. */
static void put_columns(json_writer *json, const report_motion *motion) {
  json_open(json, "columns", '[');
  for (int c = 0; !motion->drawn && c < motion->columns; c++)
    json_integer(json, NULL, motion->coordinate[c]);
  json_close(json, ']');
}

static rattle_status put_run(json_writer *json, const rattle_record_info *info) {
  const rattle_record *record = memory_record(info, rattle_trajectory_samples(live.trajectory));
  const report_remade remade = {.model = live.model, .problem = live.problem, .drawn = live.drawn};
  report_scan scan = {0};
  report_blob blob = {0};
  size_t size;
  free(live.numbers), live.numbers = NULL;
  blob.out = open_memstream(&live.numbers, &size);
  if (!blob.out) return text_no_memory(&live.error);
  rattle_status status = report_scan_record(&scan, record, &remade, &live.error);
  if (!status) {
    put_columns(json, &scan.motion);
    status = report_put_scan(json, &blob, &scan, &live.error);
  }
  report_blob_end(&blob);
  fclose(blob.out);
  report_scan_free(&scan);
  return status;
}

static const char **names(int count, const char *(*name)(const rattle_model *, int)) {
  const char **all = calloc((size_t)count + 1, sizeof *all);
  for (int i = 0; all && i < count; i++) all[i] = name(live.model, i);
  return all;
}
static const char *constraint_name(const rattle_model *model, int i) {
  (void)model;
  return rattle_problem_constraint_name(live.problem, i);
}

static const char *write_run(const rattle_record_info *info) {
  json_writer json;
  size_t size;
  if (!begin(&json, &live.text, &size)) return (void)text_no_memory(&live.error), "";
  json_text(&json, "method", rattle_method_text(rattle_integrator_method(live.integrator)));
  json_text(&json, "solver", rattle_integrator_solver(live.integrator));
  json_integer(&json, "n", info->n), json_integer(&json, "m", info->m);
  json_integer(&json, "samples", info->samples), json_integer(&json, "every", info->every);
  json_integer(&json, "steps", live.summary.steps), json_real(&json, "step", info->step);
  json_bool(&json, "balance", info->has_work);
  put_names_of(&json, info), put_figures(&json), put_angles(&json, info->n);
  const rattle_status status = put_run(&json, info);
  const char *text = end(&json, &live.text);
  return status ? "" : text;
}

/* The run so far; "": there is none, live_error() says why. */
EMSCRIPTEN_KEEPALIVE const char *live_run(void) {
  const rattle_samples *samples = rattle_trajectory_samples(live.trajectory);
  const char **coordinate = names(samples->n, rattle_model_coordinate_name),
             **momentum = names(samples->n, rattle_model_momentum_name),
             **constraint = names(samples->m, constraint_name),
             **observable = names(samples->observables, rattle_model_observable_name), *text = "";
  const rattle_record_info info = {
      .n = samples->n,
      .m = samples->m,
      .observables = live.drawn.things ? live.drawn.first : samples->observables,
      .samples = samples->count,
      .every = live.every,
      .step = live.at.h,
      .initial_energy = live.summary.energy_initial,
      .coordinate_names = coordinate,
      .momentum_names = momentum,
      .constraint_names = constraint,
      .observable_names = observable,
      .adapts = rattle_method_adapts(rattle_integrator_method(live.integrator)),
      .has_work = rattle_integrator_has_work(live.integrator)};
  if (!coordinate || !momentum || !constraint || !observable)
    (void)text_no_memory(&live.error);
  else if (samples->count)
    text = write_run(&info);
  free(coordinate), free(momentum), free(constraint), free(observable);
  return text;
}

EMSCRIPTEN_KEEPALIVE const char *live_numbers(void) {
  return live.numbers ? live.numbers : "";
}
