/* Part of a kernel's text: whether a natural step that converged went astray, the same rules in the
 * same order for sparse rows (constraint/guard/step.c) and for few constraints
 * (maps/natural/fused), where several trajectories may be stepped at once: then answers are those
 * of each lane.
 *
 * Before inclusion: KERNEL_NAME(part), KERNEL_INLINE, LANES; VIEW, the type of what the kernel
 * knows of its step, a pointer to which is k: J0, W0 and J1, W1, G and G M^-1 at the start and at
 * the end; M constraints; ONCE (1: the scheme has one drift);
 * EACH_M(DO), which says DO(i) for the constraints; ROW_NUMBERS(name), M numbers of that name;
 * MATRIX, the elements of a matrix that is compared; and the functions
 *     rows(J, W, k)                         W = J M^-1
 *     gram_R(J, W, R, k)                    R = J W^T, 0 before
 *     compare_rows(J, A0, r, r0, k)         the diagonals of J W0^T and of J0 W0^T = A0, or NULL:
 *     not at hand
 *     along_way(z0, z1, from, to, a, k)     J0 (q1 - q0), J1 (q1 - q0), and the diagonal of J0 W0^T
 *     look_between(z0, z1, part, k)         G at that part of the way in BETWEEN; 1: a callback did
 *     not answer */

#if !LANES
/* True if normals at J1 make large angles with those at J0. W1 is written over. */
KERNEL_INLINE int KERNEL_NAME(normals_turned)(const VIEW *k) {
  REAL R[MATRIX], A0[MATRIX], A1[MATRIX];
  for (int i = 0; i < M * M; i++) R[i] = A0[i] = A1[i] = 0;
  KERNEL_NAME(gram_R)(k->J1, k->W0, R, k);
  if (rattle__matrix_is_independent(M, R)) return 0;
  KERNEL_NAME(rows)(k->J1, k->W1, k);
  KERNEL_NAME(gram_R)(k->J0, k->W0, A0, k);
  KERNEL_NAME(gram_R)(k->J1, k->W1, A1, k);
  return rattle__normals_turned(M, R, A0, A1);
}
#endif

/* True if J W0^T, J at another point of the way, has other rows than A0 = J0 W0^T; NULL: not at
 * hand. */
KERNEL_INLINE MASK KERNEL_NAME(differs)(const REAL *J, const REAL *A0, const VIEW *k) {
  ROW_NUMBERS(r);
  ROW_NUMBERS(r0);
  KERNEL_NAME(compare_rows)(J, A0, r, r0, k);
  return rattle__rows_differ(M, r, r0);
}

/* True if a step of one drift goes so far from tangential, at its start or at its end, that
 * something may have been between these. */
#define EXCEEDS(i)                                                                                 \
  far |= rattle__exceeds(from[i], a[i], rattle__far_from_tangential, work, step.h) |               \
         rattle__exceeds(to[i], a[i], rattle__far_from_tangential, work, step.h);
KERNEL_INLINE MASK KERNEL_NAME(is_far_from_tangential)(rattle__drift_step step, rattle__work work,
                                                       const VIEW *k) {
  ROW_NUMBERS(from);
  ROW_NUMBERS(to);
  ROW_NUMBERS(a);
  MASK far = NOT(ALL);
  KERNEL_NAME(along_way)(step.z0, step.z1, from, to, a, k);
  EACH_M(EXCEEDS)
  return far;
}
#undef EXCEEDS

/* True if G differs at quarters of the way, schemes of two drifts: in its middle. A point without
 * an answer is doubt too. */
KERNEL_INLINE MASK KERNEL_NAME(differs_between)(rattle__drift_step step, VIEW *k) {
  MASK differ = NOT(ALL);
  for (int at = ONCE ? 1 : 2; at <= (ONCE ? 3 : 2) && ANY(NOT(differ)); at++) {
    if (KERNEL_NAME(look_between)(step.z0, step.z1, 0.25 * at, k)) return ALL;
    differ |= KERNEL_NAME(differs)(BETWEEN, 0, k);
  }
  return differ;
}

/* True if G at the end or on the way of a long step is far from what it was. A0 as above, or NULL;
 * W1 may be written over. */
KERNEL_INLINE MASK KERNEL_NAME(went_astray)(rattle__drift_step step, const REAL *A0, VIEW *k) {
  MASK good = NOT(KERNEL_NAME(differs)(k->J1, A0, k));
  const MASK examined =
      ONCE ? good & KERNEL_NAME(is_far_from_tangential)(step, rattle__work_of_step(step), k) : good;
  if (ANY(examined)) good &= NOT(examined & KERNEL_NAME(differs_between)(step, k));
  return NOT(good);
}
