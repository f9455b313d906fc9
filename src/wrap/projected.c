/* rattle(map) from shake(map): after each step, or where a point is put out, a slide along the fibre onto psi = 0.
 *
 * Source   seed 000, Definition 1.4 and section 4 (SHAKE and RATTLE are the same map of fibres)
 * Cost     that of shake and one nonlinear system for sigma; with project=output only the former */
#include "wrap/wrap.h"

typedef struct projected {
  rattle__map map;
  rattle__map *shake;
  rattle__hidden *hidden;
} projected;

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1, rattle_error *error) {
  projected *s = map->self;
  rattle_status status = s->shake->apply(s->shake, h, z0, z1, error);
  map->context->clock++;
  /* with a symmetric map sigma = lambda exactly, on the right sheet */
  return status ? status : rattle__hidden_slide(s->hidden, h, map->symmetric ? s->shake->lambda : NULL, z1, error);
}

static rattle_status apply_shake(rattle__map *map, double h, const double *z0, double *z1, rattle_error *error) {
  projected *s = map->self;
  return s->shake->apply(s->shake, h, z0, z1, error);
}

static rattle_status output(rattle__map *map, double h, double *z, rattle_error *error) {
  projected *s = map->self;
  map->context->clock++;
  return rattle__hidden_slide(s->hidden, h, NULL, z, error); /* from 0: a function of z alone */
}

static void destroy(rattle__map *map) {
  projected *s = map->self;
  rattle__hidden_destroy(&s->hidden);
  if (s->shake->destroy) s->shake->destroy(s->shake);
}

rattle_status rattle__projected_create(rattle__map **map, rattle__context *context, rattle__map *shake, rattle__fibre *fibre,
                                       int at_output, rattle_error *error) {
  projected *s = rattle__arena_take(&context->arena, sizeof *s);
  if (!s) {
    if (shake->destroy) shake->destroy(shake);
    return rattle__no_memory(error);
  }
  *s = (projected){.shake = shake};
  s->map = (rattle__map){.context = context,
                         .apply = at_output ? apply_shake : apply,
                         .output = at_output ? output : NULL,
                         .destroy = destroy,
                         .symmetric = shake->symmetric,
                         .order = shake->symmetric ? 2 : 1,
                         .self = s};
  *map = &s->map;
  return rattle__hidden_create(&s->hidden, context, fibre, error);
}
