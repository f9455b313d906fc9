#ifndef RATTLE__MODEL_VELOCITY_H
#define RATTLE__MODEL_VELOCITY_H
#include "problem/model/model.h"

/* e = rest + sum of factor[k] times graph variable variable[k], which are the velocities and
 * momenta in it. */
typedef struct rattle__affine {
  int count;
  int32_t *variable;
  rattle_expr *factor, rest;
} rattle__affine;
/* The factors of an e that is not affine contain velocities or momenta. rattle__affine_free in any
 * case. */
rattle_status rattle__affine_of(rattle__affine *parts, rattle_graph *graph, rattle_expr e,
                                rattle_error *error);
void rattle__affine_free(rattle__affine *parts);
#endif
