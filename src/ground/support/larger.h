#ifndef RATTLE__LARGER_H
#define RATTLE__LARGER_H
/* The larger, the smaller of two numbers; b if one of them is NaN. Plain C without includes: the
 * text is handed to a compiler too (decision 004). */
static inline double rattle__larger(double a, double b) {
  return a > b ? a : b;
}
static inline double rattle__smaller(double a, double b) {
  return a < b ? a : b;
}
#endif
