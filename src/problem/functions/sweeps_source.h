#ifndef RATTLE__SWEEPS_SOURCE_H
#define RATTLE__SWEEPS_SOURCE_H
/* The sweeps of one tree as C without loops and without what its zeros and ones make vanish. */
#include "problem/model/sweeps.h"

/* The source for a compiler (ground/expr/native.h); NULL if the tree is too large for one, or
 * without memory. room: the doubles that the function needs for each lane. It is
 *     int rattle_sweeps_one(const double *x, double *H, double *Y, double *room);
 * for lanes = 1, with H (NULL: not wanted) and its gradient Y [2n] at x [2n], and for 2, 4 or 8
 *     int rattle_sweeps_lanes(const double *x, double *Y, double *room);
 * for so many points, side by side in vectors, and aligned to them; 0: an angle is too large. */
char *rattle__sweeps_source(const rattle__model_sweeps *tree, int n, int lanes, size_t *room);
#endif
