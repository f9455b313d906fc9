/* The methods that can integrate a problem: every row of the table is tried in an expression.
 *
 * A base map b stands in rattle(b), second_class(b) for second-class constraints, or alone if m =
 * 0; a wrapper around the base map of the default method (maps/plan/default.h), a composition
 * around that method, a solver inside it; a field in rk4. Parameters that must be given get the
 * least value that makes sense; rows that take a name from the model are omitted. A refused method
 * says why. */
#include <stdio.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/support/number.h"
#include "method/notation/added.h"
#include "problem/functions/problem.h"
#include "examine/doctor/quick.h"
#include "examine/doctor/report.h"
#include "constraint/fibre/fibre.h"
#include "maps/plan/default.h"
#include "rattle/integrator.h"

enum { LENGTH = 160 };

/* "name(arguments)": `inner` for maps, the least integers that make sense (2 if that is
 * allowed). */
static void call(const rattle_method_row *row, const char *inner, char *text, size_t size) {
  size_t used = (size_t)snprintf(text, size, "%s", row->name);
  int said = 0;
  for (const rattle_method_parameter *p = row->parameter; p->name && used < size; p++) {
    if (p->fallback || p->option) continue;
    char value[LENGTH];
    if (p->type == RATTLE_TAKES_MAP)
      snprintf(value, sizeof value, "%s", inner);
    else
      rattle__print(value, sizeof value, "%g", p->minimum < 2 && p->maximum >= 2 ? 2 : p->minimum);
    used += (size_t)snprintf(text + used, size - used, "%s%s", said++ ? ", " : "(", value);
  }
  if (said && used < size) snprintf(text + used, size - used, ")");
}

static int takes_a_name(const rattle_method_row *row) {
  for (const rattle_method_parameter *p = row->parameter; p->name; p++)
    if (p->type == RATTLE_TAKES_NAME && !p->fallback) return 1;
  return 0;
}

/* The base map alone, or in the wrapper that the problem wants. */
static void call_base(const rattle__default *usual, const rattle_method_row *row, char *text) {
  char base[LENGTH - 20];
  call(row, "", base, sizeof base);
  if (usual->wrapper[0])
    snprintf(text, LENGTH, "%s(%s)", usual->wrapper, base);
  else
    snprintf(text, LENGTH, "%s", base);
}

/* A wrapper around the base map of the default, or one that only chooses steps around the default;
 * "" if that is among the base maps. */
static void call_wrapper(const rattle__default *usual, const rattle_method_row *row, char *text) {
  text[0] = 0;
  if (!row->claims.keeps_g)
    call(row, usual->method, text, LENGTH);
  else if (usual->wrapper[0] && strcmp(row->name, usual->wrapper) != 0)
    call(row, usual->base, text, LENGTH);
}

static rattle_status fibre_name(rattle_doctor *doctor, rattle_error *error) {
  rattle__context context = {.problem = doctor->problem, .solver = "none"};
  rattle__fibre *fibre = NULL;
  rattle_status status = rattle__fibre_create(&fibre, &context, error);
  if (!status && fibre) doctor->d.fibre = rattle__doctor_text(doctor, "%s", fibre->name);
  rattle__arena_release(&context.arena);
  return status;
}

/* Base maps of plug-ins. */
static void each_added(const rattle__default *usual, rattle__visit visit, void *self) {
  for (const rattle__added *at = NULL; (at = rattle__added_next(at));)
    for (int i = 0; i < at->rows; i++) {
      char text[LENGTH];
      call_base(usual, &at->row[i].row, text);
      visit(self, &at->row[i].row, text);
    }
}

void rattle__each_method(const rattle_problem *problem, rattle__visit visit, void *self) {
  const rattle_method_row *row;
  const rattle__default *usual = rattle__default_of(problem);
  int rows = rattle_method_rows(&row);
  for (int i = 0; i < rows; i++) {
    char text[LENGTH] = "";
    if (takes_a_name(&row[i])) continue;
    switch (rattle__method_kind_of(&row[i])) {
    case RATTLE__BASE:
      call_base(usual, &row[i], text);
      break;
    case RATTLE__COMPOSITION:
      call(&row[i], usual->method, text, sizeof text);
      break;
    case RATTLE__SOLVER:
      if (problem->m)
        snprintf(text, sizeof text, "%s(%s, solver=%s)", usual->wrapper, usual->base, row[i].name);
      break;
    case RATTLE__CONSTRAINED:
      call(&row[i], "", text, sizeof text);
      break;
    case RATTLE__WRAPPER:
      call_wrapper(usual, &row[i], text);
      break;
    case RATTLE__FIELD:
      if (!rattle__field_of(&row[i])->write || !problem->m) break;
      snprintf(text, sizeof text, "rk4(");
      call(&row[i], "", text + 4, sizeof text - 5);
      strcat(text, ")");
      break;
    case RATTLE__SAMPLER: /* makes no trajectory */
      break;
    }
    if (text[0]) visit(self, &row[i], text);
  }
  each_added(usual, visit, self);
}

/* --- for the doctor --------------------------------------------------------------------------- */

typedef struct trials {
  rattle_doctor *doctor;
  const char **valid;
  rattle_refusal *refused;
  int room;
} trials;

/* A large problem takes its time to plan: one composition and one solver represent all. */
static int is_tried(const rattle_doctor *doctor, const rattle_method_row *row) {
  rattle__method_kind kind = rattle__method_kind_of(row);
  if (doctor->dirac || (kind != RATTLE__COMPOSITION && kind != RATTLE__SOLVER)) return 1;
  return strcmp(row->kind, row[-1].kind) != 0;
}

/* Tries an expression on the problem and lists it. */
static void try_method(void *self, const rattle_method_row *row, const char *method) {
  trials *t = self;
  rattle_diagnosis *d = &t->doctor->d;
  rattle_integrator *integrator = NULL;
  rattle_error why = {0};
  if (d->valid_methods + d->refusals == t->room || !is_tried(t->doctor, row)) return;
  const char *text = rattle__doctor_text(t->doctor, "%s", method);
  /* second-class constraints are refused wrapper by wrapper */
  const char *reason = t->doctor->problem->split && !t->doctor->unfit ? NULL : d->refused;
  rattle_status status = rattle__doctor_saw(
      t->doctor, rattle_integrator_create(&integrator, t->doctor->problem, method, &why));
  rattle_integrator_destroy(&integrator);
  if (status == RATTLE_BAD_METHOD) return; /* an expression that is not valid is not a refusal */
  if (status) reason = rattle__doctor_text(t->doctor, "%s", why.message);
  if (reason)
    t->refused[d->refusals++] = (rattle_refusal){.method = text, .reason = reason};
  else
    t->valid[d->valid_methods++] = text;
}

rattle_status rattle__doctor_methods(rattle_doctor *doctor, rattle_error *error) {
  const rattle_method_row *row;
  int rows = rattle_method_rows(&row);
  trials t = {.doctor = doctor, .room = rows * rows};
  if (!doctor->problem) return RATTLE_OK;
  t.valid = rattle__arena_take(&doctor->arena, (size_t)t.room * sizeof *t.valid);
  t.refused = rattle__arena_take(&doctor->arena, (size_t)t.room * sizeof *t.refused);
  if (!t.valid || !t.refused) return rattle__no_memory(error);
  doctor->d.valid_method = t.valid;
  doctor->d.refusal = t.refused;
  rattle_status status =
      doctor->d.m && !doctor->problem->split ? fibre_name(doctor, error) : RATTLE_OK;
  if (!status) rattle__each_method(doctor->problem, try_method, &t);
  if (!doctor->d.refused || (doctor->problem->split && !doctor->unfit))
    doctor->d.advice_method = rattle_default_method(doctor->problem);
  return status;
}
