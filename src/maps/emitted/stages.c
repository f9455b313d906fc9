/* See stages.h. */
#include "maps/emitted/stages.h"

#include <string.h>

#include "ground/support/error.h"
#include "maps/emitted/stages_numbers.h"
#include "maps/emitted/stages_parts.h"
#include "maps/emitted/stepper.h"

#include "maps/emitted/interpreted.h"
#include "maps/emitted/stages_loop.h"
#include "maps/emitted/run_loop.h"

extern const char rattle__stages_kernel[]; /* made by cmake/kernel.cmake */

typedef struct stages {
  rattle__map map;
  rattle__map *general;
  rattle__stepper stepper;
} stages;

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1,
                           rattle_error *error) {
  stages *s = map->self;
  memcpy(z1, z0, 2 * (size_t)s->stepper.n * sizeof *z1);
  if (!map->context->impulse && !map->context->asked.examine &&
      rattle__stepper_run(&s->stepper, &h, 1, 1, z1, NULL))
    return RATTLE_OK;
  return s->general->apply(s->general, h, z0, z1, error);
}

static long long run(rattle__map *map, const double *h, int count, long long steps, double *z,
                     double *range) {
  return rattle__stepper_run(&((stages *)map->self)->stepper, h, count, steps, z, range);
}

static int widen(rattle__map *map, int lanes) {
  return rattle__stepper_widen(&((stages *)map->self)->stepper, lanes);
}

/* Numbers of a problem stand in the text. */
static int join(rattle__map *map, int lane, rattle__map *with) {
  (void)lane;
  return map == with;
}

static long long run_wide(rattle__map *map, const double *h, int count, long long steps, double *z,
                          long long *unusual) {
  return rattle__stepper_run_wide(&((stages *)map->self)->stepper, h, count, steps, z, unusual);
}

static void destroy(rattle__map *map) {
  stages *s = map->self;
  rattle__stepper_end(&s->stepper);
  if (s->general->destroy) s->general->destroy(s->general);
}

static int is_of_that_kind(const rattle_problem *p, const rattle__context *context,
                           const rattle__tableau *t) {
  int alike = t->symmetric && !t->other_bhat && !context->carry && p->m > 0;
  for (int i = 0; i < t->stages; i++)
    for (int j = 0; j < t->stages; j++) alike &= t->a[i][j] == t->ahat[i][j] && t->a[i][j] != 0;
  return alike && p->g->quadratic && !p->clock && !p->account && !p->force && !p->settable &&
         !p->fibre && (!p->mass || !p->mass->value);
}

rattle_status rattle__stages_stepper(rattle__stepper *s, rattle__context *context,
                                     const rattle__tableau *tableau, const char *kernel,
                                     rattle_error *error) {
  const rattle_problem *problem = context->problem;
  if (!is_of_that_kind(problem, context, tableau)) return RATTLE_UNSUITABLE;
  rattle__stages_kind kind = {0};
  const rattle_status status =
      rattle__stages_parts(&s->parts, problem, tableau, s->tangents != NULL, &kind, error);
  if (status) return status;
  s->context = context;
  s->n = problem->n, s->m = problem->m;
  s->slopes = tableau->stages;
  s->tells_V = problem->mass != NULL;
  s->unknowns = kind.unknowns;
  s->curved = kind.curved, s->bent = kind.bent;
  s->energy = RATTLE__AT_ALL_OF_H(s->unknowns, s->m);
  return rattle__stepper_begin(s, kernel, error);
}

rattle_status rattle__stages_create(rattle__map **map, rattle__context *context,
                                    const rattle__tableau *tableau, rattle_error *error) {
  stages *s = rattle__arena_take(&context->arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  s->stepper = (rattle__stepper){.code = interpreted_run};
  const rattle_status status =
      rattle__stages_stepper(&s->stepper, context, tableau, rattle__stages_kernel, error);
  if (status) {
    rattle__stepper_end(&s->stepper);
    return status == RATTLE_UNSUITABLE ? RATTLE_OK : status;
  }
  s->general = *map;
  s->map = (rattle__map){.context = context,
                         .apply = apply,
                         .destroy = destroy,
                         .records = s->general->records,
                         .symmetric = s->general->symmetric,
                         .self = s};
  if (s->stepper.library)
    s->map.run = run, s->map.examined = 1, s->map.widen = widen, s->map.join = join,
    s->map.run_wide = run_wide, s->map.vectors = 1;
  *map = &s->map;
  return RATTLE_OK;
}
