#ifndef RATTLE__REDUNDANT_H
#define RATTLE__REDUNDANT_H
/* Constraints g(q) that may depend on each other: points of their manifold, and which of them are
 * independent there. */
#include "problem/model/model.h"
#include "ground/support/arena.h"
#include "ground/support/function.h"

/* The part of a row outside of which there are zeros, which sums leave out. */
typedef struct rattle__reach {
  int from, to;
} rattle__reach;
rattle__reach rattle__reach_of(const double *row, int n);
/* The sum over what two rows share, in the order of all of it. */
double rattle__reach_dot(const double *a, rattle__reach of_a, const double *b, rattle__reach of_b);
/* a <- a - part b, and its extent. */
void rattle__reach_subtract(double *a, rattle__reach *of_a, double part, const double *b,
                            rattle__reach of_b);

/* Rows of G are taken in units of the masses, by columns scaled with w_k = (H_pp)_kk^(1/2), and of
 * length 1. */
typedef struct rattle__spans {
  const rattle_model *model;
  rattle__function *g;
  int n, m;
  double *q, *w;            /* [n] the point */
  int holding;              /* 1: columns of coordinates that are held are 0 */
  double *r, *length;       /* [m] g over the length of its row; that length */
  double *A, *Q;            /* [m*n] rows of length 1; orthonormal ones [n*n] */
  double *J, *C, *y, *work; /* [nnz], [m*m], [n] */
  rattle__reach *extent;    /* [n] of the rows of Q */
  unsigned char *kept;      /* [m] rows that are independent of those before */
  double most_dropped;      /* what is left of a row that is not kept, at most */
  double size;              /* of the coordinates, in those units */
  rattle__arena arena;
} rattle__spans;

/* Rows of a model whose constraints depend on coordinates only, at its start. Call
 * rattle__spans_destroy in any case. */
rattle_status rattle__spans_create(rattle__spans *rows, const rattle_model *model,
                                   rattle_error *error);
void rattle__spans_destroy(rattle__spans *rows);
/* g and its rows at q; the largest |g| in those units, over `size`. RATTLE_DOMAIN where they are
 * not finite. */
rattle_status rattle__spans_at(rattle__spans *rows, double *most, int *worst, rattle_error *error);
/* q onto g = 0, where `holding` without moving coordinates that are held, whether or not rows
 * depend on each other. RATTLE_BAD_MODEL names the constraint that stays. */
rattle_status rattle__spans_project(rattle__spans *rows, rattle_error *error);
/* kept[i]: the part of row i that is independent of the rows kept before is longer than threshold;
 * of those among[] only, unless it is NULL. Returns how many are kept; the first rows of Q are an
 * orthonormal basis. */
int rattle__spans_independent(rattle__spans *rows, double threshold, const unsigned char *among);

/* selection.c: which rows are kept, from what all rows are at several places [places*m*n];
 * kept[m]. */
typedef struct rattle__selection {
  int m, n, places, room;
  double *rows;
  unsigned char *kept;
} rattle__selection;
rattle_status rattle__selection_create(rattle__selection *choice, const rattle__spans *rows,
                                       int places, rattle_error *error);
void rattle__selection_destroy(rattle__selection *choice);
/* Selects so many rows, whose volume vanishes nowhere between places, and is as large at its worst
 * place as exchanges make it. */
rattle_status rattle__select(rattle__selection *choice, int count, rattle_error *error);
#endif
