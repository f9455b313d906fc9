/* solver=gauss_jordan: Newton's method with a linear backend of its own, which inverts matrices. A
 * solver in one file. */
#include <stdlib.h>
#include <string.h>

#include "ground/linear/backend.h"
#include "method/notation/row.h"
#include "ground/support/error.h"

typedef struct inverse {
  double *A, *x; /* [A | its inverse], by rows [n * 2n]; [n] */
  char *turn;    /* [n] as rattle__linear.turns gives it */
} inverse;

static void subtract_row(double *to, const double *from, double factor, int count) {
  for (int j = 0; j < count; j++) to[j] -= factor * from[j];
}

static void swap_rows(double *a, double *b, int count) {
  for (int j = 0; j < count; j++) {
    const double t = a[j];
    a[j] = b[j];
    b[j] = t;
  }
}

static rattle_status factor(rattle__linear *a) {
  inverse *s = a->self;
  const int n = a->size, width = 2 * n;
  memset(s->A, 0, (size_t)n * (size_t)width * sizeof *s->A);
  for (int i = 0; i < n; i++) {
    s->A[i * width + n + i] = 1;
    for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++) s->A[i * width + a->col[e]] = a->value[e];
  }
  a->blame = -1;
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(s->A[i * width + k]) > fabs(s->A[p * width + k])) p = i;
    swap_rows(s->A + p * width, s->A + k * width, width);
    double *row = s->A + k * width, pivot = row[k];
    if (!(fabs(pivot) > rattle__tiny(n)) || !(fabs(pivot) <= DBL_MAX)) {
      a->blame = k;
      return RATTLE_SINGULAR;
    }
    s->turn[k] = (p != k) != (pivot < 0);
    for (int j = 0; j < width; j++) row[j] /= pivot;
    for (int i = 0; i < n; i++)
      if (i != k) subtract_row(s->A + i * width, row, s->A[i * width + k], width);
  }
  return RATTLE_OK;
}

static void turns(const rattle__linear *a, char *turn) {
  memcpy(turn, ((const inverse *)a->self)->turn, (size_t)a->size);
}

static void solve(rattle__linear *a, double *x) {
  inverse *s = a->self;
  const int n = a->size;
  for (int i = 0; i < n; i++) {
    s->x[i] = 0;
    for (int j = 0; j < n; j++) s->x[i] += s->A[i * 2 * n + n + j] * x[j];
  }
  memcpy(x, s->x, (size_t)n * sizeof *x);
}

static void destroy(rattle__linear *a) {
  inverse *s = a->self;
  free(s->A);
  free(s->x);
  free(s->turn);
  free(s);
}

static rattle_status init(rattle__linear *a, rattle_error *error) {
  const size_t n = (size_t)a->size;
  inverse *s = calloc(1, sizeof *s);
  if (!s) return rattle__no_memory(error);
  a->name = "gauss_jordan";
  a->factor = factor;
  a->solve = solve;
  a->turns = turns;
  a->destroy = destroy;
  a->self = s;
  s->A = calloc(2 * n * n + 1, sizeof *s->A);
  s->x = calloc(n + 1, sizeof *s->x);
  s->turn = calloc(n + 1, 1);
  return s->A && s->x && s->turn ? RATTLE_OK : rattle__no_memory(error);
}

const rattle__solver rattle__solver_gauss_jordan = {.general = init, .symmetric = init};
