#ifndef RATTLE__ONCE_H
#define RATTLE__ONCE_H
/* Values of a function as one program in which equal operations of all rows are done once: forces
 * of a damper are a dozen rows, and each has the rate of the joint. The bits are those of
 * f->value. */
#include "ground/support/function.h"

typedef struct rattle__once rattle__once;

/* 0; 1: f is not from expressions, or too large; -1: no memory. */
int rattle__once_create(rattle__once **once, const rattle__function *f);
void rattle__once_destroy(rattle__once **once);
/* Doubles of scratch that values need. */
size_t rattle__once_room(const rattle__once *once);
/* F [rows] at x. */
void rattle__once_value(const rattle__once *once, const double *x, double *F, double *room);
#endif
