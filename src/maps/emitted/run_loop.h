/* Many steps by their parts: the library includes this text after that of a step, with parts that
 * are interpreted, and the native evaluator compiles both behind theirs (stepper.c), so that they
 * give the same bits. Behind the words of ground/expr/lanes_text.h the same text steps several
 * trajectories at once, and lanes_run.h is its entry. Written against
 *
 *     KERNEL_NAME, KERNEL_LINKAGE, KERNEL_INLINE, KERNEL_UNROLL   how functions are compiled
 *     KERNEL_NUMBERS            declares x and y, the numbers of the parts
 *     IS_KEPT                   true if x belongs to z from before
 *     N, AT_ENERGY              pairs; where V and the kinetic energy are, or H and 0
 *
 * and, in the text of the step, functions that are false where there is doubt: first (what a step
 * from the point in x begins with) and one (a step from there). */

/* True if the end of a step, in the numbers of the next one, is finite and nobody refuses it. */
KERNEL_INLINE MASK KERNEL_NAME(may_stay)(const rattle__emitted_run *k, const REAL *x, REAL energy,
                                         int last) {
  REAL z[2 * N], sum = UNIFORM(0);
  KERNEL_UNROLL
  for (int i = 0; i < 2 * N; i++) sum += 0 * (z[i] = x[i]);
  if (last && k->look && k->look(k->looks, z)) return NOT(ALL);
  return (sum == 0) & (MAGNITUDE(energy) < 1.7976931348623157e308);
}

/* Counts and residuals of steps become those of `to`: number by number, since wide loads of
 * numbers that were just stored wait for the stores. */
KERNEL_INLINE void KERNEL_NAME(note)(rattle__emitted_run *to, const rattle__emitted_run *from) {
  to->evaluations = from->evaluations, to->corrections = from->corrections;
  to->factorisations = from->factorisations, to->landings = from->landings;
  to->gradients = from->gradients, to->hessians = from->hessians, to->matrices = from->matrices;
  to->g = from->g, to->psi = from->psi, to->residual = from->residual, to->V = from->V;
}

/* Many steps of z in place, each of `stages` substeps h[i]; range (may be 0) is widened by the
 * energies. Fewer steps than asked: the next one is in doubt, fails, or is refused, and counts are
 * those of the steps made. */
KERNEL_LINKAGE long long KERNEL_NAME(run)(rattle__emitted_run *outer, const REAL *h, int stages,
                                          long long steps, REAL *z, REAL *range) {
  rattle__emitted_run inner = *outer, made = inner, *k = &inner;
  KERNEL_NUMBERS
  long long done = 0;
  MASK good = ALL;
  if (!IS_KEPT) {
    KERNEL_UNROLL
    for (int i = 0; i < 2 * N; i++) x[i] = z[i];
    good = KERNEL_NAME(first)(k, x, y);
  }
  while (done < steps && !ANY(NOT(good))) {
    REAL energy = UNIFORM(0);
    for (int stage = 0; stage < stages && !ANY(NOT(good)); stage++) {
      x[2 * N] = h[stage];
      good = KERNEL_NAME(one)(k, x, y);
      if (ANY(NOT(good))) break;
      energy = y[AT_ENERGY + 1] + y[AT_ENERGY];
      good = KERNEL_NAME(may_stay)(k, x, energy, stage + 1 == stages);
    }
    if (ANY(NOT(good))) break;
    if (range) {
      WHERE(energy < range[0], range[0], energy);
      WHERE(energy > range[1], range[1], energy);
    }
    inner.V = y[AT_ENERGY];
    KERNEL_NAME(note)(&made, &inner);
    KERNEL_UNROLL
    for (int i = 0; i < 2 * N; i++) z[i] = x[i];
    done++;
  }
  *outer = made;
  outer->is_known = good;
  return done;
}
