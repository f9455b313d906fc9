/* The loop around the parts of rolling_parts.h (maps/emitted/run_loop.h has what stands before and
 * after this text): a step that leaves any doubt is not made, the caller takes it by the general
 * iteration (slide.c, landing.c, care.c), which is guarded. M: rows of C. With several trajectories
 * each lane iterates until its own end, as in maps/emitted/stages_loop.h. */

/* R and its factors at the iterate, in lanes that are to have them. */
KERNEL_INLINE MASK KERNEL_NAME(renew)(rattle__emitted_run *k, REAL *x, REAL *y, MASK renewed) {
  REAL *R = y + RATTLE__AT_R(M), kept[RATTLE__DENSE * RATTLE__DENSE];
  for (int i = 0; i < M * M; i++) kept[i] = R[i];
  PART(NEWTON)
  k->factorisations++;
  const MASK good = rattle__factor(M, R);
  for (int i = 0; i < M * M; i++) WHERE(NOT(renewed), R[i], kept[i]);
  return good | NOT(renewed);
}

/* lambda: the first correction by N, the others by Newton's matrix, kept while it gains a factor of
 * ten. */
KERNEL_INLINE MASK KERNEL_NAME(solve)(rattle__emitted_run *k, REAL *x, REAL *y) {
  REAL *lambda = y + RATTLE__AT_LAMBDA(M), *f = y + RATTLE__AT_F(M), *R = y + RATTLE__AT_R(M);
  REAL r, first = UNIFORM(0), previous = UNIFORM(0);
  MASK good = ALL, active = ALL;
  for (int i = 0; i < M; i++) lambda[i] = UNIFORM(0);
  for (int i = 0;; i++) {
    PART(LOOK)
    r = rattle__largest_of_all(M, y + RATTLE__AT_RESIDUAL(M));
    k->evaluations++;
    if (i == 0) first = r;
    const MASK more = active & NOT(rattle__has_succeeded(r, previous, i));
    good &= NOT(active & rattle__fell_slowly(first, previous, r, i, rattle__doubt_chord, 0)) &
            NOT(more & (NOT(r < 1e300) | rattle__stagnates(r, previous, i)));
    if (i == RATTLE__ITERATIONS) good &= NOT(more);
    LEAVE_IF_NONE(good);
    active = more & good;
    if (!ANY(active)) break;
    const MASK renewed = i == 1  ? active
                         : i > 1 ? active & rattle__gained_little(r, previous)
                                 : NOT(ALL);
    if (ANY(renewed)) good &= KERNEL_NAME(renew)(k, x, y, renewed);
    LEAVE_IF_NONE(good);
    active &= good;
    rattle__solve(M, i ? R : y + RATTLE__AT_N(M), 1, f);
    for (int j = 0; j < M; j++) WHERE(active, lambda[j], lambda[j] + f[j]);
    k->corrections++;
    previous = r;
  }
  const REAL g = rattle__largest_of_all(M, y + RATTLE__AT_G(M));
  WHERE(g > k->g, k->g, g);
  WHERE(r > k->residual, k->residual, r);
  return good;
}

/* True if E = N^-1 C1 B - 1 is not large. */
KERNEL_INLINE MASK KERNEL_NAME(stayed)(const rattle__emitted_run *k, REAL *y) {
  (void)k;
  REAL *E = y + RATTLE__AT_TURN(M);
  rattle__solve(M, y + RATTLE__AT_N(M), M, E);
  for (int i = 0; i < M; i++) E[i * M + i] -= 1;
  return NOT(rattle__N_changed(M, E));
}

/* From lambda to p1. */
KERNEL_INLINE MASK KERNEL_NAME(land)(rattle__emitted_run *k, REAL *x, REAL *y) {
  REAL *N1 = y + RATTLE__AT_N1(M), *sigma = y + RATTLE__AT_SIGMA(M);
  REAL psi = UNIFORM(0), previous = UNIFORM(0);
  PART(END)
  k->factorisations++;
  k->gradients++;
  MASK good = rattle__factor(M, N1), active = ALL;
  LEAVE_IF_NONE(good);
  good &= KERNEL_NAME(stayed)(k, y);
  LEAVE_IF_NONE(good);
  for (int i = 1; i < 3 && ANY(active & good); i++) {
    for (int j = 0; j < M; j++) sigma[j] = y[RATTLE__AT_PSI(M) + j];
    rattle__solve(M, N1, 1, sigma);
    PART_WHERE(active, LAND)
    const REAL r = rattle__largest_of_all(M, y + RATTLE__AT_SLIP(M));
    active &= NOT(rattle__has_succeeded(r, previous, i));
    previous = r;
  }
  good &= NOT(active);
  LEAVE_IF_NONE(good);
  for (int j = 0; j < M; j++) {
    const REAL size = MAGNITUDE(y[RATTLE__AT_PSI(M) + j]);
    WHERE(size > psi, psi, size);
  }
  WHERE(psi > k->psi, k->psi, psi);
  k->landings++;
  return good;
}

/* One step from x, which is lost where it ends in doubt. */
KERNEL_INLINE MASK KERNEL_NAME(one)(rattle__emitted_run *k, REAL *x, REAL *y) {
  PART(BEGIN)
  MASK good = KERNEL_NAME(solve)(k, x, y);
  LEAVE_IF_NONE(good);
  good &= KERNEL_NAME(land)(k, x, y);
  LEAVE_IF_NONE(good);
  PART(ENERGY)
  PART(NEXT)
  for (int i = 0; i < M * M; i++) y[RATTLE__AT_N(M) + i] = y[RATTLE__AT_N1(M) + i];
  return good;
}

/* The numbers that a step begins with, z0 being in x. */
KERNEL_INLINE MASK KERNEL_NAME(first)(rattle__emitted_run *k, REAL *x, REAL *y) {
  (void)k;
  PART(FIRST)
  return rattle__factor(M, y + RATTLE__AT_N(M));
}
