/* A piece of the curve of multipliers of constraints that are smooth, not quadratic: bounds over a
 * box. See curve.h. The box holds the control points of Q and W^T r for a trial r; the test is good
 * if it finds a box of multipliers within that. */
#include <math.h>
#include <string.h>

#include "constraint/guard/curve_scratch.h"
#include "ground/expr/real.h"
#include "constraint/guard/piece.h"

/* A ball around two, about the least; NaN and infinity stay. */
static rattle__ball around(rattle__ball a, rattle__ball b) {
  if (rattle__ball_is_zero(a) && rattle__ball_is_zero(b)) return a;
  const double low_a = a.at - a.by, low_b = b.at - b.by, high_a = a.at + a.by, high_b = b.at + b.by;
  const double low = low_a < low_b ? low_a : low_b, high = high_a > high_b ? high_a : high_b;
  const double at = 0.5 * low + 0.5 * high;
  const double by_a = fabs(a.at - at) + a.by, by_b = fabs(b.at - at) + b.by;
  const double by = by_a > by_b ? by_a : by_b;
  return (rattle__ball){at, rattle__ball_bound(by) + 0 * (a.at + a.by + b.at + b.by)};
}

/* Around control points of a curve from `start` [n] or, NULL, from 0. */
static void hull(int n, const rattle__ball *start, const rattle__ball *const *to, int points,
                 rattle__ball *all) {
  const rattle__ball nothing = {0, 0};
  for (int k = 0; k < n; k++) {
    const rattle__ball from = start ? start[k] : nothing;
    all[k] = start ? from : to[0][k];
    for (int e = 0; e < points; e++) all[k] = around(all[k], rattle__ball_add(from, to[e][k]));
  }
}

/* The box with W^T of multipliers below `wide`. */
static void widen_box(rattle__curve *c) {
  rattle__curve_scratch *s = c->scratch;
  rattle__curve_widen(c, s->wide, s->box);
}

/* The box of Q along the piece and of multipliers within `wide` of it. */
static void find_box(rattle__curve *c) {
  rattle__curve_scratch *s = c->scratch;
  hull(c->n, s->b0, (const rattle__ball *const[]){s->u1, s->u2, s->v}, 3, s->box);
  widen_box(c);
}

/* J over the box. */
static void find_matrix(rattle__curve *c) {
  rattle__curve_scratch *s = c->scratch;
  for (int i = 0; i < c->m; i++) {
    rattle__ball *row = s->pc;
    memset(row, 0, (size_t)c->m * sizeof *row);
    for (int e = c->g->ptr[i]; e < c->g->ptr[i + 1]; e++)
      for (int k = c->first[c->g->col[e]]; k < c->first[c->g->col[e] + 1]; k++) {
        rattle__ball *J = &row[c->move[k].row];
        *J = rattle__ball_more(*J, s->beside[e], c->move[k].by);
      }
    for (int j = 0; j < c->m; j++)
      s->R[i * c->m + j] = row[j].at, s->R_by[i * c->m + j] = row[j].by;
  }
}

/* F'' = B(Q', Q') + G Q'' over the box. Q' and Q'' have control points b1, b1 + b2, w and 2 b2, 2
 * b2 + 6 b3. */
static void find_second(rattle__curve *c) {
  rattle__curve_scratch *s = c->scratch;
  const int n = c->n;
  const rattle__ball two = rattle__exactly(2), six = rattle__exactly(6);
  for (int k = 0; k < n; k++) {
    s->first[k] = rattle__ball_add(s->b1[k], s->b2[k]);
    s->second[k] = rattle__ball_times(two, s->b2[k]);
    s->last[k] = rattle__ball_more(s->second[k], six, s->b3[k]);
  }
  hull(n, NULL, (const rattle__ball *const[]){s->b1, s->first, s->w}, 3, s->rate);
  hull(n, NULL, (const rattle__ball *const[]){s->second, s->last}, 2, s->second_rate);
  rattle__rows_of_step_second(c->g, s->box, s->rate, s->second_rate, s->pa);
}

/* k0 and ke: F at the ends; where the piece begins, `value` has g. */
static void find_ends(rattle__curve *c, double t2, const double *by) {
  rattle__curve_scratch *s = c->scratch;
  const int n = c->n, m = c->m;
  const rattle__ball one = rattle__exactly(1);
  const rattle__ball before = rattle__ball_subtract(one, rattle__exactly(s->t1)),
                     after = rattle__ball_subtract(one, rattle__exactly(t2));
  int exact = s->t1 == 0;
  for (int i = 0; i < m; i++) exact &= by[i] == 0;
  for (int k = 0; k < n; k++) s->first[k] = rattle__ball_add(s->b0[k], s->v[k]);
  rattle__rows_of_step_at(c->g, s->first, s->ke, NULL);
  for (int i = 0; i < m; i++) {
    s->k0[i] = exact ? rattle__exactly(0)
                     : rattle__ball_subtract(s->value[i], rattle__ball_times(before, c->g0[i]));
    s->ke[i] = rattle__ball_subtract(s->ke[i], rattle__ball_times(after, c->g0[i]));
  }
}

static double bound_of(const rattle__curve_scratch *s, int m, int i, const rattle__ball *k) {
  for (int a = 0; a < m; a++) s->at[a] = k[a].at, s->by[a] = k[a].by;
  return rattle__row_bound(m, s->C + (size_t)i * (size_t)m, s->at, s->by);
}

static void find_residuals(rattle__curve *c) {
  rattle__curve_scratch *s = c->scratch;
  for (int i = 0; i < c->m; i++) {
    const double start = bound_of(s, c->m, i, s->k0), end = bound_of(s, c->m, i, s->ke);
    const double ends = (start > end ? start : end) + 0 * (start + end); /* a NaN stays */
    s->f_end[i] = end;
    s->f[i] = rattle__above(ends + bound_of(s, c->m, i, s->pa) / 8, 4);
  }
}

/* True if the box that the test found is within the trial; else the trial is widened to twice that
 * box. */
static int is_within(rattle__curve *c) {
  rattle__curve_scratch *s = c->scratch;
  int within = 1;
  for (int i = 0; i < c->m; i++) within &= c->r[i] <= s->wide[i];
  for (int i = 0; i < c->m && !within; i++) s->wide[i] = 2 * fabs(c->r[i]);
  return within;
}

/* How far the root at the end may be from c(1), by J in the box that is known to hold it, as long
 * as that narrows it: F(c(1)) = Y d as in piece.h, Y being a mean of J there. */
static void narrow(rattle__curve *c, const rattle__piece *piece) {
  enum { ROUNDS = 3 };
  rattle__curve_scratch *s = c->scratch;
  rattle__piece there = *piece;
  there.r = s->wide;
  for (int round = 0; round < ROUNDS; round++) {
    memcpy(s->wide, c->end, (size_t)c->m * sizeof *s->wide);
    for (int k = 0; k < c->n; k++) s->box[k] = rattle__ball_add(s->b0[k], s->v[k]);
    widen_box(c);
    rattle__rows_of_step_at(c->g, s->box, NULL, s->beside);
    find_matrix(c);
    rattle__piece_rows(&there);
    for (int i = 0; i < c->m; i++)
      if (!(s->X[i * c->m + i] > 0)) return;
    rattle__piece_narrow(&there);
    int narrower = 0;
    for (int i = 0; i < c->m; i++) narrower |= c->end[i] < RATTLE__PIECE_NARROWER * s->wide[i];
    if (!narrower) return;
  }
}

int rattle__curve_prove_smooth(rattle__curve *c, double t2, const double *by, const double *known) {
  enum { TRIALS = 4 };
  rattle__curve_scratch *s = c->scratch;
  const int m = c->m;
  const rattle__ball way = rattle__ball_subtract(rattle__exactly(t2), rattle__exactly(s->t1));
  rattle__piece piece = rattle__curve_piece(c, 1, known);
  piece.T = NULL; /* J is in one matrix for all of the box */
  rattle__curve_find_way(c, s->t1, way, by);
  find_ends(c, t2, by);
  memset(s->wide, 0, (size_t)m * sizeof *s->wide);
  for (int trial = 0; trial < TRIALS; trial++) {
    find_box(c);
    rattle__rows_of_step_at(c->g, s->box, NULL, s->beside);
    find_matrix(c);
    memcpy(s->J, s->R, (size_t)m * (size_t)m * sizeof *s->J);
    rattle__piece_inverse(m, s->J, s->work, s->C);
    find_second(c);
    find_residuals(c);
    if (!rattle__piece_prove(&piece)) break;
    if (!is_within(c)) continue;
    narrow(c, &piece);
    return 1;
  }
  rattle__curve_find_missed_row(c, &piece);
  return 0;
}
