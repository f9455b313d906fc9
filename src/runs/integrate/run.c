/* The driver of runs: many steps of an integrator with samples for observers.
 *
 * Steps are made in stretches: up to the next sample, and never longer than about 30 ms, so that
 * `interrupt` is seen and progress reported in time while the loop itself costs nothing per step. H
 * is checked at every step inside a stretch.
 *
 * Symbols: [low, high] the range of H over all steps. */
#include "rattle/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runs/integrate/run_state.h"
#include "runs/integrate/run_hooks.h"
#include "ground/support/error.h"
#include "ground/support/sized.h"
#include "ground/support/flag.h"

static double greater(double a, double b) {
  return b > a ? b : a;
}

static const double stretch_seconds = 0.03, progress_seconds = 0.1;
/* A compiler takes some tenths of a second: it is started once a run has shown that it will take
 * longer. */
static const double compile_seconds = 0.3;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Steps of h to the time wanted; 1023/0.025 is 40920 though neither number is exact in binary. */
static long long steps_until(const rattle__run *d) {
  const double exact = (*d->options->until - rattle__run_time(d)) / d->state->h,
               nearest = round(exact);
  if (!(exact > 0)) return 0;
  if (!(exact < (double)d->options->steps)) return d->options->steps;
  return (long long)(fabs(exact - nearest) <= 1e-12 * nearest ? nearest : ceil(exact));
}

/* The first sample: observers begin with it, then get it. */
static rattle_status begin(rattle__run *d, rattle_error *error) {
  rattle_sample sample;
  rattle_status status = rattle__run_note(d, 1, error);
  if (!status) status = rattle__run_sample(d, &sample, error);
  if (status) return status;
  for (int i = 0; i < d->observer_count; i++, d->begun++) {
    rattle_observer *observer = d->observers[i];
    status = observer->begin ? observer->begin(observer->self, d->integrator, &sample, error)
                             : RATTLE_OK;
    if (status) return status;
  }
  status = rattle__run_hand_out(d, &sample, error);
  if (status || !d->events) return status;
  status = rattle__answers_end(d->answers, rattle__events_begin(d->events, d->state, error), error);
  return status ? status : rattle__run_take_events(d, error);
}

/* Brings the summary up to date with the steps done. */
static void sum_up(rattle__run *d) {
  rattle_summary *s = &d->summary;
  rattle_residuals residuals = rattle_integrator_residuals(d->integrator);
  s->steps = d->state->step - d->first;
  s->stop = isnan(d->end) ? rattle__run_time(d) : d->end;
  rattle_integrator_step_lengths(d->integrator, &s->shortest_step, &s->longest_step);
  s->wall_seconds = now() - d->clock;
  s->energy_max_error = greater(d->high - s->energy_initial, s->energy_initial - d->low);
  s->energy_max_relative_error =
      s->energy_scale > 0 ? s->energy_max_error / s->energy_scale : (double)NAN;
  s->g_max = greater(d->sample_g, residuals.g);
  s->psi_max = greater(d->sample_psi, residuals.psi);
  s->counts = rattle_integrator_counts(d->integrator);
}

static void report_progress(rattle__run *d) {
  sum_up(d);
  const rattle_summary *s = &d->summary;
  long long in_all = d->last - d->first;
  if (d->until)
    in_all = (long long)((double)s->steps * ((*d->until - s->start) / (s->stop - s->start)));
  for (int i = 0; i < d->begun; i++)
    if (d->observers[i]->progress) d->observers[i]->progress(d->observers[i]->self, s, in_all);
}

static rattle_status interrupted(const rattle__run *d, rattle_error *error) {
  double time = rattle__run_time(d);
  rattle__fail(error, RATTLE_INTERRUPTED, NULL, "interrupted after step %lld, at time %.17g",
               d->state->step, time);
  if (error) error->step = d->state->step, error->time = time;
  return RATTLE_INTERRUPTED;
}

/* The size of the energies is taken at the start, after 1, 2, 4, 8 ... steps and at the end: it
 * depends on no sampling. */
static long long next_scale(const rattle__run *d) {
  const long long done = d->state->step - d->first;
  long long next = 1;
  while (next <= done) next *= 2;
  return d->first + next;
}

static rattle_status take_scale(rattle__run *d, rattle_error *error) {
  memcpy(d->q, d->state->q, (size_t)d->n * sizeof *d->q);
  memcpy(d->p, d->state->p, (size_t)d->n * sizeof *d->p);
  d->summary.energy_scale =
      greater(d->summary.energy_scale, rattle__energy_size(d->problem, d->q, d->energies));
  return rattle__answers_end(d->answers, RATTLE_OK, error);
}

/* Starts a compiler where the rest of the run is long enough; 1: it has done its work. */
static int look_after_compiler(rattle__run *d, double time) {
  const double done = (double)(d->state->step - d->first), rest = (double)d->expected - done;
  if (rattle__integrator_orders(d->integrator) && (time - d->clock) / done * rest > compile_seconds)
    rattle__integrator_compile(d->integrator);
  return rattle__integrator_compiled(d->integrator);
}

/* One step, after which machine code goes on. */
static rattle_status change_over(rattle__run *d, rattle_error *error) {
  double range[2] = {d->low, d->high};
  const rattle_status status =
      rattle__integrator_change_over(d->integrator, d->state, range, error);
  d->low = range[0], d->high = range[1];
  return status;
}

/* So many steps, or those up to a request to end, or to a step in which events are to be sought. */
static rattle_status take_steps(rattle__run *d, long long steps, rattle_error *error) {
  rattle_status status;
  rattle__integrator_heed(d->integrator, d->options->interrupt);
  if (d->events)
    status = rattle__events_advance(d->events, d->state, steps, &d->low, &d->high, error);
  else
    status = rattle__integrator_advance(d->integrator, d->state, steps, &d->low, &d->high, error);
  rattle__integrator_heed(d->integrator, NULL);
  return status == RATTLE_INTERRUPTED ? interrupted(d, error) : status;
}

/* Steps from the present state to the last one wanted. `quota` is how many steps take about
 * stretch_seconds. */
static rattle_status advance(rattle__run *d, rattle_error *error) {
  rattle_state *state = d->state;
  long long quota = 1, left = quota;
  int compiled = 0;
  double checked = now(), shown = checked;
  while (!rattle__run_is_over(d)) {
    if (rattle__flag_is_set(d->options->interrupt)) return interrupted(d, error);

    /* up to the next sample, the end, or the next look at the clock */
    long long steps = d->every - state->step % d->every;
    if (steps > d->last - state->step) steps = d->last - state->step;
    const long long scale = next_scale(d);
    if (steps > scale - state->step) steps = scale - state->step;
    if (steps > left) steps = left;
    if (compiled || d->options->extremes) steps = 1;
    if (d->events) rattle__events_leave(d->events, state);
    const long long from = state->step;
    rattle_status status = compiled ? change_over(d, error) : take_steps(d, steps, error);
    compiled = 0;
    steps = state->step - from;
    if (!status && d->events) status = rattle__run_seek_events(d, error);
    if (!status && steps > 0 && isnan(d->end)) status = rattle__run_note(d, 0, error);
    if (!status && (state->step == scale || rattle__run_is_over(d))) status = take_scale(d, error);
    if (status) return status;
    if ((state->step % d->every == 0 || rattle__run_is_over(d)) && d->sampled != state->step) {
      status = rattle__run_take_sample(d, error);
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

/* Ends the observers that have begun. Their failure is the run's only where nothing failed
 * before. */
static rattle_status end(rattle__run *d, rattle_status status, rattle_error *error) {
  for (int i = 0; i < d->begun; i++) {
    rattle_observer *observer = d->observers[i];
    rattle_error late;
    rattle_status ended =
        observer->end ? observer->end(observer->self, &d->summary, &late) : RATTLE_OK;
    if (!ended || status) continue;
    status = d->summary.status = ended;
    *error = d->summary.error = late;
  }
  return status;
}

static rattle_status check(const rattle_state *state, const rattle_run_options *options,
                           rattle_error *error) {
  if (!isfinite(state->h) || state->h == 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "step",
                        "the step is %g; it must be a finite number other than 0", state->h);
  if (!isfinite(state->t0))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "start",
                        "the start time is %g; it must be finite", state->t0);
  if (options->steps < 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "steps",
                        "%lld steps were requested; the number must not be negative",
                        options->steps);
  if (options->every < 1)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "every",
                        "a sample was requested every %lld steps; the number must be 1 or more",
                        options->every);
  return RATTLE_OK;
}

/* Energies, ranges and times before the first step. */
static rattle_status set_out(rattle__run *d, rattle_error *error) {
  rattle_summary *s = &d->summary;
  double energy, first = rattle__run_time(d), nan = (double)NAN;
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
  rattle_status status = rattle__integrator_set_out(d->integrator, d->state, error);
  if (!status) status = rattle__integrator_point(d->integrator, d->state, d->q, d->p, error);
  if (status) return rattle__answers_end(d->answers, status, error);
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

rattle_status rattle_run(rattle_integrator *integrator, rattle_state *state,
                         const rattle_run_options *given, rattle_observer *const *observers,
                         int observer_count, rattle_summary *summary, rattle_error *error) {
  rattle_error local;
  rattle_run_options own, *options = &own;
  if (!error) error = &local;
  rattle_status status = RATTLE__TAKE(&own, rattle_run_options, until, given, error);
  size_t shown = 0; /* bytes of the summary that the caller knows */
  if (!status && summary)
    status = rattle__size_check(summary->struct_size, RATTLE__UP_TO(rattle_summary, error),
                                sizeof *summary, "rattle_summary", &shown, error);
  if (status) return status;
  rattle__run d = {.integrator = integrator,
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
                   .sampled = -1,
                   .end = (double)NAN};
  d.n = rattle_problem_n(d.problem), d.m = rattle_problem_m(d.problem), d.summary.ended_by = -1;
  d.observables = d.problem->model ? rattle_model_observables(d.problem->model) : 0;
  int heard = 0; /* events are */
  for (int i = 0; i < observer_count; i++)
    d.recording |= observers[i]->record != NULL, heard |= rattle__run_hears_events(observers[i]);

  status = check(state, options, error);
  if (!status && options->until) {
    d.expected = steps_until(&d);
    if (rattle_method_adapts(rattle_integrator_method(integrator))) d.until = options->until;
    if (!d.until) d.last = state->step + d.expected;
    rattle__integrator_until(integrator, d.until);
  }
  if (!status) status = rattle__run_make_room(&d, error);
  if (!status) status = rattle__events_create(&d.events, integrator, options->events, heard, error);
  if (!status) status = set_out(&d, error);
  if (!status) {
    rattle__run_plan_samples(&d);
    status = begin(&d, error);
    if (!status) status = advance(&d, error);
    /* the last good state is a sample too, if it can be had and nobody failed to take one */
    if (status && !d.answers->fatal && d.begun == observer_count && d.sampled != state->step)
      (void)rattle__run_take_sample(&d, &(rattle_error){0});
    sum_up(&d);
    rattle__run_means(&d);
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
