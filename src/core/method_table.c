/* The method table: rows made from methods.def, and finding names in it. */
#include "core/method.h"

#include <string.h>

#include "core/nearest.h"

/* What the rows take: the text that users see and the parameters that the parser reads, from one place. */
#define TEXT_OF(number) #number
#define NONE .parameters = ""
#define A_FIELD                                                                                                                  \
  { "field", RATTLE_TAKES_FIELD, 0, NULL, "hamiltonian", 0, 0 }
#define FIELD_ONLY .parameters = "field", .parameter = {A_FIELD}
#define TOL .parameters = "tol=", .parameter = {{"tol", RATTLE_TAKES_NUMBER, 1, NULL, "", 1e-16, 0.1}}
#define FIELD_TOL .parameters = "field, tol=", .parameter = {A_FIELD, {"tol", RATTLE_TAKES_NUMBER, 1, NULL, "", 1e-16, 0.1}}
#define RATE .parameters = "rate", .parameter = {{"rate", RATTLE_TAKES_NUMBER, 0, NULL, NULL, 0, 1e9}}
#define FORM .parameters = "a|b, field", .parameter = {{"form", RATTLE_TAKES_WORD, 0, "a|b", "a", 0, 0}, A_FIELD}
#define STAGES(low, high)                                                                                                        \
  .parameters = "s = " TEXT_OF(low) ".." TEXT_OF(high), .parameter = {{"s", RATTLE_TAKES_INTEGER, 0, NULL, NULL, low, high}}
#define GIVEN_NAME .parameters = "name", .parameter = {{"name", RATTLE_TAKES_NAME, 0, NULL, NULL, 0, 0}}
#define GIVEN_NAME_FIELD .parameters = "name, field", .parameter = {{"name", RATTLE_TAKES_NAME, 0, NULL, NULL, 0, 0}, A_FIELD}
#define NUMBER_FIELD(name, low, high)                                                                                            \
  .parameters = name " = " TEXT_OF(low) ".." TEXT_OF(high) ", field",                                                            \
  .parameter = {{name, RATTLE_TAKES_INTEGER, 0, NULL, NULL, low, high}, A_FIELD}
#define STAGES_FIELD(low, high) NUMBER_FIELD("s", low, high)
#define ORDER_FIELD(low, high) NUMBER_FIELD("p", low, high)
#define PAST_FIELD(low, high) NUMBER_FIELD("k", low, high)
#define A_MAP                                                                                                                    \
  { "map", RATTLE_TAKES_MAP, 0, NULL, NULL, 0, 0 }
#define A_SOLVER                                                                                                                 \
  {"solver", RATTLE_TAKES_SOLVER, 1, NULL, "auto", 0, 0}, {                                                                      \
    "tol", RATTLE_TAKES_NUMBER, 1, NULL, "", 1e-16, 0.1                                                                          \
  }
#define A_PROJECTION                                                                                                             \
  { "project", RATTLE_TAKES_WORD, 1, "step|output", "step", 0, 0 }
#define MAP .parameters = "map", .parameter = {A_MAP}
#define MAP_ORDER(low, high)                                                                                                     \
  .parameters = "map, order = " TEXT_OF(low) ".." TEXT_OF(high),                                                                 \
  .parameter = {A_MAP, {"order", RATTLE_TAKES_INTEGER, 0, NULL, NULL, low, high}}
#define SOLVER_ONLY .parameters = "solver=, tol=", .parameter = {A_SOLVER}
#define MAP_SOLVER .parameters = "map, solver=, tol=", .parameter = {A_MAP, A_SOLVER}
#define MAP_ONTO                                                                                                                 \
  .parameters = "map, position|momentum|both|symmetric, project=step|output, tol=, every=",                                      \
  .parameter = {A_MAP,                                                                                                           \
                {"onto", RATTLE_TAKES_WORD, 0, "position|momentum|both|symmetric", "both", 0, 0},                                \
                A_PROJECTION,                                                                                                    \
                {"tol", RATTLE_TAKES_NUMBER, 1, NULL, "0", 0, 1e6},                                                              \
                {"every", RATTLE_TAKES_INTEGER, 1, NULL, "1", 1, 1e9}}
#define MAP_DENSITY .parameters = "map, density", .parameter = {A_MAP, {"density", RATTLE_TAKES_NAME, 0, NULL, "", 0, 0}}
#define MAP_PROJECT_SOLVER .parameters = "map, project=step|output, solver=, tol=", .parameter = {A_MAP, A_PROJECTION, A_SOLVER}

#define LIST(...) __VA_ARGS__
#define KIND_FIELD "field"
#define KIND_BASE "base map"
#define KIND_CONSTRAINED "constrained map"
#define KIND_WRAPPER "wrapper"
#define KIND_COMPOSITION "composition"
#define KIND_SOLVER "solver"

static const rattle_method_row rows[] = {
#define METHOD(name_, kind_, parameters_, claims_, needs_, citation_, ...)                                                       \
  {.name = #name_,                                                                                                               \
   .kind = KIND_##kind_,                                                                                                         \
   parameters_,                                                                                                                  \
   .claims = {LIST claims_},                                                                                                     \
   .needs = needs_,                                                                                                              \
   .citation = citation_,                                                                                                        \
   __VA_ARGS__},
#include "methods.def"
#undef METHOD
};

static const rattle__method_kind kinds[] = {
#define METHOD(name, kind, ...) RATTLE__##kind,
#include "methods.def"
#undef METHOD
};

int rattle_method_rows(const rattle_method_row **table) {
  *table = rows;
  return RATTLE__METHOD_COUNT;
}

const rattle_method_row *rattle__method_row(rattle__method_id id) {
  return &rows[id];
}

const char *rattle__method_name(rattle__method_id id) {
  return rows[id].name;
}

rattle__method_kind rattle__method_kind_of(rattle__method_id id) {
  return kinds[id];
}

rattle__method_id rattle__method_find(const char *name, size_t length) {
  for (int i = 0; i < RATTLE__METHOD_COUNT; i++)
    if (strlen(rows[i].name) == length && !memcmp(rows[i].name, name, length)) return (rattle__method_id)i;
  return RATTLE__METHOD_COUNT;
}

/* Whether a name of that row can stand where one of `kind` is expected: fields, solvers and maps of all kinds. */
static int fits(int i, rattle__method_kind kind) {
  const int apart = kind == RATTLE__SOLVER || kind == RATTLE__FIELD;
  return apart ? kinds[i] == kind : kinds[i] != RATTLE__SOLVER && kinds[i] != RATTLE__FIELD;
}

/* Spelling errors first, then beginnings of four characters or more. */
const char *rattle__method_nearest(const char *name, rattle__method_kind kind) {
  rattle__nearest nearest = {name, NULL, 0};
  for (int i = 0; i < RATTLE__METHOD_COUNT; i++)
    if (fits(i, kind)) rattle__nearest_try(&nearest, rows[i].name);
  for (int i = 0; !nearest.best && strlen(name) >= 4 && i < RATTLE__METHOD_COUNT; i++)
    if (fits(i, kind) && !strncmp(rows[i].name, name, strlen(name))) nearest.best = rows[i].name;
  return nearest.best;
}
