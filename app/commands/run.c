/* rattle run: a model file to a trajectory. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cli.h"
#include "rattle/observe.h"

static const cli_option options[] = {
    {"output", 'o', "FILE.h5", "record the run in this HDF5 file (no record)"},
    CLI_PARAM_OPTION,
    {"method", 0, "EXPR",
     "method expression, such as \"suzuki4(rattle(verlet))\"; see rattle methods"},
    {"step", 0, "H", "time step"},
    {"stop", 0, "T", "end time; the run ends with the first whole step that reaches it"},
    {"steps", 0, "N", "number of steps, instead of --stop"},
    {"every", 0, "K", "take a sample every K-th step"},
    CLI_AT_OPTIONS,
    CLI_START_OPTIONS,
    CLI_STOP_AFTER_OPTION,
    CLI_PROJECT_OPTION,
    CLI_CERTIFY_OPTION,
    {"cotangent", 0, NULL,
     "also record momenta modulo G^T lambda, points of the cotangent bundle, as cotangent:NAME"},
    CLI_FORCE_OPTION,
    {"csv", 0, "FILE", "write the samples as CSV too; - is standard output (a pipe)"},
    {"extremes", 0, NULL,
     "least and largest values of what is observed, of all steps, and means over time"},
    CLI_ONE_RUN_OPTIONS,
    {NULL, 0, NULL, NULL}};

/* The run: the wishes of the model, overridden by the options. */
typedef struct run_plan {
  rattle_method *method;
  double step, start, stop; /* stop NaN: steps were asked for */
  long long steps, every;
  int project;
  cli_events events;
  rattle_warnings *warnings;
  rattle_extreme *extremes; /* NULL: not asked for */
} run_plan;

/* The method of the model's wishes, or the default for the kind of problem, unless --method was
 * given; with `compensated` where the model wishes it. */
static rattle_status choose_method(run_plan *plan, const cli_session *session,
                                   rattle_error *error) {
  const rattle_wishes *wishes = rattle_model_wishes(session->model);
  const char *asked = wishes->method ? wishes->method : rattle_default_method(session->problem);
  if (!plan->method) {
    const rattle_status status = rattle_method_parse(&plan->method, asked, error);
    if (status) return status;
  }
  if (wishes->compensated) rattle_method_compensate(plan->method);
  return RATTLE_OK;
}

/* Step, start and number of steps. */
static rattle_status choose_times(run_plan *plan, const cli_args *args, const rattle_wishes *wishes,
                                  rattle_error *error) {
  plan->step = wishes->step, plan->start = wishes->start_time, plan->stop = wishes->stop,
  plan->steps = wishes->steps;
  if (cli_flag(args, "stop") && cli_flag(args, "steps"))
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "--stop and --steps exclude each other; give one of them");
  if (cli_flag(args, "stop")) plan->steps = -1;
  if (cli_flag(args, "steps")) plan->stop = (double)NAN;
  rattle_status status = cli_real(args, "step", &plan->step, error);
  if (!status) status = cli_real(args, "stop", &plan->stop, error);
  if (!status) status = cli_integer(args, "steps", &plan->steps, error);
  if (status) return status;

  if (cli_flag(args, "step") && plan->step == 0)
    return text_fail(error, RATTLE_BAD_ARGUMENT, "--step 0: the step must not be 0");
  if (plan->step == 0)
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "no time step: pass --step H, or write integrate { step = ... } in the model; "
                     "`rattle check` recommends one");
  if (!isfinite(plan->step))
    return text_fail(error, RATTLE_BAD_ARGUMENT, "the step is %g; it must be finite", plan->step);
  if (cli_flag(args, "steps") && plan->steps < 1)
    return text_fail(error, RATTLE_BAD_ARGUMENT, "--steps %lld: expected 1 or more", plan->steps);
  if (plan->steps == 0)
    return text_fail(error, RATTLE_BAD_ARGUMENT, "the model asks for 0 steps; expected 1 or more");
  if (plan->steps > 0) {
    plan->stop = (double)NAN;
    return RATTLE_OK;
  }
  if (isnan(plan->stop))
    return text_fail(
        error, RATTLE_BAD_ARGUMENT,
        "no end time: pass --stop T or --steps N, or write integrate { stop = ... } in the model");
  return cli_count_steps(plan->start, plan->stop, plan->step, &plan->steps, error);
}

static rattle_status make_plan(run_plan *plan, const cli_args *args, const cli_session *session,
                               rattle_error *error) {
  const rattle_wishes *wishes = rattle_model_wishes(session->model);
  rattle_status status = choose_times(plan, args, wishes, error);
  plan->project = wishes->project || cli_flag(args, "project");
  plan->every = wishes->every;
  if (!status) status = cli_integer(args, "every", &plan->every, error);
  if (!status && plan->every < 1)
    status = text_fail(error, RATTLE_BAD_ARGUMENT, "--every %lld: expected 1 or more", plan->every);
  return status ? status : choose_method(plan, session, error);
}

/* CSV on standard output is for pipes and terminals: a file is written by its name, and never in
 * the midst of another. */
static rattle_status check_stdout(const cli_args *args, rattle_error *error) {
  struct stat there;
  if (cli_flag(args, "json"))
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "--csv - and --json both write to standard output; give --csv a file");
  if (fstat(STDOUT_FILENO, &there) == 0 && S_ISREG(there.st_mode))
    return text_fail(
        error, RATTLE_BAD_ARGUMENT,
        "--csv - needs a pipe or terminal, and standard output is a file; use --csv FILE");
  return RATTLE_OK;
}

/* Outputs are checked first, so that a missing folder is not found after hours of computing. */
static rattle_status check_outputs(const cli_args *args, rattle_error *error) {
  const char *output = cli_text(args, "output"), *csv = cli_text(args, "csv"),
             *inputs[] = {args->operand[0], NULL};
  int force = cli_flag(args, "force");
  rattle_status status = RATTLE_OK;
  const size_t length = output ? strlen(output) : 0;
  if (length > 4 && !strcmp(output + length - 4, ".csv"))
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "-o %s: -o writes an HDF5 record; for CSV use --csv %s", output, output);
  if (output) status = cli_check_output(output, force, inputs, error);
  if (status || !csv) return status;
  if (!strcmp(csv, "-")) return check_stdout(args, error);
  if (output && !strcmp(output, csv))
    return text_fail(error, RATTLE_BAD_ARGUMENT, "-o and --csv name the same file, %s", csv);
  return cli_check_output(csv, force, inputs, error);
}

/* Everything up to the first step. */
static rattle_status prepare(cli_session *session, run_plan *plan, const cli_args *args,
                             double *moved, rattle_error *error) {
  rattle_model_options model_options = {.struct_size = sizeof model_options,
                                        .parameters = args->parameter,
                                        .parameter_count = args->parameters,
                                        .cotangent = cli_flag(args, "cotangent")};
  rattle_status status = cli_stop_after(args, error);
  if (!status) status = cli_check_input(args->operand[0], error);
  if (!status) status = check_outputs(args, error);
  /* a misspelt method is known at once, however long the model takes to load */
  if (!status && cli_text(args, "method"))
    status = rattle_method_parse(&plan->method, cli_text(args, "method"), error);
  if (!status)
    status = cli_session_load(session, args, args->operand[0], NULL, &model_options, error);
  if (!status) status = make_plan(plan, args, session, error);
  if (!status) status = cli_events_plan(&plan->events, args, session, plan->stop, error);
  if (!status)
    status =
        rattle_problem_start(session->problem, plan->project, session->q, session->p, moved, error);
  if (!status)
    status =
        rattle_integrator_create_by(&session->integrator, session->problem, plan->method, error);
  if (!status && (rattle_model_wishes(session->model)->certify || cli_flag(args, "certify")))
    status = rattle_integrator_certify(session->integrator, error);
  session->state.t0 = plan->start, session->state.h = plan->step;
  return status;
}

/* True if the number of steps is not known beforehand. */
static int ends_by_time(const cli_session *session, const run_plan *plan) {
  return rattle_method_adapts(rattle_integrator_method(session->integrator)) && !isnan(plan->stop);
}

/* If steps differ in length and are counted, there is no end time. */
static double asked_stop(const cli_session *session, const run_plan *plan) {
  const int adapts = rattle_method_adapts(rattle_integrator_method(session->integrator));
  return !isnan(plan->stop) || adapts ? plan->stop : plan->start + (double)plan->steps * plan->step;
}

/* The last of the observers: all outputs are there. */
static rattle_status note_begun(void *self, const rattle_integrator *integrator,
                                const rattle_sample *start, rattle_error *error) {
  (void)integrator, (void)start, (void)error;
  *(int *)self = 1;
  return RATTLE_OK;
}

/* Opens the outputs and runs. *ran: whether the run has begun, so that there is a summary. */
static rattle_status drive(cli_session *session, run_plan *plan, const cli_args *args,
                           rattle_summary *summary, int *ran, rattle_error *error) {
  const char *output = cli_text(args, "output"), *csv_path = cli_text(args, "csv");
  int force = cli_flag(args, "force"), observers = 0;
  rattle_observer *observer[6 + CLI_MOST_OBSERVERS],
      last = {.struct_size = sizeof last, .self = ran, .begin = note_begun};
  cli_observers more;
  rattle_record *record = NULL;
  rattle_csv *csv = NULL;
  cli_progress progress;
  rattle_status status = RATTLE_OK;
  const volatile int *interrupt = cli_catch_signals();
  status = cli_observers_create(&more, args, session->problem, error);
  /* before the record, which keeps what it finds */
  observer[observers++] = rattle_warnings_observer(plan->warnings, &session->state);
  if (!status && output) {
    rattle_record_options record_options = {.struct_size = sizeof record_options,
                                            .force = force,
                                            .method = rattle_method_text(plan->method),
                                            .step = plan->step,
                                            .start_time = plan->start,
                                            .stop = asked_stop(session, plan),
                                            .steps = plan->steps,
                                            .every = plan->every,
                                            .events = &plan->events.asked,
                                            .interrupt = interrupt};
    status = rattle_record_create(&record, output, session->problem, &record_options, error);
    if (!status) rattle_record_keep_warnings(record, plan->warnings);
    if (!status) observer[observers++] = rattle_record_observer(record);
  }
  if (!status && csv_path) {
    status = rattle_csv_create(&csv, strcmp(csv_path, "-") ? csv_path : "/dev/stdout",
                               session->problem, force, error);
    if (!status) observer[observers++] = rattle_csv_observer(csv);
  }
  if (!status && cli_progress_init(&progress) && !cli_flag(args, "quiet"))
    observer[observers++] = &progress.observer;
  if (plan->events.count) observer[observers++] = &plan->events.observer;
  for (int i = 0; i < more.count; i++) observer[observers++] = &more.observer[i];
  observer[observers++] = &last;
  if (!status) {
    const int by_time = ends_by_time(session, plan);
    rattle_run_options run_options = {.struct_size = sizeof run_options,
                                      .steps = by_time ? CLI_MOST_STEPS : plan->steps,
                                      .every = plan->every,
                                      .initial_energy = (double)NAN,
                                      .interrupt = interrupt,
                                      .until = by_time ? &plan->stop : NULL,
                                      .events = &plan->events.asked,
                                      .extremes = plan->extremes};
    status = rattle_run(session->integrator, &session->state, &run_options, observer, observers,
                        summary, error);
  }
  cli_observers_destroy(&more);
  rattle_csv_destroy(&csv);
  rattle_record_close(&record);
  return status;
}

/* Room for least and largest values; the model must observe something. */
static rattle_status ask_extremes(const cli_session *session, run_plan *plan, rattle_error *error) {
  const int count = rattle_model_observables(session->model);
  if (!count)
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "--extremes: the model observes nothing; write observe(\"NAME\", expression)");
  plan->extremes = calloc((size_t)count, sizeof *plan->extremes);
  return plan->extremes ? RATTLE_OK : text_no_memory(error);
}

static int run(const cli_args *args) {
  cli_session session = {0};
  run_plan plan = {0};
  rattle_error error = {0};
  rattle_summary summary = {.struct_size = sizeof summary};
  double moved[2] = {0, 0};
  int ran = 0, before = 0, json = cli_flag(args, "json");
  rattle_status status = prepare(&session, &plan, args, moved, &error);
  if (!status) status = rattle_warnings_create(&plan.warnings, session.integrator, &error);
  if (!status) before = cli_warn("run", plan.warnings, 0);
  if (!status && cli_flag(args, "extremes")) status = ask_extremes(&session, &plan, &error);
  if (!status) status = drive(&session, &plan, args, &summary, &ran, &error);

  int exit_status = rattle_status_exit(status);
  if (!ran) {
    exit_status = cli_end_badly(args, &error, json);
  } else {
    const char *csv = cli_text(args, "csv");
    cli_report report = {.session = &session,
                         .model_path = args->operand[0],
                         .record_path = cli_text(args, "output"),
                         .csv_path = csv && strcmp(csv, "-") != 0 ? csv : NULL,
                         .summary = &summary,
                         .events = &plan.events,
                         .steps_asked = ends_by_time(&session, &plan) ? 0 : plan.steps,
                         .stop_asked = plan.stop,
                         .moved = {moved[0], moved[1]},
                         .extremes = plan.extremes,
                         .warnings = plan.warnings};
    cli_warn("run", plan.warnings, before);
    if (status) cli_complain("run", &error);
    if (json)
      cli_report_json(&report, stdout);
    else if (!cli_flag(args, "quiet"))
      cli_report_text(&report, csv && !report.csv_path ? stderr : stdout);
  }
  free(plan.extremes);
  rattle_warnings_destroy(&plan.warnings);
  rattle_method_destroy(&plan.method);
  cli_events_end(&plan.events);
  cli_session_end(&session);
  return exit_status;
}

const cli_command cli_run = {
    "run",
    "MODEL.lua",
    "Runs a model: integrates it, measures errors, records the trajectory.",
    1,
    1,
    "Options override integrate{} and output{} of the model. The default method is the one that "
    "`rattle check` recommends:\n"
    "rattle(verlet) if H = T(p) + V(q) and the constraints contain no momenta, otherwise "
    "rattle(midpoint); "
    "second_class(midpoint)\n"
    "for second-class constraints; without constraints verlet or midpoint. Defaults of options are "
    "in parentheses.\n"
    "Ctrl-C and --stop-after end the run after the current step and close the record, which can be "
    "resumed.\n"
    "--from takes positions and momenta, not the time, unless the model has time(); --start comes "
    "after it.\n"
    "Exit status: 0 done, 1 the run failed, 2 wrong usage or model, 130 interrupted.\n",
    options,
    run};
