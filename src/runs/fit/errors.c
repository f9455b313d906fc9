/* Standard errors and correlations at the end of a fit, and which unknowns the data determine.
 *
 *     cov u = D^-1 V S^-2 V^T D^-1 sigma^2,    J D^-1 = U S V^T, D the lengths of the columns of J
 *
 * Not determined: singular values below the round-off of J, eps for each row and for each step that
 * its tangents were carried through. Unknowns at a bound count as known.
 * Source  A. Bjorck, Numerical Methods for Least Squares Problems (1996), section 2.8 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ground/linear/reflections.h"
#include "ground/linear/singular.h"
#include "ground/support/error.h"
#include "ground/support/number.h"
#include "runs/fit/fitting.h"

typedef struct measure {
  rattle_fit *fit;
  double *block, *D, *A, *tau, *R, *S, *V, *L, *P, *part; /* P = L V by rows */
  int *moves, count, rank;
} measure;

static rattle_status create(measure *s, rattle_fit *fit, rattle_error *error) {
  const size_t N = (size_t)fit->unknowns, M = (size_t)fit->rows, Q = (size_t)fit->result.quantities;
  *s = (measure){.fit = fit};
  const rattle__array arrays[] = {{&s->D, N},     {&s->A, M * N}, {&s->tau, N + 1},
                                  {&s->R, N * N}, {&s->S, N + 1}, {&s->V, N * N},
                                  {&s->L, Q * N}, {&s->P, Q * N}, {&s->part, Q}};
  s->block = RATTLE__BLOCK(arrays);
  s->moves = calloc(N + 1, sizeof *s->moves);
  return s->block && s->moves ? RATTLE_OK : rattle__no_memory(error);
}

/* L [quantities*count]: the quantities by the unknowns that are not at a bound, in units of D. */
static void find_quantities(measure *s) {
  rattle_fit *fit = s->fit;
  const int nz = fit->system.nz;
  for (int i = 0; i < s->count; i++) {
    const int u = s->moves[i];
    const double by = s->D[i] > 0 ? 1 / s->D[i] : 1;
    int q = 0;
    for (; q < fit->k; q++) s->L[q * s->count + i] = u == q ? by : 0;
    for (int r = 0; r < fit->runs; r++) {
      const rattle__fit_run *run = &fit->run[r];
      const int own = u < fit->k                                         ? u
                      : u >= run->first && u < run->first + run->freedom ? fit->k + u - run->first
                                                                         : -1;
      for (int c = 0; c < nz; c++)
        if (fit->free[c]) s->L[q++ * s->count + i] = own >= 0 ? by * run->W[own * nz + c] : 0;
    }
  }
}

static rattle_status decompose(measure *s, rattle_error *error) {
  rattle_fit *fit = s->fit;
  const size_t M = (size_t)fit->rows;
  for (int j = 0; j < fit->unknowns; j++) {
    const int bound = j < fit->k && fit->low[j] < fit->high[j] &&
                      (fit->theta[j] <= fit->low[j] || fit->theta[j] >= fit->high[j]);
    if (bound || (j < fit->k && fit->low[j] == fit->high[j])) continue;
    double size = 0;
    for (size_t i = 0; i < M; i++) size = hypot(size, fit->J[(size_t)j * M + i]);
    for (size_t i = 0; i < M; i++)
      s->A[(size_t)s->count * M + i] = fit->J[(size_t)j * M + i] / (size > 0 ? size : 1);
    s->D[s->count] = size;
    s->moves[s->count++] = j;
  }
  const int f = s->count;
  rattle__factor_qr(fit->rows, f, s->A, s->tau, NULL);
  for (int j = 0; j < f; j++) /* R^T, whose left vectors are V */
    for (int i = 0; i < f; i++) s->R[j + i * f] = i <= j ? s->A[(size_t)i + (size_t)j * M] : 0;
  const rattle_status status = f ? rattle__singular(f, f, s->R, s->S, s->V, error) : RATTLE_OK;
  const double most = fmax((double)fit->rows, (double)fit->most), zero = most * DBL_EPSILON;
  while (!status && s->rank < f && s->S[s->rank] > zero * s->S[0]) s->rank++;
  return status;
}

/* The quantities by the directions V. */
static void multiply(measure *s) {
  const int count = s->count;
  for (int q = 0; q < s->fit->result.quantities; q++)
    for (int i = 0; i < count; i++)
      for (int c = 0; c < count; c++)
        s->P[q * count + i] += s->L[q * count + c] * s->V[i * count + c];
}

static double length(const measure *s, int q) {
  double sum = 0;
  for (int c = 0; c < s->count; c++) sum = hypot(sum, s->L[q * s->count + c]);
  return sum;
}

/* "mass1 +1, mass2 +0.5": the way along the last direction that changes nothing. */
static void name_combination(measure *s) {
  rattle_fit *fit = s->fit;
  char *at = fit->combination, *end = at + sizeof fit->combination;
  double most = 0;
  for (int q = 0; q < fit->result.quantities; q++) {
    s->part[q] = s->P[q * s->count + s->count - 1];
    most = fmax(most, fabs(s->part[q]));
  }
  for (int q = 0; q < fit->result.quantities && end - at > 1; q++) {
    const double x = most > 0 ? s->part[q] / most : 0;
    if (!(fabs(x) > 0x1p-20)) continue;
    at += rattle__print(at, (size_t)(end - at), "%s%s %+.4g", at > fit->combination ? ", " : "",
                        fit->result.name[q], x);
  }
}

rattle_status rattle__fit_errors(rattle_fit *fit, rattle_error *error) {
  measure s;
  rattle_fit_result *result = &fit->result;
  const int Q = result->quantities;
  double *covariance = (double *)result->covariance, *errors = (double *)result->error;
  rattle_status status = create(&s, fit, error);
  if (!status) status = decompose(&s, error);
  if (!status) find_quantities(&s);
  if (!status) multiply(&s);
  const int left = fit->rows - fit->unknowns;
  const double unit = result->weighted ? 1 : left > 0 ? result->chi2 / left : INFINITY;
  for (int q = 0; q < Q && !status; q++)
    for (int p = 0; p < Q; p++)
      for (int i = 0; i < s.rank; i++)
        covariance[q * Q + p] +=
            unit * s.P[q * s.count + i] * s.P[p * s.count + i] / (s.S[i] * s.S[i]);
  for (int q = 0; q < Q && !status; q++) {
    errors[q] = sqrt(covariance[q * Q + q]);
    for (int i = s.rank; i < s.count; i++)
      if (fabs(s.P[q * s.count + i]) > 0x1p-26 * length(&s, q)) errors[q] = INFINITY;
  }
  if (!status && s.rank < s.count) name_combination(&s);
  free(s.block);
  free(s.moves);
  return status;
}
