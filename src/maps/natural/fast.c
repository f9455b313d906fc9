/* See fast.h. Points for output slide onto psi = 0 by natural.c. */
#include "maps/natural/fast.h"

static rattle_status output(rattle__map *map, double h, double *z, rattle_error *error) {
  const rattle__fast *s = map->self;
  return s->fallback->output(s->fallback, h, z, error);
}

void rattle__fast_destroy(rattle__map *map) {
  const rattle__fast *s = map->self;
  if (s->fallback && s->fallback->destroy) s->fallback->destroy(s->fallback);
}

void rattle__fast_begin(rattle__fast *fast, rattle__context *context, const rattle__scheme *scheme,
                        rattle__projection projection, rattle__map *fallback) {
  fast->fallback = fallback;
  fast->scheme = *scheme;
  fast->projection = projection;
  fast->map = (rattle__map){.context = context,
                            .destroy = rattle__fast_destroy,
                            .records = !fallback || fallback->records,
                            .symmetric = scheme->symmetric,
                            .compensates = !fallback,
                            .self = fast,
                            .output = projection == RATTLE__PROJECT_OUTPUT ? output : NULL};
  rattle__point_create(&fast->point, &context->arena, context->problem->n, 0, 0);
}

rattle_status rattle__fast_create(rattle__fast *fast, rattle__context *context,
                                  const rattle__scheme *scheme, rattle__projection projection,
                                  rattle_error *error) {
  rattle__fast_begin(fast, context, scheme, projection, NULL);
  return rattle__natural_create(&fast->fallback, context, scheme, projection, &rattle__automatic,
                                error);
}
