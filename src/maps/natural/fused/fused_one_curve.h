/* Part of the text of fused_kernel.h and of fused_lanes.h, before fused_one_correction.h: whether
 * the multipliers of a step of one or two quadratic constraints are the end of the continuous curve
 * that begins at its start, for which no rule need be asked.
 * Three tests are asked in turn, the cheapest first: is_short by norms alone, is_near_line by the
 * matrices at both ends, cubics_hold (fused_long_curve.h) by all terms of the equations. The first
 * is enough up to some 0.1 radian of a link, the second up to 0.4 */

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

/* The theorem of fused_long_curve.h along c(x) = s x^2. With u = a + W0^T s = q0 + d - q1 the way
 * is q0 + x d - x^2 u, so that J is affine but for (x - x^2) B(u, W0), and
 *     F = (x - x^2) (g(q0) + G0 d) + x^2 g(q1) + (x^2 - x^3) b + x^2 (1 - x)^2 B(u, u)/2,
 *     b = B(d - u, u) = (G(q1) - G0) u
 * where 1/4, 1, 4/27 and 1/16 bound the factors. Terms in B(u, .) are bounded by norms, |v|^2 = v.M
 * v: |B_i(u, v)| <= 2 spread_i |u| |v| (fused_bound.c), and |W0_j|^2 = A0_jj. */

/* u in V1, which is written over, and |u|^2. */
#define LEAVE(i)                                                                                   \
  {                                                                                                \
    const REAL light_ = UNIFORM(INVERSE_MASS(i));                                                  \
    k->V1[i] = (z0[i] - z1[i]) + drift * light_ * z0[N + (i)];                                     \
    square += SELECT(light_ != 0, k->V1[i] * k->V1[i] * (1 / light_), UNIFORM(0));                 \
  }
#define CLEAR(i) turned[i] = UNIFORM(0);
#define ADD_TURN(e, i, c, first, last, g, by) turned[i] += (by) * (k->J1[g] - k->J0[g]) * k->V1[c];
/* True if the test holds: steps whose way is nearly a line. */
KERNEL_INLINE MASK KERNEL_NAME(is_near_line)(REAL h, const REAL *A0, const REAL *z0, const REAL *z1,
                                             const KERNEL_NAME(newton) * w, const REAL *s,
                                             const rattle__fused *k) {
  const REAL drift = h * D1;
  REAL square = UNIFORM(0), turned[MULTIPLIERS], Ts[4], J[2][4] = {{UNIFORM(0)}};
  KERNEL_NAME(bounds) b = {.det = UNIFORM(1e300)};
  EACH_N(LEAVE)
  EACH_M(CLEAR)
  ENTRIES(ADD_TURN)
  KERNEL_NAME(turn)(w->T, s, Ts, k);
  for (int j = 0; j < M; j++) {
    const REAL reach = sqrt(square * A0[j * M + j]);
    for (int i = 0; i < M; i++) {
      const int t = i * M + j;
      J[0][t] = A0[t], J[1][t] = w->free[t] - 2 * Ts[t];
      b.J[t] = SELECT(fabs(J[0][t]) > fabs(J[1][t]), fabs(J[0][t]), fabs(J[1][t]));
      b.by[t] =
          0.5 * SPREAD(i) * reach + ONE_CURVE_HAIR * (b.J[t] + fabs(w->free[t]) + A0[i * M + i]);
    }
  }
  for (int i = 0; i < M; i++)
    b.F[i] = 0.25 * (fabs(drift * k->slip) + k->off) + fabs(w->F[i]) +
             (4.0 / 27) * fabs(turned[i]) + 0.0625 * SPREAD(i) * square +
             ONE_CURVE_HAIR * 0x1p53 * w->floor[i];
  return KERNEL_NAME(lower_by_lines)(J, &b.det, k) & KERNEL_NAME(bounds_hold)(w->T, &b, k);
}
#undef LEAVE
#undef CLEAR
#undef ADD_TURN

/* --- long steps ------------------------------------------------------------------------------- */

/* The step as cubics_hold needs it. V1 and W1 are written over: by q0 + a, and by J there. Returns
 * whether it is there. */
#define FALL(i) k->V1[i] = IS_ZERO(k->V0[i]) ? z0[i] : z0[i] + kick * (INVERSE_MASS(i) * k->V0[i]);
#define BEND_WAY(e, i, c, first, last, g, by)                                                      \
  {                                                                                                \
    const REAL bend_ = (by) * (k->W1[g] - k->J0[g]);                                               \
    a->K[3][i] -= bend_ * (drift * INVERSE_MASS(c) * z0[N + (c)]);                                 \
    a->K[4][i] += 0.5 * bend_ * (k->V1[c] - z0[c]);                                                \
  }
KERNEL_INLINE MASK KERNEL_NAME(find_long_step)(REAL h, const REAL *A0, const REAL *z0,
                                               const KERNEL_NAME(newton) * w, const REAL *s,
                                               KERNEL_NAME(long_step) * a, const rattle__fused *k) {
  const REAL drift = h * D1, kick = drift * h * K1;
  REAL psi[MULTIPLIERS], at[MULTIPLIERS], fallen[MATRIX];
  for (int i = 0; i < M; i++) a->K[3][i] = a->K[4][i] = UNIFORM(0);
  for (int t = 0; t < M * M; t++) fallen[t] = A0[t];
  if (K1 != 0) {
    EACH_N(FALL)
    if (CONSTRAINT(k->V1, at, k->W1)) return NOT(ALL);
    KERNEL_NAME(gram_R)(k->W1, k->W0, fallen, k);
    ENTRIES(BEND_WAY)
  }
  KERNEL_NAME(measure)(k->J0, k->W0, z0 + N, psi, k);
  for (int t = 0; t < M * M; t++) {
    a->A0[t] = A0[t];
    a->L2[t] = A0[t] - fallen[t];
    a->L1[t] = w->free[t] + fallen[t] - 2 * A0[t];
    a->size[t] = fabs(A0[t]) + fabs(w->free[t]) + fabs(fallen[t]);
  }
  for (int t = 0; t < M * M * M; t++) a->T[t] = w->T[t];
  for (int i = 0; i < M; i++) {
    a->s[i] = s[i];
    a->K[1][i] = drift * psi[i];
    a->off[i] = 0.25 * k->off + ONE_CURVE_HAIR * 0x1p53 * w->floor[i];
  }
  for (int i = 0; i < M; i++) {
    a->K[2][i] = w->F[i] - a->K[1][i] - a->K[3][i] - a->K[4][i];
    for (int j = 0; j < M; j++) {
      a->K[2][i] += w->free[i * M + j] * s[j];
      for (int l = 0; l <= j; l++)
        a->K[2][i] -= (l < j ? 2.0 : 1.0) * w->T[(i * M + l) * M + j] * s[l] * s[j];
    }
  }
  return ALL;
}
#undef FALL
#undef BEND_WAY

/* True if s, the multipliers that the iteration w has found, are proved. */
KERNEL_INLINE MASK KERNEL_NAME(is_one_curve)(REAL h, const REAL *A0, const REAL *z0, const REAL *z1,
                                             const KERNEL_NAME(newton) * w, const REAL *s,
                                             rattle__fused *k) {
  if (!PROJECT) KERNEL_NAME(note_motion)(z0, k->J0, k->W0, k);
  const KERNEL_NAME(lengths) x = KERNEL_NAME(lengths_of)(h, A0, s, k);
  MASK good = KERNEL_NAME(is_short)(h, A0, &x, w, k);
  if (ANY(NOT(good))) good |= KERNEL_NAME(is_near_line)(h, A0, z0, z1, w, s, k);
  if (ANY(NOT(good))) {
    KERNEL_NAME(long_step) a;
    const MASK there = KERNEL_NAME(find_long_step)(h, A0, z0, w, s, &a, k);
    good |= there & KERNEL_NAME(cubics_hold)(&a, k);
  }
  return good;
}
