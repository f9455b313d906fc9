/* Steps in which no event can happen: e is evaluated where each ends, by a map that makes many at a
 * time (`run`), or after each step.
 *
 * Calm     e keeps its sign, clear of round-off, and its size does not fall at the start and rise
 *          at the end of the step. events.c makes any other step anew; so no event found depends on
 *          the digits of e evaluated here
 * Symbols  e [count] as in events.c; d [count], its derivative by theta: h e_q . W p if e depends
 *          on q and t alone, else h e_z . z'; 0, 1: the ends of a step
 * Needs    H = p^T W p/2 + V (+ p_t): the velocity of q is known without multipliers, and that of p
 *          with them */
#include <math.h>
#include <string.h>

#include "runs/integrate/events_state.h"
#include "runs/integrate/integrator.h"
#include "runs/integrate/run_hooks.h"

static int may_be_calm(const rattle__events *s) {
  const rattle__map *map = s->integrator->map;
  const int simple =
      s->count == s->of_model &&
      (!s->count || (s->problem->flags & RATTLE_HOLONOMIC && rattle__inertia(s->problem)));
  /* where momenta are exchanged, the velocities at the ends of a step do not belong to the way
   * between them */
  return simple && !s->integrator->switching && !s->cites && !s->adapts && !s->integrator->bath &&
         !map->output && !map->shows;
}

/* The same where e depends on p, which multipliers change. */
static int measure_with_multipliers(rattle__events *s, const double *q, const double *p, double *e,
                                    double *d) {
  const rattle__function *f = s->problem->events;
  memcpy(s->try, q, (size_t)s->n * sizeof *q);
  memcpy(s->try + s->n, p, (size_t)s->n * sizeof *p);
  rattle__probe_place(s->probe, q, p);
  if (rattle__probe_velocity(s->probe, s->zdot, NULL) || f->jacobian(f, s->try, e, s->J, s->work))
    return 1;
  for (int i = 0; i < s->count; i++) {
    double rate = 0;
    for (int k = f->jac_ptr[i]; k < f->jac_ptr[i + 1]; k++)
      rate += s->J[k] * s->zdot[f->jac_col[k]];
    d[i] = s->h * rate;
  }
  return 0;
}

/* e and d at (q, p). */
static int measure(rattle__events *s, const double *q, const double *p, double *e, double *d) {
  const rattle__function *f = s->problem->events;
  const rattle__mass *W = rattle__inertia(s->problem);
  if (!s->count) return 0;
  if (s->forced) return measure_with_multipliers(s, q, p, e, d);
  if (f->jacobian(f, q, e, s->J, s->work)) return 1;
  for (int i = 0; i < s->count; i++) {
    double rate = 0;
    for (int k = f->jac_ptr[i]; k < f->jac_ptr[i + 1]; k++) {
      const int c = f->jac_col[k];
      rate += s->J[k] * (c == W->clock - 1 ? 1 : rattle__mass_times(W, 1, c, p));
    }
    d[i] = s->h * rate;
  }
  return 0;
}

static int is_calm(double e0, double d0, double e1, double d1) {
  const double sign = e0 > 0 ? 1 : -1, size = fabs(d0) + fabs(d1),
               doubt = 0x1p-20 * (size + 0x1p-10 * fabs(e1));
  const int same = sign * e0 > 0 && sign * e1 > 0x1p-20 * size;
  return same && (sign * d0 > doubt || sign * d1 < -doubt);
}

/* Evaluates e at (q, p), the end of a step. 0: no event is in the step, and its end becomes the
 * start of the next; 1: something may have happened. */
static int look_at(rattle__events *s, const double *q, const double *p) {
  double *e = s->calm_e[1], *d = s->calm_d[1];
  if (measure(s, q, p, e, d)) return 1;
  for (int i = 0; i < s->count; i++)
    if (!is_calm(s->calm_e[0][i], s->calm_d[0][i], e[i], d[i])) return 1;
  s->calm_e[1] = s->calm_e[0], s->calm_e[0] = e;
  s->calm_d[1] = s->calm_d[0], s->calm_d[0] = d;
  return 0;
}

static int look(void *self, const double *z) {
  rattle__events *s = self;
  return look_at(s, z, z + s->integrator->pairs);
}

/* Many steps at a time, up to one that is not calm, which is not made. */
static rattle_status run(rattle__events *s, rattle_state *state, long long steps, double *low,
                         double *high, rattle_error *error) {
  const long long from = state->step;
  struct rattle__asked *asked = &s->integrator->context.asked;
  asked->examine = look, asked->examiner = s;
  const rattle_status status =
      rattle__integrator_advance(s->integrator, state, steps, low, high, error);
  asked->examine = NULL, asked->examiner = NULL;
  return status || state->step == from ? status : rattle__events_come(s, state, error);
}

/* One by one, up to one that is not calm, which is made: events are sought from its start. */
static rattle_status walk(rattle__events *s, rattle_state *state, long long steps, double *low,
                          double *high, rattle_error *error) {
  const long long last = state->step + steps;
  rattle_status status = RATTLE_OK;
  int calm = 1;
  while (state->step < last && calm && !status) {
    rattle__events_leave(s, state);
    status = rattle__integrator_advance(s->integrator, state, 1, low, high, error);
    calm = !status && !look_at(s, state->q, state->p);
  }
  if (status) return status;
  if (calm) return rattle__events_come(s, state, error);
  const rattle_state start = rattle__fraction_start(s->fraction);
  return start.step == s->step ? RATTLE_OK : rattle__events_stand(s, &start, error);
}

/* How many steps end before that time, clear of round-off; `most` if the time is past. */
static long long steps_before(const rattle__events *s, double time, long long most) {
  const double steps = (time - s->t[1]) / s->h;
  if (steps < -1 || steps > (double)most + 1) return most;
  return steps < 2 ? 0 : (long long)steps - 1;
}

/* No more than so many steps, all of which end before the next time of output. */
static long long before_output(const rattle__events *s, double start, long long steps) {
  const rattle_events *given = &s->given;
  for (int i = 0; i < given->time_count; i++) steps = steps_before(s, given->times[i], steps);
  if (given->end) steps = steps_before(s, *given->end, steps);
  if (!(given->time_step > 0)) return steps;
  const double by = s->sign * given->time_step, k = floor((s->t[1] - start) / by);
  for (int next = 0; next < 3; next++) steps = steps_before(s, start + (k + next) * by, steps);
  return steps;
}

static rattle_status calm_steps(rattle__events *s, rattle_state *state, long long steps,
                                double *low, double *high, rattle_error *error) {
  const rattle__map *map = s->integrator->map;
  if (!may_be_calm(s)) return RATTLE_OK;
  const long long sample = rattle__controllers_next(s->integrator, state->step) - state->step;
  s->h = state->h;
  if (sample <= steps) steps = sample - 1; /* a sample changes e at the end of its step */
  if (s->has_at) steps = before_output(s, state->t0, steps);
  if (steps < 2 || measure(s, state->q, state->p, s->calm_e[0], s->calm_d[0])) return RATTLE_OK;
  return (map->run && map->examined ? run : walk)(s, state, steps, low, high, error);
}

rattle_status rattle__events_advance(rattle__events *s, rattle_state *state, long long steps,
                                     double *low, double *high, rattle_error *error) {
  const long long last = state->step + steps;
  const rattle_status status = calm_steps(s, state, steps, low, high, error);
  if (status || state->step == last || state->step != s->step) return status;
  return rattle__integrator_advance(s->integrator, state, 1, low, high, error);
}
