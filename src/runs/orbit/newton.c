/* Newton's method for periodic orbits, damped. */
#include "runs/orbit/newton.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/linear/singular.h"
#include "ground/support/error.h"

enum { MOST_ITERATIONS = 50, HALVINGS = 6, MOST_REFINEMENTS = 6 };

/* Singular values up to this share of the largest count as those of dependent equations. */
static const double rank_tolerance = 1e-9;
/* A residual is accepted below this or below round-off, once it no longer falls; a correction is
 * too long if it multiplies ln T or moves nodes by more. */
static const double enough_of = 1e-9, longest_ln = 0.2;
/* A correction below this is next to nothing. */
static const double nothing = 1e-6;

/* --- equations -------------------------------------------------------------------------------- */

static int holds(const rattle__posing *posing) {
  return posing->held == RATTLE_ORBIT_HOLD_ENERGY || posing->held == RATTLE_ORBIT_HOLD_PERIOD;
}

int rattle__orbit_conditions(const rattle__posing *posing) {
  return posing->phase + holds(posing) + (posing->direction != NULL);
}

static double phase_of(const rattle__shooting *s, const rattle__posing *posing) {
  double sum = 0;
  for (int c = 0; c < s->nz; c++)
    sum += posing->flow[c] * (s->z[c] - posing->reference[c]) / rattle__shooting_unit(s, c);
  return sum;
}

/* In units of the change of H by a tangent vector of length 1, which is that of q and p times the
 * field; what round-off makes of H is 0. */
static rattle_status energy_of(rattle__shooting *s, const rattle__posing *posing, double *value,
                               double *slope, rattle_error *error) {
  double H = 0;
  const rattle_status status = rattle__shooting_energy(s, s->z, &H, slope, error);
  for (int c = 0; c < s->nz; c++) slope[c] /= posing->energy_unit;
  if (s->steers) slope[s->arcs * s->nz + 1] = s->lift / posing->energy_unit;
  *value = fabs(H - posing->energy) > posing->energy_noise
               ? (H - posing->energy) / posing->energy_unit
               : 0;
  return status;
}

static double arclength_of(const rattle__shooting *s, const rattle__posing *posing) {
  const int size = s->arcs * s->nz;
  double sum = posing->direction[size] * (log(s->T) - posing->predicted[size]);
  if (s->steers)
    sum += posing->direction[size + 1] * (s->at.value - posing->predicted[size + 1]) / s->dial.unit;
  for (int c = 0; c < size; c++)
    sum += posing->direction[c] * (s->z[c] - posing->predicted[c]) /
           rattle__shooting_unit(s, c % s->nz);
  return sum;
}

rattle_status rattle__orbit_condition(rattle__shooting *s, const rattle__posing *posing, int i,
                                      double *value, double *slope, rattle_error *error) {
  const int size = s->arcs * s->nz;
  const size_t numbers = (size_t)rattle__shooting_numbers(s);
  memset(slope, 0, numbers * sizeof *slope);
  if (i < posing->phase) {
    memcpy(slope, posing->flow, (size_t)s->nz * sizeof *slope);
    *value = phase_of(s, posing);
    return RATTLE_OK;
  }
  if (i == posing->phase && posing->held == RATTLE_ORBIT_HOLD_ENERGY)
    return energy_of(s, posing, value, slope, error);
  if (i == posing->phase && posing->held == RATTLE_ORBIT_HOLD_PERIOD) {
    slope[size] = 1;
    *value = log(s->T / posing->period);
    return RATTLE_OK;
  }
  memcpy(slope, posing->direction, numbers * sizeof *slope);
  *value = arclength_of(s, posing);
  return RATTLE_OK;
}

/* Columns of the gaps: those of a node, that of ln T, and that of the parameter. */
static void fill_gaps(const rattle__shooting *s, int rows, double *A) {
  const int d = s->d;
  for (int k = 0; k < s->arcs; k++) {
    const int next = rattle__shooting_next(s, k);
    for (int j = 0; j < d; j++) {
      for (int i = 0; i < d; i++)
        A[(size_t)(k * d + j) * (size_t)rows + (size_t)(k * d + i)] +=
            s->image[((size_t)k * (size_t)d + (size_t)j) * (size_t)d + (size_t)i];
      A[(size_t)(next * d + j) * (size_t)rows + (size_t)(k * d + j)] -= 1;
    }
    double *column = A + (size_t)(s->arcs * d) * (size_t)rows + (size_t)(k * d);
    memcpy(column, s->slope + (size_t)k * (size_t)d, (size_t)d * sizeof *A);
    if (s->steers) memcpy(column + rows, s->turn + (size_t)k * (size_t)d, (size_t)d * sizeof *A);
  }
}

rattle_status rattle__orbit_matrix(rattle__shooting *s, const rattle__posing *posing, double *A,
                                   double *b, rattle_error *error) {
  const int gaps = s->arcs * s->d, rows = gaps + rattle__orbit_conditions(posing),
            columns = rattle__shooting_unknowns(s);
  double *slope = malloc((size_t)rattle__shooting_numbers(s) * sizeof *slope);
  rattle_status status = slope ? RATTLE_OK : rattle__no_memory(error);
  memset(A, 0, (size_t)rows * (size_t)columns * sizeof *A);
  fill_gaps(s, rows, A);
  rattle__shooting_gaps(s, b);
  for (int i = 0; i < rows - gaps && !status; i++) {
    status = rattle__orbit_condition(s, posing, i, &b[gaps + i], slope, error);
    for (int u = 0; u < gaps && !status; u++) {
      const double *vector = s->basis + (size_t)u * (size_t)s->nz,
                   *part = slope + (size_t)(u / s->d) * (size_t)s->nz;
      double sum = 0;
      for (int c = 0; c < s->nz; c++) sum += vector[c] * part[c];
      A[(size_t)u * (size_t)rows + (size_t)(gaps + i)] = sum;
    }
    double *entry = A + (size_t)gaps * (size_t)rows + (size_t)(gaps + i);
    if (!status) *entry = slope[s->arcs * s->nz];
    if (!status && s->steers) entry[rows] = slope[s->arcs * s->nz + 1];
    for (int c = 0; c < s->arcs * s->nz && s->steers && !status; c++)
      entry[rows] += slope[c] * s->carried[c];
  }
  free(slope);
  return status;
}

/* --- the iteration ---------------------------------------------------------------------------- */

typedef struct iteration {
  rattle__shooting *s;
  const rattle__posing *posing;
  rattle__newton_report *report;
  int rows, columns;
  double *A, *b, *slope; /* b: the values of the equations, then the correction */
  double merit;          /* the largest of the gaps and of the conditions */
} iteration;

/* The merit of the nodes as they are, which steps alone tell. */
static rattle_status measure(iteration *it, double *merit, rattle_error *error) {
  rattle_status status = rattle__shooting_ends(it->s, merit, error);
  it->report->residual = *merit;
  for (int i = 0; i < rattle__orbit_conditions(it->posing) && !status; i++) {
    double value = 0;
    status = rattle__orbit_condition(it->s, it->posing, i, &value, it->slope, error);
    *merit = fmax(*merit, fabs(value));
  }
  return status;
}

static double enough(const iteration *it) {
  return fmax(enough_of, it->s->floor);
}

/* The share of the correction that is tried first. */
static double share_of(iteration *it) {
  const int time = it->s->arcs * it->s->d;
  double most = 0;
  for (int u = 0; u < it->columns; u++) most = u == time ? most : fmax(most, fabs(it->b[u]));
  it->report->stuck = fmax(most, fabs(it->b[time])) < nothing;
  return fmin(
      1, fmin(it->posing->limit / (most + DBL_MIN), longest_ln / (fabs(it->b[time]) + DBL_MIN)));
}

/* Takes as much of the correction as lowers the merit: 1, 0: nothing does, the nodes are as they
 * were. Steps that fail are too far. */
static rattle_status correct(iteration *it, int *better, rattle_error *error) {
  double by = share_of(it);
  rattle_status status = RATTLE_OK;
  rattle__shooting_keep(it->s);
  const double before = it->merit, residual = it->report->residual;
  for (int i = 0; i < HALVINGS; i++, by /= 3) {
    double merit = (double)INFINITY;
    status = rattle__shooting_move(it->s, it->b, by, error);
    if (!status) status = measure(it, &merit, error);
    if (status == RATTLE_NO_MEMORY || status == RATTLE_INTERRUPTED) return status;
    *better = !status && merit < (1 - 0.1 * by) * before;
    if (*better) {
      it->merit = merit;
      return RATTLE_OK;
    }
    if (before < enough(it)) break;
  }
  rattle__shooting_back(it->s);
  it->report->residual = residual;
  return RATTLE_OK;
}

static rattle_status iterate(iteration *it, rattle_error *error) {
  rattle__shooting *s = it->s;
  rattle_status status = measure(it, &it->merit, error);
  int better = 1;
  while (!status && better && it->report->iterations < MOST_ITERATIONS) {
    status = rattle__shooting_linearise(s, error);
    if (!status && s->dial.name) status = rattle__shooting_by_parameter(s, error);
    if (!status) status = rattle__orbit_matrix(s, it->posing, it->A, it->b, error);
    for (int i = 0; i < it->rows && !status; i++) it->b[i] = -it->b[i];
    if (!status)
      status =
          rattle__least_squares(it->rows, it->columns, it->A, it->b, rank_tolerance, NULL, error);
    if (!status) status = correct(it, &better, error);
    it->report->iterations++;
  }
  if (!status && it->merit < enough(it)) return measure(it, &it->merit, error);
  if (status) return status;
  if (it->report->stuck)
    return rattle__fail(error, RATTLE_NOT_CONVERGED, NULL,
                        "the steps do not close an orbit better than to %.1e of its amplitude: use "
                        "a smaller step or a higher order",
                        it->report->residual);
  return rattle__fail(error, RATTLE_NOT_CONVERGED, NULL,
                      "no periodic orbit was found near the guess: after %d iterations the orbit "
                      "is still open by %.1e of its "
                      "amplitude; give a better period or start, or more arcs",
                      it->report->iterations, it->report->residual);
}

rattle_status rattle__orbit_newton(rattle__shooting *s, const rattle__posing *posing,
                                   rattle__newton_report *report, rattle_error *error) {
  iteration it = {.s = s, .posing = posing, .report = report};
  it.columns = rattle__shooting_unknowns(s);
  it.rows = s->arcs * s->d + rattle__orbit_conditions(posing);
  const rattle__array arrays[] = {{&it.A, (size_t)it.rows * (size_t)it.columns},
                                  {&it.b, (size_t)it.rows + (size_t)it.columns},
                                  {&it.slope, (size_t)rattle__shooting_numbers(s)}};
  double *block = RATTLE__BLOCK(arrays);
  *report = (rattle__newton_report){0};
  const rattle_status status = block ? iterate(&it, error) : rattle__no_memory(error);
  free(block);
  return status;
}

rattle_status rattle__orbit_close(rattle__shooting *s, const rattle__posing *posing,
                                  rattle__newton_report *report, rattle_error *error) {
  int iterations = 0;
  rattle_status status;
  for (int times = 0;; times++) {
    status = rattle__orbit_newton(s, posing, report, error);
    iterations += report->iterations;
    if (status != RATTLE_NOT_CONVERGED || !report->stuck || times == MOST_REFINEMENTS) break;
    s->each *= 2;
  }
  report->iterations = iterations;
  return status;
}
