/* Forces that are no gradient: one expression for each pair on which they act. */
#include <string.h>

#include "ground/support/error.h"
#include "problem/model/model.h"

rattle_status rattle_model_add_force(rattle_model *model, int pair, rattle_expr e,
                                     rattle_error *error) {
  if (pair < 0 || pair >= model->n)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "force",
                        "a force acts on pair %d, and the model has %d", pair, model->n);
  if (model->pair[pair].is_free)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "force",
                        "\"%s\" is free: it has no momentum for a force to act on",
                        model->pair[pair].name);
  const rattle_status status =
      rattle__model_check_expression(model, "the force on", model->pair[pair].name, e, error);
  if (status) return status;
  int at = 0;
  while (at < model->applieds && model->applied[at].pair < pair) at++;
  if (at < model->applieds && model->applied[at].pair == pair) {
    const rattle_expr sum =
        rattle_expr_binary(model->graph, RATTLE_OP_ADD, model->applied[at].expr, e);
    if (!sum) return rattle__no_memory(error);
    model->applied[at].expr = sum;
    return RATTLE_OK;
  }
  rattle__applied *grown =
      rattle__room(model->applied, model->applieds, &model->applieds_room, sizeof *grown);
  if (!grown) return rattle__no_memory(error);
  model->applied = grown;
  memmove(grown + at + 1, grown + at, (size_t)(model->applieds++ - at) * sizeof *grown);
  grown[at] = (rattle__applied){pair, e};
  return RATTLE_OK;
}

rattle_expr rattle_model_force(const rattle_model *model, int pair) {
  for (int i = 0; i < model->applieds; i++)
    if (model->applied[i].pair == pair) return model->applied[i].expr;
  return RATTLE_EXPR_NONE;
}
