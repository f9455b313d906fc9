/* One step of an explicit Runge-Kutta method: rk.c includes this text, and the native evaluator
 * compiles it once more behind the numbers of the method and the field of a problem (rk_native.c),
 * so that both give the same bits. Written against
 *
 *     KERNEL_INLINE, KERNEL_UNROLL  how functions and loops are compiled
 *     KERNEL_ARG, KERNEL_SELF       what the caller hands through: as a parameter (with a comma
 *     after it), and in calls
 *     N, STAGES                     pairs, stages
 *     A(part, i, j), B(part, j)     coefficients of stage i and weights, part 0 for coordinates and
 *     1 for momenta
 *     FIELD(z, f)                   f at z; its value is not 0 if that failed */

/* to = z0 + h sum_j a_ij f_j; i = STAGES: the end of the step. Terms in the order of j, those with
 * a_ij = 0 omitted. */
KERNEL_INLINE void rattle_rk_combine(KERNEL_ARG int i, double h, const double *restrict z0,
                                     const double *restrict f, double *restrict to) {
  KERNEL_UNROLL
  for (int part = 0; part < 2; part++) {
    const int begin = part * N, end = begin + N;
    int some = 0;
    KERNEL_UNROLL
    for (int j = 0; j < i; j++) {
      const double a = i < STAGES ? A(part, i, j) : B(part, j);
      if (a == 0) continue;
      KERNEL_UNROLL
      for (int c = begin; c < end; c++)
        to[c] = some ? to[c] + a * f[j * 2 * N + c] : a * f[j * 2 * N + c];
      some = 1;
    }
    KERNEL_UNROLL
    for (int c = begin; c < end; c++) to[c] = some ? z0[c] + h * to[c] : z0[c];
  }
}

/* z1 from z0; Z [2N] and f [STAGES*2N] are scratch. */
KERNEL_INLINE int rattle_rk_step(KERNEL_ARG double h, const double *restrict z0,
                                 double *restrict z1, double *restrict Z, double *restrict f) {
  if (FIELD(z0, f)) return 1;
  KERNEL_UNROLL
  for (int i = 1; i < STAGES; i++) {
    rattle_rk_combine(KERNEL_SELF i, h, z0, f, Z);
    if (FIELD(Z, f + i * 2 * N)) return 1;
  }
  rattle_rk_combine(KERNEL_SELF STAGES, h, z0, f, z1);
  return 0;
}

#ifdef KERNEL_RUN
/* Many steps of z in place; ends early if a point is not finite, z being the last good one. */
long long rattle_rk_run(double h, long long steps, double *z) {
  double z0[2 * N], z1[2 * N], Z[2 * N], f[STAGES * 2 * N];
  long long done = 0;
  KERNEL_UNROLL
  for (int c = 0; c < 2 * N; c++) z0[c] = z[c];
  for (; done < steps; done++) {
    double sum = 0;
    rattle_rk_step(KERNEL_SELF h, z0, z1, Z, f);
    KERNEL_UNROLL
    for (int c = 0; c < 2 * N; c++) sum += 0 * z1[c];
    if (!(sum == 0)) break;
    KERNEL_UNROLL
    for (int c = 0; c < 2 * N; c++) z0[c] = z1[c];
  }
  KERNEL_UNROLL
  for (int c = 0; c < 2 * N; c++) z[c] = z0[c];
  return done;
}
#endif
