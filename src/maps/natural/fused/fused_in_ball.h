/* Part of the text of fused_kernel.h and of fused_lanes.h, after fused_one_curve.h: tests that the
 * multipliers of a step of three and more quadratic constraints are the end of the curve that
 * begins at its start, for which no rule need be asked.
 *
 * Symbols  those of is_near_line: u = q0 + d - q1, how far the step leaves its line; e:
 *          multipliers beside those of the curve c(x) = s x^2; |e|^2 = e.A0 e, |v|^2 = v.M v, so
 *          that |W0^T e| is |e|; T = G(q1) - G0, how constraints turn, T_i its rows, E the
 *          symmetric part of T W0^T
 * Bend     |B_i(v, w)| <= 2 spread_i |v| |w| (fused_bound.c), and sum 2 spread_i |e_i| <= K |e|
 * Theorem  let e.E e >= -t |e|^2 for all e, a = 1 - t - K |u|/4 > 0, and phi >= |F(c(x), x)| for
 *          all x in the dual norm. If 2 K phi < a^2, F(., x) has one root with K |e| < a for each
 *          x; it is regular and continuous in x, and begins with s = 0
 * Proof    J = A0 + x T W0^T + (x - x^2) B(u, W0) - B(W0^T e, W0), so that e'.J e' >= (a - K |e|)
 *          |e'|^2: positive in that ball, where F therefore has at most one root, a regular one.
 *          From 0 to e the mean of J gives F(c + e).e <= |e| (phi - |e| (a - K |e|/2)), which for
 *          K |e| = (1 - eps) a is |e| (phi - (1 - eps^2) a^2/(2 K)), negative for small eps: the
 *          ball has a root by Brouwer's theorem
 * kappa    A0 >= kappa D, D being its diagonal: D^-1/2 A0 D^-1/2 has the trace m, so that its
 *          other eigenvalues have a product below (m/(m - 1))^(m - 1) < e, and kappa = det A0 /
 *          (e det D) will do, of the pivots that the projection of momenta had where the step
 *          starts. K^2 = sum (2 spread_i)^2 / (kappa D_i); |F|^2 <= sum F_i^2 / (kappa D_i)
 * t        in norms: |T^T e| <= sum |T_i| |e_i| <= theta |e| in the norm of M^-1, theta^2 = sum
 *          |T_i|^2 / (kappa D_i), by Cauchy's inequality. Then t = theta, and |T u| <= theta |u|
 *          in the dual norm. In rows: e.E e >= -eps e.D e, eps the norm of Frobenius of D^-1/2 E
 *          D^-1/2, so that t = eps / kappa. By pivots: t is as large as it may be if (1 - t) A0 +
 *          E is positive where a^2 = 2 K phi
 * phi      4/27 |T u| + |B(u, u)|/32 + what is not 0 at the ends (fused_one_curve.h)
 * Round    hair: of what computed elements of A0 and E are off by, next to the square root of the
 *          product of the diagonals. Matrices are positive where elimination finds pivots that
 *          are, after their diagonals were lowered by more than m hair; without that, kappa is
 *          lowered by as much. theta is off by m^1/2 kappa^-1/2 hair, less than 2^14 hair where
 *          1 / kappa < 2^23, as is asked */

/* 1: such tests are asked; and before any rule, since the factors are at hand. */
#define IN_BALL (M > 2 && BOUNDED && PROVED && D2 == 0 && !COMPENSATED && !FORCED)
#define FACTORS_NOTED (IN_BALL && PROJECT && !CONSTANT_N)

/* A from its diagonal and its pivots, which are positive where A is `regular`. */
KERNEL_INLINE void KERNEL_NAME(note_factors)(const REAL *size, const REAL *inverse, MASK regular,
                                             rattle__fused_factors *of, const rattle__fused *k) {
  REAL volume = UNIFORM(2.72);
  (void)k;
  for (int i = 0; i < M; i++) of->weight[i] = 1 / size[i], volume *= size[i] * inverse[i];
  of->dependence = SELECT(regular, volume * (1 + 96 * ONE_CURVE_HAIR * volume), UNIFORM(1e300));
}

/* The same of A = J W^T. */
static __attribute__((noinline)) void KERNEL_NAME(note_factors_of)(const REAL *J, const REAL *W,
                                                                   rattle__fused_factors *of,
                                                                   const rattle__fused *k) {
  REAL A[MATRIX], L[MATRIX], size[MULTIPLIERS], inverse[MULTIPLIERS] = {UNIFORM(0)};
  KERNEL_NAME(gram_A)(J, W, A, k);
  KERNEL_NAME(diagonal)(A, size, k);
  const MASK regular = KERNEL_NAME(factor_A)(A, L, inverse, k);
  KERNEL_NAME(note_factors)(size, inverse, regular, of, k);
}

/* A step as the tests need it: |u|^2, sum |T_i|^2 / D_i, kappa K^2, 1 / kappa and bounds of what
 * is not 0 at the ends. */
typedef struct KERNEL_NAME(ball) {
  REAL square, turn, bend, dependence;
  REAL rest[MULTIPLIERS];
} KERNEL_NAME(ball);

/* 1 - K |u|/4, but for rounding */
KERNEL_INLINE REAL KERNEL_NAME(straight)(const KERNEL_NAME(ball) * b) {
  return (1 - ONE_CURVE_HAIR) - 0.25 * sqrt(b->bend * b->square * b->dependence);
}

/* By norms of rows. */
KERNEL_INLINE MASK KERNEL_NAME(holds_in_norms)(const KERNEL_NAME(ball) * b,
                                               const rattle__fused *k) {
  REAL rest = UNIFORM(0);
  for (int i = 0; i < M; i++) rest += (b->rest[i] * b->rest[i]) * k->factors0->weight[i];
  const REAL leave = sqrt(b->bend * b->square * b->dependence),
             theta = sqrt(b->turn * b->dependence) + 0x1p14 * ONE_CURVE_HAIR,
             a = KERNEL_NAME(straight)(b) - theta;
  return (a > 0) & (2 * (b->dependence * sqrt(b->bend * rest) +
                         leave * ((4.0 / 27) * theta + 0.03125 * leave)) <
                    (1 - ONE_CURVE_HAIR) * (a * a));
}

/* By pivots: whether t A0 + E is positive. */
KERNEL_INLINE MASK KERNEL_NAME(holds_by_pivots)(const REAL *E, REAL t, REAL hair,
                                                const rattle__fused *k) {
  REAL A[MATRIX], L[MATRIX], inverse[MULTIPLIERS];
  for (int e = 0; e < M * M; e++) A[e] = UNIFORM(0);
  KERNEL_NAME(gram_A)(k->J0, k->W0, A, k);
  for (int i = 0; i < M; i++) {
    const REAL size = A[i * M + i];
    for (int j = 0; j < M; j++)
      A[i * M + j] = t * A[i * M + j] + 0.5 * (E[i * M + j] + E[j * M + i]);
    A[i * M + i] -= hair * size;
  }
  return KERNEL_NAME(factor_A)(A, L, inverse, k);
}

#define CLEAR(i) Tu[i] = UNIFORM(0);
#define TURN(e, i, c, first, last, g, by) T[g] = k->J1[g] - k->J0[g], Tu[i] += (by)*T[g] * u[c];
/* By T u and rows of E, or by pivots. */
KERNEL_INLINE MASK KERNEL_NAME(holds_in_rows)(const KERNEL_NAME(ball) * b, const REAL *u,
                                              const rattle__fused *k) {
  const REAL *weight = k->factors0->weight;
  const REAL hair = 4 * M * ONE_CURVE_HAIR * (1 + b->turn);
  REAL T[NNZ], Tu[MULTIPLIERS], E[MATRIX], turn = UNIFORM(0), rest = UNIFORM(0);
  EACH_M(CLEAR)
  ENTRIES(TURN)
  for (int t = 0; t < M * M; t++) E[t] = UNIFORM(0);
  KERNEL_NAME(gram_R)(T, k->W0, E, k);
  for (int i = 0; i < M; i++) {
    const REAL F = b->rest[i] + (4.0 / 27) * fabs(Tu[i]) + 0.0625 * SPREAD(i) * b->square;
    REAL row = UNIFORM(0);
    for (int j = 0; j < i; j++) {
      const REAL both = E[i * M + j] + E[j * M + i];
      row += (both * both) * weight[j];
    }
    turn += (0.5 * row + (E[i * M + i] * E[i * M + i]) * weight[i]) * weight[i];
    rest += (F * F) * weight[i];
  }
  /* the largest t */
  const REAL most = KERNEL_NAME(straight)(b) - sqrt(2 * b->dependence * sqrt(b->bend * rest));
  MASK good = (sqrt(turn) + hair) * b->dependence < most;
  const MASK open = NOT(good) & (most > 0);
  if (ANY(open)) good |= open & KERNEL_NAME(holds_by_pivots)(E, most, hair, k);
  return good;
}
#undef CLEAR
#undef TURN

#define LEAVE(i)                                                                                   \
  {                                                                                                \
    const REAL light_ = UNIFORM(INVERSE_MASS(i));                                                  \
    u[i] = (z0[i] - z1[i]) + drift * light_ * z0[N + (i)];                                         \
    b.square += SELECT(light_ != 0, u[i] * u[i] * (1 / light_), UNIFORM(0));                       \
  }
#define CLEAR(i) T[i] = UNIFORM(0);
#define ADD_TURN(e, i, c, first, last, g, by)                                                      \
  {                                                                                                \
    const REAL turn_ = k->J1[g] - k->J0[g];                                                        \
    T[i] += ((by) * (by)*INVERSE_MASS(c)) * (turn_ * turn_);                                       \
  }
/* True if a test holds, w->F being what the iteration left. */
KERNEL_INLINE MASK KERNEL_NAME(is_in_ball)(REAL h, const REAL *z0, const REAL *z1,
                                           const KERNEL_NAME(newton) * w, const rattle__fused *k) {
  const REAL *weight = k->factors0->weight;
  const REAL drift = h * D1;
  KERNEL_NAME(ball)
  b = {.square = UNIFORM(0), .turn = UNIFORM(0), .bend = UNIFORM(0)};
  REAL T[MULTIPLIERS], psi[MULTIPLIERS], u[N];
  b.dependence = k->factors0->dependence;
  KERNEL_NAME(measure)(k->J0, k->W0, z0 + N, psi, k);
  EACH_N(LEAVE)
  EACH_M(CLEAR)
  ENTRIES(ADD_TURN)
  for (int i = 0; i < M; i++) {
    const REAL bend = 2 * SPREAD(i) + UNIFORM(0);
    b.turn += T[i] * weight[i];
    b.bend += (bend * bend) * weight[i];
    b.rest[i] = 0.25 * (fabs(drift * psi[i]) + k->off) + fabs(w->F[i]) +
                ONE_CURVE_HAIR * 0x1p53 * w->floor[i];
  }
  MASK good = KERNEL_NAME(holds_in_norms)(&b, k);
  if (ANY(NOT(good))) good |= KERNEL_NAME(holds_in_rows)(&b, u, k);
  return good & (b.dependence < 0x1p23);
}
#undef LEAVE
#undef CLEAR
#undef ADD_TURN
