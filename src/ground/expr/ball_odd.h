#ifndef RATTLE__BALL_ODD_H
#define RATTLE__BALL_ODD_H
/* F(y) = f(y)/y for odd f with f'(0) = 1, which is smooth and 1 at 0, with F' and F'' at all points
 * of a ball.
 *
 * Method  f(y)/y at the middle of the ball has the digits of f. F is the mean of f'(s y) over s
 *         from 0 to 1, so that F' is half of a value of f'', and F'' a third of one of f''',
 *         between 0 and y. Far from 0 the quotients (f' - F)/y and (f'' - 2 F')/y are nearer: of
 *         both enclosures the smaller one is taken */
#include "ground/expr/ball_functions.h"

typedef enum rattle__odd {
  RATTLE__ODD_SIN,
  RATTLE__ODD_SINH,
  RATTLE__ODD_ATANH,
  RATTLE__ODD_ATAN,
  RATTLE__ODD_TANH
} rattle__odd;

typedef struct rattle__odd_slopes {
  rattle__ball first, second, third; /* f', f'', f''' */
} rattle__odd_slopes;

/* Those of f with f' = 1/(1 + sign y^2). */
static inline rattle__odd_slopes rattle__odd_of_inverse(rattle__ball y, double sign) {
  const rattle__ball square = rattle__ball_times(y, y), one = rattle__exactly(1);
  const rattle__ball i =
      rattle__ball_inverse(rattle__ball_more(one, rattle__exactly(sign), square));
  const rattle__ball i2 = rattle__ball_times(i, i);
  const rattle__ball bend =
      rattle__ball_more(rattle__exactly(-2 * sign), rattle__exactly(6), square);
  return (rattle__odd_slopes){i, rattle__ball_times(rattle__ball_scaled(y, -2 * sign), i2),
                              rattle__ball_times(bend, rattle__ball_times(i2, i))};
}

static inline rattle__odd_slopes rattle__odd_slopes_at(rattle__odd kind, rattle__ball y) {
  if (kind == RATTLE__ODD_ATANH) return rattle__odd_of_inverse(y, -1);
  if (kind == RATTLE__ODD_ATAN) return rattle__odd_of_inverse(y, 1);
  if (kind == RATTLE__ODD_SIN) {
    const rattle__ball_values sine = rattle__ball_function(RATTLE_OP_SIN, y);
    return (rattle__odd_slopes){sine.slope, sine.bend, rattle__ball_minus(sine.slope)};
  }
  if (kind == RATTLE__ODD_SINH) {
    const rattle__ball up = rattle__ball_function(RATTLE_OP_EXP, y).f,
                       down = rattle__ball_function(RATTLE_OP_EXP, rattle__ball_minus(y)).f;
    const rattle__ball cosh = rattle__ball_scaled(rattle__ball_add(up, down), 0.5),
                       sinh = rattle__ball_scaled(rattle__ball_subtract(up, down), 0.5);
    return (rattle__odd_slopes){cosh, sinh, cosh};
  }
  const rattle__ball_values t = rattle__ball_function(RATTLE_OP_TANH, y);
  const rattle__ball six = rattle__ball_times(rattle__exactly(6), rattle__ball_times(t.f, t.f));
  return (rattle__odd_slopes){
      t.slope, t.bend, rattle__ball_times(t.slope, rattle__ball_subtract(six, rattle__exactly(2)))};
}

static inline double rattle__odd_value(rattle__odd kind, double y) {
  return kind == RATTLE__ODD_SIN     ? sin(y)
         : kind == RATTLE__ODD_SINH  ? sinh(y)
         : kind == RATTLE__ODD_ATANH ? atanh(y)
         : kind == RATTLE__ODD_ATAN  ? atan(y)
                                     : tanh(y);
}

static inline rattle__ball rattle__nearer(rattle__ball a, rattle__ball b) {
  return a.by < b.by ? a : b;
}

static inline rattle__ball_values rattle__ball_odd(rattle__odd kind, rattle__ball y) {
  static const rattle__ball third = {1.0 / 3, 0x1p-54};
  const rattle__ball hull = {0.5 * y.at, rattle__ball_bound(0.5 * fabs(y.at) + y.by)};
  const rattle__odd_slopes between = rattle__odd_slopes_at(kind, hull),
                           there = rattle__odd_slopes_at(kind, y);
  rattle__ball_values v;
  v.slope = rattle__ball_scaled(between.second, 0.5);
  v.bend = rattle__ball_times(third, between.third);
  const double value = y.at == 0 ? 1 : rattle__odd_value(kind, y.at) / y.at;
  const double off = rattle__ball_bound(rattle__ball_size(v.slope) * y.by) + 0x1p-49 * fabs(value);
  v.f = (rattle__ball){value, rattle__ball_bound(off)};
  const rattle__ball by = rattle__ball_inverse(y);
  const rattle__ball quotient = rattle__ball_times(rattle__ball_subtract(there.first, v.f), by);
  v.slope = rattle__nearer(quotient, v.slope);
  const rattle__ball rest = rattle__ball_more(there.second, rattle__exactly(-2), v.slope);
  v.bend = rattle__nearer(rattle__ball_times(rest, by), v.bend);
  return v;
}
#endif
