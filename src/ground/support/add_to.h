#ifndef RATTLE__ADD_TO_H
#define RATTLE__ADD_TO_H
/* sum += x, to twice the digits: low holds the rounding error of sum. */
static inline void rattle__add_to(double *sum, double *low, double x) {
  const double y = x + *low, t = *sum + y, of_sum = t - y, of_y = t - of_sum;
  *low = (*sum - of_sum) + (y - of_y);
  *sum = t;
}
#endif
