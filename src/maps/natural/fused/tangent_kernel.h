/* The derivative of a step of SHAKE or RATTLE, from the points where it begins and ends, for a
 * natural problem with diagonal M and few constraints; schemes with one drift, by h, without time.
 * Written once and compiled twice, as fused_kernel.h, of which the text of fused_rows.h goes before
 * this one.
 *
 * Before inclusion, besides: V_CURVATURE(q, S), V'' in its pattern; G_CURVATURE(q, w, C), sum w_i
 * g_i'' in its pattern; TURN(q, v, D), the derivative of G along v in the pattern of G;
 * EACH_V_CURVE(DO), EACH_G_CURVE(DO), which say DO(e, i, j) for the places of these patterns.
 *
 *   p+ = p0 - h k1 V_q(q0) - G0^T s / h,  q1 = q0 + h M^-1 p+,  p~ = p+ - h k2 V_q(q1),  p1 = p~ -
 *   G1^T r
 *
 *   s          G0 M^-1 G0^T s = G0 (q0 + h M^-1 (p0 - h k1 V_q(q0)) - q1): no iteration, since q1
 *   is known
 *   r          G1 M^-1 G1^T r = G1 M^-1 p~
 *   u+ = u0 - (h k1 V'' + sum s_i g_i'' / h) x0 - G0^T ds / h,  x1 = x0 + h M^-1 u+,  G1 x1 = 0
 *   u1 = u+ - (h k2 V'' + sum r_i g_i'') x1 - G1^T dr,          G1 M^-1 u1 + D x1 = 0
 *
 * for a vector (x, u) = (dq, dp). Matrices, of ds: R = G1 M^-1 G0^T; of s, r, dr: A = G M^-1 G^T. A
 * step that does not end where these equations say within 1e-9 of its size is left to the
 * caller. */

/* A point: what the steps on both sides of it share. */
typedef struct KERNEL_NAME(stop) {
  REAL A[MATRIX], L[MATRIX], inverse[MULTIPLIERS];
} KERNEL_NAME(stop);

KERNEL_INLINE int KERNEL_NAME(visit)(const REAL *z, REAL *restrict J, REAL *restrict W,
                                     REAL *restrict V, REAL *restrict S, KERNEL_NAME(stop) * stop,
                                     rattle__fused *k) {
  REAL F[MULTIPLIERS];
  if (CONSTRAINT(z, F, J) || FORCE(z, k->potential, V) || V_CURVATURE(z, S))
    return RATTLE__FUSED_CALLBACK;
  KERNEL_NAME(rows)(J, W, k);
  KERNEL_NAME(gram_A)(J, W, stop->A, k);
  return KERNEL_NAME(factor_A)(stop->A, stop->L, stop->inverse, k) ? RATTLE__FUSED_OK
                                                                   : RATTLE__FUSED_SINGULAR;
}

/* x = A^-1 b */
#define DIVIDE(i) x[i] *= stop->inverse[0];
KERNEL_INLINE void KERNEL_NAME(solve_at)(const KERNEL_NAME(stop) * stop, const REAL *b, REAL *x,
                                         const rattle__fused *k) {
  if (M > 2) {
    KERNEL_NAME(solve_A)(stop->A, stop->L, stop->inverse, b, x, k);
    return;
  }
  x[0] = b[0];
  if (M == 2) KERNEL_NAME(apply)(stop->A, b, x);
  EACH_M(DIVIDE)
}
#undef DIVIDE

/* y = J x or W x */
#define CLEAR(i) y[i] = 0;
#define GATHER_J(e, i, c, first, last, g, by) y[i] += (by)*J[g] * x[c];
#define GATHER_W(e, i, c, first, last, g, by) y[i] += W[e] * x[c];
KERNEL_INLINE void KERNEL_NAME(times_J)(const REAL *J, const REAL *x, REAL *y,
                                        const rattle__fused *k) {
  (void)k;
  EACH_M(CLEAR)
  ENTRIES(GATHER_J)
}
KERNEL_INLINE void KERNEL_NAME(times_W)(const REAL *W, const REAL *x, REAL *y,
                                        const rattle__fused *k) {
  (void)k;
  EACH_M(CLEAR)
  ENTRIES(GATHER_W)
}
#undef CLEAR
#undef GATHER_J
#undef GATHER_W

/* x -= c J^T y */
#define SPREAD_J(e, i, j, first, last, g, by) x[j] -= (by)*J[g] * (c * y[i]);
KERNEL_INLINE void KERNEL_NAME(take_J)(const REAL *J, REAL c, const REAL *y, REAL *x,
                                       const rattle__fused *k) {
  (void)k;
  ENTRIES(SPREAD_J)
}
#undef SPREAD_J

/* s and r, and the matrices of the derivative. */
#define KICK_0(i) f[i] = p0[i] - h * K1 * k->V0[i], v[i] = h * INVERSE_MASS(i) * f[i];
#define SIZE_Q(i) size += q0[i] * q0[i] + q1[i] * q1[i] + v[i] * v[i];
#define LEFT_Q(i) v[i] -= q1[i] - q0[i];
#define SIZE_P(i) size += p0[i] * p0[i] + p1[i] * p1[i] + f[i] * f[i];
#define KICK_1(i) f[i] -= h * K2 * k->V1[i];
#define ERROR_Q(e, i, c, first, last, g, by) v[c] -= k->W0[e] * s[i];
#define SUM_Q(i) off += v[i] * v[i];
#define LEFT_P(i) f[i] -= p1[i];
#define SUM_P(i) off += f[i] * f[i];
#define SPEED(i) v[i] = INVERSE_MASS(i) * p1[i];
KERNEL_INLINE int KERNEL_NAME(bend)(const rattle__fused_bends *b, const KERNEL_NAME(stop) * from,
                                    const KERNEL_NAME(stop) * to, REAL h, REAL inverse_h,
                                    const REAL *z0, const REAL *z1, rattle__fused *k) {
  const REAL *q0 = z0, *p0 = z0 + N, *q1 = z1, *p1 = z1 + N;
  REAL *f = b->f, *v = b->v, y[MULTIPLIERS], s[MULTIPLIERS], size = 0, off = 0;
  EACH_N(KICK_0)
  EACH_N(SIZE_Q)
  EACH_N(LEFT_Q)
  KERNEL_NAME(times_J)(k->J0, v, y, k);
  KERNEL_NAME(solve_at)(from, y, s, k);
  ENTRIES(ERROR_Q)
  EACH_N(SUM_Q)
  if (!(off <= 1e-18 * size)) return RATTLE__FUSED_REFUSED;
  if (G_CURVATURE(z0, s, b->C0)) return RATTLE__FUSED_CALLBACK;
  size = off = 0;
  EACH_N(SIZE_P)
  KERNEL_NAME(take_J)(k->J0, inverse_h, s, f, k);
  EACH_N(KICK_1)
  if (PROJECT) {
    KERNEL_NAME(times_W)(k->W1, f, y, k);
    KERNEL_NAME(solve_at)(to, y, s, k);
    KERNEL_NAME(take_J)(k->J1, 1, s, f, k);
  }
  EACH_N(LEFT_P)
  EACH_N(SUM_P)
  if (!(off <= 1e-18 * size)) return RATTLE__FUSED_REFUSED;
  if (!PROJECT) return RATTLE__FUSED_OK;
  EACH_N(SPEED)
  return G_CURVATURE(z1, s, b->C1) || TURN(z1, v, b->D) ? RATTLE__FUSED_CALLBACK : RATTLE__FUSED_OK;
}
#undef KICK_0
#undef SIZE_Q
#undef LEFT_Q
#undef SIZE_P
#undef KICK_1
#undef ERROR_Q
#undef SUM_Q
#undef LEFT_P
#undef SUM_P
#undef SPEED

/* The vector w = (x, u). */
#define LOAD(i) x[i] = w[i], u[i] = w[N + (i)];
#define V_0(e, i, j) u[i] -= h * K1 * b->S0[e] * x[j];
#define G_0(e, i, j) u[i] -= inverse_h * b->C0[e] * x[j];
#define DRIFT(i) x[i] += h * INVERSE_MASS(i) * u[i];
#define CORRECT(e, i, c, first, last, g, by) x[c] -= k->W0[e] * ds[i];
#define V_1(e, i, j) u[i] -= h * K2 * b->S1[e] * x[j];
#define G_1(e, i, j) u[i] -= b->C1[e] * x[j];
#define TURNED(e, i, c, first, last, g, by) y[i] += b->D[e] * x[c];
#define STORE(i) w[i] = x[i], w[N + (i)] = u[i];
KERNEL_INLINE void KERNEL_NAME(transport)(const rattle__fused_bends *b, const KERNEL_NAME(stop) * R,
                                          const KERNEL_NAME(stop) * to, REAL h, REAL inverse_h,
                                          REAL *restrict w, const rattle__fused *k) {
  REAL *restrict x = b->x, *restrict u = b->u, y[MULTIPLIERS], ds[MULTIPLIERS];
  EACH_N(LOAD)
  EACH_V_CURVE(V_0)
  EACH_G_CURVE(G_0)
  EACH_N(DRIFT)
  KERNEL_NAME(times_J)(k->J1, x, y, k);
  KERNEL_NAME(solve_R)(R->A, R->L, R->inverse, y, ds, k);
  ENTRIES(CORRECT)
  KERNEL_NAME(take_J)(k->J0, inverse_h, ds, u, k);
  EACH_V_CURVE(V_1)
  if (PROJECT) {
    EACH_G_CURVE(G_1)
    KERNEL_NAME(times_W)(k->W1, u, y, k);
    ENTRIES(TURNED)
    KERNEL_NAME(solve_at)(to, y, ds, k);
    KERNEL_NAME(take_J)(k->J1, 1, ds, u, k);
  }
  EACH_N(STORE)
}
#undef LOAD
#undef V_0
#undef G_0
#undef DRIFT
#undef CORRECT
#undef V_1
#undef G_1
#undef TURNED
#undef STORE

/* W [count][2N] through `steps` steps: step i has the length h[i] and leads from z + 2N i to z + 2N
 * (i + 1). Returns how many were done. */
#define GO(i) k->V0[i] = k->V1[i];
#define GO_G(e, i, c, first, last, g, by) k->J0[e] = k->J1[e], k->W0[e] = k->W1[e];
#define GO_V(e, i, j) b->S0[e] = b->S1[e];
KERNEL_INLINE long long KERNEL_NAME(along_steps)(rattle__fused *k, const rattle__fused_bends *b,
                                                 const double *h, const double *z, long long steps,
                                                 int count, double *restrict W) {
  KERNEL_NAME(stop) stop[2], R;
  double length = 0, inverse = 0;
  if (KERNEL_NAME(visit)(z, k->J0, k->W0, k->V0, b->S0, &stop[0], k)) return 0;
  for (long long i = 0; i < steps; i++) {
    const double *z0 = z + i * (2 * N), *z1 = z0 + 2 * N;
    if (h[i] != length) length = h[i], inverse = 1 / length;
    if (KERNEL_NAME(visit)(z1, k->J1, k->W1, k->V1, b->S1, &stop[1], k)) return i;
    if (KERNEL_NAME(bend)(b, &stop[0], &stop[1], length, inverse, z0, z1, k)) return i;
    KERNEL_NAME(gram_R)(k->J1, k->W0, R.A, k);
    if (!KERNEL_NAME(factor_R)(R.A, R.L, R.inverse, k)) return i;
    for (int c = 0; c < count; c++)
      KERNEL_NAME(transport)(b, &R, &stop[1], length, inverse, W + c * (2 * N), k);
    stop[0] = stop[1];
    EACH_N(GO)
    ENTRIES(GO_G)
    EACH_V_CURVE(GO_V)
  }
  return steps;
}
#undef GO
#undef GO_G
#undef GO_V

#ifdef KERNEL_RUN
/* In variables of its own. */
long long KERNEL_NAME(tangents)(rattle__fused *outer, const rattle__fused_bends *ends,
                                const double *h, const double *z, long long steps, int count,
                                double *restrict W) {
  rattle__fused inner = *outer;
  double J0[NNZ], W0[NNZ], V0[N], J1[NNZ], W1[NNZ], V1[N], S0[CURVES_V + 1], S1[CURVES_V + 1],
      C0[CURVES_G + 1], C1[CURVES_G + 1], D[NNZ], f[N], v[2 * N] = {0}, u[N], x[N];
  const rattle__fused_bends b = {S0, S1, C0, C1, D, f, v, u, x};
  inner.J0 = J0, inner.W0 = W0, inner.V0 = V0, inner.J1 = J1, inner.W1 = W1, inner.V1 = V1;
  (void)ends;
  return KERNEL_NAME(along_steps)(&inner, &b, h, z, steps, count, W);
}
#else
KERNEL_LINKAGE long long KERNEL_NAME(tangents)(rattle__fused *k, const rattle__fused_bends *b,
                                               const double *h, const double *z, long long steps,
                                               int count, double *restrict W) {
  return KERNEL_NAME(along_steps)(k, b, h, z, steps, count, W);
}
#endif
