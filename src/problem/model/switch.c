/* Constraints that begin and end at events.
 *
 * Form     row i of a switch is s (g_i - a_i) + (1 - s) u_i, with s the coordinate NAME.on, 1 or 0,
 *          a_i the value that is held, and u_i a coordinate of mass 1 at rest at 0: where s = 0 the
 *          row asks u_i = 0, which needs no force, so that its multiplier is 0, and the number of
 *          rows stays. s and a are HELD: nothing is derived by them
 * Changes  runs/integrate/switches.c */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/support/number.h"
#include "ground/support/sized.h"
#include "problem/model/massless.h"

enum { LONGEST = 400 };

static rattle_status refuse(const char *name, const char *why, rattle_error *error) {
  return rattle__fail(error, RATTLE_BAD_ARGUMENT, name, "the switch \"%s\": %s", name, why);
}

static rattle_status check(const rattle_model *model, const rattle_switch *s, const char *name,
                           rattle_error *error) {
  const int never = s->begins == RATTLE_EXPR_NONE && s->ends == RATTLE_EXPR_NONE;
  if (!(s->restitution >= 0 && s->restitution <= 1))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                        "the switch \"%s\": the restitution is %g: expected a number from 0 to 1",
                        name, s->restitution);
  if ((s->restitution > 0 || s->one_sided) && s->count != 1)
    return refuse(name,
                  "restitution and one-sided constraints are those of one constraint: write "
                  "a switch for each",
                  error);
  if (s->one_sided && !never)
    return refuse(name, "a one-sided constraint begins and ends by itself: omit begins and ends",
                  error);
  if (s->one_sided && s->hold)
    return refuse(name,
                  "a one-sided constraint begins where it is 0 and holds no other value: "
                  "omit hold",
                  error);
  if (!s->one_sided && never)
    return refuse(name,
                  "it never begins and never ends: give begins or ends, an expression that "
                  "rises through 0 there, or one_sided",
                  error);
  if (s->either && s->begins == RATTLE_EXPR_NONE)
    return refuse(name, "`either` is about begins, which is not given", error);
  for (int i = 0; i < model->changes; i++)
    if (!strcmp(model->change[i].name, name))
      return refuse(name, "the name is taken by another switch", error);
  return RATTLE_OK;
}

static const rattle__switch *switch_of(const rattle_model *model, const char *constraint) {
  for (int i = 0; i < model->changes; i++)
    for (int r = 0; r < model->change[i].rows; r++)
      if (!strcmp(model->change[i].constraint[r], constraint)) return &model->change[i];
  return NULL;
}

/* BAD_ARGUMENT: no constraint on coordinates has that name, or another switch has it. */
static rattle_status check_row(const rattle_model *model, const char *name, const char *constraint,
                               rattle_error *error) {
  const rattle__switch *other = constraint ? switch_of(model, constraint) : NULL;
  if (!constraint || rattle__model_find_constraint(model, constraint) < 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                        "the switch \"%s\": there is no constraint \"%s\" on coordinates: declare "
                        "it before",
                        name, constraint ? constraint : "");
  if (other)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                        "the switch \"%s\": the constraint \"%s\" belongs to the switch \"%s\"",
                        name, constraint, other->name);
  return RATTLE_OK;
}

/* A pair that stays where it is. */
static rattle_status add_value(rattle_model *model, const char *name, const char *what, int number,
                               double start, int *pair, rattle_error *error) {
  char full[LONGEST];
  if (number)
    rattle__print(full, sizeof full, "%s.%s[%d]", name, what, number);
  else
    rattle__print(full, sizeof full, "%s.%s", name, what);
  rattle_status status = rattle_model_add_pair(model, full, NULL, pair, error);
  if (!status) status = rattle_model_set_start(model, *pair, start, 0, error);
  if (!status) model->pair[*pair].held = 1;
  return status;
}

static rattle_expr binary(rattle_model *model, rattle_op op, rattle_expr a, rattle_expr b) {
  return rattle_expr_binary(model->graph, op, a, b);
}

static rattle_expr held(rattle_model *model, int pair) {
  return rattle_expr_unary(model->graph, RATTLE_OP_HELD,
                           rattle_expr_variable(model->graph, 2 * pair));
}

/* The pairs of a switch, of which rows are not yet rewritten. */
static rattle_status add_pairs(rattle_model *model, const rattle_switch *given, rattle__switch *s,
                               rattle_error *error) {
  int pair = -1;
  rattle_status status = add_value(model, s->name, "on", 0, given->active != 0, &s->on, error);
  if (!status) status = add_value(model, s->name, "lost", 0, 0, &s->lost, error);
  if (!status && given->either) status = add_value(model, s->name, "side", 0, 0, &s->side, error);
  for (int r = 0; r < s->rows && !status && given->hold; r++) {
    status = add_value(model, s->name, "at", r + 1, 0, &pair, error);
    if (!r) s->first_at = pair;
  }
  for (int r = 0; r < s->rows && !status; r++) {
    status = add_value(model, s->name, "idle", r + 1, 0, &pair, error);
    if (!r) s->first_idle = pair;
    if (status) break;
    model->pair[pair].idle = 1;
    const rattle_expr p = rattle_expr_variable(model->graph, 2 * pair + 1),
                      half = rattle_expr_constant(model->graph, 0.5);
    status = rattle_model_add_hamiltonian(
        model, binary(model, RATTLE_OP_MUL, half, binary(model, RATTLE_OP_MUL, p, p)), error);
  }
  return status;
}

static rattle__named *row_of(rattle_model *model, const rattle__switch *s, int r) {
  return &model->constraint[rattle__model_find_constraint(model, s->constraint[r])];
}

/* row[r] <- s (g - a) + (1 - s) u */
static rattle_status make_rows(rattle_model *model, const rattle__switch *s, rattle_expr *row,
                               rattle_error *error) {
  const rattle_expr on = held(model, s->on), one = rattle_expr_constant(model->graph, 1),
                    off = binary(model, RATTLE_OP_SUB, one, on);
  for (int r = 0; r < s->rows; r++) {
    const rattle_expr u = rattle_expr_variable(model->graph, 2 * (s->first_idle + r));
    rattle_expr g = row_of(model, s, r)->expr;
    if (s->first_at >= 0) g = binary(model, RATTLE_OP_SUB, g, held(model, s->first_at + r));
    row[r] = binary(model, RATTLE_OP_ADD, binary(model, RATTLE_OP_MUL, on, g),
                    binary(model, RATTLE_OP_MUL, off, u));
    if (!row[r]) return rattle__no_memory(error);
  }
  return RATTLE_OK;
}

static rattle_status add_condition(rattle_model *model, const char *name, rattle_expr e,
                                   rattle_error *error) {
  rattle__named *grown =
      rattle__room(model->condition, model->conditions, &model->conditions_room, sizeof *grown);
  if (!grown) return rattle__no_memory(error);
  model->condition = grown;
  if (e == RATTLE_EXPR_NONE) e = rattle_expr_constant(model->graph, -1); /* never */
  const rattle_status status = rattle__model_check_expression(model, "the switch", name, e, error);
  if (!status)
    grown[model->conditions++] = (rattle__named){.name = (char *)(uintptr_t)name, .expr = e};
  return status;
}

/* Its conditions; those of a one-sided constraint are -g and its multiplier. */
static rattle_status add_conditions(rattle_model *model, const rattle_switch *given,
                                    const rattle__switch *s, rattle_error *error) {
  rattle_expr begins = given->begins, ends = given->ends;
  rattle_status status = RATTLE_OK;
  if (s->one_sided) {
    const int row = rattle__model_find_constraint(model, s->constraint[0]);
    begins = rattle_expr_unary(model->graph, RATTLE_OP_NEG, model->constraint[row].expr);
    status = rattle_model_multiplier(model, s->constraint[0], &ends, error);
  }
  if (!status) status = add_condition(model, s->name, begins, error);
  return status ? status : add_condition(model, s->name, ends, error);
}

/* All that belongs to switch s; after a failure the model is as it was. */
static rattle_status add_parts(rattle_model *model, const rattle_switch *given, rattle__switch *s,
                               rattle_error *error) {
  const int pairs = model->n, conditions = model->conditions;
  const rattle_expr hamiltonian = model->hamiltonian;
  rattle_expr *row = calloc((size_t)s->rows, sizeof *row);
  rattle_status status = row ? add_conditions(model, given, s, error) : rattle__no_memory(error);
  if (!status) status = add_pairs(model, given, s, error);
  if (!status) status = make_rows(model, s, row, error);
  if (!status)
    status = rattle_model_add_event(model, s->name, rattle_expr_variable(model->graph, 2 * s->on),
                                    0, 0, 0, error);
  for (int r = 0; r < s->rows && !status; r++) row_of(model, s, r)->expr = row[r];
  if (status) {
    model->n = pairs, model->conditions = conditions, model->hamiltonian = hamiltonian;
    rattle__model_forget_names(model);
  }
  free(row);
  return status;
}

rattle_status rattle_model_add_switch(rattle_model *model, const rattle_switch *wanted,
                                      rattle_expr *value, rattle_error *error) {
  rattle_switch given;
  rattle_status status = RATTLE__TAKE(&given, rattle_switch, either, wanted, error);
  if (status) return status;
  if (given.count < 1 || !given.constraints || !given.constraints[0])
    return refuse(given.name ? given.name : "", "it has no constraints: give their names", error);
  const char *name = given.name ? given.name : given.constraints[0];
  status = check(model, &given, name, error);
  for (int r = 0; r < given.count && !status; r++) {
    status = check_row(model, name, given.constraints[r], error);
    for (int k = 0; k < r && !status; k++)
      if (!strcmp(given.constraints[k], given.constraints[r]))
        status = refuse(name, "one of its constraints is named twice", error);
  }
  rattle__switch *grown =
      rattle__room(model->change, model->changes, &model->changes_room, sizeof *grown);
  if (!grown) return status ? status : rattle__no_memory(error);
  model->change = grown;
  if (status) return status;
  rattle__switch s = {.name = rattle__model_keep(model, name),
                      .rows = given.count,
                      .side = -1,
                      .first_at = -1,
                      .event = model->events,
                      .one_sided = given.one_sided != 0,
                      .restitution = given.restitution};
  s.constraint = calloc((size_t)given.count, sizeof *s.constraint);
  if (!s.constraint || !s.name) status = rattle__no_memory(error);
  for (int r = 0; r < given.count && !status; r++) {
    s.constraint[r] = rattle__model_keep(model, given.constraints[r]);
    if (!s.constraint[r]) status = rattle__no_memory(error);
  }
  if (!status) status = add_parts(model, &given, &s, error);
  if (status) {
    free(s.constraint);
    return status;
  }
  model->change[model->changes++] = s;
  if (!value) return RATTLE_OK;
  value[RATTLE_SWITCH_ON] = rattle_expr_variable(model->graph, 2 * s.on);
  value[RATTLE_SWITCH_LOST] = rattle_expr_variable(model->graph, 2 * s.lost);
  value[RATTLE_SWITCH_SIDE] =
      s.side < 0 ? RATTLE_EXPR_NONE : rattle_expr_variable(model->graph, 2 * s.side);
  return RATTLE_OK;
}

int rattle_model_switches(const rattle_model *model) {
  return model->changes;
}

int rattle__model_switch_of(const rattle_model *model, int event) {
  for (int i = 0; i < model->changes; i++)
    if (model->change[i].event == event) return i;
  return -1;
}

int rattle__model_switched(const rattle_model *model) {
  int pairs = 0;
  for (int i = 0; i < model->changes; i++) {
    const rattle__switch *is = &model->change[i];
    pairs += 2 + (is->side >= 0) + (is->first_at >= 0 ? is->rows : 0);
    if (model->pair[is->on].q > 0.5) pairs += is->rows; /* nobody holds u_i, which is at rest */
  }
  return pairs;
}
