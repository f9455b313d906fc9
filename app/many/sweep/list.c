/* The quantities of a sweep by their names, and those of a list of cases: a CSV whose first line
 * names them. */
#include <stdlib.h>
#include <string.h>

#include "many/sweep/sweep.h"

/* Coordinate k or, n + k, momentum of that name; -1: none. */
static int find_variable(const rattle_model *model, const char *name) {
  const int n = rattle_model_pairs(model);
  for (int k = 0; k < n; k++) {
    const char *momentum = rattle_model_momentum_name(model, k);
    if (!strcmp(rattle_model_coordinate_name(model, k), name)) return k;
    if (momentum && !strcmp(momentum, name)) return n + k;
  }
  return -1;
}

static int has_parameter(const rattle_model *model, const char *name) {
  const rattle_parameter *parameter;
  const int count = rattle_model_parameters(model, &parameter);
  for (int i = 0; i < count; i++)
    if (!strcmp(parameter[i].name, name)) return 1;
  return 0;
}

static rattle_status unknown(const rattle_model *model, const char *name, int parameters,
                             int variables, rattle_error *error) {
  const char *names[256];
  const rattle_parameter *parameter;
  int count = 0;
  for (int i = 0, most = rattle_model_parameters(model, &parameter);
       parameters && i < most && count < 256; i++)
    names[count++] = parameter[i].name;
  for (int k = 0; variables && k < rattle_model_pairs(model) && count < 255; k++) {
    const char *momentum = rattle_model_momentum_name(model, k);
    names[count++] = rattle_model_coordinate_name(model, k);
    if (momentum) names[count++] = momentum;
  }
  const char *near = cli_nearest(name, names, count),
             *kind = !variables    ? "parameter"
                     : !parameters ? "coordinate or momentum"
                                   : "parameter, coordinate or momentum";
  return near ? text_fail(error, RATTLE_BAD_ARGUMENT,
                          "the model has no %s '%s'; did you mean '%s'?", kind, name, near)
              : text_fail(error, RATTLE_BAD_ARGUMENT, "the model has no %s '%s'", kind, name);
}

static rattle_status append(sweep_plan *plan, const char *name, sweep_quantity own,
                            rattle_error *error) {
  for (int i = 0; i < plan->quantities; i++) {
    const sweep_quantity *other = &plan->quantity[i];
    if (other->target == own.target && (own.target >= SWEEP_METHOD || !strcmp(other->name, name)))
      return text_fail(error, RATTLE_BAD_ARGUMENT, "%s is given values twice", name);
  }
  sweep_quantity *grown = realloc(plan->quantity, ((size_t)plan->quantities + 1) * sizeof *grown);
  if (!grown || !(own.name = strdup(name))) {
    if (grown) plan->quantity = grown;
    return text_no_memory(error);
  }
  plan->quantity = grown;
  grown[plan->quantities++] = own;
  return RATTLE_OK;
}

rattle_status sweep_add_methods(sweep_plan *plan, int axis, const sweep_spec *spec,
                                rattle_error *error) {
  return append(
      plan, "method",
      (sweep_quantity){.target = SWEEP_METHOD, .axis = axis, .spec = *spec, .variable = -1}, error);
}

rattle_status sweep_add(sweep_plan *plan, const rattle_model *model, const char *name, int axis,
                        const sweep_spec *spec, rattle_error *error) {
  const int set = !strncmp(name, "set:", 4), start = !strncmp(name, "start:", 6);
  const char *bare = name + (set ? 4 : start ? 6 : 0);
  sweep_quantity own = {.axis = axis, .spec = *spec, .variable = -1};
  if (!set && !start && !strcmp(name, "step") && !has_parameter(model, name) &&
      find_variable(model, name) < 0)
    own.target = SWEEP_STEP;
  else if (!start && has_parameter(model, bare))
    own.target = SWEEP_PARAMETER;
  else if (!set && (own.variable = find_variable(model, bare)) >= 0)
    own.target = SWEEP_VARIABLE;
  else
    return unknown(model, bare, !start, !set, error);
  return append(plan, bare, own, error);
}

/* A quantity for each column, which takes its numbers. */
static rattle_status add_columns(sweep_plan *plan, cli_table *table, const rattle_model *model,
                                 rattle_error *error) {
  rattle_status status = RATTLE_OK;
  for (int i = 0; i < table->columns && !status; i++) {
    sweep_spec spec = {.law = SWEEP_LIST,
                       .count = table->rows,
                       .value = malloc((size_t)table->rows * sizeof *spec.value)};
    table->to[i] = spec.value;
    status = spec.value ? sweep_add(plan, model, table->name[i], plan->axes, &spec, error)
                        : text_no_memory(error);
    if (status) free(spec.value);
  }
  return status;
}

rattle_status sweep_read_cases(sweep_plan *plan, const char *list, const rattle_model *model,
                               rattle_error *error) {
  cli_table table;
  rattle_status status = cli_table_open(&table, "--cases", list, error);
  if (!status) status = add_columns(plan, &table, model, error);
  if (!status) status = cli_table_read(&table, error);
  if (!status) plan->axes++;
  cli_table_close(&table);
  return status;
}
