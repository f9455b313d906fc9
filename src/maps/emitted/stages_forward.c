/* The derivative of a step with stages, forward: what each number of its equations does along a
 * vector w at z0 (stages_tangents.h has the order of the parts). */
#include <stdlib.h>

#include "constraint/equation/iterate.h"
#include "ground/expr/derivative.h"
#include "maps/emitted/stages_maker.h"
#include "maps/emitted/stages_numbers.h"
#include "maps/emitted/stages_parts.h"

typedef rattle__stages_maker maker;

/* Names, by their places, and how each of them moves. */
typedef struct forward {
  maker *k;
  int32_t *place;
  rattle_expr *move, *by; /* by: scratch */
  int count;
  rattle_expr *dz1, *y; /* how z1 moves, and z1 along the fibre to z2 [2n] */
  rattle_expr *flow;    /* scratch [2n] */
} forward;

static void moves(forward *f, rattle_expr name, rattle_expr by) {
  f->place[f->count] = rattle__emitted_place(f->k->e, name);
  f->move[f->count++] = by;
}

/* How e moves. */
static rattle_expr along(forward *f, rattle_expr e) {
  f->k->e->failed |= rattle__gradient(f->k->graph, e, f->place, f->count, f->by) != RATTLE_OK;
  if (f->k->e->failed) return RATTLE_EXPR_NONE;
  return rattle__product(f->k->graph, f->count, f->by, 1, f->move, 1);
}

/* How e, an expression of z0 and of names that stay, moves where z0 is another point, which moves
 * by dz [2n]. */
static rattle_expr along_at(forward *f, rattle__sides *point, rattle_expr e,
                            const rattle_expr *dz) {
  maker *k = f->k;
  const int nz = 2 * k->n;
  for (int c = 0; c < nz; c++) k->column[c] = rattle__emitted_place(k->e, k->z0[c]);
  k->e->failed |= rattle__gradient(k->graph, e, k->column, nz, f->by) != RATTLE_OK;
  for (int c = 0; c < nz && !k->e->failed; c++) f->by[c] = rattle__sides_of(point, k->e, f->by[c]);
  return k->e->failed ? RATTLE_EXPR_NONE : rattle__product(k->graph, nz, f->by, 1, dz, 1);
}

/* z0 by the vector w, unknowns by du; then z+, the other stages, and z1. */
static void go_forward(forward *f, int part, int with_unknowns) {
  maker *k = f->k;
  const int nz = 2 * k->n, s = k->t->stages, u = k->unknowns;
  rattle_expr *flow = f->flow, *dz1 = f->dz1;
  f->count = 0;
  for (int c = 0; c < nz; c++)
    moves(f, k->z0[c], rattle__emitted_take(k->e, part, RATTLE__AT_VECTOR(u, k->m) + c));
  for (int i = 0; i < u && with_unknowns; i++)
    moves(f, k->u[i], rattle__emitted_take(k->e, part, RATTLE__AT_STAGE_F(u, k->m) + i));
  rattle__stages_flow(k, k->z0, k->u + u - k->m, flow);
  for (int c = 0; c < nz; c++) dz1[c] = along(f, flow[c]);
  for (int c = 0; c < nz; c++)
    if (k->plus[c] != k->z0[c]) moves(f, k->plus[c], dz1[c]);
  for (int t = 0; t < k->ordered * s; t++) {
    const int j = t % s, c = k->order[t / s];
    moves(f, k->Z[j * nz + c], along(f, rattle__stages_followed(k, j, c)));
  }
  for (int c = 0; c < nz; c++) dz1[c] = along(f, rattle__stages_combine(k, s, c));
}

/* df at unknowns that stay. */
static void make_forced(forward *f) {
  maker *k = f->k;
  const int first = k->unknowns - k->m, at = RATTLE__AT_STAGE_F(k->unknowns, k->m);
  go_forward(f, PART_FORCED, 0);
  for (int i = 0; i < k->unknowns; i++) {
    const rattle_expr by =
        i < first
            ? along(f, k->f[i])
            : rattle__times(k->graph, rattle__times(k->graph, k->sign[i - first], k->inverse_h),
                            along_at(f, &k->at_end, k->g[i - first], f->dz1));
    rattle__emitted_show(k->e, PART_FORCED, at + i, by);
  }
}

/* y in names that TURNED reads, and psi' y. */
static void make_carried(forward *f) {
  maker *k = f->k;
  const int nz = 2 * k->n, m = k->m, u = k->unknowns;
  rattle_expr sigma[RATTLE__DENSE], *to = f->flow, *y = f->y;
  go_forward(f, PART_CARRIED, 1);
  for (int i = 0; i < m; i++)
    sigma[i] = rattle__emitted_take(k->e, PART_CARRIED, RATTLE__AT_SLID(u, m) + i);
  rattle__stages_flow(k, k->z0, sigma, to);
  for (int c = 0; c < nz; c++)
    y[c] = along_at(f, k->curved ? &k->at_end : &k->at_slid, to[c], f->dz1);
  for (int i = 0; i < m; i++)
    rattle__emitted_show(
        k->e, PART_CARRIED, RATTLE__AT_HIDDEN(u, m) + i,
        rattle__times(k->graph, k->sign[i], along_at(f, &k->at_slid, k->psi[i], y)));
  for (int c = 0; c < nz; c++)
    rattle__emitted_show(k->e, PART_CARRIED, RATTLE__AT_VECTOR(u, m) + c, y[c]);
}

/* Along the fibre so that psi stays 0. */
static void make_turned(maker *k) {
  const int nz = 2 * k->n, m = k->m, u = k->unknowns, part = PART_TURNED;
  rattle_expr dr[RATTLE__DENSE];
  for (int j = 0; j < m; j++) dr[j] = rattle__emitted_take(k->e, part, RATTLE__AT_HIDDEN(u, m) + j);
  for (int c = 0; c < nz; c++) {
    const int at = RATTLE__AT_VECTOR(u, m) + c;
    rattle_expr w = rattle__emitted_take(k->e, part, at);
    for (int j = 0; j < m; j++) {
      const rattle_expr field = rattle__sides_of(&k->at_slid, k->e, rattle__stages_Xg(k, j, c));
      w = rattle__plus(k->graph, w, rattle__times(k->graph, field, dr[j]));
    }
    rattle__emitted_show(k->e, part, at, w);
  }
}

void rattle__stages_make_tangents(maker *k) {
  const size_t nz = 2 * (size_t)k->n, most = nz * (2 + (size_t)k->t->stages) + (size_t)k->unknowns;
  rattle_expr *room = calloc(2 * most + 3 * nz, sizeof *room);
  int32_t *places = calloc(most, sizeof *places);
  forward f = {.k = k, .place = places, .move = room, .by = room + most};
  if (room && places) {
    f.dz1 = room + 2 * most, f.y = f.dz1 + nz, f.flow = f.y + nz;
    make_forced(&f);
    make_carried(&f);
    make_turned(k);
  } else
    k->e->failed = 1;
  free(room);
  free(places);
}
