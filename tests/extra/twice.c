/* twice(map, first=c): two steps of the map inside, of lengths c h and (1 - c) h. A wrapper in one
 * file. */
#include "maps/base/base.h"

typedef struct twice {
  rattle__map map;
  rattle__map *inner;
  double first, *middle;
} twice;

static double first_of(const rattle__node *node) {
  return rattle__option_number(node, "first");
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1,
                           rattle_error *error) {
  twice *s = map->self;
  const rattle_status status = s->inner->apply(s->inner, s->first * h, z0, s->middle, error);
  return status ? status : s->inner->apply(s->inner, h - s->first * h, s->middle, z1, error);
}

static rattle_status output(rattle__map *map, double h, double *z, rattle_error *error) {
  twice *s = map->self;
  return s->inner->output(s->inner, h, z, error);
}

static void destroy(rattle__map *map) {
  twice *s = map->self;
  if (s->inner->destroy) s->inner->destroy(s->inner);
}

static rattle_status create(rattle__map **map, rattle__context *context, const rattle__node *node,
                            rattle_error *error) {
  const rattle_status status = context->compile(map, context, rattle__method_inside(node), error);
  if (status) return status;
  twice *s = rattle__arena_take(&context->arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  *s = (twice){.inner = *map, .first = first_of(node)};
  s->map = (rattle__map){.context = context,
                         .apply = apply,
                         .output = s->inner->output ? output : NULL,
                         .shows = s->inner->shows,
                         .drifts = s->inner->drifts,
                         .destroy = destroy,
                         .symmetric = s->inner->symmetric && s->first == 0.5,
                         .self = s};
  *map = &s->map;
  s->middle = rattle__arena_doubles(&context->arena, 2 * (size_t)context->problem->n);
  return context->arena.failed ? rattle__no_memory(error) : RATTLE_OK;
}

static rattle_claims claims(const rattle__node *node, rattle_claims inner) {
  inner.symmetric &= first_of(node) == 0.5;
  inner.stages *= 2;
  return inner;
}

static int sensible(const rattle__node *node, rattle__text *reason, int *blame) {
  (void)blame;
  return rattle__takes_one_step_map(node, reason);
}

static void explain_order(rattle__text *out, const rattle__node *node, const rattle_claims *own,
                          const rattle_claims *inner) {
  (void)node, (void)own, (void)inner;
  rattle__put(out, ", that of the map inside, twice.\n");
}

const rattle__wrapper rattle__wrapper_twice = {.care = RATTLE__IGNORES,
                                               .claims = claims,
                                               .sensible = sensible,
                                               .create = create,
                                               .explain_order = explain_order};
