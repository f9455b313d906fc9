/* Output at given times of cases that keep only that and the end: the driver of runs makes the
 * steps around each time, as in a resumed run; all other steps are made alone, also in lanes. The
 * choice of this way does not depend on lanes. */
#include <math.h>

#include "runs/ensemble/worker.h"
#include "ground/support/sized.h"

/* The driver's steps around a time take as long as about so many alone: with more times than that
 * it makes all steps. */
enum { SPARSE = 100, BEFORE = 1, AFTER = 2 };

static int are_times_alone(const rattle_events *e) {
  if (!e || e->struct_size < RATTLE__UP_TO(rattle_events, last)) return 0;
  int finite = e->time_count > 0 && e->times && !e->count && !(e->time_step > 0) && !e->end &&
               !e->counts && !e->last;
  for (int i = 0; i < e->time_count && finite; i++) finite = isfinite(e->times[i]) != 0;
  return finite;
}

int rattle__case_has_outputs(const rattle__worker *w, const rattle_case *c,
                             const rattle_problem *problem) {
  const rattle_ensemble_options *o = w->shared->options;
  const rattle_model *model = rattle_problem_model(problem);
  return o->keep & RATTLE_KEEP_EVENTS &&
         !(o->keep & ~(RATTLE_KEEP_EVENTS | RATTLE_KEEP_OBSERVABLES)) && !c->until &&
         are_times_alone(o->events) && (double)o->events->time_count * SPARSE <= (double)c->steps &&
         !(model && rattle_model_events(model));
}

/* The steps around the next time that is not yet behind the case: from *first, which is not before
 * the present one, to *last; none: both are its end. */
static void find_next(const rattle__member *m, long long *first, long long *last) {
  const rattle_events *e = m->w->shared->options->events;
  const double steps = (double)m->c.steps, now = (double)m->state.step;
  double from = steps, to = steps;
  for (int i = 0; i < e->time_count; i++) {
    const double at = floor((e->times[i] - m->c.start) / m->c.step), begin = fmax(at - BEFORE, now),
                 end = fmin(at + AFTER, steps);
    if (end > now && begin < from) from = begin, to = end;
  }
  *first = (long long)from, *last = (long long)to;
}

rattle_status rattle__member_plan_outputs(rattle__member *m, rattle_error *error) {
  long long unused;
  find_next(m, &m->pause, &unused);
  return rattle_trajectory_create(&m->trajectory, m->problem, error);
}

rattle_status rattle__member_pass_output(rattle__member *m, rattle_error *error) {
  const rattle_ensemble_options *o = m->w->shared->options;
  const rattle_samples *known = rattle_trajectory_event(m->trajectory, 0);
  const long long count = known ? known->count : 0;
  const double latest = count ? known->time[count - 1] : (double)NAN;
  rattle_events events = *o->events;
  events.counts = &count, events.last = &latest;
  rattle_observer keeper = *rattle_trajectory_observer(m->trajectory), *const observer[] = {
                                                                           &keeper};
  keeper.record = NULL;
  long long first, last;
  find_next(m, &first, &last);
  const rattle_run_options how = {.struct_size = sizeof how,
                                  .steps = last - m->state.step,
                                  .every = last,
                                  .initial_energy = (double)NAN,
                                  .interrupt = m->w->shared->flag,
                                  .events = &events};
  rattle_summary unused = {.struct_size = sizeof unused};
  const rattle_status status =
      rattle_run(m->integrator, &m->state, &how, observer, 1, &unused, error);
  find_next(m, &m->pause, &last);
  return status;
}
