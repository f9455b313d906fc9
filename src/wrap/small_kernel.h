/* One step of SHAKE or RATTLE for a natural problem with one or two constraints, written once and compiled twice: into the
 * library, for any such problem (small.c), and by the native evaluator with the numbers and the derivatives of one problem put in
 * (small_native.c), so that both give the same bits.
 *
 * Before inclusion: KERNEL_NAME(part) (names of the functions), KERNEL_LINKAGE, KERNEL_INLINE, KERNEL_UNROLL (of short loops), N,
 * M (1 or 2), NNZ, PTR(i), COL(k) (rows of G), INVERSE_MASS(i), K1 D1 K2 D2 (the scheme), PROJECT and COMPENSATED (0 or 1),
 * CONSTRAINT(q, F, J), FORCE(q, V, Vq), and the text of step/carry.h. Nothing but C and <math.h>; no includes, since the text is
 * also handed to a compiler as it is. With KERNEL_RUN, N and M being constants, a loop over steps too.
 *
 * Symbols  G = g_q [M x N]; W = G M^-1, dense rows [M][N]; 0 at the start of the step, 1 at its end; R = G(q) W0^T, A = G1 W1^T;
 *          s = h^2 lambda, so that q1 = q - W0^T s
 * Newton   M = 1: Chebyshev's third-order correction with the slope's change since the last iterate, exact for quadratic g but
 *          for terms of third order; M = 2: Newton with R at each iterate
 * Carry    COMPENSATED: the point is z + c and g = 0 there; corrections of s are kicks, of each of which p and q learn the same,
 *          and the iteration ends with one more of them */
#define CARRY(i) (COMPENSATED ? k->c1 + (i) : 0)

/* x + c += y; plainly x += y */
KERNEL_INLINE void KERNEL_NAME(add)(double *x, double *c, double y) {
  if (COMPENSATED)
    rattle__carry_add(x, c, y);
  else
    *x += y;
}

/* x + c += a (p + p_c); plainly x += a p */
KERNEL_INLINE void KERNEL_NAME(move)(double *x, double *c, double a, double p, const double *p_c) {
  if (COMPENSATED)
    rattle__carry_drift(x, c, a, p, p_c ? *p_c : 0);
  else
    *x += a * p;
}

/* x_i = (A^-1 b)_i, A row by row; 0 if A is singular */
KERNEL_INLINE int KERNEL_NAME(solve)(const double *A, const double *b, double *x, const rattle__small *k) {
  (void)k;
  if (M == 1) {
    x[0] = b[0] / A[0];
    return A[0] != 0;
  }
  double det = A[0] * A[3] - A[1] * A[2], size = fabs(A[0] * A[3]) + fabs(A[1] * A[2]);
  double inverse = 1 / det;
  x[0] = (A[3] * b[0] - A[1] * b[1]) * inverse;
  x[1] = (A[0] * b[1] - A[2] * b[0]) * inverse;
  return fabs(det) > 1e-15 * size;
}

/* A_ij = sum_k J_ik W_jk */
KERNEL_INLINE void KERNEL_NAME(gram)(const double *restrict J, const double *restrict W, double *restrict A,
                                     const rattle__small *k) {
  (void)k;
  KERNEL_UNROLL
  for (int i = 0; i < M * M; i++) {
    double sum = 0;
    KERNEL_UNROLL
    for (int e = PTR(i / M); e < PTR(i / M + 1); e++) sum += J[e] * W[i % M * N + COL(e)];
    A[i] = sum;
  }
}

KERNEL_INLINE void KERNEL_NAME(rows)(const double *restrict J, double *restrict W, const rattle__small *k) {
  (void)k;
  KERNEL_UNROLL
  for (int i = 0; i < M * N; i++) W[i] = 0;
  KERNEL_UNROLL
  for (int i = 0; i < M; i++) {
    KERNEL_UNROLL
    for (int e = PTR(i); e < PTR(i + 1); e++) W[i * N + COL(e)] = J[e] * INVERSE_MASS(COL(e));
  }
}

/* p -= c G^T x */
KERNEL_INLINE void KERNEL_NAME(kick)(const double *restrict J, const double *x, double c, double *restrict p,
                                     const rattle__small *k) {
  KERNEL_UNROLL
  for (int i = 0; i < M; i++) {
    KERNEL_UNROLL
    for (int e = PTR(i); e < PTR(i + 1); e++) KERNEL_NAME(add)(p + COL(e), CARRY(N + COL(e)), -(c * x[i] * J[e]));
  }
}

/* q_i += c p_i */
KERNEL_INLINE void KERNEL_NAME(drift)(double c, int i, double *restrict z, const rattle__small *k) {
  KERNEL_NAME(move)(z + i, CARRY(i), c, z[N + i], CARRY(N + i));
}

/* (q, p) from s: kick K1, drift D1, kick K2, drift D2 after the slide by s */
KERNEL_INLINE int KERNEL_NAME(travel)(rattle__small *k, double h, const double *restrict z0, const double *s,
                                      double *restrict z1) {
  double *restrict q = z1, *restrict p = z1 + N;
  KERNEL_UNROLL
  for (int i = 0; i < 2 * N; i++) {
    z1[i] = z0[i];
    if (COMPENSATED) k->c1[i] = k->c0[i];
  }
  KERNEL_UNROLL
  for (int i = 0; i < N && K1 != 0; i++) KERNEL_NAME(add)(p + i, CARRY(N + i), -(h * K1 * k->V0[i]));
  if (D2 != 0) KERNEL_NAME(kick)(k->J0, s, 1 / h, p, k);
  KERNEL_UNROLL
  for (int i = 0; i < N; i++) KERNEL_NAME(drift)(h * D1 * INVERSE_MASS(i), i, z1, k);
  if (D2 == 0) return 0;
  k->forces++;
  if (FORCE(q, k->potential, k->V1)) return 1;
  KERNEL_UNROLL
  for (int i = 0; i < N; i++) {
    KERNEL_NAME(add)(p + i, CARRY(N + i), -(h * K2 * k->V1[i]));
    KERNEL_NAME(drift)(h * D2 * INVERSE_MASS(i), i, z1, k);
  }
  return 0;
}

/* s += delta for q1, of which p learns when s is complete; COMPENSATED: for both */
KERNEL_INLINE void KERNEL_NAME(correct)(const double *delta, double h, double *restrict z1, const rattle__small *k) {
  KERNEL_UNROLL
  for (int i = 0; i < M * N && !COMPENSATED; i++) z1[i % N] -= delta[i / N] * k->W0[i];
  KERNEL_UNROLL
  for (int i = 0; i < M && COMPENSATED; i++) {
    double impulse = delta[i] / h;
    KERNEL_UNROLL
    for (int e = PTR(i); e < PTR(i + 1); e++) {
      double y = -(impulse * k->J0[e]);
      KERNEL_NAME(add)(z1 + N + COL(e), CARRY(N + COL(e)), y);
      KERNEL_NAME(move)(z1 + COL(e), CARRY(COL(e)), h * (D1 + D2) * INVERSE_MASS(COL(e)), y, 0);
    }
  }
}

/* COMPENSATED: F is the value at q1 + c from that at q1 */
KERNEL_INLINE void KERNEL_NAME(carry_in)(double *restrict F, const rattle__small *k) {
  KERNEL_UNROLL
  for (int i = 0; i < M; i++) {
    KERNEL_UNROLL
    for (int e = PTR(i); e < PTR(i + 1); e++) F[i] += k->J1[e] * k->c1[COL(e)];
  }
}

/* COMPENSATED: one more correction, which moves z1 by no more than round-off, and J1 anew; F: the residual at hand. */
KERNEL_INLINE int KERNEL_NAME(polish)(rattle__small *k, double h, double *F, double *restrict z1) {
  double R[4] = {0}, delta[2];
  if (k->precise) k->precise(k, z1, k->c1, F);
  KERNEL_NAME(gram)(k->J1, k->W0, R, k);
  if (!KERNEL_NAME(solve)(R, F, delta, k)) return RATTLE__SMALL_SINGULAR;
  KERNEL_NAME(correct)(delta, h, z1, k);
  k->evaluations++;
  return CONSTRAINT(z1, F, k->J1) ? RATTLE__SMALL_CALLBACK : RATTLE__SMALL_OK;
}

KERNEL_INLINE int KERNEL_NAME(within)(const double *F, const double *floor, double *most, const rattle__small *k) {
  int all = 1;
  (void)k;
  KERNEL_UNROLL
  for (int i = 0; i < M; i++) all &= fabs(F[i]) <= floor[i];
  KERNEL_UNROLL
  for (int i = 0; i < M && all; i++)
    if (fabs(F[i]) > *most) *most = fabs(F[i]);
  return all;
}

/* largest |F_i| / floor_i; *most is raised to the largest |F_i| */
KERNEL_INLINE double KERNEL_NAME(ratio)(const double *F, const double *floor, double *most, rattle__small *k) {
  double ratio = 0;
  KERNEL_UNROLL
  for (int i = 0; i < M; i++) {
    double x = fabs(F[i]), r = x / floor[i];
    if (!(x <= *most)) *most = x;
    if (!(r <= ratio)) {
      ratio = r;
      k->worst = i;
    }
  }
  return ratio;
}

/* Whether R has a positive determinant and diagonal, as it has for h = 0. */
KERNEL_INLINE int KERNEL_NAME(positive)(const double *R, const rattle__small *k) {
  (void)k;
  if (M == 1) return R[0] > 0;
  return R[0] > 0 && R[3] > 0 && R[0] * R[3] > R[1] * R[2];
}

/* s with g(q1) = 0; J1 is G(q1) */
KERNEL_INLINE int KERNEL_NAME(shake)(rattle__small *k, double h, const double *restrict z0, double *restrict s,
                                     double *restrict z1) {
  double *restrict q = z1, F[2], floor[2], R[4], delta[2] = {0, 0}, before = 1e300, slope = 0, first_slope = 0, first = 0;
  int doubtful = 0;
  KERNEL_UNROLL
  for (int i = 0; i < M; i++) s[i] = 0;
  for (k->iterations = 0;; k->iterations++) {
    if ((D2 != 0 || k->iterations == 0) && KERNEL_NAME(travel)(k, h, z0, s, z1)) return RATTLE__SMALL_CALLBACK;
    k->evaluations++;
    if (CONSTRAINT(q, F, k->J1)) return RATTLE__SMALL_CALLBACK;
    if (COMPENSATED) KERNEL_NAME(carry_in)(F, k);
    if (k->iterations == 0) {
      KERNEL_UNROLL
      for (int i = 0; i < M; i++) {
        floor[i] = 2.2250738585072014e-308;
        KERNEL_UNROLL
        for (int e = PTR(i); e < PTR(i + 1); e++)
          floor[i] += 1.1102230246251565e-16 * fabs(k->J1[e]) * (fabs(q[COL(e)]) + fabs(z0[COL(e)]));
      }
    }
    if (KERNEL_NAME(within)(F, floor, &k->g, k)) break;
    double most = 0;
    k->residual = KERNEL_NAME(ratio)(F, floor, &most, k);
    if (!(k->residual < 1e300) || k->iterations >= 60) return RATTLE__SMALL_NOT_CONVERGED;
    if (k->iterations >= 2 && k->residual > 0.5 * before) { /* stagnates: at round-off, or the unit is too small */
      if (!(k->residual < 512)) return RATTLE__SMALL_NOT_CONVERGED;
      if (most > k->g) k->g = most;
      if (k->residual > k->most_residual) k->most_residual = k->residual;
      break;
    }
    /* the second residual shows whether the linearisation at the first can be trusted: slide/follow.h */
    if (k->iterations == 0) first = k->residual;
    if (k->iterations == 1) doubtful |= k->residual > 1e4 && k->residual > 0.125 * first;
    before = k->residual;
    KERNEL_NAME(gram)(k->J1, k->W0, R, k);
    /* and the Jacobian there is to be of one sign with that for h = 0, which is positive definite */
    if (k->iterations == 0) doubtful = !KERNEL_NAME(positive)(R, k);
    double last = delta[0];
    if (!KERNEL_NAME(solve)(R, F, delta, k)) return RATTLE__SMALL_SINGULAR;
    if (M == 1) {
      if (k->iterations > 0) delta[0] -= 0.5 * (R[0] - slope) / last * delta[0] * delta[0] / R[0];
      slope = R[0];
      if (k->iterations == 0) first_slope = slope;
    }
    KERNEL_UNROLL
    for (int i = 0; i < M; i++) s[i] += delta[i];
    if (D2 == 0) KERNEL_NAME(correct)(delta, h, z1, k);
  }
  k->newton += k->iterations;
  /* beyond a fold, or on another part of the manifold, the determinant has the other sign: at the end, or where the last correction
   * was no longer than 1e-6 */
  if (!(k->iterations > 0 && k->residual < 1e9)) KERNEL_NAME(gram)(k->J1, k->W0, R, k);
  if (!KERNEL_NAME(positive)(R, k)) return RATTLE__SMALL_DOUBTFUL;
  /* with quadratic g the slope g'(q) W0 is linear in s: no fold is crossed if its sign is the same at both ends */
  if (doubtful && M == 1 && QUADRATIC && D2 == 0) doubtful = !(first_slope > 0);
  if (doubtful) return RATTLE__SMALL_DOUBTFUL;
  return COMPENSATED ? KERNEL_NAME(polish)(k, h, F, z1) : RATTLE__SMALL_OK;
}

/* p <- p - G^T sigma with G M^-1 p = 0, at the point of J1, W1 */
KERNEL_INLINE int KERNEL_NAME(project)(rattle__small *k, double *restrict p) {
  double psi[2], floor[2], A[4], sigma[2], before = 1e300;
  KERNEL_NAME(gram)(k->J1, k->W1, A, k);
  for (int round = 0;; round++) {
    KERNEL_UNROLL
    for (int i = 0; i < M; i++) {
      psi[i] = 0;
      KERNEL_UNROLL
      for (int c = 0; c < N; c++) psi[i] += k->W1[i * N + c] * p[c];
      KERNEL_UNROLL
      for (int c = 0; c < N && COMPENSATED; c++) psi[i] += k->W1[i * N + c] * k->c1[N + c];
    }
    KERNEL_UNROLL
    for (int i = 0; i < M && round == 0; i++) {
      floor[i] = 2.2250738585072014e-308;
      KERNEL_UNROLL
      for (int c = 0; c < N; c++) floor[i] += 2.220446049250313e-16 * fabs(k->W1[i * N + c] * p[c]);
    }
    if (KERNEL_NAME(within)(psi, floor, &k->psi, k)) return RATTLE__SMALL_OK;
    double most = 0;
    k->residual = KERNEL_NAME(ratio)(psi, floor, &most, k);
    if (!(k->residual < 1e300)) return RATTLE__SMALL_NOT_CONVERGED;
    if (round >= 2 && k->residual > 0.5 * before) {
      if (!(k->residual < 512)) return RATTLE__SMALL_NOT_CONVERGED;
      if (most > k->psi) k->psi = most;
      return RATTLE__SMALL_OK;
    }
    if (round >= 60) return RATTLE__SMALL_NOT_CONVERGED;
    before = k->residual;
    if (!KERNEL_NAME(solve)(A, psi, sigma, k)) return RATTLE__SMALL_SINGULAR;
    KERNEL_NAME(kick)(k->J1, sigma, 1, p, k);
  }
}

/* z1 from z0; J0, W0 (and V0 where K1 != 0) belong to z0, J1, W1 (and V1 where the scheme ends with a kick) to z1 afterwards */
KERNEL_INLINE int KERNEL_NAME(advance)(rattle__small *k, double h, const double *restrict z0, double *restrict z1) {
  double s[2];
  int status = KERNEL_NAME(shake)(k, h, z0, s, z1);
  if (status) return status;
  double *restrict p = z1 + N;
  if (D2 == 0 && !COMPENSATED) KERNEL_NAME(kick)(k->J0, s, 1 / h, p, k);
  if (D2 == 0 && K2 != 0) {
    k->forces++;
    if (FORCE(z1, k->potential, k->V1)) return RATTLE__SMALL_CALLBACK;
    KERNEL_UNROLL
    for (int i = 0; i < N; i++) KERNEL_NAME(add)(p + i, CARRY(N + i), -(h * K2 * k->V1[i]));
  }
  KERNEL_NAME(rows)(k->J1, k->W1, k);
  return PROJECT ? KERNEL_NAME(project)(k, p) : RATTLE__SMALL_OK;
}

KERNEL_LINKAGE int KERNEL_NAME(step)(rattle__small *k, double h, const double *restrict z0, double *restrict z1) {
  return KERNEL_NAME(advance)(k, h, z0, z1);
}

#ifdef KERNEL_RUN
/* Many steps of z in place, all on the stack, each of `stages` substeps h[i]; range (may be 0) is widened by the energies. Ends
 * early with *code if a step fails, z being that of the last good one. J0, W0, V0 as for a step, and left so unless one
 * failed. Needs a scheme that ends with a kick. */
KERNEL_INLINE long long KERNEL_NAME(many)(rattle__small *outer, const double *h, int stages, long long steps, double *z,
                                          double *range, int *code) {
  rattle__small inner = *outer, *k = &inner;
  double J0[NNZ], W0[M * N], V0[N], J1[NNZ], W1[M * N], V1[N], z0[2 * N], z1[2 * N], good[2 * N];
  double c0[2 * N], c1[2 * N], good_c[2 * N];
  double least = range ? range[0] : 0, most = range ? range[1] : 0, potential = outer->potential;
  long long done = 0;
  inner.J0 = J0, inner.W0 = W0, inner.V0 = V0, inner.J1 = J1, inner.W1 = W1, inner.V1 = V1;
  KERNEL_UNROLL
  for (int i = 0; i < NNZ; i++) J0[i] = outer->J0[i];
  KERNEL_UNROLL
  for (int i = 0; i < M * N; i++) W0[i] = outer->W0[i];
  KERNEL_UNROLL
  for (int i = 0; i < N; i++) V0[i] = outer->V0[i];
  KERNEL_UNROLL
  for (int i = 0; i < 2 * N; i++) z0[i] = z[i];
  inner.c0 = c0, inner.c1 = c1;
  KERNEL_UNROLL
  for (int i = 0; i < 2 * N && COMPENSATED; i++) c0[i] = outer->c0[i];
  *code = RATTLE__SMALL_OK;
  for (; done < steps; done++) {
    KERNEL_UNROLL
    for (int i = 0; i < 2 * N; i++) good[i] = z0[i];
    KERNEL_UNROLL
    for (int i = 0; i < 2 * N && COMPENSATED; i++) good_c[i] = c0[i];
    for (int stage = 0; stage < stages; stage++) {
      *code = KERNEL_NAME(advance)(k, h[stage], z0, z1);
      if (*code != RATTLE__SMALL_OK) break;
      KERNEL_UNROLL
      for (int i = 0; i < NNZ; i++) J0[i] = J1[i];
      KERNEL_UNROLL
      for (int i = 0; i < M * N; i++) W0[i] = W1[i];
      KERNEL_UNROLL
      for (int i = 0; i < N; i++) V0[i] = V1[i];
      KERNEL_UNROLL
      for (int i = 0; i < 2 * N; i++) z0[i] = z1[i];
      KERNEL_UNROLL
      for (int i = 0; i < 2 * N && COMPENSATED; i++) c0[i] = c1[i];
    }
    if (*code != RATTLE__SMALL_OK) break;
    double twice = 0;
    KERNEL_UNROLL
    for (int i = 0; i < N; i++) twice += INVERSE_MASS(i) * z0[N + i] * z0[N + i];
    double energy = 0.5 * twice + k->potential;
    if (!(fabs(energy) < 1.7976931348623157e308)) { /* a point that is not finite is not a step */
      *code = RATTLE__SMALL_NOT_CONVERGED;
      break;
    }
    if (energy < least) least = energy;
    if (energy > most) most = energy;
    potential = k->potential;
  }
  if (*code == RATTLE__SMALL_OK) {
    KERNEL_UNROLL
    for (int i = 0; i < NNZ; i++) outer->J0[i] = J0[i];
    KERNEL_UNROLL
    for (int i = 0; i < M * N; i++) outer->W0[i] = W0[i];
    KERNEL_UNROLL
    for (int i = 0; i < N; i++) outer->V0[i] = V0[i];
  }
  KERNEL_UNROLL
  for (int i = 0; i < 2 * N; i++) z[i] = *code == RATTLE__SMALL_OK ? z0[i] : good[i];
  KERNEL_UNROLL
  for (int i = 0; i < 2 * N && COMPENSATED; i++) outer->c0[i] = *code == RATTLE__SMALL_OK ? c0[i] : good_c[i];
  outer->potential = potential;
  outer->g = k->g, outer->psi = k->psi, outer->most_residual = k->most_residual;
  outer->newton = k->newton, outer->evaluations = k->evaluations, outer->forces = k->forces;
  if (range) range[0] = least, range[1] = most;
  return done;
}
KERNEL_LINKAGE long long KERNEL_NAME(run)(rattle__small *outer, const double *h, int stages, long long steps, double *z,
                                          double *range, int *code) {
  if (stages != 1) return KERNEL_NAME(many)(outer, h, stages, steps, z, range, code);
  double only = h[0]; /* one substep, known to be one, is quicker */
  return KERNEL_NAME(many)(outer, &only, 1, steps, z, range, code);
}
#endif
