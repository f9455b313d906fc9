/* The curve of a substep.
 *
 * Given    q0, p0, h, M^-1, V_q(q0) and Phi(q0) are taken as the doubles that they are; g and A are
 *          the real functions that their texts write down
 * Curve    (rows_of_step.h) x0 = (q0, q0, 0, 0, 0); a move of Q by u moves x by (u, u/2, u); t has
 *          velocity 1, and each y_i its own unknown. W has M^-1 C0^T, C0 being G0 and A(q0), and
 *          h^2 d1 k1 M^-1 of the forces
 * Trial    s of the end q1: J s = G0 (x0 + d - a - x1), J being Newton's matrix at t = 0
 * Momenta  of RATTLE solve C1 M^-1 (p - C1^T sigma) = r with C1 at q1. Without constraints on
 *          velocities C1 W^T is J, regular by (*), and so is C1 M^-1 C1^T; with them A(q1) is not
 *          part of J, and that matrix is asked to be regular by itself: |1 - K C1 M^-1 C1^T| < 1
 *          for some K */
#include "constraint/guard/prover_substep.h"

#include <math.h>
#include <string.h>

#include "ground/expr/real.h"
#include "problem/functions/mass.h"
#include "constraint/guard/piece.h"

/* --- the curve -------------------------------------------------------------------------------- */

/* to [n] = factor M^-1 v */
static void by_masses(const rattle__mass *W, rattle__ball factor, int n, const rattle__ball *v,
                      rattle__ball *to) {
  memset(to, 0, (size_t)n * sizeof *to);
  for (int k = 0; k < n; k++) {
    const rattle__ball by = rattle__ball_times(factor, v[k]);
    if (!W->value) to[k] = rattle__ball_more(to[k], rattle__exactly(W->diagonal[k]), by);
    for (int at = W->value ? W->ptr[k] : 0; W->value && at < W->ptr[k + 1]; at++)
      to[W->col[at]] = rattle__ball_more(to[W->col[at]], rattle__exactly(W->value[at]), by);
  }
}

/* The move of x when u [n] moves Q, but for t and y; of equations divided by t, when it moves u. */
static void write_move(const rattle__rows_of_step *g, const rattle__ball *u, rattle__ball *x) {
  memset(x, 0, (size_t)g->vars * sizeof *x);
  for (int k = 0; k < g->n; k++) {
    if (!g->is_divided) x[k] = u[k];
    if (g->way > g->middle) x[g->middle + k] = rattle__ball_scaled(u[k], 0.5);
    if (g->momentum > g->way) x[g->way + k] = u[k];
    if (g->stage || g->is_divided) x[g->momentum + k] = rattle__ball_times(g->slowness[k], u[k]);
  }
}

/* The part of row i of the derivatives by q at Q = q0 or, of constraints on velocities, by the way:
 * A; of equations divided by t by u. *count entries, at the columns col less *from. */
static const rattle__ball *row_of(const rattle__rows_of_step *g, const rattle__ball *G, int i,
                                  int *count, const int **col, int *from) {
  int first = g->ptr[i];
  *from = i < g->held && !g->is_divided ? 0 : g->way;
  while (first < g->ptr[i + 1] && g->col[first] < *from) first++;
  int last = first;
  while (last < g->ptr[i + 1] && g->col[last] < *from + g->n) last++;
  *count = last - first, *col = g->col + first;
  return G + first;
}

/* to [n] = M^-1 times row i of C. */
static void push_row(rattle__prover *c, const rattle__mass *W, const rattle__ball *G, int i,
                     rattle__ball *to) {
  int count, from;
  const int *col;
  const rattle__ball *row = row_of(c->g, G, i, &count, &col, &from);
  memset(c->move, 0, (size_t)c->n * sizeof *c->move);
  for (int e = 0; e < count; e++) c->move[col[e] - from] = row[e];
  by_masses(W, rattle__exactly(1), c->n, c->move, to);
}

/* V_q less forces that are known: to c->x [n]. */
static void find_pull(rattle__prover *c, const rattle__proof_ends *of) {
  const rattle__stage *stage = &c->stage;
  for (int k = 0; k < c->n; k++) c->x[k] = rattle__exactly(of->k1 != 0 ? of->V_q[k] : 0);
  for (int i = 0; i < stage->count; i++) {
    rattle__ball *pull = &c->x[stage->acts_on[i]];
    *pull = stage->at_start ? rattle__ball_add(*pull, stage->k[i]) : stage->k[i];
  }
}

/* d and a of Q become those of u = (Q - q0)/t, which begins at d. */
static void divide(rattle__curve *curve, const rattle__rows_of_step *g) {
  for (int k = g->way; k < g->vars; k++) {
    curve->q0[k] = curve->d[k];
    curve->d[k] = rattle__ball_minus(curve->a[k]);
    curve->a[k] = rattle__exactly(0);
  }
}

void rattle__prover_begin(rattle__prover *c, const rattle__proof_ends *of) {
  rattle__curve *curve = c->curve;
  const rattle__rows_of_step *g = c->g;
  const rattle__ball length = rattle__exactly(of->h), k1 = rattle__exactly(of->k1);
  const rattle__ball drift = rattle__ball_times(length, rattle__exactly(of->d1));
  const rattle__ball kick = rattle__ball_times(rattle__ball_times(length, k1), drift);
  const int time = of->W->clock - 1;
  for (int k = 0; k < c->n; k++) c->x[k] = rattle__exactly(of->q0[k]);
  memset(curve->q0, 0, (size_t)g->vars * sizeof *curve->q0);
  memcpy(curve->q0, c->x, (size_t)c->n * sizeof *c->x);
  if (g->way > g->middle) memcpy(curve->q0 + g->middle, c->x, (size_t)c->n * sizeof *c->x);
  for (int k = 0; k < c->n; k++) c->x[k] = rattle__exactly(of->p0[k]);
  by_masses(of->W, drift, c->n, c->x, c->move);
  if (time >= 0) c->move[time] = drift;
  if (g->pushed)
    rattle__rows_of_step_push(c->g, of->k1 != 0 ? of->Phi : NULL, of->W->diagonal, drift);
  write_move(g, c->move, curve->d);
  find_pull(c, of);
  by_masses(of->W, kick, c->n, c->x, c->move);
  write_move(g, c->move, curve->a);
  if (g->is_divided) divide(curve, g);
  if (g->pushed) curve->d[g->time] = rattle__exactly(1);
  const rattle__ball *G = rattle__curve_gradients(curve);
  for (int i = 0; i < g->held + g->rolling; i++) {
    push_row(c, of->W, G, i, c->x);
    write_move(g, c->x, curve->W + (size_t)i * (size_t)g->vars);
  }
  for (int i = 0; i < g->pushed; i++) {
    rattle__ball *row = curve->W + (size_t)(g->held + g->rolling + i) * (size_t)g->vars;
    by_masses(of->W, kick, c->n, g->push + i * c->n, c->move);
    write_move(g, c->move, row);
    row[g->force + i] = rattle__exactly(1);
  }
  if (g->is_divided) rattle__curve_settle(curve);
  rattle__curve_begin(curve);
}

int rattle__prover_end(rattle__prover *c) {
  const int moves = c->g->is_divided ? c->g->way : 0;
  rattle__curve_point(c->curve, c->root, c->x);
  for (int k = 0; k < c->n && moves; k++) c->x[k] = rattle__ball_add(c->x[k], c->x[moves + k]);
  return moves;
}

double rattle__prover_radius(rattle__prover *c, const double *q1) {
  const rattle__curve *curve = c->curve;
  double most = 0;
  const int moves = rattle__prover_end(c);
  for (int k = 0; k < c->n; k++) {
    double off = rattle__ball_size(rattle__ball_subtract(c->x[k], rattle__exactly(q1[k])));
    for (int j = 0; j < c->m; j++) {
      const rattle__ball W = curve->W[j * curve->n + moves + k];
      off = rattle__ball_bound(off + rattle__ball_bound(rattle__ball_size(W) * c->end[j]));
    }
    if (!(off <= most) && most == most) most = off; /* a NaN stays */
  }
  return most;
}

void rattle__prover_write_end(rattle__prover *c, const rattle__proof_ends *of) {
  const rattle__rows_of_step *g = c->g;
  for (int k = 0; k < c->n; k++) {
    c->x1[k] = g->is_divided ? of->q0[k] : of->q1[k];
    if (g->way > g->middle) c->x1[g->middle + k] = 0.5 * (of->q0[k] + of->q1[k]);
    if (g->momentum > g->way) c->x1[g->way + k] = of->q1[k] - of->q0[k];
    if (g->stage || g->is_divided) c->x1[g->momentum + k] = g->slowness[k].at * c->x1[g->way + k];
  }
  if (!g->pushed) return;
  c->x1[g->time] = 1;
  if (g->stage || g->is_divided) {
    for (int k = 0; k < g->vars; k++) c->x[k] = rattle__exactly(k < g->force ? c->x1[k] : 0);
    rattle__rows_of_step_at(g, c->x, c->F, c->G);
    for (int i = 0; i < g->pushed; i++) c->x1[g->force + i] = -c->F[g->held + g->rolling + i].at;
    return;
  }
  const rattle__ball *slope = g->slope;
  for (int i = 0; i < g->pushed; i++) {
    const int row = g->held + g->rolling + i;
    double sum = 0;
    for (int at = g->ptr[row]; at < g->ptr[row + 1] - 2; at++)
      sum += (slope++)->at * c->x1[g->col[at]];
    c->x1[g->force + i] = sum;
  }
}

/* --- momenta ---------------------------------------------------------------------------------- */

/* C1 M^-1 C1^T at q1 in N, what is not known of it in `unknown`. */
static void find_N(rattle__prover *c, const rattle__mass *W, const double *q1) {
  const rattle__rows_of_step *g = c->g;
  const int rows = g->held + g->rolling;
  memset(c->x, 0, (size_t)g->vars * sizeof *c->x); /* the way is 0: A(q1) */
  for (int k = 0; k < c->n; k++) {
    c->x[k] = rattle__exactly(q1[k]);
    if (!g->is_divided) c->x[g->middle + k] = c->x[k];
  }
  rattle__rows_of_step_at(g, c->x, c->F, c->G);
  for (int i = 0; i < rows; i++) push_row(c, W, c->G, i, c->pushed + (size_t)i * (size_t)c->n);
  for (int i = 0; i < rows; i++) {
    int count, from;
    const int *col;
    const rattle__ball *row = row_of(g, c->G, i, &count, &col, &from);
    for (int j = 0; j < rows; j++) {
      rattle__ball sum = {0, 0};
      for (int e = 0; e < count; e++)
        sum = rattle__ball_more(sum, row[e], c->pushed[j * c->n + col[e] - from]);
      c->N[i * rows + j] = sum.at, c->unknown[i * rows + j] = sum.by;
    }
  }
}

/* A row of K N - 1 whose sum is not below 1. */
int rattle__prover_row_of_dependence(rattle__prover *c, const rattle__mass *W, const double *q1) {
  const int rows = c->g->held + c->g->rolling;
  find_N(c, W, q1);
  rattle__piece_inverse(rows, c->N, c->spare, c->K);
  for (int i = 0; i < rows; i++) {
    double sum = 0;
    for (int j = 0; j < rows; j++) {
      rattle__ball off = rattle__exactly(i == j ? -1 : 0);
      for (int k = 0; k < rows; k++) {
        const rattle__ball N = {c->N[k * rows + j], c->unknown[k * rows + j]};
        off = rattle__ball_more(off, rattle__exactly(c->K[i * rows + k]), N);
      }
      sum = rattle__ball_bound(sum + rattle__ball_size(off));
    }
    if (!(sum < 1)) return i;
  }
  return -1;
}
