/* See rolling_emitted.h. */
#include "maps/velocity/rolling_emitted.h"

#include <stdlib.h>

#include "ground/support/error.h"
#include "maps/velocity/rolling_numbers.h"
#include "maps/velocity/rolling_parts.h"

#include "maps/emitted/interpreted.h"
#include "maps/velocity/rolling_loop.h"
#include "maps/emitted/run_loop.h"

extern const char rattle__rolling_kernel[]; /* made by cmake/kernel.cmake */

rattle_status rattle__rolling_emitted_create(rattle__stepper **made, rattle__context *context,
                                             const rattle__scheme *scheme, rattle_error *error) {
  const rattle_problem *problem = context->problem;
  rattle__stepper *s = rattle__arena_take(&context->arena, sizeof *s);
  *made = NULL;
  if (!s) return rattle__no_memory(error);
  *s = (rattle__stepper){.context = context,
                         .code = interpreted_run,
                         .n = problem->n,
                         .m = problem->m + problem->velocity->rows,
                         .tells_V = 1};
  s->energy = RATTLE__AT_ENERGY(s->m);
  rattle_status status = rattle__rolling_parts(&s->parts, problem, scheme, error);
  if (!status) status = rattle__stepper_begin(s, rattle__rolling_kernel, error);
  if (!status) *made = s;
  if (status) rattle__stepper_end(s);
  return status == RATTLE_UNSUITABLE ? RATTLE_OK : status;
}
