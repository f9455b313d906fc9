/* Integrators: a method expression compiled for a problem, two buffers for z, and the loop over
 * steps.
 *
 * Numerics   time is t0 + step*h, except for maps that adapt their steps; a step is a pure function
 *            of (t, h, q, p): the maps keep what they know of the last point only where the next
 *            step starts there, bit for bit
 * Memory     all from the context's arena, when the method is planned */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "constraint/step/point.h"
#include "runs/integrate/check.h"
#include "problem/functions/probe.h"
#include "runs/integrate/run_hooks.h"
#include "constraint/guard/follow.h"
#include "runs/integrate/integrator.h"
#include "runs/proof/proof.h"
#include "problem/functions/forced.h"
#include "problem/functions/native.h"
#include "problem/functions/velocity.h"
#include "ground/support/finite.h"

/* --- making ----------------------------------------------------------------------------------- */

/* How many numbers the declared memory has. */
static int count_memory(const rattle_integrator *s) {
  int count = 0;
  for (int i = 0; i < s->context.memories; i++) count += s->context.memory[i].count;
  return count;
}

rattle_status rattle__integrator_plan(rattle_integrator *s, rattle_error *error) {
  rattle__arena *arena = &s->context.arena;
  rattle_status status = s->problem->model
                             ? rattle__problem_view(&s->view, s->problem, &s->orders, error)
                             : rattle__problem_answered(&s->view, s->problem, &s->answers, error);
  if (!status)
    status = rattle__problem_with_account(&s->ledger, s->view ? s->view : s->problem, error);
  if (status) return status;
  s->context.problem = s->ledger ? s->ledger : s->view ? s->view : s->problem;
  s->pairs = s->context.problem->n;
  const size_t nz = 2 * (size_t)s->pairs;
  s->context.orders = &s->orders;
  s->z[0] = rattle__arena_doubles(arena, nz);
  s->z[1] = rattle__arena_doubles(arena, nz);
  s->out = rattle__arena_doubles(arena, nz);
  s->work = rattle__arena_doubles(arena, s->context.problem->H->work);
  s->context.solver = "none";
  const rattle__node *root = rattle__method_root(s->method);
  if (root->compensated || root->quad)
    s->context.carry = rattle__context_memory(&s->context, (int)nz);
  if (s->ledger) s->work_done = rattle__context_memory(&s->context, 1);
  if (arena->failed) return rattle__no_memory(error);
  status = rattle__heat_bath_create(s, error);
  if (!status) status = rattle__controllers_declare(s, error);
  if (!status && s->problem->conditions && !s->gained)
    s->gained = rattle__context_memory(&s->context, 1);
  s->own = s->context.memories;
  const int own = count_memory(s);
  if (!status)
    status = root->quad ? rattle__quad_create(&s->map, &s->context, root, error)
                        : rattle__compile(&s->map, &s->context, rattle__method_steps(root), error);
  if (status) return status;
  s->extra = count_memory(s);
  if (!s->map->undo) s->before = rattle__arena_doubles(arena, (size_t)s->extra);
  s->residuals = rattle__arena_doubles(arena, 2 * (size_t)s->context.problem->m);
  s->looks = s->context.problem->m && (s->map->drifts || !rattle_method_claims(s->method).keeps_g);
  if (s->looks) status = rattle__nondegeneracy_create_counting(&s->guard, &s->context, error);
  if (!status) status = rattle__controllers_check(s, error);
  if (!status) status = rattle__omitted_plan(s, error);
  if (!status) status = rattle__turns_plan(s, root->quad ? s->extra : own, error);
  return status ? status : arena->failed ? rattle__no_memory(error) : RATTLE_OK;
}

rattle_status rattle__integrator_make(rattle_integrator **integrator, const rattle_problem *problem,
                                      rattle_method *method, rattle_error *error) {
  rattle_integrator *s = calloc(1, sizeof *s);
  if (!s) {
    rattle_method_destroy(&method);
    return rattle__no_memory(error);
  }
  s->method = method;
  s->n = problem->n;
  s->clock = problem->clock;
  s->problem = rattle_problem_retain(problem);
  rattle_status status = rattle_method_resolve(s->method, problem, error);
  if (!status) status = rattle__integrator_check(problem, s->method, error);
  if (!status) status = rattle__integrator_plan(s, error);
  if (status) {
    rattle_integrator_destroy(&s);
    return status;
  }
  s->leaves_psi = (problem->m || problem->velocity) && !s->map->drifts &&
                  ((s->map->output && !s->map->shows) ||
                   (!rattle_method_claims(s->method).keeps_psi && !s->looks));
  *integrator = s;
  return RATTLE_OK;
}

void rattle__integrator_release(rattle_integrator *s) {
  if (s->map && s->map->destroy) s->map->destroy(s->map);
  rattle__nondegeneracy_destroy(s->guard);
  rattle__reaction_destroy(&s->implied);
  rattle__heat_bath_destroy(s);
  rattle__controllers_release(s);
  rattle__turns_release(s);
  rattle__probe_destroy(&s->context.probe);
  rattle__arena_release(&s->context.arena);
  rattle__problem_with_account_destroy(&s->ledger);
  rattle__problem_view_destroy(&s->view);
  rattle__orders_drop(&s->orders);
  for (int k = 0; k < s->compilations; k++) rattle__compilation_end(&s->compilation[k]);
}

void rattle_integrator_destroy(rattle_integrator **integrator) {
  if (!integrator || !*integrator) return;
  rattle_integrator *s = *integrator;
  rattle__integrator_release(s);
  rattle__proof_destroy(&s->proof);
  if (s->switching) s->switching->destroy(s->switching);
  rattle_method_destroy(&s->method);
  rattle_problem *problem = (rattle_problem *)s->problem;
  rattle_problem_destroy(&problem);
  free(s);
  *integrator = NULL;
}

/* --- stepping --------------------------------------------------------------------------------- */

/* Maps are without a past. */
static void forget(rattle_integrator *s) {
  for (int i = 0; i < s->context.memories; i++)
    memset(s->context.memory[i].array, 0, (size_t)s->context.memory[i].count * sizeof(double));
}

/* True if time is counted as at the last step. */
static int is_now(const rattle_integrator *s, const rattle_state *state) {
  return s->step == state->step && s->t0 == state->t0 && s->h == state->h;
}

/* Copies the state into z[now]; if it is there already, maps may use their memory of it. */
static void load(rattle_integrator *s, const rattle_state *state) {
  size_t half = (size_t)s->n * sizeof(double);
  double *z = s->z[s->now];
  if (rattle__integrator_is_here(s, state)) {
    if (s->map->late && !is_now(s, state)) s->map->late[0] = s->map->late[1] = 0;
    return;
  }
  memcpy(z, state->q, half);
  memcpy(z + s->pairs, state->p, half);
  s->loaded = 1;
  if (!s->restored) forget(s);
  if (s->ledger) z[s->n] = 0, z[s->pairs + s->n] = *s->work_done;
  s->restored = 0;
}

static void store(const rattle_integrator *s, rattle_state *state) {
  size_t half = (size_t)s->n * sizeof(double);
  memcpy(state->q, s->z[s->now], half);
  memcpy(state->p, s->z[s->now] + s->pairs, half);
}

/* H, less what was gained; of problems with forces less their work, too */
static int energy_at(rattle_integrator *s, const double *z, double *energy) {
  const rattle_problem *problem = s->context.problem;
  if (!rattle__point_knows_V(s->context.evaluated, z)) {
    const int answer = problem->H->value(problem->H, z, energy, s->work);
    if (s->gained) *energy -= *s->gained;
    return answer;
  }
  /* V, which the map met on its way, is all of H that does not come from masses */
  *energy = rattle__mass_kinetic(problem->mass, z + s->pairs) + s->context.evaluated->V -
            (s->gained ? *s->gained : 0);
  return 0;
}

/* max |g_i|, |psi_i| of a method that leaves them open. */
static rattle_status look_at_residuals(rattle_integrator *s, const double *z, rattle_error *error) {
  const int m = s->context.problem->m;
  double *g = s->residuals, *psi = g + m;
  rattle_residuals *most = &s->context.residuals;
  rattle__probe_place(s->context.probe, z, z + s->pairs);
  const rattle_status status = rattle__probe_residuals(s->context.probe, g, psi, error);
  for (int i = 0; i < m && !status; i++) {
    most->g = fmax(most->g, fabs(g[i]));
    most->psi = fmax(most->psi, fabs(psi[i]));
  }
  return status;
}

/* Evaluated after a step: nothing; H; the same, and if the method leaves them open g and psi and
 * N. */
typedef enum sight { NOTHING, ENERGY, RESIDUALS } sight;

/* After a step that ended at z. */
static rattle_status look(rattle_integrator *s, double h, const double *z, sight sees,
                          double *energy, rattle_error *error) {
  rattle_status status = rattle__integrator_show(s, h, &z, error);
  if (!status && (energy_at(s, z, energy) || !isfinite(*energy)))
    status = rattle__end_not_finite(s, z, error);
  if (sees < RESIDUALS || !s->looks) return status;
  if (!status) status = look_at_residuals(s, z, error);
  return status ? status : rattle__nondegeneracy_go_on(s->guard, z, error);
}

static void note_length(rattle__context *c, double length) {
  c->shortest = c->shortest > 0 ? fmin(c->shortest, length) : length;
  c->longest = fmax(c->longest, length);
}

static void begin_impulses(rattle_integrator *s) {
  memset(s->context.impulse, 0, (size_t)s->pairs * sizeof(double));
  s->context.virial = 0;
}

/* Proves the step from z0 that has been made, and counts how. */
static rattle_status prove(rattle_integrator *s, double h, const double *z0, const double *z1,
                           rattle_error *error) {
  const rattle_certificate *sum = rattle__proof_certificate(s->proof), before = *sum;
  const rattle_status status = rattle__proof_of_step(s->proof, h, z0, z1, error);
  if (status || sum->open > before.open || sum->wrong > before.wrong) return status;
  const int tracked = sum->tracked > before.tracked;
  s->context.counts.proven += !tracked, s->context.counts.tracked += tracked;
  return RATTLE_OK;
}

/* One step from z[now], after `step` steps of the state, which becomes the point it ends at. */
static rattle_status one_step(rattle_integrator *s, const rattle_state *state, long long step,
                              sight sees, double *energy, rattle_error *error) {
  double *next = s->z[1 - s->now], h = rattle__length_after(s, state, step);
  const rattle_counts before = s->context.counts;
  const char *kernel = s->context.kernel;
  const double gained = s->gained ? *s->gained : 0, *z0 = s->z[s->now];
  s->context.kernel = "general";
  if (s->extra && !s->map->undo) rattle_integrator_get_extra(s, s->before);
  if (s->context.impulse) begin_impulses(s);
  s->context.allowance = rattle__most_along_fibres();
  rattle_status status = s->bath ? rattle__heat_bath_exchange(s, h, step, &z0, error) : RATTLE_OK;
  if (!status && s->turns) rattle__turns_begin(s, &z0);
  if (s->proof) s->context.asked.trace = rattle__proof_trace(s->proof);
  if (!status) status = s->map->apply(s->map, h, z0, next, error);
  if (s->proof) s->context.asked.trace = NULL;
  s->context.allowance = 0;
  if (!status && !rattle__all_finite(next, 2 * s->pairs))
    status = rattle__end_not_finite(s, next, error);
  if (!status) status = rattle__clock_arrive(s, state, step, next, error);
  if (!status && (s->omitted || s->implied)) status = rattle__omitted_hold(s, next, error);
  if (!status && s->turns) status = rattle__turns_hold(s, h, next, error);
  if (!status && sees) status = look(s, h, next, sees, energy, error);
  if (!status && s->proof) status = prove(s, h, z0, next, error);
  status = rattle__answers_end(&s->answers, status, error);
  if (status) {
    if (s->map->undo)
      s->map->undo(s->map);
    else if (s->extra)
      rattle__integrator_put_extra(s, s->before);
    if (s->gained) *s->gained = gained;
    s->context.kernel = kernel;
    rattle__uncount(s, &before);
    return status;
  }
  if (s->map->late) note_length(&s->context, fabs(s->map->length));
  s->now = 1 - s->now;
  s->followed = s->context.counts.followed != before.followed;
  if (s->ledger) *s->work_done = next[s->pairs + s->n];
  s->context.counts.steps++;
  return RATTLE_OK;
}

/* The same, in which constraints may begin and end. */
static rattle_status next_step(rattle_integrator *s, const rattle_state *state, long long step,
                               sight sees, double *energy, rattle_error *error) {
  int changed = 0;
  rattle_status status = s->switching ? s->switching->leave(s, state, step, error) : RATTLE_OK;
  if (!status) status = one_step(s, state, step, sees, energy, error);
  if (status && s->switching) s->switching->back(s);
  if (status || !s->switching) return status;
  status = s->switching->act(s, state, &changed, error);
  if (!status && changed && sees) status = look(s, state->h, s->z[s->now], sees, energy, error);
  status = rattle__answers_end(&s->answers, status, error);
  if (status) s->context.counts.steps--, s->switching->back(s);
  return status;
}

/* Steps that the map makes by itself. It knows H, not what was gained between steps. */
static long long run_steps(rattle_integrator *s, const double *h, long long steps, double *range) {
  const char *kernel = s->context.kernel;
  const struct rattle__asked asked = s->context.asked;
  if (s->turns && !rattle__turns_watch(s, *h)) return 0;
  s->context.kernel = "native"; /* or what the map says */
  double own[2] = {INFINITY, -INFINITY};
  const int gained = s->gained && range;
  const long long done = s->map->run(s->map, h, 1, steps, s->z[s->now], gained ? own : range);
  if (gained) {
    range[0] = fmin(range[0], own[0] - *s->gained);
    range[1] = fmax(range[1], own[1] - *s->gained);
  }
  s->context.asked = asked;
  if (done)
    s->followed = 0;
  else
    s->context.kernel = kernel;
  return done;
}

/* True if that step ended at the time wanted, or beyond. */
static int has_come(const rattle_integrator *s, const rattle_state *state, long long step) {
  return (rattle__time_after(s, state, step) - *s->until) * state->h >= 0;
}

/* Steps one by one; range [2] (may be NULL) is widened by the energies. H of callbacks, of which
 * nothing is known, has a value where the last step ends. */
static long long step_by_step(rattle_integrator *s, const rattle_state *state, long long steps,
                              double *range, rattle_status *status, rattle_error *error) {
  long long done = 0;
  double energy;
  for (; done < steps; done++) {
    if (s->until && done > 0 && has_come(s, state, state->step + done)) break;
    *status = rattle__heed(&s->context, error);
    const sight last = done + 1 == steps && !s->problem->graph ? ENERGY : NOTHING,
                sees = range ? RESIDUALS : last;
    if (!*status) *status = next_step(s, state, state->step + done, sees, &energy, error);
    if (*status) break;
    if (!range) continue;
    if (energy < range[0]) range[0] = energy;
    if (energy > range[1]) range[1] = energy;
  }
  return done;
}

/* True if the map makes steps by itself. */
static int may_run(const rattle_integrator *s) {
  return s->map->run && !s->proof && !s->switching && (!s->clock || s->map->keeps_time) &&
         !s->context.asked.trace && !s->context.impulse && !s->omitted && !s->implied && !s->bath &&
         (!s->turns || s->map->examined);
}

/* Steps up to that number, between which there is no sample. */
static rattle_status stretch(rattle_integrator *s, rattle_state *state, long long last,
                             double *range, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  const int runs = may_run(s);
  while (runs && state->step < last && !status) {
    s->context.times = (struct rattle__times){state->t0, state->h, state->step};
    const long long run = run_steps(s, &state->h, last - state->step, range);
    if (s->ledger) *s->work_done = s->z[s->now][s->pairs + s->n];
    s->context.counts.steps += run;
    state->step += run;
    if (s->context.asked.examine)
      break; /* the caller takes a step that needs care, or is examined */
    if (state->step < last)
      state->step +=
          step_by_step(s, state, 1, range, &status, error); /* a step that needs care, or fails */
  }
  if (!status && !s->context.asked.examine)
    state->step += step_by_step(s, state, last - state->step, range, &status, error);
  return status;
}

/* The state in z[now], with the samples of its controllers. */
static rattle_status set_out(rattle_integrator *s, const rattle_state *state, rattle_error *error) {
  load(s, state);
  s->answers.fatal = 0;
  rattle_status status = rattle__clock_check(s, state, error);
  if (!status) rattle__clock_set(s, state, state->step, s->z[s->now]);
  return status ? status : rattle__controllers_begin(s, state, error);
}

rattle_status rattle__integrator_set_out(rattle_integrator *s, rattle_state *state,
                                         rattle_error *error) {
  if (!s->controllers) return RATTLE_OK;
  const rattle_status status = set_out(s, state, error);
  if (!status) store(s, state);
  s->t0 = state->t0, s->h = state->h, s->step = state->step;
  return status;
}

rattle_status rattle__integrator_steps(rattle_integrator *s, rattle_state *state, long long steps,
                                       double *range, rattle_error *error) {
  if (!(fabs(state->h) > 0) || !isfinite(state->h))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "step",
                        "the step is %g: give a step that is finite and not 0", state->h);
  const long long last = state->step + steps;
  double own[2] = {INFINITY, -INFINITY};
  if (!range && s->problem->partial) range = own; /* forces may have values where H has none */
  rattle_status status = set_out(s, state, error);
  if (!status && range && s->looks) {
    const double *z = s->z[s->now];
    status = rattle__integrator_show(s, state->h, &z, error);
    if (!status) rattle__nondegeneracy_begin(s->guard, z);
  }
  for (int more = 1; more && !status;) {
    const long long next = rattle__controllers_next(s, state->step), to = next < last ? next : last;
    status = stretch(s, state, to, range, error);
    if (!status && state->step == next) status = rattle__controllers_sample(s, state, error);
    more = state->step == to && to < last;
  }
  store(s, state);
  s->t0 = state->t0, s->h = state->h, s->step = state->step;
  if (status && error) {
    /* where failures are answers, nobody reads why */
    if (!s->context.asked.declines) rattle__blame_jump(s, state, error);
    error->step = state->step;
    error->time = rattle__time_after(s, state, state->step);
  }
  return status;
}

rattle_status rattle__integrator_advance(rattle_integrator *integrator, rattle_state *state,
                                         long long steps, double *energy_min, double *energy_max,
                                         rattle_error *error) {
  double range[2] = {*energy_min, *energy_max};
  rattle_status status = rattle__integrator_steps(integrator, state, steps, range, error);
  *energy_min = range[0];
  *energy_max = range[1];
  return status;
}

double rattle_integrator_time(const rattle_integrator *integrator, const rattle_state *state) {
  const rattle_integrator *s = integrator;
  if (s->restored || (rattle__integrator_is_here(s, state) && is_now(s, state)))
    return rattle__time_after(s, state, state->step);
  return state->t0 + (double)state->step * state->h;
}
