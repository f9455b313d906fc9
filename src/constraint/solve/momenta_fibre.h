#ifndef RATTLE__MOMENTA_FIBRE_H
#define RATTLE__MOMENTA_FIBRE_H
#include "constraint/fibre/fibre.h"
#include "constraint/equation/iterate.h"

/* The slide onto the hidden constraints: z <- exp(h sum sigma_i X_{g_i}) z with psi = 0. */
typedef struct rattle__momenta_fibre rattle__momenta_fibre;
rattle_status rattle__momenta_fibre_create(rattle__momenta_fibre **hidden, rattle__context *context,
                                           rattle__fibre *fibre, rattle_error *error);
void rattle__momenta_fibre_destroy(rattle__momenta_fibre **hidden);
/* sigma0: where to start [m], NULL for 0 */
/* Slides after steps from z0 [2n]: where H'' takes differences, the one that the context's probe
 * made at z0 is that of their first matrix. NULL: none is. */
void rattle__momenta_fibre_from(rattle__momenta_fibre *hidden, const double *z0);
rattle_status rattle__momenta_fibre_slide(rattle__momenta_fibre *hidden, double h,
                                          const double *sigma0, double *z, rattle_error *error);
/* The same from sigma [m], which becomes what was found, without the guard; how the iteration
 * went. */
rattle_status rattle__momenta_fibre_try(rattle__momenta_fibre *hidden, double h, double *sigma,
                                        double *z, rattle__course *c, rattle_error *error);
/* The derivative of psi by sigma where the last slide ended: 1, the determinants of its parts that
 * hang together have the signs that they had in the `first` one; -1, one has another; 0: not
 * known. */
rattle_status rattle__momenta_fibre_side(rattle__momenta_fibre *hidden, int first, int *sign);
/* The same as rattle__momenta_fibre_slide, with sigma followed from 0 while psi goes to 0, in doubt
 * or not. */
rattle_status rattle__momenta_fibre_follow(rattle__momenta_fibre *hidden, double h, double *z,
                                           rattle_error *error);
#endif
