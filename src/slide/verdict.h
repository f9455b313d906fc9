/* When an iteration has succeeded, when it gives up, and when its result is in doubt: see iterate.h. Plain C without includes: the text is
 * handed to a compiler too (decision 004). */
#ifndef RATTLE__VERDICT_H
#define RATTLE__VERDICT_H
enum {
  RATTLE__ITERATIONS = 60,
  RATTLE__HURRIED = 8,
  RATTLE__ENOUGH = 512 /* units of round-off: an iteration that stagnates below has succeeded */
};
static const double rattle__doubt_newton = 0.125, rattle__doubt_chord = 0.3;
static const double rattle__quickly = 1.0 / 64; /* what the first correction of a substep that the guard takes leaves at most */

/* How an iteration went. */
typedef struct rattle__course {
  int k;                             /* corrections made */
  int worst;                         /* the constraint with the largest residual; -1: another equation */
  double residual, previous, before; /* the largest in units of round-off, now and at the two iterates before */
  double largest;                    /* |g| there, or |psi| */
  double part;                       /* what r_1/r_0 may be at most: depends on the matrix of the first correction */
  int hurried;                       /* 1: a result that the first correction was not near is of no use */
  int raised;                        /* 1: the units are those of unit.h */
  int sign;                          /* of the determinant of Newton's matrix when it was last taken, relative to its limit for a
                                        vanishing step; 0: not known */
  int gave_up;                       /* 1: the loop did, without a message (see rattle__not_converged) */
  int doubtful;                      /* 1: the solution may belong to another sheet */
  double history[RATTLE__ITERATIONS + 1];
} rattle__course;

typedef enum rattle__verdict { RATTLE__GO_ON, RATTLE__DONE, RATTLE__GIVE_UP } rattle__verdict;

static inline int rattle__stagnates(double r, double previous, int k) {
  return k >= 2 && r > 0.5 * previous;
}

/* On residual r after `previous`, k corrections made; stagnation below `enough` is success. tol > 0, in the units of r: done
 * below it already. */
static inline rattle__verdict rattle__judge_below(double enough, double r, double previous, int k, double tol) {
  if (r <= 1.0 || r <= tol) return RATTLE__DONE;
  if (!(r < 1e300) || k >= RATTLE__ITERATIONS) return RATTLE__GIVE_UP;
  return r < enough && rattle__stagnates(r, previous, k) ? RATTLE__DONE : RATTLE__GO_ON;
}
static inline rattle__verdict rattle__judge(double r, double previous, int k, double tol) {
  return rattle__judge_below(RATTLE__ENOUGH, r, previous, k, tol);
}

/* Whether the fall to residual r, the k-th, from `previous` leaves doubt, the first being `first`. */
static inline int rattle__fell_slowly(double first, double previous, double r, int k, double part, int raised) {
  const double units = raised ? 256 : 1e4, least = 1e-5 * first, small = least > units ? least : units;
  return k > 0 && r > small && !(r <= (k > 1 ? rattle__doubt_chord : part) * previous);
}

/* Whether any of them does. */
static inline int rattle__falls_slowly(const rattle__course *c) {
  for (int k = 1; k <= c->k; k++)
    if (rattle__fell_slowly(c->history[0], c->history[k - 1], c->history[k], k, c->part, c->raised)) return 1;
  return 0;
}

/* Whether the first correction left so much that it was far from the solution. */
static inline int rattle__was_far(const rattle__course *c) {
  return c->history[1] > 1e4 && !(c->history[1] <= rattle__quickly * c->history[0]);
}

/* Whether an iteration whose result is of use only if it was near from the start goes on in vain: by then units would have been raised. */
static inline int rattle__goes_on_in_vain(const rattle__course *c) {
  return c->hurried && c->k >= RATTLE__HURRIED && c->residual > 1e4 && rattle__was_far(c);
}

/* Whether the multipliers took a step farther than it went without them. With its displacement d, and momenta p' before the multipliers and p
 * after them, for linear g p is a projection of p', so that d.p' = d.p; a quarter of a circle has half of it. Corrections that end near another
 * solution show no other doubt. reach: the sum of |q p'|, of whose round-off nothing follows. */
static inline int rattle__stretched(double without, double with, double reach) {
  return !(without >= 0.25 * with - 1e-10 * reach);
}

/* The same where no more is known than that the multipliers change d.p' - d.p by no more than this part of d.p. */
static inline int rattle__may_stretch(double part) {
  return !(part <= 0.75);
}

enum { RATTLE__DENSE = 12 };

/* Whether a [m x m], symmetric, is positive definite but for directions in which `unit` nearly is singular. a is lost. */
static inline int rattle__stays_definite(int m, double *a, const double *unit) {
  for (int k = 0; k < m; k++) {
    const double pivot = a[k * m + k], least = 1e-10 * unit[k * m + k];
    if (!(pivot > -least)) return 0;
    for (int i = k + 1; i < m && pivot > least; i++) {
      const double by = a[i * m + k] / pivot;
      for (int j = k + 1; j <= i; j++) a[i * m + j] -= by * a[j * m + k];
    }
  }
  return 1;
}

/* Whether r = G M^-1 G0^T differs from a = G0 M^-1 G0^T [m x m] by more than 0.3 of it along some direction, G being that at another point of the step,
 * whose constraints are not all quadratic: then there may be folds in between, as between two crests of a wave. m <= RATTLE__DENSE; NaN is doubt
 * too. Capitals are macros in some texts. */
static inline int rattle__differ(int m, const double *r, const double *a) {
  for (int side = -1; side <= 1; side += 2) {
    double rest[RATTLE__DENSE * RATTLE__DENSE];
    for (int i = 0; i < m; i++)
      for (int j = 0; j <= i; j++) {
        const double before = 0.5 * (a[i * m + j] + a[j * m + i]), after = 0.5 * (r[i * m + j] + r[j * m + i]);
        rest[i * m + j] = 0.3 * before + side * (after - before);
      }
    if (!rattle__stays_definite(m, rest, a)) return 1;
  }
  return 0;
}

/* The same of rows alone, r_i and a_i being diagonals: 1: it does; 0: it hardly does along any direction; -1: not known. */
static inline int rattle__rows_differ(int m, const double *r, const double *a) {
  int little = 1;
  for (int i = 0; i < m; i++) {
    const double off = r[i] > a[i] ? r[i] - a[i] : a[i] - r[i];
    if (!(off <= 0.3 * a[i])) return 1;
    little &= off <= 0.1 * a[i];
  }
  return little || m == 1 ? 0 : -1;
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
  double h, k1;
} rattle__way;

/* d.p', d.p and the sum of |q p'| of such a step, q1 = q0 + h M^-1 p with p' = p0 - k1 V_q: z1 is that before the last kick. V_q is not read if k1 = 0. */
typedef struct rattle__effort {
  double without, with, reach;
} rattle__effort;
static inline rattle__effort rattle__effort_of(rattle__way way, const double *z0, const double *V_q, const double *z1) {
  rattle__effort e = {0, 0, 0};
  for (int i = 0; i < way.n; i++) {
    if (i == way.clock) continue;
    const double q1 = z1[i], dq = way.h < 0 ? z0[i] - q1 : q1 - z0[i];
    const double p = z0[way.n + i] - (way.k1 != 0 ? way.k1 * V_q[i] : 0), term = q1 * p;
    e.without += dq * p;
    e.with += dq * z1[way.n + i];
    e.reach += term < 0 ? -term : term;
  }
  return e;
}

static inline int rattle__is_stretched(rattle__way way, const double *z0, const double *V_q, const double *z1) {
  const rattle__effort e = rattle__effort_of(way, z0, V_q, z1);
  return rattle__stretched(e.without, e.with, e.reach);
}

/* How far from tangential a way d is that a step may take without a look at what lies between its ends, as 0.2 radians on a circle; and how far from
 * g = 0 the straight way may lead. */
static const double rattle__slanted = 0.1, rattle__far_off = 0.25;

/* Whether |x_i|, a change of g_i on a step of one drift, is more than `part` of that on a way as long along its gradient: sqrt(a_i d.M d), with
 * a_i = G_i M^-1 G_i^T and d.M d = h d.p. */
static inline int rattle__exceeds(double x, double a, double part, rattle__effort e, double h) {
  const double most = part * e.with + 1e-10 * e.reach;
  return !(x * x * e.with <= a * (h < 0 ? -h : h) * (most * most));
}

/* With Newton's matrix J at the first iterate x = J^-1 (J_0 v), J_0 being its limit for h -> 0: whether x is far from v [m]. */
static inline int rattle__far(int m, const double *x, const double *v) {
  double most = 0, apart = 0;
  for (int i = 0; i < m; i++) {
    most = v[i] > most ? v[i] : -v[i] > most ? -v[i] : most;
    double d = x[i] > v[i] ? x[i] - v[i] : v[i] - x[i];
    if (!(d <= apart)) apart = d;
  }
  return !(apart <= 0.75 * most);
}
#endif
