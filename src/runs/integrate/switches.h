#ifndef RATTLE__INTEGRATE_SWITCHES_H
#define RATTLE__INTEGRATE_SWITCHES_H
/* Constraints that begin and end within steps (problem/model/switch.c). */
#include "runs/integrate/integrator.h"

/* UNSUITABLE: the method of the integrator, or the model, cannot have them. */
rattle_status rattle__switches_attach(rattle_integrator *integrator, rattle_error *error);

/* A change in the last step. direction: 1 where constraints began or momenta jumped, -1 where they
 * ended. z [2n]: after it. */
typedef struct rattle__change {
  int which, direction;
  double fraction, time, work;
  const double *z;
} rattle__change;
/* The i-th of them in time; 0: there are no more. */
int rattle__switches_change(const rattle_integrator *integrator, int i, rattle__change *change);
#endif
