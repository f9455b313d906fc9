/* Jumps in steps: of angles, and at poles of solutions of coordinates without mass. */
#include <stdlib.h>

#include "ground/expr/cuts.h"
#include "ground/expr/poles.h"
#include "ground/support/error.h"
#include "problem/model/model.h"

/* Solutions of coordinates without mass, in root; returns how many. */
static int solutions(const rattle_model *model, int kind, rattle_expr *root) {
  int count = 0;
  for (int i = 0; i < model->observables; i++)
    if (model->observable[i].massless == kind) root[count++] = model->observable[i].expr;
  return count;
}

/* All that angles are sought in, solutions last. */
static int all_roots(const rattle_model *model, rattle_expr *root) {
  rattle_expr *at = root;
  *at++ = model->hamiltonian;
  for (int i = 0; i < model->m; i++) *at++ = model->constraint[i].expr;
  for (int i = 0; i < model->velocity_rows; i++) *at++ = model->velocity_row[i].is.expr;
  for (int i = 0; i < model->applieds; i++) *at++ = model->applied[i].expr;
  for (int i = 0; i < model->turnings; i++) *at++ = model->turning[i].angle;
  at += solutions(model, RATTLE__SOLUTION, at);
  return (int)(at - root);
}

static int add_directions(const rattle_model *model, const rattle__stack *angle,
                          rattle__stack *yx) {
  int there = 1;
  for (size_t i = 0; i < angle->count && there; i++) {
    rattle_expr of[2];
    rattle__direction(model->graph, angle->item[i], of);
    there = of[0] && of[1] && rattle__push(yx, of[0]) && rattle__push(yx, of[1]);
  }
  return there;
}

rattle_status rattle__model_jumps(const rattle_model *model, rattle__stack *angle,
                                  rattle__stack *yx, rattle_error *error) {
  const int most =
      1 + model->m + model->velocity_rows + model->applieds + model->turnings + model->observables;
  rattle_expr *root = malloc((size_t)most * sizeof *root);
  if (!root) return rattle__no_memory(error);
  rattle_status status = RATTLE_OK;
  if (rattle__has_angles(model->graph))
    status = rattle__find_cuts(model->graph, root, all_roots(model, root), angle);
  if (!status && !add_directions(model, angle, yx)) status = RATTLE_NO_MEMORY;
  const int count = solutions(model, RATTLE__SOLUTION, root),
            others = solutions(model, RATTLE__ON_CIRCLE, root + count);
  if (!status && count)
    status = rattle__find_poles(model->graph, root, count, others, (rattle__stack *[]){angle, yx});
  free(root);
  return status ? rattle__no_memory(error) : RATTLE_OK;
}

const char *rattle__model_solution_with(const rattle_model *model, rattle_expr e) {
  const char *name = NULL;
  for (int i = 0; i < model->observables && !name; i++) {
    rattle__walk walk;
    if (model->observable[i].massless != RATTLE__SOLUTION) continue;
    if (!rattle__walk_begin(&walk, model->graph, model->observable[i].expr, rattle__operands) &&
        rattle__place(&walk, e))
      name = model->observable[i].name;
    rattle__walk_end(&walk);
  }
  return name;
}
