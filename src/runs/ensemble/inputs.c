/* Parameters of cases as inputs of one problem: its model is read once, with symbols in place of
 * the parameters that differ, and the values of a case are set (rattle__problem_set_parameters).
 * Before it is used, it is compared with the problem that is made anew for the first values that it
 * can have; its copies, one for each lane (wide.c), are not compared. If there is no such problem,
 * or it cannot have the values of a case, that case's problem is made anew. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runs/ensemble/worker.h"
#include "problem/functions/problem.h"
#include "ground/support/error.h"

/* Steps that are interpreted; more are worth machine code, which has numbers in it. */
static int is_short(const rattle__worker *w) {
  const rattle_evaluator evaluator = w->shared->options->evaluator;
  return evaluator == RATTLE_EVALUATOR_BLOCK ||
         (evaluator == RATTLE_EVALUATOR_AUTO &&
          rattle__steps_are_few(w->c.problem->model, w->c.steps));
}

static int same_names(const rattle__settable *s, const rattle_case *c) {
  return s->from == c->problem && rattle__parameters_are(c, s->name, s->names);
}

/* The name of the model, which lives as long as the ensemble. */
static const char *kept_name(const rattle_model *model, const char *name) {
  const rattle_parameter *declared;
  const int count = rattle_model_parameters(model, &declared);
  for (int i = 0; i < count; i++)
    if (!strcmp(declared[i].name, name)) return declared[i].name;
  return NULL;
}

/* The model with symbols, and its problem; none where that is not possible: only missing memory is
 * a failure. */
static rattle_status make(rattle__worker *w, const rattle_parameter *given, int count,
                          rattle_error *error) {
  rattle__settable *s = &w->settable;
  const rattle_model *model = rattle_problem_model(w->c.problem);
  rattle__settable_release(w);
  s->name = calloc((size_t)w->c.parameters + 1, sizeof *s->name);
  if (!s->name) return rattle__no_memory(error);
  s->from = w->c.problem, s->names = w->c.parameters;
  for (int i = 0; i < s->names; i++) s->name[i] = kept_name(model, w->c.parameter[i].name);
  const rattle_model_options how = {.struct_size = sizeof how,
                                    .parameters = given,
                                    .parameter_count = count,
                                    .old_names = 1,
                                    .inputs = s->name,
                                    .input_count = s->names};
  rattle_status status =
      w->shared->options->parse(&s->model, rattle_model_text(model), "model", &how, error);
  if (!status) status = rattle_problem_create(&s->problem, s->model, NULL, error);
  return status == RATTLE_NO_MEMORY ? status : RATTLE_OK;
}

/* Compares the problem, which has been given these values of all parameters, with one made anew for
 * them, and drops it unless they agree. */
static rattle_status compare(rattle__worker *w, const double *value, int count,
                             rattle_error *error) {
  rattle__settable *s = &w->settable;
  const rattle_parameter *declared;
  (void)rattle_model_parameters(rattle_problem_model(w->c.problem), &declared);
  double *copy = malloc(((size_t)count + 1) * sizeof *copy);
  if (!copy) return rattle__no_memory(error);
  memcpy(copy, value, (size_t)count * sizeof *copy);
  const rattle_evaluator evaluator =
      is_short(w) ? w->shared->options->evaluator : RATTLE_EVALUATOR_BLOCK;
  const rattle_status status = rattle__worker_remake(w, declared, count, copy, evaluator, error);
  w->from = w->c.problem;
  s->agrees = !status && rattle__problems_agree(w->own, s->problem);
  if (!s->agrees)
    rattle_problem_destroy(&s->problem); /* no start and no integrator is made of it yet */
  if (!is_short(w)) rattle__worker_drop_problem(w);
  return status == RATTLE_NO_MEMORY ? status : RATTLE_OK;
}

/* Reads the model with these values, or with the lead's: then it is the same as the lead's to the
 * last operation. */
static rattle_status prepare(rattle__worker *w, const double *value, int count,
                             rattle_error *error) {
  const rattle_parameter *declared;
  if (w->wide.lead) value = w->wide.value;
  (void)rattle_model_parameters(rattle_problem_model(w->c.problem), &declared);
  rattle_parameter *given = calloc((size_t)count + 1, sizeof *given);
  if (!given) return rattle__no_memory(error);
  for (int i = 0; i < count; i++) given[i] = (rattle_parameter){declared[i].name, value[i]};
  const rattle_status status = make(w, given, count, error);
  free(given);
  w->settable.agrees = w->wide.lead != NULL; /* as the one that the lead is made of */
  return status;
}

/* Gives the problem the values; *can 0: it cannot have them. */
static rattle_status set(rattle__worker *w, const double *value, int count, int *can,
                         rattle_error *error) {
  rattle__settable *s = &w->settable;
  const size_t size = (size_t)count * sizeof *value;
  *can = 1;
  if (s->value && !memcmp(s->value, value, size)) return RATTLE_OK;
  if (w->at == s->problem) rattle__worker_drop_integrator(w);
  if (!s->value && !(s->value = malloc(size))) return rattle__no_memory(error);
  memcpy(s->value, value, size);
  if (!rattle__problem_set_parameters(s->problem, w->c.parameter, w->c.parameters, NULL))
    return RATTLE_OK;
  free(s->value);
  s->value = NULL;
  *can = 0;
  return RATTLE_OK;
}

rattle_status rattle__settable_problem(rattle__worker *w, double *value, int count,
                                       const rattle_problem **problem, rattle_error *error) {
  rattle__settable *s = &w->settable;
  rattle_status status = RATTLE_OK;
  int can = 0;
  *problem = NULL;
  if (!is_short(w) && !w->wide.lead && !rattle__wide_pays(w)) return RATTLE_OK;
  if (!same_names(s, &w->c)) status = prepare(w, value, count, error);
  if (!status && s->problem) status = set(w, value, count, &can, error);
  if (!status && !s->problem) return RATTLE_OK;
  if (!can && !s->agrees)
    rattle__settable_release(w); /* others may be had, and it is then read with those */
  if (!status && can && !s->agrees) status = compare(w, value, count, error);
  if (status || !can || !s->agrees) return status;
  if (!w->wide.lead && rattle__wide_pays(w)) status = rattle__wide_lead(w, count, error);
  if (!status && (is_short(w) || w->wide.lead)) *problem = s->problem;
  return status;
}
