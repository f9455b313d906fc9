#ifndef RATTLE__MOMENTA_FIBRE_STATE_H
#define RATTLE__MOMENTA_FIBRE_STATE_H
/* The interface between momenta_fibre.c and momenta_fibre_matrix.c. */
#include "ground/linear/assembly.h"
#include "constraint/equation/broyden.h"
#include "constraint/guard/follow.h"
#include "constraint/solve/momenta_fibre.h"
#include "constraint/solve/momenta_linear.h"
#include "constraint/equation/unit.h"

struct rattle__momenta_fibre {
  rattle__context *context;
  rattle__fibre *fibre;
  int n, m, holonomic;
  double h, left; /* the step; what is to be left of psi0, 0 but for the guard */
  double largest; /* |psi| where the iteration ended */
  rattle__follower *follower;
  rattle__unit *unit;
  const double *from;      /* where the step began whose H'' may serve, or NULL [2n] */
  rattle__broyden learned; /* of sigma, where H'' takes differences */
  double *z;               /* the iterate of the slide at hand */
  double *first;           /* sigma where the iteration begins [m] */
  double *step,
      *psi_of_step; /* the first correction of sigma, and psi that it was to bring to 0 [m] */
  double *cheap;    /* the units before they were raised [m] */
  double *psi0, *g0, *start, *g; /* psi, g and z before the slide; g where it is now */
  double *sigma, *slide, *psi, *floor, *gradient, *X, *J, *D, *S, *Z, *rhs, *row, *work, *room;
  rattle__linear *matrix;
  rattle__assembly *assembly; /* holonomic: of the matrix; J and S are among its sources */
  rattle__momenta *linear;    /* where psi is linear in p, else NULL */
  rattle__coupling *coupling; /* of that */
  double *B;                  /* of that, J M^-1 */
};

/* M at z, factored; gradient and X are those of z. first: of a slide. */
rattle_status rattle__momenta_fibre_matrix(rattle__momenta_fibre *s, const double *z, int first,
                                           rattle_error *error);
/* The floor also counts what round-off of z makes of psi: where slopes cancel, as in 0 = H_b of a
 * free variable, the terms of psi that can be seen are all at round-off themselves. */
rattle_status rattle__momenta_fibre_raise(rattle__momenta_fibre *s, const double *z,
                                          rattle_error *error);
#endif
