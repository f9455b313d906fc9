/* The columns of a file of cases: what differs, how each case ended, and what is kept of it; and
 * the row of a case. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "many/sweep/sweep.h"
#include "rattle/fields.h"
#include "rattle/tangent.h"

static const long long most_width = 1 << 26;

/* Members of structs that are columns: the first error is that of the energy, the others need
 * constraints. */
typedef struct column_member {
  const char *key;
  size_t offset;
} column_member;
#define ERROR(kind, key, name) {key, offsetof(rattle_errors, name)},
static const column_member errors[] = {RATTLE_ERRORS_FIELDS(ERROR)};
static const column_member energies[] = {RATTLE_ERRORS_ENERGIES(ERROR)};
#define INDICATOR(kind, key, name) {key, offsetof(rattle_chaos, name)},
static const column_member chaos[] = {RATTLE_CHAOS_FIELDS(INDICATOR)};
#define EXTREME(kind, key, name) {key, offsetof(rattle_extreme, name)},
static const column_member extremes[] = {RATTLE_EXTREME_FIELDS(EXTREME)};
enum {
  OF_ENERGY = 1,
  ERRORS = sizeof errors / sizeof *errors,
  ENERGIES = sizeof energies / sizeof *energies,
  CHAOS = sizeof chaos / sizeof *chaos,
  EXTREMES = sizeof extremes / sizeof *extremes
};

static double number_in(const void *object, size_t offset) {
  double value;
  memcpy(&value, (const char *)object + offset, sizeof value);
  return value;
}

/* Room for twice as many; 0 if there is no memory. */
static int grow(sweep_columns *columns) {
  const size_t room = columns->count ? 2 * (size_t)columns->count : 1;
  sweep_column *what = realloc(columns->what, room * sizeof *what);
  if (what) columns->what = what;
  rattle_cases_column *column = realloc(columns->column, room * sizeof *column);
  if (column) columns->column = column;
  char **name = realloc(columns->name, room * sizeof *name);
  if (name) columns->name = name;
  return what && column && name;
}

static rattle_status add(sweep_columns *columns, sweep_column what, long long width,
                         rattle_error *error, const char *format, ...) TEXT_FORMAT(5, 6);
static rattle_status add(sweep_columns *columns, sweep_column what, long long width,
                         rattle_error *error, const char *format, ...) {
  const int count = columns->count;
  char name[300];
  va_list list;
  va_start(list, format);
  vsnprintf(name, sizeof name, format, list);
  va_end(list);
  if (columns->width + width > most_width)
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "more than %lld numbers are to be kept of each case; keep less: --columns, "
                     "--every, --at, --events",
                     most_width);
  char *own = (count & (count - 1)) == 0 && !grow(columns) ? NULL : strdup(name);
  if (!own) return text_no_memory(error);
  columns->what[count] = what, columns->name[count] = own;
  columns->column[count] = (rattle_cases_column){own, (int)width};
  columns->count++, columns->width += (int)width;
  return RATTLE_OK;
}

static const char *name_of(const rattle_model *model, int n, int index) {
  const char *momentum =
      index >= n && index < 2 * n ? rattle_model_momentum_name(model, index - n) : NULL;
  if (index < n) return rattle_model_coordinate_name(model, index);
  return index < 2 * n ? (momentum ? momentum : "?")
                       : rattle_model_observable_name(model, index - 2 * n);
}

/* True if --columns has the name, or is not given. */
static int is_wanted(const sweep_plan *plan, const char *name) {
  const size_t length = strlen(name);
  if (!plan->columns) return 1;
  for (const char *at = plan->columns; (at = strstr(at, name)); at++)
    if ((at == plan->columns || at[-1] == ',') && (at[length] == ',' || !at[length])) return 1;
  return 0;
}

/* A column of this kind for each quantity that is wanted. */
static rattle_status add_all(sweep_columns *columns, const sweep_plan *plan,
                             const rattle_model *model, sweep_column what, long long width,
                             const char *prefix, rattle_error *error) {
  const int n = columns->n, from = what.kind == SWEEP_END && !plan->ends ? 2 * n : 0;
  const int to =
      what.kind == SWEEP_END && !plan->observables ? 2 * n : 2 * n + columns->observables;
  rattle_status status = RATTLE_OK;
  for (int k = from; k < to && !status; k++) {
    const char *name = name_of(model, n, k);
    what.index = k;
    if (is_wanted(plan, name))
      status = add(columns, what, width, error, "%s%s%s", prefix, prefix[0] ? ":" : "", name);
  }
  return status;
}

/* The most samples that a case can have. */
static rattle_status count_samples(const sweep_plan *plan, long long *samples,
                                   rattle_error *error) {
  *samples = 0;
  for (int i = 0; i < plan->methods; i++) {
    if (plan->adapts[i])
      return text_fail(
          error, RATTLE_BAD_ARGUMENT,
          "--keep samples: %s adapts its steps, whose number is not known; use --at TIMES",
          plan->method[i]);
  }
  double least = fabs(plan->step);
  for (int i = 0; i < plan->quantities; i++)
    for (long long k = 0;
         plan->quantity[i].target == SWEEP_STEP && k < plan->quantity[i].spec.count; k++)
      least = fmin(least, fabs(plan->quantity[i].spec.value[k]));
  long long steps;
  const rattle_status status = sweep_steps(plan, copysign(least, plan->step), &steps, error);
  *samples = 1 + steps / plan->every + (steps % plan->every != 0);
  return status;
}

/* True if energy may come into cases: rattle_integrator_has_work of one of the methods. */
static int has_work(const sweep_plan *plan, const rattle_problem *problem) {
  int works = rattle_problem_kind(problem) & RATTLE_FORCED ||
              rattle_model_clock(rattle_problem_model(problem)) >= 0;
  for (int i = 0; i < plan->methods && !works; i++) {
    rattle_method *method = NULL;
    works = !rattle_method_parse(&method, plan->method[i], NULL) && rattle_method_samples(method);
    rattle_method_destroy(&method);
  }
  return works;
}

/* Errors, and energies at the end; names of the model win. */
static rattle_status add_errors(sweep_columns *columns, const sweep_plan *plan,
                                const rattle_problem *problem, rattle_error *error) {
  const rattle_model *model = rattle_problem_model(problem);
  const int those = rattle_problem_m(problem) ? ERRORS : OF_ENERGY;
  rattle_status status = RATTLE_OK;
  for (int i = 0; i < those && !status; i++)
    status = add(columns, (sweep_column){.kind = SWEEP_ERROR, .index = i}, 1, error, "%s",
                 errors[i].key);
  for (int i = 0; i < ENERGIES && !status && has_work(plan, problem); i++) {
    int taken = 0;
    for (int k = 0; k < 2 * columns->n + columns->observables; k++)
      taken |= !strcmp(name_of(model, columns->n, k), energies[i].key);
    status = add(columns, (sweep_column){.kind = SWEEP_ENERGY, .index = i}, 1, error, "%s%s",
                 taken ? "rattle:" : "", energies[i].key);
  }
  return status;
}

/* "NAME:least", "NAME:least_time" ... for each observable that is wanted. */
static rattle_status add_extremes(sweep_columns *columns, const sweep_plan *plan,
                                  const rattle_model *model, rattle_error *error) {
  rattle_status status = columns->observables
                             ? RATTLE_OK
                             : text_fail(error, RATTLE_BAD_ARGUMENT,
                                         "--keep extremes: the model observes nothing; write "
                                         "observe(\"NAME\", expression)");
  for (int k = 0; k < columns->observables; k++) {
    const char *name = rattle_model_observable_name(model, k);
    for (int i = 0; i < EXTREMES && !status && is_wanted(plan, name); i++)
      status = add(columns, (sweep_column){.kind = SWEEP_EXTREME, .index = k, .event = i}, 1, error,
                   "%s:%s", name, extremes[i].key);
  }
  return status;
}

/* Columns of what is kept in addition to ends. */
static rattle_status add_more(sweep_columns *columns, const sweep_plan *plan,
                              const rattle_model *model, rattle_error *error) {
  long long samples = 0;
  rattle_status status =
      plan->keep & RATTLE_KEEP_EXTREMES ? add_extremes(columns, plan, model, error) : RATTLE_OK;
  if (plan->ats && !status)
    status =
        add_all(columns, plan, model, (sweep_column){.kind = SWEEP_AT}, plan->ats, "at", error);
  for (int e = 0; e < rattle_model_events(model) && plan->events && !status; e++) {
    const char *name = rattle_model_event_name(model, e);
    status = add(columns, (sweep_column){.kind = SWEEP_EVENT_COUNT, .event = e}, 1, error,
                 "%s:count", name);
    if (!status)
      status = add(columns, (sweep_column){.kind = SWEEP_EVENT_TIME, .event = e}, plan->events,
                   error, "%s:time", name);
    if (!status)
      status = add_all(columns, plan, model, (sweep_column){.kind = SWEEP_EVENT, .event = e},
                       plan->events, name, error);
  }
  if (status || !(plan->keep & RATTLE_KEEP_SAMPLES)) return status;
  status = count_samples(plan, &samples, error);
  if (!status)
    status =
        add(columns, (sweep_column){.kind = SWEEP_SAMPLE_TIME}, samples, error, "samples:time");
  return status ? status
                : add_all(columns, plan, model, (sweep_column){.kind = SWEEP_SAMPLE}, samples,
                          "samples", error);
}

static rattle_status check_names(const sweep_plan *plan, const rattle_model *model, int n,
                                 int observables, rattle_error *error) {
  for (const char *list = plan->columns; list && *list;) {
    const size_t length = strcspn(list, ",");
    int found = 0;
    for (int k = 0; k < 2 * n + observables; k++) {
      const char *name = name_of(model, n, k);
      found |= strlen(name) == length && !strncmp(name, list, length);
    }
    if (!found)
      return text_fail(error, RATTLE_BAD_ARGUMENT,
                       "--columns: the model has no coordinate, momentum or observable '%.*s'",
                       (int)length, list);
    list += length + (list[length] != 0);
  }
  return RATTLE_OK;
}

/* Chaos needs derivatives of steps: where no method has them, no case could end well. */
static rattle_status check_chaos(const sweep_plan *plan, const rattle_problem *problem,
                                 rattle_error *error) {
  rattle_status status = RATTLE_UNSUITABLE;
  for (int i = 0; i < plan->methods && status == RATTLE_UNSUITABLE; i++) {
    rattle_tangent *tangent = NULL;
    status = rattle_tangent_create(&tangent, problem, plan->method[i], error);
    rattle_tangent_destroy(&tangent);
  }
  return status == RATTLE_UNSUITABLE ? status : RATTLE_OK;
}

rattle_status sweep_columns_make(sweep_columns *columns, const sweep_plan *plan,
                                 const rattle_problem *problem, rattle_error *error) {
  const rattle_model *model = rattle_problem_model(problem);
  *columns = (sweep_columns){.n = rattle_problem_n(problem),
                             .observables = rattle_model_observables(model)};
  rattle_status status = check_names(plan, model, columns->n, columns->observables, error);
  if (!status && plan->events && rattle_model_events(model) == 0)
    status = text_fail(
        error, RATTLE_BAD_ARGUMENT,
        "--events: the model has no events; it declares them as event(\"NAME\", expression)");
  for (int i = 0; i < plan->quantities && !status; i++) {
    const sweep_quantity *q = &plan->quantity[i];
    const char *prefix = q->target == SWEEP_PARAMETER  ? "set:"
                         : q->target == SWEEP_VARIABLE ? "start:"
                                                       : "";
    status = add(columns, (sweep_column){.kind = SWEEP_INPUT, .index = i}, 1, error, "%s%s", prefix,
                 q->target == SWEEP_STEP ? "step" : q->name);
  }
  if (!status) status = add(columns, (sweep_column){.kind = SWEEP_STATUS}, 1, error, "status");
  if (!status) status = add(columns, (sweep_column){.kind = SWEEP_TIME}, 1, error, "time");
  if (!status) status = add(columns, (sweep_column){.kind = SWEEP_STEPS}, 1, error, "steps");
  if (!status && plan->keep & RATTLE_KEEP_ERRORS)
    status = add_errors(columns, plan, problem, error);
  if (!status && plan->keep & RATTLE_KEEP_CHAOS) status = check_chaos(plan, problem, error);
  for (int i = 0; i < CHAOS && !status && plan->keep & RATTLE_KEEP_CHAOS; i++)
    status =
        add(columns, (sweep_column){.kind = SWEEP_CHAOS, .index = i}, 1, error, "%s", chaos[i].key);
  if (!status)
    status = add_all(columns, plan, model, (sweep_column){.kind = SWEEP_END}, 1, "", error);
  return status ? status : add_more(columns, plan, model, error);
}

void sweep_columns_free(sweep_columns *columns) {
  for (int c = 0; c < columns->count; c++) free(columns->name[c]);
  free(columns->name), free(columns->what), free(columns->column);
  *columns = (sweep_columns){0};
}

/* ---- rows ---- */

/* One quantity of the samples, NaN where there are none. */
static void fill_samples(const sweep_columns *columns, const rattle_samples *s, int index,
                         int width, double *to) {
  const int n = columns->n;
  for (int k = 0; k < width; k++) {
    to[k] = (double)NAN;
    if (!s || k >= s->count) continue;
    to[k] = index < 0       ? s->time[k]
            : index < n     ? s->q[(long long)k * n + index]
            : index < 2 * n ? s->p[(long long)k * n + index - n]
                            : s->observed[(long long)k * s->observables + index - 2 * n];
  }
}

static void fill_one(const sweep_columns *columns, int c, const sweep_plan *plan,
                     const rattle_outcome *o, const double *end, double *to) {
  const sweep_column *what = &columns->what[c];
  const int width = columns->column[c].width;
  const rattle_trajectory *t = o->trajectory;
  const int at = o->problem ? rattle_model_events(rattle_problem_model(o->problem)) : 0;
  const rattle_samples *event =
      t ? rattle_trajectory_event(t, what->kind == SWEEP_AT ? at : what->event) : NULL;
  *to = (double)NAN;
  switch (what->kind) {
  case SWEEP_INPUT:
    *to = sweep_value(plan, what->index, o->of->number);
    break;
  case SWEEP_STATUS:
    *to = o->status;
    break;
  case SWEEP_TIME:
    *to = o->time;
    break;
  case SWEEP_STEPS:
    *to = (double)o->steps;
    break;
  case SWEEP_ERROR:
    if (o->errors) *to = number_in(o->errors, errors[what->index].offset);
    break;
  case SWEEP_ENERGY:
    if (o->errors) *to = number_in(o->errors, energies[what->index].offset);
    break;
  case SWEEP_CHAOS:
    if (o->chaos) *to = number_in(o->chaos, chaos[what->index].offset);
    break;
  case SWEEP_EXTREME:
    if (o->extremes) *to = number_in(&o->extremes[what->index], extremes[what->event].offset);
    break;
  case SWEEP_END:
    *to = end[what->index];
    break;
  case SWEEP_EVENT_COUNT:
    *to = t ? event ? (double)event->count : 0 : (double)NAN;
    break;
  case SWEEP_AT:
  case SWEEP_EVENT:
    fill_samples(columns, event, what->index, width, to);
    break;
  case SWEEP_EVENT_TIME:
    fill_samples(columns, event, -1, width, to);
    break;
  case SWEEP_SAMPLE_TIME:
    fill_samples(columns, t ? rattle_trajectory_samples(t) : NULL, -1, width, to);
    break;
  case SWEEP_SAMPLE:
    fill_samples(columns, t ? rattle_trajectory_samples(t) : NULL, what->index, width, to);
    break;
  }
}

/* Cases whose parameters change the shape of the problem have no place in the columns. */
static int has_shape(const sweep_columns *columns, const rattle_outcome *o) {
  const rattle_model *model = o->problem ? rattle_problem_model(o->problem) : NULL;
  return !model || (o->n == columns->n && rattle_model_observables(model) == columns->observables);
}

rattle_status sweep_fill(const sweep_columns *columns, const sweep_plan *plan,
                         const rattle_outcome *outcome, double *row, rattle_error *error) {
  const int n = columns->n, all = 2 * n + columns->observables;
  rattle_outcome own = *outcome;
  double *end = malloc(((size_t)all + 1) * sizeof *end);
  if (!end) return text_no_memory(error);
  if (!has_shape(columns, outcome))
    own.status = RATTLE_UNSUITABLE, own.trajectory = NULL, own.extremes = NULL,
    own.q = own.p = NULL;
  for (int k = 0; k < all; k++) end[k] = (double)NAN;
  if (own.q) {
    memcpy(end, own.q, (size_t)n * sizeof *end);
    memcpy(end + n, own.p, (size_t)n * sizeof *end);
    if (own.observed) memcpy(end + 2 * n, own.observed, (size_t)columns->observables * sizeof *end);
  }
  for (int c = 0; c < columns->count; c++) {
    fill_one(columns, c, plan, &own, end, row);
    row += columns->column[c].width;
  }
  free(end);
  return RATTLE_OK;
}
