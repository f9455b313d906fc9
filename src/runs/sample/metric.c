/* See metric.h. */
#include "runs/sample/metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/support/finite.h"

/* Windows end after so many eighths of the warm-up; the first eighth is left out. */
static const int END[] = {2, 4, 7};
enum { WINDOWS = sizeof END / sizeof *END };

static long long eighths(long long warmup, int count) {
  return warmup / 8 * count + warmup % 8 * count / 8;
}

rattle_status rattle__metric_create(rattle__metric *s, int n, const double *D,
                                    rattle_error *error) {
  double *room = calloc(3 * (size_t)n, sizeof *room);
  if (!room) return rattle__no_memory(error);
  *s = (rattle__metric){.n = n, .D = D, .W = room, .mean = room + n, .about = room + 2 * n};
  return RATTLE_OK;
}

void rattle__metric_release(rattle__metric *s) {
  free(s->W);
  *s = (rattle__metric){0};
}

void rattle__metric_see(rattle__metric *s, long long done, long long warmup, const double *q) {
  if (!s->n || done <= eighths(warmup, 1) || done > eighths(warmup, END[WINDOWS - 1])) return;
  s->count++;
  for (int i = 0; i < s->n; i++) {
    const double off = q[i] - s->mean[i];
    s->mean[i] += off / s->count;
    s->about[i] += off * (q[i] - s->mean[i]);
  }
}

/* The logarithm of the variance of q_i in parts of D_i; not finite where q_i does not vary, or
 * D_i is 0. */
static double log_spread(const rattle__metric *s, int i) {
  return log(s->about[i] / s->count / s->D[i]);
}

int rattle__metric_learned(rattle__metric *s, long long done, long long warmup) {
  int ends = 0, spread = 0;
  double sum = 0;
  for (int k = 0; k < WINDOWS; k++) ends |= done == eighths(warmup, END[k]);
  if (!s->n || !ends || !(s->count > 0)) return 0;
  for (int i = 0; i < s->n; i++)
    if (isfinite(log_spread(s, i))) sum += log_spread(s, i), spread++;
  for (int i = 0; i < s->n; i++) {
    const double log_r = log_spread(s, i), part = s->count / (s->count + 5);
    s->W[i] = isfinite(log_r) ? s->D[i] * exp(part * (log_r - sum / spread)) : s->D[i];
  }
  s->count = 0;
  memset(s->mean, 0, 2 * (size_t)s->n * sizeof *s->mean);
  return spread > 0;
}

void rattle__metric_get_state(const rattle__metric *s, double *state) {
  if (!s->n) return;
  memcpy(state, s->W, 3 * (size_t)s->n * sizeof *state);
  state[3 * (size_t)s->n] = s->count;
}

int rattle__metric_set_state(rattle__metric *s, const double *state) {
  const int n = s->n;
  const double count = state[3 * (size_t)n];
  int good = rattle__all_finite(state, 3 * n + 1) && count >= 0 && floor(count) == count, any = 0;
  for (int i = 0; i < n; i++) good &= state[i] >= 0 && state[2 * n + i] >= 0, any |= state[i] > 0;
  for (int i = 0; i < n && any; i++) good &= (state[i] > 0) == (s->D[i] > 0);
  if (!good) return 0;
  memcpy(s->W, state, 3 * (size_t)n * sizeof *state);
  s->count = count;
  return 1;
}
