/* Source   A. S. Householder, J. ACM 5 (1958) 339; P. Businger, G. H. Golub, Numer. Math. 7 (1965)
 *          269 (the order of columns; what is left of each is summed anew, not downdated) */
#include "ground/linear/reflections.h"

#include <math.h>

#include "ground/linear/dot.h"
#include "ground/support/error.h"

double rattle__reflection(int n, double *x) {
  const double rest = n > 1 ? rattle__dot(n - 1, x + 1, x + 1) : 0, first = x[0];
  if (!(rest > 0)) return 0;
  const double length = sqrt(first * first + rest), beta = first > 0 ? -length : length;
  for (int i = 1; i < n; i++) x[i] /= first - beta;
  x[0] = beta;
  return (beta - first) / beta;
}

void rattle__reflect(int n, const double *v, double tau, double *y) {
  if (tau == 0) return;
  const double part = tau * (y[0] + rattle__dot(n - 1, v + 1, y + 1));
  y[0] -= part;
  for (int i = 1; i < n; i++) y[i] -= part * v[i];
}

/* Column k of A and of the order changes places with the one that is longest from row k on. */
static void bring_longest(int k, int rows, int columns, double *A, int *order) {
  int longest = k;
  double most = -1;
  for (int j = k; j < columns; j++) {
    const double *left = A + k + (long)j * rows, square = rattle__dot(rows - k, left, left);
    if (square > most) most = square, longest = j;
  }
  if (longest == k) return;
  const int other = order[k];
  order[k] = order[longest], order[longest] = other;
  double *a = A + (long)k * rows, *b = A + (long)longest * rows;
  for (int i = 0; i < rows; i++) {
    const double t = a[i];
    a[i] = b[i], b[i] = t;
  }
}

void rattle__factor_qr(int rows, int columns, double *A, double *tau, int *order) {
  const int least = rows < columns ? rows : columns;
  for (int j = 0; order && j < columns; j++) order[j] = j;
  for (int k = 0; k < least; k++) {
    if (order) bring_longest(k, rows, columns, A, order);
    double *v = A + k + (long)k * rows;
    tau[k] = rattle__reflection(rows - k, v);
    for (int j = k + 1; j < columns; j++)
      rattle__reflect(rows - k, v, tau[k], A + k + (long)j * rows);
  }
}

void rattle__times_q(int rows, int count, const double *A, const double *tau, int transposed,
                     double *y) {
  for (int i = 0; i < count; i++) {
    const int k = transposed ? i : count - 1 - i;
    rattle__reflect(rows - k, A + k + (long)k * rows, tau[k], y + k);
  }
}

/* |R_k^-1|^2 - |R_k-1^-1|^2, Frobenius' norm, of the leading blocks of sizes k and k-1; x[k] */
static double inverse_grows(int rows, int k, const double *A, double *x) {
  double sum = 0;
  for (int i = 0; i < k; i++) x[i] = i == k - 1;
  for (int j = k - 1; j >= 0; j--) {
    const double *column = A + (long)j * rows, value = x[j] /= column[j];
    for (int i = 0; i < j; i++) x[i] -= value * column[i];
    sum += value * value;
  }
  return sum;
}

int rattle__rank_by_blocks(int rows, int columns, const double *A, double low, double high,
                           double *x) {
  int rank = rows < columns ? rows : columns;
  double left = 0, inverse = 0;
  while (rank > 0) {
    for (int j = rank - 1; j < columns; j++) {
      const double r = A[rank - 1 + (long)j * rows];
      left += r * r;
    }
    if (sqrt(left) > low) break;
    rank--;
  }
  for (int k = 1; k <= rank; k++) inverse += inverse_grows(rows, k, A, x);
  return !rank || 1 / sqrt(inverse) > high ? rank : -1;
}

rattle_status rattle__to_range(size_t count, double *A, int *exponent, rattle_error *error) {
  double most = 0, odd = 0;
  for (size_t i = 0; i < count; i++) {
    odd += 0 * A[i];
    most = fmax(most, fabs(A[i]));
  }
  if (odd != 0)
    return rattle__fail(error, RATTLE_DOMAIN, NULL, "a matrix has entries that are not finite");
  (void)frexp(most, exponent);
  for (size_t i = 0; i < count; i++) A[i] = ldexp(A[i], -*exponent);
  return RATTLE_OK;
}
