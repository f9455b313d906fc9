/* See psi_rows.h. Row i holds the columns of g_i' and those of the rows of H'' that (-g_p, g_q)_i
 * meets. */
#include "constraint/equation/psi_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "constraint/step/sizes.h"

static int conjugate(int n, int column) {
  return column < n ? n + column : column - n;
}

static int by_number(const void *a, const void *b) {
  const int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

/* The columns of row i, ascending; returns how many. mark [2n] remembers the last row that saw a
 * column. */
static int columns_of_row(const rattle_problem *problem, int i, int *mark, int *column) {
  const rattle__function *g = problem->g, *H = problem->H;
  int count = 0;
  for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) {
    const int own = g->jac_col[e], other = conjugate(problem->n, own);
    if (mark[own] != i + 1) column[count++] = own;
    mark[own] = i + 1;
    for (int s = H->hess_ptr[other]; s < H->hess_ptr[other + 1]; s++) {
      const int col = H->hess_col[s];
      if (mark[col] != i + 1) column[count++] = col;
      mark[col] = i + 1;
    }
  }
  qsort(column, (size_t)count, sizeof *column, by_number);
  return count;
}

/* Entry of a column in a row. */
static int entry(const rattle__psi_rows *r, int row, int col) {
  int low = r->ptr[row], high = r->ptr[row + 1] - 1;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (r->col[middle] < col)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Counts (fill = 0) or writes (1) the products with H''; term_ptr[u+1] is where those of entry u go
 * next. */
static void terms(rattle__psi_rows *r, int fill) {
  const rattle__function *g = r->problem->g, *H = r->problem->H;
  for (int i = 0; i < r->m; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) {
      const int other = conjugate(r->n, g->jac_col[e]);
      for (int s = H->hess_ptr[other]; s < H->hess_ptr[other + 1]; s++) {
        const int u = entry(r, i, H->hess_col[s]), to = r->term_ptr[u + 1];
        if (fill) {
          r->term_J[to] = e;
          r->term_S[to] = s;
        }
        r->term_ptr[u + 1]++;
      }
    }
}

static void plan_terms(rattle__psi_rows *r, rattle__arena *arena) {
  r->term_ptr = rattle__arena_take(arena, ((size_t)r->nnz + 2) * sizeof(int));
  if (!r->term_ptr) return;
  terms(r, 0);
  int all = 0;
  for (int u = 0; u < r->nnz; u++) { /* counts into places where each begins, one further on */
    const int count = r->term_ptr[u + 1];
    r->term_ptr[u + 1] = all;
    all += count;
  }
  r->term_J = rattle__arena_take(arena, ((size_t)all + 1) * sizeof(int));
  r->term_S = rattle__arena_take(arena, ((size_t)all + 1) * sizeof(int));
  if (r->term_J && r->term_S) terms(r, 1);
}

static void plan_pattern(rattle__psi_rows *r, rattle__arena *arena, int *mark, int *column) {
  const rattle__function *g = r->problem->g;
  r->ptr = rattle__arena_take(arena, ((size_t)r->m + 1) * sizeof(int));
  if (!r->ptr) return;
  for (int i = 0; i < r->m; i++)
    r->ptr[i + 1] = r->ptr[i] + columns_of_row(r->problem, i, mark, column);
  r->nnz = r->ptr[r->m];
  r->col = rattle__arena_take(arena, ((size_t)r->nnz + 1) * sizeof(int));
  r->of_D = rattle__arena_take(arena, ((size_t)r->nnz + 1) * sizeof(int));
  if (!r->col || !r->of_D) return;
  memset(mark, 0, 2 * (size_t)r->n * sizeof *mark);
  for (int i = 0; i < r->m; i++) {
    const int count = columns_of_row(r->problem, i, mark, column);
    memcpy(r->col + r->ptr[i], column, (size_t)count * sizeof *column);
    for (int u = r->ptr[i]; u < r->ptr[i + 1]; u++) r->of_D[u] = -1;
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) r->of_D[entry(r, i, g->jac_col[e])] = e;
  }
  plan_terms(r, arena);
}

rattle_status rattle__psi_rows_create(rattle__psi_rows **rows, rattle__context *context,
                                      rattle_error *error) {
  const rattle_problem *problem = context->problem;
  rattle__arena *arena = &context->arena;
  rattle__psi_rows *r = rattle__arena_take(arena, sizeof *r);
  const size_t nz = 2 * (size_t)problem->n, nnz = (size_t)problem->g->jac_nnz;
  int *mark = calloc(2 * nz, sizeof *mark);
  *rows = r;
  if (!r || !mark) {
    free(mark);
    return rattle__no_memory(error);
  }
  *r = (rattle__psi_rows){.problem = problem, .n = problem->n, .m = problem->m};
  plan_pattern(r, arena, mark, mark + nz);
  free(mark);
  r->sign = rattle__arena_doubles(arena, nnz);
  r->D = rattle__arena_doubles(arena, nnz);
  r->X = rattle__arena_doubles(arena, nz);
  r->work = rattle__arena_doubles(arena, problem->g->work);
  r->room = rattle__arena_doubles(arena, 2 * nnz + 2 * nz);
  if (arena->failed) return rattle__no_memory(error);
  for (size_t e = 0; e < nnz; e++) r->sign[e] = problem->g->jac_col[e] < r->n ? 1 : -1;
  return RATTLE_OK;
}

void rattle__psi_values(const rattle__psi_rows *r, const double *J, const double *gradient,
                        double *psi, double *size) {
  const rattle__function *g = r->problem->g;
  for (int i = 0; i < r->m; i++) {
    psi[i] = size[i] = 0;
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) {
      const double term = r->sign[e] * J[e] * gradient[conjugate(r->n, g->jac_col[e])];
      psi[i] += term;
      size[i] += fabs(term);
    }
  }
}

double rattle__psi_of_rounding(const rattle__psi_rows *r, int i, const double *derivative,
                               const double *q, const double *p) {
  double sum = 0;
  for (int u = r->ptr[i]; u < r->ptr[i + 1]; u++) {
    const int c = r->col[u];
    if (!rattle__is_time(r->problem, c))
      sum += fabs(derivative[u] * (c < r->n ? q[c] : p[c - r->n]));
  }
  return sum;
}

rattle_status rattle__psi_derivative(rattle__psi_rows *r, const double *z, const double *J,
                                     const double *gradient, const double *S, double *derivative,
                                     rattle_error *error) {
  const rattle__function *g = r->problem->g;
  for (int i = 0; i < r->n; i++) {
    r->X[i] = gradient[r->n + i];
    r->X[r->n + i] = -gradient[i];
  }
  const int answer = rattle__function_along(g, z, r->X, r->D, r->work, r->room);
  if (answer) return rattle__callback_error(answer, "constraint", error);
  for (int u = 0; u < r->nnz; u++) {
    double sum = r->of_D[u] >= 0 ? r->D[r->of_D[u]] : 0;
    for (int t = r->term_ptr[u]; t < r->term_ptr[u + 1]; t++)
      sum += r->sign[r->term_J[t]] * J[r->term_J[t]] * S[r->term_S[t]];
    derivative[u] = sum;
  }
  return RATTLE_OK;
}
