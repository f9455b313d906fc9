/* Goes on from the text of spark_kernel.h for one problem: many steps, with arrays of its own.
 * Before inclusion, besides: N, M, NNZ, R = s - 1. */
#define ENTRIES_OF_G (M * N)

/* From one place to another, all that the next step begins with. */
KERNEL_INLINE void rattle_spark_copy(const double *restrict J, const double *restrict B,
                                     const double *restrict V, double *restrict to_J,
                                     double *restrict to_B, double *restrict to_V) {
  KERNEL_UNROLL
  for (int e = 0; e < NNZ; e++) {
    const int at = ROW(e) * N + COLUMN(e);
    to_J[at] = J[at], to_B[at] = B[at];
  }
  KERNEL_UNROLL
  for (int c = 0; c < N; c++) to_V[c] = V[c];
}

/* Steps of z in place, each of `stages` substeps h[i], from J, B, V_q of stage 0, N and LU, which
 * belong to z; they do again unless a step failed. range (may be 0) is widened by the energies.
 * Ends early where a step is not made or its energy is not finite, z being that of the last good
 * one. */
long long rattle_spark_run(rattle__stages *outer, const double *h, int stages, long long steps,
                           double *z, double *range) {
  rattle__stages inner = *outer, *k = &inner;
  const rattle__shape s = {R, N, M, NNZ, 0};
  double Q[R + 1][N], V[R + 1][N], J[R + 1][ENTRIES_OF_G] = {{0}}, B[R + 1][ENTRIES_OF_G] = {{0}};
  double F[R * N], d[R * N], L[R * M], value[R * M], unit_g[R * M], delta[R * M], scratch[R * M];
  double pull[M], psi[M], floor[M], size[N], along[NNZ], N0[M * M], N1[M * M], LU[M * M],
      matrix[R * M * R * M];
  double z0[2 * N], z1[2 * N], least = range ? range[0] : 0, most = range ? range[1] : 0,
                               potential = outer->potential;
  long long done = 0;
  KERNEL_UNROLL
  for (int j = 0; j <= R; j++) k->Q[j] = Q[j], k->Vq[j] = V[j], k->J[j] = J[j], k->B[j] = B[j];
  k->F = F, k->d = d, k->L = L, k->value = value, k->unit_g = unit_g, k->delta = delta,
  k->scratch = scratch, k->pull = pull;
  k->psi = psi, k->floor = floor, k->size = size, k->along = along, k->N_start = N0, k->N_now = N1,
  k->LU = LU, k->R_now = matrix;
  rattle_spark_copy(outer->J[0], outer->B[0], outer->Vq[0], J[0], B[0], V[0]);
  KERNEL_UNROLL
  for (int e = 0; e < M * M; e++) N1[e] = outer->N_now[e], LU[e] = outer->LU[e];
  KERNEL_UNROLL
  for (int c = 0; c < 2 * N; c++) z0[c] = z[c];
  for (; done < steps; done++) {
    const long long newton = k->newton, evaluations = k->evaluations, forces = k->forces,
                    factors = k->factors;
    const double most_ratio = k->most_ratio, most_g = k->most_g, most_psi = k->most_psi;
    rattle__outcome o = RATTLE__MADE;
    for (int stage = 0; stage < stages && !o; stage++) {
      KERNEL_UNROLL
      for (int c = 0; c < N; c++) Q[0][c] = z0[c];
      o = rattle_spark_step(k, s, h[stage], z0, z1);
      if (o) break;
      rattle_spark_copy(J[R], B[R], V[R], J[0], B[0], V[0]);
      KERNEL_UNROLL
      for (int c = 0; c < 2 * N; c++) z0[c] = z1[c];
      k->most_ratio = rattle__larger(k->ratio, k->most_ratio);
      k->most_g = rattle__larger(k->largest_g, k->most_g);
      k->most_psi = rattle__larger(k->largest_psi, k->most_psi);
    }
    double twice = 0;
    KERNEL_UNROLL
    for (int c = 0; c < N; c++) twice += INVERSE_MASS(c) * z0[N + c] * z0[N + c];
    const double energy = 0.5 * twice + k->potential;
    if (o || !(fabs(energy) <
               1.7976931348623157e308)) { /* the caller takes this step anew, and counts it */
      k->newton = newton, k->evaluations = evaluations, k->forces = forces, k->factors = factors;
      k->most_ratio = most_ratio, k->most_g = most_g, k->most_psi = most_psi;
      break;
    }
    potential = k->potential;
    if (energy < least) least = energy;
    if (energy > most) most = energy;
    KERNEL_UNROLL
    for (int c = 0; c < 2 * N; c++) z[c] = z0[c];
  }
  rattle_spark_copy(J[0], B[0], V[0], outer->J[0], outer->B[0], outer->Vq[0]);
  KERNEL_UNROLL
  for (int e = 0; e < M * M; e++) outer->N_now[e] = N1[e], outer->LU[e] = LU[e];
  outer->newton = k->newton, outer->evaluations = k->evaluations, outer->forces = k->forces,
  outer->factors = k->factors;
  outer->most_ratio = k->most_ratio, outer->most_g = k->most_g, outer->most_psi = k->most_psi,
  outer->potential = potential;
  if (range) range[0] = least, range[1] = most;
  return done;
}
