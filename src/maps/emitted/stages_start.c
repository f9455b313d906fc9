/* How a step with stages begins: which of them are unknown, units, the first iterate. */
#include <float.h>
#include <string.h>

#include "constraint/equation/iterate.h"
#include "ground/expr/derivative.h"
#include "maps/emitted/stages_maker.h"
#include "maps/emitted/stages_numbers.h"
#include "maps/emitted/stages_parts.h"

typedef rattle__stages_maker maker;

/* ---- which stages are unknown ---- */

/* needs [2n 2n]: the variables of a stage that each of them needs, with those velocities. */
static void fill_needs(const maker *k, unsigned char *needs) {
  const int n = k->n, nz = 2 * n;
  memcpy(needs, k->couples, (size_t)nz * (size_t)nz);
  for (int c = 0; c < n; c++) {
    if (!k->swift[c]) continue;
    memset(needs + c * nz, 0, (size_t)nz);
    memcpy(needs + (n + c) * nz, k->couples + c * nz, (size_t)n);
    memset(needs + (n + c) * nz + n, 0, (size_t)n);
  }
}

/* The number of unknown stages and velocities; room: [2n] and needs. */
static int count_unknowns(maker *k, unsigned char *room) {
  const int nz = 2 * k->n;
  int swift = 0;
  fill_needs(k, room + nz);
  k->ordered = rattle__tear(nz, room + nz, k->unknown, k->order, room);
  for (int c = 0; c < k->n; c++) swift += k->swift[c];
  return (nz - k->ordered + swift) * k->t->stages;
}

/* Velocities in place of momenta, one after the other while that leaves fewer unknowns. */
void rattle__stages_choose(maker *k, unsigned char *room) {
  int least = count_unknowns(k, room);
  for (int c = 0; c < k->n && least; c++) {
    if (!k->inverse_mass[c]) continue;
    k->swift[c] = 1;
    const int count = count_unknowns(k, room);
    if (count < least)
      least = count;
    else
      k->swift[c] = 0;
  }
  k->unknowns = count_unknowns(k, room) + k->m;
}

/* ---- the start of a step ---- */

static rattle_expr largest(const maker *k, const rattle_expr *a) {
  rattle_expr most = rattle__absolute(k->graph, a[0]);
  for (int c = 1; c < k->n; c++)
    most = rattle_expr_binary(k->graph, RATTLE_OP_MAX, most, rattle__absolute(k->graph, a[c]));
  return most;
}

/* 1/unit of the stages of q and of p, whose terms are as large as the largest of them. */
void rattle__stages_units(maker *k, rattle_expr unit[2]) {
  rattle_graph *graph = k->graph;
  const rattle_expr length = rattle__absolute(graph, k->h), one = rattle_expr_constant(graph, 1);
  for (int part = 0; part < 2; part++) {
    const rattle_expr moved = rattle__times(graph, length, largest(k, k->X + part * k->n)),
                      terms = rattle__plus(graph, largest(k, k->z0 + part * k->n), moved),
                      size = rattle__plus(graph, rattle_expr_constant(graph, DBL_MIN),
                                          rattle__multiple(graph, 2 * DBL_EPSILON, terms));
    unit[part] = rattle__emitted_let(k->e, PART_BEGIN, rattle__over(graph, one, size));
  }
}

/* 1/unit of g_i(z1) */
rattle_expr rattle__stages_unit_of_g(maker *k, int i) {
  rattle_graph *graph = k->graph;
  rattle_expr size = rattle_expr_constant(graph, 0);
  for (int c = 0; c < 2 * k->n; c++) {
    const rattle_expr most = largest(k, k->z0 + (c < k->n ? 0 : k->n)),
                      least = rattle__multiple(graph, rattle__least_size(1), most),
                      own = rattle__absolute(graph, k->z0[c]),
                      reach = rattle_expr_binary(graph, RATTLE_OP_MAX, own, least),
                      slope = rattle__absolute(graph, k->dg[i * 2 * k->n + c]);
    size = rattle__plus(graph, size, rattle__times(graph, slope, reach));
  }
  size = rattle__plus(graph, rattle_expr_constant(graph, DBL_MIN),
                      rattle__multiple(graph, DBL_EPSILON, size));
  return rattle__emitted_let(k->e, PART_BEGIN,
                             rattle__over(graph, rattle_expr_constant(graph, 1), size));
}

void rattle__stages_weights(maker *k) {
  const int s = k->t->stages;
  const rattle_expr one = rattle_expr_constant(k->graph, 1);
  k->inverse_h = rattle__emitted_let(k->e, PART_BEGIN, rattle__over(k->graph, one, k->h));
  for (int part = 0; part < 2; part++)
    for (int j = 0; j <= s; j++)
      for (int l = 0; l < s; l++) {
        const double own = rattle__stages_weight(k, part, j, l);
        rattle_expr *to = rattle__stages_weighted(k, part, j, l);
        *to = part && own == rattle__stages_weight(k, 0, j, l)
                  ? *rattle__stages_weighted(k, 0, j, l)
                  : rattle__emitted_let(k->e, PART_BEGIN, rattle__multiple(k->graph, own, k->h));
      }
}

/* h/2 times the multipliers of the point, in u; where they take z0 in first order, in plus. */
static void guess_lambda(maker *k) {
  rattle_graph *graph = k->graph;
  rattle_expr *lambda = k->u + k->unknowns - k->m;
  for (int i = 0; i < k->m; i++) {
    const rattle_expr rate =
        rattle__emitted_take(k->e, PART_BEGIN, RATTLE__AT_RATE(k->unknowns, k->m) + i);
    lambda[i] = rattle__times(graph, rattle__multiple(graph, 0.5, k->h), rate);
    rattle__emitted_show(k->e, PART_BEGIN, k->unknowns - k->m + i, lambda[i]);
  }
  for (int c = 0; c < 2 * k->n; c++) {
    for (int j = 0; j < k->m; j++) k->f[j] = rattle__stages_Xg(k, j, c);
    k->plus[c] = rattle__plus(graph, k->z0[c], rattle__product(graph, k->m, k->f, 1, lambda, 1));
  }
}

static double node(const maker *k, int part, int j) {
  double sum = 0;
  for (int l = 0; l < k->t->stages; l++) sum += rattle__stages_weight(k, part, j, l);
  return sum;
}

/* Stage j of variable c from the slope at z0. */
static rattle_expr guess_stage(maker *k, int j, int c) {
  const rattle_expr way = rattle__multiple(k->graph, node(k, c >= k->n, j), k->h);
  return rattle__plus(k->graph, k->plus[c], rattle__times(k->graph, way, k->X[c]));
}

/* Velocity c of stage j from that at z+ and its slope at z0. */
static rattle_expr guess_velocity(maker *k, int j, int c, rattle__sides *at_plus) {
  const int nz = 2 * k->n;
  const rattle_expr way = rattle__multiple(k->graph, node(k, 0, j), k->h),
                    from = rattle__sides_of(at_plus, k->e, k->X[c]);
  if (rattle__gradient(k->graph, k->X[c], k->column, nz, k->x)) k->e->failed = 1;
  const rattle_expr rate = rattle__product(k->graph, nz, k->x, 1, k->X, 1);
  return rattle__plus(k->graph, from, rattle__times(k->graph, way, rate));
}

/* ---- names of stages ---- */

void rattle__stages_name(maker *k) {
  const int n = k->n, nz = 2 * n, stages = k->t->stages;
  rattle__sides at_plus = {0};
  int at = 0;
  guess_lambda(k);
  for (int c = 0; c < nz; c++) rattle__sides_set(&at_plus, k->e, k->z0[c], k->plus[c]);
  for (int c = 0; c < nz; c++)
    for (int j = 0; j < stages; j++) {
      const int kept = k->unknown[c], swift = c < n && k->swift[c];
      if (kept) rattle__emitted_show(k->e, PART_BEGIN, at, guess_stage(k, j, c));
      k->Z[j * nz + c] =
          kept ? rattle__emitted_take(k->e, PART_LOOK, at) : rattle__emitted_name(k->e);
      if (kept) k->u[at++] = k->Z[j * nz + c];
      rattle__sides_set(&k->at_stage[j], k->e, k->z0[c], k->Z[j * nz + c]);
      if (!swift) continue;
      rattle__emitted_show(k->e, PART_BEGIN, at, guess_velocity(k, j, c, &at_plus));
      k->u[at] = k->V[j * n + c] = rattle__emitted_take(k->e, PART_LOOK, at);
      at++;
    }
  for (; at < k->unknowns; at++) k->u[at] = rattle__emitted_take(k->e, PART_LOOK, at);
  rattle__sides_end(&at_plus);
}
