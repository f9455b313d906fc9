/* rattle certify STATES.csv --model MODEL: proves the steps of a table of states that another
 * program has made.
 *
 * A line of the table is the end of a step, or of several, from the line before. All but the last
 * are made here; of the last one the theorem asks whether the positions of the table lie in a box
 * with the end of its curve and no other solution, and how far they are from it. The momenta of
 * RATTLE are unique once the positions are known: they are compared with those of a step made
 * here.
 *
 * The theorem knows one root in its box, and a state elsewhere in a wide box may be of another
 * motion. A line is that if it is farther from the end of its curve than half of its digits tell:
 * than the geometric mean of the way of its step and of the distance of its ends from the
 * constraints, or their round-off. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/certify.h"
#include "ground/support/flag.h"

/* Largest differences of momenta, and the line where. */
typedef struct difference {
  double most;
  long long line;
} difference;

typedef struct states {
  cli_session session;
  rattle_certifier *certifier;
  rattle_certificate certificate;
  cli_table table;
  char *text;
  double *value, *time;  /* [2n][rows], of coordinates and momenta; [rows], NULL: no such column */
  double *own_time;      /* time, where it is none of value */
  double *end;           /* [2n], of a line */
  double step;           /* NaN: by the times */
  long long every, line; /* steps from line to line; the last line that was judged */
  long long refused;     /* steps that could not be made here, whose momenta are not compared */
  difference momenta;
  rattle_slider *slider; /* NULL: there are no constraints on positions */
  double *placed;        /* [2n] */
  double precision;      /* of the line before */
  long long others;      /* lines of another motion */
  difference other;      /* the first */
  const char *method;
  const volatile int *interrupt;
  int n, interrupted;
} states;

/* --- what is asked ---------------------------------------------------------------------------- */

static rattle_status read_options(states *r, const cli_args *args, rattle_error *error) {
  const rattle_wishes *wishes = rattle_model_wishes(r->session.model);
  const char *asked = cli_text(args, "method"),
             *other = wishes->method ? wishes->method : rattle_default_method(r->session.problem);
  r->step = (double)NAN, r->every = 1;
  rattle_status status = cli_real(args, "step", &r->step, error);
  if (!status) status = cli_integer(args, "every", &r->every, error);
  if (!status && cli_flag(args, "step") && !(isfinite(r->step) && r->step != 0))
    status = text_fail(error, RATTLE_BAD_ARGUMENT, "--step %g: expected a number that is not 0",
                       r->step);
  if (!status && r->every < 1)
    status = text_fail(error, RATTLE_BAD_ARGUMENT, "--every %lld: expected 1 or more", r->every);
  if (!status)
    status =
        rattle_certifier_create(&r->certifier, r->session.problem, asked ? asked : other, error);
  if (status) return status;
  const rattle_method *method = rattle_integrator_method(rattle_certifier_integrator(r->certifier));
  r->method = rattle_method_text(method);
  if (rattle_method_claims(method).stages == 1) return RATTLE_OK;
  return text_fail(error, RATTLE_UNSUITABLE,
                   "a step of %s has several substeps, and a table lacks the states between them: "
                   "give the states after each substep, with the method inside",
                   r->method);
}

/* True if a column has this name, which a unit may follow: "x[1] (nm)". */
static int is_named(const char *column, const char *name) {
  const size_t length = strlen(name);
  return !strncmp(column, name, length) &&
         (!column[length] || (!strncmp(column + length, " (", 2)));
}

static int find_column(const states *r, const char *name) {
  for (int i = 0; i < r->table.columns; i++)
    if (is_named(r->table.name[i], name)) return i;
  return -1;
}

static rattle_status refuse_twice(const states *r, int i, const char *path, rattle_error *error) {
  for (int other = i + 1; other < r->table.columns; other++)
    if (!strcmp(r->table.name[other], r->table.name[i]))
      return text_fail(error, RATTLE_BAD_ARGUMENT, "%s has two columns '%s'", path,
                       r->table.name[i]);
  return RATTLE_OK;
}

static const char *variable_name(const states *r, int k) {
  return k < r->n ? rattle_model_coordinate_name(r->session.model, k)
                  : rattle_model_momentum_name(r->session.model, k - r->n);
}

/* The columns that have the state; all must be there, and the time where no step is given or the
 * model depends on it. */
static rattle_status find_columns(states *r, const char *path, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  const int clock = rattle_model_clock(r->session.model);
  const int named = find_column(r, "time"), time = named < 0 ? find_column(r, "t") : named;
  for (int k = 0; k < 2 * r->n && !status; k++) {
    const int i = k == clock ? time : find_column(r, variable_name(r, k));
    if (i < 0 && clock >= 0 && k == r->n + clock) continue; /* p_t moves nothing */
    if (i < 0)
      return text_fail(error, RATTLE_BAD_ARGUMENT,
                       "%s has no column '%s': a step is proved from all positions and momenta, "
                       "under the names that `rattle run MODEL --csv` writes; a momentum is mass "
                       "times velocity",
                       path, k == clock ? "time" : variable_name(r, k));
    r->table.to[i] = r->value + (long long)k * r->table.rows;
    status = refuse_twice(r, i, path, error);
  }
  if (clock >= 0) r->time = r->value + (long long)clock * r->table.rows;
  if (!status && time >= 0 && !r->table.to[time]) {
    r->table.to[time] = r->own_time = r->time = calloc((size_t)r->table.rows, sizeof *r->time);
    status = r->time ? refuse_twice(r, time, path, error) : text_no_memory(error);
  }
  if (!status && isnan(r->step) && !r->time)
    status = text_fail(error, RATTLE_BAD_ARGUMENT,
                       "%s has no column 'time': pass the step by --step", path);
  return status;
}

static rattle_status read_table(states *r, const char *path, rattle_error *error) {
  rattle_status status = cli_read_text(path, &r->text, error);
  if (!status) status = cli_table_open(&r->table, path, r->text, error);
  if (!status && r->table.rows < 2)
    status = text_fail(error, RATTLE_BAD_ARGUMENT,
                       "%s has one state: a step needs its start and its end", path);
  if (status) return status;
  const size_t variables = 2 * (size_t)r->n;
  r->value = calloc(variables * (size_t)r->table.rows, sizeof *r->value);
  r->end = calloc(2 * variables, sizeof *r->end);
  if (!r->value || !r->end) return text_no_memory(error);
  r->placed = r->end + variables;
  status = rattle_slider_create(&r->slider, r->session.problem, error);
  if (status == RATTLE_UNSUITABLE) status = RATTLE_OK; /* without constraints on positions */
  if (!status) status = find_columns(r, path, error);
  return status ? status : cli_table_read(&r->table, error);
}

static rattle_status open_rows(states *r, const cli_args *args, rattle_error *error) {
  const rattle_model_options options = {.struct_size = sizeof options,
                                        .parameters = args->parameter,
                                        .parameter_count = args->parameters};
  const char *path = args->operand[0];
  rattle_status status = cli_stop_after(args, error);
  if (!status) status = cli_check_input(path, error);
  if (!status)
    status = cli_session_load(&r->session, args, cli_text(args, "model"), NULL, &options, error);
  if (status) return status;
  r->n = rattle_problem_n(r->session.problem);
  status = read_options(r, args, error);
  return status ? status : read_table(r, path, error);
}

static void close_rows(states *r) {
  rattle_slider_destroy(&r->slider);
  rattle_certifier_destroy(&r->certifier);
  cli_table_close(&r->table);
  free(r->text), free(r->value), free(r->own_time), free(r->end);
  cli_session_end(&r->session);
}

/* --- steps ------------------------------------------------------------------------------------ */

static void get_line(const states *r, long long line, double *z) {
  for (int k = 0; k < 2 * r->n; k++) z[k] = r->value[(long long)k * r->table.rows + line];
}

/* The step from a line to the next one. */
static rattle_status find_step(const states *r, long long line, double *h, rattle_error *error) {
  *h = r->step;
  if (!isnan(*h)) return RATTLE_OK;
  *h = (r->time[line + 1] - r->time[line]) / (double)r->every;
  if (*h != 0 && isfinite(*h)) return RATTLE_OK;
  return text_fail(error, RATTLE_BAD_ARGUMENT,
                   "lines %lld and %lld of numbers of %s have the same time, or no times", line + 1,
                   line + 2, r->table.what);
}

/* How far a coordinate of a is from b, at most; time is none. */
static double distance(const states *r, const double *a, const double *b) {
  double most = 0;
  for (int k = 0; k < r->n; k++)
    if (k != rattle_model_clock(r->session.model) && !(fabs(a[k] - b[k]) <= most))
      most = fabs(a[k] - b[k]);
  return most;
}

/* How far the positions of z are from the constraints, or their round-off; those that cannot be
 * placed there have their round-off alone. */
static double precision_of(states *r, const double *z) {
  double origin = 0;
  for (int k = 0; k < r->n; k++)
    if (k != rattle_model_clock(r->session.model)) origin = fmax(origin, fabs(z[k]));
  memcpy(r->placed, z, 2 * (size_t)r->n * sizeof *z);
  const int placed =
      r->slider && !rattle_slider_place(r->slider, r->placed, r->placed + r->n, NULL);
  return fmax(placed ? distance(r, r->placed, z) : 0, DBL_EPSILON * origin);
}

/* True if the end of the line, which is within the radius of the step's, is that of another
 * motion. */
static int is_of_another_motion(states *r, double radius) {
  const double before = r->precision, way = distance(r, r->session.state.q, r->end);
  r->precision = precision_of(r, r->end);
  return radius > sqrt(fmax(before, r->precision)) * sqrt(way);
}

/* The last step before a line, whose positions are those of the table. */
static rattle_status judge(states *r, double h, rattle_error *error) {
  rattle_state *state = &r->session.state;
  rattle_integrator *integrator = rattle_certifier_integrator(r->certifier);
  rattle_certificate *all = &r->certificate;
  const double before = all->radius;
  all->radius = 0;
  rattle_status status =
      rattle_certifier_check(r->certifier, h, state->q, state->p, r->end, all, error);
  if (status) return status;
  if (is_of_another_motion(r, all->radius) && !r->others++)
    r->other = (difference){all->radius, r->line + 2};
  all->radius = fmax(before, all->radius);
  if (rattle_integrator_step(integrator, state, 1, error)) {
    r->refused++; /* what the certificate says of it remains */
    *error = (rattle_error){0};
    return RATTLE_OK;
  }
  for (int k = 0; k < r->n; k++) {
    if (k == rattle_model_clock(r->session.model)) continue;
    const double off = fabs(state->p[k] - r->end[r->n + k]);
    if (!(off <= r->momenta.most) || !r->momenta.line) r->momenta = (difference){off, r->line + 2};
  }
  return RATTLE_OK;
}

static rattle_status go_to_line(states *r, rattle_error *error) {
  rattle_state *state = &r->session.state;
  double h = 0;
  rattle_status status = find_step(r, r->line, &h, error);
  if (status) return status;
  get_line(r, r->line, r->session.q);
  get_line(r, r->line + 1, r->end);
  state->step = 0, state->h = h, state->t0 = r->time ? r->time[r->line] : 0;
  if (r->every > 1)
    status = rattle_certifier_step(r->certifier, state, r->every - 1, &r->certificate, error);
  return status ? status : judge(r, h, error);
}

static rattle_status prove(states *r, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  get_line(r, 0, r->end);
  r->precision = precision_of(r, r->end);
  for (; r->line + 1 < r->table.rows && !status && !r->interrupted; r->line++) {
    status = go_to_line(r, error);
    r->interrupted = rattle__flag_is_set(r->interrupt);
  }
  return status;
}

/* --- output ----------------------------------------------------------------------------------- */

/* The time at which the first step that is not proved begins, 0 where there are no times. */
static double time_of_first(const states *r) {
  if (!r->certificate.step || !r->time) return 0;
  const long long line = (r->certificate.step - 1) / r->every;
  const long long after = (r->certificate.step - 1) % r->every;
  const double h =
      isnan(r->step) ? (r->time[line + 1] - r->time[line]) / (double)r->every : r->step;
  return r->time[line] + (double)after * h;
}

/* Columns as one line: those that are not used, or those whose names have a unit. */
static void print_columns(const states *r, const char *label,
                          int (*which)(const states *r, int i)) {
  int shown = 0;
  for (int i = 0; i < r->table.columns; i++)
    if (which(r, i)) cli_print(stdout, "%s%s", shown++ ? ", " : label, r->table.name[i]);
  if (shown) putchar('\n');
}

static int is_unused(const states *r, int i) {
  return !r->table.to[i];
}

static int has_unit(const states *r, int i) {
  return r->table.to[i] && strstr(r->table.name[i], " (");
}

static int is_proved(const states *r) {
  return certify_is_proved(&r->certificate) && !r->others && !r->interrupted;
}

static void print_text(const states *r, const char *path, const char *model) {
  certify_print_line(&r->certificate, r->method);
  cli_print(stdout, "  states       %lld of %s, steps from each line to the next; model %s\n",
            r->line + 1, path, model);
  certify_print_pieces(&r->certificate);
  cli_print(stdout, "  radius       positions are within %.2g of the exact end of their step\n",
            r->certificate.radius);
  if (r->momenta.line)
    cli_print(stdout,
              "  momenta      within %.2g of those of the step made here, line %lld of numbers\n",
              r->momenta.most, r->momenta.line);
  if (r->refused)
    cli_print(stdout,
              "  not made     %lld steps, which rattle refuses: their momenta are not "
              "compared\n",
              r->refused);
  if (r->others)
    cli_print(
        stdout,
        "  another      motion in %lld steps, of line %lld of numbers first: its positions are "
        "up to %.2g from the end of its\n"
        "               step, too far for numbers that fulfil the constraints so well; check "
        "times, step, forces and masses\n",
        r->others, r->other.line, r->other.most);
  print_columns(r, "  not used     columns ", is_unused);
  print_columns(r, "  units        of the model, whatever the head says: ", has_unit);
  certify_print_failure(&r->certificate, r->session.problem, time_of_first(r));
  if (r->interrupted)
    cli_print(stdout, "  interrupted  after %lld of %lld lines\n", r->line, r->table.rows);
}

static void print_json(const states *r, const char *path, const char *model) {
  const rattle_certificate *of = &r->certificate;
  json_writer out = {.out = stdout, .indent = 1}, *json = &out;
  json_open(json, NULL, '{');
  json_text(json, "states", path);
  json_text(json, "model", model);
  json_text(json, "method", r->method);
  json_bool(json, "proved", is_proved(r));
  json_bool(json, "interrupted", r->interrupted);
  json_integer(json, "lines", r->line + 1);
  json_real(json, "momenta", r->momenta.most);
  json_integer(json, "not_made", r->refused);
  json_integer(json, "of_another_motion", r->others);
  RATTLE_CERTIFICATE_FIELDS(JSON_FIELD)
  cli_json_not_proved(json, r->session.problem, of, time_of_first(r));
  cli_json_status(json, RATTLE_OK, NULL);
  json_close(json, '}');
}

int certify_rows(const cli_args *args) {
  states r = {.certificate = {.struct_size = sizeof r.certificate}};
  rattle_error error = {0};
  const int json = cli_flag(args, "json");
  const char *path = args->operand[0], *model = cli_text(args, "model");
  r.interrupt = cli_catch_signals();
  rattle_status status = open_rows(&r, args, &error);
  if (!status) status = prove(&r, &error);
  int exit_status = CLI_INTERRUPTED;
  if (status)
    exit_status = cli_end_badly(args, &error, json);
  else if (!r.interrupted)
    exit_status = is_proved(&r) ? CLI_DONE : CLI_FAILED;
  if (!status && json) print_json(&r, path, model);
  if (!status && !json) print_text(&r, path, model);
  close_rows(&r);
  return exit_status;
}
