/* Many steps by their parts: the library includes this text after that of a step, with parts that
 * are interpreted, and the native evaluator compiles both behind theirs (stepper.c), so that they
 * give the same bits. Written against
 *
 *     KERNEL_NAME, KERNEL_LINKAGE, KERNEL_INLINE, KERNEL_UNROLL   how functions are compiled
 *     KERNEL_NUMBERS            declares x and y, the numbers of the parts
 *     IS_KEPT                   true if x belongs to z from before
 *     N, AT_ENERGY              pairs; where V and the kinetic energy are, or H and 0
 *
 * and, in the text of the step, functions that return 1 where there is doubt: first (what a step
 * from the point in x begins with) and one (a step from there). */

/* True if the end of a step, in the numbers of the next one, is finite and nobody refuses it. */
KERNEL_INLINE int KERNEL_NAME(may_stay)(const rattle__emitted_run *k, const double *x,
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
KERNEL_LINKAGE long long KERNEL_NAME(run)(rattle__emitted_run *outer, const double *h, int stages,
                                          long long steps, double *z, double *range) {
  rattle__emitted_run inner = *outer, made = inner, *k = &inner;
  KERNEL_NUMBERS
  long long done = 0;
  int doubt = 0;
  if (!IS_KEPT) {
    KERNEL_UNROLL
    for (int i = 0; i < 2 * N; i++) x[i] = z[i];
    doubt = KERNEL_NAME(first)(k, x, y);
  }
  while (done < steps && !doubt) {
    double energy = 0;
    for (int stage = 0; stage < stages && !doubt; stage++) {
      x[2 * N] = h[stage];
      doubt = KERNEL_NAME(one)(k, x, y);
      if (doubt) break;
      energy = y[AT_ENERGY + 1] + y[AT_ENERGY];
      doubt = !KERNEL_NAME(may_stay)(k, x, energy, stage + 1 == stages);
    }
    if (doubt) break;
    if (range && energy < range[0]) range[0] = energy;
    if (range && energy > range[1]) range[1] = energy;
    inner.V = y[AT_ENERGY];
    made = inner;
    KERNEL_UNROLL
    for (int i = 0; i < 2 * N; i++) z[i] = x[i];
    done++;
  }
  *outer = made;
  outer->is_known = !doubt;
  return done;
}
