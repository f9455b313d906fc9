/* The expressions of a model, for those who write them out (rattle export). */
#include "problem/model/model.h"

rattle_expr rattle_model_hamiltonian(const rattle_model *model) {
  return model->hamiltonian;
}

rattle_expr rattle_model_constraint_expr(const rattle_model *model, int constraint) {
  return constraint >= 0 && constraint < model->m ? model->constraint[constraint].expr
                                                  : RATTLE_EXPR_NONE;
}
