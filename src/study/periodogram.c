/* Fourier transforms of any length and their peaks (periodogram.h).
 *
 * Lengths that are no power of two go by Bluestein's identity jk = (j^2 + k^2 - (k - j)^2)/2: a convolution, done by transforms
 * of a power of two (IEEE Trans. Audio Electroacoust. 18 (1970) 451). Angles are reduced exactly, as j^2 mod 2N. */
#include "study/periodogram.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "core/fourier.h"

static const double pi = 3.14159265358979323846, least_peak = 1e-6;

/* exp(-i pi j^2/count) */
static double complex chirp(long long j, int count) {
  long long square = j * j % (2 * (long long)count);
  double angle = -pi * (double)square / count;
  return cos(angle) + sin(angle) * I;
}

/* X[k], k < count, of x[count]; -1: no memory */
static int fourier(int count, const double *x, double complex *X) {
  int size = 1;
  while (size < 2 * count - 1) size *= 2;
  double complex *a = calloc(2 * (size_t)size + (size_t)size / 2 + 1, sizeof *a), *b = a + size, *root = b + size;
  if (!a) return -1;
  rattle__fourier_roots((double *)root, size);
  for (int j = 0; j < count; j++) {
    a[j] = x[j] * chirp(j, count);
    b[j] = conj(chirp(j, count));
    if (j > 0) b[size - j] = b[j];
  }
  rattle__fourier((double *)a, (double *)root, size);
  rattle__fourier((double *)b, (double *)root, size);
  /* the inverse by conjugation */
  for (int k = 0; k < size; k++) a[k] = conj(a[k] * b[k]);
  rattle__fourier((double *)a, (double *)root, size);
  for (int k = 0; k < count; k++) X[k] = chirp(k, count) * conj(a[k]) / size;
  free(a);
  return 0;
}

int rattle__periodogram(int count, const double *x, rattle_study_window window, double *power) {
  double *y = malloc((size_t)count * sizeof *y), mean = 0, S = 0;
  double complex *X = malloc((size_t)count * sizeof *X);
  for (int j = 0; j < count; j++) mean += x[j] / count;
  for (int j = 0; j < count && y; j++) {
    double w = window == RATTLE_STUDY_HANN && count > 1 ? 0.5 - 0.5 * cos(2 * pi * j / count) : 1;
    S += w;
    y[j] = w * (x[j] - mean);
  }
  int failed = !y || !X || fourier(count, y, X);
  for (int k = 0; k <= count / 2 && !failed; k++) {
    double size = cabs(X[k]) / S;
    power[k] = (2 * k == count ? 1 : 2) * size * size;
  }
  if (!failed) power[0] = mean * mean;
  free(X);
  free(y);
  return failed ? -1 : 0;
}

/* How far from the middle one the frequency of a single oscillation lies that gives these three values: from the ratio a of the
 * larger neighbour's amplitude to the middle one's, which without a window is d/(1 - d) and with Hann's (1 + d)/(2 - d) at
 * distance d. */
static double shift(double left, double middle, double right, rattle_study_window window) {
  double a = sqrt(fmax(left, right) / middle);
  double d = window == RATTLE_STUDY_HANN ? (2 * a - 1) / (a + 1) : a / (a + 1);
  return (right >= left ? 1 : -1) * fmin(0.5, fmax(0, d));
}

int rattle__peaks(int last, const double *power, rattle_study_window window, int most, rattle__peak *peak) {
  int count = 0, at[64];
  if (most > 64) most = 64;
  while (count < most) {
    int best = -1;
    for (int k = 2; k <= last; k++) {
      double left = power[k - 1], right = k < last ? power[k + 1] : 0;
      int near = !(power[k] >= left && power[k] >= right && power[k] > 0);
      for (int i = 0; i < count; i++) near |= abs(at[i] - k) < 2;
      if (!near && (best < 0 || power[k] > power[best])) best = k;
    }
    if (best < 0 || (count > 0 && power[best] < least_peak * peak[0].power)) break;
    double top = best < last ? shift(power[best - 1], power[best], power[best + 1], window) : 0;
    at[count] = best;
    peak[count++] = (rattle__peak){.frequency = best, .interpolated = best + top, .power = power[best]};
  }
  return count;
}
