/* Memory that a thread keeps for its cases, and its release; and results kept of a case. */
#include <stdlib.h>
#include <string.h>

#include "runs/ensemble/worker.h"

/* ---- cases ---- */

int rattle__parameters_are(const rattle_case *c, const char *const *name, int names) {
  int same = names == c->parameters;
  for (int i = 0; i < names && same; i++) same = !strcmp(name[i], c->parameter[i].name);
  return same;
}

const char *rattle__case_method(const rattle_case *c, const rattle_problem *problem) {
  return c->method ? c->method : rattle_default_method(problem);
}

int rattle__case_needs_no_run(const rattle__worker *w, const rattle_case *c,
                              const rattle_problem *problem) {
  return !(w->shared->options->keep & ~(RATTLE_KEEP_OBSERVABLES | RATTLE_KEEP_CHAOS)) &&
         !c->until && !rattle__seeks_events(w, problem);
}

int rattle__case_goes_wide(const rattle__worker *w, const rattle_case *c,
                           const rattle_problem *problem) {
  return (rattle__case_needs_no_run(w, c, problem) &&
          !(w->shared->options->keep & RATTLE_KEEP_CHAOS)) ||
         rattle__case_has_outputs(w, c, problem) || rattle__case_has_sparse_errors(w, c, problem);
}

/* ---- what goes ---- */

void rattle__worker_drop_integrator(rattle__worker *w) {
  if (!w->wide.lead) rattle__wide_release(w);
  rattle_integrator_destroy(&w->integrator);
  rattle_tangent_destroy(&w->tangent);
  free(w->deviation);
  w->deviation = NULL;
  free(w->method);
  w->method = NULL, w->at = NULL;
}

void rattle__worker_drop_start(rattle__worker *w, const rattle_problem *of) {
  if (!w->start.problem || w->start.problem != of) return;
  rattle__start_destroy(&w->start);
  w->start = (rattle__start){0};
}

void rattle__worker_drop_problem(rattle__worker *w) {
  rattle__worker_drop_start(w, w->own);
  if (w->at && w->at == w->own) rattle__worker_drop_integrator(w);
  rattle_problem_destroy(&w->own);
  rattle_model_destroy(&w->model);
  free(w->parameter);
  w->parameter = NULL;
}

void rattle__settable_release(rattle__worker *w) {
  rattle__settable *s = &w->settable;
  if (w->at && w->at == s->problem) rattle__worker_drop_integrator(w);
  rattle__worker_drop_start(w, s->problem);
  rattle_problem_destroy(&s->problem);
  rattle_model_destroy(&s->model);
  free(s->name), free(s->value);
  *s = (rattle__settable){0};
}

#define EXCHANGE(type, a, b)                                                                       \
  do {                                                                                             \
    const type c_ = a;                                                                             \
    a = b, b = c_;                                                                                 \
  } while (0)

void rattle__seat_exchange(rattle__worker *w, rattle__seat *s) {
  EXCHANGE(rattle__settable, w->settable, s->settable);
  EXCHANGE(rattle_problem *, w->at, s->at);
  EXCHANGE(rattle__start, w->start, s->start);
  rattle_integrator *const integrator = w->integrator;
  char *const method = w->method;
  rattle_parameter *const given = w->given;
  const int room = w->room_given;
  w->integrator = s->integrator, s->integrator = integrator;
  w->method = s->method, s->method = method;
  w->given = s->given, s->given = given;
  w->room_given = s->room_given, s->room_given = room;
}

void rattle__wide_release(rattle__worker *w) {
  rattle__wide wide = w->wide;
  w->wide = (rattle__wide){0};
  rattle_integrator_destroy(&wide.lead);
  for (int k = 0; k < wide.width && wide.seat; k++) {
    rattle__seat_exchange(w, &wide.seat[k]);
    rattle__worker_drop_integrator(w);
    rattle__settable_release(w);
    free(w->given);
    w->given = NULL, w->room_given = 0;
    rattle__seat_exchange(w, &wide.seat[k]);
  }
  for (int k = 0; k < wide.width && wide.lane; k++) {
    free(wide.lane[k].q0), rattle_trajectory_destroy(&wide.lane[k].trajectory);
    rattle__member_turn_away(&wide.lane[k]);
  }
  rattle__lanes_release(&wide.lanes);
  free(wide.lane), free(wide.seat), free(wide.method), free(wide.name), free(wide.value);
}

void rattle__worker_release(rattle__worker *w) {
  rattle__wide_release(w);
  rattle__worker_drop_integrator(w);
  rattle__settable_release(w);
  rattle__worker_drop_start(w, w->start.problem);
  rattle__worker_drop_problem(w);
  free(w->alone.q0), free(w->given), free(w->observed), free(w->extremes);
  w->extremes = NULL, w->room_extremes = 0;
  w->alone.q0 = w->observed = NULL, w->given = NULL, w->room_given = w->room_observed = 0;
}
