#ifndef RATTLE__REPEAT_H
#define RATTLE__REPEAT_H
/* The same steps in other ways, for the claim `pure`: they end at the same point, bit for bit. */
#include "rattle/integrator.h"

/* Some steps of length h from z0 = (q, p), on an integrator for n pairs. */
typedef struct rattle__repeat {
  rattle_integrator *integrator;
  const double *z0; /* [2n] */
  int n, steps;
  double h;
} rattle__repeat;

enum { RATTLE__REPEAT_EXTRA = 512 }; /* the most extra state */

/* Each writes the end point to z[2n] and returns the steps made: one that fails ends it. `piece`
 * steps a call. */
int rattle__repeat_steps(const rattle__repeat *r, int piece, double *z);
/* The second half on `fresh`, an integrator like the first, with the extra state of the first; -1:
 * there is too much of it. */
int rattle__repeat_resumed(const rattle__repeat *r, rattle_integrator *fresh, double *z);
/* With a step from elsewhere before each of these: a method with a past starts anew each time. */
int rattle__repeat_interrupted(const rattle__repeat *r, double *z);
#endif
