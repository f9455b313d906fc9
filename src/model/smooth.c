/* What is least smooth in a model, in words. */
#include <stdio.h>

#include "expr/pieces.h"
#include "model/model.h"

/* "abs(x - 1) has a kink where x - 1 = 0" */
static void describe(const rattle_model *model, rattle_expr seam, int smooth, char *text, size_t size) {
  char whole[160], part[160];
  const rattle_graph *g = model->graph;
  void *context = (void *)(uintptr_t)model;
  const rattle_op op = rattle_expr_op(g, seam);
  rattle_expr_print(g, seam, rattle__model_variable_name, context, whole, sizeof whole);
  rattle_expr_print(g, rattle_expr_operand(g, seam, 0), rattle__model_variable_name, context, part, sizeof part);
  if (smooth == 2 && op != RATTLE_OP_POWI)
    snprintf(text, size, "a table has two continuous derivatives at its knots");
  else if (smooth > 0)
    snprintf(text, size, "%s has %d continuous derivative%s", whole, smooth, smooth == 1 ? "" : "s");
  else if (op == RATTLE_OP_ABS)
    snprintf(text, size, "%s has a kink where %s = 0", whole, part);
  else if (smooth == 0)
    snprintf(text, size, "%s has a kink where both are equal", whole);
  else if (op == RATTLE_OP_WHEN)
    snprintf(text, size, "what is chosen where %s > 0 may jump there", part);
  else
    snprintf(text, size, "%s jumps", whole);
}

int rattle_model_order_left(const rattle_model *model, char *text, size_t size) {
  rattle_expr seam = RATTLE_EXPR_NONE, other = RATTLE_EXPR_NONE;
  int least = rattle__least_smooth(model->graph, model->hamiltonian, &seam);
  for (int i = 0; i < model->m; i++) {
    const int own = rattle__least_smooth(model->graph, model->constraint[i].expr, &other) - 1; /* its slope acts as a force */
    if (own < least && other != RATTLE_EXPR_NONE) least = own, seam = other;
  }
  if (size) text[0] = 0;
  if (seam == RATTLE_EXPR_NONE) return -1;
  describe(model, seam, least, text, size);
  return least < 0 ? 0 : least + 1;
}
