/* Cases by the driver of runs, with its observers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "runs/ensemble/worker.h"

typedef rattle__member member;

int rattle__seeks_events(const rattle__worker *w, const rattle_problem *problem) {
  const rattle_model *model = rattle_problem_model(problem);
  return w->shared->options->events || (model && rattle_model_events(model) > 0);
}

/* The event that ends the run gives the end. */
static rattle_status hear_end(void *self, const rattle_occurrence *occurrence,
                              rattle_error *error) {
  member *m = self;
  (void)error;
  if (!occurrence->ends) return RATTLE_OK;
  m->end = occurrence->sample->time;
  memcpy(m->q1, occurrence->sample->q, (size_t)m->n * sizeof *m->q1);
  memcpy(m->p1, occurrence->sample->p, (size_t)m->n * sizeof *m->p1);
  return RATTLE_OK;
}

/* Room for extremes, where they are kept. */
static rattle_status make_extremes(member *m, rattle_extreme **extremes, rattle_error *error) {
  rattle__worker *w = m->w;
  const rattle_model *model = rattle_problem_model(m->problem);
  const int count = model ? rattle_model_observables(model) : 0;
  if (!(w->shared->options->keep & RATTLE_KEEP_EXTREMES) || !count) return RATTLE_OK;
  if (count > w->room_extremes) {
    rattle_extreme *grown = realloc(w->extremes, (size_t)count * sizeof *grown);
    if (!grown) return rattle__no_memory(error);
    w->extremes = grown, w->room_extremes = count;
  }
  for (int i = 0; i < count; i++)
    w->extremes[i] =
        (rattle_extreme){(double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN};
  *extremes = w->extremes, m->extremes = 1;
  return RATTLE_OK;
}

rattle_status rattle__member_drive(member *m, rattle_error *error) {
  const rattle_ensemble_options *o = m->w->shared->options;
  const int keep = o->keep & (RATTLE_KEEP_EVENTS | RATTLE_KEEP_SAMPLES);
  rattle_observer *observer[2];
  int observers = 0;
  rattle_status status =
      keep ? rattle_trajectory_create(&m->trajectory, m->problem, error) : RATTLE_OK;
  rattle_extreme *extremes = NULL;
  if (!status) status = make_extremes(m, &extremes, error);
  if (status) return status;
  if (keep) {
    m->keeper = *rattle_trajectory_observer(m->trajectory);
    if (!(keep & RATTLE_KEEP_SAMPLES)) m->keeper.record = NULL;
    if (!(keep & RATTLE_KEEP_EVENTS)) m->keeper.event = NULL;
    observer[observers++] = &m->keeper;
  }
  m->ender = (rattle_observer){.struct_size = sizeof m->ender, .self = m, .event = hear_end};
  if (rattle__seeks_events(m->w, m->problem)) observer[observers++] = &m->ender;
  const rattle_run_options how = {.struct_size = sizeof how,
                                  .steps = m->c.steps,
                                  .every = o->every > 0 ? o->every : 1,
                                  .initial_energy = (double)NAN,
                                  .interrupt = m->w->shared->flag,
                                  .until = m->c.until,
                                  .events = o->events,
                                  .extremes = extremes};
  m->summary = (rattle_summary){.struct_size = sizeof m->summary};
  m->ran = 1;
  return rattle_run(m->integrator, &m->state, &how, observer, observers, &m->summary, error);
}
