/* Part of the text of fused_kernel.h and of fused_lanes.h, before fused_one_curve.h: a test that
 * the multipliers of a step of one or two quadratic constraints are the end of its curve, along
 * cubics in up to eight pieces, for steps of half a radian and more.
 *
 * Symbols    d = h D1 M^-1 p0, a = h^2 D1 K1 M^-1 V'(q0), B_i(u, v) = u.g_i'' v; x from 0 to 1 is
 *            the part of h; the way is q = q0 + x d - x^2 a - W0^T s
 * Equations  F(s, x) = g(q) - (1 - x) g(q0) = K(x) - L(x) s + T(s, s), J = -dF/ds = L - 2 T(s, .),
 *                L = A0 + x L1 + x^2 L2,   K = x K1 + x^2 K2 + x^3 K3 + x^4 K4,
 *            L2 = -B(a, W0), L1 = R - A0 - L2, R being L(1), K3 = -B(d, a), K4 = B(a, a)/2. K1 is
 *            G0 d without g(q0), and K2 such that F(s, 1) is what the iteration left: then F lacks
 *            (x - x^2) g(q0), at most a quarter of it
 * Theorem    that of constraint/guard/piece.h along a curve c(x). It is one for each x by itself,
 *            so that C may depend on x: here it is J(c(x))^-1, and X at c + e is 1 - 2 C T(e, .),
 *            its mean over the way from c to c + e 1 - C T(e, .). With absolute values |C|, |T|
 *            the box |e| <= r has one root, which is regular, if
 *                r > |C F| + |C| |T|(r, r)  and  r > 2 |C| |T|(r, r)
 *            With y >= |C F| and r = 2 y both say y > 4 |C| |T|(y, y). y is one for all of the
 *            way: so where pieces of c meet the boxes of both are the same, and the curve of
 *            roots, which begins with s = 0, goes on to the root beside the multipliers that were
 *            found
 * C          is adj J / det J; along polynomials |J| and det J have bounds by their Bezier
 *            coefficients
 * Cubics     from x0 to x0 + w let c have the values s and slopes e of both ends, which are
 *            approximations: any will do. With t = (x - x0)/w F(c(x), x) is a cubic with its own
 *            values and slopes there and t^2 (1 - t)^2 p, p of degree 2 with Bezier coefficients
 *            pa, pb, pc (docs/certificates.md); the terms of t^4 to t^6 give them. So
 *                |F| <= max |F(ends)| + 4/27 w sum |F_x - J e| + max(|pa|, |pb|, |pc|)/16
 * Round-off  each number is a sum of less than 2^20 terms of a few roundings each: it is off by
 *            less than 2^-30 of their sizes. Sizes of g are those in floor, in units of 2^-53 */
#define ONE_CURVE_HAIR 0x1p-30

/* A step as the test needs it, in numbers of M constraints alone. */
typedef struct KERNEL_NAME(long_step) {
  REAL A0[4], L1[4], L2[4], T[8], K[5][2]; /* K[e]: of x^e */
  REAL s[2], F[2];                         /* what the iteration found, and left */
  REAL size[4];                            /* sums of the sizes of L */
  REAL off[2];                             /* of F, beyond what is computed here */
} KERNEL_NAME(long_step);

/* A point of the curve: s, its slope e, and F, J, |F_x - J e| there. */
typedef struct KERNEL_NAME(node) {
  REAL s[2], e[2], F[2], J[4], slip[2];
} KERNEL_NAME(node);

/* Bounds over the whole way: det J from below, |J| and |F| from above, and `by`, what J may be off
 * where these were found; the sizes of s. */
typedef struct KERNEL_NAME(bounds) {
  REAL det, J[4], by[4], F[2], s[2];
} KERNEL_NAME(bounds);

#define LARGER(a, b) SELECT((a) > (b), a, b)

/* T(x, .) [M x M] */
KERNEL_INLINE void KERNEL_NAME(turn)(const REAL *T, const REAL *x, REAL *Tx,
                                     const rattle__fused *k) {
  (void)k;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < M; j++) {
      Tx[i * M + j] = UNIFORM(0);
      for (int l = 0; l < M; l++)
        Tx[i * M + j] += T[(i * M + (l < j ? l : j)) * M + (l < j ? j : l)] * x[l];
    }
}

/* y > 4 |C| |T|(y, y), times what det J is. */
KERNEL_INLINE MASK KERNEL_NAME(bounds_hold)(const REAL *T, const KERNEL_NAME(bounds) * b,
                                            const rattle__fused *k) {
  const REAL most = UNIFORM(1.7976931348623157e308), *by = b->by, *F = b->F;
  REAL J[4], Ty[4], size[8];
  (void)k;
  if (M == 1) {
    const REAL det = b->det - by[0];
    return (det > 0) & (F[0] < most) & (4 * fabs(T[0]) * F[0] * (1 + ONE_CURVE_HAIR) < det * det);
  }
  for (int t = 0; t < 4; t++) J[t] = b->J[t] + by[t];
  for (int t = 0; t < 8; t++) size[t] = fabs(T[t]);
  const REAL det = b->det - (J[0] * by[3] + J[3] * by[0] + J[1] * by[2] + J[2] * by[1]);
  const REAL y[2] = {J[3] * F[0] + J[1] * F[1], J[2] * F[0] + J[0] * F[1]};
  KERNEL_NAME(turn)(size, y, Ty, k);
  const REAL bend[2] = {Ty[0] * y[0] + Ty[1] * y[1], Ty[2] * y[0] + Ty[3] * y[1]};
  const REAL need[2] = {J[3] * bend[0] + J[1] * bend[1], J[2] * bend[0] + J[0] * bend[1]};
  const REAL square = det * det * (1 - ONE_CURVE_HAIR);
  return (det > ONE_CURVE_HAIR * (J[0] * J[3])) & (4 * need[0] < square * y[0]) &
         (4 * need[1] < square * y[1]) & (y[0] < most) & (y[1] < most);
}

/* (A x)_i */
KERNEL_INLINE REAL KERNEL_NAME(row_by)(const REAL *A, int i, const REAL *x,
                                       const rattle__fused *k) {
  (void)k;
  return M == 1 ? A[0] * x[0] : A[2 * i] * x[0] + A[2 * i + 1] * x[1];
}

/* x = J^-1 b, about */
KERNEL_INLINE void KERNEL_NAME(divide)(const REAL *J, const REAL *b, REAL *x,
                                       const rattle__fused *k) {
  (void)k;
  const REAL by = 1 / (M == 1 ? J[0] : J[0] * J[3] - J[1] * J[2]);
  x[0] = M == 1 ? by * b[0] : by * (J[3] * b[0] - J[1] * b[1]);
  if (M == 2) x[1] = by * (J[0] * b[1] - J[2] * b[0]);
}

/* F and J at (s, x). */
KERNEL_INLINE void KERNEL_NAME(look_at)(const KERNEL_NAME(long_step) * a, REAL x,
                                        KERNEL_NAME(node) * n, const rattle__fused *k) {
  REAL L[4], Ts[4];
  KERNEL_NAME(turn)(a->T, n->s, Ts, k);
  for (int t = 0; t < M * M; t++) {
    L[t] = a->A0[t] + x * (a->L1[t] + x * a->L2[t]);
    n->J[t] = L[t] - 2 * Ts[t];
  }
  for (int i = 0; i < M; i++)
    n->F[i] = x * (a->K[1][i] + x * (a->K[2][i] + x * (a->K[3][i] + x * a->K[4][i]))) -
              KERNEL_NAME(row_by)(L, i, n->s, k) + KERNEL_NAME(row_by)(Ts, i, n->s, k);
}

/* The slope at (s, x), where J is known. */
KERNEL_INLINE void KERNEL_NAME(find_slope)(const KERNEL_NAME(long_step) * a, REAL x,
                                           KERNEL_NAME(node) * n, const rattle__fused *k) {
  REAL F_x[2] = {UNIFORM(0), UNIFORM(0)};
  for (int i = 0; i < M; i++)
    F_x[i] = a->K[1][i] + x * (2 * a->K[2][i] + x * (3 * a->K[3][i] + 4 * x * a->K[4][i])) -
             KERNEL_NAME(row_by)(a->L1, i, n->s, k) -
             2 * x * KERNEL_NAME(row_by)(a->L2, i, n->s, k);
  KERNEL_NAME(divide)(n->J, F_x, n->e, k);
  for (int i = 0; i < M; i++) n->slip[i] = fabs(F_x[i] - KERNEL_NAME(row_by)(n->J, i, n->e, k));
}

/* The cubic [3][M] from node to node, but for its value at the first. */
KERNEL_INLINE void KERNEL_NAME(find_cubic)(REAL w, const KERNEL_NAME(node) * n0,
                                           const KERNEL_NAME(node) * n1, REAL (*c)[2],
                                           const rattle__fused *k) {
  (void)k;
  for (int i = 0; i < M; i++) {
    const REAL way = n1->s[i] - n0->s[i], first = w * n0->e[i], last = w * n1->e[i];
    c[0][i] = first;
    c[1][i] = 3 * way - 2 * first - last;
    c[2][i] = first + last - 2 * way;
  }
}

/* A node of a finer division: by the cubic of the whole step, and once corrected. */
KERNEL_INLINE void KERNEL_NAME(find_node)(const KERNEL_NAME(long_step) * a, REAL x, REAL (*c)[2],
                                          KERNEL_NAME(node) * n, const rattle__fused *k) {
  REAL ds[2] = {UNIFORM(0), UNIFORM(0)};
  for (int i = 0; i < M; i++) n->s[i] = x * (c[0][i] + x * (c[1][i] + x * c[2][i]));
  KERNEL_NAME(look_at)(a, x, n, k);
  KERNEL_NAME(divide)(n->J, n->F, ds, k);
  for (int i = 0; i < M; i++) n->s[i] += ds[i];
  KERNEL_NAME(look_at)(a, x, n, k);
  KERNEL_NAME(find_slope)(a, x, n, k);
}

/* max(|pa|, |pb|, |pc|) of row i, from the coefficients of y^4, y^5 and y^6 in F. */
KERNEL_INLINE REAL KERNEL_NAME(rest_of)(REAL F4, REAL F5, REAL F6) {
  const REAL pa = fabs(F4 + 2 * F5 + 3 * F6), pb = fabs(F4 + 2.5 * F5 + 4 * F6),
             pc = fabs(F4 + 3 * F5 + 6 * F6);
  return LARGER(pa, LARGER(pb, pc));
}

/* Lowers `least` to x, where it is less; returns whether x is positive. */
KERNEL_INLINE MASK KERNEL_NAME(lower)(REAL x, REAL *least) {
  WHERE(x < *least, *least, x);
  return x > 0;
}

/* The parts of det J in which entries of Bezier points a and b meet. */
KERNEL_INLINE REAL KERNEL_NAME(cross)(const REAL *a, const REAL *b) {
  return a[0] * b[3] - a[1] * b[2];
}

/* Lowers `least` to the Bezier coefficients of det J, J being of degree 3; returns whether all are
 * positive. */
KERNEL_INLINE MASK KERNEL_NAME(lower_by_cubics)(REAL (*J)[4], REAL *least, const rattle__fused *k) {
  MASK good = ALL;
  (void)k;
  if (M == 1) {
    for (int e = 0; e < 4; e++) good &= KERNEL_NAME(lower)(J[e][0], least);
    return good;
  }
#define CROSS(a, b) KERNEL_NAME(cross)(J[a], J[b])
  const REAL det[7] = {CROSS(0, 0),
                       0.5 * (CROSS(0, 1) + CROSS(1, 0)),
                       0.2 * (CROSS(0, 2) + CROSS(2, 0)) + 0.6 * CROSS(1, 1),
                       0.05 * (CROSS(0, 3) + CROSS(3, 0)) + 0.45 * (CROSS(1, 2) + CROSS(2, 1)),
                       0.2 * (CROSS(1, 3) + CROSS(3, 1)) + 0.6 * CROSS(2, 2),
                       0.5 * (CROSS(2, 3) + CROSS(3, 2)),
                       CROSS(3, 3)};
  for (int e = 0; e < 7; e++) good &= KERNEL_NAME(lower)(det[e], least);
  return good;
}

/* The same of degree 1, of J at both ends */
KERNEL_INLINE MASK KERNEL_NAME(lower_by_lines)(REAL (*J)[4], REAL *least, const rattle__fused *k) {
  (void)k;
  if (M == 1) return KERNEL_NAME(lower)(J[0][0], least) & KERNEL_NAME(lower)(J[1][0], least);
  return KERNEL_NAME(lower)(CROSS(0, 0), least) & KERNEL_NAME(lower)(CROSS(1, 1), least) &
         KERNEL_NAME(lower)(0.5 * (CROSS(0, 1) + CROSS(1, 0)), least);
#undef CROSS
}

/* Adds a piece to the bounds; returns whether det J is positive on it, and F finite. */
KERNEL_INLINE MASK KERNEL_NAME(add_piece)(const KERNEL_NAME(long_step) * a, REAL x0, REAL w,
                                          const KERNEL_NAME(node) * n0,
                                          const KERNEL_NAME(node) * n1, KERNEL_NAME(bounds) * b,
                                          const rattle__fused *k) {
  const REAL third = UNIFORM(1.0 / 3);
  REAL J[4][4] = {{UNIFORM(0)}}, c[3][2], T[3][4], l1[4], l2[4];
  KERNEL_NAME(find_cubic)(w, n0, n1, c, k);
  for (int e = 0; e < 3; e++) KERNEL_NAME(turn)(a->T, c[e], T[e], k);
  for (int t = 0; t < M * M; t++) {
    l1[t] = w * (a->L1[t] + 2 * x0 * a->L2[t]), l2[t] = w * w * a->L2[t];
    const REAL j1 = third * (l1[t] - 2 * T[0][t]), j2 = third * (l2[t] - 2 * T[1][t]);
    J[0][t] = n0->J[t], J[3][t] = n1->J[t];
    J[1][t] = J[0][t] + j1;
    J[2][t] = J[1][t] + j1 + j2;
    for (int e = 0; e < 4; e++) b->J[t] = LARGER(fabs(J[e][t]), b->J[t]);
  }
  MASK good = KERNEL_NAME(lower_by_cubics)(J, &b->det, k);
  for (int i = 0; i < M; i++) {
    const REAL F6 = KERNEL_NAME(row_by)(T[2], i, c[2], k);
    const REAL F5 = 2 * KERNEL_NAME(row_by)(T[1], i, c[2], k) - KERNEL_NAME(row_by)(l2, i, c[2], k);
    const REAL F4 = KERNEL_NAME(row_by)(T[1], i, c[1], k) +
                    2 * KERNEL_NAME(row_by)(T[0], i, c[2], k) -
                    KERNEL_NAME(row_by)(l1, i, c[2], k) - KERNEL_NAME(row_by)(l2, i, c[1], k) +
                    (w * w) * (w * w) * a->K[4][i];
    const REAL F = LARGER(fabs(n0->F[i]), fabs(n1->F[i])) +
                   (4.0 / 27) * (w * (n0->slip[i] + n1->slip[i])) +
                   0.0625 * KERNEL_NAME(rest_of)(F4, F5, F6);
    const REAL s = fabs(n0->s[i]) + fabs(n1->s[i]) + w * (fabs(n0->e[i]) + fabs(n1->e[i]));
    good &= F < 1.7976931348623157e308;
    b->F[i] = LARGER(F, b->F[i]), b->s[i] = LARGER(s, b->s[i]);
  }
  return good;
}

/* Adds round-off to the bounds. */
KERNEL_INLINE void KERNEL_NAME(add_hair)(const KERNEL_NAME(long_step) * a, KERNEL_NAME(bounds) * b,
                                         const rattle__fused *k) {
  REAL T[8], Ts[4];
  for (int t = 0; t < M * M * M; t++) T[t] = fabs(a->T[t]);
  KERNEL_NAME(turn)(T, b->s, Ts, k);
  for (int t = 0; t < M * M; t++) b->by[t] = 8 * ONE_CURVE_HAIR * (a->size[t] + Ts[t]);
  for (int i = 0; i < M; i++) {
    const REAL K = fabs(a->K[1][i]) + fabs(a->K[2][i]) + fabs(a->K[3][i]) + fabs(a->K[4][i]);
    b->F[i] += a->off[i] + 8 * ONE_CURVE_HAIR *
                               (K + KERNEL_NAME(row_by)(a->size, i, b->s, k) +
                                KERNEL_NAME(row_by)(Ts, i, b->s, k));
  }
}

/* True if the multipliers of the step are proved to be the end of the curve. */
static __attribute__((noinline)) MASK KERNEL_NAME(cubics_hold)(const KERNEL_NAME(long_step) * a,
                                                               const rattle__fused *k) {
  enum { PIECES = 8 };
  KERNEL_NAME(node) n[PIECES + 1];
  REAL c[3][2];
  MASK good = NOT(ALL);
  for (int i = 0; i < M; i++) n[0].s[i] = UNIFORM(0), n[PIECES].s[i] = a->s[i];
  for (int e = 0; e <= PIECES; e += PIECES) {
    const REAL at = UNIFORM(e ? 1.0 : 0.0);
    KERNEL_NAME(look_at)(a, at, &n[e], k);
    KERNEL_NAME(find_slope)(a, at, &n[e], k);
  }
  KERNEL_NAME(find_cubic)(UNIFORM(1), &n[0], &n[PIECES], c, k);
  for (int by = PIECES; by >= 1 && ANY(NOT(good)); by /= 2) {
    const double part = 1.0 / PIECES;
    KERNEL_NAME(bounds) b = {.det = UNIFORM(1e300)};
    MASK all = ALL;
    for (int e = by; e < PIECES; e += 2 * by)
      KERNEL_NAME(find_node)(a, UNIFORM(e * part), c, &n[e], k);
    for (int e = 0; e < PIECES; e += by)
      all &= KERNEL_NAME(add_piece)(a, UNIFORM(e * part), UNIFORM(by * part), &n[e], &n[e + by], &b,
                                    k);
    KERNEL_NAME(add_hair)(a, &b, k);
    good |= all & KERNEL_NAME(bounds_hold)(a->T, &b, k);
  }
  return good;
}
#undef LARGER
