/* Starts of chains: lists and laws of values by name, as those of a sweep, and CSV files. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "many/markov/markov.h"
#include "ground/support/random.h"
#include "many/sweep/sweep.h"

/* Numbers of the seed that no chain takes. */
static const uint64_t apart = ~(uint64_t)1;

static rattle_status read_csv(sweep_plan *plan, const char *path, const rattle_model *model,
                              rattle_error *error) {
  char *text;
  rattle_status status = cli_read_text(path, &text, error);
  if (!status) status = sweep_read_cases(plan, text, model, error);
  free(text);
  return status;
}

/* NAME=LIST or NAME~LAW. */
static rattle_status read_word(sweep_plan *plan, const char *word, const rattle_model *model,
                               rattle_error *error) {
  const size_t length = strcspn(word, "=~");
  const int law = word[length] == '~';
  char name[256];
  sweep_spec spec;
  if (!length || length > 200)
    return text_fail(error, RATTLE_BAD_ARGUMENT, "--starts %s: expected NAME=VALUES or NAME~LAW",
                     word);
  rattle_status status =
      law ? sweep_read_law(&spec, word + length + 1, "--starts", error)
          : sweep_read_list(&spec, word + length + 1, "--starts", SWEEP_MOST_VALUES, error);
  if (status) return status;
  snprintf(name, sizeof name, "start:%.*s", (int)length, word);
  status = sweep_add(plan, model, name, law ? -1 : 0, &spec, error);
  if (status) free(spec.value);
  return status;
}

static rattle_status check(const sweep_plan *plan, int chains, rattle_error *error) {
  for (int i = 0; i < plan->quantities; i++) {
    const sweep_quantity *q = &plan->quantity[i];
    if (q->target != SWEEP_VARIABLE)
      return text_fail(error, RATTLE_BAD_ARGUMENT,
                       "--starts: %s is neither a coordinate nor a momentum of the model", q->name);
    if (q->spec.law == SWEEP_LIST && q->spec.count > chains)
      return text_fail(error, RATTLE_BAD_ARGUMENT,
                       "--starts: %s has %lld values and there are %d chains: pass --chains %lld",
                       q->name, q->spec.count, chains, q->spec.count);
  }
  return RATTLE_OK;
}

rattle_status markov_read_starts(const cli_args *args, const rattle_problem *problem,
                                 const rattle_chain_options *chain, int chains, double **starts,
                                 rattle_error *error) {
  sweep_plan plan = {0};
  const char *word;
  const int n = rattle_problem_n(problem);
  rattle_status status = RATTLE_OK;
  int at = 0;
  *starts = NULL;
  if (!cli_flag(args, "starts")) return status;
  while (!status && (word = cli_next(args, "starts", &at)))
    status = (strpbrk(word, "=~") ? read_word : read_csv)(&plan, word,
                                                          rattle_problem_model(problem), error);
  if (!status) status = check(&plan, chains, error);
  const size_t count = 2 * (size_t)n * (size_t)chains;
  if (!status && !(*starts = malloc(count * sizeof **starts))) status = text_no_memory(error);
  for (size_t i = 0; i < count && !status; i++) (*starts)[i] = (double)NAN;
  for (int i = 0; i < plan.quantities && !status; i++)
    for (int c = 0; c < chains; c++) {
      const sweep_quantity *q = &plan.quantity[i];
      const uint64_t key = rattle__random_key(chain->seed, apart, (uint64_t)(chain->chain + c));
      (*starts)[2 * (size_t)n * (size_t)c + (size_t)q->variable] =
          q->spec.law == SWEEP_LIST
              ? q->spec.value[c % q->spec.count]
              : sweep_draw(&q->spec, rattle__random_unit(key, (uint64_t)i + 1));
    }
  sweep_plan_free(&plan);
  return status;
}
