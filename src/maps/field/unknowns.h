#ifndef RATTLE__UNKNOWNS_H
#define RATTLE__UNKNOWNS_H
/* The inside of a field, for the files of this room. */
#include "maps/field/field.h"
#include "maps/field/formula.h"
#include "ground/linear/linear.h"

struct rattle__field {
  int n, k;
  const rattle_problem *problem;
  const char *name;        /* of its row */
  rattle__formula formula; /* not for X_H: f and r, which are kept */
  rattle__function *rhs;   /* f of (z, u); NULL: X_H from problem->H */
  rattle__function
      *rows; /* r and A = dr/du of (z, u) [k + nnz], A in the pattern of `matrix`; NULL if k = 0 */
  rattle__function
      *slope; /* r of (z, u), with its Jacobian; NULL if Jacobians were not asked for */
  rattle__function
      *shown; /* momenta of (z, u), for fields whose state holds other ones; else NULL */
  rattle__linear *matrix; /* A */
  int affine;             /* r is affine in u */
  double *room;           /* what follows lies in it */
  double *x, *trial;      /* (z, u) [2n+k] */
  double *values, *step, *J, *S, *work;
};

/* u at z, into x, and A there, factored. */
rattle_status rattle__field_unknowns(rattle__field *field, const double *z, rattle_error *error);
#endif
