/* One step of SHAKE or RATTLE for a natural problem with diagonal M and up to twelve constraints,
 * written once and compiled twice: into the library, for any such problem (natural_small.c), and by
 * the native evaluator with the numbers and the derivatives of one problem put in (fused_native.c),
 * so that both give the same bits.
 *
 * Before inclusion: KERNEL_NAME(part) (names of the functions), KERNEL_LINKAGE, KERNEL_INLINE,
 * KERNEL_SHARED (before products and factors of matrices), N, M, NNZ, MULTIPLIERS (as many as there
 * is room for, at least 2), INVERSE_MASS(i), LANES (0), CLOCK (the pair of the time, -1: none), K1
 * D1 K2 D2 (the scheme), PROJECT and COMPENSATED (0 or 1), BENDS (1: that list is not empty),
 * CONSTRAINT(q, F, J), FORCE(q, V, Vq), PROVED (1: steps are proved where they can be), IS_ZERO(x)
 * (1: x is known to be 0), BOUNDED and SPREAD(i) (fused_plan.h), and the texts of
 * constraint/guard/rules/{rules.def,doubt_rules.h}, constraint/equation/stopping.h and
 * constraint/step/carry.h; and the lists of fused_plan.h, macros that say DO(a, b, c, first) for
 * each of their terms, for X = R, A: ELIMINATE_X(PIVOT, SCALE, UPDATE), SUBSTITUTE_X(FORWARD,
 * DIVIDE, BACK), and with `by` as the fifth PRODUCTS_X(DO), EACH_BEND(DO), EACH_BEND_OF_A(DO);
 * ENTRIES(DO), DO(e, i, c, first, last, g, by); and EACH_N(DO), EACH_M(DO), EACH_A(DO), which say
 * DO(i) for n, m, m^2 numbers. Nothing but C and <math.h>; no includes, since the text is also
 * handed to a compiler as it is. The text of fused_rows.h, fused_doubt.h, step_rules.h,
 * fused_one_curve.h, fused_in_ball.h, fused_one_correction.h and fused_forced.h goes before this
 * one, which goes on in fused_run.h with KERNEL_RUN, N and M being constants. Numbers are REAL
 * where several trajectories are stepped at once by the same text (ground/expr/real.h,
 * fused_lanes.h). FORCED (0 or 1): forces that are no gradient act; then FORCES, PUSHED(i), the
 * pair on which force i acts,
 * ALONE (1: each depends on no momentum but its own), THRUST(q, p, f, slope), BALANCE(z), H less
 * the work, EACH_FORCE(DO), and SLOPES(DO), DO(e, i, j, c) (fused_forces.h).
 *
 * Symbols  G = g_q [M x N], J and W the values of G and of G M^-1 in the pattern of G; 0 at the
 *          start of the step, 1 at its end; R = G(q) W0^T, A = G1 W1^T; s = h^2 lambda, so that q1
 *          = q - W0^T s
 * Newton   with R at each iterate; M > 2: as long as that pays. For quadratic g and M <= 2 the
 *          first correction solves the equation F - R s + T(s, s) = 0, which is g(q - W0^T s) = 0,
 *          without going to q: T_i(s, s) = s W0 g_i'' W0^T s / 2. For constraints of length T is
 *          made of the numbers of A0 = J0 W0^T
 * Curve    for quadratic g and M <= 2 the multipliers are proved to be the end of the curve that
 *          begins at the start of the step (fused_one_curve.h); if not, RATTLE__FUSED_UNPROVED. For
 *          M > 2 a proof is tried before the guard is asked, or without a projection, whose factors
 *          it needs, where the guard is in doubt (fused_in_ball.h)
 * Guard    R has a positive determinant at the first iterate and near the last, as it has for h =
 *          0, residuals fall as they must (constraint/guard/rules; the
 *          equation solved as a whole has only one root near 0). If not, M <= 2:
 *          RATTLE__FUSED_DOUBTFUL; M > 2: a failure, after which the caller takes the step by other
 *          means. Nothing is asked where `trusts` is set
 * N        a constant on g = 0, M > 2: positions by chords of it, with a proof (fused_constant.h),
 *          and momenta by it
 * Carry    COMPENSATED: the point is z + c and g = 0 there; corrections of s are kicks, of each of
 *          which p and q learn the same, and the iteration ends with one more of them */

/* --- positions -------------------------------------------------------------------------------- */

/* COMPENSATED: one more correction, which moves z1 by no more than round-off, and J1 anew; F: the
 * residual at hand. */
KERNEL_INLINE int KERNEL_NAME(polish)(rattle__fused *k, double h, double *F, double *restrict z1) {
  double R[MATRIX], L[MATRIX], inverse[MULTIPLIERS], delta[MULTIPLIERS];
  if (k->precise) k->precise(k, z1, k->c1, F);
  KERNEL_NAME(gram_R)(k->J1, k->W0, R, k);
  if (!KERNEL_NAME(factor_R)(R, L, inverse, k)) return RATTLE__FUSED_SINGULAR;
  KERNEL_NAME(solve_R)(R, L, inverse, F, delta, k);
  KERNEL_NAME(correct)(delta, h, z1, k);
  k->evaluations++;
  return CONSTRAINT(z1, F, k->J1) ? RATTLE__FUSED_CALLBACK : RATTLE__FUSED_OK;
}

/* The theorem decides if the end is that of the curve (fused_one_curve.h): no rule is asked. */
#define DECIDED                                                                                    \
  (BENDS && BOUNDED && PROVED && D2 == 0 && !COMPENSATED && !FORCED && !k->multipliers)

/* Positions are sought by N and proved (fused_constant.h), those of others by shake. */
#define SHAKES_BY_N (CONSTANT_N && PROVED && D2 == 0 && !COMPENSATED && !FORCED && !k->multipliers)

/* The next correction of s. */
KERNEL_INLINE int KERNEL_NAME(solve_next)(KERNEL_NAME(newton) * w, const double *A0, double *delta,
                                          rattle__fused *k) {
  /* for M > 2 the last matrix serves where it leaves nothing of the residual, and is known to have
   * positive pivots */
  const int anew = M <= 2 || k->iterations == 0 || w->before > 1e6;
  if (anew) {
    KERNEL_NAME(gram_R)(k->J1, k->W0, w->R, k);
    if (BENDS && D2 == 0 && k->iterations == 0) {
      if (!KERNEL_NAME(positive)(w->R, k)) return RATTLE__FUSED_DOUBTFUL;
      if (KERNEL_NAME(solve_bent)(w, A0, delta, k)) return RATTLE__FUSED_OK;
      if (M == 1 || !DECIDED) return RATTLE__FUSED_NOT_CONVERGED;
    }
    if (M <= 2 && k->iterations == 0) w->doubtful = !k->trusts && !KERNEL_NAME(positive)(w->R, k);
    if (!KERNEL_NAME(factor_R)(w->R, w->L, w->inverse, k)) return RATTLE__FUSED_SINGULAR;
    w->near = w->before < rattle__near_end; /* the correction is then no longer than some 1e-6 */
  }
  KERNEL_NAME(solve_R)(w->R, w->L, w->inverse, w->F, delta, k);
  return RATTLE__FUSED_OK;
}

/* Judges by the determinant of R at the end of the iteration if it may have ended on another part
 * of the manifold, or beyond a fold. */
KERNEL_INLINE int KERNEL_NAME(judge)(KERNEL_NAME(newton) * w, const rattle__fused *k) {
  if (k->trusts) return RATTLE__FUSED_OK;
  if (!w->near) {
    KERNEL_NAME(gram_R)(k->J1, k->W0, w->R, k);
    if (M > 2 && !KERNEL_NAME(factor_R)(w->R, w->L, w->inverse, k)) return RATTLE__FUSED_SINGULAR;
  }
  const int independent =
      M > 2 ? KERNEL_NAME(independent)(w->inverse, rattle__dependent_pivot, k) : M == 1 || BENDS;
  if (!independent && !k->declines) w->doubtful |= KERNEL_NAME(normals_turned)(k);
  if (M > 2) return w->doubtful ? RATTLE__FUSED_NOT_CONVERGED : RATTLE__FUSED_OK;
  return w->doubtful || !KERNEL_NAME(positive)(w->R, k) ? RATTLE__FUSED_DOUBTFUL : RATTLE__FUSED_OK;
}

/* True if a step is right by a theorem (fused_in_ball.h). */
KERNEL_INLINE int KERNEL_NAME(is_right)(const KERNEL_NAME(newton) * w, double h, const double *z0,
                                        const double *z1, rattle__fused *k) {
  if (!IN_BALL) return 0;
  if (!FACTORS_NOTED || k->factors0->dependence == 0)
    KERNEL_NAME(note_factors_of)(k->J0, k->W0, k->factors0, k);
  return KERNEL_NAME(is_in_ball)(h, z0, z1, w, k);
}

/* s with g(q1) = 0; J1 is G(q1) */
#define ZERO(i) s[i] = 0;
#define BEGIN(i) s[i] = delta[i] = k->multipliers[i];
#define SUM(i) s[i] += delta[i];
KERNEL_INLINE int KERNEL_NAME(shake)(rattle__fused *k, double h, const double *A0,
                                     const double *restrict z0, double *restrict s,
                                     double *restrict z1) {
  KERNEL_NAME(newton) work, *w = &work;
  double delta[MULTIPLIERS];
  w->before = 1e300, w->first = 0, w->doubtful = w->near = 0;
  EACH_M(ZERO)
  for (k->iterations = 0;; k->iterations++) {
    if ((D2 != 0 || k->iterations == 0) && KERNEL_NAME(travel)(k, h, z0, s, z1))
      return RATTLE__FUSED_CALLBACK;
    if (D2 == 0 && k->iterations == 0 && k->multipliers) {
      EACH_M(BEGIN)
      KERNEL_NAME(correct)(delta, h, z1, k);
    }
    k->evaluations++;
    if (CONSTRAINT(z1, w->F, k->J1)) return RATTLE__FUSED_CALLBACK;
    if (COMPENSATED) KERNEL_NAME(carry_in)(w->F, k);
    if (k->iterations == 0) KERNEL_NAME(size_of_g)(z1, z0, w->floor, k);
    /* where the equation is solved as a whole, that is done even if nothing seems to be left to
     * solve */
    if (!(BENDS && D2 == 0 && k->iterations == 0) && KERNEL_NAME(within)(w->F, w->floor, &k->g, k))
      break;
    double most = 0;
    const double residual = KERNEL_NAME(ratio)(w->F, w->floor, &most, k);
    if (!(residual < 1e300) || k->iterations >= RATTLE__ITERATIONS)
      return RATTLE__FUSED_NOT_CONVERGED;
    if (rattle__stagnates(residual, w->before,
                          k->iterations)) { /* at round-off, or the unit is too small */
      if (!(residual < RATTLE__ENOUGH)) return RATTLE__FUSED_NOT_CONVERGED;
      if (most > k->g) k->g = most;
      if (residual > k->most_residual) k->most_residual = residual;
      break;
    }
    if (k->iterations == 0) w->first = residual;
    if (!DECIDED && !k->trusts)
      w->doubtful |= rattle__fell_slowly(w->first, w->before, residual, k->iterations,
                                         rattle__doubt_newton, 0);
    if (w->doubtful && k->declines) return RATTLE__FUSED_DOUBTFUL;
    w->before = residual;
    const int status = KERNEL_NAME(solve_next)(w, A0, delta, k);
    if (status) return status;
    EACH_M(SUM)
    if (D2 == 0) KERNEL_NAME(correct)(delta, h, z1, k);
  }
  k->newton += k->iterations;
  const int proved = FACTORS_NOTED && !k->trusts && KERNEL_NAME(is_right)(w, h, z0, z1, k),
            status = DECIDED || proved ? RATTLE__FUSED_OK : KERNEL_NAME(judge)(w, k);
  if (status && (FACTORS_NOTED || !KERNEL_NAME(is_right)(w, h, z0, z1, k))) return status;
  if (DECIDED && !k->trusts) {
    KERNEL_NAME(note_motion)(z0, k->J0, k->W0, k);
    k->unproved = !KERNEL_NAME(is_one_curve)(h, A0, z0, z1, w, s, k);
  }
  return COMPENSATED ? KERNEL_NAME(polish)(k, h, w->F, z1) : RATTLE__FUSED_OK;
}
#undef ZERO
#undef BEGIN
#undef SUM

/* --- momenta ---------------------------------------------------------------------------------- */

/* p <- p - G^T sigma with G M^-1 p = 0, at the point of J1, W1 */
KERNEL_INLINE int KERNEL_NAME(project)(rattle__fused *k, const double *A0, double *restrict p) {
  KERNEL_NAME(slide) work, *w = &work;
  double before = 1e300;
  if (!KERNEL_NAME(slide_begin)(w, A0, k, p)) return RATTLE__FUSED_SINGULAR;
  for (int corrections = 1; !KERNEL_NAME(slide_once)(w, k, p); corrections++) {
    double most = 0;
    const double residual = KERNEL_NAME(ratio)(w->psi, w->floor, &most, k);
    if (!(residual < 1e300) || corrections >= RATTLE__ITERATIONS)
      return RATTLE__FUSED_NOT_CONVERGED;
    if (rattle__stagnates(residual, before, corrections)) {
      if (!(residual < RATTLE__ENOUGH)) return RATTLE__FUSED_NOT_CONVERGED;
      if (most > k->psi) k->psi = most;
      return RATTLE__FUSED_OK;
    }
    before = residual;
  }
  return RATTLE__FUSED_OK;
}

/* --- the step --------------------------------------------------------------------------------- */

#define FOUND(i) k->multipliers[i] = s[i];
/* Up to the slide onto psi = 0 */
KERNEL_INLINE int KERNEL_NAME(advance_free)(rattle__fused *k, double h, double inverse_h,
                                            const double *A0, const double *restrict z0,
                                            double *restrict z1) {
  double s[MULTIPLIERS] = {0};
  if (SHAKES_BY_N) KERNEL_NAME(note_motion)(z0, k->J0, k->W0, k);
  if (!SHAKES_BY_N || !KERNEL_NAME(shake_by_N)(k, h, z0, s, z1)) {
    const int status = KERNEL_NAME(shake)(k, h, A0, z0, s, z1);
    if (status) return status;
  }
  double *restrict p = z1 + N;
  if (k->multipliers) {
    EACH_M(FOUND)
  }
  if (D2 == 0 && !COMPENSATED) KERNEL_NAME(kick)(k->J0, s, inverse_h, p, k);
  if (!BENDS && !k->trusts && KERNEL_NAME(is_astray)(h, A0, z0, z1, k))
    return M > 2 ? RATTLE__FUSED_NOT_CONVERGED : RATTLE__FUSED_DOUBTFUL;
  if (D2 == 0 && K2 != 0) {
    k->forces++;
    if (FORCE(z1, k->potential, k->V1)) return RATTLE__FUSED_CALLBACK;
    EACH_N(PUSH_2)
  }
  return RATTLE__FUSED_OK;
}
#undef FOUND

/* z1 from z0; J0, W0 (and V0 where K1 != 0) belong to z0, J1, W1 (and V1 where the scheme ends with
 * a kick) to z1 afterwards */
KERNEL_INLINE int KERNEL_NAME(advance)(rattle__fused *k, double h, double inverse_h,
                                       const double *restrict z0, double *restrict z1) {
  double A0[4] = {0};
  if (M <= 2) KERNEL_NAME(gram_A)(k->J0, k->W0, A0, k);
  k->unproved = 0;
  int status = FORCED ? KERNEL_NAME(advance_forced)(k, h, z0, z1)
                      : KERNEL_NAME(advance_free)(k, h, inverse_h, A0, z0, z1);
  if (status) return status;
  KERNEL_NAME(rows)(k->J1, k->W1, k);
  if (PROJECT) status = KERNEL_NAME(project)(k, A0, z1 + N);
  return !status && k->unproved ? RATTLE__FUSED_UNPROVED : status;
}

/* p onto psi = 0 at the point of J0, W0 */
KERNEL_LINKAGE int KERNEL_NAME(level)(rattle__fused *k, double *p) {
  rattle__fused here = *k;
  double A0[4] = {0};
  here.J1 = k->J0, here.W1 = k->W0, here.c1 = k->c0;
  if (M <= 2) KERNEL_NAME(gram_A)(k->J0, k->W0, A0, k);
  const int status = KERNEL_NAME(project)(&here, A0, p);
  k->psi = here.psi, k->most_residual = here.most_residual;
  return status;
}

/* True if the positions of z1 are proved to be the end of the curve, whoever found them; J0, W0, V0
 * belong to z0, J1, W1, V1 are written over. */
#define FREE(i)                                                                                    \
  k->V1[i] = z0[i] + h * D1 * (INVERSE_MASS(i) * z0[N + (i)]);                                     \
  if (K1 != 0) k->V1[i] -= h * D1 * (h * K1) * (INVERSE_MASS(i) * k->V0[i]);
#define ADD_WAY(e, i, c, first, last, g, by) left[i] += (by)*k->J0[g] * (k->V1[c] - z1[c]);
KERNEL_LINKAGE int KERNEL_NAME(prove)(rattle__fused *k, double h, const double *z0,
                                      const double *z1) {
  if (!BOUNDED || !PROVED || D2 != 0 || COMPENSATED || FORCED) return 0;
  KERNEL_NAME(newton) work, *w = &work;
  if (M > 2) {
    if (CONSTRAINT(z1, w->F, k->J1)) return 0;
    KERNEL_NAME(size_of_g)(z1, z0, w->floor, k);
    if (CONSTANT_N) {
      KERNEL_NAME(note_motion)(z0, k->J0, k->W0, k);
      if (KERNEL_NAME(is_near_start)(h, z0, z1, KERNEL_NAME(most_of)(w->F, k),
                                     KERNEL_NAME(most_of)(w->floor, k), k))
        return 1;
    }
    return KERNEL_NAME(is_right)(w, h, z0, z1, k);
  }
  if (!BENDS) return 0;
  double A0[4] = {0}, left[MULTIPLIERS] = {0}, s[MULTIPLIERS];
  KERNEL_NAME(gram_A)(k->J0, k->W0, A0, k);
  EACH_N(FREE)
  if (CONSTRAINT(k->V1, w->F, k->J1)) return 0;
  KERNEL_NAME(size_of_g)(k->V1, z0, w->floor, k);
  KERNEL_NAME(gram_R)(k->J1, k->W0, w->R, k);
  KERNEL_NAME(note_bends)(w, A0, k);
  ENTRIES(ADD_WAY)
  KERNEL_NAME(divide)(A0, left, s, k);
  KERNEL_NAME(correct)(s, h, k->V1, k);
  if (CONSTRAINT(k->V1, w->F, k->J1)) return 0;
  KERNEL_NAME(note_motion)(z0, k->J0, k->W0, k);
  return KERNEL_NAME(is_one_curve)(h, A0, z0, k->V1, w, s, k);
}
#undef FREE
#undef ADD_WAY

#undef DECIDED
#undef SHAKES_BY_N

#ifndef KERNEL_RUN
KERNEL_LINKAGE int KERNEL_NAME(step)(rattle__fused *k, double h, const double *restrict z0,
                                     double *restrict z1) {
  return KERNEL_NAME(advance)(k, h, 1 / h, z0, z1);
}
#endif
