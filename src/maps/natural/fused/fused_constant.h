/* Part of the text of fused_kernel.h and of fused_lanes.h, after fused_one_curve.h: the iteration
 * for positions where N is a constant on g = 0 (fused_constant.c), for quadratic g, with a proof of
 * its end.
 *
 * Chords   s += N^-1 F with F = g(f) - G(f - w/2) w, which is g(f - w): f where the step ends
 *          without multipliers, w = W0^T s. Positions are not rounded on the way
 * Theorem  that of fused_in_ball.h with t = K |q1 - q0|: E changes e.J e by no more than that part
 *          of |e|^2. 8 K phi < 3 a^2 is asked, which is more than the theorem needs; of b = (G(q1)
 *          - G0) u and B(u, u) phi has K |u| |q1 - q0| and K |u|^2
 * K        BEND_OF_ALL; the dual norm of numbers below x is at most SPAN x, while |g| at the start
 *          is below CLOSE */

#define TAKE_MOST(i) most = SELECT(fabs(F[i]) > most, fabs(F[i]), most);
KERNEL_INLINE REAL KERNEL_NAME(most_of)(const REAL *F, const rattle__fused *k) {
  REAL most = UNIFORM(0);
  (void)k;
  EACH_M(TAKE_MOST)
  return most;
}
#undef TAKE_MOST

/* Sums below begin with -0, which the compiler leaves out. */

/* x = N^-1 b */
#define CLEAR(i) x[i] = UNIFORM(-0.0);
#define ADD(i, j, c, first, by) x[i] += (by)*b[j];
KERNEL_INLINE void KERNEL_NAME(divide_by_N)(const REAL *b, REAL *x, const rattle__fused *k) {
  (void)k;
  EACH_M(CLEAR)
  EACH_INVERSE(ADD)
}
#undef CLEAR
#undef ADD

/* w = W0^T s */
#define CLEAR(i) w[i] = UNIFORM(-0.0);
#define ADD(e, i, c, first, last, g, by) w[c] += s[i] * k->W0[e];
KERNEL_INLINE void KERNEL_NAME(lead)(const REAL *s, REAL *w, const rattle__fused *k) {
  EACH_N(CLEAR)
  ENTRIES(ADD)
}
#undef CLEAR
#undef ADD

/* F = `free` - J1 w, in two sums side by side. */
#define BEGIN(i) part[0][i] = part[1][i] = UNIFORM(-0.0);
#define ADD(e, i, c, first, last, g, by) part[(e) % 2][i] += (by)*k->J1[g] * w[c];
#define END(i) F[i] = free[i] - (part[0][i] + part[1][i]);
KERNEL_INLINE void KERNEL_NAME(residual_by_mean)(const REAL *free, const REAL *w, REAL *F,
                                                 const rattle__fused *k) {
  REAL part[2][MULTIPLIERS];
  EACH_M(BEGIN)
  ENTRIES(ADD)
  EACH_M(END)
}
#undef BEGIN
#undef ADD
#undef END

/* True if the positions of z1, where |F| is `left`, are proved; `rounded`: the largest floor. */
#define MEASURE(i)                                                                                 \
  {                                                                                                \
    const REAL light_ = UNIFORM(INVERSE_MASS(i)), dq_ = z0[i] - z1[i],                             \
               u_ = dq_ + drift * light_ * z0[N + (i)];                                            \
    way += SELECT(light_ != 0, dq_ * dq_ * (1 / light_), UNIFORM(0));                              \
    leave += SELECT(light_ != 0, u_ * u_ * (1 / light_), UNIFORM(0));                              \
  }
KERNEL_INLINE MASK KERNEL_NAME(is_near_start)(REAL h, const REAL *z0, const REAL *z1, REAL left,
                                              REAL rounded, rattle__fused *k) {
  const REAL drift = h * D1;
  REAL way = UNIFORM(0), leave = UNIFORM(0);
  EACH_N(MEASURE)
  const REAL off =
      0.25 * (fabs(drift) * k->slip + k->off) + left + ONE_CURVE_HAIR * 0x1p53 * rounded;
  const REAL d = BEND_OF_ALL * sqrt(way), u = BEND_OF_ALL * sqrt(leave);
  const REAL a = (1 - ONE_CURVE_HAIR) - d - 0.25 * u;
  const REAL phi = BEND_OF_ALL * SPAN * off + u * ((4.0 / 27) * d + 0.03125 * u);
  return (a > 0) & (4 * off < CLOSE) & (8 * phi < 3 * (1 - ONE_CURVE_HAIR) * (a * a));
}
#undef MEASURE

/* s and z1 as the iteration of other steps finds them, k->twice and k->slip being those of z0, in
 * the lanes that are returned, in which they are proved. */
#define BEGIN(i) s[i] = UNIFORM(0), F[i] = free[i];
#define SUM(i) WHERE(active, s[i], s[i] + delta[i]);
#define HALF(i) at[i] = z1[i] - 0.5 * w[i];
#define GO(i) z1[i] -= w[i];
#define GO_ON(i) WHERE(active, z1[i], z1[i] - w[i]);
#define LIMITS(i)                                                                                  \
  least = SELECT(floor[i] < least, floor[i], least),                                               \
  largest = SELECT(floor[i] > largest, floor[i], largest);
KERNEL_INLINE MASK KERNEL_NAME(shake_by_N)(rattle__fused *k, REAL h, const REAL *restrict z0,
                                           REAL *restrict s, REAL *restrict z1) {
  enum { ROUNDINGS = 4 };
  REAL F[MULTIPLIERS], free[MULTIPLIERS], floor[MULTIPLIERS], delta[MULTIPLIERS], w[N], at[N];
  REAL previous = UNIFORM(0), least = UNIFORM(1e300), largest = UNIFORM(0), g = k->g;
  /* of longer steps the iteration gains less than it must */
  MASK good = (BEND_OF_ALL * BEND_OF_ALL) * (h * h) * k->twice < 0.0625, active = good;
  k->iterations = 0;
  LEAVE_IF_NONE(good);
  k->evaluations++;
  if (KERNEL_NAME(travel)(k, h, z0, s, z1) || CONSTRAINT(z1, free, k->J1)) return NOT(ALL);
  KERNEL_NAME(size_of_g)(z1, z0, floor, k);
  EACH_M(LIMITS)
  EACH_M(BEGIN)
  while (ANY(active)) {
    const REAL size = KERNEL_NAME(most_of)(F, k);
    if (k->iterations > 0) good &= NOT(active & NOT(8 * size <= previous));
    active &= good;
    LEAVE_IF_NONE(good);
    KERNEL_NAME(divide_by_N)(F, delta, k);
    EACH_M(SUM)
    active &= NOT(size * size <= 0.125 * least * previous);
    WHERE(active, previous, size);
    KERNEL_NAME(lead)(s, w, k);
    k->iterations++, k->newton++;
    if (!ANY(active)) break;
    EACH_N(HALF)
    k->evaluations++;
    if (CONSTRAINT(at, F, k->J1)) return NOT(ALL);
    KERNEL_NAME(residual_by_mean)(free, w, F, k);
  }
  EACH_N(GO)
  active = good;
  for (int rounding = 0; rounding < ROUNDINGS; rounding++) {
    k->evaluations++;
    if (CONSTRAINT(z1, F, k->J1)) return NOT(ALL);
    active &= NOT(KERNEL_NAME(within)(F, floor, &g, k));
    if (!ANY(active)) break;
    KERNEL_NAME(divide_by_N)(F, delta, k);
    KERNEL_NAME(lead)(delta, w, k);
    EACH_M(SUM)
    EACH_N(GO_ON)
    k->newton++;
  }
  good &= NOT(active);
  LEAVE_IF_NONE(good);
  if (!k->trusts)
    good &= KERNEL_NAME(is_near_start)(h, z0, z1, KERNEL_NAME(most_of)(F, k), largest, k);
  WHERE(good, k->g, g);
  return good;
}
#undef BEGIN
#undef SUM
#undef HALF
#undef GO
#undef GO_ON
#undef LIMITS
