/* Samples and events of a run, for its observers.
 *
 * Symbols: q[n], p[n] the sample's point (slid onto psi = 0 if the method steps without); g[m],
 * psi[m] residuals there; N_ij = {{H,g_i},g_j}. */
#include "runs/integrate/run_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runs/integrate/run_hooks.h"
#include "ground/support/error.h"
#include "ground/support/largest.h"
#include "ground/support/sized.h"

double rattle__run_time(const rattle__run *d) {
  return rattle_integrator_time(d->integrator, d->state);
}

int rattle__run_is_over(const rattle__run *d) {
  return d->state->step >= d->last ||
         (d->until && (rattle__run_time(d) - *d->until) * d->state->h >= 0);
}

static double greater(double a, double b) {
  return b > a ? b : a;
}

/* How often N can be evaluated without dominating the cost of the run: at most 1000 times, and for
 * large m, where a look is a sparse factorisation and some tens of solutions, as often as is the
 * price of the steps. */
static long long looks(int m, long long steps) {
  long long most = m > 30 ? steps / 30 : 1000;
  return most > 1000 ? 1000 : most < 2 ? 2 : most;
}

long long rattle__run_looks_every(int m, long long steps, long long every) {
  const long long samples = steps / every, most = looks(m, steps);
  return every * (samples <= most ? 1 : (samples + most - 1) / most);
}

/* Chooses the steps with samples. Without an observer that records they only serve the summary and
 * are thinned to the points at which N is evaluated; these are the same with and without a
 * record. */
void rattle__run_plan_samples(rattle__run *d) {
  const long long every = d->options->every;
  d->degenerate_every = rattle__run_looks_every(d->m, d->expected, every);
  d->every = d->recording ? every : d->degenerate_every;
}

rattle_status rattle__run_make_room(rattle__run *d, rattle_error *error) {
  size_t n = (size_t)d->n, m = (size_t)d->m, extra = (size_t)rattle_integrator_extra(d->integrator);
  d->room =
      calloc(2 * n + 3 * m + 2 * (size_t)d->observables + extra + rattle__energy_room(d->problem),
             sizeof *d->room);
  if (!d->room) return rattle__no_memory(error);
  d->q = d->room, d->p = d->q + n, d->g = d->p + n, d->psi = d->g + m, d->multipliers = d->psi + m;
  d->observed = d->multipliers + m, d->noted = d->observed + d->observables;
  d->extra = d->noted + d->observables, d->energies = d->extra + extra;
  return rattle__probe_create(&d->probe, d->problem, RATTLE__PROBE_MULTIPLIERS, error);
}

/* Smallest singular value of N at the sample; a point at which it is not available counts as 0. */
static void look_at_nondegeneracy(rattle__run *d, double time) {
  double smallest;
  if (rattle__probe_nondegeneracy(d->probe, &smallest, NULL, NULL)) smallest = 0;
  if (isnan(smallest)) return; /* N is too large to be computed */
  if (!(smallest >= d->summary.min_singular_value)) {
    d->summary.min_singular_value = smallest;
    d->summary.min_singular_time = time;
  }
}

/* Fills the columns that only a record needs. A multiplier or observable that cannot be computed at
 * a point is NaN there and ends nothing. */
static void fill_for_record(rattle__run *d) {
  if (d->m > 0 && rattle__probe_multipliers_of_all(d->probe, d->multipliers, NULL))
    for (int i = 0; i < d->m; i++) d->multipliers[i] = (double)NAN;
  if (d->observables > 0 && rattle__probe_observe(d->probe, d->observed, NULL))
    for (int i = 0; i < d->observables; i++)
      if (!isfinite(d->observed[i])) d->observed[i] = (double)NAN;
}

/* The point in q, p. */
static rattle_status fill_point(rattle__run *d, rattle_sample *sample, rattle_error *error) {
  rattle__probe_place(d->probe, d->q, d->p);
  rattle_status status = rattle__probe_energy(d->probe, &sample->energy, error);
  if (!status) status = rattle__probe_residuals(d->probe, d->g, d->psi, error);
  sample->q = d->q, sample->p = d->p, sample->g = d->g, sample->psi = d->psi;
  sample->multipliers = d->multipliers, sample->observed = d->observed;
  if (d->problem->clock) sample->supplied = 0 - d->p[d->problem->clock - 1]; /* no -0 */
  sample->energy_scale = d->summary.energy_scale, sample->energy -= sample->work;
  return status;
}

/* Takes a sample into the summary, and gives it the state from which the run goes on. */
static void note_sample(rattle__run *d, rattle_sample *sample, int look) {
  d->sampled = d->state->step;
  d->summary.work = sample->work;
  d->summary.energy_final = sample->energy;
  d->summary.g_final = rattle__largest(d->g, d->m),
  d->summary.psi_final = rattle__largest(d->psi, d->m);
  d->sample_g = greater(d->sample_g, d->summary.g_final),
  d->sample_psi = greater(d->sample_psi, d->summary.psi_final);
  if (d->m > 0 && look) look_at_nondegeneracy(d, sample->time);
  rattle_integrator_get_extra(d->integrator, d->extra);
  sample->state_q = d->state->q, sample->state_p = d->state->p;
  sample->extra_size = rattle_integrator_extra(d->integrator);
  sample->extra = sample->extra_size > 0 ? d->extra : NULL;
}

static rattle_status fill_sample(rattle__run *d, rattle_sample *sample, rattle_error *error) {
  const rattle_state *state = d->state;
  *sample = (rattle_sample){.step = state->step, .time = rattle__run_time(d)};
  sample->work = rattle_integrator_work(d->integrator, state);
  rattle_status status = rattle_integrator_output(d->integrator, state, d->q, d->p, error);
  if (!status) status = fill_point(d, sample, error);
  if (status) {
    if (error && error->step < 0) error->step = state->step, error->time = sample->time;
    return status;
  }
  note_sample(d, sample,
              state->step % d->degenerate_every == 0 || state->step == d->first ||
                  rattle__run_is_over(d));
  if (d->recording) fill_for_record(d);
  return RATTLE_OK;
}

rattle_status rattle__run_sample(rattle__run *d, rattle_sample *sample, rattle_error *error) {
  const rattle_status status = fill_sample(d, sample, error);
  return rattle__answers_end(d->answers, status, error);
}

rattle_status rattle__run_hand_out(rattle__run *d, const rattle_sample *sample,
                                   rattle_error *error) {
  for (int i = 0; i < d->begun; i++) {
    rattle_observer *observer = d->observers[i];
    if (!observer->record) continue;
    rattle_status status = observer->record(observer->self, sample, error);
    if (status) return status;
  }
  return RATTLE_OK;
}

rattle_status rattle__run_take_sample(rattle__run *d, rattle_error *error) {
  rattle_sample sample;
  rattle_status status = rattle__run_sample(d, &sample, error);
  return status ? status : rattle__run_hand_out(d, &sample, error);
}

int rattle__run_hears_events(const rattle_observer *observer) {
  return observer->struct_size >= RATTLE__UP_TO(rattle_observer, event) && observer->event;
}

static rattle_status hand_out_event(rattle__run *d, const rattle_occurrence *occurrence,
                                    rattle_error *error) {
  rattle_status status = RATTLE_OK;
  for (int i = 0; i < d->begun && !status; i++)
    if (rattle__run_hears_events(d->observers[i]))
      status = d->observers[i]->event(d->observers[i]->self, occurrence, error);
  return status;
}

/* The run ends at an event. Within a step its point, which is in q and p, is the last sample, and
 * the state is the whole step before; at the end of a step that step is the last sample, as of any
 * run. */
static rattle_status end_at(rattle__run *d, const rattle_occurrence *occurrence,
                            rattle_sample *sample, rattle_error *error) {
  const int within = occurrence->fraction < 1 && d->state->step > sample->step;
  if (!rattle__events_is_output(d->events, occurrence->event))
    d->summary.ended_by = occurrence->event;
  if (within) rattle__events_back(d->events, d->state);
  d->last = d->state->step;
  if (!within) return RATTLE_OK;
  d->end = sample->time;
  rattle__run_note_end(d, sample->time);
  sample->fraction = occurrence->fraction;
  note_sample(d, sample, 1);
  return rattle__run_hand_out(d, sample, error);
}

rattle_status rattle__run_take_events(rattle__run *d, rattle_error *error) {
  rattle_occurrence occurrence = {0};
  rattle_sample sample;
  const double *z;
  rattle_status status = RATTLE_OK;
  while (!status && !occurrence.ends && rattle__events_take(d->events, &occurrence, &sample, &z)) {
    memcpy(d->q, z, (size_t)d->n * sizeof *z);
    memcpy(d->p, z + d->n, (size_t)d->n * sizeof *z);
    status = rattle__answers_end(d->answers, fill_point(d, &sample, error), error);
    if (!status) fill_for_record(d);
    if (!status) status = hand_out_event(d, &occurrence, error);
    if (!status && occurrence.ends) status = end_at(d, &occurrence, &sample, error);
  }
  return status;
}

rattle_status rattle__run_seek_events(rattle__run *d, rattle_error *error) {
  rattle_status status = rattle__events_step(d->events, d->state, error);
  status = rattle__answers_end(d->answers, status, error);
  if (status && error && error->step < 0)
    error->step = d->state->step, error->time = rattle__run_time(d);
  return status ? status : rattle__run_take_events(d, error);
}
