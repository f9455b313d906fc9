#ifndef RATTLE__FOURIER_H
#define RATTLE__FOURIER_H
/* The discrete Fourier transform of a length that is a power of 2, for the rooms that make spectra of it.
 *
 * Complex numbers are pairs re, im: an array of `double complex` may be given as (double *). */
#include <math.h>

/* root[2k], root[2k + 1] = exp(-2 pi i k/size), k < size/2. */
static inline void rattle__fourier_roots(double *root, long long size) {
  for (long long k = 0; k < size / 2; k++) {
    double angle = -6.283185307179586476925 * (double)k / (double)size;
    root[2 * k] = cos(angle), root[2 * k + 1] = sin(angle);
  }
}

/* In place: z_k becomes sum_j z_j exp(-2 pi i j k/size). */
static inline void rattle__fourier(double *z, const double *root, long long size) {
  for (long long i = 1, mirror = 0; i < size; i++) {
    long long bit = size >> 1;
    for (; mirror & bit; bit >>= 1) mirror ^= bit;
    mirror ^= bit;
    if (i >= mirror) continue;
    double re = z[2 * i], im = z[2 * i + 1];
    z[2 * i] = z[2 * mirror], z[2 * i + 1] = z[2 * mirror + 1];
    z[2 * mirror] = re, z[2 * mirror + 1] = im;
  }
  for (long long half = 1; half < size; half *= 2) {
    long long stride = size / (2 * half);
    for (long long first = 0; first < size; first += 2 * half) {
      for (long long k = 0; k < half; k++) {
        double *a = z + 2 * (first + k), *b = a + 2 * half;
        const double *w = root + 2 * k * stride;
        double re = b[0] * w[0] - b[1] * w[1], im = b[0] * w[1] + b[1] * w[0];
        b[0] = a[0] - re, b[1] = a[1] - im;
        a[0] += re, a[1] += im;
      }
    }
  }
}
#endif
