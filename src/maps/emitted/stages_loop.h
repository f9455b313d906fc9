/* The loop around the parts of stages_parts.h, before run_loop.h: Newton's iteration for stages and
 * multipliers at once, then the slide onto psi = 0. A step is left to the general map wherever that
 * would doubt it, retrace it, or ask more: M constraints, U unknowns; CURVED, BENT as there. */

/* x [U] and x [M] by factors of Newton's matrix and of N; factors. Each is used in several places:
 * of many unknowns KERNEL_SHARED functions are called, and the compiler has them once. */
KERNEL_SHARED void KERNEL_NAME(solve_J)(const rattle__emitted_run *k, const double *J, double *x) {
  (void)k;
  rattle__solve(U, J, 1, x);
}
KERNEL_SHARED void KERNEL_NAME(solve_N)(const rattle__emitted_run *k, const double *factors,
                                        double *x) {
  (void)k;
  rattle__solve(M, factors, 1, x);
}
KERNEL_SHARED int KERNEL_NAME(factor_J)(const rattle__emitted_run *k, double *J) {
  (void)k;
  return rattle__factor(U, J);
}
KERNEL_SHARED int KERNEL_NAME(factor_N)(const rattle__emitted_run *k, double *factors) {
  (void)k;
  return rattle__factor(M, factors);
}

/* True if Newton's matrix, factored at the first iterate, is far from its limit for a vanishing
 * step, N, along v [M]. */
KERNEL_INLINE int KERNEL_NAME(far)(const rattle__emitted_run *k, const double *y, const double *v) {
  const double *N0 = y + RATTLE__AT_N_FIRST(U, M);
  double x[RATTLE__ELIMINATED];
  (void)k;
  for (int i = 0; i < U; i++) x[i] = 0;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < M; j++) x[U - M + i] += N0[i * M + j] * v[j];
  KERNEL_NAME(solve_J)(k, y + RATTLE__AT_J(U, M), x);
  return rattle__differs_by(M, x + U - M, v);
}

/* Stages and lambda. 1: doubt. */
KERNEL_INLINE int KERNEL_NAME(solve)(rattle__emitted_run *k, double *x, double *y) {
  double *unknown = y + RATTLE__AT_UNKNOWN(U, M), *f = y + RATTLE__AT_STAGE_F(U, M),
         *J = y + RATTLE__AT_J(U, M), compass[RATTLE__DENSE], first = 0, second = 0, previous = 0;
  for (int i = 0; i < M; i++) compass[i] = rattle__fixed_direction(i);
  for (int i = 0;; i++) {
    PART(LOOK)
    const double r = rattle__largest_of_all(U, y + RATTLE__AT_MISFIT(U, M));
    k->evaluations++;
    if (i == 0) first = r;
    if (i == 1) second = r;
    if (rattle__fell_slowly(first, previous, r, i, rattle__doubt_newton, 0)) return 1;
    const rattle__verdict verdict = rattle__judge(r, previous, i, 0);
    if (verdict == RATTLE__GIVE_UP) return 1;
    if (verdict == RATTLE__DONE) {
      const double g = rattle__largest_of_all(M, y + RATTLE__AT_HELD(U, M));
      if (g > k->g) k->g = g;
      if (r > k->residual) k->residual = r;
      return rattle__left_much(first, second);
    }
    if (rattle__stagnates(r, previous, i)) return 1;
    PART(NEWTON)
    k->matrices++;
    k->factorisations++;
    if (!KERNEL_NAME(factor_J)(k, J) || (i == 0 && KERNEL_NAME(far)(k, y, compass))) return 1;
    KERNEL_NAME(solve_J)(k, J, f);
    if (i == 0 && M > 1 && KERNEL_NAME(far)(k, y, f + U - M)) return 1;
    for (int j = 0; j < U; j++) unknown[j] += f[j];
    k->corrections++;
    previous = r;
  }
}

/* Sigma by its correction delta [M], and z2 with it. */
KERNEL_INLINE void KERNEL_NAME(push)(const rattle__emitted_run *k, double *x, double *y,
                                     const double *delta) {
  double *sigma = y + RATTLE__AT_PUSH(U, M), *all = y + RATTLE__AT_SLID(U, M);
  (void)k;
  for (int j = 0; j < M; j++) {
    const double more = CURVED ? delta[j] * y[RATTLE__AT_SLOWNESS(U, M) + j] : delta[j];
    all[j] += more;
    sigma[j] = CURVED ? all[j] : more;
  }
  PART(PUSH)
}

/* On curved fibres sigma begins at lambda, from which that of a symmetric step hardly differs. */
KERNEL_INLINE void KERNEL_NAME(set_out)(const rattle__emitted_run *k, double *x, double *y) {
  double *all = y + RATTLE__AT_SLID(U, M);
  (void)k;
  for (int j = 0; j < M; j++) all[j] = CURVED ? y[RATTLE__AT_UNKNOWN(U, M) + U - M + j] : 0;
  if (!CURVED) return;
  for (int j = 0; j < M; j++) y[RATTLE__AT_PUSH(U, M) + j] = all[j];
  PART(PUSH)
}

/* True if the last matrix of the slide would have made another first correction than `made`, that
 * of `psi` [M]: along curved fibres psi has folds. */
KERNEL_INLINE int KERNEL_NAME(leapt)(const rattle__emitted_run *k, const double *y, double *psi,
                                     const double *made) {
  (void)k;
  KERNEL_NAME(solve_N)(k, y + RATTLE__AT_N_FACTORS(U, M), psi);
  return rattle__differs_by(M, psi, made);
}

/* N at z2, factored. 0: a pivot is not positive. */
KERNEL_INLINE int KERNEL_NAME(take_matrix)(rattle__emitted_run *k, double *x, double *y) {
  double *factors = y + RATTLE__AT_N_FACTORS(U, M);
  PART(MATRIX)
  k->hessians++;
  k->factorisations++;
  for (int j = 0; j < M * M; j++) factors[j] = y[RATTLE__AT_N_LAST(U, M) + j];
  return KERNEL_NAME(factor_N)(k, factors);
}

/* Along the fibre onto psi = 0. 1: doubt. */
KERNEL_INLINE int KERNEL_NAME(land)(rattle__emitted_run *k, double *x, double *y) {
  enum { MOST = 8 };
  const double *psi = y + RATTLE__AT_HIDDEN(U, M);
  double delta[RATTLE__DENSE], made[RATTLE__DENSE], from[RATTLE__DENSE], first = 0, previous = 0;
  KERNEL_NAME(set_out)(k, x, y);
  for (int i = 0;; i++) {
    PART(PSI)
    k->gradients++;
    const double r = rattle__largest_of_all(M, y + RATTLE__AT_DRIFT(U, M));
    if (i == 0) first = r;
    const rattle__verdict verdict = rattle__judge(r, previous, i, 0);
    if (verdict == RATTLE__GIVE_UP || i == MOST ||
        rattle__fell_slowly(first, previous, r, i, rattle__doubt_newton, 0))
      return 1;
    if ((i == 0 || BENT) && !KERNEL_NAME(take_matrix)(k, x, y)) return 1;
    if (verdict == RATTLE__DONE) {
      if (CURVED && i > 0 && KERNEL_NAME(leapt)(k, y, from, made)) return 1;
      break;
    }
    for (int j = 0; j < M; j++) delta[j] = psi[j];
    KERNEL_NAME(solve_N)(k, y + RATTLE__AT_N_FACTORS(U, M), delta);
    for (int j = 0; j < M && i == 0 && CURVED; j++) from[j] = psi[j], made[j] = delta[j];
    KERNEL_NAME(push)(k, x, y, delta);
    k->corrections += BENT;
    previous = r;
  }
  for (int j = 0; j < M; j++)
    if (MAGNITUDE(psi[j]) > k->psi) k->psi = MAGNITUDE(psi[j]);
  k->landings++;
  return 0;
}

/* True if N at the end, factored, is another matrix than at the start, which it replaces. */
KERNEL_INLINE int KERNEL_NAME(turned)(const rattle__emitted_run *k, double *y) {
  double *E = y + RATTLE__AT_N_FIRST(U, M);
  (void)k;
  rattle__solve(M, y + RATTLE__AT_N_FACTORS(U, M), M, E);
  for (int i = 0; i < M; i++) E[i * M + i] -= 1;
  if (rattle__N_changed(M, E)) return 1;
  for (int i = 0; i < M * M; i++) E[i] = y[RATTLE__AT_N_LAST(U, M) + i];
  return 0;
}

/* One step from x, which is lost where it ends in doubt. 1: doubt. */
KERNEL_INLINE int KERNEL_NAME(one)(rattle__emitted_run *k, double *x, double *y) {
  PART(BEGIN)
  k->gradients++;
  if (KERNEL_NAME(solve)(k, x, y) || KERNEL_NAME(land)(k, x, y) || KERNEL_NAME(turned)(k, y))
    return 1;
  PART(ARRIVE)
  KERNEL_NAME(solve_N)(k, y + RATTLE__AT_N_FACTORS(U, M), y + RATTLE__AT_RATE(U, M));
  PART(NEXT)
  return 0;
}

/* The numbers that a step begins with, z0 being in x. 1: doubt. */
KERNEL_INLINE int KERNEL_NAME(first)(rattle__emitted_run *k, double *x, double *y) {
  double *factors = y + RATTLE__AT_N_FACTORS(U, M);
  PART(FIRST)
  for (int i = 0; i < M * M; i++) factors[i] = y[RATTLE__AT_N_FIRST(U, M) + i];
  if (!KERNEL_NAME(factor_N)(k, factors)) return 1;
  KERNEL_NAME(solve_N)(k, factors, y + RATTLE__AT_RATE(U, M));
  (void)k;
  return 0;
}
