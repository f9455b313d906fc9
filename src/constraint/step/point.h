#ifndef RATTLE__POINT_H
#define RATTLE__POINT_H
/* A point of configuration space and what was evaluated there. A map that has evaluated G or V_q at
 * the end of a step finds them here when the next step begins at that point: it is recognised by
 * its coordinates, bit for bit, so that a step stays a function of its point alone, whatever was
 * written there in between. */
#include <string.h>

#include "ground/support/arena.h"

typedef struct rattle__point {
  int n;
  double *q;     /* the point [n] */
  double *J, *B; /* G in its pattern, and G M^-1 as the owner scales it, where has_G */
  double *V_q;   /* [n], and V, where has_V */
  double V;
  int has_G, has_V;
} rattle__point;

/* Memory from the arena for n coordinates and the entries of J and B (B_entries 0: B is J). */
static inline void rattle__point_create(rattle__point *point, rattle__arena *arena, int n,
                                        size_t J_entries, size_t B_entries) {
  *point = (rattle__point){.n = n};
  point->q = rattle__arena_doubles(arena, (size_t)n);
  point->V_q = rattle__arena_doubles(arena, (size_t)n);
  point->J = rattle__arena_doubles(arena, J_entries);
  point->B = B_entries ? rattle__arena_doubles(arena, B_entries) : point->J;
}

/* Goes to q; values of another point are dropped. 1: it was there already. */
static inline int rattle__point_go(rattle__point *point, const double *q) {
  const size_t bytes = (size_t)point->n * sizeof *q;
  if ((point->has_G || point->has_V) && !memcmp(point->q, q, bytes)) return 1;
  memcpy(point->q, q, bytes);
  point->has_G = point->has_V = 0;
  return 0;
}

/* V at q, where it is known. */
static inline int rattle__point_knows_V(const rattle__point *point, const double *q) {
  return point && point->has_V && !memcmp(point->q, q, (size_t)point->n * sizeof *q);
}
#endif
