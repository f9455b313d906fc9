/* The state that an integrator stands at, and what is declared beside it: work, digits, past points
 * and samples that were taken. */
#include <string.h>

#include "runs/integrate/integrator.h"

int rattle__integrator_is_here(const rattle_integrator *s, const rattle_state *state) {
  const size_t half = (size_t)s->n * sizeof(double);
  const double *z = s->z[s->now];
  return s->loaded && !memcmp(z, state->q, half) && !memcmp(z + s->pairs, state->p, half);
}

void rattle__integrator_put_extra(rattle_integrator *s, const double *extra) {
  for (int i = 0; i < s->context.memories; extra += s->context.memory[i++].count)
    memcpy(s->context.memory[i].array, extra, (size_t)s->context.memory[i].count * sizeof *extra);
}

int rattle_integrator_extra(const rattle_integrator *integrator) {
  return integrator->extra;
}

void rattle_integrator_get_extra(const rattle_integrator *integrator, double *extra) {
  for (int i = 0; i < integrator->context.memories; extra += integrator->context.memory[i++].count)
    memcpy(extra, integrator->context.memory[i].array,
           (size_t)integrator->context.memory[i].count * sizeof *extra);
}

void rattle_integrator_set_extra(rattle_integrator *integrator, const double *extra) {
  rattle__integrator_put_extra(integrator, extra);
  integrator->restored = 1;
  integrator->loaded = 0;
}
