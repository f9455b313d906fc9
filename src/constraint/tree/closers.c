/* Rows that close loops. See closers.h. */
#include "constraint/tree/closers.h"

#include <float.h>
#include <string.h>

#include "constraint/guard/rules/rules.h"
#include "constraint/tree/look.h"
#include "constraint/tree/walk.h"

rattle__closers *rattle__closers_create(const rattle__closer *closer, int count, int rank,
                                        const rattle__tree *tree, rattle__arena *arena) {
  rattle__closers *c = rattle__arena_take(arena, sizeof *c);
  if (!c) return NULL;
  const size_t rows = (size_t)count, kept = (size_t)rank, bodies = (size_t)tree->bodies;
  *c = (rattle__closers){.count = count, .rank = rank};
  c->closer = rattle__arena_take(arena, rows * sizeof *c->closer);
  c->start = rattle__arena_take(arena, rows * sizeof *c->start);
  c->now = rattle__arena_take(arena, rows * sizeof *c->now);
  c->kept = rattle__arena_take(arena, rows * sizeof *c->kept);
  c->answer = rattle__arena_take(arena, rows * bodies * sizeof *c->answer);
  int *ptr = rattle__arena_take(arena, (kept + 1) * sizeof *ptr),
      *col = rattle__arena_take(arena, kept * kept * sizeof *col);
  const rattle__array arrays[] = {{&c->at_start, rows},
                                  {&c->value, rows},
                                  {&c->lambda, rows},
                                  {&c->all, rows * rows},
                                  {&c->e, kept}};
  RATTLE__LAY_OUT(arena, arrays);
  if (arena->failed) return NULL;
  memcpy(c->closer, closer, rows * sizeof *closer);
  for (int i = 0; i <= rank; i++) ptr[i] = i * rank;
  for (int e = 0; e < rank * rank; e++) col[e] = e % rank;
  if (rattle__linear_create(&c->S, rank, ptr, col, 0, RATTLE__LINEAR_DENSE, NULL)) {
    arena->failed = 1;
    return NULL;
  }
  return c;
}

void rattle__closers_destroy(rattle__closers *closers) {
  if (closers) rattle__linear_destroy(&closers->S);
}

/* --- rows ------------------------------------------------------------------------------------- */

static const rattle__tree_node *node_of(const rattle__tree *tree, const rattle__closer *c, int e) {
  return c->body[e] < 0 ? NULL : &tree->node[c->body[e]];
}

static double component(vec v, int i) {
  return i == 0 ? v.x : i == 1 ? v.y : v.z;
}

/* The wrenches of a row, from its arms. */
static void set_wrenches(const rattle__closer *c, rattle__closer_row *row) {
  if (c->axis < 0) {
    row->F = vec_of(0, 0, 0);
    row->T[0] = cross(row->P[0], row->P[1]);
    row->T[1] = times(-1, row->T[0]);
    return;
  }
  row->F = vec_of(c->axis == 0, c->axis == 1, c->axis == 2);
  row->T[0] = cross(row->P[0], row->F);
  row->T[1] = cross(row->F, row->P[1]);
}

/* A row where the tree is settled. 0: it does not vanish. */
static int place(rattle__tree *tree, int i) {
  rattle__closers *s = tree->closers;
  const rattle__closer *c = &s->closer[i];
  rattle__closer_row *row = &s->start[i];
  vec at[2];
  double size = 0;
  for (int e = 0; e < 2; e++) {
    const rattle__tree_node *w = node_of(tree, c, e);
    const vec on = w ? into(w->r, c->on[e]) : c->on[e];
    at[e] = w && c->axis >= 0 ? plus(w->x, on) : on;
    row->P[e] = w && c->axis >= 0 ? plus(w->start.rho, on) : on;
    size += extent(on) + (w && c->axis >= 0 ? extent(w->x) : 0);
  }
  set_wrenches(c, row);
  s->now[i] = *row;
  const double g =
      c->axis < 0 ? dot(at[0], at[1]) : component(at[0], c->axis) - component(at[1], c->axis);
  s->at_start[i] = g;
  if (!(fabs(g) <= tree->g)) tree->g = fabs(g);
  return fabs(g) <= RATTLE__ENOUGH * 0.5 * DBL_EPSILON * size;
}

/* The row at the iterate: its change from that at the start is known to the digits of the step. */
static double value_at(const rattle__tree *tree, int i) {
  const rattle__closer *c = &tree->closers->closer[i];
  const rattle__closer_row *row = &tree->closers->start[i];
  vec moved[2];
  for (int e = 0; e < 2; e++) {
    const rattle__tree_node *w = node_of(tree, c, e);
    moved[e] = w ? turned(w->s, w->u, row->P[e]) : vec_of(0, 0, 0);
    if (w && c->axis >= 0) moved[e] = plus(moved[e], w->way);
  }
  const double change = c->axis < 0
                            ? dot(moved[0], plus(row->P[1], moved[1])) + dot(row->P[0], moved[1])
                            : component(moved[0], c->axis) - component(moved[1], c->axis);
  return tree->closers->at_start[i] + change;
}

static void move(const rattle__tree *tree, int i) {
  const rattle__closer *c = &tree->closers->closer[i];
  const rattle__closer_row *from = &tree->closers->start[i];
  rattle__closer_row *row = &tree->closers->now[i];
  for (int e = 0; e < 2; e++) {
    const rattle__tree_node *w = node_of(tree, c, e);
    row->P[e] = w ? plus(from->P[e], turned(w->s, w->u, from->P[e])) : from->P[e];
  }
  set_wrenches(c, row);
}

/* by times the wrenches at the start, on the bodies of a row. */
static void push(rattle__tree *tree, int i, double by) {
  const rattle__closer *c = &tree->closers->closer[i];
  const rattle__closer_row *row = &tree->closers->start[i];
  for (int e = 0; e < 2; e++) {
    if (c->body[e] < 0) continue;
    rattle__tree_node *w = &tree->node[c->body[e]];
    w->F = more(w->F, e ? -by : by, row->F);
    w->T = more(w->T, by, row->T[e]);
  }
}

/* The change of row i by motions of all bodies. */
static double along(const rattle__tree *tree, int i, const rattle__motion *go, size_t apart) {
  const rattle__closer *c = &tree->closers->closer[i];
  const rattle__closer_row *row = &tree->closers->now[i];
  double sum = 0;
  for (int e = 0; e < 2; e++) {
    if (c->body[e] < 0) continue;
    const rattle__motion *m =
        (const rattle__motion *)((const char *)go + (size_t)c->body[e] * apart);
    const double way = dot(row->F, m->shift);
    sum += (e ? -way : way) + dot(row->T[e], m->turn);
  }
  return sum;
}

/* --- S ---------------------------------------------------------------------------------------- */

/* The tree's answer to a row. */
static void answer(rattle__tree *tree, int i) {
  rattle__motion *go = tree->closers->answer + (size_t)i * (size_t)tree->bodies;
  for (int c = 0; c < tree->bodies; c++) tree->node[c].F = tree->node[c].T = vec_of(0, 0, 0);
  push(tree, i, 1);
  hand_wrenches(tree);
  for (int c = 0; c < tree->bodies; c++) {
    solve(tree->body[c].joint, &tree->node[c], parent_of(tree, c));
    go[c] = tree->node[c].go;
  }
}

static double element(const rattle__tree *tree, int i, int j) {
  return along(tree, i, tree->closers->answer + (size_t)j * (size_t)tree->bodies,
               sizeof(rattle__motion));
}

/* The rows of the largest pivots of S, which is symmetric here. 0: one is small next to what it was
 * before the others were eliminated. */
static int choose(rattle__closers *s) {
  const int n = s->count;
  double *A = s->all;
  int good = 1;
  for (int i = 0; i < n; i++) s->value[i] = A[i * n + i];
  for (int k = 0; k < s->rank; k++) {
    int best = -1;
    for (int i = 0; i < n; i++) {
      int is_kept = 0;
      for (int l = 0; l < k; l++) is_kept |= s->kept[l] == i;
      if (!is_kept && (best < 0 || fabs(A[i * n + i]) > fabs(A[best * n + best]))) best = i;
    }
    const double pivot = A[best * n + best];
    s->kept[k] = best;
    good &= !rattle__pivot_is_small(pivot, fabs(s->value[best]));
    for (int i = 0; i < n; i++) {
      const double by = A[i * n + best] / pivot;
      for (int j = 0; j < n && i != best; j++) A[i * n + j] -= by * A[best * n + j];
    }
  }
  return good;
}

static int factor(rattle__tree *tree) {
  rattle__closers *s = tree->closers;
  for (int k = 0; k < s->rank; k++)
    for (int l = 0; l < s->rank; l++)
      s->S->value[k * s->rank + l] = element(tree, s->kept[k], s->kept[l]);
  return !s->S->factor(s->S);
}

int rattle__closers_settle(rattle__tree *tree) {
  rattle__closers *s = tree->closers;
  int good = 1;
  for (int i = 0; i < s->count; i++) good &= place(tree, i);
  if (!good) return 0;
  for (int i = 0; i < s->count; i++) answer(tree, i);
  for (int i = 0; i < s->count; i++)
    for (int j = 0; j <= i; j++)
      s->all[i * s->count + j] = s->all[j * s->count + i] = element(tree, i, j);
  if (!choose(s)) return 0;
  good = factor(tree);
  if (good) s->sign = s->S->sign(s->S);
  return good;
}

int rattle__closers_renew(rattle__tree *tree) {
  rattle__closers *s = tree->closers;
  for (int c = 0; c < tree->bodies; c++) {
    rattle__tree_node *w = &tree->node[c];
    w->saved_F = w->F, w->saved_T = w->T;
  }
  for (int k = 0; k < s->rank; k++) {
    move(tree, s->kept[k]);
    answer(tree, s->kept[k]);
  }
  for (int c = 0; c < tree->bodies; c++) {
    rattle__tree_node *w = &tree->node[c];
    w->F = w->saved_F, w->T = w->saved_T;
  }
  return factor(tree) && !rattle__is_beyond_fold(s->S->sign(s->S) * s->sign);
}

/* --- the iteration ---------------------------------------------------------------------------- */

void rattle__closers_begin(rattle__closers *s) {
  memset(s->lambda, 0, (size_t)s->count * sizeof *s->lambda);
}

void rattle__closers_look(rattle__tree *tree) {
  rattle__closers *s = tree->closers;
  for (int k = 0; k < s->rank; k++) {
    const int i = s->kept[k];
    s->value[i] = value_at(tree, i);
    push(tree, i, s->lambda[i]);
  }
}

double rattle__closers_rate(const rattle__tree *tree) {
  const rattle__closers *s = tree->closers;
  double most = 0;
  for (int i = 0; i < s->count; i++) {
    const double rate = fabs(along(tree, i, &tree->node->go, sizeof *tree->node));
    if (!(rate <= most)) most = rate;
  }
  return most;
}

void rattle__closers_close(rattle__tree *tree, int at_rest) {
  rattle__closers *s = tree->closers;
  for (int k = 0; k < s->rank; k++)
    s->e[k] = -(at_rest ? 0 : s->value[s->kept[k]]) -
              along(tree, s->kept[k], &tree->node->go, sizeof *tree->node);
  s->S->solve(s->S, s->e);
  for (int k = 0; k < s->rank; k++) {
    const rattle__motion *by = s->answer + (size_t)s->kept[k] * (size_t)tree->bodies;
    s->lambda[s->kept[k]] += s->e[k];
    for (int c = 0; c < tree->bodies; c++) {
      rattle__motion *go = &tree->node[c].go;
      go->turn = more(go->turn, s->e[k], by[c].turn);
      go->shift = more(go->shift, s->e[k], by[c].shift);
      go->by += s->e[k] * by[c].by;
    }
  }
}
