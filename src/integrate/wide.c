/* See wide.h. */
#include "integrate/wide.h"

#include "integrate/integrator.h"

int rattle__integrator_widen(rattle_integrator *s, int lanes) {
  const rattle__map *map = s->map;
  const int may = map->widen && !s->orders.count && !s->compilations && map->run && !s->clock && !s->ledger && !s->extra &&
                  !s->omitted && !s->context.asked.trace && !s->context.impulse && !s->until;
  return may ? map->widen(s->map, lanes ? lanes : rattle__most_lanes()) : 1;
}

long long rattle__integrator_run_wide(rattle_integrator *s, const double *h, long long steps, double *z, long long *unusual) {
  return s->map->run_wide(s->map, h, 1, steps, z, unusual);
}
