/* Part of the text of fused_kernel.h, which says what is to be defined before, and of fused_lanes.h: whether a step whose iteration converged has gone
 * astray (constraint/guard/astray.h). Where several trajectories are stepped at once the answers are those of each lane. */

#if !LANES
/* Whether normals at J1 make large angles with those at J0. W1 is written over. */
KERNEL_INLINE int KERNEL_NAME(turned_away)(const rattle__fused *k) {
  REAL R[MATRIX], A0[MATRIX], A1[MATRIX];
  for (int i = 0; i < M * M; i++) R[i] = A0[i] = A1[i] = 0;
  KERNEL_NAME(gram_R)(k->J1, k->W0, R, k);
  if (!rattle__leans(M, R)) return 0;
  KERNEL_NAME(rows)(k->J1, k->W1, k);
  KERNEL_NAME(gram_R)(k->J0, k->W0, A0, k);
  KERNEL_NAME(gram_R)(k->J1, k->W1, A1, k);
  return rattle__turned_away(M, R, A0, A1);
}
#endif

/* Whether J W0^T, J at another point of the way, is another matrix than A0 = J0 W0^T, NULL or M > 2: not at hand. */
#define CLEAR(i) r[i] = UNIFORM(0), a[i] = known ? A0[(i) * (M + 1)] : UNIFORM(0);
#define ADD_ROW(e, i, c, first, last, g, by) r[i] += (by)*J[g] * k->W0[e];
#define ADD_SIZE(e, i, c, first, last, g, by) a[i] += (by)*k->J0[g] * k->W0[e];
KERNEL_INLINE MASK KERNEL_NAME(differs)(const REAL *J, const REAL *A0, const rattle__fused *k) {
  REAL r[MULTIPLIERS], a[MULTIPLIERS], R[MATRIX], A[MATRIX];
  MASK unknown;
  const int known = M <= 2 && A0;
  EACH_M(CLEAR)
  ENTRIES(ADD_ROW)
  if (!known) {
    ENTRIES(ADD_SIZE)
  }
  const MASK differ = rattle__rows_differ(M, r, a, &unknown);
  if (M == 1 || !ANY(unknown)) return differ;
  for (int i = 0; i < M * M; i++) R[i] = A[i] = UNIFORM(0);
  KERNEL_NAME(gram_R)(J, k->W0, R, k);
  KERNEL_NAME(gram_R)(k->J0, k->W0, A, k);
  return differ | (unknown & rattle__differ(M, R, A));
}
#undef CLEAR
#undef ADD_ROW

/* Whether a step of one drift goes so far from tangential, at its start or at its end, that something may have been between these. */
#define NOTHING(i) from[i] = to[i] = a[i] = UNIFORM(0);
#define ADD_WAY(e, i, c, first, last, g, by)                                                                                     \
  from[i] += (by)*k->J0[g] * (z1[c] - z0[c]), to[i] += (by)*k->J1[g] * (z1[c] - z0[c]), a[i] += (by)*k->J0[g] * k->W0[e];
#define SLANTED(i)                                                                                                               \
  far |= rattle__exceeds(from[i], a[i], rattle__slanted, e, h) | rattle__exceeds(to[i], a[i], rattle__slanted, e, h);
KERNEL_INLINE MASK KERNEL_NAME(is_slanted)(const REAL *z0, const REAL *z1, rattle__effort e, REAL h, const rattle__fused *k) {
  REAL from[MULTIPLIERS], to[MULTIPLIERS], a[MULTIPLIERS];
  MASK far = NOT(ALL);
  EACH_M(NOTHING)
  ENTRIES(ADD_WAY)
  EACH_M(SLANTED)
  return far;
}
#undef NOTHING
#undef ADD_WAY
#undef SLANTED

/* Whether G differs, or g is not near 0, at quarters of the way from z0 to z1, schemes of two drifts: in its middle, and G alone; V1 and W1 are written
 * over. Where there is no answer, that is doubt too. */
#define BETWEEN(i) k->V1[i] = z0[i] + 0.25 * at * (z1[i] - z0[i]);
#define NOTHING(i) a[i] = UNIFORM(0);
#define FAR_OFF(i) differ |= rattle__exceeds(F[i], a[i], rattle__far_off, e, h);
KERNEL_INLINE MASK KERNEL_NAME(differs_between)(const REAL *z0, const REAL *z1, rattle__effort e, REAL h, rattle__fused *k) {
  REAL F[MULTIPLIERS], a[MULTIPLIERS];
  MASK differ = NOT(ALL);
  EACH_M(NOTHING)
  ENTRIES(ADD_SIZE)
  for (int at = D2 == 0 ? 1 : 2; at <= (D2 == 0 ? 3 : 2) && ANY(NOT(differ)); at++) {
    EACH_N(BETWEEN)
    k->evaluations++;
    if (CONSTRAINT(k->V1, F, k->W1)) return ALL;
    differ |= KERNEL_NAME(differs)(k->W1, 0, k);
    if (D2 == 0) {
      EACH_M(FAR_OFF)
    }
  }
  return differ;
}
#undef BETWEEN
#undef NOTHING
#undef ADD_SIZE
#undef FAR_OFF

/* Whether multipliers s stretched the step or, for quadratic g, may have by their sizes alone: what asks for z1 there would keep it in memory; of other
 * constraints whether G at its end, or on the way of a long step, is far from what it was, which who declines does not ask. z1 before the last
 * kick; V1 and W1 are written over. */
#define ADD_UP(i) sum += fabs(s[i]) * SPREAD(i);
KERNEL_INLINE MASK KERNEL_NAME(strays)(const REAL *s, REAL h, const REAL *A0, const REAL *z0, const REAL *z1, rattle__fused *k) {
  REAL sum = UNIFORM(0);
  const rattle__way way = {N, CLOCK, h, h * K1};
  if (BOUNDED) {
    EACH_M(ADD_UP)
    return D2 == 0 ? rattle__may_stretch(sum) : NOT(ALL);
  }
  MASK good = k->declines ? ALL : NOT(KERNEL_NAME(differs)(k->J1, A0, k));
  if (!ANY(good)) return NOT(good);
  const rattle__effort e = rattle__effort_of(way, z0, k->V0, z1);
  if (D2 == 0) good &= NOT(rattle__stretched(e.without, e.with, e.reach));
  if (k->declines) return NOT(good);
  const MASK examined = D2 == 0 ? good & KERNEL_NAME(is_slanted)(z0, z1, e, h, k) : good;
  if (ANY(examined)) good &= NOT(examined & KERNEL_NAME(differs_between)(z0, z1, e, h, k));
  return NOT(good);
}
#undef ADD_UP
