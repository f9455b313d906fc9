#ifndef RATTLE__PATH_H
#define RATTLE__PATH_H
#include "problem/functions/problem.h"
#include "ground/support/arena.h"

/* Distance constraints in a row: link i = 0 .. links-1 joins the nodes i and i+1, particles whose
 * coordinates are evenly spaced in q, and the first or the last node may be a fixed point. In a
 * ring the first and the last node are one. g_i = c (|x_{i+1} - x_i|^2 - d_i^2). */
typedef struct rattle__path {
  int links, axes;
  int base[3],
      stride[3]; /* coordinate d of node k is column base[d] + stride[d] k, where the node moves */
  int fixed[2];  /* 1: the first node, the last one, is a point */
  int ring; /* 1: the last node is the first one; -1: the first is the last one, which is in q */
  double point[2][3]; /* its coordinates */
  double c;
  double *square;  /* d_i^2 [links] */
  double *inverse; /* inverse mass of each node, 0 for a point [links + 1] */
} rattle__path;

/* The coordinates that are in q. */
static inline int rattle__path_columns(const rattle__path *p) {
  return p->axes * (p->links + 1 - p->fixed[0] - p->fixed[1] - (p->ring != 0));
}

/* True if the constraints of the problem are a path of links, open or closed, that has all its
 * coordinates, with masses that are numbers, one for each node; 0 also without memory, which the
 * arena knows. The arrays are the arena's. */
int rattle__path_find(rattle__path *path, const rattle_problem *problem, rattle__arena *arena);
#endif
