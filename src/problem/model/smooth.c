/* The least smooth operation of a model, in words. */
#include <stdio.h>

#include "ground/expr/pieces.h"
#include "problem/model/model.h"

/* "abs(x - 1) has a kink where x - 1 = 0" */
static void describe(const rattle_model *model, rattle_expr seam, int smooth, char *text,
                     size_t size) {
  char whole[160], part[160];
  const rattle_graph *g = model->graph;
  void *context = (void *)(uintptr_t)model;
  const rattle_op op = rattle_expr_op(g, seam);
  rattle_expr_print(g, seam, rattle__model_variable_name, context, whole, sizeof whole);
  rattle_expr_print(g, rattle_expr_operand(g, seam, 0), rattle__model_variable_name, context, part,
                    sizeof part);
  if (smooth == 2 && op != RATTLE_OP_POWI)
    snprintf(text, size, "a table has two continuous derivatives at its knots");
  else if (smooth > 0)
    snprintf(text, size, "%s has %d continuous derivative%s", whole, smooth,
             smooth == 1 ? "" : "s");
  else if (op == RATTLE_OP_ABS)
    snprintf(text, size, "%s has a kink where %s = 0", whole, part);
  else if (smooth == 0)
    snprintf(text, size, "%s has a kink where both are equal", whole);
  else if (op == RATTLE_OP_ATAN2) /* wrap(x, L) */
    snprintf(text, size, "what is made of %s, as by wrap, may jump half a period from its zeros",
             whole);
  else if (op == RATTLE_OP_WHEN)
    snprintf(text, size, "what is chosen where %s > 0 may jump there", part);
  else
    snprintf(text, size, "%s jumps", whole);
}

typedef struct seam {
  const rattle_graph *graph;
  rattle_expr at;
  int smooth,
      left; /* continuous derivatives of the operation there; of an H that would leave the same
               order */
} seam;

/* An expression counts as rough as an H with `more` more derivatives. */
static void try_expression(seam *s, rattle_expr e, int more) {
  rattle_expr at = RATTLE_EXPR_NONE;
  const int smooth = rattle__least_smooth(s->graph, e, &at);
  if (at != RATTLE_EXPR_NONE && smooth + more < s->left)
    *s = (seam){.graph = s->graph, .at = at, .smooth = smooth, .left = smooth + more};
}

int rattle_model_order_left(const rattle_model *model, char *text, size_t size) {
  seam s = {.graph = model->graph, .at = RATTLE_EXPR_NONE, .left = RATTLE__SMOOTH + 2};
  try_expression(&s, model->hamiltonian, 0);
  for (int i = 0; i < model->m; i++)
    try_expression(&s, model->constraint[i].expr,
                   -1); /* its slope acts as a force, and its bend counts */
  for (int i = 0; i < model->applieds; i++) try_expression(&s, model->applied[i].expr, 1);
  if (size) text[0] = 0;
  if (s.at == RATTLE_EXPR_NONE) return -1;
  describe(model, s.at, s.smooth, text, size);
  return s.left < 0 ? 0 : s.left + 1;
}
