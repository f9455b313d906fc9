/* Which methods stand for a row of the table. */
#include "common_methods.h"

#include "../reference/common_second_class.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FORMS = METHODS_MAX / 3 };

static void unknown(const rattle_method_row *row) {
  fprintf(stderr, "no test knows the row %s of kind %s with the parameters \"%s\"\n", row->name,
          row->kind, row->parameters);
  abort();
}

int methods_problem_count(void) {
  return tests_problem_count + tests_second_class_count;
}

const tests_problem *methods_problem(int i) {
  return i < tests_problem_count ? &tests_problems[i]
                                 : &tests_second_class[i - tests_problem_count];
}

/* The parameter lists with which a map is tried: "a|b" gives (a), (b); "s = 1..8" gives (1) .. (8),
 * a longer range some of it; fields are tried as rows of their own. */
static int forms_of(const rattle_method_row *row, methods_text *forms) {
  const char *parameters = row->parameters, *range = strstr(parameters, "= ");
  int low = 0, high = 0, count = 0;
  if (!*parameters || !strncmp(parameters, "field", 5) || !strncmp(parameters, "tol=", 4)) {
    snprintf(forms[count++], sizeof *forms, "%s", row->name);
    /* with tol= the order is that of steps that are not divided */
    if (strstr(parameters, "tol="))
      snprintf(forms[count++], sizeof *forms, "%s(tol=0.01)", row->name);
  } else if (!strncmp(parameters, "name", 4)) { /* what claims_library_open lets every model give */
    static const char *const names[2][4] = {{"kutta", "radau", "gauss", "pair"},
                                            {"ruth", "forest"}};
    for (int i = 0; i < 4; i++) {
      const char *name = names[!strcmp(row->name, "splitting")][i];
      if (name) snprintf(forms[count++], sizeof *forms, "%s(%s)", row->name, name);
    }
  } else if (!strncmp(parameters, "solver=", 7)) {
    snprintf(forms[count++], sizeof *forms, "%s", row->name);
    snprintf(forms[count++], sizeof *forms, "%s(solver=sweep)", row->name);
  } else if (!strncmp(parameters, "a|b", 3)) {
    snprintf(forms[count++], sizeof *forms, "%s(a)", row->name);
    snprintf(forms[count++], sizeof *forms, "%s(b)", row->name);
  } else if (range && sscanf(range, "= %d..%d", &low, &high) == 2) {
    for (int s = low; s <= high && count<MAX_FORMS; s += high - low> 8 ? 1 + s / 2 : 1)
      snprintf(forms[count++], sizeof *forms, "%s(%d)", row->name, s);
  } else
    unknown(row);
  return count;
}

/* The base maps with which a field is tried: explicit, implicit and partitioned. */
static const char *const field_maps[] = {"rk4(", "midpoint(", "gauss(2, ", "verlet(", "taylor(3, "};

/* The form with the field dirac: name -> name(dirac), name(2) -> name(2, dirac). */
static void with_dirac(const char *form, char *method, size_t size) {
  const size_t length = strlen(form);
  if (form[length - 1] == ')')
    snprintf(method, size, "%.*s, dirac)", (int)length - 1, form);
  else
    snprintf(method, size, "%s(dirac)", form);
}

/* The methods by which projections are tried: of fields, of X_H, at each step and less often. */
static const char *const project_methods[] = {"project(rk4(dirac), momentum)",
                                              "project(rk4(dirac))",
                                              "project(rk4(classical), position)",
                                              "project(explicit_midpoint(baumgarte(2)), both)",
                                              "project(gauss(2, total))",
                                              "project(rk4(impetus), momentum)",
                                              "project(rk4(impetus))",
                                              "project(rk4(dirac), symmetric)",
                                              "project(midpoint(dirac), symmetric)",
                                              "project(midpoint(impetus), symmetric)",
                                              "suzuki4(project(midpoint(classical), symmetric))",
                                              "project(suzuki4(midpoint(dirac)))",
                                              "project(rk4(dirac), both, tol=1e-7)",
                                              "project(rk4(dirac), both, every=3)",
                                              "project(rk4(classical), both, project=output)",
                                              "project(verlet)",
                                              "project(rk4, momentum)",
                                              "project(symplectic_euler, symmetric)",
                                              "project(verlet, symmetric)",
                                              "project(gauss(2), symmetric)",
                                              "kahan_li6(project(midpoint, symmetric))"};

/* The methods of a problem with or without constraints that are not of second class. */
static int first_class(const rattle_method_row *row, int constrained, methods_text *methods) {
  const char *map = constrained ? "rattle(verlet)" : "verlet";
  methods_text forms[MAX_FORMS];
  int count = 0;
  if (!strcmp(row->kind, "field")) {
    const char *rate = *row->parameters ? "(3)" : "";
    if (constrained && strcmp(row->name, "hamiltonian") != 0)
      for (size_t i = 0; i < sizeof field_maps / sizeof *field_maps; i++) {
        /* the motion of the total Hamiltonian off the manifold is unstable with so inaccurate a
         * map */
        if (!strcmp(row->name, "total") && !strcmp(field_maps[i], "midpoint(")) continue;
        snprintf(methods[count++], sizeof *methods, "%s%s%s)", field_maps[i], row->name, rate);
      }
    if (!constrained) snprintf(methods[count++], sizeof *methods, "rk4(%s%s)", row->name, rate);
  } else if (!strcmp(row->kind, "constrained map")) {
    count = forms_of(row, methods);
    if (row->claims.keeps_energy)
      snprintf(methods[count++], sizeof *methods, "suzuki4(%s)", row->name);
  } else if (!strcmp(row->kind, "base map")) {
    const int variants = forms_of(row, forms);
    for (int i = 0; i < variants; i++) {
      if (!constrained) snprintf(methods[count++], sizeof *methods, "%.80s", forms[i]);
      const int one_step = row->claims.pure && !strstr(forms[i], "tol="); /* what a wrapper takes */
      if (constrained && one_step)
        snprintf(methods[count++], sizeof *methods, "rattle(%.80s)", forms[i]);
      if (constrained && (i < 3 || !row->claims.pure) && strstr(row->parameters, "field"))
        with_dirac(forms[i], methods[count++], sizeof *methods);
      if (constrained && one_step && i == 0)
        snprintf(methods[count++], sizeof *methods, "shake(%.80s)", forms[i]);
    }
  } else if (!strcmp(row->kind, "composition")) {
    if (strstr(row->parameters, "order")) {
      for (int order = 4; order <= 8; order += 2)
        snprintf(methods[count++], sizeof *methods, "%s(%s, %d)", row->name, map, order);
    } else
      snprintf(methods[count++], sizeof *methods, "%s(%s)", row->name, map);
  } else if (!strcmp(row->kind, "solver")) {
    if (constrained)
      snprintf(methods[count++], sizeof *methods, "rattle(verlet, solver=%s)", row->name);
  } else if (!strcmp(row->name, "shake")) {
    if (constrained) snprintf(methods[count++], sizeof *methods, "shake(verlet)");
  } else if (!strcmp(row->name, "rattle")) {
    if (constrained) snprintf(methods[count++], sizeof *methods, "rattle(verlet, project=output)");
  } else if (!strcmp(row->name, "project")) {
    for (size_t i = 0; i < sizeof project_methods / sizeof *project_methods && constrained; i++)
      snprintf(methods[count++], sizeof *methods, "%s", project_methods[i]);
  } else if (!strcmp(row->name, "adaptive")) {
    snprintf(methods[count++], sizeof *methods, "adaptive(%s)", map);
    snprintf(methods[count++], sizeof *methods, "adaptive(%s)",
             constrained ? "rattle(midpoint)" : "midpoint");
    snprintf(methods[count++], sizeof *methods, "adaptive(suzuki4(%s))", map);
  } else if (strcmp(row->name, "second_class") != 0)
    unknown(row);
  return count;
}

/* The methods by which second_class is tried on second-class problems, the only ones that it is
 * for. */
static const char *const second_class_methods[] = {
    "second_class(verlet)",           "second_class(verlet(b))",
    "second_class(midpoint)",         "second_class(gauss(2))",
    "second_class(symplectic_euler)", "second_class(midpoint, solver=newton)",
    "suzuki4(second_class(verlet))",  "kahan_li6(second_class(midpoint))"};

/* Other methods for them, by which the row `project` is tried. */
static const char *const second_class_projections[] = {"project(rk4(dirac))",
                                                       "project(rk4(dirac), position, tol=1e-8)",
                                                       "project(midpoint(dirac), symmetric)",
                                                       "project(rk4(dirac), every=4)",
                                                       "project(midpoint)",
                                                       "project(midpoint, symmetric)"};

static int copy(methods_text *methods, const char *const *from, size_t count) {
  for (size_t k = 0; k < count; k++) snprintf(methods[k], sizeof *methods, "%s", from[k]);
  return (int)count;
}

int methods_makes_trajectories(const rattle_method_row *row) {
  return strcmp(row->kind, "sampler") != 0;
}

int methods_of(const rattle_method_row *row, const tests_problem *problem,
               methods_text methods[METHODS_MAX]) {
  if (!methods_makes_trajectories(row)) return 0;
  if (second_class_index(problem) < 0) return first_class(row, problem->m > 0, methods);
  if (!strcmp(row->name, "second_class"))
    return copy(methods, second_class_methods,
                sizeof second_class_methods / sizeof *second_class_methods);
  if (!strcmp(row->name, "project"))
    return copy(methods, second_class_projections,
                sizeof second_class_projections / sizeof *second_class_projections);
  return 0;
}
