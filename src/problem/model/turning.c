/* Angles that count turns: r + a with a = atan2(y cos r - x sin r, x cos r + y sin r). Its value
 * does not depend on r while |angle - r| < pi, so that r, the coordinate of a pair that is not in
 * motion, may change between steps (runs/integrate/turns.c). Nothing is derived by it: HELD. */
#include <stdio.h>

#include "ground/support/error.h"
#include "problem/model/model.h"

int rattle__model_is_reference(const rattle_model *model, int pair) {
  for (int i = 0; i < model->turnings; i++)
    if (model->turning[i].pair == pair) return 1;
  for (int i = 0; i < model->held; i++)
    if (model->held_pair[i] == pair) return 1;
  for (int i = 0; i < model->changes; i++) {
    const rattle__switch *is = &model->change[i];
    if (is->on == pair || is->lost == pair || is->side == pair) return 1;
    if (is->first_at >= 0 && pair >= is->first_at && pair < is->first_at + is->rows) return 1;
  }
  return 0;
}

rattle_status rattle_model_count_turns(rattle_model *model, int pair, rattle_expr angle,
                                       rattle_error *error) {
  if (pair < 0 || pair >= model->n || rattle__model_is_reference(model, pair))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "turning_angle",
                        "turns are counted by pair %d: give a pair of its own", pair);
  const rattle_status status = rattle__model_check_expression(model, "the angle counted by",
                                                              model->pair[pair].name, angle, error);
  if (status) return status;
  if (rattle_expr_op(model->graph, angle) != RATTLE_OP_ATAN2)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "turning_angle",
                        "turns are counted of an angle atan2(y, x) that is no constant");
  rattle__counted_angle *grown =
      rattle__room(model->turning, model->turnings, &model->turnings_room, sizeof *grown);
  if (!grown) return rattle__no_memory(error);
  model->turning = grown;
  grown[model->turnings++] =
      (rattle__counted_angle){pair, angle, RATTLE_EXPR_NONE, RATTLE_EXPR_NONE};
  return RATTLE_OK;
}

/* The pair that the angle of (x, y) has already, -1: none */
static int pair_of(const rattle_model *model, rattle_expr y, rattle_expr x) {
  for (int i = 0; i < model->turnings; i++)
    if (model->turning[i].y == y && model->turning[i].x == x) return model->turning[i].pair;
  return -1;
}

static rattle_expr binary(rattle_model *model, rattle_op op, rattle_expr a, rattle_expr b) {
  return rattle_expr_binary(model->graph, op, a, b);
}

/* The angle of (x, y) from the direction r. */
static rattle_expr turned(rattle_model *model, rattle_expr y, rattle_expr x, rattle_expr r) {
  const rattle_expr c = rattle_expr_unary(model->graph, RATTLE_OP_COS, r),
                    s = rattle_expr_unary(model->graph, RATTLE_OP_SIN, r);
  return binary(model, RATTLE_OP_ATAN2,
                binary(model, RATTLE_OP_SUB, binary(model, RATTLE_OP_MUL, y, c),
                       binary(model, RATTLE_OP_MUL, x, s)),
                binary(model, RATTLE_OP_ADD, binary(model, RATTLE_OP_MUL, x, c),
                       binary(model, RATTLE_OP_MUL, y, s)));
}

rattle_status rattle_model_turning_angle(rattle_model *model, rattle_expr y, rattle_expr x,
                                         rattle_expr *angle, rattle_error *error) {
  int pair = pair_of(model, y, x);
  const int known = pair >= 0;
  char name[32];
  *angle = RATTLE_EXPR_NONE;
  rattle_status status =
      rattle__model_check_expression(model, "the angle", "turning_angle", y, error);
  if (!status)
    status = rattle__model_check_expression(model, "the angle", "turning_angle", x, error);
  snprintf(name, sizeof name, "turns[%d]", model->turnings + 1);
  if (!status && !known) status = rattle_model_add_pair(model, name, NULL, &pair, error);
  if (status) return status;
  const rattle_expr r = rattle_expr_unary(model->graph, RATTLE_OP_HELD,
                                          rattle_expr_variable(model->graph, 2 * pair)),
                    a = turned(model, y, x, r);
  *angle = binary(model, RATTLE_OP_ADD, r, a);
  if (!*angle) return rattle__no_memory(error);
  if (known) return RATTLE_OK;
  status = rattle_model_count_turns(model, pair, a, error);
  if (status) return status;
  model->turning[model->turnings - 1].y = y, model->turning[model->turnings - 1].x = x;
  return RATTLE_OK;
}
