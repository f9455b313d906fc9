/* Periodograms by a discrete Fourier transform of any length.
 *
 * Bluestein's way: with jk = (j^2 + k^2 - (k-j)^2)/2 the transform is a convolution with the chirp exp(i pi j^2 / N), which
 * transforms of a power of 2 do (L. Bluestein, IEEE Trans. Audio Electroacoust. 18, 451, 1970). */
#include "plot/spectrum.h"

#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

typedef double complex number;

/* In place; count is a power of 2; turn[k] = exp(-2 pi i k / count), k < count/2. */
static void transform(number *x, size_t count, const number *turn) {
  for (size_t i = 1, j = 0; i < count; i++) {
    size_t bit = count >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      number swap = x[i];
      x[i] = x[j], x[j] = swap;
    }
  }
  for (size_t half = 1; half < count; half *= 2)
    for (size_t begin = 0; begin < count; begin += 2 * half)
      for (size_t k = 0; k < half; k++) {
        number even = x[begin + k], odd = x[begin + k + half] * turn[k * (count / (2 * half))];
        x[begin + k] = even + odd, x[begin + k + half] = even - odd;
      }
}

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
  for (size_t k = 0; k < size / 2; k++) turn[k] = unit(-2 * 3.14159265358979323846 * (double)k / (double)size);
  for (size_t j = 0; j < count; j++) {
    number c = chirp(j, count);
    a[j] = x[j] * conj(c);
    b[j] = c;
    if (j > 0) b[size - j] = c;
  }
  transform(a, size, turn), transform(b, size, turn);
  for (size_t k = 0; k < size; k++) a[k] = conj(a[k] * b[k]); /* the inverse transform: conjugate, transform, conjugate */
  transform(a, size, turn);
  double scale = 2 / ((double)count * (double)count) / ((double)size * (double)size);
  for (size_t k = 0; k <= count / 2; k++) power[k] = scale * (creal(a[k]) * creal(a[k]) + cimag(a[k]) * cimag(a[k]));
  free(a), free(b), free(turn);
  return 0;
}
