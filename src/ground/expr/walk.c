/* Walks over expression graphs, and evaluation by walking. */
#include "ground/expr/walk.h"

#include <math.h>
#include <stdlib.h>

#include "ground/expr/graph.h"
#include "ground/expr/op.h"

int rattle__operands(const rattle_graph *graph, rattle_expr e, rattle_expr child[2]) {
  child[0] = rattle__first(graph, e);
  child[1] = rattle__second(graph, e);
  return rattle__arity(rattle__op(graph, e));
}

int rattle__push(rattle__stack *stack, rattle_expr e) {
  if (stack->count == stack->room) {
    size_t room = stack->room ? 2 * stack->room : 64;
    rattle_expr *item = realloc(stack->item, room * sizeof *item);
    if (!item) return 0;
    stack->item = item;
    stack->room = room;
  }
  stack->item[stack->count++] = e;
  return 1;
}

static void set_place(rattle__walk *walk, rattle_expr e, uint32_t place) {
  if (!walk->key) {
    walk->slot[e] = place;
    return;
  }
  uint32_t at = rattle__entry(e, walk->mask);
  while (walk->key[at]) at = (at + 1) & walk->mask;
  walk->key[at] = e;
  walk->slot[at] = place;
}

/* Makes room for one place more: at first and when the table is half full. Returns 0 if there is no
 * memory. */
static int grow(rattle__walk *walk, const rattle__stack *met) {
  enum { FIRST = 128, SHARE = 8 };
  if (walk->slot && (!walk->key || 2 * (met->count + 1) <= walk->mask)) return 1;
  size_t size = walk->slot ? 2 * ((size_t)walk->mask + 1) : FIRST;
  int dense = SHARE * size > walk->top;
  free(walk->slot);
  free(walk->key);
  walk->mask = (uint32_t)(size - 1);
  walk->slot = calloc(dense ? (size_t)walk->top + 1 : size, sizeof *walk->slot);
  walk->key = dense ? NULL : calloc(size, sizeof *walk->key);
  if (!walk->slot || (!dense && !walk->key)) return 0;
  for (size_t i = 0; i < met->count; i++) set_place(walk, met->item[i], (uint32_t)(i + 1));
  return 1;
}

/* Adds the nodes below root that were not met; returns 0 if there is no memory. */
static int enter(rattle__walk *walk, const rattle_graph *graph, rattle_expr root,
                 rattle__children children, rattle__stack *path, rattle__stack *met) {
  int ok = rattle__place(walk, root) || rattle__push(path, root);
  while (ok && path->count > 0) {
    rattle_expr e = path->item[path->count - 1], child[2];
    int count = children(graph, e, child), next = 0;
    while (next < count && rattle__place(walk, child[next])) next++;
    if (next < count) {
      ok = rattle__push(path, child[next]);
      continue;
    }
    path->count--;
    ok = grow(walk, met) && rattle__push(met, e);
    if (ok) set_place(walk, e, (uint32_t)met->count);
  }
  return ok;
}

rattle_status rattle__walk_all(rattle__walk *walk, const rattle_graph *graph,
                               const rattle_expr *root, int roots, rattle__children children) {
  *walk = (rattle__walk){0};
  for (int i = 0; i < roots; i++)
    if (root[i] > walk->top) walk->top = root[i];
  rattle__stack path = {0}, met = {0};
  int ok = grow(walk, &met);
  for (int i = 0; ok && i < roots; i++)
    if (root[i]) ok = enter(walk, graph, root[i], children, &path, &met);
  free(path.item);
  walk->node = met.item;
  walk->count = met.count;
  return ok ? RATTLE_OK : RATTLE_NO_MEMORY;
}

rattle_status rattle__walk_begin(rattle__walk *walk, const rattle_graph *graph, rattle_expr root,
                                 rattle__children children) {
  return rattle__walk_all(walk, graph, &root, 1, children);
}

void rattle__walk_end(rattle__walk *walk) {
  free(walk->node);
  free(walk->slot);
  free(walk->key);
  *walk = (rattle__walk){0};
}

int rattle__walks_within(const rattle_graph *graph, const rattle_expr *root, int roots,
                         size_t most) {
  size_t nodes = 0;
  int within = 1;
  for (int i = 0; i < roots && within; i++) {
    rattle__walk walk;
    within = !rattle__walk_begin(&walk, graph, root[i], rattle__operands) &&
             (nodes += walk.count) <= most;
    rattle__walk_end(&walk);
  }
  return within;
}

void rattle__walk_evaluate(const rattle__walk *walk, const rattle_graph *graph, const double *x,
                           double *value) {
  for (size_t i = 0; i < walk->count; i++) {
    rattle_expr e = walk->node[i], child[2];
    rattle_op op = rattle__op(graph, e);
    if (op == RATTLE_OP_CONSTANT)
      value[i] = rattle__value(graph, e);
    else if (op == RATTLE_OP_VARIABLE)
      value[i] = x[rattle_expr_index(graph, e)];
    else {
      int arity = rattle__operands(graph, e, child);
      double a = value[rattle__place(walk, child[0]) - 1],
             b = arity == 2 ? value[rattle__place(walk, child[1]) - 1] : 0;
      value[i] = rattle__op_apply(op, a, b);
    }
  }
}

rattle_status rattle__evaluate(const rattle_graph *graph, rattle_expr e, const double *x,
                               double *result) {
  *result = (double)NAN;
  if (!rattle__valid(graph, e)) return RATTLE_OK;
  rattle__walk walk;
  rattle_status status = rattle__walk_begin(&walk, graph, e, rattle__operands);
  double *value = status ? NULL : malloc(walk.count * sizeof *value);
  if (!status && !value) status = RATTLE_NO_MEMORY;
  if (!status) {
    rattle__walk_evaluate(&walk, graph, x, value);
    *result = value[walk.count - 1];
  }
  free(value);
  rattle__walk_end(&walk);
  return status;
}

double rattle_expr_evaluate(const rattle_graph *graph, rattle_expr e, const double *x) {
  double result;
  rattle__evaluate(graph, e, x, &result);
  return result;
}
