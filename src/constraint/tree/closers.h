#ifndef RATTLE__CLOSERS_H
#define RATTLE__CLOSERS_H
/* Rows that close the loops of a tree of bodies, and all others that are no joints of it.
 *
 * Row      a body a and another, b, or the ground: a component of x_a + R_a r - x_b - R_b s = 0, or
 *          (R_a v).(R_b w) = 0; or any other, by its gradient (gradients.h). On each body it has a
 *          wrench (F, T) about the joint, and changes by the sum of F.shift + T.turn. For the first
 *          two forms these are (F, T_a) and (-F, T_b)
 * Equation wrenches at the start with multipliers l come to those of the bodies, and rows vanish at
 *          the iterate. With dy_l the tree's answer to the wrenches of row l, S = C1 dy, the
 *          correction is dy + sum_l dl dy_l, S dl = -(row + C1 dy)
 * Rank     rows may depend on others: as many as the problem's rows have left are kept, those of
 *          the largest pivots of S at the point where the tree is settled
 * Pivots   det S over that at the start is the rest of the ratio of tree.h */
#include "constraint/tree/node.h"
#include "ground/linear/linear.h"

enum {
  RATTLE__CLOSERS_MOST = 24, /* with more, sparse rows are as fast */
  RATTLE__OF_DIRECTIONS = -1,
  RATTLE__BY_GRADIENT = -2
};

typedef struct rattle__closer {
  int body[2]; /* b -1: the ground */
  int axis;    /* the component; or OF_DIRECTIONS, BY_GRADIENT */
  vec on[2];   /* r and s, in space for the ground; or v and w */
} rattle__closer;

typedef struct rattle__wrench {
  int body;
  vec F, T;
} rattle__wrench;

typedef struct rattle__push {
  int loose; /* a coordinate of no body */
  double F;
} rattle__push;

typedef struct rattle__closer_row {
  vec P[2]; /* from the joint to the point; the direction in space */
  int wrenches, pushes;
  rattle__wrench *wrench;
  rattle__push *push;
} rattle__closer_row;

struct rattle__closers {
  int count, rank;
  rattle__closer *closer;
  rattle__closer_row *start, *now; /* at the start, and where S was made [count] */
  double *at_start;                /* values there [count] */
  double *value, *lambda;          /* at the iterate; multipliers [count] */
  int *kept;                       /* rows [rank] */
  rattle__motion *answer;          /* of each row [count][bodies] */
  double *loose_answer;            /* [count][loose] */
  double *all;                     /* S of all rows at the start [count][count] */
  rattle__linear *S; /* of those that are kept; its parts are expected to be as at the start */
  double *e;         /* [rank] */
};

rattle__closers *rattle__closers_create(const rattle__closer *closer, int count, int rank,
                                        const rattle__tree *tree, rattle__arena *arena);
void rattle__closers_destroy(rattle__closers *closers);

/* At the point q where the tree is settled: rows, those that are kept, S. 0: a row does not vanish,
 * or S is nearly singular. */
int rattle__closers_settle(rattle__tree *tree, const double *q);
/* No multipliers yet. */
void rattle__closers_begin(rattle__closers *closers);
/* At an iterate: values of rows, and the wrenches of multipliers on the bodies. */
void rattle__closers_look(rattle__tree *tree);
/* The sizes of these wrenches come to those of the bodies. */
void rattle__closers_size(rattle__tree *tree);
/* S there, of a tree that was eliminated there; 0: the determinant of one of its parts has another
 * sign than at the start. */
int rattle__closers_renew(rattle__tree *tree);
/* The tree's solution, made one that rows allow. at_rest: they vanish now. */
void rattle__closers_close(rattle__tree *tree, int at_rest);
/* The largest change of a row by the tree's solution. */
double rattle__closers_rate(const rattle__tree *tree);

/* closer_rows.c: a row of points or directions: placed at the point where the tree is settled, with
 * its wrenches at the start and now, 0: it does not vanish; its value at the iterate; its wrenches
 * now. */
int rattle__closer_place(rattle__tree *tree, int i);
double rattle__closer_value(const rattle__tree *tree, int i);
void rattle__closer_move(const rattle__tree *tree, int i);
#endif
