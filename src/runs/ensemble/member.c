/* One case: its problem, its start, its steps, and its outcome. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runs/ensemble/worker.h"
#include "ground/support/error.h"

/* Numbers that a stretch of steps handles between two looks at the flag of interruption. */
enum { STRETCH = 1 << 16 };

typedef rattle__member member;

/* Copies the arrays that the user may use again for the next case. */
static rattle_status copy_case(rattle__worker *w, rattle_error *error) {
  rattle_case *c = &w->c;
  if (c->parameters > w->room_given) {
    rattle_parameter *grown = realloc(w->given, (size_t)c->parameters * sizeof *grown);
    if (!grown) return rattle__no_memory(error);
    w->given = grown, w->room_given = c->parameters;
  }
  if (c->parameters > 0) memcpy(w->given, c->parameter, (size_t)c->parameters * sizeof *w->given);
  if (c->until) w->until = *c->until, c->until = &w->until;
  c->parameter = w->given;
  return RATTLE_OK;
}

static rattle_status describe(rattle__worker *w, long long number, rattle_error *error) {
  rattle__ensemble *e = w->shared;
  const rattle_ensemble_options *o = e->options;
  w->c = (rattle_case){.number = number,
                       .problem = e->problem,
                       .method = o->method,
                       .start = o->start,
                       .step = o->step,
                       .steps = o->steps,
                       .until = o->until};
  if (!o->describe) return RATTLE_OK;
  pthread_mutex_lock(&e->lock);
  rattle_status status = o->describe(o->self, &w->c, error);
  if (!status) status = copy_case(w, error);
  if (!status && w->c.problem != e->problem)
    status = rattle__problem_set_hold(&e->problems, w->c.problem, error);
  pthread_mutex_unlock(&e->lock);
  return status;
}

static rattle_status make_room(member *m, int pairs, rattle_error *error) {
  const size_t n = (size_t)pairs;
  if (pairs > m->room || !m->q0) {
    double *z = realloc(m->q0, (6 * n + 1) * sizeof *z);
    if (!z) return rattle__no_memory(error);
    m->q0 = z, m->room = pairs;
  }
  m->n = pairs, m->p0 = m->q0 + n, m->q = m->p0 + n, m->p = m->q + n, m->q1 = m->p + n,
  m->p1 = m->q1 + n;
  return RATTLE_OK;
}

/* Into q0, p0, moved onto the constraints or checked. */
static rattle_status start(member *m, rattle_error *error) {
  rattle__ensemble *e = m->w->shared;
  const rattle_ensemble_options *o = e->options;
  rattle_status status = RATTLE_OK;
  for (int k = 0; k < 2 * m->n; k++) m->q0[k] = (double)NAN;
  if (o->begin) {
    pthread_mutex_lock(&e->lock);
    status = o->begin(o->self, &m->c, m->problem, m->q0, m->p0, error);
    pthread_mutex_unlock(&e->lock);
  }
  if (!status && o->trusted && o->begin)
    for (int k = 0; k < 2 * m->n && !status; k++)
      if (!isfinite(m->q0[k]))
        status = rattle__fail(error, RATTLE_BAD_ARGUMENT, "trusted",
                              "number %d of the start of case %lld is %g; it must be finite", k,
                              m->c.number, m->q0[k]);
  if (status || (o->trusted && o->begin)) return status;
  status = rattle__worker_start(m->w, m->problem, error);
  return status ? status : rattle__start_from(&m->w->start, o->project, m->q0, m->p0, error);
}

/* Steps alone, where nothing is kept of them. */
static rattle_status advance(member *m, long long last, rattle_error *error) {
  const long long stretch = 1 + STRETCH / (1 + m->n);
  rattle_status status = RATTLE_OK;
  while (m->state.step < last && !status) {
    if (rattle__ensemble_stopped(m->w->shared))
      return rattle__fail(error, RATTLE_INTERRUPTED, NULL, "case %lld was interrupted",
                          m->c.number);
    const long long left = last - m->state.step;
    status =
        rattle_integrator_step(m->integrator, &m->state, left < stretch ? left : stretch, error);
  }
  return status;
}

/* Steps alone, but for those around given times. */
static rattle_status pass_outputs(member *m, rattle_error *error) {
  rattle_status status = rattle__member_plan_outputs(m, error);
  while (m->state.step < m->c.steps && !status) {
    status = advance(m, m->pause, error);
    if (!status && m->state.step < m->c.steps) status = rattle__member_pass_output(m, error);
  }
  return status;
}

/* The state at the start, and its integrator. */
static rattle_status set_out(member *m, rattle_error *error) {
  const rattle_case *c = &m->c;
  m->state = (rattle_state){
      .struct_size = sizeof m->state, .q = m->q, .p = m->p, .t0 = c->start, .h = c->step};
  memcpy(m->q, m->q0, 2 * (size_t)m->n * sizeof *m->q);
  memcpy(m->q1, m->q0, 2 * (size_t)m->n * sizeof *m->q1);
  m->went = 1;
  if (!isfinite(c->step) || c->step == 0 || !isfinite(c->start) || c->steps < 0)
    return rattle__fail(
        error, RATTLE_BAD_ARGUMENT, "step",
        "case %lld has %lld steps of %g from time %g: give 0 or more steps, finite and not 0",
        c->number, c->steps, c->step, c->start);
  const rattle_status status = rattle__worker_integrator(m->w, m->problem, error);
  m->integrator = m->w->integrator;
  return status;
}

static int needs_no_run(const member *m) {
  return rattle__case_needs_no_run(m->w, &m->c, m->problem);
}

static int goes_wide(const member *m) {
  return rattle__case_goes_wide(m->w, &m->c, m->problem);
}

/* From there to the point for output. */
static rattle_status go(member *m, rattle_error *error) {
  const int feels = (m->w->shared->options->keep & RATTLE_KEEP_CHAOS) != 0;
  const int pure = rattle__is_without_past(m->integrator);
  const int errors = pure && rattle__case_has_errors(m->w, &m->c, m->problem);
  if (feels && (needs_no_run(m) || errors) && rattle__member_feels_its_way(m))
    return rattle__member_output(m, error);
  rattle_status status = needs_no_run(m) ? advance(m, m->c.steps, error)
                         : pure && rattle__case_has_outputs(m->w, &m->c, m->problem)
                             ? pass_outputs(m, error)
                         : errors ? rattle__member_go_watched(m, error)
                                  : rattle__member_drive(m, error);
  rattle_error unused;
  if (isnan(m->end) && rattle__member_output(m, status ? &unused : error) && !status)
    status = error->status;
  if (!status && feels) status = rattle__member_feel(m, error);
  return status;
}

/* From the description to the start, and to the end if the case goes alone. */
rattle_status rattle__worker_run(rattle__worker *w, long long number, rattle_error *error) {
  member *m = &w->alone;
  double *const z = m->q0;
  *m = (member){.w = w, .end = (double)NAN, .q0 = z, .room = m->room};
  rattle_status status = describe(w, number, &m->why);
  m->c = w->c;
  rattle_status others = RATTLE_OK;
  if (!status && !rattle__wide_fits(w)) { /* their problem goes */
    others = rattle__wide_finish(w, error);
    if (others) return others;
    if (w->wide.lead) rattle__wide_release(w);
  }
  if (!status) status = rattle__worker_problem(w, &m->problem, &m->why);
  if (!status) status = make_room(m, rattle_problem_n(m->problem), &m->why);
  if (!status) status = start(m, &m->why), m->started = !status;
  if (!status && !w->wide.lead && !rattle__worker_serves(w, m->problem))
    others = rattle__wide_finish(w, error); /* their integrator goes */
  if (others) return others;
  if (!status) status = set_out(m, &m->why);
  if (!status && goes_wide(m) && rattle__wide_takes(w, m)) return rattle__wide_go(w, error);
  if (!status) status = go(m, &m->why);
  m->status = status;
  return rattle__member_finish(m, error);
}
