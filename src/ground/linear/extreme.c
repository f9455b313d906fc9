/* The largest and the smallest singular value of a symmetric matrix by (inverse) iteration: sparse,
 * without allocating.
 *
 * From a fixed vector v of length 1, v <- A v / |A v| until |A v| settles. It never exceeds the
 * true value, and falls short of it by little: where other singular values are near the extreme
 * one, they are as good an answer. */
#include "ground/linear/linear.h"

#include "ground/support/random.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ROUNDS = 40 };
static const double settled = 1e-3; /* relative change in a round */

/* Scales v to length 1; returns what its length was. A power of two near the largest entry comes
 * first: squares stay in range. */
static double normalise(double *v, int n) {
  double largest = 0, sum = 0;
  int exponent;
  for (int i = 0; i < n; i++)
    if (!(fabs(v[i]) <= largest)) largest = fabs(v[i]);
  if (!(largest > 0 && largest <= DBL_MAX)) return largest;
  frexp(largest, &exponent);
  const double half = ldexp(1, -exponent / 2),
               rest = ldexp(1, -exponent + exponent / 2); /* as one it may not be a number */
  for (int i = 0; i < n; i++) {
    v[i] = v[i] * half * rest;
    sum += v[i] * v[i];
  }
  const double by = 1 / sqrt(sum);
  for (int i = 0; i < n; i++) v[i] *= by;
  return sqrt(sum) / half / rest;
}

/* No pattern of a model is likely to be orthogonal to it. */
static void fixed_vector(double *v, int n) {
  uint64_t state = 0;
  for (int i = 0; i < n; i++) {
    const double x = rattle__random_signed(&state);
    v[i] = x + copysign(0.5, x);
  }
  normalise(v, n);
}

static void multiply(const rattle__linear *a, const double *x, double *y) {
  for (int i = 0; i < a->size; i++) {
    double sum = 0;
    for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++) sum += a->value[e] * x[a->col[e]];
    y[i] = sum;
  }
}

double rattle__linear_smallest(rattle__linear *a, double *v) {
  fixed_vector(v, a->size);
  double growth = 0;
  for (int k = 0; k < ROUNDS; k++) {
    a->solve(a, v);
    double now = normalise(v, a->size);
    if (!(now > 0 && now <= DBL_MAX)) return 0;
    int done = k >= 2 && fabs(now - growth) <= settled * now;
    growth = now;
    if (done) break;
  }
  return 1 / growth;
}

double rattle__linear_largest(const rattle__linear *a, double *v, double *w) {
  fixed_vector(v, a->size);
  double growth = 0;
  for (int k = 0; k < ROUNDS; k++) {
    multiply(a, v, w);
    memcpy(v, w, (size_t)a->size * sizeof *v);
    double now = normalise(v, a->size);
    if (!(now > 0 && now <= DBL_MAX)) return now;
    int done = k >= 2 && fabs(now - growth) <= settled * now;
    growth = now;
    if (done) break;
  }
  return growth;
}
