/* The row test: whether the multipliers of a step form one curve on a piece of its way, and how far
 * the end of a curve of approximations is from theirs.
 *
 * Theorem  F(s, x), x in [0, 1], with values and arguments in R^m; c(x) a continuous curve; C any
 *          matrix; r > 0; f_i >= |(C F(c(x), x))_i| for all x; J = -dF/ds; X = C J. If for all x
 *          and all |d| <= r, X being taken at (c(x) + d, x),
 *
 *              X_ii r_i - sum_{j != i} |X_ij| r_j > f_i        for each i                      (*)
 *
 *          then for each x F(., x) has exactly one root in the box c(x) + [-r, r]; it is regular,
 *          lies inside, and depends continuously on x.
 * Proof    From c to c + d with d_i = r_i, (C F)_i changes by -(Y d)_i, Y being the mean of X over
 *          that segment. (*) is kept by means, so (Y d)_i > f_i, and (C F)_i < 0 on that face, > 0
 *          on the opposite one: a root by Miranda's theorem, not on the boundary. Two roots in the
 *          box differ by d with Y d = 0 for such a mean, but Y is strictly dominated by its
 *          diagonal when its columns are scaled by r: d = 0. For the same reason X is regular:
 *          the implicit function theorem continues the root, and uniqueness makes it one curve
 *
 * J affine along the way and in d, as it is for quadratic g: X_ij = X_ij(x) - sum_k d_k (C B(W_k,
 * W_j))_i, X(x) a convex combination of C R_e at a few points. The left side of (*) is concave in
 * X, so that (*) holds everywhere if at each e
 *
 *     X_ii r_i - sum_{j != i} |X_ij| r_j > f_i + sum_jk T_ijk r_j r_k,   T_ijk >= |C B(W_j, W_k)|_i
 *
 * End      for the root c(1) + d: C F(c(1)) = Y d, Y as above but with half of d, therefore
 *          |d_i| X_ii <= |C F|_i + sum_{j != i} |X_ij| |d_j| + sum_jk T_ijk |d_j| |d_k| / 2
 * Round-off  u = 2^-53. A sum of m products is off by at most gamma_m = m u / (1 - m u) < (m + 1) u
 *          times the sum of their absolute values (Higham 2002, section 3.1). Computed sums of
 *          numbers that are not negative, of n roundings, are at least (1 - u)^n times the true
 *          ones; rattle__above(x, n) is then at least the true one: (1 - u) (1 + 2 n u) (1 - u)^n
 *          >= 1 for 2 <= n < 2^50; what vanishes below 2^-1074 is less than 2^-1022
 * r        any r > 0 with (*) will do. It is found by Picard's iteration for the comparison matrix
 *          H of these X: H r = 1.1 (f + T(r, r))
 *
 * Numbers are REAL, so that several steps may be proved at once; the text stands behind
 * ground/expr/real.h, or behind ground/expr/lanes_text.h. Plain C without includes. */
#ifndef RATTLE__PIECE_H
#define RATTLE__PIECE_H

typedef struct rattle__piece {
  int m, points;         /* points: control points */
  const REAL *R, *R_by;  /* J there, and how far it may be off [points][m][m] */
  const REAL *C;         /* [m][m] */
  const REAL *T;         /* [m][m][m]; NULL: 0 */
  const REAL *f, *f_end; /* bounds of |C F| along the piece, and at its end [m] */
  const REAL *known;     /* how far the root at the start may be from c(0) [m] */
  REAL *X, *X_by;        /* scratch [points][m][m] */
  REAL *H, *trial;       /* scratch [m][m], [m] */
  REAL *r, *end;         /* results [m]: the box; how far the root at the end may be from c(1) */
} rattle__piece;

#define RATTLE__PIECE_NARROWER 0.99 /* what is narrowed by less is not narrowed again */
enum { RATTLE__PIECE_TRIALS = 8, RATTLE__PIECE_SWEEPS = 40 };

/* At least the true sum of which x is what n roundings left. */
static inline REAL rattle__above(REAL x, int n) {
  return x * (1 + n * 0x1p-52) + 0x1p-1022;
}

/* A bound of |sum_k c_k x_k| where x_k may be off by e_k. */
static inline REAL rattle__row_bound(int m, const REAL *c, const REAL *x, const REAL *e) {
  REAL sum = UNIFORM(0), size = UNIFORM(0), off = UNIFORM(0);
  for (int k = 0; k < m; k++) {
    sum += c[k] * x[k];
    size += MAGNITUDE(c[k]) * MAGNITUDE(x[k]);
    off += MAGNITUDE(c[k]) * e[k];
  }
  return rattle__above(MAGNITUDE(sum) + (m + 1) * 0x1p-53 * size + off, m + 6);
}

/* C, an approximate inverse of A [m][m]; no exchange of rows: near the A0 of a step none is
 * needed. work [m][m]. */
static inline void rattle__piece_inverse(int m, const REAL *A, REAL *work, REAL *C) {
  for (int e = 0; e < m * m; e++) {
    work[e] = A[e];
    C[e] = UNIFORM(e / m == e % m);
  }
  for (int k = 0; k < m; k++) { /* columns up to k are those of 1 in work, the others in C */
    const REAL by = 1 / work[k * m + k];
    for (int j = k + 1; j < m; j++) work[k * m + j] *= by;
    for (int j = 0; j <= k; j++) C[k * m + j] *= by;
    for (int i = 0; i < m; i++) {
      const REAL factor = work[i * m + k];
      if (i == k) continue;
      for (int j = k + 1; j < m; j++) work[i * m + j] -= factor * work[k * m + j];
      for (int j = 0; j <= k; j++) C[i * m + j] -= factor * C[k * m + j];
    }
  }
}

/* X = C R at the points, with bounds. */
static inline void rattle__piece_rows(const rattle__piece *p) {
  const int m = p->m;
  REAL *size = p->H; /* of a row */
  for (int e = 0; e < p->points; e++)
    for (int i = 0; i < m; i++) {
      REAL *sum = p->X + (e * m + i) * m, *off = p->X_by + (e * m + i) * m;
      for (int j = 0; j < m; j++) sum[j] = size[j] = off[j] = UNIFORM(0);
      for (int k = 0; k < m; k++) {
        const REAL c = p->C[i * m + k], most = MAGNITUDE(c);
        const REAL *R = p->R + (e * m + k) * m, *by = p->R_by + (e * m + k) * m;
        if (!ANY(NOT(c == 0))) continue; /* not so for a NaN */
        for (int j = 0; j < m; j++) {
          sum[j] += c * R[j];
          size[j] += most * MAGNITUDE(R[j]);
          off[j] += most * by[j];
        }
      }
      for (int j = 0; j < m; j++)
        off[j] = rattle__above((m + 1) * 0x1p-53 * size[j] + off[j], m + 5);
    }
}

/* The comparison matrix of all X, factored without exchanges: what it gives is a proposal. */
static inline void rattle__piece_compare(const rattle__piece *p) {
  const int m = p->m;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      REAL least = UNIFORM(0);
      for (int e = 0; e < p->points; e++) {
        const int at = (e * m + i) * m + j;
        const REAL x = (i == j ? p->X[at] : -MAGNITUDE(p->X[at])) - p->X_by[at];
        least = e == 0 ? x : SELECT(x < least, x, least);
      }
      p->H[i * m + j] = least;
    }
  for (int k = 0; k < m; k++)
    for (int i = k + 1; i < m; i++) {
      p->H[i * m + k] /= p->H[k * m + k];
      for (int j = k + 1; j < m; j++) p->H[i * m + j] -= p->H[i * m + k] * p->H[k * m + j];
    }
}

/* x becomes H^-1 x */
static inline void rattle__piece_solve(const rattle__piece *p, REAL *x) {
  const int m = p->m;
  for (int i = 1; i < m; i++)
    for (int j = 0; j < i; j++) x[i] -= p->H[i * m + j] * x[j];
  for (int i = m; i-- > 0;) {
    for (int j = i + 1; j < m; j++) x[i] -= p->H[i * m + j] * x[j];
    x[i] /= p->H[i * m + i];
  }
}

/* (T(r, r))_i as it is computed, of m^2 + m roundings */
static inline REAL rattle__piece_bend(const rattle__piece *p, int i, const REAL *r) {
  const int m = p->m;
  REAL sum = UNIFORM(0);
  for (int j = 0; j < m && p->T; j++) {
    REAL row = UNIFORM(0);
    for (int k = 0; k < m; k++) row += p->T[(i * m + j) * m + k] * r[k];
    sum += row * r[j];
  }
  return sum;
}

/* sum_{j != i} |X_ij| r_j + |error of X_ii| r_i at the point e */
static inline REAL rattle__piece_beside(const rattle__piece *p, int e, int i, const REAL *r) {
  const int m = p->m;
  REAL sum = UNIFORM(0);
  for (int j = 0; j < m; j++) {
    const int at = (e * m + i) * m + j;
    sum += (j == i ? p->X_by[at] : MAGNITUDE(p->X[at]) + p->X_by[at]) * r[j];
  }
  return sum;
}

/* (*), and that the root at the start is in the box. */
static inline MASK rattle__piece_holds(const rattle__piece *p, const REAL *r) {
  const int m = p->m;
  MASK good = ALL;
  for (int i = 0; i < m; i++) {
    const REAL need = p->f[i] + rattle__piece_bend(p, i, r);
    good &= r[i] > p->known[i];
    for (int e = 0; e < p->points; e++)
      good &= p->X[(e * m + i) * m + i] * r[i] >
              rattle__above(need + rattle__piece_beside(p, e, i, r), m * m + 2 * m + 8);
  }
  return good;
}

/* Sets what H r is to be: beyond f + T(r, r), which may be 0, and beyond what covers the root at
 * the start. */
static inline void rattle__piece_ask(const rattle__piece *p, const REAL *r, REAL *ask) {
  const int m = p->m;
  for (int i = 0; i < m; i++) {
    const REAL need = p->f[i] + rattle__piece_bend(p, i, r);
    REAL cover = UNIFORM(0);
    for (int e = 0; e < p->points; e++) {
      const REAL x = p->X[(e * m + i) * m + i] * p->known[i];
      cover = SELECT(x > cover, x, cover);
    }
    ask[i] = 1.1 * SELECT(need > cover, need, cover) + 0x1p-1000;
  }
}

/* How far the root at the end may be from c(1): from the box on, as long as sweeps narrow it. */
static inline void rattle__piece_narrow(const rattle__piece *p) {
  const int m = p->m;
  for (int i = 0; i < m; i++) p->end[i] = p->r[i];
  for (int sweep = 0; sweep < RATTLE__PIECE_SWEEPS; sweep++) {
    MASK narrower = NOT(ALL);
    for (int i = 0; i < m; i++) {
      const REAL need = p->f_end[i] + 0.5 * rattle__piece_bend(p, i, p->end) +
                        rattle__piece_beside(p, p->points - 1, i, p->end);
      const REAL x =
          rattle__above(need, m * m + 2 * m + 10) / p->X[((p->points - 1) * m + i) * m + i];
      const MASK less = x < RATTLE__PIECE_NARROWER * p->end[i];
      narrower |= less;
      p->end[i] = SELECT(less, x, p->end[i]);
    }
    if (!ANY(narrower)) break;
  }
}

/* True if the piece is proved; then r and end are there. C, T and f come before. */
static inline MASK rattle__piece_prove(const rattle__piece *p) {
  const int m = p->m;
  MASK good = NOT(ALL);
  rattle__piece_rows(p);
  rattle__piece_compare(p);
  for (int i = 0; i < m; i++) p->trial[i] = p->r[i] = UNIFORM(0);
  for (int trial = 0; trial < RATTLE__PIECE_TRIALS && ANY(NOT(good)); trial++) {
    REAL *next = p->end; /* free until the end */
    rattle__piece_ask(p, p->trial, next);
    rattle__piece_solve(p, next);
    for (int i = 0; i < m; i++) p->trial[i] = next[i];
    const MASK holds = rattle__piece_holds(p, p->trial);
    for (int i = 0; i < m; i++) {
      WHERE(holds & NOT(good), p->r[i], p->trial[i]);
    }
    good |= holds;
  }
  rattle__piece_narrow(p);
  return good;
}
#endif
