/* Messages for failed iterations. */
#include "constraint/equation/iterate.h"

rattle_status rattle__not_converged(const rattle_problem *problem, const char *what,
                                    const rattle__course *c, const double *const *z, int points,
                                    rattle_error *error) {
  for (int i = 0; i < points && !(c->residual < 1e300); i++)
    if (rattle__domain_error(problem, z[i], error) == RATTLE_DOMAIN) return RATTLE_DOMAIN;
  const char *name = c->worst >= 0 ? rattle_problem_constraint_name(problem, c->worst) : NULL;
  rattle__fail(error, RATTLE_NOT_CONVERGED, name ? name : what,
               "%s did not converge in %d iterations%s%s%s (residual %.3g times round-off): use a "
               "smaller step",
               what, c->k, name ? ", worst for constraint '" : "", name ? name : "",
               name ? "'" : "", c->residual);
  if (error) {
    error->constraint = c->worst;
    error->iterations = c->k;
    error->residual = c->residual;
  }
  return RATTLE_NOT_CONVERGED;
}

rattle_status rattle__singular_equations(const rattle_problem *problem, const char *what, int blame,
                                         rattle_error *error) {
  const char *name = blame >= 0 ? rattle_problem_constraint_name(problem, blame) : NULL;
  rattle__fail(error, RATTLE_SINGULAR, name ? name : what,
               "%s are singular%s%s%s: the motion reached a degenerate point, or constraints are "
               "dependent there",
               what, name ? " at constraint '" : "", name ? name : "", name ? "'" : "");
  if (error) error->constraint = blame;
  return RATTLE_SINGULAR;
}

rattle_status rattle__not_factored(rattle_status status, const rattle_problem *problem,
                                   const char *what, int blame, rattle_error *error) {
  return status == RATTLE_NO_MEMORY ? rattle__no_memory(error)
                                    : rattle__singular_equations(problem, what, blame, error);
}
