#ifndef RATTLE__SIGN_CHANGE_H
#define RATTLE__SIGN_CHANGE_H
/* Two points between which a value changes its sign, for searches whose steps may fail: the caller
 * evaluates, and ends. Regula falsi with the rule of the Illinois algorithm: an end that stays for
 * the second time counts half (M. Dowell, P. Jarratt, BIT 11 (1971) 168). */
typedef struct rattle__sign_change {
  double low, high, at_low, at_high;
  int side; /* of the end that moved last: 1 `high`, -1 `low`; 0: none has */
} rattle__sign_change;

/* The zero of the straight line through both ends. */
static inline double rattle__sign_change_secant(const rattle__sign_change *b) {
  return (b->low * b->at_high - b->high * b->at_low) / (b->at_high - b->at_low);
}

/* An end moves to x, `high` if `upper`. */
static inline void rattle__sign_change_narrow(rattle__sign_change *b, double x, double value,
                                              int upper) {
  if (upper) {
    b->high = x, b->at_high = value;
    if (b->side > 0) b->at_low /= 2;
  } else {
    b->low = x, b->at_low = value;
    if (b->side < 0) b->at_high /= 2;
  }
  b->side = upper ? 1 : -1;
}
#endif
