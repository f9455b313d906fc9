#ifndef RATTLE__GONZALEZ_H
#define RATTLE__GONZALEZ_H
/* Discrete gradients along the chord of a step, and their weighted sum.
 *
 * Symbols  d = z1 - z0, z the middle; DF = F'(z) + e R/e.d with R = F(z1) - F(z0) - F'(z).d, so
 *          that DF.d = F(z1) - F(z0); e = W d with a diagonal metric W, which is 0 at the momentum
 *          p_t of the time, whose discrete derivative of H is then 1 and of constraints 0: t1 = t0
 *          + h
 * Source   O. Gonzalez, J. Nonlinear Sci. 6 (1996) 449
 * Shapes   [2n]; a row holds F' in its columns */
#include "ground/support/function.h"
#include "constraint/step/context.h"

/* Bounds of the rounding of values of f at the start of a step, by its operations: of cancellation
 * inside f, which neither values nor slopes show. other: T(p), where H = V(q) + T(p) and f is V. */
typedef struct rattle__value_noise {
  const rattle__function *f, *other;
  double *bound; /* [rows] */
  void *room;
  int known;
} rattle__value_noise;

typedef struct rattle__chord {
  int size;                 /* 2n */
  int supplied;             /* the entry of p_t, -1: none */
  double *z, *d;            /* [2n] */
  double *weight;           /* W [2n] */
  double *e, d2;            /* [2n], e.d */
  double *total;            /* sum of w DF [2n] */
  double *terms;            /* sizes of what was added there, in which round-off is eps [2n] */
  double along;             /* sum of w R/e.d: total = sum of w F' + along e */
  double *node;             /* scratch [2n] */
  const double *z0, *exact; /* the start of the step, and 0 [2n] */
  rattle__value_noise of_H, of_g;
} rattle__chord;

/* F' at the middle in its columns (NULL: all of 2n), F at both ends. */
typedef struct rattle__row {
  const double *slope;
  const int *col;
  int count;
  double F0, F1;
} rattle__row;

/* Memory from the context's arena; 1: there was none. */
int rattle__chord_create(rattle__chord *chord, rattle__context *context);
/* The metric dq^2 + r^2 dp^2 of each pair, with r = 1, but not less than 0.1 a h and not more than
 * 10^4 a h, where units of q and p are far apart; a = |H_pp| in S, H'' at the middle, h the whole
 * step. diagonal [n]: where H_pp has its diagonal in H'', -1: nowhere; weight [2n] */
const int *rattle__chord_diagonal(const rattle__function *H, int n, rattle__arena *arena);
void rattle__chord_metric(const int *diagonal, int n, const double *S, double h, double *weight);
/* A step from z0, which stays until the next one begins. */
void rattle__chord_begin(rattle__chord *chord, const double *z0);
/* d and z, z1 being given, or d; the sums begin at 0. */
void rattle__chord_place(rattle__chord *chord, const double *z0, const double *z1);
void rattle__chord_span(rattle__chord *chord, const double *z0, const double *d);
/* e and e.d, the weights being known */
void rattle__chord_measure(rattle__chord *chord);
/* By how much coordinate c of the middle is moved to find how derivatives change: a part of the way
 * of its kind. */
double rattle__chord_shift(const rattle__chord *chord, const rattle_problem *problem, int c);
/* R as a difference of values; *unit: its round-off. */
double rattle__chord_rest(const rattle__chord *chord, const rattle__row *row, double *unit);
/* The same of H, or of row i of g, the unit being that of their values too. */
double rattle__chord_rest_of(const rattle__chord *chord, rattle__value_noise *noise, int i,
                             const rattle__row *row, double *unit);
/* True if R and its own round-off are far apart. */
int rattle__chord_clear(double rest, double unit);
/* R by a quadrature of slopes, and the sizes of its terms. */
typedef struct rattle__rest {
  double of_slopes, terms;
} rattle__rest;
/* The share of a node of the quadrature, for short chords, is added: `node` is F' there in the
 * columns of the row. */
const double *rattle__chord_node(rattle__chord *chord,
                                 double side); /* side -1, 1; valid until called again */
void rattle__chord_bend(const rattle__chord *chord, const rattle__row *row, const double *node,
                        rattle__rest *rest);
/* The better of both: that of slopes where they agree to round-off, which sets *unit = 0. */
double rattle__chord_better(double of_values, const rattle__rest *rest, double *unit);
/* total += weight DF; `unit`: what round-off there is in rest. */
void rattle__chord_add(rattle__chord *chord, const rattle__row *row, double weight, double rest,
                       double unit);
/* target -= S d/2, S [hess_nnz] second derivatives of f; size: of the terms */
void rattle__chord_take_bend(const rattle__chord *chord, const rattle__function *f, const double *S,
                             double *target, double *size);
#endif
