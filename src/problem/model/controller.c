/* Controllers with a sample rate: values that are constant between samples, and what they become in
 * one.
 *
 * A value is the coordinate of a pair whose momentum is in no function: it does not move, and all
 * that evaluates functions of (q, p) knows it (docs/decisions/163). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/support/sized.h"
#include "problem/model/massless.h"
#include "problem/model/model.h"

static rattle_status check(const rattle_controller *c, rattle_error *error) {
  const char *name = c->count > 0 && c->names && c->names[0] ? c->names[0] : "controller";
  if (c->count < 1 || !c->names)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                        "a controller has no values: expected the names of outputs or states");
  if (!(c->every > 0) || !isfinite(c->every))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                        "the controller of \"%s\" has a sample every %g: expected a time above 0",
                        name, c->every);
  if (!isfinite(c->start))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                        "the first sample of the controller of \"%s\" is at %g: expected a time",
                        name, c->start);
  return RATTLE_OK;
}

/* One more value, constant until a sample is given. */
static rattle_status add_value(rattle_model *model, const char *name, double start,
                               rattle_expr *value, rattle_error *error) {
  int pair;
  rattle_status status = rattle_model_add_pair(model, name, NULL, &pair, error);
  if (!status) status = rattle_model_set_start(model, pair, start, 0, error);
  if (status) return status;
  rattle__named *next = rattle__room(model->next, model->held, &model->held_room, sizeof *next);
  if (next) model->next = next;
  int *pairs = rattle__room(model->held_pair, model->held, &model->held_pair_room, sizeof *pairs);
  if (pairs) model->held_pair = pairs;
  *value = rattle_expr_variable(model->graph, 2 * pair);
  if (!next || !pairs || !*value) return rattle__no_memory(error);
  model->pair[pair].held = 1;
  next[model->held] = (rattle__named){.name = model->pair[pair].name, .expr = *value};
  pairs[model->held++] = pair;
  return RATTLE_OK;
}

rattle_status rattle_model_add_controller(rattle_model *model, const rattle_controller *given,
                                          rattle_expr *values, int *number, rattle_error *error) {
  rattle_controller c;
  rattle_status status = RATTLE__TAKE(&c, rattle_controller, starts, given, error);
  if (!status) status = check(&c, error);
  if (status) return status;
  rattle__controller *grown =
      rattle__room(model->controller, model->controllers, &model->controllers_room, sizeof *grown);
  if (!grown) return rattle__no_memory(error);
  model->controller = grown;
  grown[model->controllers] =
      (rattle__controller){.every = c.every, .start = c.start, .first = model->held};
  for (int i = 0; i < c.count && !status; i++)
    status = add_value(model, c.names[i], c.starts ? c.starts[i] : 0, &values[i], error);
  if (status) return status;
  grown[model->controllers].count = c.count;
  if (number) *number = model->controllers;
  model->controllers++;
  return RATTLE_OK;
}

rattle_status rattle_model_set_sample(rattle_model *model, int controller, const rattle_expr *next,
                                      rattle_error *error) {
  if (controller < 0 || controller >= model->controllers)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "controller",
                        "there is no controller %d: the model has %d", controller,
                        model->controllers);
  rattle__controller *c = &model->controller[controller];
  for (int i = 0; i < c->count; i++) {
    const rattle_status status = rattle__model_check_expression(
        model, "the sample of", model->next[c->first + i].name, next[i], error);
    if (status) return status;
  }
  for (int i = 0; i < c->count; i++) model->next[c->first + i].expr = next[i];
  c->given = 1;
  return RATTLE_OK;
}

int rattle_model_controllers(const rattle_model *model) {
  return model->controllers;
}

/* True if one of the variables in e is the value of a controller, or its momentum; *which. */
static rattle_status depends(const rattle_model *model, rattle_expr e, unsigned char *mark,
                             int *which, rattle_error *error) {
  memset(mark, 0, 2 * (size_t)model->n);
  const rattle_status status = rattle__mark_variables(model, e, mark, error);
  *which = -1;
  for (int i = 0; i < model->held && !status; i++)
    if (mark[2 * model->held_pair[i]] || mark[2 * model->held_pair[i] + 1]) *which = i;
  return status;
}

static rattle_status refuse(const rattle_model *model, const char *constraint, int value,
                            rattle_error *error) {
  return rattle__fail(error, RATTLE_BAD_MODEL, constraint,
                      "the constraint \"%s\" depends on \"%s\", the value of a controller, which "
                      "jumps in each sample, and the constraint cannot: let the value stand in a "
                      "force, or in the stiffness of a spring that takes the place of the "
                      "constraint",
                      constraint, model->next[value].name);
}

rattle_status rattle__model_check_controllers(const rattle_model *model, rattle_error *error) {
  if (!model->held) return RATTLE_OK;
  if (model->fibre || model->flow)
    return rattle__fail(error, RATTLE_BAD_MODEL, model->fibre ? "fibre" : "flow",
                        "a model with a controller cannot be given a %s: remove it",
                        model->fibre ? "fibre" : "flow");
  unsigned char *mark = malloc(2 * (size_t)model->n);
  rattle_status status = mark ? RATTLE_OK : rattle__no_memory(error);
  int which = -1;
  for (int i = 0; i < model->m && !status; i++) {
    status = depends(model, model->constraint[i].expr, mark, &which, error);
    if (which >= 0) status = refuse(model, model->constraint[i].name, which, error);
  }
  for (int i = 0; i < model->velocity_rows && !status; i++) {
    status = depends(model, model->velocity_row[i].is.expr, mark, &which, error);
    if (which >= 0) status = refuse(model, model->velocity_row[i].is.name, which, error);
  }
  free(mark);
  return status;
}
