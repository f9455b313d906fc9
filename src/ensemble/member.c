/* One case: its problem, its start, its steps, and what it ends with. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ensemble/parts.h"
#include "start/start.h"
#include "support/error.h"

/* Numbers that a stretch of steps handles between two looks at the flag of interruption. */
enum { STRETCH = 1 << 16 };

/* A case on its way, and the point of the event that ended it. */
typedef struct ensemble_member {
  rattle__worker *w;
  const rattle_problem *problem;
  int n;
  double *q0, *p0, *q, *p, *q1, *p1; /* [n] start, state, output */
  rattle_state state;
  double end; /* time of the event that ended the run; NaN: none did */
  rattle_observer ender, keeper;
  rattle_trajectory *trajectory;
  rattle_summary summary;
  int ran; /* there is a summary */
} member;

/* What the user may use again for the next case. */
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
  pthread_mutex_unlock(&e->lock);
  return status;
}

static rattle_status make_room(member *m, rattle_error *error) {
  rattle__worker *w = m->w;
  const size_t n = (size_t)m->n;
  if (m->n > w->room || !w->z) {
    double *z = realloc(w->z, (6 * n + 1) * sizeof *z);
    if (!z) return rattle__no_memory(error);
    w->z = z, w->room = m->n;
  }
  m->q0 = w->z, m->p0 = m->q0 + n, m->q = m->p0 + n, m->p = m->q + n, m->q1 = m->p + n, m->p1 = m->q1 + n;
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
    status = o->begin(o->self, &m->w->c, m->problem, m->q0, m->p0, error);
    pthread_mutex_unlock(&e->lock);
  }
  if (!status && o->trusted && o->begin)
    for (int k = 0; k < 2 * m->n && !status; k++)
      if (!isfinite(m->q0[k]))
        status = rattle__fail(error, RATTLE_BAD_ARGUMENT, "trusted",
                              "number %d of the start of case %lld is %g; it must be finite", k, m->w->c.number, m->q0[k]);
  return status || (o->trusted && o->begin) ? status : rattle__start_from(m->problem, o->project, m->q0, m->p0, error);
}

/* The event that ends the run gives the end. */
static rattle_status hear_end(void *self, const rattle_occurrence *occurrence, rattle_error *error) {
  member *m = self;
  (void)error;
  if (!occurrence->ends) return RATTLE_OK;
  m->end = occurrence->sample->time;
  memcpy(m->q1, occurrence->sample->q, (size_t)m->n * sizeof *m->q1);
  memcpy(m->p1, occurrence->sample->p, (size_t)m->n * sizeof *m->p1);
  return RATTLE_OK;
}

static int seeks_events(const member *m) {
  const rattle_model *model = rattle_problem_model(m->problem);
  return m->w->shared->options->events || (model && rattle_model_events(model) > 0);
}

/* By the driver of runs, with its observers. */
static rattle_status drive(member *m, rattle_error *error) {
  const rattle_ensemble_options *o = m->w->shared->options;
  const int keep = o->keep & (RATTLE_KEEP_EVENTS | RATTLE_KEEP_SAMPLES);
  rattle_observer *observer[2];
  int observers = 0;
  rattle_status status = keep ? rattle_trajectory_create(&m->trajectory, m->problem, error) : RATTLE_OK;
  if (status) return status;
  if (keep) {
    m->keeper = *rattle_trajectory_observer(m->trajectory);
    if (!(keep & RATTLE_KEEP_SAMPLES)) m->keeper.record = NULL;
    if (!(keep & RATTLE_KEEP_EVENTS)) m->keeper.event = NULL;
    observer[observers++] = &m->keeper;
  }
  m->ender = (rattle_observer){.struct_size = sizeof m->ender, .self = m, .event = hear_end};
  if (seeks_events(m)) observer[observers++] = &m->ender;
  const rattle_run_options how = {.struct_size = sizeof how,
                                  .steps = m->w->c.steps,
                                  .every = o->every > 0 ? o->every : 1,
                                  .initial_energy = (double)NAN,
                                  .stop = m->w->shared->flag,
                                  .until = m->w->c.until,
                                  .events = o->events};
  m->summary = (rattle_summary){.struct_size = sizeof m->summary};
  m->ran = 1;
  return rattle_run(m->w->integrator, &m->state, &how, observer, observers, &m->summary, error);
}

/* Steps alone, where nothing is kept but the end. */
static rattle_status advance(member *m, rattle_error *error) {
  const long long last = m->w->c.steps, stretch = 1 + STRETCH / (1 + m->n);
  rattle_status status = RATTLE_OK;
  while (m->state.step < last && !status) {
    if (rattle__ensemble_stopped(m->w->shared))
      return rattle__fail(error, RATTLE_INTERRUPTED, NULL, "case %lld was interrupted", m->w->c.number);
    const long long left = last - m->state.step;
    status = rattle_integrator_step(m->w->integrator, &m->state, left < stretch ? left : stretch, error);
  }
  return status;
}

/* From the start to the point for output. */
static rattle_status go(member *m, rattle_error *error) {
  const rattle_ensemble_options *o = m->w->shared->options;
  const rattle_case *c = &m->w->c;
  m->state = (rattle_state){.struct_size = sizeof m->state, .q = m->q, .p = m->p, .t0 = c->start, .h = c->step};
  memcpy(m->q, m->q0, 2 * (size_t)m->n * sizeof *m->q);
  if (!isfinite(c->step) || c->step == 0 || !isfinite(c->start) || c->steps < 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "step",
                        "case %lld has %lld steps of %g from time %g: give 0 or more steps, finite and not 0", c->number,
                        c->steps, c->step, c->start);
  rattle_status status = rattle__worker_integrator(m->w, m->problem, error);
  if (status) {
    memcpy(m->q1, m->q0, 2 * (size_t)m->n * sizeof *m->q1);
    return status;
  }
  status = o->keep || c->until || seeks_events(m) ? drive(m, error) : advance(m, error);
  rattle_error unused;
  if (isnan(m->end) && rattle_integrator_output(m->w->integrator, &m->state, m->q1, m->p1, status ? &unused : error) && !status)
    status = error->status;
  return status;
}

static rattle_status hand_out(rattle__ensemble *e, const rattle_outcome *outcome, rattle_error *error) {
  const rattle_ensemble_options *o = e->options;
  pthread_mutex_lock(&e->lock);
  const rattle_status status = o->end ? o->end(o->self, outcome, error) : RATTLE_OK;
  if (!status) e->ended++;
  pthread_mutex_unlock(&e->lock);
  return status;
}

rattle_status rattle__worker_run(rattle__worker *w, long long number, rattle_error *error) {
  member m = {.w = w, .end = (double)NAN};
  rattle_error why = {0};
  int started = 0, went = 0;
  rattle_status status = describe(w, number, &why);
  if (!status) status = rattle__worker_problem(w, &m.problem, &why);
  if (!status) m.n = rattle_problem_n(m.problem), status = make_room(&m, &why);
  if (!status) status = start(&m, &why), started = !status;
  if (!status) status = go(&m, &why), went = 1;
  if (status) why.status = status;
  if (status == RATTLE_NO_MEMORY || status == RATTLE_INTERRUPTED) {
    *error = why;
  } else {
    const rattle_ensemble_options *o = w->shared->options;
    const double time = !went || !w->integrator ? w->c.start
                        : isnan(m.end)          ? rattle_integrator_time(w->integrator, &m.state)
                                                : m.end;
    const rattle_outcome outcome = {.of = &w->c,
                                    .problem = m.problem,
                                    .status = status,
                                    .error = &why,
                                    .n = m.n,
                                    .q0 = started ? m.q0 : NULL,
                                    .p0 = started ? m.p0 : NULL,
                                    .q = started ? m.q1 : NULL,
                                    .p = started ? m.p1 : NULL,
                                    .time = time,
                                    .steps = m.state.step,
                                    .summary = m.ran && o->keep & RATTLE_KEEP_SUMMARY ? &m.summary : NULL,
                                    .trajectory = m.trajectory};
    status = hand_out(w->shared, &outcome, error);
  }
  rattle_trajectory_destroy(&m.trajectory);
  return status;
}
