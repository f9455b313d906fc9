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
#endif
