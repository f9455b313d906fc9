/* Base maps with 113 bits: explicit kicks and drifts, or partitioned Runge-Kutta with implicit
 * stages.
 *
 * Stages   Z_i = z0 + h sum_j a_ij X_H(Z_j) by Newton's method with the matrix I - h A x X_H'(z0),
 *          its entries by differences,
 * until the changes stagnate: each iteration gains a factor of about (h L)^2 */
#include "maps/quad/quad.h"

#ifdef RATTLE_QUAD
#include <math.h>
#include <string.h>

enum { ITERATIONS = 200 };

int rattle__quad_factor(int size, real *A, int *pivot) {
  for (int c = 0; c < size; c++) {
    int p = c;
    for (int r = c + 1; r < size; r++)
      if (fabsq(A[r * size + c]) > fabsq(A[p * size + c])) p = r;
    pivot[c] = p;
    if (!(fabsq(A[p * size + c]) > 0)) return 1;
    for (int e = 0; e < size && p != c; e++) {
      const real swap = A[c * size + e];
      A[c * size + e] = A[p * size + e];
      A[p * size + e] = swap;
    }
    for (int r = c + 1; r < size; r++) {
      const real f = A[r * size + c] / A[c * size + c];
      A[r * size + c] = f;
      for (int e = c + 1; e < size && f != 0; e++) A[r * size + e] -= f * A[c * size + e];
    }
  }
  return 0;
}

void rattle__quad_solve(int size, const real *A, const int *pivot, real *x) {
  for (int c = 0; c < size; c++) {
    const real swap = x[c];
    x[c] = x[pivot[c]];
    x[pivot[c]] = swap;
  }
  for (int r = 0; r < size; r++)
    for (int c = 0; c < r; c++) x[r] -= A[r * size + c] * x[c];
  for (int r = size - 1; r >= 0; r--) {
    for (int c = r + 1; c < size; c++) x[r] -= A[r * size + c] * x[c];
    x[r] /= A[r * size + r];
  }
}

/* P_s(x) and its derivative */
static real legendre(int s, real x, real *derivative) {
  real before = 1, p = x;
  for (int k = 2; k <= s; k++) {
    const real next = ((2 * k - 1) * x * p - (k - 1) * before) / k;
    before = p;
    p = next;
  }
  *derivative = s * (x * p - before) / (x * x - 1);
  return p;
}

static real lagrange(int s, const real *c, int j, real t) {
  real product = 1;
  for (int k = 0; k < s; k++)
    if (k != j) product *= (t - c[k]) / (c[j] - c[k]);
  return product;
}

void rattle__quad_gauss(int s, real *b, real a[RATTLE__STAGES][RATTLE__STAGES]) {
  real c[RATTLE__STAGES];
  for (int i = 0; i < s; i++) {
    real d = 1, t = 2 * i + 1 == s ? 0 : -cos((4.0 * i + 3) / (4.0 * s + 2) * acos(-1.0));
    for (int k = 0; k < 20 && 2 * i + 1 != s; k++) t -= legendre(s, t, &d) / d;
    legendre(s, t, &d);
    c[i] = (1 + t) / 2;
    b[i] = 1 / ((1 - t * t) * d * d);
  }
  for (int i = 0; i < s; i++)
    for (int j = 0; j < s; j++) {
      a[i][j] = 0;
      for (int k = 0; k < s; k++) a[i][j] += b[k] * c[i] * lagrange(s, c, j, c[i] * c[k]);
    }
}

/* kick k1, drift d1, kick k2, drift d2 */
static void explicit_step(rattle__quad *k, real h, real *z) {
  const real length[4] = {h * k->scheme.k1, h * k->scheme.d1, h * k->scheme.k2, h * k->scheme.d2};
  for (int i = 0; i < 4; i++) {
    if (length[i] == 0) continue;
    rattle__quad_gradient(k, z);
    for (int c = 0; c < k->n; c++) {
      if (i % 2)
        z[c] += length[i] * k->gradient[k->n + c];
      else
        z[k->n + c] -= length[i] * k->gradient[c];
    }
  }
}

/* X_H'(z), column by column, to half the digits */
static void differentiate(rattle__quad *k, const real *z) {
  const int nz = 2 * k->n;
  rattle__quad_field(k, z, k->slope);
  for (int c = 0; c < nz; c++) {
    const real d = (1 + fabsq(z[c])) * (real)0x1p-56;
    memcpy(k->stage, z, (size_t)nz * sizeof *z);
    k->stage[c] += d;
    rattle__quad_field(k, k->stage, k->field);
    for (int r = 0; r < nz; r++) k->F[r * nz + c] = (k->field[r] - k->slope[r]) / d;
  }
}

static real weight(const rattle__quad *k, int i, int j, int c) {
  return c < k->n ? k->a[i][j] : k->ahat[i][j];
}

static int factor_stages(rattle__quad *k, real h, const real *z) {
  const int nz = 2 * k->n, size = k->stages * nz;
  if (k->factored && k->factored_h == h) return 0;
  differentiate(k, z);
  for (int i = 0; i < k->stages; i++)
    for (int c = 0; c < nz; c++)
      for (int j = 0; j < k->stages; j++)
        for (int d = 0; d < nz; d++)
          k->matrix[(i * nz + c) * size + j * nz + d] =
              (i == j && c == d) - h * weight(k, i, j, c) * k->F[c * nz + d];
  k->factored = !rattle__quad_factor(size, k->matrix, k->pivot);
  k->factored_h = h;
  return !k->factored;
}

static int implicit_step(rattle__quad *k, real h, real *z) {
  const int nz = 2 * k->n, size = k->stages * nz;
  real last = INFINITY;
  if (factor_stages(k, h, z)) return 1;
  memcpy(k->x, z, (size_t)nz * sizeof *z);
  for (int i = 0; i < k->stages; i++) memcpy(k->X + i * nz, z, (size_t)nz * sizeof *z);
  for (int round = 0; round < ITERATIONS && !rattle__heed(k->map.context, NULL); round++) {
    for (int i = 0; i < k->stages; i++) rattle__quad_field(k, k->X + i * nz, k->Y + i * nz);
    memcpy(z, k->x, (size_t)nz * sizeof *z);
    for (int i = 0; i < k->stages; i++)
      for (int c = 0; c < nz; c++) z[c] += h * k->b[i] * k->Y[i * nz + c];
    real change = 0, most = 0;
    real *r = k->stage; /* [stages*2n] */
    for (int i = 0; i < k->stages; i++)
      for (int c = 0; c < nz; c++) {
        real sum = 0;
        for (int j = 0; j < k->stages; j++) sum += weight(k, i, j, c) * k->Y[j * nz + c];
        r[i * nz + c] = k->x[c] + h * sum - k->X[i * nz + c];
      }
    rattle__quad_solve(size, k->matrix, k->pivot, r);
    for (int e = 0; e < size; e++) {
      k->X[e] += r[e];
      if (!(fabsq(r[e]) <= change)) change = fabsq(r[e]);
      if (fabsq(k->X[e]) > most) most = fabsq(k->X[e]);
    }
    if (!(change < 1e300)) return 1;
    if (change == 0 || (change < 1000 * REAL_EPSILON * most && change > last / 2)) return 0;
    last = change;
  }
  return 1;
}

int rattle__quad_base(rattle__quad *k, real h, real *z) {
  for (int i = 0; i < k->inners; i++) {
    const real part = k->inner[i] * h;
    if (k->separable)
      explicit_step(k, part, z);
    else if (implicit_step(k, part, z))
      return 1;
  }
  return 0;
}
#endif
