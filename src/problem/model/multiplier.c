/* Multipliers as quantities: the symbols that stand for them in what is observed, in events and in
 * drawings, and what they stand for in a problem.
 *
 * A symbol belongs to a name, since constraints lose their places where others are omitted or
 * eliminated. The multipliers of these are observed as "lambda[NAME]", or are coordinates of that
 * name (massless_balance.c). */
#include <string.h>

#include "ground/expr/copy.h"
#include "ground/support/error.h"
#include "ground/support/nearest.h"
#include "ground/support/number.h"
#include "problem/model/model.h"

static int find_symbol(const rattle_model *model, const char *name) {
  for (int k = 0; k < model->multipliers; k++)
    if (!strcmp(model->multiplier[k].constraint, name)) return k;
  return -1;
}

static rattle_status no_constraint(const rattle_model *model, const char *name,
                                   rattle_error *error) {
  rattle__nearest near = {.name = name};
  for (int i = 0; i < model->m; i++) rattle__nearest_try(&near, model->constraint[i].name);
  for (int i = 0; i < model->velocity_rows; i++)
    rattle__nearest_try(&near, model->velocity_row[i].is.name);
  if (near.best)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                        "there is no constraint \"%s\" whose multiplier could be taken; did you "
                        "mean \"%s\"?",
                        name, near.best);
  return rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                      "there is no constraint \"%s\" whose multiplier could be taken: declare it "
                      "before",
                      name);
}

static rattle_status add_symbol(rattle_model *model, const char *constraint, rattle_error *error) {
  char symbol[300];
  rattle__multiplier *grown =
      rattle__room(model->multiplier, model->multipliers, &model->multipliers_room, sizeof *grown);
  if (!grown) return rattle__no_memory(error);
  model->multiplier = grown;
  rattle__print(symbol, sizeof symbol, "lambda(%s)", constraint);
  rattle__multiplier *new = &grown[model->multipliers];
  *new = (rattle__multiplier){rattle__model_keep(model, constraint),
                              rattle__model_keep(model, symbol)};
  if (!new->constraint || !new->symbol) return rattle__no_memory(error);
  model->multipliers++;
  return RATTLE_OK;
}

rattle_status rattle_model_multiplier(rattle_model *model, const char *constraint,
                                      rattle_expr *multiplier, rattle_error *error) {
  if (!constraint || (rattle__model_find_constraint(model, constraint) < 0 &&
                      rattle__model_find_velocity_row(model, constraint) < 0))
    return no_constraint(model, constraint ? constraint : "", error);
  int k = find_symbol(model, constraint);
  const rattle_status status = k < 0 ? add_symbol(model, constraint, error) : RATTLE_OK;
  if (status) return status;
  if (k < 0) k = model->multipliers - 1;
  *multiplier = rattle_expr_variable(model->graph, RATTLE_LAMBDA + k);
  return *multiplier ? RATTLE_OK : rattle__no_memory(error);
}

const rattle__multiplier *rattle__model_multiplier(const rattle_model *model, int32_t variable) {
  const int32_t k = variable - RATTLE_LAMBDA;
  return k >= 0 && k < model->multipliers ? &model->multiplier[k] : NULL;
}

rattle__multiplier_of rattle__model_multiplier_of(const rattle_model *model, int k) {
  const char *name = model->multiplier[k].constraint;
  rattle__multiplier_of of = {-1, -1, -1, -1};
  char gone[512];
  if ((of.constraint = rattle__model_find_constraint(model, name)) >= 0) return of;
  if ((of.velocity_row = rattle__model_find_velocity_row(model, name)) >= 0) return of;
  rattle__print(gone, sizeof gone, "lambda[%s]", name);
  if ((of.coordinate = rattle__model_find_pair(model, gone, NULL)) >= 0) return of;
  for (int i = 0; i < model->observables && of.observable < 0; i++)
    if (!strcmp(model->observable[i].name, gone)) of.observable = i;
  return of;
}

rattle_status rattle__model_place_multipliers(rattle_model *model, rattle_expr *root, int count,
                                              int32_t first, rattle_error *error) {
  rattle_graph *graph = model->graph;
  if (!model->multipliers) return RATTLE_OK;
  rattle__copy copy = rattle__copy_begin(graph, graph, NULL, 0);
  int there = 1;
  for (int k = 0; k < model->multipliers && there; k++) {
    const int pair = rattle__model_multiplier_of(model, k).coordinate;
    const rattle_expr own = rattle_expr_variable(graph, RATTLE_LAMBDA + k),
                      at = rattle_expr_variable(graph, pair >= 0 ? 2 * pair : first + k);
    there = own && at && rattle__copy_of(&copy, own);
    if (there) copy.known[own] = at;
  }
  for (int i = 0; i < count && there; i++)
    there = (root[i] = rattle__copy_of(&copy, root[i])) != RATTLE_EXPR_NONE;
  rattle__copy_end(&copy);
  return there ? RATTLE_OK : rattle__no_memory(error);
}
