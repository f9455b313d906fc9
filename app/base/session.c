/* From a model to a problem, and from times to steps: what run and resume have in common. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cli.h"

rattle_status cli_evaluator(const cli_args *args, rattle_problem_options *options,
                            rattle_error *error) {
  static const struct {
    const char *name;
    int evaluator;
  } known[] = {{"auto", RATTLE_EVALUATOR_AUTO},
               {"block", RATTLE_EVALUATOR_BLOCK},
               {"native", RATTLE_EVALUATOR_NATIVE}};
  const char *word = cli_text(args, "evaluator");
  *options =
      (rattle_problem_options){.struct_size = sizeof *options, .evaluator = RATTLE_EVALUATOR_AUTO};
  if (!word) return RATTLE_OK;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (strcmp(word, known[i].name) != 0) continue;
    if (known[i].evaluator == RATTLE_EVALUATOR_BLOCK) options->evaluator = RATTLE_EVALUATOR_BLOCK;
    if (known[i].evaluator == RATTLE_EVALUATOR_NATIVE) options->evaluator = RATTLE_EVALUATOR_NATIVE;
    return RATTLE_OK;
  }
  return text_fail(error, RATTLE_BAD_ARGUMENT, "--evaluator %s: expected block, native or auto",
                   word);
}

/* --threads is part of scripts' contracts: it must be a sensible number, though a single run steps
 * in one thread. */
static rattle_status check_threads(const cli_args *args, rattle_error *error) {
  long long threads = 1;
  rattle_status status = cli_integer(args, "threads", &threads, error);
  if (!status && threads < 1)
    status = text_fail(error, RATTLE_BAD_ARGUMENT, "--threads %lld: expected 1 or more", threads);
  return status;
}

/* How many steps the run will have, for the choice of an evaluator alone: 0 if that is not clear
 * yet. */
static long long guess_steps(const cli_args *args, const rattle_wishes *wishes) {
  double step = wishes->step, stop = wishes->stop;
  long long steps = cli_flag(args, "stop") ? -1 : wishes->steps;
  rattle_error unused; /* the error is reported when the run is planned */
  cli_real(args, "step", &step, &unused);
  cli_real(args, "stop", &stop, &unused);
  if (cli_flag(args, "steps")) cli_integer(args, "steps", &steps, &unused);
  if (steps > 0) return steps;
  double exact = (stop - wishes->start_time) / step;
  return exact >= 1 && exact < 9e15 ? (long long)exact : 0;
}

rattle_status cli_session_load(cli_session *session, const cli_args *args, const char *file,
                               const char *text, const rattle_model_options *options,
                               rattle_error *error) {
  *session = (cli_session){0};
  rattle_problem_options problem_options;
  rattle_status status = cli_evaluator(args, &problem_options, error);
  if (!status) status = check_threads(args, error);
  if (!status && text)
    status = rattle_model_parse(&session->model, text, file, options, error);
  else if (!status)
    status = rattle_model_load(&session->model, file, options, error);
  if (!status) status = cli_start(&session->model, args, options, error);
  if (!status) problem_options.steps = guess_steps(args, rattle_model_wishes(session->model));
  if (!status)
    status = rattle_problem_create(&session->problem, session->model, &problem_options, error);
  if (status) return status;

  size_t n = (size_t)rattle_problem_n(session->problem);
  session->q = calloc(2 * n + 1, sizeof *session->q);
  if (!session->q) return text_no_memory(error);
  session->p = session->q + n;
  session->state.q = session->q, session->state.p = session->p;
  return RATTLE_OK;
}

void cli_session_end(cli_session *session) {
  rattle_integrator_destroy(&session->integrator);
  rattle_problem_destroy(&session->problem);
  rattle_model_destroy(&session->model);
  free(session->q);
  *session = (cli_session){0};
}
