#ifndef RATTLE__JET_RULES_H
#define RATTLE__JET_RULES_H
/* Coefficient k of one operation from coefficients of its operands: u = op(a, b), v a companion of
 * u or a third operand, c a number. Lower coefficients of u and v are there.
 *
 * Source: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, I.8; Griewank,
 * Walther, Evaluating Derivatives (2008), chapter 13. With u' = a' w, k u_k = sum_j j a_j
 * w_{k-j} */
#include <math.h>

typedef void rattle__jet_rule(int k, const double *a, const double *b, double *u, double *v,
                              double c);

/* sum a_j b_{k-j}, j = from..to */
static inline double rattle__jet_sum(int k, int from, int to, const double *a, const double *b) {
  double sum = 0;
  for (int j = from; j <= to; j++) sum += a[j] * b[k - j];
  return sum;
}

/* sum j a_j b_{k-j}, j = 1..to */
static inline double rattle__jet_slope(int k, int to, const double *a, const double *b) {
  double sum = 0;
  for (int j = 1; j <= to; j++) sum += j * a[j] * b[k - j];
  return sum;
}

extern rattle__jet_rule rattle__jet_add, rattle__jet_subtract, rattle__jet_multiply,
    rattle__jet_square, rattle__jet_scale, rattle__jet_part, rattle__jet_divide,
    rattle__jet_reciprocal, rattle__jet_power, rattle__jet_sqrt, rattle__jet_exp, rattle__jet_log,
    rattle__jet_sine, rattle__jet_hyperbolic, rattle__jet_tan, rattle__jet_tanh, rattle__jet_expm1,
    rattle__jet_log1p, rattle__jet_erf, rattle__jet_erfc, rattle__jet_asin, rattle__jet_acos,
    rattle__jet_atan, rattle__jet_atan2, rattle__jet_one_plus, rattle__jet_less, rattle__jet_when,
    rattle__jet_min, rattle__jet_max, rattle__jet_at_least, rattle__jet_at_most, rattle__jet_abs,
    rattle__jet_sign, rattle__jet_held;
#endif
