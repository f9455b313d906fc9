#ifndef RATTLE__FAST_H
#define RATTLE__FAST_H
#include "constraint/step/point.h"
#include "maps/natural/natural.h"

/* The common head of fast steps for natural problems, perhaps with forces (natural_small.c,
 * natural_chain.c): the map, and another one for the steps that leave doubt, natural.c if there are
 * no forces. */
typedef struct rattle__fast {
  rattle__map map;
  rattle__scheme scheme;
  rattle__projection projection;
  rattle__map *fallback; /* natural.c, or what it was made with */
  rattle__point point;   /* where the last step ended */
} rattle__fast;

/* The parts that are alike, for the first member of a map's own struct; `apply` and more are the
 * map's. */
void rattle__fast_begin(rattle__fast *fast, rattle__context *context, const rattle__scheme *scheme,
                        rattle__projection projection, rattle__map *fallback);
/* With natural.c. */
rattle_status rattle__fast_create(rattle__fast *fast, rattle__context *context,
                                  const rattle__scheme *scheme, rattle__projection projection,
                                  rattle_error *error);
void rattle__fast_destroy(rattle__map *map);
#endif
