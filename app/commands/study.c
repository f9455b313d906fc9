/* rattle study: many runs of a model, and what they say together. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/study.h"

static const cli_option options[] = {
    {"methods", 0, "A,B,...",
     "methods to study, separated by commas (a selection that suits the problem)"},
    {"method", 0, "EXPR", "one method to study; may be repeated"},
    {"stop", 0, "T", "end time (depends on the study)"},
    {"step", 0, "H", "time step (drift, compare, lyapunov, orbit, family)"},
    {"every", 0, "K", "take a sample every K-th step (drift, compare)"},
    {"spectrum", 0, "NAMES",
     "coordinates, momenta, observables for periodograms, separated by commas (drift)"},
    {"window", 0, "KIND", "window of the periodograms: hann or none (drift)"},
    {"period", 0, "T", "a guess of the period (orbit, family) (the closest return until --stop)"},
    {"hold", 0, "KIND",
     "what is held: energy, period or nothing (orbit, family) (depends on the problem)"},
    {"arcs", 0, "K",
     "arcs of multiple shooting (orbit, family) (as many as the growth of deviations needs)"},
    {"along", 0, "KIND",
     "what changes along a family: energy, period (family), or a parameter of the model, "
     "NAME=FROM:TO (family, equilibrium, modes) (energy)"},
    {"to", 0, "X",
     "the energy, the period or the parameter where the family ends (family, equilibrium, modes)"},
    {"points", 0, "K", "points of a family at most (family, equilibrium, modes) (200)"},
    {"nearest", 0, NULL,
     "the equilibrium that Newton's method finds from the start, stable or not (equilibrium, "
     "modes) "
     "(down the potential)"},
    {"steady", 0, "NAME=SPEED",
     "a steady motion in place of rest: along the flow of a quantity that the model observes and a "
     "symmetry conserves, as an angular momentum, with this speed; may be repeated (equilibrium, "
     "modes)"},
    {"lowest", 0, "K",
     "how many modes, the lowest ones (modes) (all; of more than 400 coordinates 10)"},
    {"error", 0, "E", "the error to reach, relative (advise)"},
    {"quantity", 0, "KIND", "which error to measure: solution or energy (work, advise) (solution)"},
    {"reference", 0, "EXPR",
     "method of the reference solution, or quad: the default with 113 bits (the best one)"},
    {"effort", 0, "F", "factor for the work that a run may take (1)"},
    {"output", 'o', "STUDY.h5",
     "write the study to this HDF5 file: all points, fits, the model and its parameters"},
    {"csv", 0, "FILE", "write a family of equilibria as CSV (equilibrium, modes)"},
    {"force", 0, NULL, "replace an existing output file"},
    CLI_PARAM_OPTION,
    CLI_START_OPTIONS,
    CLI_PROJECT_OPTION,
    {"threads", 0, "N", "number of runs at a time (the number of cores); affects times only"},
    CLI_JSON_OPTION,
    {"quiet", 0, NULL, "print nothing, and no progress line"},
    CLI_EVALUATOR_OPTION,
    CLI_PLUGIN_OPTION,
    {NULL, 0, NULL, NULL}};

/* The studies, and the options that only some of them take. */
static const struct {
  const char *name;
  rattle_study_kind kind;
  const char *takes[8]; /* NULL after the last */
} kinds[] = {{"order", RATTLE_STUDY_ORDER, {NULL}},
             {"drift", RATTLE_STUDY_DRIFT, {"step", "every", "spectrum", "window", NULL}},
             {"work", RATTLE_STUDY_WORK, {"quantity", NULL}},
             {"advise", RATTLE_STUDY_ADVISE, {"error", "quantity", NULL}},
             {"compare", RATTLE_STUDY_COMPARE, {"step", "every", NULL}},
             {"lyapunov", RATTLE_STUDY_LYAPUNOV, {"step", NULL}},
             {"orbit", RATTLE_STUDY_ORBIT, {"step", "period", "hold", "arcs", NULL}},
             {"family",
              RATTLE_STUDY_FAMILY,
              {"step", "period", "hold", "arcs", "along", "to", "points", NULL}},
             {"equilibrium",
              RATTLE_STUDY_EQUILIBRIUM,
              {"nearest", "along", "to", "points", "steady", "csv", NULL}},
             {"modes",
              RATTLE_STUDY_MODES,
              {"nearest", "along", "to", "points", "steady", "lowest", "csv", NULL}}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static rattle_status find_kind(const char *word, rattle_study_kind *kind, rattle_error *error) {
  const char *names[KINDS];
  for (int i = 0; i < KINDS; i++) {
    names[i] = kinds[i].name;
    *kind = kinds[i].kind;
    if (!strcmp(word, names[i])) return RATTLE_OK;
  }
  const char *near = cli_nearest(word, names, KINDS);
  return near ? text_fail(error, RATTLE_BAD_ARGUMENT, "there is no study %s; did you mean %s?",
                          word, near)
              : text_fail(error, RATTLE_BAD_ARGUMENT,
                          "there is no study %s; `rattle study --help` lists them", word);
}

static int takes(int kind, const char *option) {
  for (const char *const *name = kinds[kind].takes; *name; name++)
    if (!strcmp(*name, option)) return 1;
  return 0;
}

/* An option that applies to other studies is an error. */
static rattle_status check_options(const cli_args *args, rattle_study_kind kind,
                                   rattle_error *error) {
  int own = 0;
  while (kinds[own].kind != kind) own++;
  for (int i = 0; i < args->givens; i++) {
    const char *option = args->given[i].option->name;
    for (int other = 0; other < KINDS; other++)
      if (takes(other, option) && !takes(own, option))
        return text_fail(error, RATTLE_BAD_ARGUMENT,
                         "--%s does not apply to study %s; it applies to study %s", option,
                         kinds[own].name, kinds[other].name);
  }
  return RATTLE_OK;
}

/* --- which methods ---------------------------------------------------------------------------- */

typedef struct word_list {
  char **word;
  int words;
} word_list;

static rattle_status add_word(word_list *list, const char *option, const char *text, size_t length,
                              rattle_error *error) {
  while (length > 0 && text[0] == ' ') text++, length--;
  while (length > 0 && text[length - 1] == ' ') length--;
  if (!length)
    return text_fail(error, RATTLE_BAD_ARGUMENT, "--%s: empty entry between two commas", option);
  char **larger = realloc(list->word, ((size_t)list->words + 1) * sizeof *larger);
  if (larger) list->word = larger;
  char *copy = strndup(text, length);
  if (!larger || !copy) {
    free(copy);
    return text_no_memory(error);
  }
  list->word[list->words++] = copy;
  return RATTLE_OK;
}

/* "rattle(verlet), triple_jump(rattle(verlet), 4)": commas inside brackets part nothing. */
static rattle_status split_words(word_list *list, const char *option, const char *text,
                                 rattle_error *error) {
  int depth = 0;
  const char *begin = text;
  for (;; text++) {
    if (*text == '(') depth++;
    if (*text == ')') depth--;
    if (*text && (*text != ',' || depth > 0)) continue;
    rattle_status status = add_word(list, option, begin, (size_t)(text - begin), error);
    if (status || !*text) return status;
    begin = text + 1;
  }
}

/* All methods that were typed, in order; each must be an expression. */
static rattle_status list_methods(word_list *list, const cli_args *args, rattle_error *error) {
  const char *text;
  rattle_status status = RATTLE_OK;
  for (int at = 0; !status && (text = cli_next(args, "methods", &at));)
    status = split_words(list, "methods", text, error);
  for (int at = 0; !status && (text = cli_next(args, "method", &at));)
    status = add_word(list, "method", text, strlen(text), error);
  for (int i = 0; i < list->words && !status; i++) {
    rattle_method *method = NULL;
    status = rattle_method_parse(&method, list->word[i], error);
    rattle_method_destroy(&method);
  }
  return status;
}

static void drop_words(word_list *list) {
  for (int i = 0; i < list->words; i++) free(list->word[i]);
  free(list->word);
}

/* --- doing it --------------------------------------------------------------------------------- */

static void show_progress(void *self, const rattle_study_progress *so_far) {
  int *shown = self;
  fprintf(stderr, "\r\033[K%s: %lld of at most %lld runs, %.3g maps/s, %.0f s", so_far->stage,
          so_far->runs, so_far->runs_most, so_far->maps / (so_far->seconds + 1e-9),
          so_far->seconds);
  fflush(stderr);
  *shown = 1;
}

static rattle_status read_window(rattle_study_options *how, const cli_args *args,
                                 rattle_error *error) {
  const char *word = cli_text(args, "window");
  if (!word || !strcmp(word, "hann")) return RATTLE_OK;
  how->window = RATTLE_STUDY_NO_WINDOW;
  return strcmp(word, "none")
             ? text_fail(error, RATTLE_BAD_ARGUMENT, "--window %s: expected hann or none", word)
             : RATTLE_OK;
}

static rattle_status read_quantity(rattle_study_options *how, const cli_args *args,
                                   rattle_error *error) {
  const char *word = cli_text(args, "quantity");
  if (!word || !strcmp(word, "solution")) return RATTLE_OK;
  how->quantity = RATTLE_STUDY_ENERGY;
  return strcmp(word, "energy") ? text_fail(error, RATTLE_BAD_ARGUMENT,
                                            "--quantity %s: expected solution or energy", word)
                                : RATTLE_OK;
}

static rattle_status read_held(rattle_study_options *how, const cli_args *args,
                               rattle_error *error) {
  static const char *const words[] = {[RATTLE_ORBIT_HOLD_ENERGY] = "energy",
                                      [RATTLE_ORBIT_HOLD_PERIOD] = "period",
                                      [RATTLE_ORBIT_HOLD_NOTHING] = "nothing"};
  const char *word = cli_text(args, "hold");
  for (int held = RATTLE_ORBIT_HOLD_ENERGY; word && held <= RATTLE_ORBIT_HOLD_NOTHING; held++)
    if (!strcmp(word, words[held])) how->held = (rattle_orbit_held)held;
  return word && !how->held ? text_fail(error, RATTLE_BAD_ARGUMENT,
                                        "--hold %s: expected energy, period or nothing", word)
                            : RATTLE_OK;
}

/* Options of a study of a family. */
static rattle_status read_family(rattle_study_options *how, const cli_args *args,
                                 rattle_error *error) {
  const char *word = cli_text(args, "along");
  long long points = 0;
  rattle_status status = cli_real(args, "to", &how->to, error);
  if (!status) status = cli_integer(args, "points", &points, error);
  if (!status && cli_flag(args, "points") && (points < 2 || points > 100000))
    status = text_fail(error, RATTLE_BAD_ARGUMENT, "--points %lld: expected 2 to 100000", points);
  how->points = (int)points;
  how->along = !word || !strcmp(word, "energy") ? RATTLE_FAMILY_ENERGY
               : !strcmp(word, "period")        ? RATTLE_FAMILY_PERIOD
                                                : RATTLE_FAMILY_PARAMETER;
  return status;
}

/* Options of a study of an orbit. */
static rattle_status read_orbit(rattle_study_options *how, const cli_args *args,
                                rattle_error *error) {
  long long arcs = 0;
  rattle_status status = cli_real(args, "period", &how->period, error);
  if (!status) status = cli_integer(args, "arcs", &arcs, error);
  if (!status && cli_flag(args, "period") && !(how->period > 0))
    status = text_fail(error, RATTLE_BAD_ARGUMENT, "--period %g: expected a number above 0",
                       how->period);
  if (!status && cli_flag(args, "arcs") && (arcs < 1 || arcs > 64))
    status = text_fail(error, RATTLE_BAD_ARGUMENT, "--arcs %lld: expected 1 to 64", arcs);
  how->arcs = (int)arcs;
  if (!status) status = read_family(how, args, error);
  return status ? status : read_held(how, args, error);
}

static rattle_status read_options(rattle_study_options *how, const cli_args *args,
                                  rattle_error *error) {
  long long threads = 0, lowest = 0;
  double effort = 1;
  how->struct_size = sizeof *how;
  how->start = how->stop = (double)NAN;
  rattle_status status = cli_real(args, "stop", &how->stop, error);
  if (!status) status = cli_real(args, "effort", &effort, error);
  if (!status) status = cli_real(args, "step", &how->step, error);
  if (!status) status = cli_real(args, "error", &how->error, error);
  if (!status) status = cli_integer(args, "every", &how->every, error);
  if (!status) status = cli_integer(args, "threads", &threads, error);
  if (!status) status = cli_integer(args, "lowest", &lowest, error);
  if (!status && cli_flag(args, "lowest") && (lowest < 1 || lowest > 100000))
    status = text_fail(error, RATTLE_BAD_ARGUMENT, "--lowest %lld: expected 1 to 100000", lowest);
  if (!status) status = read_window(how, args, error);
  if (!status) status = read_quantity(how, args, error);
  if (!status) status = read_orbit(how, args, error);
  if (!status && !(effort > 0))
    status =
        text_fail(error, RATTLE_BAD_ARGUMENT, "--effort %g: expected a number above 0", effort);
  if (!status && cli_flag(args, "every") && how->every < 1)
    status = text_fail(error, RATTLE_BAD_ARGUMENT, "--every %lld: expected 1 or more", how->every);
  if (!status && cli_flag(args, "step") && how->step == 0)
    status = text_fail(error, RATTLE_BAD_ARGUMENT, "--step 0: the step must not be 0");
  how->effort = effort;
  how->threads = threads > 100000 ? 100000 : (int)threads;
  how->reference = cli_text(args, "reference");
  how->project = cli_flag(args, "project");
  how->nearest = cli_flag(args, "nearest");
  how->lowest = (int)lowest;
  return status;
}

/* The study that was asked for, with the lists that it owns. */
typedef struct wanted {
  rattle_study_kind kind;
  rattle_study_options how;
  word_list methods, spectrum;
  cli_along along;
  cli_steady steady;
} wanted;

/* A family has an end; one of equilibria goes along a parameter. */
static rattle_status check_ends(const wanted *w, const cli_args *args, rattle_error *error) {
  const int rests = w->kind == RATTLE_STUDY_EQUILIBRIUM || w->kind == RATTLE_STUDY_MODES;
  const int family =
      rests ? cli_flag(args, "along") || cli_flag(args, "to") || cli_flag(args, "points")
            : w->kind == RATTLE_STUDY_FAMILY;
  if (rests && family && w->how.along != RATTLE_FAMILY_PARAMETER)
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "equilibria are followed along a parameter of the model: pass --along "
                     "NAME=FROM:TO, as in --along load=0:2");
  return family && !cli_flag(args, "to") && !w->along.ends
             ? text_fail(error, RATTLE_BAD_ARGUMENT,
                         "a family needs the value where it ends: pass --to X, as in --along %s "
                         "--to 3",
                         w->along.name ? w->along.name : "energy")
             : RATTLE_OK;
}

/* Everything up to the study itself. */
static rattle_status prepare(cli_session *session, wanted *w, const cli_args *args,
                             rattle_error *error) {
  const char *spectrum = cli_text(args, "spectrum");
  rattle_method *method = NULL;
  rattle_status status = find_kind(args->operand[0], &w->kind, error);
  if (!status) status = check_options(args, w->kind, error);
  if (!status) status = cli_along_once(args, error);
  if (!status) status = read_options(&w->how, args, error);
  if (!status && w->kind == RATTLE_STUDY_ADVISE && !cli_flag(args, "error"))
    status = text_fail(error, RATTLE_BAD_ARGUMENT,
                       "advise needs the error to reach: pass --error E, as in --error 1e-8");
  const int along_parameter = w->how.along == RATTLE_FAMILY_PARAMETER;
  if (!status && along_parameter) status = cli_along_read(&w->along, args, error);
  if (!status) status = cli_steady_read(&w->steady, &w->along, args, error);
  if (!status) status = check_ends(w, args, error);
  const rattle_model_options model_options = {
      .struct_size = sizeof model_options,
      .parameters = along_parameter ? w->along.parameter : args->parameter,
      .parameter_count = along_parameter ? w->along.parameters : args->parameters};
  if (w->along.ends) w->how.to = w->along.to;
  w->how.parameter = w->along.name;
  w->how.steady = w->steady.quantity, w->how.steadies = w->steady.quantities;
  if (!status) status = list_methods(&w->methods, args, error);
  if (!status && spectrum) status = split_words(&w->spectrum, "spectrum", spectrum, error);
  if (!status && w->how.reference && strcmp(w->how.reference, "quad"))
    status = rattle_method_parse(&method, w->how.reference, error);
  rattle_method_destroy(&method);
  if (!status) status = cli_check_input(args->operand[1], error);
  if (!status) status = cli_study_check_outputs(args, along_parameter, error);
  if (!status)
    status = cli_session_load(session, args, args->operand[1], NULL, &model_options, error);
  if (!status && along_parameter && !cli_steady_has(&w->steady, w->along.name))
    status = cli_along_check(&w->along, session->model, error);
  w->how.method = (const char *const *)w->methods.word, w->how.methods = w->methods.words;
  w->how.spectrum = (const char *const *)w->spectrum.word, w->how.spectra = w->spectrum.words;
  return status;
}

/* A study of which no method could be studied has failed as its first method has; one whose runs
 * have failed has figures of them. */
static rattle_status judge(const rattle_study_result *r, rattle_error *error) {
  int studied = 0;
  for (int i = 0; i < r->methods; i++)
    studied += !r->method[i].status || r->method[i].figures || r->method[i].tables;
  if (studied || !r->methods) return RATTLE_OK;
  text_fail(error, r->method[0].status, "no method could be studied: %s", r->method[0].message);
  cli_complain("study", error);
  return r->method[0].status;
}

/* Writes the study to its file, prints it; status and error are those of making it. */
static rattle_status put_out(const rattle_study *made, cli_place *place, const cli_args *args,
                             rattle_status status, rattle_error *error) {
  const char *output = cli_text(args, "output");
  rattle_error failure;
  if (status) cli_complain("study", error);
  cli_open_place(place);
  rattle_status saved =
      output ? rattle_study_save(made, output, cli_flag(args, "force"), &failure) : RATTLE_OK;
  if (!saved && cli_text(args, "csv"))
    saved = cli_study_csv(rattle_study_result_of(made), cli_text(args, "csv"), &failure);
  if (saved) cli_complain("study", &failure);
  cli_study_report report = {.result = rattle_study_result_of(made),
                             .model_path = args->operand[1],
                             .record_path = saved ? NULL : output};
  if (cli_flag(args, "json"))
    cli_study_json(&report, stdout);
  else if (!cli_flag(args, "quiet"))
    cli_study_text(&report, stdout);
  if (!status) status = saved;
  return status ? status : judge(report.result, error);
}

static int study(const cli_args *args) {
  cli_session session = {0};
  wanted w = {.kind = RATTLE_STUDY_ORDER};
  rattle_study *made = NULL;
  rattle_error error = {0};
  cli_place place = {.fd = -1};
  int shown = 0;
  w.how.self = &shown;
  if (!cli_flag(args, "quiet") && isatty(STDERR_FILENO)) w.how.progress = show_progress;
  rattle_status status = prepare(&session, &w, args, &error);
  if (!status) w.how.interrupt = cli_catch_signals();
  if (!status && cli_flag(args, "output"))
    status = cli_take_place(&place, cli_text(args, "output"), cli_flag(args, "force"), &error);
  if (!status) status = rattle_study_create(&made, session.problem, w.kind, &w.how, &error);
  if (shown) fputs("\r\033[K", stderr);
  if (made)
    status = put_out(made, &place, args, status, &error);
  else
    cli_end_badly(args, &error, cli_flag(args, "json"));
  cli_leave_place(&place);
  rattle_study_destroy(&made);
  drop_words(&w.methods);
  drop_words(&w.spectrum);
  cli_along_drop(&w.along);
  cli_steady_drop(&w.steady);
  cli_session_end(&session);
  return rattle_status_exit(status);
}

int cli_study_info(const cli_args *args, rattle_error *error) {
  rattle_study *read = NULL;
  rattle_error why = {0};
  if (rattle_study_load(&read, args->operand[0], &why)) {
    const int may_be_a_study = strstr(error->message, "not a record of rattle") &&
                               !strstr(why.message, "not a study of rattle");
    if (may_be_a_study) *error = why;
    return 0;
  }
  const rattle_study_result *r = rattle_study_result_of(read);
  cli_study_report report = {
      .result = r, .model_path = r->model_file, .record_path = args->operand[0]};
  if (cli_flag(args, "json"))
    cli_study_json(&report, stdout);
  else
    cli_study_text(&report, stdout);
  rattle_study_destroy(&read);
  *error = (rattle_error){0};
  return 1;
}

const cli_command cli_study = {
    "study",
    "order|drift|work|compare|advise|lyapunov|orbit|family|equilibrium|modes MODEL.lua",
    "Measures methods on a model: order, drift, cost, comparison, which one to use; how nearby "
    "starts separate; periodic orbits.",
    2,
    2,
    "  order    errors with decreasing steps; the measured order with its uncertainty, and the "
    "claimed order\n"
    "  drift    a long run with one step: growth of the errors of energy, constraints and "
    "solution, and frequencies\n"
    "  work     errors against evaluations and time with decreasing steps, and the cheapest method "
    "for each error\n"
    "  compare  formulations and methods with the same step: errors, defects, claims, cost\n"
    "  advise   the cheapest method and step that reach an error (--error), by measurement, and "
    "how reliable that is\n"
    "  lyapunov  Lyapunov exponents of the motion, MEGNO and SALI, from the derivatives of the "
    "steps\n"
    "  orbit    the periodic orbit near the start, its period, Floquet multipliers and stability\n"
    "  family   the family of that orbit, to an energy, a period or a parameter (--along, --to), "
    "and its bifurcations\n"
    "  equilibrium  where the mechanism rests: from the start down the potential; forces of "
    "constraints, and whether it is stable;\n"
    "           along a parameter (--along), its family, with folds and branches\n"
    "  modes    frequencies, decay and shapes of small motions about that equilibrium; along a "
    "parameter, a Campbell diagram\n"
    "\n"
    "Errors are relative to a reference solution computed by the study; errors below that of the "
    "reference are not used.\n"
    "Exit status: 0 the study is complete (see the verdicts), 1 it failed, 2 wrong usage or model, "
    "130 interrupted.\n",
    options,
    study};
