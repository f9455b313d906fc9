/* Points of the cotangent bundle T*Q, Q = {g(q) = 0}: p modulo G^T lambda, by one momentum of its
 * fibre.
 *
 * p* = p - G^T lambda,  (G W G^T) lambda = G W p,  W = M^-1 for natural H (p* is then on the hidden
 * manifold), 1 else.
 * p* is the same for all p of a fibre: it does not see whether SHAKE or RATTLE made the point. */
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "problem/functions/probe.h"

struct rattle__cotangent {
  rattle__coupling *coupling;
  rattle__linear *A; /* G W G^T */
  double *scaled;    /* G W [nnz] */
  double *lambda;    /* [m] */
};

void rattle__cotangent_destroy(rattle__cotangent **cotangent) {
  rattle__cotangent *c = *cotangent;
  if (!c) return;
  rattle__coupling_destroy(&c->coupling);
  rattle__linear_destroy(&c->A);
  free(c->scaled);
  free(c->lambda);
  free(c);
  *cotangent = NULL;
}

rattle_status rattle__cotangent_create(rattle__cotangent **cotangent, const rattle_problem *problem,
                                       rattle_error *error) {
  const rattle__function *g = problem->g;
  rattle__cotangent *c = *cotangent = calloc(1, sizeof *c);
  if (!c) return rattle__no_memory(error);
  c->scaled = calloc((size_t)g->jac_nnz + 1, sizeof *c->scaled);
  c->lambda = calloc((size_t)problem->m, sizeof *c->lambda);
  rattle_status status = c->scaled && c->lambda ? RATTLE_OK : rattle__no_memory(error);
  if (!status)
    status = rattle__coupling_create(&c->coupling, problem->m, problem->n, g->jac_ptr, g->jac_col,
                                     error);
  if (!status)
    status = rattle__linear_create(&c->A, problem->m, c->coupling->ptr, c->coupling->col, 1,
                                   RATTLE__LINEAR_AUTO, error);
  if (status) rattle__cotangent_destroy(cotangent);
  return status;
}

rattle_status rattle__cotangent_momenta(rattle__cotangent *c, const rattle_problem *problem,
                                        const double *J, double *p, rattle_error *error) {
  enum { PASSES = 2 }; /* the second one takes away what rounding left */
  const rattle__function *g = problem->g;
  if (problem->mass)
    rattle__mass_scale(problem->mass, g, J, c->scaled);
  else
    memcpy(c->scaled, J, (size_t)g->jac_nnz * sizeof *J);
  rattle__coupling_assemble(c->coupling, J, c->scaled, c->A->value);
  const rattle_status status = c->A->factor(c->A);
  if (status == RATTLE_NO_MEMORY) return rattle__no_memory(error);
  if (status)
    return rattle__fail(error, RATTLE_SINGULAR, "cotangent",
                        "the constraints are dependent here: points of T*Q are not determined");
  for (int k = 0; k < PASSES; k++) {
    for (int i = 0; i < problem->m; i++) {
      c->lambda[i] = 0;
      for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
        c->lambda[i] += c->scaled[e] * p[g->jac_col[e]];
    }
    c->A->solve(c->A, c->lambda);
    for (int i = 0; i < problem->m; i++)
      for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
        p[g->jac_col[e]] -= J[e] * c->lambda[i];
  }
  return RATTLE_OK;
}
