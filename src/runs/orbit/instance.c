/* Problems at values of a parameter. */
#include "runs/orbit/instance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problem/functions/problem.h"
#include "ground/support/error.h"
#include "ground/support/nearest.h"

void rattle__instance_destroy(rattle__instance *instance) {
  rattle_tangent_destroy(&instance->tangent);
  rattle_slider_destroy(&instance->slider);
  rattle_problem_destroy(&instance->own);
  rattle_model_destroy(&instance->model);
  *instance = (rattle__instance){.value = (double)NAN};
}

rattle_status rattle__instance_of(rattle__instance *instance, const rattle_problem *problem,
                                  const char *method, rattle_error *error) {
  *instance = (rattle__instance){.value = (double)NAN, .problem = problem};
  rattle_status status = rattle_tangent_create(&instance->tangent, problem, method, error);
  if (!status && problem->m) status = rattle_slider_create(&instance->slider, problem, error);
  return status;
}

/* The parameters that the model declares, and the place of the one that changes. */
static rattle_status find(const rattle__dial *dial, const rattle_parameter **declared, int *count,
                          int *place, rattle_error *error) {
  const rattle_model *model = rattle_problem_model(dial->base);
  if (!model || !rattle_model_text(model) || !dial->parse)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "parameter",
                        "a family along a parameter needs a problem from the text of a model, and "
                        "parse = rattle_model_parse");
  *count = rattle_model_parameters(model, declared);
  for (*place = 0; *place < *count; ++*place)
    if (!strcmp((*declared)[*place].name, dial->name)) return RATTLE_OK;
  rattle__nearest near = {.name = dial->name};
  for (int i = 0; i < *count; i++) rattle__nearest_try(&near, (*declared)[i].name);
  return near.best ? rattle__fail(error, RATTLE_BAD_ARGUMENT, "parameter",
                                  "the model has no parameter '%s'; did you mean '%s'?", dial->name,
                                  near.best)
                   : rattle__fail(error, RATTLE_BAD_ARGUMENT, "parameter",
                                  "the model has no parameter '%s'", dial->name);
}

rattle_status rattle__dial_value(const rattle__dial *dial, double *value, rattle_error *error) {
  const rattle_parameter *declared;
  int count, place;
  const rattle_status status = find(dial, &declared, &count, &place, error);
  if (!status) *value = declared[place].value;
  return status;
}

static rattle_status read_model(rattle__instance *instance, const rattle__dial *dial, double value,
                                rattle_error *error) {
  const rattle_parameter *declared;
  int count, place;
  rattle_status status = find(dial, &declared, &count, &place, error);
  rattle_parameter *given = status ? NULL : malloc((size_t)count * sizeof *given);
  if (!given) return status ? status : rattle__no_memory(error);
  memcpy(given, declared, (size_t)count * sizeof *given);
  given[place].value = value;
  const rattle_model_options how = {
      .struct_size = sizeof how, .parameters = given, .parameter_count = count, .old_names = 1};
  /* a value serves for some periods: not worth a compiler */
  const rattle_problem_options evaluated = {.struct_size = sizeof evaluated,
                                            .evaluator = RATTLE_EVALUATOR_BLOCK};
  status = dial->parse(&instance->model, rattle_model_text(rattle_problem_model(dial->base)),
                       "model", &how, error);
  if (!status) status = rattle_problem_create(&instance->own, instance->model, &evaluated, error);
  free(given);
  return status;
}

rattle_status rattle__instance_at(rattle__instance *instance, const rattle__dial *dial,
                                  double value, rattle_error *error) {
  const rattle_problem *base = dial->base;
  rattle__instance made = {.value = (double)NAN};
  rattle_status status = read_model(&made, dial, value, error);
  if (!status &&
      (made.own->n != base->n || made.own->m != base->m || made.own->clock != base->clock ||
       (made.own->flags ^ base->flags) & RATTLE_FORCED))
    status = rattle__fail(error, RATTLE_UNSUITABLE, "parameter",
                          "at %s = %.9g the model has other coordinates, constraints or forces: "
                          "the family ends before",
                          dial->name, value);
  if (!status) {
    status = rattle__instance_of(instance, made.own, dial->method, error);
    instance->model = made.model, instance->own = made.own, instance->value = value;
    if (status) rattle__instance_destroy(instance);
    return status;
  }
  rattle__instance_destroy(&made);
  *instance = made;
  return status;
}

void rattle__instance_exchange(rattle__instance *a, rattle__instance *b) {
  const rattle__instance c = *a;
  *a = *b, *b = c;
}

rattle_status rattle__instance_turn(rattle__instance *at, rattle__instance *other,
                                    const rattle__dial *dial, double value, rattle_error *error) {
  if (at->value == value) return RATTLE_OK;
  rattle__instance_exchange(at, other);
  if (at->value == value) return RATTLE_OK;
  rattle__instance_destroy(at);
  const rattle_status status = rattle__instance_at(at, dial, value, error);
  if (status) rattle__instance_exchange(at, other);
  return status;
}
