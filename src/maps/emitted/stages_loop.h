/* The loop around the parts of stages_parts.h, before run_loop.h: Newton's iteration for stages and
 * multipliers at once, then the slide onto psi = 0. A step is left to the general map wherever that
 * would doubt it, retrace it, or ask more: M constraints, U unknowns; CURVED, BENT as there.
 *
 * With several trajectories each lane iterates until its own end: then its unknowns stay, and what
 * follows from them is computed again, with the same bits. A MASK that is returned is true where
 * there is no doubt. */

/* x [U] and x [M] by factors of Newton's matrix and of N; factors. Each is used in several places:
 * of many unknowns KERNEL_SHARED functions are called, and the compiler has them once. */
KERNEL_SHARED void KERNEL_NAME(solve_J)(const rattle__emitted_run *k, const REAL *J, REAL *x) {
  (void)k;
  rattle__solve(U, J, 1, x);
}
KERNEL_SHARED void KERNEL_NAME(solve_N)(const rattle__emitted_run *k, const REAL *factors,
                                        REAL *x) {
  (void)k;
  rattle__solve(M, factors, 1, x);
}
KERNEL_SHARED MASK KERNEL_NAME(factor_J)(const rattle__emitted_run *k, REAL *J) {
  (void)k;
  return rattle__factor(U, J);
}
KERNEL_SHARED MASK KERNEL_NAME(factor_N)(const rattle__emitted_run *k, REAL *factors) {
  (void)k;
  return rattle__factor(M, factors);
}

/* True if Newton's matrix, factored at the first iterate, is near its limit for a vanishing step,
 * N, along v [M]. */
KERNEL_INLINE MASK KERNEL_NAME(is_near)(const rattle__emitted_run *k, const REAL *y,
                                        const REAL *v) {
  const REAL *N0 = y + RATTLE__AT_N_FIRST(U, M);
  REAL x[RATTLE__ELIMINATED];
  (void)k;
  for (int i = 0; i < U; i++) x[i] = UNIFORM(0);
  for (int i = 0; i < M; i++)
    for (int j = 0; j < M; j++) x[U - M + i] += N0[i * M + j] * v[j];
  KERNEL_NAME(solve_J)(k, y + RATTLE__AT_J(U, M), x);
  return NOT(rattle__differs_by(M, x + U - M, v));
}

/* f becomes the correction of the i-th iterate. */
KERNEL_INLINE MASK KERNEL_NAME(correct)(rattle__emitted_run *k, REAL *x, REAL *y, int i) {
  REAL *f = y + RATTLE__AT_STAGE_F(U, M), *J = y + RATTLE__AT_J(U, M), compass[RATTLE__DENSE];
  PART(NEWTON)
  k->matrices++;
  k->factorisations++;
  for (int j = 0; j < M; j++) compass[j] = UNIFORM(rattle__fixed_direction(j));
  MASK good = KERNEL_NAME(factor_J)(k, J);
  LEAVE_IF_NONE(good);
  if (i == 0) good &= KERNEL_NAME(is_near)(k, y, compass);
  LEAVE_IF_NONE(good);
  KERNEL_NAME(solve_J)(k, J, f);
  if (i == 0 && M > 1) good &= KERNEL_NAME(is_near)(k, y, f + U - M);
  return good;
}

/* Stages and lambda. */
KERNEL_INLINE MASK KERNEL_NAME(solve)(rattle__emitted_run *k, REAL *x, REAL *y) {
  REAL *unknown = y + RATTLE__AT_UNKNOWN(U, M), *f = y + RATTLE__AT_STAGE_F(U, M);
  REAL r, first = UNIFORM(0), second = UNIFORM(0), previous = UNIFORM(0);
  MASK good = ALL, active = ALL;
  for (int i = 0;; i++) {
    PART(LOOK)
    r = rattle__largest_of_all(U, y + RATTLE__AT_MISFIT(U, M));
    k->evaluations++;
    if (i == 0) first = r;
    if (i == 1) second = r;
    const MASK more = active & NOT(rattle__has_succeeded(r, previous, i));
    good &= NOT(active & rattle__fell_slowly(first, previous, r, i, rattle__doubt_newton, 0)) &
            NOT(more & (NOT(r < 1e300) | rattle__stagnates(r, previous, i)));
    if (i == RATTLE__ITERATIONS) good &= NOT(more);
    LEAVE_IF_NONE(good);
    active = more & good;
    if (!ANY(active)) break;
    good &= KERNEL_NAME(correct)(k, x, y, i) | NOT(active);
    LEAVE_IF_NONE(good);
    active &= good;
    for (int j = 0; j < U; j++) WHERE(active, unknown[j], unknown[j] + f[j]);
    k->corrections++;
    previous = r;
  }
  const REAL g = rattle__largest_of_all(M, y + RATTLE__AT_HELD(U, M));
  WHERE(g > k->g, k->g, g);
  WHERE(r > k->residual, k->residual, r);
  return good & NOT(rattle__left_much(first, second));
}

/* Sigma by its correction delta [M], and z2 with it, in active lanes. */
KERNEL_INLINE void KERNEL_NAME(push)(const rattle__emitted_run *k, REAL *x, REAL *y,
                                     const REAL *delta, MASK active) {
  REAL *sigma = y + RATTLE__AT_PUSH(U, M), *all = y + RATTLE__AT_SLID(U, M);
  (void)k;
  for (int j = 0; j < M; j++) {
    const REAL more = CURVED ? delta[j] * y[RATTLE__AT_SLOWNESS(U, M) + j] : delta[j];
    WHERE(active, all[j], all[j] + more);
    sigma[j] = CURVED ? all[j] : more;
  }
  PART_WHERE(active, PUSH)
}

/* On curved fibres sigma begins at lambda, from which that of a symmetric step hardly differs. */
KERNEL_INLINE void KERNEL_NAME(set_out)(const rattle__emitted_run *k, REAL *x, REAL *y) {
  REAL *all = y + RATTLE__AT_SLID(U, M);
  (void)k;
  for (int j = 0; j < M; j++)
    all[j] = CURVED ? y[RATTLE__AT_UNKNOWN(U, M) + U - M + j] : UNIFORM(0);
  if (!CURVED) return;
  for (int j = 0; j < M; j++) y[RATTLE__AT_PUSH(U, M) + j] = all[j];
  PART(PUSH)
}

/* True if the last matrix of the slide would have made another first correction than `made`, that
 * of `from` [M]: along curved fibres psi has folds. */
KERNEL_INLINE MASK KERNEL_NAME(leapt)(const rattle__emitted_run *k, const REAL *y, const REAL *from,
                                      const REAL *made) {
  REAL psi[RATTLE__DENSE];
  (void)k;
  for (int j = 0; j < M; j++) psi[j] = from[j];
  KERNEL_NAME(solve_N)(k, y + RATTLE__AT_N_FACTORS(U, M), psi);
  return rattle__differs_by(M, psi, made);
}

/* N at z2, factored. */
KERNEL_INLINE MASK KERNEL_NAME(take_matrix)(rattle__emitted_run *k, REAL *x, REAL *y) {
  REAL *factors = y + RATTLE__AT_N_FACTORS(U, M);
  PART(MATRIX)
  k->hessians++;
  k->factorisations++;
  for (int j = 0; j < M * M; j++) factors[j] = y[RATTLE__AT_N_LAST(U, M) + j];
  return KERNEL_NAME(factor_N)(k, factors);
}

/* Along the fibre onto psi = 0. */
KERNEL_INLINE MASK KERNEL_NAME(land)(rattle__emitted_run *k, REAL *x, REAL *y) {
  enum { MOST = 8 };
  const REAL *psi = y + RATTLE__AT_HIDDEN(U, M);
  REAL delta[RATTLE__DENSE], made[RATTLE__DENSE], from[RATTLE__DENSE];
  REAL first = UNIFORM(0), previous = UNIFORM(0);
  MASK good = ALL, active = ALL;
  KERNEL_NAME(set_out)(k, x, y);
  for (int i = 0;; i++) {
    PART(PSI)
    k->gradients++;
    const REAL r = rattle__largest_of_all(M, y + RATTLE__AT_DRIFT(U, M));
    if (i == 0) first = r;
    const MASK more = active & NOT(rattle__has_succeeded(r, previous, i));
    good &= NOT(active & rattle__fell_slowly(first, previous, r, i, rattle__doubt_newton, 0)) &
            NOT(more & NOT(r < 1e300));
    if (i == MOST) good &= NOT(active);
    LEAVE_IF_NONE(good);
    if (i == 0 || BENT) good &= KERNEL_NAME(take_matrix)(k, x, y) | NOT(active);
    LEAVE_IF_NONE(good);
    const MASK ended = active & NOT(more);
    if (CURVED && i > 0 && ANY(ended)) good &= NOT(ended & KERNEL_NAME(leapt)(k, y, from, made));
    LEAVE_IF_NONE(good);
    active = more & good;
    if (!ANY(active)) break;
    for (int j = 0; j < M; j++) delta[j] = psi[j];
    KERNEL_NAME(solve_N)(k, y + RATTLE__AT_N_FACTORS(U, M), delta);
    for (int j = 0; j < M && i == 0 && CURVED; j++) from[j] = psi[j], made[j] = delta[j];
    KERNEL_NAME(push)(k, x, y, delta, active);
    k->corrections += BENT;
    previous = r;
  }
  for (int j = 0; j < M; j++) WHERE(MAGNITUDE(psi[j]) > k->psi, k->psi, MAGNITUDE(psi[j]));
  k->landings++;
  return good;
}

/* True if N at the end, factored, is no other matrix than at the start, which it replaces. */
KERNEL_INLINE MASK KERNEL_NAME(stayed)(const rattle__emitted_run *k, REAL *y) {
  REAL *E = y + RATTLE__AT_N_FIRST(U, M);
  (void)k;
  rattle__solve(M, y + RATTLE__AT_N_FACTORS(U, M), M, E);
  for (int i = 0; i < M; i++) E[i * M + i] -= 1;
  const MASK good = NOT(rattle__N_changed(M, E));
  LEAVE_IF_NONE(good);
  for (int i = 0; i < M * M; i++) E[i] = y[RATTLE__AT_N_LAST(U, M) + i];
  return good;
}

/* One step from x, which is lost where it ends in doubt. */
KERNEL_INLINE MASK KERNEL_NAME(one)(rattle__emitted_run *k, REAL *x, REAL *y) {
  PART(BEGIN)
  k->gradients++;
  MASK good = KERNEL_NAME(solve)(k, x, y);
  LEAVE_IF_NONE(good);
  good &= KERNEL_NAME(land)(k, x, y);
  LEAVE_IF_NONE(good);
  good &= KERNEL_NAME(stayed)(k, y);
  LEAVE_IF_NONE(good);
  PART(ARRIVE)
  KERNEL_NAME(solve_N)(k, y + RATTLE__AT_N_FACTORS(U, M), y + RATTLE__AT_RATE(U, M));
  PART(NEXT)
  return good;
}

/* The numbers that a step begins with, z0 being in x. */
KERNEL_INLINE MASK KERNEL_NAME(first)(rattle__emitted_run *k, REAL *x, REAL *y) {
  REAL *factors = y + RATTLE__AT_N_FACTORS(U, M);
  (void)k;
  PART(FIRST)
  for (int i = 0; i < M * M; i++) factors[i] = y[RATTLE__AT_N_FIRST(U, M) + i];
  const MASK good = KERNEL_NAME(factor_N)(k, factors);
  LEAVE_IF_NONE(good);
  KERNEL_NAME(solve_N)(k, factors, y + RATTLE__AT_RATE(U, M));
  return good;
}
