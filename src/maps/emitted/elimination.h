/* Part of a kernel's text: elimination by pairs of pivots, without exchanges of rows, for matrices
 * whose pivots are positive where a step leaves no doubt. A pair takes one division, which others
 * wait for. Lanes have answers of their own. Plain C without includes, after ground/expr/real.h,
 * constraint/guard/rules and eliminated.h, with KERNEL_INLINE; m <= RATTLE__ELIMINATED. */
#ifndef RATTLE__ELIMINATION_H
#define RATTLE__ELIMINATION_H

/* The block of pivots k, k + 1, or of the last one alone, by its inverse. 0: a pivot is not
 * positive; diagonal: of a before elimination. */
KERNEL_INLINE MASK rattle__invert_pivots(int m, int k, const REAL *diagonal, REAL *a) {
  REAL *upper = a + k * m + k, *lower = upper + m;
  const REAL first = upper[0];
  MASK good = rattle__pivot_is_positive(first, diagonal[k]);
  if (k + 1 == m) {
    upper[0] = 1 / first;
    return good;
  }
  const REAL determinant = first * lower[1] - upper[1] * lower[0], inverse = 1 / determinant;
  good &= diagonal[k + 1] > 0;
  good &= rattle__pivot_is_positive(determinant, first * diagonal[k + 1]);
  upper[0] = lower[1] * inverse, upper[1] = -upper[1] * inverse;
  lower[0] = -lower[0] * inverse, lower[1] = first * inverse;
  return good;
}

/* a [m m] by its factors: below the blocks of pivots L, above them U, and their inverses in place
 * of them. 0: a pivot is not positive. */
KERNEL_INLINE MASK rattle__factor(int m, REAL *a) {
  REAL diagonal[RATTLE__ELIMINATED];
  MASK good = ALL;
  for (int k = 0; k < m; k++) diagonal[k] = a[k * m + k];
  for (int k = 0; k < m; k += 2) {
    const REAL *up = a + k * m, *inverse = up + k;
    good &= rattle__invert_pivots(m, k, diagonal, a);
    for (int i = k + 2; i < m; i++) {
      REAL *row = a + i * m;
      const REAL first = row[k], second = row[k + 1];
      const MASK some = (first != 0) | (second != 0);
      if (!ANY(some)) continue;
      WHERE(some, row[k], first * inverse[0] + second * inverse[m]);
      WHERE(some, row[k + 1], first * inverse[1] + second * inverse[m + 1]);
      for (int j = k + 2; j < m; j++)
        WHERE(some, row[j], row[j] - (row[k] * up[j] + row[k + 1] * up[m + j]));
    }
  }
  return good;
}

/* X [m columns] = a^-1 X, by those factors. */
KERNEL_INLINE void rattle__solve(int m, const REAL *a, int columns, REAL *X) {
  for (int c = 0; c < columns; c++)
    for (int k = 0; k + 1 < m; k += 2)
      for (int i = k + 2; i < m; i++)
        X[i * columns + c] -=
            a[i * m + k] * X[k * columns + c] + a[i * m + k + 1] * X[(k + 1) * columns + c];
  for (int c = 0; c < columns; c++) {
    const int last = m - 1;
    if (m % 2) X[last * columns + c] *= a[last * m + last];
    for (int k = m - m % 2 - 2; k >= 0; k -= 2) {
      const REAL *up = a + k * m;
      REAL first = X[k * columns + c], second = X[(k + 1) * columns + c];
      for (int j = k + 2; j < m; j++) {
        first -= up[j] * X[j * columns + c];
        second -= up[m + j] * X[j * columns + c];
      }
      X[k * columns + c] = up[k] * first + up[k + 1] * second;
      X[(k + 1) * columns + c] = up[m + k] * first + up[m + k + 1] * second;
    }
  }
}
#endif
