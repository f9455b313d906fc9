/* Curves of many constraints: approximations, distances, how they are followed. See
 * sparse_curve.h. */
#include "constraint/guard/sparse_curve.h"

#include <math.h>
#include <string.h>

#include "ground/expr/real.h"
#include "constraint/guard/piece.h"

/* --- approximations --------------------------------------------------------------------------- */

/* x becomes J^-1 x, NaN where J is singular. */
static void solve(rattle__sparse_curve *c, const rattle__ball *J, double *x) {
  for (int e = 0; e < c->J->nnz; e++) c->J->value[e] = J[e].at;
  if (c->J->factor(c->J))
    for (int i = 0; i < c->curve.m; i++) x[i] = (double)NAN;
  else
    c->J->solve(c->J, x);
}

/* ds/dt at a point u at the time t with these G and J. */
static void find_slope(rattle__sparse_curve *c, double t, const rattle__ball *G,
                       const rattle__ball *J, double *slope) {
  for (int k = 0; k < c->curve.n; k++)
    c->v[k] = rattle__exactly(c->curve.d[k].at - 2 * t * c->curve.a[k].at);
  rattle__sparse_along(c, G, c->v, c->F);
  for (int i = 0; i < c->curve.m; i++) slope[i] = c->F[i].at + c->curve.g0[i].at;
  solve(c, J, slope);
}

static void correct(rattle__curve *curve, double t, const double *lambda, double *ds) {
  rattle__sparse_curve *c = (rattle__sparse_curve *)curve;
  rattle__sparse_look(c, t, lambda, &(rattle__sparse_point){c->u, c->beside, c->F, c->Je});
  for (int i = 0; i < curve->m; i++) ds[i] = c->F[i].at;
  solve(c, c->Je, ds);
}

static void find_slope_there(rattle__curve *curve, double t, const double *lambda, double *ds) {
  rattle__sparse_curve *c = (rattle__sparse_curve *)curve;
  rattle__sparse_look(c, t, lambda, &(rattle__sparse_point){c->u, c->beside, c->F, c->Je});
  find_slope(c, t, c->beside, c->Je, ds);
}

void rattle__sparse_curve_multipliers(rattle__sparse_curve *c, const double *q0, const double *q1,
                                      double *lambda) {
  for (int k = 0; k < c->curve.n; k++) {
    const double way = q1[c->column[k]] - q0[c->column[k]];
    c->v[k] = rattle__exactly(c->curve.d[k].at - c->curve.a[k].at - way);
  }
  rattle__sparse_along(c, c->G0, c->v, c->F);
  for (int i = 0; i < c->curve.m; i++) lambda[i] = c->F[i].at;
  rattle__sparse_jacobian(c, c->G0, c->Je);
  solve(c, c->Je, lambda);
}

void rattle__sparse_curve_move(rattle__sparse_curve *c, const double *lambda, const double *known,
                               rattle__ball *move, double *wide) {
  rattle__sparse_width(c, known, wide);
  memset(move, 0, (size_t)c->curve.n * sizeof *move);
  for (int i = 0; i < c->curve.m; i++)
    for (int e = c->ptr[i]; e < c->ptr[i + 1]; e++) {
      const int k = c->col[e];
      move[k] = rattle__ball_more(move[k], c->W[e], rattle__exactly(lambda[i]));
    }
  for (int k = 0; k < c->curve.n; k++) wide[k] = rattle__above(wide[k], c->roundings);
}

/* --- distances -------------------------------------------------------------------------------- */

static void find_distance(rattle__curve *curve, const double *from, int parts, const double *x,
                          double *off) {
  rattle__sparse_curve *c = (rattle__sparse_curve *)curve;
  const int m = curve->m;
  int same = 1;
  if (!c->is_near) rattle__sparse_find_X1(c);
  for (int i = 0; i < m; i++) {
    c->pa[i] = rattle__exactly(-x[i]);
    for (int k = parts; k-- > 0;)
      c->pa[i] = rattle__ball_add(c->pa[i], rattle__exactly(from[k * m + i]));
    same &= rattle__ball_is_zero(c->pa[i]);
  }
  for (int i = 0; i < m; i++) {
    rattle__ball sum = {0, 0};
    for (int e = c->J->ptr[i]; e < c->J->ptr[i + 1]; e++)
      sum = rattle__ball_more(sum, c->J1[e], c->pa[c->J->col[e]]);
    c->y[i] = rattle__ball_size(sum);
  }
  memset(off, 0, (size_t)m * sizeof *off);
  if (!same) rattle__sparse_bound(c, c->y, off);
}

static double larger(double a, double b) {
  return (a > b ? a : b) + 0 * (a + b); /* a NaN in either stays one, and proves nothing */
}

/* y = |X| known, X being J1 S. */
static void spread(rattle__sparse_curve *c, const double *known) {
  if (!c->is_near) rattle__sparse_find_X1(c);
  rattle__sparse_times_H(c, known, c->y);
  for (int i = 0; i < c->curve.m; i++)
    c->y[i] = rattle__above(c->y[i] + larger(c->most[i], -c->least[i]) * known[i], c->roundings);
}

static int is_apart(rattle__curve *curve, const double *lambda, const double *known) {
  rattle__sparse_curve *c = (rattle__sparse_curve *)curve;
  int apart = 0;
  spread(c, known);
  for (int i = 0; i < curve->m; i++) {
    rattle__ball sum = {0, 0};
    for (int e = c->J->ptr[i]; e < c->J->ptr[i + 1]; e++)
      sum = rattle__ball_more(sum, c->J1[e], rattle__exactly(lambda[c->J->col[e]]));
    apart |= fabs(sum.at) * (1 - 0x1p-52) > rattle__ball_bound(c->y[i] + sum.by);
  }
  return apart;
}

/* --- pieces ----------------------------------------------------------------------------------- */

/* The frame before the last one, and back. */
static void exchange_frames(rattle__sparse_curve *c) {
  for (int k = 0; k < c->windows; k++) {
    rattle__sparse_window *d = &c->window[k];
    double *S = d->S, *V = d->V;
    d->S = d->S_before, d->V = d->V_before;
    d->S_before = S, d->V_before = V;
  }
  c->is_near = 0;
}

/* Another frame, by J1, and `known` in it; the same frame where that has no bound. */
static void turn(rattle__sparse_curve *c, double *known) {
  const size_t size = (size_t)c->curve.m * sizeof *known;
  int bounded = 1;
  rattle__sparse_find_X1(c);
  spread(c, known);
  exchange_frames(c);
  rattle__sparse_find_frame(c);
  rattle__sparse_find_X1(c);
  rattle__sparse_bound(c, c->y, c->x);
  for (int i = 0; i < c->curve.m; i++) bounded &= c->x[i] < INFINITY;
  if (bounded)
    memcpy(known, c->x, size);
  else
    exchange_frames(c);
}

static void start_piece(rattle__curve *curve, double t, const double *lambda, double *known,
                        double *slope) {
  rattle__sparse_curve *c = (rattle__sparse_curve *)curve;
  const size_t size = (size_t)curve->m * sizeof *lambda;
  /* a piece from here was not proved */
  const int again = t == c->t1 && !memcmp(c->s1, lambda, size);
  int exact = 1;
  for (int i = 0; i < curve->m && known; i++) exact &= known[i] == 0;
  c->t1 = t;
  memcpy(c->s1, lambda, size);
  rattle__sparse_look(c, t, lambda, &(rattle__sparse_point){c->u0, c->G, c->F1, c->J1});
  c->is_near = 0;
  if (exact)
    rattle__sparse_find_frame(c);
  else if (again)
    turn(c, known);
  find_slope(c, t, c->G, c->J1, slope);
}

static double smallest(const rattle__curve *curve) {
  (void)curve; /* of a matrix of any size */
  return (double)NAN;
}

static const rattle__curve_kind kind = {start_piece,      rattle__sparse_prove, correct,
                                        find_slope_there, find_distance,        is_apart,
                                        smallest};

void rattle__sparse_curve_begin(rattle__sparse_curve *c, const rattle__sparse_step *of) {
  c->curve.kind = &kind;
  for (int k = 0; k < c->curve.n; k++) {
    const int from = c->column[k];
    c->mass[k] = of->inverse_mass[from];
    c->curve.d[k] = of->d[from], c->curve.a[k] = of->a[from];
  }
  for (int i = 0; i < c->curve.m; i++) {
    const rattle__ball *from = of->G + of->g->ptr[c->row[i]];
    c->curve.g0[i] = of->value[c->row[i]];
    for (int e = c->ptr[i]; e < c->ptr[i + 1]; e++) {
      c->G0[e] = *from++;
      c->W[e] = rattle__ball_times(c->G0[e], rattle__exactly(c->mass[c->col[e]]));
    }
  }
}
