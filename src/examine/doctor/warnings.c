/* Warnings about runs: rattle/warnings.h. */
#include "rattle/warnings.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "examine/doctor/report.h"
#include "ground/expr/round_off.h"
#include "ground/support/error.h"
#include "ground/support/number.h"
#include "problem/functions/problem.h"
#include "problem/model/model.h"
#include "runs/integrate/integrator.h"

struct rattle_warnings {
  const rattle_integrator *integrator;
  rattle_problem *problem; /* held */
  char **text;
  int count, room, failed;
  /* of the run that is observed */
  rattle_observer observer;
  const rattle_state *state;
  double *began;   /* q, p at its start */
  long long first; /* its step */
};

/* The error of the energy, in parts of the energies, from which on a run is not what was asked for;
 * steps shorter by less say nothing. */
static const double loose = 0.05, shorter = 0.6;
/* Implicit maps, and with forces of momenta all, stay bounded with steps that do not resolve the
 * motion: between two and four steps a period of the fastest one are too few. */
static const double unresolved = 40;

__attribute__((format(printf, 2, 3))) static void add(rattle_warnings *w, const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  rattle__format(text, sizeof text, format, arguments);
  va_end(arguments);
  char **grown = rattle__room(w->text, w->count, &w->room, sizeof *grown);
  if (grown) w->text = grown;
  char *kept = grown ? strdup(text) : NULL;
  if (kept) w->text[w->count++] = kept;
  w->failed |= !kept;
}

/* --- before a run ----------------------------------------------------------------------------- */

/* Methods whose order the cutoff of forces between beads does not leave. */
static void about_cutoff(rattle_warnings *w, const rattle_model *model, int order) {
  const int smooth = rattle_model_smoothness(model);
  if (smooth && order > smooth + 1)
    add(w,
        "the method has order %d, and pair_potential, with %d continuous derivative%s at its "
        "cutoff, leaves %d: lennard_jones with smooth = %d leaves more",
        order, smooth, smooth == 1 ? "" : "s", smooth + 1, order < 8 ? order - 1 : 7);
}

static int has_friction(const rattle_model *model) {
  rattle__friction unused;
  int found = 0;
  for (int i = 0; i < model->applieds && !found; i++)
    found = rattle__model_friction(model, i, &unused);
  return found;
}

/* Methods whose order the model does not leave. */
static void about_seams(rattle_warnings *w, const rattle_model *model,
                        const rattle_claims *claims) {
  char where[500];
  const int left = rattle_model_order_left(model, where, sizeof where);
  if (left < 0 || claims->order <= left) return;
  if (has_friction(model))
    add(w,
        "%s: steps across have order %d, and where friction holds a part they chatter or fail: "
        "smooth it, as by tanh, or end the run at the stop by an event",
        where, left);
  else if (left < 2 && !claims->explicit_)
    add(w,
        "%s: steps across have order %d, and their implicit equations may have no solution there: "
        "smooth it, as by tanh, or use an explicit method, such as %s",
        where, left, w->problem->m ? "rattle(rk4)" : "rk4");
  else
    add(w, "%s: steps across have order %d", where, left);
}

/* The parts of a file that its reader left out of the model: robots (files/robots). */
static void about_file(rattle_warnings *w, const rattle_model *model) {
  const int count = rattle_model_metadata(model, -1, NULL, NULL);
  for (int i = 0; i < count; i++) {
    const char *key, *value;
    rattle_model_metadata(model, i, &key, &value);
    if (!strcmp(key, "not_used")) add(w, "of the file, the model does not have: %s", value);
  }
}

rattle_status rattle_warnings_create(rattle_warnings **warnings,
                                     const rattle_integrator *integrator, rattle_error *error) {
  rattle_warnings *w = *warnings = calloc(1, sizeof *w);
  if (!w) return rattle__no_memory(error);
  w->integrator = integrator;
  w->problem = rattle_problem_retain(integrator->problem);
  const rattle_model *model = rattle_problem_model(w->problem);
  const rattle_claims claims = rattle_method_claims(rattle_integrator_method(integrator));
  if (model) about_cutoff(w, model, claims.order);
  if (model) about_seams(w, model, &claims);
  if (model) about_file(w, model);
  if (!w->failed) return RATTLE_OK;
  rattle_warnings_destroy(warnings);
  return rattle__no_memory(error);
}

/* --- after a run ------------------------------------------------------------------------------ */

/* The step for the fastest motion at the start and where the run ended: near a singularity, where
 * none is short enough, that of the start. */
static double step_for(const rattle_warnings *w, const double *q, const double *p,
                       const rattle_state *state) {
  const double nowhere = 1e-3;
  double first = (double)NAN, last = (double)NAN;
  rattle_doctor_step(w->problem, q, p, &first, NULL);
  rattle_doctor_step(w->problem, state->q, state->p, &last, NULL);
  return last >= nowhere * first ? fmin(first, last) : first;
}

/* 1: derivatives of callbacks are wrong. */
static int about_derivatives(rattle_warnings *w, const double *q, const double *p) {
  char sentence[1000];
  const int found =
      !rattle_doctor_derivatives(w->problem, q, p, sentence, sizeof sentence, NULL) && *sentence;
  if (found) add(w, "%s", sentence);
  return found;
}

/* True if the energy is off by more than round-off makes of it, where the run began or ended: a
 * share of terms that are all round-off says nothing. */
static int is_off(const rattle_warnings *w, const rattle_summary *s) {
  const size_t n = (size_t)rattle_problem_n(w->problem);
  if (s->status || !(s->energy_max_relative_error >= loose)) return 0;
  double *z = malloc(2 * n * sizeof *z);
  double unit = rattle__energy_unit(w->problem, w->began, s->step);
  if (z) {
    memcpy(z, w->state->q, n * sizeof *z);
    memcpy(z + n, w->state->p, n * sizeof *z);
    unit = fmax(unit, rattle__energy_unit(w->problem, z, s->step));
  }
  free(z);
  return !rattle__is_round_off(s->energy_max_error, unit);
}

static void about_step(rattle_warnings *w, const rattle_summary *s, double advised, int failed,
                       int off) {
  const double h = fabs(s->step);
  const int too_long = advised <= shorter * h;
  if (!failed && !off && h > unresolved * advised)
    add(w,
        "the step %g does not resolve the fastest motion, for which about %g would be right: what "
        "is fast is wrong, and so may be what depends on it",
        s->step, copysign(advised, s->step));
  if (failed && too_long)
    add(w, "the step %g is too long for the fastest motion; try a step of %.1g", s->step,
        copysign(advised, s->step));
  if (off)
    add(w, "the energy is off by %.2g %% of its terms%s; try a step of %.1g",
        100 * s->energy_max_relative_error,
        too_long ? ", the step is too long for the fastest motion" : "",
        copysign(too_long ? advised : h / 4, s->step));
}

/* The state where the run began. */
static rattle_state first_state(const rattle_warnings *w) {
  rattle_state first = *w->state;
  first.q = w->began, first.p = w->began + rattle_problem_n(w->problem), first.step = w->first;
  return first;
}

/* Constraints on velocities that turn by more than half a turn in a step, of which its ends tell
 * nothing. The first of them is constraint number `first`. */
static void about_whole_turns(rattle_warnings *w, const rattle_state *start, int first) {
  int row = 0, last_row = 0;
  double turn = rattle__turn_of_rows(w->problem, start, &row);
  const double last = rattle__turn_of_rows(w->problem, w->state, &last_row), h = w->state->h;
  if (last > turn) turn = last, row = last_row;
  if (!(turn > acos(-1))) return;
  add(w,
      "the constraint on velocities '%s' turns by %.3g radian in a step of %g, and steps see no "
      "whole turns: the motion is wrong; try a step of %.1g",
      rattle_problem_constraint_name(w->problem, first + row), turn, h, h / (4 * turn));
}

/* Constraints on velocities that a step, where the run began or ended, does not keep between its
 * ends. */
static void about_rows(rattle_warnings *w, double advised) {
  const int first = rattle_problem_m(w->problem) - rattle_problem_velocity_constraints(w->problem);
  const double h = w->state->h;
  const rattle_state start = first_state(w);
  int row = 0;
  const double off = rattle__within_steps(w->integrator, w->problem,
                                          (const rattle_state *const[]){&start, w->state}, &row);
  if (off < loose) {
    about_whole_turns(w, &start, first);
    return;
  }
  add(w,
      "the constraint on velocities '%s' is off by %.2g %% within steps, the step %g turns too "
      "much: positions are wrong by about as much; try a step of %.1g",
      rattle_problem_constraint_name(w->problem, first + row), 100 * off, h,
      copysign(advised <= shorter * fabs(h) ? advised : fabs(h) / 4, h));
}

/* Constraints on coordinates that turn so far in a step, where the run began or ended, that a step
 * of order 2 turns them much farther, though it keeps g, psi and H. */
static void about_turns(rattle_warnings *w) {
  const rattle_claims claims = rattle_integrator_claims(w->integrator);
  const rattle_state first = first_state(w);
  const double h = w->state->h;
  int row = 0, last_row = 0;
  if (claims.order > 2 || !claims.keeps_psi) return; /* velocities are not tangent */
  double turn = rattle__turn_of_constraints(w->problem, &first, &row);
  const double last = rattle__turn_of_constraints(w->problem, w->state, &last_row);
  if (last > turn) turn = last, row = last_row;
  const double too_far = turn > 0 ? asin(fmin(turn, 1)) / turn - 1 : 0;
  if (!(too_far >= loose)) return;
  add(w,
      "constraint '%s' turns by %.2g in a step of %g, which steps of order 2 make about %.2g %% "
      "too "
      "fast, though energies are kept; try a step of %.1g",
      rattle_problem_constraint_name(w->problem, row), turn, h, 100 * too_far, h / 4);
}

static rattle_status begin(void *self, const rattle_integrator *integrator,
                           const rattle_sample *start, rattle_error *error) {
  rattle_warnings *w = self;
  const size_t n = (size_t)rattle_problem_n(w->problem);
  (void)integrator, (void)start;
  double *began = realloc(w->began, 2 * n * sizeof *began);
  if (!began) return rattle__no_memory(error);
  w->began = began;
  w->first = w->state->step;
  memcpy(began, w->state->q, n * sizeof *began);
  memcpy(began + n, w->state->p, n * sizeof *began);
  return RATTLE_OK;
}

static rattle_status end(void *self, const rattle_summary *s, rattle_error *error) {
  rattle_warnings *w = self;
  const double *q = w->began, *p = q + rattle_problem_n(w->problem);
  const int failed = s->status == RATTLE_NOT_CONVERGED || s->status == RATTLE_SINGULAR ||
                     s->status == RATTLE_DEGENERATE || s->status == RATTLE_DOMAIN;
  const int held = rattle_problem_m(w->problem) - rattle_problem_velocity_constraints(w->problem) >=
                   rattle_problem_n(w->problem);
  const int off = !held && is_off(w, s);
  const rattle_method *method = rattle_integrator_method(w->integrator);
  const int forced = (rattle_problem_kind(w->problem) & RATTLE_FORCED) != 0;
  const int implicit = !s->status && (forced || !rattle_method_claims(method).explicit_);
  const int good = !s->status && !held && !off && rattle_problem_m(w->problem) > 0;
  const int rolls = good && rattle_problem_velocity_constraints(w->problem) > 0;
  if (!failed && !off && !implicit && !good) return RATTLE_OK;
  /* a shorter step does not mend derivatives */
  const int wrong = (failed || off) && about_derivatives(w, q, p);
  if (!wrong && !rattle_method_adapts(method)) {
    const int asks = failed || off || implicit || rolls;
    const double advised = asks ? step_for(w, q, p, w->state) : 0;
    if (failed || off || implicit) about_step(w, s, advised, failed, off);
    if (rolls) about_rows(w, advised);
    if (good && !rolls) about_turns(w);
  }
  return w->failed ? rattle__no_memory(error) : RATTLE_OK;
}

rattle_observer *rattle_warnings_observer(rattle_warnings *w, const rattle_state *state) {
  w->state = state;
  w->observer =
      (rattle_observer){.struct_size = sizeof w->observer, .self = w, .begin = begin, .end = end};
  return &w->observer;
}

int rattle_warnings_count(const rattle_warnings *w) {
  return w->count;
}

const char *rattle_warnings_text(const rattle_warnings *w, int index) {
  return index >= 0 && index < w->count ? w->text[index] : NULL;
}

void rattle_warnings_destroy(rattle_warnings **warnings) {
  rattle_warnings *w = warnings ? *warnings : NULL;
  if (!w) return;
  for (int i = 0; i < w->count; i++) free(w->text[i]);
  free(w->text), free(w->began);
  rattle_problem_destroy(&w->problem);
  free(w);
  *warnings = NULL;
}
