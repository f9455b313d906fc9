#ifndef RATTLE__GRADIENTS_H
#define RATTLE__GRADIENTS_H
/* Rows of g of any form beside those of bodies and joints, by their gradients: closers of which
 * only values and slopes are known.
 *
 * Wrench   of a row on a body, about its joint: F = g_x, T = rho x F + sum_j r_j x g_(r_j), so that
 *          the row changes by F.shift + T.turn
 * Value    at the iterate, q0 and the way d from it, which is known to the digits of the step: of a
 *          row of degree 2 g(q0) + G0 d + B(d, d)/2, of others in extended precision. A value below
 *          its rounding counts as 0: a unit in the last place of the terms G q or, if the iteration
 *          does not arrive by that, a bound of all rounding
 * Guard    the rules on each row that a step over sparse rows asks: a gradient turned, and of rows
 *          that are not quadratic where the step is long (guard/step.h) */
#include "constraint/tree/closers.h"
#include "ground/linear/rows.h"
#include "constraint/step/context.h"
#include "constraint/step/point.h"
#include "constraint/tree/forms.h"

/* A term of B(d, d)/2: by d_a d_b */
typedef struct rattle__bent {
  int a, b;
  double by;
} rattle__bent;

struct rattle__gradients {
  rattle__context *context;
  rattle__function *g; /* these rows, of q */
  rattle__rows rows;
  int count, first; /* as closers they begin at `first` */
  char *beyond;     /* 1: a row not of degree 2 [count] */
  int *bent;        /* terms of B of row i: bent[i] .. bent[i + 1] [count + 1] */
  rattle__bent *bend;
  rattle__place *place; /* of each coordinate: in the tree, or which loose one (body -1, part) */
  int *wrench;          /* of each entry of G: which of its row's wrenches, or pushes, it is in */
  rattle__point point[2], *start, *end; /* G at the start of a step, and at its end */
  double *way, *q;                      /* q - q0 at the iterate, and q [n] */
  double *at_start, *value, *unit;      /* at the start, the iterate; its rounding [count] */
  double *work, *between, *room[4];     /* scratch: of g, G [nnz], [count] */
  void *extended, *bounds;
};

/* The rows marked in other [forms->rows], closer[first ..] of the tree. NULL: they cannot be
 * evaluated so, or context->arena.failed. */
rattle__gradients *rattle__gradients_create(const rattle__forms *forms, const char *other,
                                            const rattle__place *place, rattle__tree *tree,
                                            rattle__context *context);
void rattle__gradients_destroy(rattle__gradients *gradients);
/* Wrenches at q, the point where the tree is settled, at the start and now. 0: a row does not
 * vanish. */
int rattle__gradients_settle(rattle__tree *tree, const double *q);
/* Units from now on are bounds of all rounding, until the tree is settled again. */
void rattle__gradients_raise(rattle__gradients *gradients);
/* Values at the iterate. */
void rattle__gradients_look(rattle__tree *tree);
/* Wrenches now. */
void rattle__gradients_move(rattle__tree *tree);
/* 0: a row leaves the step to z1 in doubt. */
int rattle__gradients_agree(rattle__tree *tree, const rattle__tree_step *step, const double *z1);
#endif
