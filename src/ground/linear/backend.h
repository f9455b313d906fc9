#ifndef RATTLE__BACKEND_H
#define RATTLE__BACKEND_H
/* Interface of the backends of linear systems: each `init` is given a system with size, nnz, ptr,
 * col, value and symmetric set, and sets name, factor, solve, turns, log_size, destroy and self. On
 * failure self is NULL. */
#include "ground/linear/linear.h"

/* A system without a backend: checks and copies the pattern, every diagonal entry added. */
rattle_status rattle__linear_allocate(rattle__linear **a, int size, const int *ptr, const int *col,
                                      int symmetric, rattle_error *error);
rattle_status rattle__dense_init(rattle__linear *a, rattle_error *error);
rattle_status rattle__tridiagonal_init(rattle__linear *a, rattle_error *error);
rattle_status rattle__ldl_init(rattle__linear *a, rattle_error *error);
rattle_status rattle__klu_init(rattle__linear *a, rattle_error *error);

/* The functions of a backend. */
typedef struct rattle__calls {
  const char *name;
  rattle_status (*factor)(rattle__linear *a);
  void (*solve)(rattle__linear *a, double *x);
  void (*turns)(const rattle__linear *a, char *turn);
  double (*log_size)(const rattle__linear *a);
  void (*destroy)(rattle__linear *a);
} rattle__calls;

/* Gives a system its backend, with the state that `destroy` frees. */
static inline void rattle__linear_take(rattle__linear *a, const rattle__calls *calls, void *self) {
  a->name = calls->name;
  a->factor = calls->factor, a->solve = calls->solve;
  a->turns = calls->turns, a->log_size = calls->log_size;
  a->destroy = calls->destroy;
  a->self = self;
}

/* The end of an init: a failure leaves no state. */
static inline rattle_status rattle__linear_made(rattle__linear *a, rattle_status status) {
  if (status) {
    a->destroy(a);
    a->self = NULL;
  }
  return status;
}

/* How backends with pivots treat a matrix that seems singular, or any matrix where `equilibrate`
 * is 1. Rows and columns are scaled by powers of two: if units differ by more than the digits of
 * a number, pivots of the unscaled matrix are wrong, or seem to vanish. A small pivot is accepted
 * if the matrix, judged by its distance from singular ones, is regular. */
typedef struct rattle__scaling {
  int on;                  /* 1: the factors are those of the scaled matrix */
  double tiny;             /* the largest pivot, relative to the entries of its row and column,
                              that counts as zero */
  double *row, *column;    /* [size] */
  double *value, *scratch; /* the matrix as it was [nnz]; scratch [4 size] */
} rattle__scaling;

rattle_status rattle__scaling_init(rattle__scaling *scaling, const rattle__linear *a,
                                   rattle_error *error);
void rattle__scaling_free(rattle__scaling *scaling);
/* A as it is, by plain(a), which asks `tiny` of the scaling, or scaled where that finds it singular
 * or a->equilibrate is 1; as `factor` of a system. */
rattle_status rattle__factor_scaled(rattle__linear *a, rattle__scaling *scaling,
                                    rattle_status (*plain)(rattle__linear *a));
/* b before, and x after a solve with those factors. */
static inline void rattle__scale(const rattle__linear *a, const double *factors, double *x) {
  for (int i = 0; i < a->size; i++) x[i] *= factors[i];
}

/* The logarithm of the determinant of the scaling; 0 if A was not scaled. */
double rattle__scaling_log(const rattle__linear *a, const rattle__scaling *scaling);

/* True if A, whose factors a->solve uses, stays regular when each entry changes by `relative` of
 * itself. v[size], all positive: a first guess; scratch [3 size]. False also if this was not shown
 * within the rounds, or A is too large. */
int rattle__regular_nearby(rattle__linear *a, double relative, double *v, double *scratch);
#endif
