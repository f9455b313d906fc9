#ifndef RATTLE__NONDEGENERACY_H
#define RATTLE__NONDEGENERACY_H
/* The guard of N = {{H,g_i},g_j}: on the way from one point of the hidden manifold to the next N
 * stays regular, since where it is singular the motion ends. N is symmetric, so that its numbers of
 * positive and of negative eigenvalues stay the same. */
#include "problem/functions/probe.h"
#include "constraint/step/context.h"

typedef struct rattle__nondegeneracy {
  rattle__context *context; /* its probe has N */
  int m;
  double *before;     /* N where the step began, in the probe's pattern */
  const double *z0;   /* where the step began ... */
  double *z;          /* ... and the middle [2n] */
  double *E, *vector; /* [m*m] where m is small, else NULL; [m] */
  double *A;          /* to count eigenvalues [m*m]; NULL: made when it is needed */
  rattle__linear
      *sparse; /* the same of definite matrices, where N is sparse and symmetric; else NULL */
  int counts,
      known; /* 1: they are counted; how many of `before` are not positive, -1: not counted */
} rattle__nondegeneracy;

/* Memory from the context's arena; the context gets its probe. */
rattle_status rattle__nondegeneracy_create(rattle__nondegeneracy **guard, rattle__context *context,
                                           rattle_error *error);
/* The same for callers of rattle__nondegeneracy_crossed; the caller destroys the guard, on failure
 * as well if *guard is not NULL. */
rattle_status rattle__nondegeneracy_create_counting(rattle__nondegeneracy **guard,
                                                    rattle__context *context, rattle_error *error);
void rattle__nondegeneracy_destroy(rattle__nondegeneracy *guard);

/* The point where the step begins. */
void rattle__nondegeneracy_begin(rattle__nondegeneracy *guard, const double *z0);
/* True if N changed so much up to z1 that it may have been singular on the way. Cheap: the next
 * step wants N at z1 anyway. z0 must still be there. lambda [m]: a direction used if there are too
 * many to use all. */
int rattle__nondegeneracy_doubtful(rattle__nondegeneracy *guard, const double *z1,
                                   const double *lambda);
/* True if N in the middle of the straight way from z0 to z1 differs from N at z1: both ends of a
 * step of a whole period look alike. N at z1 stays in the probe, for the next step. */
int rattle__nondegeneracy_returned(rattle__nondegeneracy *guard, const double *z0, const double *z1,
                                   const double *lambda);
/* *crossed: N must have been singular: it has other numbers of positive and negative
 * eigenvalues. */
rattle_status rattle__nondegeneracy_crossed(rattle__nondegeneracy *guard, const double *z1,
                                            int *crossed, rattle_error *error);
/* For maps that have no guard of their own: DEGENERATE if N must have been singular, else the next
 * step begins at z1. */
rattle_status rattle__nondegeneracy_go_on(rattle__nondegeneracy *guard, const double *z1,
                                          rattle_error *error);
#endif
