/* Part of the text of fused_kernel.h, after fused_one_curve.h: a test that the multipliers of a
 * step of three and more quadratic constraints are the end of the curve that begins at its start,
 * for which no rule need be asked.
 *
 * Symbols  those of is_near_line: u = q0 + d - q1, how far the step leaves its line; e:
 *          multipliers beside those of the curve c(x) = s x^2; |e|^2 = e.A0 e, |v|^2 = v.M v, so
 *          that |W0^T e| is |e|; R = G(q1) W0^T
 * Bend     |B_i(v, w)| <= 2 spread_i |v| |w| (fused_bound.c), and sum 2 spread_i |e_i| <= K |e|
 * Theorem  let (R + R^T)/2 >= 3/4 A0, a = 3/4 - K |u|/4 > 0, and phi >= |F(c(x), x)| for all x in
 *          the dual norm. If 8 K phi < 3 a^2, F(., x) has one root with |e| <= a/(2 K) for each
 *          x; it is regular and continuous in x, and begins with s = 0
 * Proof    J = (1 - x) A0 + x R + (x - x^2) B(u, W0) - B(W0^T e, W0), so that e'.J e' >= (a - K
 *          |e|) |e'|^2: positive in that ball, where F therefore has at most one root, a regular
 *          one. From 0 to e the mean of J gives F(c + e).e <= |e| (phi - |e| (a - K |e|/2)),
 *          which for |e| = a/(2 K) is negative: the ball has a root by Brouwer's theorem
 * K, phi   A0 >= kappa D, D being its diagonal: D^-1/2 A0 D^-1/2 has the trace m, so that its
 *          other eigenvalues have a product below (m/(m - 1))^(m - 1) < e, and kappa = det A0 /
 *          (e det D) will do. Then K^2 = sum (2 spread_i)^2 / (kappa D_i), phi^2 = sum F_i^2 /
 *          (kappa D_i)
 * Round    matrices are positive where elimination finds pivots that are, after their diagonals
 *          were lowered by more than what rounds */

/* det A times the product of `by` [M]; A [M x M], of which the lower triangle is read, is lost. 0:
 * some pivot is not positive. */
KERNEL_INLINE REAL KERNEL_NAME(volume)(REAL *A, const REAL *by, const rattle__fused *k) {
  REAL volume = UNIFORM(1);
  MASK good = ALL;
  (void)k;
  for (int p = 0; p < M; p++) {
    const REAL pivot = A[p * M + p], inverse = 1 / pivot;
    good &= pivot > 0;
    volume *= pivot * by[p];
    for (int i = p + 1; i < M; i++) {
      const REAL part = A[i * M + p] * inverse;
      for (int j = p + 1; j <= i; j++) A[i * M + j] -= part * A[j * M + p];
    }
  }
  return SELECT(good, volume, UNIFORM(0));
}

#define LEAVE(i)                                                                                   \
  {                                                                                                \
    const REAL light_ = UNIFORM(INVERSE_MASS(i));                                                  \
    k->V1[i] = (z0[i] - z1[i]) + drift * light_ * z0[N + (i)];                                     \
    square += SELECT(light_ != 0, k->V1[i] * k->V1[i] * (1 / light_), UNIFORM(0));                 \
    way += SELECT(light_ != 0, (z0[i] - z1[i]) * (z0[i] - z1[i]) * (1 / light_), UNIFORM(0));      \
  }
#define CLEAR(i) turned[i] = UNIFORM(0);
#define ADD_TURN(e, i, c, first, last, g, by) turned[i] += (by) * (k->J1[g] - k->J0[g]) * k->V1[c];
/* True if the test holds, w->F being what the iteration left. V1 is written over. */
KERNEL_INLINE MASK KERNEL_NAME(is_in_ball)(REAL h, const REAL *z0, const REAL *z1,
                                           const KERNEL_NAME(newton) * w, const rattle__fused *k) {
  const REAL drift = h * D1;
  REAL square = UNIFORM(0), way = UNIFORM(0), bend = UNIFORM(0), rest = UNIFORM(0);
  REAL A0[MATRIX], R[MATRIX], turned[MULTIPLIERS], inverse[MULTIPLIERS];
  for (int t = 0; t < M * M; t++) A0[t] = R[t] = UNIFORM(0);
  KERNEL_NAME(gram_R)(k->J0, k->W0, A0, k);
  KERNEL_NAME(gram_R)(k->J1, k->W0, R, k);
  EACH_N(LEAVE)
  EACH_M(CLEAR)
  ENTRIES(ADD_TURN)
  for (int i = 0; i < M; i++) {
    const REAL b = 2 * SPREAD(i) + UNIFORM(0);
    const REAL F = 0.25 * (fabs(drift * k->slip) + k->off) + fabs(w->F[i]) +
                   (4.0 / 27) * fabs(turned[i]) + 0.03125 * b * square +
                   ONE_CURVE_HAIR * 0x1p53 * w->floor[i];
    const REAL size = A0[i * M + i];
    inverse[i] = 1 / size;
    bend += b * b * inverse[i], rest += F * F * inverse[i];
    for (int j = 0; j <= i; j++)
      R[i * M + j] = 0.5 * (R[i * M + j] + R[j * M + i]) - 0.75 * A0[i * M + j];
    R[i * M + i] -= 4 * M * ONE_CURVE_HAIR * (size + b * b * way);
    A0[i * M + i] -= 4 * M * ONE_CURVE_HAIR * size;
  }
  /* 2.7182818284590452 < 2.72 */
  const REAL kappa = KERNEL_NAME(volume)(A0, inverse, k) * (1 / 2.72);
  const REAL a = 0.75 - 0.25 * sqrt(bend * square / kappa);
  MASK proved = kappa > 0;
  proved &= a > 0;
  proved &= 8 * sqrt(bend * rest) < 3 * (1 - ONE_CURVE_HAIR) * kappa * (a * a);
  proved &= KERNEL_NAME(volume)(R, inverse, k) > 0;
  return proved;
}
#undef LEAVE
#undef CLEAR
#undef ADD_TURN
