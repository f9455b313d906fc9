/* Flows given by the user, wishes, and looking at a model. */
#include "rattle/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/support/sized.h"
#include "problem/model/model.h"

/* ---- which variables occur ---- */

/* highest[e]: the highest variable below `limit` in node e, -1 if none; [count+1], malloc'ed.
 * Operands come before the nodes that use them, so one pass will do. */
static int32_t *highest_variables(const rattle_graph *graph, int32_t limit) {
  uint32_t count = rattle_graph_count(graph);
  int32_t *highest = malloc(((size_t)count + 1) * sizeof *highest);
  if (!highest) return NULL;
  highest[0] = -1;
  for (rattle_expr e = 1; e <= count; e++) {
    int32_t a = highest[rattle_expr_operand(graph, e, 0)],
            b = highest[rattle_expr_operand(graph, e, 1)];
    int32_t own = rattle_expr_index(graph, e);
    if (own >= limit) own = -1;
    int32_t top = a > b ? a : b;
    highest[e] = own > top ? own : top;
  }
  return highest;
}

static rattle_status misplaced(const char *what, const char *name, int32_t variable,
                               const rattle_model *model, rattle_error *error) {
  const rattle__multiplier *of = rattle__model_multiplier(model, variable);
  if (of)
    return rattle__fail(error, RATTLE_BAD_MODEL, name,
                        "%s \"%s\" contains the multiplier of '%s', which follows from the motion "
                        "and may stand in observe, event, stop, draw and controllers alone",
                        what, name, of->constraint);
  if (variable >= RATTLE__AWAITED)
    return rattle__fail(error, RATTLE_BAD_MODEL, name,
                        "%s \"%s\" contains a force or rate of a joint, which follows from the "
                        "motion and may stand in observe, event, stop, draw and controllers alone",
                        what, name);
  if (variable >= RATTLE_VELOCITY && variable - RATTLE_VELOCITY < model->n)
    return rattle__fail(error, RATTLE_BAD_MODEL, name,
                        "%s \"%s\" contains the symbol velocity(%s), which stands in "
                        "velocity_constrain alone: write it by momenta",
                        what, name, model->pair[variable - RATTLE_VELOCITY].name);
  return rattle__fail(
      error, RATTLE_BAD_MODEL, name,
      "%s \"%s\" contains the variable %d, which does not belong to a pair: the model has %d pairs",
      what, name, variable, model->n);
}

/* H, forces and constraints. */
static rattle_status check_motion(const rattle_model *model, const int32_t *highest,
                                  rattle_error *error) {
  const int limit = 2 * model->n;
  if (highest[model->hamiltonian] >= limit)
    return misplaced("the Hamiltonian", "H", highest[model->hamiltonian], model, error);
  for (int i = 0; i < model->applieds; i++) {
    const rattle__applied *f = &model->applied[i];
    const char *name = model->pair[f->pair].name;
    if (highest[f->expr] >= limit)
      return misplaced("the force on", name, highest[f->expr], model, error);
  }
  for (int i = 0; i < model->m; i++) {
    const rattle__named *g = &model->constraint[i];
    if (highest[g->expr] >= limit)
      return misplaced("the constraint", g->name, highest[g->expr], model, error);
  }
  for (int i = 0; i < model->velocity_rows; i++) {
    const rattle__named *row = &model->velocity_row[i].is;
    if (rattle__model_multiplier(model, highest[row->expr]))
      return misplaced("the constraint", row->name, highest[row->expr], model, error);
  }
  return RATTLE_OK;
}

/* Observables, events and drawings; highest: without multipliers. */
static rattle_status check_seen(const rattle_model *model, const int32_t *highest,
                                rattle_error *error) {
  const int limit = 2 * model->n;
  for (int i = 0; i < model->observables; i++) {
    const rattle__named *o = &model->observable[i];
    if (highest[o->expr] >= limit)
      return misplaced("the quantity", o->name, highest[o->expr], model, error);
  }
  for (int i = 0; i < model->events; i++) {
    const rattle__named *e = &model->event[i].is;
    if (highest[e->expr] >= limit)
      return misplaced("the event", e->name, highest[e->expr], model, error);
  }
  for (int i = 0; i < model->held; i++) {
    const rattle__named *next = &model->next[i];
    if (highest[next->expr] >= limit)
      return misplaced("the sample of", next->name, highest[next->expr], model, error);
  }
  for (int i = 0; i < model->conditions; i++) {
    const rattle__named *e = &model->condition[i];
    if (highest[e->expr] >= limit)
      return misplaced("the switch", e->name, highest[e->expr], model, error);
  }
  return rattle__drawings_check(model, highest, error);
}

static rattle_status check_all(const rattle_model *model, rattle_error *error) {
  int32_t *highest = highest_variables(model->graph, INT32_MAX);
  rattle_status status = highest ? check_motion(model, highest, error) : rattle__no_memory(error);
  if ((model->multipliers || model->awaits) && !status) {
    free(highest);
    highest = highest_variables(model->graph, RATTLE_LAMBDA);
    if (!highest) status = rattle__no_memory(error);
  }
  if (!status) status = check_seen(model, highest, error);
  free(highest);
  return status;
}

rattle_status rattle__model_check(const rattle_model *model, rattle_error *error) {
  const char *file = model->file ? model->file : "model";
  if (model->n == 0)
    return rattle__fail(error, RATTLE_BAD_MODEL, file,
                        "%s: the model has no variables: expected at least one pair, as in "
                        "local x, px = pair(\"x\")",
                        file);
  if (!rattle__model_has_hamiltonian(model))
    return rattle__fail(error, RATTLE_BAD_MODEL, file,
                        "%s: the model has no Hamiltonian: expected hamiltonian(expression), or "
                        "mass{...} and potential(expression)",
                        file);
  const rattle_status status = rattle__model_check_controllers(model, error);
  return status ? status : check_all(model, error);
}

/* ---- flows ---- */

/* Copies image[2n] to *place after checking that its variables are below `limit`. */
static rattle_status set_image(rattle_model *model, rattle_expr **place, const rattle_expr *image,
                               int limit, const char *what, rattle_error *error) {
  if (!image || model->n == 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, what,
                        "the %s needs an image for each variable of the model", what);
  if (model->clock)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, what,
                        "a model with time() cannot be given a %s: remove it", what);
  size_t size = 2 * (size_t)model->n * sizeof *image;
  int32_t *highest = highest_variables(model->graph, INT32_MAX);
  rattle_expr *copy = malloc(size);
  rattle_status status = highest && copy ? RATTLE_OK : rattle__no_memory(error);
  for (int j = 0; j < 2 * model->n && !status; j++) {
    if (image[j] == RATTLE_EXPR_NONE) {
      status = rattle__no_memory(error);
    } else if (image[j] > rattle_graph_count(model->graph) || highest[image[j]] >= limit) {
      const rattle__pair *pair = &model->pair[j % model->n];
      status =
          rattle__fail(error, RATTLE_BAD_ARGUMENT, what,
                       "the %s of \"%s\" contains a variable that does not belong to the model",
                       what, j < model->n ? pair->name : pair->momentum);
    }
  }
  free(highest);
  if (status) {
    free(copy);
    return status;
  }
  free(*place);
  *place = memcpy(copy, image, size);
  return RATTLE_OK;
}

rattle_status rattle_model_set_fibre(rattle_model *model, const rattle_expr *image,
                                     rattle_error *error) {
  if (model->m == 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "fibre",
                        "a fibre flow was given, but the model has no constraints");
  return set_image(model, &model->fibre, image, 2 * model->n + model->m, "fibre", error);
}

rattle_status rattle_model_set_flow(rattle_model *model, const rattle_expr *image,
                                    rattle_error *error) {
  return set_image(model, &model->flow, image, 2 * model->n + 1, "flow", error);
}

/* ---- title, metadata, wishes, parameters ---- */

rattle_status rattle_model_set_title(rattle_model *model, const char *title, rattle_error *error) {
  if (!title)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "title",
                        "the title is NULL; a model without a title has \"\"");
  char *copy = rattle__model_keep(model, title);
  if (!copy) return rattle__no_memory(error);
  model->title = copy;
  return RATTLE_OK;
}

rattle_status rattle_model_add_metadata(rattle_model *model, const char *key, const char *value,
                                        rattle_error *error) {
  if (!key || !value)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "metadata",
                        "a key or value of the metadata is NULL");
  for (int i = 0; i < model->metadata_count; i++)
    if (strcmp(model->metadata[2 * i], key) == 0)
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, key, "the metadata \"%s\" was already given",
                          key);
  char **grown = rattle__room(model->metadata, model->metadata_count, &model->metadata_room,
                              2 * sizeof *grown);
  if (!grown) return rattle__no_memory(error);
  model->metadata = grown;
  char **entry = model->metadata + 2 * model->metadata_count;
  entry[0] = rattle__model_keep(model, key);
  entry[1] = rattle__model_keep(model, value);
  if (!entry[0] || !entry[1]) return rattle__no_memory(error);
  model->metadata_count++;
  return RATTLE_OK;
}

/* The fault of the wishes, or NULL. */
static const char *fault_of_wishes(const rattle_wishes *w) {
  if (!isfinite(w->step)) return "the step is not a finite number";
  if (!isfinite(w->start_time)) return "the start time is not a finite number";
  if (isinf(w->stop)) return "the stop time is not a finite number";
  if (w->steps < -1) return "the number of steps is negative";
  if (w->steps >= 0 && !isnan(w->stop))
    return "both stop and steps are given: expected one of them";
  if (w->step != 0 && !isnan(w->stop) && (w->stop - w->start_time) / w->step < 0)
    return "the stop time lies before the start time: with this step it is never reached";
  if (w->every < 1) return "`every` is less than 1";
  return NULL;
}

rattle_status rattle_model_set_wishes(rattle_model *model, const rattle_wishes *wishes,
                                      rattle_error *error) {
  rattle_wishes own;
  const rattle_status status = RATTLE__TAKE(&own, rattle_wishes, cotangent, wishes, error);
  if (status) return status;
  const char *fault = fault_of_wishes(&own);
  if (fault) return rattle__fail(error, RATTLE_BAD_ARGUMENT, "integrate", "%s", fault);
  char *method = own.method ? rattle__model_keep(model, own.method) : NULL;
  if (own.method && !method) return rattle__no_memory(error);
  if (own.at_count > 0 && own.at != model->at) {
    double *at = malloc((size_t)own.at_count * sizeof *at);
    if (!at) return rattle__no_memory(error);
    memcpy(at, own.at, (size_t)own.at_count * sizeof *at);
    free(model->at);
    model->at = at, model->at_room = own.at_count;
  }
  own.at = own.at_count > 0 ? model->at : NULL;
  model->wishes = own;
  model->wishes.method = method;
  rattle__model_set_clock(model);
  return RATTLE_OK;
}

rattle_status rattle__model_add_parameter(rattle_model *model, const char *name, double value,
                                          rattle_error *error) {
  rattle_parameter *grown =
      rattle__room(model->parameter, model->parameters, &model->parameters_room, sizeof *grown);
  if (!grown) return rattle__no_memory(error);
  model->parameter = grown;
  rattle_parameter new = {.name = rattle__model_keep(model, name), .value = value};
  if (!new.name) return rattle__no_memory(error);
  model->parameter[model->parameters++] = new;
  return RATTLE_OK;
}

rattle_status rattle__model_add_parameter_range(rattle_model *model, const double range[2],
                                                rattle_error *error) {
  struct rattle__parameter_range *grown =
      rattle__room(model->parameter_range, model->parameter_ranges, &model->parameter_ranges_room,
                   sizeof *grown);
  if (!grown) return rattle__no_memory(error);
  model->parameter_range = grown;
  grown[model->parameter_ranges++] =
      (struct rattle__parameter_range){model->parameters - 1, {range[0], range[1]}};
  return RATTLE_OK;
}

/* ---- queries ---- */

const char *rattle_model_title(const rattle_model *model) {
  return model->title ? model->title : "";
}
int rattle_model_parameter_range(const rattle_model *model, int parameter, double range[2]) {
  for (int i = 0; i < model->parameter_ranges; i++) {
    if (model->parameter_range[i].parameter != parameter) continue;
    for (int side = 0; side < 2; side++) range[side] = model->parameter_range[i].end[side];
    return 1;
  }
  return 0;
}
const char *rattle_model_omitted(const rattle_model *model, int i) {
  return i >= 0 && i < model->omissions ? model->omitted[i].name : NULL;
}

const char *rattle_model_text(const rattle_model *model) {
  return model->text;
}
const rattle_wishes *rattle_model_wishes(const rattle_model *model) {
  return &model->wishes;
}
int rattle_model_pairs(const rattle_model *model) {
  return model->n;
}
int rattle_model_constraints(const rattle_model *model) {
  return model->m;
}
int rattle_model_observables(const rattle_model *model) {
  return model->observables;
}

const char *rattle_model_coordinate_name(const rattle_model *model, int pair) {
  return pair >= 0 && pair < model->n ? model->pair[pair].name : NULL;
}

const char *rattle_model_momentum_name(const rattle_model *model, int pair) {
  return pair >= 0 && pair < model->n ? model->pair[pair].momentum : NULL;
}

const char *rattle_model_constraint_name(const rattle_model *model, int constraint) {
  return constraint >= 0 && constraint < model->m ? model->constraint[constraint].name : NULL;
}

const char *rattle_model_observable_name(const rattle_model *model, int observable) {
  return observable >= 0 && observable < model->observables ? model->observable[observable].name
                                                            : NULL;
}

int rattle_model_parameters(const rattle_model *model, const rattle_parameter **parameters) {
  if (parameters) *parameters = model->parameter;
  return model->parameters;
}

int rattle_model_metadata(const rattle_model *model, int i, const char **key, const char **value) {
  if (i >= 0 && i < model->metadata_count) {
    *key = model->metadata[2 * i];
    *value = model->metadata[2 * i + 1];
  }
  return model->metadata_count;
}

const char *rattle__model_variable_name(void *context, int32_t index) {
  const rattle_model *model = context;
  if (index >= RATTLE__AWAITED) return "the force or rate of a joint";
  if (index >= RATTLE_LAMBDA) {
    const rattle__multiplier *multiplier = rattle__model_multiplier(model, index);
    return multiplier ? multiplier->symbol : "lambda(...)";
  }
  if (index >= RATTLE_VELOCITY) {
    const char *name = index - RATTLE_VELOCITY < model->n
                           ? model->pair[index - RATTLE_VELOCITY].velocity_name
                           : NULL;
    return name ? name : "velocity(...)";
  }
  if (index >= 2 * model->n) return index == 2 * model->n ? "s[1] or h" : "s[...]";
  return index % 2 ? model->pair[index / 2].momentum : model->pair[index / 2].name;
}
