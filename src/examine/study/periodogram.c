/* Periodograms and their peaks (periodogram.h). */
#include "examine/study/periodogram.h"

#include <math.h>
#include <stdlib.h>

#include "ground/support/fourier.h"

static const double pi = 3.14159265358979323846, least_peak = 1e-6;

int rattle__periodogram(int count, const double *x, rattle_study_window window, double *power) {
  double *y = malloc((size_t)count * sizeof *y), mean = 0, S = 0;
  double *X = malloc(2 * (size_t)count * sizeof *X);
  for (int j = 0; j < count; j++) mean += x[j] / count;
  for (int j = 0; j < count && y; j++) {
    double w = window == RATTLE_STUDY_HANN && count > 1 ? 0.5 - 0.5 * cos(2 * pi * j / count) : 1;
    S += w;
    y[j] = w * (x[j] - mean);
  }
  int failed = !y || !X || rattle__fourier_any(count, y, X);
  for (int k = 0; k <= count / 2 && !failed; k++) {
    double size = hypot(X[2 * k], X[2 * k + 1]) / S;
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
