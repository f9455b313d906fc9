/* Part of the text of fused_kernel.h, after fused_in_ball.h: a test of short steps of three and more
 * quadratic constraints, by norms alone, from the factors of A0 that the projection of momenta had
 * where the step starts. A step that it proves asks no rule.
 *
 * Symbols  those of fused_in_ball.h: norms of A0 and of M, u, e, K, kappa; D_i = |G_i(q1) - G0_i|^2
 *          in the norm of M^-1, theta^2 = sum D_i / (kappa A0_ii)
 * Theorem  let a = 1 - theta - K |u|/4 > 0 and phi >= |F(c(x), x)| for all x in the dual norm. If
 *          2 K phi < a^2, F(., x) has one root with K |e| < a for each x; it is regular and
 *          continuous in x, and begins with s = 0
 * Proof    |(G(q1) - G0)^T e| <= sum D_i^1/2 |e_i| <= theta |e| by Cauchy's inequality, A0 >= kappa
 *          diag A0. With R = A0 + (G(q1) - G0) W0^T in J of fused_in_ball.h, e'.J e' >= (1 - x
 *          theta - (x - x^2) K |u| - K |e|) |e'|^2 >= (a - K |e|) |e'|^2, positive in that ball.
 *          On a sphere with K |e| = (1 - eps) a, F(c + e).e <= |e| (phi - (1 - eps^2) a^2/(2 K)) <
 *          0 for small eps: a root by Brouwer's theorem, and one at most
 * phi      of (G(q1) - G0) u it is at most theta |u|, of B(u, u) at most K |u|^2. With the factors
 *          of fused_one_curve.h, phi = |rest| + 4/27 theta |u| + K |u|^2/32
 * Round    what the factors belong to is off A0 by less than 4 M hair of its diagonal, so that
 *          kappa is at least 1/least - 4 M hair: less than a part of 4e-4 below, where `least` <
 *          8192, which 2.72 for e leaves. Elements of G are off by a hair of their rows: theta by
 *          M^1/2 kappa^-1/2 < 512 hair */

/* 1: short steps are proved so. */
#define BRIEF                                                                                      \
  (!LANES && M > 2 && BOUNDED && PROVED && PROJECT && D2 == 0 && !COMPENSATED && !FORCED &&        \
   !CONSTANT_N)

/* A from its diagonal and its pivots, which are positive where A is `regular`. */
KERNEL_INLINE void KERNEL_NAME(note_factors)(const REAL *size, const REAL *inverse, MASK regular,
                                             rattle__fused_factors *of, const rattle__fused *k) {
  REAL volume = UNIFORM(2.72);
  (void)k;
  for (int i = 0; i < M; i++) of->weight[i] = 1 / size[i], volume *= size[i] * inverse[i];
  of->dependence = SELECT(regular, volume, UNIFORM(1e300));
}

#if !LANES
/* The same of A = J W^T. */
static __attribute__((noinline)) void KERNEL_NAME(note_factors_of)(const REAL *J, const REAL *W,
                                                                   rattle__fused_factors *of,
                                                                   const rattle__fused *k) {
  REAL A[MATRIX], L[MATRIX], size[MULTIPLIERS], inverse[MULTIPLIERS] = {0};
  KERNEL_NAME(gram_A)(J, W, A, k);
  KERNEL_NAME(diagonal)(A, size, k);
  const MASK regular = KERNEL_NAME(factor_A)(A, L, inverse, k);
  KERNEL_NAME(note_factors)(size, inverse, regular, of, k);
}
#endif

#define LEAVE(i)                                                                                   \
  {                                                                                                \
    const REAL light_ = UNIFORM(INVERSE_MASS(i)),                                                  \
               u_ = (z0[i] - z1[i]) + drift * light_ * z0[N + (i)];                                \
    square += SELECT(light_ != 0, u_ * u_ * (1 / light_), UNIFORM(0));                             \
  }
#define CLEAR(i) D[i] = UNIFORM(0);
#define ADD_TURN(e, i, c, first, last, g, by)                                                      \
  {                                                                                                \
    const REAL turn_ = k->J1[g] - k->J0[g];                                                        \
    D[i] += ((by) * (by)*INVERSE_MASS(c)) * (turn_ * turn_);                                       \
  }
/* True if the test holds, w->F being what the iteration left. */
KERNEL_INLINE MASK KERNEL_NAME(is_brief)(REAL h, const REAL *z0, const REAL *z1,
                                         const KERNEL_NAME(newton) * w, const rattle__fused *k) {
  const rattle__fused_factors *of = k->factors0;
  const REAL drift = h * D1, off = 0.25 * (fabs(drift * k->slip) + k->off);
  REAL square = UNIFORM(0), turn = UNIFORM(0), bend = UNIFORM(0), rest = UNIFORM(0);
  REAL D[MULTIPLIERS];
  EACH_N(LEAVE)
  EACH_M(CLEAR)
  ENTRIES(ADD_TURN)
  for (int i = 0; i < M; i++) {
    const REAL b = 2 * SPREAD(i) + UNIFORM(0),
               F = off + fabs(w->F[i]) + ONE_CURVE_HAIR * 0x1p53 * w->floor[i];
    turn += D[i] * of->weight[i];
    bend += (b * b) * of->weight[i];
    rest += (F * F) * of->weight[i];
  }
  const REAL theta = sqrt(turn * of->dependence) + 512 * ONE_CURVE_HAIR,
             leave = sqrt(bend * square * of->dependence), /* K |u| */
      a = (1 - ONE_CURVE_HAIR) - theta - 0.25 * leave,
             phi = of->dependence * sqrt(bend * rest) +
                   leave * ((4.0 / 27) * theta + 0.03125 * leave);
  return (of->dependence < 8192) & (a > 0) & (2 * phi < (1 - ONE_CURVE_HAIR) * (a * a));
}
#undef LEAVE
#undef CLEAR
#undef ADD_TURN
