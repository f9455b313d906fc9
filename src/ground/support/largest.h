#ifndef RATTLE__LARGEST_H
#define RATTLE__LARGEST_H
#include <math.h>

/* The largest |x_i|; NaN if one is not a number. */
static inline double rattle__largest(const double *x, int count) {
  double most = 0;
  for (int i = 0; i < count; i++)
    if (!(fabs(x[i]) <= most)) most = fabs(x[i]);
  return most;
}
/* The greater of two residuals; not a number where one of them is none, which the bare comparison
 * may lose. */
static inline double rattle__greater(double a, double b) {
  return a > b || !(a == a) ? a : b;
}
#endif
