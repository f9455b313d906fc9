/* The answers of a probe for a problem with constraints on velocities (velocity.h): residuals,
 * multipliers and N of all constraints. */
#include "problem/functions/probe.h"

#include <math.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/support/finite.h"
#include "problem/functions/velocity.h"

static rattle_status check_finite(const rattle__probe *s, const double *x, const char *what,
                                  rattle_error *error) {
  if (rattle__all_finite(x, s->reaction->m)) return RATTLE_OK;
  const rattle_status status = rattle__domain_error(s->problem, s->z, error);
  return status ? status
                : rattle__fail(error, RATTLE_DOMAIN, what, "%s: not finite at this point", what);
}

rattle_status rattle__probe_reaction_residuals(rattle__probe *s, double *g, double *psi,
                                               rattle_error *error) {
  rattle__reaction *r = s->reaction;
  const size_t bytes = (size_t)r->m * sizeof *g;
  rattle_status status = rattle__reaction_look(r, s->z, error);
  if (status) return status;
  if (g) memcpy(g, r->g, bytes);
  if (psi) memcpy(psi, r->psi, bytes);
  status = check_finite(s, r->g, "constraints", error);
  return status ? status : check_finite(s, r->psi, "constraints", error);
}

rattle_status rattle__probe_reaction_multipliers(rattle__probe *s, double *multipliers,
                                                 rattle_error *error) {
  rattle__reaction *r = s->reaction;
  const rattle_status status = rattle__reaction_multipliers(r, s->z, error);
  if (status) return status;
  if (multipliers) memcpy(multipliers, r->lambda, (size_t)r->m * sizeof *multipliers);
  return check_finite(s, r->lambda, "multipliers", error);
}

rattle_status rattle__probe_reaction_nondegeneracy(rattle__probe *s, double *smallest,
                                                   double *condition, rattle_error *error) {
  rattle__reaction *r = s->reaction;
  double least, ratio;
  rattle_status status = rattle__reaction_look(r, s->z, error);
  if (!status) status = rattle__reaction_matrix(r, s->z, error);
  if (!status) status = rattle__linear_condition(r->N, &least, &ratio, error);
  if (status) return status;
  if (smallest) *smallest = least;
  if (condition) *condition = ratio;
  return RATTLE_OK;
}

rattle_status rattle__probe_reaction_field(rattle__probe *s, double *zdot, int reacts,
                                           rattle_error *error) {
  rattle__reaction *r = s->reaction;
  const size_t n = (size_t)s->n;
  const rattle__function *H = s->problem->H;
  const rattle_status status = reacts ? rattle__reaction_multipliers(r, s->z, error) : RATTLE_OK;
  const int answer = status ? 0 : H->jacobian(H, s->z, NULL, s->y, s->work);
  if (status || answer)
    return status ? status : rattle__callback_error(answer, "Hamiltonian", error);
  memcpy(zdot, s->y + n, n * sizeof *zdot);
  for (size_t k = 0; k < n; k++) zdot[n + k] = -s->y[k];
  for (int i = 0; i < r->m && reacts; i++)
    for (size_t k = 0; k < n; k++) zdot[n + k] -= r->C[(size_t)i * n + k] * r->lambda[i];
  return RATTLE_OK;
}
