/* The common context of the maps of an integrator: declared memory, the probe for first guesses,
 * and requests to end. */

#include "constraint/step/context.h"

#include <string.h>

#include "constraint/fibre/fibre.h"
#include "constraint/guard/rules/rules.h"
#include "problem/functions/probe.h"
#include "ground/support/flag.h"

double *rattle__context_memory(rattle__context *context, int count) {
  const int most = (int)(sizeof context->memory / sizeof *context->memory);
  double *array =
      context->memories < most ? rattle__arena_doubles(&context->arena, (size_t)count) : NULL;
  if (array)
    context->memory[context->memories++] = (struct rattle__memory){array, count};
  else
    context->arena.failed = 1;
  return array;
}

static const long long allowed =
    (long long)RATTLE__BUDGET * RATTLE__FIBRE_STAGES * RATTLE__FIBRE_SWEEPS;

void rattle__context_begin(rattle__context *context) {
  context->allowance = allowed;
  context->virial = 0;
  if (context->impulse)
    memset(context->impulse, 0, (size_t)context->problem->n * sizeof *context->impulse);
}

rattle_status rattle__spend(rattle__context *context, long long evaluations, rattle_error *error) {
  if (context->allowance > 0) {
    context->allowance -= evaluations;
    if (context->allowance <= 0) context->allowance = -1;
  }
  if (context->allowance >= 0) return RATTLE_OK;
  return rattle__fail(error, RATTLE_NOT_CONVERGED, "fibre",
                      "step too long: it took all of the %lld evaluations along fibres that a step "
                      "may take; use a smaller step, or a fibre of the model's own",
                      allowed);
}

rattle_status rattle__heed(const rattle__context *context, rattle_error *error) {
  if (!rattle__flag_is_set(context->asked.interrupt)) return RATTLE_OK;
  return rattle__fail(error, RATTLE_INTERRUPTED, NULL, "interrupted within a step");
}

rattle_status rattle__context_probe(rattle__context *context, rattle_error *error) {
  if (context->probe) return RATTLE_OK;
  return rattle__probe_create(&context->probe, context->problem, RATTLE__PROBE_MULTIPLIERS, error);
}
