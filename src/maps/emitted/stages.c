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
  rattle__tableau tableau;
  /* 0: the stepper is to be made when it is wanted; 1: it is there; 2: it steps lanes alone, whose
   * parameters differ; -1: steps are not of that kind */
  int made;
} stages;

/* The stepper, where it is not there: of parameters that are set each case has an integrator of its
 * own, whose steps another one takes in lanes. */
static rattle_status make(stages *s, int how, rattle_error *error) {
  if (s->made < 0 || s->made == how) return RATTLE_OK;
  if (s->made) rattle__stepper_end(&s->stepper);
  s->stepper = (rattle__stepper){.code = how == 1 ? interpreted_run : NULL};
  const rattle_status status = rattle__stages_stepper(&s->stepper, s->map.context, &s->tableau,
                                                      rattle__stages_kernel, error);
  s->made = status ? -1 : how;
  if (status) rattle__stepper_end(&s->stepper);
  return status == RATTLE_UNSUITABLE ? RATTLE_OK : status;
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1,
                           rattle_error *error) {
  stages *s = map->self;
  const rattle_status status = make(s, 1, error);
  if (status) return status;
  if (s->made < 0) return s->general->apply(s->general, h, z0, z1, error);
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
  stages *s = map->self;
  const int how = map->context->problem->settable ? 2 : 1;
  return !make(s, how, NULL) && s->made > 0 ? rattle__stepper_widen(&s->stepper, lanes) : 1;
}

/* Numbers of a problem whose parameters are not set stand in the text. */
static int join(rattle__map *map, int lane, rattle__map *with) {
  stages *s = map->self;
  if (with->join != join) return 0;
  return map->context->problem->settable
             ? rattle__stepper_join(&s->stepper, lane, with->context->problem)
             : map == with;
}

static long long run_wide(rattle__map *map, const double *h, int count, long long steps, double *z,
                          long long *unusual) {
  return rattle__stepper_run_wide(&((stages *)map->self)->stepper, h, count, steps, z, unusual);
}

static void destroy(rattle__map *map) {
  stages *s = map->self;
  if (s->made > 0) rattle__stepper_end(&s->stepper);
  if (s->general->destroy) s->general->destroy(s->general);
}

static int is_of_that_kind(const rattle_problem *p, const rattle__context *context,
                           const rattle__tableau *t) {
  int alike = t->symmetric && !t->other_bhat && !context->carry && p->m > 0;
  for (int i = 0; i < t->stages; i++)
    for (int j = 0; j < t->stages; j++) alike &= t->a[i][j] == t->ahat[i][j] && t->a[i][j] != 0;
  return alike && p->g->quadratic && !p->clock && !p->account && !p->force && !p->fibre &&
         (!p->mass || !p->mass->value);
}

rattle_status rattle__stages_stepper(rattle__stepper *s, rattle__context *context,
                                     const rattle__tableau *tableau, const char *kernel,
                                     rattle_error *error) {
  const rattle_problem *problem = context->problem;
  if (!is_of_that_kind(problem, context, tableau)) return RATTLE_UNSUITABLE;
  const int lanes_alone = !s->code && !s->tangents;
  rattle__stages_kind kind = {
      .inputs = lanes_alone,
      .light = rattle__arena_take(&context->arena, (size_t)problem->n * sizeof *kind.light)};
  if (!kind.light) return rattle__no_memory(error);
  const rattle_status status =
      rattle__stages_parts(&s->parts, problem, tableau, s->tangents != NULL, &kind, error);
  if (status) return status;
  s->context = context;
  s->n = problem->n, s->m = problem->m;
  s->slopes = tableau->stages;
  s->tells_V = problem->mass != NULL;
  s->light = problem->mass ? kind.light : NULL;
  s->unknowns = kind.unknowns;
  s->curved = kind.curved, s->bent = kind.bent;
  s->energy = RATTLE__AT_ALL_OF_H(s->unknowns, s->m);
  s->kernel = kernel;
  return lanes_alone ? RATTLE_OK : rattle__stepper_begin(s, kernel, error);
}

rattle_status rattle__stages_create(rattle__map **map, rattle__context *context,
                                    const rattle__tableau *tableau, rattle_error *error) {
  const int settable = context->problem->settable != NULL;
  if (!is_of_that_kind(context->problem, context, tableau)) return RATTLE_OK;
  stages *s = rattle__arena_take(&context->arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  s->tableau = *tableau;
  s->general = *map;
  s->map = (rattle__map){.context = context,
                         .apply = apply,
                         .destroy = destroy,
                         .records = s->general->records,
                         .symmetric = s->general->symmetric,
                         .self = s};
  const rattle_status status = settable ? RATTLE_OK : make(s, 1, error);
  if (status || s->made < 0) return status;
  const int native = s->made && s->stepper.library;
  if (native) s->map.run = run, s->map.examined = 1;
  if (native || settable)
    s->map.widen = widen, s->map.join = join, s->map.run_wide = run_wide, s->map.vectors = 1;
  *map = &s->map;
  return RATTLE_OK;
}
