/* A piece of the curve of multipliers: the numbers that the row test (piece.h) asks for, with
 * bounds. Why they are bounds is the theorem of curve.h: F is a cubic and x^2 (1 - x)^2 p, and J is
 * affine in Q. */
#include "constraint/guard/curve_scratch.h"

#include <math.h>
#include <string.h>

#include "ground/expr/real.h"
#include "constraint/guard/piece.h"

/* --- numbers ---------------------------------------------------------------------------------- */

/* The balls X_ij of a matrix [m][m], column j, become entries of `at` and `by`. */
static void write_column(int m, int j, const rattle__ball *X, double *at, double *by) {
  for (int i = 0; i < m; i++) at[i * m + j] = X[i].at, by[i * m + j] = X[i].by;
}

/* J at the control points: G(b0) W^T + B(u, W), u being their distances from b0. */
static void find_matrices(rattle__curve *c) {
  rattle__curve_scratch *s = c->scratch;
  const int m = c->m;
  const size_t mm = (size_t)m * (size_t)m;
  const rattle__ball *from_b0[RATTLE__CURVE_POINTS] = {NULL, s->u1, s->u2, s->v};
  for (int j = 0; j < m; j++) {
    const rattle__ball *W = c->W + (size_t)j * (size_t)c->n;
    for (size_t e = 0; e < RATTLE__CURVE_POINTS; e++) {
      for (int i = 0; i < m; i++) s->F[i] = rattle__curve_along(c, s->G, i, W);
      if (e) rattle__curve_bend(c, from_b0[e], W, 1, s->F);
      write_column(m, j, s->F, s->R + e * mm, s->R_by + e * mm);
    }
  }
}

/* T_ijk >= |sum_a C_ia B_a(W_j, W_k)| */
static void find_box_terms(rattle__curve *c) {
  rattle__curve_scratch *s = c->scratch;
  const int m = c->m;
  for (int j = 0; j < m; j++)
    for (int k = 0; k <= j; k++) {
      int count = 0;
      for (int a = 0; a < m; a++) {
        const rattle__ball b = c->bent[(a * m + j) * m + k];
        if (b.at != 0 || b.by != 0) s->which[count] = a, s->at[count] = b.at, s->by[count++] = b.by;
      }
      for (int i = 0; i < m; i++) {
        for (int a = 0; a < count; a++) s->work[a] = s->C[i * m + s->which[a]];
        const double bound = count ? rattle__row_bound(count, s->work, s->at, s->by) : 0;
        s->T[(i * m + j) * m + k] = s->T[(i * m + k) * m + j] = bound;
      }
    }
}

/* |C k| <= bound */
static double bound_of(const rattle__curve_scratch *s, int m, int i, const rattle__ball *k) {
  for (int a = 0; a < m; a++) s->at[a] = k[a].at, s->by[a] = k[a].by;
  return rattle__row_bound(m, s->C + (size_t)i * (size_t)m, s->at, s->by);
}

static double larger(double a, double b) {
  return (a > b ? a : b) + 0 * (a + b); /* a NaN in either stays one, and proves nothing */
}

static void find_residuals(rattle__curve *c) {
  rattle__curve_scratch *s = c->scratch;
  const int m = c->m;
  for (int i = 0; i < m; i++) {
    const double last = bound_of(s, m, i, s->ke), ends = larger(bound_of(s, m, i, s->k0), last);
    const double slopes = 4.0 / 27 * (bound_of(s, m, i, s->k1) + bound_of(s, m, i, s->k1e));
    const double rest = larger(bound_of(s, m, i, s->pa),
                               larger(bound_of(s, m, i, s->pb), bound_of(s, m, i, s->pc)));
    s->f_end[i] = last;
    s->f[i] = rattle__above(ends + slopes + rest / 16, 8);
  }
}

/* --- the test --------------------------------------------------------------------------------- */

static int is_zero(const double *s, int m) {
  int zero = 1;
  for (int i = 0; i < m; i++) zero &= s[i] == 0;
  return zero;
}

/* sum [n] = a + b x */
static void add_multiple(int n, const rattle__ball *a, rattle__ball b, const rattle__ball *x,
                         rattle__ball *sum) {
  for (int k = 0; k < n; k++) sum[k] = rattle__ball_more(a[k], b, x[k]);
}

/* b1, b2, b3, and what follows from them alone. */
void rattle__curve_find_way(rattle__curve *c, double t1, rattle__ball way, const double *by) {
  static const rattle__ball third = {1.0 / 3, 0x1p-54}, nothing = {0, 0};
  rattle__curve_scratch *s = c->scratch;
  const int n = c->n, m = c->m;
  const rattle__ball one = rattle__exactly(1), two = rattle__exactly(2);
  const rattle__ball twice = rattle__ball_times(two, rattle__ball_times(rattle__exactly(t1), way));
  rattle__curve_displace(c, way, twice, by + m, s->b1);
  rattle__curve_displace(c, nothing, rattle__ball_times(way, way), by + 2 * m, s->b2);
  rattle__curve_displace(c, nothing, nothing, by + 3 * m, s->b3);
  for (int k = 0; k < n; k++) s->u1[k] = rattle__ball_times(third, s->b1[k]);
  add_multiple(n, s->u1, one, s->u1, s->u2);
  add_multiple(n, s->u2, third, s->b2, s->u2);
  add_multiple(n, s->b1, one, s->b2, s->v);
  add_multiple(n, s->v, one, s->b3, s->v);
  add_multiple(n, s->b1, two, s->b2, s->w);
  add_multiple(n, s->w, rattle__exactly(3), s->b3, s->w);
}

/* k4 + by5 k5 + by6 k6 */
static void find_rest(rattle__curve *c, double by5, double by6, rattle__ball *p) {
  rattle__curve_scratch *s = c->scratch;
  memset(p, 0, (size_t)c->m * sizeof *p);
  rattle__curve_bend(c, s->b1, s->b3, 1, p);
  rattle__curve_bend(c, s->b2, s->b2, 0.5, p);
  rattle__curve_bend(c, s->b2, s->b3, by5, p);
  rattle__curve_bend(c, s->b3, s->b3, 0.5 * by6, p);
}

static void find_coefficients(rattle__curve *c, double t1, double t2, const double *by) {
  rattle__curve_scratch *s = c->scratch;
  const int m = c->m;
  const rattle__ball start = rattle__exactly(t1);
  const rattle__ball way = rattle__ball_subtract(rattle__exactly(t2), start);
  const rattle__ball rest = rattle__ball_subtract(rattle__exactly(1), start);
  const int exact = t1 == 0 && is_zero(by, m); /* F(0, 0) = 0 */
  rattle__curve_find_way(c, t1, way, by);
  for (int i = 0; i < m; i++) {
    const rattle__ball level = rattle__ball_times(rest, c->g0[i]);
    const rattle__ball fall = rattle__ball_times(way, c->g0[i]);
    s->k0[i] = exact ? rattle__exactly(0) : rattle__ball_subtract(s->value[i], level);
    s->k1[i] = rattle__ball_add(fall, rattle__curve_along(c, s->G, i, s->b1));
    s->ke[i] =
        rattle__ball_add(s->k0[i], rattle__ball_add(fall, rattle__curve_along(c, s->G, i, s->v)));
    s->k1e[i] = rattle__ball_add(fall, rattle__curve_along(c, s->G, i, s->w));
  }
  rattle__curve_bend(c, s->v, s->v, 0.5, s->ke);
  rattle__curve_bend(c, s->v, s->w, 1, s->k1e);
  find_rest(c, 2, 3, s->pa);
  find_rest(c, 2.5, 4, s->pb);
  find_rest(c, 3, 6, s->pc);
}

rattle__piece rattle__curve_piece(rattle__curve *c, int points, const double *known) {
  const rattle__curve_scratch *s = c->scratch;
  return (rattle__piece){.m = c->m,
                         .points = points,
                         .R = s->R,
                         .R_by = s->R_by,
                         .C = s->C,
                         .T = s->T,
                         .f = s->f,
                         .f_end = s->f_end,
                         .known = known,
                         .X = s->X,
                         .X_by = s->X_by,
                         .H = s->H,
                         .trial = s->trial,
                         .r = c->r,
                         .end = c->end};
}

void rattle__curve_find_missed_row(rattle__curve *c, const rattle__piece *p) {
  c->row = 0, c->margin = INFINITY;
  for (int i = 0; i < p->m; i++) p->trial[i] = fabs(p->trial[i]);
  for (int i = 0; i < p->m; i++)
    for (int e = 0; e < p->points; e++) {
      const double own = p->X[(e * p->m + i) * p->m + i] * p->trial[i];
      const double need = p->f[i] + rattle__piece_bend(p, i, p->trial);
      const double margin = (own - need - rattle__piece_beside(p, e, i, p->trial)) / fabs(own);
      if (!(margin >= c->margin)) c->row = i, c->margin = margin;
    }
}

int rattle__curve_prove(rattle__curve *c, double t2, const double *by, const double *known) {
  rattle__curve_scratch *s = c->scratch;
  const int m = c->m;
  find_coefficients(c, s->t1, t2, by);
  find_matrices(c);
  double *middle = s->J; /* of the two inner points */
  for (size_t e = 0, mm = (size_t)m * (size_t)m; e < mm; e++)
    middle[e] = 0.5 * (s->R[mm + e] + s->R[2 * mm + e]);
  rattle__piece_inverse(m, middle, s->work, s->C);
  find_box_terms(c);
  find_residuals(c);
  const rattle__piece piece = rattle__curve_piece(c, RATTLE__CURVE_POINTS, known);
  const int proved = rattle__piece_prove(&piece) != 0;
  if (!proved) rattle__curve_find_missed_row(c, &piece);
  return proved;
}
