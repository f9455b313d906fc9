/* Curves of many constraints: points, frames, distances. See sparse_curve.h. */
#include "constraint/guard/sparse_curve.h"

#include <math.h>
#include <string.h>

#include "ground/expr/real.h"
#include "constraint/guard/piece.h"

/* --- functions with bounds -------------------------------------------------------------------- */

void rattle__sparse_displace(const rattle__sparse_curve *c, rattle__ball drift, rattle__ball kick,
                             const double *lambda, rattle__ball *u) {
  for (int k = 0; k < c->curve.n; k++)
    u[k] = rattle__ball_subtract(rattle__ball_times(drift, c->curve.d[k]),
                                 rattle__ball_times(kick, c->curve.a[k]));
  for (int i = 0; i < c->curve.m; i++) {
    const rattle__ball by = rattle__exactly(-lambda[i]);
    for (int e = c->ptr[i]; e < c->ptr[i + 1]; e++)
      u[c->col[e]] = rattle__ball_more(u[c->col[e]], c->W[e], by);
  }
}

void rattle__sparse_bend(const rattle__sparse_curve *c, const rattle__ball *u,
                         const rattle__ball *v, double by, rattle__ball *sum) {
  for (int e = 0; e < c->bends; e++) {
    const rattle__bend *b = &c->bend[e];
    const rattle__ball times = rattle__ball_times(b->value, rattle__exactly(by));
    sum[b->row] = rattle__ball_more(sum[b->row], times, rattle__ball_times(u[b->a], v[b->b]));
  }
}

void rattle__sparse_along(const rattle__sparse_curve *c, const rattle__ball *G,
                          const rattle__ball *v, rattle__ball *to) {
  for (int i = 0; i < c->curve.m; i++) {
    to[i] = (rattle__ball){0, 0};
    for (int e = c->ptr[i]; e < c->ptr[i + 1]; e++)
      to[i] = rattle__ball_more(to[i], G[e], v[c->col[e]]);
  }
}

void rattle__sparse_gradients(const rattle__sparse_curve *c, const rattle__ball *from,
                              const rattle__ball *u, rattle__ball *G) {
  memcpy(G, from, (size_t)c->ptr[c->curve.m] * sizeof *G);
  for (int e = 0; e < c->bends; e++) {
    const rattle__bend *b = &c->bend[e];
    rattle__ball *to = G + c->ptr[b->row] + b->b_at;
    *to = rattle__ball_more(*to, b->value, u[b->a]);
  }
}

void rattle__sparse_jacobian(const rattle__sparse_curve *c, const rattle__ball *G,
                             rattle__ball *J) {
  for (int e = 0; e < c->J->nnz; e++) {
    J[e] = (rattle__ball){0, 0};
    for (int t = c->term_ptr[e]; t < c->term_ptr[e + 1]; t++)
      J[e] = rattle__ball_more(J[e], G[c->left[t]], c->W[c->right[t]]);
  }
}

void rattle__sparse_look(rattle__sparse_curve *c, double t, const double *lambda, rattle__ball *u,
                         rattle__ball *G, rattle__ball *F, rattle__ball *J) {
  const rattle__ball at = rattle__exactly(t);
  rattle__sparse_displace(c, at, rattle__ball_times(at, at), lambda, u);
  rattle__sparse_along(c, c->G0, u, F);
  for (int i = 0; i < c->curve.m; i++) F[i] = rattle__ball_more(F[i], at, c->curve.g0[i]);
  rattle__sparse_bend(c, u, u, 0.5, F);
  rattle__sparse_gradients(c, c->G0, u, G);
  rattle__sparse_jacobian(c, G, J);
}

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
  rattle__sparse_look(c, t, lambda, c->u, c->beside, c->F, c->Je);
  for (int i = 0; i < curve->m; i++) ds[i] = c->F[i].at;
  solve(c, c->Je, ds);
}

static void find_slope_there(rattle__curve *curve, double t, const double *lambda, double *ds) {
  rattle__sparse_curve *c = (rattle__sparse_curve *)curve;
  rattle__sparse_look(c, t, lambda, c->u, c->beside, c->F, c->Je);
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

/* --- frames ----------------------------------------------------------------------------------- */

/* The columns of the inverse of A [rows][rows] for the core, in d->S; A is lost. No exchange of
 * rows: near A0 none is needed. */
static void invert(const rattle__window *d, double *A) {
  const int n = d->rows, core = d->core;
  double *S = d->S;
  memset(S, 0, (size_t)n * (size_t)core * sizeof *S);
  for (int k = 0; k < n; k++)
    for (int j = 0; j < core; j++) S[k * core + j] = d->row[k] == d->own[j];
  for (int k = 0; k < n; k++) {
    const double by = 1 / A[k * n + k];
    for (int i = k + 1; i < n; i++) {
      const double factor = A[i * n + k] * by;
      if (factor == 0) continue;
      for (int j = k + 1; j < n; j++) A[i * n + j] -= factor * A[k * n + j];
      for (int j = 0; j < core; j++) S[i * core + j] -= factor * S[k * core + j];
    }
  }
  for (int k = n; k-- > 0;) {
    for (int i = k + 1; i < n; i++) {
      const double factor = A[k * n + i];
      if (factor == 0) continue;
      for (int j = 0; j < core; j++) S[k * core + j] -= factor * S[i * core + j];
    }
    for (int j = 0; j < core; j++) S[k * core + j] /= A[k * n + k];
  }
}

/* V, bounds of |S^T W|: sums over the rows of the window, in which much cancels along taut chains. */
static void find_widths(const rattle__sparse_curve *c, const rattle__window *d) {
  const int core = d->core, size = d->columns * core;
  double *off = c->room;
  memset(d->V, 0, (size_t)size * sizeof *d->V);
  memset(off, 0, (size_t)size * sizeof *off);
  for (int t = 0; t < d->pushes; t++) {
    const rattle__window_term *term = &d->push[t];
    const rattle__ball W = c->W[term->entry];
    const double *S = d->S + term->at * core;
    const double by = rattle__ball_bound(W.by + (c->curve.m + 1) * 0x1p-53 * fabs(W.at));
    for (int j = 0; j < core; j++) {
      d->V[term->row * core + j] += W.at * S[j];
      off[term->row * core + j] += by * fabs(S[j]);
    }
  }
  for (int e = 0; e < size; e++) d->V[e] = rattle__above(fabs(d->V[e]) + off[e], c->roundings);
}

void rattle__sparse_find_frame(rattle__sparse_curve *c) {
  for (int k = 0; k < c->windows; k++) {
    const rattle__window *d = &c->window[k];
    for (int e = 0; e < d->rows * d->rows; e++)
      c->room[e] = d->entry[e] < 0 ? 0 : c->J1[d->entry[e]].at;
    invert(d, c->room);
    find_widths(c, d);
  }
}

static double larger(double a, double b) {
  return (a > b ? a : b) + 0 * (a + b); /* a NaN in either stays one, and proves nothing */
}

/* X of the core of a window, [reached][core] in each of c->room: of `points` points, then what is
 * off. */
static void find_X_of(rattle__sparse_curve *c, const rattle__window *d, int points) {
  const int core = d->core, nnz = c->J->nnz;
  const size_t size = (size_t)d->reached * (size_t)core;
  double *off = c->room + 4 * size;
  memset(c->room, 0, 5 * size * sizeof *c->room);
  for (int t = 0; t < d->terms; t++) {
    const rattle__window_term *term = &d->term[t];
    const double *S = d->S + term->at * core;
    for (int e = 0; e < points; e++) {
      const double J = c->at[e * nnz + term->entry];
      double *X = c->room + (size_t)e * size + term->row * core;
      for (int j = 0; j < core; j++) X[j] += J * S[j];
    }
    const double by = c->by[term->entry];
    double *to = off + term->row * core;
    for (int j = 0; j < core; j++) to[j] += by * fabs(S[j]);
  }
}

void rattle__sparse_find_X(rattle__sparse_curve *c, int points) {
  c->is_factored = 0;
  for (int k = 0; k < c->windows; k++) {
    const rattle__window *d = &c->window[k];
    const size_t size = (size_t)d->reached * (size_t)d->core;
    find_X_of(c, d, points);
    for (int r = 0; r < d->reached; r++)
      for (int j = 0; j < d->core; j++) {
        const size_t at = (size_t)(r * d->core + j);
        const int own = d->reach[r] == d->own[j];
        double most = -INFINITY, least = INFINITY, size_of = 0;
        for (int e = 0; e < points; e++) {
          const double x = c->room[(size_t)e * size + at];
          most = x > most ? x : most, least = x < least ? x : least;
          size_of = larger(size_of, fabs(x));
        }
        const double off = rattle__above(c->room[4 * size + at] + 0x1p-52 * size_of, c->roundings);
        d->H[at] = own ? 0 : rattle__above(size_of + off, 2);
        if (own) c->least[d->own[j]] = least - off, c->most[d->own[j]] = most + off;
      }
  }
}

void rattle__sparse_find_X1(rattle__sparse_curve *c) {
  for (int e = 0; e < c->J->nnz; e++) {
    c->at[e] = c->J1[e].at;
    c->by[e] = rattle__ball_bound(c->J1[e].by + (c->curve.m + 1) * 0x1p-53 * fabs(c->J1[e].at));
  }
  rattle__sparse_find_X(c, 1);
  c->is_near = 1;
}

void rattle__sparse_times_H(const rattle__sparse_curve *c, const double *x, double *to) {
  memset(to, 0, (size_t)c->curve.m * sizeof *to);
  for (int k = 0; k < c->windows; k++) {
    const rattle__window *d = &c->window[k];
    for (int r = 0; r < d->reached; r++) {
      double sum = 0;
      for (int j = 0; j < d->core; j++) sum += d->H[r * d->core + j] * x[d->own[j]];
      to[d->reach[r]] += sum;
    }
  }
}

void rattle__sparse_width(const rattle__sparse_curve *c, const double *x, double *wide) {
  memset(wide, 0, (size_t)c->curve.n * sizeof *wide);
  for (int k = 0; k < c->windows; k++) {
    const rattle__window *d = &c->window[k];
    for (int r = 0; r < d->columns; r++) {
      double sum = 0;
      for (int j = 0; j < d->core; j++) sum += d->V[r * d->core + j] * x[d->own[j]];
      wide[d->column[r]] += sum;
    }
  }
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
    same &= rattle__is_exact_zero(c->pa[i]);
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
    rattle__window *d = &c->window[k];
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
  rattle__sparse_look(c, t, lambda, c->u0, c->G, c->F1, c->J1);
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

void rattle__sparse_curve_begin(rattle__sparse_curve *c, const rattle__quadratic *g,
                                const rattle__ball *value, const rattle__ball *G,
                                const double *inverse_mass, const rattle__ball *d,
                                const rattle__ball *a) {
  c->curve.kind = &kind;
  for (int k = 0; k < c->curve.n; k++) {
    c->mass[k] = inverse_mass[c->column[k]];
    c->curve.d[k] = d[c->column[k]], c->curve.a[k] = a[c->column[k]];
  }
  for (int i = 0; i < c->curve.m; i++) {
    const rattle__ball *from = G + g->ptr[c->row[i]];
    c->curve.g0[i] = value[c->row[i]];
    for (int e = c->ptr[i]; e < c->ptr[i + 1]; e++) {
      c->G0[e] = *from++;
      c->W[e] = rattle__ball_times(c->G0[e], rattle__exactly(c->mass[c->col[e]]));
    }
  }
}
