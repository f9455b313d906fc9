/* The three sweeps along a tree of joints (sweeps.c) in numbers of type REAL. SWEEPS_NAME(x): the
 * name of a function; SINE_COSINE(q, &sine, &cosine). Arithmetic is in words, since numbers may be
 * symbols (sweeps_symbols.h), which write down what is done with them; an operand may be a double.
 * No header guard: it is included once for each type of numbers, and the macros end here. */
#ifndef ADD
#define NUMBER(x) ((REAL){0} + (x))
#define ADD(a, b) ((a) + (b))
#define SUB(a, b) ((a) - (b))
#define MUL(a, b) ((a) * (b))
#define DIV(a, b) ((a) / (b))
#endif
#define ADD3(a, b, c) ADD(ADD(a, b), c)
#define ADD_TO(to, a) ((to) = ADD(to, a))
/* a b - c d */
#define MINOR(a, b, c, d) SUB(MUL(a, b), MUL(c, d))
/* a b + c d + e f */
#define THREE(a, b, c, d, e, f) ADD3(MUL(a, b), MUL(c, d), MUL(e, f))

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
  to[0] = MINOR(a[1], b[2], a[2], b[1]);
  to[1] = MINOR(a[2], b[0], a[0], b[2]);
  to[2] = MINOR(a[0], b[1], a[1], b[0]);
}
SWEEPS_INLINE REAL SWEEPS_NAME(dot)(const REAL *a, const REAL *b) {
  return THREE(a[0], b[0], a[1], b[1], a[2], b[2]);
}
/* a, b <- c a - d b, d a + c b */
SWEEPS_INLINE void SWEEPS_NAME(mix)(REAL c, REAL d, REAL *a, REAL *b) {
  const REAL x = *a, y = *b;
  *a = MINOR(c, x, d, y);
  *b = ADD(MUL(d, x), MUL(c, y));
}
/* to = E v, E^T v */
SWEEPS_INLINE void SWEEPS_NAME(times)(const REAL *E, const REAL *v, REAL *to) {
  for (int i = 0; i < 3; i++) to[i] = THREE(E[3 * i], v[0], E[3 * i + 1], v[1], E[3 * i + 2], v[2]);
}
SWEEPS_INLINE void SWEEPS_NAME(back)(const REAL *E, const REAL *v, REAL *to) {
  for (int i = 0; i < 3; i++) to[i] = THREE(E[i], v[0], E[3 + i], v[1], E[6 + i], v[2]);
}
/* Z <- E Z E^T */
SWEEPS_INLINE void SWEEPS_NAME(turn)(const REAL *E, REAL *Z) {
  REAL T[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      T[3 * i + j] = THREE(E[3 * i], Z[j], E[3 * i + 1], Z[3 + j], E[3 * i + 2], Z[6 + j]);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      Z[3 * i + j] =
          THREE(T[3 * i], E[3 * j], T[3 * i + 1], E[3 * j + 1], T[3 * i + 2], E[3 * j + 2]);
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
  const REAL w = ADD(MUL(s->d, SUB(*ii, *jj)), MUL(2.0, MUL(s->c, *ij))), dw = MUL(s->d, w);
  SWEEPS_NAME(mix)(s->c, s->d, &Z[S6(way, i)], &Z[S6(way, j)]);
  *ii = SUB(*ii, dw), *jj = ADD(*jj, dw), *ij = SUB(MUL(s->c, w), *ij);
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

SWEEPS_INLINE REAL SWEEPS_NAME(norm2)(const REAL *Q) {
  return ADD(THREE(Q[0], Q[0], Q[1], Q[1], Q[2], Q[2]), MUL(Q[3], Q[3]));
}

/* --- outwards: frames ------------------------------------------------------------------------- */

SWEEPS_INLINE void SWEEPS_NAME(place_ball)(const rattle__sweep_node *node, const REAL *x, int n,
                                           SWEEPS_NAME(state) * s) {
  REAL *Q = s->Q, *p = s->p;
  for (int i = 0; i < 4; i++) {
    const double sign = i ? node->sign : 1; /* the conjugate turns the other way */
    Q[i] = MUL(sign, x[node->pair[i]]);
    p[i] = MUL(sign, x[n + node->pair[i]]);
  }
  const REAL f = DIV(2.0, SWEEPS_NAME(norm2)(Q));
  const REAL w = MUL(f, Q[0]), X = MUL(f, Q[1]), Y = MUL(f, Q[2]), Z = MUL(f, Q[3]);
  const REAL xx = MUL(X, Q[1]), xy = MUL(X, Q[2]), xz = MUL(X, Q[3]), yy = MUL(Y, Q[2]),
             yz = MUL(Y, Q[3]), zz = MUL(Z, Q[3]), wx = MUL(w, Q[1]), wy = MUL(w, Q[2]),
             wz = MUL(w, Q[3]);
  const REAL R[9] = {SUB(1.0, ADD(yy, zz)), SUB(xy, wz),           ADD(xz, wy),
                     ADD(xy, wz),           SUB(1.0, ADD(xx, zz)), SUB(yz, wx),
                     SUB(xz, wy),           ADD(yz, wx),           SUB(1.0, ADD(xx, yy))};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      s->E[3 * i + j] = THREE(node->turn[3 * i], R[j], node->turn[3 * i + 1], R[3 + j],
                              node->turn[3 * i + 2], R[6 + j]);
  /* t = half of the vector of Q* p */
  for (int i = 0; i < 3; i++) {
    const int a = 1 + i, b = 1 + (i + 1) % 3, c = 1 + (i + 2) % 3;
    s->t[i] = MUL(0.5, ADD(SUB(MINOR(Q[0], p[a], Q[a], p[0]), MUL(Q[b], p[c])), MUL(Q[c], p[b])));
  }
}

SWEEPS_INLINE void SWEEPS_NAME(place)(const rattle__sweep_node *node, const REAL *x, int n,
                                      const REAL *g, SWEEPS_NAME(state) * s) {
  const REAL q = x[node->pair[0]];
  const int k = node->axis, i = (k + 1) % 3, j = (k + 2) % 3;
  const double *C = node->turn;
  for (int e = 0; e < 9 && node->way == RATTLE__SKEW; e++) s->E[e] = NUMBER(C[e]);
  for (int e = 0; e < 3; e++) s->r[e] = NUMBER(node->r[e]);
  if (node->kind == RATTLE__BALL) {
    SWEEPS_NAME(place_ball)(node, x, n, s);
  } else if (node->kind == RATTLE__SLIDE) {
    for (int e = 0; e < 3; e++) ADD_TO(s->r[e], MUL(node->sign * C[3 * e + k], q));
  } else {
    REAL c, d;
    SINE_COSINE(q, &d, &c);
    d = MUL(node->sign, d);
    s->c = ADD(MUL(c, C[4 * i]), MUL(d, C[3 * i + j]));
    s->d = ADD(MUL(c, C[3 * j + i]), MUL(d, C[4 * j]));
    for (int e = 0; e < 9 && node->way == RATTLE__SKEW; e += 3) {
      s->E[e + i] = ADD(MUL(c, C[e + i]), MUL(d, C[e + j]));
      s->E[e + j] = MINOR(c, C[e + j], d, C[e + i]);
    }
  }
  SWEEPS_NAME(back_by)(node->way, s, g, s->g);
  const double *h = node->first;
  const double H[9] = {0, -h[2], h[1], h[2], 0, -h[0], -h[1], h[0], 0};
  for (int e = 0; e < 6; e++) s->J[e] = NUMBER(node->inertia[e]), s->M[e] = NUMBER(0);
  for (int e = 0; e < 9; e++) s->H[e] = NUMBER(H[e]);
  for (int e = 0; e < 3; e++) {
    s->M[S6(e, e)] = NUMBER(node->mass);
    s->bL[e] = s->bP[e] = NUMBER(0);
    s->h[e] = NUMBER(h[e]);
  }
  s->m = NUMBER(node->mass);
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
  s->one_over = DIV(1.0, ADD(turns ? s->a[k] : s->l[k], node->armature));
  const REAL u = SUB(MUL(node->sign, x[n + node->pair[0]]), turns ? s->bL[k] : s->bP[k]);
  s->by = MUL(u, s->one_over);
  for (int i = 0; i < 3; i++) {
    const REAL a = MUL(s->a[i], s->one_over), l = MUL(s->l[i], s->one_over);
    for (int j = i; j < 3; j++) {
      J[S6(i, j)] = SUB(s->J[S6(i, j)], MUL(a, s->a[j]));
      M[S6(i, j)] = SUB(s->M[S6(i, j)], MUL(l, s->l[j]));
    }
    for (int j = 0; j < 3; j++) H[3 * i + j] = SUB(s->H[3 * i + j], MUL(a, s->l[j]));
    bL[i] = ADD(s->bL[i], MUL(s->a[i], s->by));
    bP[i] = ADD(s->bP[i], MUL(s->l[i], s->by));
  }
  return MUL(MUL(0.5, u), s->by);
}

SWEEPS_INLINE REAL SWEEPS_NAME(cut_ball)(const rattle__sweep_node *node, SWEEPS_NAME(state) * s,
                                         REAL *J, REAL *H, REAL *M, REAL *bL, REAL *bP) {
  const REAL *A = s->J;
  const REAL c0 = MINOR(A[3], A[5], A[4], A[4]), c1 = MINOR(A[2], A[4], A[1], A[5]),
             c2 = MINOR(A[1], A[4], A[2], A[3]), d = DIV(1.0, THREE(A[0], c0, A[1], c1, A[2], c2));
  const REAL xx = MUL(c0, d), xy = MUL(c1, d), xz = MUL(c2, d),
             yy = MUL(MINOR(A[0], A[5], A[2], A[2]), d), yz = MUL(MINOR(A[1], A[2], A[0], A[4]), d),
             zz = MUL(MINOR(A[0], A[3], A[1], A[1]), d);
  const REAL K[9] = {xx, xy, xz, xy, yy, yz, xz, yz, zz};
  REAL u[3];
  for (int i = 0; i < 3; i++) u[i] = SUB(s->t[i], s->bL[i]);
  SWEEPS_NAME(times)(K, u, s->rate);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      s->KH[3 * i + j] =
          THREE(K[3 * i], s->H[j], K[3 * i + 1], s->H[3 + j], K[3 * i + 2], s->H[6 + j]);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) H[3 * i + j] = NUMBER(0);
    for (int j = i; j < 3; j++) {
      J[S6(i, j)] = NUMBER(0);
      M[S6(i, j)] = SUB(s->M[S6(i, j)], THREE(s->H[i], s->KH[j], s->H[3 + i], s->KH[3 + j],
                                              s->H[6 + i], s->KH[6 + j]));
    }
    bL[i] = s->t[i], bP[i] = s->bP[i];
    for (int j = 0; j < 3; j++) ADD_TO(bP[i], MUL(s->H[3 * j + i], s->rate[j]));
  }
  s->by = ADD(SWEEPS_NAME(dot)(s->Q, s->p), MUL(s->Q[3], s->p[3]));
  return ADD(MUL(0.5, SWEEPS_NAME(dot)(u, s->rate)), DIV(MUL(s->by, s->by), 8 * node->scale));
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
    const REAL *x = &M[S6(0, j)], *y = &M[S6(1, j)], *z = &M[S6(2, j)];
    X[j] = SUB(ADD(H[j], MUL(r[1], *z)), MUL(r[2], *y));
    X[3 + j] = SUB(ADD(H[3 + j], MUL(r[2], *x)), MUL(r[0], *z));
    X[6 + j] = SUB(ADD(H[6 + j], MUL(r[0], *y)), MUL(r[1], *x));
  }
  for (int i = 0; i < 3; i++) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = i; j < 3; j++) {
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      /* J - H rx + rx X^T */
      ADD_TO(to->J[S6(i, j)], ADD3(J[S6(i, j)], MINOR(r[j1], H[3 * i + j2], r[j2], H[3 * i + j1]),
                                   MINOR(r[i1], X[3 * j + i2], r[i2], X[3 * j + i1])));
      ADD_TO(to->M[S6(i, j)], M[S6(i, j)]);
    }
  }
  for (int e = 0; e < 9; e++) ADD_TO(to->H[e], X[e]);
  SWEEPS_NAME(times_by)(way, s, bL, L), SWEEPS_NAME(times_by)(way, s, bP, P);
  SWEEPS_NAME(times_by)(way, s, s->h, first), SWEEPS_NAME(cross)(r, P, moved);
  for (int e = 0; e < 3; e++) {
    ADD_TO(to->bL[e], ADD(L[e], moved[e]));
    ADD_TO(to->bP[e], P[e]);
    ADD_TO(to->h[e], ADD(first[e], MUL(s->m, r[e])));
  }
  ADD_TO(to->m, s->m);
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
    for (int e = 0; e < 3; e++) part = SUB(part, MUL(g0[e], ADD(first[e], MUL(s->m, s->r[e]))));
  }
  return part;
}

/* --- outwards: rates -------------------------------------------------------------------------- */

/* The momentum of the subtree, and its moment about the origin. */
SWEEPS_INLINE void SWEEPS_NAME(momenta)(const SWEEPS_NAME(state) * s, REAL *L, REAL *P) {
  for (int i = 0; i < 3; i++) {
    L[i] = s->bL[i], P[i] = s->bP[i];
    for (int j = 0; j < 3; j++) {
      ADD_TO(L[i], ADD(MUL(s->J[S6(i, j)], s->w[j]), MUL(s->H[3 * i + j], s->v[j])));
      ADD_TO(P[i], ADD(MUL(s->H[3 * j + i], s->w[j]), MUL(s->M[S6(i, j)], s->v[j])));
    }
  }
}

/* Y[2n] <- the gradient of the node's pair. */
SWEEPS_INLINE void SWEEPS_NAME(rate_line)(const rattle__sweep_node *node, int turns, int k, int n,
                                          SWEEPS_NAME(state) * s, REAL *Y) {
  const int i = (k + 1) % 3, j = (k + 2) % 3;
  REAL L[3], P[3];
  const REAL rate =
      SUB(s->by, MUL(ADD(SWEEPS_NAME(dot)(s->a, s->w), SWEEPS_NAME(dot)(s->l, s->v)), s->one_over));
  if (turns)
    ADD_TO(s->w[k], rate);
  else
    ADD_TO(s->v[k], rate);
  SWEEPS_NAME(momenta)(s, L, P);
  /* P.(V x S) + S.(weight): with e_i x e_j = e_k, a.(b x e_k) = a_i b_j - a_j b_i */
  const REAL *at = turns ? s->v : s->w;
  REAL push = turns ? MINOR(L[i], s->w[j], L[j], s->w[i]) : NUMBER(0);
  push = SUB(ADD(push, MUL(P[i], at[j])), MUL(P[j], at[i]));
  push = turns ? SUB(ADD(push, MUL(s->h[i], s->g[j])), MUL(s->h[j], s->g[i]))
               : ADD(push, MUL(s->m, s->g[k]));
  Y[n + node->pair[0]] = ADD(NUMBER(0), MUL(node->sign, rate));
  Y[node->pair[0]] = ADD(NUMBER(0), MUL(-node->sign, push));
}

/* to += Q u of quaternions, u a vector */
SWEEPS_INLINE void SWEEPS_NAME(add_quaternion)(const REAL *Q, const REAL *u, REAL *to) {
  for (int e = 0; e < 3; e++) to[0] = SUB(to[0], MUL(Q[1 + e], u[e]));
  to[1] = SUB(ADD3(to[1], MUL(Q[0], u[0]), MUL(Q[2], u[2])), MUL(Q[3], u[1]));
  to[2] = SUB(ADD3(to[2], MUL(Q[0], u[1]), MUL(Q[3], u[0])), MUL(Q[1], u[2]));
  to[3] = SUB(ADD3(to[3], MUL(Q[0], u[2]), MUL(Q[1], u[1])), MUL(Q[2], u[0]));
}

SWEEPS_INLINE void SWEEPS_NAME(rate_ball)(const rattle__sweep_node *node, int n,
                                          SWEEPS_NAME(state) * s, REAL *Y) {
  const REAL *Q = s->Q, *p = s->p;
  REAL before[3], KHv[3], L[3], P[3], a[3], b[3], c[3], f[3], u[3];
  SWEEPS_NAME(times)(s->KH, s->v, KHv);
  for (int e = 0; e < 3; e++) {
    before[e] = s->w[e];
    s->w[e] = SUB(s->rate[e], KHv[e]);
    u[e] = MUL(0.5, SUB(s->w[e], before[e]));
  }
  SWEEPS_NAME(momenta)(s, L, P);
  SWEEPS_NAME(cross)(s->t, before, a), SWEEPS_NAME(cross)(P, s->v, b);
  SWEEPS_NAME(cross)(s->h, s->g, c);
  const REAL size = DIV(2.0, SWEEPS_NAME(norm2)(Q));
  for (int e = 0; e < 3; e++) f[e] = MUL(size, ADD3(a[e], b[e], c[e]));
  /* Q' = Q u/2, p' = p u/2 + 2 Q f/|Q|^2 */
  REAL dQ[4], dp[4];
  for (int e = 0; e < 4; e++) dQ[e] = dp[e] = NUMBER(0);
  SWEEPS_NAME(add_quaternion)(Q, u, dQ);
  SWEEPS_NAME(add_quaternion)(p, u, dp), SWEEPS_NAME(add_quaternion)(Q, f, dp);
  const double scale = 4 * node->scale;
  for (int e = 0; e < 4; e++) {
    const double sign = e ? node->sign : 1;
    const REAL rate = ADD(dQ[e], DIV(MUL(s->by, Q[e]), scale)),
               push = SUB(DIV(MUL(s->by, p[e]), scale), dp[e]);
    Y[n + node->pair[e]] = ADD(NUMBER(0), MUL(sign, rate));
    Y[node->pair[e]] = ADD(NUMBER(0), MUL(sign, push));
  }
}

/* The velocity of a node, and the gradient of its pairs. */
SWEEPS_INLINE void SWEEPS_NAME(outwards)(const rattle__sweep_node *node, int kind, int k, int way,
                                         int n, SWEEPS_NAME(state) * all, SWEEPS_NAME(state) * s,
                                         REAL *Y) {
  REAL across[3];
  if (node->before < 0) {
    for (int e = 0; e < 3; e++) s->w[e] = s->v[e] = NUMBER(0);
  } else {
    const SWEEPS_NAME(state) *before = &all[node->before];
    SWEEPS_NAME(back_by)(way, s, before->w, s->w);
    SWEEPS_NAME(cross)(before->w, s->r, across);
    for (int e = 0; e < 3; e++) ADD_TO(across[e], before->v[e]);
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
  REAL g0[3], H = NUMBER(0);
  for (int e = 0; e < 3; e++) g0[e] = NUMBER(tree->gravity[e]);
  for (int i = 0; i < tree->count; i++) {
    const rattle__sweep_node *node = &tree->node[i];
    SWEEPS_NAME(place)(node, x, n, node->before < 0 ? g0 : s[node->before].g, &s[i]);
  }
  for (int i = tree->count - 1; i >= 0; i--) {
    REAL part;
    FOR_THE_NODE(part = SWEEPS_NAME(inwards), (&tree->node[i]), x, n, g0, s, &s[i])
    ADD_TO(H, part);
  }
  for (int i = 0; i < tree->count && Y; i++)
    FOR_THE_NODE(SWEEPS_NAME(outwards), (&tree->node[i]), n, s, &s[i], Y)
  return H;
}
#undef FOR_THE_NODE
#undef NUMBER
#undef ADD
#undef SUB
#undef MUL
#undef DIV
#undef ADD3
#undef ADD_TO
#undef MINOR
#undef THREE
#undef S6
#undef SINE_LARGEST
#undef SINE_SHIFT
#undef REAL
#undef SWEEPS_NAME
#undef SWEEPS_INLINE
#undef SINE_COSINE
