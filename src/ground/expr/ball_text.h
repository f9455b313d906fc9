/* Numbers with bounds, and their operations. See ball.h, which has the theorem. The text stands
 * behind real.h, or behind lanes_text.h: it is compiled at run time too, with the programs of a
 * problem (ball_source.c), so that all who calculate with bounds have the same bits. */
#ifndef RATTLE__BALL_TEXT_H
#define RATTLE__BALL_TEXT_H
typedef struct rattle__ball {
  REAL at, by;
} rattle__ball;

static inline REAL rattle__ball_bound(REAL x) {
  return x * (1 + 0x1p-49) + 0x1p-1022;
}

static inline rattle__ball rattle__exactly(REAL x) {
  return (rattle__ball){x, UNIFORM(0)};
}

static inline MASK rattle__ball_is_zero(rattle__ball a) {
  return (a.at == 0) & (a.by == 0);
}

/* x + 0 is x. */
static inline rattle__ball rattle__ball_add(rattle__ball a, rattle__ball b) {
  const REAL at = a.at + b.at, off = a.by + b.by;
  const MASK exact = rattle__ball_is_zero(a) | rattle__ball_is_zero(b);
  return (rattle__ball){at, SELECT(exact, off, rattle__ball_bound(off + 0x1p-53 * MAGNITUDE(at)))};
}

static inline rattle__ball rattle__ball_minus(rattle__ball a) {
  return (rattle__ball){-a.at, a.by};
}

static inline rattle__ball rattle__ball_subtract(rattle__ball a, rattle__ball b) {
  return rattle__ball_add(a, rattle__ball_minus(b));
}

/* x 0 is 0. */
static inline rattle__ball rattle__ball_times(rattle__ball a, rattle__ball b) {
  const REAL at = a.at * b.at;
  const REAL passed_on = MAGNITUDE(a.at) * b.by + MAGNITUDE(b.at) * a.by + a.by * b.by;
  const MASK none = rattle__ball_is_zero(a) | rattle__ball_is_zero(b);
  return (rattle__ball){
      SELECT(none, UNIFORM(0), at),
      SELECT(none, UNIFORM(0), rattle__ball_bound(passed_on + 0x1p-53 * MAGNITUDE(at)))};
}

/* The same of a number that is not 0 and a: what it adds to nothing is left out. */
static inline rattle__ball rattle__ball_multiple(double number, rattle__ball a) {
  const REAL at = number * a.at, off = MAGNITUDE(UNIFORM(number)) * a.by;
  return (rattle__ball){at, SELECT(rattle__ball_is_zero(a), UNIFORM(0),
                                   rattle__ball_bound(off + 0x1p-53 * MAGNITUDE(at)))};
}

/* a by a power of 2 */
static inline rattle__ball rattle__ball_scaled(rattle__ball a, double power_of_2) {
  const REAL off = MAGNITUDE(UNIFORM(power_of_2)) * a.by;
  return (rattle__ball){power_of_2 * a.at,
                        SELECT(rattle__ball_is_zero(a), UNIFORM(0), rattle__ball_bound(off))};
}

/* 1/b; NaN where b may be 0. q = fl(1/b.at): 1/x - q = (1 - q b.at - q (x - b.at)) / x, and |1 - q
 * b.at| <= u |q b.at| + 2^-1075 |b.at| */
static inline rattle__ball rattle__ball_inverse(rattle__ball b) {
  const REAL at = 1 / b.at, least = MAGNITUDE(b.at) * (1 - 0x1p-50) - rattle__ball_bound(b.by);
  const REAL size = MAGNITUDE(at), off = size * b.by + 0x1p-52 * size * MAGNITUDE(b.at);
  const MASK away = least > 0;
  return (rattle__ball){SELECT(away, at, UNIFORM(__builtin_nan(""))),
                        SELECT(away, rattle__ball_bound(off / least), UNIFORM(__builtin_inf()))};
}

/* NaN unless y > 0. */
static inline rattle__ball rattle__ball_if_positive(rattle__ball y) {
  const MASK positive = y.at * (1 - 0x1p-50) > y.by;
  return (rattle__ball){SELECT(positive, y.at, UNIFORM(__builtin_nan(""))),
                        SELECT(positive, y.by, UNIFORM(__builtin_inf()))};
}

/* sum + a b */
static inline rattle__ball rattle__ball_more(rattle__ball sum, rattle__ball a, rattle__ball b) {
  return rattle__ball_add(sum, rattle__ball_times(a, b));
}

/* The most that |x| can be. */
static inline REAL rattle__ball_size(rattle__ball a) {
  return rattle__ball_bound(MAGNITUDE(a.at) + a.by);
}
#endif
