#ifndef RATTLE__AFFINE_H
#define RATTLE__AFFINE_H
/* Functions that are affine in some of their variables, whatever they are in the others. */
#include "ground/support/function.h"

/* 1: each row is a sum of products of at most one of the variables from, from + 1, ... with
 * functions of those before, as its text says; 0: it is not, or f is not from expressions; -1: no
 * memory. */
int rattle__is_affine_from(const rattle__function *f, int from);
#endif
