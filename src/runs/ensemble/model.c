/* The problem and the integrator of a case, remade only if they differ from those of the case
 * before. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runs/ensemble/worker.h"
#include "rattle/certify.h"
#include "ground/support/error.h"

rattle_status rattle__worker_start(rattle__worker *w, const rattle_problem *problem,
                                   rattle_error *error) {
  if (w->start.problem == problem) return RATTLE_OK;
  rattle__worker_drop_start(w, w->start.problem);
  const rattle_status status = rattle__start_create(&w->start, problem, error);
  if (status) rattle__worker_drop_start(w, problem);
  return status;
}

/* Refuses a model whose settings differ from those taken from the base model. */
static rattle_status keeps_wishes(int wished, const rattle_model *base, const rattle_model *own,
                                  rattle_error *error) {
  const rattle_wishes *a = rattle_model_wishes(base), *b = rattle_model_wishes(own);
  const char *one = a->method ? a->method : "", *other = b->method ? b->method : "",
             *differs = NULL;
  const int ends = a->stop == b->stop || (isnan(a->stop) && isnan(b->stop));
  if ((wished & RATTLE_WISHED_TIMES) &&
      !(ends && a->steps == b->steps && a->start_time == b->start_time))
    differs = "end or start time";
  if ((wished & RATTLE_WISHED_STEP) && a->step != b->step) differs = "step";
  if ((wished & RATTLE_WISHED_METHOD) && strcmp(one, other) != 0) differs = "method";
  if (!differs) return RATTLE_OK;
  return rattle__fail(error, RATTLE_UNSUITABLE, NULL,
                      "the %s in integrate {} depends on parameters that differ from case to case: "
                      "give one %s for all cases",
                      differs, differs);
}

rattle_status rattle__worker_remake(rattle__worker *w, const rattle_parameter *declared, int count,
                                    double *value, rattle_evaluator evaluator,
                                    rattle_error *error) {
  const rattle_ensemble_options *options = w->shared->options;
  const rattle_model *model = rattle_problem_model(w->c.problem);
  rattle__worker_drop_problem(w);
  rattle_parameter *given = calloc((size_t)count + 1, sizeof *given);
  if (!given) {
    free(value);
    return rattle__no_memory(error);
  }
  for (int i = 0; i < count; i++) given[i] = (rattle_parameter){declared[i].name, value[i]};
  const rattle_model_options how = {
      .struct_size = sizeof how, .parameters = given, .parameter_count = count, .old_names = 1};
  const rattle_problem_options evaluated = {
      .struct_size = sizeof evaluated, .evaluator = evaluator, .steps = w->c.steps};
  rattle_status status = options->parse(&w->model, rattle_model_text(model), "model", &how, error);
  if (!status) status = keeps_wishes(options->wished, model, w->model, error);
  if (!status) status = rattle_problem_create(&w->own, w->model, &evaluated, error);
  free(given);
  w->parameter = value;
  if (status) rattle__worker_drop_problem(w);
  return status;
}

int rattle__is_without_past(const rattle_integrator *integrator) {
  return rattle_integrator_claims(integrator).pure && rattle_integrator_extra(integrator) == 0 &&
         !rattle_method_adapts(rattle_integrator_method(integrator));
}

int rattle__worker_serves(const rattle__worker *w, const rattle_problem *problem) {
  const char *method = rattle__case_method(&w->c, problem);
  if (!w->integrator || w->at != problem || strcmp(w->method, method) != 0) return 0;
  return rattle__is_without_past(w->integrator);
}

rattle_status rattle__worker_integrator(rattle__worker *w, const rattle_problem *problem,
                                        rattle_error *error) {
  const char *method = rattle__case_method(&w->c, problem);
  if (rattle__worker_serves(w, problem)) {
    rattle_integrator_reset(w->integrator);
    return RATTLE_OK;
  }
  rattle__worker_drop_integrator(w);
  w->method = strdup(method);
  if (!w->method) return rattle__no_memory(error);
  rattle_status status = rattle_integrator_create(&w->integrator, problem, method, error);
  if (!status && w->shared->options->certify)
    status = rattle_integrator_certify(w->integrator, error);
  if (status)
    rattle__worker_drop_integrator(w);
  else
    w->at = problem;
  return status;
}
