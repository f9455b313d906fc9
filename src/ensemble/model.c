/* The problem and the integrator of a case, remade only where they differ from those of the case before. */
#include <stdlib.h>
#include <string.h>

#include "ensemble/worker.h"
#include "support/error.h"

static void drop_integrator(rattle__worker *w) {
  rattle__wide_release(w);
  rattle_integrator_destroy(&w->integrator);
  free(w->method);
  w->method = NULL, w->at = NULL;
}

static void drop_problem(rattle__worker *w) {
  if (w->at && w->at == w->own) drop_integrator(w);
  rattle_problem_destroy(&w->own);
  rattle_model_destroy(&w->model);
  free(w->parameter);
  w->parameter = NULL;
}

void rattle__worker_release(rattle__worker *w) {
  drop_integrator(w);
  drop_problem(w);
  free(w->alone.q0), free(w->given), free(w->observed);
  w->alone.q0 = w->observed = NULL, w->given = NULL, w->room_given = w->room_observed = 0;
}

/* The values of all parameters of the model, those of the case in their places. */
static rattle_status values_of(const rattle_case *c, const rattle_parameter *declared, int count, double *value,
                               rattle_error *error) {
  for (int i = 0; i < count; i++) value[i] = declared[i].value;
  for (int k = 0; k < c->parameters; k++) {
    int i = 0;
    while (i < count && strcmp(declared[i].name, c->parameter[k].name) != 0) i++;
    if (i == count)
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, c->parameter[k].name, "the model has no parameter '%s'",
                          c->parameter[k].name);
    value[i] = c->parameter[k].value;
  }
  return RATTLE_OK;
}

/* From the text of the problem's model. Takes over `value`. */
static rattle_status remake(rattle__worker *w, const rattle_parameter *declared, int count, double *value, rattle_error *error) {
  const rattle_ensemble_options *options = w->shared->options;
  const rattle_model *model = rattle_problem_model(w->c.problem);
  drop_problem(w);
  rattle_parameter *given = calloc((size_t)count + 1, sizeof *given);
  if (!given) {
    free(value);
    return rattle__no_memory(error);
  }
  for (int i = 0; i < count; i++) given[i] = (rattle_parameter){declared[i].name, value[i]};
  const rattle_model_options how = {.struct_size = sizeof how, .parameters = given, .parameter_count = count, .old_names = 1};
  const rattle_problem_options evaluated = {
      .struct_size = sizeof evaluated, .evaluator = options->evaluator, .steps = w->c.steps};
  rattle_status status = options->parse(&w->model, rattle_model_text(model), "model", &how, error);
  if (!status) status = rattle_problem_create(&w->own, w->model, &evaluated, error);
  free(given);
  w->parameter = value;
  if (status) drop_problem(w);
  return status;
}

rattle_status rattle__worker_problem(rattle__worker *w, const rattle_problem **problem, rattle_error *error) {
  const rattle_case *c = &w->c;
  const rattle_model *model = c->problem ? rattle_problem_model(c->problem) : NULL;
  const rattle_parameter *declared;
  *problem = NULL;
  if (!c->problem) return rattle__fail(error, RATTLE_BAD_ARGUMENT, "problem", "case %lld has no problem", c->number);
  if (c->parameters < 1) {
    *problem = c->problem;
    return RATTLE_OK;
  }
  if (!w->shared->options->parse)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "parse",
                        "case %lld has parameters: the options need parse = rattle_model_parse", c->number);
  if (!model || !rattle_model_text(model))
    return rattle__fail(error, RATTLE_UNSUITABLE, "parameters",
                        "case %lld has parameters, and its problem has no model text from which to make it again", c->number);
  const int count = rattle_model_parameters(model, &declared);
  double *value = malloc(((size_t)count + 1) * sizeof *value);
  if (!value) return rattle__no_memory(error);
  rattle_status status = values_of(c, declared, count, value, error);
  if (!status && w->parameter && w->from == c->problem && !memcmp(w->parameter, value, (size_t)count * sizeof *value)) {
    free(value);
    *problem = w->own;
    return RATTLE_OK;
  }
  if (status)
    free(value);
  else
    status = remake(w, declared, count, value, error);
  w->from = c->problem;
  *problem = w->own;
  return status;
}

static const char *method_of(const rattle_case *c, const rattle_problem *problem) {
  return c->method ? c->method : rattle_default_method(problem);
}

int rattle__worker_serves(const rattle__worker *w, const rattle_problem *problem) {
  const char *method = method_of(&w->c, problem);
  if (!w->integrator || w->at != problem || strcmp(w->method, method) != 0) return 0;
  return rattle_integrator_claims(w->integrator).pure && rattle_integrator_extra(w->integrator) == 0 &&
         !rattle_method_adapts(rattle_integrator_method(w->integrator));
}

rattle_status rattle__worker_integrator(rattle__worker *w, const rattle_problem *problem, rattle_error *error) {
  const char *method = method_of(&w->c, problem);
  if (rattle__worker_serves(w, problem)) {
    rattle_integrator_reset(w->integrator);
    return RATTLE_OK;
  }
  drop_integrator(w);
  w->method = strdup(method);
  if (!w->method) return rattle__no_memory(error);
  const rattle_status status = rattle_integrator_create(&w->integrator, problem, method, error);
  if (status)
    drop_integrator(w);
  else
    w->at = problem;
  return status;
}
