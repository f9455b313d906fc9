/* rattle certify: makes the steps of a record again, and proves of each that it ended where it had
 * to. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/certify.h"
#include "ground/support/flag.h"

static const cli_option options[] = {
    CLI_STOP_AFTER_OPTION,
    CLI_EVALUATOR_OPTION,
    CLI_PLUGIN_OPTION,
    {"model", 0, "MODEL",
     "the file is a table of states of another program, and this "
     "the model whose steps it has"},
    CLI_PARAM_OPTION,
    {"method", 0, "EXPR", "the method of a table (rattle(verlet))"},
    {"step", 0, "H", "its step (from the column `time`)"},
    {"every", 0, "K", "its lines are K steps apart (1)"},
    CLI_JSON_OPTION,
    {NULL, 0, NULL, NULL}};

/* Steps between two looks at the clock. */
enum { CHUNK = 256 };

typedef struct replay {
  cli_session session;
  rattle_record *record;
  rattle_certifier *certifier;
  rattle_certificate certificate;
  double *q, *p;              /* [n] of a sample */
  long long compared, within; /* samples at the ends of steps, the same to the last bit; others */
  const volatile int *interrupt;
  int interrupted;
} replay;

/* Makes and proves the steps up to number `last`. */
static rattle_status go_to(replay *r, long long last, rattle_error *error) {
  rattle_state *state = &r->session.state;
  rattle_status status = RATTLE_OK;
  while (state->step < last && !status && !r->interrupted) {
    const long long left = last - state->step, steps = left < CHUNK ? left : CHUNK;
    status = rattle_certifier_step(r->certifier, state, steps, &r->certificate, error);
    r->interrupted = rattle__flag_is_set(r->interrupt);
  }
  return status;
}

/* BAD_RECORD: (q, p) after these steps are not those of the record, to the last bit. */
static rattle_status compare(const replay *r, const char *path, rattle_error *error) {
  const size_t half = (size_t)rattle_problem_n(r->session.problem) * sizeof(double);
  if (!memcmp(r->q, r->session.q, half) && !memcmp(r->p, r->session.p, half)) return RATTLE_OK;
  return text_fail(error, RATTLE_BAD_RECORD,
                   "step %lld of %s is not what its method makes of the steps before: the record "
                   "was written by another version, or on a machine with another C library; its "
                   "steps up to there were the same",
                   r->session.state.step, path);
}

/* True for a point within the next step, as at an event that ends a run: the end of no step. */
static int is_within(const replay *r, double time) {
  const rattle_integrator *integrator = rattle_certifier_integrator(r->certifier);
  rattle_state next = r->session.state;
  const double begin = rattle_integrator_time(integrator, &next);
  next.step++;
  const double end = rattle_integrator_time(integrator, &next);
  return begin < end ? begin < time && time < end : end < time && time < begin;
}

/* The number of the step of sample k, which is none before those of the samples before it. */
static rattle_status read_step(replay *r, long long k, long long *step, const char *path,
                               rattle_error *error) {
  const rattle_column number = {RATTLE_STEP_NUMBER, 0};
  const long long last = rattle_record_info_of(r->record)->last_step;
  double value = -1;
  const rattle_status status = rattle_record_read_column(r->record, number, k, 1, &value, error);
  if (status) return status;
  if (!(value >= (double)r->session.state.step && value <= (double)last && value < 9e18))
    return text_fail(error, RATTLE_BAD_RECORD,
                     "sample %lld of %s is of step %.17g, after one of step %lld in a run of %lld: "
                     "the record was changed",
                     k, path, value, r->session.state.step, last);
  *step = (long long)value;
  return RATTLE_OK;
}

/* Sample k is the end of the steps up to it; those after the start may lie within the next one. */
static rattle_status check_sample(replay *r, long long k, const char *path, rattle_error *error) {
  double time = 0;
  rattle_status status =
      rattle_record_read(r->record, k, 1, &time, NULL, r->q, r->p, NULL, NULL, error);
  if (status) return status;
  const double end =
      rattle_integrator_time(rattle_certifier_integrator(r->certifier), &r->session.state);
  if (time == end) {
    r->compared++;
    return compare(r, path, error);
  }
  if (k > 0 && is_within(r, time)) {
    r->within++;
    return RATTLE_OK;
  }
  return text_fail(error, RATTLE_BAD_RECORD,
                   "sample %lld of %s is of step %lld, which ends at time %.17g, and has time "
                   "%.17g: the record was changed",
                   k, path, r->session.state.step, end, time);
}

/* The last state, which need not be a sample. */
static rattle_status check_end(replay *r, const char *path, rattle_error *error) {
  const int extra = rattle_integrator_extra(rattle_certifier_integrator(r->certifier));
  double *room = calloc((size_t)extra + 1, sizeof *room);
  long long step;
  if (!room) return text_no_memory(error);
  rattle_status status = rattle_record_state(r->record, r->q, r->p, room, extra, &step, error);
  if (!status) status = compare(r, path, error);
  free(room);
  return status;
}

static rattle_status replay_samples(replay *r, const char *path, rattle_error *error) {
  const rattle_record_info *info = rattle_record_info_of(r->record);
  rattle_status status = RATTLE_OK;
  for (long long k = 0; k < info->samples && !status && !r->interrupted; k++) {
    long long step = 0;
    status = read_step(r, k, &step, path, error);
    if (!status && k == 0) r->session.state.step = step;
    if (!status) status = go_to(r, step, error);
    if (!status && !r->interrupted) status = check_sample(r, k, path, error);
  }
  if (!status) status = go_to(r, info->last_step, error);
  return status || r->interrupted ? status : check_end(r, path, error);
}

static rattle_status open_replay(replay *r, const cli_args *args, rattle_error *error) {
  const char *path = args->operand[0];
  rattle_status status = cli_stop_after(args, error);
  if (!status) status = cli_check_input(path, error);
  if (!status && !cli_is_record(path))
    status = text_fail(error, RATTLE_BAD_ARGUMENT,
                       "%s is no record; if it is a table of states of another program, give the "
                       "model that they are of by --model",
                       path);
  if (!status) status = rattle_record_open(&r->record, path, error);
  if (status) return status;
  const rattle_record_info *info = rattle_record_info_of(r->record);
  status = cli_remake(&r->session, args, info, "certify", error);
  if (!status)
    status = rattle_certifier_create(&r->certifier, r->session.problem, info->method, error);
  if (status) return status;
  r->q = calloc(2 * (size_t)info->n + 1, sizeof *r->q);
  if (!r->q) return text_no_memory(error);
  r->p = r->q + info->n;
  r->session.state.t0 = info->start_time, r->session.state.h = info->step;
  return rattle_record_read(r->record, 0, 1, NULL, NULL, r->session.q, r->session.p, NULL, NULL,
                            error);
}

static void close_replay(replay *r) {
  rattle_certifier_destroy(&r->certifier);
  rattle_record_close(&r->record);
  free(r->q);
  cli_session_end(&r->session);
}

/* --- output ----------------------------------------------------------------------------------- */

/* The time at which the first step that is not proved begins. */
static double time_of_first(const replay *r) {
  const rattle_state *state = &r->session.state;
  return state->t0 + (double)(r->certificate.step - 1) * state->h;
}

static void print_text(const replay *r, const char *path) {
  const rattle_record_info *info = rattle_record_info_of(r->record);
  const rattle_certificate *c = &r->certificate;
  certify_print_line(c, info->method);
  cli_print(stdout, "  record       %s, model %s, sha %.12s\n", path, info->model_file,
            info->model_hash);
  certify_print_pieces(c);
  cli_print(stdout, "  radius       positions are within %.2g of the exact end of their step\n",
            c->radius);
  cli_print(stdout, "  samples      %lld at the ends of steps, the same to the last bit",
            r->compared);
  if (r->within) cli_print(stdout, "; %lld within steps, not compared", r->within);
  putchar('\n');
  certify_print_failure(c, r->session.problem, time_of_first(r));
  if (r->interrupted)
    cli_print(stdout, "  interrupted  after %lld of %lld steps\n", c->steps, info->last_step);
}

static void print_json(const replay *r, const char *path) {
  const rattle_record_info *info = rattle_record_info_of(r->record);
  const rattle_certificate *of = &r->certificate;
  json_writer out = {.out = stdout, .indent = 1}, *json = &out;
  json_open(json, NULL, '{');
  json_text(json, "record", path);
  json_text(json, "model", info->model_file);
  json_text(json, "model_hash", info->model_hash);
  json_text(json, "method", info->method);
  json_bool(json, "proved", certify_is_proved(of) && !r->interrupted);
  json_bool(json, "interrupted", r->interrupted);
  json_integer(json, "samples", r->compared);
  json_integer(json, "samples_within_steps", r->within);
  RATTLE_CERTIFICATE_FIELDS(JSON_FIELD)
  cli_json_not_proved(json, r->session.problem, of, time_of_first(r));
  cli_json_status(json, RATTLE_OK, NULL);
  json_close(json, '}');
}

static int certify(const cli_args *args) {
  replay r = {.certificate = {.struct_size = sizeof r.certificate}};
  rattle_error error = {0};
  const int json = cli_flag(args, "json");
  if (cli_flag(args, "model")) return certify_rows(args);
  r.interrupt = cli_catch_signals();
  rattle_status status = open_replay(&r, args, &error);
  if (!status) status = replay_samples(&r, args->operand[0], &error);
  int exit_status = CLI_INTERRUPTED;
  if (status)
    exit_status = cli_end_badly(args, &error, json);
  else if (!r.interrupted)
    exit_status = certify_is_proved(&r.certificate) ? CLI_DONE : CLI_FAILED;
  if (!status && json) print_json(&r, args->operand[0]);
  if (!status && !json) print_text(&r, args->operand[0]);
  close_replay(&r);
  return exit_status;
}

const cli_command cli_certify = {
    "certify",
    "OUT.h5|STATES.csv",
    "Makes the steps of a record again, and proves of each that it ended where it had to.",
    1,
    1,
    "A step ends where the curve of solutions for shorter steps leads, not at another solution of "
    "the same equations. The first\n"
    "line can be cited; the exit status is 0 if all steps are proved, else 1. It is for "
    "rattle(...) "
    "and shake(...) of Runge-Kutta\n"
    "maps, verlet and midpoint among them, spark, their compositions, and smooth constraints: "
    "docs/certificates.md.\n"
    "\n"
    "With --model it proves the steps of another program: a table of its states at the ends of "
    "steps, with columns named as those\n"
    "of `rattle run MODEL --csv`. Each step is judged by itself, from the line before.\n",
    options,
    certify};
