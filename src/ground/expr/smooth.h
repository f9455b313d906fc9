#ifndef RATTLE__SMOOTH_H
#define RATTLE__SMOOTH_H
/* Programs with bounds of smooth functions (quadratic.h), which has their values, and of their
 * divided differences (divided.h). */
#include "ground/expr/ball_program.h"
#include "ground/support/function.h"

/* Programs of x: F; G in its pattern; F'' of ways, whose rate and second derivative are the inputs
 * behind x. Divided differences have their own inputs, and F(q) as one more program. */
enum { RATTLE__SMOOTH_VALUE, RATTLE__SMOOTH_SLOPES, RATTLE__SMOOTH_SECOND, RATTLE__SMOOTH_START };

/* 0, or -1 without memory. place: where in G [entries] the slots of instances are, in the order of
 * families and instances. fixed: columns that no way moves and by which no derivative is asked for
 * [vars]; NULL: none. */
int rattle__smooth_make(rattle__ball_programs *p, const rattle__function *f, const int *place,
                        int entries, const char *fixed);
#endif
