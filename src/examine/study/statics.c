/* The equilibrium near the start, and the small motions about it: rattle/equilibrium.h as a
 * study. */
#include "rattle/equilibrium.h"

#include <math.h>
#include <string.h>

#include "examine/study/study.h"
#include "ground/support/error.h"
#include "problem/functions/problem.h"

static const double pi = 3.14159265358979323846;

static const char **names_of(rattle_study *study, int count,
                             const char *(*name)(rattle_study *study, int i)) {
  const char **names = rattle__arena_take(&study->arena, ((size_t)count + 1) * sizeof *names);
  for (int i = 0; i < count && names; i++) names[i] = name(study, i);
  return names;
}

static const char *coordinate(rattle_study *study, int i) {
  return rattle__study_text(study, "%s", rattle__channel_name(study, i));
}

static const char *momentum(rattle_study *study, int i) {
  return coordinate(study, study->n + i);
}

static int any(const double *x, int count) {
  while (count-- > 0)
    if (x[count] != 0) return 1;
  return 0;
}

/* Those of the problem, then the omitted ones. */
static const char *constraint(rattle_study *study, int i) {
  const char *name = i < study->m
                         ? rattle_problem_constraint_name(study->problem, i)
                         : rattle_model_omitted(rattle_problem_model(study->problem), i - study->m);
  return rattle__study_text(study, "%s", name);
}

/* --- what was found --------------------------------------------------------------------------- */

/* Speeds of a steady motion, as "steady:NAME". */
static void add_speeds(rattle_study *study, rattle_study_figure *figure) {
  for (int i = 0; i < study->options.steadies; i++)
    *figure++ =
        (rattle_study_figure){rattle__study_text(study, "steady:%s", study->options.steady[i].name),
                              study->options.steady[i].value};
}

static void tell_figures(rattle_study *study, const rattle_equilibrium_result *r) {
  const int steadies = study->options.steadies;
  const rattle_study_figure figures[] = {
      {"energy", r->energy},         {"degrees", r->degrees},
      {"softest", r->softest},       {"residual", r->residual},
      {"iterations", r->iterations}, {"nearest", study->options.nearest}};
  enum { OWN = sizeof figures / sizeof *figures };
  rattle_study_figure *figure =
      rattle__arena_take(&study->arena, (OWN + (size_t)steadies) * sizeof *figure);
  if (!figure) return;
  memcpy(figure, figures, sizeof figures);
  add_speeds(study, figure + OWN);
  study->r.figure = figure, study->r.figures = OWN + steadies;
}

static rattle_study_table row_of(rattle_study *study, const char *name, int columns,
                                 const char *const *column, const double *from) {
  double *value;
  const rattle_study_table table = rattle__study_table(study, name, 1, columns, column, &value);
  if (value) memcpy(value, from, (size_t)columns * sizeof *value);
  return table;
}

/* frequency: radians in a unit of time; cycles in it; the rate at which the motion decays, negative
 * where it grows; and that over |mu| */
static rattle_study_table modes_of(rattle_study *study, const rattle_equilibrium_result *r) {
  static const char *const column[] = {"frequency", "cycles", "decay", "ratio"};
  double *value;
  const rattle_study_table table = rattle__study_table(study, "modes", r->modes, 4, column, &value);
  for (int i = 0; i < r->modes && value; i++, value += 4) {
    const double size = hypot(r->real[i], r->imaginary[i]);
    value[0] = r->imaginary[i], value[1] = r->imaginary[i] / (2 * pi);
    value[2] = 0 - r->real[i], value[3] = size > 0 ? value[2] / size : 0;
  }
  return table;
}

static rattle_study_table shapes_of(rattle_study *study, const char *name,
                                    const rattle_equilibrium_result *r, const char *const *column,
                                    const double *shape) {
  double *value;
  const rattle_study_table table = rattle__study_table(study, name, r->modes, r->n, column, &value);
  if (value) memcpy(value, shape, (size_t)r->modes * (size_t)r->n * sizeof *value);
  return table;
}

/* True if the model begins with velocities: a spin, which is not kept. */
static int begins_in_motion(rattle_study *study) {
  rattle_error error;
  const rattle__function *H = study->problem->H;
  const int n = study->n;
  double *z = rattle__arena_take(&study->arena, (4 * (size_t)n + H->work + 1) * sizeof *z);
  if (!z || rattle_problem_start(study->problem, 0, z, z + n, NULL, &error) ||
      H->jacobian(H, z, NULL, z + 2 * n, z + 4 * n))
    return 0;
  for (int k = 0; k < n; k++)
    if (z[n + k] != 0 && z[3 * n + k] != 0 && k != study->problem->clock - 1) return 1;
  return 0;
}

static void tell(rattle_study *study, const rattle_equilibrium_result *r, int modes) {
  static const char *const verdicts[] = {"undecided", "unstable", "stable", "gyroscopic"};
  static const char *const sentences[] = {
      ("to round-off some direction has no stiffness, or a motion neither grows nor decays: linear "
       "terms do not decide"),
      "a small motion grows; start beside it to go on down the potential",
      "all small motions stay small",
      ("all motions of the linear equations stay small, by gyroscopic terms alone: the energy has "
       "no "
       "minimum there, and friction in this frame may let them grow")};
  rattle_study_table *table = rattle__arena_take(&study->arena, 6 * sizeof *table);
  const char **q = names_of(study, r->n, coordinate),
             **g = names_of(study, r->m + r->omitted, constraint);
  int tables = 0;
  if (!table || !q || !g) return;
  tell_figures(study, r);
  table[tables++] = row_of(study, "equilibrium", r->n, q, r->q);
  if (any(r->p, r->n))
    table[tables++] = row_of(study, "momenta", r->n, names_of(study, r->n, momentum), r->p);
  if (r->m) table[tables++] = row_of(study, "multipliers", r->m + r->omitted, g, r->multipliers);
  if (modes) {
    table[tables++] = modes_of(study, r);
    table[tables++] = shapes_of(study, "shapes", r, q, r->shape);
    if (any(r->shape_imaginary, r->modes * r->n))
      table[tables++] = shapes_of(study, "shapes_imaginary", r, q, r->shape_imaginary);
  }
  study->r.table = table, study->r.tables = tables;
  study->r.verdict = verdicts[r->stable + 1], study->r.why = sentences[r->stable + 1];
  if (r->places)
    study->r.why = rattle__study_text(
        study,
        "%s; constraints on velocities leave %d more direction%s in which it can be put to "
        "rest, with the rate 0",
        study->r.why, r->places, r->places > 1 ? "s" : "");
  if (modes && !study->options.steadies && begins_in_motion(study))
    study->r.why = rattle__study_text(study, "%s; at rest: velocities of the start are left out",
                                      study->r.why);
}

/* --- along a parameter ------------------------------------------------------------------------ */

/* family: the parameter, the arclength, what is known of each equilibrium, and its coordinates;
 * family_multipliers; family_modes: frequencies and decay */
enum { LEAD = 7, FAMILY_FIGURES = 4 };

static rattle_study_table family_of(rattle_study *study, const rattle_equilibria *family) {
  const int points = rattle_equilibria_points(family), columns = LEAD + study->n;
  const char *lead[LEAD] = {rattle__study_text(study, "set:%s", study->options.parameter),
                            "arclength",
                            "energy",
                            "stable",
                            "negative",
                            "softest",
                            "event"};
  const char **name = names_of(study, columns, coordinate);
  double *value = NULL;
  if (!name) return (rattle_study_table){.name = "family"};
  memmove(name + LEAD, name, (size_t)study->n * sizeof *name);
  memcpy(name, lead, sizeof lead);
  const rattle_study_table table =
      rattle__study_table(study, "family", points, columns, name, &value);
  for (int i = 0; i < points && value; i++, value += columns) {
    const rattle_equilibria_point p = rattle_equilibria_point_of(family, i);
    const double numbers[LEAD] = {p.parameter, p.arclength, p.energy, p.stable,
                                  p.negative,  p.softest,   p.event};
    memcpy(value, numbers, sizeof numbers);
    memcpy(value + LEAD, p.q, (size_t)study->n * sizeof *value);
  }
  return table;
}

static rattle_study_table family_multipliers(rattle_study *study, const rattle_equilibria *family,
                                             int count) {
  const int points = rattle_equilibria_points(family);
  double *value = NULL;
  const rattle_study_table table = rattle__study_table(study, "family_multipliers", points, count,
                                                       names_of(study, count, constraint), &value);
  for (int i = 0; i < points && value; i++, value += count)
    memcpy(value, rattle_equilibria_point_of(family, i).multipliers, (size_t)count * sizeof *value);
  return table;
}

static int any_momenta(const rattle_equilibria *family, int n) {
  for (int i = 0; i < rattle_equilibria_points(family); i++)
    if (any(rattle_equilibria_point_of(family, i).p, n)) return 1;
  return 0;
}

static rattle_study_table family_momenta(rattle_study *study, const rattle_equilibria *family) {
  const int points = rattle_equilibria_points(family), n = study->n;
  double *value = NULL;
  const rattle_study_table table =
      rattle__study_table(study, "family_momenta", points, n, names_of(study, n, momentum), &value);
  for (int i = 0; i < points && value; i++, value += n)
    memcpy(value, rattle_equilibria_point_of(family, i).p, (size_t)n * sizeof *value);
  return table;
}

static const char *rate(rattle_study *study, int i) {
  return rattle__study_text(study, i % 2 ? "decay_%d" : "frequency_%d", i / 2 + 1);
}

static rattle_study_table family_modes(rattle_study *study, const rattle_equilibria *family) {
  const int points = rattle_equilibria_points(family);
  int most = 0;
  for (int i = 0; i < points; i++)
    most = (int)fmax(most, rattle_equilibria_point_of(family, i).modes);
  double *value = NULL;
  const rattle_study_table table = rattle__study_table(study, "family_modes", points, 2 * most,
                                                       names_of(study, 2 * most, rate), &value);
  for (int i = 0; i < points && value; i++, value += 2 * most) {
    const rattle_equilibria_point p = rattle_equilibria_point_of(family, i);
    for (int k = 0; k < p.modes; k++)
      value[2 * k] = p.imaginary[k], value[2 * k + 1] = 0 - p.real[k];
  }
  return table;
}

static void tell_family(rattle_study *study, const rattle_equilibria *family, int modes) {
  const int points = rattle_equilibria_points(family);
  const int loads = rattle_equilibria_point_of(family, 0).loads;
  rattle_study_table *table = rattle__arena_take(&study->arena, 4 * sizeof *table);
  rattle_study_figure *figure = rattle__arena_take(
      &study->arena, (FAMILY_FIGURES + (size_t)study->options.steadies) * sizeof *figure);
  int events = 0, tables = 0;
  if (!table || !figure) return;
  for (int i = 0; i < points; i++)
    events += rattle_equilibria_point_of(family, i).event > RATTLE_EQUILIBRIA_END;
  figure[0] = (rattle_study_figure){"points", points};
  figure[1] = (rattle_study_figure){"events", events};
  figure[2] = (rattle_study_figure){"nearest", study->options.nearest};
  figure[3] = (rattle_study_figure){"to", study->options.to};
  table[tables++] = family_of(study, family);
  if (any_momenta(family, study->n)) table[tables++] = family_momenta(study, family);
  if (loads) table[tables++] = family_multipliers(study, family, loads);
  if (modes) table[tables++] = family_modes(study, family);
  add_speeds(study, figure + FAMILY_FIGURES);
  study->r.figure = figure, study->r.figures = FAMILY_FIGURES + study->options.steadies;
  study->r.table = table, study->r.tables = tables;
  const char *why = rattle_equilibria_why(family);
  study->r.verdict = why[0] ? "partial" : "complete";
  study->r.why =
      why[0] ? rattle__study_text(study, "%s", why) : "the family reaches the value asked for";
}

static rattle_status make_family(rattle_study *study, const rattle_equilibrium_options *how,
                                 int modes, rattle_error *error) {
  rattle_equilibria *family;
  const rattle_equilibria_options along = {.struct_size = sizeof along,
                                           .first = how,
                                           .parameter = study->options.parameter,
                                           .to = study->options.to,
                                           .points = study->options.points};
  const rattle_status status =
      rattle_equilibria_create(&family, study->problem, study->options.q, &along, error);
  if (!status) tell_family(study, family, modes);
  rattle_equilibria_destroy(&family);
  return status;
}

static rattle_status make(rattle_study *study, int modes, rattle_error *error) {
  rattle_equilibrium *found;
  const rattle_equilibrium_options how = {.struct_size = sizeof how,
                                          .nearest = study->options.nearest,
                                          .modes = study->options.lowest,
                                          .steady = study->options.steady,
                                          .steadies = study->options.steadies,
                                          .interrupt = study->options.interrupt};
  if (study->options.parameter) return make_family(study, &how, modes, error);
  const rattle_status status =
      rattle_equilibrium_create(&found, study->problem, study->options.q, &how, error);
  if (!status) tell(study, rattle_equilibrium_result_of(found), modes);
  rattle_equilibrium_destroy(&found);
  return status;
}

rattle_status rattle__study_equilibrium(rattle_study *study, rattle_error *error) {
  return make(study, 0, error);
}

rattle_status rattle__study_modes(rattle_study *study, rattle_error *error) {
  return make(study, 1, error);
}
