/* Proofs of substeps of Runge-Kutta maps. See prover_map.h.
 *
 * Frame    the unknowns are lambda, then components of P_j and K_j. lambda moves P+, all P_j and,
 *          by H_pp, all K_j; a component of P_j moves K_j likewise: at t = 0 the derivative of the
 *          equations is block triangular then, with C0 H_pp C0^T and 1 in its diagonal
 * Candidate q1 says v = (q1 - q0)/h; what else the end that is proved has belongs to it, and what
 *          Newton's iteration makes of that, if it is nearer to q1. If a box around the end that
 *          has no other solution holds both, q1 is that end as well as it knows it; the radius says
 *          how far it is */
#include "constraint/guard/prover_map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "constraint/guard/candidate.h"
#include "constraint/guard/rows_of_step.h"
#include "constraint/guard/slopes.h"
#include "ground/support/error.h"

struct rattle__map_prover {
  const rattle_problem *problem;
  rattle__map_rows of;
  rattle__rows_of_step *g, *landing;
  rattle__quadratic *last;
  rattle__curve *curve, *slide;
  int n, m, lands;            /* m: constraints of both kinds */
  int first;                  /* the row of the first unknown of stages */
  rattle__candidate of_curve; /* its end, and the candidate */
  double *numbers;            /* the block of what follows */
  double *x1;                 /* [vars] */
  rattle__ball *x, *F, *G;    /* of x; F has room for n */
  rattle__ball *C, *p;        /* rows at a point [m][n]; momenta [n] */
};

/* --- what is covered -------------------------------------------------------------------------- */

const char *rattle__map_prover_misses(const rattle_problem *problem) {
  const int constraints = problem->m + (problem->velocity ? problem->velocity->rows : 0);
  if (!constraints)
    return "it has no constraints, and its steps no equations with several solutions";
  return NULL;
}

static rattle_status refuse_by(int answer, rattle_error *error) {
  if (answer < 0) return rattle__no_memory(error);
  return rattle__proof_refuse(
      answer == 1 ? "its constraints are not all expressions of sums, products, "
                    "quotients, sqrt, exp, log, sin, cos, atan, tanh and abs"
                  : "its Hamiltonian and forces are not all expressions of sums, "
                    "products, quotients, sqrt, exp, log, sin, cos, atan, tanh and abs",
      error);
}

/* --- how it is made --------------------------------------------------------------------------- */

static int create_rows(rattle__map_prover *c, char *fixed) {
  memset(fixed, 1, (size_t)c->n);
  const rattle__rows_divided step = {.n = c->n,
                                     .vars = c->of.vars,
                                     .time = c->of.tau,
                                     .scale = c->of.tau + 1,
                                     .blocks = c->of.by.blocks,
                                     .rolling = c->of.rolling,
                                     .g = c->problem->g,
                                     .rows = c->of.rows,
                                     .fixed = fixed},
                             landing = {
                                 .n = c->n, .vars = 2 * c->n, .rows = c->of.psi, .fixed = fixed};
  int answer = rattle__rows_of_step_create_divided(&c->landing, &landing);
  fixed[c->of.tau + 1] = 1;
  for (int k = c->of.start; k < c->of.start + c->n && c->of.by.blocks > 1; k++) fixed[k] = 1;
  if (!answer) answer = rattle__rows_of_step_create_divided(&c->g, &step);
  if (!answer) answer = rattle__quadratic_create_smooth(&c->last, c->of.last, NULL) ? 2 : 0;
  return answer;
}

static int lay_out(rattle__map_prover *c) {
  const size_t all = (size_t)c->g->rows, n = (size_t)c->n, vars = (size_t)c->of.vars;
  const size_t entries = (size_t)c->g->ptr[all], of_last = (size_t)c->last->ptr[n];
  c->curve = rattle__curve_create(c->g), c->slide = rattle__curve_create(c->landing);
  const size_t room = rattle__candidate_room(c->g->rows);
  c->numbers = calloc(room + vars + 1, sizeof *c->numbers);
  c->x = calloc(vars + all + n + (entries > of_last ? entries : of_last) + (size_t)c->m * n + n + 1,
                sizeof *c->x);
  if (!c->curve || !c->slide || !c->numbers || !c->x) return 0;
  rattle__candidate_lay_out(&c->of_curve, c->curve, c->numbers);
  c->x1 = c->numbers + room;
  c->F = c->x + vars, c->p = c->F + all + n, c->C = c->p + n, c->G = c->C + (size_t)c->m * n;
  return 1;
}

static rattle_status make(rattle__map_prover *c, const rattle__constrained_tableau *by,
                          rattle_error *error) {
  const char *reason = rattle__map_prover_misses(c->problem);
  if (reason) return rattle__proof_refuse(reason, error);
  rattle_status status = rattle__map_rows_make(&c->of, c->problem, by, error);
  if (status) return status;
  c->m = c->problem->m + c->of.rolling;
  c->first = by->blocks * c->problem->m + c->of.rolling;
  if (c->first + c->of.unknowns > RATTLE__PROVER_UNKNOWNS)
    return rattle__proof_refuse(
        "it has more than 128 constraints and unknowns of stages, whose matrices are "
        "dense here",
        error);
  char *fixed = calloc((size_t)c->of.vars + 1, 1); /* columns: see map_rows.h */
  const int answer = fixed ? create_rows(c, fixed) : -1;
  free(fixed);
  if (answer) return refuse_by(answer, error);
  return lay_out(c) ? RATTLE_OK : rattle__no_memory(error);
}

rattle_status rattle__map_prover_create(rattle__map_prover **prover, const rattle_problem *problem,
                                        const rattle__constrained_tableau *by, int lands,
                                        rattle_error *error) {
  if (rattle__prover_has_many(problem))
    return rattle__proof_refuse("it has more than 64 constraints, for which proofs are there for "
                                "verlet and symplectic_euler of natural problems",
                                error);
  rattle__map_prover *c = *prover = calloc(1, sizeof *c);
  if (!c) return rattle__no_memory(error);
  c->problem = problem, c->n = problem->n, c->lands = lands;
  const rattle_status status = make(c, by, error);
  if (status) rattle__map_prover_destroy(prover);
  return status;
}

int rattle__map_prover_programs(rattle__map_prover *c, rattle__ball_programs **list) {
  int count = 0;
  rattle__rows_of_step_programs(c->g, list, &count);
  rattle__rows_of_step_programs(c->landing, list, &count);
  list[count++] = &c->last->smooth;
  return count;
}

void rattle__map_prover_destroy(rattle__map_prover **prover) {
  if (!prover || !*prover) return;
  rattle__map_prover *c = *prover;
  rattle__curve_destroy(&c->curve), rattle__curve_destroy(&c->slide);
  rattle__rows_of_step_destroy(&c->g), rattle__rows_of_step_destroy(&c->landing);
  rattle__quadratic_destroy(&c->last);
  rattle__map_rows_release(&c->of);
  free(c->numbers), free(c->x), free(c);
  *prover = NULL;
}

/* --- points ----------------------------------------------------------------------------------- */

/* x of t = 0 with v = 0 and K = 0 at (q, p), without a length of the step; and there F, G and C. */
static void look_at_point(rattle__map_prover *c, const rattle__ball *q, const rattle__ball *p) {
  const int n = c->n, s = c->of.by.stages.stages;
  const size_t bytes = (size_t)n * sizeof *q;
  memset(c->x, 0, (size_t)c->of.vars * sizeof *c->x);
  memcpy(c->x, q, bytes);
  memcpy(c->x + c->of.plus, p, bytes), memcpy(c->x + c->of.start, p, bytes);
  for (int j = 0; j < s; j++) memcpy(c->x + rattle__map_stage(&c->of, j, 1), p, bytes);
  rattle__rows_of_step_at(c->g, c->x, c->F, c->G);
  memset(c->C, 0, (size_t)c->m * bytes);
  for (int i = 0; i < c->m; i++) {
    const int row = i < c->of.m ? i : c->first - c->m + i;
    for (int e = c->g->ptr[row]; e < c->g->ptr[row + 1]; e++)
      if (c->g->col[e] >= n && c->g->col[e] < 2 * n) c->C[i * n + c->g->col[e] - n] = c->G[e];
  }
}

/* Slides (q, p) [n] onto psi = 0 along the rows in C, to p1 or, NULL, wherever that is: to p. */
static rattle__tracked land(rattle__map_prover *c, const rattle__ball *q, rattle__ball *p,
                            const double *p1) {
  rattle__curve *curve = c->slide;
  const int n = c->n;
  const size_t bytes = (size_t)n * sizeof *q;
  memcpy(curve->q0, q, bytes), memcpy(curve->q0 + n, p, bytes);
  for (int i = 0; i < c->m; i++) {
    memset(curve->W + 2 * i * n, 0, bytes);
    memcpy(curve->W + (2 * i + 1) * n, c->C + i * n, bytes);
  }
  rattle__curve_gradients(curve);
  rattle__curve_begin(curve);
  for (int k = 0; k < n && p1; k++) c->x1[k] = q[k].at, c->x1[n + k] = p1[k];
  const rattle__candidate *by = &c->of_curve;
  if (p1) rattle__curve_multipliers(curve, c->x1, by->given);
  const rattle__tracked found =
      rattle__track(curve, p1 ? by->given : NULL, by->root, by->known, by->scratch);
  rattle__curve_point(curve, by->root, c->x);
  memcpy(p, c->x + n, bytes);
  return found;
}

/* --- the curve -------------------------------------------------------------------------------- */

static rattle__ball scaled(double c, rattle__ball x) {
  return rattle__ball_times(rattle__exactly(c), x);
}

/* d K_j,c/d P_j,e at the point of look_at_point: exact where H_p is affine, else about. */
static rattle__ball bend(const rattle__map_prover *c, int stage, int row, int by) {
  const int n = c->n, at = rattle__map_stage(&c->of, stage, 1) + by;
  if (c->of.affine[row]) return c->of.W[row * n + by];
  const int own = c->first + c->of.of_K[stage * n + row];
  for (int e = c->g->ptr[own]; e < c->g->ptr[own + 1]; e++)
    if (c->g->col[e] == at) return rattle__exactly(-c->G[e].at);
  return rattle__exactly(0);
}

/* K_j by `move`, added to x, with what follows. */
static void move_K(const rattle__map_prover *c, int stage, int coordinate, rattle__ball move,
                   rattle__ball *x) {
  rattle__ball *K = &x[rattle__map_stage(&c->of, stage, 0) + coordinate];
  *K = rattle__ball_add(*K, move);
  for (int node = 1; node <= c->of.by.blocks; node++) {
    rattle__ball *v = &x[rattle__map_way(&c->of, node) + coordinate];
    *v = rattle__ball_add(*v, scaled(c->of.by.node[node][stage], move));
  }
}

/* The move of K_j for one of P_j by `move` [n], added to x. */
static void follow_stage(const rattle__map_prover *c, int stage, const rattle__ball *move,
                         rattle__ball *x) {
  const int n = c->n;
  for (int k = 0; k < n; k++) {
    rattle__ball sum = {0, 0};
    for (int e = 0; e < n; e++)
      if (!rattle__ball_is_zero(move[e]))
        sum = rattle__ball_more(sum, bend(c, stage, k, e), move[e]);
    move_K(c, stage, k, sum, x);
  }
}

/* Multiplier i of the impulses at a node: a row of W. */
static void write_impulse(rattle__map_prover *c, int node, int i, rattle__ball *W) {
  const int n = c->n;
  const rattle__ball *C = c->C + i * n;
  if (node == 0)
    memcpy(W + c->of.plus, C, (size_t)n * sizeof *W);
  else
    W[c->of.impulse + (node - 1) * c->of.m + i] = rattle__exactly(-1);
  for (int j = 0; j < c->of.by.stages.stages; j++) {
    rattle__ball *P = W + rattle__map_stage(&c->of, j, 1);
    for (int k = 0; k < n; k++) P[k] = scaled(c->of.by.push[j][node], C[k]);
    follow_stage(c, j, P, W);
  }
}

/* Row of W of each unknown: of impulses, node by node, and constraints on velocities; of stages. */
static void write_rows(rattle__map_prover *c) {
  const int vars = c->of.vars;
  rattle__ball *W = c->curve->W;
  memset(W, 0, (size_t)c->g->rows * (size_t)vars * sizeof *W);
  for (int node = 0; node < c->of.by.blocks; node++)
    for (int i = 0; i < (node ? c->of.m : c->m); i++, W += vars) write_impulse(c, node, i, W);
  for (int u = 0; u < c->of.unknowns; u++, W += vars) {
    const rattle__map_unknown *is = &c->of.unknown[u];
    rattle__ball *P = W + rattle__map_stage(&c->of, is->stage, 1);
    if (is->of_P) P[is->coordinate] = rattle__exactly(1);
    if (is->of_P)
      follow_stage(c, is->stage, P, W);
    else
      move_K(c, is->stage, is->coordinate, rattle__exactly(1), W);
  }
}

/* x at t = 0, and how t moves it: momenta on which constant slopes act, and what follows. */
static void write_start(rattle__map_prover *c, double h) {
  const int n = c->n, s = c->of.by.stages.stages;
  rattle__ball *x = c->curve->q0, *d = c->curve->d;
  memcpy(x, c->x, (size_t)c->of.vars * sizeof *x);
  memset(d, 0, (size_t)c->of.vars * sizeof *d);
  memset(c->curve->a, 0, (size_t)c->of.vars * sizeof *d);
  x[c->of.tau + 1] = rattle__ball_inverse(rattle__exactly(h));
  d[c->of.tau] = rattle__exactly(h);
  for (int j = 0; j < s; j++) {
    rattle__ball part = {0, 0}, *P = d + rattle__map_stage(&c->of, j, 1);
    for (int i = 0; i < s; i++)
      part = rattle__ball_add(part, rattle__exactly(c->of.by.stages.ahat[j][i]));
    part = scaled(-h, part);
    for (int k = 0; k < n; k++)
      if (c->of.constant[k]) P[k] = rattle__ball_times(part, c->of.pull[k]);
    follow_stage(c, j, P, d);
    for (int k = 0; k < n; k++) {
      rattle__ball value = c->of.affine[k] ? c->of.speed[k] : rattle__exactly(0);
      for (int e = 0; e < n && c->of.affine[k]; e++)
        value = rattle__ball_more(value, c->of.W[k * n + e], c->p[e]);
      if (!c->of.affine[k]) /* F is -H_p there */
        value = rattle__exactly(-c->F[c->first + c->of.of_K[j * n + k]].at);
      move_K(c, j, k, value, x);
    }
  }
}

static rattle__tracked begin(rattle__map_prover *c, double h, const double *q0, const double *p0) {
  const int n = c->n;
  rattle__ball *q = c->curve->q0;
  for (int k = 0; k < n; k++) q[k] = rattle__exactly(q0[k]), c->p[k] = rattle__exactly(p0[k]);
  look_at_point(c, q, c->p);
  rattle__tracked found = {.answer = RATTLE__TRACK_RIGHT};
  if (c->of.by.blocks == 1) {
    found = land(c, q, c->p, NULL);
    if (found.answer != RATTLE__TRACK_RIGHT) return found;
    look_at_point(c, q, c->p);
  }
  write_start(c, h);
  write_rows(c);
  rattle__curve_gradients(c->curve);
  rattle__curve_begin(c->curve);
  return found;
}

/* --- ends ------------------------------------------------------------------------------------- */

/* The point of the curve at `s`, t = 1. */
static void write_point(rattle__map_prover *c, const double *s) {
  rattle__curve_point(c->curve, s, c->x);
}

/* q1 = q0 + tau v at x, in place of q0. */
static void move_to_end(rattle__map_prover *c) {
  for (int k = 0; k < c->n; k++)
    c->x[k] = rattle__ball_more(c->x[k], c->x[c->of.tau],
                                c->x[rattle__map_way(&c->of, c->of.by.blocks) + k]);
}

/* The largest distance of coordinates at x from q1, at most. */
static double distance(const rattle__map_prover *c, const double *q1) {
  double most = 0;
  for (int k = 0; k < c->n; k++) {
    const double off = rattle__ball_size(rattle__ball_subtract(c->x[k], rattle__exactly(q1[k])));
    if (!(off <= most) && most == most) most = off; /* a NaN stays */
  }
  return most;
}

static double distance_at(rattle__map_prover *c, const double *s, const double *q1) {
  write_point(c, s);
  move_to_end(c);
  return distance(c, q1);
}

/* The candidate has v of the way to q1, and what else the root has. */
static void set_candidate(rattle__map_prover *c, const rattle__map_ends *of) {
  const int n = c->n, s = c->of.by.stages.stages;
  write_point(c, c->of_curve.root);
  for (int k = 0; k < c->of.vars; k++) c->x1[k] = c->x[k].at;
  for (int k = 0; k < n; k++) {
    const double more =
        (of->q1[k] - of->q0[k]) / of->h - c->x1[rattle__map_way(&c->of, c->of.by.blocks) + k];
    for (int node = 1; node <= c->of.by.blocks; node++)
      c->x1[rattle__map_way(&c->of, node) + k] += more;
    for (int j = 0; j < s; j++) c->x1[rattle__map_stage(&c->of, j, 0) + k] += more;
  }
  rattle__candidate_set(&c->of_curve, c->x1);
}

/* The landing of the end that is proved. */
static rattle__tracked land_at_end(rattle__map_prover *c, const double *p1) {
  write_point(c, c->of_curve.root);
  rattle__curve_widen(c->curve, c->of_curve.known, c->x);
  rattle__quadratic_at(c->last, c->x, c->F, NULL);
  memcpy(c->p, c->F, (size_t)c->n * sizeof *c->p);
  move_to_end(c);
  rattle__ball *q = c->curve->q0;
  memcpy(q, c->x, (size_t)c->n * sizeof *q);
  look_at_point(c, q, c->p);
  return land(c, q, c->p, p1);
}

/* The constraint of a row, or a number beyond all. */
static int constraint_of(const rattle__map_prover *c, int row) {
  const int held = c->first - c->of.rolling;
  return row < 0 ? row : row < held ? row % c->of.m : row - held + c->of.m;
}

/* The end that is proved, in c->x, is within that of q1. */
static double find_radius(rattle__map_prover *c, const double *q1) {
  write_point(c, c->of_curve.root);
  rattle__curve_widen(c->curve, c->of_curve.known, c->x);
  move_to_end(c);
  return distance(c, q1);
}

/* True if q1, off by so much, is no end that an iteration found; asked without a landing, which
 * would tell. */
static int is_another(const rattle__map_prover *c, const rattle__map_ends *of, double off) {
  return of->own && !c->lands &&
         rattle__candidate_is_another(c->n, c->problem->clock, of->q0, of->q1, off);
}

static rattle__tracked ask(rattle__map_prover *c, const rattle__map_ends *of, double *radius) {
  rattle__tracked found = begin(c, of->h, of->q0, of->p0);
  if (found.answer != RATTLE__TRACK_RIGHT) {
    found.answer = RATTLE__TRACK_OPEN, found.reached = 0;
    return found;
  }
  rattle__candidate *by = &c->of_curve;
  found = rattle__track(c->curve, NULL, by->root, by->known, by->scratch);
  const int ends = found.answer == RATTLE__TRACK_RIGHT;
  if (ends) *radius = find_radius(c, of->q1);
  const int in = ends && rattle__candidate_lies_in(c->n, c->x, of->q1);
  double off = distance_at(c, by->root, of->q1);
  if (!in || is_another(c, of, off)) {
    set_candidate(c, of);
    const double of_found = distance_at(c, by->found, of->q1);
    const int nearer = of_found < off;
    if (nearer) off = of_found;
    if (ends ? !rattle__candidate_is_end(by, nearer) || is_another(c, of, off)
             : rattle__candidate_is_elsewhere(by))
      found.answer = RATTLE__TRACK_OTHER;
  }
  if (found.answer != RATTLE__TRACK_RIGHT || !c->lands) return found;
  const rattle__tracked landed = land_at_end(c, of->p1);
  if (landed.answer == RATTLE__TRACK_RIGHT) return found;
  found.answer = landed.answer, found.row = landed.row;
  found.margin = landed.margin, found.smallest = landed.smallest;
  return found;
}

rattle__tracked rattle__map_prover_ask(rattle__map_prover *c, const rattle__map_ends *of,
                                       double *radius) {
  rattle__tracked found = ask(c, of, radius);
  found.row = constraint_of(c, found.row); /* of a landing too */
  return found;
}
