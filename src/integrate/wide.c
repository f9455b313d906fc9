/* See wide.h. */
#include "integrate/wide.h"

#include "integrate/integrator.h"

static int may_widen(const rattle_integrator *s) {
  return s->map->widen && !s->orders.count && !s->compilations && !s->clock && !s->ledger && !s->extra && !s->omitted &&
         !s->context.asked.trace && !s->context.impulse && !s->until;
}

int rattle__integrator_widen(rattle_integrator *s, int lanes) {
  return may_widen(s) ? s->map->widen(s->map, lanes ? lanes : rattle__most_lanes()) : 1;
}

int rattle__integrator_join(rattle_integrator *s, int lane, rattle_integrator *with) {
  return may_widen(with) && s->map->join(s->map, lane, with->map);
}

long long rattle__integrator_run_wide(rattle_integrator *s, const double *h, long long steps, double *z, long long *unusual) {
  return s->map->run_wide(s->map, h, 1, steps, z, unusual);
}
