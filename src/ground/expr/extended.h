#ifndef RATTLE__EXTENDED_H
#define RATTLE__EXTENDED_H
/* Values of functions beyond double, where the round-off of a value itself would show. */
#include "ground/support/function.h"

/* Bytes of scratch that rattle__extended_value needs, aligned for a long double; 0 if f was not
 * made from expressions. */
size_t rattle__extended_room(const rattle__function *f);
/* F[rows] at x + carry [vars], computed in extended precision and rounded. */
void rattle__extended_value(const rattle__function *f, const double *x, const double *carry,
                            double *F, void *room);
#endif
