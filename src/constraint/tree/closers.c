/* Rows that close loops. See closers.h. */
#include "constraint/tree/closers.h"

#include <string.h>

#include "constraint/guard/rules/rules.h"
#include "constraint/tree/gradients.h"
#include "constraint/tree/look.h"
#include "constraint/tree/walk.h"

static void give_wrenches(rattle__closers *c, int i, int wrenches, rattle__arena *arena) {
  rattle__closer_row *const rows[2] = {&c->start[i], &c->now[i]};
  for (int at = 0; at < 2; at++) {
    rows[at]->wrenches = wrenches;
    rows[at]->wrench = rattle__arena_take(arena, (size_t)wrenches * sizeof *rows[at]->wrench);
  }
}

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
  c->loose_answer = rattle__arena_doubles(arena, rows * (size_t)tree->loosened);
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
  for (int i = 0; i < count; i++)
    if (closer[i].axis != RATTLE__BY_GRADIENT)
      give_wrenches(c, i, 1 + (closer[i].body[1] >= 0), arena);
  if (arena->failed) return NULL;
  for (int i = 0; i <= rank; i++) ptr[i] = i * rank;
  for (int e = 0; e < rank * rank; e++) col[e] = e % rank;
  if (rattle__linear_create(&c->S, rank, ptr, col, 0, RATTLE__LINEAR_DENSE, NULL) ||
      rattle__linear_watch_parts(c->S, NULL)) {
    rattle__linear_destroy(&c->S);
    arena->failed = 1;
    return NULL;
  }
  return c;
}

void rattle__closers_destroy(rattle__closers *closers) {
  if (closers) rattle__linear_destroy(&closers->S);
}

/* --- wrenches --------------------------------------------------------------------------------- */

/* by times the wrenches at the start, on the bodies of a row. */
static void push(rattle__tree *tree, int i, double by) {
  const rattle__closer_row *row = &tree->closers->start[i];
  for (int k = 0; k < row->wrenches; k++) {
    const rattle__wrench *of = &row->wrench[k];
    rattle__tree_node *w = &tree->node[of->body];
    w->F = more(w->F, by, of->F);
    w->T = more(w->T, by, of->T);
  }
  for (int k = 0; k < row->pushes; k++) tree->loose[row->push[k].loose].F += by * row->push[k].F;
}

/* The change of row i by motions of all bodies. */
static double along(const rattle__tree *tree, int i, const rattle__motion *go, size_t apart) {
  const rattle__closer_row *row = &tree->closers->now[i];
  double sum = 0;
  for (int k = 0; k < row->wrenches; k++) {
    const rattle__wrench *of = &row->wrench[k];
    const rattle__motion *m = (const rattle__motion *)((const char *)go + (size_t)of->body * apart);
    sum += dot(of->F, m->shift) + dot(of->T, m->turn);
  }
  return sum;
}

/* The same by the tree's solution. */
static double along_solution(const rattle__tree *tree, int i) {
  const rattle__closer_row *row = &tree->closers->now[i];
  double sum = along(tree, i, &tree->node->go, sizeof *tree->node);
  for (int k = 0; k < row->pushes; k++) sum += row->push[k].F * tree->loose[row->push[k].loose].go;
  return sum;
}

/* --- S ---------------------------------------------------------------------------------------- */

/* The tree's answer to a row. */
static void answer(rattle__tree *tree, int i) {
  rattle__motion *go = tree->closers->answer + (size_t)i * (size_t)tree->bodies;
  for (int c = 0; c < tree->bodies; c++) tree->node[c].F = tree->node[c].T = vec_of(0, 0, 0);
  for (int k = 0; k < tree->loosened; k++) tree->loose[k].F = 0;
  push(tree, i, 1);
  hand_wrenches(tree);
  for (int c = 0; c < tree->bodies; c++) {
    solve(tree->body[c].joint, &tree->node[c], parent_of(tree, c));
    go[c] = tree->node[c].go;
  }
  for (int k = 0; k < tree->loosened; k++)
    tree->closers->loose_answer[i * tree->loosened + k] = -tree->loose[k].W * tree->loose[k].F;
}

static double element(const rattle__tree *tree, int i, int j) {
  const rattle__closer_row *row = &tree->closers->now[i];
  double sum = along(tree, i, tree->closers->answer + (size_t)j * (size_t)tree->bodies,
                     sizeof(rattle__motion));
  for (int k = 0; k < row->pushes; k++)
    sum += row->push[k].F * tree->closers->loose_answer[j * tree->loosened + row->push[k].loose];
  return sum;
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

static int is_by_gradient(const rattle__closers *s, int i) {
  return s->closer[i].axis == RATTLE__BY_GRADIENT;
}

int rattle__closers_settle(rattle__tree *tree, const double *q) {
  rattle__closers *s = tree->closers;
  int good = 1;
  for (int i = 0; i < s->count && !is_by_gradient(s, i); i++) good &= rattle__closer_place(tree, i);
  if (tree->gradients) good &= rattle__gradients_settle(tree, q);
  if (!good) return 0;
  for (int i = 0; i < s->count; i++) answer(tree, i);
  for (int i = 0; i < s->count; i++)
    for (int j = 0; j <= i; j++)
      s->all[i * s->count + j] = s->all[j * s->count + i] = element(tree, i, j);
  if (!choose(s)) return 0;
  good = factor(tree);
  if (!good) return 0;
  rattle__linear_part_by_values(s->S, 1);
  rattle__linear_expect_these(s->S);
  return 1;
}

int rattle__closers_renew(rattle__tree *tree) {
  rattle__closers *s = tree->closers;
  for (int c = 0; c < tree->bodies; c++) {
    rattle__tree_node *w = &tree->node[c];
    w->saved_F = w->F, w->saved_T = w->T;
  }
  for (int k = 0; k < tree->loosened; k++) tree->loose[k].saved_F = tree->loose[k].F;
  if (tree->gradients) rattle__gradients_move(tree);
  for (int k = 0; k < s->rank; k++) {
    if (!is_by_gradient(s, s->kept[k])) rattle__closer_move(tree, s->kept[k]);
    answer(tree, s->kept[k]);
  }
  for (int c = 0; c < tree->bodies; c++) {
    rattle__tree_node *w = &tree->node[c];
    w->F = w->saved_F, w->T = w->saved_T;
  }
  for (int k = 0; k < tree->loosened; k++) tree->loose[k].F = tree->loose[k].saved_F;
  if (!factor(tree)) return 0;
  rattle__linear_part_by_values(s->S, 0);
  return !rattle__is_beyond_fold(rattle__linear_side(s->S));
}

/* --- the iteration ---------------------------------------------------------------------------- */

void rattle__closers_begin(rattle__closers *s) {
  memset(s->lambda, 0, (size_t)s->count * sizeof *s->lambda);
}

void rattle__closers_look(rattle__tree *tree) {
  rattle__closers *s = tree->closers;
  if (tree->gradients) rattle__gradients_look(tree);
  for (int k = 0; k < s->rank; k++) {
    const int i = s->kept[k];
    if (!is_by_gradient(s, i)) s->value[i] = rattle__closer_value(tree, i);
    push(tree, i, s->lambda[i]);
  }
}

void rattle__closers_size(rattle__tree *tree) {
  const rattle__closers *s = tree->closers;
  for (int i = 0; i < s->count; i++) {
    const rattle__closer_row *row = &s->start[i];
    const double by = fabs(s->lambda[i]);
    for (int k = 0; k < row->wrenches; k++) {
      rattle__tree_node *w = &tree->node[row->wrench[k].body];
      w->size_F += by * extent(row->wrench[k].F);
      w->size_T += by * extent(row->wrench[k].T);
    }
    for (int k = 0; k < row->pushes; k++)
      tree->loose[row->push[k].loose].size += by * fabs(row->push[k].F);
  }
}

double rattle__closers_rate(const rattle__tree *tree) {
  const rattle__closers *s = tree->closers;
  double most = 0;
  for (int i = 0; i < s->count; i++) {
    const double rate = fabs(along_solution(tree, i));
    if (!(rate <= most)) most = rate;
  }
  return most;
}

void rattle__closers_close(rattle__tree *tree, int at_rest) {
  rattle__closers *s = tree->closers;
  for (int k = 0; k < s->rank; k++)
    s->e[k] = -(at_rest ? 0 : s->value[s->kept[k]]) - along_solution(tree, s->kept[k]);
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
    for (int l = 0; l < tree->loosened; l++)
      tree->loose[l].go += s->e[k] * s->loose_answer[s->kept[k] * tree->loosened + l];
  }
}
