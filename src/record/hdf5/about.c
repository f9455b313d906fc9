/* The description of a problem, method and origin in a record. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rattle/plugin.h"
#include "ground/support/error.h"
#include "ground/support/number.h"
#include "ground/support/sized.h"
#include "problem/model/model.h"
#include "problem/functions/particles.h"
#include "problem/functions/problem.h"
#include "record/hdf5/about.h"
#include "record/hdf5/sha256.h"

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "an unknown compiler"
#endif
#ifdef __FAST_MATH__
#define ARITHMETIC "fast math"
#else
#define ARITHMETIC "IEEE arithmetic, no contraction"
#endif

static char *copy(const char *text) {
  return strdup(text ? text : "");
}

/* The last part of a path: folders of the machine stay out of the record. */
static const char *file_name(const char *path) {
  const char *slash = path ? strrchr(path, '/') : NULL;
  return slash ? slash + 1 : path;
}

static char *moment(void) {
  char text[32];
  struct tm utc;
  time_t seconds = time(NULL);
  strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &utc));
  return strdup(text);
}

static char *hdf5_version(void) {
  unsigned major, minor, release;
  char text[48];
  H5get_libversion(&major, &minor, &release);
  snprintf(text, sizeof text, "%u.%u.%u", major, minor, release);
  return strdup(text);
}

static const char *metadata(const rattle_model *model, const char *wanted, const char *otherwise) {
  const char *key, *value;
  int count = model ? rattle_model_metadata(model, 0, &key, &value) : 0;
  for (int i = 0; i < count; i++)
    if (rattle_model_metadata(model, i, &key, &value) > i && strcmp(key, wanted) == 0) return value;
  return otherwise;
}

/* A list of names out of name(object, 0..count). */
typedef const char *(*namer)(const void *object, int i);
static int gather(rattle__labels *names, int count, const void *object, namer name) {
  size_t longest = 0;
  for (int i = 0; i < count; i++) {
    size_t length = strlen(name(object, i));
    if (length > longest) longest = length;
  }
  if (rattle__labels_make(names, count, longest)) return -1;
  for (int i = 0; i < count; i++) strcpy(names->name[i], name(object, i));
  return 0;
}

static const char *coordinate(const void *model, int i) {
  return rattle_model_coordinate_name(model, i);
}

static const char *callback_coordinate(const void *problem, int i) {
  return rattle__problem_coordinate_name(problem, i);
}

static const char *momentum(const void *model, int i) {
  return rattle_model_momentum_name(model, i);
}

static const char *constraint(const void *problem, int i) {
  return rattle_problem_constraint_name(problem, i);
}

static const char *observable(const void *model, int i) {
  return rattle_model_observable_name(model, i);
}

/* The events of a model, of a run, and "at". */
typedef struct both {
  const rattle_model *model;
  const rattle_events *events;
  int of_model;
} both;

static const char *event(const void *of, int i) {
  const both *all = of;
  if (i < all->of_model) return rattle_model_event_name(all->model, i);
  return i < all->of_model + all->events->count ? all->events->event[i - all->of_model].name : "at";
}

/* Which events there are, and when output is wanted. */
static int describe_events(rattle__about *about, const rattle_model *model,
                           const rattle_events *events) {
  const both all = {model, events, model ? rattle_model_events(model) : 0};
  const int outputs = events->time_count > 0 || events->time_step > 0 || events->end;
  if (gather(&about->events, all.of_model + events->count + outputs, &all, event)) return -1;
  if (!outputs) return 0;
  about->at = malloc(((size_t)events->time_count + 2) * sizeof *about->at);
  if (!about->at) return -1;
  about->ats = events->time_count + 2;
  about->at[0] = events->time_step;
  about->at[1] = events->end ? *events->end : (double)NAN;
  for (int i = 0; i < events->time_count; i++) about->at[i + 2] = events->times[i];
  return 0;
}

static const char *key(const void *model, int i) {
  const char *result, *value;
  rattle_model_metadata(model, i, &result, &value);
  return result;
}

static const char *value(const void *model, int i) {
  const char *name, *result;
  rattle_model_metadata(model, i, &name, &result);
  return result;
}

static const char *parameter_name(const void *parameters, int i) {
  return ((const rattle_parameter *)parameters)[i].name;
}

/* A problem of callbacks names its coordinates; momenta are "p" before the coordinate's name. */
static int name_callbacks(rattle__about *about, const rattle_problem *problem) {
  if (gather(&about->coordinates, (int)about->n, problem, callback_coordinate)) return -1;
  if (rattle__labels_make(&about->momenta, (int)about->n, about->coordinates.width)) return -1;
  for (int i = 0; i < about->n; i++)
    snprintf(about->momenta.name[i], about->momenta.width, "p%s", about->coordinates.name[i]);
  return 0;
}

static int name_model(rattle__about *about, const rattle_model *model) {
  const rattle_parameter *parameters = NULL;
  const char *first_key, *first_value;
  int count = rattle_model_parameters(model, &parameters);
  int pieces = rattle_model_metadata(model, 0, &first_key, &first_value);
  about->observables = rattle_model_observables(model);
  if (gather(&about->coordinates, (int)about->n, model, coordinate) ||
      gather(&about->momenta, (int)about->n, model, momentum) ||
      gather(&about->observed, (int)about->observables, model, observable) ||
      gather(&about->parameter_names, count, parameters, parameter_name) ||
      gather(&about->metadata_keys, pieces, model, key) ||
      gather(&about->metadata_values, pieces, model, value) ||
      !(about->parameter_values = calloc((size_t)count + 1, sizeof(double))))
    return -1;
  for (int i = 0; i < count; i++) about->parameter_values[i] = parameters[i].value;
  return 0;
}

/* SHA-256 of what decides the run, as the bytes of this text:
 *   model LENGTH\nTEXT\n   then for each parameter   parameter NAME VALUE\n   then   method
 *   TEXT\nstep H\nstart T\n */
static char *content_hash(const rattle__about *about) {
  rattle__sha256 hash;
  char line[64], digest[65], number[RATTLE__NUMBER_ROOM];
  rattle__sha256_begin(&hash);
  rattle__sha256_add(&hash, line,
                     (size_t)snprintf(line, sizeof line, "model %zu\n", strlen(about->text)));
  rattle__sha256_add(&hash, about->text, strlen(about->text));
  rattle__sha256_add(&hash, "\n", 1);
  for (int i = 0; i < about->parameter_names.count; i++) {
    rattle__sha256_add(&hash, "parameter ", 10);
    rattle__sha256_add(&hash, about->parameter_names.name[i],
                       strlen(about->parameter_names.name[i]));
    rattle__sha256_add(&hash, line,
                       (size_t)snprintf(line, sizeof line, " %s\n",
                                        rattle__number_exact(about->parameter_values[i], number)));
  }
  rattle__sha256_add(&hash, "method ", 7);
  rattle__sha256_add(&hash, about->method, strlen(about->method));
  rattle__sha256_add(&hash, line,
                     (size_t)snprintf(line, sizeof line, "\nstep %s\n",
                                      rattle__number_exact(about->step, number)));
  rattle__sha256_add(&hash, line,
                     (size_t)snprintf(line, sizeof line, "start %s\n",
                                      rattle__number_exact(about->start_time, number)));
  rattle__sha256_end(&hash, digest);
  return strdup(digest);
}

/* "name version" of the plug-in that the method needs. */
static char *plugin_of(rattle__about *about, const char *expression) {
  rattle_method *method = NULL;
  char text[200] = "";
  const rattle_plugin *plugin =
      rattle_method_parse(&method, expression, NULL) ? NULL : rattle_method_plugin(method);
  if (plugin) {
    const char *version = plugin->version ? plugin->version : "";
    snprintf(text, sizeof text, "%.90s%s%.90s", plugin->name, version[0] ? " " : "", version);
    about->plugin_adapts = rattle_method_adapts(method);
  }
  rattle_method_destroy(&method);
  return strdup(text);
}

/* Every text is set, so that none of them is NULL from here on. */
static int set_texts(rattle__about *about, const rattle_problem *problem, const char *method) {
  const rattle_model *model = rattle_problem_model(problem);
  about->title = copy(model ? rattle_model_title(model) : NULL);
  about->text = copy(model ? rattle_model_text(model) : NULL);
  about->model_file = copy(model ? file_name(model->file) : NULL);
  about->author = copy(metadata(model, "author", "unknown"));
  about->email = copy(metadata(model, "email", NULL));
  about->method = copy(method);
  about->kind = copy(rattle_problem_kind_name(problem));
  about->evaluator = copy(rattle_problem_evaluator(problem));
  about->version = copy(rattle_version());
  about->build = copy(RATTLE_BUILD_TYPE ", " COMPILER ", " ARITHMETIC);
  about->hdf5 = hdf5_version();
  about->created = moment();
  about->solver = copy("none");
  about->plugin = plugin_of(about, method);
  if (!about->title || !about->text || !about->model_file || !about->author || !about->email ||
      !about->method || !about->kind || !about->evaluator || !about->version || !about->build ||
      !about->hdf5 || !about->created || !about->solver || !about->plugin)
    return -1;
  return (about->hash = content_hash(about)) ? 0 : -1;
}

static rattle_status find_particles(rattle__about *about, const rattle_problem *problem,
                                    rattle_error *error) {
  int dimension = 1;
  about->place = malloc(((size_t)about->n + 1) * sizeof *about->place);
  if (!about->place) return rattle__no_memory(error);
  const rattle_status status =
      rattle__find_particles((const char *const *)about->coordinates.name, (int)about->n,
                             problem->clock - 1, about->place, &dimension, error);
  about->dimension = dimension;
  return status ? status
                : rattle__particle_masses(&about->mass, problem, about->place, dimension,
                                          rattle__particles(about), error);
}

rattle_status rattle__about_describe(rattle__about *about, const rattle_problem *problem,
                                     const rattle_record_options *options, rattle_error *error) {
  const rattle_model *model = rattle_problem_model(problem);
  *about = (rattle__about){.n = rattle_problem_n(problem),
                           .m = rattle_problem_m(problem),
                           .step = options->step,
                           .start_time = options->start_time,
                           .stop = options->stop,
                           .steps = options->steps,
                           .every = options->every};
  if (gather(&about->constraints, (int)about->m, problem, constraint))
    return rattle__no_memory(error);
  if (model ? name_model(about, model) : name_callbacks(about, problem))
    return rattle__no_memory(error);
  rattle_events events;
  const rattle_status status = RATTLE__TAKE(&events, rattle_events, last, options->events, error);
  if (status) return status;
  if (describe_events(about, model, &events)) return rattle__no_memory(error);
  if (set_texts(about, problem, options->method)) return rattle__no_memory(error);
  return find_particles(about, problem, error);
}
