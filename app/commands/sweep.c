/* rattle sweep: many trajectories of a model into one file of cases; and such a file in rattle info
 * and rattle resume. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/sample.h"
#include "commands/sweep.h"
#include "many/sweep/remote.h"
#include "many/sweep/sweep.h"

static const cli_option options[] = {
    {"output", 'o', "FILE.h5", "the file of cases, a row for each (required)"},
    {"set", 0, "NAME=VALUES",
     "values of a parameter: 1,2,4 or 1:10:0.5, or \"NAME~uniform(-3,3)\"; may be repeated"},
    {"start", 0, "NAME=VALUES",
     "the same of a start coordinate or momentum: \"x~normal(0,0.1)\"; may be repeated"},
    {"cases", 0, "FILE.csv",
     "a line for each case, below a line of names of parameters, coordinates, momenta, or step"},
    {"count", 0, "N", "how many times values are drawn from laws, for each point of the grid"},
    {"seed", 0, "K", "of what is drawn (0)"},
    {"design", 0, "KIND", "how values are drawn: random, lhs (Latin hypercube) or sobol (random)"},
    {"methods", 0, "LIST",
     "run each case by each of these method expressions, separated by commas"},
    {"steps-of", 0, "VALUES", "run each case with each of these time steps"},
    {"param", 'P', "NAME=VALUE", "set a parameter of the model for all cases; may be repeated"},
    {"method", 0, "EXPR", "method expression (that of the model)"},
    {"step", 0, "H", "time step"},
    {"stop", 0, "T", "end time"},
    {"steps", 0, "N", "number of steps, instead of --stop"},
    {"project", 0, NULL, "project starts onto the constraints"},
    CLI_CERTIFY_OPTION,
    {"keep", 0, "WORDS",
     "of each case, some of ends, summary, observables, events, samples, chaos, extremes "
     "(ends,summary,observables)"},
    {"columns", 0, "NAMES", "keep these coordinates, momenta and observables alone"},
    {"at", 0, "TIMES", "keep the state at these times too: 1,2,5 or 1:10:0.5"},
    {"events", 0, "N", "keep the first N points of each event of the model"},
    {"every", 0, "K", "samples every K-th step, with --keep samples"},
    CLI_STOP_AFTER_OPTION,
    CLI_FORCE_OPTION,
    {"csv", 0, "FILE", "write the rows as CSV too"},
    CLI_SUMMARY_OPTIONS,
    {"threads", 0, "N", "threads (the number of cores); results do not depend on it"},
    CLI_EVALUATOR_OPTION,
    CLI_PLUGIN_OPTION,
    {NULL, 0, NULL, NULL}};

/* Steps of all cases together from which on machine code pays off. */
static const double many_steps = 8e6;

/* A sweep on its way. */
typedef struct whole_sweep {
  rattle_model *model;
  rattle_problem *problem;
  sweep_plan plan;
  sweep_columns columns;
  char *list; /* the text of --cases; NULL: none */
  rattle_cases *cases;
  sweep_run run;
  int follows; /* another rank has the file */
} whole_sweep;

static void drop(whole_sweep *s) {
  rattle_error unused;
  (void)rattle_cases_close(&s->cases, &unused);
  sweep_columns_free(&s->columns);
  sweep_plan_free(&s->plan);
  rattle_problem_destroy(&s->problem);
  rattle_model_destroy(&s->model);
  free(s->list);
}

/* The problem, by the evaluator that suits that many steps in all. */
static rattle_status make_problem(whole_sweep *s, const cli_args *args, double steps,
                                  rattle_error *error) {
  rattle_problem_options how;
  rattle_status status = cli_evaluator(args, &how, error);
  s->run.evaluator = how.evaluator;
  how.steps = steps > many_steps ? 0 : (long long)steps + 1;
  return status ? status : rattle_problem_create(&s->problem, s->model, &how, error);
}

/* Plan and columns of a model that has been read. Steps are known from the plan, which needs a
 * problem: first an interpreted one. */
static rattle_status make_plan(whole_sweep *s, const cli_args *args, const char *text,
                               const char *list, rattle_error *error) {
  const rattle_problem_options block = {.struct_size = sizeof block,
                                        .evaluator = RATTLE_EVALUATOR_BLOCK};
  const long long most = s->cases ? rattle_cases_about_of(s->cases)->cases : SWEEP_MOST_CASES;
  long long steps = 0, threads = 0;
  rattle_status status = rattle_problem_create(&s->problem, s->model, &block, error);
  if (!status) status = sweep_plan_read(&s->plan, text, list, s->problem, most, error);
  if (!status) status = sweep_steps(&s->plan, s->plan.step, &steps, error);
  if (!status) status = cli_integer(args, "threads", &threads, error);
  if (!status && cli_flag(args, "threads") && (threads < 1 || threads > 1024))
    status = text_fail(error, RATTLE_BAD_ARGUMENT, "--threads %lld: expected 1 to 1024", threads);
  rattle_problem_destroy(&s->problem);
  if (!status) status = make_problem(s, args, (double)s->plan.cases * (double)steps, error);
  if (!status) status = sweep_columns_make(&s->columns, &s->plan, s->problem, error);
  s->run = (sweep_run){.plan = &s->plan,
                       .columns = &s->columns,
                       .problem = s->problem,
                       .threads = threads ? (int)threads : sweep_rank() >= 0,
                       .quiet = cli_flag(args, "quiet"),
                       .evaluator = s->run.evaluator};
  return status;
}

static rattle_status check_files(const cli_args *args, rattle_error *error) {
  const char *output = cli_text(args, "output"), *csv = cli_text(args, "csv"),
             *inputs[] = {args->operand[0], cli_text(args, "cases"), NULL};
  const int force = cli_flag(args, "force");
  if (!output)
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "no output: pass -o FILE.h5, the file of the cases");
  rattle_status status = cli_check_input(args->operand[0], error);
  if (!status) status = cli_check_output(output, force, inputs, error);
  if (status || !csv) return status;
  if (!strcmp(csv, output))
    return text_fail(error, RATTLE_BAD_ARGUMENT, "-o and --csv name the same file, %s", csv);
  return cli_check_output(csv, force, inputs, error);
}

static rattle_status prepare(whole_sweep *s, const cli_args *args, rattle_error *error) {
  const rattle_model_options with = {.struct_size = sizeof with,
                                     .parameters = args->parameter,
                                     .parameter_count = args->parameters};
  rattle_status status = cli_stop_after(args, error);
  if (!status && !s->follows) status = check_files(args, error);
  if (!status && cli_text(args, "cases"))
    status = cli_read_text(cli_text(args, "cases"), &s->list, error);
  if (!status) status = rattle_model_load(&s->model, args->operand[0], &with, error);
  char *text = status ? NULL : sweep_plan_text(args);
  if (!status && !text) status = text_no_memory(error);
  if (!status) status = make_plan(s, args, text, s->list ? s->list : "", error);
  if (!status && !s->follows) {
    const rattle_cases_about about = {.struct_size = sizeof about,
                                      .title = rattle_model_title(s->model),
                                      .model_file = args->operand[0],
                                      .model_text = rattle_model_text(s->model),
                                      .plan = text,
                                      .list = s->list,
                                      .cases = s->plan.cases,
                                      .columns = s->columns.count,
                                      .column = s->columns.column};
    status = rattle_cases_create(&s->cases, cli_text(args, "output"), &about,
                                 cli_flag(args, "force"), error);
  }
  free(text);
  return status;
}

static rattle_status write_csv(const rattle_cases *cases, const char *path, int force,
                               rattle_error *error) {
  cli_output output;
  const rattle_status status = cli_begin_output(&output, path, force, error);
  return status ? status
                : cli_end_output(&output, sweep_write_csv(cases, output.file, error), error);
}

/* Begins MPI where a launcher has started several processes. The failure of one is that of all, and
 * said by it, or by rank 0. */
static rattle_status join(whole_sweep *s, rattle_status status, int *silent, rattle_error *error) {
  rattle_error why;
  int worst = status;
  const rattle_status begun = sweep_ranks_begin(&s->run.ranks, status ? &why : error);
  if (!s->run.ranks) return status ? status : begun;
  s->run.interrupt = cli_catch_signals(); /* Open MPI has handlers of its own */
  if (s->run.ranks->largest(status, &worst)) worst = RATTLE_IO;
  if (!worst) return RATTLE_OK;
  *silent = !status || s->follows;
  return (rattle_status)worst;
}

/* Runs, and says what there is then. Returns the exit status. */
static int go(whole_sweep *s, const cli_args *args, const char *path, rattle_error *error) {
  const int json = cli_flag(args, "json");
  sweep_survey survey = {0};
  s->run.cases = s->cases, s->run.interrupt = cli_catch_signals();
  rattle_status status = sweep_drive(&s->run, error);
  if (s->follows) return rattle_status_exit(status);
  rattle_error later;
  rattle_status after = rattle_cases_flush(s->cases, status ? &later : error);
  if (!status) status = after;
  after = sweep_survey_make(&survey, s->cases, status ? &later : error);
  if (!status) status = after;
  if (!status && cli_text(args, "csv"))
    status = write_csv(s->cases, cli_text(args, "csv"), cli_flag(args, "force"), error);
  if (status) cli_complain(args->command->name, error);
  if (!after && json)
    sweep_print_json(s->cases, &survey, path, &s->run, status, error);
  else if (!after && !cli_flag(args, "quiet"))
    sweep_print_text(s->cases, &survey, path, &s->run);
  sweep_survey_free(&survey);
  after = rattle_cases_close(&s->cases, error);
  if (!status && after) cli_complain(args->command->name, error), status = after;
  return rattle_status_exit(status);
}

/* From the options, or from the file of the cases. */
static int run_all(whole_sweep *s, const cli_args *args,
                   rattle_status (*ready)(whole_sweep *, const cli_args *, rattle_error *),
                   const char *path) {
  rattle_error error = {0};
  int silent = 0;
  s->follows = sweep_rank() > 0;
  rattle_status status = ready(s, args, &error);
  status = join(s, status, &silent, &error);
  const int exit_status = !status  ? go(s, args, path, &error)
                          : silent ? rattle_status_exit(status)
                                   : cli_end_badly(args, &error, cli_flag(args, "json"));
  if (s->run.ranks) (void)s->run.ranks->end();
  drop(s);
  return exit_status;
}

static int sweep(const cli_args *args) {
  whole_sweep s = {0};
  return run_all(&s, args, prepare, cli_text(args, "output"));
}

/* ---- files of cases in other commands ---- */

/* Asks if the failure to open a record may be that it is a sweep: then *error is that of the sweep.
 * If HDF5 cannot open the file, the record's own sentence says more. */
static rattle_status open_instead(rattle_cases **cases, const char *path, rattle_error *error) {
  rattle_error why = {0};
  const rattle_status status = rattle_cases_open(cases, path, &why);
  if (status && !strstr(why.message, "not a sweep of rattle") &&
      !strstr(why.message, "could not be opened as a sweep"))
    *error = why;
  return status;
}

void cli_sweep_instead(const char *path, rattle_error *error) {
  rattle_cases *cases = NULL;
  if (error->status != RATTLE_BAD_RECORD || rattle_cases_open(&cases, path, &(rattle_error){0}))
    return;
  const char *what = markov_is_file(cases) ? "has samples" : "is a sweep";
  (void)rattle_cases_close(&cases, &(rattle_error){0});
  text_fail(error, RATTLE_BAD_RECORD,
            "%s %s and not the record of a run: rattle info, plot and report show it, also while "
            "it is written, and rattle "
            "resume continues it, also after kill -9",
            path, what);
}

int cli_sweep_info(const cli_args *args, rattle_error *error) {
  rattle_cases *cases = NULL;
  sweep_survey survey = {0};
  if (open_instead(&cases, args->operand[0], error)) return 0;
  *error = (rattle_error){0};
  if (markov_is_file(cases)) {
    (void)cli_sample_info(args, cases, error);
    (void)rattle_cases_close(&cases, &(rattle_error){0});
    return 1;
  }
  rattle_status status = sweep_survey_make(&survey, cases, error);
  if (!status && cli_text(args, "csv"))
    status = write_csv(cases, cli_text(args, "csv"), cli_flag(args, "force"), error);
  if (!status && cli_flag(args, "json"))
    sweep_print_json(cases, &survey, args->operand[0], NULL, RATTLE_OK, error);
  else if (!status)
    sweep_print_text(cases, &survey, args->operand[0], NULL);
  sweep_survey_free(&survey);
  (void)rattle_cases_close(&cases, &(rattle_error){0});
  return 1;
}

static rattle_status parse_model(whole_sweep *s, const rattle_cases_about *about,
                                 rattle_error *error) {
  rattle_parameter parameter[SWEEP_PARAMETERS];
  char *copy = strdup(about->plan);
  if (!copy) return text_no_memory(error);
  const rattle_model_options with = {.struct_size = sizeof with,
                                     .parameters = parameter,
                                     .parameter_count = sweep_plan_parameters(copy, parameter)};
  const rattle_status status =
      rattle_model_parse(&s->model, about->model_text, about->model_file, &with, error);
  free(copy);
  return status;
}

static rattle_status remake(whole_sweep *s, const cli_args *args, rattle_error *error) {
  rattle_status status =
      (s->follows ? rattle_cases_open : rattle_cases_append)(&s->cases, args->operand[0], error);
  if (status) return status;
  const rattle_cases_about *about = rattle_cases_about_of(s->cases);
  status = cli_stop_after(args, error);
  if (!status && cli_flag(args, "stop"))
    status = text_fail(
        error, RATTLE_BAD_ARGUMENT,
        "%s is a sweep, whose cases end where its options said; --stop is for records of runs",
        args->operand[0]);
  if (!status) status = parse_model(s, about, error);
  if (!status) status = make_plan(s, args, about->plan, about->list, error);
  int same = !status && s->plan.cases == about->cases && s->columns.count == about->columns;
  for (int c = 0; same && c < about->columns; c++)
    same = about->column[c].width == s->columns.column[c].width &&
           !strcmp(about->column[c].name, s->columns.column[c].name);
  if (!status && !same)
    status = text_fail(error, RATTLE_BAD_RECORD,
                       "%s does not have the cases and columns of its own plan: it was written by "
                       "a program, which must continue it itself",
                       args->operand[0]);
  s->run.resumed = 1;
  return status;
}

int cli_sweep_resume(const cli_args *args, int *exit_status) {
  whole_sweep s = {0};
  rattle_error error = {0};
  if (open_instead(&s.cases, args->operand[0], &error)) return 0;
  const int samples = markov_is_file(s.cases);
  (void)rattle_cases_close(&s.cases, &error);
  *exit_status = samples ? cli_sample_resume(args) : run_all(&s, args, remake, args->operand[0]);
  return 1;
}

const cli_command cli_sweep = {
    "sweep",
    "MODEL.lua",
    "Runs a model many times: parameters, starts, methods and steps that differ, on all cores.",
    1,
    1,
    "Lists are the axes of a grid, of which every point is a case, the last one given changing "
    "fastest; values from laws are drawn\n"
    "anew for each case. A case is a function of the options and its number alone, whatever the "
    "number of threads. The file is valid at any\n"
    "moment: `rattle info` shows it, `rattle resume` runs the cases that are missing. A case that "
    "fails is a row with its status.\n"
    "laws: uniform(low,high), loguniform(low,high), normal(mean,deviation)\n",
    options,
    sweep};
