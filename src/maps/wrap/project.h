#ifndef RATTLE__PROJECT_H
#define RATTLE__PROJECT_H
#include "method/notation/row.h"
#include "constraint/place/nearest_point.h"
#include "constraint/step/map.h"

/* The step of project(map, symmetric), in project_symmetric.c; memory is the arena's. */
typedef struct rattle__symmetric rattle__symmetric;
rattle_status rattle__symmetric_create(rattle__symmetric **symmetric, rattle__nearest_point *onto,
                                       rattle__map *inner, int momenta, rattle_error *error);
rattle_status rattle__symmetric_apply(rattle__symmetric *symmetric, double h, const double *z0,
                                      double *z1, rattle_error *error);
#endif
