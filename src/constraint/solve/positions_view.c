/* A positions step as the guard sees it. */
#include "constraint/solve/positions.h"

rattle__step_view rattle__positions_view(const rattle__positions *s) {
  const rattle__momenta *momenta = s->momenta;
  return (rattle__step_view){.context = s->context,
                             .rows = &momenta->rows,
                             .coupling = s->coupling,
                             .g = s->g,
                             .mass = s->mass,
                             .m = s->m,
                             .once = s->scheme.d2 == 0,
                             .declines = s->context->asked.declines,
                             .equal = momenta->equal,
                             .factor = momenta->factor,
                             .h = s->h,
                             .k1 = s->h * s->scheme.k1,
                             .z0 = s->z0,
                             .z1 = s->z1,
                             .V_q = s->start->V_q,
                             .J0 = s->start->J,
                             .W0 = s->start->B,
                             .J1 = s->end->J,
                             .W1 = s->end->B,
                             .lambda = s->lambda,
                             .inverse_floor = s->inverse_floor,
                             .between = s->between,
                             .q = s->plus, /* what follows is scratch between iterations */
                             .work = s->work,
                             .room = {s->value, s->delta, s->first, s->cheap}};
}

int rattle__positions_doubtful(const rattle__positions *s, const rattle__course *c) {
  rattle__step_view view = rattle__positions_view(s);
  if (s->context->asked.trusts) return 0;
  if (c->doubtful || rattle__turned_constraint(&view) >= 0) return 1;
  return s->follower && rattle__judge_natural_step(&view) != RATTLE__SOUND;
}
