#ifndef RATTLE__STATIONS_H
#define RATTLE__STATIONS_H
/* Inside of a family: the present orbit is that of `orbit`, whose nodes move. */
#include "runs/orbit/orbit.h"

/* Functions whose change of sign is an event. */
typedef enum rattle__test {
  RATTLE__TEST_ENERGY, /* of the direction: how the energy, the period and the parameter change;
                          0 of what is held */
  RATTLE__TEST_PERIOD,
  RATTLE__TEST_PARAMETER,
  RATTLE__TEST_PLUS, /* the product of mu - 1 and of mu + 1 over the multipliers that are not
                        trivial */
  RATTLE__TEST_MINUS,
  RATTLE__TEST_COUNT, /* of complex multipliers off the unit circle, minus 1 */
  RATTLE__TESTS
} rattle__test;

typedef struct rattle__station {
  double arclength, energy, period, radius, parameter;
  double test[RATTLE__TESTS];
  double *direction; /* [rattle__shooting_numbers] */
  double *nodes;     /* the same: nodes, ln T, the parameter */
} rattle__station;

struct rattle_family {
  rattle_family_options options;
  rattle_orbit *orbit;
  rattle__posing posing;
  rattle__station now, before, tried;
  double *A, *V, *S, *gradient,
      *slope; /* linear equations, their singular vectors; of the energy */
  double *block;
  double longest, step; /* of steps of the method; of the arclength */
  int ones;             /* multipliers that are 1 by symmetries */
  int points, room, width;
  double *row; /* [points*width]: arclength, energy, period, radius, parameter, event, z, real,
              imaginary */
  const char *why;
};

/* stations.c: the direction, the tests and the numbers of the orbit that the nodes are; `along`:
 * the direction before, or NULL at first. */
rattle_status rattle__family_arrive(rattle_family *f, const double *along, rattle__station *at,
                                    rattle_error *error);
/* The orbit `step` from a station; iterations of the correction */
rattle_status rattle__family_advance(rattle_family *f, const rattle__station *from, double step,
                                     int *iterations, rattle_error *error);
#endif
