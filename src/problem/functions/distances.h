#ifndef RATTLE__DISTANCES_H
#define RATTLE__DISTANCES_H
#include "ground/support/arena.h"
#include "ground/support/error.h"
#include "ground/support/function.h"

/* Constraints that are distances: g_i = c (|q_a - q_b|^2 - d^2), or c (|q_a - point|^2 - d^2), in
 * the pattern of g. */
typedef struct rattle__distances {
  rattle__function f; /* g as a function whose `row` is the arithmetic of a distance */
  int *other; /* [jac_nnz] column of the other end, -1 for a fixed point; its own where g does not
                depend on it */
  double *point;  /* [jac_nnz] coordinate of the fixed point, or 0 */
  double *c;      /* [m] */
  double *square; /* [m] d^2 */
} rattle__distances;

/* g as distances, memory being the arena's. RATTLE_UNSUITABLE, without a message, if a row is not
 * of this form: *unlike is the first such row. */
rattle_status rattle__distances_create(const rattle__distances **bonds, const rattle__function *g,
                                       rattle__arena *arena, int *unlike, rattle_error *error);
#endif
