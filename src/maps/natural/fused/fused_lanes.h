/* Steps of several trajectories at once: the usual course of a step in the lanes of vectors, GROUPS
 * of them side by side, so that one works while the other waits. After the texts of
 * ground/expr/lanes_text.h, rules.def, doubt_rules.h, fused_state.h, fused_rows.h, fused_doubt.h,
 * step_rules.h, fused_one_correction.h and fused_iterate.h; what they and this one need is defined
 * as for fused_kernel.h, and EACH_GROUP(DO), which says DO(0) DO(1) .. for the groups, and WATCHED
 * (1: energies and residuals are seen). Schemes of one drift that end with a kick, without
 * compensated sums.
 *
 * A step that takes another course in a lane is taken by `step` for one trajectory; if that fails,
 * the steps of all end: the lane is then to be stepped by other means, and the others go on from
 * where they are. */
#define AT(i) (((i)*GROUPS + v) * LANES)
#define GET(from, i) (*(const REAL *)((from) + AT(i)))
#define PUT(to, i) (*(REAL *)((to) + AT(i)))
#define LOAD(i) z0[v][i] = GET(z, i), z0[v][N + (i)] = GET(z, N + (i));
#define STORE(i) PUT(z, i) = z0[v][i], PUT(z, N + (i)) = z0[v][N + (i)];
#define GO(i) z0[v][i] = z1[v][i], z0[v][N + (i)] = z1[v][N + (i)], V0[v][i] = V1[v][i];
#define GO_G(e, i, c, first, last, g, by) J0[v][g] = J1[v][g];
#define GO_A(t) A0[v][t] = A1[v][t];
#define OF_GROUP(V)                                                                                \
  {                                                                                                \
    enum { v = V };                                                                                \
    rattle__fused *const k = &group[v];

#define BEGIN_GROUP(V)                                                                             \
  OF_GROUP(V)                                                                                      \
  k->J0 = J0[v], k->W0 = W0[v], k->V0 = V0[v], k->J1 = J1[v], k->W1 = W1[v], k->V1 = V1[v];        \
  k->factors0 = &factors0[v], k->factors1 = &factors1[v];                                          \
  k->number = (const REAL *)(given->number + v * given->count * LANES);                            \
  length[v] = GET(h, 0), inverse[v] = GET(inverse_h, 0);                                           \
  if (WATCHED) low[v] = GET(seen, 0), high[v] = GET(seen, 1);                                      \
  EACH_N(LOAD)                                                                                     \
  KERNEL_NAME(arrive)(z0[v], J0[v], W0[v], V0[v], &k->potential, A0[v], k);                        \
  if (FACTORS_NOTED) KERNEL_NAME(note_factors_of)(J0[v], W0[v], k->factors0, k);                   \
  }
#define STEP_GROUP(V)                                                                              \
  OF_GROUP(V)                                                                                      \
  const REAL g = k->g, psi = k->psi;                                                               \
  if (CLOCK >= 0)                                                                                  \
    KERNEL_NAME(next_length)(given, AT(0), done, z0[v], &end[v], &length[v], &inverse[v]);         \
  if (stages > 1) length[v] = GET(h, stage), inverse[v] = GET(inverse_h, stage);                   \
  good[v] =                                                                                        \
      BENDS ? KERNEL_NAME(one_correction)(k, length[v], inverse[v], A0[v], z0[v], z1[v], A1[v])    \
            : KERNEL_NAME(masked_iteration)(k, length[v], inverse[v], A0[v], z0[v], z1[v], A1[v]); \
  WHERE(NOT(good[v]), k->g, g); /* only WATCHED reads them */                                      \
  WHERE(NOT(good[v]), k->psi, psi);                                                                \
  energy[v] = KERNEL_NAME(energy)(z1[v], k->potential, k);                                         \
  good[v] &= KERNEL_NAME(arrives)(z1[v], energy[v], end[v]);                                       \
  bad |= NOT(good[v]);                                                                             \
  }
#define SEE_GROUP(V)                                                                               \
  OF_GROUP(V)                                                                                      \
  (void)k;                                                                                         \
  WHERE(energy[v] < low[v], low[v], energy[v]);                                                    \
  WHERE(energy[v] > high[v], high[v], energy[v]);                                                  \
  }
/* The largest residuals, next to those of steps that were taken alone. */
#define SHOW_GROUP(V)                                                                              \
  OF_GROUP(V)                                                                                      \
  PUT(seen, 0) = low[v], PUT(seen, 1) = high[v];                                                   \
  PUT(seen, 2) = SELECT(k->g > GET(seen, 2), k->g, GET(seen, 2));                                  \
  PUT(seen, 3) = SELECT(k->psi > GET(seen, 3), k->psi, GET(seen, 3));                              \
  }
#define GO_GROUP(V)                                                                                \
  OF_GROUP(V)                                                                                      \
  EACH_N(GO)                                                                                       \
  ENTRIES(GO_G)                                                                                    \
  KERNEL_NAME(rows)(J0[v], W0[v], k);                                                              \
  for (int i = 0; i < M && FACTORS_NOTED; i++) factors0[v].weight[i] = factors1[v].weight[i];      \
  if (FACTORS_NOTED) factors0[v].dependence = factors1[v].dependence;                              \
  EACH_A(GO_A)                                                                                     \
  }
#define STORE_GROUP(V)                                                                             \
  OF_GROUP(V)                                                                                      \
  EACH_N(STORE)                                                                                    \
  }
#define SAVE(i)                                                                                    \
  *(REAL *)(before + (i)*LANES) = z0[v][i],                                                        \
                     *(REAL *)(before + (N + (i)) * LANES) = z0[v][N + (i)];                       \
  *(REAL *)(after + (i)*LANES) = z1[v][i], *(REAL *)(after + (N + (i)) * LANES) = z1[v][N + (i)];
#define TAKE(i)                                                                                    \
  z1[v][i] = *(REAL *)(after + (i)*LANES), z1[v][N + (i)] = *(REAL *)(after + (N + (i)) * LANES);
#define MEND_GROUP(V)                                                                              \
  OF_GROUP(V)                                                                                      \
  if (ANY(NOT(good[v]))) {                                                                         \
    EACH_N(SAVE)                                                                                   \
    good[v] = KERNEL_NAME(mend)(alone, v * LANES, length[v], good[v], before, after);              \
    EACH_N(TAKE)                                                                                   \
    KERNEL_NAME(arrive)(z1[v], J1[v], W1[v], V1[v], &k->potential, A1[v], k);                      \
    if (FACTORS_NOTED) KERNEL_NAME(note_factors_of)(J1[v], W1[v], k->factors1, k);                 \
    energy[v] = KERNEL_NAME(energy)(z1[v], k->potential, k);                                       \
    good[v] &= KERNEL_NAME(arrives)(z1[v], energy[v], end[v]);                                     \
    bad |= NOT(good[v]);                                                                           \
  }                                                                                                \
  }
#define NAME_GROUP(V) EACH_LANE unusual[(V)*LANES + l_] = done < many && !good[V][l_];

/* The lanes that are not good, `first` being the first of all: where `alone` takes the step, after
 * [2N][LANES] becomes its end. Returns which are good then. */
static __attribute__((noinline)) MASK KERNEL_NAME(mend)(const rattle__fused_alone *alone, int first,
                                                        REAL h, MASK good, const double *before,
                                                        double *after) {
  double from[2 * N], to[2 * N];
  long long mended[LANES] __attribute__((aligned(8 * LANES)));
  for (int lane = 0; lane < LANES; lane++) {
    mended[lane] = good[lane];
    if (mended[lane]) continue;
    for (int i = 0; i < 2 * N; i++) from[i] = before[i * LANES + lane];
    if (alone->step(alone->self, first + lane, h[lane], from, to)) continue;
    for (int i = 0; i < 2 * N; i++) after[i * LANES + lane] = to[i];
    mended[lane] = -1;
  }
  return *(const MASK *)mended;
}

/* The step of `done` + 1 of the lanes from `first` on: the time at its end, its length and 1 /
 * length. */
KERNEL_INLINE void KERNEL_NAME(next_length)(const rattle__fused_given *given, int first,
                                            long long done, const REAL *z0, REAL *end, REAL *length,
                                            REAL *inverse) {
  const REAL t0 = *(const REAL *)(given->t0 + first), step = *(const REAL *)(given->step + first);
  *end = t0 + (step + (double)(done + 1)) * *(const REAL *)(given->h + first);
  *length = *end - z0[AT_CLOCK];
  *inverse = 1 / *length;
}

/* True if a step that ends at z1 ends in a state: a finite energy and, but for rounding, its
 * time. */
KERNEL_INLINE MASK KERNEL_NAME(arrives)(const REAL *z1, REAL energy, REAL end) {
  const MASK finite = fabs(energy) < 1.7976931348623157e308;
  return CLOCK >= 0 ? finite & (z1[AT_CLOCK] == end) : finite;
}

/* `many` steps of z [2N][lanes], aligned as vectors are. Returns how many were done, z being that
 * after the last of them; unusual[lane] is 1 where the next one takes another course, else 0. */
long long KERNEL_NAME(lanes)(const rattle__fused_alone *alone, double *z,
                             const rattle__fused_given *given, long long many, long long *unusual) {
  const double *h = given->h, *inverse_h = given->inverse_h;
  double *const seen = given->seen;
  const int stages = given->stages;
  double before[2 * N * LANES] __attribute__((aligned(8 * LANES))),
      after[2 * N * LANES] __attribute__((aligned(8 * LANES)));
  rattle__fused group[GROUPS] = {0};
  REAL J0[GROUPS][NNZ], W0[GROUPS][NNZ], V0[GROUPS][N], J1[GROUPS][NNZ], W1[GROUPS][NNZ],
      V1[GROUPS][N];
  REAL z0[GROUPS][2 * N], z1[GROUPS][2 * N], A0[GROUPS][M * M], A1[GROUPS][M * M], length[GROUPS],
      inverse[GROUPS];
  REAL energy[GROUPS], low[GROUPS], high[GROUPS];
  REAL end[GROUPS] = {UNIFORM(0)};
  rattle__fused_factors factors0[GROUPS], factors1[GROUPS];
  MASK good[GROUPS], bad = NOT(ALL);
  long long done = 0;
  int stage = 0;
  EACH_GROUP(BEGIN_GROUP)
  while (done < many) {
    EACH_GROUP(STEP_GROUP)
    if (ANY(bad)) {
      bad = NOT(ALL);
      EACH_GROUP(MEND_GROUP)
      if (ANY(bad)) break;
    }
    EACH_GROUP(GO_GROUP)
    if (++stage < stages) continue;
    stage = 0;
    done++;
    if (WATCHED) {
      EACH_GROUP(SEE_GROUP)
    }
    if (stages > 1) {
      EACH_GROUP(STORE_GROUP)
    }
  }
  if (stages == 1) {
    EACH_GROUP(STORE_GROUP)
  }
  if (WATCHED) {
    EACH_GROUP(SHOW_GROUP)
  }
  EACH_GROUP(NAME_GROUP)
  return done;
}
