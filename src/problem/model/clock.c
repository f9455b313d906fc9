/* Time in models: the pair (t, p_t) of the extended phase space, with p_t in H. */
#include "problem/model/model.h"

#include "ground/support/error.h"

rattle_status rattle_model_time(rattle_model *model, rattle_expr *t, rattle_error *error) {
  int pair = model->clock - 1;
  if (!model->clock) {
    rattle_status status = rattle_model_add_pair(model, "t", "p_t", &pair, error);
    if (!status)
      status = rattle_model_add_hamiltonian(model, rattle_expr_variable(model->graph, 2 * pair + 1),
                                            error);
    if (status) return status;
    model->clock = 1 + pair;
    model->pair[pair].held = 1;
    rattle__model_set_clock(model);
  }
  *t = rattle_expr_variable(model->graph, 2 * pair);
  return *t ? RATTLE_OK : rattle__no_memory(error);
}

int rattle_model_clock(const rattle_model *model) {
  return model->clock - 1;
}

void rattle__model_set_clock(rattle_model *model) {
  if (model->clock) model->pair[model->clock - 1].q = model->wishes.start_time;
}

int rattle__model_has_hamiltonian(const rattle_model *model) {
  const rattle_expr H = model->hamiltonian;
  return H && !(model->clock && rattle_expr_index(model->graph, H) == 2 * model->clock - 1);
}
