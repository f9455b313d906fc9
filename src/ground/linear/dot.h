#ifndef RATTLE__DOT_H
#define RATTLE__DOT_H
/* Sums of products in an order that a compiler can vectorise without leave to change it: four
 * partial sums. */
static inline double rattle__dot(int n, const double *restrict a, const double *restrict b) {
  double sum[4] = {0, 0, 0, 0};
  int k = 0;
  for (; k + 4 <= n; k += 4)
    for (int l = 0; l < 4; l++) sum[l] += a[k + l] * b[k + l];
  for (int l = 0; k + l < n; l++) sum[l] += a[k + l] * b[k + l];
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}
#endif
