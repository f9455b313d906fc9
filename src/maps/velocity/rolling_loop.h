/* The loop around the parts of rolling_parts.h (maps/emitted/run_loop.h has what stands before and
 * after this text): a step that leaves any doubt is not made, the caller takes it by the general
 * iteration (slide.c, landing.c, care.c), which is guarded. M: rows of C. */

/* lambda: the first correction by N, the others by Newton's matrix, kept while it gains a factor of
 * ten. 1: doubt. */
KERNEL_INLINE int KERNEL_NAME(solve)(rattle__emitted_run *k, double *x, double *y) {
  double *lambda = y + RATTLE__AT_LAMBDA(M), *f = y + RATTLE__AT_F(M), *R = y + RATTLE__AT_R(M),
         first = 0, previous = 0;
  for (int i = 0; i < M; i++) lambda[i] = 0;
  for (int i = 0;; i++) {
    PART(LOOK)
    const double r = rattle__largest_of_all(M, y + RATTLE__AT_RESIDUAL(M));
    k->evaluations++;
    if (i == 0) first = r;
    if (rattle__fell_slowly(first, previous, r, i, rattle__doubt_chord, 0)) return 1;
    const rattle__verdict verdict = rattle__judge(r, previous, i, 0);
    if (verdict == RATTLE__GIVE_UP) return 1;
    if (verdict == RATTLE__DONE) {
      const double g = rattle__largest_of_all(M, y + RATTLE__AT_G(M));
      if (g > k->g) k->g = g;
      if (r > k->residual) k->residual = r;
      return 0;
    }
    if (rattle__stagnates(r, previous, i)) return 1;
    if (i == 1 || (i > 1 && rattle__gained_little(r, previous))) {
      PART(NEWTON)
      k->factorisations++;
      if (!rattle__factor(M, R)) return 1;
    }
    rattle__solve(M, i ? R : y + RATTLE__AT_N(M), 1, f);
    for (int j = 0; j < M; j++) lambda[j] += f[j];
    k->corrections++;
    previous = r;
  }
}

/* True if E = N^-1 C1 B - 1 is large. */
KERNEL_INLINE int KERNEL_NAME(turned)(const rattle__emitted_run *k, double *y) {
  (void)k;
  double *E = y + RATTLE__AT_TURN(M);
  rattle__solve(M, y + RATTLE__AT_N(M), M, E);
  for (int i = 0; i < M; i++) E[i * M + i] -= 1;
  return rattle__N_changed(M, E);
}

/* From lambda to p1. 1: doubt. */
KERNEL_INLINE int KERNEL_NAME(land)(rattle__emitted_run *k, double *x, double *y) {
  double *N1 = y + RATTLE__AT_N1(M), *sigma = y + RATTLE__AT_SIGMA(M), previous = 0;
  PART(END)
  k->factorisations++;
  k->gradients++;
  if (!rattle__factor(M, N1) || KERNEL_NAME(turned)(k, y)) return 1;
  for (int i = 1; i < 3; i++) {
    for (int j = 0; j < M; j++) sigma[j] = y[RATTLE__AT_PSI(M) + j];
    rattle__solve(M, N1, 1, sigma);
    PART(LAND)
    const double r = rattle__largest_of_all(M, y + RATTLE__AT_SLIP(M));
    if (rattle__judge(r, previous, i, 0) == RATTLE__DONE) {
      double psi = 0;
      for (int j = 0; j < M; j++)
        if (MAGNITUDE(y[RATTLE__AT_PSI(M) + j]) > psi) psi = MAGNITUDE(y[RATTLE__AT_PSI(M) + j]);
      if (psi > k->psi) k->psi = psi;
      k->landings++;
      return 0;
    }
    previous = r;
  }
  return 1;
}

/* One step from x, which is lost where it ends in doubt. 1: doubt. */
KERNEL_INLINE int KERNEL_NAME(one)(rattle__emitted_run *k, double *x, double *y) {
  PART(BEGIN)
  if (KERNEL_NAME(solve)(k, x, y) || KERNEL_NAME(land)(k, x, y)) return 1;
  PART(ENERGY)
  PART(NEXT)
  for (int i = 0; i < M * M; i++) y[RATTLE__AT_N(M) + i] = y[RATTLE__AT_N1(M) + i];
  return 0;
}

/* The numbers that a step begins with, z0 being in x. 1: doubt. */
KERNEL_INLINE int KERNEL_NAME(first)(rattle__emitted_run *k, double *x, double *y) {
  (void)k;
  PART(FIRST)
  return !rattle__factor(M, y + RATTLE__AT_N(M));
}
