/* Part of the text of spark_kernel.h: products and systems of few constraints of few variables, W
 * being diagonal. G is taken with all its entries, systems are solved without exchanges: where a
 * pivot is small, the step is in doubt. Before inclusion, besides: INVERSE_MASS(c); ROW(e),
 * COLUMN(e), the places of G's entries */

/* LU in place without exchanges, pivots inverted; 1 if a pivot is small. R is near w x N, whose
 * leading minors are not small: where they are, the step is in doubt anyway. */
KERNEL_INLINE int KERNEL_NAME(factor)(const int size, double *restrict A) {
  int bad = 0;
  KERNEL_UNROLL
  for (int k = 0; k < size; k++) {
    double most = 0;
    KERNEL_UNROLL
    for (int e = 0; e < size; e++) most = rattle__larger(fabs(A[k * size + e]), most);
    bad |= rattle__pivot_is_small(A[k * size + k], most);
    const double inverse = A[k * size + k] = 1 / A[k * size + k];
    KERNEL_UNROLL
    for (int i = k + 1; i < size; i++) {
      const double f = A[i * size + k] *= inverse;
      KERNEL_UNROLL
      for (int e = k + 1; e < size; e++) A[i * size + e] -= f * A[k * size + e];
    }
  }
  return bad;
}

KERNEL_INLINE void KERNEL_NAME(solve_LU)(const int size, const double *restrict A,
                                         double *restrict y) {
  KERNEL_UNROLL
  for (int i = 1; i < size; i++) {
    KERNEL_UNROLL
    for (int e = 0; e < i; e++) y[i] -= A[i * size + e] * y[e];
  }
  KERNEL_UNROLL
  for (int i = size - 1; i >= 0; i--) {
    KERNEL_UNROLL
    for (int e = i + 1; e < size; e++) y[i] -= A[i * size + e] * y[e];
    y[i] *= A[i * size + i];
  }
}

/* a (W x)_c */
KERNEL_INLINE double KERNEL_NAME(times_W)(const rattle__stages *k, const rattle__shape s, double a,
                                          int c, const double *x) {
  (void)k, (void)s;
  return a * INVERSE_MASS(c) * x[c];
}

/* (|W| x)_c */
KERNEL_INLINE double KERNEL_NAME(reach)(const rattle__stages *k, const rattle__shape s, int c,
                                        const double *x) {
  (void)k, (void)s;
  return INVERSE_MASS(c) * x[c];
}

/* x = from + G^T y at stage j; from NULL: 0 */
KERNEL_INLINE void KERNEL_NAME(pull)(const rattle__stages *k, const rattle__shape s, int j,
                                     const double *restrict y, const double *from, double *x) {
  const double *restrict D = k->J[j];
  KERNEL_UNROLL
  for (int c = 0; c < s.n; c++) {
    double sum = D[c] * y[0];
    KERNEL_UNROLL
    for (int l = 1; l < s.m; l++) sum += D[l * s.n + c] * y[l];
    x[c] = from ? from[c] + sum : sum;
  }
}

/* y = G x at stage j */
KERNEL_INLINE void KERNEL_NAME(push)(const rattle__stages *k, const rattle__shape s, int j,
                                     const double *restrict x, double *restrict y) {
  const double *restrict D = k->J[j];
  KERNEL_UNROLL
  for (int l = 0; l < s.m; l++) {
    double sum = D[l * s.n] * x[0];
    KERNEL_UNROLL
    for (int c = 1; c < s.n; c++) sum += D[l * s.n + c] * x[c];
    y[l] = sum;
  }
}

/* size += |G|^T |y| at stage j */
KERNEL_INLINE void KERNEL_NAME(add_sizes)(const rattle__stages *k, const rattle__shape s, int j,
                                          const double *restrict y, double *restrict size) {
  const double *restrict D = k->J[j];
  KERNEL_UNROLL
  for (int l = 0; l < s.m; l++) {
    KERNEL_UNROLL
    for (int c = 0; c < s.n; c++) size[c] += fabs(D[l * s.n + c] * y[l]);
  }
}

/* sum_c |G_lc| of the mean size of q and q0, which is at least `least` */
KERNEL_INLINE double KERNEL_NAME(size_of_g)(const rattle__stages *k, const rattle__shape s, int j,
                                            int l, const double *q0, double least) {
  const double *restrict D = k->J[j] + l * s.n, *restrict Q = k->Q[j];
  double sum = 0;
  KERNEL_UNROLL
  for (int c = 0; c < s.n; c++)
    sum += fabs(D[c]) * rattle__larger(0.5 * (fabs(Q[c]) + fabs(q0[c])), least);
  return sum;
}

/* sum_c |G_lc v_c| */
KERNEL_INLINE double KERNEL_NAME(size_of_psi)(const rattle__stages *k, const rattle__shape s, int j,
                                              int l, const double *v) {
  const double *restrict D = k->J[j] + l * s.n;
  double sum = 0;
  KERNEL_UNROLL
  for (int c = 0; c < s.n; c++) sum += fabs(D[c] * v[c]);
  return sum;
}

/* y += G_qq(v, v), from k->along */
KERNEL_INLINE void KERNEL_NAME(add_bend)(const rattle__stages *k, const rattle__shape s,
                                         const double *v, double *y) {
  KERNEL_UNROLL
  for (int e = 0; e < s.nnz; e++) y[ROW(e)] += k->along[e] * v[COLUMN(e)];
}

/* G(Q_i) M^-1 G(Q_j)^T */
KERNEL_INLINE void KERNEL_NAME(couple)(const rattle__stages *k, const rattle__shape s, int i, int j,
                                       double *restrict value) {
  const double *restrict D = k->J[i], *restrict B = k->B[j];
  KERNEL_UNROLL
  for (int l = 0; l < s.m; l++) {
    KERNEL_UNROLL
    for (int o = 0; o < s.m; o++) {
      double sum = D[l * s.n] * B[o * s.n];
      KERNEL_UNROLL
      for (int c = 1; c < s.n; c++) sum += D[l * s.n + c] * B[o * s.n + c];
      value[l * s.m + o] = sum;
    }
  }
}

KERNEL_INLINE void KERNEL_NAME(scale_columns)(rattle__stages *k, const rattle__shape s, int j) {
  double *restrict B = k->B[j];
  KERNEL_UNROLL
  for (int l = 0; l < s.m; l++) {
    KERNEL_UNROLL
    for (int c = 0; c < s.n; c++) B[l * s.n + c] = INVERSE_MASS(c) * k->J[j][l * s.n + c];
  }
}

/* N at stage j; nonzero if it is singular */
KERNEL_INLINE int KERNEL_NAME(factor_N)(rattle__stages *k, const rattle__shape s, int j) {
  KERNEL_NAME(scale_columns)(k, s, j);
  KERNEL_NAME(couple)(k, s, j, j, k->N_now);
  KERNEL_UNROLL
  for (int e = 0; e < s.m * s.m; e++) k->LU[e] = k->N_now[e];
  k->factors++;
  return KERNEL_NAME(factor)(s.m, k->LU);
}

KERNEL_INLINE void KERNEL_NAME(solve_N)(const rattle__stages *k, const rattle__shape s, double *y) {
  KERNEL_NAME(solve_LU)(s.m, k->LU, y);
}

KERNEL_INLINE void KERNEL_NAME(keep_N)(rattle__stages *k, const rattle__shape s) {
  KERNEL_UNROLL
  for (int e = 0; e < s.m * s.m; e++) k->N_start[e] = k->N_now[e];
}

/* y = N0 v, v = (1, -1, 1 ..) */
KERNEL_INLINE void KERNEL_NAME(N0_along)(const rattle__stages *k, const rattle__shape s,
                                         double *y) {
  KERNEL_UNROLL
  for (int l = 0; l < s.m; l++) {
    y[l] = 0;
    KERNEL_UNROLL
    for (int o = 0; o < s.m; o++) y[l] += rattle__fixed_direction(o) * k->N_start[l * s.m + o];
  }
}

/* Not asked: the general iteration is. */
KERNEL_INLINE int KERNEL_NAME(normals_stay)(const rattle__stages *k, const rattle__shape s) {
  (void)k, (void)s;
  return 0;
}

KERNEL_INLINE void KERNEL_NAME(solve_R)(const rattle__stages *k, const rattle__shape s,
                                        double *restrict y) {
  KERNEL_NAME(solve_LU)(s.r * s.m, k->R_now, y);
}

/* R at the iterate, factored; nonzero if it is singular. Rows by stage, then constraint. */
KERNEL_INLINE int KERNEL_NAME(factor_R)(rattle__stages *k, const rattle__shape s) {
  const int size = s.r * s.m;
  double block[RATTLE__SPARK_SMALL * RATTLE__SPARK_SMALL];
  KERNEL_UNROLL
  for (int j = 1; j < s.r; j++) KERNEL_NAME(scale_columns)(k, s, j);
  KERNEL_UNROLL
  for (int i = 0; i < s.r; i++) {
    KERNEL_UNROLL
    for (int j = 0; j < s.r; j++) {
      KERNEL_NAME(couple)(k, s, i + 1, j, block);
      KERNEL_UNROLL
      for (int l = 0; l < s.m; l++) {
        KERNEL_UNROLL
        for (int o = 0; o < s.m; o++)
          k->R_now[(i * s.m + l) * size + j * s.m + o] = WEIGHT(i + 1, j) * block[l * s.m + o];
      }
    }
  }
  k->factors++;
  return KERNEL_NAME(factor)(size, k->R_now);
}

/* The largest |psi| in units of round-off, not a number where one is. */
KERNEL_INLINE double KERNEL_NAME(ratio_of_psi)(rattle__stages *k, const rattle__shape s) {
  double ratio = 0, strange = 0;
  k->largest_psi = 0;
  KERNEL_UNROLL
  for (int l = 0; l < s.m; l++) {
    const double x = fabs(k->psi[l]);
    ratio = rattle__larger(x * k->floor[l], ratio);
    k->largest_psi = rattle__larger(x, k->largest_psi);
    strange += x * 0;
  }
  return ratio + strange;
}
