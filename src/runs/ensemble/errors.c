/* The largest errors of cases that keep only these and the end: of H after each step, and of
 * residuals after each step and at the driver's samples, as in the summary of a run. The cases are
 * stepped alone or in lanes (runs/integrate/wide.h), which stop for the samples. If such a case
 * fails, the driver runs it again from its start. The numbers do not depend on the way. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runs/ensemble/worker.h"
#include "runs/integrate/run_hooks.h"
#include "runs/integrate/wide.h"
#include "ground/support/error.h"
#include "ground/support/largest.h"

/* If samples are closer than so many steps, they take longer than the steps, and lanes that stop
 * for them gain nothing. */
enum { SPARSE = 10 };

static long long samples_every(const rattle__worker *w, const rattle_case *c,
                               const rattle_problem *problem) {
  const long long every = w->shared->options->every;
  return rattle__run_looks_every(rattle_problem_m(problem), c->steps, every > 0 ? every : 1);
}

int rattle__case_has_errors(const rattle__worker *w, const rattle_case *c,
                            const rattle_problem *problem) {
  const int keep = w->shared->options->keep;
  return keep & RATTLE_KEEP_ERRORS &&
         !(keep & ~(RATTLE_KEEP_ERRORS | RATTLE_KEEP_OBSERVABLES | RATTLE_KEEP_CHAOS)) &&
         !c->until && !rattle__seeks_events(w, problem);
}

int rattle__case_has_sparse_errors(const rattle__worker *w, const rattle_case *c,
                                   const rattle_problem *problem) {
  return rattle__case_has_errors(w, c, problem) &&
         !(w->shared->options->keep & RATTLE_KEEP_CHAOS) && samples_every(w, c, problem) >= SPARSE;
}

/* NaN: a method leaves that residual open between outputs. */
static void raise_to(double *most, double residual) {
  if (residual > *most) *most = residual;
}

/* The point of output, as the driver samples it. */
rattle_status rattle__member_look(rattle__member *m, rattle_error *error) {
  rattle__watch *watch = &m->watch;
  const int count = rattle_problem_m(m->problem);
  double energy, *g = watch->residual, *psi = g + count;
  rattle_status status = rattle_integrator_output(m->integrator, &m->state, m->q1, m->p1, error);
  rattle__probe_place(watch->probe, m->q1, m->p1);
  if (!status) status = rattle__probe_energy(watch->probe, &energy, error);
  if (!status) status = rattle__probe_residuals(watch->probe, g, psi, error);
  if (status) return status;
  raise_to(&watch->g, rattle__largest(g, count)),
      raise_to(&watch->psi, rattle__largest(psi, count));
  const long long every = samples_every(m->w, &m->c, m->problem),
                  next = (m->state.step / every + 1) * every;
  m->pause = next < m->c.steps ? next : m->c.steps;
  m->errors = (rattle_errors){
      .energy_max_error = fmax(watch->range[1] - watch->initial, watch->initial - watch->range[0]),
      .g_max = watch->g,
      .psi_max = watch->psi};
  const double work = rattle_integrator_work(m->integrator, &m->state);
  rattle__member_energies(m, energy - work, work);
  return RATTLE_OK;
}

rattle_status rattle__member_watch(rattle__member *m, rattle_error *error) {
  rattle__watch *watch = &m->watch;
  if (!rattle__integrator_shows_errors(m->integrator))
    return rattle__fail(error, RATTLE_UNSUITABLE, NULL,
                        "steps do not show all errors of this method");
  rattle_status status =
      rattle__probe_create(&watch->probe, m->problem, RATTLE__PROBE_RESIDUALS, error);
  watch->residual =
      status ? NULL
             : malloc((2 * (size_t)rattle_problem_m(m->problem) + 1) * sizeof *watch->residual);
  if (!status && !watch->residual) status = rattle__no_memory(error);
  if (!status) status = rattle__integrator_point(m->integrator, &m->state, m->q1, m->p1, error);
  if (!status) rattle__probe_place(watch->probe, m->q1, m->p1);
  if (!status) status = rattle__probe_energy(watch->probe, &watch->initial, error);
  watch->range[0] = watch->range[1] = watch->initial;
  if (!status) status = rattle__member_look(m, error);
  if (status) rattle__member_turn_away(m);
  return status;
}

void rattle__member_turn_away(rattle__member *m) {
  rattle__probe_destroy(&m->watch.probe);
  free(m->watch.residual);
  m->watch = (rattle__watch){0};
}

void rattle__member_heed_residuals(rattle__member *m) {
  const rattle_residuals most = rattle_integrator_residuals(m->integrator);
  raise_to(&m->watch.g, most.g), raise_to(&m->watch.psi, most.psi);
}

rattle_status rattle__member_step_watched(rattle__member *m, long long steps, rattle_error *error) {
  rattle__watch *watch = &m->watch;
  rattle_integrator_reset(m->integrator);
  const rattle_status status = rattle__integrator_advance(
      m->integrator, &m->state, steps, &watch->range[0], &watch->range[1], error);
  rattle__member_heed_residuals(m);
  return status;
}

void rattle__watch_put(const rattle__watch *watch, double *seen, int width) {
  const double values[] = {watch->range[0], watch->range[1], 0, 0};
  for (int k = 0; k < 4; k++) seen[k * width] = values[k];
}

void rattle__watch_get(rattle__member *m, const double *seen, int width) {
  rattle__watch *watch = &m->watch;
  watch->range[0] = seen[0], watch->range[1] = seen[width];
  raise_to(&watch->g, seen[2 * width]);
  if (!isnan(rattle_integrator_residuals(m->integrator).psi))
    raise_to(&watch->psi, seen[3 * width]);
}

void rattle__member_go_again(rattle__member *m) {
  rattle__member_turn_away(m);
  memcpy(m->q, m->q0, 2 * (size_t)m->n * sizeof *m->q);
  m->state.step = 0;
  m->status = rattle__member_drive(m, &m->why);
}

rattle_status rattle__member_go_watched(rattle__member *m, rattle_error *error) {
  rattle_status status = rattle__member_watch(m, error);
  rattle__integrator_heed(m->integrator, m->w->shared->flag);
  while (!status && m->state.step < m->c.steps) {
    status = rattle__member_step_watched(m, m->pause - m->state.step, error);
    if (!status) status = rattle__member_look(m, error);
  }
  rattle__integrator_heed(m->integrator, NULL);
  if (!status || rattle__ensemble_stopped(m->w->shared)) return status;
  rattle__member_go_again(m);
  *error = m->why;
  return m->status;
}
