/* The least smooth operation of a model, in words. */
#include <stdio.h>
#include <stdlib.h>

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

/* These expressions count as rough as an H with `more` more derivatives. */
static void try_expressions(seam *s, const rattle_expr *e, int count, int more) {
  rattle_expr at = RATTLE_EXPR_NONE;
  const int smooth = rattle__least_smooth(s->graph, e, count, &at);
  if (at != RATTLE_EXPR_NONE && smooth + more < s->left)
    *s = (seam){.graph = s->graph, .at = at, .smooth = smooth, .left = smooth + more};
}

int rattle_model_order_left(const rattle_model *model, char *text, size_t size) {
  seam s = {.graph = model->graph, .at = RATTLE_EXPR_NONE, .left = RATTLE__SMOOTH + 2};
  const int constraints = model->m, applied = model->applieds,
            forces = applied + model->velocity_rows; /* rows push along their factors */
  rattle_expr *e = malloc(((size_t)constraints + (size_t)forces + 1) * sizeof *e);
  if (size) text[0] = 0;
  if (!e) return -1;
  for (int i = 0; i < constraints; i++) e[constraints - 1 - i] = model->constraint[i].expr;
  for (int i = 0; i < forces; i++)
    e[constraints + forces - 1 - i] =
        i < applied ? model->applied[i].expr : model->velocity_row[i - applied].is.expr;
  try_expressions(&s, &model->hamiltonian, 1, 0);
  try_expressions(&s, e, constraints, -1); /* their slopes act as forces, and their bends count */
  try_expressions(&s, e + constraints, forces, 1);
  free(e);
  if (s.at == RATTLE_EXPR_NONE) return -1;
  describe(model, s.at, s.smooth, text, size);
  return s.left < 0 ? 0 : s.left + 1;
}
