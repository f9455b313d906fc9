#ifndef RATTLE__CHAIN_H
#define RATTLE__CHAIN_H
/* A chain of links in eight segments, which stand side by side in the lanes of vectors: the positions step and the momentum projection where
 * nothing is in doubt. Used by wrap/linked.c; symbols and method: chain.c.
 *
 * Lanes    the links, from 1 on, are cut into 8 segments of `rows` links each, the last filled up with links of length 0 and nodes without mass. What belongs
 *          to link j of segment l is at [8 j + l], j = 1 .. rows, and so is what belongs to its upper node; 0 is the node, or the link,
 *          before the segment and rows + 1 the link after it, which other lanes have too. That there are eight is part of the algorithm:
 *          results do not depend on the width of vectors */
#include "slide/path.h"

enum { RATTLE__LANES = 8 };

/* A number for each lane, where vectors of any width can begin. */
typedef struct rattle__lanes {
  _Alignas(64) double of[RATTLE__LANES];
} rattle__lanes;

/* What elimination leaves of a segment, by lanes: of its last row, delta_L = y + u delta_{L+1} + v delta_0, and of the unknown at its other end,
 * delta_1 = Y + V delta_0 + P delta_L. */
typedef struct rattle__segments {
  rattle__lanes u, v, y, Y, V, P;
  int down; /* 1: eliminated from the last row to the first; 1 and L change places */
} rattle__segments;

/* What a walk saw: the largest residual, in units of round-off and as it is; whether all pivots are positive. */
typedef struct rattle__seen {
  double ratio, largest;
  int good;
} rattle__seen;

/* p -= by G0^T sigma/2c + k V_q; V_q NULL: no kick */
typedef struct rattle__push {
  const double *V_q;
  double k, by;
} rattle__push;

typedef struct rattle__chain {
  rattle__path path;
  int rows, whole, full;       /* whole: rows in which all lanes have a node that moves; full: a link */
  rattle__lanes real, filling; /* of the rows after them: 1 for links, 0 for what fills up; and what stands for its diagonal */
  double tiny;                 /* pivots are larger */
  double *x0[3], *x[3];        /* nodes at the start and at the end of the step */
  double *p[3];                /* momenta */
  double *r[3];                /* links */
  double *sigma;               /* h^2 lambda 2c */
  double *inverse_mass;        /* of nodes */
  double *square;              /* d^2 */
  double *inverse_floor;       /* 1 / round-off of f */
  double *u, *v, *y;           /* of the elimination at hand: delta_j = y + u delta_{j+1} + v delta_0, or downwards */
  int spiked[RATTLE__LANES];   /* rows whose v does not vanish, of the lanes that go together */
  int begin[3][RATTLE__LANES]; /* of lanes: the column of coordinate d of row j is begin + stride j */
  double most_x, most_p;       /* the largest coordinates and momenta before they are corrected */
  double least;                /* what each coordinate counts with at least in units of round-off */
  rattle__lanes beyond[2][3];  /* the links 0 and L+1 that a walk begins with */
  rattle__lanes tail;          /* V_q of a row in which not all lanes move */
  rattle__push push;
  rattle__segments ends;                    /* of the same */
  rattle__lanes first, last, before, after; /* delta of the links 1, L, 0, L+1 */
  rattle__seen seen;
  const struct rattle__chain_kernel *kernel;
  int corrections, eliminations; /* of the last step */
  double g, psi, residual;       /* where it ended: largest |g_i|, |psi_i|, and residual of an iteration */
} rattle__chain;

/* What a walk along all segments does: begins, with links from nodes, units of round-off and momenta pushed; corrects by the elimination before
 * it, which went the other way; eliminates, but for the last. */
typedef enum rattle__chain_walk {
  RATTLE__WALK_BEGIN,
  RATTLE__WALK_ELIMINATE,
  RATTLE__WALK_CORRECT,
  RATTLE__WALK_BOTH
} rattle__chain_walk;

/* The loops over lanes, compiled for vectors of one width; load and store: of rows in which all lanes move, as rattle__chain_load and
 * rattle__chain_store. */
typedef struct rattle__chain_kernel {
  const char *name;
  void (*load)(rattle__chain *chain, const double *z0, const double *V_q, double k, double c);
  void (*store)(const rattle__chain *chain, double *const *from, double *a);
  void (*positions)(rattle__chain *chain, rattle__chain_walk walk);
  void (*momenta)(rattle__chain *chain, rattle__chain_walk walk);
} rattle__chain_kernel;

/* For them: V_q of row j, of axis d, 0 of nodes that do not move. */
const double *rattle__chain_tail(rattle__chain *chain, int d, int j);

/* Kernel i of those that this machine can run, the best first; NULL: there is none. The first is what chains use. */
const rattle__chain_kernel *rattle__chain_kernel_of(int i);

/* A chain of the constraints of the problem; NULL if they are no path, it is too short to gain, or without memory, which the arena knows. */
rattle__chain *rattle__chain_create(const rattle_problem *problem, rattle__arena *arena);

/* q of z1 = (q1, p1) from z0 = (q0, p0), q1 = q0 + c M^-1 (p0 - k V_q) - M^-1 G0^T sigma/2c on g = 0. Returns 1; 0 if anything is in doubt: then nothing is left of the step. V_q NULL: no kick */
int rattle__chain_positions(rattle__chain *chain, const double *z0, const double *V_q, double k, double c, double *z1);
/* p of z1 = p - G0^T sigma/(2c) / h - k V_q, and if `project` slid onto G1 M^-1 p = 0; 0 if that is in doubt. V_q NULL: no kick */
int rattle__chain_momenta(rattle__chain *chain, double h, const double *V_q, double k, int project, double *z1);
/* lambda[links] of the last step of h */
void rattle__chain_multipliers(const rattle__chain *chain, double h, double *lambda);
#endif
