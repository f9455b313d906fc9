/* Which coordinates have no mass (massless.h). */
#include <stdlib.h>

#include "ground/expr/graph.h"
#include "ground/support/error.h"
#include "problem/model/massless.h"

rattle_status rattle__mark_model(const rattle_model *model, unsigned char *in_H,
                                 unsigned char *in_g, rattle_error *error) {
  rattle_status status = rattle__mark_variables(model, model->hamiltonian, in_H, error);
  for (int i = 0; i < model->m && !status; i++) {
    int own = 0;
    if (rattle_expr_op(model->graph, model->constraint[i].expr) == RATTLE_OP_VARIABLE) {
      const int v = rattle_expr_index(model->graph, model->constraint[i].expr);
      own = v % 2 && v < 2 * model->n && model->pair[v / 2].is_free;
    }
    if (!own) status = rattle__mark_variables(model, model->constraint[i].expr, in_g, error);
  }
  for (int i = 0; i < model->velocity_rows && !status; i++)
    status = rattle__mark_variables(model, model->velocity_row[i].is.expr, in_g, error);
  return status;
}

int rattle__is_massless(const rattle_model *model, int k, const unsigned char *in_H,
                        const unsigned char *in_g) {
  return k + 1 != model->clock && !rattle__model_is_reference(model, k) && !in_H[2 * k + 1] &&
         !in_g[2 * k + 1];
}

int rattle__is_driven(const rattle_model *model, int k) {
  int driven = model->pair[k].velocity_name != NULL;
  for (int i = 0; i < model->applieds; i++) driven |= model->applied[i].pair == k;
  return driven;
}

rattle_status rattle__model_massless(const rattle_model *model, unsigned char *mark,
                                     rattle_error *error) {
  unsigned char *in_H = calloc(4 * (size_t)model->n, 1), *in_g = in_H + 2 * model->n;
  const rattle_status status =
      in_H ? rattle__mark_model(model, in_H, in_g, error) : rattle__no_memory(error);
  for (int k = 0; k < model->n && !status; k++)
    mark[k] = rattle__is_massless(model, k, in_H, in_g) && (in_H[2 * k] || in_g[2 * k]) &&
              !rattle__is_driven(model, k) && model->pair[k].p == 0;
  free(in_H);
  return status;
}

int rattle__model_find_nailed(const rattle_model *model) {
  unsigned char *in_H = calloc(4 * (size_t)model->n, 1), *in_g = in_H + 2 * model->n;
  int found = -1;
  if (!in_H || rattle__mark_model(model, in_H, in_g, NULL)) found = -2;
  for (int k = 0; k < model->n && found == -1; k++)
    if (!model->pair[k].is_free && rattle__is_massless(model, k, in_H, in_g) &&
        (in_H[2 * k] || in_g[2 * k] || model->pair[k].velocity_name))
      found = k;
  free(in_H);
  return found;
}

int rattle__jumps_with(const rattle_graph *graph, rattle_expr e, int variable) {
  rattle__walk walk;
  if (rattle__walk_begin(&walk, graph, e, rattle__operands)) return rattle__walk_end(&walk), 1;
  unsigned char *has = calloc(walk.count, 1);
  int jumps = !has;
  for (size_t i = 0; i < walk.count && !jumps; i++) {
    rattle_expr child[2];
    const rattle_op op = rattle__op(graph, walk.node[i]);
    const int count = rattle__operands(graph, walk.node[i], child);
    for (int k = 0; k < count; k++) has[i] |= has[rattle__place(&walk, child[k]) - 1];
    if (op == RATTLE_OP_VARIABLE) has[i] = rattle_expr_index(graph, walk.node[i]) == variable;
    jumps = has[i] && (op == RATTLE_OP_SIGN || op == RATTLE_OP_LT || op == RATTLE_OP_WHEN ||
                       op == RATTLE_OP_HELD);
  }
  free(has);
  rattle__walk_end(&walk);
  return jumps;
}
