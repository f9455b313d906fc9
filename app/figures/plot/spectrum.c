/* Periodograms. */
#include "figures/plot/spectrum.h"

#include <stdlib.h>

#include "ground/support/fourier.h"

int plot_spectrum(const double *x, size_t count, double *power) {
  double *X = malloc((2 * count + 1) * sizeof *X);
  if (!X || rattle__fourier_any((long long)count, x, X)) return free(X), -1;
  const double scale = 2 / ((double)count * (double)count);
  for (size_t k = 0; k <= count / 2; k++) power[k] = scale * (X[2 * k] * X[2 * k] + X[2 * k + 1] * X[2 * k + 1]);
  free(X);
  return 0;
}
