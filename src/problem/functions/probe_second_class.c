/* Probes of second-class constraints g = (phi, psi): C_ij = {g_i,g_j} takes the place of N, lambda
 * comes from {g,H} + C lambda = 0, and the constraints psi take the place of the hidden ones, since
 * there are none. */
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "problem/functions/probe.h"
#include "problem/functions/split.h"

rattle_status rattle__bracket_create_second_class(rattle__bracket **bracket,
                                                  const rattle_problem *problem,
                                                  rattle_error *error) {
  int m = problem->m;
  rattle__bracket *b = *bracket = calloc(1, sizeof *b);
  int *ptr = malloc(((size_t)m + 1 + (size_t)m * (size_t)m) * sizeof *ptr);
  rattle_status status = b && ptr ? RATTLE_OK : rattle__no_memory(error);
  if (!status) {
    int *col = ptr + m + 1;
    for (int i = 0; i <= m; i++) ptr[i] = i * m;
    for (int i = 0; i < m * m; i++) col[i] = i % m;
    b->m = m;
    status = rattle__linear_create(&b->N, m, ptr, col, 0, RATTLE__LINEAR_DENSE, error);
  }
  free(ptr);
  if (status) rattle__bracket_destroy(bracket);
  return status;
}

/* C from g' and the scratch X [2n], which becomes X_{g_j} in turn */
void rattle__probe_fill_second_class(rattle__probe *s, double *X) {
  const rattle__function *g = s->problem->g;
  for (int j = 0; j < s->m; j++) {
    memset(X, 0, 2 * (size_t)s->n * sizeof *X);
    for (int e = g->jac_ptr[j]; e < g->jac_ptr[j + 1]; e++)
      X[s->other[e]] = g->jac_col[e] < s->n ? -s->J[e] : s->J[e];
    for (int i = 0; i < s->m; i++) {
      double sum = 0;
      for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) sum += s->J[e] * X[g->jac_col[e]];
      s->bracket->N->value[i * s->m + j] = sum;
    }
  }
}

void rattle__probe_other_half(const rattle__probe *s, double *psi) {
  const rattle__halves *halves = s->problem->split;
  memset(psi, 0, (size_t)s->m * sizeof *psi);
  for (int l = 0; l < halves->k; l++) psi[halves->psi[l]] = s->g[halves->psi[l]];
}
