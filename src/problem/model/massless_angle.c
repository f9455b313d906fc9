/* Angles without mass, as of a lever: an angle z of which constraints know sin(z + phi) and
 * cos(z + phi) alone is two coordinates without mass, s = sin z and c = cos z, on the circle
 * c^2 + s^2 = 1. Elsewhere z, as in the potential of a spring, is the angle of (c, s), which counts
 * turns (turning.c).
 *
 * The balance of z is that of (c, s) along the circle, and that across it is the multiplier of the
 * circle: the equations are the same, and linear in c and s. If two constraints determine them,
 * a1 c + b1 s = d1 and a2 c + b2 s = d2 with a determinant that is not 0 at the start, massless.c
 * takes both out, and the circle is a constraint on coordinates with mass. Otherwise z stays. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ground/expr/copy.h"
#include "ground/expr/graph.h"
#include "ground/expr/round_off.h"
#include "ground/expr/walk.h"
#include "ground/support/error.h"
#include "problem/model/massless.h"

static const double pi = 3.14159265358979323846; /* as turns are counted in steps */

typedef struct lever {
  rattle_model *model;
  rattle_graph *g;
  int z, pair[2];     /* its variable; the pairs of c and s */
  rattle_expr at[2];  /* c, s */
  rattle__copy copy;  /* with c and s in place of z */
  rattle_expr *image; /* of the copy */
  rattle_error *error;
} lever;

/* 1: e is sin or cos of z + phi, -1: of phi - z, 0: neither. */
static int is_circular(const lever *a, rattle_expr e) {
  const rattle_op op = rattle__op(a->g, e);
  if (op != RATTLE_OP_SIN && op != RATTLE_OP_COS) return 0;
  const rattle_expr d = rattle_expr_derivative(a->g, rattle__first(a->g, e), a->z);
  if (!d || !rattle__is_constant(a->g, d)) return 0;
  const double slope = rattle__value(a->g, d);
  return slope == 1 ? 1 : slope == -1 ? -1 : 0;
}

/* True if z is in e in such functions alone; *found: it is. */
static int is_within(const lever *a, rattle_expr e, int *found) {
  rattle__walk walk;
  if (e == RATTLE_EXPR_NONE) return 1;
  if (rattle__walk_begin(&walk, a->g, e, rattle__operands)) return rattle__walk_end(&walk), 0;
  unsigned char *has = calloc(walk.count, 1);
  for (size_t i = 0; has && i < walk.count; i++) {
    rattle_expr child[2];
    const int count = rattle__operands(a->g, walk.node[i], child);
    for (int k = 0; k < count; k++) has[i] |= has[rattle__place(&walk, child[k]) - 1];
    if (!count) has[i] = rattle_expr_index(a->g, walk.node[i]) == a->z;
    if (has[i] && is_circular(a, walk.node[i])) has[i] = 0, *found = 1;
  }
  const int within = has && !has[walk.count - 1];
  free(has);
  rattle__walk_end(&walk);
  return within;
}

static int is_eligible(const lever *a) {
  const rattle_model *model = a->model;
  int found = 0, within = 1;
  for (int i = 0; i < model->m && within; i++)
    within = is_within(a, model->constraint[i].expr, &found);
  return within && found;
}

static rattle_expr op2(const lever *a, rattle_op op, rattle_expr x, rattle_expr y) {
  return x && y ? rattle_expr_binary(a->g, op, x, y) : RATTLE_EXPR_NONE;
}

/* e = sin or cos of w z + phi by c and s */
static rattle_expr expanded(const lever *a, rattle_expr e, int w) {
  const rattle_expr zero = rattle_expr_constant(a->g, 0);
  rattle_expr *image = calloc((size_t)a->z + 1, sizeof *image);
  if (!image) return RATTLE_EXPR_NONE;
  image[a->z] = zero;
  rattle__copy copy = rattle__copy_begin(a->g, a->g, image, a->z + 1);
  const rattle_expr phi = rattle__copy_of(&copy, rattle__first(a->g, e));
  rattle__copy_end(&copy);
  free(image);
  const rattle_expr cosine = phi ? rattle_expr_unary(a->g, RATTLE_OP_COS, phi) : phi,
                    sine = phi ? rattle_expr_unary(a->g, RATTLE_OP_SIN, phi) : phi,
                    s = w > 0 ? a->at[1] : rattle_expr_unary(a->g, RATTLE_OP_NEG, a->at[1]);
  if (rattle__op(a->g, e) == RATTLE_OP_SIN)
    return op2(a, RATTLE_OP_ADD, op2(a, RATTLE_OP_MUL, s, cosine),
               op2(a, RATTLE_OP_MUL, a->at[0], sine));
  return op2(a, RATTLE_OP_SUB, op2(a, RATTLE_OP_MUL, a->at[0], cosine),
             op2(a, RATTLE_OP_MUL, s, sine));
}

/* The copies of sin and cos in e are made by c and s. 0: no memory. */
static int prepare(lever *a, rattle_expr e) {
  rattle__walk walk;
  if (e == RATTLE_EXPR_NONE) return 1;
  int there = !rattle__walk_begin(&walk, a->g, e, rattle__operands);
  for (size_t i = 0; there && i < walk.count; i++) {
    const rattle_expr node = walk.node[i];
    const int w = is_circular(a, node);
    if (!w) continue;
    there = rattle__copy_of(&a->copy, node) != RATTLE_EXPR_NONE;
    if (there) a->copy.known[node] = expanded(a, node, w);
    there = there && a->copy.known[node];
  }
  rattle__walk_end(&walk);
  return there;
}

static int prepare_all(lever *a) {
  const rattle_model *model = a->model;
  int there = prepare(a, model->hamiltonian);
  for (int i = 0; i < model->m && there; i++) there = prepare(a, model->constraint[i].expr);
  for (int i = 0; i < model->observables && there; i++)
    there = prepare(a, model->observable[i].expr);
  for (int i = 0; i < model->applieds && there; i++) there = prepare(a, model->applied[i].expr);
  for (int i = 0; i < model->events && there; i++) there = prepare(a, model->event[i].is.expr);
  return there;
}

/* e where c and s are 0 */
static rattle_expr at_origin(const lever *a, rattle_expr e) {
  const rattle_expr zero = rattle_expr_constant(a->g, 0);
  const int vars = 2 * a->model->n;
  rattle_expr *image = e ? calloc((size_t)vars, sizeof *image) : NULL;
  if (!image) return RATTLE_EXPR_NONE;
  image[2 * a->pair[0]] = image[2 * a->pair[1]] = zero;
  rattle__copy copy = rattle__copy_begin(a->g, a->g, image, vars);
  const rattle_expr there = rattle__copy_of(&copy, e);
  rattle__copy_end(&copy);
  free(image);
  return there;
}

/* e, which is linear in c and s but for k (c^2 + s^2)/2, as it is on the circle: linear; NONE: it
 * is not that, or there is no memory. Rods to the end of a lever are. */
static rattle_expr straightened(const lever *a, rattle_expr e) {
  rattle_expr slope[2], straight = RATTLE_EXPR_NONE;
  double bend[2][2];
  for (int k = 0; k < 2; k++) {
    if (!e || rattle__jumps_with(a->g, e, 2 * a->pair[k])) return RATTLE_EXPR_NONE;
    slope[k] = rattle_expr_derivative(a->g, e, 2 * a->pair[k]);
    for (int j = 0; j < 2; j++) {
      const rattle_expr d =
          slope[k] ? rattle_expr_derivative(a->g, slope[k], 2 * a->pair[j]) : RATTLE_EXPR_NONE;
      if (!d || !rattle__is_constant(a->g, d)) return RATTLE_EXPR_NONE;
      bend[k][j] = rattle__value(a->g, d);
    }
  }
  if (bend[0][0] != bend[1][1] || bend[0][1] != 0) return RATTLE_EXPR_NONE;
  if (bend[0][0] == 0) return e;
  straight = op2(a, RATTLE_OP_ADD, at_origin(a, e), rattle_expr_constant(a->g, bend[0][0] / 2));
  for (int k = 0; k < 2; k++)
    straight =
        op2(a, RATTLE_OP_ADD, straight, op2(a, RATTLE_OP_MUL, at_origin(a, slope[k]), a->at[k]));
  return straight;
}

/* The factors of c and s in constraint i at the start; 0: it is not linear in them. */
static int factors_of(lever *a, int i, const double *x, double factor[2]) {
  const rattle_expr e = straightened(a, rattle__copy_of(&a->copy, a->model->constraint[i].expr));
  for (int k = 0; k < 2 && e; k++)
    factor[k] = rattle_expr_evaluate(a->g, rattle_expr_derivative(a->g, e, 2 * a->pair[k]), x);
  return e && isfinite(factor[0]) && isfinite(factor[1]) && (factor[0] != 0 || factor[1] != 0);
}

/* True if two constraints determine c and s at the start. */
static int are_determined(lever *a) {
  const rattle_model *model = a->model;
  double *x = malloc(2 * (size_t)model->n * sizeof *x), first[2], other[2];
  int rank = 0;
  for (int k = 0; x && k < model->n; k++)
    x[2 * k] = model->pair[k].q, x[2 * k + 1] = model->pair[k].p;
  for (int i = 0; x && i < model->m && rank < 2; i++) {
    if (!factors_of(a, i, x, rank ? other : first)) continue;
    const double one = first[0] * other[1], two = first[1] * other[0];
    rank += !rank || !rattle__is_round_off(one - two, DBL_EPSILON * (fabs(one) + fabs(two)));
  }
  free(x);
  return rank == 2;
}

/* The copier that puts c and s, and elsewhere `angle`, in place of z. 0: no memory. */
static int begin_copy(lever *a, rattle_expr angle) {
  a->image = angle ? calloc(2 * (size_t)a->model->n, sizeof *a->image) : NULL;
  if (!a->image) return 0;
  a->image[a->z] = angle;
  a->copy = rattle__copy_begin(a->g, a->g, a->image, 2 * a->model->n);
  return prepare_all(a);
}

static void end_copy(lever *a) {
  rattle__copy_end(&a->copy);
  free(a->image), a->image = NULL;
}

/* The angle of (c, s), which counts turns from the multiple of pi that is nearest to its start. */
static rattle_status count_turns(lever *a, rattle_expr *angle) {
  const double start = a->model->pair[a->z / 2].q;
  rattle_status status = rattle_model_turning_angle(a->model, a->at[1], a->at[0], angle, a->error);
  if (!status)
    a->model->pair[a->model->turning[a->model->turnings - 1].pair].q = pi * round(start / pi);
  return status;
}

/* c and s, with the starts of z. */
static rattle_status add_pairs(lever *a, const rattle__pair *z) {
  static const char *const format[] = {"cos(%s)", "sin(%s)"};
  const double start[] = {cos(z->q), sin(z->q)};
  const int has_start = z->has_start;
  char *of = z->name; /* of the model's pool */
  rattle_status status = RATTLE_OK;
  for (int k = 0; k < 2 && !status; k++) {
    char name[300];
    snprintf(name, sizeof name, format[k], of);
    status = rattle_model_add_pair(a->model, name, NULL, &a->pair[k], a->error);
    if (status) return status;
    rattle__pair *added = &a->model->pair[a->pair[k]];
    added->q = start[k], added->has_start = (unsigned char)has_start;
    added->on_circle = 1;
    a->at[k] = rattle_expr_variable(a->g, 2 * a->pair[k]);
    if (!a->at[k]) status = rattle__no_memory(a->error);
  }
  return status;
}

static rattle_status add_circle(lever *a, const char *of) {
  const rattle_expr two = rattle_expr_constant(a->g, 2), one = rattle_expr_constant(a->g, 1);
  const rattle_expr e = op2(a, RATTLE_OP_SUB,
                            op2(a, RATTLE_OP_ADD, op2(a, RATTLE_OP_POWI, a->at[0], two),
                                op2(a, RATTLE_OP_POWI, a->at[1], two)),
                            one);
  char name[300];
  snprintf(name, sizeof name, "circle(%s)", of);
  return e ? rattle_model_add_constraint(a->model, name, e, a->error) : rattle__no_memory(a->error);
}

/* In place of z; it is observed. */
static rattle_status replace(lever *a) {
  rattle_model *model = a->model;
  const int k = a->z / 2;
  char *name = model->pair[k].name;
  rattle_status status = rattle__model_rewrite(model, &a->copy, a->error);
  for (int i = 0; i < model->m && !status; i++) {
    const rattle_expr straight = straightened(a, model->constraint[i].expr);
    if (straight) model->constraint[i].expr = straight;
  }
  for (int i = model->m - 1; i >= 0; i--)
    if (rattle__model_is_of_free(model, i, k)) rattle__model_remove_constraint(model, i);
  if (!status) status = add_circle(a, name);
  model->pair[k].name = "";
  if (!status) status = rattle_model_add_observable(model, name, a->image[a->z], a->error);
  model->pair[k].name = name;
  return status ? status : rattle__model_remove_pair(model, k, a->error);
}

rattle_status rattle__massless_angle(rattle_model *model, int k, int *split, rattle_error *error) {
  lever a = {.model = model, .g = model->graph, .z = 2 * k, .error = error};
  *split = 0;
  if (!is_eligible(&a)) return RATTLE_OK;
  rattle_status status = add_pairs(&a, &model->pair[k]);
  if (!status && !begin_copy(&a, op2(&a, RATTLE_OP_ATAN2, a.at[1], a.at[0])))
    status = rattle__no_memory(error);
  *split = !status && are_determined(&a);
  end_copy(&a);
  rattle_expr angle = RATTLE_EXPR_NONE;
  if (*split) status = count_turns(&a, &angle);
  if (*split && !status) status = begin_copy(&a, angle) ? replace(&a) : rattle__no_memory(error);
  end_copy(&a);
  for (int i = 1; i >= 0 && !status && !*split; i--)
    status = rattle__model_remove_pair(model, a.pair[i], error);
  return status;
}
