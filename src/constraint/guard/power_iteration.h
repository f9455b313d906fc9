#ifndef RATTLE__POWER_ITERATION_H
#define RATTLE__POWER_ITERATION_H
/* Tells if a matrix that takes one end of a step to the other is far from 1. The measure is not |E
 * v|/|v|, E being their difference, which depends on how constraints are scaled and is large
 * wherever they nearly depend on each other, but the growth of E^k v, which tells the size of
 * eigenvalues. */

/* y = E v; 0: it is not known */
typedef int rattle__change(void *self, const double *v, double *y);

/* True if E [m x m] has an eigenvalue above 1/2, or is not known. v: where to begin, it is lost; y:
 * scratch [m]. A matrix that is not normal may grow first, so that the first powers do not
 * count. */
int rattle__spectral_radius_above_half(int m, rattle__change *change, void *self, double *v,
                                       double *y);
#endif
