/* The method table: rows made from methods.def, what their files define, and finding names and values in them. The tables of
 * definitions are the one place in the library that reaches up to the folders of the rows. */
#include "method/parameters.h"
#include "method/row.h"

#include <string.h>

#include "support/nearest.h"

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

enum { COUNT = sizeof rows / sizeof *rows };

/* What the file of each row defines. */
#define DECLARE_BASE(name) extern const rattle__base rattle__##name;
#define DECLARE_CONSTRAINED DECLARE_BASE
#define DECLARE_WRAPPER(name) extern const rattle__wrapper rattle__wrapper_##name;
#define DECLARE_COMPOSITION(name) extern const rattle__composition rattle__composition_##name;
#define DECLARE_FIELD(name) extern const rattle__field_row rattle__field_##name;
#define DECLARE_SOLVER(name) extern const rattle__solver rattle__solver_##name;
#define METHOD(name, kind, ...) DECLARE_##kind(name)
#include "methods.def"
#undef METHOD

#define DEFINED_BASE(name) .base = &rattle__##name
#define DEFINED_CONSTRAINED DEFINED_BASE
#define DEFINED_WRAPPER(name) .wrapper = &rattle__wrapper_##name
#define DEFINED_COMPOSITION(name) .composition = &rattle__composition_##name
#define DEFINED_FIELD(name) .field = &rattle__field_##name
#define DEFINED_SOLVER(name) .solver = &rattle__solver_##name

static const struct {
  rattle__method_kind kind;
  const rattle__base *base;
  const rattle__wrapper *wrapper;
  const rattle__composition *composition;
  const rattle__field_row *field;
  const rattle__solver *solver;
} defined[] = {
#define METHOD(name, kind_, ...) {.kind = RATTLE__##kind_, DEFINED_##kind_(name)},
#include "methods.def"
#undef METHOD
};

int rattle_method_rows(const rattle_method_row **table) {
  *table = rows;
  return COUNT;
}

rattle__method_kind rattle__method_kind_of(const rattle_method_row *row) {
  return defined[row - rows].kind;
}

const rattle__base *rattle__base_of(const rattle_method_row *row) {
  return defined[row - rows].base;
}

const rattle__wrapper *rattle__wrapper_of(const rattle_method_row *row) {
  return defined[row - rows].wrapper;
}

const rattle__composition *rattle__composition_of(const rattle_method_row *row) {
  return defined[row - rows].composition;
}

const rattle__field_row *rattle__field_of(const rattle_method_row *row) {
  return defined[row - rows].field;
}

const rattle__solver *rattle__solver_of(const rattle_method_row *row) {
  return defined[row - rows].solver;
}

const rattle_method_row *rattle__method_find(const char *name, size_t length) {
  for (int i = 0; i < COUNT; i++)
    if (strlen(rows[i].name) == length && !memcmp(rows[i].name, name, length)) return &rows[i];
  return NULL;
}

/* Whether a name of that row can stand where one of `kind` is expected: fields, solvers and maps of all kinds. */
static int fits(int i, rattle__method_kind kind) {
  const rattle__method_kind own = defined[i].kind;
  const int apart = kind == RATTLE__SOLVER || kind == RATTLE__FIELD;
  return apart ? own == kind : own != RATTLE__SOLVER && own != RATTLE__FIELD;
}

/* Spelling errors first, then beginnings of four characters or more. */
const char *rattle__method_nearest(const char *name, rattle__method_kind kind) {
  rattle__nearest nearest = {name, NULL, 0};
  for (int i = 0; i < COUNT; i++)
    if (fits(i, kind)) rattle__nearest_try(&nearest, rows[i].name);
  for (int i = 0; !nearest.best && strlen(name) >= 4 && i < COUNT; i++)
    if (fits(i, kind) && !strncmp(rows[i].name, name, strlen(name))) nearest.best = rows[i].name;
  return nearest.best;
}
