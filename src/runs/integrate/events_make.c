/* Events of a run: which there are, and their room (events.c). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/support/sized.h"
#include "problem/model/model.h"
#include "runs/integrate/events_state.h"
#include "runs/integrate/run_hooks.h"

static rattle_status check_event(const rattle__events *s, int k, rattle_error *error) {
  const rattle_event *event = &s->event[k].is;
  const rattle_status status = rattle__model_check_name("event", event->name, error);
  if (status) return status;
  if (!event->value)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, event->name,
                        "the event \"%s\" has no function: its value is NULL", event->name);
  if (event->direction < -1 || event->direction > 1 || event->count < 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, event->name,
                        "the event \"%s\" has the direction %d and the count %lld: expected -1, 0 "
                        "or 1, and 0 or more",
                        event->name, event->direction, event->count);
  int taken = !strcmp(event->name, "at");
  for (int i = 0; i < k; i++) taken |= !strcmp(event->name, s->event[i].is.name);
  return taken ? rattle__fail(error, RATTLE_BAD_ARGUMENT, event->name,
                              "the name \"%s\" of an event is taken", event->name)
               : RATTLE_OK;
}

static rattle_status check_times(const rattle_events *given, rattle_error *error) {
  if (given->count < 0 || given->time_count < 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "events",
                        "a number of events or times is negative");
  for (int i = 0; i < given->time_count; i++)
    if (!isfinite(given->times[i]))
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, "times",
                          "output was requested at time %g; times must be finite", given->times[i]);
  if (!(given->time_step >= 0) || !isfinite(given->time_step))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "times",
                        "output was requested by a time step of %g; it must be above 0, and finite",
                        given->time_step);
  if (given->end && !isfinite(*given->end))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "end", "the end time is %g; it must be finite",
                        *given->end);
  return RATTLE_OK;
}

/* True if e depends on momenta, which multipliers change. */
static int needs_multipliers(const rattle__events *s) {
  const rattle__function *f = s->problem->events;
  if (s->count > s->of_model) return 1;
  for (int k = 0; f && k < f->jac_nnz; k++)
    if (f->jac_col[k] >= s->n) return 1;
  return !(s->problem->flags & RATTLE_HOLONOMIC);
}

static rattle_status make_room(rattle__events *s, rattle_error *error) {
  const size_t nz = 2 * (size_t)s->n, all = (size_t)s->count + 1,
               work = s->problem->events ? s->problem->events->work : 0;
  const size_t entries = s->problem->events ? (size_t)s->problem->events->jac_nnz : 0,
               cited = 2 * (nz + (size_t)s->problem->cited);
  double *room = calloc(4 * nz + 9 * all + entries + cited + work, sizeof *room);
  if (!room) return rattle__no_memory(error);
  s->memory = room;
  for (int end = 0; end < 2; end++) s->z[end] = room + (size_t)end * nz;
  s->zdot = s->z[1] + nz, s->try = s->zdot + nz;
  s->e[0] = s->try + nz, s->e[1] = s->e[0] + all, s->slope[0] = s->e[1] + all,
  s->slope[1] = s->slope[0] + all;
  s->values = s->slope[1] + all;
  s->calm_e[0] = s->values + all, s->calm_e[1] = s->calm_e[0] + all;
  s->calm_d[0] = s->calm_e[1] + all, s->calm_d[1] = s->calm_d[0] + all;
  s->J = s->calm_d[1] + all, s->cited = s->J + entries, s->work = s->cited + cited;
  return RATTLE_OK;
}

static rattle_status gather(rattle__events *s, rattle_error *error) {
  const rattle_model *model = s->problem->model;
  rattle_status status = RATTLE_OK;
  for (int k = 0; k < s->of_model; k++) {
    const rattle__model_event *event = &model->event[k];
    s->event[k].of_switch = 1 + rattle__model_switch_of(model, k);
    s->event[k].is = (rattle_event){.name = event->is.name,
                                    .direction = event->direction,
                                    .count = event->count,
                                    .stop = event->stop};
  }
  for (int k = s->of_model; k < s->count && !status; k++) {
    status = RATTLE__TAKE_ELEMENT(&s->event[k].is, rattle_event, reserved, s->given.event,
                                  k - s->of_model, error);
    if (!status) status = check_event(s, k, error);
  }
  s->event[s->count].is = (rattle_event){.name = "at"};
  for (int k = 0; k < s->count; k++) s->sought += !s->event[k].of_switch;
  for (int k = 0; k < s->count + s->has_at; k++) {
    rattle__sought_event *event = &s->event[k];
    if (event->is.stop && !event->is.count) event->is.count = 1;
    event->number = s->given.counts ? s->given.counts[k] : 0;
    event->last = s->given.last ? s->given.last[k] : (double)NAN;
  }
  return status;
}

static int is_needed(const rattle__events *s, int heard) {
  int needed = s->given.end != NULL;
  for (int k = 0; k < s->count; k++) needed |= heard || s->event[k].is.stop;
  return needed || (heard && s->has_at);
}

static rattle_status make(rattle__events *s, rattle_error *error) {
  rattle_status status = check_times(&s->given, error);
  if (status) return status;
  const rattle_model *model = s->problem->model;
  s->n = rattle_problem_n(s->problem);
  s->of_model = model ? model->events : 0;
  s->count = s->of_model + s->given.count;
  s->has_at = s->given.time_count > 0 || s->given.time_step > 0 || s->given.end;
  s->adapts = rattle_method_adapts(rattle_integrator_method(s->integrator));
  s->forced = needs_multipliers(s);
  s->cites = rattle__cites(s->problem, s->problem->events);
  s->event = calloc((size_t)s->count + 1, sizeof *s->event);
  if (!s->event) return rattle__no_memory(error);
  status = gather(s, error);
  if (!status) status = make_room(s, error);
  if (!status)
    status = rattle__probe_create(&s->probe, s->problem, RATTLE__PROBE_MULTIPLIERS, error);
  return status ? status : rattle__fraction_create(&s->fraction, s->integrator, error);
}

rattle_status rattle__events_create(rattle__events **events, rattle_integrator *integrator,
                                    const rattle_events *given, int heard, rattle_error *error) {
  rattle__events *s = *events = calloc(1, sizeof *s);
  if (!s) return rattle__no_memory(error);
  s->integrator = integrator;
  s->problem = rattle__integrator_problem(integrator);
  rattle_status status = RATTLE__TAKE(&s->given, rattle_events, last, given, error);
  if (!status) status = make(s, error);
  if (status || !is_needed(s, heard)) rattle__events_destroy(events);
  return status;
}

void rattle__events_drop(rattle__events *s) {
  for (int i = 0; i < s->founds; i++) free(s->found[i].z);
  s->founds = s->taken = 0;
}

void rattle__events_destroy(rattle__events **events) {
  rattle__events *s = *events;
  if (!s) return;
  rattle__events_drop(s);
  rattle__probe_destroy(&s->probe);
  rattle__fraction_destroy(&s->fraction);
  free(s->memory);
  free(s->event);
  free(s->found);
  free(s);
  *events = NULL;
}
