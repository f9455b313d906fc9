/* Reflections to Hessenberg's form, then QR steps with the two eigenvalues of the last block as
 * shifts, on the block that has not yet fallen apart.
 *
 * Source   J. G. F. Francis, Comput. J. 4 (1961) 265, (1962) 332; R. S. Martin, G. Peters, J. H.
 *          Wilkinson, Numer. Math. 14 (1970) 219 (shifts after 10 steps in vain); B. N. Parlett, C.
 *          Reinsch, Numer. Math. 13 (1969) 293 (balancing, here in the 2-norm)
 * Cost     10/3 n^3 for the form, some 8 n^3 for the steps */
#include "ground/linear/eigenvalues.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/linear/reflections.h"
#include "ground/support/error.h"

enum { STEPS = 40 }; /* at most, on average, for each eigenvalue */

/* The block of H at hand, rows and columns low to high, and the shifts: their sum and product. */
typedef struct shifted {
  int stride, low, high;
  double *H, sum, product;
} shifted;

static double *entry(const shifted *b, int i, int j) {
  return b->H + i + (long)j * b->stride;
}

/* The first row of the irreducible block that ends with `high`: entries below the diagonal that its
 * neighbours round away are 0. */
static int find_low(const shifted *b) {
  int k = b->high;
  for (; k > 0; k--) {
    double *below = entry(b, k, k - 1);
    const double beside = fabs(*entry(b, k - 1, k - 1)) + fabs(*entry(b, k, k));
    if (fabs(*below) > DBL_EPSILON * beside) continue;
    *below = 0;
    break;
  }
  return k;
}

/* Eigenvalues of the block of size 2 that ends with `high`. */
static void take_pair(const shifted *b, double *real, double *imaginary) {
  const int k = b->high;
  const double last = *entry(b, k, k), half = 0.5 * (*entry(b, k - 1, k - 1) - last),
               across = *entry(b, k, k - 1) * *entry(b, k - 1, k), q = half * half + across;
  if (q < 0) {
    real[k - 1] = real[k] = last + half;
    imaginary[k - 1] = sqrt(-q), imaginary[k] = -sqrt(-q);
    return;
  }
  const double far = half + copysign(sqrt(q), half);
  real[k - 1] = last + far;
  real[k] = far != 0 ? last - across / far : last;
  imaginary[k - 1] = imaginary[k] = 0;
}

static void choose_shifts(shifted *b, int step) {
  const int k = b->high;
  const double d = *entry(b, k, k);
  if (step % 10 == 0) {
    const double s = fabs(*entry(b, k, k - 1)) + fabs(*entry(b, k - 1, k - 2));
    b->sum = 1.5 * s + 2 * d;
    b->product = (0.75 * s + d) * (0.75 * s + d) + 0.4375 * s * s;
    return;
  }
  const double a = *entry(b, k - 1, k - 1);
  b->sum = a + d;
  b->product = a * d - *entry(b, k, k - 1) * *entry(b, k - 1, k);
}

/* v[3] <- a multiple of the first column of (H - s1)(H - s2). */
static void first_column(const shifted *b, double *v) {
  const int l = b->low;
  const double a = *entry(b, l, l), below = *entry(b, l + 1, l), next = *entry(b, l + 1, l + 1);
  v[0] = (a * a - b->sum * a + b->product) / below + *entry(b, l, l + 1);
  v[1] = a + next - b->sum;
  v[2] = *entry(b, l + 2, l + 1);
}

/* The reflection of rows and columns k ... k+count-1 of the block. */
static void reflect_both(const shifted *b, int k, int count, const double *v, double tau) {
  const int from = k > b->low ? k - 1 : k, to = k + 3 < b->high ? k + 3 : b->high;
  for (int j = from; j <= b->high; j++) {
    double *h = entry(b, k, j), part = h[0];
    for (int i = 1; i < count; i++) part += v[i] * h[i];
    h[0] -= tau * part;
    for (int i = 1; i < count; i++) h[i] -= tau * part * v[i];
  }
  for (int i = b->low; i <= to; i++) {
    double part = *entry(b, i, k);
    for (int j = 1; j < count; j++) part += v[j] * *entry(b, i, k + j);
    *entry(b, i, k) -= tau * part;
    for (int j = 1; j < count; j++) *entry(b, i, k + j) -= tau * part * v[j];
  }
}

/* Both shifts at once: the bulge of the first column is chased along the subdiagonal. */
static void make_step(const shifted *b) {
  double v[3];
  first_column(b, v);
  for (int k = b->low; k < b->high; k++) {
    const int count = k + 2 > b->high ? 2 : 3;
    if (k > b->low) memcpy(v, entry(b, k, k - 1), (size_t)count * sizeof *v);
    const double tau = rattle__reflection(count, v);
    reflect_both(b, k, count, v, tau);
    for (int i = 1; i < count && k > b->low; i++) entry(b, k, k - 1)[i] = 0;
  }
}

int rattle__hessenberg_eigenvalues(int size, int stride, double *H, double *real,
                                   double *imaginary) {
  shifted b = {.stride = stride, .high = size - 1, .H = H};
  int step = 0;
  for (long left = (long)STEPS * size; b.high >= 0; left--) {
    b.low = find_low(&b);
    const int last = b.high - b.low;
    if (last > 1) {
      if (!left) return 1;
      choose_shifts(&b, ++step);
      make_step(&b);
      continue;
    }
    if (last)
      take_pair(&b, real, imaginary);
    else
      real[b.high] = *entry(&b, b.high, b.high), imaginary[b.high] = 0;
    b.high = b.low - 1;
    step = 0;
  }
  return 0;
}

/* Rows and columns are scaled by powers of 2 until they are about equally long. */
static void balance(int n, double *A) {
  for (int changed = 1; changed;) {
    changed = 0;
    for (int k = 0; k < n; k++) {
      double row = 0, column = 0;
      for (int i = 0; i < n; i++) {
        if (i == k) continue;
        row += A[k + (long)i * n] * A[k + (long)i * n];
        column += A[i + (long)k * n] * A[i + (long)k * n];
      }
      if (!(row > 0) || !(column > 0)) continue;
      const int by = ilogb(sqrt(row) / sqrt(column)) / 2;
      if (!by) continue;
      for (int i = 0; i < n; i++) A[k + (long)i * n] = ldexp(A[k + (long)i * n], -by);
      for (int i = 0; i < n; i++) A[i + (long)k * n] = ldexp(A[i + (long)k * n], by);
      changed = 1;
    }
  }
}

/* A <- H; x[n] scratch */
static void to_hessenberg(int n, double *A, double *x) {
  for (int k = 0; k + 2 < n; k++) {
    double *v = A + k + 1 + (long)k * n;
    const int count = n - k - 1;
    const double tau = rattle__reflection(count, v), beta = v[0];
    v[0] = 1;
    for (int j = k + 1; j < n; j++) rattle__reflect(count, v, tau, A + k + 1 + (long)j * n);
    memset(x, 0, (size_t)n * sizeof *x);
    for (int j = 0; j < count; j++)
      for (int i = 0; i < n; i++) x[i] += tau * v[j] * A[i + (long)(k + 1 + j) * n];
    for (int j = 0; j < count; j++)
      for (int i = 0; i < n; i++) A[i + (long)(k + 1 + j) * n] -= x[i] * v[j];
    v[0] = beta;
    memset(v + 1, 0, (size_t)(count - 1) * sizeof *v);
  }
}

/* Falling moduli; a pair that differs in the sign of the imaginary part alone keeps its order. */
static void sort(int size, double *real, double *imaginary) {
  for (int i = 1; i < size; i++) {
    const double re = real[i], im = imaginary[i], modulus = hypot(re, im);
    int k = i;
    for (; k > 0 && hypot(real[k - 1], imaginary[k - 1]) < modulus; k--)
      real[k] = real[k - 1], imaginary[k] = imaginary[k - 1];
    real[k] = re, imaginary[k] = im;
  }
}

rattle_status rattle__eigenvalues(int size, double *A, double *real, double *imaginary,
                                  rattle_error *error) {
  int exponent = 0;
  rattle_status status = rattle__to_range((size_t)size * (size_t)size, A, &exponent, error);
  double *x = malloc(((size_t)size + 1) * sizeof *x);
  if (!status && !x) status = rattle__no_memory(error);
  if (!status) {
    balance(size, A);
    to_hessenberg(size, A, x);
    if (rattle__hessenberg_eigenvalues(size, size, A, real, imaginary))
      status = rattle__fail(error, RATTLE_NOT_CONVERGED, NULL,
                            "the eigenvalues of a matrix of size %d do not converge", size);
  }
  for (int i = 0; i < size && !status; i++) {
    real[i] = ldexp(real[i], exponent);
    imaginary[i] = ldexp(imaginary[i], exponent);
  }
  if (!status) sort(size, real, imaginary);
  free(x);
  return status;
}
