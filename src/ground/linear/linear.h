#ifndef RATTLE__LINEAR_H
#define RATTLE__LINEAR_H
/* Linear systems A x = b of fixed pattern: analyse once, then factor / solve many times without
 * allocating.
 *
 * Backends: dense (LU with partial pivoting), tridiagonal (LU with partial pivoting inside the
 * band, from both ends at once), ldl (SuiteSparse AMD + LDL, symmetric values only; a matrix that
 * is not definite goes to klu), klu (SuiteSparse KLU, any).
 *
 * Factors and solutions are pure functions of the values alone: never of what was factored before,
 * nor of the number of threads. Only klu's second attempt allocates; see
 * docs/decisions/003-klu-purity.md.
 *
 * "Singular to working precision": a pivot not larger than eps * min(size + 8, 32) times the
 * smaller of the largest entries of its row and of its column, a measure that scaling rows or
 * columns does not change. */
#include "rattle/status.h"
#include "ground/support/larger.h"

#include <float.h>
#include <math.h>

typedef enum rattle__backend {
  RATTLE__LINEAR_AUTO, /* by size and pattern: dense up to 3, tridiagonal where the pattern is,
                          dense up to 30 (not symmetric: up to 15) or half full, then ldl if
                          symmetric, else klu */
  RATTLE__LINEAR_DENSE,
  RATTLE__LINEAR_TRIDIAGONAL,
  RATTLE__LINEAR_LDL,
  RATTLE__LINEAR_KLU
} rattle__backend;

typedef struct rattle__linear rattle__linear;
struct rattle__linear {
  int size, nnz;
  const int *ptr,
      *col; /* pattern: compressed rows, columns ascending, the diagonal always present; owned by
               the system */
  double *value;   /* [nnz] of A, filled by the caller before factor; factor does not change it */
  int symmetric;   /* the values are symmetric (the pattern is full all the same) */
  int multipliers; /* the last so many unknowns are those of a saddle point: their pivots may
                      vanish before all others are eliminated */
  int equilibrate; /* 1: dense and klu choose pivots that do not depend on the units of rows and
                      columns, at about the price of another factor */
  int blame; /* row of the pivot that was zero or not finite when A was found singular, else -1 */
  const char *name; /* "dense", "tridiagonal", "ldl", "klu" */

  /* RATTLE_SINGULAR: A is singular to working precision or not finite; RATTLE_NO_MEMORY: nothing is
   * known of A */
  rattle_status (*factor)(rattle__linear *a);
  /* x[size]: b in, A^-1 b out */
  void (*solve)(rattle__linear *a, double *x);
  /* turn [size]: for each column 1, else 0, where its pivot or an exchange there turns the sign of
   * the determinant of the matrix last factored, and of its part that hangs together */
  void (*turns)(const rattle__linear *a, char *turn);
  /* the logarithm of its size */
  double (*log_size)(const rattle__linear *a);
  /* of a symmetric one: 1, all its eigenvalues are positive; -1, negative; 0, not known. NULL:
   * never known */
  int (*definite)(const rattle__linear *a);
  void (*destroy)(rattle__linear *a);
  double *spare; /* [2 size] of backends whose pivots are not the largest, so that solutions lose
                digits; else NULL */
  char *turn;    /* [size] scratch */
  int *part;     /* [size] the least unknown that hangs together with each; NULL: not watched */
  char
      *expected; /* [size] with parts: turns, as of `turn`, that are expected of them; 0 at first */
  void *self;
};

rattle_status rattle__linear_create(rattle__linear **a, int size, const int *ptr, const int *col,
                                    int symmetric, rattle__backend backend, rattle_error *error);
/* The same by a backend's init (backend.h), NULL: by size and pattern. */
typedef rattle_status rattle__init(rattle__linear *a, rattle_error *error);
rattle_status rattle__linear_create_by(rattle__linear **a, int size, const int *ptr, const int *col,
                                       int symmetric, rattle__init *init, rattle_error *error);
/* Saddle points: stages or momenta, then multipliers. klu eliminates these last, where that takes
 * no more than a few times the work. */
typedef struct rattle__saddle {
  int size, multipliers;
  const int *ptr, *col; /* as in rattle__linear; the diagonal may be absent */
} rattle__saddle;
rattle_status rattle__linear_create_saddle(rattle__linear **a, const rattle__saddle *saddle,
                                           rattle__init *init, rattle_error *error);
void rattle__linear_destroy(rattle__linear **a);
/* The sign of the determinant of the matrix last factored: 1 or -1. */
int rattle__linear_sign(const rattle__linear *a);
/* For what follows, once: parts are what hangs together by the pattern, and determinants are
 * expected to be positive. */
rattle_status rattle__linear_watch_parts(rattle__linear *a, rattle_error *error);
/* Parts are what hangs together by the values at hand, `afresh` or in addition to the parts before:
 * for the backend dense, in which elimination keeps zeros. */
void rattle__linear_part_by_values(rattle__linear *a, int afresh);
/* Unknowns `first` + i hang together, too, where the pattern of another system joins its i. */
void rattle__linear_join_parts(rattle__linear *a, int first, const rattle__linear *other);
/* The determinants of parts are expected to have the signs of the factored matrix `other` (NULL:
 * positive ones), whose unknown i belongs to the part of unknown `first` + i (join_parts); where
 * `negative` is 1, of its product with -1, for `count` unknowns. */
void rattle__linear_expect(rattle__linear *a, int first, int count, const rattle__linear *other,
                           int negative);
/* They are expected to have the signs of the matrix last factored. */
void rattle__linear_expect_these(rattle__linear *a);
/* How many parts have another sign than expected. */
int rattle__linear_turned(const rattle__linear *a);
/* 1: none, else -1. */
int rattle__linear_side(const rattle__linear *a);
/* x: b in, A^-1 b out, to all digits that the condition of A leaves: a solution that has lost some
 * is refined once by its residual. */
void rattle__linear_solve_well(rattle__linear *a, double *x);

/* The largest pivot that counts as zero, relative to the size of the terms that it is the sum
 * of. */
static inline double rattle__tiny(int size) {
  return DBL_EPSILON * (size < 24 ? size + 8 : 32);
}

/* True if the pivot is finite, with a finite inverse, and more than round-off of entries as large
 * as `largest`. */
static inline int rattle__good_pivot(double pivot, double inverse, double largest, double tiny) {
  return fabs(pivot) > tiny * largest && fabs(pivot) <= DBL_MAX && fabs(inverse) <= DBL_MAX;
}

/* Solves a dense system of size 1 or 2, A[size*size] by rows, x[size]: b in, solution out; the same
 * bits as the dense backend. Nonzero, x untouched, where A is singular to working precision or not
 * finite. */
static inline int rattle__solve_small(int size, const double *A, double *x) {
  if (size == 1) {
    if (!(fabs(A[0]) <= DBL_MAX) || A[0] == 0) return 1;
    x[0] /= A[0];
    return 0;
  }
  const int k = fabs(A[2]) > fabs(A[0]); /* the pivot row */
  const double *u = A + 2 * k, *v = A + 2 - 2 * k;
  const double r = 1 / u[0], l = v[0] * r, d = v[1] - l * u[1], s = 1 / d;
  const double terms = rattle__larger(fabs(v[1]), fabs(l * u[1]));
  if (!rattle__good_pivot(u[0], r, 0, 0) || !rattle__good_pivot(d, s, terms, rattle__tiny(2)))
    return 1;
  const double y = x[k], x1 = (x[1 - k] - l * y) * s;
  x[0] = (y - u[1] * x1) * r;
  x[1] = x1;
  return 0;
}

/* Entries of A^-1 at the places of the pattern of A, Z [nnz], for a system of the backend ldl, with
 * the factors of its last matrix: as many operations as these took (Takahashi, Fagan and Chen
 * 1973). room [rattle__ldl_inverse_room]. Nonzero: A is not definite. */
size_t rattle__ldl_inverse_room(const rattle__linear *a);
int rattle__ldl_inverse(const rattle__linear *a, double *Z, double *room);

/* Smallest singular value and condition number of the matrix in `value`: singular values up to size
 * 500, above that 1-norm estimates (Hager's and Higham's) with the factors of a, which this call
 * computes. A singular matrix gives 0 and infinity, one that is not finite, or of size 0, NaN. */
rattle_status rattle__linear_condition(rattle__linear *a, double *smallest, double *condition,
                                       rattle_error *error);

/* Smallest and largest singular value of a symmetric matrix, to about 1 per cent, without
 * allocating. The smallest belongs to the matrix last factored, and v[size] becomes its vector (of
 * length 1); the largest belongs to `value`; v[size], w[size] scratch. */
double rattle__linear_smallest(rattle__linear *a, double *v);
double rattle__linear_largest(const rattle__linear *a, double *v, double *w);

/* radius.c: the largest modulus of the eigenvalues of w = A v on the invariant space of v =
 * start[size], to about 1 per cent if that has more than 32 dimensions; 0 if A is nilpotent to
 * within round-off; NaN if the map answers with other than 0. */
typedef int rattle__linear_map(void *self, const double *v, double *w);
rattle_status rattle__spectral_radius(int size, rattle__linear_map *map, void *self,
                                      const double *start, double *radius, rattle_error *error);

/* The coupling matrix C = A B^T for two sparse matrices of the same pattern (rows x vars,
 * compressed rows), the rows of B being scaled column by column beforehand as needed (B = G M^-1):
 * C_ij = sum_k A_ik B_jk. Pattern and index lists are made once. */
typedef struct rattle__stretch {
  int first,
      last; /* rows first .. last-1 of C have one index list, moved by `shift` for each row */
  int shift;
  int list; /* entry e of row `first` is the sum over t in [term_ptr[list+e], term_ptr[list+e+1])
               of A[left[t]] * B[right[t]] */
} rattle__stretch;

typedef struct rattle__coupling {
  int rows, nnz;
  int *ptr, *col; /* pattern of C, diagonal always present */
  rattle__stretch
      *stretch; /* all rows in order: a chain has long ones, whose index lists are short and stay
                  in the cache */
  int *term_ptr, *left, *right; /* the index lists of stretches */
  int stretches;
} rattle__coupling;
rattle_status rattle__coupling_create(rattle__coupling **c, int rows, int vars, const int *ptr,
                                      const int *col, rattle_error *error);
void rattle__coupling_destroy(rattle__coupling **c);
void rattle__coupling_assemble(const rattle__coupling *c, const double *A, const double *B,
                               double *value);
#endif
