/* The drift study: one long run of each method with the step asked for, and how its errors grow.
 *
 * Every run has the same step h and is sampled each K steps: ticks of K h. Errors of the solution are taken at ticks that are
 * spread evenly over the logarithm of time. What is made of the samples is in growth.c and spectrum.c. */
#include "study/drift.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/probe.h"

enum { SAMPLES = 4096, MOST_SAMPLES = 1 << 17, PER_OCTAVE = 4 };
/* samples for each period of the fastest motion, at least */
static const double per_period = 6;

double rattle__drift_time(const rattle_study *study, long long tick) {
  return study->r.start + study->span * ((double)tick / (double)study->ticks);
}

/* --- before the runs ---------------------------------------------------------------------------------------------------------
 */

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

/* Step, ticks and the span that they make: whole ticks that reach the stop. */
static rattle_status plan(rattle_study *study, double *step, long long *every, rattle_error *error) {
  long long steps;
  rattle_status status = rattle__span_step(study, step, error);
  if (!status) status = rattle__span_steps(study, *step, &steps, error);
  if (status) return status;
  *every = study->options.every;
  if (*every < 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "every", "a sample each %lld steps: expected 1 or more", *every);
  if (*every == 0) {
    *every = (steps + SAMPLES - 1) / SAMPLES;
    double close = 2 * 3.14159265358979 / (per_period * study->r.frequency * fabs(*step));
    if (close < (double)*every) *every = close < 1 ? 1 : (long long)close;
    if (steps / *every > MOST_SAMPLES) {
      *every = (steps + MOST_SAMPLES - 1) / MOST_SAMPLES;
      rattle__study_note(study, "samples are %.3g apart: frequencies above %.3g are folded", fabs(*step) * (double)*every,
                         0.5 / (fabs(*step) * (double)*every));
    }
  }
  study->ticks = (steps + *every - 1) / *every;
  study->span = (double)(study->ticks * *every) * *step;
  study->r.stop = study->r.start + study->span;
  return choose_looks(study, error);
}

static rattle_status make_room(rattle__long_run *run, rattle_error *error) {
  rattle_study *study = run->study;
  size_t rows = (size_t)study->ticks + 1, points = 2 * (size_t)study->n * (size_t)study->looks;
  double *room = rattle__arena_doubles(&study->arena, rows * (4 + (size_t)run->channels->count) + points);
  if (!room) return rattle__no_memory(error);
  run->energy = room, run->energy_max = run->energy + rows, run->g = run->energy_max + rows, run->psi = run->g + rows;
  run->value = run->psi + rows;
  run->trial.z = run->value + rows * (size_t)run->channels->count;
  if (!run->channels->observed) return RATTLE_OK;
  return rattle__probe_create(&run->probe, study->problem, RATTLE__PROBE_RESIDUALS, error);
}

/* --- the runs ----------------------------------------------------------------------------------------------------------------
 */

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

static void work(void *self, int i, int k, rattle__job *job) {
  rattle__long_run *run = (rattle__long_run *)self + i;
  (void)k;
  rattle__trial_run(run->study, run->method, &run->trial, job);
}

/* --- what is said of a method ------------------------------------------------------------------------------------------------
 */

static void report(rattle_study *study, const rattle__long_run *run, int done, rattle_study_method *row) {
  if (row->status) return;
  row->status = done ? run->trial.status : RATTLE_INTERRUPTED;
  if (row->status) row->message = rattle__study_text(study, "%s", done ? run->trial.error.message : "interrupted");
  if (!done || run->rows < 2) return;
  rattle_study_table *table = rattle__arena_take(&study->arena, (size_t)(4 + run->channels->count + 1) * sizeof *table);
  if (!table) return;
  rattle__drift_growth(study, run, row, table);
  row->table = table;
  row->tables = 1 + rattle__drift_spectrum(study, run, table + 1);
}

static rattle_status run_all(rattle_study *study, rattle__long_run *run, rattle_study_method *row, rattle_error *error) {
  int methods = study->methods;
  int *most = rattle__arena_take(&study->arena, 2 * (size_t)methods * sizeof *most), *done = most + methods;
  if (!most) return rattle__no_memory(error);
  for (int i = 0; i < methods; i++) most[i] = !row[i].status;
  study->watch.stage = "runs";
  rattle__jobs jobs = {.lines = methods, .most = most, .work = work, .self = run, .done = done};
  rattle_status status = rattle__jobs_run(&jobs, &study->watch, error);
  for (int i = 0; i < methods && (!status || status == RATTLE_INTERRUPTED); i++) report(study, &run[i], done[i], &row[i]);
  return status;
}

rattle_status rattle__study_drift(rattle_study *study, rattle_error *error) {
  rattle__channels channels = {0};
  int methods = study->methods;
  double step = 0;
  long long every = 0;
  rattle_status status = plan(study, &step, &every, error);
  if (!status) status = rattle__channels_choose(study, &channels, error);
  if (!status) status = rattle__reference_make(study, RATTLE__WISHED, error);
  if (status) return status;
  rattle_study_method *row = rattle__study_rows(study, methods, study->method);
  rattle_study_figure *figure = rattle__arena_take(&study->arena, 3 * sizeof *figure);
  rattle__long_run *run = calloc((size_t)methods, sizeof *run);
  if (!row || !run || !figure) status = rattle__no_memory(error);
  for (int i = 0; i < methods && !status; i++) {
    run[i] = (rattle__long_run){.study = study, .channels = &channels, .method = row[i].method, .claims = row[i].claims};
    run[i].trial = (rattle__trial){.steps = study->ticks * every, .step = step, .tap = sample, .self = &run[i]};
    if (!row[i].status) status = make_room(&run[i], error);
  }
  if (!status) {
    figure[0] = (rattle_study_figure){"step", step};
    figure[1] = (rattle_study_figure){"steps", (double)(study->ticks * every)};
    figure[2] = (rattle_study_figure){"every", (double)every};
    study->r.figure = figure, study->r.figures = 3;
    status = run_all(study, run, row, error);
  }
  for (int i = 0; i < methods && run; i++) rattle__probe_destroy(&run[i].probe);
  free(run);
  return status;
}
