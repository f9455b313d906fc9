/* Which fibre flow a problem has. */
#include "fibre/fibre.h"

#include <stdlib.h>
#include <string.h>

rattle_status rattle__fibre_is_straight(const rattle_problem *problem, int *yes, rattle_error *error) {
  const rattle__function *g = problem->g;
  *yes = !!(problem->flags & (RATTLE_HOLONOMIC | RATTLE_MOMENTUM_G));
  if (*yes) return RATTLE_OK;
  unsigned char *used = calloc((size_t)problem->n, 1);
  if (!used) return rattle__no_memory(error);
  *yes = 1;
  for (int e = 0; e < g->jac_nnz; e++) {
    int pair = g->jac_col[e] % problem->n;
    used[pair] |= g->jac_col[e] < problem->n ? 1 : 2;
    *yes &= used[pair] != 3;
  }
  free(used);
  return RATTLE_OK;
}

rattle_status rattle__fibre_create(rattle__fibre **fibre, rattle__context *context, rattle_error *error) {
  const rattle_problem *problem = context->problem;
  if (problem->fibre) return rattle__fibre_user(fibre, context, error);
  int straight;
  rattle_status status = rattle__fibre_is_straight(problem, &straight, error);
  if (status) return status;
  if (straight) return rattle__fibre_straight(fibre, context, error);
  if (problem->flags & RATTLE_QUADRATIC_G) return rattle__fibre_linear(fibre, context, error);
  return rattle__fibre_numerical(fibre, context, error);
}

rattle__fibre *rattle__fibre_dense(rattle__context *context, const char *name) {
  int n = context->problem->n, m = context->problem->m, nz = 2 * n;
  rattle__fibre *f = rattle__arena_take(&context->arena, sizeof *f);
  int *ptr = rattle__arena_take(&context->arena, ((size_t)m + 1) * sizeof *ptr);
  int *col = rattle__arena_take(&context->arena, (size_t)m * (size_t)nz * sizeof *col);
  if (!f || !ptr || !col) return NULL;
  for (int i = 0; i <= m; i++) ptr[i] = i * nz;
  for (int i = 0; i < m * nz; i++) col[i] = i % nz;
  *f = (rattle__fibre){.name = name, .context = context, .n = n, .m = m, .ptr = ptr, .col = col, .nnz = m * nz};
  return f;
}

void rattle__hamiltonian_field(int n, const double *J, const int *col, int count, double *v) {
  memset(v, 0, 2 * (size_t)n * sizeof *v);
  for (int k = 0; k < count; k++) {
    if (col[k] < n)
      v[n + col[k]] = -J[k];
    else
      v[col[k] - n] = J[k];
  }
}
