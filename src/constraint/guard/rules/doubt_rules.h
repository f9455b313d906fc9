/* The rules of the guard (rules.def), each in one text, on numbers that those who ask have at hand.
 * If several trajectories are stepped at once, each lane has its own answers. Plain C without
 * includes: the text is handed to a compiler too, after those of rules.def and of
 * ground/expr/real.h or ground/expr/lanes_text.h, whose macros are the words in capitals; other
 * names of one capital are macros of kernels. NaN is doubt. */
#ifndef RATTLE__DOUBT_RULES_H
#define RATTLE__DOUBT_RULES_H

/* --- residuals -------------------------------------------------------------------------------- */

/* True if the fall to residual r, the k-th, from `previous` leaves doubt, the first being `first`;
 * part: of `previous`, for k = 1. */
static inline MASK rattle__fell_slowly(REAL first, REAL previous, REAL r, int k, double part,
                                       int full) {
  const double units = full ? rattle__doubt_full_units : rattle__doubt_units;
  const REAL least = rattle__doubt_least * first,
             small = SELECT(least > units, least, UNIFORM(units));
  if (k == 0) return NOT(ALL);
  return (r > small) & NOT(r <= (k > 1 ? rattle__doubt_chord : part) * previous);
}

/* True if the first correction left so much, r1 of r0, that it was far from the solution. */
static inline MASK rattle__left_much(REAL r0, REAL r1) {
  return (r1 > rattle__near_units) & NOT(r1 <= rattle__near_solution * r0);
}

/* True if an iteration of residuals r[0 .. k], whose result is of use only if its first correction
 * came near, goes on in vain: by then units would have been those of all that rounds. */
static inline MASK rattle__is_in_vain(const REAL *r, int k) {
  if (k < RATTLE__IN_VAIN) return NOT(ALL);
  return (r[k] > rattle__near_units) & rattle__left_much(r[0], r[1]);
}

/* --- Newton's matrix -------------------------------------------------------------------------- */

/* True if the determinant has another sign than that of a vanishing step; sign: of their quotient,
 * 0 if it is not known. */
static inline int rattle__is_beyond_fold(int sign) {
  return sign < 0;
}

/* True if a pivot is positive; size: the diagonal element, or the largest of its row. */
static inline MASK rattle__pivot_is_positive(REAL pivot, REAL size) {
  return (pivot > rattle__least_pivot * size) & (size > 0);
}

/* True if the determinant of r [m x m], m <= 2, is positive, clear of round-off, and its diagonal
 * too. */
static inline MASK rattle__determinant_is_positive(int m, const REAL *r) {
  if (m == 1) return r[0] > 0;
  return (r[0] > 0) & (r[3] > 0) &
         (r[0] * r[3] - r[1] * r[2] > rattle__least_determinant * (r[0] * r[3]));
}

/* True if a pivot, taken without exchanges, is small; size: the largest element of its row. */
static inline int rattle__pivot_is_small(double pivot, double size) {
  return !(fabs(pivot) > rattle__small_pivot * size);
}

/* True if `square`, which bounds the squares of the eigenvalues of D, the change of the matrix
 * along a step of quadratic constraints, lets it have no other root next to 0. */
static inline MASK rattle__has_one_root(REAL square) {
  return square < rattle__one_root;
}

/* With J at the first iterate and its limit J0 for vanishing steps, x = J^-1 J0 v: true if x is far
 * from v [m]. */
static inline MASK rattle__differs_by(int m, const REAL *x, const REAL *v) {
  REAL most = UNIFORM(0), apart = UNIFORM(0);
  for (int i = 0; i < m; i++) {
    const REAL d = SELECT(x[i] > v[i], x[i] - v[i], v[i] - x[i]);
    most = SELECT(v[i] > most, v[i], SELECT(-v[i] > most, -v[i], most));
    WHERE(NOT(d <= apart), apart, d);
  }
  return NOT(apart <= rattle__far_from_limit * most);
}

/* The fixed direction along which matrices are compared: signs alternate. */
static inline double rattle__fixed_direction(int i) {
  return i % 2 ? -1 : 1;
}

/* --- N = {{H,g_i},g_j} from one end of a step to the other ------------------------------------ */

/* True if E = N1^-1 N0 - 1 [m x m] is so large that N may have been singular in between: by traces,
 * which do not depend on how constraints are scaled. */
static inline MASK rattle__N_changed(int m, const REAL *E) {
  REAL trace = UNIFORM(0), square = UNIFORM(0);
  for (int i = 0; i < m; i++) {
    trace += E[i * m + i];
    for (int j = 0; j < m; j++) square += E[i * m + j] * E[j * m + i];
  }
  return NOT((MAGNITUDE(trace) <= rattle__N_changes) &
             (MAGNITUDE(square) <= rattle__N_changes * rattle__N_changes));
}

/* --- gradients -------------------------------------------------------------------------------- */

/* True if a gradient did not turn by a right angle; along: its product with that at the start. */
static inline MASK rattle__is_upright(REAL along) {
  return along > 0;
}

/* True if a bond of a molecule did not turn by more than 60 degrees; square: of its length. */
static inline int rattle__bond_is_upright(double along, double square) {
  return along >= rattle__molecules_turn * square;
}

/* True if r_i and a_i, the diagonals of R = G M^-1 G0^T and A = G0 M^-1 G0^T, differ, G being that
 * at another point of the step, whose constraints are not all quadratic: then there may be folds in
 * between, as between two crests of a wave. */
static inline MASK rattle__rows_differ(int m, const REAL *r, const REAL *a) {
  MASK differ = NOT(ALL);
  for (int i = 0; i < m; i++) differ |= NOT(MAGNITUDE(r[i] - a[i]) <= rattle__row_differs * a[i]);
  return differ;
}

/* True if no constraint depends on others by a pivot: `size` is the diagonal element, `inverse`
 * that of the pivot. */
static inline MASK rattle__is_independent(REAL size, REAL inverse, double part) {
  return part * size * inverse <= 1;
}

/* The same of two constraints. */
static inline MASK rattle__pair_is_independent(const REAL *r, double part) {
  return r[0] * r[3] - r[1] * r[2] >= part * (r[0] * r[3]);
}

/* The pivots of a [m x m] come to its diagonal; returns the least part of a diagonal element that a
 * pivot is. m <= RATTLE__DENSE. */
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

/* The same of r = G1 M^-1 G0^T [m x m], whose pivots come to its diagonal: where some constraint
 * nearly depends on others, a hardly different row is another normal space. */
static inline int rattle__matrix_is_independent(int m, double *r) {
  return rattle__pivots(m, r) >= rattle__dependent_pivot;
}

/* True if the spaces of normals at the ends of such a step make large angles: det R / (det A0 det
 * A1)^(1/2), R = G1 M^-1 G0^T, A = G M^-1 G^T, is the product of the cosines of their principal
 * angles (Bjoerck and Golub, 1973). Beyond the toggle of a linkage the determinant has its sign
 * again, and no row shows it. r: as rattle__matrix_is_independent leaves it; a0, a1 [m x m] are
 * lost. */
static inline int rattle__normals_turned(int m, const double *r, double *a0, double *a1) {
  double square = 1;
  if (!(rattle__pivots(m, a0) > rattle__angles_known) ||
      !(rattle__pivots(m, a1) > rattle__angles_known))
    return 0;
  for (int i = 0; i < m; i++)
    square *= r[i * m + i] / a0[i * m + i] * (r[i * m + i] / a1[i * m + i]);
  return !(square >= rattle__normals_turn);
}

/* The same of bonds, by the square of that product. */
static inline int rattle__bond_normals_turned(double square) {
  return !(square >= rattle__normals_turn);
}

/* --- the way of a step of one drift ----------------------------------------------------------- */

/* True if multipliers did work: they took the step farther than it went without them. With its
 * displacement d, and momenta p' before the multipliers and p after them, for linear g p is a
 * projection of p', so that d.p' = d.p; a quarter of a circle has half of it. Corrections that end
 * near another solution show no other doubt. without, with: d.p', d.p; reach: the sum of |q p'|, of
 * whose round-off nothing follows. */
static inline MASK rattle__did_work(REAL without, REAL with, REAL reach) {
  return NOT(without >= rattle__least_work * with - rattle__work_round_off * reach);
}

/* A step of h of n coordinates with one drift, of which `clock` is the time, -1: none: q1 = q0 + h
 * M^-1 p with p' = p0 - k1 V_q; z1 is that before the last kick. V_q is not read if k1 = 0. */
typedef struct rattle__drift_step {
  int n, clock;
  REAL h, k1;
  const REAL *z0, *V_q, *z1;
} rattle__drift_step;

typedef struct rattle__work {
  REAL without, with, reach;
} rattle__work;

/* Adds the work of a coordinate that moves by dq to q1, with those momenta. */
static inline void rattle__add_work(rattle__work *w, REAL dq, REAL q1, REAL without, REAL with) {
  w->without += dq * without;
  w->with += dq * with;
  w->reach += MAGNITUDE(q1 * without);
}

static inline rattle__work rattle__work_of_step(rattle__drift_step s) {
  rattle__work w = {UNIFORM(0), UNIFORM(0), UNIFORM(0)};
  for (int i = 0; i < s.n; i++) {
    if (i == s.clock) continue;
    const REAL q1 = s.z1[i], dq = SELECT(s.h < 0, s.z0[i] - q1, q1 - s.z0[i]);
    rattle__add_work(&w, dq, q1, s.z0[s.n + i] - SELECT(s.k1 != 0, s.k1 * s.V_q[i], UNIFORM(0)),
                     s.z1[s.n + i]);
  }
  return w;
}

static inline MASK rattle__step_did_work(rattle__drift_step s) {
  const rattle__work w = rattle__work_of_step(s);
  return rattle__did_work(w.without, w.with, w.reach);
}

/* True if |x_i|, a change of g_i on such a step, is more than `part` of that on a way as long along
 * its gradient: sqrt(a_i d.M d), with a_i = G_i M^-1 G_i^T and d.M d = h d.p. */
static inline MASK rattle__exceeds(REAL x, REAL a, double part, rattle__work w, REAL h) {
  const REAL most = part * w.with + rattle__work_round_off * w.reach;
  return NOT(x * x * w.with <= a * MAGNITUDE(h) * (most * most));
}

/* --- slides along fibres ---------------------------------------------------------------------- */

/* True if g, before and now, did not stay as it is on fibres; size: of its round-off. */
static inline int rattle__left_fibre(double now, double before, double size) {
  return !(fabs(now) <= rattle__fibre_units * size + rattle__fibre_factor * fabs(before));
}

/* --- parts of a step that is followed --------------------------------------------------------- */

/* True if the iteration moved so far from the prediction that there may be folds in between; size:
 * of the largest multiplier. */
static inline int rattle__left_prediction(double moved, double size) {
  return moved > rattle__near_prediction * size;
}

/* True if a matrix of that size changed much from one part to the next. */
static inline int rattle__matrix_changed(double change, double size) {
  return !(change <= rattle__matrix_changes * (size > 1 ? size : 1));
}

#endif
