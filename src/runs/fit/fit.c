/* Fits: what is asked, checked and laid out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/support/nearest.h"
#include "ground/support/sized.h"
#include "problem/functions/problem.h"
#include "runs/fit/fitting.h"

/* --- names ------------------------------------------------------------------------------------ */

static rattle_status unknown_name(const rattle_model *model, const char *what, const char *name,
                                  int observed, rattle_error *error) {
  rattle__nearest near = {.name = name};
  for (int i = 0; i < model->n; i++) {
    rattle__nearest_try(&near, model->pair[i].name);
    rattle__nearest_try(&near, model->pair[i].momentum);
  }
  for (int i = 0; i < model->observables && observed; i++)
    rattle__nearest_try(&near, model->observable[i].name);
  const char *expected = observed ? "a coordinate, a momentum or a quantity that the model observes"
                                  : "a coordinate or a momentum";
  return near.best
             ? rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                            "%s '%s' is not %s; did you mean '%s'?", what, name, expected,
                            near.best)
             : rattle__fail(error, RATTLE_BAD_ARGUMENT, name, "%s '%s' is not %s%s", what, name,
                            expected, observed ? ": leave it out, as by --columns" : "");
}

static int find_variable(const rattle__fit_system *s, const char *name) {
  int is_momentum;
  const int pair = rattle__model_find_pair(rattle_problem_model(s->given), name, &is_momentum);
  return pair < 0 ? -1 : rattle__fit_place(s, 2 * pair + is_momentum);
}

static rattle_status cites_multipliers(const rattle__fit_system *s, const char *name, int k,
                                       rattle_error *error) {
  const rattle__function *f = s->problem->observed;
  for (int e = f->jac_ptr[k]; e < f->jac_ptr[k + 1]; e++)
    if (f->jac_col[e] >= s->nz)
      return rattle__fail(error, RATTLE_UNSUITABLE, name,
                          "'%s' contains multipliers, which have no derivative here: fit "
                          "coordinates, momenta or quantities without lambda",
                          name);
  return RATTLE_OK;
}

static rattle_status find_column(const rattle__fit_system *s, const char *run, const char *name,
                                 rattle__fit_column *column, rattle_error *error) {
  char what[200];
  *column = (rattle__fit_column){find_variable(s, name), -1};
  if (column->variable >= 0) return RATTLE_OK;
  for (int k = 0; k < s->model->observables; k++)
    if (!strcmp(s->model->observable[k].name, name)) {
      column->observable = k;
      return cites_multipliers(s, name, k, error);
    }
  snprintf(what, sizeof what, "%s: the column", run);
  return unknown_name(rattle_problem_model(s->given), what, name, 1, error);
}

/* --- data ------------------------------------------------------------------------------------- */

static rattle_status check_times(const rattle__fit_system *s, const rattle_fit_data *data,
                                 rattle_error *error) {
  for (int i = 0; i < data->count; i++) {
    const double t = data->time[i];
    if (!isfinite(t))
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, "time", "%s: time %d is %g", data->name,
                          i + 1, t);
    if (t < s->t0)
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, "time",
                          "%s: time %.9g is before the start of the model at %.9g: write integrate "
                          "{ start_time = ... }",
                          data->name, t, s->t0);
    if (i && !(t > data->time[i - 1]))
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, "time",
                          "%s: times must rise, and %.9g comes after %.9g", data->name, t,
                          data->time[i - 1]);
    if (!((t - s->t0) / s->h < 9e15))
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, "time",
                          "%s: there are too many steps of %g up to time %g", data->name, s->h, t);
  }
  return RATTLE_OK;
}

/* The values, counted. */
static rattle_status check_values(const rattle_fit_data *data, int *rows, rattle_error *error) {
  for (int i = 0; i < data->count; i++)
    for (int c = 0; c < data->columns; c++) {
      const int at = i * data->columns + c;
      if (isnan(data->value[at])) continue;
      if (isinf(data->value[at]))
        return rattle__fail(error, RATTLE_BAD_ARGUMENT, data->column[c],
                            "%s: '%s' is infinite at time %.9g", data->name, data->column[c],
                            data->time[i]);
      if (data->sigma && !(data->sigma[at] > 0 && isfinite(data->sigma[at])))
        return rattle__fail(error, RATTLE_BAD_ARGUMENT, data->column[c],
                            "%s: the uncertainty of '%s' at time %.9g is %g: it must be positive",
                            data->name, data->column[c], data->time[i], data->sigma[at]);
      ++*rows;
    }
  return RATTLE_OK;
}

static rattle_status take_run(rattle_fit *fit, int r, const rattle_fit_data *data,
                              rattle_error *error) {
  const rattle__fit_system *s = &fit->system;
  rattle__fit_run *run = &fit->run[r];
  rattle_status status = RATTLE__TAKE_ELEMENT(&run->data, rattle_fit_data, sigma, data, r, error);
  if (status) return status;
  if (!run->data.name) run->data.name = "the data";
  const rattle_fit_data *own = &run->data;
  if (own->count < 1 || own->columns < 1 || !own->time || !own->value || !own->column)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "data", "%s: there are no data", own->name);
  if ((double)own->count * own->columns + fit->rows > 1 << 30)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "data", "%s: there are more than 2^30 numbers",
                        own->name);
  const size_t columns = (size_t)own->columns;
  run->column = rattle__arena_take(&fit->arena, columns * sizeof *run->column);
  run->fitted = rattle__arena_doubles(&fit->arena, (size_t)own->count * columns);
  if (!run->column || !run->fitted) return rattle__no_memory(error);
  for (int c = 0; c < own->columns && !status; c++) {
    for (int b = 0; b < c && !status; b++)
      if (!strcmp(own->column[b], own->column[c]))
        status = rattle__fail(error, RATTLE_BAD_ARGUMENT, own->column[c],
                              "%s: two columns are '%s'", own->name, own->column[c]);
    if (!status) status = find_column(s, own->name, own->column[c], &run->column[c], error);
  }
  if (!status) status = check_times(s, own, error);
  if (!status) status = check_values(own, &run->rows, error);
  fit->rows += run->rows;
  const double steps = (own->time[own->count - 1] - s->t0) / s->h;
  if (!status && steps > (double)fit->most) fit->most = (long long)steps;
  return status;
}

/* --- what is to be found ---------------------------------------------------------------------- */

static rattle_status take_bounds(rattle_fit *fit, const rattle_fit_options *options,
                                 rattle_error *error) {
  const rattle_model *model = rattle_problem_model(fit->system.given);
  const rattle_parameter *declared;
  const int count = rattle_model_parameters(model, &declared);
  for (int j = 0; j < fit->k; j++) {
    const rattle_fit_parameter *vary = &options->vary[j];
    double range[2] = {vary->low, vary->high};
    for (int i = 0; i < count; i++) {
      if (strcmp(declared[i].name, vary->name) != 0) continue;
      fit->theta[j] = declared[i].value;
      if (vary->low == 0 && vary->high == 0 && !rattle_model_parameter_range(model, i, range))
        range[0] = -INFINITY, range[1] = INFINITY;
    }
    fit->low[j] = range[0], fit->high[j] = range[1];
    if (!(range[0] < range[1]))
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, vary->name,
                          "'%s' has no room between the bounds %g and %g", vary->name, range[0],
                          range[1]);
    if (!(fit->theta[j] >= range[0] && fit->theta[j] <= range[1]))
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, vary->name,
                          "the search begins at '%s' = %.9g, which is not between its bounds %g "
                          "and %g: set the parameter",
                          vary->name, fit->theta[j], range[0], range[1]);
  }
  return RATTLE_OK;
}

static rattle_status take_starts(rattle_fit *fit, const rattle_fit_options *options,
                                 rattle_error *error) {
  const rattle__fit_system *s = &fit->system;
  for (int i = 0; i < options->vary_start_count; i++) {
    const char *name = options->vary_start[i];
    const int place = find_variable(s, name);
    if (place < 0)
      return unknown_name(rattle_problem_model(s->given), "the start to be found,", name, 0, error);
    if (fit->free[place])
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                          "the start of '%s' is to vary twice: name it once", name);
    if (place % (s->nz / 2) == rattle_model_clock(s->model))
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, name, "the time begins with the run");
    fit->free[place] = 1;
    fit->named++;
  }
  for (int i = 0; i < s->n && fit->named && fit->k; i++) {
    const rattle__pair *pair = &s->model->pair[i];
    if (pair->has_velocity && pair->velocity != 0 && !fit->free[s->nz / 2 + i])
      return rattle__fail(error, RATTLE_UNSUITABLE, pair->momentum,
                          "where starts vary with parameters, '%s' must have a start momentum, or "
                          "vary too: it has a start velocity",
                          pair->momentum);
  }
  return RATTLE_OK;
}

/* The beginning of the search: one start of the model for all runs. */
static rattle_status begin(rattle_fit *fit, rattle_error *error) {
  rattle__fit_system *s = &fit->system;
  const size_t nz = (size_t)s->nz;
  fit->unknowns = fit->k;
  rattle_status status = rattle__fit_system_start(s, fit->theta, fit->named > 0, fit->end, error);
  if (!status && fit->k) status = rattle__fit_system_check(s, fit->theta, error);
  fit->projects = !fit->named && rattle_model_wishes(rattle_problem_model(s->given))->project;
  for (int r = 0; r < fit->runs && !status; r++) {
    rattle__fit_run *run = &fit->run[r];
    run->first = fit->unknowns;
    run->freedom = -1;
    memcpy(run->z, fit->end, nz * sizeof *run->z);
    if (fit->named) status = rattle__fit_start_retract(fit, run->z, error);
    if (!status) status = rattle__fit_start_directions(fit, run, run->z, error);
    if (!status && fit->named && !run->freedom)
      status = rattle__fail(error, RATTLE_UNSUITABLE, "start",
                            "the constraints leave the start that is to be found no freedom: let "
                            "more of its coordinates and momenta vary");
    if (!status) fit->unknowns += run->freedom;
  }
  if (!status && !fit->unknowns)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, NULL,
                        "nothing is to be found: name parameters or starts that vary");
  if (!status && fit->rows < fit->unknowns)
    status = rattle__fail(error, RATTLE_BAD_ARGUMENT, "data",
                          "there are fewer data than unknowns, %d and %d: let less vary", fit->rows,
                          fit->unknowns);
  return status;
}

/* --- memory ----------------------------------------------------------------------------------- */

static rattle_status lay_out_runs(rattle_fit *fit, rattle_error *error) {
  const size_t nz = (size_t)fit->system.nz, most = (size_t)(fit->k + fit->named) + 1;
  for (int r = 0; r < fit->runs; r++) {
    rattle__fit_run *run = &fit->run[r];
    const rattle__array arrays[] = {
        {&run->z, nz}, {&run->next, nz}, {&run->W, most * nz}, {&run->next_W, most * nz}};
    RATTLE__LAY_OUT(&fit->arena, arrays);
  }
  const rattle__array arrays[] = {{&fit->end, 2 * nz}, {&fit->W, 2 * most * nz}};
  RATTLE__LAY_OUT(&fit->arena, arrays);
  return fit->arena.failed ? rattle__no_memory(error) : RATTLE_OK;
}

static rattle_status lay_out_results(rattle_fit *fit, rattle_error *error) {
  const size_t M = (size_t)fit->rows, N = (size_t)fit->unknowns;
  rattle_fit_result *result = &fit->result;
  result->parameters = fit->k;
  result->quantities = fit->k + fit->runs * fit->named;
  const size_t Q = (size_t)result->quantities;
  double *value, *error_of, *covariance;
  const rattle__array arrays[] = {
      {&fit->residual, M},    {&fit->noise, M},  {&fit->J, M * N}, {&fit->trial_residual, M},
      {&fit->trial_J, M * N}, {&fit->change, N}, {&value, Q},      {&error_of, Q},
      {&covariance, Q * Q}};
  RATTLE__LAY_OUT(&fit->arena, arrays);
  const char **name = rattle__arena_take(&fit->arena, (Q + 1) * sizeof *name);
  result->value = value, result->error = error_of, result->covariance = covariance;
  result->name = name;
  return fit->arena.failed ? rattle__no_memory(error) : RATTLE_OK;
}

static const char *place_name(const rattle__fit_system *s, int place) {
  const rattle__pair *pair = &s->model->pair[place % (s->nz / 2)];
  return place < s->nz / 2 ? pair->name : pair->momentum;
}

/* Names of quantities: "x", and of several runs "run 2: x". */
static rattle_status name_quantities(rattle_fit *fit, rattle_error *error) {
  const char **name = (const char **)fit->result.name;
  int q = 0;
  for (; q < fit->k; q++) {
    const size_t size = strlen(fit->system.name[q]) + 1;
    char *text = rattle__arena_take(&fit->arena, size);
    if (!text) return rattle__no_memory(error);
    name[q] = memcpy(text, fit->system.name[q], size);
  }
  for (int r = 0; r < fit->runs; r++)
    for (int c = 0; c < fit->system.nz; c++) {
      if (!fit->free[c]) continue;
      const char *place = place_name(&fit->system, c);
      const size_t size = strlen(place) + 32;
      char *text = rattle__arena_take(&fit->arena, size);
      if (!text) return rattle__no_memory(error);
      if (fit->runs > 1)
        snprintf(text, size, "run %d: %s", r + 1, place);
      else
        snprintf(text, size, "%s", place);
      name[q++] = text;
    }
  return RATTLE_OK;
}

/* --- entries ---------------------------------------------------------------------------------- */

static void fill_result(rattle_fit *fit) {
  rattle_fit_result *result = &fit->result;
  double *value = (double *)result->value;
  int q = 0;
  for (; q < fit->k; q++) value[q] = fit->theta[q];
  for (int r = 0; r < fit->runs; r++)
    for (int c = 0; c < fit->system.nz; c++)
      if (fit->free[c]) value[q++] = fit->run[r].z[c];
  result->data = fit->rows, result->unknowns = fit->unknowns;
  result->undetermined = fit->combination;
}

/* Starts without the parameters among them. */
static void compress(rattle_fit *fit) {
  const size_t n = (size_t)fit->system.n, half = (size_t)fit->system.nz / 2;
  for (int r = 0; r < fit->runs; r++)
    memmove(fit->run[r].z + n, fit->run[r].z + half, n * sizeof(double));
}

static rattle_status take_data(rattle_fit *fit, const rattle_fit_data *data, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  for (int r = 0; r < fit->runs && !status; r++) {
    status = take_run(fit, r, data, error);
    if (!status && !fit->run[r].data.sigma != !fit->run[0].data.sigma)
      status = rattle__fail(error, RATTLE_BAD_ARGUMENT, "sigma",
                            "uncertainties are given of some runs: give those of all or of none");
  }
  fit->result.weighted = fit->runs && fit->run[0].data.sigma != NULL;
  return status;
}

static rattle_status make(rattle_fit *fit, const rattle_problem *problem,
                          const rattle_fit_data *data, const rattle_fit_options *options,
                          rattle_error *error) {
  rattle_status status = rattle__fit_system_create(&fit->system, problem, options, error);
  if (status) return status;
  if (fit->system.problem->split)
    return rattle__fail(error, RATTLE_UNSUITABLE, NULL,
                        "fits of problems with second-class constraints are not offered");
  fit->k = options->vary_count;
  fit->most_steps = options->most_steps > 0 ? options->most_steps : 200;
  fit->interrupt = options->interrupt;
  const size_t k = (size_t)fit->k, nz = (size_t)fit->system.nz;
  const rattle__array arrays[] = {
      {&fit->theta, k}, {&fit->next, k}, {&fit->low, k}, {&fit->high, k}};
  RATTLE__LAY_OUT(&fit->arena, arrays);
  fit->free = rattle__arena_take(&fit->arena, nz);
  fit->run = rattle__arena_take(&fit->arena, (size_t)fit->runs * sizeof *fit->run);
  if (fit->arena.failed) return rattle__no_memory(error);
  if (!status) status = take_bounds(fit, options, error);
  if (!status) status = take_starts(fit, options, error);
  if (!status) status = take_data(fit, data, error);
  if (!status) status = lay_out_runs(fit, error);
  if (!status) status = begin(fit, error);
  if (!status) status = lay_out_results(fit, error);
  if (!status) status = name_quantities(fit, error);
  if (!status) status = rattle__fit_search(fit, error);
  if (!status) fill_result(fit);
  if (!status) status = rattle__fit_errors(fit, error);
  if (!status) compress(fit);
  return status;
}

rattle_status rattle_fit_create(rattle_fit **result, const rattle_problem *problem,
                                const rattle_fit_data *data, int runs,
                                const rattle_fit_options *given, rattle_error *error) {
  rattle_fit_options options;
  *result = NULL;
  rattle_status status = RATTLE__TAKE(&options, rattle_fit_options, interrupt, given, error);
  if (status) return status;
  if (runs < 1 || !data || options.vary_count < 0 || options.vary_start_count < 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "runs",
                        "a fit needs the data of at least one run");
  rattle_fit *fit = *result = calloc(1, sizeof *fit);
  if (!fit) return rattle__no_memory(error);
  fit->runs = runs;
  fit->problem = rattle_problem_retain(problem);
  status = make(fit, problem, data, &options, error);
  if (status) rattle_fit_destroy(result);
  return status;
}

void rattle_fit_destroy(rattle_fit **fit) {
  if (!fit || !*fit) return;
  rattle__fit_system_destroy(&(*fit)->system);
  rattle__arena_release(&(*fit)->arena);
  rattle_problem_destroy(&(*fit)->problem);
  free(*fit);
  *fit = NULL;
}

const rattle_fit_result *rattle_fit_result_of(const rattle_fit *fit) {
  return &fit->result;
}

const double *rattle_fit_values(const rattle_fit *fit, int run) {
  return run >= 0 && run < fit->runs ? fit->run[run].fitted : NULL;
}

const double *rattle_fit_start(const rattle_fit *fit, int run) {
  return run >= 0 && run < fit->runs ? fit->run[run].z : NULL;
}
