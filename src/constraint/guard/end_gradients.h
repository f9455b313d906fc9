#ifndef RATTLE__END_GRADIENTS_H
#define RATTLE__END_GRADIENTS_H
/* Tells if two points of the hidden manifold may be ends of one step, by the gradients there alone:
 * a leap across a narrow gap, or to the other side of a fold, turns them. The determinant of
 * Newton's matrix does not show a leap if it is a square: systems with two multipliers for each
 * constraint have two factors that change sign together. */
#include "ground/linear/linear.h"
#include "constraint/step/context.h"

typedef struct rattle__end_gradients {
  rattle__context *context; /* its probe has N */
  double *A;                /* -psi_i' at the first point, in the probe's pattern */
  rattle__linear
      *C;   /* C_ij = -psi_i'(first) X_{g_j}(second): N where both are one; NULL: not offered */
  int side; /* the sign of det N at the first point; 0: not known */
} rattle__end_gradients;

/* Memory from the context's arena, but for C; the context gets its probe. */
rattle_status rattle__end_gradients_create(rattle__end_gradients **ends, rattle__context *context,
                                           rattle_error *error);
void rattle__end_gradients_destroy(rattle__end_gradients *ends);
/* The first point. */
void rattle__end_gradients_begin(rattle__end_gradients *ends, const double *z);
/* True if det C has the sign of det N, or the sign is not known. */
int rattle__end_gradients_agree(rattle__end_gradients *ends, const double *z);
#endif
