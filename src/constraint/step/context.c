/* The common context of the maps of an integrator: declared memory, the probe for first guesses,
 * and requests to end. */

#include "constraint/step/context.h"

#include "problem/functions/probe.h"
#include "ground/support/flag.h"

double *rattle__context_memory(rattle__context *context, int count) {
  const int most = (int)(sizeof context->memory / sizeof *context->memory);
  double *array =
      context->memories < most ? rattle__arena_doubles(&context->arena, (size_t)count) : NULL;
  if (array)
    context->memory[context->memories++] = (struct rattle__memory){array, count, 0};
  else
    context->arena.failed = 1;
  return array;
}

double *rattle__context_step_count(rattle__context *context) {
  double *array = rattle__context_memory(context, 1);
  if (array) context->memory[context->memories - 1].stays = 1;
  return array;
}

rattle_status rattle__heed(const rattle__context *context, rattle_error *error) {
  if (!rattle__flag_is_set(context->asked.interrupt)) return RATTLE_OK;
  return rattle__fail(error, RATTLE_INTERRUPTED, NULL, "interrupted within a step");
}

rattle_status rattle__context_probe(rattle__context *context, rattle_error *error) {
  if (context->probe) return RATTLE_OK;
  return rattle__probe_create(&context->probe, context->problem, RATTLE__PROBE_MULTIPLIERS, error);
}
