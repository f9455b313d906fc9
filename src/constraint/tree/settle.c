/* The geometry of a tree at a point, its mass matrix there, and momenta onto psi = 0 by it. See
 * tree.h. Functions of the point alone, to the bit. */
#include <float.h>

#include "constraint/guard/rules/rules.h"
#include "constraint/tree/closers.h"
#include "constraint/tree/look.h"
#include "constraint/tree/walk.h"

static int is_pivot(double pivot, double *before, int fresh) {
  if (!fresh) return rattle__pivot_is_positive(pivot, *before);
  *before = pivot;
  return pivot > 0 && pivot <= DBL_MAX;
}

static int eliminate(rattle__joint joint, rattle__tree_node *w, rattle__tree_node *up, int fresh) {
  if (joint == RATTLE__HINGE) {
    hinge_blocks(w, up);
    return is_pivot(w->D, &w->D0, fresh);
  }
  int good = is_pivot(ball_blocks(w), &w->K0, fresh);
  if (joint == RATTLE__FLOATS) {
    double M;
    w->lift = inverse(w->A.M, &M);
    good &= is_pivot(M, &w->M0, fresh);
  }
  if (up) ball_to_parent(w, up);
  return good;
}

int rattle__tree_eliminate(rattle__tree *tree, int fresh) {
  int good = 1;
  for (int c = tree->bodies - 1; c >= 0; c--)
    good &= eliminate(tree->body[c].joint, &tree->node[c], parent_of(tree, c), fresh);
  return good;
}

/* --- the geometry ----------------------------------------------------------------------------- */

static mat inertia(const double *d, const vec *r) {
  mat J = diagonal(d[0] + d[1] + d[2]);
  for (int j = 0; j < 3; j++) J = less_outer(J, times(d[j], r[j]), r[j]);
  return J;
}

/* |value|, which is 0 but for the round-off of terms of that size, comes to *most. 0: it is
 * more. */
static int vanishes(double value, double size, double *most) {
  const double g = fabs(value);
  if (!(g <= *most)) *most = g;
  return g <= RATTLE__ENOUGH * 0.5 * DBL_EPSILON * size;
}

/* R^T R = 1. */
static int is_rotation(const vec *r, double *g) {
  int good = 1;
  for (int j = 0; j < 3; j++)
    for (int k = 0; k <= j; k++) good &= vanishes(dot(r[j], r[k]) - (j == k), 1, g);
  return good;
}

/* The arms of a joint; 0: points or axes are not together. An axis has the direction, of two, in
 * which its body has it. */
static int set_arms(const rattle__tree_body *b, rattle__tree_node *w, const rattle__tree_node *up,
                    double *g) {
  const vec none = vec_of(0, 0, 0), arm = up ? into(up->r, b->up_point) : b->up_point,
            rho = times(-1, into(w->r, b->point)), from = up ? up->x : none;
  w->start = (rattle__arms){rho, up ? plus(up->start.rho, arm) : none, none};
  const vec gap = minus(plus(from, arm), minus(w->x, rho));
  const double size = extent(from) + extent(arm) + extent(w->x) + extent(rho);
  int good = vanishes(gap.x, size, g) & vanishes(gap.y, size, g) & vanishes(gap.z, size, g);
  if (b->joint == RATTLE__BALL) return good;
  const vec own = into(w->r, b->axis), axis = up ? into(up->r, b->up_axis) : b->up_axis,
            off = cross(own, axis);
  w->start.a = times(dot(own, axis) < 0 ? -1 : 1, axis);
  return good & vanishes(off.x, 1, g) & vanishes(off.y, 1, g) & vanishes(off.z, 1, g);
}

int rattle__tree_settle(rattle__tree *tree, const double *q) {
  int good = 1;
  tree->settled = 0;
  tree->g = 0;
  for (int c = 0; c < tree->bodies; c++) {
    const rattle__tree_body *b = &tree->body[c];
    rattle__tree_node *w = &tree->node[c];
    w->x = vec_of(q[b->x[0]], q[b->x[1]], q[b->x[2]]);
    for (int j = 0; j < 3; j++) w->r[j] = vec_of(q[b->r[j][0]], q[b->r[j][1]], q[b->r[j][2]]);
    good &= is_rotation(w->r, &tree->g);
    w->start = (rattle__arms){.a = vec_of(0, 0, 0)};
    if (b->joint != RATTLE__FLOATS) good &= set_arms(b, w, parent_of(tree, c), &tree->g);
    w->end = w->start;
    w->J = inertia(b->d, w->r);
    own_blocks(b->m, w, 1);
  }
  tree->settled = good && rattle__tree_eliminate(tree, 1) &&
                  (!tree->closers || rattle__closers_settle(tree, q));
  return tree->settled;
}

/* --- momenta ---------------------------------------------------------------------------------- */

/* Velocities of the joint's point as the body has it and as the parent has it; of a hinge, of the
 * axis. */
static double apart(rattle__joint joint, const rattle__tree_node *w, const rattle__tree_node *up) {
  if (joint != RATTLE__HINGE || !up) return 0;
  const vec by = minus(w->go.turn, up->go.turn);
  return extent(cross(by, w->start.a));
}

void rattle__tree_momenta(rattle__tree *tree, double *z) {
  double *p = z + tree->n;
  for (int c = 0; c < tree->bodies; c++) {
    const rattle__tree_body *b = &tree->body[c];
    rattle__tree_node *w = &tree->node[c];
    w->F = vec_of(-p[b->x[0]], -p[b->x[1]], -p[b->x[2]]);
    w->T = cross(w->start.rho, w->F);
    for (int j = 0; j < 3; j++) {
      const int *at = b->r[j];
      w->T = minus(w->T, cross(w->r[j], vec_of(p[at[0]], p[at[1]], p[at[2]])));
    }
  }
  hand_wrenches(tree);
  for (int c = 0; c < tree->bodies; c++)
    solve(tree->body[c].joint, &tree->node[c], parent_of(tree, c));
  for (int k = 0; k < tree->loosened; k++) {
    rattle__loose *y = &tree->loose[k];
    y->F = -p[y->at], y->go = -y->W * y->F;
  }
  for (int time = 0; time < 2 && tree->closers; time++) rattle__closers_close(tree, 1);
  tree->psi = tree->closers ? rattle__closers_rate(tree) : 0;
  for (int c = 0; c < tree->bodies; c++) {
    const rattle__tree_body *b = &tree->body[c];
    const rattle__tree_node *w = &tree->node[c];
    const double psi = apart(b->joint, w, parent_of(tree, c));
    if (!(psi <= tree->psi)) tree->psi = psi;
    const vec v = times(b->m, plus(w->go.shift, cross(w->go.turn, w->start.rho)));
    p[b->x[0]] = v.x, p[b->x[1]] = v.y, p[b->x[2]] = v.z;
    for (int j = 0; j < 3; j++) {
      const int *at = b->r[j];
      const vec P = times(b->d[j], cross(w->go.turn, w->r[j]));
      p[at[0]] = P.x, p[at[1]] = P.y, p[at[2]] = P.z;
    }
  }
  for (int k = 0; k < tree->loosened; k++)
    if (tree->loose[k].W > 0) p[tree->loose[k].at] = tree->loose[k].go / tree->loose[k].W;
}
