/* Which fibre flow a problem has. */
#include "constraint/fibre/fibre.h"

#include <stdlib.h>

rattle_status rattle__fibre_is_straight(const rattle_problem *problem, int *yes,
                                        rattle_error *error) {
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

rattle_status rattle__fibre_create(rattle__fibre **fibre, rattle__context *context,
                                   rattle_error *error) {
  const rattle_problem *problem = context->problem;
  if (problem->fibre) return rattle__fibre_user(fibre, context, error);
  int straight;
  rattle_status status = rattle__fibre_is_straight(problem, &straight, error);
  if (status) return status;
  if (straight) return rattle__fibre_straight(fibre, context, error);
  if (problem->flags & RATTLE_QUADRATIC_G) return rattle__fibre_linear(fibre, context, error);
  return rattle__fibre_numerical(fibre, context, error);
}
