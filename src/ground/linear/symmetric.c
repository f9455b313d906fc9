/* Rotations in the planes of two coordinates, each of which makes an entry 0, in sweeps over all of
 * them.
 *
 * Source   C. G. J. Jacobi, J. Reine Angew. Math. 30 (1846) 51; H. Rutishauser, Numer. Math. 9
 *          (1966) 1 (the form of a rotation in which a small one rounds little)
 * Stops    in a sweep in which no entry changes the diagonal: then A_ij^2 is less than round-off of
 *          |A_ii - A_jj| |A_ii|, or A_ij than that of both. Convergence is quadratic in the end
 * Cost     some 6 to 10 sweeps of 6 n^3 */
#include "ground/linear/symmetric.h"

#include <math.h>

enum { SWEEPS = 100 }; /* of a dozen at most that matrices were seen to need */

typedef struct rotation {
  double s, tau; /* sine; tangent of half the angle */
} rotation;

/* a, b become those of the rotated plane. */
static void turn(const rotation *r, double *a, double *b) {
  const double x = *a, y = *b;
  *a = x - r->s * (y + r->tau * x);
  *b = y + r->s * (x - r->tau * y);
}

/* Makes A_ij 0; returns whether the diagonal changed, or the entry was not small. */
static int rotate(int n, double *A, double *V, int i, int j) {
  const double a = A[i * n + i], b = A[j * n + j], c = A[i * n + j];
  if (c == 0) return 0;
  const double theta = (b - a) / (2 * c);
  const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(1 + theta * theta));
  const double cosine = 1 / sqrt(1 + t * t);
  const rotation r = {t * cosine, t * cosine / (1 + cosine)};
  A[i * n + i] = a - t * c, A[j * n + j] = b + t * c;
  A[i * n + j] = A[j * n + i] = 0;
  for (int k = 0; k < n; k++) {
    if (k == i || k == j) continue;
    turn(&r, &A[k * n + i], &A[k * n + j]);
    A[i * n + k] = A[k * n + i], A[j * n + k] = A[k * n + j];
  }
  for (int k = 0; k < n; k++) turn(&r, &V[i * n + k], &V[j * n + k]);
  return A[i * n + i] != a || A[j * n + j] != b;
}

/* Eigenvalues rising, with their vectors. */
static void sort(int n, double *value, double *V) {
  for (int i = 0; i < n; i++) {
    int least = i;
    for (int j = i + 1; j < n; j++)
      if (value[j] < value[least]) least = j;
    if (least == i) continue;
    const double v = value[i];
    value[i] = value[least], value[least] = v;
    for (int k = 0; k < n; k++) {
      const double x = V[i * n + k];
      V[i * n + k] = V[least * n + k], V[least * n + k] = x;
    }
  }
}

int rattle__symmetric_eigen(int n, double *A, double *value, double *V) {
  double sum = 0;
  for (int e = 0; e < n * n; e++) sum += 0 * A[e], V[e] = e / n == e % n;
  if (sum != 0) return 1;
  int changed = 1;
  for (int sweep = 0; sweep < SWEEPS && changed; sweep++) {
    changed = 0;
    for (int i = 0; i < n; i++)
      for (int j = i + 1; j < n; j++) changed |= rotate(n, A, V, i, j);
  }
  for (int i = 0; i < n; i++) value[i] = A[i * n + i];
  sort(n, value, V);
  return 0;
}
