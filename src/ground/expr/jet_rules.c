/* The recurrences of the operations, one a function. */
#include "ground/expr/jet_rules.h"

#include "ground/expr/op.h"

#define RULE(name)                                                                                 \
  void rattle__jet_##name(int k, const double *a, const double *b, double *u, double *v, double c)
#define UNUSED(x) (void)(x)

RULE(add) {
  UNUSED(v), UNUSED(c);
  u[k] = a[k] + b[k];
}

RULE(subtract) {
  UNUSED(v), UNUSED(c);
  u[k] = a[k] - b[k];
}

RULE(multiply) {
  UNUSED(v), UNUSED(c);
  u[k] = rattle__jet_sum(k, 0, k, a, b);
}

RULE(square) {
  UNUSED(b), UNUSED(v), UNUSED(c);
  const int half = k / 2;
  u[k] = 2 * rattle__jet_sum(k, 0, k % 2 ? half : half - 1, a, a) + (k % 2 ? 0 : a[half] * a[half]);
}

/* c a */
RULE(scale) {
  UNUSED(b), UNUSED(v);
  u[k] = c * a[k];
}

/* a / c */
RULE(part) {
  UNUSED(b), UNUSED(v);
  u[k] = a[k] / c;
}

RULE(divide) {
  UNUSED(v), UNUSED(c);
  u[k] = (a[k] - rattle__jet_sum(k, 0, k - 1, u, b)) / b[0];
}

/* 1 / a */
RULE(reciprocal) {
  UNUSED(b), UNUSED(v), UNUSED(c);
  u[k] = ((k == 0) - rattle__jet_sum(k, 0, k - 1, u, a)) / a[0];
}

/* 1 + c a */
RULE(one_plus) {
  UNUSED(b), UNUSED(v);
  u[k] = (k == 0) + c * a[k];
}

/* a^c: a u' = c a' u. If a_0 = 0, coefficient k is 0 for an integer c > k. */
RULE(power) {
  UNUSED(b), UNUSED(v);
  if (k == 0) {
    u[0] = pow(a[0], c);
    return;
  }
  double sum = 0;
  for (int j = 0; j < k; j++) sum += (c * (k - j) - j) * a[k - j] * u[j];
  u[k] = a[0] == 0 && c > k && c == floor(c) ? 0 : sum / (k * a[0]);
}

RULE(sqrt) {
  UNUSED(b), UNUSED(v), UNUSED(c);
  u[k] = k == 0 ? sqrt(a[0]) : (a[k] - rattle__jet_sum(k, 1, k - 1, u, u)) / (2 * u[0]);
}

RULE(exp) {
  UNUSED(b), UNUSED(v), UNUSED(c);
  u[k] = k == 0 ? exp(a[0]) : rattle__jet_slope(k, k, a, u) / k;
}

RULE(log) {
  UNUSED(b), UNUSED(v), UNUSED(c);
  u[k] = k == 0 ? log(a[0]) : (a[k] - rattle__jet_slope(k, k - 1, u, a) / k) / a[0];
}

/* u = sin a, v = cos a */
RULE(sine) {
  UNUSED(b), UNUSED(c);
  u[k] = k == 0 ? sin(a[0]) : rattle__jet_slope(k, k, a, v) / k;
  v[k] = k == 0 ? cos(a[0]) : -rattle__jet_slope(k, k, a, u) / k;
}

/* u = sinh a, v = cosh a */
RULE(hyperbolic) {
  UNUSED(b), UNUSED(c);
  u[k] = k == 0 ? sinh(a[0]) : rattle__jet_slope(k, k, a, v) / k;
  v[k] = k == 0 ? cosh(a[0]) : rattle__jet_slope(k, k, a, u) / k;
}

/* u' = a' v, v = 1 + u^2 */
RULE(tan) {
  UNUSED(b), UNUSED(c);
  u[k] = k == 0 ? tan(a[0]) : rattle__jet_slope(k, k, a, v) / k;
  v[k] = (k == 0) + rattle__jet_sum(k, 0, k, u, u);
}

/* u' = a' v, v = 1 - u^2 */
RULE(tanh) {
  UNUSED(b), UNUSED(c);
  u[k] = k == 0 ? tanh(a[0]) : rattle__jet_slope(k, k, a, v) / k;
  v[k] = (k == 0) - rattle__jet_sum(k, 0, k, u, u);
}

/* u' = a' b, b = exp a */
RULE(expm1) {
  UNUSED(v), UNUSED(c);
  u[k] = k == 0 ? expm1(a[0]) : rattle__jet_slope(k, k, a, b) / k;
}

/* b u' = a', b = 1 + a */
RULE(log1p) {
  UNUSED(v), UNUSED(c);
  u[k] = k == 0 ? log1p(a[0]) : (a[k] - rattle__jet_slope(k, k - 1, u, b) / k) / b[0];
}

/* u' = a' b, b the derivative of the function at a */
RULE(erf) {
  UNUSED(v), UNUSED(c);
  u[k] = k == 0 ? erf(a[0]) : rattle__jet_slope(k, k, a, b) / k;
}

RULE(erfc) {
  UNUSED(v), UNUSED(c);
  u[k] = k == 0 ? erfc(a[0]) : rattle__jet_slope(k, k, a, b) / k;
}

/* b u' = a', b = sqrt(1 - a^2) */
RULE(asin) {
  UNUSED(v), UNUSED(c);
  u[k] = k == 0 ? asin(a[0]) : (a[k] - rattle__jet_slope(k, k - 1, u, b) / k) / b[0];
}

/* b u' = -a', b = sqrt(1 - a^2) */
RULE(acos) {
  UNUSED(v), UNUSED(c);
  u[k] = k == 0 ? acos(a[0]) : -(a[k] + rattle__jet_slope(k, k - 1, u, b) / k) / b[0];
}

/* b u' = a', b = 1 + a^2 */
RULE(atan) {
  UNUSED(v), UNUSED(c);
  u[k] = k == 0 ? atan(a[0]) : (a[k] - rattle__jet_slope(k, k - 1, u, b) / k) / b[0];
}

/* v u' = b a' - a b', v = a^2 + b^2 */
RULE(atan2) {
  UNUSED(c);
  if (k == 0) {
    u[0] = atan2(a[0], b[0]);
    return;
  }
  const double turn = rattle__jet_slope(k, k, a, b) - rattle__jet_slope(k, k, b, a);
  u[k] = (turn - rattle__jet_slope(k, k - 1, u, v)) / (k * v[0]);
}

/* Operations that choose: the values at the point choose the branch for the whole series. */

RULE(less) {
  UNUSED(v), UNUSED(c);
  u[k] = k == 0 ? rattle__op_apply(RATTLE_OP_LT, a[0], b[0]) : 0;
}

RULE(when) {
  UNUSED(v), UNUSED(c);
  u[k] = k == 0 || a[0] > 0 ? rattle__op_apply(RATTLE_OP_WHEN, a[0], b[k]) : 0;
}

RULE(min) {
  UNUSED(v), UNUSED(c);
  u[k] = k == 0 ? rattle__op_apply(RATTLE_OP_MIN, a[0], b[0]) : a[0] < b[0] ? a[k] : b[k];
}

RULE(max) {
  UNUSED(v), UNUSED(c);
  u[k] = k == 0 ? rattle__op_apply(RATTLE_OP_MAX, a[0], b[0]) : a[0] < b[0] ? b[k] : a[k];
}

RULE(at_least) {
  UNUSED(v), UNUSED(c);
  u[k] = k == 0 ? rattle__op_apply(RATTLE_OP_ATLEAST, a[0], b[0]) : a[k];
}

RULE(at_most) {
  UNUSED(v), UNUSED(c);
  u[k] = k == 0 ? rattle__op_apply(RATTLE_OP_ATMOST, a[0], b[0]) : a[k];
}

RULE(abs) {
  UNUSED(b), UNUSED(v), UNUSED(c);
  u[k] = k == 0 ? fabs(a[0]) : rattle__op_apply(RATTLE_OP_SIGN, a[0], 0) * a[k];
}

RULE(sign) {
  UNUSED(b), UNUSED(v), UNUSED(c);
  u[k] = k == 0 ? rattle__op_apply(RATTLE_OP_SIGN, a[0], 0) : 0;
}

RULE(held) {
  UNUSED(b), UNUSED(v), UNUSED(c);
  u[k] = k == 0 ? a[0] : 0;
}
