#ifndef RATTLE__ZERO_H
#define RATTLE__ZERO_H
/* Zeros and minima of a function on [0, 1] that is known at both ends. */

/* *y = f(x); returns 0, or a failure, which ends the search. */
typedef int rattle__scalar(void *self, double x, double *y);

/* A zero of f, f0 and f1 being f(0) and f(1), of different signs: to 2^-52. At *x it was evaluated
 * last, with the value *y (an end: not). Returns what f returned. */
int rattle__find_zero(rattle__scalar *f, void *self, const double ends[2], double *x, double *y);
/* A point where f <= 0, or else its minimum to about 2^-26, f(0) and f(1) being above 0 and larger
 * than it. */
int rattle__find_dip(rattle__scalar *f, void *self, const double ends[2], double *x, double *y);
#endif
