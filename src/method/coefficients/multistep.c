/* Coefficients of symmetric multistep methods from the zeros of rho (recurrences.def).
 *
 * Order    sum_j alpha_j x_j^(2m+2) = (2m+1)(2m+2) sum_j beta_j x_j^(2m),   x_j = j - K/2,   m = 0
 *          .. K/2-1
 *          (E. Hairer, S. P. Noersett, G. Wanner, Solving Ordinary Differential Equations I (1993),
 *          III.10.10)
 * Slope    the derivative at the centre of the polynomial through K+1 points:
 *          h q'_n = sum_{j=1}^{L} c_j (q_{n+j} - q_{n-j}),   c_j = (-1)^(j+1) L!^2 / (j (L-j)!
 *          (L+j)!),   L = K/2 */
#include "method/coefficients/multistep.h"

#include <math.h>
#include <string.h>

#include "ground/support/eliminate.h"

#define RECURRENCE(name, ...) static const long double name[] = {__VA_ARGS__};
#include "method/coefficients/recurrences.def"
#undef RECURRENCE

static const struct {
  const char *name;
  const long double *a;
  int count;
} zeros[] = {
#define RECURRENCE(name, ...) {#name, name, (int)(sizeof name / sizeof *name)},
#include "method/coefficients/recurrences.def"
#undef RECURRENCE
};

enum { HALF = RATTLE__MULTISTEP_HALF, TERMS = 2 * HALF + 1 };

/* p of `degree` times z^2 + b z + 1 */
static void multiply(long double p[TERMS], int degree, long double b) {
  long double r[TERMS] = {0};
  for (int i = 0; i <= degree; i++) {
    r[i] += p[i];
    r[i + 1] += b * p[i];
    r[i + 2] += p[i];
  }
  memcpy(p, r, sizeof r);
}

/* beta[d] of symmetric rho, from the order conditions */
static void solve_sigma(int half, const long double rho[TERMS], long double beta[HALF]) {
  long double A[HALF * HALF]; /* a Vandermonde matrix in squares of integers */
  for (int m = 0; m < half; m++) {
    long double sum = 0;
    for (int j = 0; j <= 2 * half; j++) sum += rho[j] * powl(j - half, 2 * m + 2);
    beta[m] = sum / ((2 * m + 1) * (2 * m + 2));
    for (int d = 0; d < half; d++) A[m * half + d] = (d ? 2 : 1) * (m ? powl(d, 2 * m) : 1);
  }
  rattle__eliminate_long(half, 1, A, beta);
}

static long double difference_weight(int half, int j) {
  long double c = (j % 2 ? 1.0L : -1.0L) / j;
  for (int i = 0; i < j; i++) c *= (long double)(half - i) / (half + i + 1);
  return c;
}

int rattle__recurrence_of(const char *name, rattle__recurrence *recurrence) {
  size_t k = 0;
  while (k < sizeof zeros / sizeof *zeros && strcmp(zeros[k].name, name)) k++;
  if (k == sizeof zeros / sizeof *zeros) return 0;
  const long double *a = zeros[k].a;
  const int half = zeros[k].count + 1;
  long double pi[TERMS] = {1}, rho[TERMS], beta[HALF], slope = 0;
  for (int i = 0; i < zeros[k].count; i++) multiply(pi, 2 * i, 2 * a[i]);
  memcpy(rho, pi, sizeof rho);
  multiply(rho, 2 * half - 2, -2);
  solve_sigma(half, rho, beta);
  *recurrence = (rattle__recurrence){.half = half};
  for (int i = 0; i <= 2 * half - 2; i++) recurrence->pi[i] = (double)pi[i];
  for (int d = half - 1; d >= 0; d--) {
    recurrence->beta[d] = (double)beta[d];
    recurrence->slope[d] = (double)(slope += difference_weight(half, d + 1));
  }
  return 1;
}
