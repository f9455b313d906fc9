/* The plan of rattle sample, from its options. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/sample.h"

/* True if the expression begins with the name of a sampler. */
static int is_sampler(const char *expression) {
  const rattle_method_row *row;
  const int rows = rattle_method_rows(&row);
  const size_t length = strcspn(expression, " \t(");
  for (int i = 0; i < rows; i++)
    if (!strcmp(row[i].kind, "sampler") && strlen(row[i].name) == length &&
        !strncmp(row[i].name, expression, length))
      return 1;
  return 0;
}

/* The sampler asked for, or that of the model, or hmc of the default method. */
static const char *choose_method(const cli_args *args, const cli_session *session, char *room,
                                 size_t size) {
  const char *asked = cli_text(args, "method"),
             *wished = rattle_model_wishes(session->model)->method;
  if (asked) return asked;
  if (wished && is_sampler(wished)) return wished;
  snprintf(room, size, "hmc(%s)", rattle_default_method(session->problem));
  return room;
}

static rattle_status read_whole(const cli_args *args, const char *option, long long least,
                                long long *value, rattle_error *error) {
  const rattle_status status = cli_integer(args, option, value, error);
  if (status || *value >= least) return status;
  return text_fail(error, RATTLE_BAD_ARGUMENT, "--%s %lld: expected %lld or more", option, *value,
                   least);
}

static rattle_status read_options(const cli_args *args, const cli_session *session,
                                  sample_plan *plan, rattle_error *error) {
  rattle_sampling_options *o = &plan->sampling;
  rattle_chain_options *chain = &plan->chain;
  long long chains = 4, threads = 0, seed = 1;
  o->draws = chain->warmup = 1000;
  o->every = 1;
  chain->spread = cli_flag(args, "starts") ? 0 : 100;
  chain->step = fabs(rattle_model_wishes(session->model)->step);
  rattle_status status = read_whole(args, "chains", 1, &chains, error);
  if (!status) status = read_whole(args, "samples", 1, &o->draws, error);
  if (!status) status = read_whole(args, "warmup", 0, &chain->warmup, error);
  if (!status) status = read_whole(args, "every", 1, &o->every, error);
  if (!status) status = read_whole(args, "seed", 0, &seed, error);
  if (!status) status = read_whole(args, "spread", 0, &chain->spread, error);
  if (!status)
    status = read_whole(args, "threads", 1, cli_flag(args, "threads") ? &threads : &chains, error);
  if (!status) status = cli_real(args, "step", &chain->step, error);
  if (!status && cli_flag(args, "step") && !(chain->step > 0))
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "--step %g: expected a number above 0, or no --step, so that it is found",
                     chain->step);
  if (!status) status = cli_real(args, "acceptance", &chain->acceptance, error);
  if (status) return status;
  if (chains > 100000)
    return text_fail(error, RATTLE_BAD_ARGUMENT, "--chains %lld: expected at most 100000", chains);
  if (threads > 256) threads = 256;
  o->chains = (int)chains;
  o->threads = (int)threads;
  chain->seed = (uint64_t)seed;
  o->chain = chain;
  o->multipliers = cli_flag(args, "multipliers");
  status = markov_read_starts(args, session->problem, chain, o->chains, &plan->starts, error);
  o->starts = plan->starts;
  return status;
}

rattle_status cli_sample_plan_read(const cli_args *args, const cli_session *session,
                                   sample_plan *plan, rattle_error *error) {
  char room[64];
  const rattle_status status = read_options(args, session, plan, error);
  if (status) return status;
  plan->chain.method = plan->method = strdup(choose_method(args, session, room, sizeof room));
  return plan->method ? RATTLE_OK : text_no_memory(error);
}
