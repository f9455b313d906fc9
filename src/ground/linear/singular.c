/* A P = Q R with the longest column next; then the columns of X = R^T are rotated in pairs until
 * they are orthogonal, X W = V S: their lengths are the singular values, and the columns of Q,
 * rotated along, the left vectors Q W. A wide X gives way to the triangle of its own Q R, whose
 * columns have the same products.
 *
 * Source   M. R. Hestenes, J. SIAM 6 (1958) 51 (the rotations); J. Demmel, K. Veselic, SIAM J.
 *          Matrix Anal. Appl. 13 (1992) 1204 (small values to digits of their own); Z. Drmac, K.
 *          Veselic, ibid. 29 (2008) 1322 (Q R first); H. Rutishauser, Numer. Math. 9 (1966) 1 (the
 *          form of a rotation in which a small one rounds little)
 * Stops    in a sweep that finds all products of columns below what a rotation leaves: with unit
 *          round-off u and |x| |y| = 1 the product rounds by n u, the squares, whose difference
 *          says by how much to rotate where they are equal, by n u each, and rotation and updates
 *          of squares by 4 u
 * Cost     2 m n^2 for Q R; 3 to 10 sweeps of n^3 to 6 n^3 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/linear/dot.h"
#include "ground/linear/reflections.h"
#include "ground/linear/singular.h"
#include "ground/support/arena.h"
#include "ground/support/error.h"

enum { SWEEPS = 60 }; /* of a dozen at most that matrices were seen to need */

/* Columns X [least], of the length `least` and `stride` apart, with their squares; U [rows*rows] or
 * NULL. */
typedef struct rotor {
  int rows, columns, least;
  double *A, *X, *square, *tau, *x, *U, *block;
  int *order, exponent;
} rotor;

static rattle_status create(rotor *w, int rows, int columns, double *A, rattle_error *error) {
  *w = (rotor){.rows = rows, .columns = columns, .A = A};
  w->least = rows < columns ? rows : columns;
  const size_t k = (size_t)w->least, n = (size_t)columns;
  const rattle_status status = rattle__to_range((size_t)rows * n, A, &w->exponent, error);
  if (status) return status;
  const rattle__array arrays[] = {{&w->X, n * k}, {&w->square, k}, {&w->tau, k}, {&w->x, k}};
  w->block = RATTLE__BLOCK(arrays);
  w->order = malloc((n + 1) * sizeof *w->order);
  if (!w->block || !w->order) return rattle__no_memory(error);
  rattle__factor_qr(rows, columns, A, w->tau, w->order);
  return RATTLE_OK;
}

static void destroy(rotor *w) {
  free(w->block);
  free(w->order);
}

static double *column(const rotor *w, int j) {
  return w->X + (long)j * w->columns;
}

/* X = R^T, or as short columns with the same products. */
static void fill(rotor *w) {
  const int k = w->least, n = w->columns;
  for (int j = 0; j < k; j++)
    for (int i = 0; i < n; i++) column(w, j)[i] = i < j ? 0 : w->A[j + (long)i * w->rows];
  if (n == k) return;
  rattle__factor_qr(n, k, w->X, w->x, NULL);
  for (int j = 0; j < k; j++) memset(column(w, j) + j + 1, 0, (size_t)(n - j - 1) * sizeof(double));
}

/* U <- Q, whose first columns will be rotated. */
static void form_q(rotor *w) {
  const size_t m = (size_t)w->rows;
  for (size_t j = 0; j < m; j++) {
    double *u = w->U + j * m;
    memset(u, 0, m * sizeof *u);
    u[j] = 1;
    rattle__times_q(w->rows, w->least, w->A, w->tau, 0, u);
  }
}

/* x <- c x - s y, y <- s x + c y, tau = s/(1 + c) */
static void rotate(int n, double s, double tau, double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) {
    const double a = x[i], b = y[i];
    x[i] = a - s * (b + tau * a);
    y[i] = b + s * (a - tau * b);
  }
}

/* Makes columns i and j orthogonal, by at most an eighth of a turn; 0: they are. The longer one
 * grows, by what the other one loses, whose square is summed anew. */
static int make_orthogonal(rotor *w, int i, int j) {
  double *x = column(w, i), *y = column(w, j), *square = w->square;
  const double product = rattle__dot(w->least, x, y);
  if (!(fabs(product) > DBL_EPSILON * (w->least + 2) * sqrt(square[i]) * sqrt(square[j]))) return 0;
  const double cotangent = (square[j] - square[i]) / (2 * product),
               root = sqrt(fmin(1 + cotangent * cotangent, DBL_MAX)),
               t = copysign(1 / (fabs(cotangent) + root), cotangent), c = 1 / sqrt(1 + t * t),
               s = c * t, tau = s / (1 + c);
  rotate(w->least, s, tau, x, y);
  if (w->U) rotate(w->rows, s, tau, w->U + (long)i * w->rows, w->U + (long)j * w->rows);
  if (square[j] > square[i]) {
    square[j] += t * product;
    square[i] = rattle__dot(w->least, x, x);
  } else {
    square[i] -= t * product;
    square[j] = rattle__dot(w->least, y, y);
  }
  return 1;
}

static rattle_status rotate_all(rotor *w, rattle_error *error) {
  const int k = w->least;
  fill(w);
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    int rotations = 0;
    for (int j = 0; j < k; j++) w->square[j] = rattle__dot(k, column(w, j), column(w, j));
    for (int i = 0; i < k; i++)
      for (int j = i + 1; j < k; j++) rotations += make_orthogonal(w, i, j);
    if (!rotations) return RATTLE_OK;
  }
  return rattle__fail(error, RATTLE_NOT_CONVERGED, NULL,
                      "the singular values of a matrix of size %d do not converge", k);
}

/* The values, falling, and the columns of U in their order. */
static void sort(rotor *w, double *S) {
  double *square = w->square;
  for (int j = 0; j < w->least; j++) {
    int longest = j;
    for (int k = j + 1; k < w->least; k++)
      if (square[k] > square[longest]) longest = k;
    S[j] = ldexp(sqrt(square[longest]), w->exponent);
    square[longest] = square[j];
    if (w->U && longest != j)
      rotate(w->rows, 1, 1, w->U + (long)longest * w->rows, w->U + (long)j * w->rows);
  }
}

rattle_status rattle__singular(int rows, int columns, double *A, double *S, double *U,
                               rattle_error *error) {
  rotor w;
  rattle_status status = create(&w, rows, columns, A, error);
  w.U = U;
  if (!status && U) form_q(&w);
  if (!status) status = rotate_all(&w, error);
  if (!status) sort(&w, S);
  destroy(&w);
  return status;
}

rattle_status rattle__rank(int rows, int columns, double *A, double zero, int *rank,
                           rattle_error *error) {
  rotor w;
  rattle_status status = create(&w, rows, columns, A, error);
  const double least = ldexp(zero, -w.exponent);
  *rank = status ? 0 : rattle__rank_by_blocks(rows, columns, A, least, least, w.x);
  if (*rank < 0) {
    *rank = 0;
    status = rotate_all(&w, error);
    for (int j = 0; j < w.least && !status; j++) *rank += sqrt(w.square[j]) > least;
  }
  destroy(&w);
  return status;
}
