#ifndef RATTLE__SPECTRUM_H
#define RATTLE__SPECTRUM_H
/* Amplitudes of a series over frequency: windows, and transforms of any length. */
#include "ground/support/fourier.h"

/* Hann's window w_j = (1 - cos(2 pi (j + shift)/count))/2: shift 0 for periodograms, whose
 * interpolated peaks are exact with it; 1/2 for segments that are filled up with zeros. Without a
 * window w_j = 1. */
typedef enum rattle__window { RATTLE__HANN, RATTLE__HANN_MIDDLE, RATTLE__NO_WINDOW } rattle__window;

static inline double rattle__weight(rattle__window window, long long j, long long count) {
  if (window == RATTLE__NO_WINDOW) return 1;
  const double at = (double)j + (window == RATTLE__HANN_MIDDLE ? 0.5 : 0);
  return (1 - cos(6.283185307179586476925 * at / (double)count)) / 2;
}

/* y[stride j] = w_j (x_j - mean); returns the sum of w_j. */
static inline double rattle__weigh(long long count, const double *x, double mean,
                                   rattle__window window, double *y, int stride) {
  double sum = 0;
  for (long long j = 0; j < count; j++) {
    const double w = rattle__weight(window, j, count);
    sum += w;
    y[stride * j] = w * (x[j] - mean);
  }
  return sum;
}

/* amplitude[k] = |X_k|/S for k = 0 .. count/2, X_k = sum_j w_j (x_j - mean) exp(-2 pi i j k/count),
 * S = sum_j w_j: a cosine of amplitude A at one of these frequencies gives A/2. Any count >= 1, in
 * O(N log N). -1: no memory. */
static inline int rattle__amplitudes(long long count, const double *x, double mean,
                                     rattle__window window, double *amplitude) {
  double *y = malloc(3 * (size_t)count * sizeof *y), *X = y + count;
  if (!y) return -1;
  const double S = rattle__weigh(count, x, mean, window, y, 1);
  const int failed = rattle__fourier_any(count, y, X);
  for (long long k = 0; k <= count / 2 && !failed; k++)
    amplitude[k] = hypot(X[2 * k], X[2 * k + 1]) / S;
  free(y);
  return failed;
}
#endif
