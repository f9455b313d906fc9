/* Long runs: the plan of their samples, and the samples themselves (long_run.h). */
#include "examine/study/long_run.h"

#include <math.h>
#include <stdlib.h>

#include "ground/support/error.h"
#include "problem/functions/probe.h"

enum { SAMPLES = 4096, MOST_SAMPLES = 1 << 17, MOST_ASKED = 1 << 22, PER_OCTAVE = 4 };
/* samples for each period of the fastest motion, at least */
static const double per_period = 6;

double rattle__long_time(const rattle_study *study, long long tick) {
  return study->r.start + study->span * ((double)tick / (double)study->ticks);
}

/* --- before the runs -------------------------------------------------------------------------- */

/* Ticks about a fourth of an octave apart, and the last. */
static rattle_status choose_looks(rattle_study *study, rattle_error *error) {
  enum { MOST = 64 * PER_OCTAVE };
  long long at[MOST];
  int count = 0;
  for (int k = 0; count < MOST; k++) {
    long long tick = llround((double)study->ticks * pow(2, -(double)k / PER_OCTAVE));
    if (tick < 1) break;
    if (count == 0 || tick < at[count - 1]) at[count++] = tick;
  }
  study->look_at = rattle__arena_take(&study->arena, (size_t)count * sizeof *at);
  if (!study->look_at) return rattle__no_memory(error);
  for (int j = 0; j < count; j++) study->look_at[j] = at[count - 1 - j];
  study->looks = count;
  return RATTLE_OK;
}

/* Steps from sample to sample, if none is asked for. */
static long long choose_every(rattle_study *study, double step, long long steps) {
  long long every = (steps + SAMPLES - 1) / SAMPLES;
  double close = 2 * 3.14159265358979 / (per_period * study->r.frequency * fabs(step));
  if (close < (double)every) every = close < 1 ? 1 : (long long)close;
  if (steps / every <= MOST_SAMPLES) return every;
  every = (steps + MOST_SAMPLES - 1) / MOST_SAMPLES;
  rattle__study_note(study, "the sampling interval is %.3g: frequencies above %.3g are aliased",
                     fabs(step) * (double)every, 0.5 / (fabs(step) * (double)every));
  return every;
}

rattle_status rattle__long_plan(rattle_study *study, rattle__plan *plan, rattle_error *error) {
  long long steps, asked = study->options.every;
  if (asked < 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "every",
                        "a sample every %lld steps: expected 1 or more", asked);
  rattle_status status = rattle__span_step(study, &plan->step, error);
  if (!status) status = rattle__span_steps(study, plan->step, &steps, error);
  if (status) return status;
  if (asked > 0 && steps / asked > MOST_ASKED)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "every",
                        "a sample every %lld steps gives %lld samples, and at most %d are kept",
                        asked, steps / asked, MOST_ASKED);
  plan->every = asked ? asked : choose_every(study, plan->step, steps);
  study->ticks = (steps + plan->every - 1) / plan->every;
  study->span = (double)(study->ticks * plan->every) * plan->step;
  study->r.stop = study->r.start + study->span;
  return choose_looks(study, error);
}

static rattle_status make_room(rattle__long_run *run, rattle_error *error) {
  rattle_study *study = run->study;
  size_t rows = (size_t)study->ticks + 1, points = 2 * (size_t)study->n * (size_t)study->looks;
  double *room =
      rattle__arena_doubles(&study->arena, rows * (4 + (size_t)run->channels->count) + points);
  if (!room) return rattle__no_memory(error);
  run->energy = room, run->energy_max = run->energy + rows, run->g = run->energy_max + rows,
  run->psi = run->g + rows;
  run->value = run->psi + rows;
  run->trial.z = run->value + rows * (size_t)run->channels->count;
  if (!run->channels->observed) return RATTLE_OK;
  return rattle__probe_create(&run->probe, study->problem, RATTLE__PROBE_RESIDUALS, error);
}

/* --- the runs --------------------------------------------------------------------------------- */

static void sample(void *self, const rattle__view *view) {
  rattle__long_run *run = self;
  int n = run->study->n, channels = run->channels->count;
  double *value = run->value + view->tick * channels, observed[256];
  run->energy[view->tick] = view->energy;
  run->energy_max[view->tick] = view->energy_max;
  run->g[view->tick] = view->g;
  run->psi[view->tick] = view->psi;
  int can_observe = 0;
  if (run->probe && rattle_model_observables(run->study->problem->model) <= 256) {
    rattle__probe_place(run->probe, view->q, view->p);
    can_observe = !rattle__probe_observe(run->probe, observed, NULL);
  }
  for (int c = 0; c < channels; c++) {
    int index = run->channels->index[c];
    if (index < n)
      value[c] = view->q[index];
    else if (index < 2 * n)
      value[c] = view->p[index - n];
    else
      value[c] = can_observe ? observed[index - 2 * n] : (double)NAN;
  }
  run->rows = view->tick + 1;
}

void rattle__long_go(rattle__long_run *run, rattle__job *job) {
  rattle__trial_run(run->study, run->method, &run->trial, job);
}

rattle_status rattle__long_create(rattle__long_run **runs, rattle_study *study,
                                  const rattle_study_method *row,
                                  const rattle__study_channels *channels, const rattle__plan *plan,
                                  rattle_error *error) {
  int methods = study->methods;
  rattle__long_run *run = *runs = calloc((size_t)methods, sizeof *run);
  rattle_study_figure *figure = rattle__arena_take(&study->arena, 3 * sizeof *figure);
  rattle_status status = run && figure ? RATTLE_OK : rattle__no_memory(error);
  for (int i = 0; i < methods && !status; i++) {
    run[i] = (rattle__long_run){
        .study = study, .channels = channels, .method = row[i].method, .claims = row[i].claims};
    run[i].trial = (rattle__trial){
        .steps = study->ticks * plan->every, .step = plan->step, .tap = sample, .self = &run[i]};
    if (!row[i].status) status = make_room(&run[i], error);
  }
  if (status) return status;
  figure[0] = (rattle_study_figure){"step", plan->step};
  figure[1] = (rattle_study_figure){"steps", (double)(study->ticks * plan->every)};
  figure[2] = (rattle_study_figure){"every", (double)plan->every};
  study->r.figure = figure, study->r.figures = 3;
  return RATTLE_OK;
}

void rattle__long_destroy(rattle__long_run **runs, int methods) {
  for (int i = 0; i < methods && *runs; i++) rattle__probe_destroy(&(*runs)[i].probe);
  free(*runs);
  *runs = NULL;
}
