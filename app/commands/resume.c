/* rattle resume: goes on where a record ends, bit for bit, from the record alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/sweep.h"

static const cli_option options[] = {{"stop", 0, "T", "end time (the end of the original run)"},
                                     CLI_STOP_AFTER_OPTION,
                                     CLI_CERTIFY_OPTION,
                                     CLI_ONE_RUN_OPTIONS,
                                     {NULL, 0, NULL, NULL}};

/* The rest of a run. */
typedef struct rest_of_run {
  long long steps, every;
  int by_time; /* up to `stop`, however many steps that takes */
  double stop, initial_energy;
  char *model_file;
  cli_events events;
  long long *counts; /* of the record, for events */
  double *last;
  rattle_warnings *warnings;
} rest_of_run;

static rattle_status get_state(cli_session *session, const rattle_record *record,
                               rattle_error *error) {
  int extra_size = rattle_integrator_extra(session->integrator);
  double *extra = calloc((size_t)extra_size + 1, sizeof *extra);
  if (!extra) return text_no_memory(error);
  rattle_status status =
      rattle_record_state(record, session->q, session->p, extra_size > 0 ? extra : NULL, extra_size,
                          &session->state.step, error);
  if (!status && extra_size > 0) rattle_integrator_set_extra(session->integrator, extra);
  free(extra);
  return status;
}

static void *copy_of(const void *array, size_t count, size_t size) {
  void *copy = malloc(count * size + 1);
  return copy && count ? memcpy(copy, array, count * size) : copy;
}

/* The events of the record, which is about to be closed. */
static rattle_status get_events(rest_of_run *rest, const rattle_record_info *info,
                                const cli_session *session, rattle_error *error) {
  const rattle_events *so_far = info->events_so_far;
  cli_events *events = &rest->events;
  events->asked = *so_far;
  events->times = copy_of(so_far->times, (size_t)so_far->time_count, sizeof *so_far->times);
  rest->counts = copy_of(so_far->counts, (size_t)info->events, sizeof *so_far->counts);
  rest->last = copy_of(so_far->last, (size_t)info->events, sizeof *so_far->last);
  if (!events->times || !rest->counts || !rest->last) return text_no_memory(error);
  events->asked.times = events->times, events->asked.counts = rest->counts,
  events->asked.last = rest->last;
  if (so_far->end)
    events->end = isnan(rest->stop) ? *so_far->end : rest->stop, events->asked.end = &events->end;
  const rattle_status status = cli_events_begin(events, session, error);
  if (status || events->count == info->events) return status;
  return text_fail(error, RATTLE_BAD_RECORD,
                   "the record has %d events and its model %d: it was written by a program, which "
                   "must resume it itself",
                   info->events, events->count);
}

static rattle_status count_rest(rest_of_run *rest, const cli_args *args,
                                const rattle_record_info *info, const cli_session *session,
                                rattle_error *error) {
  const rattle_state *state = &session->state;
  const int adapts = rattle_method_adapts(rattle_integrator_method(session->integrator));
  const double time = rattle_integrator_time(session->integrator, state),
               reached = info->last_time; /* beyond `time`: an end within the next step */
  *rest = (rest_of_run){.steps = info->steps_asked - state->step,
                        .every = info->every,
                        .stop = (double)NAN,
                        .initial_energy = info->initial_energy};
  if (cli_flag(args, "stop")) {
    long long steps;
    rattle_status status = cli_real(args, "stop", &rest->stop, error);
    if (!status && (rest->stop - reached) / state->h <= 0)
      status = text_fail(error, RATTLE_BAD_ARGUMENT,
                         "--stop %g: the record has reached time %.10g; give a later time",
                         rest->stop, reached);
    if (!status)
      status = cli_count_steps(adapts ? time : state->t0, rest->stop, state->h, &steps, error);
    if (status) return status;
    rest->steps = steps - state->step;
  } else if (adapts) {
    rest->stop = info->stop_asked;
  }
  rest->by_time = adapts && !isnan(rest->stop);
  if (rest->by_time) rest->steps = (rest->stop - time) / state->h > 0 ? CLI_MOST_STEPS : 0;
  if (rest->steps > 0) return RATTLE_OK;
  return text_fail(error, RATTLE_BAD_ARGUMENT,
                   "%s is complete, at time %.10g; pass --stop T to continue to a later time",
                   args->operand[0], reached);
}

/* Steps are proved where those of the record were. */
static int must_prove(const cli_session *session, const cli_args *args,
                      const rattle_record_info *info) {
  return cli_flag(args, "certify") || rattle_model_wishes(session->model)->certify ||
         info->counts.proven + info->counts.tracked > 0;
}

/* Remakes model, problem, integrator and state from the record. */
static rattle_status remake(cli_session *session, rest_of_run *rest, const cli_args *args,
                            rattle_error *error) {
  rattle_record *record = NULL;
  rattle_status status = cli_stop_after(args, error);
  if (!status) status = cli_check_input(args->operand[0], error);
  if (!status) status = rattle_record_open(&record, args->operand[0], error);
  if (status) return status;
  const rattle_record_info *info = rattle_record_info_of(record);
  status = cli_remake(session, args, info, "resume", error);
  if (!status)
    status = rattle_integrator_create(&session->integrator, session->problem, info->method, error);
  if (!status && must_prove(session, args, info))
    status = rattle_integrator_certify(session->integrator, error);
  session->state.t0 = info->start_time, session->state.h = info->step;
  if (!status) status = get_state(session, record, error);
  if (!status) status = count_rest(rest, args, info, session, error);
  if (!status) status = get_events(rest, info, session, error);
  if (!status && !(rest->model_file = strdup(info->model_file))) status = text_no_memory(error);
  rattle_record_close(&record);
  return status;
}

static rattle_status go_on(cli_session *session, rest_of_run *rest, const cli_args *args,
                           rattle_summary *summary, int *ran, rattle_error *error) {
  rattle_observer *observer[4 + CLI_MOST_OBSERVERS];
  cli_observers more;
  rattle_record *record = NULL;
  cli_progress progress;
  int observers = 0;
  const volatile int *interrupt = cli_catch_signals();
  rattle_status status = cli_observers_create(&more, args, session->problem, error);
  if (!status) status = rattle_record_append(&record, args->operand[0], error);
  if (status) {
    cli_observers_destroy(&more);
    return status;
  }
  rattle_record_keep_warnings(record, rest->warnings);
  observer[observers++] = rattle_warnings_observer(rest->warnings, &session->state);
  observer[observers++] = rattle_record_observer(record);
  if (cli_progress_init(&progress) && !cli_flag(args, "quiet"))
    observer[observers++] = &progress.observer;
  if (rest->events.count) observer[observers++] = &rest->events.observer;
  for (int i = 0; i < more.count; i++) observer[observers++] = &more.observer[i];
  rattle_run_options run_options = {.struct_size = sizeof run_options,
                                    .steps = rest->steps,
                                    .every = rest->every,
                                    .initial_energy = rest->initial_energy,
                                    .interrupt = interrupt,
                                    .until = rest->by_time ? &rest->stop : NULL,
                                    .events = &rest->events.asked};
  status = rattle_run(session->integrator, &session->state, &run_options, observer, observers,
                      summary, error);
  *ran = 1;
  cli_observers_destroy(&more);
  rattle_record_close(&record);
  return status;
}

static int resume(const cli_args *args) {
  cli_session session = {0};
  rest_of_run rest = {0};
  rattle_error error = {0};
  rattle_summary summary = {.struct_size = sizeof summary};
  int ran = 0, json = cli_flag(args, "json");
  rattle_status status = remake(&session, &rest, args, &error);
  if (status == RATTLE_BAD_RECORD && cli_sweep_resume(args, &ran)) {
    cli_session_end(&session);
    return ran;
  }
  if (!status) status = rattle_warnings_create(&rest.warnings, session.integrator, &error);
  if (!status) status = go_on(&session, &rest, args, &summary, &ran, &error);

  int exit_status = rattle_status_exit(status);
  if (!ran) {
    exit_status = cli_end_badly(args, &error, json);
  } else {
    cli_report report = {.session = &session,
                         .model_path = rest.model_file,
                         .record_path = args->operand[0],
                         .summary = &summary,
                         .events = &rest.events,
                         .steps_asked = rest.by_time ? 0 : rest.steps,
                         .stop_asked = rest.stop,
                         .warnings = rest.warnings};
    cli_warn("resume", rest.warnings, 0);
    if (status) cli_complain("resume", &error);
    if (json)
      cli_report_json(&report, stdout);
    else if (!cli_flag(args, "quiet"))
      cli_report_text(&report, stdout);
  }
  rattle_warnings_destroy(&rest.warnings);
  cli_events_end(&rest.events);
  free(rest.counts), free(rest.last), free(rest.model_file);
  cli_session_end(&session);
  return exit_status;
}

const cli_command cli_resume = {
    "resume",
    "OUT.h5",
    "Continues the run of a record, or a sweep, bit for bit, in the same file.",
    1,
    1,
    "Model, parameters, method and state are those of the record. The summary covers the new "
    "steps; energy errors are\n"
    "relative to the first energy of the whole run. Run `rattle recover` first on a record that a "
    "killed run left open.\n",
    options,
    resume};
