/* Cases of a thread that are stepped together, in the lanes of vectors: runs/integrate/wide.h. A
 * lane whose case has ended takes the next one, so that cases may have different steps, and
 * different numbers of them. A step that the lanes do not take is taken alone.
 *
 * Cases with parameters go to lanes where one problem is given their values (inputs.c): each lane
 * has such a problem and an integrator of its own, which gives the lane its numbers and takes its
 * steps alone; those that step the lanes together are of one more integrator, the lead. */
#include <stdlib.h>
#include <string.h>

#include "runs/ensemble/worker.h"
#include "runs/integrate/wide.h"
#include "ground/support/error.h"

/* Compiling takes as long as so many steps one by one, by machine code and by the interpreter:
 * steps of each thread, since all of them wait for it. */
static const double worth_compiling = 8e6, worth_compiling_at_last = 2e6;
/* Numbers that the lanes handle between two looks at the flag of interruption. */
enum { STRETCH = 1 << 16 };
/* Cases in so few of the lanes are faster one by one; and how often lanes may be given up with less
 * than half of them taken, because the method or the problem changes from case to case. */
enum { FEW = 8, MOST_VAIN = 3 };
/* Lanes that stop so often, for steps that one case takes by other means, with so few steps in
 * between are slower than cases one by one: these go on for a stretch, and then lanes are tried
 * again. */
enum { STOPS = 16, STEPS_BETWEEN = 2 };

/* The lanes of vectors that step `width` cases together; 0: there is no memory. */
static int make_room(rattle__wide *wide, int width, int n) {
  wide->lane = calloc((size_t)width, sizeof *wide->lane);
  return wide->lane && rattle__lanes_make(&wide->lanes, width, n);
}

static int is_watched(const rattle__worker *w) {
  return (w->shared->options->keep & RATTLE_KEEP_ERRORS) != 0;
}

/* How many cases the integrator steps together. */
static int width_of(const rattle__worker *w, rattle_integrator *integrator) {
  double unread;
  rattle__integrator_watch_wide(integrator, is_watched(w) ? &unread : NULL);
  const int width = rattle__integrator_widen(integrator, w->shared->options->lanes);
  rattle__integrator_watch_wide(integrator, NULL);
  return width;
}

static int pays(const rattle__worker *w, long long steps, double worth) {
  const rattle_ensemble_options *o = w->shared->options;
  return o->lanes != 1 && w->vain != MOST_VAIN &&
         (o->lanes > 1 || (double)o->cases * (double)steps >= worth * w->shared->wanted);
}

int rattle__wide_pays(const rattle__worker *w) {
  return w->shared->options->evaluator != RATTLE_EVALUATOR_BLOCK &&
         pays(w, w->c.steps, worth_compiling_at_last) &&
         rattle__case_goes_wide(w, &w->c, w->c.problem);
}

int rattle__wide_fits(const rattle__worker *w) {
  const rattle__wide *wide = &w->wide;
  if (!wide->lead) return w->c.parameters < 1;
  return wide->from == w->c.problem && rattle__parameters_are(&w->c, wide->name, wide->names) &&
         !strcmp(wide->method, rattle__case_method(&w->c, w->settable.problem ? w->settable.problem
                                                                              : w->c.problem));
}

/* Keeps the parameters and the method of the lanes, for the cases that follow. */
static int keep_origin(rattle__wide *wide, const rattle__worker *w, const char *method,
                       int parameters) {
  wide->from = w->settable.from, wide->names = w->settable.names;
  wide->name = calloc((size_t)wide->names + 1, sizeof *wide->name);
  wide->method = strdup(method);
  wide->seat = calloc((size_t)wide->width, sizeof *wide->seat);
  wide->value = malloc(((size_t)parameters + 1) * sizeof *wide->value);
  if (!wide->name || !wide->method || !wide->seat || !wide->value) return 0;
  memcpy(wide->value, w->settable.value, (size_t)parameters * sizeof *wide->value);
  memcpy(wide->name, w->settable.name, (size_t)wide->names * sizeof *wide->name);
  return 1;
}

rattle_status rattle__wide_lead(rattle__worker *w, int parameters, rattle_error *error) {
  rattle__wide *wide = &w->wide;
  const rattle_problem *problem = w->settable.problem;
  const char *method = rattle__case_method(&w->c, problem);
  rattle_integrator *lead = NULL;
  rattle__wide_release(w);
  const int made = !rattle_integrator_create(&lead, problem, method, NULL);
  const int width = made ? width_of(w, lead) : 1;
  if (width == 1) {
    rattle_integrator_destroy(&lead);
    w->vain++;
    return RATTLE_OK;
  }
  wide->lead = lead, wide->width = width;
  if (make_room(wide, width, rattle_problem_n(problem)) && keep_origin(wide, w, method, parameters))
    return RATTLE_OK;
  rattle__wide_release(w);
  return rattle__no_memory(error);
}

/* Chooses the width of lanes for the integrator at hand. */
static void widen(rattle__worker *w, const rattle__member *m) {
  w->wide.width = pays(w, m->c.steps, worth_compiling) ? width_of(w, w->integrator) : 1;
  if (w->wide.width > 1 && !make_room(&w->wide, w->wide.width, m->n)) {
    rattle__wide_release(w);
    w->wide.width = 1;
  }
}

/* The lane keeps the part that the case has of its own. */
static int take_seat(rattle__worker *w, const rattle__member *m, int lane) {
  rattle__wide *wide = &w->wide;
  if (m->problem != w->settable.problem ||
      !rattle__integrator_join(wide->lead, lane, m->integrator))
    return 0;
  if (w->start.problem != w->settable.problem) rattle__worker_drop_start(w, w->start.problem);
  rattle__seat_exchange(w, &wide->seat[lane]);
  return 1;
}

int rattle__wide_takes(rattle__worker *w, rattle__member *m) {
  rattle__wide *wide = &w->wide;
  if (!wide->width) widen(w, m);
  if (wide->width == 1 || m->c.steps == 0) return 0;
  const int outputs = rattle__case_has_outputs(w, &m->c, m->problem);
  rattle_error unused;
  int lane = 0;
  while (wide->lane[lane].problem) lane++;
  if (!rattle__integrator_time_lane(wide->lead ? wide->lead : w->integrator, lane, &m->state))
    return 0;
  if (rattle__case_has_errors(w, &m->c, m->problem) && rattle__member_watch(m, &unused)) return 0;
  if (wide->lead && !take_seat(w, m, lane)) {
    rattle__member_turn_away(m);
    return 0;
  }
  if (outputs && rattle__member_plan_outputs(m, &m->why))
    m->status = m->why.status; /* its lane ends at once */
  rattle__member *to = &wide->lane[lane];
  double *const spare = to->q0;
  const int room = to->room;
  *to = *m;
  if (!wide->lead) to->c.parameter = NULL;
  if (to->c.method) to->c.method = wide->lead ? wide->method : w->method;
  m->q0 = spare, m->room = room, m->watch = (rattle__watch){0};
  rattle__lanes_put(&wide->lanes, lane, &to->state);
  wide->taken++;
  return 1;
}

/* The case of a lane has ended. */
static rattle_status finish(rattle__worker *w, int lane, rattle_error *error) {
  rattle__member *m = &w->wide.lane[lane];
  rattle_error unused;
  rattle__lanes_get(&w->wide.lanes, lane, &m->state);
  if (m->watch.probe && m->status) rattle__member_go_again(m);
  if (rattle__member_output(m, m->status ? &unused : &m->why) && !m->status)
    m->status = m->why.status;
  w->wide.taken--;
  return rattle__member_finish(m, error);
}

/* Lanes without a case do as another one does; all are at their times. */
static void fill(rattle__wide *wide, rattle_integrator *lead) {
  int model = 0;
  while (!wide->lane[model].problem) model++;
  for (int lane = 0; lane < wide->width; lane++) {
    const int fills = !wide->lane[lane].problem;
    (void)rattle__integrator_time_lane(lead, lane, &wide->lane[fills ? model : lane].state);
    if (!fills) continue;
    if (wide->lead) (void)rattle__integrator_join(wide->lead, lane, wide->lane[model].integrator);
    rattle__lanes_copy(&wide->lanes, model, lane);
  }
}

/* The step up to which a lane may go with others. */
static long long end_of(const rattle__member *m) {
  return m->status ? m->state.step : m->trajectory || m->watch.probe ? m->pause : m->c.steps;
}

/* Steps that all lanes can take, up to the end of the first; -1: no lane has a case. */
static long long count_steps(const rattle__wide *wide) {
  long long steps = -1;
  for (int lane = 0; lane < wide->width; lane++) {
    const rattle__member *m = &wide->lane[lane];
    const long long left = m->problem ? end_of(m) - m->state.step : 0,
                    most = 1 + STRETCH / (1 + m->n);
    if (m->problem && (steps < 0 || left < steps)) steps = left < most ? left : most;
  }
  return steps;
}

static void step_alone(rattle__worker *w, int lane, long long steps) {
  rattle__member *m = &w->wide.lane[lane];
  rattle__lanes_get(&w->wide.lanes, lane, &m->state);
  m->status = m->watch.probe ? rattle__member_step_watched(m, steps, &m->why)
                             : rattle_integrator_step(m->integrator, &m->state, steps, &m->why);
  rattle__lanes_put(&w->wide.lanes, lane, &m->state);
}

/* Lanes at a pause have their output, or their sample, alone. */
static rattle_status pass_pauses(rattle__worker *w, rattle_error *error) {
  rattle__wide *wide = &w->wide;
  rattle_status status = RATTLE_OK;
  for (int lane = 0; lane < wide->width && !status; lane++) {
    rattle__member *m = &wide->lane[lane];
    if (!m->problem || end_of(m) > m->state.step) continue;
    rattle__lanes_get(&wide->lanes, lane, &m->state);
    if (!m->status)
      m->status =
          m->watch.probe ? rattle__member_look(m, &m->why) : rattle__member_pass_output(m, &m->why);
    rattle__lanes_put(&wide->lanes, lane, &m->state);
    if (m->status || m->state.step == m->c.steps) status = finish(w, lane, error);
  }
  return status;
}

/* Steps of all lanes; returns how many were done. */
static long long run(rattle__worker *w, long long steps) {
  rattle__wide *wide = &w->wide;
  rattle_integrator *by = wide->lead ? wide->lead : w->integrator;
  const int watched = is_watched(w), width = wide->width;
  fill(wide, by);
  for (int lane = 0; lane < width && watched; lane++)
    rattle__watch_put(&wide->lane[lane].watch, &wide->lanes.seen[lane], width);
  rattle__integrator_watch_wide(by, watched ? wide->lanes.seen : NULL);
  const long long done = rattle__lanes_run(&wide->lanes, rattle__integrator_wide(by), steps);
  for (int lane = 0; lane < width && watched; lane++)
    if (wide->lane[lane].problem)
      rattle__watch_get(&wide->lane[lane], &wide->lanes.seen[lane], width);
  wide->gone += done, wide->stops += done < steps;
  return done;
}

/* True if lanes are slower than cases one by one, which take machine code for each step: too few
 * lanes have a case, or lanes have stopped too often lately. */
static int is_slow(rattle__wide *wide) {
  if (wide->lead) return 0;
  const int halts = wide->stops == STOPS && wide->gone < STOPS * STEPS_BETWEEN;
  if (wide->stops == STOPS) wide->gone = wide->stops = 0;
  return halts || wide->taken * FEW <= wide->width;
}

static rattle_status step(rattle__worker *w, rattle_error *error) {
  rattle__wide *wide = &w->wide;
  const int taken = wide->taken;
  const rattle_status passed = pass_pauses(w, error);
  const long long steps = count_steps(wide);
  if (passed || wide->taken < taken || steps < 1) return passed;
  if (rattle__ensemble_stopped(w->shared))
    return rattle__fail(error, RATTLE_INTERRUPTED, NULL, "cases were interrupted");
  const int slow = is_slow(wide);
  const long long done = slow ? 0 : run(w, steps);
  rattle_status status = RATTLE_OK;
  for (int lane = 0; lane < wide->width && !status; lane++) {
    rattle__member *m = &wide->lane[lane];
    if (!m->problem) continue;
    m->state.step += done;
    if (slow) step_alone(w, lane, steps);
    if (!slow && done < steps && wide->lanes.unusual[lane]) step_alone(w, lane, 1);
    if (m->status || (m->state.step == m->c.steps && !m->watch.probe))
      status = finish(w, lane, error);
  }
  return status;
}

rattle_status rattle__wide_go(rattle__worker *w, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  while (w->wide.taken == w->wide.width && !status) status = step(w, error);
  return status;
}

rattle_status rattle__wide_finish(rattle__worker *w, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  w->vain += w->vain < MOST_VAIN && w->wide.taken > 0 && 2 * w->wide.taken < w->wide.width;
  while (w->wide.taken > 0 && !status) status = step(w, error);
  return status;
}
