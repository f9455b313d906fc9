#ifndef RATTLE__CURVE_H
#define RATTLE__CURVE_H
/* The curve of multipliers of a step of SHAKE or RATTLE with one drift, for natural H, and the row
 * test (piece.h) on pieces of it.
 *
 * Curve    F(s, t) = g(x(s, t)) - (1 - t) g(x0), x = x0 + t d - t^2 a - W^T s, for steps t h with t
 *          from 0 to 1; g and x are those of rows_of_step.h. With constraints on coordinates
 *          alone, x is Q, d = h d1 M^-1 p0, a = h^2 d1 k1 M^-1 V_q(q0), W = P G0 M^-1. The level
 *          (1 - t) g(x0) makes s = 0 a root at t = 0 where q0 is off the manifold by round-off.
 *          P, any regular matrix, is about L^-1 of G0 M^-1 G0^T = L L^T: multipliers h^2 lambda =
 *          P^T s are counted along orthonormal normals, so that boxes of s fit constraints that
 *          nearly depend on each other
 * Piece    t = t1 + x (t2 - t1), c(x) = c0 + c1 x + c2 x^2 + c3 x^3. Q = b0 + b1 x + b2 x^2 + b3
 *          x^3 is a Bezier curve with control points b0, b0 + b1/3, b0 + (2 b1 + b2)/3, b0 + b1 +
 *          b2 + b3, and J = -dF/ds = G(Q) W^T is affine in Q: (*) is asked at these four. F has
 *          degree 6 in x; with the cubic H that has its values k0, ke and slopes k1, k1e at x = 0
 *          and 1
 *
 *              F = H + x^2 (1 - x)^2 p,  p = k4 + 2 k5 + 3 k6 + (k5 + 2 k6) x + k6 x^2,
 *              k4 = B(b1, b3) + B(b2, b2)/2,  k5 = B(b2, b3),  k6 = B(b3, b3)/2.
 *
 *          p is a mean of pa = k4 + 2 k5 + 3 k6, pb = k4 + 5/2 k5 + 4 k6, pc = k4 + 3 k5 + 6 k6, so
 *          that f = max(|C k0|, |C ke|) + 4/27 (|C k1| + |C k1e|) + max(|C pa|, |C pb|, |C pc|)/16
 * Smooth g (curve_smooth.c): over a box that holds the piece and r, J is in one matrix with bounds,
 *          and of F, the second derivative along the piece, F'' = B(Q', Q') + G Q'', is: f =
 *          max(|C k0|, |C ke|) + |C F''|/8, and (*) is asked once
 * Round-off  all numbers but those given are balls (ground/expr/ball.h) */
#include "constraint/guard/rows_of_step.h"

typedef struct rattle__curve rattle__curve;

/* How a curve of that kind is followed (track.h): the functions below, or those of
 * sparse_curve.h. */
typedef struct rattle__curve_kind {
  /* As rattle__curve_start; `known` [m], if it is not NULL, is how far the root may be from s, by
   * the box of the piece before, and becomes that by boxes of pieces from here on. */
  void (*start)(rattle__curve *curve, double t, const double *s, double *known, double *slope);
  int (*prove)(rattle__curve *curve, double t2, const double *c, const double *known);
  void (*correction)(rattle__curve *curve, double t, const double *s, double *ds);
  void (*slope)(rattle__curve *curve, double t, const double *s, double *ds);
  /* How far x may be from the sum of `parts` vectors c [parts][m], by the box that holds both. */
  void (*distance)(rattle__curve *curve, const double *c, int parts, const double *x, double *off);
  /* True if 0 is farther from s than `known`. */
  int (*is_apart)(rattle__curve *curve, const double *s, const double *known);
  double (*smallest)(const rattle__curve *curve);
} rattle__curve_kind;

/* An entry of W that is not 0. */
typedef struct rattle__curve_move {
  int row;
  rattle__ball by;
  double size; /* at least |by| */
} rattle__curve_move;

struct rattle__curve {
  const rattle__curve_kind *kind;
  rattle__rows_of_step *g;
  int n, m; /* coordinates x; equations */
  /* of the step, set by the caller but for P and what follows from them */
  rattle__ball *q0, *d, *a; /* x0, ... [n] */
  rattle__ball *W;          /* [m][n] */
  int *first;               /* the first entry of each column of W [n + 1] */
  rattle__curve_move *move;
  rattle__ball *g0;   /* g(q0) [m] */
  rattle__ball *bent; /* B_i(W_j, W_k) [m][m][m] */
  /* of the last piece */
  double *r, *end; /* [m]: its box; how far the root at its end may be from c(1) */
  int row;         /* not proved: the row of (*) that is missed by most, and by how much, */
  double margin;   /* X_ii r_i - sum - f_i, in parts of |X_ii| r_i, in the box tried last */
  struct rattle__curve_scratch *scratch;
};

rattle__curve *rattle__curve_create(rattle__rows_of_step *g);
void rattle__curve_destroy(rattle__curve **curve);

/* After q0 has been set: g0, and the derivatives of g there, in its pattern. */
const rattle__ball *rattle__curve_gradients(rattle__curve *curve);
/* After W, for P = 1: q0 moves along W until g0 is about 0, where g is linear along W at t = 0: the
 * same ends Q(s, 1), with multipliers from another origin. */
void rattle__curve_settle(rattle__curve *curve);
/* After d, a and W, for P = 1, have been set too: W for P, and what follows. */
void rattle__curve_begin(rattle__curve *curve);

/* From here on pieces begin at (s, t); slope [m]: ds/dt there, about. */
void rattle__curve_start(rattle__curve *curve, double t, const double *s, double *slope);

/* True if (*) holds on a piece from there to t2, with the root at its start within `known` of c[0]
 * = s: c [4][m]. Then r and end are there. */
int rattle__curve_prove(rattle__curve *curve, double t2, const double *c, const double *known);
/* The same where g is smooth and not quadratic, g->varies. */
int rattle__curve_prove_smooth(rattle__curve *curve, double t2, const double *c,
                               const double *known);

/* One correction of Newton's iteration at (s, t), J ds = F, by what is known where pieces begin;
 * no proof. */
void rattle__curve_correction(rattle__curve *curve, double t, const double *s, double *ds);
/* The same for ds/dt. */
void rattle__curve_slope(rattle__curve *curve, double t, const double *s, double *ds);

/* The s [m] of which x1 [n] is the end, as well as x1 knows it: G0 W^T s = G0 (x0 + d - a - x1).
 * Pieces begin at (0, 0) after it. */
void rattle__curve_multipliers(rattle__curve *curve, const double *x1, double *s);

/* The smallest singular value of J where pieces begin; NaN without memory. J is 1 at t = 0. */
double rattle__curve_smallest(const rattle__curve *curve);

/* Q(s, 1) [n] */
void rattle__curve_point(const rattle__curve *curve, const double *s, rattle__ball *q);
/* q becomes that of all s within `known` [m]. */
void rattle__curve_widen(const rattle__curve *curve, const double *known, rattle__ball *q);
#endif
