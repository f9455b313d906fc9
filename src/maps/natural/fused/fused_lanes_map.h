#ifndef RATTLE__FUSED_LANES_MAP_H
#define RATTLE__FUSED_LANES_MAP_H
/* Several trajectories at once by fused_lanes.h: the code, and what it reads. */
#include "maps/natural/fused/natural_small.h"

typedef struct rattle__fused_wide {
  rattle__fused_lanes_code code;
  int n, rows;
  const rattle__fused_plan *plan;
  rattle__fused_numbers numbers; /* in which trajectories differ */
  double *number;                /* [numbers.count][width], group by group */
  double *inverse_h;             /* [inverses] */
  int inverses;
  double *t0, *step; /* [width] of problems with time */
  rattle__fused_given given;
  void **of; /* the map whose step each lane takes alone [width] */
} rattle__fused_wide;

/* For the problem of the context; returns how many trajectories there are, 1: there are no lanes.
 * Each is then to be joined. */
int rattle__fused_wide_make(rattle__fused_wide *w, rattle__context *context,
                            const rattle__scheme *scheme, int project,
                            const rattle__fused_plan *plan, int lanes);
/* The lane becomes that of `self`, a map of the same scheme for this problem; 0: it does other
 * operations. */
int rattle__fused_wide_join(rattle__fused_wide *w, int lane, const rattle_problem *problem,
                            const rattle__fused_plan *plan, void *self);
/* Fills w->given for h [stages][width], and for the times of lanes in the context; 0: there is no
 * memory. */
int rattle__fused_wide_give(rattle__fused_wide *w, rattle__context *context, const double *h,
                            int stages);
#endif
