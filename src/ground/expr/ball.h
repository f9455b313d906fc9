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

#include "ground/expr/real.h"

#include "ground/expr/ball_text.h"
#endif
