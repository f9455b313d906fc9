/* Part of the text of fused_lanes.h, after fused_one_correction.h: a step in lanes where the
 * equation of positions is not solved as a whole. It is that of shake, advance_free and project in
 * fused_kernel.h, operation by operation; a lane keeps its numbers once its iteration has ended. A
 * lane in doubt, or in which an iteration fails or is long, is not good. */

/* After so many corrections a lane is not good. */
enum { LONG_ITERATION = 12 };

/* The iteration of a lane: residuals at the first and at the last iterate; whether it goes on;
 * whether the matrix is that near the solution. */
typedef struct KERNEL_NAME(course) {
  REAL first, before;
  MASK good, active, near;
} KERNEL_NAME(course);

/* True in lanes that go on after `corrections`, with these residuals; `within`: lanes whose
 * residuals are round-off. *largest is raised to `most`, |F|, in lanes that end at round-off for
 * which the unit is too small. */
KERNEL_INLINE int KERNEL_NAME(go_on_in_lanes)(KERNEL_NAME(course) * c, int corrections, MASK within,
                                              REAL residual, REAL most, REAL *largest) {
  const MASK stagnates = (corrections >= 2 ? ALL : NOT(ALL)) & (residual > 0.5 * c->before),
             enough = residual < RATTLE__ENOUGH;
  const MASK lost = NOT(residual < 1e300) | (stagnates & NOT(enough));
  c->active &= NOT(within);
  c->good &= NOT(c->active & lost);
  WHERE(c->active & stagnates & enough & (most > *largest), *largest, most);
  c->active &= c->good & NOT(stagnates);
  return ANY(c->active);
}

/* R at the iterate in factors, for lanes that cannot use the matrix of before. For M <= 2 each R
 * must be positive; one trajectory alone asks this of the first and the last. */
#define TAKE_INVERSE(i, t, c_, first) WHERE(anew, w->inverse[i], inverse[i]);
#define TAKE_L(t, i, c_, first) WHERE(anew, w->L[t], L[t]);
#define TAKE_NONE(t, l, u, first)
KERNEL_INLINE void KERNEL_NAME(factor_in_lanes)(KERNEL_NAME(newton) * w, KERNEL_NAME(course) * c,
                                                int corrections, const rattle__fused *k) {
  REAL R[MATRIX], L[MATRIX], inverse[MULTIPLIERS];
  const MASK anew = corrections == 0 ? ALL : M <= 2 ? c->active : c->active & (c->before > 1e6);
  if (!ANY(anew)) return;
  if (M <= 2) {
    KERNEL_NAME(gram_R)(k->J1, k->W0, w->R, k);
    (void)KERNEL_NAME(invert)(w->R, w->inverse, k);
    c->good &= KERNEL_NAME(positive)(w->R, k) | NOT(anew);
    c->active &= c->good;
    c->near = (anew & (c->before < rattle__near_end)) | (NOT(anew) & c->near);
    return;
  }
  KERNEL_NAME(gram_R)(k->J1, k->W0, R, k);
  c->good &= KERNEL_NAME(factor_R)(R, L, inverse, k) | NOT(anew);
  c->active &= c->good;
  c->near = (anew & (c->before < rattle__near_end)) | (NOT(anew) & c->near);
  ELIMINATE_R(TAKE_INVERSE, TAKE_L, TAKE_NONE)
}
#undef TAKE_INVERSE
#undef TAKE_L
#undef TAKE_NONE

/* fused_kernel.h's judge: the lanes that end where R is as it was for h = 0, and where no
 * constraint nearly depends on others. */
KERNEL_INLINE MASK KERNEL_NAME(is_sound)(KERNEL_NAME(newton) * w, MASK near,
                                         const rattle__fused *k) {
  MASK good = ALL;
  if (M == 2 || ANY(NOT(near))) {
    KERNEL_NAME(gram_R)(k->J1, k->W0, w->R, k);
    good = M <= 2 ? KERNEL_NAME(positive)(w->R, k)
                  : KERNEL_NAME(factor_R)(w->R, w->L, w->inverse, k) | near;
  }
  const double part = rattle__margin_of_lanes * rattle__dependent_pivot;
  if (M == 2) good &= rattle__pair_is_independent(w->R, part);
  return M <= 2 ? good : good & KERNEL_NAME(independent)(w->inverse, part, k);
}

/* s with g(q1) = 0; J1 is G(q1). Returns the lanes that have it, and where that is proved or rules
 * leave no doubt. */
#define ZERO(i) s[i] = UNIFORM(0);
#define SUM(i) WHERE(c.active, s[i], s[i] + delta[i]);
#define KEEP(i) kept[i] = z1[i];
#define RETURN(i) WHERE(NOT(c.active), z1[i], kept[i]);
KERNEL_INLINE MASK KERNEL_NAME(shake_in_lanes)(rattle__fused *k, REAL h, const REAL *restrict z0,
                                               REAL *restrict s, REAL *restrict z1) {
  KERNEL_NAME(newton) work = {.L = {UNIFORM(0)}}, *w = &work;
  KERNEL_NAME(course)
  c = {.first = UNIFORM(0), .before = UNIFORM(1e300), .good = ALL, .active = ALL, .near = NOT(ALL)};
  REAL delta[MULTIPLIERS], kept[N];
  EACH_M(ZERO)
  KERNEL_NAME(travel)(k, h, z0, s, z1);
  for (int corrections = 0;; corrections++) {
    REAL most = UNIFORM(0);
    (void)CONSTRAINT(z1, w->F, k->J1);
    if (corrections == 0) KERNEL_NAME(size_of_g)(z1, z0, w->floor, k);
    const MASK within = KERNEL_NAME(within)(w->F, w->floor, &k->g, k);
    if (!ANY(c.active & NOT(within))) break;
    const REAL residual = KERNEL_NAME(ratio)(w->F, w->floor, &most, k);
    if (!KERNEL_NAME(go_on_in_lanes)(&c, corrections, within, residual, most, &k->g)) break;
    if (corrections == LONG_ITERATION) return c.good & NOT(c.active);
    if (corrections == 0) c.first = residual;
    c.good &= NOT(c.active & rattle__fell_slowly(c.first, c.before, residual, corrections,
                                                 rattle__doubt_newton, 0));
    c.active &= c.good;
    WHERE(c.active, c.before, residual);
    KERNEL_NAME(factor_in_lanes)(w, &c, corrections, k);
    KERNEL_NAME(solve_R)(w->R, w->L, w->inverse, w->F, delta, k);
    EACH_M(SUM)
    EACH_N(KEEP)
    KERNEL_NAME(correct)(delta, h, z1, k);
    EACH_N(RETURN)
  }
  MASK proved = NOT(ALL);
  if (FACTORS_NOTED && ANY(c.good)) proved = KERNEL_NAME(is_in_ball)(h, z0, z1, w, k);
  if (ANY(c.good & NOT(proved))) c.good &= proved | KERNEL_NAME(is_sound)(w, c.near, k);
  return c.good;
}
#undef ZERO
#undef SUM
#undef KEEP
#undef RETURN

/* p <- p - G^T sigma with G M^-1 p = 0, at the point of J1, W1. Returns the lanes that have it. */
#define KEEP(i) kept[i] = p[i];
#define RETURN(i) WHERE(NOT(c.active), p[i], kept[i]);
KERNEL_INLINE MASK KERNEL_NAME(project_in_lanes)(rattle__fused *k, const REAL *A0,
                                                 REAL *restrict p) {
  KERNEL_NAME(slide) work, *w = &work;
  KERNEL_NAME(course) c = {.before = UNIFORM(1e300)};
  c.good = c.active = KERNEL_NAME(slide_begin)(w, A0, k, p);
  for (int corrections = 1;; corrections++) {
    REAL kept[N], most = UNIFORM(0);
    EACH_N(KEEP)
    const REAL psi = k->psi;
    const MASK within = KERNEL_NAME(slide_once)(w, k, p);
    WHERE(NOT(c.active), k->psi, psi);
    EACH_N(RETURN)
    if (!ANY(c.active & NOT(within))) return c.good;
    const REAL residual = KERNEL_NAME(ratio)(w->psi, w->floor, &most, k);
    if (!KERNEL_NAME(go_on_in_lanes)(&c, corrections, within, residual, most, &k->psi))
      return c.good;
    if (corrections == LONG_ITERATION) return c.good & NOT(c.active);
    WHERE(c.active, c.before, residual);
  }
}
#undef KEEP
#undef RETURN

/* As one_correction. */
KERNEL_INLINE MASK KERNEL_NAME(masked_iteration)(rattle__fused *k, REAL h, REAL inverse_h,
                                                 const REAL *A0, const REAL *restrict z0,
                                                 REAL *restrict z1, REAL *A1) {
  REAL s[MULTIPLIERS], *restrict p = z1 + N;
  MASK good = NOT(ALL);
  if (CONSTANT_N && PROVED) {
    if (!PROJECT) KERNEL_NAME(note_motion)(z0, k->J0, k->W0, k);
    good = KERNEL_NAME(shake_by_N)(k, h, z0, s, z1);
  }
  if (!ANY(good)) good = KERNEL_NAME(shake_in_lanes)(k, h, z0, s, z1);
  KERNEL_NAME(kick)(k->J0, s, inverse_h, p, k);
  if (ANY(good)) good &= NOT(KERNEL_NAME(is_astray)(h, A0, z0, z1, k));
  if (K2 != 0) {
    (void)FORCE(z1, k->potential, k->V1);
    EACH_N(PUSH_2)
  }
  KERNEL_NAME(rows)(k->J1, k->W1, k);
  if (PROJECT) good &= KERNEL_NAME(project_in_lanes)(k, A0, p);
  if (M <= 2) KERNEL_NAME(gram_A)(k->J1, k->W1, A1, k);
  return good;
}
