/* See metric.h. */
#include "runs/sample/metric.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/linear/symmetric.h"
#include "ground/support/arena.h"
#include "ground/support/error.h"
#include "ground/support/finite.h"

/* Windows end after so many eighths of the warm-up; the first eighth is left out. */
static const int END[] = {2, 4, 7};
enum { WINDOWS = sizeof END / sizeof *END };

static long long eighths(long long warmup, int count) {
  return warmup / 8 * count + warmup % 8 * count / 8;
}

/* How many numbers W has, and where W_ii is. */
static size_t size_of(const rattle__metric *s) {
  return (size_t)s->n * (s->dense ? (size_t)s->n : 1);
}

static size_t at(const rattle__metric *s, int i) {
  return (size_t)i * (s->dense ? (size_t)s->n + 1 : 1);
}

rattle_status rattle__metric_create(rattle__metric *s, int n, int dense, const double *D,
                                    rattle_error *error) {
  *s = (rattle__metric){.n = n, .dense = dense, .D = D};
  const size_t size = size_of(s);
  s->W = calloc((size_t)n + 2 * size, sizeof *s->W);
  if (!s->W) return rattle__no_memory(error);
  s->mean = s->W + size, s->about = s->mean + n;
  return RATTLE_OK;
}

void rattle__metric_release(rattle__metric *s) {
  free(s->W);
  *s = (rattle__metric){0};
}

void rattle__metric_see(rattle__metric *s, long long done, long long warmup, const double *q) {
  const int n = s->n;
  if (!n || done <= eighths(warmup, 1) || done > eighths(warmup, END[WINDOWS - 1])) return;
  s->count++;
  for (int i = 0; i < n; i++) {
    const double off = q[i] - s->mean[i];
    s->mean[i] += off / s->count;
    s->about[at(s, i)] += off * (q[i] - s->mean[i]);
    for (int j = 0; j < i && s->dense; j++) /* mean_j is the new one */
      s->about[(size_t)i * (size_t)n + (size_t)j] += off * (q[j] - s->mean[j]);
  }
}

/* The logarithm of the variance of q_i in parts of D_i; not finite where q_i does not vary, or
 * D_i is 0. */
static double log_spread(const rattle__metric *s, int i) {
  return log(s->about[at(s, i)] / s->count / s->D[i]);
}

/* W, of which the diagonal is known, by the correlations C = V diag(l) V^T: W_ij = (W_ii
 * W_jj)^(1/2) (V diag(l^part) V^T)_ij, the mean of log l taken off. A direction does not vary where
 * l is round-off: deviations are known to half of the digits. */
static rattle_status correlate(rattle__metric *s, rattle_error *error) {
  const size_t n = (size_t)s->n;
  const double part = s->count / (s->count + 5);
  double *C, *V, *value, *scale;
  const rattle__array arrays[] = {{&C, n * n}, {&V, n * n}, {&value, n}, {&scale, n}};
  double *room = RATTLE__BLOCK(arrays);
  if (!room) return rattle__no_memory(error);
  for (size_t i = 0; i < n; i++) {
    scale[i] = sqrt(s->W[i * (n + 1)]);
    C[i * (n + 1)] = 1;
    for (size_t j = 0; j < i; j++) {
      const double both = s->about[i * (n + 1)] * s->about[j * (n + 1)];
      C[i * n + j] = C[j * n + i] = both > 0 ? s->about[i * n + j] / sqrt(both) : 0;
    }
  }
  const int failed = rattle__symmetric_eigen((int)n, C, value, V);
  const double least = failed ? 0 : sqrt(DBL_EPSILON) * value[n - 1]; /* they rise */
  double sum = 0, varying = 0;
  for (size_t k = 0; k < n; k++)
    if (value[k] > least) sum += log(value[k]), varying++;
  for (size_t k = 0; k < n; k++)
    value[k] = value[k] > least ? exp(part * (log(value[k]) - sum / varying)) : 1;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) {
      double entry = failed && i == j; /* without eigenvalues W is its diagonal */
      for (size_t k = 0; k < n && !failed; k++) entry += value[k] * V[k * n + i] * V[k * n + j];
      s->W[i * n + j] = s->W[j * n + i] = scale[i] * scale[j] * entry;
    }
  free(room);
  return RATTLE_OK;
}

/* Coordinates that vary by round-off do not vary: by their own, or by that which motions of the
 * others leave where constraints hold them, half of the digits of the way of a motion. Variances
 * beyond all numbers are none. */
static void leave_out_held(rattle__metric *s) {
  const size_t n = (size_t)s->n;
  double most = 0;
  for (int i = 0; i < s->n; i++) {
    const double metric = s->W[at(s, i)] > 0 ? s->W[at(s, i)] : s->D[i];
    const double squared = s->about[at(s, i)] / metric;
    if (metric > 0 && isfinite(squared)) most = fmax(most, squared);
  }
  for (int i = 0; i < s->n; i++) {
    const double metric = s->W[at(s, i)] > 0 ? s->W[at(s, i)] : s->D[i],
                 own = 16 * DBL_EPSILON * s->mean[i], moved = DBL_EPSILON * most * metric;
    if (isfinite(s->about[at(s, i)]) && s->about[at(s, i)] > fmax(s->count * own * own, moved))
      continue;
    s->about[at(s, i)] = 0;
    for (size_t j = 0; j < n && s->dense; j++)
      s->about[(size_t)i * n + j] = s->about[j * n + (size_t)i] = 0;
  }
}

rattle_status rattle__metric_learned(rattle__metric *s, long long done, long long warmup,
                                     int *learned, rattle_error *error) {
  int ends = 0, spread = 0;
  double sum = 0;
  for (int k = 0; k < WINDOWS; k++) ends |= done == eighths(warmup, END[k]);
  *learned = 0;
  if (!s->n || !ends || !(s->count > 0)) return RATTLE_OK;
  leave_out_held(s);
  for (int i = 0; i < s->n; i++)
    if (isfinite(log_spread(s, i))) sum += log_spread(s, i), spread++;
  for (int i = 0; i < s->n && spread; i++) {
    const double log_r = log_spread(s, i), part = s->count / (s->count + 5);
    s->W[at(s, i)] = isfinite(log_r) ? s->D[i] * exp(part * (log_r - sum / spread)) : s->D[i];
  }
  const rattle_status status = s->dense && spread ? correlate(s, error) : RATTLE_OK;
  s->count = 0;
  memset(s->mean, 0, ((size_t)s->n + size_of(s)) * sizeof *s->mean);
  *learned = spread > 0;
  return status;
}

int rattle__metric_is_set(const rattle__metric *s) {
  double most = 0;
  for (int i = 0; i < s->n; i++) most = fmax(most, s->W[at(s, i)]);
  return most > 0;
}

int rattle__metric_numbers(const rattle__metric *s) {
  return s->n ? s->n + 2 * (int)size_of(s) + 1 : 0;
}

void rattle__metric_get_state(const rattle__metric *s, double *state) {
  if (!s->n) return;
  const int count = rattle__metric_numbers(s) - 1;
  memcpy(state, s->W, (size_t)count * sizeof *state);
  state[count] = s->count;
}

int rattle__metric_set_state(rattle__metric *s, const double *state) {
  const int n = s->n, numbers = rattle__metric_numbers(s);
  const double count = state[numbers - 1], *about = state + size_of(s) + n;
  int good = rattle__all_finite(state, numbers) && count >= 0 && floor(count) == count, any = 0;
  for (int i = 0; i < n; i++) {
    const double W = state[at(s, i)];
    good &= W >= 0 && about[at(s, i)] >= 0, any |= W > 0;
    for (int j = 0; j < i && s->dense; j++) good &= state[i * n + j] == state[j * n + i];
  }
  for (int i = 0; i < n && any; i++) good &= (state[at(s, i)] > 0) == (s->D[i] > 0);
  if (!good) return 0;
  memcpy(s->W, state, (size_t)(numbers - 1) * sizeof *state);
  s->count = count;
  return 1;
}
