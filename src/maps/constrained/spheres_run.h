/* Goes on from the text of spheres_kernel.h for one problem: many steps of the splitting of
 * geodesic_rkn.c. Before inclusion, besides: M, PARTS, KICK_FIRST, PART(i) (the fractions of the
 * step), EACH_N(DO), FORCE(q, V, V_q), INVERSE_MASS(k). */
#define PUSH(k_) z[N + (k_)] -= t * V_q[k_];
KERNEL_INLINE void rattle_kick(rattle__turning *k, double t, const double *restrict V_q,
                               double *restrict z) {
  EACH_N(PUSH)
  rattle_level(k, z);
}
#undef PUSH

/* z1 from z0; V_q at z0 if the splitting begins with a kick, then at z1 */
#define BEGIN(k_) z1[k_] = z0[k_], z1[N + (k_)] = z0[N + (k_)];
#define COPY(k_) z[k_] = z1[k_], z[N + (k_)] = z1[N + (k_)];
KERNEL_INLINE void rattle_split(rattle__turning *k, double h, const double *restrict z0,
                                double *restrict z1, double *restrict V_q) {
  double z[2 * N];
  if (KICK_FIRST) {
    EACH_N(BEGIN)
    rattle_kick(k, PART(0) * h, V_q, z1);
  } else
    rattle_flow(k, PART(0) * h, z0, z1);
  for (int i = 1; i < PARTS; i += 2) {
    if (KICK_FIRST) {
      EACH_N(COPY)
      rattle_flow(k, PART(i) * h, z, z1);
    }
    (void)FORCE(z1, k->potential, V_q);
    rattle_kick(k, PART(i + KICK_FIRST) * h, V_q, z1);
    if (!KICK_FIRST) {
      EACH_N(COPY)
      rattle_flow(k, PART(i + 1) * h, z, z1);
    }
  }
}
#undef BEGIN
#undef COPY

/* Steps of z in place; range (may be 0) is widened by the energies. Ends early where a point or its
 * energy is not finite, z being that of the last good step, and so k->V_q and k->potential of
 * KICK_FIRST. */
#define LOAD(k_) z0[k_] = z[k_], z0[N + (k_)] = z[N + (k_)], V_0[k_] = outer->V_q[k_];
#define TAKE(k_) V_1[k_] = V_0[k_];
#define STRANGE(k_)                                                                                \
  twice += INVERSE_MASS(k_) * z1[N + (k_)] * z1[N + (k_)], strange += 0 * z1[k_] + 0 * z1[N + (k_)];
#define GO(k_) z0[k_] = z1[k_], z0[N + (k_)] = z1[N + (k_)], V_0[k_] = V_1[k_];
#define LEAVE(k_) z[k_] = z0[k_], z[N + (k_)] = z0[N + (k_)], outer->V_q[k_] = V_0[k_];
long long rattle_spheres_run(rattle__turning *outer, double h, long long steps, double *z,
                             double *range) {
  rattle__turning inner = *outer, *k = &inner;
  double sum[M + 1], cosine[M + 1], stretch[M + 1], back[M + 1], z0[2 * N], z1[2 * N], V_0[N],
      V_1[N];
  double least = range ? range[0] : 0, most = range ? range[1] : 0, potential = outer->potential;
  long long done = 0;
  inner.sum = sum, inner.cosine = cosine, inner.stretch = stretch, inner.back = back;
  EACH_N(LOAD)
  for (; done < steps; done++) {
    const double g = k->g, psi = k->psi;
    double twice = 0, strange = 0;
    EACH_N(TAKE)
    rattle_split(k, h, z0, z1, V_1);
    EACH_N(STRANGE)
    const double energy = 0.5 * twice + k->potential;
    if (!(strange == 0) ||
        !(fabs(energy) < 1.7976931348623157e308)) { /* the caller takes this step anew */
      k->g = g, k->psi = psi;
      break;
    }
    EACH_N(GO)
    potential = k->potential;
    if (energy < least) least = energy;
    if (energy > most) most = energy;
  }
  EACH_N(LEAVE)
  outer->potential = potential, outer->g = k->g, outer->psi = k->psi;
  if (range) range[0] = least, range[1] = most;
  return done;
}
#undef LOAD
#undef TAKE
#undef STRANGE
#undef GO
#undef LEAVE
