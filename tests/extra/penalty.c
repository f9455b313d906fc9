/* penalty(k): springs in place of the constraints. A field in one file.
 *
 * Field  z' = X_H + k sum_i g_i X_{g_i}, that of H + k |g|^2/2 */
#include "maps/field/formula.h"

static rattle_status write(rattle__formula *formula, rattle_error *error) {
  rattle_graph *graph = formula->graph;
  const rattle_expr k = rattle_expr_constant(graph, formula->parameter[0]);
  (void)error;
  for (int c = 0; c < 2 * formula->n; c++) {
    formula->f[c] = rattle__formula_hamiltonian(formula, formula->dH, c);
    for (int i = 0; i < formula->m; i++) {
      const rattle_expr X =
          rattle__formula_hamiltonian(formula, formula->dg + (size_t)i * 2 * (size_t)formula->n, c);
      const rattle_expr spring =
          rattle__multiply(graph, k, rattle__multiply(graph, formula->g[i], X));
      formula->f[c] = rattle__add(graph, formula->f[c], spring);
    }
  }
  return RATTLE_OK;
}

const rattle__field_row rattle__field_penalty = {.write = write};
