/* rattle fit: parameters and starts of a model from data. */
#include "commands/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"vary", 0, "NAMES",
     "parameters to find, separated by commas; NAME=LOW..HIGH keeps one between bounds"},
    {"vary-start", 0, "NAMES",
     "coordinates and momenta whose starts are to be found, for each file; all: every one"},
    {"sigma", 0, "NUMBER",
     "standard deviation of the data, or NAME=NUMBER of one column; may be repeated"},
    {"columns", 0, "NAMES", "fit these columns of the data alone, separated by commas"},
    CLI_PARAM_OPTION,
    {"method", 0, "EXPR", "method expression (that of the model)"},
    {"step", 0, "H", "time step (that of the model)"},
    {"most-steps", 0, "N", "end the search after so many steps of it (200)"},
    {"output", 'o', "FILE.csv", "write the data with the values of the fit beside them"},
    CLI_FORCE_OPTION,
    CLI_STOP_AFTER_OPTION,
    CLI_EVALUATOR_OPTION,
    CLI_JSON_OPTION,
    {NULL, 0, NULL, NULL}};

/* --- what varies ------------------------------------------------------------------------------ */

static int count_words(const char *list) {
  int count = list && *list;
  for (const char *c = list; c && *c; c++) count += *c == ',';
  return count;
}

/* "NAME" or "NAME=LOW..HIGH"; the word is cut at "=". */
static rattle_status take_parameter(char *word, rattle_fit_parameter *vary, rattle_error *error) {
  char *equals = strchr(word, '='), *dots = equals ? strstr(equals, "..") : NULL;
  *vary = (rattle_fit_parameter){.name = word};
  if (!equals) return RATTLE_OK;
  *equals = 0;
  if (dots) *dots = 0;
  if (dots && cli_is_number(equals + 1, &vary->low) && cli_is_number(dots + 2, &vary->high) &&
      vary->low < vary->high)
    return RATTLE_OK;
  return text_fail(error, RATTLE_BAD_ARGUMENT,
                   "--vary: expected bounds as in %s=0.5..2, the lower one first", word);
}

static int is_start(const rattle_model *model, int pair) {
  return pair != rattle_model_clock(model) &&
         strncmp(rattle_model_coordinate_name(model, pair), "turns[", 6) != 0;
}

static rattle_status all_starts(fit_plan *plan, rattle_error *error) {
  const rattle_model *model = plan->session.model;
  const int n = rattle_model_pairs(model);
  int count = 0;
  free((void *)plan->start);
  plan->start = calloc(2 * (size_t)n + 1, sizeof *plan->start);
  if (!plan->start) return text_no_memory(error);
  for (int k = 0; k < 2 * n; k++)
    if (is_start(model, k % n))
      plan->start[count++] =
          k < n ? rattle_model_coordinate_name(model, k) : rattle_model_momentum_name(model, k - n);
  plan->options.vary_start_count = count;
  return RATTLE_OK;
}

static rattle_status take_names(fit_plan *plan, const cli_args *args, rattle_error *error) {
  const char *vary = cli_text(args, "vary"), *start = cli_text(args, "vary-start");
  const size_t first = vary ? strlen(vary) + 1 : 1, second = start ? strlen(start) + 1 : 1;
  const int parameters = count_words(vary), starts = count_words(start);
  if (!parameters && !starts)
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "nothing is to be found: give parameters by --vary or starts by --vary-start");
  plan->names = calloc(first + second, 1);
  plan->vary = calloc((size_t)parameters + 1, sizeof *plan->vary);
  plan->start = calloc((size_t)starts + 1, sizeof *plan->start);
  if (!plan->names || !plan->vary || !plan->start) return text_no_memory(error);
  char *at = strcpy(plan->names, vary ? vary : "");
  rattle_status status = RATTLE_OK;
  for (int i = 0; i < parameters && !status; i++) {
    char *word = at;
    at += strcspn(at, ",");
    *at++ = 0;
    status = take_parameter(word, &plan->vary[i], error);
  }
  at = strcpy(plan->names + first, start ? start : "");
  for (int i = 0; i < starts; i++) {
    plan->start[i] = at;
    at += strcspn(at, ",");
    *at++ = 0;
  }
  plan->options.vary_count = parameters, plan->options.vary_start_count = starts;
  if (!status && start && !strcmp(start, "all")) status = all_starts(plan, error);
  plan->options.vary = plan->vary, plan->options.vary_start = plan->start;
  return status;
}

/* --- the fit ---------------------------------------------------------------------------------- */

static rattle_status take_numbers(fit_plan *plan, const cli_args *args, rattle_error *error) {
  long long most = 0;
  double step = 0;
  rattle_status status = cli_real(args, "step", &step, error);
  if (!status) status = cli_integer(args, "most-steps", &most, error);
  if (!status && cli_flag(args, "step") && !(step > 0 && isfinite(step)))
    status = text_fail(error, RATTLE_BAD_ARGUMENT, "--step %g: expected a positive step", step);
  if (!status && cli_flag(args, "most-steps") && (most < 1 || most > 1000000))
    status =
        text_fail(error, RATTLE_BAD_ARGUMENT, "--most-steps %lld: expected 1 to 1000000", most);
  plan->options.step = step, plan->options.most_steps = (int)most;
  plan->options.method = cli_text(args, "method");
  return status;
}

static rattle_status open_files(fit_plan *plan, const cli_args *args, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  plan->file = calloc((size_t)args->operands, sizeof *plan->file);
  if (!plan->file) return text_no_memory(error);
  for (int i = 1; i < args->operands && !status; i++)
    status = fit_file_open(&plan->file[plan->files++], args->operand[i], args, error);
  return status ? status : fit_check_sigma(plan, args, error);
}

static rattle_status make(fit_plan *plan, const cli_args *args, rattle_error *error) {
  const rattle_model_options how = {.struct_size = sizeof how,
                                    .parameters = args->parameter,
                                    .parameter_count = args->parameters};
  const char *output = cli_text(args, "output");
  plan->options = (rattle_fit_options){.struct_size = sizeof plan->options};
  rattle_status status = cli_stop_after(args, error);
  if (!status) status = cli_check_input(args->operand[0], error);
  if (!status && output)
    status = cli_check_output(output, cli_flag(args, "force"), args->operand, error);
  if (!status) status = open_files(plan, args, error);
  if (!status) status = cli_session_load(&plan->session, args, args->operand[0], NULL, &how, error);
  if (!status) status = take_names(plan, args, error);
  if (!status) status = take_numbers(plan, args, error);
  rattle_fit_data *data = calloc((size_t)plan->files + 1, sizeof *data);
  if (!data && !status) status = text_no_memory(error);
  for (int i = 0; i < plan->files && data; i++) data[i] = plan->file[i].data;
  plan->options.interrupt = cli_catch_signals();
  if (!status)
    status = rattle_fit_create(&plan->fit, plan->session.problem, data, plan->files, &plan->options,
                               error);
  free(data);
  if (!status && output) status = fit_write_csv(plan, output, cli_flag(args, "force"), error);
  return status;
}

/* Says on standard error why the numbers are not what was asked for. Returns the exit status. */
static int judge(const rattle_fit_result *result) {
  rattle_error error;
  if (!*result->undetermined && result->ended != RATTLE_FIT_MOST_STEPS) return CLI_DONE;
  if (*result->undetermined)
    text_fail(&error, RATTLE_SINGULAR,
              "the data say nothing of this combination: %s; let less vary, or measure more",
              result->undetermined);
  else
    text_fail(
        &error, RATTLE_NOT_CONVERGED,
        "the search ended before the minimum, after %d of its steps: begin nearer by -P, let less "
        "vary, or give --most-steps",
        result->steps);
  cli_complain("fit", &error);
  return CLI_FAILED;
}

static int fit(const cli_args *args) {
  fit_plan plan = {.files = 0};
  rattle_error error = {0};
  const int json = cli_flag(args, "json");
  const rattle_status status = make(&plan, args, &error);
  int exit_status = CLI_DONE;
  if (status) {
    exit_status = cli_end_badly(args, &error, json);
  } else {
    if (json)
      fit_print_json(&plan, args);
    else
      fit_print_text(&plan, args);
    exit_status = judge(rattle_fit_result_of(plan.fit));
  }
  rattle_fit_destroy(&plan.fit);
  for (int i = 0; i < plan.files; i++) fit_file_close(&plan.file[i]);
  free(plan.file), free(plan.vary), free(plan.names);
  free((void *)plan.start);
  cli_session_end(&plan.session);
  return exit_status;
}

const cli_command cli_fit_command = {
    "fit",
    "MODEL.lua DATA.csv...",
    "Finds parameters and starts of a model from data, with their uncertainties.",
    2,
    CLI_MOST_OPERANDS,
    "A file of data is one run: a column t, and columns with the names of coordinates, momenta or "
    "observables of the model; fields\n"
    "may be empty; columns sigma_NAME are standard deviations. Parameters are the same in all "
    "runs, "
    "starts of each its own. The\n"
    "search begins at the values of the model and of -P, which must be so near that runs resemble "
    "the data.\n"
    "Exit status: 0 done; 1 it did not end, or the data do not determine what varies; 2 wrong "
    "usage "
    "or data.\n",
    options,
    fit};
