/* Constraints on velocities, A(q, t) q' = b(q, t): their symbols, and whether an expression is
 * affine in them.
 *
 * Affine     e is that where no derivative of it by a velocity or a momentum contains one. This is
 *            decided by the expression as it is written: v^2 - v*v, say, is refused
 * Momenta    stand for velocities too, where H makes them proportional:
 *            src/problem/functions/velocity.c
 * Drive      where b is not 0 the reaction does work. The row is then one of the extended phase
 *            space, A q' - b t' = 0 with t' = 1, whose reaction on p_t is b lambda, and H + p_t is
 *            what the motion keeps: such a row gives the model its clock */
#include <stdlib.h>
#include <string.h>

#include "ground/expr/copy.h"
#include "ground/expr/derivative.h"
#include "ground/expr/walk.h"
#include "ground/support/error.h"
#include "ground/support/number.h"
#include "problem/model/velocity.h"

/* ---- symbols ---- */

static rattle_status name_velocity(rattle_model *model, rattle__pair *pair, rattle_error *error) {
  char name[300];
  if (pair->velocity_name) return RATTLE_OK;
  rattle__print(name, sizeof name, "velocity(%s)", pair->name);
  pair->velocity_name = rattle__model_keep(model, name);
  return pair->velocity_name ? RATTLE_OK : rattle__no_memory(error);
}

rattle_status rattle_model_velocity(rattle_model *model, int pair, rattle_expr *velocity,
                                    rattle_error *error) {
  if (pair < 0 || pair >= model->n)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "velocity",
                        "pair %d does not exist: the model has %d", pair, model->n);
  rattle__pair *of = &model->pair[pair];
  if (of->is_free)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, of->name,
                        "\"%s\" is free: it has no inertia, and no constraint on its velocity",
                        of->name);
  if (pair == model->clock - 1) {
    *velocity = rattle_expr_constant(model->graph, 1);
    return *velocity ? RATTLE_OK : rattle__no_memory(error);
  }
  const rattle_status status = name_velocity(model, of, error);
  if (status) return status;
  *velocity = rattle_expr_variable(model->graph, RATTLE_VELOCITY + pair);
  return *velocity ? RATTLE_OK : rattle__no_memory(error);
}

/* ---- parts of an affine expression ---- */

static int is_velocity(int32_t variable) {
  return variable >= RATTLE_VELOCITY && variable < RATTLE_LAMBDA;
}

static int is_motion(int32_t variable) {
  return is_velocity(variable) || (variable < RATTLE_VELOCITY && variable % 2 == 1);
}

/* The velocities and momenta in e, ascending by node, [*count], malloc'ed; NULL: no memory. */
static int32_t *motions_in(const rattle_graph *graph, rattle_expr e, int *count) {
  rattle__walk walk;
  *count = 0;
  int32_t *found = rattle__walk_begin(&walk, graph, e, rattle__operands)
                       ? NULL
                       : malloc((walk.count + 1) * sizeof *found);
  for (size_t i = 0; found && i < walk.count; i++) {
    const int32_t variable = rattle_expr_index(graph, walk.node[i]);
    if (variable >= 0 && is_motion(variable)) found[(*count)++] = variable;
  }
  rattle__walk_end(&walk);
  return found;
}

/* e where all velocities and momenta are 0 */
static rattle_expr at_rest(rattle_graph *graph, rattle_expr e, const int32_t *variable, int count) {
  const rattle_expr zero = rattle_expr_constant(graph, 0);
  rattle__copy copy = rattle__copy_begin(graph, graph, NULL, 0);
  rattle_expr rest = zero && rattle__copy_of(&copy, zero) ? zero : RATTLE_EXPR_NONE;
  for (int k = 0; k < count && rest; k++) {
    const rattle_expr motion = rattle_expr_variable(graph, variable[k]);
    if (!motion || !rattle__copy_of(&copy, motion)) rest = RATTLE_EXPR_NONE;
    if (rest) copy.known[motion] = zero;
  }
  if (rest) rest = rattle__copy_of(&copy, e);
  rattle__copy_end(&copy);
  return rest;
}

/* True if one of the factors, or all terms, are 0 by the form of e, as in 0/n, which is kept as
 * written. */
static int vanishes(const rattle_graph *graph, const rattle__walk *walk, unsigned char *zero,
                    size_t i) {
  const rattle_expr e = walk->node[i];
  const rattle_op op = rattle_expr_op(graph, e);
  int is[2] = {0, 0};
  for (int k = 0; k < 2; k++) {
    const uint32_t place = rattle__place(walk, rattle_expr_operand(graph, e, k));
    is[k] = place && zero[place - 1];
  }
  return op == RATTLE_OP_CONSTANT                     ? rattle_expr_value(graph, e) == 0
         : op == RATTLE_OP_ADD || op == RATTLE_OP_SUB ? is[0] && is[1]
         : op == RATTLE_OP_MUL                        ? is[0] || is[1]
         : op == RATTLE_OP_DIV || op == RATTLE_OP_NEG ? is[0]
                                                      : 0;
}

/* e, or the number 0 where it vanishes: else a row that no b drives would give the model a clock */
static rattle_expr without_zeros(rattle_graph *graph, rattle_expr e) {
  rattle__walk walk;
  unsigned char *zero = NULL;
  if (!rattle__walk_begin(&walk, graph, e, rattle__operands)) zero = malloc(walk.count + 1);
  for (size_t i = 0; zero && i < walk.count; i++)
    zero[i] = (unsigned char)vanishes(graph, &walk, zero, i);
  const rattle_expr left = !zero                  ? RATTLE_EXPR_NONE
                           : zero[walk.count - 1] ? rattle_expr_constant(graph, 0)
                                                  : e;
  rattle__walk_end(&walk);
  free(zero);
  return left;
}

void rattle__affine_free(rattle__affine *parts) {
  free(parts->variable);
  free(parts->factor);
  *parts = (rattle__affine){0};
}

rattle_status rattle__affine_of(rattle__affine *parts, rattle_graph *graph, rattle_expr e,
                                rattle_error *error) {
  *parts = (rattle__affine){0};
  parts->variable = motions_in(graph, e, &parts->count);
  parts->factor =
      parts->variable ? malloc(((size_t)parts->count + 1) * sizeof *parts->factor) : NULL;
  if (!parts->factor || rattle__gradient(graph, e, parts->variable, parts->count, parts->factor))
    return rattle__no_memory(error);
  parts->rest = at_rest(graph, e, parts->variable, parts->count);
  if (parts->rest) parts->rest = without_zeros(graph, parts->rest);
  return parts->rest ? RATTLE_OK : rattle__no_memory(error);
}

/* A velocity or momentum in one of the factors, or -1. */
static rattle_status find_bend(const rattle__affine *parts, const rattle_graph *graph,
                               int32_t *bend, rattle_error *error) {
  *bend = -1;
  for (int k = 0; k < parts->count && *bend < 0; k++) {
    int count;
    int32_t *inside = motions_in(graph, parts->factor[k], &count);
    if (!inside) return rattle__no_memory(error);
    if (count) *bend = parts->variable[k];
    free(inside);
  }
  return RATTLE_OK;
}

/* ---- rows ---- */

static int is_zero(const rattle_graph *graph, rattle_expr e) {
  return rattle_expr_op(graph, e) == RATTLE_OP_CONSTANT && rattle_expr_value(graph, e) == 0;
}

/* The velocities in an expression, which may have been made in another way than by
 * rattle_model_velocity, get their names. */
static rattle_status name_all(rattle_model *model, const char *name, const rattle__affine *parts,
                              rattle_error *error) {
  rattle_status status = RATTLE_OK;
  for (int i = 0; i < parts->count && !status; i++) {
    const int pair = is_velocity(parts->variable[i]) ? parts->variable[i] - RATTLE_VELOCITY
                                                     : parts->variable[i] / 2;
    if (pair >= model->n || model->pair[pair].is_free ||
        (is_velocity(parts->variable[i]) && pair == model->clock - 1))
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                          "the velocity constraint \"%s\" contains the velocity of %s, which has "
                          "none: see rattle_model_velocity",
                          name,
                          pair < model->n ? model->pair[pair].name : "a pair that is not there");
    status = name_velocity(model, &model->pair[pair], error);
  }
  return status;
}

/* The expression as it is, from which velocities may have cancelled. */
static rattle_status no_velocity(rattle_model *model, const char *name, rattle_expr e,
                                 rattle_error *error) {
  char text[80];
  const int number = rattle_expr_op(model->graph, e) == RATTLE_OP_CONSTANT;
  rattle_expr_print(model->graph, e, rattle__model_variable_name, model, text, sizeof text);
  if (number)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                        "the velocity constraint \"%s\" is the number %s, without a velocity, and "
                        "constrains nothing: remove it, or correct the factors of its velocities",
                        name, text);
  return rattle__fail(
      error, RATTLE_BAD_ARGUMENT, name,
      "the velocity constraint \"%s\" is %s, which contains no velocity, so that it "
      "is a constraint on coordinates: use constrain",
      name, text);
}

/* Why the expression is no row, or RATTLE_OK. */
static rattle_status judge(rattle_model *model, const char *name, rattle_expr e,
                           const rattle__affine *parts, rattle_error *error) {
  int32_t bend;
  const rattle_status status = find_bend(parts, model->graph, &bend, error);
  if (status) return status;
  if (!parts->count) return no_velocity(model, name, e, error);
  if (bend >= 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, name,
                        "the velocity constraint \"%s\" is not affine in %s: write it as a sum of "
                        "velocities with factors that "
                        "depend on coordinates and time; for other constraints on velocities there "
                        "is no agreed reaction",
                        name, rattle__model_variable_name(model, bend));
  for (int k = 0; k < parts->count; k++)
    if (model->clock && parts->variable[k] == 2 * model->clock - 1)
      return rattle__fail(
          error, RATTLE_BAD_ARGUMENT, name,
          "the velocity constraint \"%s\" contains p_t, which is no velocity: omit it", name);
  return RATTLE_OK;
}

static rattle_status give_clock(rattle_model *model, const char *name, rattle_error *error) {
  rattle_expr t;
  rattle_error why = {0};
  const rattle_status status = rattle_model_time(model, &t, &why);
  if (status == RATTLE_BAD_ARGUMENT)
    return rattle__fail(error, status, name,
                        "the velocity constraint \"%s\" drives the motion, so that the model gets "
                        "its time, the pair (t, p_t), as from "
                        "time(): %s",
                        name, why.message);
  if (status && error) *error = why;
  return status;
}

static rattle_status append(rattle_model *model, const char *name, rattle_expr e, int drives,
                            rattle_error *error) {
  rattle__velocity_row *grown = rattle__room(model->velocity_row, model->velocity_rows,
                                             &model->velocity_rows_room, sizeof *grown);
  if (!grown) return rattle__no_memory(error);
  model->velocity_row = grown;
  rattle__velocity_row *row = &grown[model->velocity_rows];
  *row = (rattle__velocity_row){.is = {.name = rattle__model_keep(model, name), .expr = e},
                                .drives = drives};
  if (!row->is.name) return rattle__no_memory(error);
  model->velocity_rows++;
  return RATTLE_OK;
}

rattle_status rattle_model_add_velocity_constraint(rattle_model *model, const char *name,
                                                   rattle_expr e, rattle_error *error) {
  rattle__affine parts = {0};
  rattle_status status = rattle__model_check_name("velocity constraint", name, error);
  if (!status)
    status = rattle__model_check_expression(model, "the velocity constraint", name, e, error);
  if (status) return status;
  if (rattle__model_find_constraint(model, name) >= 0 ||
      rattle__model_find_velocity_row(model, name) >= 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, name, "a constraint \"%s\" already exists",
                        name);
  status = rattle__affine_of(&parts, model->graph, e, error);
  if (!status) status = name_all(model, name, &parts, error);
  if (!status) status = judge(model, name, e, &parts, error);
  const int drives = !status && !is_zero(model->graph, parts.rest);
  rattle__affine_free(&parts);
  if (!status && drives) status = give_clock(model, name, error);
  return status ? status : append(model, name, e, drives, error);
}

int rattle_model_velocity_constraints(const rattle_model *model) {
  return model->velocity_rows;
}

const char *rattle_model_velocity_constraint_name(const rattle_model *model, int constraint) {
  return constraint >= 0 && constraint < model->velocity_rows
             ? model->velocity_row[constraint].is.name
             : NULL;
}

rattle_expr rattle_model_velocity_constraint_expr(const rattle_model *model, int constraint) {
  return constraint >= 0 && constraint < model->velocity_rows
             ? model->velocity_row[constraint].is.expr
             : RATTLE_EXPR_NONE;
}
