/* The loop around the parts of rolling_parts.h: the library includes this text, with parts that are
 * interpreted, and the native evaluator compiles it behind theirs (emitted.c), so that both give
 * the same bits. A step that leaves any doubt is not made: the caller takes it by the general
 * iteration (slide.c, landing.c, care.c), which is guarded. Written against
 *
 *     KERNEL_NAME(part), KERNEL_LINKAGE, KERNEL_INLINE   how functions are called and compiled
 *     PART(NAME)                       does that part, on x and y
 *     N, M, PLACES, SHOWN              pairs, rows of C, how many numbers x and y have
 *     KERNEL_NUMBERS                   declares x and y
 *     IS_KEPT                          true if x holds the numbers of FIRST at z from before */

/* The largest of them, all >= 0; NaN if one is. A comparison does not see that, a sum does. */
KERNEL_INLINE double KERNEL_NAME(largest)(int count, const double *a) {
  double most = 0, sum = 0;
  for (int i = 0; i < count; i++) {
    most = a[i] > most ? a[i] : most;
    sum += a[i];
  }
  return sum - sum == 0 ? most : sum - sum;
}

/* lambda: the first correction by N, the others by Newton's matrix, kept while it gains a factor of
 * ten. 1: doubt. */
KERNEL_INLINE int KERNEL_NAME(solve)(rattle__rolling_run *k, double *x, double *y) {
  double *lambda = y + RATTLE__AT_LAMBDA(M), *f = y + RATTLE__AT_F(M), *R = y + RATTLE__AT_R(M),
         first = 0, previous = 0;
  for (int i = 0; i < M; i++) lambda[i] = 0;
  for (int i = 0;; i++) {
    PART(LOOK)
    const double r = KERNEL_NAME(largest)(M, y + RATTLE__AT_RESIDUAL(M));
    k->evaluations++;
    if (i == 0) first = r;
    if (rattle__fell_slowly(first, previous, r, i, rattle__doubt_chord, 0)) return 1;
    const rattle__verdict verdict = rattle__judge(r, previous, i, 0);
    if (verdict == RATTLE__GIVE_UP) return 1;
    if (verdict == RATTLE__DONE) {
      const double g = KERNEL_NAME(largest)(M, y + RATTLE__AT_G(M));
      if (g > k->g) k->g = g;
      if (r > k->residual) k->residual = r;
      return 0;
    }
    if (rattle__stagnates(r, previous, i)) return 1;
    if (i == 1 || (i > 1 && r > 0.1 * previous)) {
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
KERNEL_INLINE int KERNEL_NAME(turned)(const rattle__rolling_run *k, double *y) {
  (void)k;
  double *E = y + RATTLE__AT_TURN(M);
  rattle__solve(M, y + RATTLE__AT_N(M), M, E);
  for (int i = 0; i < M; i++) E[i * M + i] -= 1;
  return rattle__N_changed(M, E);
}

/* From lambda to p1. 1: doubt. */
KERNEL_INLINE int KERNEL_NAME(land)(rattle__rolling_run *k, double *x, double *y) {
  double *N1 = y + RATTLE__AT_N1(M), *sigma = y + RATTLE__AT_SIGMA(M), previous = 0;
  PART(END)
  k->factorisations++;
  if (!rattle__factor(M, N1) || KERNEL_NAME(turned)(k, y)) return 1;
  for (int i = 1; i < 3; i++) {
    for (int j = 0; j < M; j++) sigma[j] = y[RATTLE__AT_PSI(M) + j];
    rattle__solve(M, N1, 1, sigma);
    PART(LAND)
    const double r = KERNEL_NAME(largest)(M, y + RATTLE__AT_SLIP(M));
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

/* One step from x; x is the same point where it ends in doubt. */
KERNEL_INLINE int KERNEL_NAME(one)(rattle__rolling_run *k, double *x, double *y) {
  PART(BEGIN)
  if (KERNEL_NAME(solve)(k, x, y) || KERNEL_NAME(land)(k, x, y)) return 1;
  PART(ENERGY)
  return 0;
}

/* True if the end of a step, in the numbers of the next one, is finite and nobody refuses it. */
KERNEL_INLINE int KERNEL_NAME(may_stay)(const rattle__rolling_run *k, const double *x,
                                        double energy, int last) {
  double z[2 * N], sum = 0;
  KERNEL_UNROLL
  for (int i = 0; i < 2 * N; i++) sum += 0 * (z[i] = x[i]);
  return sum == 0 && MAGNITUDE(energy) < 1.7976931348623157e308 &&
         !(last && k->look && k->look(k->looks, z));
}

/* Many steps of z in place, each of `stages` substeps h[i]; range (may be 0) is widened by the
 * energies. Fewer steps than asked: the next one is in doubt, fails, or is refused, and counts are
 * those of the steps made. */
KERNEL_LINKAGE long long KERNEL_NAME(run)(rattle__rolling_run *outer, const double *h, int stages,
                                          long long steps, double *z, double *range) {
  rattle__rolling_run inner = *outer, made = inner, *k = &inner;
  KERNEL_NUMBERS
  long long done = 0;
  int doubt = 0;
  if (!IS_KEPT) {
    KERNEL_UNROLL
    for (int i = 0; i < 2 * N; i++) x[i] = z[i];
    PART(FIRST)
    doubt = !rattle__factor(M, y + RATTLE__AT_N(M));
  }
  while (done < steps && !doubt) {
    double energy = 0;
    for (int stage = 0; stage < stages && !doubt; stage++) {
      x[2 * N] = h[stage];
      doubt = KERNEL_NAME(one)(k, x, y);
      if (doubt) break;
      PART(NEXT)
      for (int i = 0; i < M * M; i++) y[RATTLE__AT_N(M) + i] = y[RATTLE__AT_N1(M) + i];
      energy = y[RATTLE__AT_ENERGY(M) + 1] + y[RATTLE__AT_ENERGY(M)];
      doubt = !KERNEL_NAME(may_stay)(k, x, energy, stage + 1 == stages);
    }
    if (doubt) break;
    if (range && energy < range[0]) range[0] = energy;
    if (range && energy > range[1]) range[1] = energy;
    inner.V = y[RATTLE__AT_ENERGY(M)];
    made = inner;
    KERNEL_UNROLL
    for (int i = 0; i < 2 * N; i++) z[i] = x[i];
    done++;
  }
  *outer = made;
  outer->is_known = !doubt;
  return done;
}
