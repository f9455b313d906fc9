/* Controllers of a model (problem/model/controller.c) in steps: samples between them.
 *
 * Sample   at a step that ends, or a run that begins, at a time start + k every: all values of the
 *          controllers whose time it is become u' = s(t, q, p, u, lambda) of the point for output
 *          there, at once; their momenta, which are in no function, become 0
 * Work     H after the sample less H before it, where H depends on the values: from the controller
 * Symbols  of controller i, in steps of h from t0: period[i] = every/h, first[i] = (start - t0)/h,
 *          whole numbers; taken: 1 in declared memory once the samples of the state's step are made
 * Fails    a value that is not finite: the state is that before the sample, which is not taken */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/support/sized.h"
#include "problem/functions/probe.h"
#include "problem/model/massless.h"
#include "problem/model/model.h"
#include "runs/integrate/integrator.h"
#include "runs/integrate/run_hooks.h"

struct rattle__controllers {
  const rattle_model *model;
  int n, pairs, enters_H, cites;
  int past;     /* the first of the memories of the maps, where samples end their past, or -1 */
  double t0, h; /* of steps that fit; h 0: none as yet */
  long long *period, *first;
  double *z, *next, *work, *taken;
  double *before; /* the values before the last samples, at the step `sampled`; -1: none */
  long long sampled;
  rattle__probe *probe; /* of multipliers and observables; NULL: nobody asks */
  double *observed;
};

/* Numbers are whole to 1e-12 of the times that they come from, as in the lengths of runs. */
static int is_whole(double x, double size) {
  return fabs(x - round(x)) <= 1e-12 * fmax(fabs(x), size);
}

/* True if samples of a controller are at ends of steps of h from t0. */
static int fits(const rattle__controller *c, double t0, double h) {
  const double period = c->every / h;
  return period > 0.5 && is_whole(period, 0) &&
         is_whole((c->start - t0) / h, (fabs(c->start) + fabs(t0)) / h);
}

static int all_fit(const rattle_model *model, double t0, double h) {
  int fit = 1;
  for (int i = 0; i < model->controllers; i++) fit = fit && fits(&model->controller[i], t0, h);
  return fit;
}

/* The longest step up to h that fits, if one of the next thousand divisors of a sample does. */
static double step_that_fits(const rattle_model *model, double t0, double h) {
  const double every = model->controller[0].every, least = fmax(1, ceil(every / h));
  for (double parts = least; parts < least + 1000; parts++)
    if (all_fit(model, t0, every / parts)) return every / parts;
  return 0;
}

static rattle_status refuse_step(const rattle_model *model, double t0, double h,
                                 rattle_error *error) {
  int i = 0;
  while (fits(&model->controller[i], t0, h)) i++;
  const rattle__controller *c = &model->controller[i];
  const char *name = model->next[c->first].name;
  const double good = h > 0 ? step_that_fits(model, t0, h) : 0;
  if (h < 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "step",
                        "the step is %g, and the controller of \"%s\" knows no way back in time: "
                        "give a step above 0",
                        h, name);
  if (good > 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "step",
                        "the controller of \"%s\" has a sample every %g from %g on, where steps of "
                        "%.15g from %g do not end: give the step %.15g",
                        name, c->every, c->start, h, t0, good);
  return rattle__fail(error, RATTLE_BAD_ARGUMENT, "step",
                      "the controller of \"%s\" has a sample every %g from %g on, where steps of "
                      "%.15g from %g do not end, nor do shorter ones: let all times of samples be "
                      "multiples of one number",
                      name, c->every, c->start, h, t0);
}

/* Periods of samples in these steps. */
static rattle_status fit(struct rattle__controllers *c, const rattle_state *state,
                         rattle_error *error) {
  if (c->h == state->h && c->t0 == state->t0) return RATTLE_OK;
  if (!all_fit(c->model, state->t0, state->h))
    return refuse_step(c->model, state->t0, state->h, error);
  for (int i = 0; i < c->model->controllers; i++) {
    const rattle__controller *is = &c->model->controller[i];
    const double most = 0x1p62, first = round((is->start - state->t0) / state->h);
    c->period[i] = (long long)fmin(round(is->every / state->h), most);
    c->first[i] = (long long)fmax(-most, fmin(first, most));
    if (c->first[i] < 0) c->first[i] = (c->first[i] % c->period[i] + c->period[i]) % c->period[i];
  }
  c->t0 = state->t0, c->h = state->h;
  return RATTLE_OK;
}

static int is_due(const struct rattle__controllers *c, int i, long long step) {
  return step >= c->first[i] && (step - c->first[i]) % c->period[i] == 0;
}

static int any_is_due(const struct rattle__controllers *c, long long step) {
  for (int i = 0; i < c->model->controllers; i++)
    if (is_due(c, i, step)) return 1;
  return 0;
}

long long rattle__controllers_next(const rattle_integrator *s, long long step) {
  const struct rattle__controllers *c = s->controllers;
  long long next = LLONG_MAX;
  for (int i = 0; c && !s->passive && i < c->model->controllers; i++) {
    const long long past = step - c->first[i],
                    own = past < 0 ? c->first[i] : step + c->period[i] - past % c->period[i];
    if (own < next) next = own;
  }
  return next;
}

/* --- samples ---------------------------------------------------------------------------------- */

static rattle_status not_finite(const struct rattle__controllers *c, int value, double time,
                                rattle_error *error) {
  const char *name = c->model->next[value].name;
  return rattle__fail(error, RATTLE_DOMAIN, name,
                      "the sample of \"%s\" at time %.17g is not a finite number", name, time);
}

/* The first controller whose samples the model leaves to its caller, -1: there is none. */
static int find_open(const rattle_model *model) {
  for (int i = 0; i < model->controllers; i++)
    if (!model->controller[i].given) return i;
  return -1;
}

static rattle_status check_control(const rattle_integrator *s, rattle_error *error) {
  const rattle_model *model = s->controllers->model;
  const int open = find_open(model);
  if (open < 0 || s->control.sample) return RATTLE_OK;
  const char *name = model->next[model->controller[open].first].name;
  return rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                      "the model leaves the samples of \"%s\" to the program that runs it "
                      "(rattle_integrator_set_control): write sample = function(s) ... end in its "
                      "controller",
                      name);
}

/* The caller's part of the samples at the point of the probe. */
static rattle_status ask(rattle_integrator *s, double time, long long step, rattle_error *error) {
  struct rattle__controllers *c = s->controllers;
  rattle_status status = RATTLE_OK;
  if (find_open(c->model) < 0) return RATTLE_OK;
  rattle__probe_place(c->probe, c->z, c->z + c->n);
  if (s->problem->observed) status = rattle__probe_observe(c->probe, c->observed, error);
  for (int i = 0; i < c->model->controllers && !status; i++) {
    const rattle__controller *is = &c->model->controller[i];
    if (is->given || !is_due(c, i, step)) continue;
    status = rattle__answer(s->control.sample(s->control.self, i, time, c->z, c->z + c->n,
                                              c->observed, c->next + is->first),
                            "sample", error);
  }
  return status;
}

/* The values after a sample at z [2 pairs], the end of that step of the state. */
static rattle_status evaluate(rattle_integrator *s, const rattle_state *state, long long step,
                              const double *z, rattle_error *error) {
  struct rattle__controllers *c = s->controllers;
  const rattle__function *f = s->problem->next;
  const size_t half = (size_t)c->n * sizeof *z;
  const double *shown = z;
  rattle_status status = rattle__integrator_shown(s, state->h, &shown, error);
  if (status) return status;
  memcpy(c->z, shown, half);
  memcpy(c->z + c->n, shown + c->pairs, half);
  if (c->cites) {
    rattle__probe_place(c->probe, c->z, c->z + c->n);
    status = rattle__probe_cite(c->probe, c->z, error);
  }
  if (!status) status = rattle__answer(f->value(f, c->z, c->next, c->work), "sample", error);
  return status ? status : ask(s, rattle__time_after(s, state, step), step, error);
}

/* The values of the controllers whose time it is, in z; 1: one has changed. */
static int put(rattle_integrator *s, long long step, double *z) {
  struct rattle__controllers *c = s->controllers;
  double *carry = s->context.carry;
  int changed = 0;
  for (int k = 0; k < c->model->held; k++) c->before[k] = z[c->model->held_pair[k]];
  for (int i = 0; i < c->model->controllers; i++) {
    const rattle__controller *is = &c->model->controller[i];
    for (int k = is->first; k < is->first + is->count && is_due(c, i, step); k++) {
      const int pair = c->model->held_pair[k];
      changed |= z[pair] != c->next[k] || z[c->pairs + pair] != 0;
      z[pair] = c->next[k], z[c->pairs + pair] = 0;
      if (carry) carry[pair] = carry[c->pairs + pair] = 0;
    }
  }
  return changed;
}

int rattle__controllers_before(const rattle_integrator *s, long long step, double *z) {
  const struct rattle__controllers *c = s->controllers;
  int jumps = 0;
  if (!c || c->sampled != step) return 0;
  for (int k = 0; k < c->model->held; k++) {
    const int pair = c->model->held_pair[k];
    jumps |= z[pair] != c->before[k];
    z[pair] = c->before[k];
  }
  return jumps;
}

static int energy(rattle_integrator *s, const double *z, double *H) {
  const rattle__function *f = s->context.problem->H;
  *H = 0;
  return s->controllers->enters_H ? f->value(f, z, H, s->work) : 0;
}

/* The samples of a step, at z[now]. first: a motion begins there, whose energy is that after it. */
static rattle_status sample(rattle_integrator *s, const rattle_state *state, long long step,
                            int first, rattle_error *error) {
  struct rattle__controllers *c = s->controllers;
  double *z = s->z[s->now], before, after;
  const double time = rattle__time_after(s, state, step);
  *c->taken = 1;
  if (!any_is_due(c, step)) return RATTLE_OK;
  *c->taken = 0;
  rattle_status status = evaluate(s, state, step, z, error);
  for (int i = 0; i < c->model->controllers; i++) {
    const rattle__controller *is = &c->model->controller[i];
    for (int k = is->first; k < is->first + is->count && is_due(c, i, step) && !status; k++)
      if (!isfinite(c->next[k])) status = not_finite(c, k, time, error);
  }
  if (status) return status;
  int answer = energy(s, z, &before);
  const int changed = put(s, step, z);
  answer = answer ? answer : energy(s, z, &after);
  if (answer) return rattle__callback_error(answer, "energy", error);
  *c->taken = 1;
  c->sampled = first ? -1 : step;
  if (!first) *s->gained += after - before;
  for (int i = c->past; changed && i >= 0 && i < s->context.memories; i++) {
    const struct rattle__memory *past = &s->context.memory[i];
    if (!past->stays) memset(past->array, 0, (size_t)past->count * sizeof(double));
  }
  return RATTLE_OK;
}

rattle_status rattle__controllers_begin(rattle_integrator *s, const rattle_state *state,
                                        rattle_error *error) {
  if (!s->controllers || s->passive) return RATTLE_OK;
  rattle_status status = fit(s->controllers, state, error);
  if (!status) status = check_control(s, error);
  return status || *s->controllers->taken != 0 ? status : sample(s, state, state->step, 1, error);
}

rattle_status rattle__controllers_sample(rattle_integrator *s, const rattle_state *state,
                                         rattle_error *error) {
  return sample(s, state, state->step, 0, error);
}

rattle_status rattle_integrator_set_control(rattle_integrator *integrator,
                                            const rattle_control *control, rattle_error *error) {
  rattle_integrator *s = integrator;
  if (s->controllers && find_open(s->controllers->model) >= 0)
    return RATTLE__TAKE(&s->control, rattle_control, self, control, error);
  return rattle__fail(error, RATTLE_BAD_ARGUMENT, "control",
                      "the model leaves no samples of controllers to its caller");
}

const char *rattle_model_controller_value(const rattle_model *model, int controller, int value) {
  if (controller < 0 || controller >= model->controllers) return NULL;
  const rattle__controller *c = &model->controller[controller];
  return value >= 0 && value < c->count ? model->next[c->first + value].name : NULL;
}

/* --- making ----------------------------------------------------------------------------------- */

rattle_status rattle__controllers_check(const rattle_integrator *s, rattle_error *error) {
  const char *text = rattle_method_text(s->method);
  if (!s->controllers) return RATTLE_OK;
  if (s->map->late)
    return rattle__fail(error, RATTLE_UNSUITABLE, text,
                        "%s chooses its own times, and the controllers of this model have samples "
                        "at theirs: give a method with a fixed step, as %s",
                        text, rattle_default_method(s->problem));
  if (s->map->shows)
    return rattle__fail(error, RATTLE_UNSUITABLE, text,
                        "%s steps with other variables than (q, p), in which a jump of the forces "
                        "has no meaning: with controllers use %s",
                        text, rattle_default_method(s->problem));
  return RATTLE_OK;
}

/* Notes whether H depends on a value. */
static rattle_status find_in_H(struct rattle__controllers *c, rattle_error *error) {
  const rattle_model *model = c->model;
  unsigned char *mark = calloc(2 * (size_t)model->n, 1);
  const rattle_status status = mark ? rattle__mark_variables(model, model->hamiltonian, mark, error)
                                    : rattle__no_memory(error);
  for (int i = 0; i < model->held && !status; i++) c->enters_H |= mark[2 * model->held_pair[i]];
  free(mark);
  return status;
}

rattle_status rattle__controllers_declare(rattle_integrator *s, rattle_error *error) {
  const rattle_problem *problem = s->problem;
  const rattle_model *model = problem->model;
  if (!problem->next) return RATTLE_OK;
  rattle__arena *arena = &s->context.arena;
  struct rattle__controllers *c = s->controllers = rattle__arena_take(arena, sizeof *c);
  if (!c) return rattle__no_memory(error);
  *c = (struct rattle__controllers){
      .model = model, .n = s->n, .pairs = s->pairs, .past = -1, .sampled = -1};
  const size_t count = (size_t)model->controllers;
  c->period = rattle__arena_take(arena, count * sizeof *c->period);
  c->first = rattle__arena_take(arena, count * sizeof *c->first);
  c->z = rattle__arena_doubles(arena, 2 * (size_t)s->n + (size_t)problem->cited);
  c->next = rattle__arena_doubles(arena, (size_t)model->held);
  c->before = rattle__arena_doubles(arena, (size_t)model->held);
  c->work = rattle__arena_doubles(arena, problem->next->work);
  c->taken = rattle__context_memory(&s->context, 1);
  if (!s->gained) s->gained = rattle__context_memory(&s->context, 1);
  if (arena->failed) return rattle__no_memory(error);
  if (!rattle__method_root(s->method)->quad) c->past = s->context.memories;
  c->cites = rattle__cites(problem, problem->next);
  const rattle_status status = find_in_H(c, error);
  if (model->observables) c->observed = rattle__arena_doubles(arena, (size_t)model->observables);
  if (arena->failed) return rattle__no_memory(error);
  if (status || (!c->cites && find_open(model) < 0)) return status;
  return rattle__probe_create(&c->probe, problem, RATTLE__PROBE_MULTIPLIERS, error);
}

void rattle__controllers_release(rattle_integrator *s) {
  if (s->controllers) rattle__probe_destroy(&s->controllers->probe);
}
