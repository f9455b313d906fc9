/* Gradients at two points of a step. See end_gradients.h.
 *
 * Symbols  C_ij = -psi_i'(z0) X_{g_j}(z1); for g(q) that is G(q0) H_pp(z0) G(q1)^T
 * Cost     N at z1, which the next step begins with, and the factors of C */
#include "constraint/guard/end_gradients.h"

#include <string.h>

#include "problem/functions/probe.h"
#include "ground/support/error.h"

rattle_status rattle__end_gradients_create(rattle__end_gradients **ends, rattle__context *context,
                                           rattle_error *error) {
  rattle__arena *arena = &context->arena;
  rattle__end_gradients *j = *ends = rattle__arena_take(arena, sizeof *j);
  const rattle_status status = rattle__context_probe(context, error);
  if (status || !j) return status ? status : rattle__no_memory(error);
  const rattle__bracket *bracket = context->probe->bracket;
  *j = (rattle__end_gradients){.context = context};
  if (!bracket) return RATTLE_OK;
  j->A = rattle__arena_doubles(arena, (size_t)bracket->nnz);
  if (!j->A) return rattle__no_memory(error);
  const rattle__coupling *pattern = bracket->coupling;
  return rattle__linear_create(&j->C, bracket->m, pattern->ptr, pattern->col, 0,
                               RATTLE__LINEAR_AUTO, error);
}

void rattle__end_gradients_destroy(rattle__end_gradients *j) {
  if (j) rattle__linear_destroy(&j->C);
}

void rattle__end_gradients_begin(rattle__end_gradients *j, const double *z) {
  rattle__probe *probe = j->context->probe;
  if (!j->C) return;
  const int side = rattle__probe_side(probe, z, z + probe->n);
  j->side = probe->m % 2 ? -side : side;
  if (side) memcpy(j->A, probe->bracket->A, (size_t)probe->bracket->nnz * sizeof(double));
}

int rattle__end_gradients_agree(rattle__end_gradients *j, const double *z) {
  rattle__probe *probe = j->context->probe;
  rattle__linear *N;
  if (!j->C || !j->side) return 1;
  rattle__probe_place(probe, z, z + probe->n);
  if (rattle__probe_matrix(probe, &N, NULL)) return 0;
  rattle__coupling_assemble(probe->bracket->coupling, j->A, probe->bracket->B, j->C->value);
  return !j->C->factor(j->C) && j->C->sign(j->C) == j->side;
}
