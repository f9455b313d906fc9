/* Records whose energy is a balance. */
#include "base/cli.h"

/* Records before 0.2 do not say it, but their model does. */
static int model_works(const rattle_record_info *info) {
  const rattle_model_options options = {.struct_size = sizeof options,
                                        .parameters = info->parameter,
                                        .parameter_count = info->parameters,
                                        .old_names = 1};
  const rattle_problem_options how = {.struct_size = sizeof how,
                                      .evaluator = RATTLE_EVALUATOR_BLOCK};
  rattle_model *model = NULL;
  rattle_problem *problem = NULL;
  int works = 0;
  if (!rattle_model_parse(&model, info->model_text, info->model_file, &options, NULL) &&
      !rattle_problem_create(&problem, model, &how, NULL))
    works = rattle_problem_kind(problem) & RATTLE_FORCED || rattle_model_clock(model) >= 0;
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
  return works;
}

int cli_is_balance(const rattle_record_info *info) {
  return info->has_work || (info->model_text && info->model_text[0] && model_works(info));
}
