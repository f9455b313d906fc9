#ifndef RATTLE__FOURIER_H
#define RATTLE__FOURIER_H
/* Discrete Fourier transforms, in place for a length that is a power of 2, else by Bluestein's
 * identity jk = (j^2 + k^2 - (k - j)^2)/2: a convolution with the chirp exp(-i pi j^2/count), done
 * by transforms of a power of 2 (L. Bluestein, IEEE Trans. Audio Electroacoust. 18 (1970) 451).
 * Complex numbers are pairs re, im. */
#include <math.h>
#include <stdlib.h>

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

/* exp(-i pi j^2/count); angles are reduced exactly, as j^2 mod 2 count. */
static inline void rattle__fourier_chirp(long long j, long long count, double *z) {
  const double angle = -3.14159265358979323846 * (double)(j * j % (2 * count)) / (double)count;
  z[0] = cos(angle), z[1] = sin(angle);
}

/* X [2 count] = the transform of x [count]: X_k = sum_j x_j exp(-2 pi i j k/count). -1: no
 * memory */
static inline int rattle__fourier_any(long long count, const double *x, double *X) {
  long long size = 1;
  while (size < 2 * count - 1) size *= 2;
  double *a = calloc(5 * (size_t)size + 2, sizeof *a), *b = a + 2 * size, *root = b + 2 * size,
         c[2];
  if (!a) return -1;
  rattle__fourier_roots(root, size);
  for (long long j = 0; j < count; j++) {
    rattle__fourier_chirp(j, count, c);
    a[2 * j] = x[j] * c[0], a[2 * j + 1] = x[j] * c[1];
    b[2 * j] = c[0], b[2 * j + 1] = -c[1];
    if (j > 0) b[2 * (size - j)] = c[0], b[2 * (size - j) + 1] = -c[1];
  }
  rattle__fourier(a, root, size);
  rattle__fourier(b, root, size);
  for (long long k = 0; k < size; k++) { /* the inverse by conjugation */
    const double re = a[2 * k] * b[2 * k] - a[2 * k + 1] * b[2 * k + 1];
    a[2 * k + 1] = -(a[2 * k] * b[2 * k + 1] + a[2 * k + 1] * b[2 * k]);
    a[2 * k] = re;
  }
  rattle__fourier(a, root, size);
  for (long long k = 0; k < count; k++) {
    const double re = a[2 * k], im = -a[2 * k + 1];
    rattle__fourier_chirp(k, count, c);
    X[2 * k] = (c[0] * re - c[1] * im) / (double)size;
    X[2 * k + 1] = (c[0] * im + c[1] * re) / (double)size;
  }
  free(a);
  return 0;
}
#endif
