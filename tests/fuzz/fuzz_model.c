/* Models: whatever the text says, it is a problem or an error with a sentence, within its
 * limits. */
#include "fuzz.h"
#include "rattle/problem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = fuzz_text(data, size);
  rattle_model *model;
  rattle_problem *problem = NULL;
  rattle_error error = {0};
  const rattle_model_options options = {.struct_size = sizeof options,
                                        .max_instructions = 2000000,
                                        .max_memory = (size_t)64 << 20,
                                        .max_seconds = 5};
  const rattle_problem_options how = {.struct_size = sizeof how,
                                      .evaluator = RATTLE_EVALUATOR_BLOCK};
  rattle_status status = rattle_model_parse(&model, text, "fuzz.lua", &options, &error);
  if (!status && rattle_model_pairs(model) < 100 && rattle_model_constraints(model) < 100)
    status = rattle_problem_create(&problem, model, &how, &error);
  if (status && !error.message[0]) abort();
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
  free(text);
  return 0;
}
