#ifndef RATTLE__DIVIDED_H
#define RATTLE__DIVIDED_H
/* Divided differences with bounds: D(v, t) = (F(q + t v) - F(q))/t, which is F'(q) v at t = 0 and
 * as smooth there as anywhere, of the real function that the programs of F write down.
 *
 * Method   the programs are executed on (a, b, D), a and b being values at q and at q + t v, and D
 *          their difference over t: by the rules
 *
 *              D(xy) = Dx y_b + x_a Dy,  D(x/y) = (Dx - (x/y)_a Dy)/y_b,
 *              D sqrt x = Dx/(sqrt x_b + sqrt x_a),  D sin x = Dx cos((x_a + x_b)/2) sinc((x_b -
 *              x_a)/2), sinc y = sin y/y,
 *
 *          and likewise for the others, nothing is divided by t. q is constant; b and D have
 *          derivatives by v and t */
#include "ground/expr/quadratic.h"

typedef struct rattle__divided {
  rattle__quadratic *q; /* programs, and the pattern of F' */
  int rows, vars;
  int *ptr, *col; /* of the derivatives of D: rows compressed, the columns of v, then vars for t */
  rattle__ball_programs programs;
} rattle__divided;

/* 0; 1: f is not by sums, products, quotients and functions of ball_functions.h; -1: no memory. */
int rattle__divided_create(rattle__divided **d, const rattle__function *f);
void rattle__divided_destroy(rattle__divided **d);

/* A way through the balls (v [vars], t), with first and second derivatives. */
typedef struct rattle__divided_way {
  const rattle__ball *v, *rate, *second;
  rattle__ball t, t_rate, t_second;
} rattle__divided_way;

/* D [rows], F(q) [rows] and the derivatives of D [ptr[rows]]; NULL: not wanted; of all points in
 * the balls q [vars], v and t of the way. */
void rattle__divided_at(const rattle__divided *d, const rattle__ball *q,
                        const rattle__divided_way *way, rattle__ball *D, rattle__ball *F,
                        rattle__ball *G);
/* The same at a point, about. */
typedef struct rattle__divided_point {
  const double *q, *v, *t;
} rattle__divided_point;
void rattle__divided_near(const rattle__divided *d, const rattle__divided_point *point, double *D,
                          double *F, double *G);
/* D'' [rows] of all such ways. */
void rattle__divided_second(const rattle__divided *d, const rattle__ball *q,
                            const rattle__divided_way *way, rattle__ball *D);
#endif
