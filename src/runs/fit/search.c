/* The least sum of squares by the method of Levenberg and Marquardt.
 *
 * Step     min |J d + r|^2 + mu |C d|^2, C the largest lengths of the columns of J so far, by
 *          Householder's reflections: never J^T J
 * Damping  mu <- mu max(1/3, 1 - (2 rho - 1)^3) after a step that lowers the sum by rho times what
 *          its linear model says; else mu <- nu mu, nu <- 2 nu (H. B. Nielsen, IMM-REP-1999-05,
 *          Technical University of Denmark)
 * Bounds   an unknown at a bound that the sum pushes against waits; steps are cut at bounds
 * Ends     where the step with mu = 0 would take less off the sum than its round-off, that of
 *          f - y being eps (|f| + |y|); or the step that is tried would, and lowers nothing
 * Source   K. Levenberg, Quart. Appl. Math. 2 (1944) 164; D. W. Marquardt, SIAM J. 11 (1963) 431;
 *          J. J. More, Lecture Notes in Math. 630 (1978) 105 (scaling) */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/linear/reflections.h"
#include "ground/linear/singular.h"
#include "ground/support/error.h"
#include "runs/fit/fitting.h"

typedef struct levenberg {
  rattle_fit *fit;
  double *block;
  double *scale, *A, *b, *x, *tau, *T; /* C; J C^-1 and r of those that move, factored; [2f*f] */
  int *moves, count;                   /* the unknowns that do */
  double sum, noise, mu, nu;
} levenberg;

static double squares(const double *x, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum += x[i] * x[i];
  return sum;
}

static rattle_status create(levenberg *s, rattle_fit *fit, rattle_error *error) {
  const size_t N = (size_t)fit->unknowns, M = (size_t)fit->rows;
  *s = (levenberg){.fit = fit, .mu = 1e-3, .nu = 2};
  const rattle__array arrays[] = {{&s->scale, N}, {&s->A, M * N},   {&s->b, M},
                                  {&s->x, 2 * N}, {&s->tau, N + 1}, {&s->T, 2 * N * N}};
  s->block = RATTLE__BLOCK(arrays);
  s->moves = calloc(N + 1, sizeof *s->moves);
  return s->block && s->moves ? RATTLE_OK : rattle__no_memory(error);
}

/* The round-off of the sum of squares. */
static double round_off(const rattle_fit *fit, const double *residual) {
  double sum = 0;
  for (int i = 0; i < fit->rows; i++)
    sum += 2 * fabs(residual[i]) * fit->noise[i] + DBL_EPSILON * fit->noise[i] * fit->noise[i];
  return DBL_EPSILON * sum;
}

static int waits(const rattle_fit *fit, int j, double gradient) {
  return j < fit->k && ((fit->theta[j] <= fit->low[j] && gradient > 0) ||
                        (fit->theta[j] >= fit->high[j] && gradient < 0));
}

/* At a new point: the unknowns that move, J C^-1 = Q R, b = -Q^T r; the gradient's cosine. */
static void factor(levenberg *s) {
  rattle_fit *fit = s->fit;
  const size_t M = (size_t)fit->rows;
  s->count = 0;
  fit->result.gradient = 0;
  for (int j = 0; j < fit->unknowns; j++) {
    const double *column = fit->J + (size_t)j * M, size = sqrt(squares(column, fit->rows));
    double product = 0;
    for (size_t i = 0; i < M; i++) product += column[i] * fit->residual[i];
    s->scale[j] = fmax(s->scale[j], size);
    if (waits(fit, j, product)) continue;
    if (size > 0 && s->sum > 0)
      fit->result.gradient = fmax(fit->result.gradient, fabs(product) / (size * sqrt(s->sum)));
    const double by = s->scale[j] > 0 ? 1 / s->scale[j] : 1;
    for (size_t i = 0; i < M; i++) s->A[(size_t)s->count * M + i] = by * column[i];
    s->moves[s->count++] = j;
  }
  for (size_t i = 0; i < M; i++) s->b[i] = -fit->residual[i];
  rattle__factor_qr(fit->rows, s->count, s->A, s->tau, NULL);
  rattle__times_q(fit->rows, s->count, s->A, s->tau, 1, s->b);
}

/* The step at this mu, into fit->change. *taken: what its linear model takes off the sum. */
static rattle_status solve(levenberg *s, double mu, double *taken, rattle_error *error) {
  rattle_fit *fit = s->fit;
  const int f = s->count, rows = 2 * f;
  memset(fit->change, 0, (size_t)fit->unknowns * sizeof *fit->change);
  *taken = 0;
  if (!f) return RATTLE_OK;
  memset(s->T, 0, (size_t)(rows * f) * sizeof *s->T);
  for (int j = 0; j < f; j++) {
    for (int i = 0; i <= j; i++)
      s->T[i + j * rows] = s->A[(size_t)i + (size_t)j * (size_t)fit->rows];
    s->T[f + j + j * rows] = sqrt(mu);
    s->x[j] = s->b[j], s->x[f + j] = 0;
  }
  const rattle_status status =
      rattle__least_squares(rows, f, s->T, s->x, fit->rows * DBL_EPSILON, NULL, error);
  for (int i = 0; i < f && !status; i++) {
    double image = 0;
    for (int j = i; j < f; j++) image += s->A[(size_t)i + (size_t)j * (size_t)fit->rows] * s->x[j];
    *taken += image * (2 * s->b[i] - image);
  }
  for (int j = 0; j < f && !status; j++) {
    const int u = s->moves[j];
    fit->change[u] = s->scale[u] > 0 ? s->x[j] / s->scale[u] : 0;
  }
  return status;
}

/* The parameters and starts after fit->change. */
static rattle_status move(rattle_fit *fit, rattle_error *error) {
  rattle__fit_system *s = &fit->system;
  const size_t nz = (size_t)s->nz;
  rattle_status status = RATTLE_OK;
  for (int j = 0; j < fit->k; j++) {
    fit->next[j] = fmin(fmax(fit->theta[j] + fit->change[j], fit->low[j]), fit->high[j]);
    fit->change[j] = fit->next[j] - fit->theta[j];
  }
  if (fit->k)
    status = rattle__fit_system_start(s, fit->next, 0, fit->named ? NULL : fit->end, error);
  for (int r = 0; r < fit->runs && !status; r++) {
    rattle__fit_run *run = &fit->run[r];
    memcpy(run->next, fit->named || !fit->k ? run->z : fit->end, nz * sizeof *run->next);
    if (!fit->named) continue;
    for (int j = 0; j < fit->k + run->freedom; j++) {
      const double by = fit->change[j < fit->k ? j : run->first + j - fit->k];
      for (size_t c = 0; c < nz; c++) run->next[c] += by * run->W[(size_t)j * nz + c];
    }
    for (int j = 0; j < fit->k; j++) run->next[s->n + j] = fit->next[j];
    double *place = fit->end; /* what the model gives to places that are not free */
    memcpy(place, run->next, nz * sizeof *place);
    status = rattle__fit_system_place(s, place, error);
    for (size_t c = 0; c < nz && !status; c++)
      if (!fit->free[c]) run->next[c] = place[c];
    if (!status) status = rattle__fit_start_retract(fit, run->next, error);
  }
  return status;
}

static void accept(levenberg *s, double sum) {
  rattle_fit *fit = s->fit;
  double *J = fit->J, *residual = fit->residual;
  s->sum = sum;
  s->noise = round_off(fit, fit->trial_residual);
  fit->J = fit->trial_J, fit->residual = fit->trial_residual;
  fit->trial_J = J, fit->trial_residual = residual;
  memcpy(fit->theta, fit->next, (size_t)fit->k * sizeof *fit->theta);
  for (int r = 0; r < fit->runs; r++) {
    rattle__fit_run *run = &fit->run[r];
    double *W = run->W;
    memcpy(run->z, run->next, (size_t)fit->system.nz * sizeof *run->z);
    run->W = run->next_W, run->next_W = W;
  }
}

/* All runs from where the fit is. */
static rattle_status make_runs(levenberg *s, rattle_error *error) {
  rattle_fit *fit = s->fit;
  for (int r = 0; r < fit->runs; r++)
    memcpy(fit->run[r].next, fit->run[r].z, (size_t)fit->system.nz * sizeof(double));
  memcpy(fit->next, fit->theta, (size_t)fit->k * sizeof *fit->next);
  rattle_status status = RATTLE_OK;
  if (fit->k) status = rattle__fit_system_start(&fit->system, fit->theta, 0, NULL, error);
  if (!status) status = rattle__fit_residuals(fit, fit->trial_residual, fit->trial_J, error);
  if (!status) accept(s, squares(fit->trial_residual, fit->rows));
  return status;
}

/* The runs after fit->change; *sum INFINITY: they fail. */
static rattle_status try_change(rattle_fit *fit, double *sum, rattle_error *error) {
  rattle_error why = {0};
  rattle_status tried = move(fit, &why);
  if (!tried) tried = rattle__fit_residuals(fit, fit->trial_residual, fit->trial_J, &why);
  *sum = tried ? INFINITY : squares(fit->trial_residual, fit->rows);
  if (tried != RATTLE_NO_MEMORY && tried != RATTLE_INTERRUPTED) return RATTLE_OK;
  if (error) *error = why;
  return tried;
}

/* *most: the step with mu = 0, in fit->change, takes that off the sum. */
static rattle_status look_ahead(levenberg *s, double *most, rattle_error *error) {
  factor(s);
  const rattle_status status = solve(s, 0, most, error);
  s->fit->result.reduction = s->sum > 0 ? fmax(*most, 0) / s->sum : 0;
  return status;
}

/* One step that lowers the sum, with what it takes of damping; *ended: there is none. The gradient
 * is known better than the sum, so that the last step is made without it. */
static rattle_status step(levenberg *s, int *ended, rattle_error *error) {
  rattle_fit *fit = s->fit;
  double most, taken, sum;
  rattle_status status = look_ahead(s, &most, error);
  if (!status && !(most > s->noise)) {
    fit->result.ended = RATTLE_FIT_AT_ROUND_OFF, *ended = 1;
    status = try_change(fit, &sum, error);
    if (!status && sum <= s->sum + s->noise) accept(s, sum);
    return status;
  }
  while (!status) {
    status = solve(s, s->mu, &taken, error);
    if (!status) status = try_change(fit, &sum, error);
    if (status) break;
    if (sum < s->sum) {
      const double rho = (s->sum - sum) / taken, by = 2 * rho - 1;
      accept(s, sum);
      s->mu *= fmax(1.0 / 3, 1 - by * by * by), s->nu = 2;
      fit->result.steps++;
      break;
    }
    *ended = !(taken > s->noise) || !isfinite(s->mu);
    fit->result.ended = isinf(sum) ? RATTLE_FIT_MOST_STEPS : RATTLE_FIT_NO_LOWER;
    if (*ended) break;
    s->mu *= s->nu, s->nu *= 2;
  }
  return status;
}

/* The sum of squares is a number with digits. */
static rattle_status check_sum(const levenberg *s, rattle_error *error) {
  double most = 0;
  for (int i = 0; i < s->fit->rows; i++) most = fmax(most, fabs(s->fit->residual[i]));
  if (isfinite(s->sum) && (s->sum >= DBL_MIN || most == 0)) return RATTLE_OK;
  return rattle__fail(error, RATTLE_DOMAIN, "data",
                      "residuals of %.3g in units of the uncertainties have no sum of squares in "
                      "numbers of this size: change the uncertainties, or the units of the data",
                      most);
}

rattle_status rattle__fit_search(rattle_fit *fit, rattle_error *error) {
  levenberg s;
  double most;
  int ended = 0;
  rattle_status status = create(&s, fit, error);
  if (!status) status = make_runs(&s, error);
  if (!status) status = check_sum(&s, error);
  while (!status && !ended) {
    ended = fit->result.steps == fit->most_steps;
    if (ended)
      fit->result.ended = RATTLE_FIT_MOST_STEPS;
    else
      status = step(&s, &ended, error);
  }
  /* what the last step that was tried left behind is that of the end again */
  if (!status) status = make_runs(&s, error);
  if (!status) status = look_ahead(&s, &most, error);
  fit->result.chi2 = s.sum;
  free(s.block);
  free(s.moves);
  return status;
}
