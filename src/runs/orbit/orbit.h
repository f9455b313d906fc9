#ifndef RATTLE__ORBIT_H
#define RATTLE__ORBIT_H
/* Inside of an orbit. */
#include "runs/orbit/floquet.h"
#include "runs/orbit/newton.h"

struct rattle_orbit {
  rattle_orbit_result r;
  rattle_orbit_options options;
  rattle__shooting s;
  rattle__posing posing;
  rattle__floquet floquet;
  int order;      /* of the method */
  double *z;      /* [2n] the start */
  double *coarse; /* [2n] that of N steps */
  double *block;
};

/* verdict.c: the verdict of the multipliers, and whether a part of the period closes. */
void rattle__orbit_judge(rattle_orbit *o);
rattle_status rattle__orbit_count_repeats(rattle_orbit *o, rattle_error *error);
#endif
