/* Part of the text of fused_kernel.h, which says what is to be defined before, and of
 * fused_lanes.h: what a step says of itself to the rules of constraint/guard/rules/step_rules.h,
 * which is the text after this one. If several trajectories are stepped at once, each lane has its
 * own answers. */
#define VIEW rattle__fused
#define ONCE (D2 == 0)
#define BETWEEN (k->W1)
#define ROW_NUMBERS(name) REAL name[MULTIPLIERS]

/* The diagonals of J W0^T and of J0 W0^T, which is A0 for M <= 2; NULL: not at hand. */
#define CLEAR(i) r[i] = UNIFORM(0), r0[i] = known ? A0[(i) * (M + 1)] : UNIFORM(0);
#define ADD_ROW(e, i, c, first, last, g, by) r[i] += (by)*J[g] * k->W0[e];
#define ADD_SIZE(e, i, c, first, last, g, by) r0[i] += (by)*k->J0[g] * k->W0[e];
KERNEL_INLINE void KERNEL_NAME(compare_rows)(const REAL *J, const REAL *A0, REAL *r, REAL *r0,
                                             const rattle__fused *k) {
  const int known = M <= 2 && A0;
  EACH_M(CLEAR)
  ENTRIES(ADD_ROW)
  if (!known) {
    ENTRIES(ADD_SIZE)
  }
}
#undef CLEAR
#undef ADD_ROW
#undef ADD_SIZE

/* J0 (q1 - q0) and J1 (q1 - q0), and the diagonal of J0 W0^T. */
#define CLEAR(i) from[i] = to[i] = a[i] = UNIFORM(0);
#define ADD_WAY(e, i, c, first, last, g, by)                                                       \
  from[i] += (by)*k->J0[g] * (z1[c] - z0[c]), to[i] += (by)*k->J1[g] * (z1[c] - z0[c]),            \
      a[i] += (by)*k->J0[g] * k->W0[e];
KERNEL_INLINE void KERNEL_NAME(along_way)(const REAL *z0, const REAL *z1, REAL *from, REAL *to,
                                          REAL *a, const rattle__fused *k) {
  EACH_M(CLEAR)
  ENTRIES(ADD_WAY)
}
#undef CLEAR
#undef ADD_WAY

/* G in W1 at that part of the way; V1 is written over. 1: a callback did not answer. */
#define GO(i) k->V1[i] = z0[i] + part * (z1[i] - z0[i]);
KERNEL_INLINE int KERNEL_NAME(look_between)(const REAL *z0, const REAL *z1, double part,
                                            rattle__fused *k) {
  REAL g[MULTIPLIERS];
  EACH_N(GO)
  k->evaluations++;
  return CONSTRAINT(k->V1, g, k->W1);
}
#undef GO
