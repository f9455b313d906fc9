/* The outcome of a case. */
#include <math.h>
#include <stdlib.h>

#include "runs/ensemble/worker.h"
#include "ground/support/error.h"

typedef rattle__member member;

rattle_status rattle__member_output(member *m, rattle_error *error) {
  return rattle_integrator_output(m->integrator, &m->state, m->q1, m->p1, error);
}

/* At the end of a case, for *observed. */
static rattle_status observe(member *m, const double **observed, rattle_error *error) {
  rattle__worker *w = m->w;
  const rattle_model *model = m->problem ? rattle_problem_model(m->problem) : NULL;
  const int count = model && m->started ? rattle_model_observables(model) : 0;
  if (!(w->shared->options->keep & RATTLE_KEEP_OBSERVABLES) || !count) return RATTLE_OK;
  if (count > w->room_observed) {
    double *grown = realloc(w->observed, (size_t)count * sizeof *grown);
    if (!grown) return rattle__no_memory(error);
    w->observed = grown, w->room_observed = count;
  }
  for (int i = 0; i < count; i++) w->observed[i] = (double)NAN;
  (void)rattle_problem_observe(m->problem, m->q1, m->p1, w->observed, NULL);
  *observed = w->observed;
  return RATTLE_OK;
}

static rattle_status hand_out(rattle__ensemble *e, const rattle_outcome *outcome,
                              rattle_error *error) {
  const rattle_ensemble_options *o = e->options;
  pthread_mutex_lock(&e->lock);
  const rattle_status status = o->end ? o->end(o->self, outcome, error) : RATTLE_OK;
  if (!status) e->ended++;
  pthread_mutex_unlock(&e->lock);
  return status;
}

rattle_status rattle__member_finish(member *m, rattle_error *error) {
  const rattle__worker *w = m->w;
  const double *observed = NULL;
  rattle_status status = m->status;
  if (m->ran) {
    m->errors = (rattle_errors){.energy_max_error = m->summary.energy_max_error,
                                .g_max = m->summary.g_max,
                                .psi_max = m->summary.psi_max};
    rattle__member_energies(m, m->summary.energy_final, m->summary.work);
  }
  if (status != RATTLE_NO_MEMORY && status != RATTLE_INTERRUPTED && observe(m, &observed, &m->why))
    status = RATTLE_NO_MEMORY;
  if (status) m->why.status = status;
  if (status == RATTLE_NO_MEMORY || status == RATTLE_INTERRUPTED) {
    *error = m->why;
  } else {
    const rattle_ensemble_options *o = w->shared->options;
    const double time = !m->went || !m->integrator ? m->c.start
                        : isnan(m->end) ? rattle_integrator_time(m->integrator, &m->state)
                                        : m->end;
    const rattle_outcome outcome = {
        .of = &m->c,
        .problem = m->problem,
        .status = status,
        .error = &m->why,
        .n = m->n,
        .q0 = m->started ? m->q0 : NULL,
        .p0 = m->started ? m->p0 : NULL,
        .q = m->started ? m->q1 : NULL,
        .p = m->started ? m->p1 : NULL,
        .time = time,
        .steps = m->state.step,
        .summary = m->ran && o->keep & RATTLE_KEEP_SUMMARY ? &m->summary : NULL,
        .trajectory = m->trajectory,
        .observed = observed,
        .chaos = m->felt ? &m->chaos : NULL,
        .errors = (m->ran || m->watch.probe) && o->keep & RATTLE_KEEP_ERRORS ? &m->errors : NULL,
        .extremes = m->extremes ? w->extremes : NULL};
    status = hand_out(w->shared, &outcome, error);
  }
  rattle_trajectory_destroy(&m->trajectory);
  rattle__member_turn_away(m);
  m->problem = NULL;
  return status;
}
