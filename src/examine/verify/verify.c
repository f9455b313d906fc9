/* Verification of a method: each claim on each problem that the method can integrate. */
#include "rattle/verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runs/integrate/integrator.h"
#include "method/notation/row.h"
#include "ground/support/error.h"
#include "ground/support/sized.h"
#include "examine/verify/repeat.h"
#include "examine/verify/problems.h"
#include "ground/support/flag.h"

enum { LENGTH = 4200, MOST_FORMS = 4 };

struct rattle_verification {
  rattle_verification_result result;
  rattle_verify_options options;
  rattle__arena arena; /* of texts */
  rattle_verdict *verdict;
  int room;
  const char
      *form[MOST_FORMS]; /* the expressions that are measured, NULL: fewer; [0] is for problems
                       without constraints alone if `alone` */
  int alone, measured[MOST_FORMS];
};

/* One expression on one problem, while it is measured. */
typedef struct trial_run {
  rattle_verification *v;
  rattle__known_problem *trial;
  const char *method;
  rattle_integrator *integrator;
  double time; /* after the last step, from 0 */
  int failed;  /* there is no memory for a verdict */
} trial_run;

static const char *keep(rattle_verification *v, const char *text) {
  const size_t size = strlen(text) + 1;
  char *copy = rattle__arena_take(&v->arena, size);
  if (copy) memcpy(copy, text, size);
  return copy;
}

/* --- one expression on one problem ------------------------------------------------------------ */

static int interrupted(const rattle_verification *v) {
  return rattle__flag_is_set(v->options.interrupt);
}

static int step(void *self, double h, long long steps, double *q, double *p) {
  trial_run *r = self;
  if (interrupted(r->v)) return 1; /* measure_all tells */
  rattle_state state = {.struct_size = sizeof state, .q = q, .p = p, .h = h};
  const rattle_status status = rattle_integrator_step(r->integrator, &state, steps, NULL);
  r->time = rattle_integrator_time(r->integrator, &state);
  return status != RATTLE_OK;
}

static int output(void *self, double *q, double *p) {
  const trial_run *r = self;
  const rattle_state state = {.struct_size = sizeof state, .q = q, .p = p, .h = 1};
  return rattle_integrator_output(r->integrator, &state, q, p, NULL) != RATTLE_OK;
}

static double time_of(void *self) {
  return ((const trial_run *)self)->time;
}

static int take(void *self, const rattle__finding *finding) {
  trial_run *r = self;
  rattle_verification *v = r->v;
  if (v->result.verdicts == v->room) {
    const int room = 2 * v->room + 64;
    rattle_verdict *more = realloc(v->verdict, (size_t)room * sizeof *more);
    if (!more) return r->failed = 1;
    v->verdict = more, v->room = room;
  }
  v->verdict[v->result.verdicts++] = (rattle_verdict){.method = r->method,
                                                      .problem = r->trial->subject.name,
                                                      .claim = finding->claim,
                                                      .claimed = finding->claimed,
                                                      .measured = finding->measured,
                                                      .bound = finding->bound,
                                                      .holds = finding->holds};
  v->result.refuted += !finding->holds;
  return 0;
}

/* The largest distance of z from where the steps end at once; NaN if fewer or more steps were
 * made. */
static double apart(const rattle__repeat *r, int made, const double *z, int wanted,
                    const double *end) {
  double most = 0;
  if (made != wanted) return (double)NAN;
  for (int k = 0; k < 2 * r->n; k++)
    if (memcmp(&z[k], &end[k], sizeof *z)) most = fmax(most, fmax(fabs(z[k] - end[k]), 1e-300));
  return most;
}

/* The claim `pure`; or without it, that a run is resumed by its extra state. */
static rattle_status measure_repetition(trial_run *run, int pure, rattle_error *error) {
  const rattle__known_problem *t = run->trial;
  const rattle__repeat r = {.integrator = run->integrator,
                            .z0 = t->subject.z0,
                            .n = t->subject.n,
                            .steps = 12,
                            .h = 0.04};
  double end[RATTLE__SUBJECT_2N], z[RATTLE__SUBJECT_2N], most = 0;
  rattle_integrator *fresh;
  const rattle_status status = rattle_integrator_create(&fresh, t->problem, run->method, error);
  if (status) return status;
  const int wanted = rattle__repeat_steps(&r, r.steps, end);
  for (int way = 0; way < (pure ? 4 : 3); way++) {
    const int made = way == 0   ? rattle__repeat_steps(&r, r.steps, z)
                     : way == 1 ? rattle__repeat_steps(&r, 1, z)
                     : way == 2 ? rattle__repeat_resumed(&r, fresh, z)
                                : rattle__repeat_interrupted(&r, z);
    const double distance = apart(&r, made, z, wanted, end);
    if (!(distance <= most)) most = distance;
  }
  rattle_integrator_destroy(&fresh);
  const rattle__finding finding = {.claim = pure ? "pure" : "resumes",
                                   .what = "",
                                   .claimed = 1,
                                   .measured = most,
                                   .bound = 0,
                                   .holds = most <= 0};
  take(run, &finding);
  return RATTLE_OK;
}

/* Evaluations of H in a few steps of length h from the start; -1: a step fails. */
static long long evaluations(trial_run *r, double h) {
  double z[RATTLE__SUBJECT_2N];
  memcpy(z, r->trial->subject.z0, sizeof z);
  rattle_integrator_reset(r->integrator);
  if (step(r, h, 4, z, z + r->trial->subject.n)) return -1;
  const rattle_counts counts = rattle_integrator_counts(r->integrator);
  return counts.gradient + counts.hessian;
}

/* The claim `explicit`: what iterates evaluates H more often in long steps. */
static void measure_explicit(trial_run *r) {
  const double most = (double)evaluations(r, 0.2), least = (double)evaluations(r, 0.002);
  const double more = most < 0 || least < 0 ? (double)NAN : fabs(most - least);
  const rattle__finding finding = {.claim = "explicit",
                                   .what = "",
                                   .claimed = 1,
                                   .measured = more,
                                   .bound = 0,
                                   .holds = more <= 0};
  take(r, &finding);
}

static rattle_status measure(trial_run *r, rattle_error *error) {
  const rattle__map *made = r->integrator->map;
  const rattle__measured_map map = {
      .subject = &r->trial->subject,
      .step = step,
      .output = made->output ? output : NULL,
      .time = rattle_method_adapts(rattle_integrator_method(r->integrator)) ? time_of : NULL,
      .self = r,
      .shows = made->shows};
  const rattle_claims claims = rattle_method_claims(rattle_integrator_method(r->integrator));
  rattle__measured found;
  rattle__measure_claims(&map, &claims, &found, take, r);
  if (claims.explicit_ && !r->trial->subject.m &&
      rattle_problem_kind(r->trial->problem) & RATTLE_SEPARABLE)
    measure_explicit(r);
  const rattle_status status = measure_repetition(r, claims.pure, error);
  return status ? status : r->failed ? rattle__no_memory(error) : RATTLE_OK;
}

/* The expression on a problem, if it can integrate that. *measured: whether it does. */
static rattle_status try_on(rattle_verification *v, rattle__known_problem *trial,
                            const char *method, int *measured, rattle_error *error) {
  trial_run r = {.v = v, .trial = trial, .method = method};
  rattle_error why = {.status = RATTLE_OK};
  rattle_status status = rattle_integrator_create(&r.integrator, trial->problem, method, &why);
  if (status == RATTLE_UNSUITABLE) {
    v->result.refusals++;
    if (!(v->result.note = keep(v, why.message))) return rattle__no_memory(error);
    return RATTLE_OK;
  }
  if (status) {
    if (error) *error = why;
    return status;
  }
  if (v->options.progress) v->options.progress(v->options.self, method, trial->subject.name);
  *measured = 1;
  status = measure(&r, error);
  rattle_integrator_destroy(&r.integrator);
  return status;
}

/* --- all -------------------------------------------------------------------------------------- */

static rattle_status add_form(rattle_verification *v, const char *before, const char *method,
                              const char *after, rattle_error *error) {
  char text[LENGTH];
  int i = 0;
  while (v->form[i]) i++;
  rattle__text out = {text, sizeof text};
  rattle__put(&out, "%s%s%s", before, method, after);
  return (v->form[i] = keep(v, text)) ? RATTLE_OK : rattle__no_memory(error);
}

/* The expressions that stand for what was asked for: a base map is measured in wrappers and a
 * composition as well. */
static rattle_status list_forms(rattle_verification *v, const char *expression,
                                rattle_error *error) {
  rattle_method *method;
  rattle_status status = rattle_method_parse(&method, expression, error);
  if (status) return status;
  const rattle__node *root = rattle__method_root(method);
  const rattle_claims claims = rattle_method_claims(method);
  const char *text = rattle_method_text(method);
  v->alone = root->kind == RATTLE__BASE && !rattle__method_field(root);
  const int wraps = v->alone && claims.pure;
  status = add_form(v, "", text, "", error);
  if (!status && wraps) status = add_form(v, "shake(", text, ")", error);
  if (!status && wraps) status = add_form(v, "rattle(", text, ")", error);
  if (!status && wraps && claims.symmetric)
    status = add_form(v, "suzuki4(rattle(", text, "))", error);
  rattle_method_destroy(&method);
  return status;
}

static rattle_status measure_all(rattle_verification *v, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  for (int i = 0; i < rattle__known_problems() && !status; i++) {
    rattle__known_problem trial;
    int any = 0;
    status = rattle__known_problem_create(&trial, i, error);
    if (status) return status;
    for (int k = 0; k < MOST_FORMS && v->form[k] && !status && !interrupted(v); k++) {
      int measured = 0;
      if (v->alone && (k == 0) == (trial.subject.m > 0))
        continue; /* wrappers are there for constraints */
      status = try_on(v, &trial, v->form[k], &measured, error);
      any |= measured;
      v->measured[k] |= measured;
    }
    v->result.problems += any;
    rattle__known_problem_destroy(&trial);
    if (!status && interrupted(v))
      status = rattle__fail(error, RATTLE_INTERRUPTED, "rattle_verify",
                            "the verification was interrupted");
  }
  return status;
}

rattle_status rattle_verification_create(rattle_verification **verification, const char *method,
                                         const rattle_verify_options *options,
                                         rattle_error *error) {
  *verification = NULL;
  rattle_verification *v = calloc(1, sizeof *v);
  if (!v) return rattle__no_memory(error);
  v->result.note = "";
  rattle_status status = RATTLE__TAKE(&v->options, rattle_verify_options, self, options, error);
  if (!status) status = list_forms(v, method, error);
  if (!status) status = measure_all(v, error);
  if (status) {
    rattle_verification_destroy(&v);
    return status;
  }
  v->result.verdict = v->verdict;
  if (v->result.problems) v->result.note = "";
  for (int k = 0; k < MOST_FORMS; k++) v->result.methods += v->measured[k];
  *verification = v;
  return RATTLE_OK;
}

void rattle_verification_destroy(rattle_verification **verification) {
  if (!verification || !*verification) return;
  rattle__arena_release(&(*verification)->arena);
  free((*verification)->verdict);
  free(*verification);
  *verification = NULL;
}

const rattle_verification_result *
rattle_verification_result_of(const rattle_verification *verification) {
  return &verification->result;
}
