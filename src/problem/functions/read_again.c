/* Problems with other parameters: the text of the model, read again. */
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "problem/functions/problem.h"
#include "problem/model/model.h"

/* The values that the model has, with those given in their place, and after them those that it does
 * not declare, which the reader refuses by name. */
static rattle_parameter *other_values(const rattle_model *model, const rattle_parameter *given,
                                      int *count) {
  const rattle_parameter *declared;
  const int known = rattle_model_parameters(model, &declared);
  rattle_parameter *all = malloc(((size_t)known + (size_t)*count + 1) * sizeof *all);
  int used = known;
  for (int i = 0; i < known && all; i++) all[i] = declared[i];
  for (int k = 0; k < *count && all; k++) {
    int i = 0;
    while (i < known && strcmp(declared[i].name, given[k].name) != 0) i++;
    all[i < known ? i : used++] = given[k];
  }
  *count = used;
  return all;
}

rattle_status rattle__problem_read_again(rattle_model **made, const rattle_problem *problem,
                                         const rattle_parameter *parameters, int count,
                                         rattle_error *error) {
  const rattle_model *model = problem->model;
  *made = NULL;
  if (!model || !model->parse)
    return rattle__fail(
        error, RATTLE_UNSUITABLE, "parameters",
        "the problem has no text that could be read with other parameters: make the model again");
  rattle_parameter *all = other_values(model, parameters, &count);
  if (!all) return rattle__no_memory(error);
  const rattle_model_options how = {.struct_size = sizeof how,
                                    .parameters = all,
                                    .parameter_count = count,
                                    .old_names = model->old_names};
  const rattle_status status = model->parse(made, model->text, model->file, &how, error);
  free(all);
  return status;
}

rattle_status rattle_problem_with_parameters(rattle_problem **other, const rattle_problem *problem,
                                             const rattle_parameter *parameters, int count,
                                             rattle_error *error) {
  rattle_model *made;
  *other = NULL;
  rattle_status status = rattle__problem_read_again(&made, problem, parameters, count, error);
  if (!status) status = rattle_problem_create(other, made, &problem->how, error);
  rattle_model_destroy(&made); /* the problem holds it */
  return status;
}
