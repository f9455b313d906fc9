/* Quadratic constraints under attack, and the judge of candidates: Newton's iteration and
 * continuation in quadruple precision, where the compiler has it. In long double some very near
 * normals stay open: no end is found where there is one. */
#ifndef RATTLE_TEST_ATTACKS_H
#define RATTLE_TEST_ATTACKS_H
#include <math.h>
#include <string.h>

#ifdef RATTLE_QUAD
#include "maps/quad/real.h"
enum { JUDGES_ALL = 1 };
#else
typedef long double real;
enum { JUDGES_ALL = 0 };
#endif

enum { N = 6, M = 3 };

/* g_i = q S_i q/2 + b_i q + c_i, H = sum w p^2/2 + weight q */
typedef struct quadrics {
  int n, m;
  double w[N], weight[N], S[M][N][N], b[M][N], c[M];
  real q[N], p[N], h, G0[M][N], level[M];
} quadrics;

static inline real absolute(real x) {
  return x < 0 ? -x : x;
}
static inline real larger(real a, real b) {
  return a > b ? a : b;
}

static inline void evaluate(const quadrics *k, const real *q, real *g, real (*G)[N]) {
  for (int i = 0; i < k->m; i++) {
    g[i] = k->c[i];
    for (int a = 0; a < k->n; a++) {
      real row = 0;
      for (int b = 0; b < k->n; b++) row += k->S[i][a][b] * q[b];
      G[i][a] = row + k->b[i][a];
      g[i] += (row / 2 + k->b[i][a]) * q[a];
    }
  }
}

/* x becomes A^-1 x; the determinant */
static inline real solve(int m, real (*A)[M], real *x) {
  real det = 1;
  for (int k = 0; k < m; k++) {
    int best = k;
    for (int i = k + 1; i < m; i++)
      if (absolute(A[i][k]) > absolute(A[best][k])) best = i;
    for (int j = 0; j < m && best != k; j++) {
      const real swap = A[k][j];
      A[k][j] = A[best][j], A[best][j] = swap;
    }
    if (best != k) {
      const real swap = x[k];
      x[k] = x[best], x[best] = swap, det = -det;
    }
    det *= A[k][k];
    for (int i = k + 1; i < m; i++) {
      const real f = A[i][k] / A[k][k];
      for (int j = k; j < m; j++) A[i][j] -= f * A[k][j];
      x[i] -= f * x[k];
    }
  }
  for (int i = m; i-- > 0;) {
    for (int j = i + 1; j < m; j++) x[i] -= A[i][j] * x[j];
    x[i] /= A[i][i];
  }
  return det;
}

static inline void place(const quadrics *k, const real *s, real t, real *q) {
  for (int a = 0; a < k->n; a++) {
    q[a] = k->q[a] + k->w[a] * (t * k->h * k->p[a] - t * t * k->h * k->h / 2 * k->weight[a]);
    for (int i = 0; i < k->m; i++) q[a] -= k->w[a] * k->G0[i][a] * s[i];
  }
}

/* Newton's iteration at t; 1: it converged, without a change of sign of the determinant from *sign
 * if that is not 0, and from its first correction on by a factor 64 each. */
static inline int newton(const quadrics *k, real *s, real t, int careful, real *det) {
  real before = INFINITY;
  for (int step = 0; step < 60; step++) {
    real q[N], g[M], G[M][N], J[M][M], most = 0, size = 1e-4L;
    place(k, s, t, q);
    evaluate(k, q, g, G);
    for (int i = 0; i < k->m; i++) {
      g[i] -= (1 - t) * k->level[i];
      for (int j = 0; j < k->m; j++) {
        J[i][j] = 0;
        for (int a = 0; a < k->n; a++) J[i][j] += G[i][a] * k->w[a] * k->G0[j][a];
      }
    }
    *det = solve(k->m, J, g);
    for (int i = 0; i < k->m; i++) {
      most = larger(most, absolute(g[i]));
      s[i] += g[i];
      size = larger(size, absolute(s[i]));
    }
    if (!(most < 1e20L)) return 0;
    if (most < 1e-17L * size || (step > 2 && most > before / 2 && most < 1e-8L * size)) return 1;
    if (careful && step == 1 && most > before / 64 && most > 1e-9L * size) return 0;
    before = most;
  }
  return 0;
}

/* The end of the curve by continuation with steps of at most `longest`; 0: it has none. */
static inline int continuation(const quadrics *k, real longest, real *s) {
  real t = 0, way = longest, det, last, slow[M] = {0};
  memset(s, 0, M * sizeof *s);
  if (!newton(k, s, 0, 0, &last)) return 0;
  memset(s, 0, M * sizeof *s);
  real speed[M] = {0};
  for (int steps = 0; t < 1; steps++) {
    real next[M];
    if (steps > 3000 + 3 / longest) return 0;
    const real to = t + way > 1 ? 1 : t + way;
    for (int i = 0; i < k->m; i++) next[i] = s[i] + (to - t) * speed[i];
    if (newton(k, next, to, 1, &det) && det * last > 0) {
      for (int i = 0; i < k->m; i++) slow[i] = (next[i] - s[i]) / (to - t), speed[i] = slow[i];
      memcpy(s, next, sizeof next);
      t = to, last = det;
      way = 1.5L * way < longest ? 1.5L * way : longest;
    } else {
      way /= 2;
      if (way < 1e-16L) return 0;
    }
  }
  return 1;
}
#endif
