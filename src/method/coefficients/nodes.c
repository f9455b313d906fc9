/* Nodes, weights and coefficients of Gauss and Lobatto quadrature, computed in long double.
 *
 * Gauss    the zeros of P_s(2x - 1); a_ij the integral of the j-th Lagrange polynomial of the nodes
 *          from 0 to c_i
 * Lobatto  the zeros of x (1 - x) P'_{s-1}(2x - 1); a IIIA, collocation; ahat IIIB, symplectic with
 *          it: b_i ahat_ij + b_j a_ji = b_i b_j
 * Source   Hairer, Lubich, Wanner, Geometric Numerical Integration (2006), II.1.3, II.1.4, II.2.2,
 *          VI.4.2 */
#include "method/coefficients/nodes.h"

#include <math.h>

static long double lagrange(int s, const long double *c, int j, long double t) {
  long double product = 1;
  for (int k = 0; k < s; k++)
    if (k != j) product *= (t - c[k]) / (c[j] - c[k]);
  return product;
}

/* ---- Gauss ---- */

/* P_s(x) and its derivative, by the three-term recurrence */
static long double gauss_legendre(int s, long double x, long double *derivative) {
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

/* Nodes on [-1,1], ascending, by Newton from Tricomi's guess; symmetric bit for bit. */
static void gauss_nodes(int s, long double *x, long double *w) {
  for (int i = 0; i < s; i++) {
    int mirror = s - 1 - i;
    if (mirror < i) {
      x[i] = -x[mirror];
      w[i] = w[mirror];
      continue;
    }
    long double d = 1, t = mirror == i
                               ? 0
                               : -cosl((4.0L * (long double)i + 3) / (4.0L * s + 2) * acosl(-1.0L));
    if (mirror != i)
      for (int k = 0; k < 20; k++) t -= gauss_legendre(s, t, &d) / d;
    gauss_legendre(s, t, &d);
    x[i] = t;
    w[i] = 2 / ((1 - t * t) * d * d);
  }
}

void rattle__gauss_coefficients(int s, double *c, double *b,
                                double a[RATTLE__STAGES][RATTLE__STAGES]) {
  long double x[RATTLE__STAGES], w[RATTLE__STAGES], node[RATTLE__STAGES];
  gauss_nodes(s, x, w);
  for (int i = 0; i < s; i++) {
    node[i] = (1 + x[i]) / 2;
    c[i] = (double)node[i];
    b[i] = (double)(w[i] / 2);
  }
  /* the Lagrange polynomials have degree s-1: the same quadrature, moved to [0, c_i], is exact */
  for (int i = 0; i < s && a; i++)
    for (int j = 0; j < s; j++) {
      long double sum = 0;
      for (int k = 0; k < s; k++)
        sum += w[k] / 2 * node[i] * lagrange(s, node, j, node[i] * node[k]);
      a[i][j] = (double)sum;
    }
}

/* ---- Lobatto ---- */

/* P_n(x), and P'_n and P''_n inside (-1, 1), by the three-term recurrence and Legendre's
 * equation */
static long double lobatto_legendre(int n, long double x, long double *first, long double *second) {
  long double before = 1, p = x;
  for (int k = 2; k <= n; k++) {
    const long double next = ((2 * k - 1) * x * p - (k - 1) * before) / k;
    before = p;
    p = next;
  }
  *first = n * (x * p - before) / (x * x - 1);
  *second = (2 * x * *first - n * (n + 1) * p) / (1 - x * x);
  return p;
}

/* Nodes on [-1,1], ascending, by Newton from those of Chebyshev; symmetric bit for bit. */
static void lobatto_nodes(int s, long double *x, long double *w) {
  const int n = s - 1;
  const long double ends = 2.0L / (s * n);
  for (int i = 0; i < s; i++) {
    const int mirror = s - 1 - i;
    if (mirror < i) {
      x[i] = -x[mirror];
      w[i] = w[mirror];
      continue;
    }
    long double first, second, t = mirror == i ? 0 : -cosl(i * acosl(-1.0L) / n);
    for (int k = 0; k < 20 && i && mirror != i; k++) {
      lobatto_legendre(n, t, &first, &second);
      t -= first / second;
    }
    x[i] = i ? t : -1;
    const long double p = i ? lobatto_legendre(n, t, &first, &second) : 1;
    w[i] = ends / (p * p);
  }
}

void rattle__lobatto_coefficients(int s, double *c, double *b,
                                  double a[RATTLE__STAGES][RATTLE__STAGES],
                                  double ahat[RATTLE__STAGES][RATTLE__STAGES]) {
  long double x[RATTLE__STAGES], w[RATTLE__STAGES], node[RATTLE__STAGES],
      exact[RATTLE__STAGES][RATTLE__STAGES];
  lobatto_nodes(s, x, w);
  for (int i = 0; i < s; i++) {
    node[i] = (1 + x[i]) / 2;
    w[i] /= 2;
    c[i] = (double)node[i];
    b[i] = (double)w[i];
  }
  /* the Lagrange polynomials have degree s-1: the same quadrature, moved to [0, c_i], is exact */
  for (int i = 0; i < s; i++)
    for (int j = 0; j < s; j++) {
      long double sum = 0;
      for (int k = 0; k < s; k++) sum += w[k] * node[i] * lagrange(s, node, j, node[i] * node[k]);
      exact[i][j] = sum;
      a[i][j] = (double)sum;
    }
  for (int i = 0; i < s; i++)
    for (int j = 0; j < s; j++) ahat[i][j] = (double)(w[j] * (1 - exact[j][i] / w[i]));
}

/* ---- Gauss with the nodes of Lobatto ---- */

void rattle__gauss_lobatto_coefficients(int s, double *time, double *weight,
                                        double node[RATTLE__STAGES][RATTLE__STAGES],
                                        double push[RATTLE__STAGES][RATTLE__STAGES]) {
  long double x[RATTLE__STAGES], w[RATTLE__STAGES], y[RATTLE__STAGES], v[RATTLE__STAGES],
      gauss[RATTLE__STAGES];
  gauss_nodes(s, x, w);
  lobatto_nodes(s + 1, y, v);
  for (int i = 0; i < s; i++) gauss[i] = (1 + x[i]) / 2;
  for (int k = 0; k <= s; k++) {
    const long double t = (1 + y[k]) / 2;
    time[k] = (double)t;
    weight[k] = (double)(v[k] / 2);
    for (int j = 0; j < s; j++) {
      long double sum = 0;
      for (int e = 0; e < s; e++) sum += w[e] / 2 * t * lagrange(s, gauss, j, t * gauss[e]);
      node[k][j] = (double)sum;
      push[j][k] = (double)(v[k] / 2 * (1 - sum / (w[j] / 2)));
    }
  }
}

/* ---- beyond the nodes ---- */

void rattle__continuation_coefficients(int count, const double *from, int number, const double *to,
                                       double weight[RATTLE__STAGES][RATTLE__STAGES]) {
  long double node[RATTLE__STAGES];
  for (int j = 0; j < count; j++) node[j] = from[j];
  for (int i = 0; i < number; i++)
    for (int j = 0; j < count; j++) weight[i][j] = (double)lagrange(count, node, j, to[i]);
}
