/* The Lobatto IIIA-IIIB pair, computed to the precision of long double.
 *
 * Symbols  c nodes on [0,1], the zeros of x (1 - x) P'_{s-1}(2x - 1); b weights; a IIIA, collocation: a_ij the integral of the
 * j-th Lagrange polynomial of the nodes from 0 to c_i; ahat IIIB, symplectic with it: b_i ahat_ij + b_j a_ji = b_i b_j Source
 * Hairer, Lubich, Wanner, Geometric Numerical Integration (2006), II.1.4, II.2.2, VI.4.2 */
#include "map/base.h"

#include <math.h>

/* P_n(x), and P'_n and P''_n inside (-1, 1), by the three-term recurrence and Legendre's equation */
static long double legendre(int n, long double x, long double *first, long double *second) {
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

/* Nodes on [-1,1], ascending, by Newton from those of Chebyshev; symmetric to the bit. */
static void nodes(int s, long double *x, long double *w) {
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
      legendre(n, t, &first, &second);
      t -= first / second;
    }
    x[i] = i ? t : -1;
    const long double p = i ? legendre(n, t, &first, &second) : 1;
    w[i] = ends / (p * p);
  }
}

static long double lagrange(int s, const long double *c, int j, long double t) {
  long double product = 1;
  for (int k = 0; k < s; k++)
    if (k != j) product *= (t - c[k]) / (c[j] - c[k]);
  return product;
}

void rattle__lobatto_coefficients(int s, double *c, double *b, double a[RATTLE__STAGES][RATTLE__STAGES],
                                  double ahat[RATTLE__STAGES][RATTLE__STAGES]) {
  long double x[RATTLE__STAGES], w[RATTLE__STAGES], node[RATTLE__STAGES], exact[RATTLE__STAGES][RATTLE__STAGES];
  nodes(s, x, w);
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
