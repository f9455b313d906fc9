/* rattle sample: points of a measure on the constraints. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/sample.h"

static const cli_option options[] = {
    {"param", 'P', "NAME=VALUE", "set a parameter of the model; may be repeated"},
    {"method", 0, "EXPR", "sampler, such as \"hmc(rattle(verlet), steps=20)\"; see rattle methods"},
    {"step", 0, "H", "time step, where the warm-up begins (that of the model)"},
    {"chains", 0, "N", "chains (4)"},
    {"samples", 0, "N", "samples of each chain (1000)"},
    {"warmup", 0, "N", "transitions of each chain before the first sample, which adapt the step (1000)"},
    {"every", 0, "K", "a sample every K-th transition (1)"},
    {"acceptance", 0, "A", "acceptance that the warm-up steers to (0.95; 0.4 for random_walk)"},
    {"seed", 0, "N", "seed of the random numbers (1)"},
    {"multipliers", 0, NULL, "sample the multipliers too, whose means are mean forces, and the weight log_delta"},
    CLI_START_OPTIONS,
    CHAINS_STARTS_OPTION,
    {"output", 'o', "FILE.h5", "keep the samples in this file, from which rattle resume continues"},
    {"csv", 0, "FILE", "write the samples as CSV"},
    {"force", 0, NULL, "replace existing output files"},
    CLI_STOP_AFTER_OPTION,
    {"threads", 0, "N", "threads (one for each core); results do not depend on it"},
    {"evaluator", 0, "KIND", "how V and g are evaluated: block (interpreted), native (compiled by cc) or auto"},
    {"json", 0, NULL, "print the summary as one JSON object"},
    {NULL, 0, NULL, NULL}};

/* Whether the expression begins with the name of a sampler. */
static int is_sampler(const char *expression) {
  const rattle_method_row *row;
  const int rows = rattle_method_rows(&row);
  const size_t length = strcspn(expression, " \t(");
  for (int i = 0; i < rows; i++)
    if (!strcmp(row[i].kind, "sampler") && strlen(row[i].name) == length && !strncmp(row[i].name, expression, length)) return 1;
  return 0;
}

/* The sampler asked for, or that of the model, or hmc of the default method. */
static const char *choose_method(const cli_args *args, const cli_session *session, char *room, size_t size) {
  const char *asked = cli_text(args, "method"), *wished = rattle_model_wishes(session->model)->method;
  if (asked) return asked;
  if (wished && is_sampler(wished)) return wished;
  snprintf(room, size, "hmc(%s)", rattle_default_method(session->problem));
  return room;
}

static rattle_status read_whole(const cli_args *args, const char *option, long long least, long long *value,
                                rattle_error *error) {
  const rattle_status status = cli_integer(args, option, value, error);
  if (status || *value >= least) return status;
  return text_fail(error, RATTLE_BAD_ARGUMENT, "--%s %lld: expected %lld or more", option, *value, least);
}

static rattle_status read_options(const cli_args *args, const cli_session *session, sample_plan *plan, rattle_error *error) {
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
  if (!status) status = read_whole(args, "threads", 1, cli_flag(args, "threads") ? &threads : &chains, error);
  if (!status) status = cli_real(args, "step", &chain->step, error);
  if (!status) status = cli_real(args, "acceptance", &chain->acceptance, error);
  if (status) return status;
  if (chains > 100000) return text_fail(error, RATTLE_BAD_ARGUMENT, "--chains %lld: expected at most 100000", chains);
  if (threads > 256) threads = 256;
  if (chain->step == 0)
    return text_fail(error, RATTLE_BAD_ARGUMENT, "no time step: pass --step H, or write integrate { step = ... } in the model");
  o->chains = (int)chains;
  o->threads = (int)threads;
  chain->seed = (uint64_t)seed;
  o->chain = chain;
  o->multipliers = cli_flag(args, "multipliers");
  status = chains_read_starts(args, session->problem, chain, o->chains, &plan->starts, error);
  o->starts = plan->starts;
  return status;
}

/* Keeps the samples in the file of -o, if there is one. */
static rattle_status run(const cli_args *args, const cli_session *session, sample_plan *o, rattle_sampling **sampling,
                         rattle_error *error) {
  chains_file file = {.path = cli_text(args, "output"), .force = cli_flag(args, "force")};
  char *text = cli_sample_plan(o, args), *starts = cli_sample_starts(o, rattle_problem_n(session->problem));
  file.about = (rattle_cases_about){.title = rattle_model_title(session->model),
                                    .model_file = args->operand[0],
                                    .model_text = rattle_model_text(session->model),
                                    .plan = text,
                                    .list = starts};
  const rattle_status status =
      text && starts ? cli_sample_run(o, session->problem, &file, sampling, error) : text_no_memory(error);
  free(text), free(starts);
  return status;
}

static rattle_status check_files(const cli_args *args, rattle_error *error) {
  const char *output = cli_text(args, "output"), *csv = cli_text(args, "csv"), *inputs[] = {args->operand[0], NULL};
  const int force = cli_flag(args, "force");
  rattle_status status = csv ? cli_check_output(csv, force, inputs, error) : RATTLE_OK;
  if (status || !output) return status;
  if (csv && !strcmp(csv, output)) return text_fail(error, RATTLE_BAD_ARGUMENT, "-o and --csv name the same file, %s", csv);
  return cli_check_output(output, force, inputs, error);
}

/* Samples, and writes the CSV. */
static rattle_status draw(const cli_args *args, const cli_session *session, sample_plan *o, rattle_sampling **sampling,
                          rattle_error *error) {
  const char *csv = cli_text(args, "csv");
  char room[64];
  cli_place place = {0};
  rattle_status status = cli_stop_after(args, error);
  if (!status) status = read_options(args, session, o, error);
  if (!status) status = check_files(args, error);
  if (!status && csv) status = cli_take_place(&place, csv, cli_flag(args, "force"), error);
  if (!status && !(o->method = strdup(choose_method(args, session, room, sizeof room)))) status = text_no_memory(error);
  o->chain.method = o->method;
  if (!status) status = run(args, session, o, sampling, error);
  if (!status && csv) {
    cli_open_place(&place);
    status = chains_write_csv(csv, 1, rattle_sampling_result_of(*sampling), error);
  }
  if (csv) cli_leave_place(&place);
  return status;
}

static int sample(const cli_args *args) {
  cli_session session = {0};
  rattle_sampling *sampling = NULL;
  sample_plan o = {.sampling.struct_size = sizeof o.sampling, .chain.struct_size = sizeof o.chain};
  rattle_error error = {0};
  const rattle_model_options given = {
      .struct_size = sizeof given, .parameters = args->parameter, .parameter_count = args->parameters};
  const int json = cli_flag(args, "json");
  rattle_status status = cli_check_input(args->operand[0], &error);
  if (!status) status = cli_session_load(&session, args, args->operand[0], NULL, &given, &error);
  if (!status) status = draw(args, &session, &o, &sampling, &error);
  int exit_status = CLI_DONE;
  if (status)
    exit_status = cli_end_badly(args, &error, json);
  else if (json)
    chains_print_json(rattle_sampling_result_of(sampling), &o.sampling);
  else
    chains_print_text(rattle_sampling_result_of(sampling), &o.sampling, rattle_model_title(session.model), args->operand[0]);
  rattle_sampling_destroy(&sampling);
  free(o.starts), free(o.method);
  cli_session_end(&session);
  return exit_status;
}

const cli_command cli_sample = {
    "sample",
    "MODEL.lua",
    "Samples a measure on the constraints by Markov chains: means, their errors, and whether the chains agree.",
    1,
    1,
    "The measure is exp(-V/T) on g(q) = 0, with the options temperature= and measure= of the sampler: \"hmc(rattle(verlet),\n"
    "temperature=0.5, measure=delta)\". Without --method it is that of the model, if that is a sampler, or hmc of the default "
    "method.\n"
    "Draws depend on seed, chain and transition alone. See docs/sampling.md.\n"
    "Exit status: 0 done, 1 the chains failed, 2 wrong usage or model, 130 interrupted.\n",
    options,
    sample};
