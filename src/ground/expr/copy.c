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

/* Operands first, those that are known left out: roots that share parts take the work of one. */
rattle_expr rattle__copy_of(rattle__copy *copy, rattle_expr e) {
  if (!e || !make_room(copy)) return RATTLE_EXPR_NONE;
  rattle__stack path = {0};
  int ok = copy->known[e] || rattle__push(&path, e);
  while (ok && path.count > 0) {
    const rattle_expr node = path.item[path.count - 1];
    rattle_expr child[2];
    const int count = rattle__operands(copy->from, node, child);
    int next = 0;
    while (next < count && copy->known[child[next]]) next++;
    if (next < count) {
      ok = rattle__push(&path, child[next]);
      continue;
    }
    path.count--;
    ok = (copy->known[node] = copy_node(copy, node)) != RATTLE_EXPR_NONE;
  }
  free(path.item);
  return ok ? copy->known[e] : RATTLE_EXPR_NONE;
}
