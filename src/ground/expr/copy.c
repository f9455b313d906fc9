/* Copies of expressions, operands first, without recursion. */
#include "ground/expr/copy.h"

#include <stdlib.h>
#include <string.h>

#include "ground/expr/graph.h"
#include "ground/expr/walk.h"

rattle__copy rattle__copy_begin(const rattle_graph *from, rattle_graph *to,
                                const rattle_expr *image, int images) {
  return (rattle__copy){.from = from, .to = to, .image = image, .images = images};
}

void rattle__copy_end(rattle__copy *copy) {
  free(copy->known);
  copy->known = NULL;
}

/* Grows `known` to hold every node of `from`, which grows during the copy if it is `to` as well. */
static int make_room(rattle__copy *copy) {
  size_t wanted = (size_t)rattle_graph_count(copy->from) + 1;
  if (wanted <= copy->room) return 1;
  rattle_expr *larger = realloc(copy->known, wanted * sizeof *larger);
  if (!larger) return 0;
  memset(larger + copy->room, 0, (wanted - copy->room) * sizeof *larger);
  copy->known = larger;
  copy->room = wanted;
  return 1;
}

/* a (1/b), which the constructor of products would turn into a quotient again where a is a
 * constant. */
static rattle_expr by_reciprocal(rattle_graph *graph, rattle_expr a, rattle_expr b) {
  const rattle_expr one = rattle_expr_constant(graph, 1),
                    inverse = rattle_expr_binary(graph, RATTLE_OP_DIV, one, b);
  if (a == one || !inverse) return inverse;
  if (rattle__op(graph, a) != RATTLE_OP_CONSTANT || rattle__op(graph, inverse) != RATTLE_OP_DIV)
    return rattle_expr_binary(graph, RATTLE_OP_MUL, a, inverse);
  return rattle__intern(graph, RATTLE_OP_MUL, (uint64_t)a << 32 | inverse);
}

static rattle_expr copy_node(const rattle__copy *copy, rattle_expr e) {
  const rattle_op op = rattle_expr_op(copy->from, e);
  if (op == RATTLE_OP_CONSTANT && copy->from == copy->to) return e; /* it may be an input */
  if (op == RATTLE_OP_CONSTANT)
    return rattle_expr_constant(copy->to, rattle_expr_value(copy->from, e));
  if (op == RATTLE_OP_VARIABLE) {
    const int32_t v = rattle_expr_index(copy->from, e);
    return v < copy->images && copy->image[v] ? copy->image[v] : rattle_expr_variable(copy->to, v);
  }
  const rattle_expr a = rattle_expr_operand(copy->from, e, 0),
                    b = rattle_expr_operand(copy->from, e, 1);
  if (copy->by_reciprocals && op == RATTLE_OP_DIV)
    return by_reciprocal(copy->to, copy->known[a], copy->known[b]);
  return b ? rattle_expr_binary(copy->to, op, copy->known[a], copy->known[b])
           : rattle_expr_unary(copy->to, op, copy->known[a]);
}

rattle_expr rattle__copy_of(rattle__copy *copy, rattle_expr e) {
  if (!e || !make_room(copy)) return RATTLE_EXPR_NONE;
  if (copy->known[e]) return copy->known[e];
  rattle__walk walk;
  int failed = rattle__walk_begin(&walk, copy->from, e, rattle__operands) != RATTLE_OK;
  for (size_t i = 0; !failed && i < walk.count; i++) {
    const rattle_expr node = walk.node[i];
    if (!copy->known[node]) copy->known[node] = copy_node(copy, node);
    failed = !copy->known[node];
  }
  rattle__walk_end(&walk);
  return failed ? RATTLE_EXPR_NONE : copy->known[e];
}
