/* Amplitude spectra of a few channels: P. D. Welch, IEEE Trans. Audio Electroacoust. 15 (1967) 70,
 * without overlap.
 *
 *   A_k = 2 |sum_j w_j (x_j - mean) e^{-2 pi i j k/P}| / sum_j w_j,   w_j = (1 - cos(2 pi (j +
 *   1/2)/L))/2,   k/P cycles a sample
 *
 * over L samples followed by zeros up to P, the power of 2 from 2L on; of several segments the root
 * of the mean of A_k^2. A sine of amplitude A between two bins has a peak of at least 0.95 A. Two
 * channels are transformed at once, as the real and imaginary parts of one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/spectrum.h"
#include "pages/report/spectrum.h"
#include "words/error.h"

enum { MOST_LENGTH = 65536, MOST_SEGMENTS = 32, LEAST_SAMPLES = 16, FIRST_BINS = 100 };

static int wanted(const report_channels *channels, report_kind kind, int most, int *list,
                  int count) {
  for (int c = 0; c < channels->count && most > 0 && count < REPORT_MOST_SPECTRA; c++)
    if (channels->channel[c].kind == kind) list[count++] = c, most--;
  return count;
}

static int by_number(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}

rattle_status report_spectra_plan(report_spectra *spectra, const report_channels *channels,
                                  const rattle_record_info *info, rattle_error *error) {
  *spectra = (report_spectra){.every = info->every > 0 ? info->every : 1, .last = -1};
  /* samples must be evenly apart */
  if (info->samples < LEAST_SAMPLES || info->adapts) return RATTLE_OK;
  int count = wanted(channels, REPORT_ENERGY, 1, spectra->channel, 0);
  count = wanted(channels, REPORT_OBSERVED, 5, spectra->channel, count);
  count = wanted(channels, REPORT_COORDINATE, 6, spectra->channel, count);
  spectra->count = wanted(channels, REPORT_MULTIPLIER, 2, spectra->channel, count);
  qsort(spectra->channel, (size_t)spectra->count, sizeof(int), by_number);
  long long samples = info->samples, segments = (samples + MOST_LENGTH - 1) / MOST_LENGTH;
  spectra->segments = segments < MOST_SEGMENTS ? segments : MOST_SEGMENTS;
  spectra->length =
      samples / spectra->segments < MOST_LENGTH ? samples / spectra->segments : MOST_LENGTH;
  spectra->hop = spectra->segments > 1 ? (samples - spectra->length) / (spectra->segments - 1)
                                       : spectra->length;
  for (spectra->size = 1; spectra->size < 2 * spectra->length; spectra->size *= 2) continue;
  spectra->bins = spectra->size / 2;
  size_t length = (size_t)spectra->length, bins = (size_t)spectra->bins,
         size = (size_t)spectra->size, all = (size_t)spectra->count;
  spectra->values = malloc(all * length * sizeof(double));
  spectra->power = calloc(all * bins, sizeof(double));
  spectra->work = malloc(3 * size * sizeof(double));
  return spectra->values && spectra->power && spectra->work ? RATTLE_OK : text_no_memory(error);
}

/* 0 and the mean, or -1 if a value is not finite. */
static int mean_of(const double *values, long long count, double *mean) {
  double sum = 0;
  for (long long i = 0; i < count; i++) sum += values[i];
  *mean = sum / (double)count;
  return isfinite(sum) ? 0 : -1;
}

/* The powers of channels c and c + 1 (if there is one) in a segment of `count` samples. */
static void add_pair(report_spectra *spectra, int c, long long count, double *z,
                     const double *roots) {
  const double *x = spectra->values + c * spectra->length,
               *y = c + 1 < spectra->count ? x + spectra->length : NULL;
  double mean_x, mean_y = 0, sum = 1;
  int good_x = mean_of(x, count, &mean_x) == 0, good_y = y && mean_of(y, count, &mean_y) == 0;
  long long size = spectra->size;
  memset(z, 0, 2 * (size_t)size * sizeof *z);
  if (good_x) sum = rattle__weigh(count, x, mean_x, RATTLE__HANN_MIDDLE, z, 2);
  if (good_y) sum = rattle__weigh(count, y, mean_y, RATTLE__HANN_MIDDLE, z + 1, 2);
  rattle__fourier(z, roots, size);
  for (long long k = 1; k < spectra->bins; k++) {
    /* what is even and what is odd under k -> -k */
    const double *front = z + 2 * k, *back = z + 2 * (size - k);
    double of_x = hypot(front[0] + back[0], front[1] - back[1]) / sum,
           of_y = hypot(front[0] - back[0], front[1] + back[1]) / sum;
    spectra->power[c * spectra->bins + k] += of_x * of_x;
    if (y) spectra->power[(c + 1) * spectra->bins + k] += of_y * of_y;
  }
  spectra->used[c] += good_x;
  if (y) spectra->used[c + 1] += good_y;
}

static void do_segment(report_spectra *spectra, long long count) {
  double *z = spectra->work, *roots = z + 2 * spectra->size;
  rattle__fourier_roots(roots, spectra->size);
  for (int c = 0; c < spectra->count; c += 2) add_pair(spectra, c, count, z, roots);
  spectra->done++, spectra->filled = 0;
}

void report_spectra_offer(report_spectra *spectra, long long step, const double *row) {
  /* an end within a step has the number of the whole step before, which was offered */
  if (spectra->count == 0 || step % spectra->every != 0 || step == spectra->last) return;
  spectra->last = step;
  long long at = spectra->seen++;
  if (spectra->done == spectra->segments || at < spectra->done * spectra->hop) return;
  for (int c = 0; c < spectra->count; c++)
    spectra->values[c * spectra->length + spectra->filled] = row[spectra->channel[c]];
  if (++spectra->filled == spectra->length) do_segment(spectra, spectra->length);
}

/* A segment that is not full is used if it is the only one. */
void report_spectra_end(report_spectra *spectra) {
  if (spectra->done == 0 && spectra->filled >= LEAST_SAMPLES) do_segment(spectra, spectra->filled);
}

long long report_spectra_peaks(const report_spectra *spectra, int which, double *frequency,
                               double *amplitude, long long room) {
  const double *power = spectra->power + which * spectra->bins;
  long long count = 0, bins = spectra->bins;
  if (spectra->used[which] == 0) return 0;
  /* bands of two bins (zeros after the samples make every other one depend on its neighbours), then
   * bands that grow so that `room` of them reach the end */
  double growth =
      bins > room ? pow((double)bins / FIRST_BINS, 1 / (double)(room - FIRST_BINS / 2)) : 1;
  for (long long first = 1, next; first < bins && count < room; first = next) {
    next = bins <= 2 * room || first < FIRST_BINS ? first + 2
                                                  : (long long)ceil((double)first * growth);
    if (next < first + 2) next = first + 2;
    if (next > bins || count == room - 1) next = bins;
    long long best = first;
    for (long long k = first; k < next; k++)
      if (power[k] > power[best]) best = k;
    frequency[count] = (double)best / (double)spectra->size;
    amplitude[count++] = sqrt(power[best] / spectra->used[which]);
  }
  return count;
}

void report_spectra_free(report_spectra *spectra) {
  free(spectra->values), free(spectra->power), free(spectra->work);
  *spectra = (report_spectra){0};
}
