/* Expressions in place of inputs. */
#include "ground/expr/copy.h"
#include "ground/expr/graph.h"
#include "ground/expr/inputs.h"

static rattle_expr image_of(rattle_graph *graph, rattle__copy *copy, const rattle__input *input) {
  const rattle_expr a = rattle__copy_of(copy, input->a),
                    b = input->b ? rattle__copy_of(copy, input->b) : RATTLE_EXPR_NONE;
  return b ? rattle_expr_binary(graph, (rattle_op)input->op, a, b)
           : rattle_expr_unary(graph, (rattle_op)input->op, a);
}

int rattle__inputs_become(rattle_graph *graph, rattle__copy *copy, const rattle_expr *made,
                          const rattle_expr *image, int count) {
  for (int k = 0; k < graph->inputs; k++) {
    const rattle__input input = graph->input[k];
    rattle_expr new = input.a ? image_of(graph, copy, &input) : RATTLE_EXPR_NONE;
    for (int i = 0; i < count && !input.a; i++)
      if (made[i] == input.e) new = image[i];
    if (!new || !rattle__copy_of(copy, input.e)) return 0;
    copy->known[input.e] = new;
  }
  return 1;
}
