/* A piece of the curve of many constraints: (*) of X = J S with C = 1. See sparse_curve.h; F and
 * its bound f are those of curve.h. */
#include "constraint/guard/sparse_curve.h"

#include <math.h>
#include <string.h>

#include "ground/expr/real.h"
#include "constraint/guard/piece.h"

enum { POINTS = 4 };

static double larger(double a, double b) {
  return (a > b ? a : b) + 0 * (a + b); /* a NaN in either stays one, and proves nothing */
}

/* --- the piece -------------------------------------------------------------------------------- */

/* b1, b2, b3; u1, u2, v: from b0 to control points; w: b1 + 2 b2 + 3 b3. */
static void find_way(rattle__sparse_curve *c, rattle__ball way, const double *by) {
  static const rattle__ball third = {1.0 / 3, 0x1p-54}, nothing = {0, 0};
  const int n = c->curve.n, m = c->curve.m;
  const rattle__ball two = rattle__exactly(2), three = rattle__exactly(3);
  const rattle__ball turn = rattle__ball_times(rattle__exactly(c->t1), way);
  rattle__sparse_displace(c, way, rattle__ball_times(two, turn), by + m, c->b1);
  rattle__sparse_displace(c, nothing, rattle__ball_times(way, way), by + 2 * m, c->b2);
  rattle__sparse_displace(c, nothing, nothing, by + 3 * m, c->b3);
  for (int k = 0; k < n; k++) {
    c->u1[k] = rattle__ball_times(third, c->b1[k]);
    c->u2[k] = rattle__ball_more(rattle__ball_add(c->u1[k], c->u1[k]), third, c->b2[k]);
    c->v[k] = rattle__ball_add(rattle__ball_add(c->b1[k], c->b2[k]), c->b3[k]);
    c->w[k] = rattle__ball_more(c->b1[k], two, c->b2[k]);
    c->w[k] = rattle__ball_more(c->w[k], three, c->b3[k]);
  }
}

/* J at the control points, in `at`; what is off, and the rounding of sums with J, in `by`. */
static void find_matrices(rattle__sparse_curve *c) {
  const rattle__ball *const from_b0[POINTS] = {NULL, c->u1, c->u2, c->v};
  const int nnz = c->J->nnz;
  memset(c->by, 0, (size_t)nnz * sizeof *c->by);
  for (int e = 0; e < POINTS; e++) {
    const rattle__ball *J = c->J1;
    if (e) {
      rattle__sparse_gradients(c, c->G, from_b0[e], c->beside);
      rattle__sparse_jacobian(c, c->beside, c->Je);
      J = c->Je;
    }
    for (int k = 0; k < nnz; k++) {
      c->at[e * nnz + k] = J[k].at;
      const double by = J[k].by + (c->curve.m + 1) * 0x1p-53 * fabs(J[k].at);
      c->by[k] = larger(c->by[k], rattle__ball_bound(by));
    }
  }
}

/* The size of p = k4 + by5 k5 + by6 k6. */
static double size_of_rest(const rattle__sparse_curve *c, int i, double by5, double by6) {
  rattle__ball p = rattle__ball_more(c->pa[i], rattle__exactly(by5), c->pb[i]);
  p = rattle__ball_more(p, rattle__exactly(by6), c->pc[i]);
  return rattle__ball_size(p);
}

/* k4, k5 and k6 in pa, pb and pc. */
static void find_rest(rattle__sparse_curve *c) {
  const size_t size = (size_t)c->curve.m * sizeof *c->pa;
  memset(c->pa, 0, size), memset(c->pb, 0, size), memset(c->pc, 0, size);
  rattle__sparse_bend(c, c->b1, c->b3, 1, c->pa);
  rattle__sparse_bend(c, c->b2, c->b2, 0.5, c->pa);
  rattle__sparse_bend(c, c->b2, c->b3, 1, c->pb);
  rattle__sparse_bend(c, c->b3, c->b3, 0.5, c->pc);
}

/* f, and ke. `exact`: the piece begins at the root (0, 0). */
static void find_residuals(rattle__sparse_curve *c, rattle__ball way, int exact) {
  const int m = c->curve.m;
  rattle__sparse_along(c, c->G, c->b1, c->k1);
  rattle__sparse_along(c, c->G, c->v, c->ke);
  rattle__sparse_along(c, c->G, c->w, c->k1e);
  for (int i = 0; i < m; i++) {
    const rattle__ball fall = rattle__ball_times(way, c->curve.g0[i]);
    c->k1[i] = rattle__ball_add(c->k1[i], fall);
    c->k1e[i] = rattle__ball_add(c->k1e[i], fall);
    c->ke[i] = rattle__ball_add(c->ke[i], fall);
    if (!exact) c->ke[i] = rattle__ball_add(c->ke[i], c->F1[i]);
  }
  rattle__sparse_bend(c, c->v, c->v, 0.5, c->ke);
  rattle__sparse_bend(c, c->v, c->w, 1, c->k1e);
  find_rest(c);
  for (int i = 0; i < m; i++) {
    const double start = exact ? 0 : rattle__ball_size(c->F1[i]);
    const double ends = larger(start, rattle__ball_size(c->ke[i]));
    const double slopes = 4.0 / 27 * (rattle__ball_size(c->k1[i]) + rattle__ball_size(c->k1e[i]));
    const double rest = larger(size_of_rest(c, i, 2, 3),
                               larger(size_of_rest(c, i, 2.5, 4), size_of_rest(c, i, 3, 6)));
    c->f[i] = rattle__above(ends + slopes + rest / 16, 8);
  }
}

/* --- the test --------------------------------------------------------------------------------- */

/* to [m] = sum |B(., .)| w w, w = |S^T W|^T r */
static void find_box_terms(rattle__sparse_curve *c, const double *r, double *to) {
  rattle__sparse_width(c, r, c->wide);
  memset(to, 0, (size_t)c->curve.m * sizeof *to);
  for (int e = 0; e < c->bends; e++) {
    const rattle__bend *b = &c->bend[e];
    to[b->row] += rattle__ball_size(b->value) * (c->wide[b->a] * c->wide[b->b]);
  }
}

/* True if the box r, larger than `known`, fulfils (*); x = T(r, r), sum = H r. */
static int holds(rattle__sparse_curve *c, const double *known) {
  const double *r = c->curve.r;
  int good = 1;
  find_box_terms(c, r, c->x);
  rattle__sparse_times_H(c, r, c->sum);
  for (int i = 0; i < c->curve.m; i++) {
    const double need = rattle__above(c->f[i] + c->x[i] + c->sum[i], c->roundings);
    good &= r[i] > known[i] && c->least[i] * r[i] * (1 - 0x1p-52) > need;
  }
  return good;
}

/* need = what a box r has to cover. */
static void find_need(rattle__sparse_curve *c, const double *known) {
  for (int i = 0; i < c->curve.m; i++)
    c->need[i] = larger(c->f[i] + c->x[i], c->most[i] * known[i]);
}

/* True if a box r is found; from 0, by Jacobi's iteration, then by factors. */
static int find_box(rattle__sparse_curve *c, const double *known) {
  double *r = c->curve.r;
  const int m = c->curve.m;
  int positive = 1;
  for (int i = 0; i < m; i++) {
    positive &= c->least[i] > 0;
    r[i] = c->x[i] = c->sum[i] = 0;
  }
  for (int sweep = 0; sweep < RATTLE__PIECE_TRIALS && positive; sweep++) {
    find_need(c, known);
    for (int i = 0; i < m; i++) r[i] = (1.1 * c->need[i] + c->sum[i] + 0x1p-1000) / c->least[i];
    if (holds(c, known)) return 1;
  }
  memset(c->x, 0, (size_t)m * sizeof *c->x);
  for (int trial = 0; trial < RATTLE__PIECE_TRIALS && positive; trial++) {
    find_need(c, known);
    const int found = rattle__sparse_dominate(c, c->need, r);
    if (holds(c, known)) return 1;
    if (!found) return 0;
  }
  return 0;
}

/* How far the root at the end, c(1) + S e, may be from c(1), as long as that narrows it: X e = F as
 * in piece.h, where X is known but for half of T(., e). */
static void narrow(rattle__sparse_curve *c) {
  double *end = c->curve.end;
  memcpy(end, c->curve.r, (size_t)c->curve.m * sizeof *end);
  for (int round = 0; round < RATTLE__PIECE_TRIALS; round++) {
    double *next = c->f; /* free by now */
    int narrower = 0;
    find_box_terms(c, end, c->x);
    for (int i = 0; i < c->curve.m; i++)
      c->need[i] = rattle__above(rattle__ball_size(c->ke[i]) + 0.5 * c->x[i], c->roundings);
    rattle__sparse_bound(c, c->need, next);
    for (int i = 0; i < c->curve.m; i++) {
      const int less = next[i] < RATTLE__PIECE_NARROWER * end[i];
      narrower |= less;
      end[i] = less ? next[i] : end[i];
    }
    if (!narrower) break;
  }
}

/* The row that is missed by most in the box tried last. */
static void find_missed_row(rattle__sparse_curve *c) {
  c->curve.row = 0, c->curve.margin = INFINITY;
  for (int i = 0; i < c->curve.m; i++) {
    const double own = c->least[i] * c->curve.r[i];
    const double margin = (own - c->f[i] - c->x[i] - c->sum[i]) / fabs(own);
    if (!(margin >= c->curve.margin)) c->curve.row = i, c->curve.margin = margin;
  }
}

int rattle__sparse_prove(rattle__curve *curve, double t2, const double *by, const double *known) {
  rattle__sparse_curve *c = (rattle__sparse_curve *)curve;
  const rattle__ball way = rattle__ball_subtract(rattle__exactly(t2), rattle__exactly(c->t1));
  int exact = c->t1 == 0;
  for (int i = 0; i < curve->m; i++) exact &= by[i] == 0;
  find_way(c, way, by);
  find_matrices(c);
  find_residuals(c, way, exact);
  rattle__sparse_find_X(c, POINTS);
  const int proved = find_box(c, known);
  c->is_near = proved;
  if (proved)
    narrow(c);
  else
    find_missed_row(c);
  return proved;
}
