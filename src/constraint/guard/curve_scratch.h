#ifndef RATTLE__CURVE_SCRATCH_H
#define RATTLE__CURVE_SCRATCH_H
/* Inside of curve.c and curve_piece.c: room for a piece, and products that both take. */
#include "constraint/guard/curve.h"

enum { RATTLE__CURVE_POINTS = 4 }; /* control points */

/* Room for a piece: the balls of curve.h's letters, and the numbers that piece.h asks for. */
typedef struct rattle__curve_scratch {
  rattle__ball *b0, *b1, *b2, *b3;        /* [n] */
  rattle__ball *u1, *u2, *v, *w;          /* [n]: from b0 to control points; b1 + 2 b2 + 3 b3 */
  rattle__ball *value;                    /* g(b0) [m] */
  rattle__ball *F, *k0, *k1, *ke, *k1e;   /* [m] */
  rattle__ball *pa, *pb, *pc;             /* [m] */
  rattle__ball *G, *beside;               /* in the pattern of g; at another point */
  rattle__ball *box, *rate, *second_rate; /* [n]: of a smooth g: Q, Q', Q'' along the piece */
  rattle__ball *first, *second, *last;    /* [n] */
  double *wide;                           /* a box of multipliers [m] */
  double t1, *s1;                         /* where the piece begins */
  double *J1;                             /* J there, about */
  double *R, *R_by;                       /* [RATTLE__CURVE_POINTS][m][m] */
  double *C, *T, *f, *f_end;
  double *near_F, *near_G; /* of rows that are divided, about */
  double *X, *X_by, *H, *trial, *work, *J, *at, *by, *x;
  int *which;
  void *block;
} rattle__curve_scratch;

/* q = drift d - kick a - W^T s */
void rattle__curve_displace(const rattle__curve *c, rattle__ball drift, rattle__ball kick,
                            const double *s, rattle__ball *q);
/* G_i v */
rattle__ball rattle__curve_along(const rattle__curve *c, const rattle__ball *G, int i,
                                 const rattle__ball *v);
/* b1, b2, b3 of a piece of that way from t1, with the coefficients `by` [4][m], and what follows
 * from them: u1, u2, v, w */
void rattle__curve_find_way(rattle__curve *c, double t1, rattle__ball way, const double *by);
/* The piece of the matrices found last. */
struct rattle__piece;
struct rattle__piece rattle__curve_piece(rattle__curve *c, int points, const double *known);
/* The row that is missed by most in the box tried last, or in its reflection. */
void rattle__curve_find_missed_row(rattle__curve *c, const struct rattle__piece *p);
/* sum [m] += B(u, v) by */
void rattle__curve_bend(const rattle__curve *c, const rattle__ball *u, const rattle__ball *v,
                        double by, rattle__ball *sum);
#endif
