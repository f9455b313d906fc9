/* impetus: impetus-striction. The state holds impetuses p* instead of momenta p = p* - G^T u;
 * strictions u are what makes the momenta satisfy psi = 0.
 *
 * Field     z' = X_F at fixed u, F(q,p*) = H(q, p* - G^T u),   0 = G H_p at (q, p* - G^T u)
 * Symbols   G = g_q; linear in u for natural H: G M^-1 G^T u = G M^-1 p*
 * Source    D. J. Dichmann, J. H. Maddocks, J. Nonlinear Sci. 6 (1996) 271; W. M. Seiler, Stable
 *           underlying equations for constrained Hamiltonian systems, equations 22, 25, 30, 32 and
 *           36
 * Claims    the Hamiltonian field of H*(q,p*) = F at its u, for which g is an invariant
 * Needs     g(q)
 * Cost      G, second derivatives of g, and one system with N a value */
#include "ground/support/error.h"
#include "ground/expr/copy.h"
#include "ground/expr/derivative.h"
#include "maps/field/formula.h"

#include <stdlib.h>

/* p_c -> p*_c - sum_j G_jc u_j */
static void write_momenta(rattle__formula *k, int first, rattle_expr *image) {
  for (int c = 0; c < k->n; c++) {
    image[k->n + c] = rattle_expr_variable(k->graph, k->n + c);
    for (int j = 0; j < k->m; j++) {
      const rattle_expr G = k->dg[(size_t)j * 2 * (size_t)k->n + (size_t)c];
      const rattle_expr slide =
          rattle__multiply(k->graph, G, rattle__formula_unknown(k, first + j));
      image[k->n + c] = rattle__subtract(k->graph, image[k->n + c], slide);
    }
  }
}

static rattle_status write(rattle__formula *k, rattle_error *error) {
  const int first = rattle__formula_unknowns(k, k->m);
  rattle_expr *image = calloc(2 * (size_t)k->n, sizeof *image), *dF = k->dH;
  if (!image) return rattle__no_memory(error);
  write_momenta(k, first, image);
  rattle__copy copy = rattle__copy_begin(k->graph, k->graph, image, 2 * k->n);
  const rattle_expr F = rattle__copy_of(&copy, k->H);
  int failed = !F;
  for (int i = 0; i < k->m; i++) failed |= !(k->r[first + i] = rattle__copy_of(&copy, k->psi[i]));
  rattle__copy_end(&copy);
  k->momenta = malloc((size_t)k->n * sizeof *k->momenta);
  for (int c = 0; c < k->n && k->momenta; c++) k->momenta[c] = image[k->n + c];
  free(image);
  failed |= !k->momenta;
  if (failed || rattle__gradient(k->graph, F, k->variable, 2 * k->n, dF))
    return rattle__no_memory(error);
  for (int c = 0; c < 2 * k->n; c++) k->f[c] = rattle__formula_hamiltonian(k, dF, c);
  return RATTLE_OK;
}

const rattle__field_row rattle__field_impetus = {
    .write = write, .holonomic = 1, .other_momenta = 1, .hamiltonian = 1};
