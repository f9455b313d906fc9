/* Time of a state, and the coordinate t of problems that depend on it. */
#include <math.h>

#include "runs/integrate/integrator.h"
#include "ground/support/error.h"

double rattle__time_after(const rattle_integrator *s, const rattle_state *state, long long step) {
  const double even = state->t0 + (double)step * state->h;
  return s->map->late ? even + s->map->late[0] : even;
}

void rattle__clock_set(rattle_integrator *s, const rattle_state *state, long long step, double *z) {
  if (!s->clock) return;
  const double even = (double)step * state->h, time = rattle__time_after(s, state, step),
               back = time - even;
  z[s->clock - 1] = time;
  if (s->context.carry)
    s->context.carry[s->clock - 1] = s->map->late ? 0
                                                  : (state->t0 - back) + (even - (time - back)) +
                                                        fma((double)step, state->h, -even);
}

double rattle__length_after(const rattle_integrator *s, const rattle_state *state, long long step) {
  const int past =
      s->extra > (s->work_done != NULL) + (s->gained != NULL) + (s->controllers != NULL);
  if (!s->clock || past) return state->h;
  return rattle__time_after(s, state, step + 1) - rattle__time_after(s, state, step);
}

rattle_status rattle__clock_check(const rattle_integrator *s, const rattle_state *state,
                                  rattle_error *error) {
  if (!s->clock) return RATTLE_OK;
  const double t = state->q[s->clock - 1], time = rattle__time_after(s, state, state->step);
  const double round_off =
      0x1p-45 * (fabs(t) + fabs(state->t0) + (fabs((double)state->step) + 1) * fabs(state->h));
  if (fabs(t - time) <= round_off) return RATTLE_OK;
  return rattle__fail(error, RATTLE_BAD_ARGUMENT, "t",
                      "the coordinate t of the state is %.17g and its time, t0 + step h, is %.17g: "
                      "set t0 so that they agree",
                      t, time);
}

rattle_status rattle__clock_arrive(rattle_integrator *s, const rattle_state *state, long long step,
                                   double *z, rattle_error *error) {
  if (!s->clock) return RATTLE_OK;
  const double t = z[s->clock - 1], time = rattle__time_after(s, state, step + 1);
  rattle__clock_set(s, state, step + 1, z);
  if (fabs(t - time) <= 1e-6 * fabs(state->h) + 0x1p-45 * (fabs(t) + fabs(time))) return RATTLE_OK;
  return rattle__fail(error, RATTLE_UNSUITABLE, rattle_method_text(s->method),
                      "a step moved the time to %.17g, and it ends at %.17g: H must contain the "
                      "momentum of the time with the factor 1",
                      t, time);
}
