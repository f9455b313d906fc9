#ifndef RATTLE__NEIGHBOURS_H
#define RATTLE__NEIGHBOURS_H
/* Lists of neighbours, as made at one set of positions. */
#include "ground/pairs/pairs.h"

/* The neighbours of bead i are j[first[i] .. first[i + 1]), all of them above i, ascending, none
 * excluded. */
typedef struct rattle__neighbours {
  double *x; /* where the list was made [3 beads] */
  size_t *first;
  int *j;
  size_t room;               /* of j */
  int *cell, *begin, *order; /* cells: of each bead; where their beads begin; beads by cell */
  int cells_room;
} rattle__neighbours;

/* The system for which lists are made. */
typedef struct rattle__vicinity {
  int beads;
  double reach;                         /* cutoff + skin */
  double box[3];                        /* 0: open */
  const int *first_excluded, *excluded; /* of bead i: those above i */
} rattle__vicinity;

rattle__neighbours *rattle__neighbours_create(int beads); /* NULL: no memory */
void rattle__neighbours_destroy(rattle__neighbours *list);
/* Makes the list at x [3 beads], all finite; 0: no memory, and the list must not be used. */
int rattle__neighbours_fill(rattle__neighbours *list, const rattle__vicinity *v, const double *x);

static inline int rattle__is_excluded(const rattle__vicinity *v, int i, int j) {
  for (int e = v->first_excluded[i]; e < v->first_excluded[i + 1]; e++)
    if (v->excluded[e] == j) return 1;
  return 0;
}

/* d - the nearest multiple of the edge; exact sums, so the same for all compilers */
static inline double rattle__nearest_image(double d, double edge, double per_edge) {
  const double rounder = 0x1.8p52, turns = d * per_edge + rounder;
  return d - (turns - rounder) * edge;
}
#endif
