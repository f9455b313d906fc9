/* Dense systems: LU with partial pivoting, P A = L U, any size; above 4 unknowns with implicit
 * scaling of rows of very different sizes.
 *
 * Symbols: n size; F[n*n] the factors by columns, F[i + n*k], L below the diagonal with ones on it;
 * inverse[k] = 1/U_kk; swap[k] the row that was exchanged with row k; row[i] which row of A stands
 * at i. All inner loops run down columns, so they vectorise without reordering a sum. Sizes 2, 3
 * and 4 are the same code with the size known to the compiler. */
#include "ground/linear/backend.h"

#include "ground/support/error.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

typedef struct dense {
  int *place; /* [nnz] index in F of each value */
  int *swap, *row;
  double *F, *inverse, *row_max, *column_max;
  rattle__scaling scaling;
} dense;

/* A by columns, and the largest entries of its rows and columns. */
ALWAYS_INLINE void spread(const rattle__linear *a, dense *d, const int n) {
  double *restrict F = d->F;
  if (a->nnz < n * n)
    for (int i = 0; i < n * n; i++) F[i] = 0;
  if (n <= 4 && a->nnz == n * n)
    for (int i = 0; i < n; i++)
      for (int k = 0; k < n; k++) F[i + n * k] = a->value[n * i + k];
  else
    for (int e = 0; e < a->nnz; e++) F[d->place[e]] = a->value[e];
  for (int i = 0; i < n; i++) {
    d->row_max[i] = 0;
    d->row[i] = i;
  }
  for (int k = 0; k < n; k++) {
    double largest = 0;
    for (int i = 0; i < n; i++) {
      const double size = fabs(F[i + n * k]);
      largest = rattle__larger(size, largest);
      d->row_max[i] = rattle__larger(size, d->row_max[i]);
    }
    d->column_max[k] = largest;
  }
}

/* True if the sizes of rows are so far apart (as those of {g,psi} and {psi,psi} are in other units
 * of time) that the largest entry of a column is no good pivot. Entries are then compared relative
 * to the largest of their row (Golub and Van Loan, Matrix Computations, 3.4, implicit scaling). */
static int rows_apart(const dense *d, const int n) {
  double least = HUGE_VAL, most = 0;
  for (int i = 0; i < n; i++) {
    least = rattle__smaller(d->row_max[i], least);
    most = rattle__larger(d->row_max[i], most);
  }
  return most > 0x1p14 * least;
}

/* Brings the largest entry of column k at or below the diagonal to the diagonal. */
ALWAYS_INLINE void pivot(dense *d, const int n, const int k, const int apart) {
  double *restrict F = d->F;
  int p = k;
  for (int i = k + 1; i < n; i++)
    if (apart ? fabs(F[i + n * k]) / d->row_max[i] > fabs(F[p + n * k]) / d->row_max[p]
              : fabs(F[i + n * k]) > fabs(F[p + n * k]))
      p = i;
  d->swap[k] = p;
  if (p == k) return;
  for (int j = 0; j < n; j++) {
    const double t = F[k + n * j];
    F[k + n * j] = F[p + n * j];
    F[p + n * j] = t;
  }
  const double t = d->row_max[k];
  d->row_max[k] = d->row_max[p];
  d->row_max[p] = t;
  const int r = d->row[k];
  d->row[k] = d->row[p];
  d->row[p] = r;
}

ALWAYS_INLINE rattle_status factor_sized(rattle__linear *a, const int n) {
  dense *d = a->self;
  const double tiny = d->scaling.tiny;
  spread(a, d, n);
  const int apart = n > 4 && rows_apart(d, n);
  for (int k = 0; k < n; k++) {
    pivot(d, n, k, apart);
    double *restrict l = d->F + n * k;
    d->inverse[k] = 1 / l[k];
    if (!rattle__good_pivot(l[k], d->inverse[k], rattle__smaller(d->row_max[k], d->column_max[k]),
                            tiny)) {
      a->blame = d->row[k];
      return RATTLE_SINGULAR;
    }
    for (int i = k + 1; i < n; i++) l[i] *= d->inverse[k];
    for (int j = k + 1; j < n; j++) {
      double *restrict column = d->F + n * j;
      const double u = column[k];
      for (int i = k + 1; i < n; i++) column[i] -= l[i] * u;
    }
  }
  a->blame = -1;
  return RATTLE_OK;
}

ALWAYS_INLINE void solve_sized(rattle__linear *a, double *restrict x, const int n) {
  const dense *d = a->self;
  if (d->scaling.on) rattle__scale(a, d->scaling.row, x);
  for (int k = 0; k < n; k++) {
    const double t = x[k];
    x[k] = x[d->swap[k]];
    x[d->swap[k]] = t;
  }
  for (int k = 0; k < n; k++) {
    const double *restrict l = d->F + n * k;
    for (int i = k + 1; i < n; i++) x[i] -= l[i] * x[k];
  }
  for (int k = n - 1; k >= 0; k--) {
    const double *restrict u = d->F + n * k;
    x[k] *= d->inverse[k];
    for (int i = 0; i < k; i++) x[i] -= u[i] * x[k];
  }
  if (d->scaling.on) rattle__scale(a, d->scaling.column, x);
}

static rattle_status plain_any(rattle__linear *a) {
  return factor_sized(a, a->size);
}
static rattle_status plain_2(rattle__linear *a) {
  return factor_sized(a, 2);
}
static rattle_status plain_3(rattle__linear *a) {
  return factor_sized(a, 3);
}
static rattle_status plain_4(rattle__linear *a) {
  return factor_sized(a, 4);
}

static inline rattle_status factor_by(rattle__linear *a, rattle_status (*plain)(rattle__linear *)) {
  return rattle__factor_scaled(a, &((dense *)a->self)->scaling, plain);
}
static rattle_status factor_any(rattle__linear *a) {
  return factor_by(a, plain_any);
}
static rattle_status factor_2(rattle__linear *a) {
  return factor_by(a, plain_2);
}
static rattle_status factor_3(rattle__linear *a) {
  return factor_by(a, plain_3);
}
static rattle_status factor_4(rattle__linear *a) {
  return factor_by(a, plain_4);
}
static void solve_any(rattle__linear *a, double *x) {
  solve_sized(a, x, a->size);
}
static void solve_2(rattle__linear *a, double *x) {
  solve_sized(a, x, 2);
}
static void solve_3(rattle__linear *a, double *x) {
  solve_sized(a, x, 3);
}
static void solve_4(rattle__linear *a, double *x) {
  solve_sized(a, x, 4);
}

/* One equation: a division, correctly rounded. The divisor is kept, for `value` may change before
 * the solve. */
static rattle_status factor_1(rattle__linear *a) {
  const double divisor = a->value[0];
  ((dense *)a->self)->F[0] = divisor;
  const int bad = !(fabs(divisor) <= DBL_MAX) || divisor == 0;
  a->blame = bad ? 0 : -1;
  return bad ? RATTLE_SINGULAR : RATTLE_OK;
}
static void solve_1(rattle__linear *a, double *x) {
  x[0] /= ((const dense *)a->self)->F[0];
}

/* Each exchange of rows turns the sign. A pivot is an element of its column, which has none in rows
 * of other parts, so that these stay in their places. */
static void turns(const rattle__linear *a, char *turn) {
  const dense *d = a->self;
  for (int k = 0; k < a->size; k++) turn[k] = (char)((d->inverse[k] < 0) ^ (d->swap[k] != k));
}
static void turns_1(const rattle__linear *a, char *turn) {
  turn[0] = ((const dense *)a->self)->F[0] < 0;
}

static double log_size(const rattle__linear *a) {
  const dense *d = a->self;
  double sum = -rattle__scaling_log(a, &d->scaling);
  for (int k = 0; k < a->size; k++) sum -= log(fabs(d->inverse[k]));
  return sum;
}
static double log_size_1(const rattle__linear *a) {
  return log(fabs(((const dense *)a->self)->F[0]));
}

static void destroy(rattle__linear *a) {
  dense *d = a->self;
  free(d->place);
  free(d->swap);
  free(d->row);
  free(d->F);
  free(d->inverse);
  free(d->row_max);
  free(d->column_max);
  rattle__scaling_free(&d->scaling);
  free(d);
}

rattle_status rattle__dense_init(rattle__linear *a, rattle_error *error) {
  static const struct {
    rattle_status (*factor)(rattle__linear *);
    void (*solve)(rattle__linear *, double *);
  } sized[] = {{factor_any, solve_any},
               {factor_1, solve_1},
               {factor_2, solve_2},
               {factor_3, solve_3},
               {factor_4, solve_4}};
  const int n = a->size, special = n < 5 ? n : 0;
  if (n > 40000)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, NULL,
                        "a dense system of %d equations is too large: use solver=sparse", n);
  dense *d = calloc(1, sizeof *d);
  if (!d) return rattle__no_memory(error);
  const rattle__calls calls = {"dense",
                               sized[special].factor,
                               sized[special].solve,
                               n == 1 ? turns_1 : turns,
                               n == 1 ? log_size_1 : log_size,
                               destroy};
  rattle__linear_take(a, &calls, d);

  /* one spare element, so that size 0 is no special case */
  const size_t rows = (size_t)n + 1;
  d->place = calloc((size_t)a->nnz + 1, sizeof *d->place);
  d->swap = calloc(rows, sizeof *d->swap);
  d->row = calloc(rows, sizeof *d->row);
  d->F = calloc(rows * rows, sizeof *d->F);
  d->inverse = calloc(rows, sizeof *d->inverse);
  d->row_max = calloc(rows, sizeof *d->row_max);
  d->column_max = calloc(rows, sizeof *d->column_max);
  if (rattle__scaling_init(&d->scaling, a, error) || !d->place || !d->swap || !d->row || !d->F ||
      !d->inverse || !d->row_max || !d->column_max)
    return rattle__linear_made(a, rattle__no_memory(error));
  for (int i = 0; i < n; i++)
    for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++) d->place[e] = i + n * a->col[e];
  return RATTLE_OK;
}
