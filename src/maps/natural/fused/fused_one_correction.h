/* Part of the text of fused_kernel.h, whose head names the macros to define first, and of
 * fused_lanes.h: the usual course of a step. A step that takes another course is made again by
 * other means. If several trajectories are stepped at once, each lane has its own conditions
 * (ground/expr/real.h). */

/* --- positions -------------------------------------------------------------------------------- */

/* B(x, .) [2 x 2] from B */
KERNEL_INLINE void KERNEL_NAME(along)(const REAL *B, const REAL *x, REAL *Bx) {
  Bx[0] = B[0] * x[0] + B[1] * x[1];
  Bx[1] = B[1] * x[0] + B[3] * x[1];
  Bx[2] = B[4] * x[0] + B[5] * x[1];
  Bx[3] = B[5] * x[0] + B[7] * x[1];
}

/* y = A x, [2 x 2] */
KERNEL_INLINE void KERNEL_NAME(times)(const REAL *A, const REAL *x, REAL *y) {
  y[0] = A[0] * x[0] + A[1] * x[1];
  y[1] = A[2] * x[0] + A[3] * x[1];
}

/* Two numbers of C = det(R) R^-1 T, C[0] and C[4], from those of T. */
KERNEL_INLINE void KERNEL_NAME(bend)(const REAL *R, REAL first, REAL second, REAL *C) {
  C[0] = R[3] * first - R[1] * second;
  C[4] = R[0] * second - R[2] * first;
}

/* M = 2, quadratic g: s = a + B(s, s) with a = R^-1 F, B = R^-1 T, but for what is below round-off:
 * by powers of B up to the third, and from there by iteration. u, C are a, B times det R, and so
 * on, since all of that is there before 1 / det R is. `size` bounds the squares of the eigenvalues
 * of D = 2 B(a, .). They are less than 1/4: so R (I - D), the matrix at a, has a positive
 * determinant if R has, no fold is crossed, and the second residual, R D a / 2, is less than 1/8 of
 * the first. */
KERNEL_INLINE MASK KERNEL_NAME(solve_two)(KERNEL_NAME(newton) * w, const REAL *T, REAL *s) {
  const REAL *R = w->R, *F = w->F;
  REAL C[8], D[4], v[2], x[2], y[2], z[2];
  const REAL c = 1 / KERNEL_NAME(determinant)(R), c2 = c * c, c3 = c * c2, c5 = c3 * c2,
             c7 = c3 * (c2 * c2);
  const REAL u[2] = {R[3] * F[0] - R[1] * F[1], R[0] * F[1] - R[2] * F[0]};
  KERNEL_NAME(bend)(R, T[0], T[4], C);
  KERNEL_NAME(bend)(R, T[1], T[5], C + 1);
  KERNEL_NAME(bend)(R, T[3], T[7], C + 3);
  KERNEL_NAME(along)(C, u, D);
  KERNEL_NAME(times)(D, u, v);
  D[0] += D[0], D[1] += D[1], D[2] += D[2], D[3] += D[3];
  KERNEL_NAME(times)(D, v, x);
  KERNEL_NAME(times)(D, x, y);
  const REAL square[3] = {v[0] * v[0], v[0] * v[1], v[1] * v[1]};
  z[0] = C[0] * square[0] + (C[1] + C[1]) * square[1] + C[3] * square[2];
  z[1] = C[4] * square[0] + (C[5] + C[5]) * square[1] + C[7] * square[2];
  s[0] = ((c * u[0] + c3 * v[0]) + c5 * x[0]) + c7 * (y[0] + z[0]);
  s[1] = ((c * u[1] + c3 * v[1]) + c5 * x[1]) + c7 * (y[1] + z[1]);
  const REAL size = c2 * c2 * (D[0] * D[0] + D[3] * D[3] + 2 * fabs(D[1] * D[2]));
  const MASK good = rattle__has_one_root(size);
  LEAVE_IF_NONE(good);
  for (REAL left = size * size;; left *= size) {
    const MASK more =
        good & NOT((fabs(F[0]) * left <= w->floor[0]) & (fabs(F[1]) * left <= w->floor[1]));
    if (!ANY(more)) break;
    for (int round = 0; round < 2; round++) {
      KERNEL_NAME(along)(C, s, D);
      KERNEL_NAME(times)(D, s, v);
      WHERE(more, s[0], c * (u[0] + v[0]));
      WHERE(more, s[1], c * (u[1] + v[1]));
    }
  }
  w->near = 1;
  return good;
}

/* R of the first iterate, and T. */
#define BEND(t, e, f, first, by)                                                                   \
  T[t] = (first) ? (by) * (k->J0[e] * k->J0[f]) : T[t] + (by) * (k->J0[e] * k->J0[f]);
#define BEND_OF_A(t, u, b, first, by) T[t] = (by)*A0[u];
KERNEL_INLINE void KERNEL_NAME(note_bends)(KERNEL_NAME(newton) * w, const REAL *A0,
                                           const rattle__fused *k) {
  REAL *const T = w->T;
  for (int t = 0; t < 8; t++) T[t] = UNIFORM(0);
  for (int t = 0; t < M * M; t++) w->free[t] = w->R[t];
  EACH_BEND(BEND)
  EACH_BEND_OF_A(BEND_OF_A)
}
#undef BEND
#undef BEND_OF_A

/* Quadratic g, M <= 2: s from F and R, which is positive, at the first iterate, A0 = J0 W0^T;
 * returns whether that is it. */
KERNEL_INLINE MASK KERNEL_NAME(solve_bent)(KERNEL_NAME(newton) * w, const REAL *A0, REAL *s,
                                           rattle__fused *k) {
  const REAL *const T = w->T;
  KERNEL_NAME(note_bends)(w, A0, k);
  if (M == 2) return KERNEL_NAME(solve_two)(w, T, s);
  /* the root next to 0, where the slope is `root`: it is linear in s, so no fold is crossed if it
   * is positive at both ends */
  const REAL square = w->R[0] * w->R[0] - 4 * T[0] * w->F[0], root = sqrt(square);
  const MASK good = square > 0;
  LEAVE_IF_NONE(good);
  s[0] = 2 * w->F[0] / (w->R[0] + root);
  w->R[0] = root;
  w->near = 1;
  return good;
}

/* True if a step without other forces went astray, z1 being where it is before its last kick; V1
 * and W1 are written over. */
KERNEL_INLINE MASK KERNEL_NAME(is_astray)(REAL h, const REAL *A0, const REAL *z0, const REAL *z1,
                                          rattle__fused *k) {
  if (BOUNDED || k->declines) return NOT(ALL);
  return KERNEL_NAME(went_astray)((rattle__drift_step){N, CLOCK, h, h * K1, z0, k->V0, z1}, A0, k);
}

/* --- momenta ---------------------------------------------------------------------------------- */

/* A in factors. M = 1: 1 / A0, which is there early, if A equals A0 from the start of the step, as
 * for rods. True if A is regular. */
KERNEL_INLINE MASK KERNEL_NAME(factor_again)(REAL *A, const REAL *A0, REAL *L, REAL *inverse,
                                             const rattle__fused *k) {
  if (FACTORS_NOTED) {
    REAL size[MULTIPLIERS];
    KERNEL_NAME(diagonal)(A, size, k);
    const MASK good = KERNEL_NAME(factor_A)(A, L, inverse, k);
    KERNEL_NAME(note_factors)(size, inverse, good, k->factors1, k);
    return good;
  }
  if (M != 1) return KERNEL_NAME(factor_A)(A, L, inverse, k);
  const MASK same = fabs(A[0] - A0[0]) <= 4.440892098500626e-16 * A0[0];
#if LANES
  inverse[0] = 1 / SELECT(same, A0[0], A[0]);
  return same | (A[0] != 0);
#else
  inverse[0] = 1 / A0[0];
  return same || KERNEL_NAME(factor_A)(A, L, inverse, k);
#endif
}

/* The iteration for sigma. */
typedef struct KERNEL_NAME(slide) {
  REAL A[MATRIX], L[MATRIX], inverse[MULTIPLIERS], psi[MULTIPLIERS], floor[MULTIPLIERS],
      sigma[MULTIPLIERS];
} KERNEL_NAME(slide);

/* psi, and A in factors, at the point of J1, W1; returns whether A is regular. */
KERNEL_INLINE MASK KERNEL_NAME(slide_begin)(KERNEL_NAME(slide) * w, const REAL *A0,
                                            const rattle__fused *k, const REAL *restrict p) {
  MASK good = ALL;
  if (!CONSTANT_N) {
    KERNEL_NAME(gram_A)(k->J1, k->W1, w->A, k);
    good = KERNEL_NAME(factor_again)(w->A, A0, w->L, w->inverse, k);
  }
  LEAVE_IF_NONE(good);
  KERNEL_NAME(measure)(k->J1, k->W1, p, w->psi, k);
  KERNEL_NAME(size_of_psi)(k->J1, k->W1, p, w->floor, k);
  return good;
}

/* One correction; returns whether psi = 0 after it. */
KERNEL_INLINE MASK KERNEL_NAME(slide_once)(KERNEL_NAME(slide) * w, rattle__fused *k,
                                           REAL *restrict p) {
  if (M == 2) KERNEL_NAME(apply)(w->A, w->psi, w->sigma);
  if (CONSTANT_N) KERNEL_NAME(divide_by_N)(w->psi, w->sigma, k);
  if (M > 2 && !CONSTANT_N) KERNEL_NAME(solve_A)(w->A, w->L, w->inverse, w->psi, w->sigma, k);
  KERNEL_NAME(kick)(k->J1, M == 1 ? w->psi : w->sigma, M <= 2 ? w->inverse[0] : UNIFORM(1), p, k);
  KERNEL_NAME(measure)(k->J1, k->W1, p, w->psi, k);
  return KERNEL_NAME(within)(w->psi, w->floor, &k->psi, k);
}

/* --- the step --------------------------------------------------------------------------------- */

#ifdef KERNEL_RUN
#define AT_CLOCK (CLOCK >= 0 ? CLOCK : 0)
#define TWICE(i) twice += INVERSE_MASS(i) * z[N + (i)] * z[N + (i)];
/* The energy at z, where the next step starts and V is known. */
KERNEL_INLINE REAL KERNEL_NAME(energy)(const REAL *z, REAL potential, rattle__fused *k) {
  REAL twice = UNIFORM(0);
#if FORCED
  return BALANCE(z);
#else
  EACH_N(TWICE)
  k->twice = twice;
  return (CLOCK >= 0 ? 0.5 * twice + z[N + AT_CLOCK] : 0.5 * twice) + potential;
#endif
}

#undef TWICE

/* J, W, V_q and A at z, where a step starts. */
KERNEL_INLINE void KERNEL_NAME(arrive)(const REAL *z, REAL *J, REAL *W, REAL *Vq, REAL *potential,
                                       REAL *A, rattle__fused *k) {
  REAL F[M];
  (void)CONSTRAINT(z, F, J);
  KERNEL_NAME(note_start)(F, k);
  KERNEL_NAME(rows)(J, W, k);
  if (K1 != 0 || K2 != 0) (void)FORCE(z, *potential, Vq);
  KERNEL_NAME(gram_A)(J, W, A, k);
  if ((BENDS || CONSTANT_N) && PROVED) KERNEL_NAME(note_motion)(z, J, W, k);
}

/* One correction of s and one of p; A1 = J1 W1^T. Returns whether that was all. */
KERNEL_INLINE MASK KERNEL_NAME(one_correction)(rattle__fused *k, REAL h, REAL inverse_h,
                                               const REAL *A0, const REAL *restrict z0,
                                               REAL *restrict z1, REAL *A1) {
  KERNEL_NAME(newton) work, *w = &work;
  KERNEL_NAME(slide) slide;
  REAL s[MULTIPLIERS], *restrict p = z1 + N;
  KERNEL_NAME(travel)(k, h, z0, s, z1);
  (void)CONSTRAINT(z1, w->F, k->J1);
  KERNEL_NAME(size_of_g)(z1, z0, w->floor, k);
  KERNEL_NAME(gram_R)(k->J1, k->W0, w->R, k);
  MASK good = KERNEL_NAME(positive)(w->R, k);
  LEAVE_IF_NONE(good);
  good &= KERNEL_NAME(solve_bent)(w, A0, s, k);
  LEAVE_IF_NONE(good);
  KERNEL_NAME(correct)(s, h, z1, k);
  (void)CONSTRAINT(z1, w->F, k->J1);
  good &= KERNEL_NAME(within)(w->F, w->floor, &k->g, k);
  LEAVE_IF_NONE(good);
  if (BOUNDED && PROVED) good &= KERNEL_NAME(is_one_curve)(h, A0, z0, z1, w, s, k);
  LEAVE_IF_NONE(good);
  KERNEL_NAME(kick)(k->J0, s, inverse_h, p, k);
  if (K2 != 0) {
    (void)FORCE(z1, k->potential, k->V1);
    EACH_N(PUSH_2)
  }
  KERNEL_NAME(rows)(k->J1, k->W1, k);
  if (PROJECT) {
    good &= KERNEL_NAME(slide_begin)(&slide, A0, k, p);
    LEAVE_IF_NONE(good);
    good &= KERNEL_NAME(slide_once)(&slide, k, p);
    LEAVE_IF_NONE(good);
  }
  KERNEL_NAME(gram_A)(k->J1, k->W1, A1, k);
  return good;
}

/* A step by N with one correction of p; returns whether that was all. */
KERNEL_INLINE MASK KERNEL_NAME(step_by_N)(rattle__fused *k, REAL h, REAL inverse_h,
                                          const REAL *restrict z0, REAL *restrict z1) {
  KERNEL_NAME(slide) slide;
  REAL s[MULTIPLIERS], *restrict p = z1 + N;
  if (!PROJECT) KERNEL_NAME(note_motion)(z0, k->J0, k->W0, k);
  MASK good = KERNEL_NAME(shake_by_N)(k, h, z0, s, z1);
  LEAVE_IF_NONE(good);
  KERNEL_NAME(kick)(k->J0, s, inverse_h, p, k);
  if (K2 != 0) {
    (void)FORCE(z1, k->potential, k->V1);
    EACH_N(PUSH_2)
  }
  KERNEL_NAME(rows)(k->J1, k->W1, k);
  if (PROJECT) {
    good &= KERNEL_NAME(slide_begin)(&slide, 0, k, p);
    good &= KERNEL_NAME(slide_once)(&slide, k, p);
  }
  return good;
}
#endif
