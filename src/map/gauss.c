/* gauss(s): collocation at the s Gauss-Legendre nodes.
 *
 * Map      Z_i = z0 + h sum_j a_ij X_H(Z_j),  z1 = z0 + h sum_j b_j X_H(Z_j)
 * Symbols  c nodes, b weights, a_ij = integral of the j-th Lagrange polynomial of the nodes from 0 to c_i
 * Source   seed 001 section 3.4; Hairer, Lubich, Wanner, II.1.3
 * Claims   order 2s, symmetric, symplectic
 * Cost     per iteration s gradients and, where the matrix is refreshed, s Hessians
 * Differs  nothing */
#include "map/base.h"

#include <math.h>

/* P_s(x) and its derivative, by the three-term recurrence */
static long double legendre(int s, long double x, long double *derivative) {
  long double before = 1, p = x;
  for (int k = 2; k <= s; k++) {
    long double next = ((2 * k - 1) * x * p - (k - 1) * before) / k;
    before = p;
    p = next;
  }
  if (s == 0) p = 1;
  *derivative = s * (x * p - before) / (x * x - 1);
  return p;
}

/* Nodes on [-1,1], ascending, by Newton from Tricomi's guess; symmetric to the bit. */
static void nodes(int s, long double *x, long double *w) {
  for (int i = 0; i < s; i++) {
    int mirror = s - 1 - i;
    if (mirror < i) {
      x[i] = -x[mirror];
      w[i] = w[mirror];
      continue;
    }
    long double d = 1, t = mirror == i ? 0 : -cosl((4.0L * (long double)i + 3) / (4.0L * s + 2) * acosl(-1.0L));
    if (mirror != i)
      for (int k = 0; k < 20; k++) t -= legendre(s, t, &d) / d;
    legendre(s, t, &d);
    x[i] = t;
    w[i] = 2 / ((1 - t * t) * d * d);
  }
}

static long double lagrange(int s, const long double *c, int j, long double t) {
  long double product = 1;
  for (int k = 0; k < s; k++)
    if (k != j) product *= (t - c[k]) / (c[j] - c[k]);
  return product;
}

void rattle__gauss_coefficients(int s, double *c, double *b, double a[RATTLE__STAGES][RATTLE__STAGES]) {
  long double x[RATTLE__STAGES], w[RATTLE__STAGES], node[RATTLE__STAGES];
  nodes(s, x, w);
  for (int i = 0; i < s; i++) {
    node[i] = (1 + x[i]) / 2;
    c[i] = (double)node[i];
    b[i] = (double)(w[i] / 2);
  }
  /* the Lagrange polynomials have degree s-1: the same quadrature, moved to [0, c_i], is exact */
  for (int i = 0; i < s && a; i++)
    for (int j = 0; j < s; j++) {
      long double sum = 0;
      for (int k = 0; k < s; k++) sum += w[k] / 2 * node[i] * lagrange(s, node, j, node[i] * node[k]);
      a[i][j] = (double)sum;
    }
}

static void tableau(const rattle__node *node, rattle__tableau *t) {
  int s = (int)node->argument[0].number;
  double c[RATTLE__STAGES];
  *t = (rattle__tableau){.stages = s, .symmetric = 1, .order = 2 * s};
  rattle__gauss_coefficients(s, c, t->b, t->a);
  for (int i = 0; i < s; i++)
    for (int j = 0; j < s; j++) t->ahat[i][j] = t->a[i][j];
}

const rattle__base rattle__gauss = {.tableau = tableau};
