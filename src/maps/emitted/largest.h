/* Part of a kernel's text, without includes, after ground/expr/real.h. */
#ifndef RATTLE__LARGEST_OF_ALL_H
#define RATTLE__LARGEST_OF_ALL_H

/* The largest of them, all >= 0; NaN if one is. A comparison does not see that, a sum does. */
KERNEL_INLINE REAL rattle__largest_of_all(int count, const REAL *a) {
  REAL most = UNIFORM(0), sum = UNIFORM(0);
  for (int i = 0; i < count; i++) {
    most = SELECT(a[i] > most, a[i], most);
    sum += a[i];
  }
  return SELECT(sum - sum == 0, most, sum - sum);
}
#endif
