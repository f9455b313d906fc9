/* Parameters that remain symbols: their values, and what follows from them besides expressions. */
#include <math.h>
#include <string.h>

#include "ground/expr/inputs.h"
#include "problem/model/model.h"
#include "ground/support/error.h"

rattle_status rattle__model_add_input(rattle_model *model, rattle__model_input input,
                                      rattle_error *error) {
  if (!input.e) return rattle__no_memory(error);
  rattle__model_input *grown =
      rattle__room(model->input, model->inputs, &model->inputs_room, sizeof *grown);
  if (!grown) return rattle__no_memory(error);
  model->input = grown;
  grown[model->inputs++] = input;
  return RATTLE_OK;
}

int rattle__model_start_is_input(const rattle_model *model, int which) {
  for (int i = 0; i < model->inputs; i++)
    if (model->input[i].kind == RATTLE__INPUT_START && model->input[i].which == which) return 1;
  return 0;
}

static rattle_status set_one(rattle_model *model, const rattle_parameter *given,
                             rattle_error *error) {
  for (int i = 0; i < model->inputs; i++) {
    const rattle__model_input *input = &model->input[i];
    if (input->kind != RATTLE__INPUT_PARAMETER ||
        strcmp(model->parameter[input->which].name, given->name) != 0)
      continue;
    if (!isfinite(given->value))
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, given->name,
                          "the parameter \"%s\" is %g: give a finite value", given->name,
                          given->value);
    model->parameter[input->which].value = given->value;
    rattle__input_set(model->graph, input->e, given->value);
    return RATTLE_OK;
  }
  return rattle__fail(
      error, RATTLE_BAD_ARGUMENT, given->name,
      "the parameter \"%s\" is no input of the model: read it with `inputs`, or anew", given->name);
}

rattle_status rattle__model_set_inputs(rattle_model *model, const rattle_parameter *parameters,
                                       int count, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  for (int i = 0; i < count && !status; i++) status = set_one(model, &parameters[i], error);
  if (status) return status;
  int good = rattle__inputs_update(model->graph);
  for (int i = 0; i < model->inputs && good; i++) {
    const rattle__model_input *input = &model->input[i];
    const double value = rattle_expr_value(model->graph, input->e);
    rattle__pair *pair = &model->pair[input->kind == RATTLE__INPUT_START ? input->which / 2 : 0];
    if (input->kind == RATTLE__INPUT_MASS) good = value > 0;
    if (input->kind == RATTLE__INPUT_VELOCITY) model->pair[input->which].velocity = value;
    if (input->kind == RATTLE__INPUT_START) *(input->which % 2 ? &pair->p : &pair->q) = value;
  }
  return good ? RATTLE_OK
              : rattle__fail(error, RATTLE_UNSUITABLE, "parameters",
                             "the model is another one for these values: read it anew");
}
