/* rattle sample: points of a measure on the constraints. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

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
    {"csv", 0, "FILE", "write the samples as CSV"},
    {"force", 0, NULL, "replace an existing output file"},
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

/* What is asked for. */
typedef struct sample_plan {
  rattle_sampling_options sampling;
  rattle_chain_options chain;
} sample_plan;

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
  chain->step = fabs(rattle_model_wishes(session->model)->step);
  rattle_status status = read_whole(args, "chains", 1, &chains, error);
  if (!status) status = read_whole(args, "samples", 1, &o->draws, error);
  if (!status) status = read_whole(args, "warmup", 0, &chain->warmup, error);
  if (!status) status = read_whole(args, "every", 1, &o->every, error);
  if (!status) status = read_whole(args, "seed", 0, &seed, error);
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
  return RATTLE_OK;
}

static rattle_status write_csv(const char *path, int force, const rattle_sampling_result *r, rattle_error *error) {
  FILE *file = NULL;
  rattle_status status = cli_create_file(&file, path, force, error);
  if (status) return status;
  fprintf(file, "chain,sample");
  for (int c = 0; c < r->columns; c++) fprintf(file, ",%s", r->column[c]);
  fputc('\n', file);
  const double *x = r->value;
  for (int c = 0; c < r->chains; c++)
    for (long long k = 0; k < r->draws; k++) {
      fprintf(file, "%d,%lld", c, k);
      for (int i = 0; i < r->columns; i++) fprintf(file, ",%.17g", *x++);
      fputc('\n', file);
    }
  return cli_close_file(&file, path, error);
}

static rattle_chain_counts total(const rattle_sampling_result *r) {
  rattle_chain_counts sum = {0};
  for (int c = 0; c < r->chains; c++) {
    sum.transitions += r->counts[c].transitions;
    sum.accepted += r->counts[c].accepted;
    sum.energy += r->counts[c].energy;
    sum.unsolved += r->counts[c].unsolved;
    sum.not_reversible += r->counts[c].not_reversible;
    sum.domain += r->counts[c].domain;
  }
  return sum;
}

static void print_share(const char *what, long long count, long long of) {
  cli_print(stdout, "  %-24s%12lld  %6.2f %%\n", what, count, 100.0 * (double)count / (double)of);
}

/* What to distrust. */
static void print_doubts(const rattle_sampling_result *r, const rattle_chain_counts *sum) {
  double worst = 0, least = INFINITY;
  for (int c = 0; c < r->columns; c++) {
    worst = fmax(worst, r->estimate[c].rhat); /* NaN is left out */
    least = fmin(least, r->estimate[c].effective);
  }
  if (worst > 1.01)
    cli_print(stdout, "R-hat is above 1.01: the chains do not agree yet; take more samples or a longer warm-up\n");
  if (least < 100.0 * r->chains)
    cli_print(stdout, "fewer than 100 effective samples a chain: errors of means are not to be trusted\n");
  if (sum->accepted * 10 < sum->transitions) cli_print(stdout, "nine of ten transitions are rejected: use a smaller --step\n");
}

static void print_text(const rattle_sampling_result *r, const rattle_sampling_options *o, const cli_session *session,
                       const char *path) {
  const rattle_chain_counts sum = total(r);
  double low = INFINITY, high = 0;
  for (int c = 0; c < r->chains; c++) low = fmin(low, r->step[c]), high = fmax(high, r->step[c]);
  cli_print_title(stdout, rattle_model_title(session->model), path);
  cli_print(stdout, "%s, %d chain%s of %lld samples after a warm-up of %lld, seed %lld\n\n", r->method, r->chains,
            r->chains == 1 ? "" : "s", r->draws, o->chain->warmup, (long long)o->chain->seed);
  int width = 8;
  for (int c = 0; c < r->columns; c++)
    if ((int)strlen(r->column[c]) > width) width = (int)strlen(r->column[c]);
  cli_print(stdout, "  %-*s  %13s  %9s  %11s  %10s  %7s\n", width, "", "mean", "error", "sd", "effective", "R-hat");
  for (int c = 0; c < r->columns; c++) {
    const rattle_estimate *e = &r->estimate[c];
    if (isnan(e->error)) { /* a column that never changes has no error */
      cli_print(stdout, "  %-*s  %13.6g  %9s  %11.5g  %10s  %7s\n", width, r->column[c], e->mean, "-", e->sd, "-", "-");
      continue;
    }
    cli_print(stdout, "  %-*s  %13.6g  %9.2g  %11.5g  %10.0f  %7.4f\n", width, r->column[c], e->mean, e->error, e->sd,
              e->effective, e->rhat);
  }
  cli_print(stdout, "\n  %-24s%12lld\n", "transitions", sum.transitions);
  print_share("accepted", sum.accepted, sum.transitions);
  print_share("rejected by H", sum.energy, sum.transitions);
  print_share("no multipliers", sum.unsolved, sum.transitions);
  print_share("not reversible", sum.not_reversible, sum.transitions);
  print_share("not finite", sum.domain, sum.transitions);
  if (high > low)
    cli_print(stdout, "  %-24s%12.5g .. %.5g\n\n", "step", low, high);
  else
    cli_print(stdout, "  %-24s%12.5g\n\n", "step", low);
  print_doubts(r, &sum);
}

static void put_counts(json_writer *json, const char *name, const rattle_chain_counts *counts) {
  json_open(json, name, '{');
  json_integer(json, "transitions", counts->transitions);
  json_integer(json, "accepted", counts->accepted);
  json_integer(json, "energy", counts->energy);
  json_integer(json, "unsolved", counts->unsolved);
  json_integer(json, "not_reversible", counts->not_reversible);
  json_integer(json, "domain", counts->domain);
  json_close(json, '}');
}

static void print_json(const rattle_sampling_result *r, const rattle_sampling_options *o) {
  json_writer json = {.out = stdout, .indent = 2};
  const rattle_chain_counts sum = total(r);
  json_open(&json, NULL, '{');
  json_text(&json, "method", r->method);
  json_integer(&json, "chains", r->chains);
  json_integer(&json, "samples", r->draws);
  json_integer(&json, "warmup", o->chain->warmup);
  json_integer(&json, "every", o->every);
  json_integer(&json, "seed", (long long)o->chain->seed);
  json_open(&json, "columns", '[');
  for (int c = 0; c < r->columns; c++) {
    const rattle_estimate *e = &r->estimate[c];
    json_open(&json, NULL, '{');
    json_text(&json, "name", r->column[c]);
    json_real(&json, "mean", e->mean);
    json_real(&json, "error", e->error);
    json_real(&json, "sd", e->sd);
    json_real(&json, "effective", e->effective);
    json_real(&json, "rhat", e->rhat);
    json_close(&json, '}');
  }
  json_close(&json, ']');
  put_counts(&json, "counts", &sum);
  json_open(&json, "steps", '[');
  for (int c = 0; c < r->chains; c++) json_real(&json, NULL, r->step[c]);
  json_close(&json, ']');
  cli_json_status(&json, RATTLE_OK, NULL);
  json_close(&json, '}');
}

/* Samples, and writes the CSV. */
static rattle_status draw(const cli_args *args, const cli_session *session, sample_plan *o, rattle_sampling **sampling,
                          rattle_error *error) {
  const char *csv = cli_text(args, "csv"), *inputs[] = {args->operand[0], NULL};
  char room[64];
  cli_place place = {0};
  rattle_status status = read_options(args, session, o, error);
  if (!status && csv) status = cli_check_output(csv, cli_flag(args, "force"), inputs, error);
  if (!status && csv) status = cli_take_place(&place, csv, cli_flag(args, "force"), error);
  o->chain.method = choose_method(args, session, room, sizeof room);
  o->sampling.interrupt = cli_catch_signals();
  if (!status) status = rattle_sampling_create(sampling, session->problem, &o->sampling, error);
  if (!status && csv) {
    cli_open_place(&place);
    status = write_csv(csv, 1, rattle_sampling_result_of(*sampling), error);
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
    print_json(rattle_sampling_result_of(sampling), &o.sampling);
  else
    print_text(rattle_sampling_result_of(sampling), &o.sampling, &session, args->operand[0]);
  rattle_sampling_destroy(&sampling);
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
