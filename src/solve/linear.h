#ifndef RATTLE__LINEAR_H
#define RATTLE__LINEAR_H
/* Linear systems A x = b of fixed pattern: analyse once, then factor / solve many times without allocating.
 *
 * Backends: dense (own LU with partial pivoting for size <= 30, LAPACK dgetrf above), tridiagonal (LU with partial pivoting
 * inside the band), ldl (SuiteSparse AMD + LDL, symmetric values only), klu (SuiteSparse KLU, any). */
#include "rattle/status.h"

typedef enum rattle__backend {
  RATTLE__LINEAR_AUTO, /* by size and pattern: tridiagonal where the pattern is, dense up to 30 (or nearly full), then
                          ldl where symmetric, else klu */
  RATTLE__LINEAR_DENSE,
  RATTLE__LINEAR_TRIDIAGONAL,
  RATTLE__LINEAR_LDL,
  RATTLE__LINEAR_KLU
} rattle__backend;

typedef struct rattle__linear rattle__linear;
struct rattle__linear {
  int size, nnz;
  const int *ptr, *col; /* pattern: compressed rows, columns ascending, the diagonal always present; owned by the system */
  double *value;        /* [nnz] of A, filled by the caller before factor; factor does not change it */
  int symmetric;        /* the values are symmetric (the pattern is full all the same) */
  int blame;            /* row of the pivot that was zero or not finite when factor failed, else -1 */
  const char *name;     /* "dense", "tridiagonal", "ldl", "klu" */

  /* 0, or nonzero where A is singular to working precision or not finite */
  int (*factor)(rattle__linear *a);
  /* x[size]: b in, A^-1 b out */
  void (*solve)(rattle__linear *a, double *x);
  void (*destroy)(rattle__linear *a);
  void *self;
};

rattle_status rattle__linear_create(rattle__linear **a, int size, const int *ptr, const int *col, int symmetric,
                                    rattle__backend backend, rattle_error *error);
void rattle__linear_destroy(rattle__linear **a);

/* Smallest singular value and condition number of the matrix in `value`: LAPACK dgesdd up to size 500, above that 1-norm
 * estimates (Higham's) with the factors of a, which this call computes. */
rattle_status rattle__linear_condition(rattle__linear *a, double *smallest, double *condition, rattle_error *error);

/* The coupling matrix C = A B^T for two sparse matrices of the same pattern (rows x vars, compressed rows), the rows of B being
 * scaled column by column beforehand as needed (B = G M^-1): C_ij = sum_k A_ik B_jk. Pattern and index lists are made once. */
typedef struct rattle__coupling {
  int rows, nnz;
  int *ptr, *col;            /* pattern of C, diagonal always present */
  int *term_ptr, *left, *right; /* C value e is the sum over t in [term_ptr[e], term_ptr[e+1]) of A[left[t]] * B[right[t]] */
} rattle__coupling;
rattle_status rattle__coupling_create(rattle__coupling **c, int rows, int vars, const int *ptr, const int *col,
                                      rattle_error *error);
void rattle__coupling_destroy(rattle__coupling **c);
void rattle__coupling_assemble(const rattle__coupling *c, const double *A, const double *B, double *value);
#endif
