/* Part of a kernel's text, without includes. */
#ifndef RATTLE__LARGEST_OF_ALL_H
#define RATTLE__LARGEST_OF_ALL_H

/* The largest of them, all >= 0; NaN if one is. A comparison does not see that, a sum does. */
KERNEL_INLINE double rattle__largest_of_all(int count, const double *a) {
  double most = 0, sum = 0;
  for (int i = 0; i < count; i++) {
    most = a[i] > most ? a[i] : most;
    sum += a[i];
  }
  return sum - sum == 0 ? most : sum - sum;
}
#endif
