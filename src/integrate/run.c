/* The driver of runs: many steps of an integrator with samples for observers.
 *
 * Steps are made in stretches: up to the next sample, and never longer than about 30 ms, so that the stop flag is seen and
 * progress reported in time while the loop itself costs nothing per step. H is watched at every step inside a stretch.
 *
 * Symbols: q[n], p[n] the sample's point (slid onto psi = 0 if the method steps without); g[m], psi[m] residuals there;
 * [low, high] the range of H over all steps; N_ij = {{H,g_i},g_j}. */
#include "rattle/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/error.h"
#include "support/sized.h"
#include "problem/probe.h"
#include "integrate/events.h"
#include "integrate/run_hooks.h"
#include "support/largest.h"

static const double stretch_seconds = 0.03, progress_seconds = 0.1;
/* A compiler takes some tenths of a second: it is started once a run has shown that it will take longer. */
static const double compile_seconds = 0.3;

typedef struct driver {
  rattle_integrator *integrator;
  const rattle_problem *problem;
  rattle__probe *probe; /* evaluates the samples */
  rattle_state *state;
  const rattle_run_options *options;
  rattle_observer *const *observers;
  int observer_count, begun; /* begun: how many observers have begun */
  int n, m, observables, recording;
  long long every;                /* samples at step numbers divisible by it */
  long long degenerate_every;     /* N is evaluated if the step number is divisible by it */
  long long first, last, sampled; /* step numbers: start, wanted end, of the last sample taken */
  long long expected;             /* steps; if they adapt, those of h that the time would take */
  const double *until;            /* if steps adapt: the time wanted, or NULL */
  double low, high;
  double sample_g, sample_psi; /* largest residuals over the samples */
  double clock;                /* at the start of the run */
  double *room, *q, *p, *g, *psi, *multipliers, *observed, *extra, *energies;
  rattle__answers *answers; /* of callbacks, in the integrator */
  rattle__events *events;   /* NULL: none are sought */
  rattle_summary summary;
} driver;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double time_of(const driver *d) {
  return rattle_integrator_time(d->integrator, d->state);
}

/* Whether the state is that of the end. */
static int is_over(const driver *d) {
  return d->state->step >= d->last || (d->until && (time_of(d) - *d->until) * d->state->h >= 0);
}

/* Steps of h to the time wanted; 1023/0.025 is 40920 though neither number is exact in binary. */
static long long steps_until(const driver *d) {
  const double exact = (*d->options->until - time_of(d)) / d->state->h, nearest = round(exact);
  if (!(exact > 0)) return 0;
  if (!(exact < (double)d->options->steps)) return d->options->steps;
  return (long long)(fabs(exact - nearest) <= 1e-12 * nearest ? nearest : ceil(exact));
}

static double greater(double a, double b) {
  return b > a ? b : a;
}

/* How often N can be evaluated without dominating the cost of the run: at most 1000 times, and for large m, where a look is a sparse
 * factorisation and some tens of solutions, as often as is the price of the steps. */
static long long looks(int m, long long steps) {
  long long most = m > 30 ? steps / 30 : 1000;
  return most > 1000 ? 1000 : most < 2 ? 2 : most;
}

/* Where samples are taken. Without an observer that records they only serve the summary and are thinned to the points where N is
 * evaluated, which are the same with and without a record. */
static void plan_samples(driver *d) {
  long long every = d->options->every, samples = d->expected / every, most = looks(d->m, d->expected);
  d->degenerate_every = every * (samples <= most ? 1 : (samples + most - 1) / most);
  d->every = d->recording ? every : d->degenerate_every;
}

static rattle_status make_room(driver *d, rattle_error *error) {
  size_t n = (size_t)d->n, m = (size_t)d->m, extra = (size_t)rattle_integrator_extra(d->integrator);
  d->room = calloc(2 * n + 3 * m + (size_t)d->observables + extra + rattle__energy_room(d->problem), sizeof *d->room);
  if (!d->room) return rattle__no_memory(error);
  d->q = d->room, d->p = d->q + n, d->g = d->p + n, d->psi = d->g + m, d->multipliers = d->psi + m;
  d->observed = d->multipliers + m, d->extra = d->observed + d->observables, d->energies = d->extra + extra;
  return rattle__probe_create(&d->probe, d->problem, RATTLE__PROBE_MULTIPLIERS, error);
}

/* Smallest singular value of N at the sample; a point at which it is not available counts as 0. */
static void look_at_nondegeneracy(driver *d, double time) {
  double smallest;
  if (rattle__probe_nondegeneracy(d->probe, &smallest, NULL, NULL)) smallest = 0;
  if (isnan(smallest)) return; /* N is too large to be computed */
  if (!(smallest >= d->summary.min_singular_value)) {
    d->summary.min_singular_value = smallest;
    d->summary.min_singular_time = time;
  }
}

/* What only a record needs. A multiplier or observable that cannot be computed at a point is NaN there and ends nothing. */
static void fill_for_record(driver *d) {
  if (d->m > 0 && rattle__probe_multipliers_of_all(d->probe, d->multipliers, NULL))
    for (int i = 0; i < d->m; i++) d->multipliers[i] = (double)NAN;
  if (d->observables > 0 && rattle__probe_observe(d->probe, d->observed, NULL))
    for (int i = 0; i < d->observables; i++)
      if (!isfinite(d->observed[i])) d->observed[i] = (double)NAN;
}

/* The point in q, p. */
static rattle_status fill_point(driver *d, rattle_sample *sample, rattle_error *error) {
  rattle__probe_place(d->probe, d->q, d->p);
  rattle_status status = rattle__probe_energy(d->probe, &sample->energy, error);
  if (!status) status = rattle__probe_residuals(d->probe, d->g, d->psi, error);
  sample->q = d->q, sample->p = d->p, sample->g = d->g, sample->psi = d->psi;
  sample->multipliers = d->multipliers, sample->observed = d->observed;
  sample->energy_scale = d->summary.energy_scale, sample->energy -= sample->work;
  return status;
}

static rattle_status fill_sample(driver *d, rattle_sample *sample, rattle_error *error) {
  const rattle_state *state = d->state;
  *sample = (rattle_sample){.step = state->step, .time = time_of(d), .state_q = state->q, .state_p = state->p};
  d->summary.work = sample->work = rattle_integrator_work(d->integrator, state);
  rattle_status status = rattle_integrator_output(d->integrator, state, d->q, d->p, error);
  if (!status) status = fill_point(d, sample, error);
  if (status) {
    if (error && error->step < 0) error->step = state->step, error->time = sample->time;
    return status;
  }
  d->sampled = state->step;
  d->summary.energy_final = sample->energy;
  d->summary.g_final = rattle__largest(d->g, d->m), d->summary.psi_final = rattle__largest(d->psi, d->m);
  d->sample_g = greater(d->sample_g, d->summary.g_final), d->sample_psi = greater(d->sample_psi, d->summary.psi_final);
  if (d->m > 0 && (state->step % d->degenerate_every == 0 || state->step == d->first || is_over(d)))
    look_at_nondegeneracy(d, sample->time);
  if (d->recording) fill_for_record(d);
  rattle_integrator_get_extra(d->integrator, d->extra);
  sample->extra_size = rattle_integrator_extra(d->integrator);
  sample->extra = sample->extra_size > 0 ? d->extra : NULL;
  return RATTLE_OK;
}

/* Computes the sample at the present state. */
static rattle_status sample_here(driver *d, rattle_sample *sample, rattle_error *error) {
  const rattle_status status = fill_sample(d, sample, error);
  return rattle__answers_end(d->answers, status, error);
}

static rattle_status hand_out(driver *d, const rattle_sample *sample, rattle_error *error) {
  for (int i = 0; i < d->begun; i++) {
    rattle_observer *observer = d->observers[i];
    if (!observer->record) continue;
    rattle_status status = observer->record(observer->self, sample, error);
    if (status) return status;
  }
  return RATTLE_OK;
}

static rattle_status take_sample(driver *d, rattle_error *error) {
  rattle_sample sample;
  rattle_status status = sample_here(d, &sample, error);
  return status ? status : hand_out(d, &sample, error);
}

static int hears_events(const rattle_observer *observer) {
  return observer->struct_size >= RATTLE__UP_TO(rattle_observer, event) && observer->event;
}

static rattle_status hand_out_event(driver *d, const rattle_occurrence *occurrence, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  for (int i = 0; i < d->begun && !status; i++)
    if (hears_events(d->observers[i])) status = d->observers[i]->event(d->observers[i]->self, occurrence, error);
  return status;
}

/* What has happened since the last whole step, up to what ends the run: then the state is that of this step again. */
static rattle_status take_events(driver *d, rattle_error *error) {
  rattle_occurrence occurrence;
  rattle_sample sample;
  const double *z;
  rattle_status status = RATTLE_OK;
  while (!status && d->summary.ended_by < 0 && rattle__events_take(d->events, &occurrence, &sample, &z)) {
    memcpy(d->q, z, (size_t)d->n * sizeof *z);
    memcpy(d->p, z + d->n, (size_t)d->n * sizeof *z);
    status = rattle__answers_end(d->answers, fill_point(d, &sample, error), error);
    if (!status) fill_for_record(d);
    if (!status) status = hand_out_event(d, &occurrence, error);
    if (status || !occurrence.ends) continue;
    d->summary.ended_by = occurrence.event;
    if (occurrence.fraction < 1 && d->state->step > sample.step) rattle__events_back(d->events, d->state);
    d->last = d->state->step;
  }
  return status;
}

static rattle_status seek_events(driver *d, rattle_error *error) {
  rattle_status status = rattle__events_step(d->events, d->state, error);
  status = rattle__answers_end(d->answers, status, error);
  if (status && error && error->step < 0) error->step = d->state->step, error->time = time_of(d);
  return status ? status : take_events(d, error);
}

/* The first sample: observers begin with it, then get it. */
static rattle_status begin(driver *d, rattle_error *error) {
  rattle_sample sample;
  rattle_status status = sample_here(d, &sample, error);
  if (status) return status;
  for (int i = 0; i < d->observer_count; i++, d->begun++) {
    rattle_observer *observer = d->observers[i];
    status = observer->begin ? observer->begin(observer->self, d->integrator, &sample, error) : RATTLE_OK;
    if (status) return status;
  }
  status = hand_out(d, &sample, error);
  if (status || !d->events) return status;
  status = rattle__answers_end(d->answers, rattle__events_begin(d->events, d->state, error), error);
  return status ? status : take_events(d, error);
}

/* Brings the summary up to date with the steps done. */
static void sum_up(driver *d) {
  rattle_summary *s = &d->summary;
  rattle_residuals residuals = rattle_integrator_residuals(d->integrator);
  s->steps = d->state->step - d->first;
  s->stop = time_of(d);
  rattle_integrator_step_lengths(d->integrator, &s->shortest_step, &s->longest_step);
  s->wall_seconds = now() - d->clock;
  s->energy_max_error = greater(d->high - s->energy_initial, s->energy_initial - d->low);
  s->energy_max_relative_error = s->energy_scale > 0 ? s->energy_max_error / s->energy_scale : (double)NAN;
  s->g_max = greater(d->sample_g, residuals.g);
  s->psi_max = greater(d->sample_psi, residuals.psi);
  s->counts = rattle_integrator_counts(d->integrator);
}

static void report_progress(driver *d) {
  sum_up(d);
  const rattle_summary *s = &d->summary;
  long long in_all = d->last - d->first;
  if (d->until) in_all = (long long)((double)s->steps * ((*d->until - s->start) / (s->stop - s->start)));
  for (int i = 0; i < d->begun; i++)
    if (d->observers[i]->progress) d->observers[i]->progress(d->observers[i]->self, s, in_all);
}

static rattle_status interrupted(const driver *d, rattle_error *error) {
  double time = time_of(d);
  rattle__fail(error, RATTLE_INTERRUPTED, NULL, "interrupted after step %lld, at time %.17g", d->state->step, time);
  if (error) error->step = d->state->step, error->time = time;
  return RATTLE_INTERRUPTED;
}

/* The size of the energies is taken at the start, after 1, 2, 4, 8 ... steps and at the end: it depends on no sampling. */
static long long next_scale(const driver *d) {
  const long long done = d->state->step - d->first;
  long long next = 1;
  while (next <= done) next *= 2;
  return d->first + next;
}

static rattle_status take_scale(driver *d, rattle_error *error) {
  memcpy(d->q, d->state->q, (size_t)d->n * sizeof *d->q);
  memcpy(d->p, d->state->p, (size_t)d->n * sizeof *d->p);
  d->summary.energy_scale = greater(d->summary.energy_scale, rattle__energy_size(d->problem, d->q, d->energies));
  return rattle__answers_end(d->answers, RATTLE_OK, error);
}

/* Starts a compiler where the rest of the run is long enough; 1: it has done its work. */
static int look_after_compiler(driver *d, double time) {
  const double done = (double)(d->state->step - d->first), rest = (double)d->expected - done;
  if (rattle__integrator_orders(d->integrator) && (time - d->clock) / done * rest > compile_seconds)
    rattle__integrator_compile(d->integrator);
  return rattle__integrator_compiled(d->integrator);
}

/* One step, after which machine code goes on. */
static rattle_status change_over(driver *d, rattle_error *error) {
  double range[2] = {d->low, d->high};
  const rattle_status status = rattle__integrator_change_over(d->integrator, d->state, range, error);
  d->low = range[0], d->high = range[1];
  return status;
}

/* Steps from the present state to the last one wanted. `quota` is how many steps take about stretch_seconds. */
static rattle_status advance(driver *d, rattle_error *error) {
  rattle_state *state = d->state;
  long long quota = 1, left = quota;
  int compiled = 0;
  double checked = now(), shown = checked;
  while (!is_over(d)) {
    if (d->options->stop && *d->options->stop) return interrupted(d, error);

    /* up to the next sample, the end, or the next look at the clock */
    long long steps = d->every - state->step % d->every;
    if (steps > d->last - state->step) steps = d->last - state->step;
    const long long scale = next_scale(d);
    if (steps > scale - state->step) steps = scale - state->step;
    if (steps > left) steps = left;
    if (compiled || d->events) steps = 1;
    if (d->events) rattle__events_leave(d->events, state);
    const long long from = state->step;
    rattle_status status =
        compiled ? change_over(d, error) : rattle__integrator_advance(d->integrator, state, steps, &d->low, &d->high, error);
    compiled = 0;
    steps = state->step - from;
    if (!status && d->events) status = seek_events(d, error);
    if (!status && (state->step == scale || is_over(d))) status = take_scale(d, error);
    if (status) return status;
    if ((state->step % d->every == 0 || is_over(d)) && d->sampled != state->step) {
      status = take_sample(d, error);
      if (status) return status;
    }

    left -= steps;
    if (left > 0) continue;
    double time = now(), factor = stretch_seconds / (time - checked + 1e-9);
    quota = (long long)((double)quota * (factor > 4 ? 4 : factor)) + 1;
    left = quota, checked = time;
    compiled = look_after_compiler(d, time);
    if (time - shown >= progress_seconds) report_progress(d), shown = time;
  }
  return RATTLE_OK;
}

/* Ends the observers that have begun. Their failure is the run's only where nothing failed before. */
static rattle_status end(driver *d, rattle_status status, rattle_error *error) {
  for (int i = 0; i < d->begun; i++) {
    rattle_observer *observer = d->observers[i];
    rattle_error late;
    rattle_status ended = observer->end ? observer->end(observer->self, &d->summary, &late) : RATTLE_OK;
    if (!ended || status) continue;
    status = d->summary.status = ended;
    *error = d->summary.error = late;
  }
  return status;
}

static rattle_status check(const rattle_state *state, const rattle_run_options *options, rattle_error *error) {
  if (!isfinite(state->h) || state->h == 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "step", "the step is %g; it must be a finite number other than 0", state->h);
  if (!isfinite(state->t0))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "start", "the start time is %g; it must be finite", state->t0);
  if (options->steps < 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "steps", "%lld steps were requested; the number must not be negative",
                        options->steps);
  if (options->every < 1)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "every",
                        "a sample was requested every %lld steps; the number must be 1 or more", options->every);
  return RATTLE_OK;
}

/* Energies, ranges and times before the first step. */
static rattle_status set_out(driver *d, rattle_error *error) {
  rattle_summary *s = &d->summary;
  double energy, first = time_of(d), nan = (double)NAN;
  *s = (rattle_summary){.struct_size = sizeof *s,
                        .step = d->state->h,
                        .start = first,
                        .stop = first,
                        .shortest_step = nan,
                        .longest_step = nan,
                        .min_singular_value = nan,
                        .min_singular_time = nan,
                        .energy_initial = nan,
                        .energy_final = nan,
                        .energy_max_error = nan,
                        .energy_max_relative_error = nan,
                        .ended_by = -1};
  d->answers->fatal = 0;
  rattle_status status = rattle__integrator_point(d->integrator, d->state, d->q, d->p, error);
  rattle__probe_place(d->probe, d->q, d->p);
  if (!status) status = rattle__probe_energy(d->probe, &energy, error);
  if (!status) s->energy_scale = greater(0, rattle__energy_size(d->problem, d->q, d->energies));
  status = rattle__answers_end(d->answers, status, error);
  if (status) return status;
  d->low = d->high = energy -= rattle_integrator_work(d->integrator, d->state);
  s->energy_initial = isnan(d->options->initial_energy) ? energy : d->options->initial_energy;
  rattle_integrator_reset(d->integrator);
  return RATTLE_OK;
}

rattle_status rattle_run(rattle_integrator *integrator, rattle_state *state, const rattle_run_options *given,
                         rattle_observer *const *observers, int observer_count, rattle_summary *summary, rattle_error *error) {
  rattle_error local;
  rattle_run_options own, *options = &own;
  if (!error) error = &local;
  rattle_status status = RATTLE__TAKE(&own, rattle_run_options, until, given, error);
  size_t shown = 0; /* bytes of the summary that the caller knows */
  if (!status && summary)
    status = rattle__size_check(summary->struct_size, RATTLE__UP_TO(rattle_summary, error), sizeof *summary, "rattle_summary",
                                &shown, error);
  if (status) return status;
  driver d = {.integrator = integrator,
              .problem = rattle__integrator_problem(integrator),
              .answers = rattle__integrator_answers(integrator),
              .state = state,
              .options = options,
              .observers = observers,
              .observer_count = observer_count,
              .clock = now(),
              .first = state->step,
              .last = state->step + options->steps,
              .expected = options->steps,
              .sampled = -1};
  d.n = rattle_problem_n(d.problem), d.m = rattle_problem_m(d.problem), d.summary.ended_by = -1;
  d.observables = d.problem->model ? rattle_model_observables(d.problem->model) : 0;
  int heard = 0; /* events are */
  for (int i = 0; i < observer_count; i++) d.recording |= observers[i]->record != NULL, heard |= hears_events(observers[i]);

  status = check(state, options, error);
  if (!status && options->until) {
    d.expected = steps_until(&d);
    if (rattle_method_adapts(rattle_integrator_method(integrator))) d.until = options->until;
    if (!d.until) d.last = state->step + d.expected;
    rattle__integrator_until(integrator, d.until);
  }
  if (!status) status = make_room(&d, error);
  if (!status) status = rattle__events_create(&d.events, integrator, options->events, heard, error);
  if (!status) status = set_out(&d, error);
  if (!status) {
    plan_samples(&d);
    status = begin(&d, error);
    if (!status) status = advance(&d, error);
    /* the last good state is a sample too, if it can be had and nobody failed to take one */
    if (status && !d.answers->fatal && d.begun == observer_count && d.sampled != state->step)
      (void)take_sample(&d, &(rattle_error){0});
    sum_up(&d);
  }
  d.summary.status = status;
  if (status) d.summary.error = *error;
  rattle__integrator_until(integrator, NULL);
  status = end(&d, status, error);
  if (summary) {
    d.summary.struct_size = summary->struct_size;
    memcpy(summary, &d.summary, shown);
  }
  rattle__events_destroy(&d.events);
  rattle__probe_destroy(&d.probe);
  free(d.room);
  return status;
}
