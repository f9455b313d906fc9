/* Momenta in constraints on velocities, by velocities: H being quadratic in momenta, W = H_pp
 * without them,
 *
 *     v = H_p = W(q) p + b(q),    a p = (W^-1 a) (v - b)
 *
 * solved as expressions in the block of W that a is in, by elimination without a choice of pivots:
 * W is positive definite as a rule. Constants fold, so that a constant W gives numbers. */
#include <stdlib.h>

#include "ground/support/error.h"
#include "problem/functions/momenta.h"
#include "problem/model/velocity.h"

typedef struct coupled {
  rattle_graph *graph;
  rattle_expr H;
  int *pair, *place; /* [n] those in the block; where pairs are in it, -1: nowhere */
  int count;
  rattle_expr *W, *x; /* [count count] rows; the right side, then the solution */
} coupled;

static int is_zero(const rattle_graph *g, rattle_expr e) {
  return rattle_expr_op(g, e) == RATTLE_OP_CONSTANT && rattle_expr_value(g, e) == 0;
}

/* Velocity i of the block as an affine expression; *quadratic: W is without momenta, and b = 0. */
static rattle_status velocity_of(const coupled *b, int i, rattle__affine *of, int *quadratic,
                                 rattle_error *error) {
  const rattle_expr v = rattle_expr_derivative(b->graph, b->H, 2 * b->pair[i] + 1);
  *of = (rattle__affine){0};
  rattle_status status = v ? rattle__affine_of(of, b->graph, v, error) : rattle__no_memory(error);
  *quadratic = !status && is_zero(b->graph, of->rest);
  for (int k = 0; k < of->count && !status; k++) {
    rattle__affine inside;
    status = rattle__affine_of(&inside, b->graph, of->factor[k], error);
    *quadratic = *quadratic && !inside.count;
    rattle__affine_free(&inside);
  }
  return status;
}

/* The pairs that are coupled with the first one. */
static rattle_status collect(coupled *b, int *quadratic, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  *quadratic = 1;
  for (int i = 0; i < b->count && !status && *quadratic; i++) {
    rattle__affine of;
    status = velocity_of(b, i, &of, quadratic, error);
    for (int k = 0; k < of.count && !status; k++) {
      const int other = of.variable[k] / 2;
      if (b->place[other] >= 0) continue;
      b->place[other] = b->count;
      b->pair[b->count++] = other;
    }
    rattle__affine_free(&of);
  }
  return status;
}

static rattle_status fill(coupled *b, const rattle_expr *factor, rattle_error *error) {
  const int count = b->count;
  const rattle_expr zero = rattle_expr_constant(b->graph, 0);
  rattle_status status = zero ? RATTLE_OK : rattle__no_memory(error);
  for (int i = 0; i < count && !status; i++) {
    rattle__affine of;
    int unused;
    for (int j = 0; j < count; j++) b->W[i * count + j] = zero;
    b->x[i] = factor[b->pair[i]] ? factor[b->pair[i]] : zero;
    status = velocity_of(b, i, &of, &unused, error);
    for (int k = 0; k < of.count && !status; k++)
      b->W[i * count + b->place[of.variable[k] / 2]] = of.factor[k];
    rattle__affine_free(&of);
  }
  return status;
}

/* *e -= a c */
static void subtract(const coupled *b, rattle_expr *e, rattle_expr a, rattle_expr c) {
  const rattle_expr product = rattle_expr_binary(b->graph, RATTLE_OP_MUL, a, c);
  *e = *e && product ? rattle_expr_binary(b->graph, RATTLE_OP_SUB, *e, product) : RATTLE_EXPR_NONE;
}

static void divide(const coupled *b, rattle_expr *e, rattle_expr by) {
  *e = *e ? rattle_expr_binary(b->graph, RATTLE_OP_DIV, *e, by) : RATTLE_EXPR_NONE;
}

/* x = W^-1 x; *regular: no pivot is the number 0. */
static int solve(const coupled *b, int *regular) {
  const int count = b->count;
  rattle_expr *W = b->W, *x = b->x;
  *regular = 1;
  for (int c = 0; c < count && *regular; c++) {
    *regular = !is_zero(b->graph, W[c * count + c]);
    for (int r = c + 1; r < count && *regular; r++) {
      rattle_expr part = W[r * count + c];
      if (is_zero(b->graph, part)) continue;
      divide(b, &part, W[c * count + c]);
      for (int j = c + 1; j < count; j++) subtract(b, &W[r * count + j], part, W[c * count + j]);
      subtract(b, &x[r], part, x[c]);
    }
  }
  for (int c = count - 1; c >= 0 && *regular; c--) {
    for (int j = c + 1; j < count; j++) subtract(b, &x[c], W[c * count + j], x[j]);
    divide(b, &x[c], W[c * count + c]);
  }
  int there = 1;
  for (int c = 0; c < count; c++) there = there && x[c];
  return there;
}

static rattle_status solve_block(coupled *b, rattle_expr *factor, rattle_expr *velocity, int *known,
                                 rattle_error *error) {
  rattle_status status = collect(b, known, error);
  if (status || !*known) return status;
  const size_t size = (size_t)b->count;
  b->W = malloc(size * size * sizeof *b->W);
  b->x = malloc(size * sizeof *b->x);
  status = b->W && b->x ? fill(b, factor, error) : rattle__no_memory(error);
  if (!status && !solve(b, known)) status = rattle__no_memory(error);
  for (int i = 0; i < b->count && !status && *known; i++)
    velocity[b->pair[i]] = b->x[i], factor[b->pair[i]] = RATTLE_EXPR_NONE;
  free(b->W), free(b->x);
  return status;
}

rattle_status rattle__momenta_to_velocities(const rattle_model *model, rattle_expr *factor,
                                            rattle_expr *velocity, int *unknown,
                                            rattle_error *error) {
  const int n = model->n;
  rattle_status status = RATTLE_OK;
  int *room = malloc(2 * (size_t)n * sizeof *room);
  *unknown = -1;
  if (!room) return rattle__no_memory(error);
  for (int k = 0; k < n && !status && *unknown < 0; k++) {
    coupled b = {.graph = model->graph, .H = model->hamiltonian, .pair = room, .place = room + n};
    int known;
    if (!factor[k]) continue;
    for (int j = 0; j < n; j++) b.place[j] = -1;
    b.place[k] = 0, b.pair[b.count++] = k;
    status = solve_block(&b, factor, velocity, &known, error);
    if (!status && !known) *unknown = k;
  }
  free(room);
  return status;
}
