#ifndef RATTLE__CURVE_H
#define RATTLE__CURVE_H
/* The curve of multipliers of a step of SHAKE or RATTLE with one drift, for natural H with diagonal
 * M and quadratic g, and the row test (piece.h) on pieces of it.
 *
 * Curve    F(s, t) = g(Q(s, t)) - (1 - t) g(q0), Q = q0 + t d - t^2 a - W^T s, for steps t h with
 *          t from 0 to 1: d = h d1 M^-1 p0, a = h^2 d1 k1 M^-1 V_q(q0), W = G0 M^-1. The level
 *          (1 - t) g(q0) makes s = 0 a root at t = 0 where q0 is off the manifold by round-off
 * Piece    t = t1 + x (t2 - t1), c(x) = c0 + c1 x + c2 x^2. Q = b0 + b1 x + b2 x^2 is a Bezier
 *          curve with control points b0, b0 + b1/2, b0 + b1 + b2, and J = -dF/ds = G(Q) W^T is
 *          affine in Q: (*) is asked at these three. With k0 = F at x = 0, ke that at x = 1, k1 =
 *          dF/dx at x = 0, k3 = B(b1, b2), k4 = B(b2, b2)/2
 *
 *              F = (1 - x^2) k0 + x^2 ke + x (1 - x) k1 - x^2 (1 - x) k3 - x^2 (1 - x^2) k4,
 *
 *          so that f = max(|C k0|, |C ke|) + |C k1|/4 + 4/27 |C k3| + |C k4|/4
 * Round-off  all numbers but those given are balls (ground/expr/ball.h) */
#include "ground/expr/quadratic.h"

typedef struct rattle__curve {
  const rattle__quadratic *g;
  int n, m;
  /* of the step, set by rattle__curve_begin */
  rattle__ball *q0, *d, *a; /* [n] */
  rattle__ball *W;          /* [m][n] */
  rattle__ball *g0;         /* g(q0) [m] */
  rattle__ball *bent;       /* B_i(W_j, W_k) [m][m][m] */
  /* of the last piece */
  double *r, *end; /* [m]: its box; how far the root at its end may be from c(1) */
  struct rattle__curve_scratch *scratch;
} rattle__curve;

rattle__curve *rattle__curve_create(const rattle__quadratic *g);
void rattle__curve_destroy(rattle__curve **curve);

/* After q0, d and a have been set: what follows from them and from M^-1 [n]. */
void rattle__curve_begin(rattle__curve *curve, const double *inverse_mass);

/* From here on pieces begin at (s, t); slope [m]: ds/dt there, about. */
void rattle__curve_start(rattle__curve *curve, double t, const double *s, double *slope);

/* True if (*) holds on a piece from there to t2, with the root at its start within `known` of c[0]
 * = s: c [3][m]. Then r and end are there. */
int rattle__curve_prove(rattle__curve *curve, double t2, const double *c, const double *known);

/* One correction of Newton's iteration at (s, t), J ds = F, by what is known where pieces begin;
 * no proof. */
void rattle__curve_correction(rattle__curve *curve, double t, const double *s, double *ds);

/* The s [m] of which q1 [n] is the end, as well as q1 knows it: A0 s = G0 (q0 + d - a - q1). Pieces
 * begin at (0, 0) after it. */
void rattle__curve_multipliers(rattle__curve *curve, const double *q1, double *s);

/* Q(s, 1) [n] */
void rattle__curve_point(const rattle__curve *curve, const double *s, rattle__ball *q);
#endif
