/* One step of SHAKE or RATTLE for a natural problem with diagonal M and up to twelve constraints, written once and compiled twice:
 * into the library, for any such problem (small.c), and by the native evaluator with the numbers and the derivatives of one problem put in
 * (small_native.c), so that both give the same bits.
 *
 * Before inclusion: KERNEL_NAME(part) (names of the functions), KERNEL_LINKAGE, KERNEL_INLINE, N,
 * M, NNZ, INVERSE_MASS(i), K1 D1 K2 D2 (the scheme), PROJECT and COMPENSATED (0 or 1), BENDS (1: that list is not empty),
 * CONSTRAINT(q, F, J), FORCE(q, V, Vq), and the text of step/carry.h; and the lists of small_plan.h, macros that say
 * DO(a, b, c, first) for each of their terms: ENTRIES(DO), EACH_BEND(DO) (with `by` as the fifth), and for X = R, A: PRODUCTS_X(DO),
 * ELIMINATE_X(PIVOT, SCALE, UPDATE), SUBSTITUTE_X(FORWARD, DIVIDE, BACK); and EACH_N(DO), EACH_M(DO), which say DO(i). Nothing but C and <math.h>; no includes, since the text is
 * also handed to a compiler as it is. The text goes before this one in small_rows.h, and on in
 * small_run.h with KERNEL_RUN, N and M being constants.
 *
 * Symbols  G = g_q [M x N], J and W the values of G and of G M^-1 in the pattern of G; 0 at the start of the step, 1 at its end;
 *          R = G(q) W0^T, A = G1 W1^T; s = h^2 lambda, so that q1 = q - W0^T s
 * Newton   with R at each iterate; M > 2: as long as that pays. For quadratic g and M <= 2 the first correction solves the equation
 *          F - R s + T(s, s) = 0, which is g(q - W0^T s) = 0, without going to q: T_i(s, s) = s W0 g_i'' W0^T s / 2
 * Guard    R has a positive determinant at the first iterate and near the last, as it has for h = 0, and residuals fall as they must
 *          (slide/follow.h). If not, M <= 2: RATTLE__SMALL_DOUBTFUL; M > 2: a failure, after which the caller takes the step by
 *          other means
 * Carry    COMPENSATED: the point is z + c and g = 0 there; corrections of s are kicks, of each of which p and q learn the same,
 *          and the iteration ends with one more of them */

/* --- positions -------------------------------------------------------------------------------------------------------------- */

/* COMPENSATED: one more correction, which moves z1 by no more than round-off, and J1 anew; F: the residual at hand. */
KERNEL_INLINE int KERNEL_NAME(polish)(rattle__small *k, double h, double *F, double *restrict z1) {
  double R[MATRIX], L[MATRIX], inverse[MULTIPLIERS], delta[MULTIPLIERS];
  if (k->precise) k->precise(k, z1, k->c1, F);
  KERNEL_NAME(gram_R)(k->J1, k->W0, R, k);
  if (!KERNEL_NAME(factor_R)(R, L, inverse, k)) return RATTLE__SMALL_SINGULAR;
  KERNEL_NAME(solve_R)(R, L, inverse, F, delta, k);
  KERNEL_NAME(correct)(delta, h, z1, k);
  k->evaluations++;
  return CONSTRAINT(z1, F, k->J1) ? RATTLE__SMALL_CALLBACK : RATTLE__SMALL_OK;
}

/* The iteration for s. */
typedef struct KERNEL_NAME(newton) {
  double R[MATRIX], L[MATRIX], inverse[MULTIPLIERS]; /* at an iterate, the last if `near` */
  double F[MULTIPLIERS], floor[MULTIPLIERS];
  double first, before; /* residuals at the first and at the last iterate, in units of round-off */
  int doubtful, near;
} KERNEL_NAME(newton);

/* T(s, .) of W0 [M x M] from T */
KERNEL_INLINE void KERNEL_NAME(along)(const double *T, const double *s, double *Ts) {
  Ts[0] = T[0] * s[0] + T[1] * s[1];
  Ts[1] = T[1] * s[0] + T[3] * s[1];
  Ts[2] = T[4] * s[0] + T[5] * s[1];
  Ts[3] = T[5] * s[0] + T[7] * s[1];
}

/* M = 2, quadratic g: s with F - R s + T(s, s) = 0 but for a correction that would be below round-off. */
KERNEL_INLINE int KERNEL_NAME(solve_two)(KERNEL_NAME(newton) * w, const double *T, double *s, rattle__small *k) {
  double F[MULTIPLIERS] = {w->F[0], w->F[1]}, R[MATRIX], delta[MULTIPLIERS] = {0}, Ts[4], most = 0;
  double before = w->first;
  for (int i = 0; i < 4; i++) R[i] = w->R[i];
  s[0] = s[1] = 0;
  for (int iteration = 0;; iteration++) {
    if (!KERNEL_NAME(invert)(R, w->inverse, k)) return RATTLE__SMALL_SINGULAR;
    KERNEL_NAME(apply)(R, w->inverse, F, delta, k);
    s[0] += delta[0];
    s[1] += delta[1];
    if (iteration > 0 && w->near) break;
    KERNEL_NAME(along)(T, s, Ts);
    for (int i = 0; i < 2; i++) {
      F[i] = w->F[i] - ((w->R[2 * i] - Ts[2 * i]) * s[0] + (w->R[2 * i + 1] - Ts[2 * i + 1]) * s[1]);
      R[2 * i] = w->R[2 * i] - 2 * Ts[2 * i];
      R[2 * i + 1] = w->R[2 * i + 1] - 2 * Ts[2 * i + 1];
    }
    const double residual = KERNEL_NAME(ratio)(F, w->floor, &most, k), fall = residual / before;
    if (iteration == 0) w->doubtful |= residual > 1e4 && fall > 0.125;
    if (!(residual < 1e300) || iteration == 8) return RATTLE__SMALL_NOT_CONVERGED;
    w->near = residual * fall * fall < 1; /* the next correction is the last: F falls by the square of what it fell by */
    before = residual;
  }
  for (int i = 0; i < 4; i++) w->R[i] = R[i];
  return RATTLE__SMALL_OK;
}

/* Quadratic g, M <= 2: s from F and R at the first iterate. */
#define BEND(t, e, f, first, by) T[t] = (first) ? (by)*k->W0[e] * k->W0[f] : T[t] + (by)*k->W0[e] * k->W0[f];
KERNEL_INLINE int KERNEL_NAME(solve_bent)(KERNEL_NAME(newton) * w, double *s, rattle__small *k) {
  double T[8] = {0};
  EACH_BEND(BEND)
  w->doubtful = !KERNEL_NAME(positive)(w->R, k);
  if (M == 2) return KERNEL_NAME(solve_two)(w, T, s, k);
  /* the root next to 0, where the slope is `root`: it is linear in s, so no fold is crossed if it is positive at both ends */
  const double square = w->R[0] * w->R[0] - 4 * T[0] * w->F[0], root = sqrt(square);
  if (w->doubtful) return RATTLE__SMALL_DOUBTFUL;
  if (!(square > 0)) return RATTLE__SMALL_NOT_CONVERGED;
  s[0] = 2 * w->F[0] / (w->R[0] + root);
  w->R[0] = root;
  w->near = 1;
  return RATTLE__SMALL_OK;
}
#undef BEND

/* The next correction of s. */
KERNEL_INLINE int KERNEL_NAME(solve_next)(KERNEL_NAME(newton) * w, double *delta, rattle__small *k) {
  /* for M > 2 the last matrix serves where it leaves nothing of the residual, and is known to have positive pivots */
  const int anew = M <= 2 || k->iterations == 0 || w->before > 1e6;
  if (anew) {
    KERNEL_NAME(gram_R)(k->J1, k->W0, w->R, k);
    if (BENDS && D2 == 0 && k->iterations == 0) return KERNEL_NAME(solve_bent)(w, delta, k);
    if (M <= 2 && k->iterations == 0) w->doubtful = !KERNEL_NAME(positive)(w->R, k);
    if (!KERNEL_NAME(factor_R)(w->R, w->L, w->inverse, k)) return RATTLE__SMALL_SINGULAR;
    w->near = w->before < 1e9; /* the correction is then no longer than some 1e-6 */
  }
  KERNEL_NAME(solve_R)(w->R, w->L, w->inverse, w->F, delta, k);
  return RATTLE__SMALL_OK;
}

/* Whether the iteration may have ended on another part of the manifold, or beyond a fold: the determinant of R at its end. */
KERNEL_INLINE int KERNEL_NAME(judge)(KERNEL_NAME(newton) * w, const rattle__small *k) {
  if (!w->near) {
    KERNEL_NAME(gram_R)(k->J1, k->W0, w->R, k);
    if (M > 2 && !KERNEL_NAME(factor_R)(w->R, w->L, w->inverse, k)) return RATTLE__SMALL_SINGULAR;
  }
  if (M > 2) return w->doubtful ? RATTLE__SMALL_NOT_CONVERGED : RATTLE__SMALL_OK;
  return w->doubtful || !KERNEL_NAME(positive)(w->R, k) ? RATTLE__SMALL_DOUBTFUL : RATTLE__SMALL_OK;
}

/* s with g(q1) = 0; J1 is G(q1) */
#define ZERO(i) s[i] = 0;
#define SUM(i) s[i] += delta[i];
KERNEL_INLINE int KERNEL_NAME(shake)(rattle__small *k, double h, const double *restrict z0, double *restrict s,
                                     double *restrict z1) {
  KERNEL_NAME(newton) work, *w = &work;
  double delta[MULTIPLIERS];
  w->before = 1e300, w->first = 0, w->doubtful = w->near = 0;
  EACH_M(ZERO)
  for (k->iterations = 0;; k->iterations++) {
    if ((D2 != 0 || k->iterations == 0) && KERNEL_NAME(travel)(k, h, z0, s, z1)) return RATTLE__SMALL_CALLBACK;
    k->evaluations++;
    if (CONSTRAINT(z1, w->F, k->J1)) return RATTLE__SMALL_CALLBACK;
    if (COMPENSATED) KERNEL_NAME(carry_in)(w->F, k);
    if (k->iterations == 0) KERNEL_NAME(size_of_g)(z1, z0, w->floor, k);
    if (KERNEL_NAME(within)(w->F, w->floor, &k->g, k)) break;
    double most = 0;
    const double residual = KERNEL_NAME(ratio)(w->F, w->floor, &most, k);
    if (!(residual < 1e300) || k->iterations >= 60) return RATTLE__SMALL_NOT_CONVERGED;
    if (k->iterations >= 2 && residual > 0.5 * w->before) { /* stagnates: at round-off, or the unit is too small */
      if (!(residual < 512)) return RATTLE__SMALL_NOT_CONVERGED;
      if (most > k->g) k->g = most;
      if (residual > k->most_residual) k->most_residual = residual;
      break;
    }
    /* the second residual shows whether the linearisation at the first can be trusted: slide/follow.h */
    if (k->iterations == 0) w->first = residual;
    if (k->iterations == 1) w->doubtful |= residual > 1e4 && residual > 0.125 * w->first;
    if (k->iterations > 1 && M > 2) w->doubtful |= residual > 1e4 && residual > 0.3 * w->before;
    w->before = residual;
    const int status = KERNEL_NAME(solve_next)(w, delta, k);
    if (status) return status;
    EACH_M(SUM)
    if (D2 == 0) KERNEL_NAME(correct)(delta, h, z1, k);
  }
  k->newton += k->iterations;
  const int status = KERNEL_NAME(judge)(w, k);
  if (status) return status;
  return COMPENSATED ? KERNEL_NAME(polish)(k, h, w->F, z1) : RATTLE__SMALL_OK;
}
#undef ZERO
#undef SUM

/* --- momenta ---------------------------------------------------------------------------------------------------------------- */

/* M = 1: whether A is what it was at the start of the step, as for rods; inverse: 1 / A there. */
KERNEL_INLINE int KERNEL_NAME(is_as_before)(const double *A, double *inverse, const rattle__small *k) {
  double A0[MATRIX];
  inverse[0] = 0;
  if (M != 1) return 0;
  KERNEL_NAME(gram_A)(k->J0, k->W0, A0, k);
  inverse[0] = 1 / A0[0];
  return fabs(A[0] - A0[0]) <= 4.440892098500626e-16 * A0[0];
}

/* The iteration for sigma. */
typedef struct KERNEL_NAME(slide) {
  double A[MATRIX], L[MATRIX], inverse[MULTIPLIERS], psi[MULTIPLIERS], floor[MULTIPLIERS], sigma[MULTIPLIERS];
} KERNEL_NAME(slide);

/* psi, and A in factors, at the point of J1, W1; returns 0 if A is singular. */
KERNEL_INLINE int KERNEL_NAME(slide_begin)(KERNEL_NAME(slide) * w, const rattle__small *k, const double *restrict p) {
  KERNEL_NAME(gram_A)(k->J1, k->W1, w->A, k);
  if (!KERNEL_NAME(is_as_before)(w->A, w->inverse, k) && !KERNEL_NAME(factor_A)(w->A, w->L, w->inverse, k)) return 0;
  KERNEL_NAME(measure)(k->W1, p, w->psi, k);
  KERNEL_NAME(size_of_psi)(k->W1, p, w->floor, k);
  return 1;
}

/* One correction; returns 1 if psi = 0 after it. */
KERNEL_INLINE int KERNEL_NAME(slide_once)(KERNEL_NAME(slide) * w, rattle__small *k, double *restrict p) {
  if (M > 1) KERNEL_NAME(solve_A)(w->A, w->L, w->inverse, w->psi, w->sigma, k);
  KERNEL_NAME(kick)(k->J1, M == 1 ? w->psi : w->sigma, M == 1 ? w->inverse[0] : 1, p, k);
  KERNEL_NAME(measure)(k->W1, p, w->psi, k);
  return KERNEL_NAME(within)(w->psi, w->floor, &k->psi, k);
}

/* p <- p - G^T sigma with G M^-1 p = 0, at the point of J1, W1 */
KERNEL_INLINE int KERNEL_NAME(project)(rattle__small *k, double *restrict p) {
  KERNEL_NAME(slide) work, *w = &work;
  double before = 1e300;
  if (!KERNEL_NAME(slide_begin)(w, k, p)) return RATTLE__SMALL_SINGULAR;
  for (int corrections = 1; !KERNEL_NAME(slide_once)(w, k, p); corrections++) {
    double most = 0;
    const double residual = KERNEL_NAME(ratio)(w->psi, w->floor, &most, k);
    if (!(residual < 1e300) || corrections >= 60) return RATTLE__SMALL_NOT_CONVERGED;
    if (corrections >= 2 && residual > 0.5 * before) {
      if (!(residual < 512)) return RATTLE__SMALL_NOT_CONVERGED;
      if (most > k->psi) k->psi = most;
      return RATTLE__SMALL_OK;
    }
    before = residual;
  }
  return RATTLE__SMALL_OK;
}

/* --- the step --------------------------------------------------------------------------------------------------------------- */

/* z1 from z0; J0, W0 (and V0 where K1 != 0) belong to z0, J1, W1 (and V1 where the scheme ends with a kick) to z1 afterwards */
KERNEL_INLINE int KERNEL_NAME(advance)(rattle__small *k, double h, double inverse_h, const double *restrict z0,
                                       double *restrict z1) {
  double s[MULTIPLIERS];
  int status = KERNEL_NAME(shake)(k, h, z0, s, z1);
  if (status) return status;
  double *restrict p = z1 + N;
  if (D2 == 0 && !COMPENSATED) KERNEL_NAME(kick)(k->J0, s, inverse_h, p, k);
  if (D2 == 0 && K2 != 0) {
    k->forces++;
    if (FORCE(z1, k->potential, k->V1)) return RATTLE__SMALL_CALLBACK;
    EACH_N(PUSH_2)
  }
  KERNEL_NAME(rows)(k->J1, k->W1, k);
  return PROJECT ? KERNEL_NAME(project)(k, p) : RATTLE__SMALL_OK;
}

/* p onto psi = 0 at the point of J0, W0 */
KERNEL_LINKAGE int KERNEL_NAME(level)(rattle__small *k, double *p) {
  rattle__small here = *k;
  here.J1 = k->J0, here.W1 = k->W0, here.c1 = k->c0;
  const int status = KERNEL_NAME(project)(&here, p);
  k->psi = here.psi, k->most_residual = here.most_residual;
  return status;
}

#ifndef KERNEL_RUN
KERNEL_LINKAGE int KERNEL_NAME(step)(rattle__small *k, double h, const double *restrict z0, double *restrict z1) {
  return KERNEL_NAME(advance)(k, h, 1 / h, z0, z1);
}
#endif
