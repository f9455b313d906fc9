/* Periodograms by a discrete Fourier transform of any length.
 *
 * Bluestein's way: with jk = (j^2 + k^2 - (k-j)^2)/2 the transform is a convolution with the chirp exp(i pi j^2 / N), which
 * transforms of a power of 2 do (L. Bluestein, IEEE Trans. Audio Electroacoust. 18, 451, 1970). */
#include "plot/spectrum.h"

#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/fourier.h"

typedef double complex number;

static number unit(double angle) {
  return cos(angle) + sin(angle) * I;
}

/* The chirp exp(i pi j^2 / N); j^2 is reduced first, so that large j lose nothing. */
static number chirp(size_t j, size_t count) {
  uint64_t square = (uint64_t)j * j % (2 * (uint64_t)count);
  return unit(3.14159265358979323846 * (double)square / (double)count);
}

int plot_spectrum(const double *x, size_t count, double *power) {
  size_t size = 1;
  while (size < 2 * count) size *= 2;
  number *a = calloc(size, sizeof *a), *b = calloc(size, sizeof *b), *turn = calloc(size / 2 + 1, sizeof *turn);
  if (!a || !b || !turn) return free(a), free(b), free(turn), -1;
  rattle__fourier_roots((double *)turn, (long long)size);
  for (size_t j = 0; j < count; j++) {
    number c = chirp(j, count);
    a[j] = x[j] * conj(c);
    b[j] = c;
    if (j > 0) b[size - j] = c;
  }
  rattle__fourier((double *)a, (double *)turn, (long long)size), rattle__fourier((double *)b, (double *)turn, (long long)size);
  for (size_t k = 0; k < size; k++) a[k] = conj(a[k] * b[k]); /* the inverse transform: conjugate, transform, conjugate */
  rattle__fourier((double *)a, (double *)turn, (long long)size);
  double scale = 2 / ((double)count * (double)count) / ((double)size * (double)size);
  for (size_t k = 0; k <= count / 2; k++) power[k] = scale * (creal(a[k]) * creal(a[k]) + cimag(a[k]) * cimag(a[k]));
  free(a), free(b), free(turn);
  return 0;
}
