#ifndef RATTLE__OP_H
#define RATTLE__OP_H
/* The value of one operation: the only definition, used by constant folding, rattle_expr_evaluate and the block
 * interpreter, and repeated to the letter by the native code generator, so that all give the same bits.
 *
 * POWI(a, n), |n| <= RATTLE__POWI_MAX: binary, from the left. r = a; then for each bit of |n| below the leading one, from high
 * to low: r = r*r, and r = r*a where the bit is 1. For n < 0 the result is 1/r, for n = 0 it is 1. Thus a^2 = a*a,
 * a^3 = (a*a)*a, a^5 = ((a*a)*(a*a))*a, a^6 = s*s with s = (a*a)*a. Larger |n|: pow(a, n) of the C library.
 * Everything else is the C operator or the C library's function of the same name. No contraction (-ffp-contract=off). */
#include <math.h>

#include "rattle/expr.h"

#define RATTLE__POWI_MAX 32

static inline double rattle__powi(double a, int n) {
  unsigned k = n < 0 ? 0u - (unsigned)n : (unsigned)n, bit = 1;
  if (k == 0) return 1;
  while (bit <= k / 2) bit *= 2;
  double r = a;
  while (bit /= 2) {
    r = r * r;
    if (k & bit) r = r * a;
  }
  return n < 0 ? 1 / r : r;
}

/* b is not looked at where the operation has arity 1; NaN for leaves. */
static inline double rattle__op_apply(rattle_op op, double a, double b) {
  switch (op) {
  case RATTLE_OP_ADD:
    return a + b;
  case RATTLE_OP_SUB:
    return a - b;
  case RATTLE_OP_MUL:
    return a * b;
  case RATTLE_OP_DIV:
    return a / b;
  case RATTLE_OP_POW:
    return pow(a, b);
  case RATTLE_OP_POWI:
    return fabs(b) <= RATTLE__POWI_MAX ? rattle__powi(a, (int)b) : pow(a, b);
  case RATTLE_OP_ATAN2:
    return atan2(a, b);
  case RATTLE_OP_NEG:
    return -a;
  case RATTLE_OP_SQRT:
    return sqrt(a);
  case RATTLE_OP_EXP:
    return exp(a);
  case RATTLE_OP_LOG:
    return log(a);
  case RATTLE_OP_SIN:
    return sin(a);
  case RATTLE_OP_COS:
    return cos(a);
  case RATTLE_OP_TAN:
    return tan(a);
  case RATTLE_OP_ASIN:
    return asin(a);
  case RATTLE_OP_ACOS:
    return acos(a);
  case RATTLE_OP_ATAN:
    return atan(a);
  case RATTLE_OP_SINH:
    return sinh(a);
  case RATTLE_OP_COSH:
    return cosh(a);
  case RATTLE_OP_TANH:
    return tanh(a);
  case RATTLE_OP_CONSTANT:
  case RATTLE_OP_VARIABLE:
  case RATTLE_OP_COUNT:
    break;
  }
  return (double)NAN;
}
#endif
