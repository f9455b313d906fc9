/* The error of a run at all its points, not at the common times alone: the reference goes with it,
 * step by step. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runs/integrate/run_hooks.h"
#include "examine/study/study.h"

/* errors are taken after every step, or after as many steps as make about so many points */
enum { POINTS = 2000 };

/* One of the two that go together. */
typedef struct companion {
  rattle_integrator *integrator;
  rattle_state state;
  double *out; /* [2n] */
} companion;

static rattle_status begin(companion *c, const rattle_study *study, const char *method, double h) {
  const size_t n = (size_t)study->n;
  double *z = malloc(4 * n * sizeof *z);
  c->state = (rattle_state){.q = z, .p = z + n, .t0 = study->r.start, .h = h};
  c->out = z + 2 * n;
  if (!z) return RATTLE_NO_MEMORY;
  memcpy(z, study->z0, 2 * n * sizeof *z);
  return rattle_integrator_create(&c->integrator, study->problem, method, NULL);
}

static void end(companion *c) {
  free(c->state.q);
  rattle_integrator_destroy(&c->integrator);
}

static double time_of(const companion *c) {
  return rattle_integrator_time(c->integrator, &c->state);
}

static rattle_status advance(companion *c, const rattle_study *study, long long steps) {
  const rattle_status status = rattle_integrator_step(c->integrator, &c->state, steps, NULL);
  return status
             ? status
             : rattle_integrator_output(c->integrator, &c->state, c->out, c->out + study->n, NULL);
}

/* The reference, to a time, by steps that are not longer than its own. */
static rattle_status catch_up(companion *c, const rattle_study *study, double time) {
  const double way = time - time_of(c),
               steps = fmax(1, ceil(fabs(way / study->r.reference.step) * (1 - 1e-12)));
  c->state.t0 = time_of(c);
  c->state.step = 0;
  c->state.h = way / steps;
  return way == 0 ? RATTLE_OK : advance(c, study, (long long)steps);
}

static double apart(const rattle_study *study, const double *a, const double *b) {
  const rattle_study_reference *units = &study->r.reference;
  double most = 0;
  for (int i = 0; i < 2 * study->n; i++) {
    const double miss = fabs(a[i] - b[i]) / (i < study->n ? units->scale_q : units->scale_p);
    if (!(miss <= most) && rattle__study_is_motion(study, i)) most = miss;
  }
  return most;
}

double rattle__study_whole_run(const rattle_study *study, const char *method, long long steps,
                               rattle__job *job) {
  const double h = study->span / (double)steps, stop = study->r.start + study->span;
  const long long stride = (steps + POINTS - 1) / POINTS,
                  stages = rattle__study_stages(study, method);
  companion run = {0}, reference = {0};
  double most = 0;
  rattle_status status = begin(&run, study, method, h);
  if (!status) status = begin(&reference, study, study->r.reference.method, h);
  while (!status && !rattle__job_stopped(job) && (stop - time_of(&run)) / h > 0.5) {
    const long long left = llround((stop - time_of(&run)) / h);
    const long long next = left < stride ? left : stride;
    status = advance(&run, study, next > 0 ? next : 1);
    if (!status) status = catch_up(&reference, study, time_of(&run));
    if (!status) most = fmax(most, apart(study, run.out, reference.out));
    rattle__job_tell(job, stride * stages);
  }
  if (status == RATTLE_NO_MEMORY) rattle__job_starve(job);
  end(&run);
  end(&reference);
  return status ? (double)NAN : most;
}
