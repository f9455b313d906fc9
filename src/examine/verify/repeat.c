/* Steps in one go, in pieces, resumed, interrupted. */
#include "examine/verify/repeat.h"

#include <string.h>

#include "examine/verify/measure.h"

/* Advances z by `steps` steps from step `first` in calls of `piece`. */
static int advance(const rattle__repeat *r, rattle_integrator *integrator, double *z, int first,
                   int steps, int piece) {
  rattle_state state = {
      .struct_size = sizeof state, .q = z, .p = z + r->n, .h = r->h, .step = first};
  rattle_status status = RATTLE_OK;
  for (int done = 0; done < steps && !status; done += piece)
    status = rattle_integrator_step(integrator, &state, piece, NULL);
  return (int)state.step - first;
}

static void begin(const rattle__repeat *r, double *z) {
  memcpy(z, r->z0, 2 * (size_t)r->n * sizeof *z);
}

int rattle__repeat_steps(const rattle__repeat *r, int piece, double *z) {
  begin(r, z);
  return advance(r, r->integrator, z, 0, r->steps, piece);
}

int rattle__repeat_resumed(const rattle__repeat *r, rattle_integrator *fresh, double *z) {
  double extra[RATTLE__REPEAT_EXTRA];
  const int half = r->steps / 2;
  if (rattle_integrator_extra(r->integrator) > RATTLE__REPEAT_EXTRA) return -1;
  begin(r, z);
  const int made = advance(r, r->integrator, z, 0, half, half);
  if (made < half) return made;
  rattle_integrator_get_extra(r->integrator, extra);
  rattle_integrator_set_extra(fresh, extra);
  return made + advance(r, fresh, z, half, r->steps - half, r->steps - half);
}

int rattle__repeat_interrupted(const rattle__repeat *r, double *z) {
  double other[RATTLE__SUBJECT_2N];
  int made = 0, good = 1;
  begin(r, z);
  begin(r, other);
  advance(r, r->integrator, other, 0, 1, 1);
  for (; made < r->steps && good; made += good) {
    advance(r, r->integrator, other, 1 + made, 1, 1);
    good = advance(r, r->integrator, z, made, 1, 1);
  }
  return made;
}
