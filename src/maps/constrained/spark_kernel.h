/* One step of spark(s) for a natural problem, where the map and the symbols are those of
 * spark_natural.c: written once and compiled into the library for problems of any size
 * (spark_rows.h has the products), for few constraints with products in loops of constant length
 * (spark_small.h), and by the native evaluator with the numbers and derivatives of one problem put
 * in (spark_native.c). The last two give the same bits. Nothing but C and <math.h>; no includes,
 * since the text is also handed to a compiler as it is.
 *
 * Before inclusion: KERNEL_NAME(part) (names of the functions), KERNEL_INLINE, KERNEL_UNROLL;
 * NODE(i) c_i, WEIGHT(i, j) w_ij, END_WEIGHT(j) b_j; the text of ground/support/larger.h,
 * constraint/guard/rules/{rules.def,doubt_rules.h}, constraint/equation/{stopping,verdict}.h and
 * spark_state.h; spark_small.h or spark_rows.h; and
 *     CONSTRAINT_AT(k, s, j, value)   g, and G in J_j, at Q_j;  FORCE_AT(k, j)  V_q;  ALONG(k, v)
 *     G_qq(v, .) at Q_0 into k->along
 * which are not 0 where a callback ended the step */
#ifndef ROUND_OFF
#define ROUND_OFF 2.220446049250313e-16
#define SMALLEST 2.2250738585072014e-308
#define ENDLESS __builtin_inf()
#endif

/* --- the first iterate --- */

/* L_j = lambda with N lambda = G_qq(v,v) - G M^-1 V_q, v = M^-1 p0; Q_i with that force; v into d,
 * which is free as yet */
KERNEL_INLINE rattle__outcome KERNEL_NAME(begin)(rattle__stages *k, const rattle__shape s, double h,
                                                 const double *restrict z0) {
  double *restrict v = k->d, *restrict F = k->F;
  KERNEL_UNROLL
  for (int c = 0; c < s.n; c++) v[c] = KERNEL_NAME(times_W)(k, s, 1, c, z0 + s.n);
  if (ALONG(k, v)) return RATTLE__ENDED;
  KERNEL_UNROLL
  for (int c = 0; c < s.n; c++) k->size[c] = KERNEL_NAME(times_W)(k, s, -1, c, k->Vq[0]);
  KERNEL_NAME(push)(k, s, 0, k->size, k->L);
  KERNEL_NAME(add_bend)(k, s, v, k->L);
  KERNEL_UNROLL
  for (int i = 0; i < s.m; i++) k->pull[i] = k->L[i];
  KERNEL_NAME(solve_N)(k, s, k->L);
  KERNEL_UNROLL
  for (int j = 1; j < s.r; j++) {
    KERNEL_UNROLL
    for (int l = 0; l < s.m; l++) k->L[j * s.m + l] = k->L[l];
  }
  KERNEL_NAME(pull)(k, s, 0, k->L, k->Vq[0], F);
  KERNEL_UNROLL
  for (int i = 1; i <= s.r; i++) {
    const double t = h * NODE(i);
    double *restrict Q = k->Q[i];
    KERNEL_UNROLL
    for (int c = 0; c < s.n; c++)
      Q[c] = z0[c] + t * (v[c] - KERNEL_NAME(times_W)(k, s, 0.5 * t, c, F));
  }
  return RATTLE__MADE;
}

/* --- the iteration --- */

/* Units of round-off, at the first iterate; of each equation for Q_i one, as in spark.c. */
KERNEL_INLINE void KERNEL_NAME(measure)(rattle__stages *k, const rattle__shape s, double h,
                                        const double *restrict z0) {
  double *restrict size = k->size, force[RATTLE__SPARK_STAGES], q0 = 0, v0 = 0;
  KERNEL_UNROLL
  for (int c = 0; c < s.n; c++) {
    q0 = rattle__larger(fabs(z0[c]), q0);
    v0 = rattle__larger(fabs(KERNEL_NAME(times_W)(k, s, 1, c, z0 + s.n)), v0);
  }
  KERNEL_UNROLL
  for (int j = 0; j < s.r; j++) {
    KERNEL_UNROLL
    for (int c = 0; c < s.n; c++) size[c] = fabs(k->Vq[j][c]);
    KERNEL_NAME(add_sizes)(k, s, j, k->L + j * s.m, size);
    force[j] = 0;
    KERNEL_UNROLL
    for (int c = 0; c < s.n; c++)
      force[j] = rattle__larger(KERNEL_NAME(reach)(k, s, c, size), force[j]);
  }
  KERNEL_UNROLL
  for (int i = 1; i <= s.r; i++) {
    const double *restrict Q = k->Q[i];
    double *restrict unit = k->unit_g + (i - 1) * s.m, most = 0, sum = 0;
    KERNEL_UNROLL
    for (int c = 0; c < s.n; c++) most = rattle__larger(fabs(Q[c]), most);
    KERNEL_UNROLL
    for (int j = 0; j < s.r; j++) sum += fabs(WEIGHT(i, j)) * force[j];
    k->unit_Q[i] =
        1 / (ROUND_OFF * (q0 + most + fabs(h) * (NODE(i) * v0 + fabs(h) * sum)) + SMALLEST);
    KERNEL_UNROLL
    for (int l = 0; l < s.m; l++)
      unit[l] = 1 / (ROUND_OFF * KERNEL_NAME(size_of_g)(k, s, i, l, z0, rattle__least_size(most)) +
                     SMALLEST);
  }
}

/* F_j = W_j + G(Q_j)^T y_j, W NULL: 0 */
KERNEL_INLINE void KERNEL_NAME(forces)(rattle__stages *k, const rattle__shape s, double *const *W,
                                       const double *y) {
  KERNEL_UNROLL
  for (int j = 0; j < s.r; j++)
    KERNEL_NAME(pull)(k, s, j, y + j * s.m, W ? W[j] : 0, k->F + j * s.n);
}

/* g and G at Q_2..Q_s, V_q at Q_2..Q_{s-1}, and F */
KERNEL_INLINE rattle__outcome KERNEL_NAME(evaluate)(rattle__stages *k, const rattle__shape s) {
  KERNEL_UNROLL
  for (int j = 1; j <= s.r; j++) {
    k->evaluations++;
    if (CONSTRAINT_AT(k, s, j, k->value + (j - 1) * s.m)) return RATTLE__ENDED;
  }
  KERNEL_UNROLL
  for (int j = 1; j < s.r; j++) {
    k->forces++;
    if (FORCE_AT(k, j)) return RATTLE__ENDED;
  }
  KERNEL_NAME(forces)(k, s, k->Vq, k->L);
  return RATTLE__MADE;
}

/* d_i, and the largest residual in units of round-off; not a number where one is */
KERNEL_INLINE double KERNEL_NAME(residual)(rattle__stages *k, const rattle__shape s, double h,
                                           const double *restrict z0) {
  const double *restrict F = k->F;
  double ratio = 0;
  KERNEL_UNROLL
  for (int i = 1; i <= s.r; i++) {
    double most = 0, strange = 0, *restrict d = k->d + (i - 1) * s.n;
    const double *restrict Q = k->Q[i];
    KERNEL_UNROLL
    for (int c = 0; c < s.n; c++) {
      double sum = NODE(i) * z0[s.n + c];
      KERNEL_UNROLL
      for (int j = 0; j < s.r; j++) sum -= h * WEIGHT(i, j) * F[j * s.n + c];
      k->size[c] = sum;
    }
    KERNEL_UNROLL
    for (int c = 0; c < s.n; c++) {
      d[c] = z0[c] + KERNEL_NAME(times_W)(k, s, h, c, k->size) - Q[c];
      most = rattle__larger(fabs(d[c]), most);
      strange += d[c] * 0;
    }
    ratio = rattle__larger(most * k->unit_Q[i], ratio) + strange;
  }
  k->largest_g = 0;
  KERNEL_UNROLL
  for (int i = 0; i < s.r * s.m; i++) {
    const double g = fabs(k->value[i]);
    ratio = rattle__larger(g * k->unit_g[i], ratio) + g * 0;
    if (i >= (s.r - 1) * s.m) k->largest_g = rattle__larger(g, k->largest_g);
  }
  return ratio;
}

/* True if R at the first iterate is far from its limit w x N0, along the guess and along a fixed
 * direction, and normals do not exclude that it was singular on the way. */
KERNEL_INLINE int KERNEL_NAME(astray)(rattle__stages *k, const rattle__shape s) {
  KERNEL_UNROLL
  for (int which = 0; which < 2; which++) {
    if (which) KERNEL_NAME(N0_along)(k, s, k->pull);
    KERNEL_UNROLL
    for (int i = 0; i < s.r; i++) {
      KERNEL_UNROLL
      for (int l = 0; l < s.m; l++) { /* sum_j w_ij = c_i^2/2 */
        k->scratch[i * s.m + l] = 0.5 * NODE(i + 1) * NODE(i + 1) * k->pull[l];
        k->delta[i * s.m + l] = which ? rattle__fixed_direction(l) : k->L[l];
      }
    }
    KERNEL_NAME(solve_R)(k, s, k->scratch);
    if (rattle__differs_by(s.r * s.m, k->scratch, k->delta))
      return !KERNEL_NAME(normals_stay)(k, s);
  }
  return 0;
}

/* Q and L by the correction for what d and value hold */
KERNEL_INLINE void KERNEL_NAME(correct)(rattle__stages *k, const rattle__shape s, double h) {
  const double *restrict F = k->F, scale = 1 / (h * h);
  KERNEL_UNROLL
  for (int i = 0; i < s.r; i++) {
    KERNEL_NAME(push)(k, s, i + 1, k->d + i * s.n, k->delta + i * s.m);
    KERNEL_UNROLL
    for (int l = i * s.m; l < (i + 1) * s.m; l++) k->delta[l] = scale * (k->delta[l] + k->value[l]);
  }
  KERNEL_NAME(solve_R)(k, s, k->delta);
  KERNEL_NAME(forces)(k, s, 0, k->delta);
  KERNEL_UNROLL
  for (int i = 0; i < s.r * s.m; i++) k->L[i] += k->delta[i];
  KERNEL_UNROLL
  for (int i = 1; i <= s.r; i++) {
    double *restrict Q = k->Q[i];
    const double *restrict d = k->d + (i - 1) * s.n;
    KERNEL_UNROLL
    for (int c = 0; c < s.n; c++) {
      double sum = h * h * WEIGHT(i, 0) * F[c];
      KERNEL_UNROLL
      for (int j = 1; j < s.r; j++) sum += h * h * WEIGHT(i, j) * F[j * s.n + c];
      k->size[c] = sum;
    }
    KERNEL_UNROLL
    for (int c = 0; c < s.n; c++) Q[c] += d[c] - KERNEL_NAME(times_W)(k, s, 1, c, k->size);
  }
}

/* The error at the end of an iteration points the same way in each step, and its work on H adds up:
 * if the gain so far lets more than a sixteenth of round-off be expected to remain, there is one
 * more iteration. */
KERNEL_INLINE rattle__outcome KERNEL_NAME(solve)(rattle__stages *k, const rattle__shape s, double h,
                                                 const double *z0) {
  double previous = ENDLESS, expected = ENDLESS, first = 0;
  for (int i = 0, matrices = 0, last = 0;; i++) {
    const rattle__outcome o = KERNEL_NAME(evaluate)(k, s);
    if (o) return o;
    if (i == 0) KERNEL_NAME(measure)(k, s, h, z0);
    const double ratio = k->ratio = KERNEL_NAME(residual)(k, s, h, z0);
    if (i == 0) first = ratio;
    if (rattle__fell_slowly(first, previous, ratio, i, rattle__doubt_newton, 0))
      return RATTLE__DOUBTFUL;
    const rattle__verdict verdict = rattle__judge(ratio, previous, i, 0);
    if (verdict == RATTLE__GIVE_UP) return RATTLE__DOUBTFUL;
    if (verdict == RATTLE__DONE && (last || rattle__smaller(ratio, expected) <= 1.0 / 16))
      return RATTLE__MADE;
    last = verdict == RATTLE__DONE;
    if (matrices < 1 + (rattle__gained_little(ratio, previous) && !last)) {
      if (KERNEL_NAME(factor_R)(k, s)) return RATTLE__DOUBTFUL;
      matrices++;
    }
    if (i == 0 && KERNEL_NAME(astray)(k, s)) return RATTLE__DOUBTFUL;
    KERNEL_NAME(correct)(k, s, h);
    k->newton++;
    expected = i ? ratio * (ratio / previous) : ENDLESS;
    previous = ratio;
  }
}

/* --- the end of the step --- */

/* p of z1 = (q1, p) onto psi = 0, with N at q1 */
KERNEL_INLINE rattle__outcome KERNEL_NAME(slide)(rattle__stages *k, const rattle__shape s,
                                                 double *restrict p) {
  double previous = ENDLESS, *restrict psi = k->psi, *restrict v = k->size;
  if (KERNEL_NAME(factor_N)(k, s, s.r)) return RATTLE__DOUBTFUL;
  for (int i = 0;; i++) {
    KERNEL_UNROLL
    for (int c = 0; c < s.n; c++) v[c] = KERNEL_NAME(times_W)(k, s, 1, c, p);
    KERNEL_NAME(push)(k, s, s.r, v, psi);
    if (i == 0) {
      KERNEL_UNROLL
      for (int l = 0; l < s.m; l++)
        k->floor[l] = 1 / (ROUND_OFF * KERNEL_NAME(size_of_psi)(k, s, s.r, l, v) + SMALLEST);
    }
    const double r = KERNEL_NAME(ratio_of_psi)(k, s);
    const rattle__verdict verdict = rattle__judge(r, previous, i, 0);
    if (verdict == RATTLE__DONE) return RATTLE__MADE;
    if (verdict == RATTLE__GIVE_UP) return RATTLE__DOUBTFUL;
    KERNEL_UNROLL
    for (int l = 0; l < s.m; l++) psi[l] = -psi[l];
    KERNEL_NAME(solve_N)(k, s, psi);
    KERNEL_NAME(pull)(k, s, s.r, psi, p, p);
    previous = r;
  }
}

KERNEL_INLINE rattle__outcome KERNEL_NAME(finish)(rattle__stages *k, const rattle__shape s,
                                                  double h, const double *restrict z0,
                                                  double *restrict z1) {
  const double *restrict V = k->Vq[s.r], *restrict F = k->F, *restrict Q = k->Q[s.r];
  k->forces++;
  if (FORCE_AT(k, s.r)) return RATTLE__ENDED;
  KERNEL_UNROLL
  for (int c = 0; c < s.n; c++) {
    double sum = h * END_WEIGHT(s.r) * V[c];
    KERNEL_UNROLL
    for (int j = 0; j < s.r; j++) sum += h * END_WEIGHT(j) * F[j * s.n + c];
    z1[c] = Q[c];
    z1[s.n + c] = z0[s.n + c] - sum;
  }
  return KERNEL_NAME(slide)(k, s, z1 + s.n);
}

/* z1 from z0, with Q_1, G, V_q and N, factored, at z0. MADE: those of the last stage, and N, belong
 * to z1 */
KERNEL_INLINE rattle__outcome KERNEL_NAME(step)(rattle__stages *k, const rattle__shape s, double h,
                                                const double *z0, double *z1) {
  KERNEL_NAME(keep_N)(k, s);
  rattle__outcome o = KERNEL_NAME(begin)(k, s, h, z0);
  if (!o) o = KERNEL_NAME(solve)(k, s, h, z0);
  return o ? o : KERNEL_NAME(finish)(k, s, h, z0, z1);
}
