/* Events: which there are, and their zeros in each step.
 *
 * Symbols  0 and 1: the last two whole steps, with their points for output z [2n] and times t; e
 *          [count] the values of the events there, slope [count] their derivatives along the
 *          motion, in the direction of the run; theta in (0, 1]: a fraction of the step
 * Zeros    where e changes its sign, or is 0 at 1 but not at 0. If the signs are equal and the
 *          tangents at both ends intersect beyond 0, e has a minimum of its size in between: there
 *          are two zeros if it changes its sign there */
#include "runs/integrate/events.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/expr/round_off.h"
#include "ground/support/error.h"
#include "ground/support/sized.h"
#include "ground/support/zero.h"
#include "problem/model/model.h"
#include "runs/integrate/events_state.h"
#include "runs/integrate/run_hooks.h"
#include "runs/integrate/switches.h"

/* --- their values ----------------------------------------------------------------------------- */

static rattle_status not_a_number(const rattle__events *s, int k, double time,
                                  rattle_error *error) {
  return rattle__fail(error, RATTLE_DOMAIN, s->event[k].is.name,
                      "the event \"%s\" is not a number at time %.17g: whether it changes its sign "
                      "cannot be said",
                      s->event[k].is.name, time);
}

/* The point for functions of the model: with multipliers where they are cited. */
static rattle_status complete(rattle__events *s, const double **z, rattle_error *error) {
  if (!s->cites) return RATTLE_OK;
  rattle__probe_place(s->probe, *z, *z + s->n);
  memcpy(s->cited, *z, 2 * (size_t)s->n * sizeof **z);
  *z = s->cited;
  return rattle__probe_cite(s->probe, s->cited, error);
}

/* All events at a point; those that are not finite are errors. */
static rattle_status evaluate(rattle__events *s, double time, const double *z, double *e,
                              rattle_error *error) {
  const rattle__function *f = s->problem->events;
  const double *own = z;
  const rattle_status status = complete(s, &own, error);
  if (status) return status;
  int answer = f ? f->value(f, own, e, s->work) : 0;
  for (int k = s->of_model; k < s->count && !answer; k++)
    answer = s->event[k].is.value(s->event[k].is.self, time, z, z + s->n, &e[k]);
  if (answer) return rattle__callback_error(answer, "event", error);
  for (int k = 0; k < s->count; k++)
    if (isnan(e[k])) return not_a_number(s, k, time, error);
  return RATTLE_OK;
}

/* The same of event k alone, into e[k]. */
static rattle_status evaluate_one(rattle__events *s, int k, double time, const double *z, double *e,
                                  rattle_error *error) {
  const rattle__function *f = s->problem->events;
  const rattle_event *is = &s->event[k].is;
  const double *own = z;
  if (k < s->of_model && !f->row) return evaluate(s, time, z, e, error);
  const rattle_status status = k < s->of_model ? complete(s, &own, error) : RATTLE_OK;
  if (status) return status;
  const int answer = k < s->of_model ? f->row(f, k, own, e, s->J, s->work)
                                     : is->value(is->self, time, z, z + s->n, &e[k]);
  if (answer) return rattle__callback_error(answer, "event", error);
  return isnan(e[k]) ? not_a_number(s, k, time, error) : RATTLE_OK;
}

/* Derivatives by theta along the motion, by differences over a small part of the step; NaN if they
 * are not available: then pairs of zeros are not sought. */
static void find_slopes(rattle__events *s, int end, double h) {
  const double part = 0x1p-12, *z = s->z[end];
  double *slope = s->slope[end];
  for (int k = 0; k < s->count; k++) slope[k] = (double)NAN;
  if (!s->sought) return;
  rattle__probe_place(s->probe, z, z + s->n);
  if (s->forced ? rattle__probe_velocity(s->probe, s->zdot, NULL)
                : rattle__probe_field(s->probe, s->zdot, NULL))
    return;
  for (int k = 0; k < 2 * s->n; k++) s->try[k] = z[k] + part * h * s->zdot[k];
  if (evaluate(s, s->t[end] + part * h, s->try, s->values, NULL)) return;
  for (int k = 0; k < 2 * s->n; k++) s->try[k] = z[k] - part * h * s->zdot[k];
  const int failed = evaluate(s, s->t[end] - part * h, s->try, slope, NULL) != RATTLE_OK;
  for (int k = 0; k < s->count; k++)
    slope[k] = failed ? (double)NAN : (s->values[k] - slope[k]) / (2 * part);
}

/* The state as end 1. */
static rattle_status arrive(rattle__events *s, const rattle_state *state, rattle_error *error) {
  s->t[1] = rattle_integrator_time(s->integrator, state);
  s->step = state->step;
  const rattle_status status =
      rattle_integrator_output(s->integrator, state, s->z[1], s->z[1] + s->n, error);
  return status ? status : evaluate(s, s->t[1], s->z[1], s->e[1], error);
}

/* A start at which e is 0 but for round-off. */
static rattle_status clear_round_off(rattle__events *s, rattle_error *error) {
  const rattle__function *f = s->problem->events;
  if (!f) return RATTLE_OK;
  void *room = malloc(rattle__round_off_room(f) + 1);
  if (!room) return rattle__no_memory(error);
  const int numbers = 2 * s->n + (s->cites ? s->problem->cited : 0);
  const double *z = s->z[1];
  double *reach = s->cited + numbers;
  rattle_status status = complete(s, &z, error);
  for (int k = 0; k < numbers; k++) reach[k] = DBL_EPSILON * fabs(z[k]);
  if (!status && s->cites) status = rattle__probe_cite_round_off(s->probe, reach, error);
  if (!status && !rattle__round_off(f, z, reach, s->values, NULL, room))
    for (int k = 0; k < s->of_model; k++)
      if (fabs(s->e[1][k]) <= s->values[k]) s->e[1][k] = 0;
  free(room);
  return status;
}

/* --- what happens in a step ------------------------------------------------------------------- */

/* In time; changes of constraints come before other events there. */
static int comes_after(const rattle__found_event *a, const rattle__found_event *b) {
  if (a->fraction != b->fraction) return a->fraction > b->fraction;
  return a->within != b->within ? b->within : a->event > b->event;
}

/* In order, with its point. */
static rattle_status add(rattle__events *s, const rattle__found_event *new, const double *z,
                         rattle_error *error) {
  if (s->founds == s->room) {
    const int room = 2 * s->room + 4;
    rattle__found_event *grown = realloc(s->found, (size_t)room * sizeof *grown);
    if (!grown) return rattle__no_memory(error);
    s->found = grown, s->room = room;
  }
  double *copy = malloc(2 * (size_t)s->n * sizeof *copy);
  if (!copy) return rattle__no_memory(error);
  memcpy(copy, z, 2 * (size_t)s->n * sizeof *copy);
  int at = s->founds++;
  for (; at > 0; at--) {
    const rattle__found_event *before = &s->found[at - 1];
    if (!comes_after(before, new)) break;
    s->found[at] = *before;
  }
  s->found[at] = *new;
  s->found[at].z = copy;
  if (!new->within && (z == s->try || z == s->z[1]))
    s->found[at].work =
        z == s->try ? rattle__fraction_work(s->fraction) : rattle__integrator_work(s->integrator);
  return RATTLE_OK;
}

/* Part of a step in which an event is sought. */
typedef struct event_search {
  rattle__events *s;
  int event;
  double from, to, h, sign; /* of theta; e times sign */
  rattle_error *error;
} event_search;

/* e at a fraction of the part; its point is left in s->try. */
static int at_fraction(void *self, double x, double *y) {
  const event_search *part = self;
  rattle__events *s = part->s;
  const double theta = part->from + x * (part->to - part->from), length = theta * part->h;
  rattle_status status = rattle__fraction_step(s->fraction, length, s->try, part->error);
  if (!status)
    status = evaluate_one(s, part->event, s->t[0] + length, s->try, s->values, part->error);
  *y = part->sign * s->values[part->event];
  return (int)status;
}

/* True if an event in that direction is wanted. */
static int is_wanted(const rattle__sought_event *event, int direction) {
  return (!event->is.direction || event->is.direction == direction) &&
         (!event->is.count || event->number < event->is.count);
}

/* The change of constraints that is at theta, to round-off; 0: there is none. */
static int change_at(const rattle__events *s, double theta, rattle__change *change) {
  for (int i = 0; rattle__switches_change(s->integrator, i, change); i++)
    if (fabs(theta - change->fraction) <= 4 * DBL_EPSILON) return 1;
  return 0;
}

/* The zero of a part of the step at whose ends e has different signs. e may jump over 0
 * where momenta do with constraints. */
static rattle_status locate(event_search *part, const double ends[2], rattle_error *error) {
  rattle__events *s = part->s;
  const int direction = part->sign * ends[1] > 0 ? 1 : -1;
  double x, y;
  if (!is_wanted(&s->event[part->event], direction)) return RATTLE_OK;
  const rattle_status status = (rattle_status)rattle__find_zero(at_fraction, part, ends, &x, &y);
  if (status) return status;
  const double theta = part->from + x * (part->to - part->from);
  rattle__found_event new = {.event = part->event,
                             .direction = direction,
                             .fraction = theta,
                             .time = s->t[0] + theta * part->h};
  rattle__change change;
  if (change_at(s, theta, &change)) {
    new.fraction = change.fraction, new.time = change.time, new.work = change.work;
    return add(s, &new, change.z, error);
  }
  if (fabs(y) > fmax(fabs(ends[0]), fabs(ends[1]))) return RATTLE_OK; /* a pole is not a zero */
  return add(s, &new, s->try, error);
}

/* e has the same sign at both ends: where the tangents intersect beyond 0, its minimum of size is
 * sought, and zeros before and after it. */
static rattle_status seek_pair(event_search *part, double e0, double e1, rattle_error *error) {
  rattle__events *s = part->s;
  const double sign = e0 > 0 ? 1 : -1, fall = sign * s->slope[0][part->event],
               rise = sign * s->slope[1][part->event];
  const double ends[2] = {sign * e0, sign * e1};
  double x, y;
  if (!(fall < 0 && rise > 0) || ends[0] + fall * (ends[1] - rise - ends[0]) / (fall - rise) > 0)
    return RATTLE_OK;
  part->sign = sign;
  rattle_status status = (rattle_status)rattle__find_dip(at_fraction, part, ends, &x, &y);
  if (status || !(y < 0)) return status;
  part->to = x;
  status = locate(part, (double[]){ends[0], y}, error);
  part->from = x, part->to = 1;
  return status ? status : locate(part, (double[]){y, ends[1]}, error);
}

static rattle_status seek(rattle__events *s, int k, double h, rattle_error *error) {
  event_search part = {.s = s, .event = k, .to = 1, .h = h, .sign = 1, .error = error};
  const double ends[2] = {s->e[0][k], s->e[1][k]};
  const int direction = ends[0] < 0 ? 1 : -1;
  if (s->event[k].of_switch || ends[0] == 0 ||
      !(is_wanted(&s->event[k], 1) || is_wanted(&s->event[k], -1)))
    return RATTLE_OK;
  if (ends[1] == 0 && !is_wanted(&s->event[k], direction)) return RATTLE_OK;
  if (ends[1] == 0)
    return add(
        s,
        &(rattle__found_event){.event = k, .direction = direction, .fraction = 1, .time = s->t[1]},
        s->z[1], error);
  return (ends[0] > 0) == (ends[1] > 0) ? seek_pair(&part, ends[0], ends[1], error)
                                        : locate(&part, ends, error);
}

/* Changes of constraints in the step are events of that name. */
static rattle_status take_changes(rattle__events *s, rattle_error *error) {
  rattle__change is;
  rattle_status status = RATTLE_OK;
  for (int i = 0; !status && rattle__switches_change(s->integrator, i, &is); i++)
    status = add(s,
                 &(rattle__found_event){.event = s->problem->model->change[is.which].event,
                                        .direction = is.direction,
                                        .within = 1,
                                        .fraction = is.fraction,
                                        .time = is.time,
                                        .work = is.work},
                 is.z, error);
  return status;
}

/* --- output at given times -------------------------------------------------------------------- */

/* Times that are the same to round-off. */
static int coincide(double a, double b) {
  return fabs(a - b) <= 4 * DBL_EPSILON * fmax(fabs(a), fabs(b));
}

/* After end 0, up to end 1. */
static int is_in_step(const rattle__events *s, double time) {
  return coincide(time, s->t[1]) || (!coincide(time, s->t[0]) && (time - s->t[0]) * s->sign > 0 &&
                                     (time - s->t[1]) * s->sign < 0);
}

static rattle_status output_at(rattle__events *s, double time, rattle_error *error) {
  rattle__found_event new = {.event = s->count, .fraction = 1, .time = s->t[1]};
  if (coincide(time, s->t[1])) return add(s, &new, s->z[1], error);
  new.time = time;
  new.fraction = (time - s->t[0]) / (s->t[1] - s->t[0]);
  const rattle_status status = rattle__fraction_step(s->fraction, time - s->t[0], s->try, error);
  return status ? status : add(s, &new, s->try, error);
}

/* The time of each output in the step; `start` is that of the run. */
static rattle_status seek_times(rattle__events *s, double start, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  const rattle_events *given = &s->given;
  for (int i = 0; i < given->time_count && !status; i++)
    if (is_in_step(s, given->times[i])) status = output_at(s, given->times[i], error);
  if (!status && given->end && is_in_step(s, *given->end))
    status = output_at(s, *given->end, error);
  if (!(given->time_step > 0)) return status;
  const double by = s->sign * given->time_step;
  for (double k = fmax(1, floor((s->t[0] - start) / by)); !status; k++) {
    const double time = start + k * by;
    if ((time - s->t[1]) * s->sign > 0 && !coincide(time, s->t[1])) break;
    if (is_in_step(s, time)) status = output_at(s, time, error);
  }
  return status;
}

/* --- entries ---------------------------------------------------------------------------------- */

rattle_status rattle__events_begin(rattle__events *s, const rattle_state *state,
                                   rattle_error *error) {
  s->sign = state->h > 0 ? 1 : -1;
  rattle_status status = arrive(s, state, error);
  if (!status && state->step == 0) status = clear_round_off(s, error);
  if (status) return status;
  find_slopes(s, 1, state->h);
  for (int i = 0; i < s->given.time_count && !status; i++)
    if (coincide(s->given.times[i], s->t[1]))
      status = add(s, &(rattle__found_event){.event = s->count, .time = s->t[1]}, s->z[1], error);
  return status;
}

void rattle__events_leave(rattle__events *s, const rattle_state *state) {
  rattle__fraction_leave(s->fraction, state);
}

rattle_status rattle__events_stand(rattle__events *s, const rattle_state *state,
                                   rattle_error *error) {
  const rattle_status status = arrive(s, state, error);
  if (!status) find_slopes(s, 1, state->h);
  return status;
}

rattle_status rattle__events_come(rattle__events *s, const rattle_state *state,
                                  rattle_error *error) {
  const rattle_status status = rattle__events_stand(s, state, error);
  if (!status) rattle__events_leave(s, state);
  return status;
}

static void swap(double **a) {
  double *other = a[0];
  a[0] = a[1], a[1] = other;
}

/* The step has been searched up to z[1], as it was before the samples of controllers at its end:
 * what jumps there over 0 is an event at that time. */
static rattle_status jump(rattle__events *s, const rattle_state *state, double h,
                          rattle_error *error) {
  swap(s->e);
  rattle_status status = arrive(s, state, error);
  for (int k = 0; k < s->count && !status; k++) {
    const double left = s->e[0][k], right = s->e[1][k];
    const rattle__found_event new = {
        .event = k, .direction = right > left ? 1 : -1, .fraction = 1, .time = s->t[1]};
    if (left != 0 && (left > 0) != (right > 0) && is_wanted(&s->event[k], new.direction))
      status = add(s, &new, s->z[1], error);
  }
  if (!status) find_slopes(s, 1, h);
  return status;
}

rattle_status rattle__events_step(rattle__events *s, const rattle_state *state,
                                  rattle_error *error) {
  rattle__events_drop(s);
  if (state->step == s->step) return RATTLE_OK; /* all steps up to it were calm */
  s->t[0] = s->t[1];
  swap(s->e), swap(s->slope), swap(s->z);
  rattle_status status = arrive(s, state, error);
  if (status) return status;
  const double h = s->adapts ? s->t[1] - s->t[0] : state->h;
  const int jumps = rattle__controllers_before(s->integrator, state->step, s->z[1]);
  if (jumps) status = evaluate(s, s->t[1], s->z[1], s->e[1], error);
  find_slopes(s, 1, h);
  for (int k = 0; k < s->count && !status; k++) status = seek(s, k, h, error);
  if (!status && jumps) status = jump(s, state, h, error);
  if (!status) status = take_changes(s, error);
  return status || !s->has_at ? status : seek_times(s, state->t0, error);
}

int rattle__events_take(rattle__events *s, rattle_occurrence *occurrence, rattle_sample *sample,
                        const double **z) {
  for (; s->taken < s->founds; s->taken++) {
    const rattle__found_event *next = &s->found[s->taken];
    rattle__sought_event *event = &s->event[next->event];
    if (!isnan(event->last) && (next->time - event->last) * s->sign <= 0)
      continue; /* it is known */
    if (event->is.count && event->number >= event->is.count) continue;
    event->number++;
    event->last = next->time;
    const int end = next->event == s->count && s->given.end && coincide(next->time, *s->given.end);
    *occurrence =
        (rattle_occurrence){.event = next->event,
                            .name = event->is.name,
                            .number = event->number,
                            .direction = next->direction,
                            .ends = end || (event->is.stop && event->number == event->is.count),
                            .fraction = next->fraction,
                            .sample = sample};
    *sample = (rattle_sample){.step = s->step - (next->fraction > 0 || next->within),
                              .time = next->time,
                              .work = next->work};
    *z = next->z;
    s->taken++;
    return 1;
  }
  return 0;
}

int rattle__events_is_output(const rattle__events *s, int event) {
  return event == s->count;
}

void rattle__events_back(rattle__events *s, rattle_state *state) {
  rattle__fraction_back(s->fraction, state);
}
