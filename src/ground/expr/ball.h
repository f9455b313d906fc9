#ifndef RATTLE__BALL_H
#define RATTLE__BALL_H
/* Real numbers that are known to within a bound: |x - at| <= by, whatever was rounded on the way.
 *
 * Theorem  u = 2^-53, no operation overflows. fl(a + b) is off by at most u |fl(a + b)|, fl(a b) by
 *          at most u |fl(a b)| + 2^-1075 (Higham, Accuracy and Stability of Numerical Algorithms
 *          (2002), sections 2.1 and 2.2). A bound is a sum of products of numbers that are not
 *          negative, of k <= 6 rounded operations: fl(bound) >= (1 - u)^k bound - 4 2^-1075, and
 *          rattle__ball_bound makes it an upper bound again: in real numbers (1 - u) (1 + 16 u)
 *          (1 - u)^6 > 1, and the products that vanished are less than 2^-1022
 * Infinities and NaN in `at` or `by` stay there; no comparison with NaN proves anything. Round to
 * nearest, and no contraction (-ffp-contract=off). */
#include <math.h>

typedef struct rattle__ball {
  double at, by;
} rattle__ball;

static inline double rattle__ball_bound(double x) {
  return x * (1 + 0x1p-49) + 0x1p-1022;
}

static inline rattle__ball rattle__exactly(double x) {
  return (rattle__ball){x, 0};
}

static inline int rattle__is_exact_zero(rattle__ball a) {
  return a.at == 0 && a.by == 0;
}

static inline rattle__ball rattle__ball_add(rattle__ball a, rattle__ball b) {
  if (rattle__is_exact_zero(a)) return b;
  if (rattle__is_exact_zero(b)) return a;
  const double at = a.at + b.at;
  return (rattle__ball){at, rattle__ball_bound(a.by + b.by + 0x1p-53 * fabs(at))};
}

static inline rattle__ball rattle__ball_minus(rattle__ball a) {
  return (rattle__ball){-a.at, a.by};
}

static inline rattle__ball rattle__ball_subtract(rattle__ball a, rattle__ball b) {
  return rattle__ball_add(a, rattle__ball_minus(b));
}

static inline rattle__ball rattle__ball_times(rattle__ball a, rattle__ball b) {
  if (rattle__is_exact_zero(a) || rattle__is_exact_zero(b)) return rattle__exactly(0);
  const double at = a.at * b.at;
  const double passed_on = fabs(a.at) * b.by + fabs(b.at) * a.by + a.by * b.by;
  return (rattle__ball){at, rattle__ball_bound(passed_on + 0x1p-53 * fabs(at))};
}

/* a by a power of 2 */
static inline rattle__ball rattle__ball_scaled(rattle__ball a, double power_of_2) {
  return (rattle__ball){power_of_2 * a.at, rattle__ball_bound(fabs(power_of_2) * a.by)};
}

/* 1/b; NaN where b may be 0. q = fl(1/b.at): 1/x - q = (1 - q b.at - q (x - b.at)) / x, and |1 - q
 * b.at| <= u |q b.at| + 2^-1075 |b.at| */
static inline rattle__ball rattle__ball_inverse(rattle__ball b) {
  const double at = 1 / b.at, least = fabs(b.at) * (1 - 0x1p-50) - rattle__ball_bound(b.by);
  const double size = fabs(at), off = size * b.by + 0x1p-52 * size * fabs(b.at);
  return least > 0 ? (rattle__ball){at, rattle__ball_bound(off / least)}
                   : (rattle__ball){(double)NAN, (double)INFINITY};
}

/* sum + a b */
static inline rattle__ball rattle__ball_more(rattle__ball sum, rattle__ball a, rattle__ball b) {
  return rattle__ball_add(sum, rattle__ball_times(a, b));
}

/* The most that |x| can be. */
static inline double rattle__ball_size(rattle__ball a) {
  return rattle__ball_bound(fabs(a.at) + a.by);
}
#endif
