/* Cases of an ensemble that are stepped alone and in the lanes of vectors, with starts, steps and
 * numbers of steps that differ, and what is kept of them: for tests that compare bits. */
#ifndef TESTS_LANES_CASES_H
#define TESTS_LANES_CASES_H
#include "../one_in.h"
#include "evaluators.h"

#include "ground/expr/native.h"
#include "rattle/trajectory.h"
#include "runs/integrate/wide.h"

enum { CASES = 61, MOST_PAIRS = 9 }; /* as many, unless kept.cases says how many */

/* Each model has one in so many of the methods, others than the next: fewer with sanitizers, which
 * what is compiled for it has not. */
enum { PART = TESTS_ONE_IN > 1 ? TESTS_ONE_IN : 2 };

/* Results kept of each case. */
typedef struct kept {
  double z[CASES][2 * MOST_PAIRS];
  rattle_status status[CASES];
  long long steps[CASES], at[CASES];
  double time[CASES], observed[CASES][2];
  char message[CASES][200];
  int cases, ended[CASES], failed, fast, observables, wrong;
  const char *name[2]; /* of parameters, NULL: there are none, or they keep their values: */
  int fixed;
  double parameter[CASES][2];
  const rattle_events *events; /* output at given times; NULL: none */
  int more;                    /* kept in addition */
  long long every;             /* samples; 0: 1 */
  rattle_errors errors[CASES];
  int watched;
  long long outputs[CASES];
  double output[CASES][2][2 + 2 * MOST_PAIRS]; /* time, energy, point of the first two */
} kept;

static inline void keep_outputs(kept *k, const rattle_outcome *o) {
  const rattle_samples *at = o->trajectory ? rattle_trajectory_event(o->trajectory, 0) : NULL;
  const long long i = o->of->number;
  k->outputs[i] = at ? at->count : 0;
  for (int s = 0; s < 2 && s < k->outputs[i]; s++) {
    double *to = k->output[i][s];
    to[0] = at->time[s], to[1] = at->energy[s];
    memcpy(to + 2, at->q + s * o->n, (size_t)o->n * sizeof *to);
    memcpy(to + 2 + MOST_PAIRS, at->p + s * o->n, (size_t)o->n * sizeof *to);
  }
}

static inline rattle_status keep(void *self, const rattle_outcome *o, rattle_error *error) {
  kept *k = self;
  const long long i = o->of->number;
  const size_t size = (size_t)o->n * sizeof(double);
  (void)error;
  k->ended[i]++, k->status[i] = o->status, k->steps[i] = o->steps, k->time[i] = o->time;
  k->failed += o->status != RATTLE_OK;
  if (o->status)
    snprintf(k->message[i], sizeof k->message[i], "%.190s", o->error->message),
        k->at[i] = o->error->step;
  for (int j = 0; j < o->of->parameters; j++) k->parameter[i][j] = o->of->parameter[j].value;
  if (o->observed) {
    double again[2] = {(double)NAN, (double)NAN};
    (void)rattle_problem_observe(o->problem, o->q, o->p, again, NULL);
    memcpy(k->observed[i], o->observed, sizeof k->observed[i]);
    k->wrong += memcmp(again, o->observed, sizeof again) != 0, k->observables++;
  }
  keep_outputs(k, o);
  if (o->errors) k->errors[i] = *o->errors, k->watched++;
  if (o->q) memcpy(k->z[i], o->q, size), memcpy(k->z[i] + MOST_PAIRS, o->p, size);
  return RATTLE_OK;
}

/* Steps, and numbers of steps, of all kinds; some are long. */
static inline rattle_status describe(void *self, rattle_case *c, rattle_error *error) {
  const kept *k = self;
  static rattle_parameter given[2];
  if (k->name[0]) {
    given[0] = (rattle_parameter){
        k->name[0],
        1 + 0.013 * (double)(c->number % 50)}; /* the last ones are those of the first */
    given[1] =
        (rattle_parameter){k->name[1], c->number == 20 ? 0 : 1.2 - 0.01 * (double)(c->number % 40)};
    c->parameter = given, c->parameters = 2;
  }
  (void)error;
  c->steps = 200 + 37 * (c->number % 5);
  if (c->number == 7) c->steps = 0;
  if (c->number % 3 == 1) c->step *= 1 + 0.1 * (double)(c->number % 7);
  if (c->number % 11 == 10) c->step *= k->fast ? 60 : 10;
  if (c->number % 13 == 5) c->step = -c->step;
  if (c->number % 17 == 3)
    c->start = c->number % 2
                   ? 1e-17
                   : 0.5; /* times other than that of the coordinate t, which is 0, are refused */
  return RATTLE_OK;
}

static inline rattle_status begin_case(void *self, const rattle_case *c,
                                       const rattle_problem *problem, double *q, double *p,
                                       rattle_error *error) {
  (void)self, (void)q, (void)error;
  for (int k = 0; k < rattle_problem_n(problem); k++)
    p[k] = 0.1 * (double)(k + 1) - 0.03 * (double)c->number;
  return RATTLE_OK;
}

static inline void run_cases(const rattle_problem *problem, const char *method, int lanes,
                             int threads, int fast, kept *k) {
  rattle_error error;
  long long ended;
  const rattle_parameter *declared = NULL;
  const int parameters = rattle_model_parameters(rattle_problem_model(problem), &declared);
  *k = (kept){.fast = fast,
              .events = k->events,
              .more = k->more,
              .every = k->every,
              .cases = k->cases ? k->cases : CASES,
              .fixed = k->fixed};
  for (int j = 0; j < parameters && !k->fixed; j++) k->name[j] = declared[j].name;
  const rattle_ensemble_options how = {.struct_size = sizeof how,
                                       .cases = k->cases,
                                       .threads = threads,
                                       .keep = RATTLE_KEEP_OBSERVABLES | k->more,
                                       .every = k->every,
                                       .events = k->events,
                                       .method = method,
                                       .step = 0.02,
                                       .project = 1,
                                       .describe = describe,
                                       .begin = begin_case,
                                       .end = keep,
                                       .self = k,
                                       .parse = parameters ? rattle_model_parse : NULL,
                                       .lanes = lanes};
  if (rattle_ensemble(problem, &how, &ended, &error)) fail_msg("%s: %s", method, error.message);
  assert_int_equal(ended, k->cases);
}

static inline void compare(const char *method, int lanes, const kept *a, const kept *b) {
  for (int i = 0; i < a->cases; i++) {
    if (b->ended[i] != 1 || a->status[i] != b->status[i] || a->steps[i] != b->steps[i] ||
        a->time[i] != b->time[i] || a->at[i] != b->at[i] ||
        strcmp(a->message[i], b->message[i]) != 0)
      fail_msg("%s, %d lanes, case %d: %d, %lld steps, '%s' and %d, %lld steps, '%s'", method,
               lanes, i, a->status[i], a->steps[i], a->message[i], b->status[i], b->steps[i],
               b->message[i]);
    if (memcmp(a->observed[i], b->observed[i], sizeof a->observed[i]) || b->wrong ||
        a->observables != b->observables)
      fail_msg("%s, %d lanes, case %d: observables %g and %g, %d wrong", method, lanes, i,
               a->observed[i][0], b->observed[i][0], b->wrong);
    if (memcmp(a->parameter[i], b->parameter[i], sizeof a->parameter[i]))
      fail_msg("%s, %d lanes, case %d: parameters %g and %g", method, lanes, i, a->parameter[i][0],
               b->parameter[i][0]);
    if (a->outputs[i] != b->outputs[i] || memcmp(a->output[i], b->output[i], sizeof a->output[i]))
      fail_msg("%s, %d lanes, case %d: %lld and %lld outputs, first at %.17g and %.17g", method,
               lanes, i, a->outputs[i], b->outputs[i], a->output[i][0][0], b->output[i][0][0]);
    if (memcmp(&a->errors[i], &b->errors[i], sizeof a->errors[i]))
      fail_msg("%s, %d lanes, case %d: errors %.17g, %.17g, %.17g and %.17g, %.17g, %.17g", method,
               lanes, i, a->errors[i].energy_max_error, a->errors[i].g_max, a->errors[i].psi_max,
               b->errors[i].energy_max_error, b->errors[i].g_max, b->errors[i].psi_max);
    if (memcmp(a->z[i], b->z[i], sizeof a->z[i]))
      fail_msg("%s, %d lanes, case %d: %.17g and %.17g", method, lanes, i, a->z[i][0], b->z[i][0]);
  }
}

static inline rattle_problem *open_problem(rattle_model **model, const char *text) {
  const rattle_problem_options options = {.evaluator = RATTLE_EVALUATOR_NATIVE};
  rattle_problem *problem = NULL;
  rattle_error error;
  if (rattle_model_parse(model, text, "m.lua", NULL, &error) ||
      rattle_problem_create(&problem, *model, &options, &error))
    fail_msg("%s", error.message);
  return problem;
}

/* Lanes that step W trajectories where they should, else one. */
static inline int width_of(const rattle_problem *problem, const char *method, int lanes) {
  rattle_integrator *integrator;
  assert_int_equal(rattle_integrator_create(&integrator, problem, method, NULL), RATTLE_OK);
  const int width = rattle__integrator_widen(integrator, lanes);
  rattle_integrator_destroy(&integrator);
  return width;
}
/* A problem whose parameters can be set. */
static inline rattle_problem *open_settable(rattle_model **model, const char *text,
                                            const char *const *name, double first) {
  const rattle_parameter value[] = {{name[0], first}, {name[1], 0.9}};
  const rattle_model_options how = {.struct_size = sizeof how,
                                    .parameters = value,
                                    .parameter_count = 2,
                                    .inputs = name,
                                    .input_count = 2};
  rattle_problem *problem = NULL;
  rattle_error error;
  if (rattle_model_parse(model, text, "m.lua", &how, &error) ||
      rattle_problem_create(&problem, *model, NULL, &error))
    fail_msg("%s", error.message);
  return problem;
}

/* True if lanes that `with` has joined make its steps. */
static inline int lanes_go(rattle_integrator *lead, rattle_integrator *with, int width,
                           const rattle_problem *problem) {
  enum { STEPS = 5 };
  const int n = rattle_problem_n(problem);
  double q[MOST_PAIRS], p[MOST_PAIRS], q1[MOST_PAIRS], p1[MOST_PAIRS];
  rattle_error error;
  rattle__wide_points lanes;
  if (rattle_problem_start(problem, 1, q, p, NULL, &error)) fail_msg("%s", error.message);
  memcpy(q1, q, sizeof q);
  memcpy(p1, p, sizeof p);
  rattle_state alone = {.q = q, .p = p, .h = 0.003}, wide = {.q = q1, .p = p1, .h = 0.003};
  assert_true(rattle__lanes_make(&lanes, width, n));
  for (int lane = 0; lane < width; lane++) rattle__lanes_put(&lanes, lane, &wide);
  const long long done = rattle__integrator_run_wide(lead, lanes.h, STEPS, lanes.z, lanes.unusual);
  rattle__lanes_get(&lanes, width - 1, &wide);
  if (rattle_integrator_step(with, &alone, STEPS, &error)) fail_msg("%s", error.message);
  rattle__lanes_release(&lanes);
  return done == STEPS && !memcmp(q, q1, (size_t)n * sizeof *q) &&
         !memcmp(p, p1, (size_t)n * sizeof *p);
}

/* Lanes take parameters that differ; one_vector: also of many constraints lanes are one vector. */
static inline int joins(const char *text, const char *const *name, const char *method, int lanes,
                        int one_vector) {
  rattle_model *model[2];
  rattle_problem *problem[2];
  rattle_integrator *integrator[2];
  for (int i = 0; i < 2; i++) {
    problem[i] = open_settable(&model[i], text, name, 1.25 + i);
    assert_int_equal(rattle_integrator_create(&integrator[i], problem[i], method, NULL), RATTLE_OK);
  }
  const int width = rattle__integrator_widen(integrator[0], lanes);
  int good = width == (one_vector || rattle_problem_m(problem[0]) > 2 ? 1 : 2) * lanes;
  for (int lane = 0; lane < width && good; lane++)
    good = rattle__integrator_join(integrator[0], lane, integrator[1]);
  good = good && lanes_go(integrator[0], integrator[1], width, problem[1]);
  for (int i = 0; i < 2; i++) {
    rattle_integrator_destroy(&integrator[i]);
    rattle_problem_destroy(&problem[i]);
    rattle_model_destroy(&model[i]);
  }
  return good;
}
#endif
