/* A P = Q R with the longest column next; R is cut after the rank, [R_11 R_12], and is L Z^T for
 * the solution of smallest length.
 *
 * Source   G. H. Golub, Numer. Math. 7 (1965) 206; R. J. Hanson, C. L. Lawson, Math. Comp. 23
 *          (1969) 787 (the second factorisation)
 * Cost     2 m n^2 for Q R, 1/3 r^3 for the rank r, 2 n r^2 where columns are left over */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/linear/reflections.h"
#include "ground/linear/singular.h"
#include "ground/support/arena.h"
#include "ground/support/error.h"

typedef struct solver {
  int rows, columns, least, rank;
  double *A, *tau;       /* Q R */
  double *T, *other_tau; /* R; then Q R of [R_11 R_12]^T [columns*least] */
  double *x;             /* scratch [columns] */
  int *order, exponent;
} solver;

static rattle_status find_rank(solver *s, double tolerance, rattle_error *error) {
  const size_t k = (size_t)s->least, n = (size_t)s->columns;
  double square = 0;
  for (int j = 0; j < s->columns; j++)
    for (int i = 0; i <= j && i < s->least; i++) {
      const double r = s->A[i + (long)j * s->rows];
      s->T[(size_t)i + (size_t)j * k] = r;
      square += r * r;
    }
  /* the largest singular value lies between the longest column and the norm */
  const double first = k ? fabs(s->A[0]) : 0;
  s->rank = rattle__rank_by_blocks(s->rows, s->columns, s->A, tolerance * first,
                                   tolerance * sqrt(square), s->x);
  if (s->rank >= 0) return RATTLE_OK;
  s->rank = 0;
  const rattle_status status = rattle__singular(s->least, (int)n, s->T, s->x, NULL, error);
  while (!status && s->rank < s->least && s->x[s->rank] > tolerance * s->x[0]) s->rank++;
  return status;
}

/* x[rank] <- R_11^-1 x */
static void solve_upper(int rows, int rank, const double *A, double *x) {
  for (int j = rank - 1; j >= 0; j--) {
    const double *column = A + (long)j * rows, value = x[j] /= column[j];
    for (int i = 0; i < j; i++) x[i] -= value * column[i];
  }
}

/* x[columns] <- the shortest y with [R_11 R_12] y = x: y = Z L^-1 x, [R_11 R_12]^T = Z L^T. */
static void solve_trapezoid(solver *s, double *x) {
  const int n = s->columns, r = s->rank;
  for (int i = 0; i < r; i++)
    for (int j = 0; j < n; j++) s->T[j + (long)i * n] = j < i ? 0 : s->A[i + (long)j * s->rows];
  rattle__factor_qr(n, r, s->T, s->other_tau, NULL);
  for (int i = 0; i < r; i++) {
    const double *column = s->T + (long)i * n;
    for (int j = 0; j < i; j++) x[i] -= column[j] * x[j];
    x[i] /= column[i];
  }
  memset(x + r, 0, (size_t)(n - r) * sizeof *x);
  rattle__times_q(n, r, s->T, s->other_tau, 0, x);
}

static rattle_status solve(solver *s, double tolerance, double *b, rattle_error *error) {
  rattle__factor_qr(s->rows, s->columns, s->A, s->tau, s->order);
  const rattle_status status = find_rank(s, tolerance, error);
  if (status) return status;
  rattle__times_q(s->rows, s->least, s->A, s->tau, 1, b);
  if (s->rank < s->columns)
    solve_trapezoid(s, b);
  else
    solve_upper(s->rows, s->rank, s->A, b);
  memcpy(s->x, b, (size_t)s->columns * sizeof *b);
  for (int j = 0; j < s->columns; j++) b[s->order[j]] = ldexp(s->x[j], -s->exponent);
  return RATTLE_OK;
}

rattle_status rattle__least_squares(int rows, int columns, double *A, double *b, double tolerance,
                                    int *rank, rattle_error *error) {
  solver s = {.rows = rows, .columns = columns, .A = A};
  s.least = rows < columns ? rows : columns;
  for (int i = 0; i < rows; i++)
    if (!isfinite(b[i]))
      return rattle__fail(error, RATTLE_DOMAIN, NULL, "a right-hand side is not finite");
  const size_t k = (size_t)s.least, n = (size_t)columns;
  rattle_status status = rattle__to_range((size_t)rows * n, A, &s.exponent, error);
  if (status) return status;
  const rattle__array arrays[] = {{&s.tau, k}, {&s.other_tau, k}, {&s.x, n}, {&s.T, n * k}};
  double *block = RATTLE__BLOCK(arrays);
  s.order = malloc((n + 1) * sizeof *s.order);
  status = block && s.order ? solve(&s, tolerance, b, error) : rattle__no_memory(error);
  if (rank) *rank = s.rank;
  free(block);
  free(s.order);
  return status;
}
