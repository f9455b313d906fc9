/* Whether a step whose iteration converged may have gone astray: when its result is in doubt though the residuals fell (verdict.h). Where several
 * trajectories are stepped at once the answers are those of each lane. Plain C without includes: the text is handed to a compiler too, after that of
 * ground/expr/real.h or of ground/expr/lanes_text.h. */
#ifndef RATTLE__ASTRAY_H
#define RATTLE__ASTRAY_H
/* Whether the multipliers took a step farther than it went without them. With its displacement d, and momenta p' before the multipliers and p
 * after them, for linear g p is a projection of p', so that d.p' = d.p; a quarter of a circle has half of it. Corrections that end near another
 * solution show no other doubt. reach: the sum of |q p'|, of whose round-off nothing follows. */
static inline MASK rattle__stretched(REAL without, REAL with, REAL reach) {
  return NOT(without >= 0.25 * with - 1e-10 * reach);
}

/* The same where no more is known than that the multipliers change d.p' - d.p by no more than this part of d.p. */
static inline MASK rattle__may_stretch(REAL part) {
  return NOT(part <= 0.75);
}

enum { RATTLE__DENSE = 12 };

/* Whether a [m x m], symmetric, is positive definite but for directions in which `unit` nearly is singular. a is lost. */
static inline MASK rattle__stays_definite(int m, REAL *a, const REAL *unit) {
  MASK good = ALL;
  for (int k = 0; k < m; k++) {
    const REAL pivot = a[k * m + k], least = 1e-10 * unit[k * m + k];
    good &= pivot > -least;
    LEAVE_IF_NONE(good);
    for (int i = k + 1; i < m; i++) {
      const REAL by = SELECT(pivot > least, a[i * m + k] / pivot, UNIFORM(0));
      for (int j = k + 1; j <= i; j++) a[i * m + j] -= by * a[j * m + k];
    }
  }
  return good;
}

/* Whether r = G M^-1 G0^T differs from a = G0 M^-1 G0^T [m x m] by more than 0.3 of it along some direction, G being that at another point of the step,
 * whose constraints are not all quadratic: then there may be folds in between, as between two crests of a wave. m <= RATTLE__DENSE; NaN is doubt
 * too. Capitals are macros in some texts. */
static inline MASK rattle__differ(int m, const REAL *r, const REAL *a) {
  MASK good = ALL;
  for (double side = -1; side <= 1; side += 2) {
    REAL rest[RATTLE__DENSE * RATTLE__DENSE];
    for (int i = 0; i < m; i++)
      for (int j = 0; j <= i; j++) {
        const REAL before = 0.5 * (a[i * m + j] + a[j * m + i]), after = 0.5 * (r[i * m + j] + r[j * m + i]);
        rest[i * m + j] = 0.3 * before + side * (after - before);
      }
    good &= rattle__stays_definite(m, rest, a);
  }
  return NOT(good);
}

/* The same of rows alone, r_i and a_i being diagonals. *unknown: where the rows leave it open. */
static inline MASK rattle__rows_differ(int m, const REAL *r, const REAL *a, MASK *unknown) {
  MASK differ = NOT(ALL), little = ALL;
  for (int i = 0; i < m; i++) {
    const REAL off = MAGNITUDE(r[i] - a[i]);
    differ |= NOT(off <= 0.3 * a[i]);
    little &= off <= 0.1 * a[i];
  }
  *unknown = m == 1 ? NOT(ALL) : NOT(differ | little);
  return differ;
}

/* Constraints of which some nearly depends on others: what a pivot is of its diagonal at most, and how small it may be for the angles between normal
 * spaces to be known. In such places a hardly different row is another normal space. */
static const double rattle__leaning = 0.1, rattle__leaning_unknown = 1e-10;

/* The pivots of a [m x m] come to its diagonal; returns the least part of a diagonal that a pivot is. m <= RATTLE__DENSE. */
static inline double rattle__pivots(int m, double *a) {
  double least = 1;
  for (int k = 0; k < m; k++) {
    double size = a[k * m + k];
    for (int p = 0; p < k; p++) {
      const double by = a[k * m + p] / a[p * m + p];
      for (int j = p + 1; j < m; j++) a[k * m + j] -= by * a[p * m + j];
    }
    const double part = a[k * m + k] / size;
    if (!(part >= least)) least = part;
  }
  return least;
}

/* Whether a constraint leans on others in r = G1 M^-1 G0^T [m x m], whose pivots come to its diagonal. */
static inline int rattle__leans(int m, double *r) {
  return !(rattle__pivots(m, r) >= rattle__leaning);
}

/* Whether the spaces of normals at the ends of such a step make large angles: det R / (det A0 det A1)^(1/2), R = G1 M^-1 G0^T, A = G M^-1 G^T, is
 * the product of the cosines of their principal angles (Bjoerck and Golub, 1973). Beyond the toggle of a linkage the determinant has its sign
 * again, and no row shows it. r: as rattle__leans leaves it; a0, a1 [m x m] are lost. */
static inline int rattle__turned_away(int m, const double *r, double *a0, double *a1) {
  double square = 1;
  if (!(rattle__pivots(m, a0) > rattle__leaning_unknown) || !(rattle__pivots(m, a1) > rattle__leaning_unknown)) return 0;
  for (int i = 0; i < m; i++) square *= r[i * m + i] / a0[i * m + i] * (r[i * m + i] / a1[i * m + i]);
  return !(square >= 0.64);
}

/* A step of one drift of n coordinates, of which `clock` is the time, -1: none. */
typedef struct rattle__way {
  int n, clock;
  REAL h, k1;
} rattle__way;

/* d.p', d.p and the sum of |q p'| of such a step, q1 = q0 + h M^-1 p with p' = p0 - k1 V_q: z1 is that before the last kick. V_q is not read if k1 = 0. */
typedef struct rattle__effort {
  REAL without, with, reach;
} rattle__effort;
static inline rattle__effort rattle__effort_of(rattle__way way, const REAL *z0, const REAL *V_q, const REAL *z1) {
  rattle__effort e = {UNIFORM(0), UNIFORM(0), UNIFORM(0)};
  for (int i = 0; i < way.n; i++) {
    if (i == way.clock) continue;
    const REAL q1 = z1[i], dq = SELECT(way.h < 0, z0[i] - q1, q1 - z0[i]);
    const REAL p = z0[way.n + i] - SELECT(way.k1 != 0, way.k1 * V_q[i], UNIFORM(0));
    e.without += dq * p;
    e.with += dq * z1[way.n + i];
    e.reach += MAGNITUDE(q1 * p);
  }
  return e;
}

static inline MASK rattle__is_stretched(rattle__way way, const REAL *z0, const REAL *V_q, const REAL *z1) {
  const rattle__effort e = rattle__effort_of(way, z0, V_q, z1);
  return rattle__stretched(e.without, e.with, e.reach);
}

/* How far from tangential a way d is that a step may take without a look at what lies between its ends, as 0.2 radians on a circle; and how far from
 * g = 0 the straight way may lead. */
static const double rattle__slanted = 0.1, rattle__far_off = 0.25;

/* Whether |x_i|, a change of g_i on a step of one drift, is more than `part` of that on a way as long along its gradient: sqrt(a_i d.M d), with
 * a_i = G_i M^-1 G_i^T and d.M d = h d.p. */
static inline MASK rattle__exceeds(REAL x, REAL a, double part, rattle__effort e, REAL h) {
  const REAL most = part * e.with + 1e-10 * e.reach;
  return NOT(x * x * e.with <= a * MAGNITUDE(h) * (most * most));
}
#endif
