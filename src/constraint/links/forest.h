#ifndef RATTLE__FOREST_H
#define RATTLE__FOREST_H
#include "problem/functions/problem.h"
#include "ground/support/arena.h"

/* Links between particles, or from particles to fixed points, that close no loop. Link e hangs from
 * node upper[e] and ends in node e. Links are numbered by their distance from the roots, those that
 * hang from one node in a row. */
typedef struct rattle__forest {
  int m, nodes, axes;
  int *column;        /* of axis d of node k, at [axes k + d]; -1: the node is a fixed point */
  double *point;      /* its coordinates, there */
  int *upper, *above; /* the link above e ends in upper[e]; -1: there is none */
  int *first;         /* the first link that hangs from upper[e], if that moves, else e */
  int *at;            /* the pair (e, s), s = first[e] .. e-1, has the number at[e] + s */
  int pairs;
  double *weight;     /* inverse masses [nodes], 0 of fixed points */
  double *square, *c; /* g = c (|r|^2 - square) [m] */
} rattle__forest;

/* True if the constraints of the problem are such a forest, with masses that are numbers, one for
 * each particle, and no more than four pairs to a link; 0 also without memory, which the arena
 * knows. The arrays are the arena's. */
int rattle__forest_find(rattle__forest *forest, const rattle_problem *problem,
                        rattle__arena *arena);
#endif
