#ifndef RATTLE__SPARSE_CURVE_H
#define RATTLE__SPARSE_CURVE_H
/* The curve of multipliers (curve.h) of many constraints that hang together by few coordinates
 * each, g quadratic and M diagonal, in time and memory linear in their number.
 *
 * Curve    F(lambda, t) = g(Q) - (1 - t) g(q0), Q = q0 + u, u = t d - t^2 a - W^T lambda, W = G0
 *          M^-1. From g(q0), G0 and B alone, with bounds: F = t g(q0) + G0 u + B(u, u)/2, G = G0 +
 *          B(u, .). J = -dF/dlambda = G W^T couples constraints that share a coordinate which
 *          moves
 * Frame    where a piece begins, at J1, S is made of windows: the core of a window is a few
 *          constraints, the window these and their neighbours, and the columns of S for the core
 *          are those of the inverse of J1 restricted to the window. With lambda = c(x) + S e, (*)
 *          is asked with C = 1 of X = J S, which is sparse, and about 1 at x = 0 but where a
 *          window ends: |F| is what it is, no product with an inverse. (*) says that X is regular,
 *          and so S is
 *          Why: along a taut chain lengths change as cosines of angles, J = D J1 with D diagonal,
 *          and J J1^-1 is D, whatever the condition of J1; J1^-1 J is not
 * Box      |u - u(c)| <= w = |S^T W|^T r for |e| <= r: F gets at most sum |B(., .)| w w, as
 *          T(r, r) in piece.h
 * r        by the comparison matrix of X, X_ii r_i - sum |X_ij| r_j = 1.1 max(f + T(r, r), X_ii
 *          known) (sparse_solve.c)
 * Joining  the next piece has another frame, S'. If lambda = root + S e = root + S' e', then J1 S'
 *          e' = J1 S e for the J1 there: the least e' with <J1 S'> e' > |J1 S| |e|, found by the
 *          same iteration, bounds it, <.> being the comparison matrix. A frame is kept until a
 *          piece is not proved. So is the distance of two
 *          points measured, |J1 (a - b)| on the right
 * Round-off  balls (ground/expr/ball.h); sums of numbers that are not negative by rattle__above */
#include "constraint/guard/curve.h"
#include "ground/linear/linear.h"
#include "ground/support/arena.h"

/* The rows of a core and of its window: a cost, no bound; any will do. */
enum { RATTLE__SPARSE_CORE = 8, RATTLE__SPARSE_WINDOW = 24 };

/* A product of an entry of J, in row `row` of a window's X, and of row `at` of its S. */
typedef struct rattle__sparse_term {
  int row, entry, at;
} rattle__sparse_term;

typedef struct rattle__sparse_window {
  int rows, core, reached, terms, columns, pushes;
  int *row;    /* of the window, ascending [rows] */
  int *own;    /* constraints of the core [core] */
  int *reach;  /* rows of X: of the window, and their neighbours [reached] */
  int *entry;  /* of J, restricted to the window, -1: none [rows][rows] */
  int *column; /* coordinates that the rows of the window move [columns] */
  rattle__sparse_term *term;
  rattle__sparse_term *push; /* of entries of W, to columns, in place of rows of X [pushes] */
  double *S;                 /* [rows][core] */
  int *place;                /* of H in the comparison matrix [reached][core] */
  double *H;                 /* |X|, but for the diagonal [reached][core] */
  double *V;                 /* |S^T W| [columns][core] */
  double *S_before, *V_before;
} rattle__sparse_window;

typedef struct rattle__sparse_curve {
  rattle__curve curve; /* first: n, m, d, a, g0, r, end, row and margin; without g, W and bent */
  int *row, *column;   /* of the problem, of each constraint [m] and coordinate [n] */
  int *ptr, *col;      /* the pattern of G */
  rattle__bend *bend;
  int bends, windows;
  rattle__sparse_window *window;
  double *mass;                 /* M^-1 [n] */
  rattle__linear *J;            /* for approximations */
  rattle__linear *X;            /* the comparison matrix of X */
  int *diagonal, is_factored;   /* where X_ii is in it [m] */
  int *term_ptr, *left, *right; /* J's entries are sums of G[left] W[right] */
  int roundings;                /* in sums of numbers that are not negative, at most */
  double t1, *s1;               /* where the piece begins */
  rattle__ball *G0, *W;         /* in the pattern of G */
  rattle__ball *G, *beside;     /* at the start of the piece; at another point */
  rattle__ball *u0, *u, *b1, *b2, *b3, *u1, *u2, *v, *w; /* [n] */
  rattle__ball *F, *F1, *k1, *ke, *k1e, *pa, *pb, *pc;   /* [m]; F1: at the start */
  rattle__ball *J1, *Je; /* J at the start of the piece; elsewhere */
  double *at, *by;       /* J at the points [4][entries]; a bound of what is off [entries] */
  double *least, *most;  /* X_ii [m] */
  double *f, *y, *sum, *x, *need; /* [m] */
  double *wide;                   /* [n] */
  double *room;                   /* of windows */
  int is_near;                    /* H bounds J S of where the piece begins, and is worth it */
} rattle__sparse_curve;

/* The components of g: constraints that coordinates with M^-1 != 0 join, each a curve of its own.
 * -1: no memory; 0. */
int rattle__sparse_curves(rattle__sparse_curve **curves, int *count, const rattle__quadratic *g,
                          const double *inverse_mass, rattle__arena *arena);
/* Frees the systems, which are not in the arena. */
void rattle__sparse_curves_release(rattle__sparse_curve *curves, int count);

/* A step: g and its derivatives at q0, M^-1, d and a, of the problem. */
typedef struct rattle__sparse_step {
  const rattle__quadratic *g;
  const rattle__ball *value, *G;
  const double *inverse_mass;
  const rattle__ball *d, *a;
} rattle__sparse_step;
void rattle__sparse_curve_begin(rattle__sparse_curve *c, const rattle__sparse_step *of);
/* The lambda [m] of which q1 of the problem is the end, as rattle__curve_multipliers: A0 lambda =
 * G0 (q0 + d - a - q1). */
void rattle__sparse_curve_multipliers(rattle__sparse_curve *c, const double *q0, const double *q1,
                                      double *lambda);
/* move = W^T lambda, and `wide` = |S^T W|^T known [n] */
void rattle__sparse_curve_move(rattle__sparse_curve *c, const double *lambda, const double *known,
                               rattle__ball *move, double *wide);

/* --- inside ----------------------------------------------------------------------------------- */

/* A point of the curve, to be found: u [n], G, F - level [m] and J. */
typedef struct rattle__sparse_point {
  rattle__ball *u, *G, *F, *J;
} rattle__sparse_point;
void rattle__sparse_look(rattle__sparse_curve *c, double t, const double *lambda,
                         const rattle__sparse_point *p);
/* u = drift d - kick a - W^T lambda */
void rattle__sparse_displace(const rattle__sparse_curve *c, rattle__ball drift, rattle__ball kick,
                             const double *lambda, rattle__ball *u);
/* G = from + B(u, .) */
void rattle__sparse_gradients(const rattle__sparse_curve *c, const rattle__ball *from,
                              const rattle__ball *u, rattle__ball *G);
void rattle__sparse_jacobian(const rattle__sparse_curve *c, const rattle__ball *G, rattle__ball *J);
/* to [m] = G v */
void rattle__sparse_along(const rattle__sparse_curve *c, const rattle__ball *G,
                          const rattle__ball *v, rattle__ball *to);
/* sum [m] += B(u, v) by */
void rattle__sparse_bend(const rattle__sparse_curve *c, const rattle__ball *u,
                         const rattle__ball *v, double by, rattle__ball *sum);
/* S, of J1. */
void rattle__sparse_find_frame(rattle__sparse_curve *c);
/* H, least and most, of X = J S with the J of `points` points in `at` and `by`. */
void rattle__sparse_find_X(rattle__sparse_curve *c, int points);
/* The same of J1 alone. */
void rattle__sparse_find_X1(rattle__sparse_curve *c);
/* to = H x, without the diagonal */
void rattle__sparse_times_H(const rattle__sparse_curve *c, const double *x, double *to);
/* wide [n] = |S^T W|^T x, as it is computed. */
void rattle__sparse_width(const rattle__sparse_curve *c, const double *x, double *wide);
/* x with X_ii x_i > need_i + sum |X_ij| x_j, which bounds all e with |X e| <= need; infinite where
 * none is found. */
/* The same by the factors of the comparison matrix alone; 0: it has none. */
int rattle__sparse_dominate(rattle__sparse_curve *c, const double *need, double *x);
void rattle__sparse_bound(rattle__sparse_curve *c, const double *need, double *x);
int rattle__sparse_prove(rattle__curve *curve, double t2, const double *c, const double *known);
#endif
