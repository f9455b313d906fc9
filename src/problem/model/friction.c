/* Forces that jump where a momentum, or an expression of momenta, is 0: dry friction. */
#include <stdio.h>
#include <string.h>

#include "ground/expr/graph.h"
#include "ground/expr/pieces.h"
#include "ground/expr/walk.h"
#include "problem/model/model.h"

/* The expression that decides at a seam: u = a - b, or a; conditions may be negated. */
static void decide(const rattle_graph *g, rattle_expr seam, rattle__friction *f) {
  rattle_expr at = seam;
  if (rattle__op(g, at) == RATTLE_OP_WHEN) at = rattle__first(g, at);
  while (rattle__op(g, at) == RATTLE_OP_SUB && rattle__is_condition(g, at))
    at = rattle__second(g, at);
  const int compares = rattle__op(g, at) == RATTLE_OP_LT;
  f->a = rattle__quotient_of_sign(g, seam);
  if (f->a) return;
  f->a = compares || at == seam ? rattle__first(g, at) : at;
  f->b = compares ? rattle__second(g, at) : RATTLE_EXPR_NONE;
}

static int has_momenta(const rattle_graph *g, rattle_expr e) {
  rattle__walk walk;
  int found = 0;
  if (e == RATTLE_EXPR_NONE) return 0;
  if (!rattle__walk_begin(&walk, g, e, rattle__operands))
    for (size_t i = 0; i < walk.count && !found; i++)
      found = rattle__op(g, walk.node[i]) == RATTLE_OP_VARIABLE &&
              rattle_expr_index(g, walk.node[i]) % 2;
  rattle__walk_end(&walk);
  return found;
}

int rattle__model_friction(const rattle_model *model, int force, rattle__friction *f) {
  const rattle_graph *g = model->graph;
  *f = (rattle__friction){.pair = model->applied[force].pair};
  if (rattle__least_smooth(g, &model->applied[force].expr, 1, &f->seam) > 0 || !f->seam) return 0;
  const rattle_op op = rattle__op(g, f->seam);
  if (op != RATTLE_OP_SIGN && op != RATTLE_OP_LT && op != RATTLE_OP_WHEN && op != RATTLE_OP_ABS &&
      op != RATTLE_OP_DIV)
    return 0;
  decide(g, f->seam, f);
  return has_momenta(g, f->a) || has_momenta(g, f->b);
}

double rattle__friction_side(const rattle_model *model, const rattle__friction *f,
                             const double *values) {
  const double a = rattle_expr_evaluate(model->graph, f->a, values);
  return f->b ? a - rattle_expr_evaluate(model->graph, f->b, values) : a;
}

void rattle__friction_name(const rattle_model *model, const rattle__friction *f, char *text,
                           size_t size) {
  void *context = (void *)(uintptr_t)model;
  rattle_expr_print(model->graph, f->a, rattle__model_variable_name, context, text, size);
  if (!f->b) return;
  const size_t length = strlen(text);
  const int zero =
      rattle__is_constant(model->graph, f->b) && rattle__value(model->graph, f->b) == 0;
  if (zero || length + 4 >= size) return;
  snprintf(text + length, size - length, " - ");
  rattle_expr_print(model->graph, f->b, rattle__model_variable_name, context, text + length + 3,
                    size - length - 3);
}
