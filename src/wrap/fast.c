/* See fast.h. Points for output slide onto psi = 0 by natural.c. */
#include "wrap/fast.h"

static rattle_status output(rattle__map *map, double h, double *z, rattle_error *error) {
  const rattle__fast *s = map->self;
  (void)h;
  return rattle__natural_slide(s->careful, z, error);
}

void rattle__fast_destroy(rattle__map *map) {
  const rattle__fast *s = map->self;
  if (s->careful && s->careful->destroy) s->careful->destroy(s->careful);
}

rattle_status rattle__fast_create(rattle__fast *fast, rattle__context *context, const rattle__scheme *scheme,
                                  rattle__projection projection, rattle_error *error) {
  fast->scheme = *scheme;
  fast->projection = projection;
  fast->map = (rattle__map){.context = context,
                            .destroy = rattle__fast_destroy,
                            .records = 1,
                            .symmetric = scheme->symmetric,
                            .compensates = 1,
                            .self = fast,
                            .output = projection == RATTLE__PROJECT_OUTPUT ? output : NULL};
  rattle__point_create(&fast->point, &context->arena, context->problem->n, 0, 0);
  return rattle__natural_create(&fast->careful, context, scheme, projection, &rattle__automatic, error);
}
