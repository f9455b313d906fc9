#ifndef RATTLE__OP_H
#define RATTLE__OP_H
/* The value of one operation: the only definition, used by constant folding, rattle_expr_evaluate
 * and the block interpreter, and repeated to the letter by the native code generator, so that all
 * give the same bits. Its text, op_text.h, serves other arithmetics too (precise.h).
 *
 * POWI(a, n), |n| <= RATTLE__POWI_MAX: binary, from the left. r = a; then for each bit of |n| below
 * the leading one, from high to low: r = r*r, and r = r*a where the bit is 1. For n < 0 the result
 * is 1/r, for n = 0 it is 1. Thus a^2 = a*a, a^3 = (a*a)*a, a^5 = ((a*a)*(a*a))*a, a^6 = s*s with s
 * = (a*a)*a. Larger |n|: pow(a, n) of the C library. Everything else is the C operator or the C
 * library's function of the same name. No contraction (-ffp-contract=off). */
#include <math.h>

#include "rattle/expr.h"

#define RATTLE__POWI_MAX 32

#define OP_REAL double
#define OP_CALL(function) function
#define OP_NAME(name) rattle__op_##name
#include "ground/expr/op_text.h"
#endif
