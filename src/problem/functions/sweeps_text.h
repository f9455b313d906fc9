/* The three sweeps along a tree of joints (sweeps.c) in numbers of type REAL. SWEEPS_NAME(x): the
 * name of a function; SINE_COSINE(q, &sine, &cosine). No header guard: it is included once for each
 * type of numbers, and the macros end here. */

/* A node in the sweeps; all in the axes of its frame, about its origin. Symmetric matrices are xx,
 * xy, xz, yy, yz, zz. */
typedef struct SWEEPS_NAME(state) {
  REAL c, d, r[3];               /* to the frame before: cosine and sine of a turn, place */
  REAL J[6], H[9], M[6];         /* articulated inertia: L = J w + H v + bL, P = H^T w + M v + bP */
  REAL bL[3], bP[3], h[3], m;    /* articulated momentum; first moment and mass of the subtree */
  REAL a[3], l[3], one_over, by; /* I S; 1/D, (p - S.b)/D */
  REAL g[3], w[3], v[3];         /* gravity, velocity */
  REAL E[9];                     /* axes in the frame before, where they are skew */
  REAL K[9], KH[9], t[3], rate[3], Q[4],
      p[4]; /* of a ball: J^-1, J^-1 H, momentum, J^-1 (t - bL) */
} SWEEPS_NAME(state);

#define S6(i, j) sweeps_six[i][j]

SWEEPS_INLINE void SWEEPS_NAME(cross)(const REAL *a, const REAL *b, REAL *to) {
  to[0] = a[1] * b[2] - a[2] * b[1];
  to[1] = a[2] * b[0] - a[0] * b[2];
  to[2] = a[0] * b[1] - a[1] * b[0];
}
SWEEPS_INLINE REAL SWEEPS_NAME(dot)(const REAL *a, const REAL *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
/* a, b <- c a - d b, d a + c b */
SWEEPS_INLINE void SWEEPS_NAME(mix)(REAL c, REAL d, REAL *a, REAL *b) {
  const REAL x = *a, y = *b;
  *a = c * x - d * y;
  *b = d * x + c * y;
}
/* to = E v, E^T v */
SWEEPS_INLINE void SWEEPS_NAME(times)(const REAL *E, const REAL *v, REAL *to) {
  for (int i = 0; i < 3; i++) to[i] = E[3 * i] * v[0] + E[3 * i + 1] * v[1] + E[3 * i + 2] * v[2];
}
SWEEPS_INLINE void SWEEPS_NAME(back)(const REAL *E, const REAL *v, REAL *to) {
  for (int i = 0; i < 3; i++) to[i] = E[i] * v[0] + E[3 + i] * v[1] + E[6 + i] * v[2];
}
/* Z <- E Z E^T */
SWEEPS_INLINE void SWEEPS_NAME(turn)(const REAL *E, REAL *Z) {
  REAL T[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      T[3 * i + j] = E[3 * i] * Z[j] + E[3 * i + 1] * Z[3 + j] + E[3 * i + 2] * Z[6 + j];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      Z[3 * i + j] =
          T[3 * i] * E[3 * j] + T[3 * i + 1] * E[3 * j + 1] + T[3 * i + 2] * E[3 * j + 2];
}

/* How a frame is turned in the one before: `way` is that of the node, and a number where the
 * compiler is to know it. By the few numbers of E that are neither 0 nor 1; of a symmetric matrix,
 * with c^2 + d^2 = 1, by w = d (Z_ii - Z_jj) + 2 c Z_ij. */
SWEEPS_INLINE void SWEEPS_NAME(turn_by)(int way, const SWEEPS_NAME(state) * s, REAL *Z) {
  if (way == RATTLE__SKEW) SWEEPS_NAME(turn)(s->E, Z);
  if (way >= RATTLE__STRAIGHT) return;
  const int i = (way + 1) % 3, j = (way + 2) % 3;
  for (int e = 0; e < 3; e++) SWEEPS_NAME(mix)(s->c, s->d, &Z[3 * i + e], &Z[3 * j + e]);
  for (int e = 0; e < 9; e += 3) SWEEPS_NAME(mix)(s->c, s->d, &Z[e + i], &Z[e + j]);
}
SWEEPS_INLINE void SWEEPS_NAME(turn_symmetric)(int way, const SWEEPS_NAME(state) * s, REAL *Z) {
  if (way == RATTLE__SKEW) {
    REAL full[9];
    for (int e = 0; e < 9; e++) full[e] = Z[S6(e / 3, e % 3)];
    SWEEPS_NAME(turn)(s->E, full);
    for (int i = 0; i < 3; i++)
      for (int j = i; j < 3; j++) Z[S6(i, j)] = full[3 * i + j];
  }
  if (way >= RATTLE__STRAIGHT) return;
  const int i = (way + 1) % 3, j = (way + 2) % 3;
  REAL *ii = &Z[S6(i, i)], *ij = &Z[S6(i, j)], *jj = &Z[S6(j, j)];
  const REAL w = s->d * (*ii - *jj) + 2.0 * (s->c * *ij);
  SWEEPS_NAME(mix)(s->c, s->d, &Z[S6(way, i)], &Z[S6(way, j)]);
  *ii -= s->d * w, *jj += s->d * w, *ij = s->c * w - *ij;
}
/* to = E v, E^T v */
SWEEPS_INLINE void SWEEPS_NAME(times_by)(int way, const SWEEPS_NAME(state) * s, const REAL *v,
                                         REAL *to) {
  if (way == RATTLE__SKEW) {
    SWEEPS_NAME(times)(s->E, v, to);
    return;
  }
  for (int e = 0; e < 3; e++) to[e] = v[e];
  if (way < RATTLE__STRAIGHT) SWEEPS_NAME(mix)(s->c, s->d, &to[(way + 1) % 3], &to[(way + 2) % 3]);
}
SWEEPS_INLINE void SWEEPS_NAME(back_by)(int way, const SWEEPS_NAME(state) * s, const REAL *v,
                                        REAL *to) {
  if (way == RATTLE__SKEW) {
    SWEEPS_NAME(back)(s->E, v, to);
    return;
  }
  for (int e = 0; e < 3; e++) to[e] = v[e];
  if (way < RATTLE__STRAIGHT) SWEEPS_NAME(mix)(s->c, s->d, &to[(way + 2) % 3], &to[(way + 1) % 3]);
}

/* --- outwards: frames ------------------------------------------------------------------------- */

SWEEPS_INLINE void SWEEPS_NAME(place_ball)(const rattle__sweep_node *node, const REAL *x, int n,
                                           SWEEPS_NAME(state) * s) {
  REAL *Q = s->Q, *p = s->p;
  for (int i = 0; i < 4; i++) {
    const double sign = i ? node->sign : 1; /* the conjugate turns the other way */
    Q[i] = sign * x[node->pair[i]];
    p[i] = sign * x[n + node->pair[i]];
  }
  const REAL f = 2.0 / (Q[0] * Q[0] + Q[1] * Q[1] + Q[2] * Q[2] + Q[3] * Q[3]);
  const REAL w = f * Q[0], X = f * Q[1], Y = f * Q[2], Z = f * Q[3];
  const REAL R[9] = {
      1 - (Y * Q[2] + Z * Q[3]), X * Q[2] - w * Q[3],         X * Q[3] + w * Q[2],
      X * Q[2] + w * Q[3],       1.0 - (X * Q[1] + Z * Q[3]), Y * Q[3] - w * Q[1],
      X * Q[3] - w * Q[2],       Y * Q[3] + w * Q[1],         1.0 - (X * Q[1] + Y * Q[2])};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      s->E[3 * i + j] = node->turn[3 * i] * R[j] + node->turn[3 * i + 1] * R[3 + j] +
                        node->turn[3 * i + 2] * R[6 + j];
  /* t = half of the vector of Q* p */
  s->t[0] = 0.5 * (Q[0] * p[1] - Q[1] * p[0] - Q[2] * p[3] + Q[3] * p[2]);
  s->t[1] = 0.5 * (Q[0] * p[2] - Q[2] * p[0] - Q[3] * p[1] + Q[1] * p[3]);
  s->t[2] = 0.5 * (Q[0] * p[3] - Q[3] * p[0] - Q[1] * p[2] + Q[2] * p[1]);
}

SWEEPS_INLINE void SWEEPS_NAME(place)(const rattle__sweep_node *node, const REAL *x, int n,
                                      const REAL *g, SWEEPS_NAME(state) * s) {
  const REAL zero = {0}, q = x[node->pair[0]];
  const int k = node->axis, i = (k + 1) % 3, j = (k + 2) % 3;
  const double *C = node->turn;
  for (int e = 0; e < 9 && node->way == RATTLE__SKEW; e++) s->E[e] = zero + C[e];
  for (int e = 0; e < 3; e++) s->r[e] = zero + node->r[e];
  if (node->kind == RATTLE__BALL) {
    SWEEPS_NAME(place_ball)(node, x, n, s);
  } else if (node->kind == RATTLE__SLIDE) {
    for (int e = 0; e < 3; e++) s->r[e] += node->sign * C[3 * e + k] * q;
  } else {
    REAL c, d;
    SINE_COSINE(q, &d, &c);
    d = node->sign * d;
    s->c = c * C[4 * i] + d * C[3 * i + j], s->d = c * C[3 * j + i] + d * C[4 * j];
    for (int e = 0; e < 9 && node->way == RATTLE__SKEW; e += 3) {
      s->E[e + i] = c * C[e + i] + d * C[e + j];
      s->E[e + j] = c * C[e + j] - d * C[e + i];
    }
  }
  SWEEPS_NAME(back_by)(node->way, s, g, s->g);
  for (int e = 0; e < 6; e++) s->J[e] = zero + node->inertia[e], s->M[e] = zero;
  for (int e = 0; e < 3; e++) {
    s->M[S6(e, e)] = zero + node->mass;
    s->bL[e] = s->bP[e] = zero;
    s->h[e] = zero + node->first[e];
    s->H[4 * e] = zero;
  }
  s->H[1] = -s->h[2], s->H[2] = s->h[1], s->H[3] = s->h[2];
  s->H[5] = -s->h[0], s->H[6] = -s->h[1], s->H[7] = s->h[0];
  s->m = zero + node->mass;
}

/* --- inwards: elimination --------------------------------------------------------------------- */

/* The inertia and momentum that are left without the joint, which turns or slides along the axis k;
 * returns its part of T. */
SWEEPS_INLINE REAL SWEEPS_NAME(cut)(const rattle__sweep_node *node, int turns, int k, const REAL *x,
                                    int n, SWEEPS_NAME(state) * s, REAL *J, REAL *H, REAL *M,
                                    REAL *bL, REAL *bP) {
  for (int e = 0; e < 3; e++) {
    s->a[e] = turns ? s->J[S6(e, k)] : s->H[3 * e + k];
    s->l[e] = turns ? s->H[3 * k + e] : s->M[S6(e, k)];
  }
  s->one_over = 1.0 / ((turns ? s->a[k] : s->l[k]) + node->armature);
  const REAL u = node->sign * x[n + node->pair[0]] - (turns ? s->bL[k] : s->bP[k]);
  s->by = u * s->one_over;
  for (int i = 0; i < 3; i++) {
    const REAL a = s->a[i] * s->one_over, l = s->l[i] * s->one_over;
    for (int j = i; j < 3; j++) {
      J[S6(i, j)] = s->J[S6(i, j)] - a * s->a[j];
      M[S6(i, j)] = s->M[S6(i, j)] - l * s->l[j];
    }
    for (int j = 0; j < 3; j++) H[3 * i + j] = s->H[3 * i + j] - a * s->l[j];
    bL[i] = s->bL[i] + s->a[i] * s->by;
    bP[i] = s->bP[i] + s->l[i] * s->by;
  }
  return 0.5 * u * s->by;
}

SWEEPS_INLINE REAL SWEEPS_NAME(cut_ball)(const rattle__sweep_node *node, SWEEPS_NAME(state) * s,
                                         REAL *J, REAL *H, REAL *M, REAL *bL, REAL *bP) {
  const REAL *A = s->J, zero = {0};
  const REAL c0 = A[3] * A[5] - A[4] * A[4], c1 = A[2] * A[4] - A[1] * A[5],
             c2 = A[1] * A[4] - A[2] * A[3], d = 1.0 / (A[0] * c0 + A[1] * c1 + A[2] * c2);
  const REAL K[9] = {c0 * d,
                     c1 * d,
                     c2 * d,
                     c1 * d,
                     (A[0] * A[5] - A[2] * A[2]) * d,
                     (A[1] * A[2] - A[0] * A[4]) * d,
                     c2 * d,
                     (A[1] * A[2] - A[0] * A[4]) * d,
                     (A[0] * A[3] - A[1] * A[1]) * d};
  REAL u[3];
  for (int i = 0; i < 3; i++) u[i] = s->t[i] - s->bL[i];
  SWEEPS_NAME(times)(K, u, s->rate);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      s->KH[3 * i + j] =
          K[3 * i] * s->H[j] + K[3 * i + 1] * s->H[3 + j] + K[3 * i + 2] * s->H[6 + j];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) H[3 * i + j] = zero;
    for (int j = i; j < 3; j++) {
      J[S6(i, j)] = zero;
      M[S6(i, j)] = s->M[S6(i, j)] -
                    (s->H[i] * s->KH[j] + s->H[3 + i] * s->KH[3 + j] + s->H[6 + i] * s->KH[6 + j]);
    }
    bL[i] = s->t[i];
    bP[i] = s->bP[i] + s->H[i] * s->rate[0] + s->H[3 + i] * s->rate[1] + s->H[6 + i] * s->rate[2];
  }
  s->by = s->Q[0] * s->p[0] + s->Q[1] * s->p[1] + s->Q[2] * s->p[2] + s->Q[3] * s->p[3];
  return 0.5 * SWEEPS_NAME(dot)(u, s->rate) + s->by * s->by / (8 * node->scale);
}

/* The node's share of the inertia and momentum of the one before. */
SWEEPS_INLINE void SWEEPS_NAME(pass)(int way, const SWEEPS_NAME(state) * s, REAL *J, REAL *H,
                                     REAL *M, const REAL *bL, const REAL *bP,
                                     SWEEPS_NAME(state) * to) {
  const REAL *r = s->r;
  REAL X[9], L[3], P[3], moved[3], first[3];
  SWEEPS_NAME(turn_symmetric)(way, s, J), SWEEPS_NAME(turn_by)(way, s, H);
  SWEEPS_NAME(turn_symmetric)(way, s, M);
  for (int j = 0; j < 3; j++) { /* X = H + r x M */
    X[j] = H[j] + r[1] * M[S6(2, j)] - r[2] * M[S6(1, j)];
    X[3 + j] = H[3 + j] + r[2] * M[S6(0, j)] - r[0] * M[S6(2, j)];
    X[6 + j] = H[6 + j] + r[0] * M[S6(1, j)] - r[1] * M[S6(0, j)];
  }
  for (int i = 0; i < 3; i++) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = i; j < 3; j++) {
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      /* J - H rx + rx X^T */
      to->J[S6(i, j)] += J[S6(i, j)] + (r[j1] * H[3 * i + j2] - r[j2] * H[3 * i + j1]) +
                         (r[i1] * X[3 * j + i2] - r[i2] * X[3 * j + i1]);
      to->M[S6(i, j)] += M[S6(i, j)];
    }
  }
  for (int e = 0; e < 9; e++) to->H[e] += X[e];
  SWEEPS_NAME(times_by)(way, s, bL, L), SWEEPS_NAME(times_by)(way, s, bP, P);
  SWEEPS_NAME(times_by)(way, s, s->h, first), SWEEPS_NAME(cross)(r, P, moved);
  for (int e = 0; e < 3; e++) {
    to->bL[e] += L[e] + moved[e];
    to->bP[e] += P[e];
    to->h[e] += first[e] + s->m * r[e];
  }
  to->m += s->m;
}

/* A node, whose inertia and momentum go to the one before; H less its part. */
SWEEPS_INLINE REAL SWEEPS_NAME(inwards)(const rattle__sweep_node *node, int kind, int k, int way,
                                        const REAL *x, int n, const REAL *g0,
                                        SWEEPS_NAME(state) * all, SWEEPS_NAME(state) * s) {
  REAL J[6], H[9], M[6], bL[3], bP[3], first[3];
  REAL part = kind == RATTLE__BALL
                  ? SWEEPS_NAME(cut_ball)(node, s, J, H, M, bL, bP)
                  : SWEEPS_NAME(cut)(node, kind == RATTLE__TURN, k, x, n, s, J, H, M, bL, bP);
  if (node->before >= 0) {
    SWEEPS_NAME(pass)(way, s, J, H, M, bL, bP, &all[node->before]);
  } else { /* the weight: - g.(first moment of the tree) */
    SWEEPS_NAME(times_by)(way, s, s->h, first);
    for (int e = 0; e < 3; e++) part -= g0[e] * (first[e] + s->m * s->r[e]);
  }
  return part;
}

/* --- outwards: rates -------------------------------------------------------------------------- */

/* The momentum of the subtree, and its moment about the origin. */
SWEEPS_INLINE void SWEEPS_NAME(momenta)(const SWEEPS_NAME(state) * s, REAL *L, REAL *P) {
  for (int i = 0; i < 3; i++) {
    L[i] = s->bL[i], P[i] = s->bP[i];
    for (int j = 0; j < 3; j++) {
      L[i] += s->J[S6(i, j)] * s->w[j] + s->H[3 * i + j] * s->v[j];
      P[i] += s->H[3 * j + i] * s->w[j] + s->M[S6(i, j)] * s->v[j];
    }
  }
}

/* Y[2n] <- the gradient of the node's pair. */
SWEEPS_INLINE void SWEEPS_NAME(rate_line)(const rattle__sweep_node *node, int turns, int k, int n,
                                          SWEEPS_NAME(state) * s, REAL *Y) {
  const int i = (k + 1) % 3, j = (k + 2) % 3;
  REAL L[3], P[3];
  const REAL rate =
      s->by - (SWEEPS_NAME(dot)(s->a, s->w) + SWEEPS_NAME(dot)(s->l, s->v)) * s->one_over;
  if (turns)
    s->w[k] += rate;
  else
    s->v[k] += rate;
  SWEEPS_NAME(momenta)(s, L, P);
  /* P.(V x S) + S.(weight): with e_i x e_j = e_k, a.(b x e_k) = a_i b_j - a_j b_i */
  REAL push;
  if (turns)
    push = L[i] * s->w[j] - L[j] * s->w[i] + P[i] * s->v[j] - P[j] * s->v[i] + s->h[i] * s->g[j] -
           s->h[j] * s->g[i];
  else
    push = P[i] * s->w[j] - P[j] * s->w[i] + s->m * s->g[k];
  Y[n + node->pair[0]] = node->sign * rate;
  Y[node->pair[0]] = -node->sign * push;
}

SWEEPS_INLINE void SWEEPS_NAME(rate_ball)(const rattle__sweep_node *node, int n,
                                          SWEEPS_NAME(state) * s, REAL *Y) {
  const REAL *Q = s->Q, *p = s->p;
  REAL before[3], KHv[3], L[3], P[3], a[3], b[3], c[3], f[3], u[3];
  SWEEPS_NAME(times)(s->KH, s->v, KHv);
  for (int e = 0; e < 3; e++) {
    before[e] = s->w[e];
    s->w[e] = s->rate[e] - KHv[e];
    u[e] = 0.5 * (s->w[e] - before[e]);
  }
  SWEEPS_NAME(momenta)(s, L, P);
  SWEEPS_NAME(cross)(s->t, before, a), SWEEPS_NAME(cross)(P, s->v, b);
  SWEEPS_NAME(cross)(s->h, s->g, c);
  const REAL size = 2.0 / (Q[0] * Q[0] + Q[1] * Q[1] + Q[2] * Q[2] + Q[3] * Q[3]);
  for (int e = 0; e < 3; e++) f[e] = size * (a[e] + b[e] + c[e]);
  /* Q' = Q u/2, p' = p u/2 + 2 Q f/|Q|^2, as quaternions */
  const REAL dQ[4] = {
      -Q[1] * u[0] - Q[2] * u[1] - Q[3] * u[2], Q[0] * u[0] + Q[2] * u[2] - Q[3] * u[1],
      Q[0] * u[1] + Q[3] * u[0] - Q[1] * u[2], Q[0] * u[2] + Q[1] * u[1] - Q[2] * u[0]};
  const REAL dp[4] = {
      -p[1] * u[0] - p[2] * u[1] - p[3] * u[2] - Q[1] * f[0] - Q[2] * f[1] - Q[3] * f[2],
      p[0] * u[0] + p[2] * u[2] - p[3] * u[1] + Q[0] * f[0] + Q[2] * f[2] - Q[3] * f[1],
      p[0] * u[1] + p[3] * u[0] - p[1] * u[2] + Q[0] * f[1] + Q[3] * f[0] - Q[1] * f[2],
      p[0] * u[2] + p[1] * u[1] - p[2] * u[0] + Q[0] * f[2] + Q[1] * f[1] - Q[2] * f[0]};
  for (int e = 0; e < 4; e++) {
    const double sign = e ? node->sign : 1;
    Y[n + node->pair[e]] = sign * (dQ[e] + s->by * Q[e] / (4 * node->scale));
    Y[node->pair[e]] = sign * (s->by * p[e] / (4 * node->scale) - dp[e]);
  }
}

/* The velocity of a node, and the gradient of its pairs. */
SWEEPS_INLINE void SWEEPS_NAME(outwards)(const rattle__sweep_node *node, int kind, int k, int way,
                                         int n, SWEEPS_NAME(state) * all, SWEEPS_NAME(state) * s,
                                         REAL *Y) {
  const REAL zero = {0};
  REAL across[3];
  if (node->before < 0) {
    for (int e = 0; e < 3; e++) s->w[e] = s->v[e] = zero;
  } else {
    const SWEEPS_NAME(state) *before = &all[node->before];
    SWEEPS_NAME(back_by)(way, s, before->w, s->w);
    SWEEPS_NAME(cross)(before->w, s->r, across);
    for (int e = 0; e < 3; e++) across[e] += before->v[e];
    SWEEPS_NAME(back_by)(way, s, across, s->v);
  }
  if (kind == RATTLE__BALL)
    SWEEPS_NAME(rate_ball)(node, n, s, Y);
  else
    SWEEPS_NAME(rate_line)(node, kind == RATTLE__TURN, k, n, s, Y);
}

/* F(node, kind, axis, way, ...) for a node: of hinges along an axis of the frame before too, which
 * most are, by a text of its own for each axis. */
#define FOR_THE_NODE(F, node, ...)                                                                 \
  switch (rattle__sweep_plain_axis(node)) {                                                        \
  case 0:                                                                                          \
    F(node, RATTLE__TURN, 0, 0, __VA_ARGS__);                                                      \
    break;                                                                                         \
  case 1:                                                                                          \
    F(node, RATTLE__TURN, 1, 1, __VA_ARGS__);                                                      \
    break;                                                                                         \
  case 2:                                                                                          \
    F(node, RATTLE__TURN, 2, 2, __VA_ARGS__);                                                      \
    break;                                                                                         \
  default:                                                                                         \
    F(node, node->kind, node->axis, node->way, __VA_ARGS__);                                       \
  }

/* H of the nodes at x = (q, p) [2n], and the gradient by their pairs into Y [2n], if that is not
 * NULL. */
SWEEPS_INLINE REAL SWEEPS_NAME(sweep)(const rattle__model_sweeps *tree, int n, const REAL *x,
                                      REAL *Y, SWEEPS_NAME(state) * s) {
  REAL g0[3], H = {0};
  const REAL zero = {0};
  for (int e = 0; e < 3; e++) g0[e] = zero + tree->gravity[e];
  for (int i = 0; i < tree->count; i++) {
    const rattle__sweep_node *node = &tree->node[i];
    SWEEPS_NAME(place)(node, x, n, node->before < 0 ? g0 : s[node->before].g, &s[i]);
  }
  for (int i = tree->count - 1; i >= 0; i--)
    FOR_THE_NODE(H += SWEEPS_NAME(inwards), (&tree->node[i]), x, n, g0, s, &s[i])
  for (int i = 0; i < tree->count && Y; i++)
    FOR_THE_NODE(SWEEPS_NAME(outwards), (&tree->node[i]), n, s, &s[i], Y)
  return H;
}
#undef FOR_THE_NODE
#undef S6
#undef SINE_LARGEST
#undef SINE_SHIFT
#undef REAL
#undef SWEEPS_NAME
#undef SWEEPS_INLINE
#undef SINE_COSINE
