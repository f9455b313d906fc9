/* Files of samples: the plan by which chains are made again, `rattle info` and `rattle resume` of
 * them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/sample.h"
#include "many/sweep/sweep.h"

char *cli_sample_plan(const sample_plan *plan, const cli_args *args) {
  const rattle_sampling_options *o = &plan->sampling;
  const rattle_chain_options *c = &plan->chain;
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out) return NULL;
  fprintf(out, "sampler %s\nchains %d\nsamples %lld\nevery %lld\nwarmup %lld\n", plan->method,
          o->chains, o->draws, o->every, c->warmup);
  fprintf(out, "seed %lld\nspread %lld\nmultipliers %d\nstep %.17g\nacceptance %.17g\n",
          (long long)c->seed, c->spread, o->multipliers, c->step, c->acceptance);
  for (int i = 0; i < args->parameters; i++)
    fprintf(out, "param %s=%.17g\n", args->parameter[i].name, args->parameter[i].value);
  return fclose(out) ? NULL : text;
}

char *cli_sample_starts(const sample_plan *plan, int n) {
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out) return NULL;
  for (int i = 0; plan->starts && i < 2 * n * plan->sampling.chains; i++)
    fprintf(out, "%.17g%c", plan->starts[i], (i + 1) % (2 * n) ? ',' : '\n');
  return fclose(out) ? NULL : text;
}

rattle_status cli_sample_run(sample_plan *plan, const rattle_problem *problem, markov_file *file,
                             rattle_sampling **sampling, rattle_error *error) {
  rattle_sampling_record record;
  rattle_error later;
  plan->sampling.interrupt = cli_catch_signals();
  if (!file->path) return rattle_sampling_create(sampling, problem, &plan->sampling, error);
  markov_file_begin(file, &record);
  plan->sampling.record = &record;
  const rattle_status status = rattle_sampling_create(sampling, problem, &plan->sampling, error),
                      closed = markov_file_end(file, status ? &later : error);
  plan->sampling.record = NULL;
  return status ? status : closed;
}

static double real_of(const char *text, const char *name) {
  char *word = sweep_plan_word(text, name);
  const double value = word ? strtod(word, NULL) : (double)NAN;
  free(word);
  return value;
}

static rattle_status bad_plan(const char *path, rattle_error *error) {
  return text_fail(error, RATTLE_BAD_RECORD,
                   "%s has a plan that is not one of samples: it was written by another program",
                   path);
}

/* The starts of a file, as many as its chains need. */
static rattle_status read_starts(sample_plan *plan, const rattle_cases_about *about, int n,
                                 const char *path, rattle_error *error) {
  if (!about->list[0]) return RATTLE_OK;
  const size_t count = 2 * (size_t)n * (size_t)plan->sampling.chains;
  const char *at = about->list;
  if (strlen(at) < count) return bad_plan(path, error);
  plan->starts = malloc(count * sizeof *plan->starts);
  if (!plan->starts) return text_no_memory(error);
  for (size_t i = 0; i < count; i++) {
    char *rest;
    plan->starts[i] = strtod(at, &rest);
    if (rest == at || (*rest != ',' && *rest != '\n')) return bad_plan(path, error);
    at = rest + 1;
  }
  plan->sampling.starts = plan->starts;
  return RATTLE_OK;
}

static rattle_status read_plan(sample_plan *plan, const rattle_cases_about *about, int n,
                               const char *path, rattle_error *error) {
  const char *text = about->plan;
  const long long chains = markov_plan_number(text, "chains", 0);
  rattle_sampling_options *o = &plan->sampling;
  rattle_chain_options *c = &plan->chain;
  plan->method = sweep_plan_word(text, "sampler");
  if (!plan->method) return text_no_memory(error);
  o->draws = markov_plan_number(text, "samples", 0),
  o->every = markov_plan_number(text, "every", 1);
  o->multipliers = markov_plan_number(text, "multipliers", 0) != 0;
  o->chain = c;
  c->method = plan->method;
  c->warmup = markov_plan_number(text, "warmup", 0),
  c->spread = markov_plan_number(text, "spread", 0);
  c->seed = (uint64_t)markov_plan_number(text, "seed", 1);
  c->step = real_of(text, "step"), c->acceptance = real_of(text, "acceptance");
  if (chains < 1 || chains > 100000) return bad_plan(path, error);
  if (isnan(c->step))
    return text_fail(error, RATTLE_BAD_RECORD,
                     "%s has samples that were saved when all were drawn, without the states of "
                     "the chains: there is nothing to continue",
                     path);
  o->chains = (int)chains;
  return read_starts(plan, about, n, path, error);
}

static rattle_status load(cli_session *session, const cli_args *args,
                          const rattle_cases_about *about, rattle_error *error) {
  rattle_parameter parameter[SWEEP_PARAMETERS];
  char *copy = strdup(about->plan);
  if (!copy) return text_no_memory(error);
  const rattle_model_options with = {.struct_size = sizeof with,
                                     .parameters = parameter,
                                     .parameter_count = sweep_plan_parameters(copy, parameter)};
  const rattle_status status =
      cli_session_load(session, args, about->model_file, about->model_text, &with, error);
  free(copy);
  return status;
}

static void show(const rattle_sampling_result *r, const sample_plan *plan, const char *title,
                 const char *path, int json) {
  if (json)
    markov_print_json(r, &plan->sampling);
  else
    markov_print_text(r, &plan->sampling, title, path);
}

rattle_status cli_sample_info(const cli_args *args, const rattle_cases *cases,
                              rattle_error *error) {
  const rattle_cases_about *about = rattle_cases_about_of(cases);
  const char *path = args->operand[0];
  const int json = cli_flag(args, "json");
  sample_plan plan = {0};
  markov_seen seen = {0};
  rattle_status status = markov_read(&seen, cases, path, error);
  plan.sampling.every = markov_plan_number(about->plan, "every", 1);
  plan.sampling.chain = &plan.chain;
  plan.chain.warmup = markov_plan_number(about->plan, "warmup", 0);
  plan.chain.seed = (uint64_t)markov_plan_number(about->plan, "seed", 1);
  if (!status && cli_text(args, "csv"))
    status = markov_write_csv(cli_text(args, "csv"), cli_flag(args, "force"), &seen.result, error);
  if (!status && (seen.result.draws || json)) show(&seen.result, &plan, about->title, path, json);
  if (!status && !json && seen.there < seen.draws * seen.result.chains) {
    cli_print(stdout, "%lld of %lld samples are there", seen.there,
              seen.draws * seen.result.chains);
    if (rattle_cases_written(cases) == 1)
      cli_print(stdout, "; they are being drawn\n");
    else
      fputs("; ", stdout), cli_print_command(stdout, "continue with: ", "rattle resume", path);
  }
  markov_drop(&seen);
  return status;
}

int cli_sample_resume(const cli_args *args) {
  const char *path = args->operand[0];
  const int json = cli_flag(args, "json");
  cli_session session = {0};
  rattle_sampling *sampling = NULL;
  sample_plan plan = {.sampling.struct_size = sizeof plan.sampling,
                      .chain.struct_size = sizeof plan.chain};
  markov_file file = {.path = path, .resumed = 1};
  rattle_error error = {0}, later;
  long long threads = 0;
  rattle_status status = cli_stop_after(args, &error);
  if (!status && cli_flag(args, "stop"))
    status = text_fail(&error, RATTLE_BAD_ARGUMENT,
                       "%s has samples, as many as its options said; --stop is for records of runs",
                       path);
  if (!status) status = cli_integer(args, "threads", &threads, &error);
  if (!status && cli_flag(args, "threads") && (threads < 1 || threads > 1024))
    status = text_fail(&error, RATTLE_BAD_ARGUMENT, "--threads %lld: expected 1 to 1024", threads);
  if (!status) status = rattle_cases_append(&file.cases, path, &error);
  if (!status) status = load(&session, args, rattle_cases_about_of(file.cases), &error);
  if (!status)
    status = read_plan(&plan, rattle_cases_about_of(file.cases), rattle_problem_n(session.problem),
                       path, &error);
  plan.sampling.threads = (int)threads;
  if (!status) status = cli_sample_run(&plan, session.problem, &file, &sampling, &error);
  if (!status && (json || !cli_flag(args, "quiet")))
    show(rattle_sampling_result_of(sampling), &plan, rattle_model_title(session.model), path, json);
  const rattle_status closed =
      file.cases ? rattle_cases_close(&file.cases, status ? &later : &error) : RATTLE_OK;
  if (!status) status = closed;
  rattle_sampling_destroy(&sampling);
  free(plan.starts), free(plan.method);
  cli_session_end(&session);
  return status ? cli_end_badly(args, &error, json) : CLI_DONE;
}
