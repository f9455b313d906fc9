/* Proofs of substeps along fibres. See prover_fibre.h. */
#include "constraint/guard/prover_fibre.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "constraint/guard/candidate.h"
#include "constraint/guard/fibre_rows.h"
#include "constraint/guard/rows_of_step.h"
#include "constraint/guard/slopes.h"
#include "ground/expr/real.h"
#include "ground/support/error.h"
#include "constraint/guard/piece.h"

struct rattle__fibre_prover {
  rattle__fibre_rows of;
  rattle__rows_of_step *g, *start; /* of the step; of the slide at its start */
  rattle__quadratic *end, *slid;   /* where they lead */
  rattle__curve *curve, *slide;    /* of these */
  int n, m, clock;                 /* clock: as of the problem */
  rattle__candidate of_curve;      /* its end, and the candidate */
  double *numbers;                 /* the block of what follows */
  double *x1;                      /* [vars] */
  double *N, *inverse, *work;      /* [m][m] */
  rattle__ball *x, *z, *F, *G;     /* [vars], [2n]; values and derivatives */
};

/* --- how it is made --------------------------------------------------------------------------- */

static int create_rows(rattle__fibre_prover *c, char *fixed) {
  const int nz = 2 * c->n;
  const rattle__rows_divided step = {.n = nz,
                                     .vars = c->of.vars,
                                     .rows = c->of.rows,
                                     .fixed = fixed},
                             slide = {
                                 .n = nz, .vars = nz + c->m, .rows = c->of.psi, .fixed = fixed};
  memset(fixed, 1, (size_t)nz);
  int answer = rattle__rows_of_step_create_divided(&c->start, &slide);
  fixed[c->of.tau + 1] = 1;
  if (!answer) answer = rattle__rows_of_step_create_divided(&c->g, &step);
  if (!answer) answer = rattle__quadratic_create_smooth(&c->end, c->of.end, fixed);
  return answer ? answer : rattle__quadratic_create_smooth(&c->slid, c->of.slid, NULL);
}

static size_t larger(size_t a, size_t b) {
  return a > b ? a : b;
}

static int lay_out(rattle__fibre_prover *c) {
  const size_t rows = (size_t)c->g->rows, vars = (size_t)c->of.vars, nz = 2 * (size_t)c->n;
  const size_t m = (size_t)c->m, ends = larger((size_t)c->end->ptr[nz], (size_t)c->slid->ptr[nz]);
  const size_t entries = larger((size_t)c->g->ptr[rows], (size_t)c->start->ptr[m]);
  c->curve = rattle__curve_create(c->g), c->slide = rattle__curve_create(c->start);
  const size_t room = rattle__candidate_room(c->g->rows);
  c->numbers = calloc(room + vars + 3 * m * m + 1, sizeof *c->numbers);
  c->x = calloc(vars + nz + larger(rows, nz) + larger(entries, ends) + 1, sizeof *c->x);
  if (!c->curve || !c->slide || !c->numbers || !c->x) return 0;
  rattle__candidate_lay_out(&c->of_curve, c->curve, c->numbers);
  c->x1 = c->numbers + room, c->N = c->x1 + vars;
  c->inverse = c->N + m * m, c->work = c->inverse + m * m;
  c->z = c->x + vars, c->F = c->z + nz, c->G = c->F + larger(rows, nz);
  return 1;
}

static rattle_status make(rattle__fibre_prover *c, const rattle_problem *problem,
                          const rattle__tableau *by, int lands, rattle_error *error) {
  const int unknowns = (1 + lands) * c->m + by->stages * 2 * c->n;
  if (problem->force || problem->velocity)
    return rattle__proof_refuse(
        "its constraints depend on momenta, and it has forces or constraints on "
        "velocities",
        error);
  if (unknowns > RATTLE__PROVER_UNKNOWNS)
    return rattle__proof_refuse(
        "it has more than 128 constraints and unknowns of stages, whose matrices are "
        "dense here",
        error);
  const rattle_status status = rattle__fibre_rows_make(&c->of, problem, by, lands, error);
  if (status) return status;
  char *fixed = calloc((size_t)c->of.vars + 1, 1); /* columns: see fibre_rows.h */
  const int answer = fixed ? create_rows(c, fixed) : -1;
  free(fixed);
  if (answer > 0)
    return rattle__proof_refuse(
        "its Hamiltonian and constraints are not all expressions of sums, products, "
        "quotients, sqrt, exp, log, sin, cos, atan, tanh and abs",
        error);
  return !answer && lay_out(c) ? RATTLE_OK : rattle__no_memory(error);
}

rattle_status rattle__fibre_prover_create(rattle__fibre_prover **prover,
                                          const rattle_problem *problem, const rattle__tableau *by,
                                          int lands, rattle_error *error) {
  rattle__fibre_prover *c = *prover = calloc(1, sizeof *c);
  if (!c) return rattle__no_memory(error);
  c->n = problem->n, c->m = problem->m, c->clock = problem->clock;
  const rattle_status status = make(c, problem, by, lands, error);
  if (status) rattle__fibre_prover_destroy(prover);
  return status;
}

int rattle__fibre_prover_programs(rattle__fibre_prover *c, rattle__ball_programs **list) {
  int count = 0;
  rattle__rows_of_step_programs(c->g, list, &count);
  rattle__rows_of_step_programs(c->start, list, &count);
  list[count++] = &c->end->smooth;
  list[count++] = &c->slid->smooth;
  return count;
}

void rattle__fibre_prover_destroy(rattle__fibre_prover **prover) {
  if (!prover || !*prover) return;
  rattle__fibre_prover *c = *prover;
  rattle__curve_destroy(&c->curve), rattle__curve_destroy(&c->slide);
  rattle__rows_of_step_destroy(&c->g), rattle__rows_of_step_destroy(&c->start);
  rattle__quadratic_destroy(&c->end), rattle__quadratic_destroy(&c->slid);
  rattle__fibre_rows_release(&c->of);
  free(c->numbers), free(c->x), free(c);
  *prover = NULL;
}

/* --- the start -------------------------------------------------------------------------------- */

/* The derivative by column `col` in row `row` of G. */
static double slope_of(const rattle__rows_of_step *g, const rattle__ball *G, int row, int col) {
  for (int e = g->ptr[row]; e < g->ptr[row + 1]; e++)
    if (g->col[e] == col) return G[e].at;
  return 0;
}

/* Rows of W for s: moves by s = inverse^T, so that those of psi are 1. */
static void write_slide(rattle__fibre_prover *c) {
  const int m = c->m, nz = 2 * c->n;
  rattle__curve *curve = c->slide;
  const rattle__ball *G = rattle__curve_gradients(curve);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) c->N[i * m + j] = slope_of(c->start, G, i, nz + j);
  rattle__piece_inverse(m, c->N, c->work, c->inverse);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++)
      curve->W[i * curve->n + nz + j] = rattle__exactly(c->inverse[j * m + i]);
}

/* Slides z0 onto psi = 0: to c->z, and what W of the step needs, to c->inverse. */
static rattle__tracked slide_onto_psi(rattle__fibre_prover *c, const rattle__map_ends *of) {
  rattle__curve *curve = c->slide;
  const int n = c->n;
  memset(curve->q0, 0, (size_t)curve->n * sizeof *curve->q0);
  for (int k = 0; k < n; k++)
    curve->q0[k] = rattle__exactly(of->q0[k]), curve->q0[n + k] = rattle__exactly(of->p0[k]);
  write_slide(c);
  rattle__curve_begin(curve);
  const rattle__candidate *by = &c->of_curve;
  const rattle__tracked found = rattle__track(curve, NULL, by->root, by->known, by->scratch);
  if (found.answer != RATTLE__TRACK_RIGHT) return found;
  rattle__curve_point(curve, by->root, c->x);
  rattle__curve_widen(curve, by->known, c->x);
  rattle__quadratic_at(c->slid, c->x, c->F, NULL);
  memcpy(c->z, c->F, 2 * (size_t)n * sizeof *c->z);
  return found;
}

/* Rows of W: of s, with what follows it; of the stages; of sigma. */
static void write_rows(rattle__fibre_prover *c, const rattle__ball *G) {
  const rattle__fibre_rows *of = &c->of;
  const int m = c->m, slopes = of->vars - of->slopes, vars = of->vars;
  rattle__ball *W = c->curve->W;
  memset(W, 0, (size_t)c->g->rows * (size_t)vars * sizeof *W);
  for (int i = 0; i < m; i++, W += vars)
    for (int j = 0; j < m; j++) {
      const double by = c->inverse[j * m + i];
      W[of->s + j] = rattle__exactly(by);
      if (of->lands) W[of->sigma + j] = rattle__exactly(-by);
      for (int k = 0; k < slopes; k++)
        W[of->slopes + k].at -= slope_of(c->g, G, m + k, of->s + j) * by;
    }
  for (int k = 0; k < slopes; k++, W += vars) W[of->slopes + k] = rattle__exactly(1);
  for (int i = 0; i < of->lands * m; i++, W += vars)
    for (int j = 0; j < m; j++) W[of->sigma + j] = rattle__exactly(c->inverse[j * m + i]);
}

/* N at the start, by rows of g and of the stages, to c->inverse. */
static void find_N(rattle__fibre_prover *c, const rattle__ball *G) {
  const rattle__fibre_rows *of = &c->of;
  const int m = c->m, slopes = of->vars - of->slopes;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      double sum = slope_of(c->g, G, i, of->s + j);
      for (int k = 0; k < slopes; k++)
        sum -= slope_of(c->g, G, i, of->slopes + k) * slope_of(c->g, G, m + k, of->s + j);
      c->N[i * m + j] = sum;
    }
  rattle__piece_inverse(m, c->N, c->work, c->inverse);
}

static rattle__tracked begin(rattle__fibre_prover *c, const rattle__map_ends *of) {
  rattle__curve *curve = c->curve;
  const int slopes = c->of.vars - c->of.slopes;
  const rattle__tracked found = slide_onto_psi(c, of);
  if (found.answer != RATTLE__TRACK_RIGHT) return found;
  memset(curve->q0, 0, (size_t)c->of.vars * sizeof *curve->q0);
  memset(curve->d, 0, (size_t)c->of.vars * sizeof *curve->d);
  memcpy(curve->q0, c->z, 2 * (size_t)c->n * sizeof *c->z);
  curve->q0[c->of.tau + 1] = rattle__ball_inverse(rattle__exactly(of->h));
  curve->d[c->of.tau] = rattle__exactly(of->h);
  rattle__curve_gradients(curve); /* k = 0: the rows of stages are -H' there */
  for (int k = 0; k < slopes; k++)
    curve->q0[c->of.slopes + k] = rattle__exactly(-curve->g0[c->m + k].at);
  const rattle__ball *G = rattle__curve_gradients(curve);
  find_N(c, G);
  write_rows(c, G);
  rattle__curve_begin(curve);
  return found;
}

/* --- ends ------------------------------------------------------------------------------------- */

/* The end of the step at s, to c->F. */
static void find_end(rattle__fibre_prover *c, const double *s) {
  rattle__curve_point(c->curve, s, c->x);
  rattle__quadratic_at(c->end, c->x, c->F, NULL);
}

/* How far the end in c->F may be from those of all roots within `known` of the root, to its radius:
 * by the theorem of the mean, with derivatives over all of them. */
static void widen_end(rattle__fibre_prover *c) {
  const rattle__curve *curve = c->curve;
  const rattle__quadratic *end = c->end;
  for (int k = 0; k < 2 * c->n; k++) c->z[k] = c->F[k];
  rattle__curve_widen(curve, c->of_curve.known, c->x);
  rattle__quadratic_at(end, c->x, NULL, c->G);
  for (int k = 0; k < 2 * c->n; k++) {
    c->F[k] = c->z[k];
    for (int j = 0; j < curve->m; j++) {
      rattle__ball move = {0, 0};
      for (int e = end->ptr[k]; e < end->ptr[k + 1]; e++)
        move = rattle__ball_more(move, c->G[e], curve->W[j * curve->n + end->col[e]]);
      const double most = rattle__ball_bound(rattle__ball_size(move) * c->of_curve.known[j]);
      c->F[k].by = rattle__ball_bound(c->F[k].by + most);
    }
  }
}

/* The largest distance of positions at c->F from q1, at most. */
static double distance(const rattle__fibre_prover *c, const double *q1) {
  double most = 0;
  for (int k = 0; k < c->n; k++) {
    const double off = rattle__ball_size(rattle__ball_subtract(c->F[k], rattle__exactly(q1[k])));
    if (!(off <= most) && most == most) most = off; /* a NaN stays */
  }
  return most;
}

/* The candidate: the root with slopes by which its end is at (q1, p1). */
static void set_candidate(rattle__fibre_prover *c, const rattle__map_ends *of) {
  const int n = c->n;
  find_end(c, c->of_curve.root);
  for (int k = 0; k < c->of.vars; k++) c->x1[k] = c->x[k].at;
  for (int k = 0; k < 2 * n; k++) {
    const double *to = k < n ? of->q1 : of->p1;
    const double more = to ? (to[k % n] - c->F[k].at) / of->h : 0;
    for (int j = 0; j < c->of.stages; j++)
      c->x1[rattle__fibre_slope(&c->of, j) + k] += k < n ? more : -more;
  }
  rattle__candidate_set(&c->of_curve, c->x1);
}

static double distance_at(rattle__fibre_prover *c, const double *s, const double *q1) {
  find_end(c, s);
  return distance(c, q1);
}

/* The end that is proved, in c->F, is within that of q1. */
static double find_radius(rattle__fibre_prover *c, const double *q1) {
  find_end(c, c->of_curve.root);
  widen_end(c);
  return distance(c, q1);
}

/* The constraint of a row, or a number beyond all. */
static int constraint_of(const rattle__fibre_prover *c, int row) {
  const int psi = c->m + c->of.vars - c->of.slopes;
  return row < psi ? row : row - psi;
}

/* True if q1, off by so much, is no end that an iteration found; asked where p1 is not known, which
 * would tell. */
static int is_another(const rattle__fibre_prover *c, const rattle__map_ends *of, double off) {
  return of->own && !of->p1 && rattle__candidate_is_another(c->n, c->clock, of->q0, of->q1, off);
}

rattle__tracked rattle__fibre_prover_ask(rattle__fibre_prover *c, const rattle__map_ends *of,
                                         double *radius) {
  rattle__tracked found = begin(c, of);
  if (found.answer != RATTLE__TRACK_RIGHT) {
    found.answer = RATTLE__TRACK_OPEN, found.reached = 0;
    return found;
  }
  rattle__candidate *by = &c->of_curve;
  const int n = c->n;
  found = rattle__track(c->curve, NULL, by->root, by->known, by->scratch);
  const int ends = found.answer == RATTLE__TRACK_RIGHT;
  if (ends) *radius = find_radius(c, of->q1);
  const int in = ends && rattle__candidate_lies_in(n, c->F, of->q1) &&
                 (!of->p1 || rattle__candidate_lies_in(n, c->F + n, of->p1));
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
  found.row = constraint_of(c, found.row);
  return found;
}
