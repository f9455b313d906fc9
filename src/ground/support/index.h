#ifndef RATTLE__INDEX_H
#define RATTLE__INDEX_H
/* Numbers, as files and people write them, as indices: a conversion of a double that is not in the
 * range of an integer has no defined result in C, so none is made without these. */

/* The whole number `value` in [0, count); -1: it is none. */
static inline long long rattle__index(double value, long long count) {
  if (!(value >= 0 && value < (double)count)) return -1;
  const long long index = (long long)value;
  return (double)index == value ? index : -1;
}

/* The cell of x among `cells` of equal width from low to high, which belongs to the last; -1: x is
 * not between them, or one of the three is not finite. Halves have a difference where the numbers
 * have none. */
static inline int rattle__cell(double x, double low, double high, int cells) {
  if (!(x >= low && x <= high)) return -1;
  const double part = high > low ? (x / 2 - low / 2) / (high / 2 - low / 2) : 0, at = part * cells;
  if (!(at >= 0)) return -1;
  return at >= cells ? cells - 1 : (int)at;
}
#endif
