/* Parameters that remain symbols become coordinates that nothing moves: pairs whose momenta are in
 * no expression. Derivatives by them are then derivatives by coordinates. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ground/expr/copy.h"
#include "ground/expr/inputs.h"
#include "ground/support/error.h"
#include "problem/model/massless.h"
#include "problem/model/model.h"

static rattle_expr parameter_input(const rattle_model *model, const char *name) {
  for (int i = 0; i < model->inputs; i++) {
    const rattle__model_input *input = &model->input[i];
    if (input->kind == RATTLE__INPUT_PARAMETER &&
        !strcmp(model->parameter[input->which].name, name))
      return input->e;
  }
  return RATTLE_EXPR_NONE;
}

static rattle_status add_pair(rattle_model *model, const char *name, double value,
                              rattle_error *error) {
  char coordinate[300], momentum[300];
  int k;
  snprintf(coordinate, sizeof coordinate, "parameter:%s", name);
  snprintf(momentum, sizeof momentum, "momentum:%s", name);
  const rattle_status status = rattle_model_add_pair(model, coordinate, momentum, &k, error);
  if (!status) model->pair[k].q = value, model->pair[k].has_start = model->pair[k].held = 1;
  return status;
}

static rattle_status rewrite(rattle_model *model, rattle__copy *copy, const rattle_expr *made,
                             const rattle_expr *image, int count, rattle_error *error) {
  if (!rattle__inputs_become(model->graph, copy, made, image, count))
    return rattle__no_memory(error);
  for (int i = 0; i < model->inputs; i++) {
    rattle_expr *e = &model->input[i].e;
    *e = rattle__copy_of(copy, *e);
    if (!*e) return rattle__no_memory(error);
  }
  return rattle__model_rewrite(model, copy, error);
}

rattle_status rattle__model_parameters_to_pairs(rattle_model *model, const char *const *name,
                                                int count, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  if (model->fibre || model->flow || model->forces)
    return rattle__fail(error, RATTLE_UNSUITABLE, NULL,
                        "parameters of models with forces between all pairs of beads, or with "
                        "flows of their own, cannot be coordinates");
  rattle_expr *made = calloc(2 * (size_t)count + 1, sizeof *made), *image = made + count;
  if (!made) return rattle__no_memory(error);
  for (int j = 0; j < count && !status; j++) {
    made[j] = parameter_input(model, name[j]);
    image[j] = rattle_expr_variable(model->graph, 2 * model->n);
    status = made[j] ? add_pair(model, name[j], rattle_expr_value(model->graph, made[j]), error)
                     : rattle__fail(error, RATTLE_UNSUITABLE, name[j],
                                    "the parameter \"%s\" is no symbol of the model", name[j]);
  }
  rattle__copy copy = rattle__copy_begin(model->graph, model->graph, NULL, 0);
  if (!status) status = rewrite(model, &copy, made, image, count, error);
  rattle__copy_end(&copy);
  rattle__inputs_forget(model->graph);
  free(made);
  return status;
}
