/* Reading a model: the file, one protected run of its text, and the error as a rattle_error. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rattle/robot.h"

#include "ground/expr/inputs.h"
#include "ground/support/error.h"
#include "ground/support/number.h"
#include "ground/support/sized.h"
#include "files/lua/loader.h"
#include "files/robots/robot.h"

static const long long default_instructions = 20000000000;
/* 16 GiB, or a quarter of what a pointer reaches */
static const size_t largest_memory =
    SIZE_MAX / 4 < 17179869184u ? SIZE_MAX / 4 : (size_t)17179869184u;
static const double default_seconds = 600;

/* Half of the machine's memory. */
static size_t default_memory(void) {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return largest_memory;
  const double half = 0.5 * (double)pages * (double)page;
  return half < (double)largest_memory ? (size_t)half : largest_memory;
}

/* ---- the run ---- */

/* How the file is called in messages: its path, or where that is long, its last part. */
static const char *short_name(const rattle_model *model) {
  const char *slash = strrchr(model->file, '/');
  return slash && strlen(model->file) > 50 ? slash + 1 : model->file;
}

/* Everything that can raise: opening the libraries, the text itself, what follows its last line. */
static int run(lua_State *L) {
  rattle__loader *loader = lua_touserdata(L, 1);
  lua_settop(L, 0);
  rattle__lua_make_room(L);
  rattle__lua_libraries(L);
  rattle__lua_integers(L);
  rattle__lua_metatables(L);
  rattle__lua_algebra(L);
  rattle__lua_choices(L);
  rattle__lua_branches(L);
  rattle__lua_units(L);
  rattle__lua_drawings(L);
  rattle__lua_random(L);
  rattle__lua_declarations(L);
  rattle__lua_starts(L);
  rattle__lua_events(L);
  rattle__lua_controllers(L);
  rattle__lua_switches(L);
  rattle__lua_wishes(L);
  rattle__lua_flows(L);
  rattle__lua_charts(L);
  rattle__lua_awaiting(L);
  rattle__lua_coefficients(L);
  rattle__lua_molecules(L);
  rattle__lua_bonded(L);
  rattle__lua_pair_potentials(L);
  rattle__lua_require(L);
  rattle__lua_strict(L);

  lua_pushfstring(L, "@%s", short_name(loader->model));
  rattle__lua_compile(L, loader->model->text, lua_tostring(L, 1));
  lua_call(L, 0, 0);
  lua_settop(L, 0);

  rattle__lua_finish_metatables(L);
  rattle__lua_finish_parameters(L);
  rattle__lua_finish_chart(L);
  rattle__lua_finish_masses(L);
  rattle__lua_finish_flows(L);
  rattle__lua_finish_drawings(L);
  rattle__lua_finish_momenta(L);
  return 0;
}

/* The Lua error on top of the stack. Only strings are used: anything else could run code again. */
static rattle_status convert(lua_State *L, const rattle__loader *loader, int lua_status,
                             rattle_error *error) {
  const char *file = short_name(loader->model);
  if (loader->exhausted == WAS_INTERRUPTED)
    return rattle__fail(error, RATTLE_INTERRUPTED, file, "%s: interrupted while the model was read",
                        file);
  if (lua_status == LUA_ERRMEM && loader->exhausted == WITHIN_LIMITS)
    return rattle__no_memory(error);
  if (lua_status == LUA_ERRMEM && loader->exhausted == TOO_MUCH_WORK)
    return rattle__fail(error, RATTLE_BAD_MODEL, file,
                        "%s: the model exceeds its limit of %lld Lua instructions", file,
                        loader->max_work);
  if (lua_status == LUA_ERRMEM && loader->exhausted == TOO_MUCH_TIME)
    return rattle__fail(error, RATTLE_BAD_MODEL, file, "%s: the model exceeds its limit of %g s",
                        file, loader->max_seconds);
  if (lua_status == LUA_ERRMEM && loader->exhausted == TOO_MUCH_AT_ONCE)
    return rattle__fail(
        error, RATTLE_BAD_MODEL, file,
        "%s: a table or text of the model takes more than 256 MiB, the limit of one: use several",
        file);
  if (lua_status == LUA_ERRMEM)
    return rattle__fail(error, RATTLE_BAD_MODEL, file,
                        "%s: the model exceeds its memory limit of %zu MiB, or has a string of "
                        "more than 1 MiB",
                        file, loader->max_bytes >> 20);
  if (lua_type(L, -1) != LUA_TSTRING)
    return rattle__fail(error, loader->status, file,
                        "%s: the model stopped with an error that is a %s", file,
                        luaL_typename(L, -1));

  /* "file:line: text", or only the text where the error has no line */
  const char *text = lua_tostring(L, -1), *colon = strstr(text, ": ");
  size_t length = strlen(file);
  if (!colon || strncmp(text, file, length) != 0 || text[length] != ':')
    return rattle__fail(error, loader->status, file, "%s: %s", file, text);
  char where[sizeof error->where];
  snprintf(where, sizeof where, "%.*s", (int)(colon - text), text);
  /* Lua's name for what an expression is */
  static const char kind[] = "a userdata value";
  const char *found = strstr(text, kind);
  if (found)
    return rattle__fail(error, loader->status, where, "%.*san expression%s", (int)(found - text),
                        text, found + sizeof kind - 1);
  return rattle__fail(error, loader->status, where, "%s", text);
}

static rattle_status run_protected(rattle__loader *loader, rattle_error *error) {
  lua_State *L = rattle__lua_open(loader);
  if (!L) return rattle__no_memory(error);
  lua_gc(L, LUA_GCINC, 150, 400, 0);
  rattle__locale locale;
  rattle__plain_locale(&locale); /* models write numbers too */
  lua_pushcfunction(L, rattle__lua_blame);
  lua_pushcfunction(L, run);
  lua_pushlightuserdata(L, loader);
  int lua_status = lua_pcall(L, 1, 0, 1);
  rattle_status status = lua_status == LUA_OK ? rattle__model_check(loader->model, error)
                                              : convert(L, loader, lua_status, error);
  lua_close(L);
  rattle__restore_locale(&locale);
  return status;
}

/* ---- entry points ---- */

static rattle_status check_options(const rattle_model_options *options, rattle_error *error) {
  for (int i = 0; i < options->input_count; i++)
    if (!options->inputs[i] || !strcmp(options->inputs[i], "seed"))
      return rattle__fail(error, RATTLE_UNSUITABLE, "inputs", "input %d is %s", i,
                          options->inputs[i] ? "the seed" : "NULL");
  for (int i = 0; i < options->parameter_count; i++)
    if (!options->parameters[i].name)
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, "parameters",
                          "the name of parameter %d is NULL", i);
  if (options->parameter_count < 0 || options->max_instructions < 0 || !(options->max_seconds >= 0))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "options",
                        "a number in the model's options is negative");
  return RATTLE_OK;
}

static rattle_status check_plain(const char *text, const char *name, rattle_error *error) {
  size_t length;
  const char *at = rattle__lua_value_dependent(text, &length);
  if (!at) return RATTLE_OK;
  return rattle__fail(
      error, RATTLE_UNSUITABLE, "inputs",
      "%s: '%.*s' may depend on the values of parameters, which cannot be symbols then", name,
      (int)length, at);
}

/* The text of the model is from now on followed by the modules that it requires. */
static rattle_status append_modules(const rattle__loader *loader, rattle_error *error) {
  if (!loader->modules) return RATTLE_OK;
  char *whole = rattle__bundle(loader->model->text, loader->module, loader->modules);
  if (!whole) return rattle__no_memory(error);
  free(loader->model->text);
  loader->model->text = whole;
  return RATTLE_OK;
}

rattle_status rattle__lua_parse(rattle_model **model, char *text, const char *name,
                                const rattle_model_options *given, int from_file,
                                rattle_error *error) {
  rattle_model_options own, *options = &own;
  rattle_model *made = NULL;
  rattle_status status = RATTLE__TAKE(&own, rattle_model_options, cotangent, given, error);
  if (!status) status = check_options(options, error);
  if (!status && options->input_count > 0 && !options->branches)
    status = check_plain(text, name, error);
  if (!status) status = rattle_model_create(&made, error);
  if (status) {
    free(text);
    return status;
  }
  made->text = text;
  made->file = rattle__model_keep(made, name);
  made->old_names = options->old_names;
  made->parse = rattle_model_parse;
  rattle__loader loader = {
      .model = made,
      .status = RATTLE_BAD_MODEL,
      .overrides = options->parameters,
      .override_count = options->parameter_count,
      .inputs = options->inputs,
      .input_count = options->input_count,
      .branches = options->branches != 0,
      .asked = calloc((size_t)options->parameter_count + 1, 1),
      .max_work = options->max_instructions ? options->max_instructions : default_instructions,
      .max_bytes = options->max_memory ? options->max_memory : default_memory(),
      .max_seconds = options->max_seconds > 0 ? options->max_seconds : default_seconds,
      .interrupt = options->interrupt,
      .reserve = 1 << 14,
      .fibre = LUA_NOREF,
      .flow = LUA_NOREF,
      .chart_of = LUA_NOREF,
      .momenta_of = LUA_NOREF,
      .wishes = made->wishes,
      .from_file = from_file,
  };
  loader.deadline = rattle__lua_clock() + loader.max_seconds;
  status = loader.asked && made->file ? run_protected(&loader, error) : rattle__no_memory(error);
  if (!status) status = rattle_model_set_wishes(made, &loader.wishes, error);
  if (!status && loader.chart) status = rattle__model_apply_chart(made, loader.chart, error);
  if (!status && (options->cotangent || loader.wishes.cotangent))
    status = rattle_model_observe_cotangent(made, error);
  if (!status && rattle__model_has_hamiltonian(made))
    status = rattle_model_eliminate_massless(made, error);
  if (!status && loader.omit_redundant) status = rattle_model_omit_redundant(made, error);
  if (!status) status = append_modules(&loader, error);
  if (!status && !options->branches && rattle__graph_is_unlike(made->graph))
    status = rattle__fail(error, RATTLE_UNSUITABLE, "inputs",
                          "%s: an expression is simpler for some values of the parameters", name);
  rattle__model_pack(made);
  rattle__chart_destroy(&loader.chart);
  free(loader.weight);
  free(loader.module);
  free(loader.asked);
  free(loader.given);
  free(loader.mass);
  free(loader.mass_input);
  free(loader.beads.pair);
  free(loader.beads.species);
  free(loader.beads.bond);
  free(loader.beads.molecule);
  if (status) rattle_model_destroy(&made);
  *model = made;
  return status;
}

rattle_status rattle_model_parse(rattle_model **model, const char *text, const char *name,
                                 const rattle_model_options *options, rattle_error *error) {
  if (!model)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "rattle_model_parse",
                        "rattle_model_parse: model is NULL");
  *model = NULL;
  if (!text)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "rattle_model_parse",
                        "rattle_model_parse: text is NULL");
  char *copy = strdup(text);
  return copy ? rattle__lua_parse(model, copy, name ? name : "model", options, 0, error)
              : rattle__no_memory(error);
}

rattle_status rattle_robot_text(char **text, const char *path, rattle_error *error) {
  if (!text || !path)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "rattle_robot_text",
                        "rattle_robot_text: %s is NULL", text ? "path" : "text");
  *text = NULL;
  rattle_status status = rattle__lua_read_model(text, path, error);
  if (!status) status = rattle__robot_model(text, path, 0, rattle__lua_read_module, error);
  if (!status) return RATTLE_OK;
  free(*text);
  *text = NULL;
  return status;
}

rattle_status rattle_model_load(rattle_model **model, const char *path,
                                const rattle_model_options *options, rattle_error *error) {
  if (!model)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "rattle_model_load",
                        "rattle_model_load: model is NULL");
  *model = NULL;
  if (!path)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "rattle_model_load",
                        "rattle_model_load: path is NULL");
  char *text = NULL;
  rattle_status status = rattle__lua_read_model(&text, path, error);
  if (!status && rattle__is_robot(text))
    status = rattle__robot_model(&text, path, 0, rattle__lua_read_module, error);
  if (!status) return rattle__lua_parse(model, text, path, options, 1, error);
  free(text);
  return status;
}
