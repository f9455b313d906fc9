/* The curve of multipliers of a step, and approximations to it. See curve.h.
 *
 * Theorem  for regular P the curve of Q does not depend on P: with lambda = P^T s the equations are
 *          those of lambda, and s = 0 is lambda = 0 */
#include "constraint/guard/curve_scratch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/expr/real.h"
#include "ground/linear/singular.h"
#include "constraint/guard/piece.h"

/* --- displacements ---------------------------------------------------------------------------- */

/* q = drift d - kick a - W^T s */
void rattle__curve_displace(const rattle__curve *c, rattle__ball drift, rattle__ball kick,
                            const double *s, rattle__ball *q) {
  for (int k = 0; k < c->n; k++) {
    rattle__ball sum = rattle__ball_times(drift, c->d[k]);
    sum = rattle__ball_subtract(sum, rattle__ball_times(kick, c->a[k]));
    for (int e = c->first[k]; e < c->first[k + 1]; e++)
      if (s[c->move[e].row] != 0)
        sum = rattle__ball_subtract(sum, rattle__ball_multiple(s[c->move[e].row], c->move[e].by));
    q[k] = sum;
  }
}

/* Q(s, t) */
static void place(const rattle__curve *c, double t, const double *s, rattle__ball *q) {
  const rattle__ball at = rattle__exactly(t);
  rattle__curve_displace(c, at, rattle__ball_times(at, at), s, q);
  for (int k = 0; k < c->n; k++) q[k] = rattle__ball_add(c->q0[k], q[k]);
}

void rattle__curve_point(const rattle__curve *c, const double *s, rattle__ball *q) {
  place(c, 1, s, q);
}

void rattle__curve_widen(const rattle__curve *c, const double *known, rattle__ball *q) {
  for (int k = 0; k < c->n; k++)
    for (int e = c->first[k]; e < c->first[k + 1]; e++)
      q[k].by =
          rattle__ball_bound(q[k].by + rattle__ball_bound(c->move[e].size * known[c->move[e].row]));
}

/* --- rows ------------------------------------------------------------------------------------- */

/* G_i v */
rattle__ball rattle__curve_along(const rattle__curve *c, const rattle__ball *G, int i,
                                 const rattle__ball *v) {
  rattle__ball sum = {0, 0};
  for (int e = c->g->ptr[i]; e < c->g->ptr[i + 1]; e++)
    sum = rattle__ball_more(sum, G[e], v[c->g->col[e]]);
  return sum;
}

/* sum [m] += B(u, v) by */
void rattle__curve_bend(const rattle__curve *c, const rattle__ball *u, const rattle__ball *v,
                        double by, rattle__ball *sum) {
  for (int e = 0; e < c->g->bends; e++) {
    const rattle__bend *b = &c->g->bend[e];
    const rattle__ball product = rattle__ball_times(u[b->a], v[b->b]);
    const rattle__ball times = rattle__ball_times(b->value, rattle__exactly(by));
    sum[b->row] = rattle__ball_more(sum[b->row], times, product);
  }
}

/* --- approximations --------------------------------------------------------------------------- */

/* x becomes A^-1 x, A being in R. */
static void solve(rattle__curve *c, double *x) {
  rattle__curve_scratch *s = c->scratch;
  const int m = c->m;
  rattle__piece_inverse(m, s->R, s->work, s->C);
  for (int i = 0; i < m; i++) {
    s->trial[i] = 0;
    for (int j = 0; j < m; j++) s->trial[i] += s->C[i * m + j] * x[j];
  }
  memcpy(x, s->trial, (size_t)m * sizeof *x);
}

static void find_jacobian(rattle__curve *c) {
  rattle__curve_scratch *s = c->scratch;
  for (int i = 0; i < c->m; i++)
    for (int j = 0; j < c->m; j++)
      s->J1[i * c->m + j] = rattle__curve_along(c, s->G, i, c->W + (size_t)j * (size_t)c->n).at;
}

/* G W^T of derivatives that are known about, to J. */
static void find_matrix_near(const rattle__curve *c, const double *G, double *J) {
  for (int i = 0; i < c->m; i++, J += c->m) {
    memset(J, 0, (size_t)c->m * sizeof *J);
    for (int e = c->g->ptr[i]; e < c->g->ptr[i + 1]; e++)
      for (int k = c->first[c->g->col[e]]; k < c->first[c->g->col[e] + 1]; k++)
        J[c->move[k].row] += G[e] * c->move[k].by.at;
  }
}

/* F, G and J of rows that are divided, at (at, t), about: to near_F, near_G and R. */
static void look_near(rattle__curve *c, double t, const double *at) {
  rattle__curve_scratch *s = c->scratch;
  for (int k = 0; k < c->n; k++) {
    double sum = t * c->d[k].at - t * t * c->a[k].at;
    for (int e = c->first[k]; e < c->first[k + 1]; e++)
      sum -= c->move[e].by.at * at[c->move[e].row];
    s->x[k] = c->q0[k].at + sum;
  }
  rattle__rows_of_step_near(c->g, s->x, s->near_F, s->near_G);
  find_matrix_near(c, s->near_G, s->R);
}

void rattle__curve_start(rattle__curve *c, double t, const double *at, double *slope) {
  rattle__curve_scratch *s = c->scratch;
  s->t1 = t;
  memcpy(s->s1, at, (size_t)c->m * sizeof *at);
  place(c, t, at, s->b0);
  if (c->g->is_divided) {
    rattle__rows_of_step_at(c->g, s->b0, s->value, NULL);
    look_near(c, t, at);
    for (int e = 0; e < c->g->ptr[c->m]; e++) s->G[e] = rattle__exactly(s->near_G[e]);
    memcpy(s->J1, s->R, (size_t)c->m * (size_t)c->m * sizeof *s->R);
  } else {
    rattle__rows_of_step_at(c->g, s->b0, s->value, s->G);
    find_jacobian(c);
    memcpy(s->R, s->J1, (size_t)c->m * (size_t)c->m * sizeof *s->R);
  }
  for (int k = 0; k < c->n; k++) s->b1[k] = rattle__exactly(c->d[k].at - 2 * t * c->a[k].at);
  for (int i = 0; i < c->m; i++) slope[i] = rattle__curve_along(c, s->G, i, s->b1).at + c->g0[i].at;
  solve(c, slope);
}

double rattle__curve_smallest(const rattle__curve *c) {
  const size_t m = (size_t)c->m;
  double *J = malloc((m * m + m) * sizeof *J), smallest = (double)NAN;
  if (!J) return smallest;
  memcpy(J, c->scratch->J1, m * m * sizeof *J);
  if (!rattle__singular(c->m, c->m, J, J + m * m, NULL, NULL)) smallest = J[m * m + m - 1];
  free(J);
  return smallest;
}

/* F - level, and J in R, at (at, t), which is b0 + x, by those at b0: g is quadratic. */
static void look_from_b0(rattle__curve *c, double t, const double *at, double *x, double *F) {
  rattle__curve_scratch *s = c->scratch;
  const int n = c->n, m = c->m;
  for (int k = 0; k < n; k++) {
    x[k] = (t - s->t1) * (c->d[k].at - (t + s->t1) * c->a[k].at);
    for (int j = 0; j < m; j++) x[k] -= c->W[j * n + k].at * (at[j] - s->s1[j]);
  }
  memcpy(s->R, s->J1, (size_t)m * (size_t)m * sizeof *s->R);
  for (int i = 0; i < m; i++) {
    F[i] = s->value[i].at - (1 - t) * c->g0[i].at;
    for (int e = c->g->ptr[i]; e < c->g->ptr[i + 1]; e++) F[i] += s->G[e].at * x[c->g->col[e]];
  }
  for (int e = 0; e < c->g->bends; e++) {
    const rattle__bend *b = &c->g->bend[e];
    const double y = b->value.at * x[b->a];
    F[b->row] += 0.5 * y * x[b->b];
    for (int j = 0; j < m; j++) s->R[b->row * m + j] += y * c->W[j * n + b->b].at;
  }
}

/* The same where g is no polynomial of degree 2; G is then in beside. */
static void look_there(rattle__curve *c, double t, const double *at, double *F) {
  rattle__curve_scratch *s = c->scratch;
  if (c->g->is_divided) {
    look_near(c, t, at);
    for (int i = 0; i < c->m; i++) F[i] = s->near_F[i] - (1 - t) * c->g0[i].at;
    for (int e = 0; e < c->g->ptr[c->m]; e++) s->beside[e] = rattle__exactly(s->near_G[e]);
    return;
  }
  place(c, t, at, s->u2);
  rattle__rows_of_step_at(c->g, s->u2, s->F, s->beside);
  for (int i = 0; i < c->m; i++) {
    F[i] = s->F[i].at - (1 - t) * c->g0[i].at;
    for (int j = 0; j < c->m; j++)
      s->R[i * c->m + j] = rattle__curve_along(c, s->beside, i, c->W + (size_t)j * (size_t)c->n).at;
  }
}

void rattle__curve_correction(rattle__curve *c, double t, const double *at, double *ds) {
  if (c->g->varies)
    look_there(c, t, at, ds);
  else
    look_from_b0(c, t, at, c->scratch->x, ds);
  solve(c, ds);
}

void rattle__curve_slope(rattle__curve *c, double t, const double *at, double *ds) {
  rattle__curve_scratch *s = c->scratch;
  double *x = s->x;
  if (c->g->varies)
    look_there(c, t, at, ds);
  else
    look_from_b0(c, t, at, x, ds);
  const rattle__ball *G = c->g->varies ? s->beside : s->G;
  for (int k = 0; k < c->n; k++) s->u1[k] = rattle__exactly(c->d[k].at - 2 * t * c->a[k].at);
  for (int i = 0; i < c->m; i++) ds[i] = c->g0[i].at + rattle__curve_along(c, G, i, s->u1).at;
  for (int e = 0; e < c->g->bends && !c->g->varies; e++) {
    const rattle__bend *b = &c->g->bend[e];
    ds[b->row] += b->value.at * x[b->a] * s->u1[b->b].at;
  }
  solve(c, ds);
}

void rattle__curve_multipliers(rattle__curve *c, const double *x1, double *s) {
  rattle__curve_scratch *k = c->scratch;
  memset(s, 0, (size_t)c->m * sizeof *s);
  rattle__curve_start(c, 0, s, k->f); /* J1 = A0 */
  place(c, 1, s, k->b1);
  for (int e = 0; e < c->n; e++) k->b1[e] = rattle__exactly(k->b1[e].at - x1[e]);
  for (int i = 0; i < c->m; i++) s[i] = rattle__curve_along(c, k->G, i, k->b1).at;
  memcpy(k->R, k->J1, (size_t)c->m * (size_t)c->m * sizeof *k->R);
  solve(c, s);
}

/* --- how it is made --------------------------------------------------------------------------- */

/* The entries of W that are not 0, column by column. */
static void list_moves(rattle__curve *c) {
  int count = 0;
  for (int k = 0; k < c->n; k++) {
    c->first[k] = count;
    for (int j = 0; j < c->m; j++) {
      const rattle__ball W = c->W[j * c->n + k];
      if (!rattle__ball_is_zero(W))
        c->move[count++] = (rattle__curve_move){j, W, rattle__ball_size(W)};
    }
  }
  c->first[c->n] = count;
}

/* P, about D^-1/2 U^-T of A = C0 W^T = L D U, in C; 0: a pivot is not positive. Any P will do. Rows
 * of W of constraints become orthonormal, and those of forces lose what the constraints take. */
static int find_frame(rattle__curve *c) {
  rattle__curve_scratch *s = c->scratch;
  const int m = c->m;
  double *A = s->J, *P = s->C;
  for (int e = 0; e < c->g->ptr[m]; e++) s->near_G[e] = s->G[e].at;
  find_matrix_near(c, s->near_G, A);
  for (int e = 0; e < m * m; e++) P[e] = e / m == e % m;
  for (int k = 0; k < m; k++) {
    if (!(A[k * m + k] > 0)) return 0;
    const double by = 1 / sqrt(A[k * m + k]);
    for (int i = k + 1; i < m; i++) {
      const double of_row = A[i * m + k] / A[k * m + k], of_column = A[k * m + i] / A[k * m + k];
      for (int j = k + 1; j < m; j++) A[i * m + j] -= of_row * A[k * m + j];
      for (int j = 0; j <= k; j++) P[i * m + j] -= of_column * P[k * m + j];
    }
    for (int j = 0; j <= k; j++) P[k * m + j] *= by;
  }
  return 1;
}

/* P W in place of W: boxes of multipliers are parallel to orthonormal rows. */
static void turn_rows(rattle__curve *c) {
  const rattle__curve_scratch *s = c->scratch;
  const int n = c->n, m = c->m;
  for (int i = m; i-- > 0;)
    for (int k = 0; k < n; k++) {
      rattle__ball sum = {0, 0};
      for (int j = 0; j <= i; j++)
        if (s->C[i * m + j] != 0)
          sum = rattle__ball_more(sum, rattle__exactly(s->C[i * m + j]), c->W[j * n + k]);
      c->W[i * n + k] = sum;
    }
}

const rattle__ball *rattle__curve_gradients(rattle__curve *c) {
  rattle__rows_of_step_at(c->g, c->q0, c->g0, c->scratch->G);
  return c->scratch->G;
}

void rattle__curve_settle(rattle__curve *c) {
  rattle__curve_scratch *s = c->scratch;
  find_jacobian(c);
  memcpy(s->R, s->J1, (size_t)c->m * (size_t)c->m * sizeof *s->R);
  for (int i = 0; i < c->m; i++) s->x[i] = c->g0[i].at;
  solve(c, s->x);
  for (int j = 0; j < c->m; j++)
    for (int k = 0; k < c->n; k++)
      c->q0[k] = rattle__ball_subtract(
          c->q0[k], rattle__ball_times(c->W[j * c->n + k], rattle__exactly(s->x[j])));
  rattle__curve_gradients(c);
}

void rattle__curve_begin(rattle__curve *c) {
  rattle__curve_scratch *s = c->scratch;
  const int n = c->n, m = c->m;
  list_moves(c);
  if (find_frame(c)) {
    turn_rows(c);
    list_moves(c);
  }
  for (int j = 0; j < m && !c->g->varies; j++)
    for (int k = 0; k <= j; k++) {
      memset(s->F, 0, (size_t)m * sizeof *s->F);
      rattle__curve_bend(c, c->W + (size_t)j * (size_t)n, c->W + (size_t)k * (size_t)n, 1, s->F);
      for (int a = 0; a < m; a++)
        c->bent[(a * m + j) * m + k] = c->bent[(a * m + k) * m + j] = s->F[a];
    }
}
