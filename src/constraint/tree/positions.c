/* The positions of a step by Newton's method along the tree. See tree.h.
 *
 * Guess      joints go on as they do at the start
 * Matrices   of the first correction the mass matrix at the start, which makes the accelerations;
 *            of the second Newton's, at the iterate; then that again while corrections fall to a
 *            tenth
 * Unit       of a joint's correction: the terms of its equation are rounded, so that it is known to
 *            u size_T/D, u = 2^-53
 * End        where the next correction, by the ratio of the last two, is below 2^-10 of all units:
 *            what it leaves may have one sign for many steps, but 2^-10 k is below sqrt(k), as
 *            rounding adds up, for a million of them; or by the rules of all iterations
 *            (equation/stopping.h)
 * Doubt      corrections fall slowly, a pivot of Newton's matrix is not positive, a body turned by
 *            a right angle or more (no gradient of a row turned by one if none did), or multipliers
 *            did work: rules.def. A NaN, as the root of a turn by more than two right angles,
 *            arrives nowhere, and is doubt */
#include <float.h>

#include "constraint/guard/rules/rules.h"
#include "constraint/equation/stopping.h"
#include "constraint/equation/verdict.h"
#include "constraint/tree/closers.h"
#include "constraint/tree/gradients.h"
#include "constraint/tree/look.h"
#include "constraint/tree/walk.h"

static const double unseen = 1.0 / 1024;

/* A NaN, in a or in b, stays. */
static double larger(double a, double b) {
  return b > a || b != b ? b : a;
}

static vec kicked(const rattle__tree_step *s, int n, const int *at) {
  const double *p = s->z0 + n, *f = s->V_q;
  if (s->kick == 0) return vec_of(p[at[0]], p[at[1]], p[at[2]]);
  return vec_of(p[at[0]] - s->kick * f[at[0]], p[at[1]] - s->kick * f[at[1]],
                p[at[2]] - s->kick * f[at[2]]);
}

static void put(double *z, const int *at, vec v) {
  z[at[0]] = v.x, z[at[1]] = v.y, z[at[2]] = v.z;
}

/* tau times the momenta after the kick. */
static void kick(rattle__tree *tree, const rattle__tree_step *s) {
  for (int c = 0; c < tree->bodies; c++) {
    const rattle__tree_body *b = &tree->body[c];
    rattle__tree_node *w = &tree->node[c];
    w->l0 = times(s->tau, kicked(s, tree->n, b->x));
    w->L0 = vec_of(0, 0, 0);
    for (int j = 0; j < 3; j++)
      w->L0 = plus(w->L0, times(s->tau, cross(w->r[j], kicked(s, tree->n, b->r[j]))));
  }
  for (int k = 0; k < tree->loosened; k++) {
    rattle__loose *y = &tree->loose[k];
    y->p = s->z0[tree->n + y->at] - s->kick * s->V_q[y->at];
    y->l0 = s->tau * y->p;
  }
}

/* The kick by slopes at the iterate. 0: there are none. */
static int kick_at_iterate(rattle__tree *tree, const rattle__tree_step *s) {
  const double part = s->slopes->part, *q0 = s->z0;
  double *q = s->slopes->z, *p = q + tree->n;
  for (int c = 0; c < tree->bodies; c++) {
    const rattle__tree_body *b = &tree->body[c];
    const rattle__tree_node *w = &tree->node[c];
    const vec way = plus(w->way, turned(w->s, w->u, w->start.rho));
    put(p, b->x, times(b->m / s->tau, way));
    put(q, b->x, more(w->x, part, way));
    for (int j = 0; j < 3; j++) {
      const vec turn = turned(w->s, w->u, w->r[j]);
      put(p, b->r[j], times(b->d[j] / s->tau, turn));
      put(q, b->r[j], more(w->r[j], part, turn));
    }
  }
  for (int k = 0; k < tree->loosened; k++) {
    const rattle__loose *y = &tree->loose[k];
    q[y->at] = q0[y->at] + part * y->way;
    p[y->at] = y->W > 0 ? y->way / (y->W * s->tau) : q0[tree->n + y->at];
  }
  if (s->slopes->at(s->slopes->self, q, s->V_q)) return 0;
  kick(tree, s);
  return 1;
}

/* The kick, and the guess: half the turn of free motion. */
static void begin(rattle__tree *tree, const rattle__tree_step *s) {
  for (int c = 0; c < tree->bodies; c++) {
    const rattle__tree_body *b = &tree->body[c];
    rattle__tree_node *w = &tree->node[c];
    const rattle__tree_node *up = parent_of(tree, c);
    w->l0 = times(s->tau, kicked(s, tree->n, b->x));
    w->L0 = w->go.turn = vec_of(0, 0, 0);
    for (int j = 0; j < 3; j++) {
      const vec L = times(s->tau, cross(w->r[j], kicked(s, tree->n, b->r[j])));
      w->L0 = plus(w->L0, L);
      w->go.turn = more(w->go.turn, 0.25 / b->d[j], L);
    }
    w->u = w->go.turn;
    if (b->joint == RATTLE__HINGE)
      w->sine = dot(w->start.a, up ? minus(w->go.turn, up->go.turn) : w->go.turn);
    if (b->joint == RATTLE__FLOATS) w->way = times(1 / b->m, w->l0);
  }
  for (int k = 0; k < tree->loosened; k++) {
    rattle__loose *y = &tree->loose[k];
    y->q = s->z0[y->at], y->p = s->z0[tree->n + y->at];
    if (s->kick != 0) y->p -= s->kick * s->V_q[y->at];
    y->l0 = s->tau * y->p;
    y->way = y->W * y->l0;
  }
}

static int look_at(rattle__tree *tree, const rattle__tree_step *s, int judge) {
  for (int c = 0; c < tree->bodies; c++)
    pose(tree->body[c].joint, &tree->node[c], parent_of(tree, c));
  if (s->slopes && !kick_at_iterate(tree, s)) return 0;
  for (int c = 0; c < tree->bodies; c++) look(tree->body[c].m, &tree->node[c], judge);
  for (int k = 0; k < tree->loosened; k++) {
    rattle__loose *y = &tree->loose[k];
    const double l = y->W > 0 ? y->way / y->W : 0;
    y->F = l - y->l0;
    y->size = fabs(l) + fabs(y->l0);
  }
  if (tree->closers) rattle__closers_look(tree);
  return 1;
}

/* Newton's matrix at the last iterate. */
static int renew(rattle__tree *tree) {
  for (int c = 0; c < tree->bodies; c++) {
    rattle__tree_node *w = &tree->node[c];
    move_arms(w, parent_of(tree, c));
    own_blocks(tree->body[c].m, w, 0);
  }
  tree->matrices++;
  return rattle__tree_eliminate(tree, 0) && (!tree->closers || rattle__closers_renew(tree));
}

/* The inverse of the unit of a sum of that size. */
static double unit_of(double size) {
  return 1 / larger(DBL_MIN, 0.5 * DBL_EPSILON * size);
}

/* The units, from the leaves on. */
static void find_units(rattle__tree *tree) {
  for (int c = tree->bodies - 1; c >= 0; c--) {
    rattle__tree_node *w = &tree->node[c], *up = parent_of(tree, c);
    const int is_hinge = tree->body[c].joint == RATTLE__HINGE;
    const mat *K = &w->inverse_K;
    const double by =
        is_hinge ? w->inverse_D : larger(extent(K->a), larger(extent(K->b), extent(K->c)));
    w->finest = unit_of(by * w->size_T);
    w->finest_way = unit_of(extent(w->lift.a) * w->size_F);
    if (!up) continue;
    up->size_F += w->size_F;
    up->size_T += extent(w->start.d) * w->size_F + (is_hinge ? w->size_T : 0);
  }
  for (int k = 0; k < tree->loosened; k++)
    tree->loose[k].finest = unit_of(tree->loose[k].W * tree->loose[k].size);
}

/* The largest of the last correction, in units. */
static double largest(const rattle__tree *tree) {
  double most = 0;
  for (int k = 0; k < tree->loosened; k++)
    most = larger(most, tree->loose[k].finest * fabs(tree->loose[k].go));
  for (int c = 0; c < tree->bodies; c++) {
    const rattle__tree_node *w = &tree->node[c];
    const int is_hinge = tree->body[c].joint == RATTLE__HINGE;
    most = larger(most, w->finest * (is_hinge ? fabs(w->go.by) : extent(w->go.turn)));
    if (tree->body[c].joint == RATTLE__FLOATS)
      most = larger(most, w->finest_way * extent(w->go.shift));
  }
  return most;
}

static void correct(rattle__tree *tree) {
  for (int c = 0; c < tree->bodies; c++)
    solve(tree->body[c].joint, &tree->node[c], parent_of(tree, c));
  for (int k = 0; k < tree->loosened; k++) tree->loose[k].go = -tree->loose[k].W * tree->loose[k].F;
  if (tree->closers) rattle__closers_close(tree, 0);
  for (int k = 0; k < tree->loosened; k++) tree->loose[k].way += tree->loose[k].go;
  for (int c = 0; c < tree->bodies; c++) {
    const rattle__joint joint = tree->body[c].joint;
    rattle__tree_node *w = &tree->node[c];
    if (joint == RATTLE__HINGE)
      w->sine += 0.5 * w->cosine * w->go.by;
    else
      w->u = more(w->u, 0.5, more(cross(w->go.turn, w->u), w->s, w->go.turn));
    if (joint == RATTLE__FLOATS) w->way = plus(w->way, w->go.shift);
  }
}

/* The same in units of all that was added up: what multipliers add is not known before the
 * iteration, and all there is where a body does not turn. */
static double largest_of_all(rattle__tree *tree, const rattle__tree_step *s) {
  if (!look_at(tree, s, 1)) return NAN;
  rattle__closers_size(tree);
  find_units(tree);
  return largest(tree);
}

static int iterate(rattle__tree *tree, const rattle__tree_step *s) {
  double first = 0, previous = 0;
  int fresh = 0, full = 0;
  for (int k = 0;; k++) {
    if (!look_at(tree, s, k == 0)) return 0;
    if (fresh && !renew(tree)) return 0;
    hand_wrenches(tree);
    correct(tree);
    if (k == 0) {
      if (tree->gradients) rattle__closers_size(tree);
      find_units(tree);
    }
    double r = largest(tree);
    tree->corrections++;
    if (k == 0) first = r;
    int slow = rattle__fell_slowly(first, previous, r, k, rattle__doubt_chord, full);
    const int again = !full && tree->closers &&
                      (slow || (r > RATTLE__ENOUGH && rattle__stagnates(r, previous, k)));
    if (again) {
      const double before = r;
      full = 1;
      r = largest_of_all(tree, s);
      first *= r / before, previous *= r / before;
      slow = rattle__fell_slowly(first, previous, r, k, rattle__doubt_chord, 1);
    }
    tree->residual = r;
    if (again && r > RATTLE__ENOUGH_OF_ALL && tree->gradients) {
      rattle__gradients_raise(tree->gradients);
      previous = r;
      continue;
    }
    if (slow) {
      tree->fell = r / previous;
      return 0;
    }
    if (k > 0 && r * r <= unseen * previous) return 1;
    const rattle__verdict verdict =
        rattle__judge_below(full ? RATTLE__ENOUGH_OF_ALL : RATTLE__ENOUGH, r, previous, k, 0);
    if (verdict != RATTLE__GO_ON) return verdict == RATTLE__DONE;
    fresh = k == 0 || rattle__gained_little(r, previous);
    previous = r;
  }
}

/* --- the end of the step ---------------------------------------------------------------------- */

/* The defect of R^T R = 1, half of it from each column, and that of the direction of a hinge's axis
 * come to the columns. */
static void straighten(const rattle__tree_body *b, const rattle__tree_node *w,
                       const rattle__tree_node *up, vec *r) {
  vec e[3];
  for (int j = 0; j < 3; j++) {
    e[j] = times(0.5, r[j]);
    for (int k = 0; k < 3; k++) e[j] = more(e[j], -0.5 * dot(r[j], r[k]), r[k]);
  }
  if (b->joint == RATTLE__HINGE) {
    const vec own = into(r, b->axis), axis = up ? into(up->r, b->up_axis) : b->up_axis;
    const vec off = times(dot(axis, w->start.a) < 0 ? -1 : 1, cross(own, axis));
    for (int j = 0; j < 3; j++) e[j] = plus(e[j], cross(off, r[j]));
  }
  for (int j = 0; j < 3; j++) r[j] = plus(r[j], e[j]);
}

/* q1 and p' of a body. 0: it turned by a right angle. */
static int land(rattle__tree *tree, int c, double tau, double *z1) {
  const rattle__tree_body *b = &tree->body[c];
  rattle__tree_node *w = &tree->node[c];
  const rattle__tree_node *up = parent_of(tree, c);
  double *p1 = z1 + tree->n;
  vec r[3];
  pose(b->joint, w, up);
  for (int j = 0; j < 3; j++) {
    const vec way = turned(w->s, w->u, w->r[j]);
    put(p1, b->r[j], times(b->d[j] / tau, way));
    r[j] = plus(w->r[j], way);
  }
  put(p1, b->x, times(b->m / tau, plus(w->way, turned(w->s, w->u, w->start.rho))));
  straighten(b, w, up, r);
  for (int j = 0; j < 3; j++) put(z1, b->r[j], w->r[j] = r[j]);
  if (b->joint == RATTLE__FLOATS)
    w->x = plus(w->x, w->way);
  else {
    const vec arm = up ? into(up->r, b->up_point) : b->up_point;
    w->x = minus(up ? plus(up->x, arm) : arm, into(r, b->point));
  }
  put(z1, b->x, w->x);
  return rattle__is_upright(1 - 2 * dot(w->u, w->u));
}

/* The same of coordinates of no body. */
static void land_loose(const rattle__tree *tree, double tau, double *z1) {
  for (int k = 0; k < tree->loosened; k++) {
    const rattle__loose *y = &tree->loose[k];
    z1[y->at] = y->q + y->way;
    z1[tree->n + y->at] = y->W > 0 ? y->way / (y->W * tau) : y->p;
  }
}

static int find(rattle__tree *tree, const rattle__tree_step *s) {
  if (s->slopes && s->slopes->at(s->slopes->self, s->z0, s->V_q)) return 0;
  begin(tree, s);
  if (tree->closers) rattle__closers_begin(tree->closers);
  return iterate(tree, s);
}

/* The same with the damping of hinges in their pivots. */
static int find_damped(rattle__tree *tree, const rattle__tree_step *s) {
  const int good =
      rattle__tree_find_damping(tree, s) && rattle__tree_settle(tree, s->z0) && find(tree, s);
  rattle__tree_forget_damping(tree);
  tree->settled = 0;
  return good;
}

int rattle__tree_positions(rattle__tree *tree, const rattle__tree_step *s, double *z1) {
  tree->settled = tree->corrections = tree->matrices = 0;
  tree->fell = 1;
  int good = find(tree, s);
  if (!good && s->slopes) good = find_damped(tree, s);
  for (int c = 0; c < tree->bodies && good && s->slopes; c++)
    pose(tree->body[c].joint, &tree->node[c], parent_of(tree, c));
  if (good && s->slopes) good = kick_at_iterate(tree, s);
  for (int c = 0; c < tree->bodies && good; c++) good = land(tree, c, s->tau, z1);
  land_loose(tree, s->tau, z1);
  if (good && tree->gradients) good = rattle__gradients_agree(tree, s, z1);
  return good && !rattle__step_did_work((rattle__drift_step){.n = tree->n,
                                                             .clock = -1,
                                                             .h = s->tau,
                                                             .k1 = s->kick,
                                                             .z0 = s->z0,
                                                             .V_q = s->V_q,
                                                             .z1 = z1});
}
