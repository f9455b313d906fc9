/* Means of chains, and how far they can be trusted: effective sample size and R-hat (sample.h has
 * the papers). Chains are split in halves: S = 2 chains sequences of N draws. */
#include "rattle/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/support/fourier.h"
#include "ground/support/quantile.h"

enum { SUMMED_LAGS = 64 }; /* about what a transform of 10^4 draws costs */

typedef struct sequences {
  int S;
  long long N;
  double *x; /* [S*N] */
} sequences;

static double mean_of(const double *x, long long N) {
  double sum = 0;
  for (long long i = 0; i < N; i++) sum += x[i];
  return sum / (double)N;
}

/* sum_i (x_i - mean)(x_{i+lag} - mean) / N */
static double covariance(const double *x, long long N, double mean, long long lag) {
  double sum = 0;
  for (long long i = 0; i + lag < N; i++) sum += (x[i] - mean) * (x[i + lag] - mean);
  return sum / (double)N;
}

/* Within: W, the mean variance of the sequences; plus: var+ = (N-1)/N W + B/N. */
static void variances(const sequences *s, double *mean, double *within, double *plus) {
  double W = 0, all = 0, between = 0;
  const double N = (double)s->N;
  for (int m = 0; m < s->S; m++) {
    mean[m] = mean_of(s->x + m * s->N, s->N);
    W += covariance(s->x + m * s->N, s->N, mean[m], 0) * N / (N - 1) / s->S;
    all += mean[m] / s->S;
  }
  for (int m = 0; m < s->S; m++) between += (mean[m] - all) * (mean[m] - all) / (s->S - 1);
  *within = W;
  *plus = (N - 1) / N * W + between;
}

/* The covariances of all lags, as `covariance`, their means over the sequences: transforms of
 * sequences that are followed by as many zeros, whose squares add up (N. Wiener and A. Khinchin).
 * NULL: no memory. */
static double *all_covariances(const sequences *s, const double *mean) {
  long long size = 1;
  while (size < 2 * s->N) size *= 2;
  double *z = malloc(4 * (size_t)size * sizeof *z), *root = z + 2 * size, *power = root + size;
  if (!z) return NULL;
  rattle__fourier_roots(root, size);
  memset(power, 0, (size_t)size * sizeof *power);
  for (int m = 0; m < s->S; m++) {
    memset(z, 0, 2 * (size_t)size * sizeof *z);
    for (long long i = 0; i < s->N; i++) z[2 * i] = s->x[m * s->N + i] - mean[m];
    rattle__fourier(z, root, size);
    for (long long k = 0; k < size; k++)
      power[k] += z[2 * k] * z[2 * k] + z[2 * k + 1] * z[2 * k + 1];
  }
  for (long long k = 0; k < size; k++) z[2 * k] = power[k], z[2 * k + 1] = 0;
  rattle__fourier(z, root, size);
  const double scale = 1 / ((double)size * (double)s->N * s->S);
  for (long long t = 0; t < s->N; t++) z[t] = z[2 * t] * scale; /* t <= 2 t: in place */
  return z;
}

/* The covariance of a lag, a mean over the sequences: the first ones, which are all that chains
 * that mix ask for, as sums, then all others at once. -1: no memory. */
static int covariance_at(const sequences *s, const double *mean, long long lag, double **all,
                         double *of) {
  if (lag < SUMMED_LAGS) {
    *of = 0;
    for (int m = 0; m < s->S; m++) *of += covariance(s->x + m * s->N, s->N, mean[m], lag) / s->S;
    return 0;
  }
  if (!*all && !(*all = all_covariances(s, mean))) return -1;
  *of = (*all)[lag];
  return 0;
}

/* S N / (1 + 2 sum rho_t): pairs of rho are summed while they are positive, none larger than the
 * one before. */
static rattle_status effective_size(const sequences *s, double *mean, double *effective,
                                    rattle_error *error) {
  double W, plus, tau = -1, least = INFINITY, *all = NULL;
  int failed = 0;
  const double total = (double)s->S * (double)s->N;
  variances(s, mean, &W, &plus);
  for (long long t = 0; t + 1 < s->N; t += 2) {
    double pair = 0;
    for (int j = 0; j < 2 && !failed; j++) {
      double own = 0;
      failed = covariance_at(s, mean, t + j, &all, &own);
      const double N = (double)s->N;
      pair += t + j ? 1 - (W - own * N / (N - 1)) / plus : 1;
    }
    if (failed || !(pair > 0)) break;
    least = fmin(least, pair);
    tau += 2 * least;
  }
  free(all);
  *effective = fmin(total / fmax(tau, 1e-300), total * log10(total));
  return failed ? rattle__no_memory(error) : RATTLE_OK;
}

static double rhat_of(const sequences *s, double *mean) {
  double W, plus;
  variances(s, mean, &W, &plus);
  return sqrt(plus / W);
}

/* A value, as a number in its order, and its place. */
typedef struct ranked {
  uint64_t order;
  long long at;
} ranked;

static uint64_t order_of(double x) {
  uint64_t bits;
  x += 0.0; /* -0 is 0 */
  memcpy(&bits, &x, sizeof bits);
  return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

/* By order, digit by digit from the last one, of which there are six, so that it ends where it
 * began; `spare` is as long. Comparisons would take longer than the chains of small problems. */
static void sort(ranked *room, ranked *spare, long long count) {
  enum { DIGIT = 11, VALUES = 1 << DIGIT };
  for (int shift = 0; shift < 64; shift += DIGIT) {
    long long place[VALUES] = {0}, sum = 0;
    for (long long i = 0; i < count; i++) place[room[i].order >> shift & (VALUES - 1)]++;
    for (int v = 0; v < VALUES; v++) {
      const long long those = place[v];
      place[v] = sum, sum += those;
    }
    for (long long i = 0; i < count; i++)
      spare[place[room[i].order >> shift & (VALUES - 1)]++] = room[i];
    ranked *const sorted = spare;
    spare = room, room = sorted;
  }
}

long long rattle_autocorrelation_of(const rattle_draws *d, long long chain, long long most,
                                    double *rho) {
  const double *x = d->x + chain * d->chain_stride;
  const long long N = d->draws;
  double mean = 0, variance = 0;
  long long end = N / 2 < most ? N / 2 : most;
  for (long long k = 0; k < N; k++) mean += x[k * d->stride] / (double)N;
  for (long long k = 0; k < N; k++)
    variance += (x[k * d->stride] - mean) * (x[k * d->stride] - mean);
  if (!(variance > 0) || !isfinite(variance)) return 0;
  for (long long lag = 0; lag < end; lag++) {
    double sum = 0;
    for (long long k = 0; k + lag < N; k++)
      sum += (x[k * d->stride] - mean) * (x[(k + lag) * d->stride] - mean);
    rho[lag] = sum / variance;
    if (lag % 2 && rho[lag - 1] + rho[lag] < 0 && 2 * lag < end) end = 2 * lag;
  }
  return end;
}

/* s->x by its ranks: normal scores of (r - 3/8)/(count + 1/4), equal values having their mean rank.
 * *median of the values. */
static void rank_normalise(sequences *s, ranked *room, double *median) {
  const long long count = s->S * s->N;
  for (long long i = 0; i < count; i++) room[i] = (ranked){order_of(s->x[i]), i};
  sort(room, room + count, count);
  *median = (s->x[room[(count - 1) / 2].at] + s->x[room[count / 2].at]) / 2;
  for (long long i = 0, end; i < count; i = end) {
    for (end = i + 1; end < count && room[end].order == room[i].order;) end++;
    const double z =
        rattle__normal_quantile(((double)(i + 1 + end) / 2 - 0.375) / ((double)count + 0.25));
    for (long long k = i; k < end; k++) s->x[room[k].at] = z;
  }
}

static void split(const rattle_draws *d, sequences *s) {
  for (long long m = 0; m < s->S; m++) {
    const double *from = d->x + m / 2 * d->chain_stride + (m % 2 ? d->draws - s->N : 0) * d->stride;
    for (long long i = 0; i < s->N; i++) s->x[m * s->N + i] = from[i * d->stride];
  }
}

static void moments(const rattle_draws *d, rattle_estimate *e, int *varies) {
  const double count = (double)d->chains * (double)d->draws;
  double mean = 0, square = 0;
  *varies = 0;
  for (long long c = 0; c < d->chains; c++)
    for (long long k = 0; k < d->draws; k++) {
      const double x = d->x[c * d->chain_stride + k * d->stride];
      mean += x / count;
      *varies |= x != d->x[0];
    }
  for (long long c = 0; c < d->chains; c++)
    for (long long k = 0; k < d->draws; k++) {
      const double x = d->x[c * d->chain_stride + k * d->stride] - mean;
      square += x * x;
    }
  e->mean = *varies ? mean : d->x[0];
  e->sd = !*varies ? 0 : sqrt(square / (count - 1));
}

rattle_status rattle_estimate_of(const rattle_draws *d, rattle_estimate *e, rattle_error *error) {
  *e = (rattle_estimate){.mean = NAN, .sd = NAN, .error = NAN, .effective = NAN, .rhat = NAN};
  if (d->chains < 1 || d->draws < 1)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "draws",
                        "%lld chains of %lld draws have no mean", d->chains, d->draws);
  int varies;
  moments(d, e, &varies);
  if (!varies || d->draws < 4 || !isfinite(e->mean)) return RATTLE_OK;
  sequences s = {.S = (int)(2 * d->chains), .N = d->draws / 2};
  const size_t count = (size_t)s.S * (size_t)s.N;
  s.x = malloc(count * sizeof *s.x);
  double *mean = malloc((size_t)s.S * sizeof *mean), median, unused;
  ranked *room = malloc(2 * count * sizeof *room);
  rattle_status status = s.x && mean && room ? RATTLE_OK : rattle__no_memory(error);
  if (!status) {
    split(d, &s);
    status = effective_size(&s, mean, &e->effective, error);
  }
  if (!status) {
    e->error = e->sd / sqrt(e->effective);
    rank_normalise(&s, room, &median);
    const double of_values = rhat_of(&s, mean);
    split(d, &s);
    for (size_t i = 0; i < count; i++) s.x[i] = fabs(s.x[i] - median);
    rank_normalise(&s, room, &unused);
    e->rhat = fmax(of_values, rhat_of(&s, mean));
  }
  free(s.x);
  free(mean);
  free(room);
  return status;
}
