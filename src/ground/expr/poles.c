/* See poles.h. */
#include "ground/expr/poles.h"

#include <stdlib.h>

#include "ground/expr/graph.h"

typedef struct poles {
  rattle_graph *g;
  rattle__stack *pole, *yx;
} poles;

static int add(const poles *s, rattle_expr e, rattle_expr y, rattle_expr x) {
  return y && x && rattle__push(s->pole, e) && rattle__push(s->yx, y) && rattle__push(s->yx, x);
}

/* Each factor of x by itself, so that those of even powers are seen to pass 0. 0: no memory. */
static int add_factors(const poles *s, rattle_expr e, rattle_expr y, rattle_expr x) {
  rattle__stack left = {0};
  int there = rattle__push(&left, x);
  while (there && left.count) {
    const rattle_expr factor = left.item[--left.count];
    switch (rattle__op(s->g, factor)) {
    case RATTLE_OP_CONSTANT:
    case RATTLE_OP_EXP:
    case RATTLE_OP_COSH:
      break;
    case RATTLE_OP_NEG:
    case RATTLE_OP_ABS:
    case RATTLE_OP_SQRT:
    case RATTLE_OP_POWI:
    case RATTLE_OP_DIV:
      there = rattle__push(&left, rattle__first(s->g, factor));
      break;
    case RATTLE_OP_MUL:
      there = rattle__push(&left, rattle__first(s->g, factor)) &&
              rattle__push(&left, rattle__second(s->g, factor));
      break;
    default:
      there = add(s, e, y, factor);
    }
  }
  free(left.item);
  return there;
}

static int add_node(const poles *s, rattle_expr e) {
  const rattle_expr a = rattle__first(s->g, e);
  switch (rattle__op(s->g, e)) {
  case RATTLE_OP_DIV:
    return add_factors(s, e, a, rattle__second(s->g, e));
  case RATTLE_OP_TAN:
    return add(s, e, rattle_expr_unary(s->g, RATTLE_OP_SIN, a),
               rattle_expr_unary(s->g, RATTLE_OP_COS, a));
  case RATTLE_OP_POWI:
    if (rattle__value(s->g, rattle__second(s->g, e)) >= 0) return 1;
    return add_factors(s, e, rattle_expr_constant(s->g, 1), a);
  case RATTLE_OP_SQRT:
  case RATTLE_OP_POW:
  case RATTLE_OP_ASIN:
  case RATTLE_OP_ACOS:
    return add(s, e, e, rattle_expr_constant(s->g, 1));
  case RATTLE_OP_LOG:
    return add_factors(s, e, rattle_expr_constant(s->g, 1), a);
  default:
    return 1;
  }
}

rattle_status rattle__find_poles(rattle_graph *graph, const rattle_expr *root, int roots,
                                 int others, rattle__stack *const found[2]) {
  const poles s = {graph, found[0], found[1]};
  rattle__walk walk, but;
  int there = !rattle__walk_all(&walk, graph, root, roots, rattle__operands);
  there = !rattle__walk_all(&but, graph, root + roots, others, rattle__operands) && there;
  for (size_t i = 0; there && i < walk.count; i++)
    if (!others || !rattle__place(&but, walk.node[i])) there = add_node(&s, walk.node[i]);
  rattle__walk_end(&walk), rattle__walk_end(&but);
  return there ? RATTLE_OK : RATTLE_NO_MEMORY;
}
