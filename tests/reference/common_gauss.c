/* Gauss-Legendre rules with up to 8 stages in long double, made from the zeros of the Legendre
 * polynomials. */
#include "common_reference.h"

#include <math.h>
#include <string.h>

#define MAX_STAGES 8

/* Value and derivative of the Legendre polynomial of degree s on [0,1]. */
static void legendre(int s, long double x, long double *value, long double *slope) {
  long double t = 2 * x - 1, before = 1, now = t;
  for (int k = 2; k <= s; k++) {
    long double next = ((2 * k - 1) * t * now - (k - 1) * before) / k;
    before = now;
    now = next;
  }
  *value = now;
  *slope = 2 * s * (t * now - before) / (t * t - 1);
}

static void gauss_nodes(int s, long double *c, long double *b) {
  for (int i = 0; i < s; i++) {
    long double value, slope, x = (1 - cosl(M_PI * (i + 0.75L) / (s + 0.5L))) / 2;
    for (int k = 0; k < 12; k++) {
      legendre(s, x, &value, &slope);
      x -= value / slope;
    }
    legendre(s, x, &value, &slope);
    c[i] = x;
    b[i] = 1 / (x * (1 - x) * slope * slope);
  }
}

/* a[i*s+j] = integral over [0, c_i] of the j-th Lagrange polynomial, by the rule itself, which is
 * exact for it. */
static void gauss_rule(int s, long double *a, long double *b) {
  long double c[MAX_STAGES];
  gauss_nodes(s, c, b);
  for (int i = 0; i < s; i++) {
    for (int j = 0; j < s; j++) {
      a[i * s + j] = 0;
      for (int k = 0; k < s; k++) {
        long double x = c[i] * c[k], product = 1;
        for (int l = 0; l < s; l++) {
          if (l != j) product *= (x - c[l]) / (c[j] - c[l]);
        }
        a[i * s + j] += c[i] * b[k] * product;
      }
    }
  }
}

int reference_gauss_step(int s, reference_vector *f, const void *self, int size, long double h,
                         long double *z) {
  static struct {
    long double a[MAX_STAGES * MAX_STAGES], b[MAX_STAGES];
  } rules[MAX_STAGES + 1]; /* made at first use: tests run in one thread */
  if (rules[s].b[0] == 0) gauss_rule(s, rules[s].a, rules[s].b);
  const long double *a = rules[s].a, *b = rules[s].b;
  long double F[MAX_STAGES][TESTS_MAX_2N], x[TESTS_MAX_2N];
  if (f(self, z, F[0])) return 1;
  for (int i = 1; i < s; i++) memcpy(F[i], F[0], sizeof F[0]);
  long double last = INFINITY;
  for (int round = 0; round < 200; round++) {
    long double change = 0, before[MAX_STAGES][TESTS_MAX_2N];
    memcpy(before, F, sizeof F);
    for (int i = 0; i < s; i++) {
      for (int k = 0; k < size; k++) {
        x[k] = z[k];
        for (int j = 0; j < s; j++) x[k] += h * a[i * s + j] * before[j][k];
      }
      if (f(self, x, F[i])) return 1;
      for (int k = 0; k < size; k++)
        change = fmaxl(change, fabsl(h) * fabsl(F[i][k] - before[i][k]));
    }
    if (!isfinite(change)) return 1;
    if (change == 0 || (change < 1e-14L && change >= last)) {
      for (int k = 0; k < size; k++) {
        for (int i = 0; i < s; i++) z[k] += h * b[i] * F[i][k];
      }
      return 0;
    }
    last = change;
  }
  return 1;
}
