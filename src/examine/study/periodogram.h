#ifndef RATTLE__PERIODOGRAM_H
#define RATTLE__PERIODOGRAM_H
/* How the power of a series is spread over frequencies. */
#include "rattle/study.h"

/* power[k], k = 0 .. count/2, at the frequency k/(count*interval): 2|X_k|^2/S^2, if X_k = sum_j w_j
 * x_j exp(-2 pi i jk/count) of the series less its mean and S = sum w_j, so that A cos(2 pi k
 * j/count) gives A^2/2 at k; at 0 the square of the mean, at the last frequency of an even count
 * |X|^2/S^2. Any count >= 1. Returns -1 if there is no memory. */
int rattle__periodogram(int count, const double *x, rattle_study_window window, double *power);

typedef struct rattle__peak {
  double frequency;    /* of the largest value, in units of 1/(count*interval) */
  double interpolated; /* from the three values around it: exact for an oscillation that is alone */
  double power;
} rattle__peak;
/* The largest local maxima of power[0..last], at least two places apart, largest first; at most
 * `most`, and none below 1e-6 of the largest. The mean does not count. Returns how many. */
int rattle__peaks(int last, const double *power, rattle_study_window window, int most,
                  rattle__peak *peak);
#endif
