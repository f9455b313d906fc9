#ifndef RATTLE__HIDDEN_H
#define RATTLE__HIDDEN_H
#include "fibre/fibre.h"
#include "slide/iterate.h"

/* The slide onto the hidden constraints: z <- exp(h sum sigma_i X_{g_i}) z with psi = 0. */
typedef struct rattle__hidden rattle__hidden;
rattle_status rattle__hidden_create(rattle__hidden **hidden, rattle__context *context, rattle__fibre *fibre, rattle_error *error);
void rattle__hidden_destroy(rattle__hidden **hidden);
/* sigma0: where to start [m], NULL for 0 */
rattle_status rattle__hidden_slide(rattle__hidden *hidden, double h, const double *sigma0, double *z, rattle_error *error);
/* The same from sigma [m], which becomes what was found, without the guard; how the iteration went. */
rattle_status rattle__hidden_try(rattle__hidden *hidden, double h, double *sigma, double *z, rattle__course *c,
                                 rattle_error *error);
/* The sign of the determinant of the derivative of psi by sigma where the last slide ended; 0: not known. */
int rattle__hidden_side(rattle__hidden *hidden);
/* The same as rattle__hidden_slide, with sigma followed from 0 while psi goes to 0, in doubt or not. */
rattle_status rattle__hidden_follow(rattle__hidden *hidden, double h, double *z, rattle_error *error);
#endif
