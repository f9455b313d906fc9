/* Periodograms and their peaks (periodogram.h). */
#include "examine/study/periodogram.h"

#include <math.h>
#include <stdlib.h>

#include "ground/support/spectrum.h"

static const double least_peak = 1e-6;

int rattle__periodogram(int count, const double *x, rattle_study_window window, double *power) {
  double mean = 0;
  for (int j = 0; j < count; j++) mean += x[j] / count;
  const rattle__window own =
      window == RATTLE_STUDY_HANN && count > 1 ? RATTLE__HANN : RATTLE__NO_WINDOW;
  if (rattle__amplitudes(count, x, mean, own, power)) return -1;
  for (int k = 0; k <= count / 2; k++) power[k] = (2 * k == count ? 1 : 2) * power[k] * power[k];
  power[0] = mean * mean;
  return 0;
}

/* How far from the middle one the frequency of a single oscillation lies that gives these three
 * values: from the ratio a of the larger neighbour's amplitude to the middle one's, which without a
 * window is d/(1 - d) and with Hann's (1 + d)/(2 - d) at distance d. */
static double shift(double left, double middle, double right, rattle_study_window window) {
  double a = sqrt(fmax(left, right) / middle);
  double d = window == RATTLE_STUDY_HANN ? (2 * a - 1) / (a + 1) : a / (a + 1);
  return (right >= left ? 1 : -1) * fmin(0.5, fmax(0, d));
}

int rattle__peaks(int last, const double *power, rattle_study_window window, int most,
                  rattle__peak *peak) {
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
    peak[count++] =
        (rattle__peak){.frequency = best, .interpolated = best + top, .power = power[best]};
  }
  return count;
}
