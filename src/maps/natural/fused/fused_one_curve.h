/* Part of the text of fused_kernel.h and of fused_lanes.h, before fused_one_correction.h: whether
 * the multipliers of a step of one or two quadratic constraints are the end of the continuous curve
 * that begins at its start, for which no rule need be asked.
 *
 * Theorem  that of constraint/guard/piece.h along c(x) = s x^2, with C = 1. With d = h D1 M^-1 p0
 *          and a = h^2 D1 K1 M^-1 V'(q0) the way is q0 + x d - x^2 (a + W0^T s), a Bezier curve,
 *          and J is affine in q: (*) is asked at its control points, where J is A0, A0 + B(d, W0)/2
 *          and R1 = R - B(W0^T s, W0); R = A0 + B(d - a, W0) is Newton's matrix without
 *          multipliers.
 *          On the way F is, with u = a + W0^T s,
 *              (x - x^2) (g(q0) + G0 d) + x^2 g(q1) + (x^2 - x^3) B(d, u) - (x^2 - x^4) B(u, u)/2
 *          whose factors are at most 1/4, 1, 4/27 and 1/4
 * Forces   enter by norms: |v|^2 = v.M v, |B_i(u, v)| <= 2 spread_i |u| |v| (fused_bound.c), the
 *          norm of row j of W0 is the root of A0_jj, and that of W0^T s the root of s.A0 s
 * r        with y = H^-1 f, H being the comparison matrix of those three, r = 2 y. Let T_i(r, r) be
 *          sum |B_i(W0_j, W0_k)| r_j r_k. With f_i > T_i(r, r)/2 roots are inside of the box, since
 *          the mean of J from c to c + d is J(c) - B(W0^T d, W0)/2, so that (H r)_i = 2 f_i > f_i +
 *          T_i(r, r)/2; and J is dominated by its diagonal in all of the box, (H r)_i > T_i(r, r)
 * Round-off  each number is a sum of less than 2^20 terms of a few roundings each: it is off by
 *          less than 2^-30 of their sizes. Sizes of g are those in floor, in units of 2^-53 */
#define ONE_CURVE_HAIR 0x1p-30

/* The iteration for s. */
typedef struct KERNEL_NAME(newton) {
  REAL R[MATRIX], L[MATRIX], inverse[MULTIPLIERS]; /* at an iterate, the last if `near` */
  REAL F[MULTIPLIERS], floor[MULTIPLIERS];
  REAL first, before; /* residuals at the first and at the last iterate, in units of round-off */
  REAL free[4], T[8]; /* quadratic g, M <= 2: R at the first iterate; T as in solve_bent */
  int doubtful, near;
} KERNEL_NAME(newton);

/* k->off from g where a step starts. */
KERNEL_INLINE void KERNEL_NAME(note_start)(const REAL *F, rattle__fused *k) {
  k->off = UNIFORM(0);
  for (int i = 0; i < M; i++) k->off = SELECT(fabs(F[i]) > k->off, fabs(F[i]), k->off);
}

/* k->twice, p.M^-1 p, and k->slip, the largest |psi_i|, where a step starts. */
#define ADD_SQUARE(i) k->twice += INVERSE_MASS(i) * z0[N + (i)] * z0[N + (i)];
KERNEL_INLINE void KERNEL_NAME(note_motion)(const REAL *z0, const REAL *J, const REAL *W,
                                            rattle__fused *k) {
  REAL psi[MULTIPLIERS];
  k->twice = k->slip = UNIFORM(0);
  EACH_N(ADD_SQUARE)
  KERNEL_NAME(measure)(J, W, z0 + N, psi, k);
  for (int i = 0; i < M; i++) k->slip = SELECT(fabs(psi[i]) > k->slip, fabs(psi[i]), k->slip);
}
#undef ADD_SQUARE

/* The squares of the norms of d, a and W0^T s. */
typedef struct KERNEL_NAME(lengths) {
  REAL way, fall, slide;
} KERNEL_NAME(lengths);

#define ADD_SQUARE(i)                                                                              \
  if (!IS_ZERO(k->V0[i])) x.fall += INVERSE_MASS(i) * (k->V0[i] * k->V0[i]);
KERNEL_INLINE KERNEL_NAME(lengths)
    KERNEL_NAME(lengths_of)(REAL h, const REAL *A0, const REAL *s, const rattle__fused *k) {
  const REAL drift = h * D1, kick = drift * h * K1;
  KERNEL_NAME(lengths) x = {drift * drift * k->twice, UNIFORM(0), UNIFORM(0)};
  if (K1 != 0) {
    EACH_N(ADD_SQUARE)
    x.fall *= kick * kick;
  }
  x.slide = M == 1 ? A0[0] * (s[0] * s[0])
                   : A0[0] * (s[0] * s[0]) + A0[3] * (s[1] * s[1]) + 2 * A0[1] * (s[0] * s[1]);
  return x;
}
#undef ADD_SQUARE

/* --- short steps ------------------------------------------------------------------------------ */

/* True if the step is much shorter than the radius of curvature of its constraints.
 *
 * Theorem  let R = sqrt(lambda) / L, lambda being the least eigenvalue of A0 and L^2 = sum (2
 *          spread_i)^2. In the norms of M and of A0, |e|^2 = e.A0 e, J is at least 1 - (x + y)
 *          times the square of e at the distance x of the way from q0 and y of a ball around it,
 *          in units of R. F has one root in the ball if y (1 - x - y) > |F|, since F(c + e).e < 0
 *          on its surface.
 *          The way is at most x = x1 + x2, x1 = |d| and x2 = |a| + |W0^T s|, and |F| at
 *          most 4/27 x1 x2 + x2^2/8 + e, e for what is not 0 at its ends
 * Here     9/2 x1^2 + 72 x2^2 + 20 e <= 1 is asked, with lambda >= det A0 / tr A0. Then x <= 1/2
 *          and |F| < 1/100 + 1/20 < 1/16, which is y (1 - x - y) for y = 1/4 */
KERNEL_INLINE MASK KERNEL_NAME(is_short)(const REAL h, const REAL *A0,
                                         const KERNEL_NAME(lengths) * x,
                                         const KERNEL_NAME(newton) * w, const rattle__fused *k) {
  const REAL L2 = M == 1 ? 4 * (SPREAD(0) * SPREAD(0)) + UNIFORM(0)
                         : 4 * (SPREAD(0) * SPREAD(0) + SPREAD(M - 1) * SPREAD(M - 1)) + UNIFORM(0);
  const REAL way = 4.5 * x->way + 72 * (x->fall + x->slide);
  REAL off = 0.25 * (fabs(h * D1) * k->slip + k->off) + fabs(w->F[0]) +
             ONE_CURVE_HAIR * 0x1p53 * w->floor[0];
  if (M == 1) return L2 * way + 20 * sqrt(L2) * off < A0[0] * (1 - ONE_CURVE_HAIR);
  off += fabs(w->F[1]) + ONE_CURVE_HAIR * 0x1p53 * w->floor[1];
  const REAL det = A0[0] * A0[3] * (1 - ONE_CURVE_HAIR) - A0[1] * A0[1];
  return (A0[0] + A0[3]) * (L2 * way + 30 * sqrt(L2) * off) < det;
}

/* --- longer steps ----------------------------------------------------------------------------- */

#define LARGER(a, b) SELECT((a) > (b), a, b)
#define SMALLER(a, b) SELECT((a) < (b), a, b)
/* f, of which |a| times the larger of |d| and |W0^T s| is the square of `reach`. */
KERNEL_INLINE void KERNEL_NAME(bound_way)(REAL h, const REAL *A0, const KERNEL_NAME(lengths) * x,
                                          const KERNEL_NAME(newton) * w, const REAL *s,
                                          const REAL *psi, REAL *f, const rattle__fused *k) {
  const REAL reach = sqrt(x->fall * LARGER(x->way, x->slide));
  for (int i = 0; i < M; i++) {
    REAL along = UNIFORM(0), bend = UNIFORM(0), size = UNIFORM(0);
    for (int j = 0; j < M; j++) {
      const REAL a = A0[i * M + j], b = w->free[i * M + j];
      along += (b - a) * s[j];
      size += (fabs(a) + fabs(b)) * fabs(s[j]);
      for (int l = 0; l <= j; l++) {
        const REAL term = (l < j ? 2.0 : 1.0) * w->T[(i * M + l) * M + j] * s[l] * s[j];
        bend += term, size += fabs(term);
      }
    }
    f[i] = 0.25 * (fabs(h * D1 * psi[i]) + k->off) + fabs(w->F[i]) + (4.0 / 27) * fabs(along) +
           0.25 * fabs(bend) + SPREAD(i) * ((16.0 / 27) * reach + 0.25 * (x->fall + 2 * reach)) +
           ONE_CURVE_HAIR * (size + 0x1p53 * w->floor[i]);
  }
}

/* H */
KERNEL_INLINE void KERNEL_NAME(compare_matrices)(const REAL *A0, const KERNEL_NAME(lengths) * x,
                                                 const KERNEL_NAME(newton) * w, const REAL *s,
                                                 REAL *H, const rattle__fused *k) {
  const REAL alpha = sqrt(x->fall);
  REAL root[2], thin = UNIFORM(0);
  for (int i = 0; i < M; i++) {
    root[i] = sqrt(A0[i * M + i]);
    thin += 2 * ONE_CURVE_HAIR * root[i] * fabs(s[i]);
  }
  for (int i = 0; i < M; i++)
    for (int j = 0; j < M; j++) {
      const int at = i * M + j;
      REAL bent = UNIFORM(0);
      for (int l = 0; l < M; l++)
        bent += w->T[(i * M + (l < j ? l : j)) * M + (l < j ? j : l)] * s[l];
      const REAL a = A0[at], b = w->free[at], c = b - 2 * bent;
      const REAL by = (SPREAD(i) * (alpha + thin) + ONE_CURVE_HAIR * root[i]) * root[j] +
                      ONE_CURVE_HAIR * fabs(b);
      H[at] =
          i == j ? SMALLER(a, SMALLER(b, c)) - by : LARGER(fabs(a), LARGER(fabs(b), fabs(c))) + by;
    }
}

/* True if f_i > 2 T_i(y, y) and H is positive; y and what it enters times det H. */
KERNEL_INLINE MASK KERNEL_NAME(box_holds)(const REAL *H, const REAL *f, const REAL *T,
                                          const rattle__fused *k) {
  (void)k;
  if (M == 1) return (H[0] > 0) & (f[0] * 4 * fabs(T[0]) * (1 + ONE_CURVE_HAIR) < H[0] * H[0]);
  const REAL cross = H[1] * H[2], det = H[0] * H[3] - cross;
  const REAL y0 = H[3] * f[0] + H[1] * f[1], y1 = H[0] * f[1] + H[2] * f[0];
  const REAL a = y0 * y0, b = 2 * y0 * y1, c = y1 * y1;
  MASK good = (H[0] > 0) & (H[3] > 0) & (det > ONE_CURVE_HAIR * cross);
  for (int i = 0; i < 2; i++) {
    const REAL *t = T + 4 * i;
    const REAL need = 4 * (fabs(t[0]) * a + fabs(t[1]) * b + fabs(t[3]) * c);
    good &= need * (1 + ONE_CURVE_HAIR) < f[i] * (det * det);
  }
  return good;
}

/* The row test. */
KERNEL_INLINE MASK KERNEL_NAME(rows_hold)(REAL h, const REAL *A0, const REAL *z0,
                                          const KERNEL_NAME(lengths) * x,
                                          const KERNEL_NAME(newton) * w, const REAL *s,
                                          const rattle__fused *k) {
  REAL psi[MULTIPLIERS], f[2], H[4];
  KERNEL_NAME(measure)(k->J0, k->W0, z0 + N, psi, k);
  KERNEL_NAME(bound_way)(h, A0, x, w, s, psi, f, k);
  KERNEL_NAME(compare_matrices)(A0, x, w, s, H, k);
  return KERNEL_NAME(box_holds)(H, f, w->T, k);
}

/* True if s, the multipliers that the iteration w has found, are proved. */
KERNEL_INLINE MASK KERNEL_NAME(is_one_curve)(REAL h, const REAL *A0, const REAL *z0,
                                             const KERNEL_NAME(newton) * w, const REAL *s,
                                             rattle__fused *k) {
  if (!PROJECT) KERNEL_NAME(note_motion)(z0, k->J0, k->W0, k);
  const KERNEL_NAME(lengths) x = KERNEL_NAME(lengths_of)(h, A0, s, k);
  MASK good = KERNEL_NAME(is_short)(h, A0, &x, w, k);
  if (ANY(NOT(good))) good |= KERNEL_NAME(rows_hold)(h, A0, z0, &x, w, s, k);
  return good;
}
#undef LARGER
#undef SMALLER
