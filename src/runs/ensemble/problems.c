/* The problem of a case: the ensemble's, one whose parameters are set, or one made anew. */
#include <stdlib.h>
#include <string.h>

#include "runs/ensemble/worker.h"
#include "ground/support/error.h"

/* The values of all parameters of the model, those of the case in their places. */
static rattle_status values_of(const rattle_case *c, const rattle_parameter *declared, int count,
                               double *value, rattle_error *error) {
  for (int i = 0; i < count; i++) value[i] = declared[i].value;
  for (int k = 0; k < c->parameters; k++) {
    int i = 0;
    while (i < count && strcmp(declared[i].name, c->parameter[k].name) != 0) i++;
    if (i == count)
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, c->parameter[k].name,
                          "the model has no parameter '%s'", c->parameter[k].name);
    value[i] = c->parameter[k].value;
  }
  return RATTLE_OK;
}

rattle_status rattle__worker_problem(rattle__worker *w, const rattle_problem **problem,
                                     rattle_error *error) {
  const rattle_case *c = &w->c;
  const rattle_model *model = c->problem ? rattle_problem_model(c->problem) : NULL;
  const rattle_parameter *declared;
  *problem = NULL;
  if (!c->problem)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "problem", "case %lld has no problem",
                        c->number);
  if (c->parameters < 1) {
    *problem = c->problem;
    return RATTLE_OK;
  }
  if (!w->shared->options->parse)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "parse",
                        "case %lld has parameters: the options need parse = rattle_model_parse",
                        c->number);
  if (!model || !rattle_model_text(model))
    return rattle__fail(
        error, RATTLE_UNSUITABLE, "parameters",
        "case %lld has parameters, and its problem has no model text from which to make it again",
        c->number);
  const int count = rattle_model_parameters(model, &declared);
  double *value = malloc(((size_t)count + 1) * sizeof *value);
  if (!value) return rattle__no_memory(error);
  rattle_status status = values_of(c, declared, count, value, error);
  if (!status) status = rattle__settable_problem(w, value, count, problem, error);
  if (status || *problem) {
    free(value);
    return status;
  }
  if (w->parameter && w->from == c->problem &&
      !memcmp(w->parameter, value, (size_t)count * sizeof *value)) {
    free(value);
    *problem = w->own;
    return RATTLE_OK;
  }
  status = rattle__worker_remake(w, declared, count, value, w->shared->options->evaluator, error);
  w->from = c->problem;
  *problem = w->own;
  return status;
}
