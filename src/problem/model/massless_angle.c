/* Angles without mass, as of a lever: an angle z of which H, constraints and forces know
 * sin(z + phi) and cos(z + phi) alone is two coordinates without mass, s = sin z and c = cos z, on
 * the circle c^2 + s^2 = 1.
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
  int found = 0, within = is_within(a, model->hamiltonian, &found);
  for (int i = 0; i < model->m && within; i++)
    within = is_within(a, model->constraint[i].expr, &found);
  for (int i = 0; i < model->applieds && within; i++)
    within = is_within(a, model->applied[i].expr, &found);
  for (int i = 0; i < model->events && within; i++)
    within = is_within(a, model->event[i].is.expr, &found);
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

/* The factors of c and s in constraint i at the start; 0: it is not linear in them. */
static int factors_of(lever *a, int i, const double *x, double factor[2]) {
  const rattle_expr e = rattle__copy_of(&a->copy, a->model->constraint[i].expr);
  for (int k = 0; k < 2; k++) {
    const rattle_expr d = e ? rattle_expr_derivative(a->g, e, 2 * a->pair[k]) : e;
    for (int j = 0; j < 2; j++) {
      const rattle_expr bend = d ? rattle_expr_derivative(a->g, d, 2 * a->pair[j]) : d;
      if (!bend || !rattle__is_constant(a->g, bend) || rattle__value(a->g, bend) != 0) return 0;
    }
    factor[k] = rattle_expr_evaluate(a->g, d, x);
  }
  return isfinite(factor[0]) && isfinite(factor[1]) && (factor[0] != 0 || factor[1] != 0);
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
  a.image = status ? NULL : calloc(2 * (size_t)model->n, sizeof *a.image);
  if (!status && !a.image) status = rattle__no_memory(error);
  if (status) return status;
  a.image[a.z] = op2(&a, RATTLE_OP_ATAN2, a.at[1], a.at[0]);
  a.copy = rattle__copy_begin(a.g, a.g, a.image, 2 * model->n);
  if (!a.image[a.z] || !prepare_all(&a)) status = rattle__no_memory(error);
  *split = !status && are_determined(&a);
  if (*split) status = replace(&a);
  rattle__copy_end(&a.copy);
  free(a.image);
  for (int i = 1; i >= 0 && !status && !*split; i--)
    status = rattle__model_remove_pair(model, a.pair[i], error);
  return status;
}
