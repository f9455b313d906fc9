/* The derivative of a step with stages by its own parts, after the text of the step
 * (stages_loop.h): the step is made again, with Newton's matrices at its solution, and then
 *
 *     FORCED   df along w, the unknowns held
 *     du = J^-1 df
 *     CARRIED  y = D(fibre) dz1, and psi' y at z2
 *     dr = N^-1 psi' y
 *     TURNED   w1 = y + sum X_gj dr_j
 *
 * for each vector w. A step that does not end within 1e-9 of its size where it is said to end is
 * left to the caller. */

/* Stages, multipliers and the slide, with J and N factored at the solution. False: doubt. */
KERNEL_INLINE int KERNEL_NAME(linearise)(rattle__emitted_run *k, double *x, double *y) {
  PART(BEGIN)
  if (!KERNEL_NAME(solve)(k, x, y)) return 0;
  PART(NEWTON)
  return KERNEL_NAME(factor_J)(k, y + RATTLE__AT_J(U, M)) && KERNEL_NAME(land)(k, x, y) &&
         KERNEL_NAME(stayed)(k, y);
}

/* True if the step from z0, which is in x, ends at z1 = z0 + 2N. */
KERNEL_INLINE int KERNEL_NAME(arrives)(const rattle__emitted_run *k, double *x, double *y,
                                       const double *z0) {
  double size = 0, off = 0;
  (void)k;
  PART(ARRIVE)
  PART(NEXT)
  for (int i = 0; i < 2 * N; i++) {
    const double z1 = z0[2 * N + i], away = x[i] - z1;
    size += z1 * z1 + z0[i] * z0[i], off += away * away;
    x[i] = z0[i];
  }
  return off <= 1e-18 * size;
}

KERNEL_INLINE void KERNEL_NAME(transport)(const rattle__emitted_run *k, double *x, double *y,
                                          double *w) {
  double *vector = y + RATTLE__AT_VECTOR(U, M);
  (void)k;
  for (int i = 0; i < 2 * N; i++) vector[i] = w[i];
  PART(FORCED)
  KERNEL_NAME(solve_J)(k, y + RATTLE__AT_J(U, M), y + RATTLE__AT_STAGE_F(U, M));
  PART(CARRIED)
  KERNEL_NAME(solve_N)(k, y + RATTLE__AT_N_FACTORS(U, M), y + RATTLE__AT_HIDDEN(U, M));
  PART(TURNED)
  for (int i = 0; i < 2 * N; i++) w[i] = vector[i];
}

/* As rattle__tangents.through. */
KERNEL_LINKAGE long long KERNEL_NAME(tangents)(rattle__emitted_run *outer, const double *h,
                                               const double *z, long long steps, int count,
                                               double *W) {
  rattle__emitted_run inner = *outer, *k = &inner;
  KERNEL_NUMBERS
  for (long long i = 0; i < steps; i++) {
    const double *z0 = z + 2 * N * i;
    for (int j = 0; j < 2 * N; j++) x[j] = z0[j];
    x[2 * N] = h[i];
    if (!KERNEL_NAME(first)(k, x, y) || !KERNEL_NAME(linearise)(k, x, y) ||
        !KERNEL_NAME(arrives)(k, x, y, z0))
      return i;
    for (int c = 0; c < count; c++) KERNEL_NAME(transport)(k, x, y, W + 2 * N * c);
  }
  return steps;
}
