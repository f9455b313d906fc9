/* classical: the equations of motion with their multipliers, and the same with Baumgarte's
 * stabilisation.
 *
 * Field     z' = X_H + sum_j u_j X_{g_j},   {psi_i,H} + sum_j {psi_i,g_j} u_j = -2 a psi_i - a^2
 *           g_i
 * Symbols   psi_i = {g_i,H}; a: 0 for classical, the rate for baumgarte(a), whose g decays as
 *           exp(-a t)
 * Source    W. M. Seiler, Stable underlying equations for constrained Hamiltonian systems, equation
 *           15; J. Baumgarte, Comput. Methods Appl. Mech. Eng. 1 (1972) 1
 * Keeps     psi, so that g grows as psi t: linearly
 * Cost      H'' and one system with N a value */
#include "maps/field/formula.h"

static rattle_status write(rattle__formula *k, rattle_error *error) {
  rattle_graph *graph = k->graph;
  const size_t nz = 2 * (size_t)k->n;
  const double a = k->parameter[0];
  const int first = rattle__formula_unknowns(k, k->m);
  (void)error;
  for (int i = 0; i < k->m; i++) {
    rattle_expr sum = rattle__formula_bracket(k, k->dpsi + (size_t)i * nz, k->dH);
    for (int j = 0; j < k->m; j++) {
      const rattle_expr N =
          rattle__formula_bracket(k, k->dpsi + (size_t)i * nz, k->dg + (size_t)j * nz);
      sum = rattle__add(graph, sum,
                        rattle__multiply(graph, N, rattle__formula_unknown(k, first + j)));
    }
    if (a != 0) {
      const rattle_expr pull =
          rattle__multiply(graph, rattle_expr_constant(graph, 2 * a), k->psi[i]);
      sum = rattle__add(graph, sum, pull);
      sum = rattle__add(graph, sum,
                        rattle__multiply(graph, rattle_expr_constant(graph, a * a), k->g[i]));
    }
    k->r[first + i] = sum;
  }
  for (int c = 0; c < 2 * k->n; c++) {
    k->f[c] = rattle__formula_hamiltonian(k, k->dH, c);
    for (int j = 0; j < k->m; j++) {
      const rattle_expr X = rattle__formula_hamiltonian(k, k->dg + (size_t)j * nz, c);
      k->f[c] = rattle__add(graph, k->f[c],
                            rattle__multiply(graph, rattle__formula_unknown(k, first + j), X));
    }
  }
  return RATTLE_OK;
}

const rattle__field_row rattle__field_classical = {.write = write},
                        rattle__field_baumgarte = {.write = write};
