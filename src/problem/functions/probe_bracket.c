/* The nondegeneracy matrix N_ij = -psi_i' X_{g_j} with psi_i' = D_i + H'' w_i: patterns and index
 * lists, made once.
 *
 * Rows of psi' are kept in the columns that some X_g reaches ("live"): for g(q) those of p alone.
 * Row i holds its live entries of D_i (the pattern of g_i'), of X_{g_i} (the conjugate columns) and
 * of the rows of H'' that w_i meets. */
#include <math.h>
#include <stdlib.h>

#include "ground/support/error.h"
#include "problem/functions/probe.h"

enum { MOST_PRODUCTS = 50000000 };

typedef struct bracket_maker {
  const rattle_problem *problem;
  const rattle__function *g, *H;
  int n, first_S;
  unsigned char *live; /* [2n] */
  int *mark, *slot,
      *column; /* [2n]: row + 1 that saw the column, its entry there, the columns of the current
                  row */
  int *column_count; /* [2n] rows that have the column */
} bracket_maker;

static int conjugate(const bracket_maker *k, int column) {
  return column < k->n ? k->n + column : column - k->n;
}

static int by_number(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

static rattle_status make_tables(bracket_maker *k, rattle_error *error) {
  size_t nz = 2 * (size_t)k->n;
  k->live = calloc(nz, 1);
  k->mark = calloc(4 * nz, sizeof *k->mark);
  if (!k->live || !k->mark) return rattle__no_memory(error);
  k->slot = k->mark + nz;
  k->column = k->slot + nz;
  k->column_count = k->column + nz;
  for (int e = 0; e < k->g->jac_nnz; e++) k->live[conjugate(k, k->g->jac_col[e])] = 1;
  return RATTLE_OK;
}

static int note(bracket_maker *k, int row, int column, int count) {
  if (!k->live[column] || k->mark[column] == row + 1) return count;
  k->mark[column] = row + 1;
  k->column[count] = column;
  return count + 1;
}

/* The columns of a row, ascending, into k->column; returns how many. *terms: products with H'' in
 * it. */
static int columns_of_row(bracket_maker *k, int row, long long *terms) {
  int count = 0;
  for (int e = k->g->jac_ptr[row]; e < k->g->jac_ptr[row + 1]; e++) {
    int own = k->g->jac_col[e], other = conjugate(k, own);
    count = note(k, row, own, count);
    count = note(k, row, other, count);
    for (int s = k->H->hess_ptr[other]; s < k->H->hess_ptr[other + 1]; s++) {
      int column = k->H->hess_col[s];
      count = note(k, row, column, count);
      *terms += k->live[column];
    }
  }
  qsort(k->column, (size_t)count, sizeof *k->column, by_number);
  return count;
}

/* Entries and terms in all, and the products that N takes. */
static void count_all(bracket_maker *k, long long *entries, long long *terms, long long *products) {
  *entries = *terms = *products = 0;
  for (int i = 0; i < k->g->rows; i++) {
    int count = columns_of_row(k, i, terms);
    *entries += count;
    for (int c = 0; c < count; c++) k->column_count[k->column[c]]++;
    if (*terms > MOST_PRODUCTS) return;
  }
  for (int c = 0; c < 2 * k->n; c++)
    *products += (long long)k->column_count[c] * k->column_count[c];
}

/* Entry of each term, filled row by row: terms of a row are counted into term_ptr first. */
static void fill_row(bracket_maker *k, rattle__bracket *b, int row, int from) {
  long long unused = 0;
  int count = columns_of_row(k, row, &unused);
  const rattle__function *g = k->g, *H = k->H;
  for (int c = 0; c < count; c++) {
    k->slot[k->column[c]] = from + c;
    b->col[from + c] = k->column[c];
    b->of_D[from + c] = b->of_X[from + c] = -1;
  }
  for (int e = g->jac_ptr[row]; e < g->jac_ptr[row + 1]; e++) {
    int own = g->jac_col[e], other = conjugate(k, own);
    if (k->live[own]) b->of_D[k->slot[own]] = e;
    b->of_X[k->slot[other]] = e;
    b->sign[k->slot[other]] = other < k->n ? 1 : -1;
    for (int s = H->hess_ptr[other]; s < H->hess_ptr[other + 1]; s++)
      if (k->live[H->hess_col[s]]) b->term_ptr[k->slot[H->hess_col[s]] + 1]++;
  }
  for (int c = 0; c < count; c++) b->term_ptr[from + c + 1] += b->term_ptr[from + c];
  for (int e = g->jac_ptr[row]; e < g->jac_ptr[row + 1]; e++) {
    int other = conjugate(k, g->jac_col[e]);
    for (int s = H->hess_ptr[other]; s < H->hess_ptr[other + 1]; s++) {
      int column = H->hess_col[s];
      if (!k->live[column]) continue;
      /* the counter of the next free place stands in mark, which is done with */
      int place = k->slot[column], to = b->term_ptr[place] + k->mark[column] - (row + 1);
      k->mark[column]++;
      b->term_J[to] = e;
      b->term_S[to] = s - k->first_S;
    }
  }
  for (int c = 0; c < count; c++) k->mark[k->column[c]] = 0;
  b->ptr[row + 1] = from + count;
}

static rattle_status fill(bracket_maker *k, rattle__bracket *b, long long entries, long long terms,
                          rattle_error *error) {
  size_t nnz = (size_t)entries + 1, all = (size_t)terms + 1;
  b->m = k->g->rows;
  b->nnz = (int)entries;
  b->ptr = calloc((size_t)b->m + 1, sizeof(int));
  b->col = calloc(nnz, sizeof(int));
  b->of_D = calloc(nnz, sizeof(int));
  b->of_X = calloc(nnz, sizeof(int));
  b->sign = calloc(nnz, sizeof(double));
  b->term_ptr = calloc(nnz + 1, sizeof(int));
  b->term_J = calloc(all, sizeof(int));
  b->term_S = calloc(all, sizeof(int));
  b->A = calloc(nnz, sizeof(double));
  b->B = calloc(nnz, sizeof(double));
  if (!b->ptr || !b->col || !b->of_D || !b->of_X || !b->sign || !b->term_ptr || !b->term_J ||
      !b->term_S || !b->A || !b->B)
    return rattle__no_memory(error);
  for (int c = 0; c < 2 * k->n; c++) k->mark[c] = 0;
  for (int i = 0; i < b->m; i++) fill_row(k, b, i, b->ptr[i]);
  rattle_status status =
      rattle__coupling_create(&b->coupling, b->m, 2 * k->n, b->ptr, b->col, error);
  if (status) return status;
  int symmetric = !!(k->problem->flags & RATTLE_HOLONOMIC);
  return rattle__linear_create(&b->N, b->m, b->coupling->ptr, b->coupling->col, symmetric,
                               RATTLE__LINEAR_AUTO, error);
}

rattle_status rattle__bracket_create(rattle__bracket **bracket, const rattle_problem *problem,
                                     int first_S, rattle_error *error) {
  *bracket = NULL;
  bracket_maker k = {
      .problem = problem, .g = problem->g, .H = problem->H, .n = problem->n, .first_S = first_S};
  long long entries, terms, products;
  rattle_status status = make_tables(&k, error);
  if (!status) {
    count_all(&k, &entries, &terms, &products);
    if (terms <= MOST_PRODUCTS && products <= MOST_PRODUCTS) {
      *bracket = calloc(1, sizeof **bracket);
      status = *bracket ? fill(&k, *bracket, entries, terms, error) : rattle__no_memory(error);
    }
  }
  free(k.live);
  free(k.mark);
  if (status) rattle__bracket_destroy(bracket);
  return status;
}

void rattle__bracket_destroy(rattle__bracket **bracket) {
  if (!*bracket) return;
  rattle__bracket *b = *bracket;
  rattle__linear_destroy(&b->N);
  rattle__coupling_destroy(&b->coupling);
  free(b->ptr);
  free(b->col);
  free(b->of_D);
  free(b->of_X);
  free(b->sign);
  free(b->term_ptr);
  free(b->term_J);
  free(b->term_S);
  free(b->A);
  free(b->B);
  free(b);
  *bracket = NULL;
}

void rattle__bracket_assemble(rattle__bracket *b, const double *J, const double *w, const double *D,
                              const double *S) {
  for (int u = 0; u < b->nnz; u++) {
    double sum = b->of_D[u] >= 0 ? D[b->of_D[u]] : 0;
    for (int t = b->term_ptr[u]; t < b->term_ptr[u + 1]; t++)
      sum += w[b->term_J[t]] * S[b->term_S[t]];
    b->A[u] = -sum;
    b->B[u] = b->of_X[u] >= 0 ? b->sign[u] * J[b->of_X[u]] : 0;
  }
  rattle__coupling_assemble(b->coupling, b->A, b->B, b->N->value);
}

void rattle__probe_sizes(const rattle__probe *probe, double *size) {
  const rattle__bracket *b = probe->bracket;
  for (int i = 0; i < b->m; i++) {
    size[i] = 0;
    for (int u = b->ptr[i]; u < b->ptr[i + 1]; u++) {
      double sum = b->of_D[u] >= 0 ? fabs(probe->D[b->of_D[u]]) : 0;
      for (int t = b->term_ptr[u]; t < b->term_ptr[u + 1]; t++)
        sum += fabs(probe->w[b->term_J[t]] * probe->S[b->term_S[t]]);
      size[i] += sum * fabs(b->B[u]);
    }
  }
}
