/* Constraints with their gradients. */
#include <stdlib.h>
#include <string.h>

#include "problem/dirac/dirac.h"
#include "ground/expr/derivative.h"
#include "ground/expr/graph.h"
#include "ground/support/error.h"

rattle_status rattle__chi_gradient(rattle__dirac *d, rattle__chi *chi, rattle_error *error) {
  size_t vars = (size_t)d->vars;
  int32_t *variable = malloc(vars * sizeof *variable);
  chi->d = rattle__arena_take(&d->arena, vars * sizeof *chi->d);
  chi->at = rattle__arena_take(&d->arena, vars * sizeof *chi->at);
  rattle_status status = variable && chi->d && chi->at ? RATTLE_OK : RATTLE_NO_MEMORY;
  for (size_t k = 0; k < vars && !status; k++) variable[k] = (int32_t)k;
  if (!status) status = rattle__gradient(d->graph, chi->e, variable, d->vars, chi->d);
  for (int k = 0; k < d->vars && !status; k++)
    if (!rattle__is_constant(d->graph, chi->d[k]) || rattle__value(d->graph, chi->d[k]) != 0)
      chi->at[chi->nnz++] = k;
  free(variable);
  return status ? rattle__no_memory(error) : RATTLE_OK;
}

rattle_status rattle__add_chi(rattle__dirac *d, rattle_expr e, int level, int origin,
                              const char *name, rattle_error *error) {
  if (d->count == d->room) {
    int room = 2 * d->room + 16;
    rattle__chi *larger = realloc(d->chi, (size_t)room * sizeof *larger);
    if (!larger) return rattle__no_memory(error);
    d->chi = larger;
    d->room = room;
  }
  rattle__chi chi = {.e = e,
                     .level = level,
                     .origin = origin,
                     .name = rattle__pool_copy(&d->pool, name, strlen(name))};
  if (!chi.name || !e) return rattle__no_memory(error);
  rattle_status status = rattle__chi_gradient(d, &chi, error);
  if (!status) d->chi[d->count++] = chi;
  return status;
}
