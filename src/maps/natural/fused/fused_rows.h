/* Part of the text of fused_kernel.h, which says what is to be defined before: systems of
 * equations, products with G and residuals. */
#define CARRY(i) (COMPENSATED ? k->c1 + (i) : 0)
#define MATRIX (MULTIPLIERS * MULTIPLIERS)

/* x + c += y; plainly x += y */
KERNEL_INLINE void KERNEL_NAME(add)(REAL *x, REAL *c, REAL y) {
#if COMPENSATED
  rattle__carry_add(x, c, y);
#else
  (void)c;
  *x += y;
#endif
}

/* x + c += a (p + p_c); plainly x += a p */
KERNEL_INLINE void KERNEL_NAME(move)(REAL *x, REAL *c, REAL a, REAL p, const REAL *p_c) {
#if COMPENSATED
  rattle__carry_drift(x, c, a, p, p_c ? *p_c : 0);
#else
  (void)c, (void)p_c;
  *x += a * p;
#endif
}

/* --- systems of M equations: A row by row; L, inverse: for M <= 2 inverse[0] = 1 / det A, else
 * triangular factors and 1 / pivots */

#define PRODUCT(t, e, f, first, by) A[t] = (first) ? J[e] * ((by)*W[f]) : A[t] + J[e] * ((by)*W[f]);
#define PIVOT(i, t, c, first)                                                                      \
  good &= rattle__pivot_is_positive(A[t], size[i]), inverse[i] = 1 / A[t];
#define SCALE(t, i, c, first) L[t] = A[t] * inverse[i];
#define UPDATE(t, l, u, first) A[t] = (first) ? -(L[l] * A[u]) : A[t] - L[l] * A[u];
#define FORWARD(i, t, j, first) x[i] -= L[t] * x[j];
#define DIVIDE(i, b, c, first) x[i] *= inverse[i];
#define DIVIDE_ALL(i) x[i] *= inverse[0];
#define COPY(i) x[i] = b[i];

/* R = J W^T */
KERNEL_SHARED void KERNEL_NAME(gram_R)(const REAL *restrict J, const REAL *restrict W,
                                       REAL *restrict A, const rattle__fused *k) {
  (void)k;
  for (int i = 0; i < M * M && M <= 2; i++) A[i] = UNIFORM(0);
  PRODUCTS_R(PRODUCT)
}

/* A = J W^T, symmetric: of more than two rows what the factors need of it */
KERNEL_SHARED void KERNEL_NAME(gram_A)(const REAL *restrict J, const REAL *restrict W,
                                       REAL *restrict A, const rattle__fused *k) {
  (void)k;
  for (int i = 0; i < M * M && M <= 2; i++) A[i] = UNIFORM(0);
  PRODUCTS_A(PRODUCT)
  if (M == 2) A[1] = A[2];
}

KERNEL_INLINE REAL KERNEL_NAME(determinant)(const REAL *A) {
  return A[0] * A[3] - A[1] * A[2];
}

/* M <= 2: 1 / det A; whether A is regular */
KERNEL_INLINE MASK KERNEL_NAME(invert)(const REAL *A, REAL *inverse, const rattle__fused *k) {
  (void)k;
  const REAL det = M == 1 ? A[0] : KERNEL_NAME(determinant)(A);
  inverse[0] = 1 / det;
  return M == 1 ? A[0] != 0 : fabs(det) > rattle__least_determinant * fabs(A[0] * A[3]);
}

/* M <= 2: whether R has a positive determinant, clear of round-off, and a positive diagonal, as it
 * has for h = 0. */
KERNEL_INLINE MASK KERNEL_NAME(positive)(const REAL *R, const rattle__fused *k) {
  (void)k;
  return rattle__determinant_is_positive(M, R);
}

/* M > 2: the diagonal of A before it is eliminated */
KERNEL_INLINE void KERNEL_NAME(diagonal)(const REAL *A, REAL *size, const rattle__fused *k) {
  (void)k;
#define DO(i) size[i] = A[(i)*M + (i)];
  EACH_M(DO)
#undef DO
}

/* Factors of R, which changes; returns 0 if it is singular or, for M > 2, has a pivot that is not
 * positive. */
KERNEL_SHARED MASK KERNEL_NAME(factor_R)(REAL *A, REAL *L, REAL *inverse, const rattle__fused *k) {
  if (M <= 2) return KERNEL_NAME(invert)(A, inverse, k);
  REAL size[MULTIPLIERS];
  MASK good = ALL;
  KERNEL_NAME(diagonal)(A, size, k);
  ELIMINATE_R(PIVOT, SCALE, UPDATE)
  return good;
}

KERNEL_SHARED MASK KERNEL_NAME(factor_A)(REAL *A, REAL *L, REAL *inverse, const rattle__fused *k) {
  if (M == 1) return KERNEL_NAME(invert)(A, inverse, k);
  if (M == 2) {
    inverse[0] = 1 / KERNEL_NAME(determinant)(A);
    return KERNEL_NAME(positive)(A, k);
  }
  REAL size[MULTIPLIERS];
  MASK good = ALL;
  KERNEL_NAME(diagonal)(A, size, k);
  ELIMINATE_A(PIVOT, SCALE, UPDATE)
  return good;
}

/* M = 2: x = det(A) A^-1 b */
KERNEL_INLINE void KERNEL_NAME(apply)(const REAL *A, const REAL *b, REAL *x) {
  x[0] = A[3] * b[0] - A[1] * b[1];
  x[1] = A[0] * b[1] - A[2] * b[0];
}

/* x = R^-1 b */
KERNEL_INLINE void KERNEL_NAME(solve_R)(const REAL *A, const REAL *L, const REAL *inverse,
                                        const REAL *b, REAL *x, const rattle__fused *k) {
  EACH_M(COPY)
  if (M == 2) KERNEL_NAME(apply)(A, b, x);
  if (M <= 2) {
    EACH_M(DIVIDE_ALL)
  } else {
    SUBSTITUTE_R(FORWARD, DIVIDE, FORWARD)
  }
}

/* M > 2: x = A^-1 b */
KERNEL_INLINE void KERNEL_NAME(solve_A)(const REAL *A, const REAL *L, const REAL *inverse,
                                        const REAL *b, REAL *x, const rattle__fused *k) {
  (void)A;
  EACH_M(COPY)
  SUBSTITUTE_A(FORWARD, DIVIDE, FORWARD)
}
#undef PRODUCT
#undef PIVOT
#undef SCALE
#undef UPDATE
#undef FORWARD
#undef DIVIDE
#undef DIVIDE_ALL
#undef COPY

/* --- products with G: J_e = by J_g ------------------------------------------------------------ */

/* W = G M^-1 */
#define ROW(e, i, c, first, last, g, by) W[e] = (by)*INVERSE_MASS(c) * J[g];
KERNEL_INLINE void KERNEL_NAME(rows)(const REAL *restrict J, REAL *restrict W,
                                     const rattle__fused *k) {
  (void)k;
  ENTRIES(ROW)
}
#undef ROW

/* p -= c G^T x; M <= 2: nothing waits for x or c that need not */
#define PART(x, J) (m == 1 ? (x) * (c * (J)) : m == 2 ? c * ((x) * (J)) : c * (x) * (J))
#define KICK(e, i, j, first, last, g, by)                                                          \
  KERNEL_NAME(add)(p + (j), CARRY(N + (j)), -((by)*PART(x[i], J[g])));
KERNEL_INLINE void KERNEL_NAME(kick)(const REAL *restrict J, const REAL *x, REAL c,
                                     REAL *restrict p, const rattle__fused *k) {
  const int m = M;
  (void)k;
  ENTRIES(KICK)
}
#undef PART
#undef KICK

/* y_i = sum_j J_ij x_j: entries of one group are multiplied together; `alone` is the product where
 * there is one */
#define GATHER(first, last, y, J, x, alone)                                                        \
  if (!((first) && (last))) sum = (first) ? (x) : sum + (x);                                       \
  if (last) {                                                                                      \
    const REAL term = (first) ? (alone) : (J)*sum;                                                 \
    y = (last) == 1 ? term : y + term;                                                             \
  }

/* psi = G M^-1 p (+ G_t: time has the velocity 1), and the size of its round-off */
#define SUM(e, i, j, first, last, g, by)                                                           \
  GATHER(first, last, psi[i], J[g], (j) == clock ? UNIFORM(by) : (by)*INVERSE_MASS(j) * p[j],      \
         (j) == clock ? (by)*J[g] : W[e] * p[j])
#define SUM_CARRY(e, i, j, first, last, g, by)                                                     \
  GATHER(first, last, lost[i], J[g], (by)*INVERSE_MASS(j) * k->c1[N + (j)], W[e] * k->c1[N + (j)])
#define ADD(i) psi[i] += lost[i];
#define SUM_SIZE(e, i, j, first, last, g, by)                                                      \
  GATHER(first, last, floor[i], fabs(J[g]),                                                        \
         (j) == clock ? UNIFORM(fabs(by)) : fabs((by)*INVERSE_MASS(j)) * fabs(p[j]),               \
         fabs((j) == clock ? (by)*J[g] : W[e] * p[j]))
#define SCALE(i) floor[i] *= unit;
KERNEL_INLINE void KERNEL_NAME(measure)(const REAL *restrict J, const REAL *restrict W,
                                        const REAL *restrict p, REAL *restrict psi,
                                        const rattle__fused *k) {
  const int clock = CLOCK;
  REAL sum = UNIFORM(0);
  (void)k;
  ENTRIES(SUM)
  if (COMPENSATED) {
    REAL lost[MULTIPLIERS];
    ENTRIES(SUM_CARRY)
    EACH_M(ADD)
  }
}
KERNEL_INLINE void KERNEL_NAME(size_of_psi)(const REAL *restrict J, const REAL *restrict W,
                                            const REAL *restrict p, REAL *restrict floor,
                                            const rattle__fused *k) {
  const double unit = 2.220446049250313e-16;
  const int clock = CLOCK;
  REAL sum = UNIFORM(0);
  (void)k;
  ENTRIES(SUM_SIZE)
  EACH_M(SCALE)
}
#undef SUM
#undef SUM_CARRY
#undef ADD
#undef SUM_SIZE

/* the size of the round-off of g at q, on the way from q0; time is exact */
#define SIZE(j) ((j) == clock ? UNIFORM(0) : fabs(q[j]) + fabs(q0[j]))
#define SUM_SIZE(e, i, j, first, last, g, by)                                                      \
  GATHER(first, last, floor[i], fabs(k->J1[g]), fabs(by) * SIZE(j), fabs(k->J1[g]) * SIZE(j))
KERNEL_INLINE void KERNEL_NAME(size_of_g)(const REAL *restrict q, const REAL *restrict q0,
                                          REAL *restrict floor, const rattle__fused *k) {
  const double unit = 1.1102230246251565e-16;
  const int clock = CLOCK;
  REAL sum = UNIFORM(0);
  ENTRIES(SUM_SIZE)
  EACH_M(SCALE)
}
#undef SIZE
#undef SUM_SIZE
#undef SCALE

/* q_i += c p_i */
KERNEL_INLINE void KERNEL_NAME(drift)(REAL c, int i, REAL *restrict z, const rattle__fused *k) {
  KERNEL_NAME(move)(z + i, CARRY(i), c, z[N + i], CARRY(N + i));
}

/* t += c */
KERNEL_INLINE void KERNEL_NAME(go_on)(REAL c, REAL *restrict z, const rattle__fused *k) {
  if (CLOCK >= 0) KERNEL_NAME(add)(z + CLOCK, CARRY(CLOCK), c);
}

/* (q, p) from s: kick K1, drift D1, kick K2, drift D2 after the slide by s */
#define BEGIN(i) z1[i] = z0[i], z1[N + (i)] = z0[N + (i)];
#define BEGIN_CARRY(i) k->c1[i] = k->c0[i], k->c1[N + (i)] = k->c0[N + (i)];
#define PUSH_1(i)                                                                                  \
  if (!IS_ZERO(k->V0[i])) KERNEL_NAME(add)(p + (i), CARRY(N + (i)), -(h * K1 * k->V0[i]));
#define DRIFT_1(i) KERNEL_NAME(drift)(h * D1 * INVERSE_MASS(i), i, z1, k);
#define PUSH_2(i)                                                                                  \
  if (!IS_ZERO(k->V1[i])) KERNEL_NAME(add)(p + (i), CARRY(N + (i)), -(h * K2 * k->V1[i]));
#define DRIFT_2(i) KERNEL_NAME(drift)(h * D2 * INVERSE_MASS(i), i, z1, k);
KERNEL_INLINE int KERNEL_NAME(travel)(rattle__fused *k, REAL h, const REAL *restrict z0,
                                      const REAL *s, REAL *restrict z1) {
  REAL *restrict q = z1, *restrict p = z1 + N;
  EACH_N(BEGIN)
  if (COMPENSATED) {
    EACH_N(BEGIN_CARRY)
  }
  if (K1 != 0) {
    EACH_N(PUSH_1)
  }
  if (D2 != 0) KERNEL_NAME(kick)(k->J0, s, 1 / h, p, k);
  EACH_N(DRIFT_1)
  KERNEL_NAME(go_on)(h * D1, z1, k);
  if (D2 == 0) return 0;
  k->forces++;
  if (FORCE(q, k->potential, k->V1)) return 1;
  EACH_N(PUSH_2)
  EACH_N(DRIFT_2)
  KERNEL_NAME(go_on)(h * D2, z1, k);
  return 0;
}
#undef BEGIN
#undef BEGIN_CARRY
#undef PUSH_1
#undef DRIFT_1
#undef DRIFT_2

/* s += delta for q1, of which p learns when s is complete; COMPENSATED: for both */
#define CORRECT(e, i, c, first, last, g, by)                                                       \
  z1[c] -= (first) && (last) ? delta[i] * k->W0[e] : (by)*INVERSE_MASS(c) * (delta[i] * k->J0[g]);
#define CORRECT_BOTH(e, i, c, first, last, g, by)                                                  \
  KERNEL_NAME(add)(z1 + N + (c), CARRY(N + (c)), -((by) * (delta[i] / h * k->J0[g])));             \
  KERNEL_NAME(move)                                                                                \
  (z1 + (c), CARRY(c), h * (D1 + D2) * INVERSE_MASS(c), -((by) * (delta[i] / h * k->J0[g])), 0);
KERNEL_INLINE void KERNEL_NAME(correct)(const REAL *delta, REAL h, REAL *restrict z1,
                                        const rattle__fused *k) {
  if (COMPENSATED) {
    ENTRIES(CORRECT_BOTH)
  } else {
    ENTRIES(CORRECT)
  }
}
#undef CORRECT
#undef CORRECT_BOTH

/* COMPENSATED: F is the value at q1 + c from that at q1 */
#define SUM_CARRY(e, i, j, first, last, g, by)                                                     \
  GATHER(first, last, lost[i], k->J1[g], (by)*k->c1[j], k->J1[g] * k->c1[j])
#define ADD(i) F[i] += lost[i];
KERNEL_INLINE void KERNEL_NAME(carry_in)(REAL *restrict F, const rattle__fused *k) {
  REAL sum = UNIFORM(0), lost[MULTIPLIERS];
  ENTRIES(SUM_CARRY)
  EACH_M(ADD)
}
#undef SUM_CARRY
#undef ADD
#undef GATHER

/* --- residuals -------------------------------------------------------------------------------- */

/* True if all |F_i| <= floor_i; *most is then raised to the largest |F_i|. */
#define SMALL(i) all &= fabs(F[i]) <= floor[i];
#define LARGEST(i) size = SELECT(size < fabs(F[i]), fabs(F[i]), size);
KERNEL_INLINE MASK KERNEL_NAME(within)(const REAL *F, const REAL *floor, REAL *most,
                                       const rattle__fused *k) {
  MASK all = ALL;
  REAL size = *most;
  (void)k;
  EACH_M(SMALL)
  EACH_M(LARGEST)
  WHERE(all, *most, size);
  return all;
}
#undef SMALL
#undef LARGEST

/* largest |F_i| / floor_i; *most is raised to the largest |F_i| */
#define RATIO(i)                                                                                   \
  {                                                                                                \
    const REAL size = fabs(F[i]), part = size / (floor[i] + least);                                \
    WHERE(NOT(size <= *most), *most, size);                                                        \
    WHERE(NOT(part <= ratio), ratio, part);                                                        \
  }
KERNEL_INLINE REAL KERNEL_NAME(ratio)(const REAL *F, const REAL *floor, REAL *most,
                                      const rattle__fused *k) {
  const double least = 2.2250738585072014e-308;
  REAL ratio = UNIFORM(0);
  (void)k;
  EACH_M(RATIO)
  return ratio;
}
#undef RATIO

/* M > 2: true if the factors of R, 1/pivots at hand, show no constraint that nearly depends on
 * others; `part`: of the diagonal, a little more in lanes, whose R may be that of an earlier
 * iterate. */
#define NOTHING(i) size[i] = UNIFORM(0);
#define ADD_SIZE(e, i, c, first, last, g, by) size[i] += (by)*k->J1[g] * k->W0[e];
#define IS_INDEPENDENT(i) independent &= rattle__is_independent(size[i], inverse[i], part);
KERNEL_INLINE MASK KERNEL_NAME(independent)(const REAL *inverse, double part,
                                            const rattle__fused *k) {
  REAL size[MULTIPLIERS];
  MASK independent = ALL;
  EACH_M(NOTHING)
  ENTRIES(ADD_SIZE)
  EACH_M(IS_INDEPENDENT)
  return independent;
}
#undef NOTHING
#undef ADD_SIZE
#undef IS_INDEPENDENT
