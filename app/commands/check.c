/* rattle check: the problem doctor's diagnosis, as text or as one JSON object. */
#include <math.h>
#include <string.h>

#include "base/cli.h"

static const cli_option options[] = {
    CLI_PARAM_OPTION,
    CLI_START_OPTIONS,
    {"project", 0, NULL, "runs are to project a start that violates the constraints onto them"},
    {"samples", 0, "N", "number of random points on the constraint manifold, 1 to 31 (8)"},
    {"seed", 0, "N", "seed of the random points (0)"},
    {"quick", 0, NULL, "no trial run; the step follows from the fastest frequency alone"},
    {"all", 0, NULL, "list all valid methods, not ten alone"},
    CLI_JSON_OPTION,
    CLI_PLUGIN_OPTION,
    {NULL, 0, NULL, NULL}};

/* --- JSON ------------------------------------------------------------------------------------- */

/* Numbers that are not known (negative) are null. */
static void json_count(json_writer *json, const char *key, int count) {
  if (count < 0)
    json_text(json, key, NULL);
  else
    json_integer(json, key, count);
}

static void json_dirac(json_writer *json, const rattle_diagnosis *d) {
  if (isfinite(d->dof) && d->dof == floor(d->dof))
    json_integer(json, "dof", (long long)d->dof);
  else
    json_real(json, "dof", d->dof);
  json_text(json, "class", d->class_);
  json_count(json, "index", d->index);
  json_open(json, "generations", '[');
  for (int i = 0; i < d->generations; i++) {
    json_open(json, NULL, '{');
    json_integer(json, "level", i);
    json_texts(json, "constraints", d->generation[i].name, d->generation[i].count);
    json_texts(json, "expressions", d->generation[i].expression, d->generation[i].count);
    json_close(json, '}');
  }
  json_close(json, ']');
  json_texts(json, "redundant", d->redundant, d->redundants);
  json_texts(json, "redundant_because", d->redundant_sentence, d->redundants);
  json_count(json, "first_class_count", d->first_class_count);
  json_count(json, "second_class_count", d->second_class_count);
  json_open(json, "brackets", '{');
  json_text(json, "commute",
            d->commuting == 2 ? "identically"
            : d->commuting    ? "on the manifold"
                              : "no");
  json_texts(json, "pair", d->pair, d->pair[0] ? 2 : 0);
  json_text(json, "bracket", d->pair_expression);
  json_real(json, "value", d->pair[0] ? d->pair_value : (double)NAN);
  json_close(json, '}');
}

static void json_numbers(json_writer *json, const rattle_diagnosis *of) {
  JSON_OBJECT("nondegeneracy", RATTLE_DIAGNOSIS_NONDEGENERACY);
  JSON_OBJECT("points", RATTLE_DIAGNOSIS_POINTS);
  JSON_OBJECT("start", RATTLE_DIAGNOSIS_START);
}

static void json_advice(json_writer *json, const rattle_diagnosis *of) {
  json_text(json, "fibre", of->fibre);
  json_texts(json, "valid_methods", of->valid_method, of->valid_methods);
  JSON_OBJECT("advice", RATTLE_DIAGNOSIS_ADVICE);
  json_open(json, "refusals", '[');
  for (int i = 0; i < of->refusals; i++) {
    json_open(json, NULL, '{');
    json_text(json, "method", of->refusal[i].method);
    json_text(json, "reason", of->refusal[i].reason);
    json_close(json, '}');
  }
  json_close(json, ']');
  json_texts(json, "conserved", of->symmetry, of->symmetries);
  json_text(json, "refused", of->refused);
  json_text(json, "note", of->note);
}

/* Tableaus and splittings. */
static void json_coefficients(json_writer *json, const rattle_model *model) {
  rattle_coefficients c;
  const rattle_coefficients *of = &c;
  json_open(json, "coefficients", '[');
  for (int i = 0; i < rattle_model_coefficients(model, i, &c); i++) {
    json_open(json, NULL, '{');
    RATTLE_COEFFICIENTS_FIELDS(JSON_FIELD)
    json_text(json, "fails", c.fails[0] ? c.fails : NULL);
    json_close(json, '}');
  }
  json_close(json, ']');
}

static void print_json(const rattle_diagnosis *d, const rattle_model *model, const char *path) {
  json_writer json = {.out = stdout, .indent = 2};
  json_open(&json, NULL, '{');
  json_text(&json, "title", d->title);
  json_text(&json, "model", path);
  json_text(&json, "kind", d->kind);
  json_integer(&json, "n", d->n);
  json_integer(&json, "m", d->m);
  if (d->velocity_constraints) json_integer(&json, "velocity_constraints", d->velocity_constraints);
  json_dirac(&json, d);
  json_numbers(&json, d);
  json_advice(&json, d);
  json_coefficients(&json, model);
  json_text(&json, "version", rattle_version());
  cli_json_status(&json, RATTLE_OK, NULL);
  json_close(&json, '}');
}

/* --- text ------------------------------------------------------------------------------------- */

enum { LEFT = 16, RIGHT = 100 };

/* "  label         words ...", broken at spaces. */
static void print_line(const char *label, const char *text) {
  int at = cli_print(stdout, "  %-*s", LEFT - 2, label), first = 1;
  while (*text) {
    int length = (int)strcspn(text, " ");
    if (!first && at + 1 + length > RIGHT) {
      cli_print(stdout, "\n%*s", LEFT, "");
      at = LEFT;
    } else if (!first) {
      putchar(' ');
      at++;
    }
    cli_print(stdout, "%.*s", length, text);
    at += length;
    first = 0;
    text += length;
    text += strspn(text, " ");
  }
  putchar('\n');
}

static void print_generation(const rattle_diagnosis *d, int level) {
  enum { MOST = 6 };
  const rattle_generation *g = &d->generation[level];
  char label[32];
  snprintf(label, sizeof label, level ? "hidden %d" : "constraints", level);
  for (int i = 0; i < g->count; i++) {
    char line[600];
    if (i == MOST) {
      snprintf(line, sizeof line, "... (%d in total)", g->count);
      print_line("", line);
      return;
    }
    if (g->expression[i][0])
      snprintf(line, sizeof line, "%s: %s = 0", g->name[i], g->expression[i]);
    else
      snprintf(line, sizeof line, "%s", g->name[i]);
    print_line(i ? "" : label, line);
  }
}

/* "a, b, c" in one paragraph. */
static void print_list(const char *label, const char *const *text, int count) {
  char line[4096];
  size_t used = 0;
  line[0] = 0;
  for (int i = 0; i < count && used < sizeof line; i++)
    used += (size_t)snprintf(line + used, sizeof line - used, "%s%s", i ? ", " : "", text[i]);
  if (count > 0) print_line(label, line);
}

/* The meaning of a word of the JSON object, for readers of the text. */
static const char *explained(const char *word) {
  static const char *const table[][2] = {
      {"coisotropic", "coisotropic: {g_i,g_j} = 0 wherever g = 0"},
      {"first_class", "first class: some multipliers are not determined"},
      {"second_class", "second class: the matrix {g_i,g_j} is invertible"},
      {"mixed", "mixed: the matrix {g_i,g_j} is singular, but not 0"},
      {"nonholonomic",
       "nonholonomic: constraints on velocities, with reactions along their factors"},
      {"kick", "kick: multipliers act as impulses on p"},
      {"shift", "shift: multipliers displace q"},
      {"straight", "straight: multipliers displace q and p along straight lines"},
      {"linear", "linear: multipliers act by a linear flow of (q, p)"},
      {"user", "user: the flow that the model gives"},
      {"numerical", "numerical: flows of the constraints are integrated to round-off"},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (!strcmp(word, table[i][0])) return table[i][1];
  return word;
}

static void print_class(const rattle_diagnosis *d) {
  char line[600], dof[100] = "degrees of freedom not known", index[48] = "index not defined",
                  rows[60] = "";
  if (d->velocity_constraints) {
    snprintf(rows, sizeof rows, ", %d constraint%s on velocities", d->velocity_constraints,
             d->velocity_constraints == 1 ? "" : "s");
    if (isfinite(d->dof))
      snprintf(dof, sizeof dof, "degrees of freedom: %g in position, %g in velocity", d->dof,
               d->dof - d->velocity_constraints);
  }
  if (isfinite(d->dof) && !d->velocity_constraints)
    snprintf(dof, sizeof dof, "%g degree%s of freedom", d->dof, d->dof == 1 ? "" : "s");
  if (d->index >= 0) snprintf(index, sizeof index, "differentiation index %d", d->index);
  snprintf(line, sizeof line, "%s; %d coordinate%s, %d constraint%s%s", d->kind, d->n,
           d->n == 1 ? "" : "s", d->m, d->m == 1 ? "" : "s", rows);
  print_line("problem", line);
  snprintf(line, sizeof line, "%s; %s; %s", explained(d->class_), index, dof);
  print_line("class", line);
  for (int i = 0; i < d->generations; i++) print_generation(d, i);
  if (d->first_class_count >= 0 && d->m) {
    snprintf(line, sizeof line, "%d first class, %d second class; {g_i,g_j} = 0 %s",
             d->first_class_count, d->second_class_count,
             d->commuting == 2 ? "identically"
             : d->commuting    ? "on the manifold"
                               : "does not hold");
    print_line("counts", line);
  }
  if (d->pair[0]) {
    snprintf(line, sizeof line, "{%s,%s}%s%s is %.6g at a point of the manifold", d->pair[0],
             d->pair[1], d->pair_expression[0] ? " = " : "", d->pair_expression, d->pair_value);
    print_line("bracket", line);
  }
  for (int i = 0; i < d->redundants; i++)
    print_line(i ? "" : "redundant", d->redundant_sentence[i]);
}

/* Methods that are refused for the same reason in one line. */
static void print_refusals(const rattle_diagnosis *d, char *line, size_t size) {
  const char *label = "refused";
  for (int i = 0; i < d->refusals; i++) {
    size_t used = 0;
    int printed = 0;
    for (int j = 0; j < i; j++) printed |= !strcmp(d->refusal[j].reason, d->refusal[i].reason);
    if (printed) continue;
    for (int j = i; j < d->refusals && used < size; j++)
      if (!strcmp(d->refusal[j].reason, d->refusal[i].reason))
        used += (size_t)snprintf(line + used, size - used, "%s%s", used ? ", " : "",
                                 d->refusal[j].method);
    if (used < size) snprintf(line + used, size - used, ": %s", d->refusal[i].reason);
    print_line(label, line);
    label = "";
  }
}

static void print_numbers(const rattle_diagnosis *d, int projects) {
  char line[600];
  if (isfinite(d->min_singular_value)) {
    int used = snprintf(line, sizeof line,
                        "N = %s: smallest singular value %.4g, condition number %.3g at the start",
                        d->velocity_constraints ? "C H_pp C^T, C = [g_q; A]" : "{{H,g_i},g_j}",
                        d->min_singular_value, d->condition);
    if (isfinite(d->worst_singular_value))
      snprintf(line + used, sizeof line - (size_t)used, "; worst of %d points %.4g, %.3g",
               d->points, d->worst_singular_value, d->worst_condition);
    print_line("nondegeneracy", line);
  }
  if (d->m || d->velocity_constraints) {
    const int used = snprintf(line, sizeof line, "|g| = %.2e (%s)", d->residual_constraints,
                              d->on_constraints ? "on the constraints"
                              : projects        ? "violates the constraints: a run projects it"
                                                : "violates the constraints: pass --project");
    if (isfinite(d->residual_hidden))
      snprintf(line + used, sizeof line - (size_t)used, ", |psi| = |{g,H}| = %.2e (%s)",
               d->residual_hidden,
               d->on_hidden ? "on the hidden constraints" : "violates the hidden constraints");
    print_line("start", line);
  }
  if (d->fibre) print_line("fibre", explained(d->fibre));
  print_list("conserved", d->symmetry, d->symmetries);
}

static void print_coefficients(const rattle_model *model) {
  rattle_coefficients c;
  for (int i = 0; i < rattle_model_coefficients(model, i, &c); i++) {
    char line[700], separable[80] = "";
    if (c.separable_order != c.order || c.separable_symplectic != c.symplectic)
      snprintf(separable, sizeof separable, " (order %d%s if H = T(p) + V(q))", c.separable_order,
               c.separable_symplectic ? ", symplectic" : "");
    snprintf(line, sizeof line,
             "%s: %s%s with %d stage%s, order %d%s%s%s%s; first failing condition of order %d: %s",
             c.name, c.partitioned && *c.kind == 't' ? "partitioned " : "", c.kind, c.stages,
             c.stages == 1 ? "" : "s", c.order, c.symmetric ? ", symmetric" : "",
             c.symplectic ? ", symplectic" : "", c.explicit_ ? ", explicit" : "", separable,
             c.order + 1, c.fails[0] ? c.fails : "none known");
    print_line(i ? "" : "coefficients", line);
  }
}

/* The first ten unless all are wanted. */
static void print_valid(const rattle_diagnosis *d, int all) {
  enum { SHOWN = 10 };
  char more[80];
  const char *text[SHOWN + 1];
  if (all || d->valid_methods <= SHOWN + 1) {
    print_list("valid", d->valid_method, d->valid_methods);
    return;
  }
  for (int i = 0; i < SHOWN; i++) text[i] = d->valid_method[i];
  snprintf(more, sizeof more, "and %d more (--all lists them)", d->valid_methods - SHOWN);
  text[SHOWN] = more;
  print_list("valid", text, SHOWN + 1);
}

static void print_advice(const rattle_diagnosis *d, int all) {
  char line[1400];
  if (d->refused) print_line("REFUSED", d->refused);
  if (d->advice_method) {
    snprintf(line, sizeof line, "%s, step %g: %s", d->advice_method, d->advice_step, d->advice_why);
    print_line("advice", line);
  }
  if (isfinite(d->cost_nanoseconds)) {
    snprintf(
        line, sizeof line,
        "%.3g gradients and %.3g Newton iterations per step; %.3g us on this machine, interpreted",
        d->cost_gradients, d->cost_newton_iterations, d->cost_nanoseconds / 1000);
    print_line("cost", line);
  }
  print_valid(d, all);
  if (!d->refused) print_refusals(d, line, sizeof line);
  if (d->note[0]) print_line("note", d->note);
}

static int check(const cli_args *args) {
  rattle_model *model = NULL;
  rattle_doctor *doctor = NULL;
  rattle_error error = {0};
  const int json = cli_flag(args, "json"), projects = cli_flag(args, "project");
  long long samples = 8, seed = 0;
  rattle_model_options model_options = {.struct_size = sizeof model_options,
                                        .parameters = args->parameter,
                                        .parameter_count = args->parameters};
  rattle_status status = cli_integer(args, "samples", &samples, &error);
  if (!status) status = cli_integer(args, "seed", &seed, &error);
  if (!status && (samples < 1 || samples > 31))
    status = text_fail(&error, RATTLE_BAD_ARGUMENT, "--samples %lld: expected 1 to 31", samples);
  if (!status) status = cli_check_input(args->operand[0], &error);
  if (!status) status = rattle_model_load(&model, args->operand[0], &model_options, &error);
  if (!status) status = cli_start(&model, args, &model_options, &error);
  if (!status) {
    rattle_doctor_options how = {.struct_size = sizeof how,
                                 .seed = (uint64_t)seed,
                                 .samples = (int)samples,
                                 .no_trial = cli_flag(args, "quick"),
                                 .project = projects};
    status = rattle_doctor_create(&doctor, model, NULL, &how, &error);
  }
  int exit_status = CLI_DONE;
  if (status) {
    exit_status = cli_end_badly(args, &error, json);
  } else if (json) {
    print_json(rattle_doctor_diagnosis(doctor), model, args->operand[0]);
  } else {
    const rattle_diagnosis *d = rattle_doctor_diagnosis(doctor);
    cli_print_title(stdout, d->title[0] ? d->title : args->operand[0], args->operand[0]);
    print_class(d);
    print_numbers(d, projects || rattle_model_wishes(model)->project);
    print_coefficients(model);
    print_advice(d, cli_flag(args, "all"));
  }
  rattle_doctor_destroy(&doctor);
  rattle_model_destroy(&model);
  return exit_status;
}

const cli_command cli_check = {
    "check",
    "MODEL.lua",
    "Analyses a model: class, hidden constraints, suitable methods, recommended step.",
    1,
    1,
    "Dirac's algorithm determines hidden constraints, index and degrees of freedom, and names "
    "constraints that are redundant,\n"
    "contradictory or do not commute. Every method is tried; one is recommended, with a step and "
    "its cost.\n"
    "Exit status: 0 the analysis is complete (see `REFUSED`), 2 wrong usage or model.\n",
    options,
    check};
