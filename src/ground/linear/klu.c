/* Sparse systems of any kind: SuiteSparse KLU.
 *
 * A is kept by rows, KLU wants columns, so KLU factors A^T and solves with its transpose. The pivot
 * order is fixed when planned, by a matrix that dominates its diagonal: the order of least fill;
 * or, for saddle points, the order that eliminates the multipliers last, if its work is at most
 * `patience` times as large (docs/decisions/073). `factor` computes numbers in that order, without
 * allocating. If this goes badly (a zero pivot, or entries that grew beyond `growth`) it factors
 * again with pivots chosen afresh. The choice between the two depends on the values at hand only:
 * docs/decisions/003-klu-purity.md.
 *
 * Symbols: n size; U_kk the k-th pivot, in row Q[k] of A; B = A^T scaled by rows, B_ji = A_ij /
 * column_max[j]. */
#include "ground/linear/backend.h"

#include "ground/support/error.h"

#include <camd.h>
#include <float.h>
#include <klu.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Least acceptable ratio of the largest entries of A and U: 1e-6 loses six digits of a correction,
 * which the next iteration or refinement makes up for. */
static const double growth = 1e-6;

/* The largest acceptable ratio of the work of the saddle-point order to the work of the order of
 * least fill: most steps in the order of least fill need a second attempt, which searches for
 * pivots and allocates. */
static const double patience = 4;

typedef struct sparse {
  klu_common common;
  klu_symbolic *symbolic;
  klu_numeric *fixed; /* in the order planned ... */
  klu_numeric *fresh; /* in an order of its own; NULL if `fixed` holds the factors */
  double *column_max; /* [n] */
  char *seen;         /* [n] */
  int *row;           /* [n] */
  rattle__scaling scaling;
} sparse;

/* True if the factors belong to a matrix that is regular to working precision; else blames a
 * row. */
static int regular(rattle__linear *a, sparse *w, const klu_numeric *factors) {
  const int n = a->size;
  const double tiny = w->scaling.tiny, *U = factors->Udiag;
  for (int j = 0; j < n; j++) w->column_max[j] = 0;
  for (int e = 0; e < a->nnz; e++) {
    double *largest = &w->column_max[a->col[e]];
    *largest = rattle__larger(fabs(a->value[e]), *largest);
  }
  for (int k = 0; k < n; k++) {
    const int i = w->symbolic->Q[k];
    double largest = 0;
    for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++)
      largest = rattle__larger(fabs(a->value[e]) / w->column_max[a->col[e]], largest);
    if (!rattle__good_pivot(U[k], 1 / U[k], largest, tiny)) {
      a->blame = i;
      return 0;
    }
  }
  return 1;
}

static rattle_status plain(rattle__linear *a) {
  sparse *w = a->self;
  int *ptr = (int *)a->ptr, *col = (int *)a->col;
  klu_free_numeric(&w->fresh, &w->common);
  a->blame = -1;
  for (int e = 0; e < a->nnz; e++)
    if (!(fabs(a->value[e]) <= DBL_MAX)) {
      for (a->blame = 0; a->ptr[a->blame + 1] <= e;) a->blame++;
      return RATTLE_SINGULAR;
    }

  const int good = klu_refactor(ptr, col, a->value, w->symbolic, w->fixed, &w->common) &&
                   w->common.status == KLU_OK &&
                   klu_rgrowth(ptr, col, a->value, w->symbolic, w->fixed, &w->common) &&
                   w->common.rgrowth >= growth;
  if (good && regular(a, w, w->fixed)) return RATTLE_OK;

  w->fresh = klu_factor(ptr, col, a->value, w->symbolic, &w->common);
  if (w->fresh) {
    a->blame = -1;
    return regular(a, w, w->fresh) ? RATTLE_OK : RATTLE_SINGULAR;
  }
  a->blame = -1;
  if (w->common.status != KLU_SINGULAR) return RATTLE_NO_MEMORY;
  const int k = w->common.singular_col;
  a->blame = k >= 0 && k < a->size ? k : 0;
  return RATTLE_SINGULAR;
}

static rattle_status factor(rattle__linear *a) {
  return rattle__factor_scaled(a, &((sparse *)a->self)->scaling, plain);
}

static void solve(rattle__linear *a, double *x) {
  sparse *w = a->self;
  if (w->scaling.on) rattle__scale(a, w->scaling.row, x);
  klu_tsolve(w->symbolic, w->fresh ? w->fresh : w->fixed, a->size, 1, x, &w->common);
  if (w->scaling.on) rattle__scale(a, w->scaling.column, x);
}

/* Row Pnum[k] goes with column Q[k]: each cycle of that permutation, which stays in its part, turns
 * the sign as often as it has elements but one. */
static void turns(const rattle__linear *a, char *turn) {
  const sparse *w = a->self;
  const klu_numeric *factors = w->fresh ? w->fresh : w->fixed;
  const int *Q = w->symbolic->Q;
  const double *U = factors->Udiag;
  for (int k = 0; k < a->size; k++) w->row[Q[k]] = factors->Pnum[k];
  for (int k = 0; k < a->size; k++) turn[Q[k]] = (char)(1 ^ (U[k] < 0));
  memset(w->seen, 0, (size_t)a->size);
  for (int i = 0; i < a->size; i++) {
    if (w->seen[i]) continue;
    turn[i] ^= 1;
    for (int k = i; !w->seen[k]; k = w->row[k]) w->seen[k] = 1;
  }
}

static double log_size(const rattle__linear *a) {
  const sparse *w = a->self;
  const klu_numeric *factors = w->fresh ? w->fresh : w->fixed;
  const double *U = factors->Udiag;
  double sum = -rattle__scaling_log(a, &w->scaling);
  for (int k = 0; k < a->size; k++)
    sum += log(fabs(U[k])) + (factors->Rs ? log(factors->Rs[k]) : 0);
  return sum;
}

static void destroy(rattle__linear *a) {
  sparse *w = a->self;
  klu_free_numeric(&w->fixed, &w->common);
  klu_free_numeric(&w->fresh, &w->common);
  klu_free_symbolic(&w->symbolic, &w->common);
  free(a->spare);
  a->spare = NULL;
  free(w->column_max);
  free(w->seen);
  free(w->row);
  rattle__scaling_free(&w->scaling);
  free(w);
}

/* The order of least fill among those that eliminate the multipliers last, or NULL: it takes more
 * than `most` operations, or there was no memory, which sets common->status. */
static klu_symbolic *multipliers_last(const rattle__linear *a, double most, klu_common *common) {
  const int n = a->size;
  int *order = calloc((size_t)n, sizeof *order), *set = calloc((size_t)n, sizeof *set);
  double info[CAMD_INFO];
  klu_symbolic *symbolic = NULL;
  if (order && set) {
    for (int i = n - a->multipliers; i < n; i++) set[i] = 1;
    if (camd_order(n, a->ptr, a->col, order, NULL, info, set) < CAMD_OK)
      common->status = KLU_OUT_OF_MEMORY;
    else if (2 * info[CAMD_NMULTSUBS_LU] + info[CAMD_NDIV] <= most) {
      common->btf = 0; /* blocks would change the order */
      symbolic = klu_analyze_given(n, (int *)a->ptr, (int *)a->col, order, order, common);
    }
  } else
    common->status = KLU_OUT_OF_MEMORY;
  free(order);
  free(set);
  return symbolic;
}

/* The order in which pivots are taken where nothing forbids it; NULL: no memory */
static klu_symbolic *analyse(const rattle__linear *a, klu_common *common) {
  klu_symbolic *least = klu_analyze(a->size, (int *)a->ptr, (int *)a->col, common);
  if (!least || !a->multipliers) return least;
  klu_symbolic *last = multipliers_last(a, patience * least->est_flops, common);
  if (last || common->status < KLU_OK) klu_free_symbolic(&least, common);
  return last ? last : least;
}

rattle_status rattle__klu_init(rattle__linear *a, rattle_error *error) {
  static const rattle__calls calls = {"klu", factor, solve, turns, log_size, destroy};
  const int n = a->size;
  sparse *w = calloc(1, sizeof *w);
  if (!w) return rattle__no_memory(error);
  rattle__linear_take(a, &calls, w);
  klu_defaults(&w->common);
  w->column_max = calloc((size_t)n + 1, sizeof *w->column_max);
  w->seen = calloc((size_t)n + 1, 1);
  w->row = calloc((size_t)n + 1, sizeof *w->row);
  a->spare = calloc(2 * (size_t)n + 1, sizeof *a->spare);
  w->symbolic = w->column_max && w->seen && w->row && a->spare ? analyse(a, &w->common) : NULL;
  rattle_status status =
      w->symbolic ? rattle__scaling_init(&w->scaling, a, error) : rattle__no_memory(error);

  /* a dominant diagonal: the pivots are those of the fill-reducing order */
  for (int i = 0; i < n; i++)
    for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++) a->value[e] = a->col[e] == i ? 4.0 * n : 1;
  if (!status &&
      !(w->fixed = klu_factor((int *)a->ptr, (int *)a->col, a->value, w->symbolic, &w->common)))
    status = rattle__no_memory(error);
  memset(a->value, 0, sizeof *a->value * (size_t)a->nnz);
  return rattle__linear_made(a, status);
}
