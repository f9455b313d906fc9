/* total: the Hamiltonian equations of the total Hamiltonian, whose multipliers are functions on
 * phase space.
 *
 * Field     z' = X_{H_t},  H_t = H + sum_i mu_i(z) g_i,   N' mu = -{psi,H},  N'_ij = {psi_i,g_j}
 *           found without derivatives of mu: with R = {psi,H} + N' u at u = mu and N'^T v = g, the
 *           gradient of H_t is that of H + u.g - v.R at fixed u and v
 * Source    P. A. M. Dirac, Canad. J. Math. 2 (1950) 129; W. M. Seiler, Stable underlying equations
 *           for constrained Hamiltonian systems, equations 9 and 17
 * Claims    a Hamiltonian field: symplectic maps for it are symplectic
 * Cost      third derivatives of H and g, and two systems with N a value */
#include "ground/support/error.h"
#include "ground/expr/derivative.h"
#include "maps/field/formula.h"

static rattle_status write(rattle__formula *k, rattle_error *error) {
  rattle_graph *graph = k->graph;
  const size_t nz = 2 * (size_t)k->n;
  const int u = rattle__formula_unknowns(k, k->m), v = rattle__formula_unknowns(k, k->m);
  rattle_expr L = k->H;
  for (int j = 0; j < k->m; j++) {
    k->r[v + j] = rattle_expr_unary(graph, RATTLE_OP_NEG, k->g[j]);
    L = rattle__add(graph, L, rattle__multiply(graph, rattle__formula_unknown(k, u + j), k->g[j]));
  }
  for (int i = 0; i < k->m; i++) {
    rattle_expr R = rattle__formula_bracket(k, k->dpsi + (size_t)i * nz, k->dH);
    const rattle_expr v_i = rattle__formula_unknown(k, v + i);
    for (int j = 0; j < k->m; j++) {
      const rattle_expr N =
          rattle__formula_bracket(k, k->dpsi + (size_t)i * nz, k->dg + (size_t)j * nz);
      R = rattle__add(graph, R, rattle__multiply(graph, N, rattle__formula_unknown(k, u + j)));
      k->r[v + j] = rattle__add(graph, k->r[v + j], rattle__multiply(graph, N, v_i));
    }
    k->r[u + i] = R;
    L = rattle__subtract(graph, L, rattle__multiply(graph, v_i, R));
  }
  rattle_expr *dL = k->dH; /* not needed any more */
  if (rattle__gradient(graph, L, k->variable, (int)nz, dL)) return rattle__no_memory(error);
  for (int c = 0; c < (int)nz; c++) k->f[c] = rattle__formula_hamiltonian(k, dL, c);
  return RATTLE_OK;
}

const rattle__field_row rattle__field_total = {.write = write, .hamiltonian = 1};
