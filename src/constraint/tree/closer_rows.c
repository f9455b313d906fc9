/* Rows of points and of directions that close loops. See closers.h. */
#include "constraint/tree/closers.h"

#include <float.h>

#include "constraint/guard/rules/rules.h"

static const rattle__tree_node *node_of(const rattle__tree *tree, const rattle__closer *c, int e) {
  return c->body[e] < 0 ? NULL : &tree->node[c->body[e]];
}

static double component(vec v, int i) {
  return i == 0 ? v.x : i == 1 ? v.y : v.z;
}

/* The wrenches of a row, from its arms. */
static void set_wrenches(const rattle__closer *c, rattle__closer_row *row) {
  rattle__wrench *w = row->wrench;
  vec T;
  if (c->axis < 0) {
    T = cross(row->P[0], row->P[1]);
    w[0] = (rattle__wrench){c->body[0], vec_of(0, 0, 0), T};
    if (c->body[1] >= 0) w[1] = (rattle__wrench){c->body[1], vec_of(0, 0, 0), times(-1, T)};
    return;
  }
  const vec F = vec_of(c->axis == 0, c->axis == 1, c->axis == 2);
  w[0] = (rattle__wrench){c->body[0], F, cross(row->P[0], F)};
  if (c->body[1] >= 0) w[1] = (rattle__wrench){c->body[1], times(-1, F), cross(F, row->P[1])};
}

int rattle__closer_place(rattle__tree *tree, int i) {
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
  for (int e = 0; e < 2; e++) s->now[i].P[e] = row->P[e];
  for (int k = 0; k < row->wrenches; k++) s->now[i].wrench[k] = row->wrench[k];
  const double g =
      c->axis < 0 ? dot(at[0], at[1]) : component(at[0], c->axis) - component(at[1], c->axis);
  s->at_start[i] = g;
  if (!(fabs(g) <= tree->g)) tree->g = fabs(g);
  return fabs(g) <= RATTLE__ENOUGH * 0.5 * DBL_EPSILON * size;
}

/* Its change from the value at the start is known to the digits of the step. */
double rattle__closer_value(const rattle__tree *tree, int i) {
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

void rattle__closer_move(const rattle__tree *tree, int i) {
  const rattle__closer *c = &tree->closers->closer[i];
  const rattle__closer_row *from = &tree->closers->start[i];
  rattle__closer_row *row = &tree->closers->now[i];
  for (int e = 0; e < 2; e++) {
    const rattle__tree_node *w = node_of(tree, c, e);
    row->P[e] = w ? plus(from->P[e], turned(w->s, w->u, from->P[e])) : from->P[e];
  }
  set_wrenches(c, row);
}
