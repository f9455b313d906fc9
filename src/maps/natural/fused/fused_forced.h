/* Part of the text of fused_kernel.h, which says what is to be defined before: steps with forces
 * that are no gradient (problem/functions/forced.h), FORCED being 1.
 *
 * Map      P = p0 - h k1 (V_q0 - f(q0, P)) - G0^T s,  q1 = q0 + h M^-1 P,  g(q1) = 0
 *          p = P - h k2 (V_q1 - f(q1, P)),  W1 = W0 + h (k1 f(q0, P) + k2 f(q1, P)) . M^-1 P,
 *          which is what prk.c makes of verlet(a)
 * Symbols  f [FORCES] on the momenta PUSHED(i), F = f_p at (q0, P); D = 1 - h k1 F; Y = D^-1 G0^T
 *          [N x M]; r the residual of the first equation; W, the work, is the momentum of the last
 *          pair, whose coordinate is 0
 * Newton   for P and s together: R ds = g + h G1 M^-1 D^-1 r with R = h G1 M^-1 Y, dP = D^-1 r - Y
 *          ds
 * Guard    pivots of D are not small, those of R positive at each iterate and near the last,
 *          residuals fall as they must, and multipliers do not stretch the step nor lead it astray.
 *          If not, the caller takes the step by other means; what strays is followed */

/* The iteration for P and s, and f where it ended. */
typedef struct KERNEL_NAME(stage) {
  double f[RATTLE__FORCES_MOST], slope[RATTLE__SLOPES_MOST],
      D[RATTLE__FORCES_MOST * RATTLE__FORCES_MOST];
  double b[RATTLE__PAIRS_MOST], r[RATTLE__PAIRS_MOST], unit[RATTLE__PAIRS_MOST],
      Y[RATTLE__PAIRS_MOST * MULTIPLIERS];
  double taken[RATTLE__SLOPES_MOST]; /* the slopes of which D and Y are */
  double F[MULTIPLIERS], floor[MULTIPLIERS], R[MATRIX], ds[MULTIPLIERS];
  double first, before;
  int doubtful;
} KERNEL_NAME(stage);

/* D in factors, without exchanges; 0: a pivot is small */
#define ONE(i) w->D[(i)*FORCES + (i)] = 1;
#define SLOPE(e, i, j, c)                                                                          \
  if ((j) >= 0) w->D[(i)*FORCES + ((j) < 0 ? 0 : (j))] -= h * K1 * w->slope[e];
KERNEL_INLINE int KERNEL_NAME(factor_D)(KERNEL_NAME(stage) * w, double h, const rattle__fused *k) {
  int good = 1;
  (void)k;
  for (int i = 0; i < FORCES * FORCES; i++) w->D[i] = 0;
  EACH_FORCE(ONE)
  SLOPES(SLOPE)
  for (int p = 0; p < FORCES; p++) {
    const double pivot = w->D[p * FORCES + p];
    good &= pivot > 0.25 && pivot < 1.7976931348623157e308;
    w->D[p * FORCES + p] = 1 / pivot;
    for (int i = p + 1; i < FORCES && !ALONE; i++) {
      w->D[i * FORCES + p] *= w->D[p * FORCES + p];
      for (int j = p + 1; j < FORCES; j++)
        w->D[i * FORCES + j] -= w->D[i * FORCES + p] * w->D[p * FORCES + j];
    }
  }
  return good;
}
#undef ONE
#undef SLOPE

/* x = D^-1 x, column `at` of x [N x width]; momenta that are not pushed are as they are */
#define COUPLE(e, i, j, c)                                                                         \
  if ((j) < 0) x[PUSHED(i) * width + at] += h * K1 * w->slope[e] * x[(c)*width + at];
#define LONE(i) x[PUSHED(i) * width + at] *= w->D[(i)*FORCES + (i)];
KERNEL_INLINE void KERNEL_NAME(solve_D)(const KERNEL_NAME(stage) * w, double h, double *x,
                                        int width, int at, const rattle__fused *k) {
  (void)k, (void)h;
  SLOPES(COUPLE)
  if (ALONE) {
    EACH_FORCE(LONE)
    return;
  }
  for (int i = 1; i < FORCES; i++)
    for (int j = 0; j < i; j++)
      x[PUSHED(i) * width + at] -= w->D[i * FORCES + j] * x[PUSHED(j) * width + at];
  for (int i = FORCES - 1; i >= 0; i--) {
    for (int j = i + 1; j < FORCES; j++)
      x[PUSHED(i) * width + at] -= w->D[i * FORCES + j] * x[PUSHED(j) * width + at];
    x[PUSHED(i) * width + at] *= w->D[i * FORCES + i];
  }
}
#undef COUPLE
#undef LONE

/* R in factors at J1, without exchanges; 0: a pivot is not positive. */
#define ACROSS(e, i, c, first, last, g, by)                                                        \
  for (int j = 0; j < M; j++)                                                                      \
    w->R[(i)*M + j] += (by)*k->J1[g] * (h * INVERSE_MASS(c)) * w->Y[(c)*M + j];
KERNEL_INLINE int KERNEL_NAME(couple)(KERNEL_NAME(stage) * w, double h, const rattle__fused *k) {
  int good = 1;
  for (int t = 0; t < M * M; t++) w->R[t] = 0;
  ENTRIES(ACROSS)
  for (int p = 0; p < M; p++) {
    double size = 0;
    for (int j = 0; j < M; j++) size = size < fabs(w->R[p * M + j]) ? fabs(w->R[p * M + j]) : size;
    good &= rattle__pivot_is_positive(h < 0 ? -w->R[p * M + p] : w->R[p * M + p], size);
    w->R[p * M + p] = 1 / w->R[p * M + p];
    for (int i = p + 1; i < M; i++) {
      w->R[i * M + p] *= w->R[p * M + p];
      for (int j = p + 1; j < M; j++) w->R[i * M + j] -= w->R[i * M + p] * w->R[p * M + j];
    }
  }
  return good;
}
#undef ACROSS

/* D and Y, unless they are those of the slopes at hand; 0: a pivot of D is small. */
#define DIFFERS(e, i, j, c) differ |= w->slope[e] != w->taken[e];
#define TAKE(e, i, j, c) w->taken[e] = w->slope[e];
#define EMPTY(i)                                                                                   \
  for (int j = 0; j < M; j++) w->Y[(i)*M + j] = 0;
#define FILL(e, i, c, first, last, g, by) w->Y[(c)*M + (i)] = (by)*k->J0[g];
KERNEL_INLINE int KERNEL_NAME(take_D)(KERNEL_NAME(stage) * w, double h, const rattle__fused *k) {
  int differ = k->iterations == 0;
  if (!differ) {
    SLOPES(DIFFERS)
  }
  if (!differ) return 1;
  SLOPES(TAKE)
  if (!KERNEL_NAME(factor_D)(w, h, k)) return 0;
  EACH_N(EMPTY)
  ENTRIES(FILL)
  for (int j = 0; j < M; j++) KERNEL_NAME(solve_D)(w, h, w->Y, M, j, k);
  return 1;
}
#undef DIFFERS
#undef TAKE
#undef EMPTY
#undef FILL

/* The next P and s. Returns 0 if it is not to be had. */
#define TAKE(i) w->ds[i] = w->F[i];
#define REACH(e, i, c, first, last, g, by)                                                         \
  w->ds[i] += (by)*k->J1[g] * (h * INVERSE_MASS(c)) * w->r[c];
#define MOVE(i)                                                                                    \
  {                                                                                                \
    double sum = w->r[i];                                                                          \
    for (int j = 0; j < M; j++) sum -= w->Y[(i)*M + j] * w->ds[j];                                 \
    P[i] += sum;                                                                                   \
  }
#define ADD(i) s[i] += w->ds[i];
KERNEL_INLINE int KERNEL_NAME(correct_stage)(KERNEL_NAME(stage) * w, double h, double *restrict s,
                                             double *restrict P, const rattle__fused *k) {
  if (!KERNEL_NAME(take_D)(w, h, k)) return 0;
  KERNEL_NAME(solve_D)(w, h, w->r, 1, 0, k);
  if (!KERNEL_NAME(couple)(w, h, k)) return 0;
  EACH_M(TAKE)
  ENTRIES(REACH)
  for (int i = 1; i < M; i++)
    for (int j = 0; j < i; j++) w->ds[i] -= w->R[i * M + j] * w->ds[j];
  for (int i = M - 1; i >= 0; i--) {
    for (int j = i + 1; j < M; j++) w->ds[i] -= w->R[i * M + j] * w->ds[j];
    w->ds[i] *= w->R[i * M + i];
  }
  EACH_N(MOVE)
  EACH_M(ADD)
  return 1;
}
#undef TAKE
#undef REACH
#undef MOVE
#undef ADD

/* f, r and the units of its round-off at P, and q1. Returns 1 where a callback does not answer. */
#define LEFT(i) w->r[i] = w->b[i] - P[i], w->unit[i] = fabs(w->b[i]) + fabs(P[i]);
#define THRUST_ON(i)                                                                               \
  w->r[PUSHED(i)] += h * K1 * w->f[i], w->unit[PUSHED(i)] += fabs(h * K1 * w->f[i]);
#define SLIDE(e, i, c, first, last, g, by)                                                         \
  w->r[c] -= (by)*k->J0[g] * s[i], w->unit[c] += fabs((by)*k->J0[g] * s[i]);
#define GO(i) z1[i] = z0[i] + h * INVERSE_MASS(i) * P[i];
KERNEL_INLINE int KERNEL_NAME(look_at_stage)(KERNEL_NAME(stage) * w, double h,
                                             const double *restrict z0, const double *restrict s,
                                             double *restrict z1, rattle__fused *k) {
  const double *P = z1 + N;
  k->forces++;
  if (THRUST(z0, P, w->f, w->slope)) return 1;
  EACH_N(LEFT)
  EACH_FORCE(THRUST_ON)
  ENTRIES(SLIDE)
  EACH_N(GO)
  KERNEL_NAME(go_on)(h, z1, k);
  return 0;
}
#undef LEFT
#undef THRUST_ON
#undef SLIDE
#undef GO

/* True if all |r_i| are round-off; *ratio: about how many units the largest is */
#define SMALL(i) all &= fabs(w->r[i]) <= 2.220446049250313e-16 * w->unit[i];
#define LARGEST(i)                                                                                 \
  most = most > fabs(w->r[i]) || most != most                                                      \
             ? most                                                                                \
             : fabs(w->r[i]); /* not a number where one of them is not */                          \
  unit = unit > w->unit[i] ? unit : w->unit[i];
KERNEL_INLINE int KERNEL_NAME(stage_is_within)(const KERNEL_NAME(stage) * w, double *ratio,
                                               const rattle__fused *k) {
  int all = 1;
  double most = 0, unit = 0;
  (void)k;
  EACH_N(SMALL)
  EACH_N(LARGEST)
  *ratio = most / (2.220446049250313e-16 * unit + 2.2250738585072014e-308);
  return all;
}
#undef SMALL
#undef LARGEST

/* The iteration: 0, and z1 = (q1, P), J1 = G(q1), f = f(q0, P). */
#define BEGIN(i) z1[i] = z0[i], P[i] = w->b[i] = z0[N + (i)] - h * K1 * k->V0[i];
#define ZERO(i) s[i] = 0;
KERNEL_INLINE int KERNEL_NAME(solve_stage)(KERNEL_NAME(stage) * w, rattle__fused *k, double h,
                                           const double *restrict z0, double *restrict s,
                                           double *restrict z1) {
  double *P = z1 + N;
  w->before = 1e300, w->first = 0, w->doubtful = 0;
  EACH_N(BEGIN)
  EACH_M(ZERO)
  for (k->iterations = 0;; k->iterations++) {
    if (KERNEL_NAME(look_at_stage)(w, h, z0, s, z1, k)) return RATTLE__FUSED_CALLBACK;
    k->evaluations++;
    if (CONSTRAINT(z1, w->F, k->J1)) return RATTLE__FUSED_CALLBACK;
    if (k->iterations == 0) KERNEL_NAME(size_of_g)(z1, z0, w->floor, k);
    double most = 0, of_stage;
    if (KERNEL_NAME(stage_is_within)(w, &of_stage, k) &&
        KERNEL_NAME(within)(w->F, w->floor, &k->g, k))
      break;
    const double of_g = KERNEL_NAME(ratio)(w->F, w->floor, &most, k);
    const double residual = of_stage > of_g || !(of_stage == of_stage) ? of_stage : of_g;
    if (!(residual < 1e300) || k->iterations >= RATTLE__ITERATIONS)
      return RATTLE__FUSED_NOT_CONVERGED;
    if (rattle__stagnates(residual, w->before, k->iterations)) {
      if (!(residual < RATTLE__ENOUGH)) return RATTLE__FUSED_NOT_CONVERGED;
      if (most > k->g) k->g = most;
      if (residual > k->most_residual) k->most_residual = residual;
      break;
    }
    if (k->iterations == 0) w->first = residual;
    w->doubtful |=
        rattle__fell_slowly(w->first, w->before, residual, k->iterations, rattle__doubt_newton, 0);
    w->before = residual;
    if (!KERNEL_NAME(correct_stage)(w, h, s, P, k)) return RATTLE__FUSED_SINGULAR;
  }
  k->newton += k->iterations;
  const int near = w->before < rattle__near_end || KERNEL_NAME(couple)(w, h, k);
  return w->doubtful || !near ? RATTLE__FUSED_NOT_CONVERGED : RATTLE__FUSED_OK;
}
#undef BEGIN
#undef ZERO

/* True if multipliers led the step astray, forces being part of what there is without them. */
#define PULL(i) pull[i] = k->V0[i];
#define PUSH(i) pull[PUSHED(i)] -= w->f[i];
KERNEL_INLINE int KERNEL_NAME(stage_is_astray)(const KERNEL_NAME(stage) * w, double h,
                                               const double *z0, const double *z1,
                                               rattle__fused *k) {
  double pull[RATTLE__PAIRS_MOST];
  if (M > 1 && KERNEL_NAME(normals_turned)(k)) return 1;
  if (BOUNDED || BENDS) return 0;
  EACH_N(PULL)
  EACH_FORCE(PUSH)
  return KERNEL_NAME(went_astray)((rattle__drift_step){N, CLOCK, h, h * K1, z0, pull, z1}, 0, k);
}
#undef PULL
#undef PUSH

/* As fused_kernel.h's shake and what follows it, up to the slide onto psi = 0. */
#define POWER(i) before += w->f[i] * (INVERSE_MASS(PUSHED(i)) * p[PUSHED(i)]);
#define POWER_AFTER(i) after += f[i] * (INVERSE_MASS(PUSHED(i)) * p[PUSHED(i)]);
#define KICK_ON(i) p[PUSHED(i)] += h * K2 * f[i];
KERNEL_INLINE int KERNEL_NAME(advance_forced)(rattle__fused *k, double h, const double *restrict z0,
                                              double *restrict z1) {
  KERNEL_NAME(stage) work, *w = &work;
  double s[MULTIPLIERS], f[RATTLE__FORCES_MOST], *p = z1 + N, before = 0, after = 0;
  int status = KERNEL_NAME(solve_stage)(w, k, h, z0, s, z1);
  if (status) return status;
  if (KERNEL_NAME(stage_is_astray)(w, h, z0, z1, k)) return RATTLE__FUSED_DOUBTFUL;
  k->forces += 2;
  if (FORCE(z1, k->potential, k->V1) || THRUST(z1, p, f, w->slope)) return RATTLE__FUSED_CALLBACK;
  EACH_FORCE(POWER)
  EACH_FORCE(POWER_AFTER)
  EACH_N(PUSH_2)
  EACH_FORCE(KICK_ON)
  p[N - 1] += h * (K1 * before + K2 * after);
  return RATTLE__FUSED_OK;
}
#undef POWER
#undef POWER_AFTER
#undef KICK_ON
