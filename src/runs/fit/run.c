/* The runs of a fit at the times of their data: residuals and their derivatives.
 *
 * Times  a time between whole steps is reached by a step of fractional length from the last one, as
 *        output at given times is (runs/integrate/fraction.h)
 * J      (f_i' w)/sigma_i, w carried from the start by the tangents of the steps */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/support/flag.h"
#include "problem/functions/problem.h"
#include "runs/fit/fitting.h"

enum { AT_A_TIME = 1000 }; /* steps, after which a wish to end is heard */

/* Times that are the same to round-off. */
static int coincide(double a, double b) {
  return fabs(a - b) <= 4 * DBL_EPSILON * fmax(fabs(a), fabs(b));
}

/* Whole steps up to that time. */
static long long steps_to(const rattle__fit_system *s, double time) {
  const double exact = (time - s->t0) / s->h, nearest = rint(exact);
  return (long long)(coincide(s->t0 + nearest * s->h, time) ? nearest : floor(exact));
}

static rattle_status observe(rattle_fit *fit, const double *z, rattle_error *error) {
  const rattle__function *f = fit->system.problem->observed;
  if (!f) return RATTLE_OK;
  const int answer =
      f->jacobian(f, z, fit->system.observed, fit->system.row_slope, fit->system.work);
  return answer ? rattle__callback_error(answer, "observable", error) : RATTLE_OK;
}

/* The derivative of a column of data along w. */
static double along(const rattle_fit *fit, const rattle__fit_column *column, const double *w) {
  const rattle__function *f = fit->system.problem->observed;
  double sum = 0;
  if (column->variable >= 0) return w[column->variable];
  const int r = column->observable;
  for (int e = f->jac_ptr[r]; e < f->jac_ptr[r + 1]; e++)
    sum += fit->system.row_slope[e] * w[f->jac_col[e]];
  return sum;
}

/* Residuals and their derivatives, filled up to a row. */
typedef struct rows_so_far {
  double *residual, *J;
  int row;
} rows_so_far;

/* Datum i of a run, at z with W: the rows of its columns. */
static rattle_status compare(rattle_fit *fit, rattle__fit_run *run, int i, const double *z,
                             const double *W, rows_so_far *of, rattle_error *error) {
  const rattle_fit_data *data = &run->data;
  const size_t nz = (size_t)fit->system.nz, rows = (size_t)fit->rows;
  const rattle_status status = observe(fit, z, error);
  for (int c = 0; c < data->columns && !status; c++) {
    const rattle__fit_column *column = &run->column[c];
    const size_t at = (size_t)i * (size_t)data->columns + (size_t)c;
    const double f = column->variable >= 0 ? z[column->variable]
                                           : fit->system.observed[column->observable],
                 y = data->value[at], weight = data->sigma ? 1 / data->sigma[at] : 1;
    run->fitted[at] = f;
    if (isnan(y)) continue;
    if (!isfinite(f))
      return rattle__fail(error, RATTLE_DOMAIN, data->column[c], "'%s' is %g at time %.9g",
                          data->column[c], f, data->time[i]);
    of->residual[of->row] = weight * (f - y);
    fit->noise[of->row] = weight * (fabs(f) + fabs(y));
    for (int j = 0; j < fit->k; j++)
      of->J[(size_t)j * rows + (size_t)of->row] = weight * along(fit, column, W + (size_t)j * nz);
    for (int l = 0; l < run->freedom; l++)
      of->J[(size_t)(run->first + l) * rows + (size_t)of->row] =
          weight * along(fit, column, W + (size_t)(fit->k + l) * nz);
    of->row++;
  }
  return status;
}

/* The state and its directions onwards to a step, unless the fit is interrupted. */
static rattle_status go_on(rattle_fit *fit, rattle_state *state, long long step, int count,
                           rattle_error *error) {
  rattle_status status = RATTLE_OK;
  do {
    const long long left = step - state->step, part = left < AT_A_TIME ? left : AT_A_TIME;
    if (rattle__flag_is_set(fit->interrupt))
      return rattle__fail(error, RATTLE_INTERRUPTED, NULL, "the fit was interrupted");
    if (part > 0)
      status = rattle_tangent_step(fit->system.tangent, state, part, count, fit->W, error);
  } while (!status && state->step < step);
  return status;
}

/* z and W, the state with them, onwards by the part of a step that is left to `time`. */
static rattle_status go_part(rattle_fit *fit, const rattle_state *state, double time, int count,
                             double *z, double *W, rattle_error *error) {
  rattle_tangent *tangent = fit->system.tangent;
  rattle_integrator *integrator = rattle_tangent_integrator(tangent);
  const double from = rattle_integrator_time(integrator, state);
  const size_t nz = (size_t)fit->system.nz;
  memcpy(z, state->q, nz * sizeof *z);
  memcpy(W, fit->W, (size_t)count * nz * sizeof *W);
  if (coincide(from, time)) return RATTLE_OK;
  rattle_state part = {
      .struct_size = sizeof part, .q = z, .p = z + nz / 2, .t0 = from, .h = time - from};
  if (fit->system.extra) rattle_integrator_get_extra(integrator, fit->system.extra);
  const rattle_status status = rattle_tangent_step(tangent, &part, 1, count, W, error);
  if (fit->system.extra) rattle_integrator_set_extra(integrator, fit->system.extra);
  return status;
}

static rattle_status make_run(rattle_fit *fit, rattle__fit_run *run, rows_so_far *of,
                              rattle_error *error) {
  const rattle__fit_system *s = &fit->system;
  const size_t nz = (size_t)s->nz;
  const int count = fit->k + run->freedom;
  double *z = fit->end, *there = z + nz, *W = fit->W + (size_t)(fit->k + fit->named) * nz;
  rattle_state state = {
      .struct_size = sizeof state, .q = z, .p = z + nz / 2, .t0 = s->t0, .h = s->h};
  memcpy(z, run->next, nz * sizeof *z);
  rattle_status status = rattle__fit_start_directions(fit, run, z, error);
  memcpy(fit->W, run->next_W, (size_t)count * nz * sizeof *W);
  if (fit->system.extra) {
    memset(fit->system.extra, 0,
           (size_t)rattle_integrator_extra(s->tangent->integrator) * sizeof *z);
    rattle_integrator_set_extra(s->tangent->integrator, fit->system.extra);
  }
  for (int i = 0; i < run->data.count && !status; i++) {
    status = go_on(fit, &state, steps_to(s, run->data.time[i]), count, error);
    if (!status) status = go_part(fit, &state, run->data.time[i], count, there, W, error);
    if (!status) status = compare(fit, run, i, there, W, of, error);
  }
  return status;
}

rattle_status rattle__fit_residuals(rattle_fit *fit, double *residual, double *J,
                                    rattle_error *error) {
  rattle_status status = RATTLE_OK;
  rows_so_far of = {residual, J, 0};
  fit->result.trajectories++;
  memset(J, 0, (size_t)fit->rows * (size_t)fit->unknowns * sizeof *J);
  for (int r = 0; r < fit->runs && !status; r++) status = make_run(fit, &fit->run[r], &of, error);
  return status;
}
