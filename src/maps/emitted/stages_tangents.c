/* See stages.h. */
#include "maps/emitted/stages.h"

#include "ground/support/error.h"
#include "maps/emitted/stages_numbers.h"
#include "maps/emitted/stages_parts.h"

#include "maps/emitted/interpreted.h"
#include "maps/emitted/stages_loop.h"
#include "maps/emitted/stages_tangents.h"

extern const char rattle__stages_tangents[]; /* made by cmake/kernel.cmake */

static long long through(void *self, const double *h, const double *z, long long steps, int count,
                         double *W) {
  rattle__stepper *s = self;
  return s->tangents(&s->run, h, z, steps, count, W);
}

static void destroy(void *self) {
  rattle__stepper_end(self);
}

rattle_status rattle__stages_tangents_create(rattle__tangents *t, rattle__context *context,
                                             const rattle__tableau *tableau, rattle_error *error) {
  rattle__stepper *s = rattle__arena_take(&context->arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  *s = (rattle__stepper){.tangents = interpreted_tangents};
  const rattle_status status =
      rattle__stages_stepper(s, context, tableau, rattle__stages_tangents, error);
  if (status) {
    rattle__stepper_end(s);
    return status == RATTLE_UNSUITABLE ? RATTLE_OK : status;
  }
  *t = (rattle__tangents){.through = through, .destroy = destroy, .self = s};
  return RATTLE_OK;
}
