/* Indicators of chaos of a case: its steps from its start, with two tangent vectors. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runs/ensemble/worker.h"
#include "runs/integrate/integrator.h"
#include "ground/support/error.h"
#include "runs/tangent/indicators.h"
#include "runs/tangent/tangent.h"

enum { MOST_PAIRS = 200 };

/* The tangent and the vectors of the worker, as long as its integrator serves. */
static rattle_status make(rattle__worker *w, const rattle__member *m, rattle_error *error) {
  const size_t nz = 2 * (size_t)m->n;
  if (w->tangent) return RATTLE_OK;
  if (m->n > MOST_PAIRS)
    return rattle__fail(
        error, RATTLE_UNSUITABLE, "chaos",
        "indicators of chaos are computed for up to %d pairs, and the problem has %d", MOST_PAIRS,
        m->n);
  free(w->deviation);
  w->deviation = malloc((nz + 3) * nz * sizeof *w->deviation);
  if (!w->deviation) return rattle__no_memory(error);
  return rattle_tangent_create(&w->tangent, m->problem, w->method, error);
}

/* A few steps with their vectors; those of the case itself stop for its samples, where errors are
 * kept. */
static rattle_status step(rattle__member *m, rattle_state *state, long long steps, double *vectors,
                          rattle_error *error) {
  const int watched = state == &m->state && m->watch.probe;
  const long long last = state->step + steps;
  rattle_status status = RATTLE_OK;
  while (state->step < last && !status) {
    const long long next = watched && m->pause < last ? m->pause : last;
    status = rattle_tangent_step(m->w->tangent, state, next - state->step, 2, vectors, error);
    if (status || !watched || next < m->pause) continue;
    rattle__member_heed_residuals(m);
    status = rattle__member_look(m, error);
  }
  return status;
}

static rattle_status go(rattle__member *m, rattle_state *state, long long steps,
                        rattle_error *error) {
  const rattle__worker *w = m->w;
  const int nz = 2 * m->n;
  double *vectors = w->deviation + (size_t)nz * (size_t)nz;
  rattle__indicators at;
  int d;
  rattle_integrator_reset(rattle_tangent_integrator(w->tangent));
  rattle_status status =
      rattle_tangent_basis(w->tangent, state->q, state->p, &d, w->deviation, error);
  if (status) return status;
  rattle__indicators_begin(&at, nz, vectors, d, w->deviation);
  while (state->step < steps && !status) {
    const long long left = steps - state->step,
                    few = left < RATTLE__INDICATORS_EACH ? left : RATTLE__INDICATORS_EACH;
    status = step(m, state, few, vectors, error);
    if (status) return status;
    rattle__indicators_note(&at, (double)state->step * fabs(state->h),
                            (double)few * fabs(state->h));
    if (rattle__ensemble_stopped(w->shared))
      return rattle__fail(error, RATTLE_INTERRUPTED, NULL, "case %lld was interrupted",
                          m->c.number);
  }
  const double time = (double)state->step * fabs(state->h);
  m->chaos = (rattle_chaos){at.mean / time, rattle__indicators_sali(&at), at.grown / time};
  m->felt = 1;
  return RATTLE_OK;
}

rattle_status rattle__member_feel(rattle__member *m, rattle_error *error) {
  const size_t nz = 2 * (size_t)m->n;
  if (m->state.step == 0) return RATTLE_OK;
  const rattle_status status = make(m->w, m, error);
  if (status) return status;
  double *z = m->w->deviation + (nz + 2) * nz;
  rattle_state state = {
      .struct_size = sizeof state, .q = z, .p = z + m->n, .t0 = m->c.start, .h = m->c.step};
  memcpy(z, m->q0, nz * sizeof *z);
  return go(m, &state, m->state.step, error);
}

int rattle__member_feels_its_way(rattle__member *m) {
  rattle_integrator *const own = m->integrator;
  rattle_error unused;
  if (m->c.steps > 0 && !make(m->w, m, &unused)) {
    rattle_tangent *t = m->w->tangent;
    m->integrator = rattle_tangent_integrator(t);
    const int watched = (m->w->shared->options->keep & RATTLE_KEEP_ERRORS) != 0;
    rattle_status status = watched ? rattle__member_watch(m, &unused) : RATTLE_OK;
    t->range = watched ? m->watch.range : NULL;
    if (!status) status = go(m, &m->state, m->c.steps, &unused);
    t->range = NULL;
    if (!status) return 1;
  }
  m->integrator = own;
  rattle__member_turn_away(m);
  memcpy(m->q, m->q0, 2 * (size_t)m->n * sizeof *m->q);
  m->state.step = 0;
  return 0;
}
