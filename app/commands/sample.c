/* rattle sample: points of a measure on the constraints. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/sample.h"

static const cli_option options[] = {
    CLI_PARAM_OPTION,
    {"method", 0, "EXPR", "sampler, such as \"hmc(rattle(verlet), steps=20)\"; see rattle methods"},
    {"step", 0, "H", "time step, where the warm-up begins (that of the model, or found)"},
    {"chains", 0, "N", "chains (4)"},
    {"samples", 0, "N", "samples of each chain (1000)"},
    {"warmup", 0, "N",
     "transitions of each chain before the first sample, which adapt the step (1000)"},
    {"every", 0, "K", "a sample every K-th transition (1)"},
    {"acceptance", 0, "A", "acceptance that the warm-up steers to (0.8; 0.4 for random_walk)"},
    {"seed", 0, "N", "seed of the random numbers (1)"},
    {"multipliers", 0, NULL,
     "sample the multipliers too, whose means are mean forces, and the weight log_delta"},
    {"along", 0, "NAME=VALUES",
     "free energies along a parameter: FROM:TO:BY or A,B,C, with samples at each value"},
    CLI_START_OPTIONS,
    MARKOV_STARTS_OPTION,
    {"output", 'o', "FILE.h5", "keep the samples in this file, from which rattle resume continues"},
    {"csv", 0, "FILE", "write the samples as CSV"},
    CLI_FORCE_OPTION,
    CLI_STOP_AFTER_OPTION,
    {"threads", 0, "N", "threads (one for each core); results do not depend on it"},
    {"evaluator", 0, "KIND",
     "how V and g are evaluated: block (interpreted), native (compiled by cc) or auto"},
    {"json", 0, NULL, "print the summary as one JSON object"},
    {NULL, 0, NULL, NULL}};

/* Keeps the samples in the file of -o, if there is one. */
static rattle_status run(const cli_args *args, const cli_session *session, sample_plan *o,
                         rattle_sampling **sampling, rattle_error *error) {
  markov_file file = {.path = cli_text(args, "output"), .force = cli_flag(args, "force")};
  char *text = cli_sample_plan(o, args),
       *starts = cli_sample_starts(o, rattle_problem_n(session->problem));
  file.about = (rattle_cases_about){.title = rattle_model_title(session->model),
                                    .model_file = args->operand[0],
                                    .model_text = rattle_model_text(session->model),
                                    .plan = text,
                                    .list = starts};
  const rattle_status status = text && starts
                                   ? cli_sample_run(o, session->problem, &file, sampling, error)
                                   : text_no_memory(error);
  free(text), free(starts);
  return status;
}

static rattle_status check_files(const cli_args *args, rattle_error *error) {
  const char *output = cli_text(args, "output"), *csv = cli_text(args, "csv"),
             *inputs[] = {args->operand[0], NULL};
  const int force = cli_flag(args, "force");
  rattle_status status = csv ? cli_check_output(csv, force, inputs, error) : RATTLE_OK;
  if (status || !output) return status;
  if (csv && !strcmp(csv, output))
    return text_fail(error, RATTLE_BAD_ARGUMENT, "-o and --csv name the same file, %s", csv);
  return cli_check_output(output, force, inputs, error);
}

/* Samples, and writes the CSV. */
static rattle_status draw(const cli_args *args, const cli_session *session, sample_plan *o,
                          rattle_sampling **sampling, rattle_error *error) {
  const char *csv = cli_text(args, "csv");
  cli_place place = {0};
  rattle_status status = cli_stop_after(args, error);
  if (!status) status = cli_sample_plan_read(args, session, o, error);
  if (!status) status = check_files(args, error);
  if (!status && csv) status = cli_take_place(&place, csv, cli_flag(args, "force"), error);
  if (!status) status = run(args, session, o, sampling, error);
  if (!status && csv) {
    cli_open_place(&place);
    status = markov_write_csv(csv, 1, rattle_sampling_result_of(*sampling), error);
  }
  if (csv) cli_leave_place(&place);
  return status;
}

static int sample(const cli_args *args) {
  if (cli_text(args, "along")) return cli_sample_along(args);
  cli_session session = {0};
  rattle_sampling *sampling = NULL;
  sample_plan o = {.sampling.struct_size = sizeof o.sampling, .chain.struct_size = sizeof o.chain};
  rattle_error error = {0};
  const rattle_model_options given = {.struct_size = sizeof given,
                                      .parameters = args->parameter,
                                      .parameter_count = args->parameters};
  const int json = cli_flag(args, "json");
  rattle_status status = cli_check_input(args->operand[0], &error);
  if (!status) status = cli_session_load(&session, args, args->operand[0], NULL, &given, &error);
  if (!status) status = draw(args, &session, &o, &sampling, &error);
  int exit_status = CLI_DONE;
  if (status)
    exit_status = cli_end_badly(args, &error, json);
  else if (json)
    markov_print_json(rattle_sampling_result_of(sampling), &o.sampling);
  else
    markov_print_text(rattle_sampling_result_of(sampling), &o.sampling,
                      rattle_model_title(session.model), args->operand[0]);
  rattle_sampling_destroy(&sampling);
  free(o.starts), free(o.method);
  cli_session_end(&session);
  return exit_status;
}

const cli_command cli_sample = {
    "sample",
    "MODEL.lua",
    "Samples a measure on the constraints by Markov chains: means, their errors, and whether the "
    "chains agree.",
    1,
    1,
    "The measure is exp(-V/T) on g(q) = 0, with the options temperature= and measure= of the "
    "sampler: \"hmc(rattle(verlet),\n"
    "temperature=0.5, measure=delta)\". Without --method it is that of the model, if that is a "
    "sampler, or hmc of the default "
    "method.\n"
    "Draws depend on seed, chain and transition alone. See docs/sampling.md.\n"
    "Exit status: 0 done, 1 the chains failed, 2 wrong usage or model, 130 interrupted.\n",
    options,
    sample};
