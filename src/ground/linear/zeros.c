/* All real zeros of a function on an interval, by Chebyshev interpolation: the zeros of the
 * interpolating polynomial are the eigenvalues of its colleague matrix.
 *
 * Source   J. P. Boyd, SIAM J. Numer. Anal. 40 (2002) 1666; I. J. Good, Quart. J. Math. 12 (1961)
 *          61 (the matrix)
 * Cost     9 values of a polynomial of degree up to 6, up to 129 of other functions, and the
 *          eigenvalues of a matrix of the degree found */
#include <math.h>
#include <string.h>

#include "ground/linear/eigenvalues.h"
#include "ground/linear/zeros.h"

enum { LEAST = 8, MOST = RATTLE__ZEROS };
static const double tail = 1e-13, negligible = 1e-15, real_part = 1e-6;

void rattle__zeros_begin(rattle__zeros *s) {
  for (int k = 0; k <= MOST; k++) s->point[k] = cos(M_PI * k / MOST);
}

/* c[0 .. count] of the interpolation at the points cos(pi j/count), each (MOST/count)-th of the
 * points with known values. */
static void coefficients(rattle__zeros *s, int count) {
  const int stride = MOST / count;
  for (int k = 0; k <= count; k++) {
    double sum = 0;
    for (int j = 0; j <= count; j++) {
      int angle = j * k % (2 * count);
      if (angle > count) angle = 2 * count - angle;
      sum += (j == 0 || j == count ? 0.5 : 1) * s->value[j * stride] * s->point[angle * stride];
    }
    s->c[k] = sum * (k == 0 || k == count ? 1.0 : 2.0) / count;
  }
}

/* The degree beyond which nothing is left of the coefficients; -1: not yet seen. */
static int degree_of(const rattle__zeros *s, int count) {
  double most = 0;
  for (int k = 0; k <= count; k++) most = fmax(most, fabs(s->c[k]));
  for (int k = count - count / 4 + 1; k <= count; k++)
    if (!(fabs(s->c[k]) <= tail * most)) return -1;
  int degree = count - count / 4;
  while (degree > 0 && fabs(s->c[degree]) <= negligible * most) degree--;
  return degree;
}

/* Eigenvalues of the transposed colleague matrix, which is of Hessenberg's form: columns one after
 * another. */
static int eigenvalues(rattle__zeros *s, int degree) {
  double *H = s->H;
  memset(H, 0, (size_t)(degree * degree) * sizeof *H);
  for (int k = 0; k + 1 < degree; k++) {
    H[k * degree + k + 1] = k ? 0.5 : 1;
    if (k) H[k * degree + k - 1] = 0.5;
  }
  double *last = H + (degree - 1) * degree;
  for (int j = 0; j < degree; j++) last[j] = -s->c[j] / (2 * s->c[degree]);
  last[degree - 2] += 0.5;
  return rattle__hessenberg_eigenvalues(degree, degree, H, s->real, s->imaginary);
}

/* Real ones within the interval, ascending. */
static int pick(rattle__zeros *s, int degree) {
  int count = 0;
  for (int k = 0; k < degree; k++) {
    if (fabs(s->imaginary[k]) > real_part || fabs(s->real[k]) > 1 + real_part) continue;
    int at = count++;
    for (; at > 0 && s->zero[at - 1] > s->real[k]; at--) s->zero[at] = s->zero[at - 1];
    s->zero[at] = s->real[k];
  }
  return count;
}

int rattle__zeros_find(rattle__zeros *s, rattle__line *f, void *self, double low, double high) {
  const double middle = (low + high) / 2, half = (high - low) / 2;
  int degree = -1;
  for (int count = LEAST; count <= MOST && degree < 0; count *= 2) {
    const int stride = MOST / count;
    for (int k = 0; k <= MOST; k += stride) {
      if (count > LEAST && k % (2 * stride) == 0) continue; /* known */
      if (f(self, middle + half * s->point[k], &s->value[k]) || !isfinite(s->value[k])) return -1;
    }
    coefficients(s, count);
    degree = degree_of(s, count);
  }
  if (degree < 1) return degree;
  if (degree == 1)
    s->real[0] = -s->c[0] / s->c[1], s->imaginary[0] = 0;
  else if (eigenvalues(s, degree))
    return -1;
  const int count = pick(s, degree);
  for (int k = 0; k < count; k++) s->zero[k] = middle + half * s->zero[k];
  return count;
}
