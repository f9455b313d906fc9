#ifndef RATTLE_SPECTRUM_H
#define RATTLE_SPECTRUM_H
/* Periodograms. */
#include <stddef.h>

/* power[k] = 2 |X_k|^2 / N^2, X_k = sum_j x[j] exp(-2 pi i j k / N), for k = 0 .. N/2: a cosine of amplitude a at one of the
 * frequencies gives a^2/2. Any N >= 1, in O(N log N). -1: out of memory. */
int plot_spectrum(const double *x, size_t count, double *power);
#endif
