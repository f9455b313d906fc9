/* The functions of the module: a model from text and runs of it. Numbers and UTF-8 texts cross,
 * nothing else. One model at a time; a function returns 0 or a rattle_status, of which live_error()
 * is the sentence. */
#include "shim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cli.h"
#include "words/error.h"

live_state live;
static struct { double seconds, bytes, instructions; } limit = {10, 256e6, 2e9};

/* Settings of the next model, in place of its own. */
enum { PARAMETER, START, KINDS };
static struct {
  rattle_parameter *given;
  int count, room;
} setting[KINDS];

static void drop_run(void) {
  rattle_trajectory_destroy(&live.trajectory);
  rattle_integrator_destroy(&live.integrator);
}

static void drop(void) {
  drop_run();
  rattle_problem_destroy(&live.problem);
  report_drawn_free(&live.drawn);
  rattle_model_destroy(&live.model);
  free(live.start), free(live.z);
  live.start = live.z = NULL;
}

EMSCRIPTEN_KEEPALIVE const char *live_error(void) {
  return live.error.message;
}

/* Of the texts of models: seconds on the clock, bytes, instructions of Lua. */
EMSCRIPTEN_KEEPALIVE void live_limits(double seconds, double bytes, double instructions) {
  limit.seconds = seconds, limit.bytes = bytes, limit.instructions = instructions;
}

/* kind 0: of a parameter; 1: the start of a coordinate or momentum. */
EMSCRIPTEN_KEEPALIVE int live_set(int kind, const char *name, double value) {
  rattle_parameter *given = setting[kind].given;
  if (setting[kind].count == setting[kind].room) {
    setting[kind].room = 2 * setting[kind].room + 8;
    given = realloc(given, (size_t)setting[kind].room * sizeof *given);
    if (!given) return text_no_memory(&live.error);
    setting[kind].given = given;
  }
  given[setting[kind].count] = (rattle_parameter){strdup(name), value};
  return given[setting[kind].count++].name ? RATTLE_OK : text_no_memory(&live.error);
}

static void forget_settings(void) {
  for (int kind = 0; kind < KINDS; kind++) {
    for (int i = 0; i < setting[kind].count; i++) free((char *)setting[kind].given[i].name);
    setting[kind].count = 0;
  }
}

static rattle_status make_start(int project) {
  const size_t n = (size_t)rattle_problem_n(live.problem);
  live.start = calloc(2 * n + 1, sizeof *live.start);
  live.z = calloc(2 * n + 1, sizeof *live.z);
  if (!live.start || !live.z) return text_no_memory(&live.error);
  return rattle_problem_start(live.problem, project, live.start, live.start + n, live.moved,
                              &live.error);
}

/* Reads a model with the settings since the last call. With settings its start is projected. */
EMSCRIPTEN_KEEPALIVE int live_read(const char *text) {
  const rattle_model_options options = {.struct_size = sizeof options,
                                        .parameters = setting[PARAMETER].given,
                                        .parameter_count = setting[PARAMETER].count,
                                        .max_memory = (size_t)limit.bytes,
                                        .max_seconds = limit.seconds,
                                        .max_instructions = (long long)limit.instructions,
                                        .old_names = 1};
  const rattle_problem_options how = {.struct_size = sizeof how,
                                      .evaluator = RATTLE_EVALUATOR_BLOCK};
  const int project = setting[PARAMETER].count + setting[START].count > 0;
  drop();
  rattle_status status = rattle_model_parse(&live.model, text, "model.lua", &options, &live.error);
  if (!status) status = report_drawn_read(&live.drawn, live.model, &live.error);
  for (int i = 0; i < setting[START].count && !status; i++)
    status = rattle_model_start_variable(live.model, setting[START].given[i].name,
                                         setting[START].given[i].value, &live.error);
  forget_settings();
  if (!status) status = rattle_problem_create(&live.problem, live.model, &how, &live.error);
  return status ? status : make_start(project);
}

/* How many steps lead from the start of the model to time `stop`; 0: none, live_error() says why. */
EMSCRIPTEN_KEEPALIVE double live_steps(double step, double stop) {
  const double start = rattle_model_wishes(live.model)->start_time;
  long long steps = 0;
  return cli_count_steps(start, stop, step, &steps, &live.error) ? 0 : (double)steps;
}

/* Begins a run from the start. method "": that of the model. Samples every `every` steps, until
 * time `stop`. */
EMSCRIPTEN_KEEPALIVE int live_begin(const char *method, double step, double stop, double every) {
  const rattle_wishes *wishes = rattle_model_wishes(live.model);
  const int n = rattle_problem_n(live.problem);
  if (!*method) method = wishes->method ? wishes->method : rattle_default_method(live.problem);
  drop_run();
  memcpy(live.z, live.start, 2 * (size_t)n * sizeof *live.z);
  live.at = (rattle_state){.struct_size = sizeof live.at,
                           .q = live.z,
                           .p = live.z + n,
                           .t0 = wishes->start_time,
                           .h = step};
  live.summary = (rattle_summary){.struct_size = sizeof live.summary,
                                  .energy_initial = (double)NAN,
                                  .ended_by = -1,
                                  .min_singular_value = (double)NAN};
  live.stop = stop, live.every = (long long)every;
  rattle_status status =
      rattle_integrator_create(&live.integrator, live.problem, method, &live.error);
  return status ? status : rattle_trajectory_create(&live.trajectory, live.problem, &live.error);
}

static void larger(double *most, double value) {
  if (!(value <= *most)) *most = value;
}

static void add_summary(const rattle_summary *part) {
  rattle_summary *all = &live.summary;
  if (isnan(all->energy_initial)) all->energy_initial = part->energy_initial;
  larger(&all->energy_max_error, part->energy_max_error);
  larger(&all->energy_max_relative_error, part->energy_max_relative_error);
  larger(&all->g_max, part->g_max), larger(&all->psi_max, part->psi_max);
  if (!(part->min_singular_value >= all->min_singular_value))
    all->min_singular_value = part->min_singular_value,
    all->min_singular_time = part->min_singular_time;
  all->steps += part->steps, all->wall_seconds += part->wall_seconds;
  all->stop = part->stop, all->ended_by = part->ended_by, all->status = part->status;
}

/* At most `steps` more, a multiple of `every`: the samples are those of a run in one piece. */
EMSCRIPTEN_KEEPALIVE int live_advance(double steps) {
  rattle_observer *observer = rattle_trajectory_observer(live.trajectory);
  const rattle_run_options options = {.struct_size = sizeof options,
                                      .steps = (long long)steps,
                                      .every = live.every,
                                      .until = &live.stop,
                                      .initial_energy = live.summary.energy_initial};
  rattle_summary part = {.struct_size = sizeof part};
  const rattle_status status =
      rattle_run(live.integrator, &live.at, &options, &observer, 1, &part, &live.error);
  add_summary(&part);
  return status;
}

EMSCRIPTEN_KEEPALIVE double live_time(void) {
  return rattle_integrator_time(live.integrator, &live.at);
}

/* An event of the model has ended the run. */
EMSCRIPTEN_KEEPALIVE int live_ended(void) {
  return live.summary.ended_by >= 0;
}

/* q, p [2n], where the run is; before a run 0. */
EMSCRIPTEN_KEEPALIVE const double *live_point(void) {
  return live.z;
}
EMSCRIPTEN_KEEPALIVE int live_pairs(void) {
  return rattle_problem_n(live.problem);
}
