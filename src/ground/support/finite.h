#ifndef RATTLE__FINITE_H
#define RATTLE__FINITE_H
static inline int rattle__all_finite(const double *x, int count) {
  double sum[8] = {0}; /* side by side: one alone is a chain */
  int i = 0;
  for (; i + 8 <= count; i += 8)
    for (int k = 0; k < 8; k++) sum[k] += 0 * x[i + k];
  for (; i < count; i++) sum[0] += 0 * x[i];
  for (int k = 1; k < 8; k++) sum[0] += sum[k];
  return sum[0] == 0;
}
#endif
