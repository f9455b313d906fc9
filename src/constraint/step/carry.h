#ifndef RATTLE__CARRY_H
#define RATTLE__CARRY_H
/* Compensated sums of z: the rounding error of a sum is carried and goes into the next one.
 *
 * If a method says `compensated` the point is z + carry, carry = context->carry [2n], at most half
 * a unit in the last place of z; else context->carry is NULL. A map that says `compensates` finds
 * the carry of z0 there and leaves that of z1; after a failed step it is undefined, and code that
 * applies a map again from the same point restores it. While a point is output it is NULL.
 *
 * Exact    sums keep all digits of two numbers: a carry that is rounded to the last place of the
 *          increments ends in ties, and the rule for ties has a sign (docs/round-off.md). So are
 *          the products of drifts
 * Source   T. J. Dekker, Numer. Math. 18 (1971) 224; E. Hairer, R. I. McLachlan, A. Razakarivony,
 *          BIT 48 (2008) 231, section 3 */

/* The rounding error of a + b = sum. */
static inline double rattle__lost(double a, double b, double sum) {
  const double part = sum - a;
  return (a - (sum - part)) + (b - part);
}

/* x + carry += increment: x is the sum rounded. */
static inline void rattle__carry_add(double *x, double *carry, double increment) {
  const double y = increment + *carry, sum = *x + y;
  *carry = rattle__lost(*x, y, sum) + rattle__lost(increment, *carry, y);
  *x = sum;
}

/* The same for x[count]; carry NULL: plain sums. */
static inline void rattle__carry_add_all(int count, const double *increment, double *x,
                                         double *carry) {
  if (!carry) {
    for (int i = 0; i < count; i++) x[i] += increment[i];
    return;
  }
  for (int i = 0; i < count; i++) rattle__carry_add(x + i, carry + i, increment[i]);
}

/* The rounding error of a b = product. */
static inline double rattle__lost_product(double a, double b, double product) {
  const double split = 134217729; /* 2^27 + 1 */
  const double u = split * a, v = split * b, a1 = u - (u - a), b1 = v - (v - b), a2 = a - a1,
               b2 = b - b1;
  return ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2;
}

/* x + carry += c (p + p_carry) */
static inline void rattle__carry_drift(double *x, double *carry, double c, double p,
                                       double p_carry) {
  const double moved = c * p;
  *carry += rattle__lost_product(c, p, moved) + c * p_carry;
  rattle__carry_add(x, carry, moved);
}
#endif
