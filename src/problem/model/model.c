/* Building a model call by call. q, p: coordinates and momenta; pair k owns graph variables 2k (q)
 * and 2k+1 (p). */
#include "rattle/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/expr/pieces.h"
#include "problem/model/massless.h"
#include "problem/model/model.h"
#include "problem/model/user_coefficients.h"
#include "ground/support/nearest.h"
#include "ground/support/utf8.h"
#include "ground/expr/elements.h"
#include "ground/pairs/pairs.h"

enum { LONGEST_NAME = 64, LONGEST_BYTES = 4 * LONGEST_NAME }; /* characters, of at most 4 bytes */
#define COTANGENT "cotangent:"

/* ---- storage ---- */

rattle_status rattle_model_create(rattle_model **model, rattle_error *error) {
  if (!model)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "rattle_model_create",
                        "rattle_model_create: model is NULL");
  rattle_model *made = calloc(1, sizeof *made);
  *model = NULL;
  if (!made) return rattle__no_memory(error);
  rattle_status status = rattle_graph_create(&made->graph, error);
  if (status) {
    free(made);
    return status;
  }
  made->hamiltonian = RATTLE_EXPR_NONE;
  made->wishes = (rattle_wishes){
      .struct_size = sizeof made->wishes, .stop = (double)NAN, .steps = -1, .every = 1};
  *model = made;
  return RATTLE_OK;
}

rattle_model *rattle_model_retain(const rattle_model *model) {
  rattle_model *held = (rattle_model *)model;
  if (held) rattle__join(&held->holders);
  return held;
}

void rattle_model_destroy(rattle_model **model) {
  if (!model || !*model) return;
  rattle_model *m = *model;
  *model = NULL;
  if (!rattle__leave(&m->holders)) return;
  rattle_graph_destroy(&m->graph);
  rattle__names_clear(&m->variable_names);
  rattle__names_clear(&m->constraint_names);
  rattle__names_clear(&m->observable_names);
  rattle__names_clear(&m->event_names);
  rattle__pool_clear(&m->pool);
  free(m->text);
  free(m->pair);
  free(m->constraint);
  free(m->velocity_row);
  free(m->omitted);
  free(m->omitted_size);
  for (int r = 0; r < m->reactions; r++) free(m->reaction[r].share);
  free(m->reaction);
  free(m->observable);
  free(m->event);
  free(m->at);
  free(m->applied);
  free(m->turning);
  free(m->controller), free(m->next), free(m->held_pair);
  if (m->sweeps) free(m->sweeps->node);
  free(m->sweeps);
  for (int i = 0; i < m->changes; i++) free(m->change[i].constraint);
  free(m->change), free(m->condition);
  free(m->fibre);
  free(m->flow);
  free(m->parameter), free(m->parameter_range);
  free(m->input);
  free(m->metadata);
  for (int k = 0; k < m->forces; k++) rattle__pairs_destroy(&m->force[k]);
  free(m->force);
  free(m->drawing);
  free(m->multiplier);
  rattle__model_destroy_given(m);
  free(m);
}

rattle_graph *rattle_model_graph(rattle_model *model) {
  return model->graph;
}

/* ---- names ---- */

static const char *variable_of(const void *model, uint32_t number) {
  const rattle__pair *pair = ((const rattle_model *)model)->pair + number / 2;
  return number % 2 ? pair->momentum : pair->name;
}

static const char *constraint_of(const void *model, uint32_t number) {
  return ((const rattle_model *)model)->constraint[number].name;
}

static const char *observable_of(const void *model, uint32_t number) {
  return ((const rattle_model *)model)->observable[number].name;
}

/* The number of a name; one by one where the index was dropped. */
static int64_t find(const rattle_model *model, const rattle__names *names, const char *name,
                    rattle__name_of *name_of, int count) {
  if (model->indexed) return rattle__names_find(names, name, name_of, model);
  int64_t k = count - 1;
  while (k >= 0 && strcmp(name_of(model, (uint32_t)k), name) != 0) k--;
  return k;
}

/* Makes what finds names, which a packed model has not. */
static rattle_status make_index(rattle_model *model, rattle_error *error) {
  int failed = 0;
  for (int k = 0; k < 2 * model->n && !model->indexed; k++)
    failed |=
        *variable_of(model, (uint32_t)k) && /* it has given its name away: chart.c */
        rattle__names_add(&model->variable_names, variable_of(model, (uint32_t)k), (uint32_t)k);
  for (int i = 0; i < model->m && !model->indexed; i++)
    failed |=
        rattle__names_add(&model->constraint_names, constraint_of(model, (uint32_t)i), (uint32_t)i);
  if (failed) rattle__model_pack(model);
  model->indexed = !failed;
  return failed ? rattle__no_memory(error) : RATTLE_OK;
}

void rattle__model_forget_names(rattle_model *model) {
  rattle__names_clear(&model->variable_names);
  rattle__names_clear(&model->constraint_names);
  model->indexed = 0;
}

void rattle__model_pack(rattle_model *model) {
  rattle__graph_pack(model->graph);
  rattle__model_forget_names(model);
}

int rattle__model_find_pair(const rattle_model *model, const char *name, int *is_momentum) {
  int64_t variable = find(model, &model->variable_names, name, variable_of, 2 * model->n);
  if (is_momentum) *is_momentum = variable >= 0 && variable % 2;
  return variable < 0 ? -1 : (int)(variable / 2);
}

int rattle__model_find_constraint(const rattle_model *model, const char *name) {
  return (int)find(model, &model->constraint_names, name, constraint_of, model->m);
}

const char *rattle__model_nearest(const rattle_model *model, const char *name) {
  rattle__nearest nearest = {.name = name};
  for (int k = 0; k < model->n; k++) {
    rattle__nearest_try(&nearest, model->pair[k].name);
    rattle__nearest_try(&nearest, model->pair[k].momentum);
  }
  return nearest.best;
}

/* A name is text that records, tables and plots can show: why it is not, or NULL. */
static const char *fault_of_name(const char *name) {
  static const char spaces[] = " \t\n\v\f\r";
  if (!name || !*name) return "is empty";
  if (rattle__utf8_characters(name) > LONGEST_NAME) return "has more than 64 characters";
  if (strchr(spaces, name[0]) || strchr(spaces, name[strlen(name) - 1]))
    return "begins or ends with a space";
  for (const char *c = name; *c; c++) {
    if ((unsigned char)*c < ' ' || *c == 0x7F) return "contains a control character";
    if (*c == '/') return "contains a slash, which separates folders in records";
  }
  if (!strncmp(name, "rattle:", 7))
    return "begins with rattle:, which marks the columns that every run has";
  return NULL;
}

rattle_status rattle__model_check_name(const char *what, const char *name, rattle_error *error) {
  const char *fault = fault_of_name(name);
  if (!fault) return RATTLE_OK;
  const char *text = name ? name : "";
  return rattle__fail(error, RATTLE_BAD_ARGUMENT, name, "the name \"%.*s\" of a %s %s",
                      rattle__utf8_fitting(text, 80), text, what, fault);
}

/* ---- variables ---- */

/* Refuses to enlarge a model for which the images of all variables have been given. */
static rattle_status check_room(const rattle_model *model, const char *what, const char *name,
                                rattle_error *error) {
  const char *before = model->fibre       ? "its fibre flow"
                       : model->flow      ? "its flow"
                       : model->cotangent ? "the momenta to observe"
                                          : NULL;
  if (!before) return RATTLE_OK;
  return rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                      "the %s \"%s\" comes too late: the model has been given %s", what, name,
                      before);
}

static rattle_status taken(const rattle_model *model, const char *name, rattle_error *error) {
  int is_momentum, pair = rattle__model_find_pair(model, name, &is_momentum);
  if (rattle__names_find(&model->observable_names, name, observable_of, model) >= 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                        "the name \"%s\" is taken: it is already that of an observed quantity",
                        name);
  if (pair < 0) return RATTLE_OK;
  return rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                      "the name \"%s\" is taken: it is already the %s of a pair", name,
                      is_momentum ? "momentum" : "coordinate");
}

rattle_status rattle_model_add_pair(rattle_model *model, const char *name, const char *momentum,
                                    int *pair, rattle_error *error) {
  char made[LONGEST_BYTES + 2] = "p";
  rattle_status status = rattle__model_check_name("coordinate", name, error);
  if (!status) status = check_room(model, "pair", name, error);
  if (!status) status = make_index(model, error);
  if (status) return status;
  if (!momentum) momentum = strcat(made, name);
  if ((status = rattle__model_check_name("momentum", momentum, error))) return status;
  if ((status = taken(model, name, error)) || (status = taken(model, momentum, error)))
    return status;
  if (strcmp(name, momentum) == 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                        "coordinate and momentum have the same name \"%s\"", name);

  rattle__pair *pairs = rattle__room(model->pair, model->n, &model->n_room, sizeof *pairs);
  if (!pairs) return rattle__no_memory(error);
  model->pair = pairs;
  rattle__pair new = {.name = rattle__model_keep(model, name),
                      .momentum = rattle__model_keep(model, momentum)};
  if (!new.name || !new.momentum) return rattle__no_memory(error);
  uint32_t number = 2 * (uint32_t)model->n;
  model->pair[model->n] = new;
  if (rattle__names_add(&model->variable_names, name, number) ||
      rattle__names_add(&model->variable_names, momentum, number + 1))
    return rattle__no_memory(error);
  if (pair) *pair = model->n;
  model->n++;
  return RATTLE_OK;
}

rattle_status rattle_model_add_free(rattle_model *model, const char *name, int *pair,
                                    rattle_error *error) {
  char constraint[LONGEST_BYTES + 8] = "free:";
  int k = 0;
  rattle_status status = rattle__model_check_name("coordinate", name, error);
  if (!status) status = rattle__model_check_name("constraint", strcat(constraint, name), error);
  if (!status) status = rattle_model_add_pair(model, name, NULL, &k, error);
  if (status) return status;
  model->pair[k].is_free = 1;
  if (pair) *pair = k;
  return rattle_model_add_constraint(model, constraint,
                                     rattle_expr_variable(model->graph, 2 * k + 1), error);
}

/* ---- expressions ---- */

/* e must be a node of the model's graph and not a constant that is no number. */
rattle_status rattle__model_check_expression(const rattle_model *model, const char *what,
                                             const char *name, rattle_expr e, rattle_error *error) {
  if (e == RATTLE_EXPR_NONE) return rattle__no_memory(error);
  if (e > rattle_graph_count(model->graph))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                        "the expression of %s \"%s\" does not belong to the model's graph", what,
                        name);
  if (rattle_expr_op(model->graph, e) == RATTLE_OP_CONSTANT &&
      !isfinite(rattle_expr_value(model->graph, e)))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                        "the expression of %s \"%s\" is the number %g", what, name,
                        rattle_expr_value(model->graph, e));
  return RATTLE_OK;
}

rattle_status rattle_model_add_hamiltonian(rattle_model *model, rattle_expr e,
                                           rattle_error *error) {
  rattle_status status = rattle__model_check_expression(model, "the Hamiltonian", "H", e, error);
  if (status) return status;
  rattle_expr sum = model->hamiltonian
                        ? rattle_expr_binary(model->graph, RATTLE_OP_ADD, model->hamiltonian, e)
                        : e;
  if (!sum) return rattle__no_memory(error);
  model->hamiltonian = sum;
  return RATTLE_OK;
}

rattle_status rattle_model_add_constraint(rattle_model *model, const char *name, rattle_expr e,
                                          rattle_error *error) {
  rattle_status status;
  if ((status = rattle__model_check_name("constraint", name, error)) ||
      (status = rattle__model_check_expression(model, "the constraint", name, e, error)))
    return status;
  if ((model->fibre && (status = check_room(model, "constraint", name, error))) ||
      (status = make_index(model, error)))
    return status;
  if (rattle__model_find_constraint(model, name) >= 0 ||
      rattle__model_find_velocity_row(model, name) >= 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, name, "a constraint \"%s\" already exists",
                        name);
  if (rattle_expr_op(model->graph, e) == RATTLE_OP_CONSTANT) {
    double value = rattle_expr_value(model->graph, e);
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                        value == 0
                            ? "the constraint \"%s\" is the number 0 and always holds; remove it"
                            : "the constraint \"%s\" is the number %.17g and can never hold: "
                              "expected an expression in the "
                              "variables that is to be 0",
                        name, value);
  }
  if (rattle__is_condition(model->graph, e))
    return rattle__fail(
        error, RATTLE_BAD_ARGUMENT, name,
        "the constraint \"%s\" is a condition, 0 or 1, and constraints are equations: inequalities "
        "and contact are not "
        "integrated; to keep y > 0, add a steep potential to H, such as k*exp(-y/d)",
        name);
  rattle__named *constraints =
      rattle__room(model->constraint, model->m, &model->m_room, sizeof *constraints);
  if (!constraints) return rattle__no_memory(error);
  model->constraint = constraints;
  constraints[model->m] = (rattle__named){.name = rattle__model_keep(model, name), .expr = e};
  if (!constraints[model->m].name ||
      rattle__names_add(&model->constraint_names, name, (uint32_t)model->m))
    return rattle__no_memory(error);
  model->m++;
  return RATTLE_OK;
}

rattle_status rattle_model_set_dirac(rattle_model *model, int constraint, rattle_error *error) {
  if (constraint < 0 || constraint >= model->m)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "constraint",
                        "there is no constraint %d: the model has %d", constraint, model->m);
  model->constraint[constraint].dirac = 1;
  return RATTLE_OK;
}

rattle_status rattle_model_set_vakonomic(rattle_model *model, int constraint, rattle_error *error) {
  const rattle_status status = rattle_model_set_dirac(model, constraint, error);
  if (!status) model->constraint[constraint].old_word = 1;
  return status;
}

static rattle_status add_observable(rattle_model *model, const char *name, rattle_expr e,
                                    rattle_error *error) {
  rattle_status status = rattle__model_check_expression(model, "the quantity", name, e, error);
  if (status) return status;
  if (rattle__names_find(&model->observable_names, name, observable_of, model) >= 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                        "an observed quantity \"%s\" already exists", name);
  rattle__named *grown =
      rattle__room(model->observable, model->observables, &model->observables_room, sizeof *grown);
  if (!grown) return rattle__no_memory(error);
  model->observable = grown;
  rattle__named *new = &grown[model->observables];
  *new = (rattle__named){.name = rattle__model_keep(model, name), .expr = e};
  if (!new->name || rattle__names_add(&model->observable_names, name, (uint32_t)model->observables))
    return rattle__no_memory(error);
  model->observables++;
  return RATTLE_OK;
}

rattle_status rattle_model_add_observable(rattle_model *model, const char *name, rattle_expr e,
                                          rattle_error *error) {
  rattle_status status = rattle__model_check_name("quantity to observe", name, error);
  if (status) return status;
  if (!strncmp(name, COTANGENT, sizeof COTANGENT - 1))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                        "the name \"%s\" is taken: names with " COTANGENT " are reserved for the "
                        "momenta of output { cotangent = true }",
                        name);
  if ((status = make_index(model, error))) return status;
  if (rattle__model_find_pair(model, name, NULL) >= 0 && !model->old_names)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                        "the name \"%s\" of a quantity to observe is taken: \"%s\" is always "
                        "recorded; remove it, or give it "
                        "another name",
                        name, name);
  return add_observable(model, name, e, error);
}

rattle_status rattle_model_observe_cotangent(rattle_model *model, rattle_error *error) {
  if (model->cotangent) return RATTLE_OK;
  int first = model->observables;
  rattle_status status = RATTLE_OK;
  for (int k = 0; k < model->n && !status; k++) {
    char name[LONGEST_BYTES + 16];
    snprintf(name, sizeof name, COTANGENT "%s", model->pair[k].momentum);
    status = add_observable(model, name, rattle_expr_variable(model->graph, 2 * k + 1), error);
  }
  if (status) return status;
  model->cotangent = 1;
  model->first_cotangent = first;
  return RATTLE_OK;
}

rattle_status rattle__model_observe_omitted(rattle_model *model, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  model->first_omitted = model->observables;
  for (int i = 0; i < model->omissions && !status; i++) {
    char name[LONGEST_BYTES + 16];
    snprintf(name, sizeof name, "lambda[%s]", model->omitted[i].name);
    status = add_observable(model, name, model->omitted[i].expr, error);
  }
  return status;
}

/* ---- starts ---- */

static rattle_status check_start(const rattle_model *model, int pair, double value,
                                 rattle_error *error) {
  if (pair < 0 || pair >= model->n)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "start",
                        "pair %d does not exist: the model has %d", pair, model->n);
  if (!isfinite(value))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, model->pair[pair].name,
                        "the start of \"%s\" is %g: expected a finite number",
                        model->pair[pair].name, value);
  return RATTLE_OK;
}

rattle_status rattle_model_set_start(rattle_model *model, int pair, double q, double p,
                                     rattle_error *error) {
  rattle_status status;
  if ((status = check_start(model, pair, q, error)) ||
      (status = check_start(model, pair, p, error)))
    return status;
  model->pair[pair].q = q;
  model->pair[pair].p = p;
  model->pair[pair].has_start = 1;
  return RATTLE_OK;
}

rattle_status rattle_model_set_velocity(rattle_model *model, int pair, double velocity,
                                        rattle_error *error) {
  rattle_status status = check_start(model, pair, velocity, error);
  if (status) return status;
  model->pair[pair].velocity = velocity;
  model->pair[pair].has_velocity = 1;
  return RATTLE_OK;
}

rattle_status rattle_model_start_variable(rattle_model *model, const char *name, double value,
                                          rattle_error *error) {
  rattle__nearest nearest = {name, NULL, 0};
  for (int k = 0; k < model->n; k++) {
    rattle__pair *pair = &model->pair[k];
    const int is_q = !strcmp(name, pair->name),
              is_p = !pair->is_free && !strcmp(name, pair->momentum);
    rattle__nearest_try(&nearest, pair->name);
    if (!pair->is_free) rattle__nearest_try(&nearest, pair->momentum);
    if (!is_q && !is_p) continue;
    const rattle_status status = check_start(model, k, value, error);
    if (status) return status;
    *(is_q ? &pair->q : &pair->p) = value;
    if (is_q && k == model->clock - 1) model->wishes.start_time = value;
    if (is_p) pair->has_velocity = 0;
    if (is_q) pair->has_start = 1;
    return RATTLE_OK;
  }
  for (int i = 0; i < model->observables; i++)
    if (!strcmp(name, model->observable[i].name))
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                          "\"%s\" is observed, and has no start of its own: it follows from "
                          "coordinates and momenta, as a part without mass does; give theirs",
                          name);
  return nearest.best ? rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                                     "the model has no variable \"%s\"; did you mean \"%s\"?", name,
                                     nearest.best)
                      : rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                                     "the model has no variable \"%s\"", name);
}
