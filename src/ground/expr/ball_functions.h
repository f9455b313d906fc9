#ifndef RATTLE__BALL_FUNCTIONS_H
#define RATTLE__BALL_FUNCTIONS_H
/* Functions of balls: f, f' and f'' at all points of a ball.
 *
 * Method  |f(x) - f(at)| <= by max|f'| over the ball; f' and f'' by the ball itself, by f, or by
 *         sin and cos, which are off by no more than `by`
 * Trusted the C library is off by less than 2^-50 of the value, 8 units in the last place; sqrt is
 *         rounded to nearest
 * Outside of the domain, and next to its edge, f and its derivatives are NaN; so is abs at balls
 * that may hold 0. */
#include "ground/expr/ball.h"
#include "rattle/expr.h"

typedef struct rattle__ball_values {
  rattle__ball f, slope, bend; /* f, f', f'' */
} rattle__ball_values;

/* f(at), as the library gives it, with what the ball adds: `most` >= |f'|. */
static inline rattle__ball rattle__ball_of_library(double value, rattle__ball a, double most) {
  const double off = rattle__ball_bound(most * a.by) + 0x1p-50 * fabs(value);
  return (rattle__ball){value, rattle__ball_bound(off)};
}

static inline int rattle__ball_has_function(int op) {
  return op == RATTLE_OP_SIN || op == RATTLE_OP_COS || op == RATTLE_OP_EXP || op == RATTLE_OP_LOG ||
         op == RATTLE_OP_SQRT || op == RATTLE_OP_ATAN || op == RATTLE_OP_TANH ||
         op == RATTLE_OP_ABS;
}

static inline rattle__ball_values rattle__ball_function(int op, rattle__ball a) {
  const rattle__ball nowhere = {(double)NAN, (double)INFINITY};
  rattle__ball_values v = {nowhere, nowhere, nowhere};
  if (op == RATTLE_OP_SIN || op == RATTLE_OP_COS) {
    const rattle__ball sine = rattle__ball_of_library(sin(a.at), a, 1),
                       cosine = rattle__ball_of_library(cos(a.at), a, 1);
    v.f = op == RATTLE_OP_SIN ? sine : cosine;
    v.slope = op == RATTLE_OP_SIN ? cosine : rattle__ball_minus(sine);
    v.bend = rattle__ball_minus(v.f);
  }
  /* e^(at + d) <= e^at (1 + 2 |d|) for |d| <= 1 */
  if (op == RATTLE_OP_EXP && a.by <= 1) {
    const double value = exp(a.at);
    v.f = v.slope = v.bend =
        rattle__ball_of_library(value, a, rattle__ball_bound(2 * value * (1 + 0x1p-49)));
  }
  if (op == RATTLE_OP_TANH) {
    v.f = rattle__ball_of_library(tanh(a.at), a, 1);
    v.slope = rattle__ball_subtract(rattle__exactly(1), rattle__ball_times(v.f, v.f));
    v.bend = rattle__ball_times(rattle__ball_scaled(v.f, -2), v.slope);
  }
  if (op == RATTLE_OP_ABS && fabs(a.at) * (1 - 0x1p-50) > a.by) {
    v.f = (rattle__ball){fabs(a.at), a.by};
    v.slope = rattle__exactly(a.at > 0 ? 1 : -1), v.bend = rattle__exactly(0);
  }
  if (op != RATTLE_OP_LOG && op != RATTLE_OP_SQRT && op != RATTLE_OP_ATAN) return v;
  if (op == RATTLE_OP_ATAN) {
    const rattle__ball one = rattle__exactly(1);
    v.slope = rattle__ball_inverse(rattle__ball_more(one, a, a));
    v.bend = rattle__ball_times(rattle__ball_scaled(a, -2), rattle__ball_times(v.slope, v.slope));
    v.f = rattle__ball_of_library(atan(a.at), a, 1);
    return v;
  }
  if (!(a.at * (1 - 0x1p-50) > a.by)) return v;
  const rattle__ball inverse = rattle__ball_inverse(a);
  if (op == RATTLE_OP_LOG) {
    v.f = rattle__ball_of_library(log(a.at), a, rattle__ball_size(inverse));
    v.slope = inverse, v.bend = rattle__ball_minus(rattle__ball_times(inverse, inverse));
    return v;
  }
  /* |sqrt(x) - sqrt(at)| <= |x - at|/sqrt(at) */
  const double root = sqrt(a.at);
  v.f = rattle__ball_of_library(root, a, rattle__ball_bound(1 / root));
  v.slope = rattle__ball_scaled(rattle__ball_inverse(v.f), 0.5);
  v.bend = rattle__ball_minus(rattle__ball_scaled(rattle__ball_times(v.slope, inverse), 0.5));
  return v;
}
#endif
