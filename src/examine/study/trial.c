/* One run, measured (study.h).
 *
 * Residuals are also evaluated between two common times; in long intervals the run is asked
 * occasionally whether it is still wanted. The clock runs in steps only. */
#define _GNU_SOURCE
#include <math.h>
#include <string.h>
#include <time.h>

#include "ground/support/error.h"
#include "problem/functions/probe.h"
#include "runs/integrate/run_hooks.h"
#include "examine/study/study.h"
#include "ground/support/largest.h"

enum { RESIDUAL_LOOKS = 64, STRETCH = 200000, REPEATS = 20 };
/* runs are repeated until they have taken so long together */
static const double trusted_seconds = 0.02;
static const double margin = RATTLE__MARGIN, epsilon = 2.2e-16;

typedef struct trial_walk {
  const rattle_study *study;
  rattle_integrator *integrator;
  rattle__probe *probe;
  rattle__trial *trial;
  rattle__job *job;
  rattle_state state;
  rattle__carrier *carrier; /* NULL: steps end at the times of the study */
  double *out, *g, *psi;    /* [2n], [m], [m] */
  double *there;            /* [2n] the point at the time of the study; out where steps end there */
  double range[2];          /* of H, every step counted */
  double now_g, now_psi;    /* residuals of the evaluated point */
  long long stretch;        /* steps between two questions */
  int stages;
} trial_walk;

static double thread_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Time that is left until so many steps of h, or even fewer than none; positive is forward. */
static double left(const trial_walk *w, double steps) {
  const double h = w->state.h;
  return (w->state.t0 + steps * h - rattle_integrator_time(w->integrator, &w->state)) *
         (h > 0 ? 1 : -1);
}

/* Up to the end of so many steps of h from the start of the run. range [2]: widened by the
 * energies; NULL: steps alone are made. */
static rattle_status advance(trial_walk *w, long long steps, double *range) {
  rattle_status status = RATTLE_OK;
  const double until = w->state.t0 + (double)steps * w->state.h;
  if (w->carrier) rattle__integrator_until(w->integrator, &until);
  while (!status && (w->carrier ? left(w, (double)steps) > 0 : w->state.step < steps)) {
    const long long from = w->state.step;
    long long now = w->stretch;
    if (!w->carrier && now > steps - from) now = steps - from;
    /* the clock is asked soon, and at least whenever the run has become twice as long */
    if (w->trial->most > 0 && now > from + 1) now = from + 1;
    if (w->trial->most > 0 && w->trial->cpu > w->trial->most) {
      status = rattle__fail(&w->trial->error, RATTLE_INTERRUPTED, NULL, "given up after %.1e s",
                            w->trial->cpu);
      break;
    }
    if (rattle__job_stopped(w->job)) {
      status = rattle__fail(&w->trial->error, RATTLE_INTERRUPTED, NULL, "interrupted");
      break;
    }
    const double begin = thread_seconds();
    rattle__integrator_heed(w->integrator, rattle__job_interrupt(w->job));
    if (range)
      status = rattle__integrator_advance(w->integrator, &w->state, now, &range[0], &range[1],
                                          &w->trial->error);
    else
      status = rattle_integrator_step(w->integrator, &w->state, now, &w->trial->error);
    rattle__integrator_heed(w->integrator, NULL);
    w->trial->cpu += thread_seconds() - begin;
    rattle__job_tell(w->job, (w->state.step - from) * w->stages);
  }
  rattle__integrator_until(w->integrator, NULL);
  w->trial->taken = w->state.step;
  return status;
}

/* The point as it is output, and its residuals. */
static rattle_status look(trial_walk *w) {
  rattle__trial *trial = w->trial;
  int n = w->study->n, m = w->study->m;
  rattle_status status =
      rattle_integrator_output(w->integrator, &w->state, w->out, w->out + n, &trial->error);
  if (status || m == 0) return status;
  rattle__probe_place(w->probe, w->out, w->out + n);
  status = rattle__probe_residuals(w->probe, w->g, w->psi, &trial->error);
  w->now_g = rattle__largest(w->g, m), w->now_psi = rattle__largest(w->psi, m);
  trial->g = fmax(trial->g, w->now_g);
  trial->psi = fmax(trial->psi, w->now_psi);
  return status;
}

/* Passes the evaluated point to the tap. */
static rattle_status tap(trial_walk *w, long long tick) {
  rattle__trial *trial = w->trial;
  const rattle_study *study = w->study;
  double energy;
  rattle__probe_place(w->probe, w->out, w->out + study->n);
  rattle_status status = rattle__probe_energy(w->probe, &energy, &trial->error);
  if (status) return status;
  rattle__view view = {
      .tick = tick,
      .q = w->there,
      .p = w->there + study->n,
      .energy = energy - rattle_integrator_work(w->integrator, &w->state) - study->energy0,
      .g = w->now_g,
      .psi = w->now_psi,
      .energy_max = fmax(w->range[1] - study->energy0, study->energy0 - w->range[0])};
  trial->tap(trial->self, &view);
  return RATTLE_OK;
}

/* The point of the output, carried to the time of so many steps of h. */
static rattle_status carry(trial_walk *w, long long steps) {
  if (!w->carrier) return RATTLE_OK;
  memcpy(w->there, w->out, 2 * (size_t)w->study->n * sizeof *w->out);
  return rattle__carry(w->carrier, left(w, (double)steps) * (w->state.h > 0 ? 1 : -1), w->there,
                       &w->trial->error);
}

/* From tick `first` to tick `last`, evaluated on the way. */
static rattle_status stride(trial_walk *w, long long first, long long last) {
  long long each = w->trial->steps / w->study->ticks, steps = (last - first) * each, end = 0;
  long long parts = w->trial->tap ? last - first : RESIDUAL_LOOKS / w->study->looks + 1;
  rattle_status status = RATTLE_OK;
  if (parts > steps) parts = steps;
  for (long long i = 0; i < parts && !status; i++) {
    end = first * each + (i + 1) * steps / parts;
    status = advance(w, end, w->range);
    if (!status) status = look(w);
    if (!status && w->trial->tap) status = carry(w, end);
    if (!status && w->trial->tap) status = tap(w, first + i + 1);
  }
  return !status && !w->trial->tap ? carry(w, end) : status;
}

static rattle_status go(trial_walk *w) {
  const rattle_study *study = w->study;
  rattle__trial *trial = w->trial;
  size_t nz = 2 * (size_t)study->n;
  rattle_status status = look(w);
  if (!status) status = carry(w, 0);
  if (!status && trial->tap) status = tap(w, 0);
  for (int j = 0; j < study->looks && !status; j++) {
    status = stride(w, j ? study->look_at[j - 1] : 0, study->look_at[j]);
    if (!status && trial->z) memcpy(trial->z + (size_t)j * nz, w->there, nz * sizeof *w->there);
  }
  return status;
}

/* Integrator, probe and a copy of the start. */
static rattle_status set_out(trial_walk *w, const char *method, rattle__arena *arena) {
  const rattle_study *study = w->study;
  rattle__trial *trial = w->trial;
  size_t nz = 2 * (size_t)study->n, m = (size_t)study->m;
  double *z = rattle__arena_doubles(arena, 3 * nz + 2 * m);
  if (!z) return rattle__no_memory(&trial->error);
  memcpy(z, study->z0, nz * sizeof *z);
  w->out = w->there = z + nz, w->g = w->out + 2 * nz, w->psi = w->g + m;
  w->state =
      (rattle_state){.q = z,
                     .p = z + study->n,
                     .t0 = study->r.start,
                     .h = trial->step != 0 ? trial->step : study->span / (double)trial->steps};
  rattle_status status =
      rattle_integrator_create(&w->integrator, study->problem, method, &trial->error);
  if (!status) status = rattle__refuse_bath(w->integrator, "a study", &trial->error);
  if (!status && rattle_method_adapts(rattle_integrator_method(w->integrator))) {
    w->there = w->out + nz;
    status = rattle__carrier_create(&w->carrier, study, &trial->error);
  }
  if (!status)
    status =
        rattle__probe_create(&w->probe, study->problem, RATTLE__PROBE_RESIDUALS, &trial->error);
  return status;
}

void rattle__trial_run(const rattle_study *study, const char *method, rattle__trial *trial,
                       rattle__job *job) {
  rattle__arena arena = {0};
  double nan = (double)NAN, H = study->energy0;
  int stages = rattle__study_stages(study, method);
  trial_walk w = {.study = study,
                  .trial = trial,
                  .job = job,
                  .range = {H, H},
                  .now_g = nan,
                  .now_psi = nan,
                  .stages = stages};
  w.stretch = 1 + STRETCH / ((long long)stages * study->n);
  trial->cpu = 0;
  trial->energy = nan;
  trial->g = trial->psi = study->m ? 0 : nan;
  trial->status = set_out(&w, method, &arena);
  if (!trial->status) trial->status = go(&w);
  if (trial->status == RATTLE_NO_MEMORY) rattle__job_starve(job);
  if (w.integrator) {
    rattle_residuals residuals = rattle_integrator_residuals(w.integrator);
    trial->counts = rattle_integrator_counts(w.integrator);
    if (study->m) {
      trial->g = fmax(trial->g, residuals.g);
      if (residuals.psi > trial->psi) trial->psi = residuals.psi;
    }
  }
  if (!trial->status) trial->energy = fmax(w.range[1] - H, H - w.range[0]);
  rattle__carrier_destroy(&w.carrier);
  rattle__probe_destroy(&w.probe);
  rattle_integrator_destroy(&w.integrator);
  rattle__arena_release(&arena);
}

void rattle__trial_time(const rattle_study *study, const char *method, rattle__trial *trial,
                        rattle__job *job) {
  rattle__arena arena = {0};
  rattle__trial again = {.steps = trial->steps, .step = trial->step};
  trial_walk w = {.study = study, .trial = &again, .job = job};
  rattle_status status = set_out(&w, method, &arena);
  int stages = rattle__study_stages(study, method),
      extra = status ? 0 : rattle_integrator_extra(w.integrator);
  double *z = rattle__arena_doubles(&arena, 2 * (size_t)study->n),
         *fresh = rattle__arena_doubles(&arena, (size_t)extra), all = 0;
  w.stages = stages, w.stretch = 1 + STRETCH / ((long long)stages * study->n);
  if (!z || !fresh) status = RATTLE_NO_MEMORY;
  if (!status) rattle_integrator_get_extra(w.integrator, fresh);
  trial->cpu = (double)INFINITY;
  for (int k = 0; k < REPEATS && all < trusted_seconds && !status; k++) {
    memcpy(w.state.q, study->z0, 2 * (size_t)study->n * sizeof *z);
    rattle_integrator_set_extra(w.integrator, fresh);
    rattle_integrator_reset(w.integrator);
    w.state.step = 0;
    again.cpu = 0;
    status = advance(&w, trial->steps, NULL);
    all += again.cpu;
    if (status || !(again.cpu < trial->cpu)) continue;
    trial->cpu = again.cpu, trial->taken = again.taken,
    trial->counts = rattle_integrator_counts(w.integrator);
  }
  if (status == RATTLE_NO_MEMORY) rattle__job_starve(job);
  if (!isfinite(trial->cpu)) trial->cpu = (double)NAN;
  rattle__carrier_destroy(&w.carrier);
  rattle__probe_destroy(&w.probe);
  rattle_integrator_destroy(&w.integrator);
  rattle__arena_release(&arena);
}

rattle__errors rattle__trial_errors_at(const rattle_study *study, const double *z, int look) {
  const rattle_study_reference *units = &study->r.reference;
  size_t n = (size_t)study->n, at = 2 * n * (size_t)look;
  rattle__errors errors = {0, 0, 0};
  for (size_t i = 0; i < 2 * n; i++) {
    double miss = fabs(z[at + i] - study->reference.z[at + i]),
           *most = i < n ? &errors.q : &errors.p;
    if (!(miss <= *most) && rattle__study_is_motion(study, (int)i)) *most = miss;
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
  /* plain sums keep the energy to round-off, unless the forces have none to keep */
  double kept = fmin(reference->energy, 1e-11 * units->scale_energy);
  return (rattle__floors){.relative = margin * steps *
                                      fmax(fmax(units->error, reference->rounding), epsilon),
                          .energy = margin * steps * fmax(kept, epsilon * units->scale_energy),
                          .g = margin * fmax(reference->g, epsilon),
                          .psi = margin * fmax(reference->psi, epsilon)};
}
