/* Part of the text of fused_kernel.h for KERNEL_RUN: a step as a function of its own, and many
 * steps. */
#define END(i) z1[i] = z[i], z1[N + (i)] = z[N + (i)], k->V1[i] = V1[i];
#define END_G(e, i, c, first, last, g, by) k->J1[e] = (by)*J1[g], k->W1[e] = W1[e];
/* The same with variables of its own in place of arrays, which might share places. */
__attribute__((noinline)) int KERNEL_NAME(step)(rattle__fused *k, double h,
                                                const double *restrict z0, double *restrict z1) {
  rattle__fused inner = *k;
  double J1[NNZ], W1[NNZ], V1[N], z[2 * N];
  rattle__fused_factors factors1;
  inner.J1 = J1, inner.W1 = W1, inner.V1 = V1, inner.factors1 = &factors1;
  const int status = KERNEL_NAME(advance)(&inner, h, 1 / h, z0, z);
  k->newton = inner.newton, k->evaluations = inner.evaluations, k->forces = inner.forces;
  k->g = inner.g, k->psi = inner.psi, k->most_residual = inner.most_residual,
  k->potential = inner.potential;
  if (status && status != RATTLE__FUSED_UNPROVED) return status;
  EACH_N(END)
  ENTRIES(END_G)
  for (int i = 0; i < M && FACTORS_NOTED; i++) k->factors1->weight[i] = factors1.weight[i];
  if (FACTORS_NOTED) k->factors1->dependence = factors1.dependence;
  return status;
}
#undef END
#undef END_G

/* --- many steps ------------------------------------------------------------------------------- */

/* As run, by `one_correction` where that does it, or by `step_by_N` as long as that does it,
 * everything in variables. Values at a point are evaluated there, though the caller has them, so
 * that the compiler sees what is constant and what is a multiple of what. */
#define LOAD(i) z0[i] = z[i], z0[N + (i)] = z[N + (i)];
#define GO(i) z[i] = z0[i] = z1[i], z[N + (i)] = z0[N + (i)] = z1[N + (i)], V0[i] = V1[i];
#define GO_G(e, i, c, first, last, g, by) J0[g] = J1[g];
#define GO_A(t) A0[t] = A1[t];
#define TAKE(i) z1[i] = to[i], z1[N + (i)] = to[N + (i)];
#define KEEP(i) begin[i] = z[i], begin[N + (i)] = z[N + (i)];
#define RETURN(i) z[i] = begin[i], z[N + (i)] = begin[N + (i)];

/* True if somebody refuses the step that ends at z. */
#define SEE(i) seen[i] = z[i], seen[N + (i)] = z[N + (i)];
KERNEL_INLINE int KERNEL_NAME(is_refused)(const rattle__fused *k, const double *z) {
  double seen[2 * N]; /* z itself stays in variables */
  if (!k->look) return 0;
  EACH_N(SEE)
  return k->look(k->looks, seen);
}
#undef SEE

/* The time at the end of step `done` of many. */
KERNEL_INLINE double KERNEL_NAME(time)(const rattle__fused *k, long long done) {
  return k->t0 + (double)(k->step + done + 1) * k->h;
}

KERNEL_INLINE long long KERNEL_NAME(many)(rattle__fused *outer, const double *lengths, int stages,
                                          long long steps, double *z, double *range, int *code) {
  rattle__fused inner = *outer, *k = &inner;
  double J0[NNZ], W0[NNZ], V0[N], J1[NNZ], W1[NNZ], V1[N], z0[2 * N], z1[2 * N], to[2 * N];
  double A0[M * M], A1[M * M], begin[2 * N], h = 0, inverse_h = 0;
  double least = range ? range[0] : 0, most = range ? range[1] : 0, potential = outer->potential;
  long long done = 0, kept = -1;
  rattle__fused before = *outer; /* the counts before the step at hand, if it is number `kept` */
  long long unusual = 0, unusual_before = 0;
  long long newton_by_N = outer->newton, evaluations_by_N = outer->evaluations;
  const long long newton_at_first = newton_by_N, evaluations_at_first = evaluations_by_N;
  int status = RATTLE__FUSED_OK, stage = 0;
  inner.J0 = J0, inner.W0 = W0, inner.V0 = V0, inner.J1 = J1, inner.W1 = W1, inner.V1 = V1;
  EACH_N(LOAD)
  EACH_N(KEEP)
  KERNEL_NAME(arrive)(z0, J0, W0, V0, &inner.potential, A0, k);
  while (done < steps) {
    const double end = CLOCK >= 0 ? KERNEL_NAME(time)(k, done) : 0,
                 length = CLOCK >= 0 ? end - z[AT_CLOCK] : lengths[stage];
    if (length != h) h = length, inverse_h = 1 / h;
    const double g = k->g, psi = k->psi;
    const long long newton = k->newton, evaluations = k->evaluations;
    const int found = BENDS ? KERNEL_NAME(one_correction)(k, h, inverse_h, A0, z0, z1, A1)
                            : KERNEL_NAME(step_by_N)(k, h, inverse_h, z0, z1);
    if (!found) {
      k->g = g, k->psi = psi, k->newton = newton, k->evaluations = evaluations;
      if (!BENDS) break; /* the rest by `steps` */
      if (kept != done) kept = done, before = *outer, unusual_before = unusual;
      unusual++;
      KERNEL_NAME(arrive)(z, outer->J0, outer->W0, outer->V0, &outer->potential, A0, k);
      outer->g = k->g, outer->psi = k->psi, outer->most_residual = k->most_residual;
      outer->off = k->off;
      status = KERNEL_NAME(step)(outer, h, z, to);
      k->g = outer->g, k->psi = outer->psi, k->most_residual = outer->most_residual;
      if (!status) {
        EACH_N(TAKE)
        KERNEL_NAME(arrive)(z1, J1, W1, V1, &k->potential, A1, k);
      }
    }
    const double energy = KERNEL_NAME(energy)(z1, k->potential, k);
    if (!status && !(fabs(energy) < 1.7976931348623157e308))
      status = RATTLE__FUSED_NOT_CONVERGED;                                      /* not finite */
    if (CLOCK >= 0 && z1[AT_CLOCK] != end) status = RATTLE__FUSED_NOT_CONVERGED; /* by rounding */
    if (!status && stage + 1 == stages && KERNEL_NAME(is_refused)(outer, z1))
      status = RATTLE__FUSED_REFUSED;
    if (status) break;
    EACH_N(GO)
    ENTRIES(GO_G)
    KERNEL_NAME(rows)(J0, W0, k);
    EACH_A(GO_A)
    if (++stage < stages) continue;
    stage = 0;
    done++;
    newton_by_N = k->newton, evaluations_by_N = k->evaluations;
    if (energy < least) least = energy;
    if (energy > most) most = energy;
    potential = k->potential;
    if (stages > 1) {
      EACH_N(KEEP)
    }
  }
  if (stages > 1 && done < steps) {
    EACH_N(RETURN)
  }
  if (status) { /* the caller takes this step anew, and counts it */
    if (kept == done) {
      unusual = unusual_before;
      outer->newton = before.newton, outer->evaluations = before.evaluations,
      outer->forces = before.forces;
    }
  }
  const long long usual = done * stages - unusual;
  outer->newton += BENDS ? usual : newton_by_N - newton_at_first;
  outer->evaluations += BENDS ? 2 * usual : evaluations_by_N - evaluations_at_first;
  outer->forces += usual;
  KERNEL_NAME(arrive)(z, outer->J0, outer->W0, outer->V0, &outer->potential, A0, k);
  outer->potential = potential;
  outer->g = k->g, outer->psi = k->psi, outer->most_residual = k->most_residual;
  if (range) range[0] = least, range[1] = most;
  *code = status;
  return done;
}
#undef LOAD
#undef GO
#undef GO_G
#undef GO_A
#undef KEEP
#undef RETURN
#undef TAKE

/* As run, step by step. */
KERNEL_INLINE long long KERNEL_NAME(steps)(rattle__fused *k, const double *h, int stages,
                                           long long steps, double *z, double *range, int *code) {
  double room[4 * N], carry[2 * N], *z0 = room, *z1 = room + 2 * N, potential = k->potential;
  double least = range ? range[0] : 0, most = range ? range[1] : 0;
  long long done = 0;
  int status = RATTLE__FUSED_OK;
  for (int i = 0; i < 2 * N; i++) z0[i] = z[i];
  for (; done < steps; done++) {
    const long long newton = k->newton, evaluations = k->evaluations, forces = k->forces;
    const double end = CLOCK >= 0 ? KERNEL_NAME(time)(k, done) : 0;
    for (int i = 0; i < 2 * N && COMPENSATED; i++) carry[i] = k->c0[i];
    for (int stage = 0; stage < stages && !status; stage++) {
      status = KERNEL_NAME(step)(k, CLOCK >= 0 ? end - z0[AT_CLOCK] : h[stage], z0, z1);
      rattle__fused_turn_over(k);
      rattle__fused_exchange(&k->V0, &k->V1);
      rattle__fused_exchange(&z0, &z1);
      for (int i = 0; i < 2 * N && COMPENSATED; i++) k->c0[i] = k->c1[i];
    }
    const double energy = KERNEL_NAME(energy)(z0, k->potential, k);
    if (!status && !(fabs(energy) < 1.7976931348623157e308))
      status = RATTLE__FUSED_NOT_CONVERGED;                                      /* not finite */
    if (CLOCK >= 0 && z0[AT_CLOCK] != end) status = RATTLE__FUSED_NOT_CONVERGED; /* by rounding */
    if (!status && KERNEL_NAME(is_refused)(k, z0)) status = RATTLE__FUSED_REFUSED;
    if (status) { /* the caller takes this step anew, and counts it */
      k->newton = newton, k->evaluations = evaluations, k->forces = forces,
      k->potential = potential;
      for (int i = 0; i < 2 * N && COMPENSATED; i++) k->c0[i] = carry[i];
      break;
    }
    if (energy < least) least = energy;
    if (energy > most) most = energy;
    for (int i = 0; i < 2 * N; i++) z[i] = z0[i];
    potential = k->potential;
  }
  if (range) range[0] = least, range[1] = most;
  *code = status;
  return done;
}

/* Many steps of z in place, each of `stages` substeps h[i]; range (may be 0) is widened by the
 * energies. Ends early with *code if a step fails, z being that of the last good one. J0, W0, V0 as
 * for a step, and unknown after a failure. Needs a scheme that ends with a kick. With a CLOCK steps
 * end at the times of k, and h is not read; stages = 1. */
KERNEL_LINKAGE long long KERNEL_NAME(run)(rattle__fused *k, const double *h, int stages,
                                          long long steps, double *z, double *range, int *code) {
  const int each = FORCED || D2 != 0 || K2 == 0 || COMPENSATED;
  if (!each && BENDS) return KERNEL_NAME(many)(k, h, stages, steps, z, range, code);
  long long done = 0;
  *code = RATTLE__FUSED_OK;
  if (!each && CONSTANT_N && PROVED) done = KERNEL_NAME(many)(k, h, stages, steps, z, range, code);
  if (!*code && done < steps) {
    const long long step = k->step;
    k->step += done;
    done += KERNEL_NAME(steps)(k, h, stages, steps - done, z, range, code);
    k->step = step;
  }
  return done;
}
#undef AT_CLOCK
