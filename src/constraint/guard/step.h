#ifndef RATTLE__STEP_H
#define RATTLE__STEP_H
/* A natural step over sparse rows as the guard sees it. */
#include "ground/linear/linear.h"
#include "ground/linear/rows.h"
#include "constraint/guard/guard.h"
#include "constraint/step/context.h"

typedef struct rattle__step_view {
  rattle__context *context;
  const rattle__rows *rows;
  const rattle__coupling
      *coupling; /* of matrices G M^-1 G^T; NULL: none are made, with sweeps of many constraints */
  const rattle__function *g;
  const rattle__mass *mass;
  int m, once, declines;                /* once: the scheme has one drift */
  int equal;                            /* M^-1 is `factor` times 1: then W = J */
  double factor;                        /* G M^-1 = factor W */
  double h, k1;                         /* the step, and h times its first kick */
  const double *z0, *z1, *V_q;          /* z1 before its last kick */
  const double *J0, *W0, *J1;           /* G and W at the start, G at the end ... */
  double *W1;                           /* ... where W is made here */
  const double *lambda, *inverse_floor; /* the multipliers found, and 1 / round-off of g [m] */
  double *between; /* G on the way of a long step [nnz]; NULL: all constraints are quadratic */
  double *q, *work, *room[4]; /* scratch [n], of g, [m] */
} rattle__step_view;

/* Judges a step whose iteration left no doubt: RATTLE__FOLLOW if there is another reason to doubt
 * it, else RATTLE__SOUND. */
rattle__judgement rattle__judge_natural_step(rattle__step_view *view);
/* A constraint whose gradient turned by a right angle or more, or -1. */
int rattle__turned_constraint(const rattle__step_view *view);
/* True if the lambda that sweeps found is far from the first correction of the chord iteration, g
 * being `first` [m] at lambda = 0; the units of g are those there. */
int rattle__swept_astray(const rattle__step_view *view, const double *first);
#endif
