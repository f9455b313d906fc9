/* Part of a kernel's text: elimination without exchanges of rows, for matrices whose pivots are
 * positive where a step leaves no doubt. Plain C without includes, after the text of
 * constraint/guard/rules and with KERNEL_INLINE; m <= RATTLE__DENSE. */
#ifndef RATTLE__ELIMINATION_H
#define RATTLE__ELIMINATION_H

/* a [m m] by its factors: below the diagonal L, above it U, and 1/U_kk on it. 0: a pivot is not
 * positive. */
KERNEL_INLINE int rattle__factor(int m, double *a) {
  double diagonal[RATTLE__DENSE];
  int good = 1;
  for (int k = 0; k < m; k++) diagonal[k] = a[k * m + k];
  for (int k = 0; k < m; k++) {
    good &= rattle__pivot_is_positive(a[k * m + k], diagonal[k]);
    const double inverse = a[k * m + k] = 1 / a[k * m + k];
    for (int i = k + 1; i < m; i++) {
      const double by = a[i * m + k] *= inverse;
      for (int j = k + 1; j < m; j++) a[i * m + j] -= by * a[k * m + j];
    }
  }
  return good;
}

/* X [m columns] = a^-1 X, by those factors. */
KERNEL_INLINE void rattle__solve(int m, const double *a, int columns, double *X) {
  for (int k = 0; k < m; k++)
    for (int i = k + 1; i < m; i++)
      for (int c = 0; c < columns; c++) X[i * columns + c] -= a[i * m + k] * X[k * columns + c];
  for (int k = m - 1; k >= 0; k--) {
    for (int c = 0; c < columns; c++) X[k * columns + c] *= a[k * m + k];
    for (int i = 0; i < k; i++)
      for (int c = 0; c < columns; c++) X[i * columns + c] -= a[i * m + k] * X[k * columns + c];
  }
}
#endif
