/* The method table: rows made from methods.def, what their files define, and finding names and
 * values in them. The tables of definitions are the one place in the library that reaches up to the
 * folders of the rows. Rows of plug-ins (added.h) are no part of the table, but are found by their
 * names as well. */
#include "method/notation/added.h"
#include "method/notation/parameters.h"

#include <stdint.h>
#include <string.h>

#include "ground/support/nearest.h"

#define LIST(...) __VA_ARGS__
#define KIND_FIELD "field"
#define KIND_BASE "base map"
#define KIND_CONSTRAINED "constrained map"
#define KIND_WRAPPER "wrapper"
#define KIND_COMPOSITION "composition"
#define KIND_SOLVER "solver"
#define KIND_SAMPLER "sampler"

static const rattle_method_row rows[] = {
#define METHOD(name_, kind_, parameters_, claims_, needs_, citation_, ...)                         \
  {.name = #name_,                                                                                 \
   .kind = KIND_##kind_,                                                                           \
   parameters_,                                                                                    \
   .claims = {LIST claims_},                                                                       \
   .needs = needs_,                                                                                \
   .citation = citation_,                                                                          \
   __VA_ARGS__},
#include "method/methods.def"
#undef METHOD
};

enum { COUNT = sizeof rows / sizeof *rows };

/* The array of a row has room for one parameter more than it can have, which ends the list. */
#undef TAKES
#undef NONE
#define TAKES(text, ...)                                                                           \
  sizeof((rattle_method_parameter[]){__VA_ARGS__}) / sizeof(rattle_method_parameter)
#define NONE 0
#define METHOD(name, kind, parameters, ...)                                                        \
  _Static_assert((parameters) <= RATTLE_PARAMETERS,                                                \
                 #name " takes more than RATTLE_PARAMETERS parameters");
#include "method/methods.def"
#undef METHOD

/* Declares the constants that the file of each row defines. */
#define DECLARE_BASE(name) extern const rattle__base rattle__##name;
#define DECLARE_CONSTRAINED DECLARE_BASE
#define DECLARE_WRAPPER(name) extern const rattle__wrapper rattle__wrapper_##name;
#define DECLARE_COMPOSITION(name) extern const rattle__composition rattle__composition_##name;
#define DECLARE_FIELD(name) extern const rattle__field_row rattle__field_##name;
#define DECLARE_SOLVER(name) extern const rattle__solver rattle__solver_##name;
#define DECLARE_SAMPLER(name) extern const rattle__sampler rattle__sampler_##name;
#define METHOD(name, kind, ...) DECLARE_##kind(name)
#include "method/methods.def"
#undef METHOD

#define DEFINED_BASE(name) .base = &rattle__##name
#define DEFINED_CONSTRAINED DEFINED_BASE
#define DEFINED_WRAPPER(name) .wrapper = &rattle__wrapper_##name
#define DEFINED_COMPOSITION(name) .composition = &rattle__composition_##name
#define DEFINED_FIELD(name) .field = &rattle__field_##name
#define DEFINED_SOLVER(name) .solver = &rattle__solver_##name
#define DEFINED_SAMPLER(name) .sampler = &rattle__sampler_##name

typedef struct definition {
  rattle__method_kind kind;
  const rattle__base *base;
  const rattle__wrapper *wrapper;
  const rattle__composition *composition;
  const rattle__field_row *field;
  const rattle__solver *solver;
  const rattle__sampler *sampler;
} definition;

static const definition defined[] = {
#define METHOD(name, kind_, ...) {.kind = RATTLE__##kind_, DEFINED_##kind_(name)},
#include "method/methods.def"
#undef METHOD
};

int rattle_method_rows(const rattle_method_row **table) {
  *table = rows;
  return COUNT;
}

const rattle__added_row *rattle__method_added(const rattle_method_row *row) {
  const uintptr_t at = (uintptr_t)row, first = (uintptr_t)rows;
  return at >= first && at < first + sizeof rows ? NULL : (const rattle__added_row *)row;
}

static definition definition_of(const rattle_method_row *row) {
  const rattle__added_row *added = rattle__method_added(row);
  return added ? (definition){.kind = RATTLE__BASE, .base = added->base} : defined[row - rows];
}

rattle__method_kind rattle__method_kind_of(const rattle_method_row *row) {
  return definition_of(row).kind;
}

const rattle__base *rattle__base_of(const rattle_method_row *row) {
  return definition_of(row).base;
}

const rattle__wrapper *rattle__wrapper_of(const rattle_method_row *row) {
  return definition_of(row).wrapper;
}

const rattle__composition *rattle__composition_of(const rattle_method_row *row) {
  return definition_of(row).composition;
}

const rattle__field_row *rattle__field_of(const rattle_method_row *row) {
  return definition_of(row).field;
}

const rattle__solver *rattle__solver_of(const rattle_method_row *row) {
  return definition_of(row).solver;
}

const rattle__sampler *rattle__sampler_of(const rattle_method_row *row) {
  return definition_of(row).sampler;
}

const rattle_method_row *rattle__method_find(const char *name, size_t length) {
  for (int i = 0; i < COUNT; i++)
    if (strlen(rows[i].name) == length && !memcmp(rows[i].name, name, length)) return &rows[i];
  return rattle__added_find(name, length);
}

/* True if a name of that row can stand for one of `kind`: fields, solvers, and maps of all
 * kinds. */
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
  const int map = kind != RATTLE__SOLVER && kind != RATTLE__FIELD;
  for (const rattle__added *at = NULL; map && (at = rattle__added_next(at));)
    for (int i = 0; i < at->rows; i++) rattle__nearest_try(&nearest, at->row[i].row.name);
  for (int i = 0; !nearest.best && strlen(name) >= 4 && i < COUNT; i++)
    if (fits(i, kind) && !strncmp(rows[i].name, name, strlen(name))) nearest.best = rows[i].name;
  return nearest.best;
}
