/* Studies: what is asked for, the start, the span, and room for what is found (study.h). */
#include "examine/study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ground/support/error.h"
#include "ground/support/sized.h"
#include "problem/model/model.h"

/* How the kinds differ before they begin. */
static const struct {
  const char *name;
  rattle__study_span span;
  rattle__choice choice;
  rattle_status (*make)(rattle_study *study, rattle_error *error);
  int still; /* 1: nothing is run, by no method */
} kinds[] = {
    [RATTLE_STUDY_ORDER] = {"order", {20, 0}, RATTLE__CHOICE_ORDERS, rattle__study_order, 0},
    [RATTLE_STUDY_DRIFT] = {"drift", {2000, 1}, RATTLE__CHOICE_OWN, rattle__study_drift, 0},
    [RATTLE_STUDY_WORK] = {"work", {100, 0}, RATTLE__CHOICE_ORDERS, rattle__study_work, 0},
    [RATTLE_STUDY_COMPARE] = {"compare", {2000, 1}, RATTLE__CHOICE_KINDS, rattle__study_compare, 0},
    [RATTLE_STUDY_ADVISE] =
        {"advise", {100, 1}, RATTLE__CHOICE_COMPOSITIONS, rattle__study_advise, 0},
    [RATTLE_STUDY_LYAPUNOV] =
        {"lyapunov", {2000, 1}, RATTLE__CHOICE_OWN, rattle__study_lyapunov, 0},
    [RATTLE_STUDY_ORBIT] = {"orbit", {100, 0}, RATTLE__CHOICE_FINEST, rattle__study_orbit, 0},
    [RATTLE_STUDY_FAMILY] = {"family", {100, 0}, RATTLE__CHOICE_FINEST, rattle__study_family, 0},
    [RATTLE_STUDY_EQUILIBRIUM] = {"equilibrium", .make = rattle__study_equilibrium, .still = 1},
    [RATTLE_STUDY_MODES] = {"modes", .make = rattle__study_modes, .still = 1}};

int rattle__study_kind_of(const char *name, rattle_study_kind *kind) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    *kind = (rattle_study_kind)i;
    if (!strcmp(name, kinds[i].name)) return 0;
  }
  return -1;
}

/* --- before anything is run ------------------------------------------------------------------- */

/* The start: the model's, or the one given. */
static rattle_status find_start(rattle_study *study, rattle_error *error) {
  const rattle_study_options *options = &study->options;
  size_t n = (size_t)study->n;
  double *q = study->z0 = rattle__arena_doubles(&study->arena, 2 * n), *p = q + n;
  if (!q) return rattle__no_memory(error);
  if ((options->q == NULL) != (options->p == NULL) ||
      (!options->q && !rattle_problem_model(study->problem)))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "start",
                        "a study of a problem without a model needs a start: q and p");
  rattle_status status = RATTLE_OK;
  if (options->q) {
    memcpy(q, options->q, n * sizeof *q);
    memcpy(p, options->p, n * sizeof *p);
  } else {
    const rattle_wishes *wishes = rattle_model_wishes(rattle_problem_model(study->problem));
    status = rattle_problem_start(study->problem, options->project || wishes->project, q, p, NULL,
                                  error);
  }
  if (!status) status = rattle_problem_energy(study->problem, q, p, &study->energy0, error);
  if (!status) status = rattle__span_frequency(study, error);
  return status;
}

static rattle_status check(const rattle_study *study, rattle_error *error) {
  const rattle_study_options *options = &study->options;
  if (!(options->effort >= 0) || !isfinite(options->effort))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "effort",
                        "the effort is %g; it must be a number greater than 0", options->effort);
  if (options->threads < 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "threads",
                        "%d threads were requested; the number must be 1 or more",
                        options->threads);
  return RATTLE_OK;
}

static const char *moment(rattle_study *study) {
  char text[32];
  struct tm utc;
  time_t seconds = time(NULL);
  strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &utc));
  return rattle__study_text(study, "%s", text);
}

/* Describes the subject of the study; of paths, only the last part is kept. */
static void describe(rattle_study *study) {
  rattle_study_result *r = &study->r;
  const rattle_model *model = rattle_problem_model(study->problem);
  const char *file = model && model->file ? model->file : "", *slash = strrchr(file, '/');
  r->kind_name = kinds[r->kind].name;
  r->title = rattle__study_text(study, "%s", model ? rattle_model_title(model) : "");
  r->model_file = rattle__study_text(study, "%s", slash ? slash + 1 : file);
  r->model_text = rattle__study_text(
      study, "%s", model && rattle_model_text(model) ? rattle_model_text(model) : "");
  r->problem = rattle_problem_kind_name(study->problem);
  r->evaluator = rattle_problem_evaluator(study->problem);
  r->version = rattle_version();
  r->created = moment(study);
  r->n = study->n = rattle_problem_n(study->problem);
  r->m = study->m = rattle_problem_m(study->problem);
  r->parameters = model ? rattle_model_parameters(model, &r->parameter) : 0;
  r->note = r->verdict = r->why = "";
}

/* The start, the span and the methods of runs. */
static rattle_status prepare(rattle_study *study, rattle_error *error) {
  const rattle_study_result *r = &study->r;
  rattle_status status = find_start(study, error);
  if (!status) study->finest = rattle__study_best(study);
  if (!status) status = rattle__span_find(study, kinds[r->kind].span, error);
  if (!status) status = rattle__rest_find(study, error);
  return status ? status : rattle__study_choose(study, kinds[r->kind].choice, error);
}

static rattle_status make(rattle_study *study, rattle_error *error) {
  rattle_study_result *r = &study->r;
  describe(study);
  r->reference = (rattle_study_reference){.method = "", .error = (double)NAN};
  study->progress =
      (rattle__progress){.options = &study->options, .stage = "", .began = rattle__study_clock()};
  rattle_status status = check(study, error);
  if (!status && !kinds[r->kind].still) status = prepare(study, error);
  if (!status) status = kinds[r->kind].make(study, error);
  if ((!status || status == RATTLE_INTERRUPTED) && study->arena.failed)
    status = rattle__no_memory(error);
  r->status = status;
  return status;
}

rattle_status rattle_study_create(rattle_study **study, const rattle_problem *problem,
                                  rattle_study_kind kind, const rattle_study_options *options,
                                  rattle_error *error) {
  rattle_error local;
  if (!error) error = &local;
  *study = NULL;
  if ((unsigned)kind >= sizeof kinds / sizeof *kinds)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "kind", "unknown kind of study: %d", (int)kind);
  rattle_study *s = calloc(1, sizeof *s);
  if (!s) return rattle__no_memory(error);
  s->problem = rattle_problem_retain(problem);
  s->r.kind = kind;
  rattle_status status = RATTLE__TAKE(&s->options, rattle_study_options, self, options, error);
  if (!options) s->options.start = s->options.stop = (double)NAN;
  if (!status) status = make(s, error);
  if (status && !(status == RATTLE_INTERRUPTED && s->r.method)) rattle_study_destroy(&s);
  *study = s;
  return status;
}

void rattle_study_destroy(rattle_study **study) {
  if (!study || !*study) return;
  rattle_problem *problem = (rattle_problem *)(*study)->problem;
  rattle_problem_destroy(&problem);
  rattle__arena_release(&(*study)->arena);
  free(*study);
  *study = NULL;
}

const rattle_study_result *rattle_study_result_of(const rattle_study *study) {
  return &study->r;
}
