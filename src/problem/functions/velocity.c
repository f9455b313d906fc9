/* Constraints on velocities of a model as rows of expressions, linear in velocities of the extended
 * phase space. */
#include "problem/functions/velocity.h"

#include <stdlib.h>
#include <string.h>

#include "ground/expr/pieces.h"
#include "ground/support/error.h"
#include "problem/functions/momenta.h"
#include "problem/model/velocity.h"

/* The state of making one row. */
typedef struct row_maker {
  const rattle_problem *problem;
  const char *name;
  rattle__linear *masses; /* the system of a W = M^-1 that is not diagonal, else NULL */
  double *momenta;        /* scratch [n] */
  rattle_expr sum;
  rattle_error *error;
} row_maker;

/* sum += a b */
static rattle_status add(row_maker *k, rattle_expr a, rattle_expr b) {
  rattle_graph *graph = k->problem->graph;
  const rattle_expr term = rattle_expr_binary(graph, RATTLE_OP_MUL, a, b);
  k->sum = k->sum ? rattle_expr_binary(graph, RATTLE_OP_ADD, k->sum, term) : term;
  return k->sum ? RATTLE_OK : rattle__no_memory(k->error);
}

/* sum += factor c v_pair; velocities stand in the places of momenta */
static rattle_status add_velocity(row_maker *k, rattle_expr factor, double c, int pair) {
  rattle_graph *graph = k->problem->graph;
  const rattle_expr scaled =
      c == 1 ? factor
             : rattle_expr_binary(graph, RATTLE_OP_MUL, rattle_expr_constant(graph, c), factor);
  return add(k, scaled, rattle_expr_variable(graph, 2 * pair + 1));
}

/* True if the momentum is a sum of velocities with numbers as factors. */
static int is_number(const rattle_problem *problem, int pair) {
  const rattle__mass *W = rattle__inertia(problem);
  return W && (W->value || W->diagonal[pair] > 0);
}

/* sum += factor p_pair, with p = M v of such numbers */
static rattle_status add_momentum(row_maker *k, rattle_expr factor, int pair) {
  const rattle__mass *W = rattle__inertia(k->problem);
  if (!W->value) return add_velocity(k, factor, 1 / W->diagonal[pair], pair);
  rattle_status status = RATTLE_OK;
  if (!k->masses) status = rattle__mass_system(&k->masses, W, k->error);
  if (status) return status;
  memset(k->momenta, 0, (size_t)W->n * sizeof *k->momenta);
  k->momenta[pair] = 1;
  k->masses->solve(k->masses, k->momenta); /* the row of M */
  for (int j = 0; j < W->n && !status; j++)
    if (k->momenta[j] != 0) status = add_velocity(k, factor, k->momenta[j], j);
  return status;
}

/* sum += factors times momenta, by expressions. */
static rattle_status add_momenta(row_maker *k, const rattle__affine *parts) {
  const size_t n = (size_t)k->problem->n;
  rattle_expr *factor = calloc(2 * n, sizeof *factor), *velocity = factor + n;
  int unknown = -1, any = 0;
  if (!factor) return rattle__no_memory(k->error);
  for (int i = 0; i < parts->count; i++) {
    const int32_t variable = parts->variable[i];
    if (variable >= RATTLE_VELOCITY || is_number(k->problem, variable / 2)) continue;
    factor[variable / 2] = parts->factor[i], any = 1;
  }
  rattle_status status =
      any ? rattle__momenta_to_velocities(k->problem->model, factor, velocity, &unknown, k->error)
          : RATTLE_OK;
  if (!status && unknown >= 0)
    status = rattle__fail(k->error, RATTLE_BAD_MODEL, k->name,
                          "the velocity constraint \"%s\" contains the momentum of '%s', which is "
                          "no sum of velocities with factors here: write velocity(...) in place "
                          "of momenta",
                          k->name, rattle__problem_coordinate_name(k->problem, unknown));
  for (int j = 0; j < (int)n && !status; j++)
    if (velocity[j]) status = add_velocity(k, velocity[j], 1, j);
  free(factor);
  return status;
}

static rattle_status make_row(row_maker *k, rattle_expr e, rattle_expr *row) {
  rattle_graph *graph = k->problem->graph;
  rattle__affine parts;
  rattle_status status = rattle__affine_of(&parts, graph, e, k->error);
  k->sum = RATTLE_EXPR_NONE;
  for (int i = 0; i < parts.count && !status; i++) {
    const int32_t variable = parts.variable[i];
    if (variable >= RATTLE_VELOCITY)
      status = add_velocity(k, parts.factor[i], 1, variable - RATTLE_VELOCITY);
    else if (is_number(k->problem, variable / 2))
      status = add_momentum(k, parts.factor[i], variable / 2);
  }
  if (!status) status = add_momenta(k, &parts);
  const int drives = !status && !(rattle_expr_op(graph, parts.rest) == RATTLE_OP_CONSTANT &&
                                  rattle_expr_value(graph, parts.rest) == 0);
  if (drives) status = add_velocity(k, parts.rest, 1, k->problem->clock - 1);
  *row = k->sum;
  rattle__affine_free(&parts);
  return status;
}

/* UNSUITABLE names a feature that the problem cannot have beside constraints on velocities. */
static rattle_status check(const rattle_problem *problem, rattle_error *error) {
  const rattle_model *model = problem->model;
  const char *other = problem->m && !(problem->flags & RATTLE_HOLONOMIC)
                          ? "constraints on momenta or free variables"
                      : model->cotangent ? "output { cotangent = true }"
                      : model->fibre     ? "a fibre flow"
                                         : NULL;
  if (!other) return RATTLE_OK;
  return rattle__fail(error, RATTLE_UNSUITABLE, model->velocity_row[0].is.name,
                      "the velocity constraint \"%s\" cannot stand beside %s: omit one of them",
                      model->velocity_row[0].is.name, other);
}

rattle_status rattle__velocity_rows(const rattle_problem *problem, rattle_expr *row,
                                    rattle_error *error) {
  const rattle_model *model = problem->model;
  row_maker k = {.problem = problem, .error = error};
  rattle_status status = check(problem, error);
  if (status) return status;
  k.momenta = malloc((size_t)problem->n * sizeof *k.momenta);
  if (!k.momenta) return rattle__no_memory(error);
  for (int i = 0; i < model->velocity_rows && !status; i++) {
    k.name = model->velocity_row[i].is.name;
    status = make_row(&k, model->velocity_row[i].is.expr, &row[i]);
  }
  rattle__linear_destroy(&k.masses);
  free(k.momenta);
  return status;
}

rattle_status rattle__refuse_velocity(const rattle_problem *problem, const char *what,
                                      rattle_error *error) {
  if (!problem->velocity) return RATTLE_OK;
  return rattle__fail(error, RATTLE_UNSUITABLE, what,
                      "constraints on velocities (velocity_constrain) are kept by rattle(...), "
                      "shake(...), discrete_gradient and compositions of them alone: use %s",
                      rattle__symmetric_map(problem));
}
