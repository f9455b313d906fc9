/* How large the terms are that g and psi are sums of: what round-off in them is measured by.
 *
 * g_i = sum of terms t: sum |t|. psi_i = sum_k dg_i/dq_k H_pk - dg_i/dp_k H_qk: the same of each
 * product of two such sums. */
#include <math.h>

#include "pages/report/remake.h"

enum {
  MOST_CONSTRAINTS = 24,
  FEW_CONSTRAINTS = 3,
  LARGE_GRAPH = 50000,
  MOST_VARIABLES = 64,
  MOST_VISITS = 20000
};

typedef struct term_walk {
  const rattle_graph *graph;
  const double *z; /* by variable of the graph */
  int visits, variables;
  int32_t variable[MOST_VARIABLES];
} term_walk;

static double sum_of_terms(term_walk *w, rattle_expr e) {
  rattle_op op = rattle_expr_op(w->graph, e);
  if (++w->visits > MOST_VISITS) return (double)NAN;
  if (op == RATTLE_OP_NEG) return sum_of_terms(w, rattle_expr_operand(w->graph, e, 0));
  if (op != RATTLE_OP_ADD && op != RATTLE_OP_SUB)
    return fabs(rattle_expr_evaluate(w->graph, e, w->z));
  return sum_of_terms(w, rattle_expr_operand(w->graph, e, 0)) +
         sum_of_terms(w, rattle_expr_operand(w->graph, e, 1));
}

/* The variables in e; those beyond MOST_VARIABLES are omitted. */
static void find_variables(term_walk *w, rattle_expr e) {
  if (e == RATTLE_EXPR_NONE || ++w->visits > MOST_VISITS) return;
  if (rattle_expr_op(w->graph, e) == RATTLE_OP_VARIABLE) {
    int32_t index = rattle_expr_index(w->graph, e);
    for (int i = 0; i < w->variables; i++)
      if (w->variable[i] == index) return;
    if (w->variables < MOST_VARIABLES) w->variable[w->variables++] = index;
    return;
  }
  find_variables(w, rattle_expr_operand(w->graph, e, 0));
  find_variables(w, rattle_expr_operand(w->graph, e, 1));
}

/* For large models the first few must do: each derivative of H walks the whole graph. */
static int constraints_to_see(rattle_model *model) {
  int count = rattle_model_constraints(model), most = MOST_CONSTRAINTS;
  if (rattle_graph_count(rattle_model_graph(model)) > LARGE_GRAPH) most = FEW_CONSTRAINTS;
  return count < most ? count : most;
}

double report_terms_of_g(rattle_model *model, const double *z) {
  double most = 0;
  int count = constraints_to_see(model);
  for (int i = 0; i < count; i++) {
    term_walk w = {.graph = rattle_model_graph(model), .z = z};
    double sum = sum_of_terms(&w, rattle_model_constraint_expr(model, i));
    if (!(sum <= most)) most = sum;
  }
  return count > 0 ? most : (double)NAN;
}

double report_terms_of_psi(rattle_model *model, const double *z) {
  rattle_graph *graph = rattle_model_graph(model);
  rattle_expr H = rattle_model_hamiltonian(model);
  double most = 0;
  int count = constraints_to_see(model);
  for (int i = 0; i < count; i++) {
    rattle_expr g = rattle_model_constraint_expr(model, i);
    term_walk w = {.graph = graph, .z = z};
    double sum = 0;
    find_variables(&w, g);
    for (int v = 0; v < w.variables; v++) {
      /* the conjugate of 2k is 2k + 1 and the other way round */
      rattle_expr of_g = rattle_expr_derivative(graph, g, w.variable[v]),
                  of_H = rattle_expr_derivative(graph, H, w.variable[v] ^ 1);
      sum += sum_of_terms(&w, of_g) * sum_of_terms(&w, of_H);
    }
    if (!(sum <= most)) most = sum;
  }
  return count > 0 ? most : (double)NAN;
}
