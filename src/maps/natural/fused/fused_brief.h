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

/* What both tests need of a step. */
typedef struct KERNEL_NAME(brief) {
  REAL square, turn, bend, dependence; /* |u|^2, sum D_i / A0_ii, kappa K^2 and 1 / kappa */
  REAL rest[MULTIPLIERS];              /* bounds of what is not 0 at the ends */
} KERNEL_NAME(brief);

/* True if `turn`, how much less than |e|^2 e.R e may be, and phi are small enough. */
KERNEL_INLINE MASK KERNEL_NAME(keeps)(const KERNEL_NAME(brief) * b, REAL turn, REAL K_phi) {
  const REAL leave = sqrt(b->bend * b->square * b->dependence),
             a = (1 - ONE_CURVE_HAIR) - turn - 0.25 * leave;
  return (a > 0) & (2 * K_phi < (1 - ONE_CURVE_HAIR) * (a * a));
}

/* By norms alone. */
KERNEL_INLINE MASK KERNEL_NAME(keeps_in_norms)(const KERNEL_NAME(brief) * b,
                                               const rattle__fused *k) {
  REAL rest = UNIFORM(0);
  for (int i = 0; i < M; i++) rest += (b->rest[i] * b->rest[i]) * k->factors0->weight[i];
  const REAL leave = sqrt(b->bend * b->square * b->dependence),
             theta = sqrt(b->turn * b->dependence) + 512 * ONE_CURVE_HAIR;
  return KERNEL_NAME(keeps)(b, theta,
                            b->dependence * sqrt(b->bend * rest) +
                                leave * ((4.0 / 27) * theta + 0.03125 * leave));
}

#define CLEAR(i) turned[i] = UNIFORM(0);
#define TURN(e, i, c, first, last, g, by)                                                          \
  turn[g] = k->J1[g] - k->J0[g], turned[i] += (by)*turn[g] * u[c];
/* By all elements of E, and of (G(q1) - G0) u. */
KERNEL_INLINE MASK KERNEL_NAME(keeps_in_rows)(const KERNEL_NAME(brief) * b, const REAL *u,
                                              const rattle__fused *k) {
  const REAL *weight = k->factors0->weight;
  REAL turn[NNZ], turned[MULTIPLIERS], E[MATRIX], bends = UNIFORM(0), rest = UNIFORM(0);
  EACH_M(CLEAR)
  ENTRIES(TURN)
  for (int t = 0; t < M * M; t++) E[t] = UNIFORM(0);
  KERNEL_NAME(gram_R)(turn, k->W0, E, k);
  for (int i = 0; i < M; i++) {
    const REAL F = b->rest[i] + (4.0 / 27) * fabs(turned[i]) + 0.0625 * SPREAD(i) * b->square;
    REAL row = UNIFORM(0);
    for (int j = 0; j < i; j++) {
      const REAL both = E[i * M + j] + E[j * M + i];
      row += (both * both) * weight[j];
    }
    bends += (0.5 * row + (E[i * M + i] * E[i * M + i]) * weight[i]) * weight[i];
    rest += (F * F) * weight[i];
  }
  const REAL hair = 16 * ONE_CURVE_HAIR * (1 + sqrt(b->turn));
  return KERNEL_NAME(keeps)(b, (sqrt(bends) + hair) * b->dependence,
                            b->dependence * sqrt(b->bend * rest));
}
#undef CLEAR
#undef TURN

#define LEAVE(i)                                                                                   \
  {                                                                                                \
    const REAL light_ = UNIFORM(INVERSE_MASS(i));                                                  \
    u[i] = (z0[i] - z1[i]) + drift * light_ * z0[N + (i)];                                         \
    b.square += SELECT(light_ != 0, u[i] * u[i] * (1 / light_), UNIFORM(0));                       \
  }
#define CLEAR(i) D[i] = UNIFORM(0);
#define ADD_TURN(e, i, c, first, last, g, by)                                                      \
  {                                                                                                \
    const REAL turn_ = k->J1[g] - k->J0[g];                                                        \
    D[i] += ((by) * (by)*INVERSE_MASS(c)) * (turn_ * turn_);                                       \
  }
/* True if a test holds, w->F being what the iteration left. */
KERNEL_INLINE MASK KERNEL_NAME(is_brief)(REAL h, const REAL *z0, const REAL *z1,
                                         const KERNEL_NAME(newton) * w, const rattle__fused *k) {
  const REAL *weight = k->factors0->weight;
  const REAL drift = h * D1, off = 0.25 * (fabs(drift * k->slip) + k->off);
  KERNEL_NAME(brief)
  b = {.square = UNIFORM(0), .turn = UNIFORM(0), .bend = UNIFORM(0)};
  REAL D[MULTIPLIERS], u[N];
  b.dependence = k->factors0->dependence;
  EACH_N(LEAVE)
  EACH_M(CLEAR)
  ENTRIES(ADD_TURN)
  for (int i = 0; i < M; i++) {
    const REAL bend = 2 * SPREAD(i) + UNIFORM(0);
    b.turn += D[i] * weight[i];
    b.bend += (bend * bend) * weight[i];
    b.rest[i] = off + fabs(w->F[i]) + ONE_CURVE_HAIR * 0x1p53 * w->floor[i];
  }
  MASK good = KERNEL_NAME(keeps_in_norms)(&b, k);
  if (ANY(NOT(good))) good |= KERNEL_NAME(keeps_in_rows)(&b, u, k);
  return (b.dependence < 8192) & good;
}
#undef LEAVE
#undef CLEAR
#undef ADD_TURN
