/* Rows of any form by their gradients. See gradients.h. */
#include "constraint/tree/gradients.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "ground/expr/extended.h"
#include "ground/expr/family.h"
#include "ground/expr/quadratic.h"
#include "ground/expr/round_off.h"
#include "constraint/guard/rules/rules.h"
#include "constraint/guard/step.h"
#include "constraint/equation/stopping.h"

/* --- wrenches --------------------------------------------------------------------------------- */

static double *entry(vec *v, int i) {
  return i == 0 ? &v->x : i == 1 ? &v->y : &v->z;
}

static void put(double *x, const int *at, vec v) {
  x[at[0]] = v.x, x[at[1]] = v.y, x[at[2]] = v.z;
}

/* The wrenches of row i from its slopes J. moved: bodies are at the iterate, and their arms. */
static void set_wrenches(const rattle__tree *tree, int i, const double *J, int moved,
                         rattle__closer_row *row) {
  const rattle__gradients *s = tree->gradients;
  for (int k = 0; k < row->wrenches; k++) row->wrench[k].F = row->wrench[k].T = vec_of(0, 0, 0);
  for (int e = s->rows.ptr[i]; e < s->rows.ptr[i + 1]; e++) {
    const rattle__place *at = &s->place[s->rows.col[e]];
    if (at->body < 0) {
      row->push[s->wrench[e]].F = J[e];
      continue;
    }
    rattle__wrench *of = &row->wrench[s->wrench[e]];
    if (at->part == 0) {
      *entry(&of->F, at->axis) += J[e];
      continue;
    }
    const rattle__tree_node *w = &tree->node[at->body];
    vec r = w->r[at->part - 1], along = vec_of(0, 0, 0);
    if (moved) r = plus(r, turned(w->s, w->u, r));
    *entry(&along, at->axis) = J[e];
    of->T = plus(of->T, cross(r, along));
  }
  for (int k = 0; k < row->wrenches; k++) {
    rattle__wrench *of = &row->wrench[k];
    const rattle__tree_node *w = &tree->node[of->body];
    of->T = plus(of->T, cross(moved ? w->end.rho : w->start.rho, of->F));
  }
}

/* --- where the tree is settled ---------------------------------------------------------------- */

/* How large the terms are of which rounding makes an entry of a point. */
static double size_of(const rattle__tree *tree, const rattle__place *at, double q, double least) {
  if (at->body < 0) return fmax(fabs(q), least);
  const rattle__tree_node *w = &tree->node[at->body];
  return at->part ? 1 : fmax(extent(w->x) + extent(w->start.rho), least);
}

/* G at q, in the point. 0: g has no value there. */
static int go(rattle__gradients *s, rattle__point *point, const double *q) {
  if (rattle__point_go(point, q)) return 1;
  if (s->g->jacobian(s->g, q, s->value, point->J, s->work)) return 0;
  rattle__mass_scale(rattle__inertia(s->context->problem), s->g, point->J, point->B);
  s->context->counts.jacobian++;
  point->has_G = 1;
  return 1;
}

/* Bounds of the rounding of each row at q, whose coordinates are known to their digits, in
 * room[0]. 0: there are none. */
static int find_bounds(rattle__gradients *s, const double *q) {
  for (int k = 0; k < s->g->vars; k++) s->q[k] = DBL_EPSILON * fabs(q[k]);
  return !rattle__round_off(s->g, q, s->q, s->room[0], NULL, s->bounds);
}

void rattle__gradients_raise(rattle__gradients *s) {
  if (!find_bounds(s, s->start->q)) return;
  for (int i = 0; i < s->count; i++)
    s->unit[i] = fmax(s->unit[i], (double)LDBL_EPSILON / DBL_EPSILON * s->room[0][i]);
}

/* True if all rows vanish where they do not next to their terms G q. */
static int vanish(rattle__gradients *s, const double *q) {
  int good = find_bounds(s, q);
  for (int i = 0; i < s->count && good; i++)
    good = fabs(s->value[i]) <= RATTLE__ENOUGH_OF_ALL * s->room[0][i];
  return good;
}

int rattle__gradients_settle(rattle__tree *tree, const double *q) {
  rattle__gradients *s = tree->gradients;
  rattle__closers *c = tree->closers;
  const double least = rattle__least_size(rattle__largest_of(tree->n, q));
  int good = 1;
  if (s->end->has_G && !memcmp(s->end->q, q, (size_t)tree->n * sizeof *q)) {
    rattle__point *point = s->start;
    s->start = s->end, s->end = point;
  }
  if (!go(s, s->start, q) || s->g->value(s->g, q, s->value, s->work)) return 0;
  for (int i = 0; i < s->count; i++) {
    rattle__closer_row *row = &c->start[s->first + i];
    double size = 0;
    for (int e = s->rows.ptr[i]; e < s->rows.ptr[i + 1]; e++) {
      const int at = s->rows.col[e];
      size += fabs(s->start->J[e]) * size_of(tree, &s->place[at], q[at], least);
    }
    s->at_start[i] = s->value[i];
    s->unit[i] = (double)LDBL_EPSILON * size;
    if (!(fabs(s->value[i]) <= tree->g)) tree->g = fabs(s->value[i]);
    good &= fabs(s->value[i]) <= RATTLE__ENOUGH * 0.5 * DBL_EPSILON * size;
    set_wrenches(tree, i, s->start->J, 0, row);
    memcpy(c->now[s->first + i].wrench, row->wrench, (size_t)row->wrenches * sizeof *row->wrench);
    memcpy(c->now[s->first + i].push, row->push, (size_t)row->pushes * sizeof *row->push);
  }
  return good || vanish(s, q);
}

/* --- at an iterate ---------------------------------------------------------------------------- */

static double value_of(const rattle__gradients *s, int i) {
  double change = 0;
  for (int e = s->rows.ptr[i]; e < s->rows.ptr[i + 1]; e++)
    change += s->start->J[e] * s->way[s->rows.col[e]];
  for (int k = s->bent[i]; k < s->bent[i + 1]; k++)
    change += s->bend[k].by * s->way[s->bend[k].a] * s->way[s->bend[k].b];
  return s->at_start[i] + change;
}

void rattle__gradients_look(rattle__tree *tree) {
  rattle__gradients *s = tree->gradients;
  for (int c = 0; c < tree->bodies; c++) {
    const rattle__tree_body *b = &tree->body[c];
    const rattle__tree_node *w = &tree->node[c];
    put(s->way, b->x, plus(w->way, turned(w->s, w->u, w->start.rho)));
    for (int j = 0; j < 3; j++) put(s->way, b->r[j], turned(w->s, w->u, w->r[j]));
  }
  for (int k = 0; k < tree->loosened; k++) s->way[tree->loose[k].at] = tree->loose[k].way;
  if (s->extended) rattle__extended_value(s->g, s->start->q, s->way, s->value, s->extended);
  for (int i = 0; i < s->count; i++) {
    double *value = &tree->closers->value[s->first + i];
    *value = s->beyond[i] ? s->value[i] : value_of(s, i);
    if (s->beyond[i] && fabs(*value) <= s->unit[i]) *value = 0;
  }
}

void rattle__gradients_move(rattle__tree *tree) {
  rattle__gradients *s = tree->gradients;
  for (int k = 0; k < tree->n; k++) s->q[k] = s->start->q[k] + s->way[k];
  s->end->has_G = 0;
  if (s->g->jacobian(s->g, s->q, s->value, s->end->J, s->work)) s->end->J[0] = NAN;
  for (int i = 0; i < s->count; i++)
    set_wrenches(tree, i, s->end->J, 1, &tree->closers->now[s->first + i]);
}

/* --- the guard -------------------------------------------------------------------------------- */

int rattle__gradients_agree(rattle__tree *tree, const rattle__tree_step *step, const double *z1) {
  rattle__gradients *s = tree->gradients;
  const rattle__closers *c = tree->closers;
  const rattle__mass *mass = rattle__inertia(s->context->problem);
  if (!go(s, s->end, z1)) return 0;
  for (int k = 0; k < c->rank; k++) {
    const int i = c->kept[k] - s->first;
    if (i >= 0 && !rattle__is_upright(rattle__row_along(&s->rows, i, s->end->J, s->start->B)))
      return 0;
  }
  if (s->g->quadratic) return 1;
  rattle__step_view view = {.context = s->context,
                            .rows = &s->rows,
                            .g = s->g,
                            .mass = mass,
                            .m = s->count,
                            .once = 1,
                            .declines = s->context->asked.declines,
                            .factor = 1,
                            .h = step->tau,
                            .k1 = step->kick,
                            .z0 = step->z0,
                            .z1 = z1,
                            .V_q = step->V_q,
                            .J0 = s->start->J,
                            .W0 = s->start->B,
                            .J1 = s->end->J,
                            .W1 = s->end->B,
                            .between = s->between,
                            .q = s->q,
                            .work = s->work,
                            .room = {s->room[0], s->room[1], s->room[2], s->room[3]}};
  return rattle__judge_natural_step(&view) == RATTLE__SOUND;
}

/* --- how they are made ------------------------------------------------------------------------ */

/* The rows that are marked, as expressions of `graph`. Returns how many there are. */
static rattle_status list(const rattle__forms *forms, const char *other, rattle_graph *graph,
                          rattle_expr *root, rattle__arena *scratch, rattle_error *error) {
  rattle_expr *column = rattle__arena_take(scratch, (size_t)forms->vars * sizeof *column),
              *row = rattle__arena_take(scratch, (size_t)forms->rows * sizeof *row);
  if (scratch->failed) return rattle__no_memory(error);
  for (int k = 0; k < forms->vars; k++) column[k] = rattle_expr_variable(graph, k);
  rattle_status status = RATTLE_OK;
  for (int k = 0, at = 0; k < 2 && forms->source[k].g && !status; k++) {
    const rattle__function *f = forms->source[k].g->f;
    status = rattle__function_rows(f, graph, column, row + at, error);
    at += f->rows;
  }
  for (int i = 0; i < forms->rows && !status; i++)
    if (other[i]) *root++ = row[i];
  return status;
}

static rattle_status make_function(rattle__function **g, const rattle__forms *forms,
                                   const char *other, int count) {
  rattle_graph *graph = NULL;
  rattle__arena scratch = {0};
  rattle_error error;
  rattle_expr *root = rattle__arena_take(&scratch, ((size_t)count + 1) * sizeof *root);
  int *place = rattle__arena_take(&scratch, (size_t)forms->vars * sizeof *place);
  rattle_status status = scratch.failed ? RATTLE_NO_MEMORY : rattle_graph_create(&graph, &error);
  for (int k = 0; k < forms->vars && !status; k++) place[k] = k;
  if (!status) status = list(forms, other, graph, root, &scratch, &error);
  const rattle__build build = {
      .place = place, .places = forms->vars, .vars = forms->vars, .evaluator = RATTLE__BLOCK};
  if (!status) status = rattle__function_from_graph(g, graph, root, count, &build, &error);
  rattle_graph_destroy(&graph);
  rattle__arena_release(&scratch);
  return status;
}

/* Which bodies and loose coordinates each row touches. */
static void give_wrenches(rattle__tree *tree, rattle__gradients *s, rattle__arena *arena) {
  int *body = rattle__arena_take(arena, ((size_t)tree->bodies + 1) * sizeof *body);
  if (arena->failed) return;
  for (int i = 0; i < s->count; i++) {
    rattle__closer_row *row = &tree->closers->start[s->first + i],
                       *now = &tree->closers->now[s->first + i];
    const int from = s->rows.ptr[i], to = s->rows.ptr[i + 1];
    const size_t most = (size_t)(to - from);
    row->wrench = rattle__arena_take(arena, most * sizeof *row->wrench);
    now->wrench = rattle__arena_take(arena, most * sizeof *row->wrench);
    row->push = rattle__arena_take(arena, most * sizeof *row->push);
    now->push = rattle__arena_take(arena, most * sizeof *row->push);
    if (arena->failed) return;
    for (int e = from; e < to; e++) {
      const rattle__place *at = &s->place[s->rows.col[e]];
      int k = 0;
      if (at->body < 0) {
        row->push[row->pushes].loose = at->part;
        s->wrench[e] = row->pushes++;
        continue;
      }
      while (k < row->wrenches && row->wrench[k].body != at->body) k++;
      row->wrench[k].body = at->body;
      s->wrench[e] = k;
      if (k == row->wrenches) row->wrenches++;
    }
    now->wrenches = row->wrenches, now->pushes = row->pushes;
  }
}

/* The terms of B. 0: no memory. */
static int give_bends(rattle__gradients *s, rattle__arena *arena) {
  rattle__quadratic *of;
  if (rattle__quadratic_create_in_part(&of, s->g)) return 0;
  s->beyond = rattle__arena_take(arena, (size_t)s->count);
  s->bent = rattle__arena_take(arena, ((size_t)s->count + 2) * sizeof *s->bent);
  s->bend = rattle__arena_take(arena, ((size_t)of->bends + 1) * sizeof *s->bend);
  int beyond = 0;
  for (int i = 0; i < s->count && !arena->failed; i++) beyond |= s->beyond[i] = of->beyond[i];
  if (beyond) s->extended = rattle__arena_take(arena, rattle__extended_room(s->g));
  for (int e = 0; e < of->bends && !arena->failed; e++) s->bent[of->bend[e].row + 2]++;
  for (int i = 2; i <= s->count && !arena->failed; i++) s->bent[i + 1] += s->bent[i];
  for (int e = 0; e < of->bends && !arena->failed; e++) {
    const rattle__bend *b = &of->bend[e];
    s->bend[s->bent[b->row + 1]++] = (rattle__bent){b->a, b->b, 0.5 * b->value.at};
  }
  rattle__quadratic_destroy(&of);
  return !arena->failed;
}

rattle__gradients *rattle__gradients_create(const rattle__forms *forms, const char *other,
                                            const rattle__place *place, rattle__tree *tree,
                                            rattle__context *context) {
  rattle__arena *arena = &context->arena;
  rattle__gradients *s = rattle__arena_take(arena, sizeof *s);
  if (!s) return NULL;
  *s = (rattle__gradients){.context = context};
  tree->gradients = s;
  for (int i = 0; i < forms->rows; i++) s->count += other[i];
  s->first = tree->closers->count - s->count;
  const rattle_status status = make_function(&s->g, forms, other, s->count);
  arena->failed |= status == RATTLE_NO_MEMORY;
  if (status) return NULL;
  s->rows = rattle__rows_of(s->g, arena);
  const size_t n = (size_t)tree->n, m = (size_t)s->count, nnz = (size_t)s->g->jac_nnz;
  s->place = rattle__arena_take(arena, n * sizeof *s->place);
  s->wrench = rattle__arena_take(arena, nnz * sizeof *s->wrench);
  s->bounds = rattle__arena_take(arena, rattle__round_off_room(s->g));
  for (int k = 0; k < 2; k++) rattle__point_create(&s->point[k], arena, tree->n, nnz, nnz);
  s->start = &s->point[0], s->end = &s->point[1];
  const rattle__array arrays[] = {{&s->way, n},       {&s->q, n},       {&s->at_start, m},
                                  {&s->value, m},     {&s->unit, m},    {&s->work, s->g->work},
                                  {&s->between, nnz}, {&s->room[0], m}, {&s->room[1], m},
                                  {&s->room[2], m},   {&s->room[3], m}};
  RATTLE__LAY_OUT(arena, arrays);
  if (arena->failed) return NULL;
  memcpy(s->place, place, n * sizeof *s->place);
  give_wrenches(tree, s, arena);
  arena->failed |= !give_bends(s, arena);
  return arena->failed ? NULL : s;
}

void rattle__gradients_destroy(rattle__gradients *gradients) {
  if (gradients) rattle__function_destroy(&gradients->g);
}
