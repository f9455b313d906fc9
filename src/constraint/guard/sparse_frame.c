/* Points of curves of many constraints, with bounds; frames, and X = J S. See sparse_curve.h. */
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

void rattle__sparse_look(rattle__sparse_curve *c, double t, const double *lambda,
                         const rattle__sparse_point *p) {
  const rattle__ball at = rattle__exactly(t);
  rattle__sparse_displace(c, at, rattle__ball_times(at, at), lambda, p->u);
  rattle__sparse_along(c, c->G0, p->u, p->F);
  for (int i = 0; i < c->curve.m; i++) p->F[i] = rattle__ball_more(p->F[i], at, c->curve.g0[i]);
  rattle__sparse_bend(c, p->u, p->u, 0.5, p->F);
  rattle__sparse_gradients(c, c->G0, p->u, p->G);
  rattle__sparse_jacobian(c, p->G, p->J);
}

/* --- frames ----------------------------------------------------------------------------------- */

/* The columns of the inverse of A [rows][rows] for the core, in d->S; A is lost. No exchange of
 * rows: near A0 none is needed. */
static void invert(const rattle__sparse_window *d, double *A) {
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

/* V, bounds of |S^T W|: sums over the rows of the window, which cancel along taut chains. */
static void find_widths(const rattle__sparse_curve *c, const rattle__sparse_window *d) {
  const int core = d->core, size = d->columns * core;
  double *off = c->room;
  memset(d->V, 0, (size_t)size * sizeof *d->V);
  memset(off, 0, (size_t)size * sizeof *off);
  for (int t = 0; t < d->pushes; t++) {
    const rattle__sparse_term *term = &d->push[t];
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
    const rattle__sparse_window *d = &c->window[k];
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
static void find_X_of(rattle__sparse_curve *c, const rattle__sparse_window *d, int points) {
  const int core = d->core, nnz = c->J->nnz;
  const size_t size = (size_t)d->reached * (size_t)core;
  double *off = c->room + 4 * size;
  memset(c->room, 0, 5 * size * sizeof *c->room);
  for (int t = 0; t < d->terms; t++) {
    const rattle__sparse_term *term = &d->term[t];
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
    const rattle__sparse_window *d = &c->window[k];
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
    const rattle__sparse_window *d = &c->window[k];
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
    const rattle__sparse_window *d = &c->window[k];
    for (int r = 0; r < d->columns; r++) {
      double sum = 0;
      for (int j = 0; j < d->core; j++) sum += d->V[r * d->core + j] * x[d->own[j]];
      wide[d->column[r]] += sum;
    }
  }
}
