/* Proofs of substeps. See prover.h.
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
#include "constraint/guard/prover.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/expr/real.h"
#include "ground/support/error.h"
#include "ground/support/number.h"
#include "problem/functions/mass.h"
#include "constraint/guard/piece.h"
#include "constraint/guard/stage_rows.h"

struct rattle__prover {
  rattle__rows_of_step *g;
  rattle__function *stage; /* forces at the middle of steps; NULL: at their starts */
  rattle__curve *curve;
  int n, m;                                /* coordinates of the problem; equations */
  double *s, *root, *end, *scratch, *x1;   /* [m], [m], [m], [7m], coordinates of the curve */
  rattle__ball *x, *move, *pushed, *F, *G; /* of the curve; [n]; C1 [rows][n]; at q1 */
  double *N, *unknown, *K, *spare;         /* [rows][rows] */
};

const char *rattle__prover_misses(const rattle_problem *problem) {
  const rattle__mass *W = rattle__inertia(problem);
  const int constraints = problem->m + (problem->velocity ? problem->velocity->rows : 0);
  if (!constraints)
    return "it has no constraints, and its steps no equations with several solutions";
  if (!W && problem->force)
    return "with forces, proofs are there for masses that are constant and diagonal";
  if (!W || !(problem->flags & RATTLE_HOLONOMIC))
    return "proofs are there for natural problems, H = p^T M^-1 p/2 + V(q) with g(q) = 0";
  if (constraints > RATTLE__PROVER_MOST)
    return "it has more than 64 constraints, whose matrices are dense here";
  return NULL;
}

/* --- how it is made --------------------------------------------------------------------------- */

static int lay_out(rattle__prover *c) {
  const size_t n = (size_t)c->n, m = (size_t)c->m, rows = (size_t)(c->g->held + c->g->rolling);
  const size_t vars = (size_t)c->g->vars, entries = (size_t)c->g->ptr[m];
  c->s = calloc(10 * m + vars + 4 * rows * rows + 1, sizeof *c->s);
  c->x = calloc(vars + n + rows * n + m + entries + 1, sizeof *c->x);
  if (!c->s || !c->x) return 0;
  c->root = c->s + m, c->end = c->root + m, c->scratch = c->end + m, c->x1 = c->scratch + 7 * m;
  c->N = c->x1 + vars, c->unknown = c->N + rows * rows;
  c->K = c->unknown + rows * rows, c->spare = c->K + rows * rows;
  c->move = c->x + vars, c->pushed = c->move + n, c->F = c->pushed + rows * n, c->G = c->F + m;
  return 1;
}

/* 0, 1, 2, -1 as rattle__rows_of_step_create. */
static int create(rattle__prover **prover, const rattle__rows_of_problem *of, int smooth) {
  rattle__prover *c = *prover = calloc(1, sizeof *c);
  int answer = c ? rattle__rows_of_step_create(&c->g, of, smooth) : -1;
  if (!answer) {
    c->n = of->n, c->m = c->g->rows;
    c->curve = rattle__curve_create(c->g);
    answer = c->curve && lay_out(c) ? 0 : -1;
  }
  if (answer) rattle__prover_destroy(prover);
  return answer;
}

int rattle__prover_create(rattle__prover **prover, const rattle__function *g) {
  return create(prover, &(rattle__rows_of_problem){.n = g->vars, .g = g}, 0);
}

static const char *why(int answer) {
  static const char *const not_smooth[] = {
      "its constraints are not all expressions of sums, products, quotients, sqrt, exp, log, sin, "
      "cos and atan",
      "its forces are not affine in momenta by their expressions",
      "its forces, which the method takes at the middle of steps, are not all expressions of sums, "
      "products, quotients, sqrt, exp, log, sin, cos and atan; rattle(verlet) takes them at points "
      "that are known"};
  return not_smooth[answer - 1];
}

/* True if a force depends on the momentum of a coordinate without inertia, which no way tells. */
static int has_force_beyond(const rattle_problem *problem) {
  const rattle__function *f = problem->force;
  int beyond = 0;
  for (int e = 0; f && e < f->jac_nnz; e++) {
    const int pair = f->jac_col[e] - problem->n;
    beyond |= pair >= 0 && rattle__inertia(problem)->diagonal[pair] == 0;
  }
  return beyond;
}

static rattle_status refuse(const char *reason, rattle_error *error) {
  return rattle__fail(error, RATTLE_UNSUITABLE, NULL, "steps of this problem cannot be proved: %s",
                      reason);
}

static rattle_status create_for(rattle__prover **prover, rattle__rows_of_problem *of,
                                rattle__function *stage, rattle_error *error) {
  const int answer = create(prover, of, 1);
  if (answer) rattle__function_destroy(&stage);
  if (answer) return answer < 0 ? rattle__no_memory(error) : refuse(why(answer), error);
  (*prover)->stage = stage;
  if ((*prover)->m <= RATTLE__PROVER_UNKNOWNS) return RATTLE_OK;
  rattle__prover_destroy(prover);
  return refuse("it has more than 128 constraints and forces that steps solve for, whose matrices "
                "are dense here",
                error);
}

rattle_status rattle__prover_create_smooth(rattle__prover **prover, const rattle_problem *problem,
                                           int midpoint, rattle_error *error) {
  rattle__function *stage = NULL;
  rattle__rows_of_problem of = {.n = problem->n,
                                .g = problem->g,
                                .velocity = problem->velocity,
                                .force = problem->force,
                                .pushed = problem->pushed};
  const char *misses = rattle__prover_misses(problem);
  if (!misses && has_force_beyond(problem))
    misses = "its forces depend on the momentum of a coordinate without inertia";
  if (misses) return refuse(misses, error);
  int *acts_on = calloc((size_t)problem->n + 1, sizeof *acts_on);
  rattle_status status = acts_on ? RATTLE_OK : rattle__no_memory(error);
  if (!status && midpoint) status = rattle__stage_rows(&stage, acts_on, problem, error);
  if (stage) of.stage = stage, of.pushed = acts_on;
  if (!status) status = create_for(prover, &of, stage, error);
  free(acts_on);
  return status;
}

void rattle__prover_destroy(rattle__prover **prover) {
  if (!prover || !*prover) return;
  rattle__curve_destroy(&(*prover)->curve);
  rattle__rows_of_step_destroy(&(*prover)->g);
  rattle__function_destroy(&(*prover)->stage);
  free((*prover)->s), free((*prover)->x), free(*prover);
  *prover = NULL;
}

/* --- the curve of a substep ------------------------------------------------------------------- */

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

/* The move of x when u [n] moves Q, but for t and y. */
static void write_move(const rattle__rows_of_step *g, const rattle__ball *u, rattle__ball *x) {
  memset(x, 0, (size_t)g->vars * sizeof *x);
  for (int k = 0; k < g->n; k++) {
    x[k] = u[k];
    if (g->way > g->middle) x[g->middle + k] = rattle__ball_scaled(u[k], 0.5);
    if (g->momentum > g->way) x[g->way + k] = u[k];
    if (g->stage) x[g->momentum + k] = rattle__ball_times(g->slowness[k], u[k]);
  }
}

/* The part of row i of the derivatives by q at Q = q0 or, of constraints on velocities, by the way:
 * A. *count entries, at the columns col less *from. */
static const rattle__ball *row_of(const rattle__rows_of_step *g, const rattle__ball *G, int i,
                                  int *count, const int **col, int *from) {
  int first = g->ptr[i];
  *from = i < g->held ? 0 : g->way;
  while (first < g->ptr[i + 1] && g->col[first] < *from) first++;
  *count = g->ptr[i + 1] - first, *col = g->col + first;
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

/* The curve of the substep. */
static void begin(rattle__prover *c, const rattle__proof_ends *of) {
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
  if (g->pushed) curve->d[g->time] = rattle__exactly(1);
  for (int k = 0; k < c->n; k++) c->x[k] = rattle__exactly(of->k1 != 0 ? of->V_q[k] : 0);
  for (int i = 0; i < g->pushed && g->stage; i++) c->x[g->acts_on[i]] = rattle__exactly(0);
  by_masses(of->W, kick, c->n, c->x, c->move);
  write_move(g, c->move, curve->a);
  const rattle__ball *G = rattle__curve_gradients(curve);
  for (int i = 0; i < g->held + g->rolling; i++) {
    push_row(c, of->W, G, i, c->x);
    write_move(g, c->x, curve->W + (size_t)i * (size_t)g->vars);
  }
  for (int i = 0; i < g->pushed; i++) {
    rattle__ball *row = curve->W + (size_t)(g->held + g->rolling + i) * (size_t)g->vars;
    memset(c->x, 0, (size_t)c->n * sizeof *c->x);
    c->x[g->acts_on[i]] = rattle__exactly(1);
    by_masses(of->W, kick, c->n, c->x, c->move);
    write_move(g, c->move, row);
    row[g->force + i] = rattle__exactly(1);
  }
  rattle__curve_begin(curve);
}

/* The most that a coordinate of q1 can be off from the exact end of the curve. */
static double radius_of(rattle__prover *c, const double *q1) {
  const rattle__curve *curve = c->curve;
  double most = 0;
  rattle__curve_point(curve, c->root, c->x);
  for (int k = 0; k < c->n; k++) {
    double off = rattle__ball_size(rattle__ball_subtract(c->x[k], rattle__exactly(q1[k])));
    for (int j = 0; j < c->m; j++)
      off = rattle__ball_bound(
          off + rattle__ball_bound(rattle__ball_size(curve->W[j * curve->n + k]) * c->end[j]));
    if (!(off <= most) && most == most) most = off; /* a NaN stays */
  }
  return most;
}

/* --- momenta ---------------------------------------------------------------------------------- */

/* C1 M^-1 C1^T at q1 in N, what is not known of it in `unknown`. */
static void find_N(rattle__prover *c, const rattle__mass *W, const double *q1) {
  const rattle__rows_of_step *g = c->g;
  const int rows = g->held + g->rolling;
  memset(c->x, 0, (size_t)g->vars * sizeof *c->x); /* the way is 0: A(q1) */
  for (int k = 0; k < c->n; k++) c->x[k] = c->x[g->middle + k] = rattle__exactly(q1[k]);
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

/* -1: N is proved to be regular; else a row of K N - 1 whose sum is not below 1. */
static int row_of_dependence(rattle__prover *c, const rattle__mass *W, const double *q1) {
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

/* --- answers ---------------------------------------------------------------------------------- */

/* x1 of q1 [n], as well as that knows it. */
static void write_end(rattle__prover *c, const rattle__proof_ends *of) {
  const rattle__rows_of_step *g = c->g;
  for (int k = 0; k < c->n; k++) {
    c->x1[k] = of->q1[k];
    if (g->way > g->middle) c->x1[g->middle + k] = 0.5 * (of->q0[k] + of->q1[k]);
    if (g->momentum > g->way) c->x1[g->way + k] = of->q1[k] - of->q0[k];
    if (g->stage) c->x1[g->momentum + k] = g->slowness[k].at * c->x1[g->way + k];
  }
  if (!g->pushed) return;
  c->x1[g->time] = 1;
  if (g->stage) {
    for (int k = 0; k < g->vars; k++) c->x[k] = rattle__exactly(k < g->force ? c->x1[k] : 0);
    rattle__quadratic_at(g->stage, c->x + g->middle, c->F, c->G);
    for (int i = 0; i < g->pushed; i++) c->x1[g->force + i] = -c->F[i].at;
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

rattle__tracked rattle__prover_ask(rattle__prover *c, const rattle__proof_ends *of,
                                   double *radius) {
  begin(c, of);
  write_end(c, of);
  rattle__curve_multipliers(c->curve, c->x1, c->s);
  rattle__tracked found = rattle__track(c->curve, c->s, c->root, c->end, c->scratch);
  if (found.answer != RATTLE__TRACK_RIGHT) return found;
  *radius = radius_of(c, of->q1);
  const int row = c->g->rolling ? row_of_dependence(c, of->W, of->q1) : -1;
  if (row < 0) return found;
  found.answer = RATTLE__TRACK_OPEN, found.row = row, found.margin = 0, found.smallest = 0;
  return found;
}

rattle__tracked rattle__prover_seek(rattle__prover *c, const rattle__proof_ends *of, double *q1) {
  begin(c, of);
  const rattle__tracked found = rattle__track(c->curve, NULL, c->root, c->end, c->scratch);
  rattle__curve_point(c->curve, c->root, c->x);
  for (int k = 0; k < c->n && found.answer == RATTLE__TRACK_RIGHT; k++) q1[k] = c->x[k].at;
  return found;
}

rattle_status rattle__prover_refuse(const rattle_problem *problem, const rattle__tracked *found,
                                    rattle_error *error) {
  if (found->answer == RATTLE__TRACK_OTHER)
    return rattle__fail(error, RATTLE_DEGENERATE, NULL,
                        "the step ended at another solution of its equations than the one to which "
                        "the curve from its start leads: use a smaller step");
  const int constraints = problem->m + (problem->velocity ? problem->velocity->rows : 0);
  const int of_constraint = found->row < constraints;
  const char *name = of_constraint ? rattle_problem_constraint_name(problem, found->row) : "force";
  if (found->reached == 1)
    return rattle__fail(
        error, RATTLE_DEGENERATE, name,
        "the momenta at the end of the step are not proved: the constraint '%s' may "
        "depend on the others there",
        name);
  char missed[64] = "has no bound";
  if (isfinite(found->margin))
    rattle__print(missed, sizeof missed, "misses by %.2g of its diagonal", -found->margin);
  return rattle__fail(
      error, RATTLE_DEGENERATE, of_constraint ? name : NULL,
      "the step is not proved: the curve from its start is known up to %.9g of it, where the row "
      "of the %s%s%s %s, and the smallest singular value of the matrix of the multipliers, 1 at "
      "the start, is %.3g: use a smaller step",
      found->reached, of_constraint ? "constraint '" : "", of_constraint ? name : "forces",
      of_constraint ? "'" : "", missed, found->smallest);
}
