/* Sparse symmetric systems: P A P^T = L D L^T without pivoting (SuiteSparse AMD and LDL), for
 * definite matrices.
 *
 * Without pivoting the factors are as accurate as Cholesky's if D has one sign, and may be useless
 * if it has both. In the second case alone the system goes to a KLU twin, made the first time it is
 * needed. The choice depends on the values at hand alone, so results stay a pure function of them.
 *
 * Symbols: n size; P[n] row of A that stands at k, inverse[n] the other way; L by columns:
 * start[n+1], row[], l[]; D[n]. */
#include "ground/linear/backend.h"

#include "ground/support/error.h"

#include <amd.h>
#include <float.h>
#include <ldl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct symmetric {
  int *P, *inverse, *start, *parent, *count, *flag, *stack, *row, *diagonal;
  double *l, *D, *y, *x;
  rattle__linear *twin; /* KLU, NULL until needed */
  int indefinite;       /* the twin holds the factors */
} symmetric;

static rattle_status factor_twin(rattle__linear *a, symmetric *w) {
  if (!w->twin) {
    rattle_status status = rattle__linear_allocate(&w->twin, a->size, a->ptr, a->col, 1, NULL);
    if (!status) status = rattle__klu_init(w->twin, NULL);
    if (status) {
      rattle__linear_destroy(&w->twin);
      return status;
    }
  }
  memcpy(w->twin->value, a->value, sizeof *a->value * (size_t)a->nnz);
  const rattle_status status = w->twin->factor(w->twin);
  a->blame = w->twin->blame;
  w->indefinite = 1;
  return status;
}

static rattle_status factor(rattle__linear *a) {
  symmetric *w = a->self;
  const int n = a->size;
  const double tiny = rattle__tiny(n);
  w->indefinite = 0;
  a->blame = -1;
  for (int e = 0; e < a->nnz; e++)
    if (!(fabs(a->value[e]) <= DBL_MAX)) {
      for (a->blame = 0; a->ptr[a->blame + 1] <= e;) a->blame++;
      return RATTLE_SINGULAR;
    }
  const int done =
      ldl_numeric(n, (int *)a->ptr, (int *)a->col, a->value, w->start, w->parent, w->count, w->row,
                  w->l, w->D, w->y, w->stack, w->flag, w->P, w->inverse);
  if (done < n) return factor_twin(a, w);
  for (int k = 0; k < n; k++) {
    if (!(w->D[k] * w->D[0] > 0)) return factor_twin(a, w);
    if (!rattle__good_pivot(w->D[k], 1 / w->D[k], fabs(a->value[w->diagonal[w->P[k]]]), tiny)) {
      a->blame = w->P[k];
      return RATTLE_SINGULAR;
    }
  }
  return RATTLE_OK;
}

static void solve(rattle__linear *a, double *x) {
  symmetric *w = a->self;
  if (w->indefinite) {
    w->twin->solve(w->twin, x);
    return;
  }
  ldl_perm(a->size, w->x, x, w->P);
  ldl_lsolve(a->size, w->x, w->start, w->row, w->l);
  ldl_dsolve(a->size, w->x, w->D);
  ldl_ltsolve(a->size, w->x, w->start, w->row, w->l);
  ldl_permt(a->size, x, w->x, w->P);
}

/* The pivots are of one sign, or the twin has the factors. */
static void turns(const rattle__linear *a, char *turn) {
  const symmetric *w = a->self;
  if (w->indefinite)
    w->twin->turns(w->twin, turn);
  else
    memset(turn, w->D[0] < 0, (size_t)a->size);
}

static double log_size(const rattle__linear *a) {
  const symmetric *w = a->self;
  double sum = 0;
  if (w->indefinite) return w->twin->log_size(w->twin);
  for (int k = 0; k < a->size; k++) sum += log(fabs(w->D[k]));
  return sum;
}

static int definite(const rattle__linear *a) {
  const symmetric *w = a->self;
  return w->indefinite ? 0 : w->D[0] < 0 ? -1 : 1;
}

static void destroy(rattle__linear *a) {
  symmetric *w = a->self;
  int **whole[] = {&w->P,    &w->inverse, &w->start, &w->parent,  &w->count,
                   &w->flag, &w->stack,   &w->row,   &w->diagonal};
  double **real[] = {&w->l, &w->D, &w->y, &w->x};
  for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) free(*whole[i]);
  for (size_t i = 0; i < sizeof real / sizeof *real; i++) free(*real[i]);
  rattle__linear_destroy(&w->twin);
  free(w);
}

/* The arrays whose sizes are known before the analysis. Returns 0 if memory is short. */
static int allocate(symmetric *w, size_t n) {
  int **whole[] = {&w->P,     &w->inverse, &w->start, &w->parent,
                   &w->count, &w->flag,    &w->stack, &w->diagonal};
  double **real[] = {&w->D, &w->y, &w->x};
  int good = 1;
  for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
    good &= (*whole[i] = calloc(n + 1, sizeof ***whole)) != NULL;
  for (size_t i = 0; i < sizeof real / sizeof *real; i++)
    good &= (*real[i] = calloc(n + 1, sizeof ***real)) != NULL;
  return good;
}

size_t rattle__ldl_inverse_room(const rattle__linear *a) {
  const symmetric *w = a->self;
  return (size_t)w->start[a->size] + (size_t)a->size;
}

/* Column j of Z = A^-1 in the order of P, from later ones: Z_ij = -sum_k Z_ik L_kj and Z_jj = 1/D_j
 * - sum_k L_kj Z_kj, k over the rows of column j of L. The rows of it beyond k are among those of
 * column k. z: below the diagonal, d: the diagonal. */
static void inverse_column(const symmetric *w, int j, double *z, double *d) {
  const int *row = w->row, end = w->start[j + 1];
  const double *l = w->l;
  for (int p = w->start[j]; p < end; p++) z[p] = 0;
  for (int p = w->start[j]; p < end; p++) {
    const int k = row[p];
    z[p] -= d[k] * l[p];
    for (int i = p + 1, q = w->start[k]; i < end; i++, q++) {
      while (row[q] < row[i]) q++;
      z[i] -= z[q] * l[p], z[p] -= z[q] * l[i];
    }
  }
  d[j] = 1 / w->D[j];
  for (int p = w->start[j]; p < end; p++) d[j] -= l[p] * z[p];
}

int rattle__ldl_inverse(const rattle__linear *a, double *Z, double *room) {
  const symmetric *w = a->self;
  double *z = room, *d = room + w->start[a->size];
  if (w->indefinite) return 1;
  for (int j = a->size; j-- > 0;) inverse_column(w, j, z, d);
  for (int i = 0; i < a->size; i++)
    for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++) {
      const int s = w->inverse[i], t = w->inverse[a->col[e]], j = s < t ? s : t, k = s + t - j;
      int p = w->start[j];
      while (k > j && w->row[p] < k) p++;
      Z[e] = k > j ? z[p] : d[j];
    }
  return 0;
}

rattle_status rattle__ldl_init(rattle__linear *a, rattle_error *error) {
  static const rattle__calls calls = {"ldl", factor, solve, turns, log_size, destroy};
  if (!a->symmetric)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, NULL, "ldl needs a symmetric matrix: use klu");
  const int n = a->size;
  symmetric *w = calloc(1, sizeof *w);
  if (!w) return rattle__no_memory(error);
  rattle__linear_take(a, &calls, w);
  a->definite = definite;
  int good = allocate(w, (size_t)n) && amd_order(n, a->ptr, a->col, w->P, NULL, NULL) >= AMD_OK;
  if (good) {
    ldl_symbolic(n, (int *)a->ptr, (int *)a->col, w->start, w->parent, w->count, w->flag, w->P,
                 w->inverse);
    const size_t fill = (size_t)w->start[n] + 1;
    good = w->start[n] >= 0 && (w->row = calloc(fill, sizeof *w->row)) &&
           (w->l = calloc(fill, sizeof *w->l));
  }
  if (!good) return rattle__linear_made(a, rattle__no_memory(error));
  for (int i = 0; i < n; i++)
    for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++)
      if (a->col[e] == i) w->diagonal[i] = e;
  return RATTLE_OK;
}
