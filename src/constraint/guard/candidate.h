#ifndef RATTLE__CANDIDATE_H
#define RATTLE__CANDIDATE_H
/* A point that somebody found, and the end of a curve that is proved: are they the same? The point
 * does not say all unknowns. `given` is what belongs to it to first order, and `found` is what
 * Newton's iteration leads to from there. If a box around the end that has no other solution holds
 * both, the point is that end as well as it knows it. */
#include "constraint/guard/track.h"

/* All [m] of the curve; scratch [7 m]. */
typedef struct rattle__candidate {
  rattle__curve *curve;
  double *given, *found, *root, *known, *scratch; /* root, known: the end, and how far it may be */
} rattle__candidate;

/* The numbers of all arrays for m unknowns, and how they lie in a block of so many. */
static inline size_t rattle__candidate_room(int m) {
  return 11 * (size_t)m;
}
void rattle__candidate_lay_out(rattle__candidate *c, rattle__curve *curve, double *block);

/* True if a point [n] lies within the bounds of the end: then it is that, and nothing else is
 * asked. */
int rattle__candidate_lies_in(int n, const rattle__ball *end, const double *point);
/* After x1, all coordinates of the curve at the point: given and found. */
void rattle__candidate_set(rattle__candidate *c, const double *x1);
/* True if the candidate is the end; nearer: `found` is nearer to the point than the end. */
int rattle__candidate_is_end(rattle__candidate *c, int nearer);
/* True if the solution through it leads back to another start than the curve's. */
int rattle__candidate_is_elsewhere(rattle__candidate *c);
/* True if q1 [n], which an iteration found from q0, is `off` from the end by more than half of its
 * digits, the geometric mean of its way and its round-off: it is another solution then. No more
 * than half of the digits of a short way count. clock: 1 + the coordinate that is time, 0: none. */
int rattle__candidate_is_another(int n, int clock, const double *q0, const double *q1, double off);
#endif
