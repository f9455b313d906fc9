/* Proofs of substeps under many constraints. See prover_sparse.h. */
#include "constraint/guard/prover_sparse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "constraint/guard/sparse_curve.h"
#include "problem/functions/mass.h"

struct rattle__sparse_prover {
  rattle__arena arena;
  rattle__quadratic *g;
  rattle__sparse_curve *curve;
  int n, m, components;
  rattle__ball *q0, *d, *a, *end;     /* of the problem [n]; end: q0 + d - a, less W^T lambda */
  rattle__ball *value, *G, *move;     /* g and G at q0; W^T lambda of a component */
  double *wide, *width;               /* how far coordinates may be off [n]; of a component */
  double *s, *root, *known, *scratch; /* of a component [m], [m], [m], [7 m] */
};

static rattle__ball *take_balls(rattle__sparse_prover *c, size_t count) {
  return rattle__arena_take(&c->arena, (count + 1) * sizeof(rattle__ball));
}

static void lay_out(rattle__sparse_prover *c) {
  const size_t n = (size_t)c->n, m = (size_t)c->m;
  rattle__ball **const of_n[] = {&c->q0, &c->d, &c->a, &c->end, &c->move};
  for (size_t k = 0; k < sizeof of_n / sizeof *of_n; k++) *of_n[k] = take_balls(c, n);
  c->value = take_balls(c, m), c->G = take_balls(c, (size_t)c->g->ptr[m]);
  const rattle__array arrays[] = {{&c->wide, n}, {&c->width, n}, {&c->s, m},
                                  {&c->root, m}, {&c->known, m}, {&c->scratch, 7 * m}};
  RATTLE__LAY_OUT(&c->arena, arrays);
}

int rattle__sparse_prover_create(rattle__sparse_prover **prover, const rattle__function *g,
                                 const double *inverse_mass) {
  rattle__sparse_prover *c = *prover = calloc(1, sizeof *c);
  int answer = c ? rattle__quadratic_create(&c->g, g) : -1;
  if (!answer) {
    c->n = g->vars, c->m = g->rows;
    answer = rattle__sparse_curves(&c->curve, &c->components, c->g, inverse_mass, &c->arena);
    if (!answer) lay_out(c);
    if (c->arena.failed) answer = -1;
  }
  if (answer) rattle__sparse_prover_destroy(prover);
  return answer;
}

void rattle__sparse_prover_destroy(rattle__sparse_prover **prover) {
  if (!prover || !*prover) return;
  rattle__sparse_curves_release((*prover)->curve, (*prover)->components);
  rattle__arena_release(&(*prover)->arena);
  rattle__quadratic_destroy(&(*prover)->g);
  free(*prover);
  *prover = NULL;
}

/* --- answers ---------------------------------------------------------------------------------- */

/* q0, d, a and end = q0 + d - a of the substep, and g at q0. */
static void begin(rattle__sparse_prover *c, const rattle__proof_ends *of) {
  const rattle__ball length = rattle__exactly(of->h), k1 = rattle__exactly(of->k1);
  const rattle__ball drift = rattle__ball_times(length, rattle__exactly(of->d1));
  const rattle__ball kick = rattle__ball_times(rattle__ball_times(length, k1), drift);
  for (int k = 0; k < c->n; k++) {
    const rattle__ball by = rattle__exactly(of->W->diagonal[k]);
    c->q0[k] = rattle__exactly(of->q0[k]);
    c->d[k] = rattle__ball_times(rattle__ball_times(drift, by), rattle__exactly(of->p0[k]));
    if (k == of->W->clock - 1) c->d[k] = drift;
    c->a[k] = rattle__ball_times(rattle__ball_times(kick, by),
                                 rattle__exactly(of->k1 != 0 ? of->V_q[k] : 0));
    c->end[k] = rattle__ball_subtract(rattle__ball_add(c->q0[k], c->d[k]), c->a[k]);
    c->wide[k] = 0;
  }
  rattle__quadratic_at(c->g, c->q0, c->value, c->G);
}

/* The end of a component that is proved. */
static void add_end(rattle__sparse_prover *c, rattle__sparse_curve *curve) {
  rattle__sparse_curve_move(curve, c->root, c->known, c->move, c->width);
  for (int k = 0; k < curve->curve.n; k++) {
    const int to = curve->column[k];
    c->end[to] = rattle__ball_subtract(c->end[to], c->move[k]);
    c->wide[to] = rattle__ball_bound(c->wide[to] + c->width[k]);
  }
}

static double radius_of(const rattle__sparse_prover *c, const double *q1) {
  double most = 0;
  for (int k = 0; k < c->n; k++) {
    const rattle__ball apart = rattle__ball_subtract(c->end[k], rattle__exactly(q1[k]));
    const double off = rattle__ball_bound(rattle__ball_size(apart) + c->wide[k]);
    if (!(off <= most) && most == most) most = off; /* a NaN stays */
  }
  return most;
}

/* Adds what was found of a component: another end counts before an open one. */
static void add(rattle__tracked *all, const rattle__tracked *found,
                const rattle__sparse_curve *curve) {
  const int worse = found->answer == RATTLE__TRACK_OTHER ? all->answer != RATTLE__TRACK_OTHER
                                                         : found->answer != RATTLE__TRACK_RIGHT &&
                                                               all->answer == RATTLE__TRACK_RIGHT;
  if (found->pieces > all->pieces) all->pieces = found->pieces;
  if (!worse) return;
  all->answer = found->answer, all->reached = found->reached;
  all->row = found->row < 0 ? -1 : curve->row[found->row];
  all->margin = found->margin, all->smallest = found->smallest;
}

rattle__tracked rattle__sparse_prover_ask(rattle__sparse_prover *c, const rattle__proof_ends *of,
                                          double *radius) {
  rattle__tracked all = {.answer = RATTLE__TRACK_RIGHT, .reached = 1, .row = -1};
  const rattle__sparse_step step = {c->g, c->value, c->G, of->W->diagonal, c->d, c->a};
  begin(c, of);
  for (int k = 0; k < c->components; k++) {
    rattle__sparse_curve *curve = &c->curve[k];
    rattle__sparse_curve_begin(curve, &step);
    rattle__sparse_curve_multipliers(curve, of->q0, of->q1, c->s);
    const rattle__tracked found = rattle__track(&curve->curve, c->s, c->root, c->known, c->scratch);
    add(&all, &found, curve);
    if (found.answer == RATTLE__TRACK_RIGHT) add_end(c, curve);
  }
  if (all.answer == RATTLE__TRACK_RIGHT) *radius = radius_of(c, of->q1);
  return all;
}
