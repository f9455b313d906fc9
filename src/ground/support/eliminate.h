#ifndef RATTLE__ELIMINATE_H
#define RATTLE__ELIMINATE_H
/* Small dense systems, rows one after another, by elimination with partial pivoting: for a few
 * unknowns, when something is made. Systems of steps are those of src/ground/linear. */
#define RATTLE__SIZE(x) ((x) < 0 ? -(x) : (x))

/* name(n, columns, A, B): B [n*columns] <- A^-1 B; A [n*n] is destroyed. Nonzero where A is
 * singular to the last bit. */
#define RATTLE__DEFINE_ELIMINATION(name, real)                                                     \
  static inline int name(int n, int columns, real *A, real *B) {                                   \
    for (int c = 0; c < n; c++) {                                                                  \
      int pivot = c;                                                                               \
      for (int r = c + 1; r < n; r++)                                                              \
        if (RATTLE__SIZE(A[r * n + c]) > RATTLE__SIZE(A[pivot * n + c])) pivot = r;                \
      if (!(RATTLE__SIZE(A[pivot * n + c]) > 0)) return 1;                                         \
      for (int e = 0; e < n && pivot != c; e++) {                                                  \
        const real t = A[c * n + e];                                                               \
        A[c * n + e] = A[pivot * n + e], A[pivot * n + e] = t;                                     \
      }                                                                                            \
      for (int e = 0; e < columns && pivot != c; e++) {                                            \
        const real t = B[c * columns + e];                                                         \
        B[c * columns + e] = B[pivot * columns + e], B[pivot * columns + e] = t;                   \
      }                                                                                            \
      for (int r = 0; r < n; r++) {                                                                \
        const real f = r == c ? 0 : A[r * n + c] / A[c * n + c];                                   \
        for (int e = 0; e < n && f != 0; e++) A[r * n + e] -= f * A[c * n + e];                    \
        for (int e = 0; e < columns && f != 0; e++) B[r * columns + e] -= f * B[c * columns + e];  \
      }                                                                                            \
    }                                                                                              \
    for (int r = 0; r < n; r++)                                                                    \
      for (int e = 0; e < columns; e++) B[r * columns + e] /= A[r * n + r];                        \
    return 0;                                                                                      \
  }
RATTLE__DEFINE_ELIMINATION(rattle__eliminate, double)
RATTLE__DEFINE_ELIMINATION(rattle__eliminate_long, long double)
#undef RATTLE__DEFINE_ELIMINATION
#undef RATTLE__SIZE
#endif
