/* One run, measured (study.h).
 *
 * Between two common times the run is looked at some more, for residuals only; in long stretches it is asked every now and then
 * whether it is still wanted. The clock runs in steps only. */
#define _GNU_SOURCE
#include <math.h>
#include <string.h>
#include <time.h>

#include "core/error.h"
#include "core/probe.h"
#include "core/run_hooks.h"
#include "study/study.h"

enum { RESIDUAL_LOOKS = 64, STRETCH = 200000, REPEATS = 20 };
/* runs are repeated until they have taken so long together */
static const double trusted_seconds = 0.02;
static const double margin = RATTLE__MARGIN, epsilon = 2.2e-16;

typedef struct walk {
  const rattle_study *study;
  rattle_integrator *integrator;
  rattle__probe *probe;
  rattle__trial *trial;
  rattle__job *job;
  rattle_state state;
  double *out, *g, *psi; /* [2n], [m], [m] */
  double low, high;      /* range of H, every step counted */
  double now_g, now_psi; /* residuals of the point looked at */
  long long stretch;     /* steps between two questions */
  int stages;
} walk;

static double thread_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double largest(const double *x, int count) {
  double most = 0;
  for (int i = 0; i < count; i++)
    if (!(fabs(x[i]) <= most)) most = fabs(x[i]);
  return most;
}

static rattle_status advance(walk *w, long long steps) {
  rattle_status status = RATTLE_OK;
  while (steps > 0 && !status) {
    long long now = steps < w->stretch ? steps : w->stretch;
    if (rattle__job_stopped(w->job)) return rattle__fail(&w->trial->error, RATTLE_INTERRUPTED, NULL, "interrupted");
    double begin = thread_seconds();
    status = rattle__integrator_advance(w->integrator, &w->state, now, &w->low, &w->high, &w->trial->error);
    w->trial->cpu += thread_seconds() - begin;
    rattle__job_tell(w->job, now * w->stages);
    steps -= now;
  }
  return status;
}

/* The point as it is put out, and its residuals. */
static rattle_status look(walk *w) {
  rattle__trial *trial = w->trial;
  int n = w->study->n, m = w->study->m;
  rattle_status status = rattle_integrator_output(w->integrator, &w->state, w->out, w->out + n, &trial->error);
  if (status || m == 0) return status;
  rattle__probe_place(w->probe, w->out, w->out + n);
  status = rattle__probe_residuals(w->probe, w->g, w->psi, &trial->error);
  w->now_g = largest(w->g, m), w->now_psi = largest(w->psi, m);
  trial->g = fmax(trial->g, w->now_g);
  trial->psi = fmax(trial->psi, w->now_psi);
  return status;
}

/* Hands the point looked at to the tap. */
static rattle_status tap(walk *w, long long tick) {
  rattle__trial *trial = w->trial;
  const rattle_study *study = w->study;
  double energy;
  rattle__probe_place(w->probe, w->out, w->out + study->n);
  rattle_status status = rattle__probe_energy(w->probe, &energy, &trial->error);
  if (status) return status;
  rattle__view view = {.tick = tick,
                       .q = w->out,
                       .p = w->out + study->n,
                       .energy = energy - study->energy0,
                       .g = w->now_g,
                       .psi = w->now_psi,
                       .energy_max = fmax(w->high - study->energy0, study->energy0 - w->low)};
  trial->tap(trial->self, &view);
  return RATTLE_OK;
}

/* From tick `first` to tick `last`, looked at on the way. */
static rattle_status stride(walk *w, long long first, long long last) {
  long long each = w->trial->steps / w->study->ticks, steps = (last - first) * each;
  long long parts = w->trial->tap ? last - first : RESIDUAL_LOOKS / w->study->looks + 1;
  rattle_status status = RATTLE_OK;
  if (parts > steps) parts = steps;
  for (long long i = 0; i < parts && !status; i++) {
    status = advance(w, (i + 1) * steps / parts - i * steps / parts);
    if (!status) status = look(w);
    if (!status && w->trial->tap) status = tap(w, first + i + 1);
  }
  return status;
}

static rattle_status go(walk *w) {
  const rattle_study *study = w->study;
  rattle__trial *trial = w->trial;
  size_t nz = 2 * (size_t)study->n;
  rattle_status status = look(w);
  if (!status && trial->tap) status = tap(w, 0);
  for (int j = 0; j < study->looks && !status; j++) {
    status = stride(w, j ? study->look_at[j - 1] : 0, study->look_at[j]);
    if (!status && trial->z) memcpy(trial->z + (size_t)j * nz, w->out, nz * sizeof *w->out);
  }
  return status;
}

/* Integrator, probe and a copy of the start. */
static rattle_status set_out(walk *w, const char *method, rattle__arena *arena) {
  const rattle_study *study = w->study;
  rattle__trial *trial = w->trial;
  size_t nz = 2 * (size_t)study->n, m = (size_t)study->m;
  double *z = rattle__arena_doubles(arena, 2 * nz + 2 * m);
  if (!z) return rattle__no_memory(&trial->error);
  memcpy(z, study->z0, nz * sizeof *z);
  w->out = z + nz, w->g = w->out + nz, w->psi = w->g + m;
  w->state = (rattle_state){
      .q = z, .p = z + study->n, .t0 = study->r.start, .h = trial->step != 0 ? trial->step : study->span / (double)trial->steps};
  rattle_status status = rattle_integrator_create(&w->integrator, study->problem, method, &trial->error);
  if (!status && rattle_method_adapts(rattle_integrator_method(w->integrator)))
    status = rattle__fail(&trial->error, RATTLE_UNSUITABLE, method,
                          "a study compares points at the same times, and the steps of %s end at times of their own", method);
  if (!status) status = rattle__probe_create(&w->probe, study->problem, RATTLE__PROBE_RESIDUALS, &trial->error);
  return status;
}

void rattle__trial_run(const rattle_study *study, const char *method, rattle__trial *trial, rattle__job *job) {
  rattle__arena arena = {0};
  double nan = (double)NAN, H = study->energy0;
  int stages = rattle__study_stages(study, method);
  walk w = {.study = study, .trial = trial, .job = job, .low = H, .high = H, .now_g = nan, .now_psi = nan, .stages = stages};
  w.stretch = 1 + STRETCH / ((long long)stages * study->n);
  trial->cpu = 0;
  trial->energy = nan;
  trial->g = trial->psi = study->m ? 0 : nan;
  trial->status = set_out(&w, method, &arena);
  if (!trial->status) trial->status = go(&w);
  if (w.integrator) {
    rattle_residuals residuals = rattle_integrator_residuals(w.integrator);
    trial->counts = rattle_integrator_counts(w.integrator);
    if (study->m) {
      trial->g = fmax(trial->g, residuals.g);
      if (residuals.psi > trial->psi) trial->psi = residuals.psi;
    }
  }
  if (!trial->status) trial->energy = fmax(w.high - H, H - w.low);
  rattle__probe_destroy(&w.probe);
  rattle_integrator_destroy(&w.integrator);
  rattle__arena_release(&arena);
}

void rattle__trial_time(const rattle_study *study, const char *method, rattle__trial *trial, rattle__job *job) {
  rattle__arena arena = {0};
  rattle__trial again = {.steps = trial->steps, .step = trial->step};
  walk w = {.study = study, .trial = &again, .job = job};
  rattle_status status = set_out(&w, method, &arena);
  int stages = rattle__study_stages(study, method), extra = status ? 0 : rattle_integrator_extra(w.integrator);
  double *z = rattle__arena_doubles(&arena, 2 * (size_t)study->n), *fresh = rattle__arena_doubles(&arena, (size_t)extra), all = 0;
  w.stretch = 1 + STRETCH / ((long long)stages * study->n);
  if (!z || !fresh) status = RATTLE_NO_MEMORY;
  if (!status) rattle_integrator_get_extra(w.integrator, fresh);
  trial->cpu = (double)INFINITY;
  for (int k = 0; k < REPEATS && all < trusted_seconds && !status; k++) {
    double seconds = 0;
    memcpy(w.state.q, study->z0, 2 * (size_t)study->n * sizeof *z);
    rattle_integrator_set_extra(w.integrator, fresh);
    rattle_integrator_reset(w.integrator);
    for (w.state.step = 0; w.state.step < trial->steps && !status;) {
      long long left = trial->steps - w.state.step, now = left < w.stretch ? left : w.stretch;
      double begin = thread_seconds();
      status = rattle_integrator_step(w.integrator, &w.state, now, &again.error);
      seconds += thread_seconds() - begin;
      rattle__job_tell(job, now * stages);
      if (rattle__job_stopped(job)) status = RATTLE_INTERRUPTED;
    }
    all += seconds;
    if (!status && seconds < trial->cpu) trial->cpu = seconds, trial->counts = rattle_integrator_counts(w.integrator);
  }
  if (!isfinite(trial->cpu)) trial->cpu = (double)NAN;
  rattle__probe_destroy(&w.probe);
  rattle_integrator_destroy(&w.integrator);
  rattle__arena_release(&arena);
}

rattle__errors rattle__trial_errors_at(const rattle_study *study, const double *z, int look) {
  const rattle_study_reference *units = &study->r.reference;
  size_t n = (size_t)study->n, at = 2 * n * (size_t)look;
  rattle__errors errors = {0, 0, 0};
  for (size_t i = 0; i < 2 * n; i++) {
    double miss = fabs(z[at + i] - study->reference.z[at + i]), *most = i < n ? &errors.q : &errors.p;
    if (!(miss <= *most)) *most = miss;
  }
  errors.relative = fmax(errors.q / units->scale_q, errors.p / units->scale_p);
  return errors;
}

rattle__errors rattle__trial_errors(const rattle_study *study, const double *z) {
  rattle__errors largest_of = {0, 0, 0};
  for (int j = 0; j < study->looks; j++) {
    rattle__errors errors = rattle__trial_errors_at(study, z, j);
    largest_of.q = fmax(largest_of.q, errors.q);
    largest_of.p = fmax(largest_of.p, errors.p);
    largest_of.relative = fmax(largest_of.relative, errors.relative);
  }
  return largest_of;
}

rattle__floors rattle__trial_floors(const rattle_study *study, double maps) {
  const rattle_study_reference *units = &study->r.reference;
  const rattle__reference *reference = &study->reference;
  /* round-off adds up like a random walk */
  double steps = maps > reference->maps ? sqrt(maps / reference->maps) : 1;
  /* the reference keeps the energy to round-off, unless the forces have none to keep */
  double kept = fmin(reference->energy, 1e-11 * units->scale_energy);
  return (rattle__floors){.relative = margin * steps * fmax(units->error, epsilon),
                          .energy = margin * steps * fmax(kept, epsilon * units->scale_energy),
                          .g = margin * fmax(reference->g, epsilon),
                          .psi = margin * fmax(reference->psi, epsilon)};
}
