/* What the maps of an integrator share: the probe for first guesses, and failures as errors. */

#include "map/map.h"

#include <math.h>

#include "core/probe.h"

double *rattle__context_memory(rattle__context *context, int count) {
  const int most = (int)(sizeof context->memory / sizeof *context->memory);
  double *array = context->memories < most ? rattle__arena_doubles(&context->arena, (size_t)count) : NULL;
  if (array)
    context->memory[context->memories++] = (struct rattle__memory){array, count};
  else
    context->arena.failed = 1;
  return array;
}

rattle_status rattle__context_probe(rattle__context *context, rattle_error *error) {
  if (context->probe) return RATTLE_OK;
  return rattle__probe_create(&context->probe, context->problem, RATTLE__PROBE_MULTIPLIERS, error);
}

rattle_status rattle__multiplier_error(const rattle_problem *problem, rattle_status status, int worst, int iterations,
                                       double residual, const double *z, rattle_error *error) {
  if (!(residual < 1e300) && rattle__domain_error(problem, z, error) == RATTLE_DOMAIN) return RATTLE_DOMAIN;
  const char *name = rattle_problem_constraint_name(problem, worst);
  if (!name) name = "?";
  if (status == RATTLE_SINGULAR)
    rattle__fail(
        error, status, name,
        "the equations for the multipliers are singular at constraint '%s': the motion came to a degenerate point, or the "
        "constraints are dependent there",
        name);
  else
    rattle__fail(
        error, status, name,
        "the multiplier of constraint '%s' was not found in %d iterations (residual %.3g times round-off): use a smaller step",
        name, iterations, residual);
  if (error) {
    error->constraint = worst;
    error->iterations = iterations;
    error->residual = residual;
  }
  return status;
}

void rattle__slope_round_off(const rattle_problem *problem, const double *S, const double *z, double weight, double *unit) {
  const rattle__function *H = problem->H;
  int n = problem->n;
  for (int r = 0; r < 2 * n; r++) {
    double sum = 0;
    for (int e = H->hess_ptr[r]; e < H->hess_ptr[r + 1]; e++) sum += fabs(S[e] * z[H->hess_col[e]]);
    unit[r < n ? n + r : r - n] += fabs(weight) * sum;
  }
}
